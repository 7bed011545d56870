// What the watches of an appliance have reported as begun and not as ended, for its next owner.
import { createSemaphore } from '../connection/concurrency'
import type { Connection } from '../connection/connection'
import { createOutageLog } from '../connection/outage-log'
import { pause, type Stop } from '../stop'
import { openBy } from './registry'
import { savedIn, type Saved } from './saved'

/** How many are read at once: a takeover may ask for thousands. */
const AT_ONCE = 32
/** An engine whose leader has just changed does not answer at first. */
const ATTEMPTS = 3
const PAUSE_MS = 1000
/** Who remembers it. */
const OF = 'watch'
const NOTHING = '{}'

/** Where owners of appliances leave what the next one has to know. Each call may reject. */
interface FleetMemory {
  read(of: string, appliance: string): Promise<{ memory?: unknown } | undefined>
  /** @param memory undefined forgets it */
  write(of: string, appliance: string, memory: unknown, token: number): Promise<unknown>
}

export interface OpenMemoryOptions {
  log: (level: 'info' | 'warn', text: string) => void
  stop: Stop
  /** Between two attempts to read, in ms. */
  pauseMs?: number
}

export type OpenMemory = ReturnType<typeof createOpenMemory>

/** What is open on all appliances that this instance owns, in the memory of the fleet. */
export function createOpenMemory(
  memory: FleetMemory,
  { log, stop, pauseMs = PAUSE_MS }: OpenMemoryOptions,
) {
  const outages = createOutageLog(
    log,
    'What watches have open is in the memory of the fleet again.',
  )
  const turns = createSemaphore(AT_ONCE)
  /** Counts the answers. */
  let answers = 0
  /** What stands in the memory, by this owner; without an entry until what was there before is known. */
  const kept = new Map<string, { text: string; writing?: Promise<void> }>()

  async function readOnce(appliance: string): Promise<Saved> {
    const before = answers
    try {
      const { memory: open = {} } = (await memory.read(OF, appliance)) ?? {}
      answers++
      const text = JSON.stringify(open)
      // What a former owner has written is written again, with the token of this one.
      kept.set(appliance, { text: text === NOTHING ? text : '' })
      return savedIn(open)
    } catch (error) {
      if (answers === before) turns.rejectQueued(error as Error)
      throw error
    }
  }

  async function read(appliance: string, isWanted: () => boolean): Promise<Saved> {
    for (let left = ATTEMPTS - 1; ; left--) {
      try {
        const open = await turns.run(() => readOnce(appliance))
        outages.recovered(`read ${appliance}`)
        return open
      } catch (error) {
        if (left > 0) await pause(pauseMs, stop)
        if (stop.stopped || !isWanted()) throw error
        if (left > 0) continue
        const { message } = error as Error
        outages.failed(
          `read ${appliance}`,
          'read',
          `What former owners have reported cannot be read from the engine, among them of "${appliance}": ${message} Watches begin as at a first start, and go on with it as soon as it can be read.`,
        )
        throw error
      }
    }
  }

  async function write(appliance: string, present: number): Promise<void> {
    const known = kept.get(appliance)!
    const { text } = known
    try {
      const open = text === NOTHING ? undefined : (JSON.parse(text) as object)
      await memory.write(OF, appliance, open, present)
      outages.recovered(`write ${appliance}`)
    } catch (error) {
      known.text = ''
      outages.failed(
        `write ${appliance}`,
        'write',
        `What watches have open cannot be written to the engine, among them of "${appliance}": ${(error as Error).message} It is tried again with the next poll. Until then, a next owner would not know of it.`,
      )
    }
  }

  /**
   * Writes what is open now, if that has changed. What the engine does not take is tried again with the
   * next call.
   * @param present the token of the owner; undefined where it is none any more
   */
  function keep(appliance: string, connection: Connection, present?: number): void {
    const known = kept.get(appliance)
    const open = openBy(connection)
    if (known === undefined || present === undefined || !open) return
    const text = JSON.stringify(open)
    if (text === known.text) return
    known.text = text
    known.writing = write(appliance, present)
  }

  return {
    /**
     * What the former owner has left. Rejects after the third attempt. A read takes its turn, for as long
     * as the engine answers those before it. Once one has had no answer and no other has had one
     * meanwhile, the attempts of those that wait count as made.
     * @param isWanted this instance works for the appliance: without that, it is not tried again
     */
    read,
    keep,
    /** Writes it for the last time. Settles when that is done, or was not possible. */
    async end(appliance: string, connection: Connection, present?: number): Promise<void> {
      keep(appliance, connection, present)
      const known = kept.get(appliance)
      kept.delete(appliance)
      await known?.writing
      for (const what of ['read', 'write']) outages.remove(`${what} ${appliance}`)
    },
  }
}
