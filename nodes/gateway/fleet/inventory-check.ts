// Whether all instances of a fleet have the same inventory: an appliance that its owner does not know is
// watched by nobody.
import { createHash } from 'node:crypto'
import { keyOf, type UsableRow } from '../../../client/fleet/inventory'
import type { Member } from '../../../client/fleet/types'

/** Files are not replaced on all machines at the same moment, and a renewal says it a minute later at most. */
const GRACE_MS = 120_000

/** The same for the same appliances by the same names. */
export function digestOf(rows: Iterable<UsableRow>): string {
  const appliances = [...rows].map((row) => JSON.stringify([row.name, keyOf(row)])).sort()
  return createHash('sha256').update(appliances.join('\n')).digest('base64url').slice(0, 12)
}

/** Finds out who has had another inventory for a while. */
export interface Agreement {
  /** To be called whenever one of them has changed. */
  compare(own: string | undefined, members: readonly Member[]): void
  /** The names of those instances. */
  readonly others: readonly string[]
  close(): void
}

/** @param onChange `others` has changed */
export function createAgreement(onChange: () => void, graceMs = GRACE_MS): Agreement {
  let others: readonly string[] = []
  let differing: readonly string[] = []
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function tell(names: readonly string[]): void {
    if (names.join() === others.join()) return
    others = names
    onChange()
  }

  return {
    compare(own, members) {
      if (closed) return
      const names = members.flatMap(({ name, inventory }) =>
        own !== undefined && inventory !== undefined && inventory !== own ? [name] : [],
      )
      differing = names.sort()
      if (differing.length === 0) {
        clearTimeout(timer)
        timer = undefined
        tell([])
      } else if (others.length > 0) {
        tell(differing)
      } else {
        // It may be another one that differs when it is over.
        timer ??= setTimeout(() => tell(differing), graceMs).unref()
      }
    },
    get others() {
      return others
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
