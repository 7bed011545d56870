import { forgetOnlyDevice, mayBeUnknownDevice, onlyDevice } from '../api/devices'
import { getRoute } from '../api/routes'
import { findRoute, keyOf, type RouteAddress, type Target } from '../changes/find'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { mayAct } from '../connection/roles'
import { asGatewayError, GatewayError, say, words } from '../errors'
import type { FailoverSettings, Side } from '../model/failover'
import { isSameId } from '../model/ids'
import { isText, type JsonObject } from '../model/json'
import type { Route } from '../model/types'
import { lookAtRoutes, lookAtSource } from './look'
import type { Look } from './types'

/** A route by its ID or its name, or by a text that may be either. */
export type WantedRoute = Target | { idOrName: string }

/** What a failover reads. */
export interface Watched {
  /** By default the gateway's only device. */
  deviceId?: string
  /** The protected route; not used with two routes. */
  route?: WantedRoute
  settings: FailoverSettings
}

/** What came of one look. */
export interface Sight {
  look: Look
  /** Why it does not show everything. */
  failure?: GatewayError
}

/** The eyes of a failover: reads its routes, and nothing else. */
export interface Reader {
  /** Reads each route once. @throws GatewayError `CLOSED` */
  look(operation: Operation): Promise<Sight>
  /** The protected route or, of two, main; as far as it is known. */
  readonly route: { id: string | null; name: string | null }
  /** Where the protected route is, or one of the two; known after the first look. */
  addressOf(side: Side): RouteAddress | undefined
  /** Lets another failover protect the routes. */
  release(): void
}

/** A list of all routes may be long: what it did not show is not looked up again before. */
const SEARCH_MS = 10_000

/** One route that is read, by its ID or its name. */
interface Followed {
  target: Target
  /** The name may be an ID. */
  isEither: boolean
  isProtected: boolean
  /** Known for good, or found by the name. */
  id?: string
  /** Where it was last seen. */
  at?: RouteAddress
  name?: string
  /** The failed search, and when it began. */
  missed?: { error: unknown; since: number }
}

