import type { Fault, Reason } from './faults'
import {
  isEmpty,
  isObject,
  isText,
  itemsIn,
  membersIn,
  own,
  pathTo,
  pathUnder,
  type JsonObject,
} from './json'
import { SECRET_NAMES } from './members'
import { matcher } from './ids'
import type { Route } from './types'

/** Stands for what is not shown: a secret, or a part of a text. Sent back, it keeps the present text. */
export const HIDDEN = '••••••'

/** True for a mask: firmware may return a row of stars or similar for a secret. Never a value. */
export const isMasked = (value: unknown): boolean => isText(value) && /^([*•●])\1{2,}$/.test(value)

/** True for a text in which something is not shown: {@link HIDDEN}, or a mask of the firmware. */
const isSign = (value: unknown, name: string): boolean =>
  isText(value) && (value.includes(HIDDEN) || (isSecret(name) && isMasked(value)))

/** True where a text with {@link HIDDEN} in it may stand for the present one: the rest is the same. */
export function keepsPresent(wanted: unknown, present: unknown): boolean {
  if (!isText(wanted) || !wanted.includes(HIDDEN)) return false
  if (wanted === HIDDEN) return isText(present) || typeof present === 'number'
  if (!isText(present)) return false
  const [begin = '', ...rest] = wanted.split(HIDDEN)
  const end = rest.pop()!
  if (!present.startsWith(begin)) return false
  let at = begin.length
  for (const part of rest) {
    const found = present.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return present.length - end.length >= at && present.endsWith(end)
}

/** True for the name of a member that contains a secret, anywhere in the interface. */
export const isSecret = (name: string): boolean => SECRET_NAMES.has(name)

/** True for a secret, of whatever type: a pass phrase of digits may have become a number. */
const isSecretValue = (value: unknown, name: string): boolean =>
  isSecret(name) && value !== true && !isEmpty(value)

/** A text for people, without the credentials and queries of its addresses. */
export const withoutUserInfo = (text: string): string =>
  text.includes('//') ? text.replace(/\S+/g, (word) => withoutCredentials(word)) : text

/** The same of a member, which may be one address, also where there is a space in its password. */
function memberWithout(text: string, name: string): string {
  if (/^[a-z][a-z\d+.-]{0,20}:\/\//i.test(text)) return withoutCredentials(text)
  // RTMP and RTSP have addresses without a scheme, such as `media.example.org/live`.
  return name === 'address' ? withoutCredentials(text, 0) : withoutUserInfo(text)
}

/** `begin` is where what follows the scheme begins; negative for a word that is no address. */
function withoutCredentials(address: string, begin = afterSlashes(address)): string {
  if (begin < 0) return address
  const start = address.slice(0, begin)
  const at = address.lastIndexOf('@')
  const rest = at < begin ? address.slice(begin) : HIDDEN + address.slice(at)
  const query = rest.indexOf('?') + 1
  return start + (query > 0 && query < rest.length ? rest.slice(0, query) + HIDDEN : rest)
}

function afterSlashes(address: string): number {
  const slashes = address.indexOf('//')
  return slashes < 0 ? slashes : slashes + 2
}

/** What tells one thing from another stays as it is: with a part of it hidden, it is not found again. */
const IDENTITY: ReadonlySet<string> = new Set(['id', '_id', 'name'])

/**
 * A copy without secrets, and in addresses without credentials and query. Sent back, each hidden text
 * keeps the present one ({@link keepHidden}). Parts in which nothing is hidden are shared.
 * @param alsoIn what else is hidden in every text, also in names
 */
export function hideSecrets<T>(value: T, alsoIn = (text: string): string => text): T {
  const shown = (text: string, name: string): string =>
    alsoIn(IDENTITY.has(name) ? text : memberWithout(text, name))
  return changed(value, (member, name) => {
    if (isSecretValue(member, name)) return HIDDEN
    return typeof member === 'string' ? shown(member, name) : member
  }) as T
}

/**
 * Masked secrets, and the pass phrase of SRT where it is left out: `''` says that there is none. See
 * docs/project/interface.md#source.
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

export const secretsOfRouteNotShown = ({ source, destinations }: Route): string[] => [
  ...secretsNotShown(source, 'source'),
  ...destinations.flatMap((one, index) => secretsNotShown(one, `destinations[${index}]`)),
]

/** Returns a copy with every non-empty secret replaced, at any depth; parts without are shared. */
export function mapSecrets<T>(value: T, replace: (secret: unknown) => unknown): T {
  return changed(value, (member, name) =>
    isSecretValue(member, name) ? replace(member) : member,
  ) as T
}

/**
 * A copy in which each member is what a function makes of it, undefined left out; the rest is shared. This
 * and {@link placesOf} call themselves: a door, such as `plainCopy`, has limited the levels.
 */
function changed(
  value: unknown,
  change: (value: unknown, name: string) => unknown,
  name = '',
): unknown {
  const after = change(value, name)
  if (after !== value || typeof value !== 'object' || value === null) return after
  if (Array.isArray(value)) {
    let items: unknown[] | undefined
    for (const [index, item] of value.entries()) {
      const now = changed(item, change)
      if (now !== item) (items ??= value.slice())[index] = now
    }
    return items ?? value
  }
  if (!isObject(value)) return value
  let copy: JsonObject | undefined
  for (const member of Object.keys(value)) {
    const now = changed(value[member], change, member)
    if (now === value[member]) continue
    copy ??= Object.fromEntries(membersIn(value))
    if (now === undefined) delete copy[member]
    else if (member !== '__proto__') copy[member] = now
  }
  return copy ?? value
}

/** JSON paths of texts in which something is hidden, by {@link HIDDEN} or a mask of the firmware. */
export const findHidden = (value: unknown): string[] => pathsOf(isSign, value)

/** JSON paths of every non-empty secret, in the order of {@link mapSecrets}. */
export const findSecrets = (value: unknown): string[] => pathsOf(isSecretValue, value)

/** JSON paths of secrets with `${NAME}` in them: not replaced, it would become the secret. */
export const findVariables = (value: unknown): string[] =>
  pathsOf((secret, name) => isSecret(name) && hasVariable(secret), value)

const hasVariable = (secret: unknown): secret is string =>
  isText(secret) && /\$\{(?:(?!\$\{)[^}])+\}/.test(secret)

const pathsOf = (fits: (value: unknown, name: string) => boolean, value: unknown): string[] =>
  placesOf((inside, name) => fits(inside, name) || undefined, value).map(({ path }) => path)

/** Where a judgement finds something, with what it finds there. It does not look below that. */
function placesOf<Found>(
  judge: (value: unknown, name: string) => Found | undefined,
  value: unknown,
  name = '',
): Array<{ path: string; found: Found }> {
  const found = judge(value, name)
  if (found !== undefined) return [{ path: '', found }]
  // A path is made only where something is found: of most values, nothing is.
  const within = (inside: unknown, step: () => string, member = '') =>
    placesOf(judge, inside, member).map((one) => ({ ...one, path: pathUnder(step(), one.path) }))
  if (Array.isArray(value)) return value.flatMap((item, index) => within(item, () => `[${index}]`))
  if (!isObject(value)) return []
  return membersIn(value).flatMap(([member, inside]) =>
    within(inside, () => pathTo('', member), member),
  )
}

/** With which the names of variables begin that a definition may name, unless set otherwise. */
export const SECRET_PREFIX = 'SRT_'

/** At least two characters: with none, a definition could read every variable of the host. */
export const isSecretPrefix = (prefix: unknown): prefix is string =>
  isText(prefix) && /^[A-Za-z_]\w+$/.test(prefix)

interface SecretVariables {
  /** With which the name of each begins. */
  prefix: string
  lookUp: (variable: string) => string | undefined
}

/**
 * With the value of the variable in place of each secret that is `${NAME}` as a whole. One without a
 * value, and any other `${…}` in a secret, is a fault, and stays as it is.
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
  const valueOf = (secret: unknown): unknown => {
    const variable = isText(secret) ? variableIn(secret, prefix) : undefined
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
export const withoutMasks = <T>(value: T): T =>
  changed(value, (member, name) => (isSecret(name) && isMasked(member) ? undefined : member)) as T

/**
 * Returns a copy without empty secrets: firmware may return them so to show none. Sent back, an empty one
 * would remove the stored one; left out, it stays as it is.
 */
export const withoutEmptySecrets = <T>(value: T): T =>
  changed(value, (member, name) => (isSecret(name) && isEmpty(member) ? undefined : member)) as T

/**
 * Puts back what is hidden from the same place in the present route, with destinations by id or else by
 * name. A place without a secret to keep is a problem.
 */
export function keepHidden<T extends object>(
  wanted: T,
  present: object | undefined,
): { fields: T; problems: Fault[] } {
  const problems: Fault[] = []
  const presentOnes = itemsIn(own(present, 'destinations'))
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

/** Hidden texts as in `present`. A masked secret is left out: it then keeps its value. */
export function restored(
  value: unknown,
  present: unknown,
  path: string,
  problems: Fault[],
  at = '',
): unknown {
  if (isSign(value, at)) {
    if (isMasked(present)) return undefined
    if (keepsPresent(value, present) || (isMasked(value) && isText(present))) return present
    problems.push({ path, kind: 'nothingToKeep' })
    return value
  }
  if (Array.isArray(value)) {
    const items = itemsIn(present)
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
