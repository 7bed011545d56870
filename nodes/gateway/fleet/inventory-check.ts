// Whether all instances of a fleet have the same inventory: an appliance that its owner does not know is
// watched by nobody.
import { createHash } from 'node:crypto'
import { keyOf } from '../../../client/fleet/inventory'
import type { Member } from '../../../client/fleet/types'
import type { UsableRow } from '../../../client/model/inventory'

/** Files are not replaced on all machines at the same moment, and a renewal says it a minute later at most. */
const GRACE_MS = 120_000

/** The same for the same appliances by the same names. */
export function digestOf(rows: Iterable<UsableRow>): string {
  const appliances = [...rows].map((row) => JSON.stringify([row.name, keyOf(row)])).sort()
  return createHash('sha256').update(appliances.join('\n')).digest('base64url').slice(0, 12)
}

export type Agreement = ReturnType<typeof createAgreement>

/**
 * Finds out who has had another inventory for a while.
 * @param onChange `others` has changed
 */
export function createAgreement(onChange: () => void, graceMs = GRACE_MS) {
  let others: readonly string[] = []
  let differing: readonly string[] = []
  let timer: NodeJS.Timeout | undefined

  function tell(): void {
    if (differing.join() === others.join()) return
    others = differing
    onChange()
  }

  return {
    /** To be called whenever one of them has changed. */
    compare(own: string | undefined, members: readonly Member[]): void {
      const names = members.flatMap(({ name, inventory }) =>
        own !== undefined && inventory !== undefined && inventory !== own ? [name] : [],
      )
      differing = names.sort()
      if (differing.length > 0 && others.length === 0) {
        // It may be another one that differs when it is over.
        timer ??= setTimeout(tell, graceMs).unref()
        return
      }
      clearTimeout(timer)
      timer = undefined
      tell()
    },
    /** The names of those instances. */
    get others(): readonly string[] {
      return others
    },
    close: (): void => clearTimeout(timer),
  }
}
