// Above the list of routes: which of them are shown, in which order, and what is done with them.
import { element } from '../../editor/element'
import { text as shared } from '../../editor/text'
import { remember, remembered } from './preferences'
import { FILTERS, matchingRoutes, ORDERS, sorted } from './route'
import type { Filter, Order, Route } from './route'
import type { Scene } from './row'
import { text } from './text'
import { choiceField, named, searchField, textButton } from './widgets'

export interface ToolsOptions {
  gatewayId: string
  /** The user has asked for other routes, for another order, or for rows of another height. */
  onChoose: () => void
  onAll(action: 'start' | 'stop'): void
  /** The user wants to see more or less than before: further tools, or what happened lately. */
  onMore: () => void
  onReport: () => void
}

export function createTools({ gatewayId, onChoose, ...options }: ToolsOptions) {
  const search = searchField(text('search'), onChoose)
  const filter = choiceField('filter', FILTERS, onChoose)
  const order = choiceField('order', ORDERS, () => {
    remember('order', gatewayId, order.value)
    onChoose()
  })
  order.value = ORDERS.find((one) => one === remembered().order[gatewayId]) ?? ORDERS[0]
  /** A button that stays pressed, also the next time. */
  const lasting = (of: 'lately' | 'compact', words: string, press: () => void) => {
    const change = (): void => {
      button.ariaPressed = String(!isPressed(button))
      remember(of, gatewayId, isPressed(button))
      press()
    }
    const ariaPressed = String(remembered()[of][gatewayId] === true)
    const button = textButton(words, change, { ariaPressed })
    return button
  }
  const compact = Object.assign(lasting('compact', '☰', onChoose), named(text('compact')))
  const lately = lasting('lately', text('lately.show'), options.onMore)
  const open = (): void => {
    further.hidden = !further.hidden
    more.ariaExpanded = String(!further.hidden)
    options.onMore()
  }
  const more = textButton('⋯', open, { ...named(text('more')), ariaExpanded: 'false' })
  const all = {
    start: textButton(text('all.start'), () => options.onAll('start')),
    stop: textButton(text('all.stop'), () => options.onAll('stop')),
  }
  const report = textButton(shared('connection.report.make'), options.onReport)
  const link = element('a', { target: '_blank', rel: 'noopener noreferrer' }, text('page'))
  const hidden = [order, all.start, all.stop, lately, report, link]
  const what = 'div.media-gateway-sidebar-tools.media-gateway-sidebar-more'
  const further = element(what, { hidden: true }, ...hidden)
  const first = element('div.media-gateway-sidebar-tools', search, filter, compact, more)

  return {
    element: element('div', first, further),
    wantsLately: () => isPressed(lately),
    isCompact: () => isPressed(compact),
    /** The routes to show, in their order. */
    choose: (routes: readonly Route[]): Route[] =>
      sorted(matchingRoutes(routes, search.value, filter.value as Filter), order.value as Order),
    show({ mayControl, old }: Scene, mayReport: boolean, address: string): void {
      report.hidden = !mayReport
      // A command to all would not do what the user sees.
      for (const button of Object.values(all)) {
        button.hidden = !mayControl
        button.ariaDisabled = String(old !== '')
        button.title = old
      }
      const page = pageAt(address)
      link.hidden = page === undefined
      if (page !== undefined) link.href = page
    },
    focusAll: (action: 'start' | 'stop'): void => all[action].focus(),
  }
}

const isPressed = (button: HTMLButtonElement): boolean => button.ariaPressed === 'true'

/** The appliance's own page: only what a browser opens as one. */
function pageAt(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? href : undefined
}
