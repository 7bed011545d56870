// Every regular expression that the package ships, and texts that grow, made of what each looks for.
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { parse, type Program } from 'acorn'
import { simple } from 'acorn-walk'
import { contentOf, root } from '../support/root'

export interface Expression {
  pattern: string
  flags: string
  /** The files, or nodes of examples, in which it stands. */
  places: string[]
}

/** A part of the code that is shipped, and where it stands. */
interface Code {
  place: string
  text: string
}

/** The regular expressions in what is shipped: client, nodes with their editor, simulator, examples. */
export function expressions(): { found: Expression[]; dynamic: string[] } {
  const found = new Map<string, Expression>()
  const dynamic: string[] = []
  for (const { place, text } of [...filesIn('dist'), ...nodesIn('examples')]) {
    simple(program(text), {
      Literal({ regex }) {
        if (!regex) return
        const { pattern, flags } = regex
        const key = `/${pattern}/${flags}`
        const known = found.get(key) ?? { pattern, flags, places: [] }
        if (!known.places.includes(place)) known.places.push(place)
        found.set(key, known)
      },
      NewExpression({ callee }) {
        if (callee.type === 'Identifier' && callee.name === 'RegExp') dynamic.push(place)
      },
      CallExpression({ callee }) {
        if (callee.type === 'Identifier' && callee.name === 'RegExp') dynamic.push(place)
      },
    })
  }
  return { found: [...found.values()], dynamic }
}

const program = (text: string): Program =>
  parse(text, { ecmaVersion: 'latest', allowReturnOutsideFunction: true })

/** Compiled, since that is what runs; the code of the editor is in the pages of the nodes. */
function* filesIn(folder: string): Generator<Code> {
  for (const part of ['client', 'nodes', 'simulator']) {
    const top = join(root, folder, part)
    for (const name of readdirSync(top, { recursive: true }) as string[]) {
      const file = join(top, name)
      const place = relative(root, file).replaceAll('\\', '/')
      // Compiled twice: what the editor runs is in the pages.
      if (place.startsWith('dist/nodes/editor/')) continue
      if (extname(file) === '.js') yield { place, text: readFileSync(file, 'utf8') }
      if (extname(file) !== '.html' || place.includes('/locales/')) continue
      const page = readFileSync(file, 'utf8')
      for (const [, text = ''] of page.matchAll(
        /<script(?: type="text\/javascript")?>([^]*?)<\/script>/g,
      )) {
        yield { place, text }
      }
    }
  }
}

function* nodesIn(folder: string): Generator<Code> {
  for (const name of readdirSync(join(root, folder), { recursive: true }) as string[]) {
    if (extname(name) !== '.json') continue
    const nodes = JSON.parse(contentOf(folder, name)) as Array<Record<string, unknown>>
    for (const node of nodes) {
      for (const property of ['func', 'initialize', 'finalize']) {
        const code = node[property]
        if (node['type'] !== 'function' || typeof code !== 'string' || code === '') continue
        const text = `async () => {\n${code}\n}`
        yield { place: `${folder}/${name.replaceAll('\\', '/')}: ${String(node['name'])}`, text }
      }
    }
  }
}

/** What an expression looks for: its characters, one of each class, and the words in it. */
export function unitsOf(pattern: string): string[] {
  const units = new Set<string>()
  let word = ''
  const endWord = (): void => {
    if (word.length > 1) units.add(word)
    word = ''
  }
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at]!
    if (sign === '\\') {
      const escape = /^\\(?:p\{[^}]*\}|P\{[^}]*\}|u\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|.)/i.exec(
        pattern.slice(at),
      )![0]
      at += escape.length - 1
      const meant = MEANT[escape] ?? literalOf(escape)
      if (MEANT[escape] !== undefined) endWord()
      else word += meant
      units.add(meant)
    } else if ('()|?*+{}^$[]'.includes(sign)) endWord()
    else if (sign === '.') {
      endWord()
      units.add('x')
    } else {
      word += sign
      units.add(sign)
    }
  }
  endWord()
  return [...units].filter((unit) => unit !== '').slice(0, 14)
}

/** One character of each class. */
const MEANT: Record<string, string> = {
  '\\s': ' ',
  '\\S': 'x',
  '\\d': '1',
  '\\D': 'x',
  '\\w': 'a',
  '\\W': '-',
  '\\b': '',
  '\\B': '',
}

function literalOf(escape: string): string {
  const control = { '\\n': '\n', '\\r': '\r', '\\t': '\t', '\\v': '\v', '\\f': '\f', '\\0': '\0' }
  if (escape in control) return control[escape as keyof typeof control]
  const code = /^\\[ux]\{?([\da-f]+)\}?$/i.exec(escape)?.[1]
  if (code !== undefined) return String.fromCodePoint(parseInt(code, 16))
  return /^\\p/i.test(escape) ? '\u200b' : escape.slice(1)
}

/** After each text: what an expression does not expect there, and makes it look again. */
const ENDS = ['', '!', '\n', ' ', 'é', '\u0000']

/** Ways to fill a text of any length with what an expression looks for. */
export function* growing(units: readonly string[]): Generator<(length: number) => string> {
  const all = [...units, 'x', ' ', '1']
  for (const one of all) {
    const cycles = [one, ...all.map((other) => one + other)]
    for (const cycle of cycles) {
      for (const end of cycle === one ? ENDS : ['', '!', '\n']) {
        yield (length) => cycle.repeat(Math.ceil(length / cycle.length)) + end
      }
    }
    // The beginning once, and what follows it without end.
    for (const other of all) {
      yield (length) => one + other.repeat(Math.ceil(length / other.length)) + '!'
    }
  }
}
