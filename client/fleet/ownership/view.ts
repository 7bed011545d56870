// What the watch of one connection has shown: who is there, and who holds which slot.
import type { Clock } from '../../clock'
import { instanceFor } from '../slots'
import type { Entry, Member } from '../types'
import { FREE, keyIn, memberIn, type MemberRecord, type SlotRecord } from './records'

/** A life whose record has been the same since then, by our clock. Revision 0: it has none. */
export interface Sight {
  readonly revision: number
  readonly since: number
}

export interface View {
  /** An entry of the watch, or what was written. One that is older than what is known says nothing. */
  note(key: string, entry: Entry | undefined): void
  /**
   * The answer to a read, after a write has shown that this revision is not the present one. It counts
   * even if it is older, unless the watch has reported something else meanwhile.
   */
  correct(key: string, entry: Entry | undefined, wrong: number): void
  slot(slot: number): SlotRecord | undefined
  /** Whether this life can never renew again. False where it is not known. */
  isEnded(id: string): boolean
  /** The records of ended lives that were known so long ago already, and that no slot names. */
  forgettable(sinceMs: number): Array<{ id: string; revision: number }>
  /** All lives that have not ended. */
  members(): Member[]
  /**
   * The lives whose records have not changed for a whole TTL, or which hold slots and have had no
   * record for so long. To be asked at each beat: the time of those without a record counts from there.
   */
  silent(): Array<{ id: string; revision: number }>
  /** Whether the engine has lost something that an earlier view shows. */
  isBehind(former: View): boolean
  readonly records: {
    readonly members: ReadonlyMap<string, MemberRecord & { revision: number }>
    readonly slots: ReadonlyMap<number, SlotRecord>
    readonly sights: ReadonlyMap<string, Sight>
  }
}

/** @param former of the same connection: how long records have been the same, it knows already */
export function createView(clock: Clock, ttlMs: number, former?: View): View {
  const members = new Map<string, MemberRecord & { revision: number }>()
  const slots = new Map<number, SlotRecord>()
  const sights = new Map<string, Sight>(former?.records.sights)

  function put(key: string, entry: Entry | undefined): void {
    const about = keyIn(key)
    if (!about) return
    if ('slot' in about) {
      if (entry) slots.set(about.slot, { holder: entry.value, revision: entry.revision })
      else slots.delete(about.slot)
      return
    }
    const { member: id } = about
    if (entry) members.set(id, { ...memberIn(entry), revision: entry.revision })
    else members.delete(id)
    const revision = entry?.revision ?? 0
    if (sights.get(id)?.revision !== revision) sights.set(id, { revision, since: clock.now() })
  }

  /** Those who hold slots and of whom nothing else is known. */
  function unknownHolders(): Set<string> {
    const found = new Set<string>()
    for (const { holder } of slots.values()) {
      if (holder !== FREE && !members.has(holder)) found.add(holder)
    }
    return found
  }

  /** The revision of what is known; 0 where there is no record. */
  function revisionOf(key: string): number {
    const about = keyIn(key)
    if (!about) return 0
    const known = 'slot' in about ? slots.get(about.slot) : members.get(about.member)
    return known?.revision ?? 0
  }

  return {
    records: { members, slots, sights },
    isBehind({ records }) {
      const isOlder = (
        present: { revision: number } | undefined,
        before: { revision: number },
      ): boolean => (present?.revision ?? 0) < before.revision
      return (
        [...records.slots].some(([slot, one]) => isOlder(slots.get(slot), one)) ||
        // The records of ended lives are deleted.
        [...records.members].some(
          ([id, one]) => (members.has(id) || !one.ended) && isOlder(members.get(id), one),
        )
      )
    },
    note(key, entry) {
      if (!entry || entry.revision > revisionOf(key)) put(key, entry)
    },
    correct(key, entry, wrong) {
      if (revisionOf(key) === wrong) put(key, entry)
    },
    slot: (slot) => slots.get(slot),
    isEnded: (id) => members.get(id)?.ended === true,
    members: () =>
      [...members].flatMap(([id, { name, slots: count, inventory, ended }]) =>
        ended ? [] : [{ name, id, slots: count, inventory }],
      ),
    forgettable(sinceMs) {
      const named = new Set([...slots.values()].map(({ holder }) => holder))
      return [...members].flatMap(([id, { ended, revision }]) => {
        const isOld = clock.now() - (sights.get(id)?.since ?? Number.POSITIVE_INFINITY) >= sinceMs
        return ended && isOld && !named.has(id) ? [{ id, revision }] : []
      })
    },
    silent() {
      const now = clock.now()
      const unknown = unknownHolders()
      for (const id of unknown) if (!sights.has(id)) sights.set(id, { revision: 0, since: now })
      for (const id of sights.keys()) if (!members.has(id) && !unknown.has(id)) sights.delete(id)
      return [...sights].flatMap(([id, { revision, since }]) => {
        const { ended, ttl = 0 } = members.get(id) ?? {}
        return now - since >= Math.max(ttlMs, ttl) && !ended ? [{ id, revision }] : []
      })
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
