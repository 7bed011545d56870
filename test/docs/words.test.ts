// Texts for users do without the words that the glossary rules out: docs/glossary.md. What is set
// as code is not read: there, names of the contract and of the API stay as they are.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parse, type Literal, type Node, type TemplateLiteral } from 'acorn'
import { full } from 'acorn-walk'
import { transformSync } from 'esbuild'
import { LANGUAGES, type Language } from '../support/editor-module'
import { AVOIDED, GLOSSARY } from '../support/glossary'
import { contentOf, root } from '../support/root'

/** Names of the contract that stand in a sentence without being set as code. */
const CONTRACT = /\bappliance\.(?:un)?reachable\b|\bapplianceMessage\b/g

/** Where a word is used on purpose: the text around it, by file, with the reason. */
const EXCEPTIONS: Array<{ file: string; text: string; why: string }> = [
  { file: 'client/doctor/safe.ts', text: 'idle running', why: 'a word of the interface' },
  { file: 'docs/project/performance.md', text: 'above idle', why: 'of a process' },
  { file: 'docs/project/performance.md', text: 'is measured idle', why: 'of a process' },
  { file: 'docs/project/reliability.md', text: 'MB idle', why: 'of a process' },
  { file: 'docs/sessions.md', text: 'session was idle', why: 'of a session' },
  { file: 'CONTRIBUTING.md', text: 'may not fit', why: 'of room' },
  { file: 'docs/recipes/control-panel.md', text: 'twenty routes fit', why: 'of room' },
]

describe('the words that the glossary rules out', () => {
  it('are found in every kind of text, in their forms', () => {
    found('Read it, but\nfor the Adapters.', 'en-US').should.eql(['1: but for', '2: adapter'])
    found('Recommended members: a programmer `member`.', 'en-US').should.eql(['1: member'])
    found('Der Netzwerkadapter, das Gateway.', 'de').should.eql(['1: Adapter'])
    found('アダプタを選択', 'ja').should.eql(['1: アダプタ'])
    const code =
      'const look: "look" = "look"\nthrow new Error(`The ${kind} is wanted ${"Told you"}.`)'
    found(sentencesIn(code), 'en-US').should.eql(['2: told', '2: wanted'])
    found(readable.html('<p>a <code>member</code>,\na <b>doubt</b></p>'), 'en-US').should.eql([
      '2: doubt',
    ])
  })

  const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...files('docs', '.md')]
  check('the pages', () =>
    pages
      .filter((file) => !GLOSSARY.includes(file))
      .map((file) => ({ file, text: readable.md(text(file)), language: 'en-US' })),
  )

  for (const language of LANGUAGES) {
    check(`the help: ${language}`, () => help(language))

    check(`the catalogs: ${language}`, () => catalogs(language))

    it(`are set as the language sets its marks and spaces: ${language}`, () => {
      const wrong = [...help(language), ...catalogs(language)].flatMap(({ file, text: given }) =>
        TYPOGRAPHY[language].flatMap(([mark, instead]) =>
          [...given.matchAll(mark)].map(([hit]) => `${file}: ${instead}, not ${hit}`),
        ),
      )
      wrong.should.eql([])
    })
  }

  check('the examples', () =>
    files('examples', '.json').map((file) => ({
      file,
      text: valuesIn(text(file), /^\s*"(?:name|label|info)": /),
      language: 'en-US',
    })),
  )

  for (const folder of ['client', 'nodes', 'simulator']) {
    check(`the sentences of ${folder}`, () =>
      files(folder, '.ts')
        .filter((file) => !file.endsWith('.d.ts'))
        .map((file) => ({ file, text: sentencesIn(text(file)), language: 'en-US' })),
    )
  }

  check('what npm start prints', () =>
    ['scripts/start.mjs', ...files('scripts/start', '.mjs'), 'scripts/ready.mjs'].map((file) => ({
      file,
      text: sentencesIn(text(file)),
      language: 'en-US',
    })),
  )

  it('are named as an exception only where they are used', () => {
    for (const { file, text: around } of EXCEPTIONS) text(file).should.containEql(around)
  })
})

interface Text {
  file: string
  text: string
  language: Language
}

