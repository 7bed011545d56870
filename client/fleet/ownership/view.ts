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

interface Known extends Entry {
  /** Since when it has been the same, by our clock. */
  readonly since: number
  /** What a life says of itself; undefined in the record of a slot. */
  readonly member?: MemberRecord & { readonly id: string }
}

interface Records {
  /** By key. */
  readonly known: Map<string, Known>
  /** The lives that hold slots and have had no record since then. */
  readonly missing: Map<string, number>
}

/** A life, as it was seen last. Revision 0: it has no record. */
export type Sighted = Pick<MemberRecord, 'name'> & {
  readonly id: string
  readonly revision: number
}

export type View = ReturnType<typeof createView>

/** @param former of the same connection: how long records have been the same, it knows already */
export function createView(clock: Clock, ttlMs: number, former?: Records) {
  const records: Records = { known: new Map(), missing: new Map(former?.missing) }
  const { known, missing } = records

  function put(key: string, entry: Entry | undefined): void {
    const id = memberOf(key)
    if (id === undefined && !isSlotKey(key)) return
    if (entry) {
      const before = known.get(key) ?? former?.known.get(key)
      const since = before?.revision === entry.revision ? before.since : clock.now()
      const member = id === undefined ? undefined : { ...memberIn(entry), id }
      known.set(key, { ...entry, since, member })
    } else if (known.delete(key) && id !== undefined) missing.set(id, clock.now())
  }

  /** All lives that have a record. */
  const lives = () =>
    [...known.values()].flatMap(({ member, revision, since }) =>
      member ? [{ ...member, revision, since }] : [],
    )

  const holders = (): Set<string> =>
    new Set([...known.values()].flatMap(({ value, member }) => (member ? [] : [value])))

  /** The revision of what is known; 0 where there is no record. */
  const revisionOf = (key: string): number => known.get(key)?.revision ?? 0

  return {
    records,
    /** Whether the engine has lost something that an earlier view shows. */
    isBehind: (before: Records): boolean =>
      [...before.known].some(
        ([key, { revision, member }]) =>
          // The records of ended lives are deleted.
          revisionOf(key) < revision && (known.has(key) || !member?.ended),
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
    slot: (slot: number): Entry | undefined => known.get(slotKey(slot)),
    /** Whether this life can never renew again. False where it is not known. */
    isEnded: (id: string): boolean => known.get(memberKey(id))?.member?.ended === true,
    /** All lives that have not ended. */
    members: (): Member[] =>
      lives().flatMap(({ name, id, slots, inventory, ended }) =>
        ended ? [] : [{ name, id, slots, inventory }],
      ),
    /** The records of ended lives that were known so long ago already, and that no slot names. */
    forgettable(sinceMs: number): Sighted[] {
      const named = holders()
      return lives().filter(
        ({ id, ended, since }) => ended && clock.now() - since >= sinceMs && !named.has(id),
      )
    },
    /**
     * The lives whose records have not changed for a whole TTL, or which hold slots and have had no
     * record for so long. To be asked at each beat: the time of those without a record counts from there.
     */
    silent(): Sighted[] {
      const now = clock.now()
      const unknown = [...holders()].filter((id) => id !== FREE && !known.has(memberKey(id)))
      for (const id of unknown) if (!missing.has(id)) missing.set(id, now)
      for (const id of missing.keys()) if (!unknown.includes(id)) missing.delete(id)
      return [
        ...lives().filter(({ ended, ttl, since }) => !ended && now - since >= Math.max(ttlMs, ttl)),
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
