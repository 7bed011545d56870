// One life of this instance: its member record, and until when that allows anything to be sent.
import type { Clock } from '../../clock'
import type { Store } from '../types'
import { memberIn, memberKey, memberText, type MemberRecord } from './records'

/** Parts of a TTL. Others end a life after a whole one. */
export const BEAT = 0.2
/** Nothing is sent so long after the last confirmed renewal went out. */
const FENCE = 0.9
/** Work is stopped so long after it, to be over before the fence. */
const STOP = 0.55

export interface LifeOptions {
  id: string
  name: string
  store: Store
  clock: Clock
  ttlMs: number
  /** Waits for the engine, but not for ever. */
  answered: <T>(work: Promise<T>) => Promise<T>
  /** What it says of itself just now. */
  about: () => Pick<MemberRecord, 'slots' | 'inventory'>
}

export type Life = ReturnType<typeof createLife>

export function createLife({ id, name, store, clock, ttlMs, answered, about }: LifeOptions) {
  const key = memberKey(id)
  /** The revision of the record; undefined while it is not known. */
  let revision: number | undefined
  let beats = 0
  let confirmedBeat = 0
  let sentAt = Number.NEGATIVE_INFINITY
  let over = false

  /**
   * Writes the record: creates it at first, and replaces it by its revision from then on.
   * @param isConnected the connection is still the one on which this was begun. An answer that is
   *   not from it confirms nothing, since the engine may have lost records in between
   * @returns false when this life is over
   * @throws when it is not known whether it was written, or it was not. The next renewal finds out
   */
  async function renew(isConnected: () => boolean): Promise<boolean> {
    // Who may have been ended must not trust a number: after a rollback numbers are used again.
    if (clock.now() >= fence()) revision = undefined
    // Twice: an earlier renewal whose answer was lost may have got through.
    for (let tries = 0; tries < 2 && !over; tries++) {
      if (revision === undefined && !(await find(isConnected))) break
      const sent = clock.now()
      const written = await write(++beats)
      if (!isConnected()) throw interrupted()
      if (written === undefined) continue
      revision = written
      confirmedBeat = beats
      sentAt = sent
      return true
    }
    if (over) return false
    throw new Error('The record of this instance changes while it is written.')
  }

  /** Reads which revision the record has. Returns false when it is not what this life has written. */
  async function find(isConnected: () => boolean): Promise<boolean> {
    const present = await answered(store.get(key))
    if (!isConnected()) throw interrupted()
    const record = present && memberIn(present)
    // An older one than was confirmed: the engine has lost records.
    over = record ? record.ended === true || !(record.beat >= confirmedBeat) : confirmedBeat > 0
    revision = present?.revision
    return !over
  }

  async function write(beat: number, ended?: boolean): Promise<number | undefined> {
    const text = memberText({ name, beat, ...about(), ttl: ttlMs, ended })
    const known = revision
    // Not known until the answer is there.
    revision = undefined
    return answered(known === undefined ? store.create(key, text) : store.update(key, text, known))
  }

  /** Ends the record, so that others need not wait. */
  async function end(): Promise<void> {
    for (let tries = 0; tries < 2 && !over && beats > 0; tries++) {
      if (revision === undefined) {
        await find(() => true)
        if (revision === undefined) return
      }
      if ((await write(++beats, true)) !== undefined) over = true
    }
  }

  const fence = (): number => sentAt + FENCE * ttlMs

  return {
    id,
    /** A renewal has been confirmed: others know of it. */
    get joined() {
      return confirmedBeat > 0
    },
    /** Its record was ended or lost: it can never renew again. */
    get over() {
      return over
    },
    /** From then on it sends nothing; by the clock. */
    get fence() {
      return fence()
    },
    /** From then on it must stop its work. */
    get stopAt() {
      return sentAt + STOP * ttlMs
    },
    renew,
    end,
  }
}

const interrupted = (): Error => new Error('The connection to the engine was lost.')
