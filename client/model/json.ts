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

/**
 * Nothing in the interface is nested more than about ten levels deep. The parser accepts millions
 * of levels, but Node-RED fails to copy a message of more than about two thousand.
 */
const MOST_LEVELS = 500

/** True if lists and objects are nested more than `levels` deep. */
export function isTooDeep(value: unknown, levels = MOST_LEVELS): boolean {
  return typeof value === 'object' && value !== null && isDeeper(value, levels)
}

// Plain loops, and no call for what is neither a list nor an object: it runs over whole lists of routes.
function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) {
      if (typeof item === 'object' && item !== null && isDeeper(item, levels - 1)) return true
    }
    return false
  }
  for (const name in value) {
    const member = (value as JsonObject)[name]
    if (typeof member === 'object' && member !== null && isDeeper(member, levels - 1)) return true
  }
  return false
}

/** Returns why a value cannot be sent, such as one that refers to itself; undefined if it can. */
export function faultAsJson(value: unknown): string | undefined {
  const tooDeep = 'is nested too deep'
  try {
    const text = JSON.stringify(value) as string | undefined
    return text !== undefined && isTooDeep(JSON.parse(text)) ? tooDeep : undefined
  } catch (error) {
    if (error instanceof RangeError) return tooDeep
    return 'is not plain data: it cannot be written as JSON'
  }
}

/** False for a JSON text that has too few brackets to be too deep. Costs next to nothing. */
export function mayBeTooDeep(text: string): boolean {
  let opened = 0
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++opened > MOST_LEVELS) return true
    }
  }
  return false
}
