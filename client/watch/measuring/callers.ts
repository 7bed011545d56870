import type { UnixClock } from '../../clock'
import type { CallerBook, Place } from '../../model/callers'
import type { WatchEvent } from '../../model/event'
import { grouped, isSameId, named } from '../../model/ids'
import type { Named } from '../../model/types'
import { deviceHealth, isConnected } from '../../model/health'
import { isObject, own } from '../../model/json'
import { shortened } from '../../model/legible'
import { isCalled, isRouteOf } from './caller-book'
import { eachRoute, placeOf, type Figures } from './figures'
import { destinationsByKey, isRunning, type DeviceState, type RouteState } from '../state'
import type { MeasuredEvent, Meter } from './meter'
import { clientsOf, listIn, valueOf } from './statistics'

export interface Caller {
  readonly address: string
  /** Null where it is not known. */
  readonly port: number | null
}

/** The same, with what is measured of it; null where the gateway does not say. */
export interface CallerFigures extends Caller {
  /** Mbit/s. */
  readonly bitrate: number | null
  /** Percent. */
  readonly packetLoss: number | null
  /** Milliseconds. */
  readonly roundTripTime: number | null
  readonly encryption: string
}

/** A caller that is connected, or was until a moment ago. */
interface Entry extends Caller {
  /** By the clock. */
  readonly since: number
  readonly awaySince?: number
  readonly isTold: boolean
}

interface Listener {
  readonly places: Places
  /** Callers by the latest poll, for a source the least number. NaN where the gateway does not say. */
  readonly clients: number
  /** The number has changed since the list was read. */
  isDirty: boolean
  /** The list had another number than the poll. */
  hasMissed: boolean
  /** The statistics have no list of it. */
  isUnlisted: boolean
}

/**
 * Where a listener is: in each route that shares it. The first route is the one whose statistics are
 * read for it, and the one that the events of its callers name.
 */
type Places = [Place, ...Place[]]

/** What is known of the callers of each listener; undefined while its list was never read. */
export type SavedCallers = ReadonlyMap<
  string,
  { readonly places: Places; readonly entries?: readonly Entry[] }
>

export interface PresentCaller extends Caller {
  readonly place: Place
  /** Unix ms. */
  readonly since: number
}

/** Who is connected, and where that is certain. */
export interface Callers {
  /** Who calls a listener that several routes share is at each of them. */
  present(): PresentCaller[]
  /**
   * What is known of the callers of an output, or of the source; of all that a route has, where it is empty.
   * - `read`: who is connected at the latest poll
   * - `unlisted`: the statistics list nobody there, however many are connected
   * - `unread`: it is not followed, or a list is not that of the latest poll
   */
  listsOf(route: Named, output: string): 'read' | 'unlisted' | 'unread'
}

/** Follows who calls the listeners of running routes: their outputs, and sources in listener mode. */
export interface CallerWatch extends Callers, Meter<SavedCallers> {}

/**
 * Who returns from the same address within the hold has not left. Who has changed places with another one
 * between two polls shows when the number changes next.
 */
