// What is below the row of the route that is chosen: its source, its destinations, and what can be
// done with it.
import { addressOf } from '../../editor/address'
import { element, setText } from '../../editor/element'
import { sentenceOf } from '../../editor/failures'
import { isOn, isRunning } from '../../editor/states'
import { createHandle, KINDS, type Kind } from './add-node'
import { textButton } from './button'
import type { Action } from './commands'
import type { RouteFigures } from '../../../client/model/event'
import type { Caller, Failover, FailoverAction, Part } from '../../wire'
import { actionsOf, markOf } from './failover'
import { rateOfPart } from './rates'
import type { Route } from './route'
import { controlLabel, whyNot } from './row'
import { text } from './text'
import { mark, partSummary, routeSummary } from './labels'

export interface DetailsOptions {
  mayControl(): boolean
  /** Why what is shown is out of date; empty where it is not. */
  old(): string
  waiting(routeId: string, destinationId?: string): Action | undefined
  /** The nodes that a route can become. */
  kinds(): Kind[]
  onControl(routeId: string, destinationId: string): void
  onRestart(routeId: string): void
  /** Unix ms, by the clock of Node-RED. */
  now(): number
  /** A command to the failover is under way. */
  isSwitching(failoverId: string): boolean
  onFailover(failover: Failover, action: FailoverAction, goBack: () => void): void
  /** `event` when it is dragged. */
  onAdd(kind: Kind, routeId: string, event: Event): void
  onClose(): void
}

export interface Details {
  element: HTMLElement
  /** `figures`: what it carries now; they change often, and in place. `callers`: who is connected. */
  show(route: Route | undefined, figures?: RouteFigures, callers?: readonly Caller[]): void
  /** Of a destination, or else the one that restarts the route. */
  focusButton(destinationId?: string): void
}

export function createDetails(options: DetailsOptions): Details {
  const content = element('div')
  const box = element(
    'div.media-gateway-sidebar-details',
    { role: 'region', hidden: true },
    content,
  )
  let shown: Route | undefined
  let drawn = ''
  let calling: readonly Caller[] = []

  content.addEventListener('click', (event) => {
    const pressed = pressedAt(event)
    if (!shown || !pressed || pressed.ariaDisabled === 'true') return
    const { destination, act, kind, failover } = pressed.dataset
    if (act === 'copy') {
      RED.clipboard.copyText(shown.id, $(pressed), 'clipboard.copyMessageValue')
    } else if (act === 'close') options.onClose()
    else if (act === 'restart') options.onRestart(shown.id)
    else if (failover !== undefined) press(failover)
    else if (kind !== undefined) options.onAdd(kind as Kind, shown.id, event)
    else if (destination !== undefined) options.onControl(shown.id, destination)
  })
  content.addEventListener('dragstart', (event) => {
    const { kind } = pressedAt(event)?.dataset ?? {}
    if (shown && kind !== undefined) options.onAdd(kind as Kind, shown.id, event)
  })

  box.addEventListener('keydown', (event) => {
    const { kind } = pressedAt(event)?.dataset ?? {}
    const isPress = event.key === 'Enter' || event.key === ' '
    if (event.key !== 'Escape' && !(isPress && kind)) return
    event.stopPropagation()
    if (event.key === 'Escape') return options.onClose()
    // It would scroll.
    event.preventDefault()
    options.onAdd(kind as Kind, shown!.id, event)
  })

  /** `key`: the ID of a failover and an action. */
  function press(key: string): void {
    const [id, action] = key.split(' ')
    const failover = shown?.failovers.find((one) => one.id === id)
    const goBack = (): void => content.querySelector<HTMLElement>('[data-failover]')?.focus()
    if (failover) options.onFailover(failover, action as FailoverAction, goBack)
  }

  const pressedAt = ({ target }: Event): HTMLElement | null =>
    target instanceof Element ? target.closest<HTMLElement>('.media-gateway-sidebar-button') : null

  function draw(route: Route): HTMLElement[] {
    const isOld = options.old() !== ''
    const parts = [
      part(route.source, `${text('source')}: `, isOld, linesFor(undefined)),
      ...route.destinations.map((destination) =>
        part(destination, '', isOld, linesFor(destination.id), controlOf(route, destination)),
      ),
    ]
    return [
      element(
        'div.media-gateway-sidebar-line',
        element('span.media-gateway-sidebar-says', routeSummary(route, isOld)),
        button('✕', { act: 'close' }, text('close')),
      ),
      element('ul', ...parts, ...route.failovers.map(protection)),
      element('div.media-gateway-sidebar-more', ...restart(route), copyId(route), ...add()),
    ]
  }

  /** The callers of a destination, or without its ID of the source. */
  const linesFor = (id: string | undefined): string[] =>
    calling.filter(({ output }) => output?.id === id).map(callerLine)

  /** Nobody reads it: it is for other programs. */
  function copyId({ id }: Route): HTMLElement {
    const made = button(text('copy'), { act: 'copy' })
    made.title = id
    return made
  }

  /** What a failover is doing, and what it can be told. */
  function protection(failover: Failover): HTMLElement {
    const old = options.old()
    const buttons = options.mayControl()
      ? actionsOf(failover).map((action) => {
          const made = button(text(`failover.${action}`), { failover: `${failover.id} ${action}` })
          made.ariaDisabled = String(old !== '' || options.isSwitching(failover.id))
          made.title = old
          return made
        })
      : []
    return element(
      'li',
      { className: PROTECTION },
      ...aboutFailover(failover, options.now()),
      element('div.media-gateway-sidebar-more', ...buttons),
    )
  }

  function restart(route: Route): HTMLElement[] {
    if (!isRunning(route) || !options.mayControl()) return []
    return [control('restart', route, route.name, { act: 'restart' })]
  }

  function add(): HTMLElement[] {
    const kinds = KINDS.filter((kind) => options.kinds().includes(kind))
    return kinds.length === 0
      ? []
      : [element('span', text('add.label')), ...kinds.map(createHandle)]
  }

  function controlOf(route: Route, { id, name = '', ...state }: Part): HTMLElement | undefined {
    // While its route does not run, a destination cannot go on the air.
    if (id === undefined || !isRunning(route) || !options.mayControl()) return undefined
    const verb = isOn(state) ? 'stop' : 'start'
    return control(verb, route, name, { destination: id })
  }

  function control(
    verb: Action,
    route: Route,
    /** Of the route, or of one of its destinations. */
    name: string,
    data: { act: string } | { destination: string },
  ): HTMLButtonElement {
    const waiting = options.waiting(route.id, 'destination' in data ? data.destination : undefined)
    const why = whyNot(verb, route, options.old())
    const made = button(text(waiting ? `waiting.${waiting}` : verb), data)
    if (!waiting) made.ariaLabel = controlLabel(verb, name, why)
    made.title = why
    made.ariaDisabled = String(waiting !== undefined || why !== '')
    return made
  }

  function redraw(route: Route): void {
    box.classList.toggle('media-gateway-sidebar-old', options.old() !== '')
    box.setAttribute('aria-label', text('details', { name: route.name }))
    const focused = keyOf(document.activeElement)
    content.replaceChildren(...draw(route))
    if (focused) content.querySelector<HTMLElement>(focused)?.focus()
  }

  function showRates(figures?: RouteFigures): void {
    const parts = figures ? [figures.source, ...figures.destinations] : []
    for (const [index, place] of [...content.querySelectorAll(`.${RATE}`)].entries()) {
      setText(place, rateOfPart(parts[index]))
    }
  }

  return {
    element: box,
    show(route, figures, callers = []) {
      shown = route
      calling = callers
      box.hidden = route === undefined
      if (!route) {
        drawn = ''
        return content.replaceChildren()
      }
      const waiting = [undefined, ...route.destinations.map(({ id }) => id)].map((id) =>
        options.waiting(route.id, id),
      )
      const marks = route.failovers.map((one) => [
        markOf(one, options.now()),
        options.isSwitching(one.id),
      ])
      const may = [options.mayControl(), options.old(), options.kinds()]
      const now = JSON.stringify([route, waiting, marks, may, callers])
      if (now !== drawn) redraw(route)
      drawn = now
      showRates(figures)
    },
    focusButton(destinationId) {
      const wanted =
        destinationId === undefined
          ? '[data-act="restart"]'
          : `[data-destination="${CSS.escape(destinationId)}"]`
      content.querySelector<HTMLElement>(wanted)?.focus()
    },
  }

  /** Returns a selector that finds the button again after it was redrawn. */
  function keyOf(focused: Element | null): string | undefined {
    if (!(focused instanceof HTMLElement) || !content.contains(focused)) return undefined
    const [name, value] = Object.entries(focused.dataset)[0] ?? []
    return name && `[data-${name}="${CSS.escape(value ?? '')}"]`
  }
}

