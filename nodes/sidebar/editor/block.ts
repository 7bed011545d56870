// One appliance: its state, its routes, and what can be done with them.
import { element } from '../../editor/element'
import {
  askDevices,
  askState,
  control,
  mayControl,
  type Device,
  type Failure,
  type ListedGateway,
  type State,
} from './api'
import { createCommands, isOnAir, type Action, type Target } from './commands'
import { askFirst } from './confirm'
import { createDetails } from './details'
import { createList } from './list'
import { remember, remembered } from './remembered'
import { byName, chosen, FILTERS, isOn, isRunning, type Filter, type Snapshot } from './route'
import { text } from './text'
import { mark } from './words'

export interface BlockOptions {
  isOpen: boolean
  onToggle(isOpen: boolean): void
  /** Its height may be another. */
  onChange(): void
  /** A command was sent: its effect is waited for. */
  onCommand(): void
  /** Says something to those who cannot see it. */
  speak(words: string): void
}

export interface Block {
  readonly id: string
  readonly element: HTMLElement
  readonly isOpen: boolean
  /** Somebody waits: for the first state, or for a command to show. */
  readonly isWaiting: boolean
  readonly listHeight: number
  update(gateway: ListedGateway): void
  /** Asks for the state. `gone` when the gateway is not deployed any more. */
  ask(): Promise<'gone' | undefined>
  /** The versions of another run of Node-RED mean nothing. */
  forgetVersion(): void
  /** A second went by. */
  tick(): void
}

type Health = 'reachable' | 'stale' | 'unreachable' | 'asking' | 'fault' | 'closed'

const DEVICES_AGAIN_MS = 30_000

let counter = 0

