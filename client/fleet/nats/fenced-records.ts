import { createKeyedMutex } from '../../connection/concurrency'
import { invalidInput } from '../../errors'
import type { Entry } from '../types'
import type { Bucket } from './bucket'
import type { Link } from './link'
import { tokenOf } from './subjects'

export interface Fenced {
  readonly memory?: unknown
  readonly token: number
}

/**
 * Records that each owner of an appliance writes with its token, which grows with each owner. What a
 * later owner has written is never replaced by what comes late from a former one.
 * @param records where they are kept: each write names the revision that it replaces
 * @param what is written, for errors
 */
export function fencedRecords(link: Link, records: Pick<Bucket, 'get' | 'put'>, what: string) {
  const turns = createKeyedMutex()

  async function read(key: string): Promise<Fenced | undefined> {
    const present = await records.get(key)
    return present && fencedIn(present)
  }

  async function replace(key: string, token: number, text: string): Promise<boolean> {
    for (;;) {
      const present = await records.get(key)
      if (present && (fencedIn(present)?.token ?? token) > token) return false
      const written = await records.put(key, text, present?.revision ?? 0)
      if (written !== undefined) return true
    }
  }

  /**
   * Writes one record of a key after the other.
   * @returns false when that of a later owner is there, which stays
   * @throws GatewayError `UNAVAILABLE`: it may have been written all the same; `INVALID_INPUT` when it is
   * too large
   */
  async function write(key: string, token: number, record: object): Promise<boolean> {
    const text = JSON.stringify({ ...record, token })
    requireRoom(link, text, what)
    return turns.run(key, () => replace(key, token, text))
  }
  return { read, write }
}

/** Undefined for what nobody has written here: it counts as no record, and is replaced. */
function fencedIn({ value }: Entry): Fenced | undefined {
  try {
    const record = JSON.parse(value) as Fenced | null
    return typeof record?.token === 'number' ? record : undefined
  } catch {
    return undefined
  }
}

const DEFAULT_PAYLOAD = 1024 * 1024
/** What a message has beside its text. */
const HEAD_BYTES = 8 * 1024

/** How many bytes of text fit into a message to the engine. */
export const roomOn = ({ connection }: Link): number =>
  Math.max(1024, (connection?.info?.max_payload ?? DEFAULT_PAYLOAD) - HEAD_BYTES)

/** @throws GatewayError `INVALID_INPUT` for a text that the engine does not take */
export function requireRoom(link: Link, text: string, what: string): void {
  const room = roomOn(link)
  if (Buffer.byteLength(text) <= room) return
  throw invalidInput([
    { path: what, problem: `is larger than the ${room} bytes that the engine takes` },
  ])
}

export type ShareMemory = ReturnType<typeof createMemory>

/** What somebody who works for an appliance remembers of it, for the next owner. */
export function createMemory(link: Link, bucket: Bucket) {
  const records = fencedRecords(link, bucket, 'memory')
  const keyOf = (of: string, appliance: string): string => `${tokenOf(of)}.${tokenOf(appliance)}`
  return {
    /**
     * What was written with the highest token, and this token; undefined where nothing was, or nothing
     * that can be read.
     * @param of who remembers it: the same on all instances
     * @throws GatewayError `UNAVAILABLE` when the engine does not respond
     */
    read: (of: string, appliance: string): Promise<Fenced | undefined> =>
      records.read(keyOf(of, appliance)),
    /**
     * Replaces it, and returns and throws, as `fencedRecords` does.
     * @param memory JSON; undefined forgets it and leaves its token behind: what a former owner has of it
     *   is out of date
     */
    write: (of: string, appliance: string, memory: unknown, token: number): Promise<boolean> =>
      records.write(keyOf(of, appliance), token, { appliance, of, memory }),
  }
}