export function createReader(gateway: Connection, watched: Watched): Reader {
  const { settings } = watched
  const { protections } = gateway.memory
  /** Whose routes these are. */
  const owner = {}
  const follow = (wanted: WantedRoute, isProtected: boolean): Followed => {
    if ('idOrName' in wanted) {
      const { idOrName } = wanted
      return { target: { name: idOrName }, isEither: true, isProtected, id: idOrName }
    }
    const known = 'id' in wanted ? { id: wanted.id } : { name: wanted.name }
    return { target: wanted, isEither: false, isProtected, ...known }
  }
  const isTwo = settings.method === 'routes'
  const main = follow(isTwo ? targetOf(settings.main) : watched.route!, true)
  const backup = isTwo ? follow(targetOf(settings.backup), true) : main
  const monitor =
    settings.restore === 'monitor' ? follow(targetOf(settings.monitor!), false) : undefined

  function release(): void {
    for (const [key, holder] of protections) if (holder === owner) protections.delete(key)
  }

  /** Two failovers of one route would switch against each other. */
  function claim({ isProtected, id, name }: Followed, device: string): void {
    if (!isProtected || id === undefined) return
    const key = keyOf({ deviceId: device, routeId: id })
    const holder = protections.get(key)
    if (holder && holder !== owner) {
      const said = words(
        'Another failover already protects route "__route__". A route can only have one: remove the other failover, or choose another route.',
        { route: name ?? id },
      )
      throw new GatewayError('CONFLICT', said)
    }
    protections.set(key, owner)
  }

  async function read(one: Followed, device: string, operation: Operation): Promise<Route> {
    claim(one, device)
    operation.route = one.name ?? one.id
    const { target } = one
    if (one.id !== undefined) {
      const found = await readKnown(one.id, one, device, operation)
      if (found) return found
      protections.delete(keyOf({ deviceId: device, routeId: one.id }))
      delete one.id
    }
    // Gone or renamed: the name may belong to another route now, or to none.
    if (one.missed && gateway.clock.now() - one.missed.since < SEARCH_MS) throw one.missed.error
    const since = gateway.clock.now()
    try {
      one.id = await findRoute(gateway, device, target, operation)
      claim(one, device)
      const found = await readKnown(one.id, one, device, operation)
      if (!found) throw new GatewayError('NOT_FOUND', say('routeNotFound', { route: one.name! }))
      delete one.missed
      return found
    } catch (error) {
      const isOurs = error instanceof GatewayError && LASTING_SEARCHES.has(error.code)
      if (isOurs) one.missed = { error, since }
      throw error
    }
  }

  /** Undefined when the route has gone or has another name than the one it is found by. */
  async function readKnown(
    routeId: string,
    one: Followed,
    device: string,
    operation: Operation,
  ): Promise<Route | undefined> {
    try {
      const route = await getRoute(gateway, { deviceId: device, routeId }, operation)
      if (!isWanted(one, route)) return undefined
      one.id = route.id
      one.at = { deviceId: device, routeId: route.id }
      one.name = route.name
      return route
    } catch (error) {
      if ('name' in one.target && mayBeUnknownDevice(error)) return undefined
      throw error
    }
  }

  async function look(operation: Operation): Promise<Sight> {
    const failures: GatewayError[] = []
    const attempt = async <T>(work: (own: Operation) => Promise<T>): Promise<T | undefined> => {
      const own = operation.under({})
      try {
        return await work(own)
      } catch (error) {
        const failure = asGatewayError(error, own, gateway.identity)
        if (failure.code === 'CLOSED') throw failure
        failures.push(failure)
        return undefined
      }
    }
    const device = watched.deviceId ?? (await attempt((own) => onlyDevice(gateway, own)))
    const readIn = (one: Followed | undefined): Promise<Route | undefined> =>
      attempt(async (own) => (one && device !== undefined ? read(one, device, own) : undefined))
    const [first, second, third] = await Promise.all([
      readIn(main),
      readIn(isTwo ? backup : undefined),
      readIn(monitor),
    ])
    if (!watched.deviceId && !first && failures.some(mayBeUnknownDevice)) {
      // The only device may be another one now.
      forgetOnlyDevice(gateway)
    }
    const forbidden = settings.dryRun ? undefined : missingRole(gateway, operation)
    if (forbidden) return { look: { route: 'unknown' }, failure: forbidden }
    const shown = isTwo
      ? lookAtRoutes(settings, { main: first, backup: second }, third)
      : lookAtSource(settings, first, third)
    return { look: shown, ...(failures[0] && { failure: failures[0] }) }
  }

  return {
    look,
    get route() {
      // What may be a name is no ID before a route with it was read.
      const isKnown = !main.isEither || main.at !== undefined
      return { id: (isKnown && main.id) || null, name: main.name ?? null }
    },
    addressOf: (side) => (side === 'main' ? main : backup).at,
    release,
  }
}

/** Names are compared exactly, as everywhere. */
const isWanted = ({ target, isEither }: Followed, { id, name }: Route): boolean =>
  'id' in target || name === target.name || (isEither && isSameId(id, target.name))

/** What a later search may well find again. */
const LASTING_SEARCHES: ReadonlySet<string> = new Set(['NOT_FOUND', 'CONFLICT', 'BAD_RESPONSE'])

const targetOf = ({ id, name }: JsonObject): Target =>
  isText(id) ? { id } : { name: String(name) }

/** A user who may not change routes can see all, and protects nothing. */
function missingRole(gateway: Connection, { name }: Operation): GatewayError | undefined {
  const roles = gateway.session.roles()
  if (mayAct(roles, 'Operator')) return undefined
  const said = words(
    'The user has the role __roles__ on __host__, but a failover requires Operator or Administrator. Use another account in the configuration of the gateway.',
    { roles: roles.join(', ') },
  )
  return asGatewayError(new GatewayError('FORBIDDEN', said), { name }, gateway.identity)
}
