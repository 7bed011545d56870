import type { Fault, Reason } from './faults'
import { isObject, isText, membersIn, own, pathTo } from './json'
import type { JsonObject } from './json'
import { SECRET_NAMES } from './members'
import { matcher } from './ids'
import type { Route } from './types'

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

/**
 * A text for people: of an address such as `rtsp://user:password@host/path?token=1`, what may be a
 * secret is hidden.
 */
export const withoutUserInfo = (text: string): string =>
  text.replace(/(\/\/)\S*@/g, `$1${HIDDEN}@`).replace(/(\/\/[^?\s]*\?)\S+/g, `$1${HIDDEN}`)

/** As {@link hideSecrets}, also in addresses: to be read by people, and not to be sent back. */
export const shownWithoutSecrets = (value: unknown): unknown => withoutUserInfos(hideSecrets(value))

function withoutUserInfos(value: unknown): unknown {
  if (typeof value === 'string') return withoutUserInfo(value)
  if (Array.isArray(value)) return value.map(withoutUserInfos)
  if (!isObject(value)) return value
  return Object.fromEntries(
    membersIn(value).map(([name, member]) => [name, withoutUserInfos(member)]),
  )
}

/**
 * Paths of the secrets of a source or destination as read that the appliance does not show: masked
 * ones, and the pass phrase of SRT where it is left out, since `''` says that there is none (facts
 * 12.4).
 */
export function secretsNotShown(part: JsonObject, path: string): string[] {
  const masked = membersIn(part)
    .filter(([name, value]) => isSecret(name) && (isMasked(value) || value === HIDDEN))
    .map(([name]) => pathTo(path, name))
  const isSrt = String(own(part, 'protocol')).toLowerCase() === 'srt'
  const isPlain = String(own(part, 'srtEncryption')).toLowerCase() === 'none'
  const isLeftOut = isSrt && !isPlain && own(part, 'srtPassPhrase') === undefined
  return isLeftOut ? [...masked, pathTo(path, 'srtPassPhrase')] : masked
}

/** The same of a whole route. */
export const secretsOfRouteNotShown = ({ source, destinations }: Route): string[] => [
  ...secretsNotShown(source, 'source'),
  ...destinations.flatMap((one, index) => secretsNotShown(one, `destinations[${index}]`)),
]

/** Returns a copy with every non-empty secret hidden, at any depth; parts without are shared. */
export function hideSecrets<T>(value: T): T {
  return mapSecrets(value, () => HIDDEN)
}

/** Returns a copy with every non-empty secret replaced, at any depth; parts without are shared. */
export function mapSecrets<T>(value: T, replace: (secret: string) => string): T {
  return mapped(value, replace) as T
}

function mapped(value: unknown, replace: (secret: string) => string): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => mapped(item, replace))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isObject(value)) return value
  const members = membersIn(value)
  const after = members.map(([name, member]): [string, unknown] => [
    name,
    isSecret(name) && isText(member) ? replace(member) : mapped(member, replace),
  ])
  const changed = after.some(([, member], index) => member !== members[index]![1])
  return changed ? Object.fromEntries(after) : value
}

/** JSON paths at which {@link HIDDEN}, or a mask of the firmware, stands for a secret. */
export const findHidden = (value: unknown): string[] => pathsOf(isSign, value)

/** JSON paths of every non-empty secret, in the order of {@link mapSecrets}. */
export const findSecrets = (value: unknown): string[] =>
  pathsOf((secret, name) => isSecret(name) && isText(secret), value)

/** JSON paths of secrets with `${NAME}` in them: not replaced, it would become the secret. */
export const findVariables = (value: unknown): string[] =>
  pathsOf((secret, name) => isSecret(name) && hasVariable(secret), value)

const hasVariable = (secret: unknown): secret is string =>
  isText(secret) && /\$\{[^}]+\}/.test(secret)

type Predicate = (value: unknown, name: string) => boolean

const pathsOf = (fits: Predicate, value: unknown): string[] =>
  placesOf((inside, name) => fits(inside, name) || undefined, value).map(({ path }) => path)

/** Where a judgement finds something, with what it finds there. It does not look below that. */
function placesOf<Found>(
  judge: (value: unknown, name: string) => Found | undefined,
  value: unknown,
  path = '',
  name = '',
): Array<{ path: string; found: Found }> {
  const found = judge(value, name)
  if (found !== undefined) return [{ path, found }]
  if (Array.isArray(value))
    return value.flatMap((item, index) => placesOf(judge, item, `${path}[${index}]`))
  if (!isObject(value)) return []
  return membersIn(value).flatMap(([inside, member]) =>
    placesOf(judge, member, pathTo(path, inside), inside),
  )
}

/** With which the names of variables begin that a definition may name, unless set otherwise. */
export const SECRET_PREFIX = 'SRT_'

/**
 * True for a beginning of such names. One of at least two characters: with an empty one, a
 * definition could read every variable of the host.
 */
export const isSecretPrefix = (prefix: unknown): prefix is string =>
  isText(prefix) && /^[A-Za-z_]\w+$/.test(prefix)

/** Where the secrets come from that a definition gives by name. */
export interface SecretVariables {
  /** With which the name of each begins. */
  prefix: string
  /** Returns the value of a variable; undefined where it is not set. */
  lookUp: (variable: string) => string | undefined
}

/**
 * Returns a copy with the value of the variable in place of each secret that is `${NAME}` as a
 * whole; parts without are shared. A variable without a value, and any other `${…}` in a secret, is
 * a fault, and stays as it is.
 */
export function withSecretsFrom<T>(
  definition: T,
  { prefix, lookUp }: SecretVariables,
): { definition: T; faults: Fault[] } {
  const reason = (secret: unknown, name: string): Reason | undefined => {
    if (!isSecret(name) || !hasVariable(secret)) return undefined
    const variable = variableIn(secret, prefix)
    if (variable === undefined) return { kind: 'variable', prefix }
    return isText(lookUp(variable)) ? undefined : { kind: 'unset', variable }
  }
  const valueOf = (secret: string): string => {
    const variable = variableIn(secret, prefix)
    return (variable && lookUp(variable)) || secret
  }
  const faults = placesOf(reason, definition).map(({ path, found }) => ({ path, ...found }))
  return { definition: mapSecrets(definition, valueOf), faults }
}

/** The name in a secret that is `${NAME}` as a whole, if it begins with the prefix. */
function variableIn(secret: string, prefix: string): string | undefined {
  const [, name] = /^\$\{([A-Za-z_]\w*)\}$/.exec(secret) ?? []
  return name?.startsWith(prefix) ? name : undefined
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
