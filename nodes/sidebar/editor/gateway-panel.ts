// One appliance: its state, its routes, and what can be done with them.
import type { RequestError } from '../../editor/ask'
import { element } from '../../editor/element'
import { sentenceOf, type Failure } from '../../editor/failures'
import { isOn, type Sign } from '../../editor/states'
import {
  askDevices,
  askState,
  control,
  mayControl,
  type Device,
  type ListedGateway,
  type NotDeployed,
  type State,
} from './api'
import { createCommands, isOnAir, type Action, type Target } from './commands'
import { askFirst, type Asked } from './confirm'
import { createDetails } from './details'
import { createRouteList } from './list'
import { createMessage } from './message'
import { remember, remembered } from './preferences'
import { byName, FILTERS, matchingRoutes, type Filter, type Snapshot } from './route'
import { text } from './text'
import { mark } from './labels'

export interface PanelOptions {
  isOpen: boolean
  onToggle(isOpen: boolean): void
  /** Its height may have changed. */
  onChange(): void
  /** A command was sent, and its effect is awaited. */
  onCommand(): void
  /** Has a screen reader say something. */
  speak(words: string): void
}

export interface GatewayPanel {
  readonly id: string
  readonly element: HTMLElement
  /** Its questions and messages, to be shown where they move nothing. */
  readonly messages: HTMLElement
  readonly isOpen: boolean
  /** The first state, or the effect of a command, is awaited. */
  readonly isWaiting: boolean
  readonly listHeight: number
  update(gateway: ListedGateway): void
  /** Asks for the state. `gone` when the gateway is not deployed any more. */
  ask(): Promise<'gone' | undefined>
  /** Forgets the version: after a restart of Node-RED it means nothing. */
  forgetVersion(): void
  /** To call when Node-RED runs other nodes: what went wrong before is over. */
  deployed(): void
  /** To call every second. */
  tick(): void
}

type Health = 'reachable' | 'stale' | 'unreachable' | 'asking' | 'fault' | 'closed'

const DEVICES_AGAIN_MS = 30_000
/** After this, what Node-RED said of the appliance is out of date. */
const OLD_MS = 10_000

let counter = 0