export function createCallerWatch(
  holdMs: number,
  clock: UnixClock,
  book?: () => CallerBook | undefined,
): CallerWatch {
  /** Of the latest poll, by keys that are the same in all routes that share one; undefined before the first one. */
  let listeners: ReadonlyMap<string, Listener> | undefined
  let known = new Map<string, { places: Places; entries?: readonly Entry[] }>()
  let isRestored = false
  let lacking: readonly RouteState[] = []
  /** The routes that it follows; none while the device is away. */
  let follows: (route: Named) => boolean = () => false
  /** The listeners of each route; undefined until they are needed. */
  let byRoute: ReadonlyMap<string, Array<{ place: Place; listener: Listener }>> | undefined

  const listenersByRoute = (): NonNullable<typeof byRoute> =>
    grouped(
      [...(listeners?.values() ?? [])].flatMap((listener) =>
        listener.places.map((place) => ({ place, listener })),
      ),
      ({ place }) => place.route.id,
    )

  /** Takes the list of a listener: what is new, what stays and what is missing. */
  function take(key: string, places: Places, listed: readonly Caller[], at: number): void {
    const before = known.get(key)?.entries
    const left = [...listed]
    const pick = (fits: (one: Caller) => boolean): Caller | undefined => {
      const index = left.findIndex(fits)
      return index < 0 ? undefined : left.splice(index, 1)[0]
    }
    const same = (before ?? []).map(({ address, port }) =>
      pick((one) => one.address === address && one.port === port),
    )
    const kept = (before ?? []).map((entry, index): Entry => {
      const found = same[index] ?? pick(({ address }) => address === entry.address)
      if (!found) return { ...entry, awaySince: entry.awaySince ?? at }
      return { ...entry, port: found.port, awaySince: undefined }
    })
    // What the first list shows is no change.
    const isTold = before === undefined
    const added = left.map(({ address, port }) => ({ address, port, since: at, isTold }))
    known.set(key, { places, entries: [...kept, ...added] })
  }

  function due(at: number): MeasuredEvent[] {
    const events: MeasuredEvent[] = []
    for (const [key, { places, entries = [] }] of known) {
      // Its list comes in a moment, and says more.
      if (listeners?.get(key)?.isDirty) continue
      const kept = entries.flatMap((entry): Entry[] => {
        const { since, awaySince, isTold } = entry
        if (awaySince !== undefined) {
          if (at - awaySince < holdMs) return [entry]
          if (isTold) events.push(eventOf(places[0], entry, awaySince - since))
          return []
        }
        if (isTold || at - since < holdMs) return [entry]
        events.push(eventOf(places[0], entry))
        return [{ ...entry, isTold: true }]
      })
      if (kept.length === 0 && !listeners?.has(key)) known.delete(key)
      else if (entries.length > 0) known.set(key, { places, entries: kept })
    }
    return events.sort((one, other) => one.at - other.at)
  }

  function eventOf(place: Place, { address, port, since }: Entry, durationMs?: number) {
    const hasLeft = durationMs !== undefined
    const [before, after] = hasLeft ? ['connected', 'away'] : ['away', 'connected']
    const caller: WatchEvent['caller'] = {
      address,
      port,
      name: book?.()?.nameOf(address, place) ?? null,
      since: clock.unix(since),
      durationMs: hasLeft ? Math.round(durationMs) : null,
    }
    const event = hasLeft ? 'caller.left' : 'caller.joined'
    return { event, at: since + (durationMs ?? 0), ...place, caller, before, after } as const
  }

  const isExpected = (route: Named): boolean =>
    book?.()?.expected.some(({ row }) => isRouteOf(row, route)) === true

  return {
    polled(state, figures, wants, at) {
      const { code, state: status } = state.condition
      lacking = []
      byRoute = undefined
      follows = () => false
      // Then the front end shows what it knew last.
      if (deviceHealth(code, status).sign === 'unknown') return []
      follows = wants
      const isFirst = listeners === undefined && !isRestored
      const found = listenersIn(state, figures, wants, isExpected)
      const routes = new Map<string, RouteState>()
      for (const [key, one] of found) {
        const before = listeners?.get(key)
        const isSame = before?.clients === one.clients
        one.isDirty = !isSame || before.isDirty
        one.hasMissed = isSame && before.hasMissed
        one.isUnlisted = isSame && before.isUnlisted
        // The callers of a listener that has begun to run are new.
        const { entries } = known.get(key) ?? { entries: isFirst ? undefined : [] }
        known.set(key, { places: one.places, entries })
        const { id } = one.places[0].route
        if (one.clients === 0) take(key, one.places, [], at)
        else if (one.isDirty) routes.set(id, state.routes.get(id)!)
      }
      // They are read together.
      for (const one of found.values()) {
        one.isDirty = one.clients !== 0 && routes.has(one.places[0].route.id)
      }
      for (const [key, { places, entries }] of known) {
        if (found.has(key)) continue
        if (entries) take(key, places, [], at)
        else known.delete(key)
      }
      listeners = found
      lacking = [...routes.values()]
      return due(at)
    },

    lacking: () => lacking,

    measured(statistics, at) {
      const id = own(statistics.route, 'id')
      for (const [key, one] of listeners ?? []) {
        const { places, clients } = one
        const [place] = places
        if (!isSameId(place.route.id, id) || clients === 0) continue
        const listed = callersOf(partIn(statistics.route, key, place))
        const number = listed?.length ?? NaN
        const isFit = place.destination
          ? number === clients || Number.isNaN(clients)
          : number >= clients || Number.isNaN(clients)
        // One that does not fit is older or newer than the poll: the next one shows that.
        const isDoubtful = !isFit && !one.hasMissed
        one.hasMissed = !isFit
        if (isDoubtful) continue
        one.isDirty = false
        one.isUnlisted = !listed
        if (listed) take(key, places, listed, at)
      }
      return due(at)
    },

    present: () =>
      [...known.values()].flatMap(({ places, entries = [] }) =>
        entries
          .filter(({ awaySince }) => awaySince === undefined)
          .flatMap(({ address, port, since }) =>
            places.map((place) => ({ address, port, place, since: clock.unix(since) })),
          ),
      ),

    listsOf(route, output) {
      if (!follows(route)) return 'unread'
      byRoute ??= listenersByRoute()
      const its = (byRoute.get(route.id) ?? [])
        .filter(({ place }) => isCalled(place.destination ?? place.source, output))
        .map(({ listener }) => listener)
      if (its.some(({ isDirty }) => isDirty)) return 'unread'
      return its.length > 0 && its.every(({ isUnlisted }) => isUnlisted) ? 'unlisted' : 'read'
    },

    save: () => new Map(known),

    restore(saved) {
      isRestored = true
      known = new Map([...saved, ...known])
    },
  }
}

