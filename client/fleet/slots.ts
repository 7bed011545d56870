// Which instance works for which appliance: names are hashed to slots, and slots go to instances.
import { createHash } from 'node:crypto'

/** Enough that the shares of a few instances are alike, and few enough to have a record for each. */
export const SLOTS = 256

/** The slot of an appliance by its key, see `applianceKey`; from 0. The same everywhere and for ever. */
export const slotOf = (key: string): number => hashOf(key) % SLOTS

/**
 * Returns which of the instances a slot goes to, by rendezvous hashing: of all instances, the one whose
 * name together with the slot has the highest hash. So an instance that comes or goes moves only the
 * slots that it gets or had. Undefined where there is no instance.
 */
export function instanceFor(slot: number, instances: Iterable<string>): string | undefined {
  let chosen: string | undefined
  let highest = -1
  for (const instance of instances) {
    const score = hashOf(`${slot}/${instance}`)
    // Equal hashes are as good as impossible, but each instance must come to the same result.
    if (score < highest || (score === highest && chosen! < instance)) continue
    highest = score
    chosen = instance
  }
  return chosen
}

/** 48 bits of SHA-256, which a number holds exactly. */
const hashOf = (text: string): number => createHash('sha256').update(text).digest().readUIntBE(0, 6)

/** Returns to which of so many parts of the inventory a slot belongs, from 0. */
export function partsOf(of: number): (slot: number) => number {
  const all = Array.from({ length: of }, (_, each) => String(each))
  const parts = Array.from({ length: SLOTS }, (_, slot) => Number(instanceFor(slot, all)))
  return (slot) => parts[slot]!
}
