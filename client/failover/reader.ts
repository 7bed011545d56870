import { mayBeUnknownDevice } from '../api/devices'
import { getRoute } from '../api/routes'
import { findRoute, type RouteAddress, type Target } from '../changes/find'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import {
  asGatewayError,
  badSettings,
  closedError,
  GatewayError,
  restated,
  say,
  words,
} from '../errors'
import { keyOf, ownerKey, type Owner } from '../memory'
import { partToSent } from '../model/convert'
import { sideFaults, type FailoverSettings, type FailoverView, type Side } from '../model/failover'
import { isSameId, normalizeId } from '../model/ids'
import { isText, membersIn, own, type JsonObject } from '../model/json'
import { isStopped, missingPart, wholeRoute } from '../model/route-state'
import { isSecret } from '../model/secrets'
import type { Route } from '../model/types'
import { lookAt } from './look'
import type { Reading } from './shared-read'
import type { Look, Memory } from './types'

/** A route by its ID or its name, or by a text that may be either. */
export type WantedRoute = Target | { idOrName: string }

interface Seen {
  route?: Route
  /** Why it does not show everything. */
  failure?: GatewayError
  /** Of a monitor: why it says nothing. */
  monitor?: FailoverView['monitor']
  /** The name belongs to another route than before, which has gone. */
  isOther?: boolean
}

export type Reader = ReturnType<typeof createReader>

/** What failed for good is not asked for again before, unless a reading has it. */
const SEARCH_MS = 10_000
const OWN_MONITOR =
  'is the protected route itself; it must be a route that receives this source all the time'

type Shown = Exclude<Reading, { failure: unknown }>

interface Followed {
  /** One of the two or, for a text that may be either, both. */
  wanted: { id?: string; name?: string }
  /** Where it was found: that holds for as long as it exists, whatever its name. */
  at?: RouteAddress
  name?: string
  /** The latest failure, when that lasts. */
  missed?: { error: unknown; since: number }
}

