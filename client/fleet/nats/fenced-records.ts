import { invalidInput } from '../../errors'
import type { Entry, ShareMemory } from '../types'
import type { Bucket } from './bucket'
import type { Link } from './link'
import { tokenOf } from './subjects'

/**
 * Records that each owner of an appliance writes with its token, which grows with each owner. What a
 * later owner has written is never replaced by what comes late from a former one.
 */
export interface LatestRecords<T extends object> {
  /** Undefined where there is none, or none that can be read. @throws GatewayError `UNAVAILABLE` */
  read(key: string): Promise<Tokened<T> | undefined>
  /**
   * Writes one record after the other; of those that wait under a key, only the latest is written.
   * @returns false when that of a later owner is there, which stays
   * @throws GatewayError `UNAVAILABLE`: it may have been written all the same; `INVALID_INPUT` when it is
   * too large
   */
  write(key: string, token: number, record: T): Promise<boolean>
}

type Tokened<T> = T & { token: number }

/**
 * @param records where they are kept: each write names the revision that it replaces
 * @param what is written, for errors
 * @param room how many bytes fit into a record
 */
export function latestRecords<T extends object>(
  records: Pick<Bucket, 'get' | 'create' | 'update'>,
  what: string,
  room: () => number,
): LatestRecords<T> {
  /** By key: the latest write, and the one that has not begun. */
  const latest = new Map<string, Promise<boolean>>()
  const waiting = new Map<string, Waiting>()

  async function replace(key: string, token: number, text: string): Promise<boolean> {
    for (;;) {
      const present = await records.get(key)
      const before = present && recordIn<T>(present)
      if (before && before.token > token) return false
      const revision = present
        ? await records.update(key, text, present.revision)
        : await records.create(key, text)
      if (revision !== undefined) return true
    }
  }

  return {
    async read(key) {
      const present = await records.get(key)
      return present && recordIn<T>(present)
    },
    async write(key, token, record) {
      const text = JSON.stringify({ ...record, token })
      requireRoom(text, what, room())
      const next = waiting.get(key)
      if (next) {
        Object.assign(next, { token, text })
        return next.done
      }
      const before = latest.get(key)
      const own = { token, text } as Waiting
      own.done = Promise.resolve(before)
        .catch(nothing)
        .then(() => {
          waiting.delete(key)
          return replace(key, own.token, own.text)
        })
      waiting.set(key, own)
      latest.set(key, own.done)
      try {
        return await own.done
      } finally {
        if (latest.get(key) === own.done) latest.delete(key)
      }
    },
  }
}

interface Waiting {
  token: number
  text: string
  done: Promise<boolean>
}

const nothing = (): void => undefined

const DEFAULT_PAYLOAD = 1024 * 1024
/** What a message has beside its text. */
const HEAD_BYTES = 8 * 1024

/** How many bytes of text fit into a message to the engine. */
export const roomOn = (link: Link): number =>
  Math.max(1024, (link.connection?.info?.max_payload ?? DEFAULT_PAYLOAD) - HEAD_BYTES)

/** @throws GatewayError `INVALID_INPUT` for a text that the engine does not take */
export function requireRoom(text: string, what: string, room: number): void {
  if (Buffer.byteLength(text) <= room) return
  throw invalidInput([
    { path: what, problem: `is larger than the ${room} bytes that the engine takes` },
  ])
}

interface Remembered {
  appliance: string
  of: string
  /** Absent where it was forgotten. */
  memory?: unknown
}

/**
 * What is forgotten leaves its token behind: what a former owner has of it is out of date.
 * @param room how many bytes fit into a record
 */
export function createMemory(bucket: Bucket, room: () => number): ShareMemory {
  const records = latestRecords<Remembered>(bucket, 'memory', room)
  const keyOf = (of: string, appliance: string): string => `${tokenOf(of)}.${tokenOf(appliance)}`
  return {
    read: (of, appliance) => records.read(keyOf(of, appliance)),
    write: (of, appliance, memory, token) =>
      records.write(keyOf(of, appliance), token, { appliance, of, memory }),
  }
}

/** Undefined for what nobody has written here: it counts as no record, and is replaced. */
function recordIn<T>({ value }: Entry): Tokened<T> | undefined {
  try {
    const record = JSON.parse(value) as Tokened<T> | null
    return typeof record?.token === 'number' ? record : undefined
  } catch {
    return undefined
  }
}
