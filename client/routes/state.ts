import type { Route } from '../model/types'

/** An update, a start or a stop is under way (facts 5.1). What the member holds is not documented. */
export function isPending({ pendingUpdates }: Route): boolean {
  if (typeof pendingUpdates !== 'object' || pendingUpdates === null) return Boolean(pendingUpdates)
  return Object.keys(pendingUpdates).length > 0
}

/** `running`, as opposed to `idle` or `stopped`, which mean the same (facts 5.1). */
export const isRunning = ({ state }: Route): boolean => state === 'running'
