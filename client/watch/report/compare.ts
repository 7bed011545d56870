import {
  UNTOLD,
  isRunning,
  type Condition,
  type Definition,
  type DestinationState,
  type DeviceState,
  type PeerState,
  type RouteState,
} from '../state'

export type Change =
  | { of: 'device.status'; from: Condition; to: Condition }
  | { of: 'device.firmware'; from?: string; to?: string }
  | { of: 'device.config'; from: string; to: string }
  | { of: 'peer.status'; peer: PeerState; from?: Condition; to?: Condition }
  | { of: 'route'; route: RouteState; from?: RouteState; to?: RouteState }
  | { of: 'route.name'; route: RouteState; from: string; to: string }
  | { of: 'route.definition'; route: RouteState; from: RouteState; to: RouteState }
  | { of: 'route.state'; route: RouteState; from: Condition; to: Condition }
  | { of: 'route.status'; route: RouteState; from: Condition; to: Condition }
  | { of: 'source.status'; route: RouteState; from: Condition; to: Condition }
  | DestinationChange

type DestinationChange = { route: RouteState; destination: DestinationState } & (
  | { of: 'destination'; from?: DestinationState; to?: DestinationState }
  | { of: 'destination.started'; from?: boolean; to?: boolean }
  | { of: 'destination.status'; from: Condition; to: Condition }
)

export function keyOf(change: Change): string {
  const { of } = change
  if ('peer' in change) return `${of} ${change.peer.id}`
  if (!('route' in change)) return of
  const key = 'destination' in change ? ` ${change.destination.key}` : ''
  return `${of} ${change.route.id}${key}`
}

/**
 * In a fixed order: the device, its pairings by ID, routes that are gone, new ones, then the others by ID.
 * Takes time linear in the number of routes.
 */
export function compare(from: DeviceState, to: DeviceState): Change[] {
  if (from === to) return []
  const changes: Change[] = []
  if (differ(from.condition, to.condition)) {
    changes.push({ of: 'device.status', from: from.condition, to: to.condition })
  }
  if (from.firmware !== to.firmware) {
    changes.push({ of: 'device.firmware', from: from.firmware, to: to.firmware })
  }
  if (from.adapters !== to.adapters) {
    changes.push({ of: 'device.config', from: from.adapters, to: to.adapters })
  }
  for (const id of [...new Set([...from.peers.keys(), ...to.peers.keys()])].sort()) {
    const [before, after] = [from.peers.get(id), to.peers.get(id)]
    if (before && after && !differ(before.condition, after.condition)) continue
    const peer = (after ?? before)!
    changes.push({ of: 'peer.status', peer, from: before?.condition, to: after?.condition })
  }
  const routes = pairs(from.routes, to.routes)
  for (const route of routes.gone.sort(byId)) {
    changes.push({ of: 'route', route, from: route, to: undefined })
  }
  for (const route of routes.added.sort(byId)) {
    changes.push({ of: 'route', route, from: undefined, to: route })
  }
  const changed = routes.kept
    .map(([before, after]) => ({ id: after.id, found: compareRoutes(before, after) }))
    .filter(({ found }) => found.length > 0)
    .sort(byId)
  return [...changes, ...changed.flatMap(({ found }) => found)]
}

const NONE: Change[] = []

function compareRoutes(from: RouteState, route: RouteState): Change[] {
  if (from === route) return NONE
  let changes = NONE
  const add = (change: Change): void => {
    if (changes === NONE) changes = [change]
    else changes.push(change)
  }
  if (from.name !== route.name) add({ of: 'route.name', route, from: from.name, to: route.name })

  const isSourceKnown = from.source !== UNTOLD.source
  const there = byKey(route)
  const destinations = pairs(from.destinations === UNTOLD.destinations ? there : byKey(from), there)
  const isRedefined =
    (isSourceKnown && !isSame(from.source.definition, route.source.definition)) ||
    destinations.kept.some(([before, after]) => !isSame(before.definition, after.definition))
  if (isRedefined) {
    add({ of: 'route.definition', route, from, to: route })
  }
  for (const destination of destinations.gone) {
    add({ of: 'destination', route, destination, from: destination })
  }
  for (const destination of destinations.added) {
    add({ of: 'destination', route, destination, to: destination })
  }
  const runs = isRunning(route.condition)
  const hasTurned = isRunning(from.condition) !== runs
  if (hasTurned) add({ of: 'route.state', route, from: from.condition, to: route.condition })
  for (const [{ started }, destination] of destinations.kept) {
    const { started: to } = destination
    // A route starts and stops its destinations with it: docs/project/interface.md#route.
    if (started === to || (hasTurned && to === runs)) continue
    add({ of: 'destination.started', route, destination, from: started, to })
  }
  if (from.condition.code !== route.condition.code) {
    add({ of: 'route.status', route, from: from.condition, to: route.condition })
  }
  if (isSourceKnown && differ(from.source.condition, route.source.condition)) {
    const { condition } = route.source
    add({ of: 'source.status', route, from: from.source.condition, to: condition })
  }
  for (const [{ condition }, destination] of destinations.kept) {
    const { condition: to } = destination
    if (differ(condition, to)) {
      add({ of: 'destination.status', route, destination, from: condition, to })
    }
  }
  return changes
}

