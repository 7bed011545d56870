// Why something failed, in a few words: there is no room for a sentence under a node.
import { textOf, LABELS, UNKNOWN, type SentenceKey } from '../../client/sentences'
import { withoutLabels, type GatewayError, type Sentence } from '../../client/errors'
import type { Short } from '../../client/model/faults'
import { shortened } from '../../client/model/legible'
import { LONGEST_NAME, type Words } from './catalog'

/** In characters. */
const LONGEST_REASON = 40

/**
 * Returns the reason in a few words: by the code and the cause where these say enough, since no text
 * of an error is a contract, or else from what the gateway or the message says.
 */
export function shortReason(failure: GatewayError, words: Words): string {
  const { code, cause, sentences } = failure
  // What was done before it failed is the news, such as a route that is off the air.
  const news = sentences.find((sentence) => sentence.news)?.news
  if (news) return words(`gateway:status.failed.${news}`)
  const reason = shortened(reasonOf(failure, words), LONGEST_REASON)
  if (cause.applied !== 'maybe' || DOUBTFUL.has(code)) return reason
  return words('gateway:status.failed.maybe', { reason })
}

/** Their words say so themselves. */
const DOUBTFUL = new Set(['OUTCOME_UNKNOWN', 'NOT_CONFIRMED'])

function reasonOf(failure: GatewayError, words: Words): string {
  const { code, sentences, cause } = failure
  const { applied, applianceMessage, problems = [], reason = '', statusCode } = cause
  const failed = (key: string, values = {}): string => words(`gateway:status.failed.${key}`, values)
  // The node is at one route, of one gateway or row; what happened to it is the news.
  const { appliance } = cause
  const gateway = appliance
    ? shortened(appliance, LONGEST_NAME)
    : words('gateway:failure.thisGateway')
  const sentence = excerpt(
    withoutLabels(sentences)
      .filter(({ key }, _, { length }) => length === 1 || key !== 'inventoryRowNamed')
      .map((one) => told(one, words, gateway))
      .join(' '),
  )

  // It says what was done before it failed.
  if (applied === 'yes') return sentence
  if (code === 'NOT_CONFIRMED' && applied === 'no') return failed('notSent')
  if (code === 'NOT_FOUND') return missing(sentences, failed) ?? sentence
  const short = sentences.find((one) => one.short)?.short
  if (short) return faultIn(short, words)
  const brief = sentences.find(({ key }) => key && BRIEF.has(key))
  if (brief) return failed(brief.key!, brief.values)
  if (code === 'INVALID_INPUT' || code === 'CONFIG') {
    const [first] = problems
    const values = { what: first?.path ?? '' }
    if (first) return faultIn({ key: 'invalid', values, of: problems.length }, words)
  }
  const isHandshake = code === 'TLS' && reason.startsWith('ERR_SSL_')
  const key = isHandshake ? 'noTls' : (KEYS[code]?.[reason] ?? KEYS[code]?.[''])
  if (key && !(code === 'LOGIN_REFUSED' && statusCode === 404)) return failed(key)
  if (applianceMessage) return excerpt(applianceMessage)
  if (statusCode !== undefined && statusCode >= 400 && STATUS.has(code)) {
    return failed(code, { status: statusCode })
  }
  return sentence
}

/** A fault in the words of the catalogs; the value itself has no room. */
function faultIn({ key, values = {}, of = 1 }: Short, words: Words): string {
  const said = { ...values }
  if ('what' in said) said.what = whatIn(String(said.what), words)
  const fault = words(`gateway:status.fault.${key}`, said)
  return of > 1 ? words('gateway:status.fault.more', { fault, more: of - 1 }) : fault
}

/** What a fault is about: a property by its label in the form, or the end of a path. */
function whatIn(path: string, words: Words): string {
  if (path === 'waitTimeout') return words('gateway:form.waitTimeout')
  if (Object.hasOwn(LABELS, path)) return words(`gateway:label.${path}`)
  const what = path.replace(/^msg\.(?!action$)/, '') || 'payload'
  if (what.length <= LONGEST_WHAT) return what
  return shortened(/[^.[\]]+\]?$/.exec(what)?.[0] ?? what, LONGEST_WHAT)
}

