import { sentenceOf, shortOf, wholeSentenceOf, type Fault, type Short } from './model/faults'
import { legible } from './model/legible'
import { filled, forPrograms, mentions, say, textOf, words, type Sentence } from './sentences'

export { say, words, type Sentence } from './sentences'

/** What a code says of the failure. */
type Meaning =
  /** The same message may work later. */
  | 'retryable'
  /** A poll that failed for this reason will fail again, however long one waits. */
  | 'lasting'
  /** A change may have been made, unless `applied` says otherwise. */
  | 'doubtful'
  /** It is about the gateway, whatever the operation. */
  | 'of gateway'
  /** It leaves open whether a change was made. */
  | 'open'

/** A closed list and part of the public contract, see docs/errors.md: flows branch on them. */
const CODES = {
  CONFIG: ['lasting', 'of gateway'],
  INVALID_INPUT: ['lasting'],
  READ_ONLY: ['of gateway'],
  LOGIN_REFUSED: ['lasting', 'of gateway', 'open'],
  TOO_MANY_SESSIONS: ['retryable', 'of gateway', 'open'],
  FORBIDDEN: ['lasting'],
  NOT_FOUND: ['lasting'],
  CONFLICT: [],
  REJECTED: [],
  UNAVAILABLE: ['retryable', 'open'],
  TIMEOUT: ['retryable', 'open'],
  TLS: ['lasting', 'of gateway', 'open'],
  BAD_RESPONSE: ['open'],
  OUTCOME_UNKNOWN: ['doubtful'],
  NOT_CONFIRMED: ['doubtful'],
  CLOSED: ['retryable', 'open'],
} satisfies Record<string, Meaning[]>

export type ErrorCode = keyof typeof CODES

export const ERROR_CODES = Object.keys(CODES) as readonly ErrorCode[]

const those = (meaning: Meaning): ReadonlySet<ErrorCode> =>
  new Set(ERROR_CODES.filter((code) => (CODES[code] as readonly Meaning[]).includes(meaning)))

const RETRYABLE = those('retryable')
const LASTING = those('lasting')
const DOUBTFUL = those('doubtful')
const ABOUT_GATEWAY = those('of gateway')
const OPEN = those('open')

/** One fault of an input: where it is, as a JSON path such as `destinations[1].port`, and what is wrong. */
export interface Problem {
  path: string
  problem: string
}

/** A fault, whether or not it has been put into words yet; with its sentence where it has one of its own. */
export type Finding = (Problem & { sentence?: string; short?: Short }) | Fault

/** Whether a failed operation changed the appliance: certainly not, perhaps, or certainly in part. */
export type Applied = 'no' | 'maybe' | 'yes'

/** What a Catch node finds under `msg.error.cause`. Plain data without secrets. */
export interface ErrorCause {
  /** The same as `code` of the error, which the Catch node of Node-RED 4.0 does not get. */
  code: ErrorCode
  /** The operation that failed, for example `get-route`. */
  operation?: string
  /** The config node. From plain Node.js an empty `id`, and the host. Absent where none is chosen. */
  gateway?: { id: string; name: string }
  /** The name of the gateway in the inventory of the config node, where that has one. */
  appliance?: string
  /** Why a connection failed, as Node.js names it, for example `ECONNREFUSED`. */
  reason?: string
  /** HTTP status of the response, where there was one. */
  statusCode?: number
  /** `error.type` of the appliance's error body. */
  applianceType?: string
  /** `error.message` of the appliance's error body. */
  applianceMessage?: string
  /** True when sending the same message again later can work and does no harm. */
  retryable: boolean
  /** Whether something was changed by this message. Known at the attempt, never guessed afterwards. */
  applied: Applied
  /**
   * With `INVALID_INPUT`, every fault of the input at once; with `CONFIG`, those of the settings or
   * options; with `CLOSED`, the rows of a list that were sent and had not been seen.
   */
  problems?: Problem[]
}

export type Said = string | Sentence | readonly Sentence[]

/** A failed call. `message` says what happened and what to do; `code` is one of {@link ERROR_CODES}. */
export class GatewayError extends Error {
  readonly code: ErrorCode
  override readonly cause: ErrorCause
  readonly #sentences: readonly Sentence[]

