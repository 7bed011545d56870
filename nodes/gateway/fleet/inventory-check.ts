// What has to last before an inventory is believed, or said to be another one than that of the others.
import { createHash } from 'node:crypto'
import { GatewayError, say } from '../../../client/errors'
import { applianceKey, type UsableRow } from '../../../client/model/inventory'
import { shortened } from '../../../client/model/legible'

/** Files are not replaced on all machines at the same moment, and a renewal says it a minute later at most. */
export const DIFFERING_MS = 120_000
/** How long an inventory that lacks many has to stay as it is. */
export const SHRUNK_MS = 300_000
/** A removal of more than this part of an inventory is held back, if it is of more than one appliance. */
const MOST_AT_ONCE = 1 / 5
const MOST_NAMED = 10

/**
 * A state that counts once it has lasted.
 * @param onOver it has been the same for so long
 */
export function createLasting(ms: number, onOver: () => void) {
  let present: string | undefined
  let isOver = false
  let timer: NodeJS.Timeout | undefined

  function end(): void {
    isOver = true
    onOver()
  }

  return {
    /** @param state undefined ends it. @returns true for another one than before */
    set(state?: string): boolean {
      if (state === present) return false
      present = state
      isOver = false
      clearTimeout(timer)
      if (state !== undefined) timer = setTimeout(end, ms).unref()
      return true
    },
    get isOver(): boolean {
      return isOver
    },
  }
}

/** The same for the same appliances by the same names. */
export function digestOf(rows: Iterable<UsableRow>): string {
  const appliances = [...rows].map((row) => JSON.stringify([row.name, applianceKey(row)])).sort()
  return createHash('sha256').update(appliances.join('\n')).digest('base64url').slice(0, 12)
}

/** Too many are gone at once: an export of a database that was down looks just like it. */
export function massRemoval(gone: readonly string[], total: number): GatewayError | undefined {
  const isAll = gone.length > 0 && gone.length === total
  const isMass = isAll || (gone.length > 1 && gone.length > total * MOST_AT_ONCE)
  const values = { number: gone.length, total, names: listed(gone), minutes: SHRUNK_MS / 60_000 }
  return isMass ? new GatewayError('CONFIG', say('inventoryShrunk', values)) : undefined
}

/** The first of many names, and how many others there are. */
export function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  const first = names.slice(0, MOST_NAMED).map((name) => shortened(name, 60))
  return first.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
