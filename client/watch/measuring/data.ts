import { isConnected } from '../../model/health'
import type { Named } from '../../model/types'
import { named } from '../../model/ids'
import { eachRoute } from './figures'
import { held, type Held, type MeasuredEvent, type Meter } from './meter'
import { isRunning, type DeviceState, type RouteState } from '../state'

export interface SavedData {
  /** All other sources of running routes receive data. */
  readonly sources: readonly Source[]
  /** The state of the latest poll; absent where not every source is known. */
  readonly polled?: Pick<DeviceState, 'routes'>
}

/** A source of a running route of which it is not certain that it receives data. */
interface Source {
  /** As it was reported, or at first seen; null while it is not known. */
  readonly receives: boolean | null
  /** It was reported. */
  readonly isTold: boolean
  /** What it receives now, on hold. */
  readonly held?: Held<boolean | null>
  readonly route: Named
}

/** How long a source must receive nothing: one that has just connected has no bitrate yet. */
const LEAST_MS = 5000

/** Finds connected sources that receive nothing, by polls alone. @param holdMs how long it must last */
export function createDataWatch(holdMs: number): Meter<SavedData> {
  /** All other sources of running routes receive data: there are many, which take no memory. */
  let sources: Map<string, Source> | undefined
  let polled: SavedData['polled']

  function remember(source: Source): void {
    sources ??= new Map()
    sources.set(source.route.id, source)
  }

  function take(
    route: RouteState,
    bitrate: number,
    wants: (route: Named) => boolean,
    at: number,
  ): MeasuredEvent | undefined {
    const { id } = route
    const now = evidence(route, bitrate)
    let known = sources?.get(id)
    if (!known) {
      if (now === true || now === null) return undefined
      const before = polled?.routes.get(id)
      const isNew = !before || !wants(before)
      const ran = before !== undefined && isRunning(before.condition)
      if (!isNew && ran && now === undefined) return undefined
      known = { receives: isNew ? (now ?? null) : ran || null, isTold: false, route }
      remember(known)
      // What the first poll shows is no change.
      if (isNew) return undefined
    }
    const { receives, isTold } = known
    if (now === undefined || now === receives) {
      if (now) sources?.delete(id)
      else if (known.held || known.route !== route) remember({ receives, isTold, route })
      return undefined
    }
    // An end is reported only where a beginning was.
    const isNews = now === false || isTold
    const holding = held(known.held, now, at)
    const least = now === false ? Math.max(holdMs, LEAST_MS) : holdMs
    if (isNews && at - holding.since < least) {
      remember({ receives, isTold, held: holding, route })
      return undefined
    }
    if (now === false) remember({ receives: now, isTold: true, route })
    else sources?.delete(id)
    return isNews ? eventOf(route, receives, now, holding.at) : undefined
  }

  return {
    polled(state, figures, wants, at) {
      const events: MeasuredEvent[] = []
      eachRoute(state, (route, place) => {
        const event = wants(route) && take(route, figures[place]!, wants, at)
        if (event) events.push(event)
      })
      for (const [id, { route, receives, isTold }] of sources ?? []) {
        const present = state.routes.get(id)
        if (present && wants(present)) continue
        sources?.delete(id)
        if (isTold) events.push(eventOf(route, receives, null, at))
      }
      polled = state
      return events
    },
    lacking: () => [],
    measured: () => [],
    save: () => ({ sources: [...(sources?.values() ?? [])], polled }),
    restore(saved) {
      for (const source of saved.sources) {
        if (!sources?.get(source.route.id)?.isTold) remember(source)
      }
      polled ??= saved.polled
    },
  }
}

/** Whether the source receives data, null where the route does not run; undefined where that is not known. */
function evidence({ condition, source }: RouteState, bitrate: number): boolean | null | undefined {
  if (!isRunning(condition)) return null
  if (bitrate > 0) return true
  return bitrate === 0 && isConnected(source.condition.state) ? false : undefined
}

const eventOf = (
  route: Named,
  before: boolean | null,
  after: boolean | null,
  at: number,
): MeasuredEvent => {
  const event = after === false ? 'source.data-lost' : 'source.data'
  return { event, at, route: named(route), before, after }
}
