/** What differs between firmware versions, or is not publicly known and may go either way. */
export interface Dialect {
  /** Name of the pairings in the device configuration: the spec says `peers`, facts 3.2 `calypsos`. */
  pairings: 'peers' | 'calypsos'
  /** `start-destination` and `stop-destination` are known (3.8 and later, facts 4.6). */
  destinationCommands: boolean
  /** How a session that is gone shows (facts 2.3); `redirect` = 302 to /login. */
  expiredStatus: 401 | 404 | 'redirect'
  forbiddenStatus: 403 | 401
  /** Name of the client list in statistics (facts 7). */
  clientList: 'clientStat' | 'clientsStat'
  /** What a route that does not run calls its state (facts 5.1). */
  stoppedState: 'idle' | 'stopped'
  /** All numbers of statistics, and some of routes, come as strings (facts 10). */
  numbersAsStrings: boolean
  /**
   * `standard`: Path and HttpOnly. `secure`: also Secure and a Domain that is not this host.
   * `none`: no Set-Cookie, the session ID is only in the body.
   */
  cookie: 'standard' | 'secure' | 'none'
  /** The list answer has `pendingRouteCreates` (facts 4.1). */
  pendingRouteCreates: boolean
  wrongPasswordStatus: 401 | 403 | 400 | 404
  /** false: `page` and `pageSize` are ignored, one answer holds every route. */
  paging: boolean
  /** With path redundancy the answer keeps `srtNetworkBondingParams` (facts 5.2 leave it open). */
  bondingInResponse: boolean
}

export const DEFAULT_DIALECT: Readonly<Dialect> = {
  pairings: 'calypsos',
  destinationCommands: true,
  expiredStatus: 401,
  forbiddenStatus: 403,
  clientList: 'clientsStat',
  stoppedState: 'idle',
  numbersAsStrings: false,
  cookie: 'standard',
  pendingRouteCreates: true,
  wrongPasswordStatus: 401,
  paging: true,
  bondingInResponse: true,
}

/** Every value that each switch can take, the usual one first. */
export const DIALECTS: { readonly [K in keyof Dialect]: ReadonlyArray<Dialect[K]> } = {
  pairings: ['calypsos', 'peers'],
  destinationCommands: [true, false],
  expiredStatus: [401, 404, 'redirect'],
  forbiddenStatus: [403, 401],
  clientList: ['clientsStat', 'clientStat'],
  stoppedState: ['idle', 'stopped'],
  numbersAsStrings: [false, true],
  cookie: ['standard', 'secure', 'none'],
  pendingRouteCreates: [true, false],
  wrongPasswordStatus: [401, 403, 400, 404],
  paging: [true, false],
  bondingInResponse: [true, false],
}