/** How marks and spaces are not set, with what is right. */
const TYPOGRAPHY: Record<Language, Array<[wrong: RegExp, instead: string]>> = {
  'en-US': [[/[^\n]{0,20}"/g, '“…”']],
  de: [[/[^\n]{0,20}["”]/g, '„…“']],
  ja: [
    [/[^\n]{0,20}["“”]/g, '「…」'],
    [/[^\n]{0,20}[（）：！，．〜]/g, '( ) : in half width'],
    [/[^\n]{0,20}[^\s·]\(/g, 'a space before a parenthesis'],
    [/[^\n]{0,20}\w [ぁ-んァ-ヶ一-龠]/g, 'no space between Latin and Japanese'],
  ],
}

const help = (language: Language): Text[] =>
  files('nodes', '.html')
    .filter((file) => file.includes(`/${language}/`) || file.endsWith(`help/${language}.html`))
    .map((file) => ({ file, text: readable.html(text(file)), language }))

/** Those of the nodes, and those with the sentences of events. */
const catalogs = (language: Language): Text[] =>
  [
    ...files('nodes', '.json').filter((file) => file.includes(`/locales/${language}/`)),
    ...files('client', '.json').filter((file) => file.endsWith(`/${language}.json`)),
  ].map((file) => ({ file, text: valuesIn(text(file)), language }))

function check(what: string, texts: () => Text[]): void {
  it(`are not in ${what}`, () => {
    const all = texts()
    all.length.should.be.above(0)
    const hits = all.flatMap(({ file, text: given, language }) =>
      found(without(file, given), language).map((hit) => {
        const [line, word] = hit.split(': ')
        return `${file}:${line} ${word} (${AVOIDED[language].get(word!)})`
      }),
    )
    hits.should.eql([])
  })
}

// ---- what is found

/** Each word that is ruled out, as `line: word`. */
function found(text: string, language: Language): string[] {
  const given = text.replace(CONTRACT, blank).replace(/(`+)[^`]+\1/g, blank)
  return [...AVOIDED[language].keys()]
    .flatMap((word) =>
      [...given.matchAll(pattern(word, language))].map(({ index }) => ({ word, index })),
    )
    .sort((one, other) => one.index - other.index)
    .map(({ word, index }) => `${lineOf(given, index)}: ${word}`)
}

/** English words stand alone, also in the plural; German ones may be a part of others. */
function pattern(word: string, language: Language): RegExp {
  const spaced = word.split(/\s+/).join('\\s+')
  return language === 'en-US'
    ? new RegExp(`(?<![\\w-])${spaced}s?(?![\\w-])`, 'gi')
    : new RegExp(spaced, 'gi')
}

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length

/** As long as it was, so that lines and places stay. */
const blank = (text: string): string => text.replace(/[^\n]/g, '·')

function without(file: string, given: string): string {
  return EXCEPTIONS.filter((each) => each.file === file).reduce(
    (rest, each) => rest.replaceAll(each.text, blank),
    given,
  )
}

// ---- what is read

/** What a reader sees: code, links and markup are blanked out. */
const readable = {
  md: (page: string): string =>
    [/^```[^]*?^```/gm, /`[^`\n]+`/g, /\]\([^)]*\)/g, /<!--[^]*?-->/g].reduce(
      (rest, each) => rest.replace(each, blank),
      page,
    ),
  html: (page: string): string =>
    [
      /<pre>[^]*?<\/pre>/g,
      /<code>[^]*?<\/code>/g,
      /<!--[^]*?-->/g,
      /\{\{[^}]*\}\}/g,
      /<[^>]*>/g,
    ].reduce((rest, each) => rest.replace(each, blank), page),
}

/** The values of JSON that is written with one to a line; only under the keys that fit. */
function valuesIn(json: string, keys = /^/): string {
  return json
    .split('\n')
    .map((line) => {
      const [, value = ''] = /^\s*"[^"]+": "(.*)",?$/.exec(line) ?? []
      return keys.test(line) ? value.replaceAll('\\n', '  ').replaceAll('\\"', '"') : ''
    })
    .join('\n')
}

/** The sentences among the strings of a program, each in its line. */
function sentencesIn(program: string): string {
  const { code } = transformSync(program, { loader: 'ts', charset: 'utf8' })
  const source = program.split('\n')
  const lines = source.map(() => '')
  full(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), (node) => {
    const parts = partsOf(node)
    const sentence = parts.join('·')
    const first = parts.find((part) => /\p{L}/u.test(part))
    if (first === undefined || !isSentence(sentence)) return
    const start = first.trim().split('\n')[0]!
    const at = source.findIndex((line) => line.includes(start.slice(0, 30)))
    lines[Math.max(0, at)] += ` ${sentence.replaceAll('\n', ' ')}`
  })
  return lines.join('\n')
}

/** The text of a string, or the texts of a template. */
function partsOf(node: Node): string[] {
  if (node.type === 'Literal') {
    const { value } = node as Literal
    return typeof value === 'string' ? [value] : []
  }
  if (node.type !== 'TemplateLiteral') return []
  return (node as TemplateLiteral).quasis.map(({ value }) => value.raw)
}

/** A few small words may be a name that the program compares. */
const isSentence = (value: string): boolean =>
  /\S\s+\S+\s+\S/.test(value) || /^(?=.*\p{Lu}).*\p{L}\s+\p{L}/su.test(value)

const text = (file: string): string => contentOf(file)

/** All files of a folder with that end, and of the folders in it. */
function files(folder: string, end: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(end))
    .map((file) => join(folder, file))
    .sort()
}
