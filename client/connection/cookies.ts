import type { CookieJar } from 'tough-cookie'
import type { Answer } from './answer'

/** The cookies of one session: in memory only, and only ever sent to the origin they came from. */
export interface SessionCookies {
  /** Takes the Set-Cookie headers of a response. */
  take(answer: Answer): void
  /** Sets the session cookie by hand, for firmware that returns it only in the body. */
  set(sessionId: string): void
  /** The value of the Cookie header for the calls of the interface. */
  header(): string
  /** The value of the session cookie that would be sent; empty when there is none. */
  sessionId(): string
}

/** @param base the address of the appliance with its path prefix */
export function createCookies(base: URL): SessionCookies {
  const { CookieJar } = require('tough-cookie') as typeof import('tough-cookie')
  const jar: CookieJar = new CookieJar(undefined, { rejectPublicSuffixes: false })
  const api = new URL(`${base.pathname.replace(/\/+$/, '')}/api/devices`, base).href
  let header: string | undefined

  return {
    take(answer) {
      for (const cookie of answer.headers['set-cookie'] ?? []) {
        jar.setCookieSync(cookie, api.replace(/devices$/, 'session'), { ignoreError: true })
        header = undefined
      }
    },
    set(sessionId) {
      jar.setCookieSync(`sessionID=${sessionId}; Path=/`, api, { ignoreError: true })
      header = undefined
    },
    header: () => (header ??= jar.getCookieStringSync(api)),
    sessionId: () => jar.getCookiesSync(api).find(({ key }) => key === 'sessionID')?.value ?? '',
  }
}