  constructor(code: ErrorCode, said: string, cause?: Partial<ErrorCause>)
  /** @internal Sentences are of the package. */
  constructor(code: ErrorCode, said: Said, cause?: Partial<ErrorCause>)
  constructor(code: ErrorCode, said: Said, cause: Partial<ErrorCause> = {}) {
    // A text may come from anywhere, and stands in logs, in the status and in the editor.
    const sentences = withValues(sentencesOf(said), legible)
    super(bounded(textOf(sentences), 1500))
    this.name = 'GatewayError'
    this.code = code
    this.#sentences = sentences
    const { applied = DOUBTFUL.has(code) ? 'maybe' : 'no', retryable = RETRYABLE.has(code) } = cause
    const known = Object.entries(cause).filter(([, value]) => value !== undefined)
    this.cause = {
      ...withTexts(Object.fromEntries(known), legible),
      code,
      retryable: retryable && applied === 'no',
      applied,
    }
  }

  /** @internal The message as sentences with their values, which the editor translates. */
  get sentences(): readonly Sentence[] {
    return this.#sentences
  }

  /** The sentence alone: this is what Node-RED puts into `msg.error.message`. */
  override toString(): string {
    return this.message
  }
}

/** A copy with each text changed. */
export const withTexts = <T extends object>(facts: T, change: (text: string) => string): T =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? change(value) : value,
    ]),
  ) as T

export const withValues = (
  sentences: readonly Sentence[],
  change: (text: string) => string,
): readonly Sentence[] =>
  sentences.map((one) => ({ ...one, values: withTexts(one.values, change) }))

const sentencesOf = (said: Said): readonly Sentence[] => {
  if (typeof said === 'string') return [words('__text__', { text: said })]
  return 'words' in said ? [said] : said
}

/** Whether a poll that failed for this reason will fail again, however long one waits. */
export const isLasting = ({ code }: GatewayError): boolean => LASTING.has(code)

/** A list of 5,000 routes may be all wrong; more would keep everything else waiting. */
const MOST_PROBLEMS = 10_000

/** The error for bad input: up to five faults as sentences, and the others in `cause.problems`. */
export const invalidInput = (found: readonly Finding[]): GatewayError =>
  faulty('INVALID_INPUT', found, [say('unchanged')])

/** The error for options or settings that cannot work. */
export const badSettings = (found: readonly Finding[], ...advice: Sentence[]): GatewayError =>
  faulty('CONFIG', found, advice)

const withoutUnchanged = (sentences: readonly Sentence[]): readonly Sentence[] =>
  sentences.filter(({ key }) => key !== 'unchanged')

/** The same failure as one of the settings of a node, where they are what was wrong. */
export function asSetting(error: unknown): unknown {
  if (!(error instanceof GatewayError) || error.code !== 'INVALID_INPUT') return error
  const said = [...withoutUnchanged(error.sentences), say('correctNode')]
  return new GatewayError('CONFIG', said, {
    ...error.cause,
    code: undefined,
  })
}

function faulty(
  code: 'INVALID_INPUT' | 'CONFIG',
  found: readonly Finding[],
  advice: Sentence[],
): GatewayError {
  const problems = found.slice(0, MOST_PROBLEMS).map((each) => ({
    path: bounded(legible(each.path), 500),
    problem: bounded(legible('kind' in each ? sentenceOf(each) : each.problem), 1000),
  }))
  const said = found.slice(0, 5).map((each, index) => {
    const own = 'kind' in each ? wholeSentenceOf(each) : each.sentence
    const { path, problem } = problems[index]!
    const sentence = own ?? `${path || 'The input'} ${problem}`
    return /[.?]$/.test(sentence) ? sentence : `${sentence}.`
  })
  const numbered = said.length > 1 ? said.map((one, index) => `${index + 1}. ${one}`) : said
  const listed = found.length > MOST_PROBLEMS ? `the first ${MOST_PROBLEMS}` : 'all'
  const more =
    found.length > 5 ? ` And ${found.length - 5} more, ${listed} in error.cause.problems.` : ''
  const faults = bounded(numbered.join(' '), 1200) + more
  const [first] = found
  const short = first && ('kind' in first ? shortOf(first) : first.short)
  return new GatewayError(
    code,
    [
      {
        ...words('__faults__', { faults }),
        ...(short && { short: { ...short, of: found.length } }),
      },
      ...advice,
    ],
    { problems },
  )
}

