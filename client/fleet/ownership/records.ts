// What stands on the engine: `member.<id>`, one record for each life of an instance, and `slot.<n>`, who holds it.
import type { Entry, Member } from '../types'

export interface MemberRecord extends Omit<Member, 'id'> {
  /** Counts the renewals of a life: which of them a record shows. */
  readonly beat: number
  /** Of its lease, in ms. Others wait so long before they end it, though theirs is shorter. */
  readonly ttl: number
  /** This life can never renew again. Who finds its slots may take them. */
  readonly ended?: boolean
}

/** In the record of a slot: its holder has given it away. */
export const FREE = ''

const MEMBER = 'member.'
const SLOT = 'slot.'
export const memberKey = (id: string): string => MEMBER + id
export const slotKey = (slot: number): string => SLOT + slot

/** The life of a member record; undefined for another key. */
export const memberOf = (key: string): string | undefined =>
  key.startsWith(MEMBER) ? key.slice(MEMBER.length) : undefined
export const isSlotKey = (key: string): boolean => key.startsWith(SLOT)

/** A record that nobody could have written counts as that of a life that says nothing, and so ends. */
export function memberIn({ value }: Entry): MemberRecord {
  try {
    const { name, beat, ttl, inventory, ended } = JSON.parse(value) as Partial<MemberRecord>
    return {
      name: String(name),
      beat: Number(beat),
      ttl: Number(ttl ?? 0),
      ...(typeof inventory === 'string' && { inventory }),
      ended: ended === true,
    }
  } catch {
    return { name: '', beat: Number.NaN, ttl: 0 }
  }
}

export const memberText = (record: MemberRecord): string => JSON.stringify(record)
