// The words that the editor makes of kinds and values, in every language. It needs no browser.
import { failoverFaults, sideFaults } from '../../client/model/failover'
import type { FailoverFault, FailoverReason } from '../../client/model/failover-sides'
import { sentenceOf, type Given, type Reason, type Wanted } from '../../client/model/faults'
import { SENTENCES } from '../../client/sentences'
import type { Failure as Responded } from '../../nodes/wire'
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

const SOURCE = { address: '192.0.2.1', port: 5000 }
const SPARE = { ...SOURCE, port: 5001 }

/** For every fault of a failover, settings that have it. */
const FAILOVERS: Record<FailoverReason['kind'], unknown> = {
  monitor: { restore: 'monitor' },
  route: { method: 'routes' },
  sameRoute: { method: 'routes', main: { name: 'A' }, backup: { name: 'A' } },
  source: { main: {} },
  sameSource: { backup: SOURCE },
  hidden: { main: { ...SOURCE, srtPassPhrase: '••••••' } },
  missing: { main: { ...SOURCE, srtLatency: 120 } },
  noField: { main: { ...SOURCE, protocol: 'udp', srtLatency: 120 } },
}

const PRESENT = {
  source: { ...SOURCE, protocol: 'srt', srtMode: 'caller', srtLatency: 120 } as never,
}

type FailoverFaults = ReturnType<typeof failoverFaults>

function faultsOfFailover(saved: unknown): FailoverFaults {
  if (typeof saved !== 'object') return failoverFaults(saved)
  const whole = { main: SOURCE, backup: SPARE, ...saved }
  const faults = failoverFaults(whole)
  return faults.length > 0 ? faults : sideFaults({ method: 'source', ...whole }, PRESENT)
}

const given: Given = { kind: 'value', shown: '__least__' }
const missing: Given = { kind: 'missing' }