// A name, or a list of all devices, may be of any length.
const bounded = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text

/** A change while the gateway is set to read-only. */
export const readOnlyError = (): GatewayError => new GatewayError('READ_ONLY', say('readOnly'))

/** A change, stop or delete of protected routes that was not confirmed. @param routes their names */
export function protectedError(routes: readonly string[]): GatewayError {
  const [only = '', ...others] = routes
  const quoted = routes.map((route) => `"${route}"`).join(', ')
  const values = { count: routes.length, names: bounded(quoted, 800) }
  const said: Sentence[] =
    others.length === 0
      ? [
          say('protected', { route: bounded(only, 200) }),
          say('unchanged'),
          say('confirmProtected', { route: bounded(only, 200) }),
        ]
      : [
          words(
            '__count__ routes on __host__ are protected by its configuration: __names__.',
            values,
          ),
          say('unchanged'),
          words('To override, set confirmProtected to an array of exactly these names.'),
        ]
  said[0] = { ...said[0]!, news: 'protected' }
  return new GatewayError('READ_ONLY', said)
}

/** A response that is not as documented. */
export const badResponse = (said: Said, statusCode?: number): GatewayError =>
  new GatewayError('BAD_RESPONSE', said, { statusCode })

/** True for an error of this package with one of these codes. */
export const hasCode = (error: unknown, ...codes: readonly ErrorCode[]): error is GatewayError =>
  error instanceof GatewayError && codes.includes(error.code)

/** The failure of a call. @throws any other error, and what says that the call was ended */
export function failureOf(error: unknown): GatewayError {
  if (!(error instanceof GatewayError) || error.code === 'CLOSED') throw error
  return error
}

/** The end of a call because its node, its signal or its gateway was stopped. */
export const closedError = (): GatewayError => new GatewayError('CLOSED', say('stopped'))

/** A call of a gateway that its program has closed: no later one can succeed. */
export const gatewayClosed = (): GatewayError =>
  new GatewayError('CLOSED', words('This gateway was closed.'), { retryable: false })

/** Also for an error of another copy of this package, for which `instanceof` is false. */
export function isGatewayError(error: unknown): error is GatewayError {
  if (!(error instanceof Error) || error.name !== 'GatewayError') return false
  const { code, cause } = error as Partial<GatewayError>
  return typeof code === 'string' && typeof cause === 'object' && cause !== null
}

/** The gateway that an error is about, as far as it is known. */
export interface Identity {
  /** Of the config node; empty in plain Node.js. */
  id: string
  /** Of the config node, or else the host; of one in an inventory, its name there. */
  name: string
  /** As sentences call it: host, and port where the URL has one, with its name in an inventory. */
  host: string
  /** The name of the config node, where `name` is one in its inventory. */
  inventory?: string
}

export function identityOf(
  { id, name, inventory }: Omit<Identity, 'host'>,
  host: string,
): Identity {
  if (inventory === undefined) return { id, name: name || host, host }
  return { id, name, host: name === host ? host : `${name} (${host})`, inventory }
}

/** The operation that an error is about. */
export interface Reporting {
  name: string
  /** Of one that only reads, that nothing was changed goes without saying. */
  changes?: boolean
  /** How many changes it has sent that may have arrived. */
  writes?: number
  /** The name of its route or, while it is not known, the ID. */
  route?: string
}

/** Turns whatever was thrown into a GatewayError that names the operation, the gateway and the route. */
export function asGatewayError(
  error: unknown,
  operation: Reporting,
  gateway?: Identity,
): GatewayError {
  if (error instanceof GatewayError) return reported(error, operation, gateway)
  const reason = thrownAs(error)
  const failure = new GatewayError('BAD_RESPONSE', say('notProcessed', { reason }), {
    applied: (operation.writes ?? 0) > 0 ? 'maybe' : 'no',
  })
  const whole = reported(failure, operation, gateway)
  if (error instanceof Error) whole.stack = error.stack
  return whole
}

/** What was thrown, in words. Not everything that can be thrown can be made a text. */
export function thrownAs(error: unknown): string {
  try {
    return String(error)
  } catch {
    return 'no reason is given'
  }
}

