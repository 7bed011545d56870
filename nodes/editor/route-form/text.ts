import { text as shared, textOr as sharedOr, type Values } from '../text'

export const text = (key: string, values?: Values): string => shared(`routeForm.${key}`, values)

/** The same; where the catalog has none, the given words. */
export const textOr = (key: string, words: string): string => sharedOr(`routeForm.${key}`, words)

export const labelOf = (name: string): string => textOr(`member.${name}`, name)
