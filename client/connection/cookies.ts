import type { IncomingHttpHeaders } from 'node:http'
import { withoutSlashes } from '../model/settings'

export type SessionCookies = ReturnType<typeof createCookies>

/** Of each appliance. The session cookie is always among them. */
const MOST_COOKIES = 24
/** In characters, as browsers have it. */
const LONGEST_COOKIE = 4096

/**
 * The cookies of one session: in memory only, and only ever sent to the origin they came from.
 * @param base the address of the appliance with its path prefix
 */
export function createCookies(base: URL) {
  const { CookieJar } = require('tough-cookie') as typeof import('tough-cookie')
  const api = new URL(`${withoutSlashes(base.pathname)}/api/devices`, base).href
  /** By name, in the order in which they came. */
  const kept = new Map<string, string>()
  let header: string | undefined

  function keep(line: string): void {
    if (line.length > LONGEST_COOKIE) return
    // A session ends when the appliance says so: its clock may differ from ours.
    const lasting = line.replace(/;\s*(expires|max-age)\s*=[^;]*/gi, '')
    const jar = new CookieJar(undefined, { rejectPublicSuffixes: false })
    jar.setCookieSync(lasting, api.replace(/devices$/, 'session'), { ignoreError: true })
    for (const { key, value } of jar.getCookiesSync(api)) {
      kept.delete(key)
      kept.set(key, value)
    }
    for (const name of kept.keys()) {
      if (kept.size <= MOST_COOKIES) break
      if (name !== 'sessionID') kept.delete(name)
    }
  }

  return {
    /** Takes the Set-Cookie headers of a response. */
    take({ headers }: { headers: IncomingHttpHeaders }): void {
      for (const cookie of headers['set-cookie'] ?? []) {
        keep(cookie)
        header = undefined
      }
    },
    /** Sets the session cookie by hand, for firmware that returns it only in the body. */
    set(sessionId: string): void {
      keep(`sessionID=${sessionId}; Path=/`)
      header = undefined
    },
    /** The value of the Cookie header for the calls of the interface. */
    header: (): string => (header ??= [...kept].map((cookie) => cookie.join('=')).join('; ')),
    /** The value of the session cookie that would be sent; empty when there is none. */
    sessionId: (): string => kept.get('sessionID') ?? '',
  }
}
