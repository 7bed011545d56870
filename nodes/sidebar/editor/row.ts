import { element, say } from '../../editor/element'
import { isRunning } from '../../editor/states'
import type { Kind } from './add-node'
import { isBlocked, type Action } from './commands'
import { markOf } from './failover'
import { HEIGHT, rateOfRoute, rateOfSource, WIDTH, type Rates } from './rates'
import type { Route } from './route'
import { text } from './text'
import { mark as createMark, placeOf, summaryOf } from './labels'

export interface Scene {
  /** Why what is shown is out of date; empty where it is not. */
  old: string
  mayControl: boolean
  isCompact: boolean
  /** The nodes that a route can become. */
  kinds: readonly Kind[]
  /** Unix ms, by the clock of Node-RED. */
  now: number
  rates: Rates
  /** What is under way for a route, or for one of its destinations. */
  waiting(routeId: string, destinationId?: string): Action | undefined
  isSwitching(failoverId: string): boolean
}

interface ShownRow {
  index: number
  top: number
  isActive: boolean
  isSelected: boolean
  /** The route is gone, and keeps its place only while the pointer or the focus is on the list. */
  isGone: boolean
}

export type Row = ReturnType<typeof createRow>

export function createRow() {
  const sign = createMark()
  const name = element('span.media-gateway-sidebar-name')
  const badge = element('span.media-gateway-sidebar-badge')
  const lock = element('i.fa.fa-lock.media-gateway-sidebar-lock', {
    role: 'img',
    title: text('protected.mark'),
    ariaLabel: text('protected.mark'),
  })
  const title = element('div.media-gateway-sidebar-heading', name, lock, badge)
  const first = element('b')
  const rest = [element('span'), element('span')]
  const summary = element('span.media-gateway-sidebar-summary', first, ...rest)
  const place = element('span')
  const template = element('template', {
    innerHTML:
      `<svg width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" ` +
      'preserveAspectRatio="none" aria-hidden="true"><path></path></svg>',
  })
  /** A line through the last minutes. What it shows is said by the figure beside it. */
  const line = template.content.firstElementChild!
  const rate = element('span.media-gateway-sidebar-rate')
  const received = element('span.media-gateway-sidebar-received')
  const figures = element('span.media-gateway-sidebar-figures', place, line, rate)
  const button = element('button.media-gateway-sidebar-button')
  const about = element(
    'div.media-gateway-sidebar-about',
    { role: 'gridcell' },
    title,
    summary,
    figures,
    received,
  )
  const action = element('div.media-gateway-sidebar-action', { role: 'gridcell' }, button)
  const row = element('div.media-gateway-sidebar-row', { role: 'row' }, sign, about, action)
  return {
    element: row,
    button,
    show(route: Route, scene: Scene, shown: ShownRow): void {
      const { old, now, rates, isCompact } = scene
      const { index, top, isActive, isSelected, isGone } = shown
      const waiting = scene.waiting(route.id)
      const isOld = old !== ''
      row.classList.toggle('media-gateway-sidebar-old', isOld || isGone)
      row.classList.toggle('media-gateway-sidebar-compact', isCompact)
      row.dataset['tone'] = sign.dataset['tone'] = waiting ? 'busy' : route.health.sign
      say(name, route.name)
      name.title = route.name
      lock.hidden = !route.isProtected || isGone
      // Several protect it only by mistake: each is in the details.
      const [failover] = isGone ? [] : route.failovers
      const mark = failover && markOf(failover, now)
      badge.hidden = !mark
      badge.dataset['sign'] = isOld ? 'stopped' : (mark?.sign ?? 'stopped')
      say(badge, mark?.brief ?? '')
      badge.title = mark ? text('failover.title', { state: mark.words }) : ''
      const words = summaryWords(route, isOld, isGone, waiting)
      const [how = '', ...more] = words
      say(first, how)
      for (const [at, one] of rest.entries()) say(one, more[at] ? SEPARATOR + more[at] : '')
      summary.title = words.join(SEPARATOR)
      say(place, isGone ? '' : placeOf(route.source))
      // What was received before is no news of now: the line stays when the figures are old.
      line.firstElementChild!.setAttribute('d', isGone ? '' : rates.path(route.id, now))
      const carried = isOld || isGone ? undefined : rates.now(route.id)
      say(rate, carried ? rateOfRoute(carried) : '')
      say(received, carried ? rateOfSource(carried) : '')
      action.hidden = !scene.mayControl || isGone
      row.draggable = scene.kinds.length > 0 && !isGone
      // A disabled button would lose the focus.
      const verb = isRunning(route) ? 'stop' : 'start'
      const why = whyNot(verb, route, old)
      button.ariaDisabled = String(waiting !== undefined || why !== '')
      button.title = why || (isCompact ? text(verb) : '')
      button.dataset['verb'] = verb
      say(button, text(verb))
      button.ariaLabel = controlLabel(verb, route.name, why)
      row.dataset['route'] = route.id
      row.style.top = `${top}px`
      row.ariaRowIndex = String(index + 1)
      row.ariaSelected = String(isSelected)
      row.tabIndex = button.tabIndex = isActive ? 0 : -1
    },
  }
}

function summaryWords(route: Route, isOld: boolean, isGone: boolean, waiting?: Action): string[] {
  if (isGone) return [text('route.gone')]
  return waiting ? [text(`waiting.${waiting}`)] : summaryOf(route, isOld)
}

const SEPARATOR = ' · '

/** Why a command cannot be given now; empty when it can. @param old why what is shown is old */
export function whyNot(verb: Action, route: Route, old: string): string {
  if (old) return old
  return isBlocked(verb, route) ? text('protected.why') : ''
}

export function controlLabel(verb: Action, name: string, why: string): string {
  const label = text(`label.${verb}`, { name })
  return why ? `${label}: ${why}` : label
}