const REASONS: Omit<OfEach<Reason>, 'wrong'> = {
  missing: { kind: 'missing', given: missing, wanted: WANTED.whole },
  unknown: { kind: 'unknown' },
  didYouMean: { kind: 'didYouMean', member: 'destinations' },
  address: { kind: 'address', given },
  blanks: { kind: 'blanks' },
  state: { kind: 'state' },
  startRoute: { kind: 'startRoute' },
  action: { kind: 'action' },
  nothingGiven: { kind: 'nothingGiven' },
  whichRoute: { kind: 'whichRoute' },
  whichDestination: { kind: 'whichDestination' },
  repeated: { kind: 'repeated', member: 'name', other: 'destinations[6]', row: 7 },
  lasting: { kind: 'lasting' },
  notEmptied: { kind: 'notEmptied' },
  variable: { kind: 'variable', prefix: 'SRT_' },
  unset: { kind: 'unset', variable: 'SRT_STUDIO_A' },
  hidden: { kind: 'hidden' },
  nothingToKeep: { kind: 'nothingToKeep' },
  notRead: { kind: 'notRead' },
  otherSource: { kind: 'otherSource' },
  otherDestination: { kind: 'otherDestination' },
  severalFit: { kind: 'severalFit', ids: 'd1, __d2__' },
  noSuchDestination: { kind: 'noSuchDestination' },
  sameDestination: { kind: 'sameDestination', other: 'destinations.two' },
  sameName: { kind: 'sameName' },
  incomplete: { kind: 'incomplete', names: '"out a", "out b"' },
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

type Texts = Record<string, string>

/** Sentences that follow or precede one with the host, or are about a form. */
const ANYWHERE = `
  tryAgainOrWait tryAgain maybeHttps maybeHttp pin notOwned otherFlows failoverWaits otherVersion
  engineSilent noOwner engineAway commandLost resultTooLarge foreignError changeMade otherFailover
  monitorStopped switchUnknown switchStopped switchBusy switchHeld switchChanged switchNoRoute
  switchNotSent noFailover correctLogin loginNotFound apiInUrl pathInUrl noSession nextLogin
  noLogin checkConflict checkValues says gotNothing gotPage gotText gotDeep gotMany differs
  confirmProtected confirmShared mayBeApplied notSent unchanged lastNothing lastPending
  lastNoRoute lastNoDestination lastNotRunning lastNotStopped lastRouteNotRunning planOutdated
  planDiffers planUsed newPlan routeChanged routeToCreate undoRunning nothingToUndo notUndone
  uncertainRoute uncertainAnyRoute uncertainProtected checkName restartFailed restartFailedOne
  restartInDoubt restartInDoubtOne urlMissing urlLong urlInvalid urlNoScheme urlScheme urlUser
  urlQuery fingerprintInvalid protectedRoutesInvalid fingerprintNeedsHttps noUsername noPassword
  tlsMissing proxyMissing proxyInvalid variable wholeNumber number secretPrefix flag lines
  correctNode engineInvalid engineHasUser engineNoUser engineCredentials engineTwoAccounts
  engineNotTls fleetInvalid replicasInvalid correct passwordNeeded notDeployed gatewayGone
  gatewayNotChosen noGateways inventorySource inventoryNotArray inventoryNoHeader inventoryQuote
  inventoryColumnTwice inventoryColumn inventoryNotJson inventoryNotJsonAt inventoryTooLarge
  inventoryHosts inventoryFile inventoryContext inventoryStore inventoryWaiting inventoryKept
  inventoryShrunk inventoryRow inventoryRowNamed rowNoObject rowNoName rowLongName rowSameName
  rowSameUrl rowField rowKept rowNotText rowVariable rowPlain rowNoVariable rowPrefix rowHost
  applianceNotFound didYouMean inventorySlow callersSource callersNoList callersRow callersAddress
  callersExpected fleetTwice inventoryDiffers engineMissing fleetKeyMissing fleetKeyShort
  engineLost applianceNeeded applianceElsewhere applianceInPart share unusableId
`

type Failure = Partial<Responded> & { message: string }

/** The marks for values in a text. */
const marksIn = (text: string): string[] =>
  [...new Set(Array.from(text.matchAll(/__([a-z]+)__/gi), ([, name]) => name!))].sort()

/** The properties of a message that a text asks for. */
const propertiesIn = (text: string): string[] => (text.match(/\bmsg\.[a-z]+/gi) ?? []).sort()

/** A value for each mark of a sentence, which looks like another mark. */
const valuesFor = (words: string): Record<string, string> =>
  Object.fromEntries(
    marksIn(words).map((name) => [name, name === 'property' ? 'timeout' : `${name} of __host__`]),
  )

type SentenceOf = (failure: Failure) => string

interface Formats {
  numeral: (value: number) => string
  timeOf: (at: Date) => string
  dateOf: (at: Date) => string
}

describe('the words of the editor', () => {
  for (const language of LANGUAGES) {
    it(`have each sentence of an error, with the same values and properties: ${language}`, () => {
      const texts = textsAt('gateway', language, 'failure') as Texts
      Object.keys(texts)
        .sort()
        .should.eql([...Object.keys(SENTENCES), 'thisGateway'].sort())
      for (const [key, words] of Object.entries(SENTENCES)) {
        marksIn(texts[key]!).should.eql(marksIn(words), key)
        propertiesIn(texts[key]!).should.eql(propertiesIn(words), key)
      }
    })

    it(`show a failure sentence by sentence, with its values as they are: ${language}`, () => {
      const { sentenceOf: shown } = editorModule<{ sentenceOf: SentenceOf }>(
        'editor/ask.ts',
        language,
      )
      const texts = textsAt('gateway', language, 'failure') as Texts
      const { timeout: label = '' } = textsAt('gateway', language, 'label') as Texts
      for (const [key, words] of Object.entries(SENTENCES)) {
        const values = valuesFor(words)
        const expected = texts[key]!.replace(/__([a-z]+)__/gi, (_, name: string) =>
          name === 'property' ? label : values[name]!,
        )
        const said = shown({ message: '', sentences: [{ key, values }, { text: 'And so on.' }] })
        said.should.equal(`${expected} And so on.`.replace('。 ', '。'), key)
      }
    })

    it(`name the gateway where its host is not known: ${language}`, () => {
      const { sentenceOf: shown } = editorModule<{ sentenceOf: SentenceOf }>(
        'editor/ask.ts',
        language,
      )
      const texts = textsAt('gateway', language, 'failure') as Texts
      shown({ message: '', sentences: [{ key: 'selfSigned', values: {} }] }).should.equal(
        texts['selfSigned']!.replace('__host__', texts['thisGateway']!),
      )
      shown({ message: 'As it is.' }).should.equal('As it is.')
    })

    it(`write numbers and times of day as the language does: ${language}`, () => {
      const { numeral, timeOf, dateOf } = editorModule<Formats>('editor/text.ts', language)
      const { sentenceOf: shown } = editorModule<{ sentenceOf: SentenceOf }>(
        'editor/ask.ts',
        language,
      )
      const seconds = language === 'de' ? '2,5' : '2.5'
      numeral(2.5).should.equal(seconds)
      numeral(10_000).should.equal('10000')
      const values = { host: 'a', attempts: 3, time: 2.5 }
      shown({
        message: '',
        sentences: [{ key: 'noResponseToAttempts', values }],
      }).should.containEql(seconds)
      // Not 24:05, as English has it otherwise, and no 11/12, which is December to some.
      const at = new Date(2026, 10, 12, 0, 5, 3)
      timeOf(at).should.match(/^0?0:05:03$/)
      dateOf(at).should.equal(
        { 'en-US': 'Nov 12, 2026, 00:05:03', de: '12.11.2026, 00:05:03', ja: '2026/11/12 0:05:03' }[
          language
        ],
      )
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

    it(`name every fault of a failover, with its place: ${language}`, () => {
      const { wordsOf } = editorModule<{ wordsOf: (fault: FailoverFaults[number]) => string }>(
        'failover/editor/faults.ts',
        language,
      )
      const labels = textsAt('gateway', language, 'routeForm.member') as Texts
      for (const [kind, saved] of Object.entries(FAILOVERS)) {
        const fault = faultsOfFailover(saved).find(
          (each) => 'reason' in each && each.reason.kind === kind,
        )!
        should.exist(fault, kind)
        const { reason, problem } = fault as FailoverFault
        const words = wordsOf(fault)
        words.should.not.containEql(problem)
        const [, inside] = /^\w+\.(\w+)$/.exec(fault.path) ?? []
        if (inside) words.should.startWith(`${labels[inside]!}: `)
        if ('protocol' in reason) words.should.containEql(reason.protocol)
      }
    })

    it(`are there for no fault of a failover that does not exist: ${language}`, () => {
      const ofFailover = Object.keys(textsAt('failover', language, 'error') as object)
      ofFailover.sort().should.eql(Object.keys(FAILOVERS).sort())
    })

    it(`are there for no kind of fault that does not exist: ${language}`, () => {
      const texts = (path: string) => Object.keys(textsAt('gateway', language, path) as object)
      texts('routeForm.fault').sort().should.eql(Object.keys(REASONS).sort())
      texts('routeForm.wanted').sort().should.eql(Object.keys(WANTED).sort())
    })
  }
})

describe('the sentence of an error', () => {
  it('names the gateway wherever it is about the gateway', () => {
    const unnamed = Object.entries(SENTENCES).filter(([, words]) => !words.includes('__host__'))
    unnamed.map(([key]) => key).should.eql(ANYWHERE.trim().split(/\s+/))
  })

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
