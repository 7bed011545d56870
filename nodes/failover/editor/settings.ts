// The settings of a failover as a form or a saved node has them, for the checks of the model. It
// needs no page.
import {
  FAILOVER_CHOICES,
  FAILOVER_RANGES,
  failoverFaults,
  sideFaults,
} from '../../../client/model/failover'
import { SIDES } from '../../../client/model/failover-sides'
import { faultsWithNames } from '../../../client/model/definition'
import { isObject, isText, jsonIn, type JsonObject } from '../../../client/model/json'
import { isVariable } from '../../editor/checks'
import type { Read } from '../../editor/fields'

export type Fault = ReturnType<typeof failoverFaults>[number]

const PLAIN = [...Object.keys(FAILOVER_CHOICES), ...Object.keys(FAILOVER_RANGES), 'hold']

/** The routes that show whether a source is good while it is not in use. */
export const MONITORS = ['monitor', 'monitorBackup'] as const

/**
 * Returns every fault that is known before the start. What a variable or the context will hold is
 * not known: there a default stands in, and the property itself has no fault.
 * @param source what the route has now: it shows what a switch would lose
 */
export function faultsIn(read: Read, secretPrefix: string, source?: JsonObject): Fault[] {
  const saved: JsonObject = {}
  const open = new Set<string>()
  for (const property of PLAIN) {
    const value = read(property)
    if (typeof value === 'string' && isVariable(value)) open.add(property)
    else saved[property] = value
  }
  for (const property of [...SIDES, ...MONITORS]) {
    const value = valueIn(read, property)
    if (value === undefined) open.add(property)
    saved[property] = value
  }
  const found = faultsWithNames(saved, secretPrefix, failoverFaults)
  const { main, backup, method } = saved
  const isFaulty = found.some(({ path }) => /^(main|backup)/.test(path))
  if (source && !isFaulty && isObject(main) && isObject(backup) && method !== 'routes') {
    // Its name is required, and stays.
    const named = { name: 'route', ...source }
    found.push(...sideFaults({ method: 'source', main, backup }, { source: named } as never))
  }
  return found.filter(({ path }) => !open.has(propertyOf(path)))
}

/** The property to which a fault belongs. */
export const propertyOf = (path: string): string => path.replace(/[.[].*$/s, '')

/** What a property names, or what stands in its place; undefined where only the start shows it. */
export function valueIn(read: Read, property: string): unknown {
  const value = read(property)
  const type = read(`${property}Type`)
  if (!isText(value)) return ''
  if (type === 'id' || type === 'name') return { [type]: value.trim() }
  if (type !== 'json') return undefined
  const parsed = jsonIn(value)
  return parsed === undefined ? '' : parsed
}
