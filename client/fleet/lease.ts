// A share that the instances of a fleet agree on over an engine, and how they work for each other.
import { MONOTONIC } from '../clock'
import type { Stop } from '../stop'
import type { Engine } from './nats/engine'
import type { ShareMemory } from './nats/fenced-records'
import type { Gathering } from './nats/gathering'
import { openOwnership, type OwnershipOptions } from './ownership'
import { slotOf } from './slots'
import type { Command, EngineChange, ShareState } from './types'

/**
 * Which appliances of an inventory this instance works for. It goes by the key of an appliance, see
 * `keyOf`: a name may become that of another one, while the former is still at work.
 */
export interface Share {
  /** True while this instance works for the appliance: from `onTaken` until `onGiving` is called. */
  owns(key: string): boolean
  /**
   * True while it may send to the appliance, by a monotonic clock. Asked before each request goes out;
   * undefined where ownership cannot end.
   */
  readonly maySend?: (key: string) => boolean
  /**
   * Has the instance that owns an appliance carry out a command, and returns its answer. Undefined
   * where the instances cannot reach each other.
   * @param waitMs how long it waits while nobody owns the appliance; two TTL by default
   * @throws GatewayError what the owner throws; `UNAVAILABLE` when nobody owns it for so long, or the
   * engine is away: not carried out; `OUTCOME_UNKNOWN` when an owner may have begun a change and is
   * gone; `INVALID_INPUT` for what cannot be sent; `CLOSED` after the stop
   */
  readonly send?: (command: KeyedCommand, stop?: Stop, waitMs?: number) => Promise<unknown>
  /** How the instances agree; undefined where there is nothing to agree on. */
  readonly state?: () => ShareState
  /** Where this instance publishes what happens on its appliances; undefined where it need not. */
  readonly gathering?: Gathering
  /** What the next owner of an appliance has to know; undefined where ownership does not move. */
  readonly memory?: ShareMemory
  /**
   * Of an appliance that this instance owns, to be asked when its work begins: grows with each owner,
   * and with each appliance that gets the same name.
   */
  readonly token?: (key: string) => number | undefined
  /** Which part of the inventory has an appliance, and which one this instance has: `2/3`, where parts are fixed. */
  readonly parts?: (key: string) => { part: string; own: string }
  /** Gives everything away, after what is under way has ended. */
  close(): Promise<void>
}

/** What follows the ownership of a share. */
export interface ShareFollower {
  /** `owns` has changed for some of the appliances. */
  onTaken(): void
  /**
   * These are about to be given away, or must no longer be worked for: resolves once nothing more is
   * sent to them.
   */
  onGiving(owned: (key: string) => boolean): Promise<void>
  /** A digest of the inventory, by which instances compare theirs; undefined while there is none. */
  inventory?(): string | undefined
  /** Does for another instance what its message asks for. @throws GatewayError */
  carryOut(command: Command): Promise<unknown>
  /** The state of the share has changed. */
  onState(state: ShareState): void
  /** The engine was lost, or is back. */
  onEngine(change: EngineChange): void
}

/** A command for the owner of the appliance with this key. */
export interface KeyedCommand extends Omit<Command, 'from' | 'slot'> {
  readonly key: string
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
  const slots = new Map<string, number>()
  /** Since when it is, by the clock and as it is reported. */
  let lost: { since: number; at: number } | undefined
  let closed = false

  /** Asked for each request, by keys of the inventory only. */
  function slotFor(key: string): number {
    const known = slots.get(key)
    if (known !== undefined) return known
    const slot = slotOf(key)
    slots.set(key, slot)
    return slot
  }

  const serving = engine.commands.serve((command) => follower.carryOut(command))
  const ownership = openOwnership({
    store: engine.store,
    link: engine.link,
    name,
    ttlMs,
    clock,
    log,
    inventory: () => follower.inventory?.(),
    onTaken(taken) {
      follower.onTaken()
      serving.take(taken)
    },
    onGiving(given) {
      serving.leave(given)
      const all = new Set(given)
      return follower.onGiving((key) => all.has(slotFor(key)))
    },
    onState(state) {
      if (state.phase === 'lost') lose()
      if (state.phase === 'member') found()
      follower.onState(state)
    },
  })

  function lose(): void {
    if (lost || closed) return
    lost = { since: clock.now(), at: Date.now() }
    follower.onEngine({ isUp: false, at: lost.at })
  }

  function found(): void {
    if (!lost || closed) return
    const { at: since, since: from } = lost
    lost = undefined
    const outageMs = Math.round(clock.now() - from)
    follower.onEngine({ isUp: true, at: Date.now(), since, outageMs })
  }

  return {
    owns: (key) => ownership.owns(slotFor(key)),
    maySend: (key) => ownership.maySend(slotFor(key)),
    token: (key) => ownership.token(slotFor(key)),
    state: ownership.state,
    send: ({ key, ...command }, stop, waitMs = WAIT * ttlMs) =>
      engine.commands.send({ ...command, from: name, slot: slotFor(key) }, { waitMs, stop }),
    async close() {
      closed = true
      await ownership.close()
      await serving.close()
    },
  }
}
