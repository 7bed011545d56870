import { randomBytes } from 'node:crypto'
import type { Dialect } from './dialect'
import { asObject, Refusal, json, redirect, type Reply } from './http'

/** The three fixed roles of docs/project/interface.md#roles. */
export type Role = 'Administrator' | 'Operator' | 'Observer'

export interface Account {
  username: string
  password: string
  role: Role
}

export interface Session {
  id: string
  account: Account
  /** Unix time, ms. */
  startAt: number
  expireAt: number
  /** As the login returned them: date of the previous login, and wrong passwords since then. */
  lastLoginDate: number
  numLoginFailures: number
}

/** The settings for sessions, read at every call so that they can be changed at any time. */
export interface SessionRules {
  sessionLifetime: number
  slidingSessions: boolean
  maxSessions: number
  lockoutAfter: number
  lockoutDuration: number
  /** Prefix of every session ID, so that a test can find them all. */
  sessionPrefix: string
  dialect: Dialect
}

/** The simulated appliance's own three accounts, with their factory names. */
export const DEFAULT_ACCOUNTS: readonly Account[] = [
  { username: 'haiadmin', password: 'manager', role: 'Administrator' },
  { username: 'operator', password: 'supervisor', role: 'Operator' },
  { username: 'user', password: 'public', role: 'Observer' },
]

/**
 * Accounts, their sessions, and their counts of wrong passwords. See
 * docs/project/interface.md#session.
 */
export class Sessions {
  loginAttempts = 0
  logins = 0
  logouts = 0
  private readonly open = new Map<string, Session>()
  private readonly records = new Map<string, LoginRecord>()

  constructor(
    private readonly accounts: readonly Account[],
    private readonly rules: SessionRules,
    private readonly now: () => number,
  ) {}

  /** How many sessions are neither deleted nor expired. */
  get count(): number {
    for (const session of this.open.values()) {
      if (session.expireAt <= this.now()) this.open.delete(session.id)
    }
    return this.open.size
  }

  /** POST /api/session. */
  login(credentials: unknown): { session: Session; reply: Reply } {
    this.loginAttempts++
    const { username, password } = asCredentials(credentials)
    const account = this.accounts.find((known) => known.username === username)
    const record = this.record(username)
    if (record.lockedUntil > this.now()) throw this.wrong('The account is locked.')
    if (account?.password !== password) {
      record.failures++
      record.inARow++
      if (this.rules.lockoutAfter > 0 && record.inARow >= this.rules.lockoutAfter) {
        record.lockedUntil = this.now() + this.rules.lockoutDuration
        record.inARow = 0
      }
      throw this.wrong('The username or the password is wrong.')
    }
    if (this.count >= this.rules.maxSessions) {
      throw new Refusal(429, 'Session', 'The maximum number of concurrent sessions is reached.')
    }
    const session = this.begin(account, record)
    const reply = json(
      200,
      {
        response: {
          type: 'Session',
          message: `User ${username} has logged in.`,
          sessionID: session.id,
          lastLoginDate: session.lastLoginDate,
          numLoginFailures: session.numLoginFailures,
        },
      },
      this.cookie(session),
    )
    record.failures = 0
    record.inARow = 0
    record.lastLoginDate = session.startAt
    return { session, reply }
  }

  /** The live session of a cookie, extended if sessions slide. */
  resume(id: string | undefined): Session | undefined {
    const session = id === undefined ? undefined : this.open.get(id)
    if (!session) return undefined
    if (session.expireAt <= this.now()) {
      this.open.delete(session.id)
      return undefined
    }
    if (this.rules.slidingSessions) session.expireAt = this.now() + this.rules.sessionLifetime
    return session
  }

  /** The reply to a call with a missing or dead session. */
  gone(): Reply {
    const status = this.rules.dialect.expiredStatus
    if (status === 'redirect') return redirect('/login')
    return new Refusal(status, 'Session', 'The session does not exist or has expired.').reply()
  }

  /** GET /api/session. */
  information(session: Session): object {
    const isTold = this.rules.dialect.loginHistory === 'numbers'
    return {
      sessionID: session.id,
      displayName: displayNameOf(session.account),
      email: `${session.account.username}@localhost`,
      roles: [session.account.role],
      startAt: session.startAt,
      expireAt: session.expireAt,
      lastLoginDate: isTold ? session.lastLoginDate : null,
      numLoginFailures: isTold ? session.numLoginFailures : null,
      isLicensed: true,
    }
  }

  /** DELETE /api/session: not wrapped, unlike the login response. */
  logout(session: Session): object {
    this.open.delete(session.id)
    this.logouts++
    return { type: 'Session', message: `User ${session.account.username} has logged out.` }
  }

  forget(id: string): void {
    this.open.delete(id)
  }

  forgetAll(): void {
    this.open.clear()
  }

  private begin(account: Account, record: LoginRecord): Session {
    const startAt = this.now()
    const session: Session = {
      id: this.rules.sessionPrefix + randomBytes(24).toString('base64url'),
      account,
      startAt,
      expireAt: startAt + this.rules.sessionLifetime,
      lastLoginDate: record.lastLoginDate,
      numLoginFailures: record.failures,
    }
    this.open.set(session.id, session)
    this.logins++
    return session
  }

  private cookie(session: Session): Record<string, string> {
    if (this.rules.dialect.cookie === 'none') return {}
    const extra =
      this.rules.dialect.cookie === 'secure' ? '; Secure; Domain=gateway.example.com' : ''
    return { 'Set-Cookie': `sessionID=${session.id}; Path=/; HttpOnly${extra}` }
  }

  private record(username: string): LoginRecord {
    let record = this.records.get(username)
    if (!record) {
      record = { failures: 0, inARow: 0, lockedUntil: 0, lastLoginDate: this.now() - 86_400_000 }
      this.records.set(username, record)
    }
    return record
  }

  private wrong(message: string): Refusal {
    return new Refusal(this.rules.dialect.wrongPasswordStatus, 'Session', message)
  }
}

interface LoginRecord {
  /** Wrong passwords since the last right one. */
  failures: number
  /** The same since the last lock, which restarts the count. */
  inARow: number
  lockedUntil: number
  lastLoginDate: number
}

/** The factory Administrator's is known; the other names are our choice. */
function displayNameOf({ username }: Account): string {
  return username === 'haiadmin' ? 'Administrator' : username
}

function asCredentials(body: unknown): { username: string; password: string } {
  const { username, password } = asObject(body)
  if (typeof username !== 'string' || typeof password !== 'string') {
    throw new Refusal(400, 'Session', 'username and password are required.')
  }
  return { username, password }
}
