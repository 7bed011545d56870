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
 * @param tell gets the names of those instances whenever they have changed
 */
export function createAgreement(tell: (others: readonly string[]) => void, graceMs = GRACE_MS) {
  let others: readonly string[] = []
  let isTold = false
  let timer: NodeJS.Timeout | undefined

  function tellFirst(): void {
    isTold = true
    tell(others)
  }

  return {
    /** To be called whenever one of them has changed. */
    compare(own: string | undefined, members: readonly Member[]): void {
      const before = others.join()
      others = members
        .flatMap(({ name, inventory = own }) =>
          own === undefined || inventory === own ? [] : name,
        )
        .sort()
      if (isTold && others.join() !== before) tell(others)
      if (others.length > 0) {
        timer ??= setTimeout(tellFirst, graceMs).unref()
        return
      }
      clearTimeout(timer)
      timer = undefined
      isTold = false
    },
    close: (): void => clearTimeout(timer),
  }
}
