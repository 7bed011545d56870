// What a node keeps in the default global context: over deploys and, if the store does, restarts.
import { promisify } from 'node:util'
import type { Node } from 'node-red'
import { closedError, thrownAs } from '../../client/errors'
import { inTime, Stop, untilStopped, within } from '../../client/stop'

interface GlobalContextOptions {
  /** What the keys begin with, such as `failover`. */
  kind: string
  /** What a warning says of a store that fails, before the reason. */
  complaint: string
  /** How long a store may take to read: one on another machine may not respond at all. */
  longestMs: number
}

/** A store that takes longer does not hold a deploy up. */
const WRITE_MS = 1000

/** What one node keeps for its gateway, or for each appliance of an inventory. */
export type GlobalContext = ReturnType<typeof globalContextOf>

/** Where plain data is kept. A store that fails is warned about once for the node, and throws nothing. */
export type Place = ReturnType<GlobalContext['place']>

/**
 * Where no store is configured, each deploy of a node deletes the context of the node itself. That of
 * its flow is another one once the node is moved to another tab.
 */
export function globalContextOf(node: Node, { kind, complaint, longestMs }: GlobalContextOptions) {
  const context = node.context().global
  const ofOne = `media-gateway-${kind}-${node.id}`
  const prefix = `${ofOne}-`
  let isWarned = false

  function warn(error: unknown): void {
    if (isWarned) return
    isWarned = true
    node.warn(`${complaint}: ${thrownAs(error)}`)
  }

  /** @param appliance its name in an inventory; each has a place of its own */
  function place(appliance?: string) {
    // A key of a context is an expression: no name is left as it is.
    const key =
      appliance === undefined ? ofOne : `${prefix}${Buffer.from(appliance).toString('hex')}`
    const closed = new Stop()
    let writing: Promise<void> | undefined

    /** Resolves once it is kept, or cannot be, or the store takes too long. */
    function write(value: unknown): Promise<void> {
      writing = within(WRITE_MS, set(value))
      return writing
    }

    async function set(value: unknown): Promise<void> {
      try {
        await promisify((done: (error: Error | null) => void) =>
          context.set(key, value, undefined, done),
        )()
      } catch (error) {
        if (!closed.stopped) warn(error)
      }
    }

    return {
      /** Undefined when the store fails or is too slow, or the place is closed in the meantime. */
      async read(): Promise<{ value: unknown } | undefined> {
        const asked = promisify<unknown>((done) => context.get(key, undefined, done))()
        try {
          const answer = untilStopped(asked, closed, closedError)
          const late = (): Error => new Error('the store does not respond')
          return { value: await inTime(longestMs, answer, late) }
        } catch (error) {
          if (!closed.stopped) warn(error)
          return undefined
        }
      },
      write,
      /**
       * Stops waiting. `removed`: the node will not come back. Resolves once the latest value is kept:
       * the node that follows would read the one before.
       */
      async close(removed: boolean): Promise<void> {
        closed.now()
        if (removed) void write(undefined)
        await writing
      },
    }
  }

  /** Forgets the places of all appliances, of a node that will not come back. */
  function forgetAll(): void {
    try {
      context.keys(undefined, (error: unknown, keys: unknown) => {
        if (error || !Array.isArray(keys)) return
        for (const key of keys as string[]) {
          if (key.startsWith(prefix)) context.set(key, undefined, undefined, () => undefined)
        }
      })
    } catch {
      // A store that is gone has forgotten it.
    }
  }

  return { place, forgetAll }
}
