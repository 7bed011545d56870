// A share that the instances of a fleet agree on over an engine, and how they work for each other.
import { MONOTONIC } from '../clock'
import type { Stop } from '../stop'
import type { Engine } from './nats/engine'
import type { ShareMemory } from './nats/fenced-records'
import type { Gathering } from './nats/gathering'
import { openOwnership, type OwnershipOptions } from './ownership'
import type { Command, EngineChange, ShareState } from './types'

/** Which appliances of an inventory this instance works for, by their slots. */
export interface Share {
  /** True while this instance works for the slot: from `onTaken` until `onGiving` is called. */
  owns(slot: number): boolean
  /**
   * True while it may send to an appliance of the slot, by a monotonic clock. Asked before each request
   * goes out; undefined where ownership cannot end.
   */
  readonly maySend?: (slot: number) => boolean
  /**
   * Has the instance that owns an appliance carry out a command, and returns its answer. Undefined
   * where the instances cannot reach each other.
   * @param waitMs how long it waits while nobody owns the appliance; two TTL by default
   * @throws GatewayError what the owner throws; `UNAVAILABLE` when nobody owns it for so long, or the
   * engine is away: not carried out; `OUTCOME_UNKNOWN` when an owner may have begun a change and is
   * gone; `INVALID_INPUT` for what cannot be sent; `CLOSED` after the stop
   */
  readonly send?: (command: Omit<Command, 'from'>, stop?: Stop, waitMs?: number) => Promise<unknown>
  /** How the instances agree; undefined where there is nothing to agree on. */
  readonly state?: () => ShareState
  /** Where this instance publishes what happens on its appliances; undefined where it need not. */
  readonly gathering?: Gathering
  /** What the next owner of an appliance has to know; undefined where ownership does not move. */
  readonly memory?: ShareMemory
  /**
   * Of a slot that this instance owns, to be asked when the work for an appliance begins: grows with each
   * owner, and with each appliance that gets the same name.
   */
  readonly token?: (slot: number) => number | undefined
  /** Which part of the inventory has a slot, and which one this instance has: `2/3`, where parts are fixed. */
  readonly parts?: (slot: number) => { part: string; own: string }
  /** Gives everything away, after what is under way has ended. */
  close(): Promise<void>
}

/** What follows the ownership of a share. */
export interface ShareFollower extends Pick<
  OwnershipOptions,
  'onTaken' | 'onGiving' | 'onState' | 'inventory'
> {
  /** Does for another instance what its message asks for. @throws GatewayError */
  carryOut(command: Command): Promise<unknown>
  /** The engine was lost, or is back. */
  onEngine(change: EngineChange): void
}

export interface LeaseOptions extends Pick<OwnershipOptions, 'name' | 'ttlMs' | 'clock' | 'log'> {
  engine: Pick<OwnershipOptions, 'link' | 'store'> & Pick<Engine, 'commands'>
  follower: ShareFollower
}

export type Lease = Required<Omit<Share, 'gathering' | 'memory' | 'parts'>>

/** How long a command waits for an owner, in TTL: a takeover takes one, and the owner has to log in. */
const WAIT = 2

/** Joins a fleet, and works for the appliances that this instance gets. */
export function openLease(options: LeaseOptions): Lease {
  const { engine, name, ttlMs, follower, clock = MONOTONIC, log } = options
  const { store, link, commands } = engine
  /** Since when it is, by the clock and as it is reported. */
  let lost: { since: number; at: number } | undefined
  let closed = false

  const serving = commands.serve((command) => follower.carryOut(command))
  const ownership = openOwnership({
    store,
    link,
    name,
    ttlMs,
    clock,
    log,
    inventory: follower.inventory,
    onTaken(taken) {
      follower.onTaken(taken)
      serving.take(taken)
    },
    onGiving(given) {
      serving.leave(given)
      return follower.onGiving(given)
    },
    onState(state) {
      if (!closed) tellEngine(state.phase)
      follower.onState(state)
    },
  })

  function tellEngine(phase: ShareState['phase']): void {
    const at = Date.now()
    if (phase === 'lost' && !lost) {
      lost = { since: clock.now(), at }
      follower.onEngine({ isUp: false, at })
    }
    if (phase === 'member' && lost) {
      const { since, at: lostAt } = lost
      lost = undefined
      const outageMs = Math.round(clock.now() - since)
      follower.onEngine({ isUp: true, at, since: lostAt, outageMs })
    }
  }

  return {
    ...ownership,
    send: (command, stop, waitMs = WAIT * ttlMs) =>
      commands.send({ ...command, from: name }, { waitMs, stop }),
    async close() {
      closed = true
      await ownership.close()
      await serving.close()
    },
  }
}
