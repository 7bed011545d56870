import type { Given } from './faults'
import { isObject } from './json'

/** What kind of value was given, never the content of a text. */
export function givenAs(value: unknown): Given {
  try {
    return kindOf(value)
  } catch {
    // A proxy may throw at whatever it is asked.
    return { kind: 'notPlain' }
  }
}

function kindOf(value: unknown): Given {
  if (value === undefined) return { kind: 'missing' }
  if (value === null) return { kind: 'null' }
  if (Array.isArray(value)) return { kind: value.length === 0 ? 'emptyList' : 'list' }
  if (isObject(value)) return { kind: 'object' }
  switch (typeof value) {
    case 'string':
      return { kind: 'text' }
    case 'number':
    case 'boolean':
    case 'bigint':
      return { kind: 'value', shown: excerpt(String(value)).slice(1, -1) }
    case 'object':
      return { kind: 'notPlain' }
    default:
      return { kind: 'typed', shown: typeof value }
  }
}

/** The same, with the beginning of a text: for what is no secret. */
export const shownAs = (value: unknown): Given =>
  typeof value === 'string' ? { kind: 'value', shown: excerpt(value) } : givenAs(value)

export const excerpt = (value: string): string =>
  JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