const differ = (a: Condition, b: Condition): boolean => a.code !== b.code || a.state !== b.state

const isSame = (a: Definition, b: Definition): boolean =>
  a.trace === b.trace && a.secrets === b.secrets

const byKey = ({ destinations }: RouteState): ReadonlyMap<string, DestinationState> =>
  new Map(destinations.map((one) => [one.key, one]))

function pairs<T>(
  from: ReadonlyMap<string, T>,
  to: ReadonlyMap<string, T>,
): { gone: T[]; added: T[]; kept: Array<readonly [before: T, after: T]> } {
  const gone: T[] = []
  const added: T[] = []
  const kept: Array<readonly [T, T]> = []
  for (const [id, after] of to) {
    const before = from.get(id)
    if (before) kept.push([before, after])
    else added.push(after)
  }
  if (kept.length < from.size) {
    for (const [id, before] of from) if (!to.has(id)) gone.push(before)
  }
  return { gone, added, kept }
}

const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1)

/**
 * The later state with what is held as it was: compared with the later one, it differs in that alone.
 * @param isHeld asked with the key of each change that may be between them
 */
export function heldBack(
  from: DeviceState,
  to: DeviceState,
  isHeld: (key: string) => boolean,
): DeviceState {
  const is = (of: Change['of'], ...ids: string[]): boolean => isHeld([of, ...ids].join(' '))
  return {
    ...to,
    condition: is('device.status') ? from.condition : to.condition,
    firmware: is('device.firmware') ? from.firmware : to.firmware,
    adapters: is('device.config') ? from.adapters : to.adapters,
    peers: mixed(from.peers, to.peers, (id, before, after) =>
      is('peer.status', id) ? before : after,
    ),
    routes: mixed(from.routes, to.routes, (id, before, after) => {
      if (is('route', id)) return before
      return before && after && before !== after ? routeHeldBack(before, after, is) : after
    }),
  }
}

function routeHeldBack(
  from: RouteState,
  to: RouteState,
  isHeld: (of: Change['of'], ...ids: string[]) => boolean,
): RouteState {
  const { id } = to
  const is = (of: Change['of'], key?: string): boolean =>
    key === undefined ? isHeld(of, id) : isHeld(of, id, key)
  // Names and IDs of source and destinations go with their definitions.
  const defined = is('route.definition') ? from : to
  const { id: sourceId, name, definition } = defined.source
  const { code } = (is('route.status') ? from : to).condition
  const { state } = (is('route.state') ? from : to).condition
  const { condition } = (is('source.status') ? from : to).source
  const runs = isRunning(to.condition)
  return {
    ...to,
    name: is('route.name') ? from.name : to.name,
    condition: { ...to.condition, code, state },
    source: { ...to.source, id: sourceId, name, definition, condition },
    destinations: [
      ...mixed(byKey(from), byKey(to), (key, before, after) => {
        if (is('destination', key)) return before
        if (!before || !after || before === after) return after
        // One that was started or stopped with the route has no change of its own.
        const isTurned = is('route.state') && after.started === runs
        return {
          ...after,
          name: (is('route.definition') ? before : after).name,
          definition: (is('route.definition') ? before : after).definition,
          started: (isTurned || is('destination.started', key) ? before : after).started,
          condition: (is('destination.status', key) ? before : after).condition,
        }
      }).values(),
    ],
  }
}

/** The entries of both, each as `choose` says; undefined for none. */
function mixed<T>(
  from: ReadonlyMap<string, T>,
  to: ReadonlyMap<string, T>,
  choose: (id: string, before: T | undefined, after: T | undefined) => T | undefined,
): ReadonlyMap<string, T> {
  const entries = new Map<string, T>()
  for (const id of new Set([...to.keys(), ...from.keys()])) {
    const chosen = choose(id, from.get(id), to.get(id))
    if (chosen) entries.set(id, chosen)
  }
  return entries
}
