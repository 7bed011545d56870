// One failover of a node: for its gateway, or for one appliance of an inventory.
import type { Node, NodeAPI } from 'node-red'
import { GatewayError, asGatewayError, closedError, say } from '../../client/errors'
import { Stop, untilStopped } from '../../client/stop'
import type { FailoverReport, FailoverStatus, Protection } from '../../client/failover/protect'
import { Operation } from '../../client/connection/operation'
import { languageOf } from '../../client/model/watch'
import { serverLanguage } from '../runtime/catalog'
import { evaluatorOf } from '../runtime/node-settings'
import type { Appliance, ListedFailover } from '../runtime/gateway-node'
import { secretsOf } from '../runtime/secrets'
import type { Kept } from './context-memory'
import { protectOptions, type FailoverConfig } from './options'
import type { ShownStatus } from './status'

/** Loaded with the first failover: most flows have none. */
const load = (): typeof import('../../client/failover/protect') =>
  require('../../client/failover/protect') as typeof import('../../client/failover/protect')

/** What a failover reports by itself, which is no change that somebody asked for. */
export const OPERATION = new Operation('failover')

interface ProtectionOptions {
  RED: NodeAPI
  node: Node
  config: FailoverConfig
  kept: Kept
  status: ShownStatus
  onEvents: (events: FailoverReport[]) => void
  /** See `ProtectOptions.onFailure`. */
  onFailure: (error: GatewayError, event?: FailoverReport) => void
}

/**
 * Starts a failover.
 * @returns what ends it, and says whether it is to be forgotten: `removed`, if the node will not come
 * back. Should it be deployed again after all, it starts one of two routes that it has left stopped.
 */
export function startProtection(
  of: Appliance,
  { RED, node, config, kept, status, onEvents, onFailure }: ProtectionOptions,
): (removed: boolean) => Promise<boolean> {
  const { appliance } = of
  const over = new Stop()
  let protection: Protection | undefined
  /** Stopped while it waits for what was kept: a command is not carried out when nobody expects it any more. */
  let patience = new Stop()

  function wait(waits: boolean): void {
    if (!waits) {
      patience = new Stop()
      return status.add(appliance)
    }
    patience.now()
    listed.status = notStarted(waitingError())
    status.wait(appliance)
  }

  async function protect(): Promise<Protection> {
    const gateway = of.client()
    const wanted = await protectOptions(config, evaluatorOf(RED, node), secretsOf(RED, node, of))
    const found = await kept.read(wait)
    if (over.stopped) throw closedError()
    protection = load().protectRoute(gateway, {
      ...wanted,
      ...found,
      language: config.language ? languageOf(config.language) : serverLanguage(RED),
      onEvents(events) {
        for (const { event, cause } of events) {
          if (event !== 'failover.switched' || !cause) continue
          listed.switches[cause] = (listed.switches[cause] ?? 0) + 1
        }
        onEvents(events)
      },
      onMemory(present) {
        // The gateway closes, and gets another owner, only when that one can know.
        return gateway.protect(kept.write(present))
      },
      onStatus(present) {
        listed.status = present
        status.show(present, appliance)
      },
      onFailure,
    })
    return protection
  }

  const listed: { -readonly [Name in keyof ListedFailover]: ListedFailover[Name] } = {
    id: node.id,
    name: node.name ?? '',
    switches: {},
    routes: () => protection?.routes() ?? [],
    async obey({ action, hold, main }) {
      const present = await untilStopped(started, patience, waitingError)
      if (main !== undefined) await present.main(main)
      if (main === undefined || action !== undefined) await present.command(action, hold)
    },
  }
  of.failovers.add(listed)
  status.add(appliance)
  const started = untilStopped(protect(), over, closedError)
  started.catch((error: unknown) => {
    if (over.stopped) return
    const failure = asGatewayError(error, OPERATION, of.identity)
    listed.status = notStarted(failure)
    status.fail(failure, appliance)
    onFailure(failure)
  })

  return async (removed) => {
    over.now()
    of.failovers.delete(listed)
    let isForgotten = removed
    try {
      if ((await protection?.close())?.isHalfway) isForgotten = false
    } finally {
      await kept.close(isForgotten)
    }
    return isForgotten
  }
}

/** It protects nothing, and knows nothing of the route. */
const notStarted = (failure: GatewayError): FailoverStatus => ({
  state: 'unknown',
  held: false,
  manual: false,
  reason: 'not-started',
  failure,
})

const waitingError = (): GatewayError => new GatewayError('UNAVAILABLE', say('failoverWaits'))