const LONGEST_WHAT = 24

/** Sentences of which the beginning says nothing: a cut would leave the host, and no reason. */
export const BRIEF: ReadonlySet<SentenceKey> = new Set([
  'gatewayGone',
  'incompleteList',
  'lastKnown',
  'notAGateway',
  'redirected',
  'redirectedHere',
  'sentNoResult',
  'sentPage',
  'unexpected',
])

/** By code and by what Node.js calls the reason; an empty reason stands for every other. */
const KEYS: Record<string, Record<string, string> | undefined> = {
  FORBIDDEN: { '': 'FORBIDDEN' },
  LOGIN_REFUSED: { '': 'LOGIN_REFUSED' },
  NOT_CONFIRMED: { '': 'NOT_CONFIRMED' },
  OUTCOME_UNKNOWN: { '': 'OUTCOME_UNKNOWN' },
  READ_ONLY: { '': 'READ_ONLY' },
  TIMEOUT: { '': 'TIMEOUT' },
  TOO_MANY_SESSIONS: { '': 'TOO_MANY_SESSIONS' },
  UNAVAILABLE: {
    ECONNREFUSED: 'refused',
    ECONNRESET: 'cut',
    EPIPE: 'cut',
    ENOTFOUND: 'noName',
    EAI_AGAIN: 'noName',
    EHOSTUNREACH: 'noWay',
    ENETUNREACH: 'noWay',
  },
  TLS: {
    '': 'TLS',
    CERT_HAS_EXPIRED: 'expired',
    CERT_NOT_YET_VALID: 'notYetValid',
    CERT_FINGERPRINT: 'otherCertificate',
    EPROTO: 'noTls',
  },
}

/** Codes of which the HTTP status is all there is to say. */
const STATUS = new Set(['REJECTED', 'UNAVAILABLE'])

/** What there is not: by the sentence, what it is, by which value, and whether that is a name or an ID. */
const MISSING: Partial<Record<SentenceKey, { about: string; by: string; as: 'noNamed' | 'noId' }>> =
  {
    routeNotFound: { about: 'route', by: 'route', as: 'noNamed' },
    routeIdNotFound: { about: 'route', by: 'id', as: 'noId' },
    destinationNotFound: { about: 'destination', by: 'id', as: 'noId' },
    destinationNotInRoute: { about: 'destination', by: 'id', as: 'noNamed' },
    destinationIdNotInRoute: { about: 'destination', by: 'id', as: 'noId' },
    deviceNotFound: { about: 'device', by: 'id', as: 'noId' },
  }

function missing(
  sentences: readonly Sentence[],
  failed: (key: string, values?: object) => string,
): string | undefined {
  for (const { key, values } of sentences) {
    const what = key && MISSING[key]
    if (!what) continue
    const name = values[what.by]
    // An ID says nothing here.
    if (typeof name !== 'string' || ID.test(name)) return failed(`no.${what.about}`)
    return failed(`${what.as}.${what.about}`, { name: shortened(name, LONGEST_NAME) })
  }
  return undefined
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4,}){2,}$/i

/** A sentence in the words of the catalogs, unless it is somebody else's. */
function told(sentence: Sentence, words: Words, host: string): string {
  const { key, values: own } = sentence
  if (!key) return textOf([sentence])
  // An address leaves no room for what is wrong.
  const values = { ...UNKNOWN, ...own, host }
  if ('property' in values) values.property = whatIn(String(values.property), words)
  return words(`gateway:failure.${key}`, values)
}

/** The first sentence: to its end, or to where it goes on with advice. */
function excerpt(text: string): string {
  // A name in quotes may contain a full stop.
  const sentence = /^(?:"[^"]*"|“[^”]*”|[^"“])*?(?=[.;!?](?:\s|$)|。)/.exec(text)?.[0] ?? text
  return sentence.replace(/^(?:[Tt]he |(?:Der|Die|Das) (?=\p{Lu}))/u, '')
}
