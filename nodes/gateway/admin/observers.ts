import { GatewayError, say } from '../../../client/errors'
import { knownBy, snapshotInSlices, watchDevice } from '../../../client/watch/registry'
import type { Connection } from '../../../client/connection/connection'
import { createRates, type Rates } from '../../../client/model/rates'
import { languageOf, type Language } from '../../../client/model/watch'
import { mayAct } from '../../../client/connection/roles'
import { mapInSlices } from '../../../client/slices'
import type { RouteFigures } from '../../../client/model/event'
import type { OpenIncident } from '../../../client/model/incident'
import { isRunning, type DeviceState } from '../../../client/watch/state'
import { eachRoute, routeFigures } from '../../../client/watch/measuring/figures'
import type { Appliance } from '../../runtime/gateway-node'
import type { ApplianceState, Failover, Received, ShownSnapshot, StateQuestion } from '../../wire'
import { failoversOf } from './failovers'
import { healthOf, healthsOf, shown } from './health'
import { createLately, type Lately } from './lately'

interface ObserverQuestion extends Received<StateQuestion> {
  deviceId?: string
  lookOn?: boolean
  poll?: boolean
  host?: string
  user?: string
}

/** How long an appliance is watched after the last request. */
const LEASE_MS = 15_000
/** What has not lasted so long is no incident. */
const HOLD_MS = 10_000
/** How long the answer to a single poll can be had. */
const ANSWER_MS = 8000
/** For one user: each costs the appliance a call per poll, although the user may only read. */
const MOST_DEVICES = 20
/** Two polls are further apart. */
const SAME_MS = 50

/** What the sidebar shows of the time before. It outlives the observer. */
interface Past {
  lately: Lately
  open: readonly OpenIncident[]
  rates: Rates
}

interface Observer {
  version: number
  past: Past
  /** The state of this version, and in a text how its routes are. */
  seen?: DeviceState
  healths: string
  /** JSON of the failovers in this version. */
  failovers: string
  askedAt: Map<string, number>
  /** Somebody shows its routes, and not only how the gateway is. */
  isShown: boolean
  renew(ms?: number): void
}

// Not from zero: an editor may have a version from before a restart of Node-RED.
let versions = Math.floor(Math.random() * 1e9)

/** Watches for the editors that ask, with the polls that the watch nodes share. */
export function createObservers(leaseMs = LEASE_MS, now = Date.now, holdFor = HOLD_MS) {
  /** By connection and device. */
  const observed = new WeakMap<Connection, Map<string, Observer>>()
  const pasts = new WeakMap<Connection, Map<string, Past>>()

  function observe(
    node: Appliance,
    gateway: Connection,
    { deviceId, user = '', lookOn = false }: ObserverQuestion,
  ): Observer {
    const observers = mapIn(observed, gateway)
    const key = deviceId ?? ''
    const others = [...observers].filter(([other]) => other !== key)
    const isShown = ([, { askedAt }]: (typeof others)[0]): boolean =>
      now() - (askedAt.get(user) ?? -Infinity) < leaseMs
    if (others.filter(isShown).length >= MOST_DEVICES) {
      throw new GatewayError('INVALID_INPUT', say('tooManyDevices', { most: MOST_DEVICES }))
    }
    const observer = observers.get(key) ?? begin(node, gateway, observers, deviceId)
    observer.askedAt.set(user, now())
    if (!lookOn && !observer.isShown) {
      observer.isShown = true
      observer.past.lately.watched(true, now())
    }
    observer.renew()
    return observer
  }

  function begin(
    node: Appliance,
    gateway: Connection,
    observers: Map<string, Observer>,
    deviceId?: string,
  ): Observer {
    const key = deviceId ?? ''
    const user = {}
    let timer: NodeJS.Timeout
    let hasAnswer = false
    const past = pastOf(gateway, key)
    const observer: Observer = {
      version: ++versions,
      past,
      healths: '',
      failovers: '[]',
      askedAt: new Map(),
      isShown: false,
      renew(ms = leaseMs) {
        clearTimeout(timer)
        timer = setTimeout(end, ms)
      },
    }
    const changed = (): void => void (observer.version = ++versions)
    const endWatch = watchDevice(gateway, {
      deviceId,
      report: 'incidents',
      holdFor,
      open: past.open,
      onOpen: (open) => void (past.open = open),
      onEvents(events) {
        changed()
        past.lately.add(events, gateway.identity.name)
      },
      onHealth() {
        const known = knownBy(gateway, deviceId)
        const healths = known ? JSON.stringify(healthsOf(known)) : ''
        if (known?.state !== observer.seen || healths !== observer.healths) changed()
        Object.assign(observer, { seen: known?.state, healths })
        const { seenAt, figures } = figuresOf(gateway, deviceId)
        if (figures) past.rates.add(seenAt, figures)
        // A single poll is enough for how the gateway is.
        if (!observer.isShown && !hasAnswer) observer.renew(Math.min(leaseMs, ANSWER_MS))
        hasAnswer = true
      },
    })
    const unhook = gateway.closing.onStop(end)
    node.register(user)
    observers.set(key, observer)

    function end(): void {
      clearTimeout(timer)
      unhook()
      endWatch()
      if (observer.isShown) past.lately.watched(false, now())
      observers.delete(key)
      node.deregister(user)
    }
    return observer
  }

  function pastOf(gateway: Connection, key: string): Past {
    const all = mapIn(pasts, gateway)
    const known = all.get(key) ?? { lately: createLately(), open: [], rates: createRates() }
    if (!all.has(key) && all.size >= MOST_DEVICES) all.delete(all.keys().next().value!)
    all.set(key, known)
    return known
  }

  return {
    async state(node: Appliance, question: ObserverQuestion): Promise<ApplianceState> {
      const { deviceId, host, version, lookOn, poll } = question
      const language = languageOf(question.language)
      const gateway = node.client()
      if (lookOn && poll) observe(node, gateway, question)
      const observer = lookOn ? undefined : observe(node, gateway, question)
      const failovers = failoversOf(node, question.host ?? '')
      if (observer) renumber(observer, failovers)
      const hasIt = !observer || version === observer.version
      const coming = hasIt ? undefined : snapshotOf(gateway, deviceId, language)
      const health = healthOf(gateway, { deviceId, host, language, now: now() })
      const state: ApplianceState = {
        version: observer?.version,
        health: health ?? { unreachable: false },
        mayControl: mayAct(gateway.session.roles(), 'Operator'),
        ...(observer && figuresFor(gateway, question)),
        rates: observer && version === undefined ? observer.past.rates.history() : undefined,
        failovers: observer && hasIt ? undefined : failovers,
        now: now(),
        lately: hasIt ? undefined : observer.past.lately.list(language),
      }
      return { ...state, snapshot: await coming }
    },
  }
}

