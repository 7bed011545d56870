import * as fc from 'fast-check'
import { ERROR_CODES } from '../../../client/errors'
import { EVENTS, LANGUAGES, languageOf } from '../../../client/model/watch'
import { eventOf, snapshotOf } from '../../../client/watch/report/events'
import { eventText } from '../../../client/watch/text/event-text'
import type { DeviceConfiguration, Route } from '../../../client/model/types'
import { compare } from '../../../client/watch/report/compare'
import { device, stateOf } from './states'
import { CASES, away, lost, type About } from './text-cases'

const textsOf = (about: About): string[] => {
  const event = {
    at: 1,
    device: { id: 'd1', name: 'gw1' },
    ...(/^(route|source|destination|statistics)/.test(about.event) && {
      route: { id: 'r1', name: 'Studio A' },
    }),
    ...(about.event.startsWith('destination') && { destination: { id: 'x1', name: 'CDN' } }),
    ...(about.event.startsWith('peer') && { peer: { id: 'p1', name: 'hub' } }),
    before: null,
    after: null,
    ...about,
  }
  return LANGUAGES.map((language) => eventText(event, language))
}

describe('the text of an event', () => {
  for (const [what, cases] of Object.entries(CASES)) {
    it(`says in every language what happened to ${what}`, () => {
      for (const [english, [about, ...others]] of Object.entries(cases)) {
        textsOf(about).should.eql([english, ...others])
      }
    })
  }

  it('is tested for every event', () => {
    const cases = Object.values(CASES).flatMap((group) => Object.values(group))
    const tested = new Set(cases.map(([{ event }]) => event))
    EVENTS.filter((event) => !tested.has(event)).should.eql([])
  })

  it('says of a snapshot how many routes are running', () => {
    const text = (states: Array<string | undefined>, status = 'Online'): string[] => {
      const routes = states.map((state, index) => {
        return { id: String(index), name: 'A', state, source: {}, destinations: [] }
      })
      const named = { id: 'd1', name: 'Gateway 1', status }
      const all = { at: 1, device: named, adapters: [], peers: [], routes }
      return LANGUAGES.map((language) => eventText({ event: 'snapshot', ...all }, language))
    }
    text(['running', 'idle', 'running']).should.eql([
      'Gateway 1: 2 of 3 routes running',
      'Gateway 1: 2 von 3 Routen in Betrieb',
      'Gateway 1: 3件中2件のルートを実行中',
    ])
    text(['running', undefined], 'Offline').should.eql([
      'Gateway 1: 1 of 2 routes running, state of 1 unknown, offline',
      'Gateway 1: 1 von 2 Routen in Betrieb, Zustand von 1 unbekannt, offline',
      'Gateway 1: 2件中1件のルートを実行中、1件は状態不明、オフライン',
    ])
    text(['stopped']).should.eql([
      'Gateway 1: 0 of 1 route running',
      'Gateway 1: 0 von 1 Route in Betrieb',
      'Gateway 1: 1件中0件のルートを実行中',
    ])
    text([]).should.eql([
      'Gateway 1: no routes',
      'Gateway 1: keine Routen',
      'Gateway 1: ルートなし',
    ])
  })

  it('has words for every code of an error', () => {
    for (const code of ERROR_CODES) {
      for (const text of textsOf(lost(code))) text.should.not.endWith(code)
    }
    textsOf(lost('UNAVAILABLE', 'ESOMETHING'))[0]!.should.equal(
      'Gateway gw1 cannot be reached: not available',
    )
  })

  it('keeps names as they are, in one line, up to 200 characters', () => {
    const named = (name: string): string =>
      textsOf({ event: 'route.started', route: { id: 'r1', name } })[0]!
    named('<b>&amp; "$&" __x__').should.equal('<b>&amp; "$&" __x__ is running')
    named('two\r\nlines and a tab\t').should.equal('two lines and a tab  is running')
    named('one\u2028line').should.equal('one\\u2028line is running')
    named('n'.repeat(200)).should.equal(`${'n'.repeat(200)} is running`)
    named('n'.repeat(201)).should.equal(`${'n'.repeat(199)}… is running`)
    named(`${'n'.repeat(198)}😀😀`).should.equal(`${'n'.repeat(198)}… is running`)
  })

  it('is in English by default, and where there is no such language', () => {
    const event = { event: 'route.started', at: 1, device: { id: '', name: '' } } as const
    const started = { ...event, route: { id: 'r', name: 'A' }, before: null, after: 'running' }
    eventText(started).should.equal('A is running')
    for (const none of ['fr', '', 'constructor', 'DE']) {
      eventText(started, none as 'de').should.equal('A is running')
    }
  })

  it('takes the language of a tag as a system or a person writes it', () => {
    for (const tag of ['de', 'de-AT', 'DE', 'de_CH.UTF-8']) languageOf(tag).should.equal('de')
    for (const tag of ['ja', 'ja-JP']) languageOf(tag).should.equal('ja')
    for (const tag of ['en-US', 'en', 'C.', 'C.UTF-8', '', 'fr', undefined, 'watch:locale', {}]) {
      languageOf(tag).should.equal('en-US')
    }
  })

  it('repeats no words of the gateway that only name the state', () => {
    const event = { event: 'source.status', before: 'ok', after: 'error', states: away } as const
    const [plain] = textsOf(event)
    should(textsOf({ ...event, details: 'Disconnected' })[0]).equal(plain)
    should(textsOf({ ...event, details: 'error' })[0]).equal(plain)
  })

  it('is one line without secrets or gaps, whatever happens', () => {
    fc.assert(
      fc.property(device, device, (before, after) => {
        const routes = [before, after].flatMap(({ config }) => config.routes)
        // A name is shown as it is, even this one.
        const names = routes.flatMap(({ name, destinations }) => [
          name,
          ...destinations.map(nameOf),
        ])
        fc.pre(!names.some((name) => GAP.test(name)))
        routes.forEach(showSecrets)
        const [from, to] = [stateOf(before), stateOf(after)]
        const events = compare(from, to).map((change) => eventOf(change, 1, to))
        const secrets = [...secretsOf(before), ...secretsOf(after)]
        for (const event of [...events, snapshotOf(to, 1, () => true)]) {
          for (const language of LANGUAGES) {
            const text = eventText(event, language)
            should(text.trim()).not.equal('')
            should(text).not.match(/[\p{Cc}\u2028\u2029]/u)
            should(text).not.match(GAP)
            for (const secret of secrets) should(text.includes(secret)).be.false()
          }
        }
      }),
    )
  })
})

const GAP = /undefined|null|NaN|\[object/
const nameOf = ({ name }: { name?: unknown }): string => (typeof name === 'string' ? name : '')

/** The gateway quotes passphrases in its own words. */
function showSecrets({ source, destinations }: Route): void {
  for (const part of [source, ...destinations]) {
    const { srtPassPhrase } = part
    if (srtPassPhrase) part.summaryStatusDetails = `wrong: ${String(srtPassPhrase)}\n`
  }
}

const secretsOf = ({ config }: DeviceConfiguration): string[] => [
  'never-shown-passcode',
  ...config.routes
    .flatMap(({ source, destinations }) => [source, ...destinations])
    .flatMap(({ srtPassPhrase }) => (srtPassPhrase ? [String(srtPassPhrase)] : [])),
]
