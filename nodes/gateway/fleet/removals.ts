// Holds back the removal of many appliances at once: an export of a database that was down looks just like it.
import { GatewayError, say } from '../../../client/errors'
import { shortened } from '../../../client/model/legible'

/** A removal of more than this part of an inventory is held back, if it is of more than one appliance. */
const MOST_AT_ONCE = 1 / 5
/** How long an inventory without them has to stay as it is. */
const HELD_MS = 300_000
const MOST_NAMED = 10

/** @param onOver they have been held back for long enough: `hold` is to be asked again */
export function createRemovals(onOver: () => void) {
  let held: { names: string; error: GatewayError; timer: NodeJS.Timeout } | undefined
  let isOver = false

  /** The inventory cannot be read: nobody sees whether it stays as it is. */
  function release(): void {
    clearTimeout(held?.timer)
    held = undefined
    isOver = false
  }

  function end(): void {
    isOver = true
    onOver()
  }

  return {
    /**
     * True for appliances that stay although the inventory no longer has them. To be asked for each
     * version of the inventory.
     * @param total appliances until now
     */
    hold(gone: readonly string[], total: number): boolean {
      const names = JSON.stringify([...gone].sort())
      const isAll = gone.length > 0 && gone.length === total
      const isMass = isAll || (gone.length > 1 && gone.length > total * MOST_AT_ONCE)
      const isKnown = isMass && names === held?.names
      if (isKnown && !isOver) return true
      release()
      if (isKnown || !isMass) return false
      held = { names, error: errorOf(gone, total), timer: setTimeout(end, HELD_MS).unref() }
      return true
    },
    /** What is held back, and until when. */
    get held(): GatewayError | undefined {
      return held?.error
    },
    release,
  }
}

function errorOf(gone: readonly string[], total: number): GatewayError {
  const minutes = HELD_MS / 60_000
  const values = { number: gone.length, total, names: listed(gone), minutes }
  return new GatewayError('CONFIG', say('inventoryShrunk', values))
}

/** The first of many names, and how many others there are. */
export function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  const first = names.slice(0, MOST_NAMED).map((name) => shortened(name, 60))
  return first.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
