import { named, type Named, type Wordless, type WatchEvent } from './events'
import { eachRoute, type Figures } from './figures'
import { isRunning, type DeviceState, type RouteState } from './state'

type DataEvent = Omit<Wordless<WatchEvent>, 'device'>

/** Finds sources that receive nothing although they are connected, and those that receive again. */
export interface DataWatch {
  /** Takes a poll; routes that are not wanted count as gone. */
  polled(
    state: Pick<DeviceState, 'routes'>,
    figures: Figures,
    wants: (route: Named) => boolean,
    at: number,
  ): DataEvent[]
  /** The routes whose sources receive nothing. */
  open(): Named[]
  /** Goes on with what was known in another process, before the first poll. */
  resume(open: readonly Named[]): void
}

/** A source of a running route of which it is not certain that it receives data. */
interface Source {
  /** As it was reported, or at first seen; null while it is not known. */
  receives: boolean | null
  /** Since when it is otherwise, by the clock. */
  since?: number
  route: Named
}

/** How long a source must receive nothing: one that has just connected has no bitrate yet. */
const LEAST_MS = 5000

const CONNECTED: ReadonlySet<string | undefined> = new Set(['connected', 'connection established'])

/** @param holdMs how long a change must last */
export function createDataWatch(holdMs: number): DataWatch {
  /** All other sources of running routes receive data: there are many, which take no memory. */
  let sources: Map<string, Source> | undefined
  let former: Pick<DeviceState, 'routes'> | undefined

  function remember(id: string, source: Source): Source {
    sources ??= new Map()
    sources.set(id, source)
    return source
  }

  function take(
    route: RouteState,
    bitrate: number,
    wants: (route: Named) => boolean,
    at: number,
  ): DataEvent | undefined {
    const { id } = route
    const now = evidence(route, bitrate)
    let source = sources?.get(id)
    if (!source) {
      if (now === true || now === null) return undefined
      const before = former?.routes.get(id)
      if (!before || !wants(before)) {
        // What the first poll shows is no change.
        remember(id, { receives: now ?? null, route })
        return undefined
      }
      const ran = isRunning(before.condition)
      if (ran && now === undefined) return undefined
      source = remember(id, { receives: ran || null, route })
    }
    source.route = route
    const { receives } = source
    if (now === undefined || now === receives) {
      source.since = undefined
      if (now) sources?.delete(id)
      return undefined
    }
    const isNews = now === false || receives === false
    const since = (source.since ??= at)
    if (isNews && at - since < (now === false ? Math.max(holdMs, LEAST_MS) : holdMs)) {
      return undefined
    }
    if (now === false) Object.assign(source, { receives: now, since: undefined })
    else sources?.delete(id)
    return isNews ? eventOf(route, receives, now, since) : undefined
  }

  return {
    polled(state, figures, wants, at) {
      const events: DataEvent[] = []
      eachRoute(state, (route, place) => {
        const event = wants(route) && take(route, figures[place]!, wants, at)
        if (event) events.push(event)
      })
      for (const [id, { route, receives }] of sources ?? []) {
        const present = state.routes.get(id)
        if (present && wants(present)) continue
        sources?.delete(id)
        if (receives === false) events.push(eventOf(route, receives, null, at))
      }
      former = state
      return events
    },
    open() {
      const receivingNothing = [...(sources?.values() ?? [])].filter(
        (one) => one.receives === false,
      )
      return receivingNothing.map(({ route }) => named(route))
    },
    resume(open) {
      for (const route of open) {
        if (!sources?.has(route.id)) remember(route.id, { receives: false, route })
      }
    },
  }
}

/** Whether the source receives data, null where the route does not run; undefined where that is not known. */
function evidence({ condition, source }: RouteState, bitrate: number): boolean | null | undefined {
  if (!isRunning(condition)) return null
  if (bitrate > 0) return true
  return bitrate === 0 && CONNECTED.has(source.condition.state) ? false : undefined
}

const eventOf = (
  route: Named,
  before: boolean | null,
  after: boolean | null,
  at: number,
): DataEvent => {
  const event = after === false ? 'source.data-lost' : 'source.data'
  return { event, at, route: named(route), before, after }
}
