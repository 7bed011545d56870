// What the watch of one connection has shown: who is there, and who holds which slot.
import type { Clock } from '../../clock'
import { Stop } from '../../stop'
import { instanceFor } from '../slots'
import type { Entry, Member } from '../types'
import {
  FREE,
  isSlotKey,
  memberIn,
  memberKey,
  memberOf,
  slotKey,
  type MemberRecord,
} from './records'

/** A life, as it was seen last. */
export interface Sighted extends MemberRecord {
  readonly id: string
  /** Of its record; 0 where it holds slots and has none. */
  readonly revision: number
  /** Since when that has been so, by our clock. */
  readonly since: number
}

interface Known extends Entry {
  /** Where it is the record of a life. */
  readonly life?: Sighted
}

export class View {
  /** Ends the watch. */
  readonly over = new Stop()
  readonly #records: Map<string, Known>
  /** Known from the earlier watch, and not reported by this one yet. */
  readonly #unconfirmed: Set<string>
  /** All records of now have been reported. */
  isComplete = false
  /** The engine does not have all that an earlier watch has shown. */
  hasLost: boolean

  /** @param former what an earlier watch of the same connection has shown: this one is compared with it */
  constructor(
    readonly clock: Clock,
    readonly ttlMs: number,
    former?: View,
  ) {
    this.#records = new Map(former ? former.#records : [])
    this.#unconfirmed = new Set(this.#records.keys())
    this.hasLost = former?.isComplete === false && former.hasLost
  }

  complete(): void {
    for (const key of this.#unconfirmed) this.note(key, undefined)
    this.isComplete = true
  }

  /** An entry of the watch, or what was written. One that is older than what is known says nothing. */
  note(key: string, entry: Entry | undefined): void {
    const known = this.revisionOf(key)
    const isFirst = this.#unconfirmed.delete(key)
    // Records of lives that have ended are deleted.
    const isLess = entry ? entry.revision < known : this.#records.get(key)?.life?.ended !== true
    if (isFirst && known > 0 && isLess) this.hasLost = true
    if (isFirst || !entry || entry.revision > known) this.#put(key, entry)
  }

  /**
   * The answer to a read, after a write has shown that this revision is not the present one. It counts
   * even if it is older, unless the watch has reported something else meanwhile.
   */
  correct(key: string, entry: Entry | undefined, wrong: number): void {
    if (this.revisionOf(key) === wrong) this.#put(key, entry)
  }

  #put(key: string, entry: Entry | undefined): void {
    const id = memberOf(key)
    if (!entry) this.#records.delete(key)
    else if (id === undefined) this.#records.set(key, entry)
    else {
      const { revision } = entry
      const before = this.#records.get(key)?.life
      const since = before?.revision === revision ? before.since : this.clock.now()
      this.#records.set(key, { ...entry, life: { ...memberIn(entry), id, revision, since } })
    }
  }

  /** The revision of what is known; 0 where there is no record. */
  revisionOf(key: string): number {
    return this.#records.get(key)?.revision ?? 0
  }

  /** Its value is the life that holds the slot; free where it was given away. */
  slot(slot: number): Entry | undefined {
    return this.#records.get(slotKey(slot))
  }

  life(id: string): Sighted | undefined {
    return this.#records.get(memberKey(id))?.life
  }

  get #lives(): Sighted[] {
    return [...this.#records.values()].flatMap(({ life }) => life ?? [])
  }

  /** All lives that have a record and have not ended. */
  members(): Member[] {
    return this.#lives.flatMap(({ name, id, inventory, ended, revision }) =>
      ended || revision === 0 ? [] : [{ name, id, inventory }],
    )
  }

  /** The records of ended lives that were known so long ago already. */
  forgettable(sinceMs: number): Sighted[] {
    return this.#lives.filter(({ ended, since }) => ended && this.clock.now() - since >= sinceMs)
  }

  /**
   * The lives whose records have not changed for a whole TTL, or which hold slots and have had no
   * record for so long. To be asked at each beat: the time of those without a record counts from there.
   */
  silent(): Sighted[] {
    const slots = [...this.#records].filter(([key]) => isSlotKey(key))
    const holders = new Set(slots.map(([, { value }]) => value))
    for (const id of holders) {
      const isUnknown = id !== FREE && !this.#records.has(memberKey(id))
      if (isUnknown) this.#put(memberKey(id), { value: '', revision: 0 })
    }
    return this.#lives.filter(
      ({ ended, ttl, since }) => !ended && this.clock.now() - since >= Math.max(this.ttlMs, ttl),
    )
  }
}

/**
 * Returns which life each slot should go to. An instance is known by its name, so it gets the same slots
 * after a restart. Where several have the same name, the ID of their lives is added.
 */
export function advice(members: readonly Member[], slots: number): Array<string | undefined> {
  const lives = new Map<string, string>()
  for (const { name, id } of members.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    lives.set(lives.has(name) ? `${name} ${id}` : name, id)
  }
  return Array.from({ length: slots }, (_, slot) => lives.get(instanceFor(slot, lives.keys())!))
}
