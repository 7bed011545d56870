import { text as shared } from '../text'

/** A text of the route form. */
export function text(key: string, values?: Record<string, number | string>): string {
  return shared(`routeForm.${key}`, values)
}

/** The same; where the catalog has none, the given words. */
export function textOr(key: string, words: string): string {
  const found = text(key)
  return found.endsWith(`routeForm.${key}`) ? words : found
}

/** A member as its field is called. */
export const labelOf = (name: string): string => textOr(`member.${name}`, name)
