// What the watch of one connection has shown: who is there, and who holds which slot.
import type { Clock } from '../../clock'
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

/** A life, as it was seen last. Revision 0: it has no record. */
export type Sighted = Pick<MemberRecord, 'name'> & {
  readonly id: string
  readonly revision: number
}

interface Records {
  /** By key, each with since when it has been the same, by our clock. */
  readonly members: Map<string, MemberRecord & Sighted & { readonly since: number }>
  readonly slots: Map<string, Entry>
  /** The lives that hold slots and have had no record since then. */
  readonly missing: Map<string, number>
}

export type View = ReturnType<typeof createView>

/** @param former of the same connection: how long records have been the same, it knows already */
export function createView(clock: Clock, ttlMs: number, former?: Records) {
  const missing = new Map(former?.missing)
  const records: Records = { members: new Map(), slots: new Map(), missing }
  const { members, slots } = records

  function put(key: string, entry: Entry | undefined): void {
    const id = memberOf(key)
    if (isSlotKey(key)) {
      if (entry) slots.set(key, entry)
      else slots.delete(key)
    } else if (id !== undefined && entry) {
      const { revision } = entry
      const before = members.get(key) ?? former?.members.get(key)
      const since = before?.revision === revision ? before.since : clock.now()
      members.set(key, { ...memberIn(entry), id, revision, since })
    } else members.delete(key)
  }

  /** The revision of what is known; 0 where there is no record. */
  const revisionOf = (key: string): number => (members.get(key) ?? slots.get(key))?.revision ?? 0

  return {
    records,
    /** Whether the engine has lost something that an earlier view shows. */
    isBehind: (before: Records): boolean =>
      [...before.slots].some(([key, { revision }]) => revisionOf(key) < revision) ||
      // The records of ended lives are deleted.
      [...before.members].some(
        ([key, { revision, ended }]) => revisionOf(key) < revision && (members.has(key) || !ended),
      ),
    /** An entry of the watch, or what was written. One that is older than what is known says nothing. */
    note(key: string, entry: Entry | undefined): void {
      if (!entry || entry.revision > revisionOf(key)) put(key, entry)
    },
    /**
     * The answer to a read, after a write has shown that this revision is not the present one. It counts
     * even if it is older, unless the watch has reported something else meanwhile.
     */
    correct(key: string, entry: Entry | undefined, wrong: number): void {
      if (revisionOf(key) === wrong) put(key, entry)
    },
    /** Its value is the life that holds the slot; free where it was given away. */
    slot: (slot: number): Entry | undefined => slots.get(slotKey(slot)),
    /** Whether this life can never renew again. False where it is not known. */
    isEnded: (id: string): boolean => members.get(memberKey(id))?.ended === true,
    /** All lives that have not ended. */
    members: (): Member[] =>
      [...members.values()].flatMap(({ name, id, slots: count, inventory, ended }) =>
        ended ? [] : [{ name, id, slots: count, inventory }],
      ),
    /** The records of ended lives that were known so long ago already. */
    forgettable: (sinceMs: number): Sighted[] =>
      [...members.values()].filter(({ ended, since }) => ended && clock.now() - since >= sinceMs),
    /**
     * The lives whose records have not changed for a whole TTL, or which hold slots and have had no
     * record for so long. To be asked at each beat: the time of those without a record counts from there.
     */
    silent(): Sighted[] {
      const now = clock.now()
      const holders = new Set([...slots.values()].map(({ value }) => value))
      const isUnknown = (id: string): boolean => id !== FREE && !members.has(memberKey(id))
      for (const id of holders) if (isUnknown(id) && !missing.has(id)) missing.set(id, now)
      for (const id of missing.keys()) if (!isUnknown(id) || !holders.has(id)) missing.delete(id)
      return [
        ...[...members.values()].filter(
          ({ ended, ttl, since }) => !ended && now - since >= Math.max(ttlMs, ttl),
        ),
        ...[...missing].flatMap(([id, since]) =>
          now - since >= ttlMs ? [{ id, name: '', revision: 0 }] : [],
        ),
      ]
    },
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
