import * as fc from 'fast-check'

/** Strange values, as JSON text and as they can be in a message of a flow. */

const DEEP = 10_000

/** JSON texts with a name, too long or too odd to be written out in a failing case. */
export const TEXTS: Record<string, string> = {
  '@nested lists': '['.repeat(DEEP) + ']'.repeat(DEEP),
  '@nested objects': '{"a":'.repeat(DEEP) + '1' + '}'.repeat(DEEP),
  '@nested destinations': '{"destinations":['.repeat(DEEP) + ']}'.repeat(DEEP),
  '@nested errors': '{"error":'.repeat(DEEP) + '1' + '}'.repeat(DEEP),
  '@long text': JSON.stringify('x'.repeat(200_000)),
  '@long digits': JSON.stringify('1'.repeat(100_000)),
  '@long blank': JSON.stringify(`${' '.repeat(100_000)}x`),
  '@long list': `[${Array.from({ length: 20_000 }, (_, index) => index).join()}]`,
  '@long list of objects': `[${'{"id":"a","_id":"b","name":"c"},'.repeat(5000)}{}]`,
  '@long list of pipes': JSON.stringify('|'.repeat(20_000)),
  '@many members': `{${Array.from({ length: 20_000 }, (_, i) => `"m${i}":${i}`).join()}}`,
  '@prototype': '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  '@prototype list': '{"__proto__":[{"polluted":true}]}',
  '@own methods': '{"toString":1,"valueOf":null,"hasOwnProperty":2,"toJSON":3,"then":4,"length":5}',
  '@error': '{"error":{"type":"SessionAuthorization","message":"no"}}',
  '@long error': `{"error":{"type":"${'t'.repeat(9000)}","message":"${'m'.repeat(9000)}"}}`,
  '@secrets': '{"error":{"type":"secret-password-4711","message":"user secret-password-4711"}}',
  '@page': '<!doctype html><html><body>It works</body></html>',
}

/** The JSON text behind a name, or the text itself. */
export const textOf = (text: string): string => (Object.hasOwn(TEXTS, text) ? TEXTS[text]! : text)

const words = (text: string): string[] => text.trim().split(/\s+/)

const KEYS = words(String.raw`
  "__proto__" "constructor" "prototype" "toString" "toJSON" "then" "length" "id" "_id" "name"
  "error" "peers" "calypsos" "pendingUpdates" "srtPassPhrase" "clientStat" "" "\u0000"
  "\ud800"
`)

const JSONS = words(String.raw`
  null true false 0 -0 -1 1e400 -1e400 9223372036854775808 1.5e-320 "" "." ".."
  "../../session" "%2e%2e%2f" "a?b=c#d" "\ud800" "\u0000" "\u202emp4" "🎥📡" "constructor"
  "__proto__" "null" "running" "srt" "NaN" "1e400" {} [] [null] [[]] [{}] [1,"a",null,{},[]]
  {"id":{}} {"ms":1} {"ms":1e400}
`)

/** JSON texts of strange values. */
const jsonText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...Object.keys(TEXTS)) },
  { weight: 8, arbitrary: fc.constantFrom('" "', ...JSONS) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 3, stringUnit: 'binary' }) },
)

/** One change of a JSON text, at one of its values. */
export interface Edit {
  /** Which value, counted in the order of the text, modulo their number. */
  at: number
  how: 'set' | 'drop' | 'twice' | 'many' | 'add'
  /** JSON text of the name, where a member is added. */
  key: string
  /** JSON text, or a name among {@link TEXTS}. */
  value: string
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(2000),
  how: fc.constantFrom('set', 'set', 'set', 'drop', 'twice', 'many', 'add'),
  key: fc.oneof(fc.constantFrom(...KEYS), fc.string({ maxLength: 5 }).map(writtenOut)),
  value: jsonText,
})

function writtenOut(value: string): string {
  return JSON.stringify(value)
}

/** Changes at the top of a text reveal more than those further down. */
export const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.oneof(
    edit,
    edit.map((one) => ({ ...one, at: one.at % 12 })),
  ),
  { minLength: 1, maxLength: 3 },
)

const MANY = 500
/** Characters up to which one value is repeated. */
const LONGEST = 1_000_000

/** The JSON text of a value, with these changes. */
export function editedText(value: unknown, changes: readonly Edit[]): string {
  const total = countOf(value)
  const byPlace = new Map(changes.map((change) => [change.at % total, change]))
  let place = 0
  const write = (one: unknown): string[] => {
    const change = byPlace.get(place++)
    const strange = change ? textOf(change.value) : ''
    if (change?.how === 'set') return [strange]
    if (change?.how === 'drop') return []
    const added = change?.how === 'add' ? [strange] : []
    let text: string
    if (Array.isArray(one)) text = `[${[...added, ...one.flatMap(write)].join()}]`
    else if (typeof one === 'object' && one !== null) {
      const members = Object.entries(one).flatMap(([name, member]) =>
        write(member).map((written) => `${JSON.stringify(name)}:${written}`),
      )
      text = `{${[...added.map((written) => `${change!.key}:${written}`), ...members].join()}}`
    } else text = added[0] ?? JSON.stringify(one)
    if (change?.how === 'twice') return [text, strange]
    const most = Math.ceil(Math.min(MANY, LONGEST / text.length))
    return change?.how === 'many' ? Array.from({ length: most }, () => text) : [text]
  }
  return write(value).join('')
}

function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, inside) => sum + countOf(inside), 1)
}

