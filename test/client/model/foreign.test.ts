import * as fc from 'fast-check'
import { MOST, parsedWithin, plainCopy, type Limits } from '../../../client/model/foreign'

const SMALL: Limits = { levels: 3, values: 5, characters: 40 }

const ENDLESS: unknown[] = []
ENDLESS.length = 1e9

describe('plainCopy', () => {
  it('copies what JSON writes, and nothing of the original stays in it', () => {
    const given = { name: 'A', when: new Date(0), list: [1, undefined, { a: null }], no: undefined }
    const { value } = plainCopy(given) as { value: typeof given }
    JSON.stringify(value).should.equal(JSON.stringify(given))
    ;(given.list[2] as { a: unknown }).a = 'changed'
    ;(value.list[2] as { a: unknown }).should.eql({ a: null })
  })

  it('reads each member once', () => {
    let reads = 0
    plainCopy({
      get port() {
        return ++reads
      },
    }).should.eql({ value: { port: 1 } })
    reads.should.equal(1)
  })

  it('keeps a member named __proto__ a member', () => {
    const { value } = plainCopy(JSON.parse('{"__proto__":{"a":1}}')) as { value: object }
    Object.keys(value).should.eql(['__proto__'])
    Object.getPrototypeOf(value).should.equal(Object.prototype)
  })

  const cycle: { inside: unknown[] } = { inside: [] }
  cycle.inside.push(cycle)
  let aliases: unknown = 'x'
  for (let level = 0; level < 20; level++) aliases = Array.from({ length: 10 }, () => aliases)
  const faults: Array<[string, unknown, RegExp]> = [
    ['a cycle', cycle, /nested too deep/],
    ['aliases of aliases', aliases, /too many values/],
    ['a list of a billion items with nothing in them', ENDLESS, /too many values/],
    ['NaN', { source: { port: NaN } }, /is NaN/],
    ['a BigInt', { port: 1n }, /BigInt/],
    ['binary data', { a: Buffer.alloc(9) }, /binary/],
    ['a map', { a: new Map([['port', 1]]) }, /^is of type Map, which cannot be written as JSON$/],
    ['a promise that nobody has waited for', Promise.resolve({}), /type Promise/],
    ['a long text', { a: 'x'.repeat(MOST.characters + 1) }, /too long/],
    [
      'a getter that throws',
      {
        get a() {
          throw Object.create(null)
        },
      },
      /cannot be read/,
    ],
  ]
  for (const [title, given, fault] of faults) {
    it(`refuses ${title}`, () => (plainCopy(given) as { fault: string }).fault.should.match(fault))
  }

  it('says where the fault is', () => {
    const pathOf = (given: unknown): string => (plainCopy(given) as { path: string }).path
    pathOf({ name: ['A'], destinations: [{}, { port: Infinity }] }).should.equal(
      'destinations[1].port',
    )
    pathOf([[], [NaN]]).should.equal('[1][0]')
    pathOf(NaN).should.equal('')
    pathOf({ a: ENDLESS }).should.equal('')
  })

  it('copies 5,000 routes with 95 values each', () => {
    const route = { name: 'A', labels: Array.from({ length: 93 }, () => 1) }
    const routes = Array.from({ length: 5000 }, () => route)
    plainCopy(routes).should.eql({ value: routes })
  })
})

describe('parsedWithin', () => {
  it('parses what is within the limits, and ignores brackets in texts', () => {
    parsedWithin('{"a":"[[[[,,,,,,,\\"[["}', SMALL).should.eql({ value: { a: '[[[[,,,,,,,"[[' } })
  })

  /** Brackets that open, and commas, outside of texts: of which depth. */
  function costOf(value: unknown): { levels: number; values: number } {
    if (typeof value !== 'object' || value === null) return { levels: 0, values: 0 }
    const inside = Object.values(value).map(costOf)
    return {
      levels: 1 + Math.max(0, ...inside.map(({ levels }) => levels)),
      values: inside.reduce((sum, { values }) => sum + values, Math.max(1, inside.length)),
    }
  }

  it('counts what a text costs whatever its texts contain', () => {
    const quoted = fc.stringMatching(/^[\\\\"[\]{},a]{0,12}$/)
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        quoted,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(quoted, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }))
    fc.assert(
      fc.property(tree, (value) => {
        const text = JSON.stringify(value)
        const limits = { ...costOf(value), characters: text.length }
        parsedWithin(text, limits).should.eql({ value })
        const of = (less: Partial<Limits>): unknown =>
          parsedWithin(text, { ...limits, ...less }).fault
        if (limits.levels > 0) of({ levels: limits.levels - 1 })!.should.equal('is nested too deep')
        if (limits.values > 0)
          of({ values: limits.values - 1 })!.should.equal('has too many values')
        of({ characters: text.length - 1 })!.should.equal('is too long')
      }),
    )
  })

  const faults: Array<[string, string, string]> = [
    ['is not JSON', '{', 'is not JSON'],
    ['is too long', `"${'x'.repeat(40)}"`, 'is too long'],
    ['is nested too deep', '[[[[]]]]', 'is nested too deep'],
    ['has too many values', '[[],[],[]]', 'has too many values'],
  ]
  for (const [title, text, fault] of faults) {
    it(`refuses what ${title}`, () =>
      (parsedWithin(text, SMALL) as { fault: string }).fault.should.equal(fault))
  }
})
