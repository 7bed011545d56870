// What a failover of a leased fleet keeps: on the engine, for the next owner of the appliance, and here.
import type { Node } from 'node-red'
import { createOutageLog } from '../../client/connection/outage-log'
import { GatewayError, asGatewayError, closedError, words } from '../../client/errors'
import { Stop, pause, within } from '../../client/stop'
import type { ShareMemory } from '../../client/fleet/nats/fenced-records'
import { own } from '../../client/model/json'
import type { Appliance } from '../runtime/gateway-node'
import { OPERATION } from './protection'
import type { Found, Kept } from './context-memory'

interface EngineMemoryOptions {
  memory: ShareMemory
  /** What is kept on this instance: newer where the engine could not be told any more. */
  local: Kept
  outage: EngineOutage
}

const RETRY_MS = 1000
/** A failure of the engine that is over by then passes by itself. */
const PASSING_MS = 4000
/** So long the end waits for the engine: a deploy waits no longer than 15 s for a node. */
const END_MS = 4000
/** Without the ownership, there is nothing wrong with that. */
const LATER = 'What stands there is from a later owner of the gateway.'

/** @param node its ID is the same on all instances */
export function engineMemory(node: Node, of: Appliance, options: EngineMemoryOptions): Kept {
  const { memory, local, outage } = options
  const { appliance = '' } = of
  const stop = new Stop()
  /** Of this ownership. */
  let token: number | undefined
  /** How often it was written, which only grows: of two copies of an ownership, the later one has more. */
  let writes = 0
  /** What the engine does not know yet. */
  let latest: object | undefined
  let writing: Promise<void> | undefined
  /** By `performance.now()`. */
  let failingSince: number | undefined

  async function attempt<T>(work: Work, call: () => Promise<T>): Promise<T> {
    const begun = performance.now()
    try {
      const result = await call()
      failingSince = undefined
      if (!stop.stopped) outage.recovered(appliance)
      return result
    } catch (thrown) {
      const error = asGatewayError(thrown, OPERATION)
      failingSince ??= begun
      const isPassing =
        error.code === 'UNAVAILABLE' && performance.now() - failingSince < PASSING_MS
      if (!isPassing && !stop.stopped) outage.failed(of, error, work)
      throw error
    }
  }

  /** Without an answer nothing is known, not even that nothing is held. */
  async function read(onWait: (waits: boolean) => void): Promise<Found> {
    const { memory: here } = await local.read(onWait)
    let waits = false
    while (!stop.stopped) {
      token = of.token
      const asked = token === undefined ? undefined : await ask()
      if (stop.stopped) break
      if (asked && token !== undefined) {
        if (waits) onWait(false)
        // A release goes with the appliance to an instance that has only just started.
        return { memory: known(here, asked.there, token), isStart: false }
      }
      if (!waits) onWait(true)
      waits = true
      await pause(RETRY_MS, stop)
    }
    throw closedError()
  }

  const ask = (): Promise<{ there: There } | undefined> =>
    attempt('read', () => memory.read(node.id, appliance)).then(
      (there) => ({ there }),
      () => undefined,
    )

  function known(here: unknown, there: There, by: number): unknown {
    writes = Math.max(writesOf(here), writesOf(there?.memory))
    if (there) return isLater(here, there, by) ? here : there.memory
    // A hold that the settings ask for is nobody's to release elsewhere.
    if (own(here, 'held') === true && own(here, 'hold') !== true) {
      node.warn(
        `The failover of "${appliance}" is held, as this instance has kept it; the engine has nothing of it. If another instance has ended the hold, send "release".`,
      )
    }
    return here
  }

  function tell(value: object): Promise<void> {
    if (token === undefined) return Promise.resolve()
    latest = value
    return (writing ??= tellAll(token))
  }

  /** Always the latest; after the end, what is left is tried once more. */
  async function tellAll(by: number): Promise<void> {
    for (let present = latest; present; present = latest) {
      const isLast = stop.stopped
      const isOver = await tellOnce(present, by)
      if (isOver && latest === present) latest = undefined
      if (!isOver && isLast) break
      if (!isOver) await pause(RETRY_MS, stop)
    }
    writing = undefined
  }

  /** @returns false when it may help to try it again */
  async function tellOnce(value: object, by: number): Promise<boolean> {
    try {
      await attempt('write', async () => {
        const isThere = await memory.write(node.id, appliance, value, by)
        if (!isThere && of.token === by) throw new GatewayError('CONFLICT', LATER)
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
      const isHere = local.write({ ...value, token, writes })
      return Promise.all([isHere, tell({ ...value, writes })]).then(() => undefined)
    },
    async close(removed) {
      stop.now()
      outage.remove(appliance)
      void local.close(removed)
      // Only the owner forgets it there, and only while the engine responds: where the node comes back
      // under its ID, an older state may be there again. What is forgotten leaves its number behind.
      token ??= of.token
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

type Work = 'read' | 'write'

const FAILED: Record<Work, string> = {
  read: 'The failover of "__appliance__", and perhaps of more gateways, is waiting for its stored state from the engine, and protects nothing until then:',
  write:
    'What the failover of "__appliance__", and perhaps of more gateways, has to remember cannot be kept on the engine: an instance of Node-RED that takes over will not know of a hold.',
}

export type EngineOutage = ReturnType<typeof createEngineOutage>

/**
 * What the failovers of one node say when the engine does not keep their memory: once for an outage,
 * not for each appliance.
 * @param tell gets each kind of failure once
 * @param log gets the end
 */
export function createEngineOutage(
  tell: (error: GatewayError, of: Appliance) => void,
  log: (text: string) => void,
) {
  let news = (): void => undefined
  const outage = createOutageLog(
    (level, text) => (level === 'warn' ? news() : log(text)),
    'What this failover keeps on the engine can be read and written again.',
  )
  return {
    ...outage,
    failed(of: Appliance, { code, sentences, cause, message }: GatewayError, work: Work): void {
      const { appliance = '' } = of
      const said = [words(FAILED[work], { appliance }), ...sentences]
      news = () => tell(new GatewayError(code, said, cause), of)
      outage.failed(appliance, `${work} ${code}`, message)
    },
  }
}
