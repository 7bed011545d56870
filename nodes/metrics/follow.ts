import type { Node } from 'node-red'
import type { OpenIncident } from '../../client/model/incident'
import { GatewayError } from '../../client/errors'
import { Stop } from '../../client/stop'
import { isOld } from '../../client/watch/life/device'
import { knownBy, watchDevice } from '../../client/watch/registry'
import { namedCallers } from '../../client/watch/caller-list'
import { followSrt } from '../../client/metrics/srt'
import type { Connection } from '../../client/connection/connection'
import type { WatchHealth } from '../../client/watch/report/subscription'
import type { Picture, PicturedFailover } from '../../client/metrics/render'
import type { RouteFilter } from '../../client/watch/report/filter'
import type { Appliance, ListedFailover } from '../runtime/gateway-node'

/** One gateway of a metrics node, with what is known of it. */
export type Followed = ReturnType<typeof follow>

interface FollowOptions {
  /** The statistics to read; by default none. */
  statistics?: { everyMs: number; route?: RouteFilter }
  /** After each poll. */
  onHealth: () => void
  /** A failure that does not pass by itself, once until it has passed. */
  onFailure: (error: GatewayError) => void
}

/** Follows the polls of a gateway, for a node that is its user meanwhile. */
export function follow(user: Node, gateway: Appliance, options: FollowOptions) {
  const { statistics, onHealth, onFailure } = options
  const stop = new Stop()
  let connection: Connection | undefined
  let health: WatchHealth | undefined
  let failure: GatewayError | undefined
  let open: readonly OpenIncident[] = []
  /** Since the first poll: the statistics that are known. */
  let srt: ReturnType<typeof followSrt> | undefined

  function begin(): void {
    try {
      const opened = gateway.client()
      connection = opened
      const unwatch = watchDevice(opened, {
        report: 'incidents',
        onOpen: (present) => (open = present),
        onEvents: () => undefined,
        onHealth(present) {
          health = present
          if (present.known && statistics) {
            srt ??= followSrt(opened, { ...statistics, stop, onFailure })
          }
          onHealth()
        },
        onFailure,
      })
      stop.onStop(unwatch)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      // A gateway that a deploy has just closed is followed again once that is over.
      if (error.code === 'CLOSED') return
      failure = error
      onFailure(error)
    }
  }

  gateway.register(user)
  begin()
  return {
    gateway,
    /** Of the latest poll. */
    get health(): WatchHealth | undefined {
      return health
    },
    /** Why it cannot be polled at all. */
    get failure(): GatewayError | undefined {
      return failure
    },
    /** All that is known now, without a request. */
    picture(): Omit<Picture, 'gateway'> {
      const failovers = [...gateway.failovers].map(pictured)
      if (!connection) return { isUp: failure ? false : undefined, failovers }
      const { counters } = connection
      const known = knownBy(connection)
      if (!known) return { counters, failovers }
      const isUp = known.state || known.failure ? !isOld(known, Date.now()) : undefined
      return {
        isUp,
        counters,
        failovers,
        incidents: health && open,
        lastPollAt: known.state && known.seenAt,
        // The next poll fills the same list again.
        ...(isUp && {
          state: known.state,
          figures: known.figures?.slice(),
          srt: srt?.(),
          callers: namedCallers(connection),
        }),
      }
    },
    end(): void {
      stop.now()
      gateway.deregister(user)
    },
  }
}

/** A failover by its route: with two routes, by the one that is main. */
function pictured(failover: ListedFailover): PicturedFailover {
  const { id, status, switches } = failover
  const { state, reason } = status ?? { state: undefined, reason: 'not-started' }
  const routeId = failover.routes()[0]?.routeId
  return { node: id, routeId, state, reason, switches: { ...switches } }
}
