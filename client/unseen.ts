// What was sent from here and does not show yet: every plan and every wait asks for it.
import type { Connection } from './connection/connection'
import { keyOf, setLatest, type ReadOf, type RouteAddress, type Unseen } from './memory'
import { toSent } from './model/convert'
import { showsUpdate } from './model/diff'
import { matcher, normalizeId } from './model/ids'
import { itemsIn } from './model/json'
import type { RouteIndex } from './model/route-index'
import { isPending, stateOf } from './model/route-state'
import type { Destination, Route } from './model/types'

/** Milliseconds after which a change that the appliance accepted is not expected to show any more. */
const ACCEPTED_MS = 120_000
/** The same for one that may not have arrived, unless it only changes values. */
const DOUBTED_MS = 30_000
/** The same for one that another came after: the state between the two may never show in a read. */
const EARLIER_MS = 10_000
/** Updates that never show as they were sent must not pile up. */
const MOST_FORMERS = 8

export type Change = Pick<
  Unseen,
  'kind' | 'fields' | 'before' | 'destinationId' | 'older' | 'amongOthers'
>

export type Place = RouteAddress | { deviceId: string; name: string }

const placeKey = (place: Place): string =>
  'routeId' in place ? keyOf(place) : `${place.deviceId} named ${place.name}`

function additions(
  { fields, before }: Pick<Change, 'fields' | 'before'>,
  present: unknown,
): Destination[] {
  // As read, it may be null.
  const [find, findNow] = [matcher(before?.destinations ?? []), matcher(itemsIn(present))]
  const isNew = (one: Destination): boolean => find(one).length + findNow(one).length === 0
  return fields?.destinations.filter(isNew) ?? []
}

/** A new destination has no ID before it shows: sent once more, it would be another one. */
export const addsDestination = (change: Pick<Change, 'fields' | 'before'>): boolean =>
  additions(change, []).length > 0

function isOld(unseen: Unseen, now: number): boolean {
  const { accepted, kind, sentAt } = unseen
  const onlyChanges = kind === 'update' && !addsDestination(unseen)
  return now - sentAt > (accepted || onlyChanges ? ACCEPTED_MS : DOUBTED_MS)
}

/** Changes of the same slot follow each other: a later one replaces the one before. */
const slotOf = ({ kind, destinationId = '' }: Change): string =>
  kind === 'start' || kind === 'stop' ? `state ${normalizeId(destinationId)}` : kind

/** @returns what forgets it again if it did not arrive, and what notes that it was accepted */
export function rememberUnseen(
  { memory, clock }: Connection,
  place: Place,
  change: Change,
): { forget: () => void; accepted: () => void } {
  const key = placeKey(place)
  const slot = slotOf(change)
  unseenOf({ memory, clock }, place)
  const changes = memory.unseen.get(key) ?? new Map<string, Unseen>()
  const former = changes.get(slot)
  const before = former?.seenIn ? undefined : former
  const follows = former?.seenIn ? { ...former, follows: undefined } : former?.follows
  const isOther = before?.kind !== change.kind || change.kind === 'update'
  const earlier = before && isOther ? { ...before, earlier: undefined } : before?.earlier
  const formers =
    change.kind === 'update' && before?.fields
      ? [...(before.formers ?? []), before.fields].slice(-MOST_FORMERS)
      : undefined
  const sentAt = clock.now()
  const unseen: Unseen = { ...change, sentAt, accepted: false, earlier, formers, follows }
  changes.set(slot, unseen)
  forgetSeen({ memory, clock })
  setLatest(memory.unseen, key, changes)
  return {
    forget() {
      if (changes.get(slot) !== unseen) return
      if (former) changes.set(slot, former)
      else forgetWhere(memory, key, (one) => one === unseen)
    },
    accepted() {
      unseen.accepted = true
    },
  }
}

