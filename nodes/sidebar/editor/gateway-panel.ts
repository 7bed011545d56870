// One appliance: its state, its routes, and what can be done with them.
import { factCounts } from '../../../client/model/failover-view'
import { mayWrite, type RequestError, sentenceOf } from '../../editor/ask'
import { download, element } from '../../editor/element'
import { isSilence, reachOfAway, type Reach } from '../../editor/states'
import { language, text as shared } from '../../editor/text'
import { addRoute, kindsFor, whyNotAdded, type Kind } from './add-node'
import type { ApplianceState, Caller, Failover, Failure, ListedGateway } from '../../wire'
import type { MadeReport, Place } from '../../wire'
import { request } from './api'
import { createControls } from './controls'
import { createDetails, failoverRow } from './details'
import { createDeviceChoice } from './devices'
import { createHead } from './head'
import { factsOfFailovers } from './failover'
import { factsOfKnown, isSpoken, keyOf, signOfGateway } from './health'
import { createLately } from './lately'
import { createRouteList } from './list'
import { remember, remembered } from './preferences'
import { createRates } from './rates'
import { withFailovers, type Route, type Snapshot } from './route'
import type { Scene } from './row'
import { text } from './text'
import { createTools } from './tools'
import { createMessage } from './widgets'

export interface PanelOptions {
  isOpen: boolean
  onToggle(isOpen: boolean): void
  /** Its height may have changed. @param isAsked the user has opened or closed something */
  onChange(isAsked?: boolean): void
  /** A command was sent, and its effect is awaited. */
  onCommand(): void
  speak: (words: string) => void
}

export interface Panel {
  readonly id: string
  readonly element: HTMLElement
  /** Its questions and messages, to be shown where they move nothing. */
  readonly messages: HTMLElement
  /** The first state, or the effect of a command, is awaited. */
  readonly isWaiting: boolean
  /** The height of each open list, and what it needs; infinite while that is not known. */
  readonly lists: readonly { height: number; need: number }[]
  update(gateway: ListedGateway & Place): void
  /** Asks for the state. `gone` when the gateway is not deployed any more. */
  ask(): Promise<'gone' | undefined>
  /** After a restart it means nothing; after a deploy, what went wrong before is over too. */
  forgetVersion(isDeployed: boolean): void
  tick(): void
}

const POLL_EVERY_MS = 60_000
/** How long the answer to a poll may take. */
const POLL_MS = 15_000
const OLD_MS = 10_000

let counter = 0

