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
  return Object.entries(value).filter(([name]) => name !== '__proto__')
}

/** The value of an own member; never something inherited. */
export function own(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** False for undefined and null: null for an optional member counts as not given. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** True for text with at least one character. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** JSON path of a member: `source.port`, or `destinations["Studio A"]` for a non-identifier. */
export function pathTo(path: string, name: string): string {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name
  if (!/^[A-Za-z_$][\w$]*$/.test(shown)) return `${path}[${JSON.stringify(shown)}]`
  return path ? `${path}.${shown}` : shown
}

/** True for a value that means nothing: firmware leaves out, or empties, what is off or zero. */
export function isEmpty(value: unknown): boolean {
  return (
    !isGiven(value) ||
    value === '' ||
    value === false ||
    value === 0 ||
    (Array.isArray(value) && value.length === 0)
  )
}

/** True for the word that some firmware writes where other leaves a text empty. */
export const isNone = (value: unknown): boolean =>
  typeof value === 'string' && value.length < 20 && value.trim().toLowerCase() === 'none'