/** Where no list is read, nothing else ends what was seen. The latest changes are the last. */
function forgetSeen({ memory, clock }: Pick<Connection, 'memory' | 'clock'>): void {
  const now = clock.now()
  for (const [key, changes] of memory.unseen) {
    const all = [...changes.values()]
    if (!all.every((one) => isOld(one, now))) return
    if (all.every(({ seenIn }) => seenIn)) memory.unseen.delete(key)
  }
}

function forgetWhere(
  { unseen: all }: Connection['memory'],
  key: string,
  isToForget: (unseen: Unseen) => boolean,
): void {
  const changes = all.get(key)
  if (!changes) return
  for (const [slot, unseen] of changes) if (isToForget(unseen)) changes.delete(slot)
  if (changes.size === 0) all.delete(key)
}

/** Forgets the changes of a route, or those of one kind. Call when they have been seen applied. */
export function forgetUnseen({ memory }: Connection, place: Place, kind?: Unseen['kind']): void {
  forgetWhere(memory, placeKey(place), (one) => kind === undefined || one.kind === kind)
}

/** Notes that a change of a route was seen applied. */
export function noteSeen(
  { memory }: Connection,
  address: RouteAddress,
  kind: Unseen['kind'],
): void {
  for (const one of memory.unseen.get(placeKey(address))?.values() ?? []) {
    if (one.kind === kind) one.seenIn ??= {}
  }
}

/** Forgets what was sent to a device by then. Call when its routes have been replaced. */
export function forgetUnseenOf({ memory }: Connection, deviceId: string, by: number): void {
  for (const key of memory.unseen.keys()) {
    if (key.startsWith(`${deviceId} `)) forgetWhere(memory, key, ({ sentAt }) => sentAt <= by)
  }
}

/**
 * Notes what a read shows: call with every route that is read. What has a name is looked up in the list,
 * so only a list shows a new route: other reads may have it sooner.
 */
export function noteRoutes(
  { memory, clock }: Connection,
  deviceId: string,
  routes: readonly Route[],
  readOf: ReadOf,
): void {
  if (memory.unseen.size === 0) return
  const now = clock.now()
  const isList = readOf === 'list'
  for (const route of routes) {
    const isOver = (one: Unseen): boolean => {
      if (mayPrecede(readOf, one, now)) {
        if (shows(one.follows!, route)) one.follows!.seenIn![readOf] = true
        return false
      }
      if (!one.seenIn && !hasEnded(one, route, now, readOf)) return false
      if (!shows(one, route)) return !one.seenIn || isOld(one, now)
      one.seenIn = { ...one.seenIn, [readOf]: true }
      return isList || isOld(one, now)
    }
    const places: Place[] = [{ deviceId, routeId: route.id }]
    if (isList) places.push({ deviceId, name: route.name })
    for (const place of places) forgetWhere(memory, placeKey(place), isOver)
  }
}

/** Whether what was read of many routes together may be older than this change and the one before it. */
const mayPrecede = (readOf: ReadOf, { follows }: Unseen, now: number): boolean =>
  readOf !== 'route' &&
  follows !== undefined &&
  !follows.seenIn![readOf] &&
  now - follows.sentAt <= EARLIER_MS

/** Many routes that were read together. */
export interface ReadTogether {
  routes: RouteIndex
  readOf: ReadOf
  /** Which of them matter; all by default. */
  isAsked?: (routeId: string) => boolean
}

/** Those that may be older in such a read than by themselves. */
export function readLate(
  { memory, clock }: Connection,
  deviceId: string,
  { routes, readOf, isAsked = () => true }: ReadTogether,
): Route[] {
  const now = clock.now()
  return [...memory.unseen].flatMap(([key, changes]) => {
    const isHere = key.startsWith(`${deviceId} `)
    const route = isHere ? routes.byId(key.slice(deviceId.length + 1)) : undefined
    if (!route || !isAsked(route.id)) return []
    const isLate = (one: Unseen): boolean =>
      mayPrecede(readOf, one, now) ||
      (one.seenIn !== undefined && !isOld(one, now) && !shows(one, route))
    return [...changes.values()].some(isLate) ? route : []
  })
}

