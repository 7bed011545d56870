import type { PermissionViolationError } from '@nats-io/transport-node'
import { isOfTls } from '../../connection/faults'
import { GatewayError, say } from '../../errors'
import { inTime } from '../../stop'

/** The engine did not respond, or said that it cannot. Whether it did something is not known. */
export const engineAway = (reason: string): GatewayError =>
  new GatewayError('UNAVAILABLE', say('engineSilent', { reason }), { reason })

/** Waits for the engine, but no longer than `ms` milliseconds. */
export const answered = <T>(ms: number, work: Promise<T>): Promise<T> =>
  inTime(ms, work, () => engineAway(`no response within ${ms} ms`))

/** Why something failed, in a few words and without secrets. */
export function reasonOf(error: unknown): string {
  // The library puts these words where Node.js has no reason.
  if (!(error instanceof Error) || error.message.endsWith(' an undefined error')) return 'closed'
  const missing = missingRight(error)
  if (missing) return `no right to ${missing}`
  const from = error.cause instanceof Error ? error.cause : error
  const { code } = from as { code?: unknown }
  if (typeof code !== 'string') return error.message.slice(0, 200) || error.name
  return isOfTls(code) ? `${code}: check its certificate and Engine TLS` : code
}

/**
 * What the account was not allowed to do, as the right that it needs; undefined for other errors. Not the
 * whole subject: that is another one each time.
 */
export function missingRight(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'PermissionViolationError') return undefined
  const { operation, subject } = error as PermissionViolationError
  const tokens = subject.split('.')
  const stream = tokens.findIndex((token) => token.startsWith('KV_'))
  const known = stream >= 0 ? stream + 1 : tokens[0] === '$JS' ? tokens.length : 2
  const right = [...tokens.slice(0, known), ...(tokens.length > known ? ['>'] : [])].join('.')
  return operation === 'publish' ? `publish to "${right}"` : `subscribe to "${right}"`
}
