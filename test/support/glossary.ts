// docs/glossary.md and docs/project/wording.md as data: the terms, the labels of the forms, and the words
// that are not used.
import type { Language } from './editor-module'
import { contentOf } from './root'

/** The pages that name the words that no other page has. */
export const GLOSSARY = ['docs/glossary.md', 'docs/project/wording.md']

/** One text in each language. */
export type Texts = Record<Language, string>

export interface Term {
  texts: Texts
  meaning: string
  /** Words that are not used for it, by language. */
  not: Record<Language, string[]>
}

export interface Label {
  texts: Texts
  /** The properties whose fields have this label. */
  properties: string[]
}

const pages = GLOSSARY.map((page) => contentOf(page)).join('\n')

/** The rows of the table under a heading, without its head. */
function rows(heading: string): string[][] {
  const section = pages.split(`## ${heading}\n`)[1]!.split(/\n##? /)[0]!
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
}

const listed = (cell: string): string[] =>
  cell
    .replace(/\([^)]*\)/g, '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')

/** Such as `adapter; de: Adapter; ja: アダプタ`: English, unless a language is named. */
function notUsed(cell: string): Term['not'] {
  const not: Term['not'] = { 'en-US': [], de: [], ja: [] }
  for (const entry of cell.split(';')) {
    const [, language = 'en-US', words = ''] = /^\s*(?:(de|ja): )?(.*)$/.exec(entry)!
    not[language as Language].push(...listed(words))
  }
  return not
}

export const TERMS: Term[] = rows('Terms').map(([en, meaning, de, ja, not]) => ({
  texts: { 'en-US': en!, de: de!, ja: ja! },
  meaning: meaning!,
  not: notUsed(not!),
}))

export const LABELS: Label[] = rows('Labels of the forms').map(([en, de, ja, properties]) => ({
  texts: { 'en-US': en!, de: de!, ja: ja! },
  properties: [...properties!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
}))

/** The words that texts for users do not have, with what is said instead. */
export const AVOIDED: Record<Language, Map<string, string>> = {
  'en-US': new Map([...avoidedFor('en-US'), ...avoidedIn('Words to avoid')]),
  de: new Map([...avoidedFor('de'), ...avoidedIn('German')]),
  ja: new Map([...avoidedFor('ja'), ...avoidedIn('Japanese')]),
}

function avoidedIn(heading: string): Array<[string, string]> {
  return rows(heading).flatMap(([words, instead]) =>
    listed(words!).map((word): [string, string] => [word, instead!]),
  )
}

function avoidedFor(language: Language): Array<[string, string]> {
  return TERMS.flatMap(({ texts, not }) =>
    not[language].map((word): [string, string] => [word, texts[language]]),
  )
}
