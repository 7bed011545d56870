import { isLasting, type GatewayError } from '../errors'
import { normalizeId } from '../model/ids'
import { isObject, objectsIn, own } from '../model/json'
import { readStatisticsOf, type Statistics } from '../api/statistics'
import type { Connection } from '../connection/connection'
import { Operation } from '../connection/operation'
import { createPoller } from '../poller'
import type { Stop } from '../stop'
import { knownBy } from '../watch/registry'
import { routeFilter, type RouteFilter } from '../watch/report/filter'
import { isRunning } from '../watch/state'
import { numberIn } from '../watch/measuring/figures'
import { clientsOf, connectionsOf } from '../watch/measuring/statistics'

/** The SRT figures of a source or destination. What the gateway does not give is undefined. */
export interface SrtOfPart {
  roundTripSeconds?: number
  lostPackets?: number
  /** From 0 to 1. */
  lossRatio?: number
  bufferSeconds?: number
}

export interface SrtOfRoute {
  source: SrtOfPart
  /** By the normalized ID of the destination, or else its name. */
  destinations: ReadonlyMap<string, SrtOfPart>
}

interface SrtOptions {
  /** Milliseconds from one reading to the next. */
  everyMs: number
  /** By default all routes. Only those that run are read. */
  route?: RouteFilter
  stop: Stop
  /** A failure that does not pass by itself, once until a reading succeeds. */
  onFailure: (error: GatewayError) => void
}

/** The figures of an earlier reading are no longer known after so many intervals. */
const CURRENT_FOR = 3

/**
 * Reads the statistics of running routes at regular times, never two at once, until it is stopped.
 * @returns what is known now, by the normalized ID of the route; undefined after a failure
 */
export function followSrt(
  gateway: Connection,
  { everyMs, route: only, stop, onFailure }: SrtOptions,
): () => ReadonlyMap<string, SrtOfRoute> | undefined {
  const { clock } = gateway
  const wants = routeFilter(only)
  let latest: { at: number; routes: ReadonlyMap<string, SrtOfRoute> } | undefined
  /** The code of the failure that was reported. */
  let reported: string | undefined

  async function read(): Promise<ReadonlyMap<string, SrtOfRoute>> {
    const state = knownBy(gateway)?.state
    const routes = [...(state?.routes.values() ?? [])].filter(
      (route) => isRunning(route.condition) && wants(route),
    )
    const operation = new Operation('metrics', { stop, brief: true })
    const answers =
      state && routes.length > 0 ? await readStatisticsOf(gateway, state.id, routes, operation) : []
    const figures = answers.map((answer) => ('error' in answer ? undefined : srtIn(answer)))
    return new Map(figures.filter((one) => one !== undefined))
  }

  const poller = createPoller({
    ask: read,
    interval: () => everyMs,
    backsOff: () => false,
    onAnswer(routes) {
      latest = { at: clock.now(), routes }
      reported = undefined
    },
    onMiss({ error }) {
      latest = undefined
      if (!isLasting(error) || error.code === reported) return
      reported = error.code
      onFailure(error)
    },
    clock,
  })
  poller.start()
  const unhook = gateway.closing.onStop(poller.stop)
  stop.onStop(() => {
    unhook()
    poller.stop()
  })
  return () =>
    latest && clock.now() - latest.at <= CURRENT_FOR * everyMs ? latest.routes : undefined
}

/** The figures in a response, with the normalized ID of the route; undefined where that is missing. */
export function srtIn({ route }: Statistics): [id: string, SrtOfRoute] | undefined {
  if (!isObject(route) || typeof route.id !== 'string') return undefined
  const destinations = objectsIn(route.destinations).map(
    (part) => [normalizeId(String(part.id || part.name)), srtOf(part, Math.max)] as const,
  )
  return [
    normalizeId(route.id),
    { source: srtOf(route.source, Math.min), destinations: new Map(destinations) },
  ]
}

/** Of all connections of a part. @param worst of two fill levels: a receiver runs dry, a sender fills up */
function srtOf(part: unknown, worst: (...levels: number[]) => number): SrtOfPart {
  const all = [part, ...clientsOf(part), ...connectionsOf(part)]
  const numbers = (of: unknown[], ...names: string[]): number[] =>
    of
      .flatMap((one) => names.map((name) => numberIn(own(one, name))))
      .filter((value) => !Number.isNaN(value))
  const most = (of: number[], take = Math.max): number | undefined =>
    of.length > 0 ? take(...of) : undefined
  return {
    roundTripSeconds: scaled(most(numbers(all, 'srtRoundTripTime')), 1000),
    // Only the whole counts on when a client leaves.
    lostPackets: most(numbers([part], 'srtNumLostPackets', 'srtNumLostPackages')),
    // In percent, as far as is known.
    lossRatio: scaled(most(numbers(all, 'srtPacketLossRate').filter((rate) => rate <= 100)), 100),
    bufferSeconds: scaled(most(numbers(all, 'srtBufferLevel'), worst), 1000),
  }
}

const scaled = (value: number | undefined, divisor: number): number | undefined =>
  value === undefined ? undefined : value / divisor