export function createGatewayPanel(listed: ListedGateway & Place, options: PanelOptions): Panel {
  const id = `media-gateway-sidebar-${counter++}`
  const place: Place = { id: listed.id, appliance: listed.appliance }
  /** Under what the browser keeps how it is shown. */
  const key = place.appliance === undefined ? place.id : `${place.id}/${place.appliance}`
  let gateway = listed
  let isOpen = options.isOpen
  let deviceId: string | undefined = remembered().device[key]
  let snapshot: Snapshot | undefined
  /** Of the snapshot; with none, the next answer has one. */
  let version: number | undefined
  let figuresAt: number | undefined
  const rates = createRates()
  let state: ApplianceState | undefined
  /** When that arrived, in ms by the clock of this page. */
  let stateAt = 0
  /** How far the clock of Node-RED is ahead of that of this page, in ms. */
  let skew = 0
  let isShownOld = false
  /** Another instance of Node-RED works for it. */
  let isElsewhere = false
  /** While it is closed: when it was polled last, in ms by the clock of this page. */
  let polledAt = -Infinity
  let failure: RequestError | undefined
  let selected: string | undefined
  /** The fault whose message was closed. */
  let closedFault: string | undefined
  let spokenReach: Reach | undefined
  /** Who calls the route that is chosen, and as of which figures. */
  let callers: { routeId: string; at?: number; list: readonly Caller[] } | undefined
  let isReporting = false
  let found: Route[] = []

  const devices = createDeviceChoice(`${id}-device`, choose)
  const head = createHead(id, `${id}-body`, () => {
    isOpen = !isOpen
    controls.takeBack()
    // Less is known of a closed one, and what was known before will be old.
    snapshot = undefined
    polledAt = Date.now()
    show()
    options.onToggle(isOpen)
  })
  const tools = createTools({
    gatewayId: key,
    onChoose: () => showRoutes(true),
    onAll: (action) => controls.askAll(action, found, () => tools.focusAll(action)),
    onMore: () => show(),
    onReport: () => void makeReport(),
  })
  const empty = element('div.media-gateway-sidebar-notice')
  const fault = createMessage(null, () => {
    closedFault = keyOf(faultNow())
    showHealth()
    head.focus()
  })
  const trouble = createMessage('alert', () => {
    complain('')
    head.focus()
  })
  const reported = createMessage('status', () => {
    reported.show('')
    head.focus()
  })
  const complain = (words: string): void => trouble.show(words)
  const controls = createControls({
    place,
    gateway: () => nameOf(gateway),
    snapshot: () => snapshot,
    isOld,
    complain,
    speak: options.speak,
    onSend() {
      showRoutes()
      options.onCommand()
    },
  })
  const details = createDetails({
    onFailover(failover, action, goBack) {
      const route = routeWith(selected)
      if (route) controls.askFailover(failover, action, route, goBack)
    },
    onControl: (target, action) =>
      controls.ask(target, () => details.focusButton(target.destinationId), action),
    onAdd: add,
    onClose() {
      const closed = selected
      selected = undefined
      showRoutes()
      if (closed !== undefined) list.focusButton(closed)
    },
  })
  const list = createRouteList({
    label: text('routesOf', { name: nameOf(listed) }),
    details: details.element,
    onSelect(routeId) {
      selected = selected === routeId ? undefined : routeId
      showRoutes()
    },
    onControl: (routeId) => controls.ask({ routeId }, () => list.focusButton(routeId)),
    onDrag: (routeId, event) => add('control-route', routeId, event),
    onRelease: () => showRoutes(),
  })
  /** The failovers that no route shows: without a row they would not be seen. */
  const unplaced = element('ul.media-gateway-sidebar-unplaced')
  const lately = createLately(text('lately.label', { name: nameOf(listed) }))
  const heading = [...head.elements, devices.element, tools.element]
  const top = element('div.media-gateway-sidebar-top', ...heading)
  const body = element('div', { id: `${id}-body` }, unplaced, empty, list.element, lately.element)
  const panel = element('section.media-gateway-sidebar-block', top, body)
  const shownMessages = [fault, trouble, reported].map((one) => one.element)
  const messages = element('div', ...shownMessages, ...controls.elements)

  const scene = (): Scene => ({
    old: old(),
    mayControl: !gateway.readOnly && !gateway.error && state?.mayControl !== false && mayWrite(),
    isCompact: tools.isCompact(),
    kinds: kindsFor(listed.id),
    now: Date.now() + skew,
    rates,
    waiting: (routeId, destinationId) => controls.waiting({ routeId, destinationId }, isOld()),
    isSwitching: controls.isSwitching,
  })

  function isOld(): boolean {
    return old() !== ''
  }

  /** Why what is shown is out of date; empty where it is not. */
  function old(): string {
    if (isLate()) return text('old')
    const { device } = state?.health.known ?? {}
    return device?.sign === 'unknown' ? device.text : ''
  }

  /** After a deploy nothing is known until the first poll: rows that are shown are of before. */
  const isLate = (): boolean =>
    failure !== undefined ||
    (state?.health.known?.isOld ?? snapshot !== undefined) ||
    Date.now() - stateAt > OLD_MS

  function show(): void {
    isShownOld = isOld()
    devices.show(isOpen, deviceId)
    showRoutes()
    showHealth()
    options.onChange()
  }

  function reach(): Reach {
    const { known, failure: missed, unreachable } = state?.health ?? {}
    if (gateway.error) return 'fault'
    if (isElsewhere) return 'elsewhere'
    if (state && unreachable && !failure) return reachOfAway(state.health)
    if (known && (failure || known.isOld || (isOpen && isLate()))) return 'stale'
    if (known) return known.device?.sign === 'unknown' ? 'device' : 'reachable'
    // Of one that has never answered there is nothing else to show until it counts as unreachable.
    if (missed && isSilence(missed)) return 'unreachable'
    if (missed || (failure && isOpen)) return 'fault'
    return isOpen || Date.now() - polledAt < POLL_MS ? 'asking' : 'closed'
  }

  function showHealth(): void {
    const present = reach()
    const { name, firmware } = snapshot?.device ?? {}
    const known = state?.health.known
    const isDevice = present === 'device' && known?.device
    const word = isDevice ? isDevice.text : text(`health.${present}`)
    head.show({
      title: nameOf(gateway),
      address: gateway.address,
      isOpen,
      tone: signOfGateway(present, known, unshown()),
      word,
      isQuiet: present === 'reachable',
      isOld: !isOpen && Date.now() - stateAt > OLD_MS,
      facts: factsOf(),
      more: [name, firmware && text('firmware', { firmware })],
    })
    body.hidden = !isOpen
    if (keyOf(faultNow()) !== closedFault) closedFault = undefined
    // Without rows, the fault is shown in their place.
    fault.show(isOpen && snapshot && closedFault === undefined ? faultWords() : '')
    showAge()
    if (!isSpoken(present)) return
    if (spokenReach !== undefined && spokenReach !== present) {
      options.speak(`${nameOf(gateway)}: ${word}`)
      if (present === 'reachable') complain('')
    }
    spokenReach = present
  }

  const faultNow = (): Failure | RequestError | undefined =>
    gateway.error ?? failure ?? state?.health.failure

  function faultWords(): string {
    const why = faultNow()
    return why ? `${nameOf(gateway)}: ${sentenceOf(why)}` : ''
  }

  function factsOf(): string[] {
    const known = state?.health.known
    const shown = factsOfKnown(known, isOld(), !isOpen)
    shown.push(...factsOfFailovers(factCounts(unshown())))
    if (gateway.readOnly) shown.push(text('readOnly'))
    else if (state?.mayControl === false) shown.push(text('observer'))
    if (known && snapshot && found.length < known.routes) {
      shown.push(text('shown', { shown: found.length }))
    }
    return shown
  }

  /** The failovers that no row shows. */
  const unshown = (): readonly Failover[] => (isOpen ? [] : (state?.failovers ?? []))

  function showAge(): void {
    const { known, unreachable, failure: missed } = state?.health ?? {}
    // Of a closed one that did not answer, how old that is.
    const isVerdict = !isOpen && (unreachable || (missed && !known))
    const ageMs = isVerdict ? 0 : known?.ageMs
    head.showAge(ageMs === undefined ? undefined : ageMs + Date.now() - stateAt)
  }

  /** Reads who calls the route whose details are open, once for each poll in which somebody does. */
  async function readCallers(): Promise<void> {
    const [routeId, at] = [selected, figuresAt]
    if (routeId === undefined || isOld()) return
    if (callers?.routeId === routeId && callers.at === at) return
    const isCalled = rates.now(routeId)?.destinations.some(({ clients = 0 }) => clients > 0)
    const before = callers?.routeId === routeId ? callers.list : []
    callers = { routeId, at, list: isCalled ? before : [] }
    if (!isCalled) return
    const asked = callers
    const question = { ...place, deviceId: deviceId ?? snapshot?.device.id, routeId }
    const { answer } = await request('callers', question)
    if (callers !== asked) return
    asked.list = answer?.callers ?? []
    showRoutes()
  }

  async function makeReport(): Promise<void> {
    if (isReporting) return
    isReporting = true
    reported.show(shared('connection.report.making'))
    const { id: gatewayId, appliance } = place
    const asked = { connection: { id: gatewayId }, appliance }
    const { answer, failure: why } = await request('report', asked)
    isReporting = false
    if (answer) download(answer)
    else complain(sentenceOf(why!))
    reported.show(answer ? wordsOf(answer) : '')
  }

  /** `isOther`: the user has asked for other routes than those shown. */
  function showRoutes(isOther = false): void {
    const all = snapshot?.routes ?? []
    const present = scene()
    found = tools.choose(all)
    const isCurrent = present.old === '' && callers?.routeId === selected
    details.show(routeWith(selected), present, isCurrent ? callers?.list : undefined)
    void readCallers()
    list.show({ found, all, selected, isOther: isOther || !snapshot }, present)
    tools.element.hidden = !isOpen || all.length === 0
    tools.show(present, mayWrite(), gateway.address)
    const lines = (snapshot?.failovers ?? []).map((one) => failoverRow(one, present.now))
    unplaced.replaceChildren(...lines)
    unplaced.hidden = lines.length === 0
    empty.textContent = emptyWords()
    empty.hidden = empty.textContent === ''
    lately.element.hidden = !snapshot || !tools.wantsLately()
    controls.update()
    if (isOther) showHealth()
    options.onChange()
  }

  const routeWith = (routeId: string | undefined): Route | undefined =>
    snapshot?.routes.find((one) => one.id === routeId)

  function emptyWords(): string {
    if (isElsewhere) return text('fleet.elsewhere')
    if (!snapshot) return faultWords() || text('asking')
    if (found.length > 0) return ''
    return text(snapshot.routes.length === 0 ? 'noRoutes' : 'noMatch')
  }

  function choose(chosenId: string): void {
    deviceId = chosenId
    remember('device', key, chosenId)
    forget()
    show()
    options.onCommand()
  }

  function forget(): void {
    snapshot = undefined
    state = undefined
    polledAt = -Infinity
    selected = undefined
    lately.take([])
    rates.clear()
    controls.abandon()
  }

  async function askForState(): Promise<'gone' | undefined> {
    if (gateway.error) return undefined
    const asked = deviceId
    const wasOpen = isOpen
    const isDue = !wasOpen && Date.now() - polledAt >= POLL_EVERY_MS
    if (isDue) polledAt = Date.now()
    const { answer, failure: missed } = await request('state', {
      ...place,
      deviceId: asked,
      version: snapshot && version,
      figuresAt: snapshot && figuresAt,
      lookOn: !wasOpen,
      poll: isDue,
      language: language(),
    })
    // Another device was chosen meanwhile, or the panel was opened or closed.
    if (asked !== deviceId || wasOpen !== isOpen) return undefined
    if (answer && 'notDeployed' in answer) return 'gone'
    failure = missed
    const wasElsewhere = isElsewhere
    isElsewhere = answer !== undefined && 'elsewhere' in answer
    // Nothing is known of it here any more, and nothing can be done.
    if (isElsewhere && !wasElsewhere) forget()
    if (answer && !('elsewhere' in answer)) take(answer)
    else version = undefined
    if (isOpen && (failure || state?.health.failure)) await findDevices()
    show()
    return undefined
  }

  function take(answer: ApplianceState): void {
    const { known, failure: missed, unreachable } = answer.health
    // Nobody polls a closed one now: how it was stays, with its age.
    const isNews = isOpen || known !== undefined || missed !== undefined || unreachable
    state = isNews || !state ? answer : { ...answer, health: state.health }
    if (isNews) stateAt = Date.now()
    version = answer.version
    skew = answer.now - Date.now()
    if (answer.snapshot) {
      snapshot = withFailovers(answer.snapshot, answer.failovers)
    }
    if (answer.rates) rates.begin(answer.rates)
    if (answer.figures) {
      figuresAt = answer.figuresAt
      rates.add(figuresAt ?? 0, answer.figures)
    }
    if (answer.lately) lately.take(answer.lately)
    if (snapshot) controls.settle()
  }

  /** Finds the devices after a failure: where there are several, one has to be chosen. */
  async function findDevices(): Promise<void> {
    const code = failure?.code ?? state?.health.failure?.code
    if (code !== 'INVALID_INPUT' && code !== 'NOT_FOUND') return
    const other = await devices.find(place, deviceId)
    if (other?.id !== undefined) choose(other.id)
    else if (other) deviceId = undefined
  }

  function add(kind: Kind, routeId: string, event: Event): void {
    const route = routeWith(routeId)
    if (!route) return
    const why = whyNotAdded(listed.id)
    if (why !== undefined) {
      event.preventDefault()
      return complain(why)
    }
    const isOnly = snapshot!.routes.filter(({ name }) => name === route.name).length === 1
    const said = addRoute(kind, { place, deviceId, route, isOnly }, event)
    if (said === 'added') options.speak(text('add.done', { name: route.name }))
  }

  show()
  return {
    id: listed.id,
    element: panel,
    messages,
    get isWaiting() {
      return controls.isWaiting || reach() === 'asking'
    },
    get lists() {
      const isComing = !snapshot && reach() === 'asking'
      const need = isComing ? Infinity : list.fullHeight
      return isOpen ? [{ height: list.element.offsetHeight, need }] : []
    },
    update(latest) {
      const isOther = latest.address !== gateway.address
      gateway = latest
      if (isOther) {
        devices.forget()
        forget()
      }
      show()
    },
    ask: askForState,
    forgetVersion(isDeployed) {
      version = undefined
      if (isDeployed) complain('')
    },
    tick() {
      if (isOld() === isShownOld) showAge()
      else show()
    },
  }
}

function wordsOf({ name, failure }: MadeReport): string {
  const made = `${shared('connection.report.made', { name })}.`
  const partly = failure ? [shared('connection.report.partly'), sentenceOf(failure)] : []
  return [made, ...partly, shared('connection.report.about')].join(' ')
}

export const nameOf = ({ appliance, name, address, id }: ListedGateway & Place): string =>
  appliance ?? (name || address || id)
