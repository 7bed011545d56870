export type Counters = ReturnType<typeof newCounters>

/**
 * What a connection has counted since it was opened, for whoever monitors it. Plain numbers that are
 * increased in place: to count costs a call nothing.
 */
export const newCounters = () => ({
  /**
   * HTTP requests, with those for the session: with a status below 400, with one from 400, and without
   * a complete response. One that was stopped from here, such as by a deploy, is not counted.
   */
  requests: { ok: 0, rejected: 0, failed: 0 },
  /** Attempts to log in: `refused` is the username or the password, `failed` any other reason. */
  logins: { ok: 0, refused: 0, failed: 0 },
  /** Polls that have succeeded, and how long they took in all. */
  polls: { count: 0, seconds: 0 },
})
