// No text from elsewhere keeps a regular expression busy: the time grows no faster than the text.
import { expressions, growing, unitsOf, type Expression } from './expressions'

/** Expressions that never see a text from elsewhere, or none of that length. */
const EXCEPTIONS: Record<string, string> = {}

const BY_AUTHOR = 'the pattern for names of routes is that of whoever deploys the flow'

/** Patterns that a program makes at run time. */
const DYNAMIC: Record<string, string> = {
  'dist/simulator/faults.js': 'the rule of whoever runs the simulator, for the paths of its faults',
  'examples/Recipes/Bookings from a calendar.json: what is booked now?': BY_AUTHOR,
  'examples/Recipes/Salvo.json: which routes?': BY_AUTHOR,
  'examples/Recipes/Stream Deck with Companion.json: allowed?': BY_AUTHOR,
  'examples/Recipes/Stream Deck with Companion.json: states of the routes': BY_AUTHOR,
}

/** In characters. The shortest ones show what grows by powers of two, before it takes hours. */
const LENGTHS = [20, 300, 4000]
const LONGEST = 16_000
/** Milliseconds that a text of the longest of these may take; a linear pass takes a hundredth. */
const SUSPICIOUS = 0.5
/** How much longer four times the text may take. Quadratic would be 16. */
const MOST_GROWTH = 9

function timeOf(expression: RegExp, text: string): number {
  const begun = performance.now()
  // As both are used: to find one, and to replace all.
  if (expression.global) text.replace(expression, '')
  else expression.test(text)
  return performance.now() - begun
}

const best = (times: number, of: () => number): number =>
  Math.min(...Array.from({ length: times }, of))

/** The text that takes ever longer; undefined for an expression that is linear. */
function fault({ pattern, flags }: Pick<Expression, 'pattern' | 'flags'>): string | undefined {
  const expression = new RegExp(pattern, flags)
  for (const fill of growing(unitsOf(pattern))) {
    const slow = LENGTHS.find((length) => {
      const text = fill(length)
      // On a busy machine one of them is quick all the same.
      for (let times = 0; times < 5; times++) {
        if (timeOf(expression, text) <= SUSPICIOUS) return false
      }
      return true
    })
    if (slow === undefined) continue
    const sample = JSON.stringify(fill(8))
    // In so few characters nothing linear takes that long.
    if (slow < 4000) return sample
    const before = best(3, () => timeOf(expression, fill(4000)))
    const after = best(8, () => timeOf(expression, fill(LONGEST)))
    if (after > MOST_GROWTH * before) return sample
  }
  return undefined
}

describe('regular expressions', function () {
  // It takes processor time: 15 s alone on a slow machine, and many times that beside others.
  this.timeout(300_000)
  const { found, dynamic } = expressions()

  it('are found in client, nodes, editor, simulator and examples', () => {
    for (const part of ['client/', 'nodes/', '.html', 'simulator/', 'examples/']) {
      found.some(({ places }) => places.some((place) => place.includes(part))).should.be.true(part)
    }
    found.length.should.be.above(120)
  })

  it('that are made at run time are known', () => {
    should([...new Set(dynamic)].sort()).eql(Object.keys(DYNAMIC))
  })

  it('that take ever longer are found, and linear ones are not', () => {
    for (const pattern of ['\\/+$', '(\\/\\/)\\S*@', '\\s+$', '^(a+)+$', '(\\d+)*z']) {
      should(fault({ pattern, flags: 'g' })).be.a.String()
    }
    for (const pattern of ['^\\/+', '\\S+', '^[a-z]+$', '[\\\\"]', '\\p{C}']) {
      should(fault({ pattern, flags: 'gu' })).be.undefined()
    }
  })

  it('take no longer than the text grows', () => {
    const faults = found.flatMap((each) => {
      const name = `/${each.pattern}/${each.flags}`
      if (name in EXCEPTIONS) return []
      const text = fault(each)
      return text === undefined ? [] : [`${name} on ${text}: ${each.places.join(', ')}`]
    })
    faults.should.eql([])
  })

  it('that are excepted exist, and would fail', () => {
    for (const name of Object.keys(EXCEPTIONS)) {
      const each = found.find(({ pattern, flags }) => `/${pattern}/${flags}` === name)
      should(each && fault(each)).be.a.String()
    }
  })
})