export function createBlock(listed: ListedGateway, options: BlockOptions): Block {
  const id = `media-gateway-sidebar-${counter++}`
  const commands = createCommands()
  let gateway = listed
  let isOpen = options.isOpen
  let deviceId: string | undefined = remembered().device[listed.id]
  /** Known, and offered, where there are several. */
  let devices: Device[] = []
  let devicesAskedAt = -Infinity
  let snapshot: Snapshot | undefined
  let version: number | undefined
  let state: State['health'] | undefined
  /** When the data were seen, by the clock of this page, ms. */
  let seenAt: number | undefined
  /** Why Node-RED has not answered. */
  let failure: Failure | undefined
  let selected: string | undefined
  let question: { target: Target; action: Action; takeBack: () => void } | undefined
  let spokenHealth: Health | undefined

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
  const facts = element('span')
  const age = element('span', { className: 'media-gateway-sidebar-age' })
  const factsRow = element('div', { className: 'media-gateway-sidebar-facts' }, facts, age)
  const fault = element('div', { className: 'media-gateway-sidebar-fault', hidden: true })
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
  const count = element('span')
  const tools = element('div', { className: 'media-gateway-sidebar-tools' }, search, filter)
  const trouble = element('div', { className: 'media-gateway-sidebar-fault', hidden: true })
  const questions = element('div')
  const empty = element('div', { className: 'media-gateway-sidebar-notice' })
  const list = createList({
    label: text('routesOf', { name: nameOf(listed) }),
    mayControl: isAllowed,
    waiting: (routeId) => commands.waiting({ routeId }),
    onSelect(routeId) {
      selected = selected === routeId ? undefined : routeId
      showRoutes()
    },
    onControl: (routeId) => ask(routeId),
  })
  const details = createDetails({
    mayControl: isAllowed,
    waiting: (routeId, destinationId) => commands.waiting({ routeId, destinationId }),
    onControl: (routeId, destinationId) => ask(routeId, destinationId),
    onClose() {
      const closed = selected
      selected = undefined
      showRoutes()
      if (closed !== undefined) list.focusButton(closed)
    },
  })
  const body = element(
    'div',
    { id: `${id}-body` },
    factsRow,
    choiceRow,
    fault,
    trouble,
    tools,
    questions,
    empty,
    list.element,
    element('div', { className: 'media-gateway-sidebar-count' }, count),
    details.element,
  )
  const block = element('section', { className: 'media-gateway-sidebar-block' }, head, body)

  head.setAttribute('aria-controls', body.id)
  search.setAttribute('aria-label', text('search'))
  filter.setAttribute('aria-label', text('filter.label'))
  trouble.setAttribute('role', 'alert')
  head.addEventListener('click', () => {
    isOpen = !isOpen
    if (isOpen) version = undefined
    show()
    options.onToggle(isOpen)
  })
  search.addEventListener('input', showRoutes)
  // The editor takes keys for the flow.
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && search.value !== '') {
      search.value = ''
      showRoutes()
    }
    event.stopPropagation()
  })
  filter.addEventListener('change', showRoutes)
  choice.addEventListener('change', () => choose(choice.value))

  function isAllowed(): boolean {
    return !gateway.readOnly && !gateway.error && mayControl()
  }

  function show(): void {
    showHealth()
    showDevices()
    showRoutes()
    options.onChange()
  }

  function health(): Health {
    if (gateway.error) return 'fault'
    if (!isOpen) return 'closed'
    if (state?.unreachable && !failure) return 'unreachable'
    if (failure || state?.failure) return snapshot ? 'stale' : 'fault'
    return snapshot && state?.known ? 'reachable' : 'asking'
  }

  function showHealth(): void {
    const now = health()
    title.textContent = nameOf(gateway)
    head.title = gateway.address
    head.setAttribute('aria-expanded', String(isOpen))
    body.hidden = !isOpen
    sign.dataset['tone'] = TONES[now]
    word.textContent = text(`health.${now}`)
    const why = gateway.error ?? failure ?? state?.failure
    fault.textContent = why?.message ?? ''
    fault.hidden = why === undefined
    facts.textContent = snapshot ? factsOf(snapshot) : ''
    factsRow.hidden = !snapshot
    showAge()
    if (spokenHealth !== undefined && spokenHealth !== now && SPOKEN.has(now)) {
      options.speak(`${nameOf(gateway)}: ${word.textContent}`)
    }
    if (SPOKEN.has(now)) spokenHealth = now
  }

  function factsOf({ device, routes }: Snapshot): string {
    const { name, firmware, status, statusCode } = device
    const told = [name]
    if (firmware) told.push(text('firmware', { firmware }))
    if (status && statusCode && statusCode !== 'ok') told.push(status)
    told.push(text('running', { running: routes.filter(isRunning).length, all: routes.length }))
    if (gateway.readOnly) told.push(text('readOnly'))
    return told.join(' · ')
  }

  function showAge(): void {
    if (seenAt === undefined) age.textContent = ''
    else {
      const seconds = Math.round((Date.now() - seenAt) / 1000)
      age.textContent = ageOf(Math.max(0, seconds))
    }
  }

  function showDevices(): void {
    choiceRow.hidden = devices.length < 2
    // To fill it anew would close it under the hand of the user.
    const isSame = devices.every(({ id: one }, index) => choice.options[index]?.value === one)
    if (!isSame || choice.options.length !== devices.length) {
      choice.replaceChildren(...devices.map((one) => new Option(one.name, one.id)))
    }
    choice.value = deviceId ?? ''
  }

  function showRoutes(): void {
    const all = snapshot?.routes
    const route = all?.find((one) => one.id === selected)
    const found = all ? chosen(all, search.value, filter.value as Filter) : []
    list.show(found, route?.id)
    details.show(route)
    tools.hidden = !all || all.length === 0
    empty.textContent = emptyWords(found.length)
    empty.hidden = empty.textContent === ''
    count.textContent =
      all && found.length > 0 && found.length < all.length
        ? text('shown', { shown: found.length, all: all.length })
        : ''
    options.onChange()
  }

  function emptyWords(found: number): string {
    if (!snapshot) return health() === 'asking' ? text('asking') : ''
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
    seenAt = undefined
    selected = undefined
    question?.takeBack()
    question = undefined
  }

  async function askForState(): Promise<'gone' | undefined> {
    if (gateway.error) return undefined
    const asked = deviceId
    const given = await askState(gateway.id, asked, snapshot && version)
    // Another device was chosen meanwhile.
    if (asked !== deviceId) return undefined
    const answer = 'answer' in given ? given.answer : undefined
    if (answer && 'notDeployed' in answer) return 'gone'
    failure = 'failure' in given ? given.failure : undefined
    if (answer) take(answer)
    else version = undefined
    if (failure || state?.failure) await findDevices()
    show()
    return undefined
  }

  function take(answer: State): void {
    state = answer.health
    if (answer.ageMs !== undefined) seenAt = Date.now() - answer.ageMs
    version = answer.version
    if (answer.snapshot) {
      snapshot = { ...answer.snapshot, routes: byName(answer.snapshot.routes) }
    }
    if (!snapshot) return
    const { done, late } = commands.settle(snapshot.routes)
    for (const { action, name } of done) options.speak(text(`done.${action}`, { name }))
    for (const { name } of late) complain(text('late', { name }))
    reconsider(snapshot)
  }

  /** What is asked may have come about by itself. */
  function reconsider({ routes }: Snapshot): void {
    if (!question) return
    const { target, action, takeBack } = question
    const isOnNow = isOnAir(routes, target)
    if (isOnNow !== undefined && isOnNow !== (action === 'start')) return
    question = undefined
    takeBack()
  }

  /** An appliance with several devices wants one of them to be chosen. */
  async function findDevices(): Promise<void> {
    const code = state?.failure?.code
    if (code !== 'INVALID_INPUT' && code !== 'NOT_FOUND') return
    if (Date.now() - devicesAskedAt < DEVICES_AGAIN_MS) return
    devicesAskedAt = Date.now()
    const given = await askDevices(gateway.id)
    if (!('answer' in given)) return
    devices = given.answer.devices
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
    const concerned = destination ? 1 : route.destinations.filter(isOn).length
    // What firmware says of the destinations of a route that is idle is not known (facts 5.1).
    const isUntold = action === 'start' && concerned === 0 && route.destinations.length > 0
    const some = concerned === 1 ? 'one' : 'many'
    const effect = isUntold ? 'untold' : concerned === 0 ? 'none' : some
    const backTo = () => {
      if (destinationId === undefined) list.focusButton(routeId)
      else details.focusButton(destinationId)
    }

    question?.takeBack()
    const takeBack = askFirst(
      questions,
      {
        question: text(`question.${action}.${kind}`, {
          name,
          route: route.name,
          gateway: nameOf(gateway),
        }),
        effect: text(`effect.${action}.${destination ? 'destination' : effect}`, {
          number: concerned,
        }),
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
    question = { target, action, takeBack }
    options.onChange()
  }

  async function send(target: Target, action: Action, name: string): Promise<void> {
    complain('')
    commands.send({ ...target, action, name })
    showRoutes()
    const command = { deviceId: snapshot?.device.id ?? '', ...target, action }
    const given = await control(gateway.id, command)
    if ('answer' in given) commands.accepted(target)
    else {
      commands.refused(target)
      complain(`${name}: ${given.failure.message}`)
    }
    showRoutes()
    options.onCommand()
  }

  function complain(words: string): void {
    trouble.textContent = words
    trouble.hidden = words === ''
  }

  show()
  return {
    id: listed.id,
    element: block,
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
    tick: showAge,
  }
}

const TONES: Record<Health, string> = {
  reachable: 'ok',
  stale: 'warn',
  unreachable: 'error',
  asking: 'unknown',
  fault: 'error',
  closed: 'off',
}

/** The changes between these are told to those who cannot see them. */
const SPOKEN: ReadonlySet<Health> = new Set(['reachable', 'stale', 'unreachable', 'fault'])

const nameOf = ({ name, address, id }: ListedGateway): string => name || address || id

function ageOf(seconds: number): string {
  if (seconds < 60) return text('age.seconds', { seconds })
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return text('age.minutes', { minutes })
  return text('age.hours', { hours: Math.floor(minutes / 60) })
}
