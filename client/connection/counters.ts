/**
 * What a connection has counted since it was opened, for whoever monitors it. Plain numbers that are
 * increased in place: to count costs a call nothing.
 */
export interface Counters {
  /** HTTP requests, with those for the session, by what came of them. */
  readonly requests: {
    /** A response with a status below 400. */
    ok: number
    /** A response with a status from 400. */
    rejected: number
    /** No complete response. One that was stopped from here, such as by a deploy, is not counted. */
    failed: number
  }
  /** Attempts to log in. */
  readonly logins: {
    ok: number
    /** The gateway refused the username or the password. */
    refused: number
    /** Any other reason. */
    failed: number
  }
  /** Polls that have succeeded, and how long they took in all. */
  readonly polls: { count: number; seconds: number }
}

export const newCounters = (): Counters => ({
  requests: { ok: 0, rejected: 0, failed: 0 },
  logins: { ok: 0, refused: 0, failed: 0 },
  polls: { count: 0, seconds: 0 },
})
