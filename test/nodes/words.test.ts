// The words that the editor makes of kinds and values, in every language. It needs no browser.
import 'should'
import { sentenceOf, type Given, type Reason, type Wanted } from '../../client/model/faults'
import type { Failure as Responded } from '../../nodes/gateway/admin/failure'
import { editorModule, LANGUAGES, textsAt } from '../support/editor-module'

type OfEach<Union extends { kind: string }> = { [Kind in Union['kind']]: Union & { kind: Kind } }

const WANTED: OfEach<Wanted> = {
  route: { kind: 'route' },
  object: { kind: 'object' },
  list: { kind: 'list' },
  paths: { kind: 'paths' },
  destinations: { kind: 'destinations' },
  destinationPatches: { kind: 'destinationPatches' },
  wantedDestinations: { kind: 'wantedDestinations' },
  boolean: { kind: 'boolean' },
  choice: { kind: 'choice', choices: 'caller, listener' },
  whole: { kind: 'whole', least: 17, most: 4711 },
  number: { kind: 'number', least: 0.5, most: 99.5 },
  atLeast: { kind: 'atLeast', least: 17 },
  text: { kind: 'text' },
  length: { kind: 'length', least: 10, most: 79 },
}

const given: Given = { kind: 'value', shown: '__least__' }
const missing: Given = { kind: 'missing' }

const REASONS: Omit<OfEach<Reason>, 'wrong'> = {
  missing: { kind: 'missing', given: missing, wanted: WANTED.whole },
  unknown: { kind: 'unknown' },
  didYouMean: { kind: 'didYouMean', member: 'destinations' },
  state: { kind: 'state' },
  startRoute: { kind: 'startRoute' },
  action: { kind: 'action' },
  nothingGiven: { kind: 'nothingGiven' },
  whichRoute: { kind: 'whichRoute' },
  whichDestination: { kind: 'whichDestination' },
  repeated: { kind: 'repeated', member: 'name', other: 'destinations[6]', row: 7 },
  lasting: { kind: 'lasting' },
  notEmptied: { kind: 'notEmptied' },
  variable: { kind: 'variable' },
  hidden: { kind: 'hidden' },
  nothingToKeep: { kind: 'nothingToKeep' },
  notRead: { kind: 'notRead' },
  otherSource: { kind: 'otherSource' },
  otherDestination: { kind: 'otherDestination' },
  severalFit: { kind: 'severalFit', ids: 'd1, __d2__' },
  noSuchDestination: { kind: 'noSuchDestination' },
  sameDestination: { kind: 'sameDestination', other: 'destinations.two' },
  sameName: { kind: 'sameName' },
  incomplete: { kind: 'incomplete' },
  redundancy: { kind: 'redundancy' },
}

const EVERY_REASON: Reason[] = [
  ...Object.values(REASONS),
  ...Object.values(WANTED).map((wanted): Reason => ({ kind: 'wrong', given, wanted })),
]

/** What the words have to name, as far as a reason has such values. */
const named = (reason: Reason): unknown[] => {
  const { kind, ...values } = reason.kind === 'wrong' ? reason.wanted : reason
  const unnamed = ['repeated', 'choice'].includes(kind)
  return unnamed ? [] : Object.values(values).filter((value) => typeof value !== 'object')
}

/** As the runtime responds; the code may be any. */
type Failure = Omit<Partial<Responded>, 'code'> & { code?: string; message: string }

const HOST = '10.0.0.5:8443'

const failure = (code: string, values: object = {}, flags: object = {}): Failure => ({
  code,
  message: 'In English.',
  values: { host: HOST, applied: 'no', ...values },
  ...flags,
})

