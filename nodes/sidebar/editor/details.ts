// What is below the row of the route that is chosen: its source, its destinations, and what can be
// done with it.
import { sentenceOf } from '../../editor/ask'
import { addressOf } from '../../editor/address'
import { element, say } from '../../editor/element'
import { isOn, isRunning } from '../../editor/states'
import { numeral } from '../../editor/text'
import { createHandle, type Kind } from './add-node'
import type { Action, Target } from './commands'
import type { Caller, Failover, FailoverAction, Part } from '../../wire'
import { actionsOf, markOf } from './failover'
import { rateOfPart } from './rates'
import type { Route } from './route'
import { controlLabel, whyNot, type Scene } from './row'
import { text } from './text'
import { mark, partSummary, routeSummary } from './labels'
import { named, textButton } from './widgets'

export interface DetailsOptions {
  /** Without an action, the one that changes the state. */
  onControl(target: Target, action?: Action): void
  onFailover(failover: Failover, action: FailoverAction, goBack: () => void): void
  /** `event` when it is dragged. */
  onAdd(kind: Kind, routeId: string, event: Event): void
  onClose: () => void
}

export function createDetails(options: DetailsOptions) {
  const content = element('div')
  const region = { role: 'region', hidden: true }
  const box = element('div.media-gateway-sidebar-details', region, content)
  let drawn = ''

  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    options.onClose()
  })

  function draw(route: Route, scene: Scene, callers: readonly Caller[]): HTMLElement[] {
    const isOld = scene.old !== ''
    /** The callers of a destination, or without its ID of the source. */
    const linesFor = (id: string | undefined): string[] =>
      callers.filter(({ output }) => output?.id === id).map(callerLine)
    const destinations = route.destinations.map((one) =>
      partRow(one, '', isOld, linesFor(one.id), controlOf(route, scene, one)),
    )
    const handles = scene.kinds.map((kind) =>
      createHandle(kind, (event) => options.onAdd(kind, route.id, event)),
    )
    return [
      element(
        'div.media-gateway-sidebar-line',
        element('span.media-gateway-sidebar-says', routeSummary(route, isOld)),
        textButton('✕', options.onClose, { ...named(text('close')), 'data-act': 'close' }),
      ),
      element(
        'ul',
        partRow(route.source, `${text('source')}: `, isOld, linesFor(undefined)),
        ...destinations,
        ...route.failovers.map((one) => protection(one, scene)),
      ),
      element(
        'div.media-gateway-sidebar-more',
        isRunning(route) && scene.mayControl && control('restart', route, scene, route.name),
        copyId(route),
        handles.length > 0 && element('span', text('add.label')),
        ...handles,
      ),
    ]
  }

  /** Nobody reads it: it is for other programs. */
  function copyId({ id }: Route): HTMLElement {
    const copy = (): void => void RED.clipboard.copyText(id, $(made), 'clipboard.copyMessageValue')
    const made = textButton(text('copy'), copy, { title: id, 'data-act': 'copy' })
    return made
  }

  /** What a failover is doing, and what it can be told. */
  function protection(failover: Failover, scene: Scene): HTMLElement {
    const goBack = (): void => content.querySelector<HTMLElement>('[data-failover]')?.focus()
    const actions = scene.mayControl ? actionsOf(failover) : []
    const buttons = actions.map((action) => {
      const press = (): void => options.onFailover(failover, action, goBack)
      return textButton(text(`failover.${action}`), press, {
        ariaDisabled: String(scene.old !== '' || scene.isSwitching(failover.id)),
        title: scene.old,
        'data-failover': `${failover.id} ${action}`,
      })
    })
    return failoverRow(failover, scene.now, element('div.media-gateway-sidebar-more', ...buttons))
  }

  function controlOf(route: Route, scene: Scene, shown: Part): HTMLElement | undefined {
    const { id, name = '', ...state } = shown
    // While its route does not run, a destination cannot go on the air.
    if (id === undefined || !isRunning(route) || !scene.mayControl) return undefined
    return control(isOn(state) ? 'stop' : 'start', route, scene, name, id)
  }

  /** @param name of the route or, with an ID, of one of its destinations */
  function control(
    verb: Action,
    route: Route,
    scene: Scene,
    name: string,
    destinationId?: string,
  ): HTMLButtonElement {
    const target = { routeId: route.id, destinationId }
    const waiting = scene.waiting(route.id, destinationId)
    const why = whyNot(verb, route, scene.old)
    const isOfRoute = destinationId === undefined
    const press = (): void => options.onControl(target, isOfRoute ? verb : undefined)
    return textButton(text(waiting ? `waiting.${waiting}` : verb), press, {
      ariaLabel: waiting ? null : controlLabel(verb, name, why),
      ariaDisabled: String(waiting !== undefined || why !== ''),
      title: why,
      ...(isOfRoute ? { 'data-act': verb } : { 'data-destination': destinationId }),
    })
  }

  function showRates({ old, rates }: Scene, { id }: Route): void {
    const figures = old === '' ? rates.now(id) : undefined
    const parts = figures ? [figures.source, ...figures.destinations] : []
    for (const [index, place] of [...content.querySelectorAll(`.${RATE}`)].entries()) {
      say(place, rateOfPart(parts[index]))
    }
  }

  return {
    element: box,
    /** Its figures change often, and in place. `callers`: who is connected. */
    show(route: Route | undefined, scene: Scene, callers: readonly Caller[] = []): void {
      box.hidden = route === undefined
      if (!route) {
        drawn = ''
        return content.replaceChildren()
      }
      const ids = [undefined, ...route.destinations.map(({ id }) => id)]
      const waiting = ids.map((id) => scene.waiting(route.id, id))
      const marks = route.failovers.map((one) => [
        markOf(one, scene.now),
        scene.isSwitching(one.id),
      ])
      const may = [scene.mayControl, scene.old, scene.kinds]
      const now = JSON.stringify([route, waiting, marks, may, callers])
      if (now !== drawn) {
        box.classList.toggle('media-gateway-sidebar-old', scene.old !== '')
        box.ariaLabel = text('details', { name: route.name })
        const focused = keyOf(document.activeElement)
        content.replaceChildren(...draw(route, scene, callers))
        if (focused) content.querySelector<HTMLElement>(focused)?.focus()
      }
      drawn = now
      showRates(scene, route)
    },
    focusButton(destinationId?: string): void {
      const isOfRoute = destinationId === undefined
      const name = isOfRoute ? 'act="restart"' : `destination="${CSS.escape(destinationId)}"`
      content.querySelector<HTMLElement>(`[data-${name}]`)?.focus()
    },
  }

  /** By its first `data-` attribute, a button gets the focus back after it was redrawn. */
  function keyOf(focused: Element | null): string | undefined {
    if (!(focused instanceof HTMLElement) || !content.contains(focused)) return undefined
    const [name, value] = Object.entries(focused.dataset)[0] ?? []
    return name && `[data-${name}="${CSS.escape(value ?? '')}"]`
  }
}

