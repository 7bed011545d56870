import type { Fault } from './faults'
import { isObject, isText, membersIn, own, pathTo } from './json'
import type { JsonObject } from './json'
import { SECRET_NAMES } from './members'
import { matcher } from './ids'

/** Replaces a secret that is not shown. Sent back, it means: keep the present one (design 2.3). */
export const HIDDEN = '••••••'

/** True for a mask: firmware may return a row of stars or similar for a secret. Never a value. */
export const isMasked = (value: unknown): boolean => isText(value) && /^([*•●])\1{2,}$/.test(value)

/** True for what replaces a secret that is not shown: {@link HIDDEN}, or a mask of the firmware. */
const isSign = (value: unknown, name: string): boolean =>
  value === HIDDEN || (isSecret(name) && isMasked(value))

/** True for the name of a member that contains a secret, anywhere in the interface. */
export function isSecret(name: string): boolean {
  return SECRET_NAMES.has(name)
}

/** Returns a copy with every non-empty secret hidden, at any depth; parts without are shared. */
export function hideSecrets<T>(value: T): T {
  return hidden(value) as T
}

function hidden(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(hidden)
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isObject(value)) return value
  const members = membersIn(value)
  const after = members.map(([name, member]): [string, unknown] => [
    name,
    isSecret(name) && isText(member) ? HIDDEN : hidden(member),
  ])
  const changed = after.some(([, member], index) => member !== members[index]![1])
  return changed ? Object.fromEntries(after) : value
}

/** JSON paths at which {@link HIDDEN}, or a mask of the firmware, stands for a secret. */
export const findHidden = (value: unknown): string[] => pathsOf(isSign, value)

/** JSON paths of secrets with `${NAME}` in them: not replaced, it would become the secret. */
export const findVariables = (value: unknown): string[] =>
  pathsOf((secret, name) => isSecret(name) && isText(secret) && /\$\{[^}]+\}/.test(secret), value)

type Predicate = (value: unknown, name: string) => boolean

function pathsOf(fits: Predicate, value: unknown, path = '', name = ''): string[] {
  if (fits(value, name)) return [path]
  if (Array.isArray(value))
    return value.flatMap((item, index) => pathsOf(fits, item, `${path}[${index}]`))
  if (!isObject(value)) return []
  return membersIn(value).flatMap(([inside, member]) =>
    pathsOf(fits, member, pathTo(path, inside), inside),
  )
}

/** Returns a copy without the masks of the firmware: sent back, they would become the secret. */
export function withoutMasks<T>(value: T): T {
  return unmasked(value) as T
}

function unmasked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmasked)
  if (!isObject(value)) return value
  const kept = membersIn(value).filter(([name, member]) => !(isSecret(name) && isMasked(member)))
  return Object.fromEntries(kept.map(([name, member]) => [name, unmasked(member)]))
}

/**
 * Puts back the secrets from the same place in `present`, the route as it is; destinations are
 * matched by id, or else by name. A place without a secret to keep is a problem.
 */
export function keepHidden<T extends object>(
  wanted: T,
  present: object | undefined,
): { fields: T; problems: Fault[] } {
  const problems: Fault[] = []
  const destinations = own(present, 'destinations')
  const presentOnes: unknown[] = Array.isArray(destinations) ? destinations : []
  const find = matcher(presentOnes)
  const members = membersIn(wanted as JsonObject).map(([name, value]): [string, unknown] => {
    if (name !== 'destinations' || !Array.isArray(value))
      return [name, restored(value, own(present, name), name, problems)]
    const restoredOnes = value.map((destination: unknown, index) => {
      const found = find(destination)
      const counterpart = found.length === 1 ? presentOnes[found[0]!] : undefined
      return restored(destination, counterpart, `destinations[${index}]`, problems)
    })
    return [name, restoredOnes]
  })
  return { fields: Object.fromEntries(members) as T, problems }
}

/**
 * Returns `value` with every hidden secret replaced by the text at the same place in `present`.
 * Where the firmware masks the secret, the member is left out: it then keeps its value (facts 9.3).
 */
export function restored(
  value: unknown,
  present: unknown,
  path: string,
  problems: Fault[],
  at = '',
): unknown {
  if (isSign(value, at)) {
    if (isMasked(present)) return undefined
    if (isText(present)) return present
    problems.push({ path, kind: 'nothingToKeep' })
    return value
  }
  if (Array.isArray(value)) {
    const items: unknown[] = Array.isArray(present) ? present : []
    return value.map((item, index) => restored(item, items[index], `${path}[${index}]`, problems))
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    membersIn(value)
      .map(([name, member]): [string, unknown] => [
        name,
        restored(member, own(present, name), pathTo(path, name), problems, name),
      ])
      .filter(([name, member]) => member !== undefined || value[name] === undefined),
  )
}
