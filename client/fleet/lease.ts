// A share that the instances of a fleet agree on over an engine, and how they work for each other.
import { MONOTONIC, type Clock } from '../clock'
import { GatewayError, say } from '../errors'
import type { Engine } from './nats/engine'
import { openOwnership } from './ownership'
import { slotOf } from './slots'
import type { Command, EngineLink, Share, ShareFollower, ShareState, Store } from './types'

export interface LeaseOptions {
  engine: { readonly link: EngineLink; readonly store: Store } & Pick<Engine, 'commands'>
  /** As people call this instance. */
  name: string
  ttlMs: number
  follower: ShareFollower
  clock?: Clock
  log: (level: 'info' | 'warn', text: string) => void
}

export type Lease = Required<Omit<Share, 'gathering' | 'memory' | 'parts'>>

/** How long a command waits for an owner, in TTL: a takeover takes one, and the owner has to log in. */
const WAIT = 2
/** An engine that this instance has not reached so long after its start counts as lost, in TTL. */
const PATIENCE = 2

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

  const serving = engine.commands.serve(carryOut)
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
      follower.onState(shown(state))
    },
  })
  const cancelPatience = clock.after(PATIENCE * ttlMs, () => {
    lose()
    follower.onState(shown(ownership.state()))
  })

  function lose(): void {
    if (lost || closed) return
    lost = { since: clock.now(), at: Date.now() }
    follower.onEngine({ isUp: false, at: lost.at })
  }

  function found(): void {
    cancelPatience()
    if (!lost || closed) return
    const { at: since, since: from } = lost
    lost = undefined
    const outageMs = Math.round(clock.now() - from)
    follower.onEngine({ isUp: true, at: Date.now(), since, outageMs })
  }

  /** An instance that waits to join after a loss, or has waited too long, works for nothing as it should. */
  function shown(state: ShareState): ShareState {
    if (!lost || state.phase !== 'joining') return state
    return { ...state, phase: 'lost', reason: state.reason ?? 'It cannot join the fleet.' }
  }

  /** What could not be sent because the appliance is being given away is for its next owner. */
  async function carryOut(command: Command): Promise<unknown> {
    try {
      return await follower.carryOut(command)
    } catch (error) {
      const isAway = error instanceof GatewayError && error.code === 'CLOSED'
      if (!isAway || error.cause.applied !== 'no') throw error
      throw new GatewayError('UNAVAILABLE', say('notOwned'), error.cause)
    }
  }

  return {
    owns: (key) => ownership.owns(slotFor(key)),
    maySend: (key) => ownership.maySend(slotFor(key)),
    token: (key) => ownership.token(slotFor(key)),
    state: () => shown(ownership.state()),
    send: ({ key, ...command }, stop, waitMs = WAIT * ttlMs) =>
      engine.commands.send({ ...command, from: name, slot: slotFor(key) }, { waitMs, stop }),
    async close() {
      closed = true
      cancelPatience()
      await ownership.close()
      await serving.close()
    },
  }
}
