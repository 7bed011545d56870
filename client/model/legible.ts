import { isObject, isText, membersIn } from './json'

/**
 * A text from elsewhere on one line, with signs that steer a terminal, turn the direction or show nothing
 * as codes such as `\u200b`. Texts that differ in more than white space stay different.
 */
export function legible(text: string): string {
  // Nearly every text is plain, and this costs next to nothing.
  if (PLAIN.test(text)) return text
  return text.replace(LINE_ENDS, ' ').replace(UNSEEN, codesOf)
}

/** A text as it is, with signs as codes that would turn the direction also of what stands behind it. */
export const unturned = (text: string): string => text.replace(TURNS, codesOf)

/** Returns a text, {@link legible} and on one line, cut at a space unless that leaves next to nothing. */
export function shortened(text: string, longest: number): string {
  const plain = legible(text).replace(/\s+/g, ' ').trim()
  if (plain.length <= longest) return plain
  const cut = withoutHalf(plain.slice(0, longest))
  const space = cut.lastIndexOf(' ')
  return `${space > longest / 2 ? cut.slice(0, space) : cut}…`
}

/** What was cut off within a pair, without the half that is left of it. */
export const withoutHalf = (cut: string): string => cut.replace(/[\ud800-\udbff]$/, '')

/** A value of a route as people read it. */
export function shown(value: unknown): string {
  if (isText(value)) return /^[\w.:/•@-]+$/.test(value) ? value : JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'none'
  return membersIn(value)
    .filter(([, member]) => member !== undefined && member !== null && member !== '')
    .map(([name, member]) => `${name} ${shown(member)}`)
    .join(', ')
}

const PLAIN = /^[ -~]*$/
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const LINE_ENDS = /[\t\n\v\f\r]+/g
/** Control and format signs, fillers, halves of a pair, and every space but the usual one. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}]|(?! )\p{Z}/gu

/** In the notation of JSON. */
const codesOf = (sign: string): string =>
  Array.from(
    { length: sign.length },
    (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')
