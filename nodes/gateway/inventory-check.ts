// Which rows of an inventory count, and what has to last before it is believed, or said to be another one
// than that of the others.
import { createHash } from 'node:crypto'
import { GatewayError, say } from '../../client/errors'
import { applianceKey, type UsableRow } from '../../client/model/inventory'
import { shortened } from '../../client/model/legible'
import type { Inventory } from './inventory'

/** Files are not replaced on all machines at the same moment, and a renewal says it a minute later at most. */
export const DIFFERING_MS = 120_000
/** How long an inventory that lacks many has to stay as it is. */
const SHRUNK_MS = 300_000
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

/**
 * The rows that are used. A row that has become faulty stays as it was, unless another row is that appliance
 * now; an appliance with a new name is not gone.
 * @param former what was used until now, by name
 */
export function rowsInUse(
  { rows, faults }: Inventory,
  former: ReadonlyMap<string, { readonly row: UsableRow; readonly key: string }>,
) {
  const names = new Set(rows.map(({ name }) => name))
  const keys = new Set(rows.map(applianceKey))
  const kept = [...rows]
  const faulty = faults.map((error) => {
    const known = former.get(error.cause.appliance ?? '')
    if (!known || names.has(known.row.name) || keys.has(known.key)) {
      return { error, level: 'warn' as const }
    }
    kept.push(known.row)
    names.add(known.row.name)
    keys.add(known.key)
    return { error: keptAs(error, 'rowKept'), level: 'warn' as const, isAlert: true }
  })
  const isGone = (key: string, name: string): boolean => !names.has(name) && !keys.has(key)
  const gone = [...former].flatMap(([name, { row, key }]) => (isGone(key, name) ? row : []))
  return { rows: kept, faulty, gone }
}

/** The error of what is not used as it is now: what was there before is. */
export const keptAs = (error: GatewayError, how: 'inventoryKept' | 'rowKept'): GatewayError =>
  new GatewayError(error.code, [...error.sentences, say(how)], error.cause)

/**
 * Holds back the removal of many at once: an export of a database that was down looks just like it.
 * @param onOver the inventory has lacked them for long
 */
export function createHeldRemoval(onOver: () => void) {
  const lacking = createLasting(SHRUNK_MS, onOver)
  let error: GatewayError | undefined
  return {
    /** Why appliances stay that the inventory no longer has. */
    get error(): GatewayError | undefined {
      return error
    },
    /** @returns whether those that are gone, of so many, stay */
    holds(rows: readonly UsableRow[], total: number): boolean {
      const gone = rows.map(({ name }) => name)
      const isAll = gone.length > 0 && gone.length === total
      const isMass = isAll || (gone.length > 1 && gone.length > total * MOST_AT_ONCE)
      const minutes = SHRUNK_MS / 60_000
      const values = { number: gone.length, total, names: listed(gone), minutes }
      if (lacking.set(isMass ? JSON.stringify(gone.toSorted()) : undefined)) {
        error = isMass ? new GatewayError('CONFIG', say('inventoryShrunk', values)) : undefined
      }
      if (lacking.isOver) error = undefined
      return error !== undefined
    },
    /** Nobody sees any more whether the inventory stays as it is. */
    end(): void {
      lacking.set()
      error = undefined
    },
  }
}

/** The first of many names, and how many others there are. */
export function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  const first = names.slice(0, MOST_NAMED).map((name) => shortened(name, 60))
  return first.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
