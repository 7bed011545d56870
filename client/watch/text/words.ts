import type { ErrorCode } from '../../errors'
import { own } from '../../model/json'
import { withoutHalf } from '../../model/legible'
import type { Language, Measure } from '../../model/watch'
import type german = require('./de.json')
import type english = require('./en-US.json')
import type japanese = require('./ja.json')

/** The sentences of one language, and the words that they consist of. */
export interface Words {
  readonly language: Language
  /** Returns the sentence, or the part of one, with these values. */
  readonly say: (key: Key, values?: Values) => string
  /** Returns the word for what a gateway calls so; undefined where there is none. */
  readonly find: (kind: 'state' | 'failure' | 'measure', name: string) => string | undefined
}

export type Values = Readonly<Record<string, string | number | undefined>>

/** Every catalog has every key: the compiler sees to it. In German, a duration is in the dative. */
export type Key = keyof typeof english

type Catalog = Readonly<Record<Key | `failure.${ErrorCode}` | `measure.${Measure}`, string>>

/** A catalog is loaded with the first sentence in its language: most starts have none. */
const CATALOGS: Readonly<Record<Language, () => Catalog>> = {
  'en-US': () => require('./en-US.json') as typeof english,
  de: () => require('./de.json') as typeof german,
  ja: () => require('./ja.json') as typeof japanese,
}

/** Returns the words of a language; those in English where there is no such language. */
export function wordsIn(wanted: Language = 'en-US'): Words {
  const language = Object.hasOwn(CATALOGS, wanted) ? wanted : 'en-US'
  const catalog = CATALOGS[language]()
  return {
    language,
    say: (key, values = {}) => filled(catalog[key], values),
    find: (kind, name) => own(catalog, `${kind}.${name}`) as string | undefined,
  }
}

const CHOICE = /\[([^[|\]]*)(?:\|([^[\]]*))?\]/g
const MARK = /__([a-z]+)__/g

/**
 * With values in place of its marks. Of `[a|b]` it has `a` where all the marks in it have values, else
 * `b`, which may be left out. Nothing within a value is a mark.
 */
export function filled(template: string, values: Values): string {
  const valueOf = (name: string): string => String(values[name] ?? '')
  return template
    .replace(CHOICE, (_, one: string, other = '') =>
      [...one.matchAll(MARK)].every(([, name]) => valueOf(name!) !== '') ? one : other,
    )
    .replace(MARK, (_, name: string) => valueOf(name))
}

/** The name with a word for what it is, where the name does not contain that already. */
export function titled(kind: 'gateway' | 'route', name: string, { say }: Words): string {
  const title = say(`title.${kind}`)
  const lower = name.toLowerCase()
  const says = lower.includes(title.toLowerCase()) || lower.includes(kind)
  return says ? name : say('titled', { title, name })
}

/** In the two largest units; undefined when it is not known. */
export function durationOf(ms: number | undefined, words: Words): string | undefined {
  if (ms === undefined || !(ms >= 0)) return undefined
  const counted = (unit: Unit, count: number): string =>
    words.say(count === 1 ? `${unit}.one` : unit, { count })
  const both = (large: Unit, count: number, small: Unit, rest: number): string =>
    counted(large, count) + (rest === 0 ? '' : words.say('and') + counted(small, rest))
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return counted('second', seconds)
  if (seconds < 60 * 60) return both('minute', Math.floor(seconds / 60), 'second', seconds % 60)
  const minutes = Math.round(seconds / 60)
  if (minutes < 24 * 60) return both('hour', Math.floor(minutes / 60), 'minute', minutes % 60)
  const hours = Math.round(minutes / 60)
  return both('day', Math.floor(hours / 24), 'hour', hours % 24)
}

type Unit = 'second' | 'minute' | 'hour' | 'day'

const LONGEST = 200

/** Names have at most 60 characters; other words of a gateway may be of any length. */
export const clipped = (text: string): string =>
  text.length <= LONGEST ? text : `${withoutHalf(text.slice(0, LONGEST - 1))}…`