export function createGatewayPanel(listed: ListedGateway, options: PanelOptions): GatewayPanel {
  const id = `media-gateway-sidebar-${counter++}`
  const commands = createCommands()
  let gateway = listed
  let isOpen = options.isOpen
  let deviceId: string | undefined = remembered().device[listed.id]
  /** Offered where there are several. */
  let devices: Device[] = []
  let devicesAskedAt = -Infinity
  let snapshot: Snapshot | undefined
  let version: number | undefined
  let state: State | undefined
  /** When that arrived, in ms by the clock of this page. */
  let stateAt = 0
  let isShownOld = false
  /** Why the last request to Node-RED failed. */
  let failure: Failure | undefined
  let selected: string | undefined
  let question: { target: Target; action: Action; asked: Asked } | undefined
  /** The fault whose message was closed. */
  let closedFault: string | undefined
  let spokenHealth: Health | undefined
  /** How many routes match the search. */
  let found = Infinity

  const arrow = element('i', { className: 'fa media-gateway-sidebar-arrow', ariaHidden: 'true' })
  const sign = mark()
  const title = element('span', { className: 'media-gateway-sidebar-title' })
  const word = element('span', { className: 'media-gateway-sidebar-word' })
  const head = element(
    'button',
    { type: 'button', className: 'media-gateway-sidebar-head' },
    arrow,
    sign,
    title,
    word,
  )
  const facts = element('span', { id: `${id}-facts`, className: 'media-gateway-sidebar-told' })
  const age = element('span', { className: 'media-gateway-sidebar-age' })
  const factsRow = element('div', { className: 'media-gateway-sidebar-facts' }, facts, age)
  const choice = element('select', { id: `${id}-device` })
  const choiceRow = element(
    'div',
    { className: 'media-gateway-sidebar-tools', hidden: true },
    element('label', { htmlFor: choice.id }, text('device')),
    choice,
  )
  const search = element('input', { type: 'text', placeholder: text('search') })
  const filter = element(
    'select',
    {},
    ...FILTERS.map((value) => element('option', { value }, text(`filter.${value}`))),
  )
  const tools = element('div', { className: 'media-gateway-sidebar-tools' }, search, filter)
  const empty = element('div', { className: 'media-gateway-sidebar-notice' })
  const fault = createMessage(() => {
    closedFault = keyOf(faultNow())
    showHealth()
    head.focus()
  })
  const trouble = createMessage(() => {
    complain('')
    head.focus()
  })
  const questions = element('div')
  const details = createDetails({
    mayControl: isAllowed,
    isOld,
    waiting: (routeId, destinationId) => commands.waiting({ routeId, destinationId }),
    onControl: (routeId, destinationId) => {
      if (!isOld()) ask(routeId, destinationId)
    },
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
    mayControl: isAllowed,
    isOld,
    waiting: (routeId) => commands.waiting({ routeId }),
    onSelect(routeId) {
      selected = selected === routeId ? undefined : routeId
      showRoutes()
    },
    onControl: (routeId) => ask(routeId),
    onRelease: () => showRoutes(),
  })
  const top = element(
    'div',
    { className: 'media-gateway-sidebar-top' },
    head,
    factsRow,
    choiceRow,
    tools,
  )
  const body = element('div', { id: `${id}-body` }, empty, list.element)
  const panel = element('section', { className: 'media-gateway-sidebar-block' }, top, body)
  const messages = element('div', {}, fault.element, trouble.element, questions)

  head.setAttribute('aria-controls', body.id)
  search.setAttribute('aria-label', text('search'))
  filter.setAttribute('aria-label', text('filter.label'))
  head.setAttribute('aria-describedby', facts.id)
  trouble.element.setAttribute('role', 'alert')
  head.addEventListener('click', () => {
    isOpen = !isOpen
    takeQuestionBack()
    // Less is known of a closed one, and what was known before will be old.
    snapshot = undefined
    version = undefined
    show()
    options.onToggle(isOpen)
  })
  search.addEventListener('input', () => showRoutes(true))
  // The editor would apply keys to the flow.
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && search.value !== '') {
      search.value = ''
      showRoutes(true)
    }
    event.stopPropagation()
  })
  filter.addEventListener('change', () => showRoutes(true))
  choice.addEventListener('change', () => choose(choice.value))

  function isAllowed(): boolean {
    return !gateway.readOnly && !gateway.error && state?.mayControl !== false && mayControl()
  }

  /** What is shown is out of date. */
  function isOld(): boolean {
    return (
      failure !== undefined || state?.health.known?.isOld === true || Date.now() - stateAt > OLD_MS
    )
  }

  function show(): void {
    isShownOld = isOld()
    showDevices()
    showRoutes()
    showHealth()
    options.onChange()
  }

  function health(): Health {
    const { known, failure: missed, unreachable } = state?.health ?? {}
    if (gateway.error) return 'fault'
    if (unreachable && !failure) return 'unreachable'
    if (known) return isOld() ? 'stale' : 'reachable'
    if (missed || (failure && isOpen)) return 'fault'
    return isOpen ? 'asking' : 'closed'
  }

  function showHealth(): void {
    const now = health()
    title.textContent = nameOf(gateway)
    head.title = gateway.address
    head.setAttribute('aria-expanded', String(isOpen))
    body.hidden = !isOpen
    sign.dataset['tone'] = now === 'reachable' ? worstOf(state) : SIGNS[now]
    word.textContent = text(`health.${now}`)
    if (keyOf(faultNow()) !== closedFault) closedFault = undefined
    // Without rows, the fault is shown in their place.
    fault.show(isOpen && snapshot && closedFault === undefined ? faultWords() : '')
    facts.textContent = factsOf().join(' · ')
    const { name, firmware } = snapshot?.device ?? {}
    facts.title = [
      facts.textContent,
      ...(name === undefined ? [] : [name]),
      ...(firmware ? [text('firmware', { firmware })] : []),
    ].join(' · ')
    showAge()
    if (spokenHealth !== undefined && spokenHealth !== now && SPOKEN.has(now)) {
      options.speak(`${nameOf(gateway)}: ${word.textContent}`)
      if (now === 'reachable') complain('')
    }
    if (SPOKEN.has(now)) spokenHealth = now
  }

  /** Why the state is not known. */
  const faultNow = (): Failure | undefined => gateway.error ?? failure ?? state?.health.failure

  function faultWords(): string {
    const why = faultNow()
    return why ? `${nameOf(gateway)}: ${sentenceOf(why)}` : ''
  }

  /** The most important first: what does not fit in the line is cut. */
  function factsOf(): string[] {
    const shown: string[] = []
    const known = state?.health.known
    const { status, statusCode } = snapshot?.device ?? {}
    if (status && statusCode && statusCode !== 'ok') shown.push(status)
    if (known) {
      const { running, routes: all, warnings, errors } = known
      shown.push(text(isOld() ? 'ran' : 'running', { running, all }))
      if (warnings + errors > 0) shown.push(text('problems', { number: warnings + errors }))
    }
    if (gateway.readOnly) shown.push(text('readOnly'))
    else if (state?.mayControl === false) shown.push(text('observer'))
    if (known && found < known.routes) shown.push(text('shown', { shown: found }))
    return shown
  }

  function showAge(): void {
    const ageMs = state?.health.known?.ageMs
    const seconds = Math.round(((ageMs ?? 0) + Date.now() - stateAt) / 1000)
    age.textContent = ageMs === undefined ? '' : ageOf(Math.max(0, seconds))
  }

  function showDevices(): void {
    choiceRow.hidden = !isOpen || devices.length < 2
    // Filling it again would close it while the user chooses.
    const isSame = devices.every(({ id: one }, index) => choice.options[index]?.value === one)
    if (!isSame || choice.options.length !== devices.length) {
      choice.replaceChildren(...devices.map((one) => new Option(one.name, one.id)))
    }
    choice.value = deviceId ?? ''
  }

  /** `isOther`: the user has asked for other routes than those shown. */
  function showRoutes(isOther = false): void {
    const all = snapshot?.routes ?? []
    const wanted = matchingRoutes(all, search.value, filter.value as Filter)
    details.show(all.find((one) => one.id === selected))
    list.show({ found: wanted, all, selected, isOther: isOther || !snapshot })
    tools.hidden = !isOpen || all.length === 0
    found = snapshot ? wanted.length : Infinity
    empty.textContent = emptyWords()
    empty.hidden = empty.textContent === ''
    question?.asked.update(effectOf(question.target, question.action))
    if (isOther) showHealth()
    options.onChange()
  }

  function emptyWords(): string {
    if (!snapshot) return faultWords() || text('asking')
    if (found > 0) return ''
    return text(snapshot.routes.length === 0 ? 'noRoutes' : 'noMatch')
  }

  function choose(chosenId: string): void {
    deviceId = chosenId
    remember('device', gateway.id, chosenId)
    forget()
    show()
    options.onCommand()
  }

  function forget(): void {
    snapshot = undefined
    version = undefined
    state = undefined
    selected = undefined
    takeQuestionBack()
  }

  function takeQuestionBack(): void {
    question?.asked.takeBack()
    question = undefined
  }

  async function askForState(): Promise<'gone' | undefined> {
    if (gateway.error) return undefined
    const asked = deviceId
    const wasOpen = isOpen
    let answer: State | NotDeployed | undefined
    let missed: Failure | undefined
    try {
      answer = await askState({
        id: gateway.id,
        deviceId: asked,
        version: snapshot && version,
        lookOn: !wasOpen,
      })
    } catch (error) {
      missed = error as RequestError
    }
    // Another device was chosen meanwhile, or the panel was opened or closed.
    if (asked !== deviceId || wasOpen !== isOpen) return undefined
    if (answer && 'notDeployed' in answer) return 'gone'
    failure = missed
    if (answer) take(answer)
    else version = undefined
    if (isOpen && (failure || state?.health.failure)) await findDevices()
    show()
    return undefined
  }

  function take(answer: State): void {
    state = answer
    stateAt = Date.now()
    version = answer.version
    if (answer.snapshot) {
      snapshot = { ...answer.snapshot, routes: byName(answer.snapshot.routes) }
    }
    if (!snapshot) return
    const { done, late } = commands.settle(snapshot.routes)
    for (const { action, name } of done) options.speak(text(`done.${action}`, { name }))
    if (done.length > 0) complain('')
    for (const { name } of late) complain(text('late', { name }))
    reconsider(snapshot)
  }

  /** Takes the question back when its effect shows already, or its target is gone. */
  function reconsider({ routes }: Snapshot): void {
    if (!question) return
    const { target, action } = question
    const isOnNow = isOnAir(routes, target)
    if (isOnNow !== undefined && isOnNow !== (action === 'start')) return
    takeQuestionBack()
  }

  /** Finds the devices after a failure: where there are several, one has to be chosen. */
  async function findDevices(): Promise<void> {
    const code = state?.health.failure?.code
    if (code !== 'INVALID_INPUT' && code !== 'NOT_FOUND') return
    if (Date.now() - devicesAskedAt < DEVICES_AGAIN_MS) return
    devicesAskedAt = Date.now()
    try {
      devices = (await askDevices(gateway.id)).devices
    } catch {
      return
    }
    if (devices.some((device) => device.id === deviceId)) return
    if (devices.length > 1) choose(devices[0]!.id)
    else deviceId = undefined
  }

  function ask(routeId: string, destinationId?: string): void {
    const route = snapshot?.routes.find((one) => one.id === routeId)
    const destination = route?.destinations.find((one) => one.id === destinationId)
    if (!route || (destinationId !== undefined && !destination)) return
    const target = { routeId, destinationId }
    const action = isOnAir([route], target) ? 'stop' : 'start'
    const name = destination?.name ?? route.name
    const kind = destination ? 'destination' : 'route'
    const backTo = () => {
      if (destinationId === undefined) list.focusButton(routeId)
      else details.focusButton(destinationId)
    }

    takeQuestionBack()
    const asked = askFirst(
      questions,
      {
        question: text(`question.${action}.${kind}`, {
          name,
          route: route.name,
          gateway: nameOf(gateway),
        }),
        effect: effectOf(target, action),
        yes: text(`yes.${action}.${kind}`),
        no: text('cancel'),
      },
      (isYes) => {
        question = undefined
        if (isYes) void send(target, action, name)
        backTo()
        options.onChange()
      },
    )
    question = { target, action, asked }
    options.onChange()
  }

  /** What a command will do, as far as that is known now. */
  function effectOf({ routeId, destinationId }: Target, action: Action): string {
    if (isOld()) return text('effect.old')
    if (destinationId !== undefined) return text(`effect.${action}.destination`)
    const { destinations = [] } = snapshot?.routes.find((one) => one.id === routeId) ?? {}
    const number = destinations.filter(isOn).length
    // What firmware reports about the destinations of an idle route is not known (facts 5.1).
    const none = action === 'start' && destinations.length > 0 ? 'untold' : 'none'
    const some = number === 1 ? 'one' : 'many'
    return text(`effect.${action}.${number === 0 ? none : some}`, { number })
  }

  async function send(target: Target, action: Action, name: string): Promise<void> {
    complain('')
    commands.send({ ...target, action, name })
    showRoutes()
    const command = { deviceId: snapshot?.device.id ?? '', ...target, action }
    try {
      await control(gateway.id, command)
      commands.accepted(target)
    } catch (error) {
      commands.refused(target)
      complain(`${name}: ${(error as RequestError).message}`)
    }
    showRoutes()
    options.onCommand()
  }

  const complain = (words: string): void => trouble.show(words)

  show()
  return {
    id: listed.id,
    element: panel,
    messages,
    get isOpen() {
      return isOpen
    },
    get isWaiting() {
      return commands.isWaiting || health() === 'asking'
    },
    get listHeight() {
      return list.element.offsetHeight
    },
    update(now) {
      const isOther = now.address !== gateway.address
      gateway = now
      if (isOther) {
        devices = []
        devicesAskedAt = -Infinity
        forget()
      }
      show()
    },
    ask: askForState,
    forgetVersion() {
      version = undefined
    },
    deployed() {
      version = undefined
      complain('')
    },
    tick() {
      if (isOld() === isShownOld) showAge()
      else show()
    },
  }
}

const SIGNS: Record<Health, Sign> = {
  reachable: 'ok',
  stale: 'warn',
  unreachable: 'error',
  asking: 'unknown',
  fault: 'error',
  closed: 'off',
}

/** A closed panel has no rows: its sign stands for them. */
function worstOf(state: State | undefined): Sign {
  const { warnings = 0, errors = 0 } = state?.health.known ?? {}
  if (errors > 0) return 'error'
  return warnings > 0 ? 'warn' : 'ok'
}

/** A screen reader announces changes between these. */
const SPOKEN: ReadonlySet<Health> = new Set(['reachable', 'stale', 'unreachable', 'fault'])

/** By code: the words may contain a number that keeps changing. */
const keyOf = (fault: Failure | undefined): string | undefined => fault?.code ?? fault?.message

const nameOf = ({ name, address, id }: ListedGateway): string => name || address || id

function ageOf(seconds: number): string {
  if (seconds < 60) return text('age.seconds', { seconds })
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return text('age.minutes', { minutes })
  return text('age.hours', { hours: Math.floor(minutes / 60) })
}
