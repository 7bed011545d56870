// What the editor shows, in every language: the catalogs and the help of all nodes say the same
// things in the same places. Whether they say it well, no test can tell.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodes } from '../support/manifests'
import { root } from '../support/root'

const ENGLISH = 'en-US'
/** The languages besides. */
const LANGUAGES = ['de', 'ja']

describe('the languages', () => {
  for (const node of nodes) {
    it(`of ${node} are all there, and no others`, () => {
      const all = [ENGLISH, ...LANGUAGES]
      readdirSync(folder(node))
        .sort()
        .should.deepEqual([...all].sort())
      for (const language of all) {
        const files = readdirSync(folder(node, language)).sort()
        files.should.deepEqual([`${node}.html`, `${node}.json`], language)
      }
    })
  }

  for (const language of [ENGLISH, ...LANGUAGES]) {
    describe(language, () => {
      for (const node of nodes) {
        it(`leaves no text of ${node} empty`, () => {
          const empty = Object.entries(catalog(node, language)).filter(([, text]) => !text.trim())
          empty.should.deepEqual([])
        })

        it(`closes every element in the help of ${node}`, () => {
          unclosed(help(node, language)).should.deepEqual([])
        })
      }
    })
  }

  for (const language of LANGUAGES) {
    describe(`${language} beside ${ENGLISH}`, () => {
      for (const node of [...nodes, 'sidebar']) {
        it(`has the same texts with the same placeholders in the catalog of ${node}`, () => {
          const there = catalog(node, language)
          const english = catalog(node, ENGLISH)
          Object.keys(there).sort().should.deepEqual(Object.keys(english).sort())
          placeholders(there).should.deepEqual(placeholders(english))
        })
      }

      for (const node of nodes) {
        it(`has the same parts in the help of ${node}`, () => {
          const there = help(node, language)
          const english = help(node, ENGLISH)
          for (const [what, of] of Object.entries(PARTS)) {
            of(there).should.deepEqual(of(english), what)
          }
        })

        it(`quotes in the help of ${node} the labels that its form has`, () => {
          missingLabels(node, language).should.deepEqual([])
        })
      }
    })
  }
})

/** What is the same in the help of every language. */
const PARTS: Record<string, (html: string) => string[]> = {
  'headings, paragraphs and lists': (html) =>
    matches(html, /(<\/?(?:script|h3|h4|p|dl|dt|dd|ul|ol|li|a|pre)\b[^>]*>)/g),
  // In a sentence, another language may put them in another order.
  codes: (html) => codes(html).sort(),
}

const terms = (html: string): string[] => matches(html, /<dt\b[^>]*>([^]*?)<\/dt>/g)
const codes = (html: string): string[] => matches(html, /<code>([^]*?)<\/code>/g)

// ---- labels

/** The labels that the English help quotes, and of which the help in another language has none. */
function missingLabels(node: string, language: string): string[] {
  const quoted = new Set(quotes(help(node, language)))
  const english = labels(node, ENGLISH)
  const there = labels(node, language)
  return quotes(help(node, ENGLISH)).filter((quote) => {
    const keys = Object.keys(english).filter((key) => shortened(english[key]!).includes(quote))
    const wanted = keys.flatMap((key) => shortened(there[key] ?? ''))
    return keys.length > 0 && !wanted.some((label) => quoted.has(label))
  })
}

/** The texts of the form: its own, and those that all forms share. */
function labels(node: string, language: string): Record<string, string> {
  const shared = Object.entries(catalog('gateway', language))
  const texts = [
    ...shared.map(([key, text]) => [`gateway:${key}`, text] as const),
    ...Object.entries(catalog(node, language)),
  ]
  return Object.fromEntries(texts.filter(([key]) => !ON_THE_CANVAS.test(key)))
}

/** What stands in and under a node, and at its port. */
const ON_THE_CANVAS = /^(gateway:)?(does\.|status\.|result$)/

/** A label as help may quote it: whole, or without what explains it. */
const shortened = (label: string): string[] => [
  plain(label),
  ...[/[:：]/, /[,、]/, /[(（]/].map((end) => plain(label.split(end)[0]!)),
]

/** What help sets apart: in quotation marks, or as a term. */
const quotes = (html: string): string[] =>
  [
    ...matches(html, /[“„「]([^”“」]*)[”“」]/g),
    ...terms(html).flatMap((term) => term.split(/[,、]/)),
  ]
    .map(plain)
    .filter((quote) => quote !== '')

/** In running text, a label may begin with another case and may be broken into lines. */
const plain = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase()

// ---- what is read

function folder(node: string, language = ''): string {
  return join(root, 'dist/nodes', node, 'locales', language)
}

const help = (node: string, language: string): string =>
  readFileSync(join(folder(node, language), `${node}.html`), 'utf8')

/** The texts of a catalog by their whole keys, such as `label.action`. */
function catalog(node: string, language: string): Record<string, string> {
  const file = readFileSync(join(folder(node, language), `${node}.json`), 'utf8')
  return Object.fromEntries(textsOf(JSON.parse(file)))
}

function textsOf(value: unknown, ...path: string[]): Array<[key: string, text: string]> {
  if (typeof value === 'string') return [[path.join('.'), value]]
  if (typeof value !== 'object' || value === null) throw new Error(`no text: ${path.join('.')}`)
  return Object.entries(value).flatMap(([key, each]) => textsOf(each, ...path, key))
}

/** Which placeholders each text has, such as `__least__`. */
const placeholders = (texts: Record<string, string>): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, matches(text, /(__\w+?__)/g).sort()]),
  )

/** The elements that end elsewhere than they should, or never. */
function unclosed(html: string): string[] {
  const open: string[] = []
  for (const [, end, name = '', rest = ''] of html.matchAll(/<(\/?)([a-z]\w*)([^>]*)>/gi)) {
    if (rest.endsWith('/')) continue
    if (!end) open.push(name)
    else if (open.pop() !== name) return [...open, name]
  }
  return open
}

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, part]) => part!)