/** True when a route as read shows a change, or shows that it was refused after all. */
function hasEnded(unseen: Unseen, route: Route, now: number, readOf: ReadOf): boolean {
  const { accepted, earlier } = unseen
  const lacksNone = additions(unseen, route.destinations).length === 0
  if (isOld(unseen, now) && lacksNone) return true
  if (unseen.kind !== 'create' && accepted) {
    if (isPending(route)) {
      unseen.pendingIn = readOf
      return false
    }
    // What was under way may have been of another client: that alone takes no destination for refused.
    if (unseen.pendingIn === readOf && lacksNone && !unseen.amongOthers) return true
  }
  if (earlier && (shows(earlier, route) || now - earlier.sentAt > EARLIER_MS))
    unseen.earlier = undefined
  return unseen.earlier === undefined && shows(unseen, route)
}

/** Whether a route as read is as the change would leave it. */
export function shows(
  { kind, fields, before, destinationId, older }: Unseen,
  route: Route,
): boolean {
  switch (kind) {
    case 'create':
      return !older?.byId(route.id)
    case 'update':
      return showsUpdate(fields!, before, toSent(route))
    case 'delete':
      return false
    default:
      return stateOf(route, destinationId) === (kind === 'start' ? 'running' : 'stopped')
  }
}

/** Of a route, or of those to be created with a name. One that adds a destination is remembered longer. */
export function unseenOf(
  { memory, clock }: Pick<Connection, 'memory' | 'clock'>,
  place: Place,
): readonly Unseen[] {
  const key = placeKey(place)
  const now = clock.now()
  forgetWhere(
    memory,
    key,
    (one) => isOld(one, now) && (one.seenIn !== undefined || !addsDestination(one)),
  )
  const changes = memory.unseen.get(key)?.values() ?? []
  return [...changes].filter((one) => !one.seenIn && !isOld(one, now))
}

/** Added so long ago that it may never be applied. If it is, a change without them would remove them. */
export function overdueOf(
  { memory, clock }: Connection,
  address: RouteAddress,
  { destinations }: Route,
): Destination[] {
  const update = memory.unseen.get(placeKey(address))?.get('update')
  return update && !update.seenIn && isOld(update, clock.now())
    ? additions(update, destinations)
    : []
}

/** True when a route that does not show yet will have this name. */
export function isNameUnseen(gateway: Connection, deviceId: string, name: string): boolean {
  const { unseen } = gateway.memory
  if (unseen.size === 0) return false
  if (unseenOf(gateway, { deviceId, name }).length > 0) return true
  for (const [key, changes] of unseen) {
    const update = changes.get('update')
    if (!key.startsWith(`${deviceId} `) || update?.fields?.name !== name) continue
    if (update.before?.name === name) continue
    if (unseenOf(gateway, { deviceId, routeId: key.slice(deviceId.length + 1) }).includes(update)) {
      return true
    }
  }
  return false
}

/** True while it is not certain which of these routes has a name: a rename does not show yet. */
export function isNameChanging(
  gateway: Connection,
  deviceId: string,
  name: string,
  routes: readonly Route[],
): boolean {
  if (gateway.memory.unseen.size === 0) return false
  return routes.some((route) =>
    unseenOf(gateway, { deviceId, routeId: route.id }).some(({ fields, before, accepted }) => {
      if (!fields || fields.name === route.name) return false
      // A rename that may not have arrived can be sent again, by the former name.
      const isLeft = accepted && route.name === name && before?.name === name
      return isLeft || fields.name === name
    }),
  )
}

/** How many routes that were to be created from here do not show yet. */
export function unseenCreates(gateway: Connection, deviceId: string): number {
  const named = `${deviceId} named `
  let count = 0
  for (const key of gateway.memory.unseen.keys()) {
    if (!key.startsWith(named)) continue
    count += unseenOf(gateway, { deviceId, name: key.slice(named.length) }).length
  }
  return count
}