/** What the runtime responds, by the key of its sentence. */
const FAILURES: Record<string, Failure> = {
  passwordNeeded: failure('CONFIG', {}, { passwordNeeded: true }),
  notDeployed: failure('NOT_FOUND', {}, { notDeployed: true }),
  ...Object.fromEntries(
    [
      'TIMEOUT',
      'TOO_MANY_SESSIONS',
      'FORBIDDEN',
      'READ_ONLY',
      'NOT_CONFIRMED',
      'OUTCOME_UNKNOWN',
      'LOGIN_REFUSED',
    ].map((code) => [code, failure(code)]),
  ),
  REJECTED: failure('REJECTED', { status: 429 }),
  status: failure('UNAVAILABLE', { status: 503 }),
  refused: failure('UNAVAILABLE', { reason: 'ECONNREFUSED' }),
  cut: failure('UNAVAILABLE', { reason: 'ECONNRESET' }),
  noName: failure('UNAVAILABLE', { reason: 'ENOTFOUND' }),
  noWay: failure('UNAVAILABLE', { reason: 'EHOSTUNREACH' }),
  noHttp: failure('BAD_RESPONSE', { reason: 'HPE_INVALID_CONSTANT' }),
  selfSigned: failure('TLS', { reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
  unknownAuthority: failure('TLS', { reason: 'SELF_SIGNED_CERT_IN_CHAIN' }),
  expired: failure('TLS', { reason: 'CERT_HAS_EXPIRED' }),
  notYetValid: failure('TLS', { reason: 'CERT_NOT_YET_VALID' }),
  otherName: failure('TLS', { reason: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
  otherCertificate: failure('TLS', { reason: 'CERT_FINGERPRINT' }),
  noTls: failure('TLS', { reason: 'EPROTO' }),
}

/** Nothing in them tells more than the code does. */
const WITHOUT_HOST = ['passwordNeeded', 'notDeployed', 'READ_ONLY']

/** Of these the message says more. */
const UNKNOWN: Failure[] = [
  failure('CONFIG'),
  failure('INVALID_INPUT'),
  failure('UNAVAILABLE'),
  failure('UNAVAILABLE', { reason: 'toString' }),
  failure('LOGIN_REFUSED', { status: 404 }),
  { message: 'In English.' },
  { code: 'TIMEOUT', message: 'In English.' },
]

describe('the words of the editor', () => {
  for (const language of LANGUAGES) {
    it(`name every failure that they know, with its host: ${language}`, () => {
      const { sentenceOf: sentence } = editorModule<{ sentenceOf: (failure: Failure) => string }>(
        'editor/failures.ts',
        language,
      )
      const texts = textsAt('gateway', language, 'failure') as Record<string, string>
      Object.keys(texts)
        .sort()
        .should.eql([...Object.keys(FAILURES), 'says', 'maybe'].sort())
      for (const [key, each] of Object.entries(FAILURES)) {
        const words = sentence(each)
        const { host = '', status = '' } = each.values ?? {}
        const expected = texts[key]!.replace('__host__', host).replace('__status__', `${status}`)
        words.should.equal(expected)
        if (!WITHOUT_HOST.includes(key)) words.should.containEql(HOST)
      }
      for (const each of UNKNOWN) sentence(each).should.equal('In English.')
      const said = sentence(
        failure('FORBIDDEN', { says: 'No __host__ for you.', applied: 'maybe' }),
      )
      said.should.containEql('No __host__ for you.').and.endWith(texts['maybe']!)
    })

    it(`name every fault of a definition, with its values: ${language}`, () => {
      const { wordsOf } = editorModule<{ wordsOf: (reason: Reason) => string }>(
        'editor/route-form/faults.ts',
        language,
      )
      for (const reason of EVERY_REASON) {
        const words = wordsOf(reason)
        words.should.not.equal('')
        for (const value of named(reason)) words.should.containEql(String(value))
      }
    })

    it(`are there for no kind of fault that does not exist: ${language}`, () => {
      const texts = (path: string) => Object.keys(textsAt('gateway', language, path) as object)
      texts('routeForm.fault').sort().should.eql(Object.keys(REASONS).sort())
      texts('routeForm.wanted').sort().should.eql(Object.keys(WANTED).sort())
    })
  }
})

describe('the sentence of an error', () => {
  it('names every fault of a definition, with its values', () => {
    for (const reason of EVERY_REASON) {
      const sentence = sentenceOf(reason)
      sentence.should.match(/^[a-z]/)
      const { row: _, kind: __, ...values } = { row: 0, ...reason }
      const shown = Object.values<unknown>(values).filter((each) => typeof each === 'string')
      for (const value of shown) sentence.should.containEql(value)
    }
  })
})