/**
 * All listeners of running routes that are wanted.
 * @param isFirst such a route comes before others that share its listener
 */
function listenersIn(
  state: DeviceState,
  figures: Figures,
  wants: (route: Named) => boolean,
  isFirst: (route: Named) => boolean,
): Map<string, Listener> {
  const found = new Map<string, Listener>()
  eachRoute(state, (route, start) => {
    if (!isRunning(route.condition) || !wants(route)) return
    const add = (key: string, clients: number, part: Omit<Place, 'route'>): void => {
      const place = { route: named(route), ...part }
      const { places } = found.get(key) ?? {}
      if (!places) found.set(key, { places: [place], clients, ...UNREAD })
      else if (places.some((one) => one.route.id === route.id)) return
      else if (isFirst(route) && !isFirst(places[0].route)) places.unshift(place)
      else places.push(place)
    }
    const { source, destinations } = route
    if (source.definition.kind.isListener) {
      const { state: is } = source.condition
      const clients = is === undefined ? NaN : Number(isConnected(is))
      add(`${route.id} source`, clients, { source: named(source) })
    }
    for (const [index, { key, id, name, started, definition }] of destinations.entries()) {
      const clients = figures[placeOf(start, index) + 1]!
      if (started === false || !definition.kind.isListener) continue
      add(id ?? `${route.id} ${key}`, clients, { destination: named({ id, name }) })
    }
  })
  return found
}

const UNREAD = { isDirty: true, hasMissed: false, isUnlisted: false } as const

function partIn(route: unknown, key: string, { destination, ...place }: Place): unknown {
  if (!destination) return own(route, 'source')
  const wanted = destination.id || key.slice(place.route.id.length + 1)
  const parts = destinationsByKey(listIn(route, 'destinations'))
  return parts.get(wanted) ?? [...parts].find(([each]) => isSameId(each, wanted))?.[1]
}

/** Who calls a source or output by its statistics; undefined where these have no list. */
export function callersOf(part: unknown): CallerFigures[] | undefined {
  const list = own(part, 'clientStat') ?? own(part, 'connections')
  if (!Array.isArray(list)) return undefined
  return list.filter(isObject).flatMap((one): CallerFigures[] => {
    const { address, port } = one
    if (typeof address !== 'string' || address.trim() === '') return []
    const [connection = one] = clientsOf(one).length > 0 ? [] : listIn(one, 'connections')
    const encryption = own(connection, 'srtEncryption') ?? own(part, 'srtEncryption')
    const number = (measure: Parameters<typeof valueOf>[1]): number | null => {
      const value = valueOf(one, measure)
      return Number.isNaN(value) ? null : value
    }
    return [
      {
        // A gateway may write an IPv4 address in the form of IPv6.
        address: shortened(address.trim().replace(/^::ffff:(?=\d+\.)/i, ''), 60),
        port: Number.isInteger(port) ? (port as number) : null,
        bitrate: number('bitrate'),
        packetLoss: number('packetLoss'),
        roundTripTime: number('roundTripTime'),
        encryption: typeof encryption === 'string' ? shortened(encryption, 60) : '',
      },
    ]
  })
}
