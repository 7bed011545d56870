/** Reads JSON-like data from elsewhere without trusting it. */

export type JsonObject = Record<string, unknown>

/** True for a plain object, also one made in another realm (a function node). */
export function isObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Own members, without `__proto__`: copying that one would set a prototype. */
export function membersIn(value: JsonObject): [string, unknown][] {
  const members = Object.entries(value)
  // Hardly ever: nearly everything is read through this.
  if (!Object.hasOwn(value, '__proto__')) return members
  return members.filter(([name]) => name !== '__proto__')
}

/** The value of an own member; never something inherited. */
export const own = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** False for undefined and null: null for an optional member counts as not given. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** True for text with at least one character. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** A text or a number as a text without blanks around it; empty for anything else. */
export const plainText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''

/** A text with at least one character; undefined for anything else. */
export const textIn = (value: unknown): string | undefined => (isText(value) ? value : undefined)

/** The items of a list; none of anything else. */
export const itemsIn = (list: unknown): unknown[] => (Array.isArray(list) ? list : [])

/** The objects in a list; none in anything else. */
export const objectsIn = (list: unknown): JsonObject[] => itemsIn(list).filter(isObject)

/** The value in a short text; undefined where it is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The name in `${NAME}` as a whole value, in whose place Node-RED puts the variable. */
export const variableIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? /^\s*\$\{([^}]+)\}\s*$/.exec(value)?.[1] : undefined

/** JSON path of a member: `source.port`, or `destinations["Studio A"]` for a non-identifier. */
export function pathTo(path: string, name: string): string {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name
  if (!/^[A-Za-z_$][\w$]*$/.test(shown)) return `${path}[${JSON.stringify(shown)}]`
  return path ? `${path}.${shown}` : shown
}

/** The path of what is at a path within another one. */
export const pathUnder = (path: string, below: string): string =>
  path === '' || below === '' || below.startsWith('[') ? path + below : `${path}.${below}`

/** True for a value that means nothing: firmware leaves out, or empties, what is off or zero. */
export const isEmpty = (value: unknown): boolean =>
  !isGiven(value) ||
  value === '' ||
  value === false ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0)

/** True for the word that some firmware writes where other leaves a text empty. */
export const isNone = (value: unknown): boolean =>
  typeof value === 'string' && value.length < 20 && value.trim().toLowerCase() === 'none'