function mapIn<Value>(
  maps: WeakMap<Connection, Map<string, Value>>,
  gateway: Connection,
): Map<string, Value> {
  const found = maps.get(gateway) ?? new Map<string, Value>()
  maps.set(gateway, found)
  return found
}

async function snapshotOf(
  gateway: Connection,
  deviceId: string | undefined,
  language: Language,
): Promise<ShownSnapshot | undefined> {
  const known = knownBy(gateway, deviceId)
  if (!known) return undefined
  const healths = healthsOf(known)
  const snapshot = (await snapshotInSlices(known)) as ShownSnapshot | undefined
  if (!snapshot) return undefined
  await mapInSlices(snapshot.routes, (route, index) => {
    const health = healths[index]!
    route.isProtected = gateway.protects?.(route.name) ?? false
    route.health = shown(health.route, language)
    route.source.health = shown(health.source, language)
    for (const [at, destination] of route.destinations.entries()) {
      destination.health = shown(health.destinations[at]!, language)
    }
  })
  return snapshot
}

/** Nobody says when the state of a failover changes. */
function renumber(observer: Observer, failovers: readonly Failover[]): void {
  const json = JSON.stringify(failovers)
  if (json !== observer.failovers) observer.version = ++versions
  observer.failovers = json
}

function figuresFor(
  gateway: Connection,
  { deviceId, figuresAt }: ObserverQuestion,
): Pick<ApplianceState, 'figures' | 'figuresAt'> {
  const { figures, seenAt } = figuresOf(gateway, deviceId)
  // Converted to Unix time again, it may be a little different.
  const hasThem = typeof figuresAt === 'number' && Math.abs(seenAt - figuresAt) < SAME_MS
  return figures && !hasThem ? { figures, figuresAt: seenAt } : {}
}

function figuresOf(
  gateway: Connection,
  deviceId?: string,
): { figures?: ApplianceState['figures']; seenAt: number } {
  const { state, figures, seenAt = 0 } = knownBy(gateway, deviceId) ?? {}
  if (!state || !figures) return { seenAt }
  const found: Array<[string, RouteFigures]> = []
  eachRoute(state, (route, at) => {
    if (isRunning(route.condition)) found.push([route.id, routeFigures(route, at, figures)])
  })
  return { figures: Object.fromEntries(found), seenAt }
}