/** @throws GatewayError `INVALID_INPUT` for a protected route that is its own monitor */
export function createReader(
  gateway: Connection,
  settings: FailoverSettings,
  wantedRoute: WantedRoute | undefined,
  memory: () => Memory,
) {
  const { protections } = gateway.memory
  const isTwo = settings.method === 'routes'
  const main = follow(isTwo ? targetOf(settings.main) : wantedRoute!)
  const backup = isTwo ? follow(targetOf(settings.backup)) : main
  const routes = isTwo ? [main, backup] : [main]
  const { monitor, monitorBackup } = settings
  const monitors = {
    monitor: settings.restore === 'monitor' && monitor ? follow(targetOf(monitor)) : undefined,
    monitorBackup: monitorBackup && follow(targetOf(monitorBackup)),
  }
  const owner: Owner = {
    ...membersOwned(settings),
    isTwo,
    get inUse() {
      const { state, inUse } = memory()
      return isTwo && state === 'standby' ? undefined : inUse
    },
    get mainId() {
      return isTwo ? main.at?.routeId : undefined
    },
  }
  // What a switch has set later, the gateway may complete: only the first read ever counts.
  let isChecked = memory().inUse !== undefined
  refuseOwnMonitor()

  /** A route that says itself whether its source is good would always be believed. */
  function refuseOwnMonitor(): void {
    for (const [path, each] of Object.entries(monitors)) {
      if (!each || !routes.some((one) => isSame(one, each))) continue
      const { sentences, cause } = badSettings([{ path, problem: OWN_MONITOR }], say('correctNode'))
      throw new GatewayError('INVALID_INPUT', sentences, { ...cause, operation: 'failover' })
    }
  }

  /** Lets another failover protect the routes. */
  function release(): void {
    for (const [key, holder] of protections) if (holder === owner) protections.delete(key)
  }

  /** Two failovers of one route would switch against each other. */
  function claim({ at, name }: Followed, { stop }: Operation): void {
    const key = ownerKey(gateway.address, at!)
    const holder = protections.get(key)
    if (stop?.stopped) throw closedError()
    if (holder && holder !== owner) {
      throw new GatewayError('CONFLICT', say('otherFailover', { route: name! }))
    }
    protections.set(key, owner)
  }

  /** Main and backup have to fit the route as it is. */
  function refuseMisfit(route: Route): void {
    const faults = isChecked ? [] : sideFaults(settings, route)
    isChecked = faults.length === 0
    if (isChecked) return
    const error = badSettings(faults, say('correctNode'))
    const first = words('Main and backup do not suit route "__route__" on __host__.')
    throw restated(error, [first, ...error.sentences])
  }

  async function find(one: Followed, reading: Shown, operation: Operation): Promise<Route> {
    const shown = shownIn(reading, one)
    if (shown && missingPart(shown) === undefined) return shown
    const { wanted, at, missed } = one
    const { deviceId } = reading
    if (missed && gateway.clock.now() - missed.since < SEARCH_MS) throw missed.error
    delete one.missed
    const known = shown?.id ?? at?.routeId ?? wanted.id
    try {
      if (known) return await getRoute(gateway, { deviceId, routeId: known }, operation)
    } catch (error) {
      if (wanted.name === undefined || !mayBeUnknownDevice(error)) throw error
    }
    const routeId = await findRoute(gateway, deviceId, { name: wanted.name! }, operation)
    return getRoute(gateway, { deviceId, routeId }, operation)
  }

  async function see(
    one: Followed | undefined,
    reading: Shown,
    operation: Operation,
  ): Promise<Seen> {
    if (!one) return {}
    const part = operation.under({ route: one.name ?? one.wanted.name ?? one.wanted.id })
    try {
      const route = wholeRoute(await find(one, reading, part))
      part.route = one.name = route.name
      const before = one.at
      one.at = { deviceId: reading.deviceId, routeId: route.id }
      delete one.missed
      const isOther = before !== undefined && keyOf(before) !== keyOf(one.at)
      if (isOther) release()
      if (routes.includes(one)) {
        claim(one, operation)
        refuseOwnMonitor()
        if (one === main) refuseMisfit(route)
      } else if (isStopped(route)) {
        const error = new GatewayError('CONFLICT', say('monitorStopped', { route: route.name }))
        return { failure: asGatewayError(error, part, gateway.identity), monitor: 'stopped' }
      }
      return { route, isOther }
    } catch (error) {
      const failure = asGatewayError(error, part, gateway.identity)
      if (!failure.cause.retryable) one.missed ??= { error, since: gateway.clock.now() }
      return { failure, ...(failure.code === 'NOT_FOUND' && { monitor: 'missing' }) }
    }
  }

  /** What a reading shows. A route that it lacks, or shows incomplete, is read by itself. */
  async function look(
    reading: Reading,
    operation: Operation,
  ): Promise<Omit<Seen, 'route'> & { look: Look }> {
    if ('failure' in reading) return { look: { route: 'unknown' }, failure: reading.failure }
    const seen = (...all: Array<Followed | undefined>): Promise<Seen[]> =>
      Promise.all(all.map((one) => see(one, reading, operation)))
    // The monitors first: one that is a protected route must be known to be that.
    const heard = await seen(monitors.monitor, monitors.monitorBackup)
    const shown = await seen(...routes)
    const [first, second] = shown.map(({ route }) => route)
    const sides = { main: heard[0]!.route, backup: heard[1]!.route }
    return {
      look: lookAt(settings, { main: first, backup: second }, sides),
      failure: [...shown, ...heard].find(({ failure }) => failure)?.failure,
      monitor: heard.find((each) => each.monitor)?.monitor,
      isOther: shown.some(({ isOther }) => isOther),
    }
  }

  return {
    look,
    /** The protected route or, of two, main; as far as it is known. */
    get route(): { id: string | null; name: string | null } {
      // What may be a name is no ID before a route with it was read.
      const { wanted, at, name } = main
      const id = wanted.name === undefined ? wanted.id : undefined
      return { id: at?.routeId ?? id ?? null, name: name ?? wanted.name ?? null }
    },
    found: (): RouteAddress[] => routes.flatMap(({ at }) => at ?? []),
    addressOf: (side: Side): RouteAddress | undefined => (side === 'main' ? main : backup).at,
    release,
  }
}

/** What a failover sets in its route, as others see it. */
function membersOwned(settings: FailoverSettings): Pick<Owner, 'members' | 'main'> {
  if (settings.method === 'routes') return { members: [], main: {} }
  // As routes are compared. Only SRT has members with two names.
  const context = { protocol: 'srt', ...settings.backup, ...settings.main }
  const sent = (side: JsonObject): JsonObject => partToSent('source', side, { ...context, ...side })
  const [main, backup] = [sent(settings.main), sent(settings.backup)]
  const members = membersIn({ ...main, ...backup })
    .map(([name]) => name)
    .filter((name) => !isSecret(name) || own(main, name) !== own(backup, name))
  const shown = membersIn(main).filter(([name, value]) => !isSecret(name) || value === '')
  return { members, main: Object.fromEntries(shown) }
}

/** Names are compared exactly, as everywhere. Of several routes with the name, none is meant. */
function shownIn({ routes }: Shown, { wanted, at }: Followed): Route | undefined {
  const id = at?.routeId ?? wanted.id
  const found = id === undefined ? undefined : routes.get(normalizeId(id))
  if (found || at || wanted.name === undefined) return found
  const named = [...routes.values()].filter(({ name }) => name === wanted.name)
  return named.length === 1 ? named[0] : undefined
}

function isSame(one: Followed, other: Followed): boolean {
  const [id, otherId] = [one, other].map(({ at, wanted }) => at?.routeId ?? wanted.id)
  const isSameName = isText(one.wanted.name) && one.wanted.name === other.wanted.name
  return isSameId(id, otherId) || (isSameName && !(one.at && other.at))
}

const follow = (wanted: WantedRoute): Followed => ({
  wanted: 'idOrName' in wanted ? { id: wanted.idOrName, name: wanted.idOrName } : wanted,
})

const targetOf = ({ id, name }: JsonObject): Target =>
  isText(id) ? { id } : { name: String(name) }
