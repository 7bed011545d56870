// Above the list of routes: which of them are shown, in which order, and what is done with them.
import { element } from '../../editor/element'
import { text as shared } from '../../editor/text'
import { textButton } from './button'
import { remember, remembered } from './preferences'
import {
  FILTERS,
  matchingRoutes,
  ORDERS,
  sorted,
  type Filter,
  type Order,
  type Route,
} from './route'
import { text } from './text'

export interface ToolsOptions {
  gatewayId: string
  /** The user has asked for other routes, or for another order. */
  onChoose(): void
  /** A command to all routes that are shown. */
  onAll(action: 'start' | 'stop'): void
  /** The user wants to see, or no longer to see, what happened lately. */
  onLately(isWanted: boolean): void
  /** The user wants rows of one line, or no longer. */
  onCompact(): void
  /** The user wants a report of the gateway. */
  onReport(): void
  /** The height has changed. */
  onChange(): void
}

export interface ShownTools {
  isHidden: boolean
  mayControl: boolean
  mayReport: boolean
  /** Why a command to all would not do what the user sees; empty where it would. */
  old: string
  /** Of the appliance. */
  address: string
}

export interface Tools {
  readonly element: HTMLElement
  readonly wantsLately: boolean
  readonly isCompact: boolean
  /** The routes to show, in their order. */
  choose(routes: readonly Route[]): Route[]
  show(shown: ShownTools): void
  focusAll(action: 'start' | 'stop'): void
}

export function createTools(options: ToolsOptions): Tools {
  const { gatewayId } = options
  const kept = remembered()
  let wantsLately = kept.lately[gatewayId] === true
  let isCompact = kept.compact[gatewayId] === true

  const search = element('input', {
    type: 'text',
    placeholder: text('search'),
    ariaLabel: text('search'),
  })
  const filter = choiceOf('filter', FILTERS)
  const order = choiceOf('order', ORDERS)
  order.value = ORDERS.find((one) => one === kept.order[gatewayId]) ?? ORDERS[0]
  const compact = textButton('☰', text('compact'))
  const more = textButton('⋯', text('more'))
  const lately = textButton(text('lately.show'))
  const all = { start: textButton(text('all.start')), stop: textButton(text('all.stop')) }
  const report = textButton(shared('connection.report.make'))
  const link = element('a', { target: '_blank', rel: 'noopener noreferrer' }, text('page'))
  const further = element(
    'div.media-gateway-sidebar-tools.media-gateway-sidebar-more',
    { hidden: true },
    order,
    all.start,
    all.stop,
    lately,
    report,
    link,
  )
  const tools = element(
    'div',
    element('div.media-gateway-sidebar-tools', search, filter, compact, more),
    further,
  )

  search.addEventListener('input', () => options.onChoose())
  // The editor would apply keys to the flow.
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && search.value !== '') {
      search.value = ''
      options.onChoose()
    }
    event.stopPropagation()
  })
  filter.addEventListener('change', () => options.onChoose())
  order.addEventListener('change', () => {
    remember('order', gatewayId, order.value)
    options.onChoose()
  })
  more.addEventListener('click', () => {
    further.hidden = !further.hidden
    showMore()
    options.onChange()
  })
  compact.addEventListener('click', () => {
    isCompact = !isCompact
    remember('compact', gatewayId, isCompact)
    showMore()
    options.onCompact()
  })
  lately.addEventListener('click', () => {
    wantsLately = !wantsLately
    remember('lately', gatewayId, wantsLately)
    showMore()
    options.onLately(wantsLately)
  })
  report.addEventListener('click', () => options.onReport())
  for (const action of ['start', 'stop'] as const) {
    all[action].addEventListener('click', () => {
      if (all[action].ariaDisabled !== 'true') options.onAll(action)
    })
  }

  function showMore(): void {
    more.ariaExpanded = String(!further.hidden)
    lately.ariaPressed = String(wantsLately)
    compact.ariaPressed = String(isCompact)
  }

  showMore()
  return {
    element: tools,
    get wantsLately() {
      return wantsLately
    },
    get isCompact() {
      return isCompact
    },
    choose: (routes) =>
      sorted(matchingRoutes(routes, search.value, filter.value as Filter), order.value as Order),
    show({ isHidden, mayControl, mayReport, old, address }) {
      tools.hidden = isHidden
      report.hidden = !mayReport
      for (const button of Object.values(all)) {
        button.hidden = !mayControl
        button.ariaDisabled = String(old !== '')
        button.title = old
      }
      const page = pageAt(address)
      link.hidden = page === undefined
      if (page !== undefined) link.href = page
    },
    focusAll: (action) => all[action].focus(),
  }
}

function choiceOf(of: 'filter' | 'order', values: readonly string[]): HTMLSelectElement {
  const offered = values.map((value) => element('option', { value }, text(`${of}.${value}`)))
  return element('select', { ariaLabel: text(`${of}.label`) }, ...offered)
}

/** The appliance's own page: only what a browser opens as one. */
function pageAt(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? href : undefined
}