/** What an error is about, before its sentences. */
const ROUTE = words('Route "__route__":')
const ROUTE_AT = words('Route "__route__" on __host__:')
const HOST = words('__host__:')
const GATEWAY = words('Gateway "__gateway__":')

/** The sentences alone, for a place that shows what they are about. */
export const withoutLabels = (sentences: readonly Sentence[]): readonly Sentence[] =>
  sentences.filter(({ words: said }) => !LABELS.has(said))

const LABELS: ReadonlySet<string> = new Set(
  [ROUTE, ROUTE_AT, HOST, GATEWAY].map((one) => one.words),
)

export const ofConfiguration = (error: GatewayError, { name }: Identity): GatewayError =>
  restated(error, filled([GATEWAY, ...error.sentences], { gateway: name }))

/** The same in the words of who called: the one place that names operation, gateway and route. */
export function reported(
  failure: GatewayError,
  operation: Reporting,
  gateway?: Identity,
): GatewayError {
  const { code, sentences, cause } = failure
  const { name, changes, route } = operation
  const values: Record<string, string> = {}
  if (gateway?.host) values.host = gateway.host
  if (route !== undefined) values.route = bounded(route, 200)
  const said =
    changes === false
      ? withoutUnchanged(sentences)
      : [...sentences, ...(isUnsent(operation, failure) ? [say('unchanged')] : [])]
  const label = labelFor(said, {
    route: values.route && (!ABOUT_GATEWAY.has(code) || cause.applied !== 'no') ? ROUTE : undefined,
    host: values.host,
  })
  const { id, name: of, inventory } = gateway ?? {}
  const whole = filled([...label, ...said], values)
  return new GatewayError(code, id === '' ? forPrograms(whole) : whole, {
    ...cause,
    operation: name,
    gateway: id === undefined || of === undefined ? cause.gateway : { id, name: inventory ?? of },
    appliance: inventory === undefined ? cause.appliance : of,
  })
}

/** True for a change of which nothing was sent, while no sentence says so. */
const isUnsent = (
  { changes, writes = 0 }: Reporting,
  { code, sentences, cause }: GatewayError,
): boolean =>
  changes === true &&
  writes === 0 &&
  cause.applied === 'no' &&
  OPEN.has(code) &&
  !sentences.some((one) => /not sent|Nothing was/.test(one.words))

/** What the sentences are about, as far as they do not say it. */
function labelFor(
  said: readonly Sentence[],
  { route, host }: { route?: Sentence; host?: string },
): Sentence[] {
  const names = (mark: string): boolean => said.some((one) => mentions(one, mark))
  const hasHost =
    !host || names('host') || names('appliance') || said.some((one) => one.words === GATEWAY.words)
  if (route && !names('route')) return [hasHost ? route : ROUTE_AT]
  return hasHost ? [] : [HOST]
}

export const restated = (error: GatewayError, sentences: readonly Sentence[]): GatewayError =>
  new GatewayError(error.code, sentences, error.cause)

/** What would be wrong once something may have been changed. */
const ONLY_UNCHANGED: ReadonlySet<Sentence['key']> = new Set([
  'unchanged',
  'tryAgain',
  'tryAgainOrWait',
])

const withoutClaims = (sentences: readonly Sentence[]): readonly Sentence[] =>
  sentences.filter(({ key }) => key === undefined || !ONLY_UNCHANGED.has(key))

/** The same failure, of a change that may have been applied anyway. */
export function inDoubt(error: GatewayError): GatewayError {
  const { code, sentences, cause } = error
  if (cause.applied !== 'no') return error
  return new GatewayError(code, [...withoutClaims(sentences), say('mayBeApplied')], {
    ...cause,
    applied: 'maybe',
  })
}

/** The same failure, with how much was applied before it. */
export function afterChanges(error: GatewayError, applied: Applied): GatewayError {
  const { code, sentences, cause } = error
  return new GatewayError(code, withoutClaims(sentences), { ...cause, applied })
}

/** True for the failure of a change that may have been applied anyway. */
export const mayHaveArrived = (error: unknown): boolean =>
  error instanceof GatewayError && error.cause.applied !== 'no'
