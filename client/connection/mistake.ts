import { GatewayError } from '../errors'
import type { Mistake } from '../model/settings'
import type { ProxyOptions } from './agents'
import { newCounters } from './counters'
import { isUntrusted } from './faults'
import { parseBase } from './settings'
import { createTransport } from './transport'

/** Milliseconds for each URL that is tried. */
const TIMEOUT = 3000

/**
 * Finds out whether a call failed because of a common mistake in the URL: tries the URL that may be
 * meant, without user, password or client certificate.
 * @returns undefined where no other URL does better
 */
export async function mistakeIn(
  { baseUrl, proxy }: { baseUrl: string; proxy?: ProxyOptions },
  error: unknown,
): Promise<Mistake | undefined> {
  if (!(error instanceof GatewayError) || error.code === 'CONFIG') return undefined
  const base = parseBase(baseUrl)
  const kind = likelyMistake(base, error)
  if (kind === undefined) return undefined
  const url = corrected(base, kind)
  return (await isBetter(url, kind, proxy)) ? { kind, url: url.href.replace(/\/$/, '') } : undefined
}

function likelyMistake(
  { protocol, pathname, port }: URL,
  error: GatewayError,
): Mistake['kind'] | undefined {
  const { statusCode, reason = '' } = error.cause
  const isCut = /^(ECONNRESET|EPIPE|EPROTO|HPE_\w+)$/.test(reason)
  const isClosed = reason === 'ECONNREFUSED' && port === ''
  if (protocol === 'http:' && (isCut || isClosed || statusCode === 400)) return 'https'
  if (protocol === 'https:' && isCut) return 'http'
  return pathname !== '/' && statusCode !== undefined ? 'path' : undefined
}

function corrected(base: URL, kind: Mistake['kind']): URL {
  const url = new URL(base)
  if (kind === 'path') url.pathname = '/'
  else url.protocol = `${kind}:`
  if (kind === 'http') url.port = base.port || '443'
  return url
}

async function isBetter(base: URL, kind: Mistake['kind'], proxy?: ProxyOptions): Promise<boolean> {
  const transport = createTransport({ base, proxy, timeout: TIMEOUT, counters: newCounters() })
  try {
    const path = '/api/session'
    const answer = await transport.send({ method: 'GET', path, timeout: TIMEOUT, most: 64 * 1024 })
    return kind === 'path' ? answer.unreadable === undefined : answer.status !== 400
  } catch (fault) {
    // A certificate for a person to judge.
    return kind === 'https' && isUntrusted(fault)
  } finally {
    transport.destroy()
  }
}
