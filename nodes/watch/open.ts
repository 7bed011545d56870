// The incidents that a watch has reported as begun and not as ended: they outlive deploys and restarts.
import type { Node } from 'node-red'
import { isOpenIncident, type OpenIncident } from '../../client/model/incident'
import { globalContextOf, type GlobalContext, type Place } from '../runtime/global-context'

/** Where a watch keeps its open incidents. It begins without them rather than late. */
export const contextOf = (node: Node): GlobalContext =>
  globalContextOf(node, {
    kind: 'watch',
    complaint: 'The open incidents of this watch cannot be kept in the global context',
    longestMs: 3000,
  })

/**
 * Undefined where the store fails: then the watch goes on with what one with the same settings has left
 * in this process.
 * @param warn gets what cannot be read
 */
export async function readOpen(
  place: Place,
  warn: (text: string) => void,
): Promise<OpenIncident[] | undefined> {
  const found = await place.read()
  if (!found) return undefined
  const kept = found.value ?? []
  const listed: unknown[] = Array.isArray(kept) ? kept : []
  const open = listed.filter(isOpenIncident)
  if (!Array.isArray(kept) || open.length < listed.length) {
    warn(
      'The global context has something else in the place of the open incidents of this watch. It is ignored.',
    )
  }
  return structuredClone(open)
}

/** A store in memory keeps what it is given, and returns the same. */
export const writeOpen = (place: Place, open: readonly OpenIncident[]): void =>
  void place.write(open.length > 0 ? structuredClone(open) : undefined)