const RATE = 'media-gateway-sidebar-rate'

export const PROTECTION = 'media-gateway-sidebar-protection'

/** @param now Unix ms, by the clock of Node-RED */
export function aboutFailover(failover: Failover, now: number): HTMLElement[] {
  const { sign: tone, words } = markOf(failover, now)
  const sign = mark()
  sign.dataset['tone'] = tone
  const why = failover.failure && sentenceOf(failover.failure)
  return [sign, linesOf(text('failover.label', { name: failover.name }), [words, why])]
}

function part(
  shown: Part,
  prefix: string,
  isOld: boolean,
  callers: string[],
  control?: HTMLElement,
): HTMLElement {
  const sign = mark()
  sign.dataset['tone'] = shown.health.sign
  const about = linesOf(shown.name ?? '', [
    `${prefix}${partSummary(shown, isOld)}`,
    addressOf(shown),
  ])
  const rate = element('span', { className: RATE })
  const lines = callers.map((caller) => element('div', caller))
  return element('li', sign, about, rate, ...(control ? [control] : []), ...lines)
}

/** Who it is, and how well the connection is. */
function callerLine({ name, address, port, ...figures }: Caller): string {
  const place = address.includes(':') ? `[${address}]` : address
  const from = port === null ? address : `${place}:${port}`
  const { bitrate, packetLoss, roundTripTime } = figures
  return [
    name === null ? from : `${name} (${from})`,
    bitrate !== null && rateOfPart({ bitrate }),
    packetLoss !== null && text('caller.loss', { loss: Math.round(packetLoss * 100) / 100 }),
    roundTripTime !== null && text('caller.time', { ms: Math.round(roundTripTime) }),
  ]
    .filter(Boolean)
    .join(' · ')
}

/** A name, and below it what is said of it, each on lines of its own: nothing of it is cut. */
function linesOf(title: string, words: (string | undefined)[]): HTMLElement {
  const line = (of: string, content: string): HTMLElement =>
    element('span', { className: `media-gateway-sidebar-${of}` }, content)
  return element(
    'div.media-gateway-sidebar-about',
    line('name', title),
    ...words.flatMap((said) => (said ? [line('summary', said)] : [])),
  )
}

function button(words: string, data: Record<string, string>, name?: string): HTMLButtonElement {
  const made = textButton(words, name)
  Object.assign(made.dataset, data)
  return made
}