export const wholeText: fc.Arbitrary<string> = fc.oneof(
  jsonText,
  fc.constantFrom('', ' ', '{', '{"a":', '[1,]', "{'a':1}", 'undefined', 'NaN', '\u0000'),
  fc.string({ maxLength: 40, unit: 'binary' }),
)

/** Values that no JSON text can contain; newly made for each message. */
export const MADE: Record<string, () => unknown> = {
  undefined: () => undefined,
  circular() {
    const one: Record<string, unknown> = { name: 'circular' }
    one.source = one
    one.destinations = [one]
    return one
  },
  function: () => () => 'called',
  symbol: () => Symbol('a'),
  bigint: () => 10n ** 30n,
  buffer: () => Buffer.from('{"a":1}'),
  'large buffer': () => Buffer.alloc(1_000_000, 'x'),
  date: () => new Date(0),
  'bad date': () => new Date(Number.NaN),
  map: () => new Map<unknown, unknown>([['id', 'a']]),
  set: () => new Set(['a']),
  error: () => new Error('a'),
  regexp: () => /a/,
  promise: () => Promise.resolve('a'),
  instance: () =>
    new (class Route {
      readonly id = 'a'
      readonly name = 'b'
    })(),
  'null prototype': () => Object.assign(Object.create(null), { id: 'a', name: 'b' }) as unknown,
  'own toString': () => ({ toString: 1, valueOf: 2, id: { toString: 3 } }),
  'endless promise': () => new Promise(() => undefined),
  'number object': () => Object(1) as unknown,
  'text object': () => Object('a') as unknown,
  'typed array': () => new Float64Array([1, Number.NaN]),
  'sparse list': () => Array(5),
  'long list': () => Array.from({ length: 20_000 }, () => ({ name: 'a' })),
  'nested lists': () => JSON.parse(TEXTS['@nested lists']!) as unknown,
  'nested objects': () => JSON.parse(TEXTS['@nested objects']!) as unknown,
  'nested destinations': () => JSON.parse(TEXTS['@nested destinations']!) as unknown,
  frozen: () => Object.freeze({ id: 'a', name: 'b', source: Object.freeze({}) }),
  'throwing getter': () => ({
    name: 'b',
    get id(): string {
      throw new Error('do not look')
    },
  }),
  'throwing toJSON': () => ({
    id: 'a',
    toJSON() {
      throw new Error('do not write')
    },
  }),
  'throwing proxy': () =>
    new Proxy(
      {},
      {
        get() {
          throw new Error('do not look')
        },
        ownKeys() {
          throw new Error('do not list')
        },
      },
    ),
  'not a number': () => Number.NaN,
  infinity: () => Number.POSITIVE_INFINITY,
}

/** A value of a message, described so that a failing case can be read and reproduced. */
export type Told = { made: string } | { json: string } | { value: unknown }

export function valueOf(told: Told): unknown {
  if ('made' in told) return MADE[told.made]!()
  if ('value' in told) return told.value
  try {
    return JSON.parse(textOf(told.json)) as unknown
  } catch {
    return textOf(told.json)
  }
}

const identifiers = [
  '',
  ' ',
  'a b',
  'a\\b',
  'a\r\nx: y',
  '\u0000',
  '\ud800',
  '\u202e',
  'x'.repeat(3000),
  'x'.repeat(100_000),
  ...words(`
    . .. / //evil ../session ..%2fsession %2e%2e % %zz a/b a?b=c a#b a&b=c ü/ö 🎥 __proto__
    constructor a;b http://127.0.0.1:1/
  `),
]

/** Anything that a property of a message can be. */
export const toldValue: fc.Arbitrary<Told> = fc.oneof(
  fc.constantFrom(...Object.keys(MADE)).map((made) => ({ made })),
  jsonText.map((json) => ({ json })),
  fc.constantFrom<unknown>(...identifiers).map((value) => ({ value })),
  fc
    .anything({
      maxDepth: 2,
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withTypedArray: true,
      withObjectString: true,
      stringUnit: 'binary',
    })
    .map((value) => ({ value })),
)

export const toldIdentifier: fc.Arbitrary<Told> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...identifiers).map((value) => ({ value })) },
  {
    weight: 2,
    arbitrary: fc.string({ maxLength: 12, unit: 'binary' }).map((value) => ({ value })),
  },
  { weight: 1, arbitrary: toldValue },
)

const WORDS = words(`
  msg flow global env jsonata json id name str auto all pattern none bin re toString __proto__
  constructor ( * $ $$ payload[ a.b.c payload["a"
`)

/** A value of a property that a flow file can contain. */
export const property: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom('${NOT_SET_ANYWHERE}', '${}', ...WORDS),
  fc.constantFrom('applied', 'accepted', 'split', 'routes', 'start', 'stop', 'restart', 'info'),
  fc.constantFrom('present', 'started', 'stopped', 'absent', 'keep', 'merge', 'replace'),
  fc.constantFrom('route', 'source', 'destination', 'client', 'export', 'import', 'snapshot'),
  fc.constantFrom<unknown>(0, -0, -1, 0.1, 1, 1e308, '0.2', '1e400', 'NaN', true, false, null, ''),
  // Node-RED itself cannot load a flow that has these as names of members.
  fc
    .jsonValue({ maxDepth: 2, stringUnit: 'binary' })
    .filter((value) => !/"(__proto__|toString|valueOf)":/.test(JSON.stringify(value))),
)
