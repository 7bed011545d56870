import { sentenceOf, type Fault } from './model/faults'

/**
 * The one error family of the package. The codes are a closed list and part of
 * the public contract (design 2.4): flows branch on them in a Catch node.
 */
export const ERROR_CODES = [
  'CONFIG',
  'INVALID_INPUT',
  'READ_ONLY',
  'LOGIN_REFUSED',
  'TOO_MANY_SESSIONS',
  'FORBIDDEN',
  'NOT_FOUND',
  'CONFLICT',
  'REJECTED',
  'UNAVAILABLE',
  'TIMEOUT',
  'TLS',
  'BAD_RESPONSE',
  'OUTCOME_UNKNOWN',
  'NOT_CONFIRMED',
  'CLOSED',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/** One fault of an input: where it is, as a JSON path such as `destinations[1].port`, and what is wrong. */
export interface Problem {
  path: string
  problem: string
}

/** A fault, whether or not it has been put into words yet. */
export type Finding = Problem | Fault

/**
 * Whether a failed operation changed the appliance: certainly not; perhaps, since a response
 * is missing or a change did not show; or certainly, in part at least.
 */
export type Applied = 'no' | 'maybe' | 'yes'

/** What a Catch node finds under `msg.error.cause`. Plain data without secrets. */
export interface ErrorCause {
  /** The same as `code` of the error, which the Catch node of Node-RED 4.0 does not get. */
  code: ErrorCode
  /** The operation that failed, for example `get-route`. */
  operation?: string
  /** Why a connection failed, as Node.js names it, for example `ECONNREFUSED`. */
  reason?: string
  /** HTTP status of the response, where there was one. */
  statusCode?: number
  /** `error.type` of the appliance's error body (facts 9.1). */
  applianceType?: string
  /** `error.message` of the appliance's error body (facts 9.1). */
  applianceMessage?: string
  /** True when sending the same message again later can work and does no harm. */
  retryable: boolean
  /** Whether something was changed by this message. Known at the attempt, never guessed afterwards. */
  applied: Applied
  /**
   * With `INVALID_INPUT`, every fault of the input at once; with `CLOSED`, the rows of a list that
   * were sent and had not been seen.
   */
  problems?: Problem[]
}

/**
 * A failed call. `message` is a sentence for a flow builder: what happened and
 * what to do; `code` is one of {@link ERROR_CODES}.
 */
export class GatewayError extends Error {
  readonly code: ErrorCode
  override readonly cause: ErrorCause

  constructor(code: ErrorCode, message: string, cause: Partial<ErrorCause> = {}) {
    super(bounded(message, 1500))
    this.name = 'GatewayError'
    this.code = code
    const { applied = DOUBTFUL.has(code) ? 'maybe' : 'no', retryable = RETRYABLE.has(code) } = cause
    const known = Object.entries(cause).filter(([, value]) => value !== undefined)
    this.cause = {
      ...Object.fromEntries(known),
      code,
      retryable: retryable && applied === 'no',
      applied,
    }
  }

  /** The sentence alone: this is what Node-RED puts into `msg.error.message`. */
  override toString(): string {
    return this.message
  }
}

const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'TOO_MANY_SESSIONS',
  'UNAVAILABLE',
  'TIMEOUT',
  'CLOSED',
])

/** Codes that mean a change in doubt, unless `applied` says otherwise. */
const DOUBTFUL: ReadonlySet<ErrorCode> = new Set(['OUTCOME_UNKNOWN', 'NOT_CONFIRMED'])

/** The error for bad input: one sentence with up to five faults, and all in `cause.problems`. */
export function invalidInput(found: readonly Finding[], operation?: string): GatewayError {
  const problems = found.map((each) => ({
    path: bounded(each.path, 500),
    problem: bounded('kind' in each ? sentenceOf(each) : each.problem, 1000),
  }))
  const faults = problems.map(({ path, problem }) => (path ? `${path}: ${problem}` : problem))
  const shown = faults.slice(0, 5).join('; ')
  const more =
    faults.length > 5 ? `; and ${faults.length - 5} more (all in error.cause.problems)` : ''
  return new GatewayError('INVALID_INPUT', `Nothing was changed. ${shown}${more}`, {
    operation,
    problems,
  })
}

// A name, or a list of all devices, may be of any length.
const bounded = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text

/** A change while the gateway is set to read only. */
export function readOnlyError({ name }: { name: string }): GatewayError {
  return new GatewayError(
    'READ_ONLY',
    'This gateway is set to read only: nothing was changed. To allow changes, clear "read only" in the config node.',
    { operation: name },
  )
}

/** A response that is not as documented. */
export function badResponse(what: string, statusCode?: number): GatewayError {
  return new GatewayError('BAD_RESPONSE', what, { statusCode })
}

/** The advice in the message of a change that may have been applied. */
const MAY_BE_APPLIED =
  'The change may or may not have been applied: look at the appliance before you send it again.'

/** The message of a call that was stopped by its node, its signal or the close of its gateway. */
export const STOPPED = 'The call was stopped before it finished.'

/** The end of a call because its node, its signal or its gateway was stopped. */
export const closedError = (): GatewayError => new GatewayError('CLOSED', STOPPED)

/**
 * True for an error of this package, even when it comes from another copy of it, for which
 * `instanceof` is false.
 */
export function isGatewayError(error: unknown): error is GatewayError {
  if (!(error instanceof Error) || error.name !== 'GatewayError') return false
  const { code, cause } = error as Partial<GatewayError>
  return typeof code === 'string' && typeof cause === 'object' && cause !== null
}

/** Turns whatever was thrown into a GatewayError that names the operation. */
export function asGatewayError(
  error: unknown,
  { name, writes }: { name: string; writes: number },
): GatewayError {
  if (error instanceof GatewayError) {
    return new GatewayError(error.code, error.message, { ...error.cause, operation: name })
  }
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const failure = new GatewayError(
    'BAD_RESPONSE',
    `The answer of the appliance could not be handled (${reason}). Please report this.`,
    { operation: name, applied: writes > 0 ? 'maybe' : 'no' },
  )
  if (error instanceof Error) failure.stack = error.stack
  return failure
}

/** The same failure, of a change that may have been applied all the same. */
export function inDoubt(error: GatewayError): GatewayError {
  const { code, message, cause } = error
  if (cause.applied !== 'no') return error
  return new GatewayError(code, `${message} ${MAY_BE_APPLIED}`, { ...cause, applied: 'maybe' })
}

/** The same failure, with how much was applied before it. */
export function afterChanges(error: GatewayError, applied: Applied): GatewayError {
  const { code, message, cause } = error
  return new GatewayError(code, message, { ...cause, applied })
}

/** True for the failure of a change that may have been applied all the same. */
export const mayHaveArrived = (error: unknown): boolean =>
  error instanceof GatewayError && error.cause.applied !== 'no'
