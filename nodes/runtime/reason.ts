// Why something failed, in a few words: there is no room for a sentence under a node.
import type { GatewayError } from '../../client/internal'
import { shortened } from '../../client/model/shortened'
import { LONGEST_NAME, type Words } from './words'

/** In characters. */
const LONGEST_REASON = 40

/**
 * Returns the reason in a few words: by the code and the cause where these say enough, since no text
 * of an error is a contract, or else from what the gateway or the message says.
 */
export function briefly(failure: GatewayError, words: Words): string {
  const { code, cause } = failure
  const reason = shortened(reasonOf(failure, words), LONGEST_REASON)
  if (cause.applied !== 'maybe' || DOUBTFUL.has(code)) return reason
  return words('gateway:status.failed.maybe', { reason })
}

/** Their words say so themselves. */
const DOUBTFUL = new Set(['OUTCOME_UNKNOWN', 'NOT_CONFIRMED'])

function reasonOf({ code, message, cause }: GatewayError, words: Words): string {
  const { applied, applianceMessage, problems = [], reason = '', statusCode } = cause
  const failed = (key: string, values = {}): string => words(`gateway:status.failed.${key}`, values)

  // What was done before it failed is the news, such as a route that is off the air.
  if (applied === 'yes') return sentenceOf(message)
  if (code === 'NOT_FOUND') return missing(message, failed) ?? sentenceOf(message)
  const [first, ...others] = problems
  if (code === 'INVALID_INPUT' && first) {
    const { path, problem } = first
    const fault = path ? `${path}: ${problem}` : problem
    const more = others.length > 0 ? ` (+${others.length})` : ''
    return shortened(sentenceOf(fault), LONGEST_REASON - more.length) + more
  }
  const key = KEYS[code]?.[reason] ?? KEYS[code]?.['']
  if (key && !(code === 'LOGIN_REFUSED' && statusCode === 404)) return failed(key)
  if (applianceMessage) return sentenceOf(applianceMessage)
  if (statusCode !== undefined && statusCode >= 400 && STATUS.has(code)) {
    return failed(code, { status: statusCode })
  }
  return sentenceOf(message)
}

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

/** What there is not, as far as the sentence says so in one of these ways. */
function missing(
  message: string,
  failed: (key: string, values?: object) => string,
): string | undefined {
  const found =
    /\bno (?:such )?(?<kind>route|destination|device)\b(?:(?: with the name| named| called)? ["“](?<name>[^"”]+)["”])?/i.exec(
      message,
    ) ??
    /\b(?<kind>route|destination|device) ["“](?<name>[^"”]+)["”] (?:does not exist|was not found)/i.exec(
      message,
    )
  const { kind = '', name } = found?.groups ?? {}
  if (!kind) return undefined
  const about = kind.toLowerCase()
  if (name === undefined) return failed(`no.${about}`)
  return failed(`noNamed.${about}`, { name: shortened(name, LONGEST_NAME) })
}

/** The first sentence, without what most sentences begin with. */
function sentenceOf(text: string): string {
  // The node is at one route; what happened to it is the news.
  const said = text.replace(/^Route "[^"]*": /, '')
  // To its end, or to where it goes on with advice. A name in quotes may contain a full stop.
  const sentence = /^(?:"[^"]*"|“[^”]*”|[^"“])*?(?=[.;!?](?:\s|$))/.exec(said)?.[0] ?? said
  return (
    sentence
      // An ID says nothing here.
      .replace(/ \((?:[0-9a-f]+-)+[0-9a-f]+\)/gi, '')
      .replace(/^The /, '')
  )
}
