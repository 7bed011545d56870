// One failover of a node: for its gateway, or for one appliance of an inventory.
import type { Node, NodeAPI } from 'node-red'
import {
  GatewayError,
  Stop,
  closedError,
  protectRoute,
  say,
  type FailoverReport,
  type FailoverStatus,
  type Protection,
} from '../../client/internal'
import type { Language } from '../../client/model/watch'
import { untilStopped } from '../../client/stop'
import type { Evaluate } from '../runtime/chosen'
import type { Appliance, ListedFailover } from '../runtime/gateway-node'
import { secretsOf } from '../runtime/secrets'
import type { Kept } from './kept'
import { protectOptions, type FailoverConfig } from './options'

export interface GuardOptions {
  RED: NodeAPI
  node: Node
  config: FailoverConfig
  evaluate: Evaluate
  language: Language
  kept: Kept
  onEvents: (events: FailoverReport[]) => void
  onStatus: (status: FailoverStatus) => void
  /** True: it does not protect, since it is not known what was held. False: it is known now. */
  onWait: (waits: boolean) => void
  /** It cannot protect at all. */
  onFault: (error: unknown) => void
  /** See `ProtectOptions.onFailure`. */
  onFailure: (error: GatewayError, event?: FailoverReport) => void
}

/** A failover that runs until it is closed. */
export interface Guard {
  /** Obeys a message. What comes of it is an event. @throws GatewayError */
  obey(message: Record<string, unknown>): Promise<void>
  /** Resolves when nothing is under way. `removed`: the node will not come back. */
  close(removed: boolean): Promise<void>
}

export function startGuard(of: Appliance, options: GuardOptions): Guard {
  const { RED, node, config, kept } = options
  let closed = false
  let protection: Protection | undefined
  /**
   * Stopped while it waits for what was kept. A command that waited as long would be carried out
   * when nobody expects it any more.
   */
  let patience = new Stop()

  const wait = (waits: boolean): void => {
    if (waits) patience.now()
    else patience = new Stop()
    options.onWait(waits)
  }
  const ready = (): Promise<Protection> => untilStopped(started, patience, waitingError)

  const protect = async (): Promise<Protection> => {
    const gateway = of.client()
    const withSecrets = secretsOf(RED, node, of)
    const { evaluate, language, onEvents, onStatus, onFailure } = options
    const wanted = await protectOptions(config, evaluate, withSecrets)
    const memory = await kept.read(wait)
    if (closed) throw closedError()
    protection = protectRoute(gateway, {
      ...wanted,
      memory,
      language,
      onEvents(events) {
        for (const event of events) count(listed, event)
        onEvents(events)
      },
      onMemory(present) {
        const isKept = kept.write(present)
        // The gateway closes, and gets another owner, only when that one can know.
        if (isKept) void gateway.protect(isKept)
      },
      onStatus(status) {
        listed.status = status
        onStatus(status)
      },
      onFailure,
    })
    return protection
  }

  const listed: Listed = {
    id: node.id,
    name: node.name ?? '',
    switches: {},
    routes: () => protection?.routes() ?? [],
    command: async (action, hold) => (await ready()).command(action, hold),
    async obey({ action, hold, main }) {
      const present = await ready()
      if (main !== undefined) await present.main(main)
      if (main === undefined || action !== undefined) await present.command(action, hold)
    },
  }
  of.failovers.add(listed)
  let cancel: (reason: Error) => void
  const started = new Promise<Protection>((resolve, reject) => {
    cancel = reject
    protect().then(resolve, reject)
  })
  started.catch((error: unknown) => {
    if (!closed) options.onFault(error)
  })

  return {
    obey: listed.obey,
    async close(removed) {
      closed = true
      cancel(closedError())
      of.failovers.delete(listed)
      try {
        await protection?.close()
      } finally {
        await kept.close(removed)
      }
    },
  }
}

const waitingError = (): GatewayError =>
  new GatewayError('UNAVAILABLE', [say('failoverWaits'), say('unchanged')])

type Listed = { -readonly [Name in keyof ListedFailover]: ListedFailover[Name] }

function count({ switches }: Listed, { event, cause, dryRun }: FailoverReport): void {
  if (event !== 'failover.switched' || !cause || dryRun) return
  switches[cause] = (switches[cause] ?? 0) + 1
}
