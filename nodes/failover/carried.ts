// What a failover of a leased fleet keeps: on the engine, for the next owner of the appliance, and here.
import { GatewayError, Stop, asGatewayError, closedError } from '../../client/internal'
import type { ShareMemory } from '../../client/fleet/types'
import { own } from '../../client/model/json'
import { pause, within } from '../../client/stop'
import type { Fleet } from '../runtime/gateway-node'
import type { Kept, KeptHere } from './kept'

export interface CarriedOptions {
  memory: ShareMemory
  token: NonNullable<Fleet['token']>
  /** The ID of the node, which is the same on all instances. */
  node: string
  appliance: string
  /** What is kept on this instance: newer where the engine could not be told any more. */
  local: KeptHere
  /** It has failed for seconds, or for a reason that does not pass by itself; again and again. */
  onFailure: (error: GatewayError, work: Work) => void
  /** The engine says, or knows, what it should. */
  onSuccess: () => void
  /** Held as this instance knows it, of which the engine knows nothing. */
  onOldHold: () => void
  onEnd: () => void
}

/** What the engine is asked for, or told. */
export type Work = 'read' | 'write'

const RETRY_MS = 1000
/** A failure of the engine that is over by then passes by itself. */
const PASSING_MS = 4000
/** So long the end waits for the engine: a deploy waits no longer than 15 s for a node. */
const END_MS = 4000
const OPERATION = { name: 'failover' }
/** Without the ownership, there is nothing wrong with that. */
const LATER = 'What stands there is from a later owner of the gateway.'

export function carried(options: CarriedOptions): Kept {
  const { memory, node, appliance, local } = options
  const stop = new Stop()
  /** Of this ownership. */
  let token: number | undefined
  /** How often it was written, which only grows: of two copies of an ownership, the later one has more. */
  let writes = 0
  /** What the engine does not know yet. */
  let latest: { value: object } | undefined
  let writing: Promise<void> | undefined
  /** By `performance.now()`. */
  let failingSince: number | undefined

  async function attempt<T>(work: Work, call: () => Promise<T>): Promise<T> {
    const begun = performance.now()
    try {
      const result = await call()
      failingSince = undefined
      if (!stop.stopped) options.onSuccess()
      return result
    } catch (thrown) {
      const error = asGatewayError(thrown, OPERATION)
      failingSince ??= begun
      const isPassing =
        error.code === 'UNAVAILABLE' && performance.now() - failingSince < PASSING_MS
      if (!isPassing && !stop.stopped) options.onFailure(error, work)
      throw error
    }
  }

  /** Without an answer nothing is known, not even that nothing is held. */
  async function read(onWait: (waits: boolean) => void): Promise<unknown> {
    const here = await local.read()
    let waits = false
    while (!stop.stopped) {
      token = options.token(appliance)
      const asked = token === undefined ? undefined : await ask()
      if (stop.stopped) break
      if (asked && token !== undefined) {
        if (waits) onWait(false)
        return known(here, asked.there, token)
      }
      if (!waits) onWait(true)
      waits = true
      await pause(RETRY_MS, stop)
    }
    throw closedError()
  }

  const ask = (): Promise<{ there: There } | undefined> =>
    attempt('read', () => memory.read(node, appliance)).then(
      (there) => ({ there }),
      () => undefined,
    )

  function known(here: unknown, there: There, by: number): unknown {
    writes = Math.max(writesOf(here), writesOf(there?.memory))
    if (there) return isLater(here, there, by) ? here : there.memory
    // A hold that the settings ask for is nobody's to release elsewhere.
    if (own(here, 'held') === true && own(here, 'hold') !== true) options.onOldHold()
    return here
  }

  function tell(value: object): Promise<void> {
    if (token === undefined) return Promise.resolve()
    latest = { value }
    return (writing ??= tellAll(token))
  }

  /** Always the latest; after the end, what is left is tried once more. */
  async function tellAll(by: number): Promise<void> {
    for (let present = latest; present; present = latest) {
      const isLast = stop.stopped
      const isOver = await tellOnce(present.value, by)
      if (isOver && latest === present) latest = undefined
      if (isOver) continue
      if (isLast) break
      await pause(RETRY_MS, stop)
    }
    writing = undefined
  }

  /** @returns false when it may help to try it again */
  async function tellOnce(value: object, by: number): Promise<boolean> {
    try {
      await attempt('write', async () => {
        const isThere = await memory.write(node, appliance, value, by)
        if (!isThere && options.token(appliance) === by) throw new GatewayError('CONFLICT', LATER)
      })
      return true
    } catch (error) {
      return (error as GatewayError).code !== 'UNAVAILABLE'
    }
  }

  return {
    read,
    write(value) {
      writes++
      local.write({ ...value, token, writes })
      return tell({ ...value, writes })
    },
    async close(removed) {
      stop.now()
      options.onEnd()
      local.close(removed)
      // Only the owner forgets it there, and only while the engine responds: where the node comes back
      // under its ID, an older state may be there again. What is forgotten leaves its number behind.
      token ??= options.token(appliance)
      const left = removed ? tell({ writes: writes + 1 }) : writing
      if (left) await within(END_MS, left)
    },
  }
}

type There = Awaited<ReturnType<ShareMemory['read']>>

/**
 * What is kept here counts if it is from a later ownership than what is on the engine, or a later write
 * of the same one: a store in files may have been behind when Node-RED was killed. Something of an
 * ownership that is later than this one is from an engine that was lost.
 */
function isLater(here: unknown, there: NonNullable<There>, token: number): boolean {
  const kept = own(here, 'token')
  // Earlier versions, and a failover without a lease, keep no token.
  if (typeof kept !== 'number' || kept > token) return false
  if (kept !== there.token) return kept > there.token
  return writesOf(here) > writesOf(there.memory)
}

/** 0 for what was kept by earlier versions. */
function writesOf(memory: unknown): number {
  const writes = own(memory, 'writes')
  return typeof writes === 'number' ? writes : 0
}
