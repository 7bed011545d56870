import { invalidInput } from '../../errors'
import type { Bucket, Stored } from './bucket'

/**
 * Records that each owner of an appliance writes with its token, which grows with each owner. What a
 * later owner has written is never replaced by what comes late from a former one.
 */
export interface LatestRecords<T extends object> {
  /** Undefined where there is none, or none that can be read. @throws GatewayError `UNAVAILABLE` */
  read(key: string): Promise<Tokened<T> | undefined>
  /**
   * Writes one record after the other; of those that wait under a key, only the latest is written.
   * @param make gets the record that it replaces
   * @param makeShorter what is written instead if that is too large
   * @returns false when that of a later owner is there, which stays
   * @throws GatewayError `UNAVAILABLE`: it may have been written all the same; `INVALID_INPUT` when it is
   * too large
   */
  write(key: string, token: number, make: Make<T>, makeShorter?: Make<T>): Promise<boolean>
}

export type Tokened<T> = T & { token: number }

type Make<T> = (before: T | undefined) => T

/**
 * @param what is written, for errors
 * @param room how many bytes fit into a record
 */
export function latestRecords<T extends object>(
  bucket: Bucket,
  what: string,
  room: () => number,
): LatestRecords<T> {
  const turns = new Map<string, Turn<boolean>>()

  async function replace(
    key: string,
    token: number,
    makes: ReadonlyArray<Make<T>>,
  ): Promise<boolean> {
    for (;;) {
      const present = await bucket.get(key)
      const before = present && recordIn<T>(present)
      if (before && before.token > token) return false
      const text = textOf(makes.map((make) => () => ({ ...make(before), token })))
      const revision = present
        ? await bucket.update(key, text, present.revision)
        : await bucket.create(key, text)
      if (revision !== undefined) return true
    }
  }

  /** The first of the records that fits. */
  function textOf(records: ReadonlyArray<() => object>): string {
    for (const record of records) {
      const text = JSON.stringify(record())
      if (Buffer.byteLength(text) <= room()) return text
    }
    const problem = `is larger than the ${room()} bytes that the engine takes`
    throw invalidInput([{ path: what, problem }])
  }

  return {
    async read(key) {
      const present = await bucket.get(key)
      return present && recordIn<T>(present)
    },
    async write(key, token, ...makes) {
      const turn = turns.get(key) ?? new Turn<boolean>()
      turns.set(key, turn)
      try {
        return await turn.take(() => replace(key, token, makes.filter(isGiven)))
      } finally {
        if (turn.isFree && turns.get(key) === turn) turns.delete(key)
      }
    },
  }
}

const isGiven = <T>(value: T | undefined): value is T => value !== undefined

/** Undefined for what nobody has written here: it counts as no record, and is replaced. */
function recordIn<T>({ value }: Stored): Tokened<T> | undefined {
  try {
    const record = JSON.parse(new TextDecoder().decode(value)) as Tokened<T> | null
    return typeof record?.token === 'number' ? record : undefined
  } catch {
    return undefined
  }
}

/** One write after the other; of those that wait, only the latest is made, for all of them. */
class Turn<T> {
  #present: Promise<T> | undefined
  #next: { work: () => Promise<T>; done: Promise<T> } | undefined

  get isFree(): boolean {
    return this.#present === undefined && this.#next === undefined
  }

  take(work: () => Promise<T>): Promise<T> {
    if (this.#next) {
      this.#next.work = work
      return this.#next.done
    }
    if (!this.#present) return this.#run(work)
    const next = { work } as { work: () => Promise<T>; done: Promise<T> }
    next.done = this.#present.then(
      () => this.#follow(next),
      () => this.#follow(next),
    )
    this.#next = next
    return next.done
  }

  #follow({ work }: { work: () => Promise<T> }): Promise<T> {
    this.#next = undefined
    return this.#run(work)
  }

  #run(work: () => Promise<T>): Promise<T> {
    const present: Promise<T> = work().finally(() => {
      if (this.#present === present) this.#present = undefined
    })
    this.#present = present
    return present
  }
}