const RATE = 'media-gateway-sidebar-rate'

/** @param now Unix ms, by the clock of Node-RED */
export function failoverRow(failover: Failover, now: number, more?: HTMLElement): HTMLElement {
  const { sign, words } = markOf(failover, now)
  const why = failover.failure && sentenceOf(failover.failure)
  const about = linesOf(text('failover.label', { name: failover.name }), [words, why])
  return element('li.media-gateway-sidebar-protection', mark(sign), about, more)
}

function partRow(
  part: Part,
  prefix: string,
  isOld: boolean,
  callers: string[],
  control?: HTMLElement,
): HTMLElement {
  const about = [`${prefix}${partSummary(part, isOld)}`, addressOf(part)]
  const rate = element('span', { className: RATE })
  const lines = callers.map((caller) => element('div', caller))
  return element(
    'li',
    mark(part.health.sign),
    linesOf(part.name ?? '', about),
    rate,
    control,
    ...lines,
  )
}

function callerLine({ name, address, port, ...figures }: Caller): string {
  const from = port === null ? address : addressOf({ address, port })
  const { bitrate, packetLoss, roundTripTime } = figures
  return [
    name === null ? from : `${name} (${from})`,
    bitrate !== null && rateOfPart({ bitrate }),
    packetLoss !== null &&
      text('caller.loss', { loss: numeral(Math.round(packetLoss * 100) / 100) }),
    roundTripTime !== null && text('caller.time', { ms: Math.round(roundTripTime) }),
  ]
    .filter(Boolean)
    .join(' · ')
}

/** A name, and below it what is said of it, each on lines of its own: nothing of it is cut. */
function linesOf(title: string, words: (string | undefined)[]): HTMLElement {
  return element(
    'div.media-gateway-sidebar-about',
    element('span.media-gateway-sidebar-name', title),
    ...words.map((said) => said && element('span.media-gateway-sidebar-summary', said)),
  )
}
