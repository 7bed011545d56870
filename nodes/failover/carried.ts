// What a failover of a leased fleet keeps: on the engine, for the next owner of the appliance, and here.
import { GatewayError, Stop, asGatewayError, closedError } from '../../client/internal'
import { pause } from '../../client/fleet/nats/pause'
import type { ShareMemory } from '../../client/fleet/types'
import { isObject, own } from '../../client/model/json'
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
  /** True: the engine does not say what was kept, and is asked again. False: it has said it. */
  onWait: (waits: boolean) => void
  /** Failures that do not pass by themselves within seconds, again and again. */
  onFailure: (error: GatewayError) => void
  /** The engine says, or knows, what it should. */
  onSuccess: () => void
  onEnd: () => void
}

const RETRY_MS = 1000
/** So many failures in a row do not pass by themselves. */
const LASTING = 5
const OPERATION = { name: 'failover' }
/** Without the ownership, there is nothing wrong with that. */
const LATER = 'What stands there is from a later owner of the gateway.'

export function carried(options: CarriedOptions): Kept {
  const { memory, node, appliance, local, onWait, onFailure } = options
  const stop = new Stop()
  /** Of this ownership. */
  let token: number | undefined
  /** What the engine does not know yet. */
  let latest: { value: unknown } | undefined
  let writing: Promise<void> | undefined
  let failures = 0

  function failed(error: GatewayError): void {
    failures++
    const isPassing = error.code === 'UNAVAILABLE' && failures < LASTING
    if (!isPassing && !stop.stopped) onFailure(error)
  }

  function succeeded(): void {
    failures = 0
    if (!stop.stopped) options.onSuccess()
  }

  /** Without an answer nothing is known, not even that nothing is held. */
  async function read(): Promise<unknown> {
    const here = await local.read()
    let waits = false
    while (!stop.stopped) {
      token = options.token(appliance)
      try {
        if (token !== undefined) {
          const there = await memory.read(node, appliance)
          succeeded()
          if (waits && !stop.stopped) onWait(false)
          return newest(here, there, token)
        }
      } catch (error) {
        if (stop.stopped) break
        waits = true
        onWait(true)
        failed(asGatewayError(error, OPERATION))
      }
      await pause(RETRY_MS, stop)
    }
    throw closedError()
  }

  function write(value: unknown): Promise<void> {
    local.write(isObject(value) ? { ...value, token } : value)
    return tell(value)
  }

  function tell(value: unknown): Promise<void> {
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
  async function tellOnce(value: unknown, by: number): Promise<boolean> {
    try {
      if (await memory.write(node, appliance, value, by)) succeeded()
      else if (options.token(appliance) === by) throw new GatewayError('CONFLICT', LATER)
      return true
    } catch (error) {
      const failure = asGatewayError(error, OPERATION)
      failed(failure)
      return failure.code !== 'UNAVAILABLE'
    }
  }

  return {
    read,
    write,
    async close(removed) {
      stop.now()
      options.onEnd()
      local.close(removed)
      // Only the owner forgets it there, and only while the engine responds: where the node comes back
      // under its ID, an older state may be there again.
      token ??= options.token(appliance)
      await (removed ? tell(undefined) : writing)
    },
  }
}

/**
 * What is kept here counts if it is from a later ownership than what is on the engine, or from this one.
 * Something of an ownership that is later than this one is from an engine that was lost.
 */
function newest(
  here: unknown,
  there: Awaited<ReturnType<ShareMemory['read']>>,
  token: number,
): unknown {
  if (!there) return here
  const kept = own(here, 'token')
  // Earlier versions, and a failover without a lease, keep no token.
  const isNewer = typeof kept === 'number' && kept >= there.token && kept <= token
  return isNewer ? here : there.memory
}
