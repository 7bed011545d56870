/**
 * What differs between firmware versions, or is not publicly known and may go either way. See
 * docs/project/interface.md.
 */
export interface Dialect {
  /** Name of the pairings in the device configuration: `peers` or `calypsos`. */
  pairings: 'peers' | 'calypsos'
  /** `start-destination` and `stop-destination` are known (3.8 and later). */
  destinationCommands: boolean
  /** How a lost session shows; `redirect` = 302 to /login. */
  expiredStatus: 401 | 404 | 'redirect'
  forbiddenStatus: 403 | 401
  /** Name of the list of clients in the statistics of a destination. */
  clientList: 'clientStat' | 'clientsStat'
  /** The same in the statistics of one client. */
  clientAnswer: 'clientStat' | 'clientsStat'
  /** The state of a route that is not running. */
  stoppedState: 'idle' | 'stopped'
  /**
   * Destinations of an idle route show as `started` if they will run with it. By default none
   * does, as recorded: a started destination shows once its route runs.
   */
  startedWhileIdle: boolean
  /** `lastLoginDate` and `numLoginFailures` of GET /api/session: null in the vendor's sample. */
  loginHistory: 'numbers' | 'null'
  /** HLS destinations have a `port`, which clients were seen to count on. */
  hlsPort: boolean
  /** All numbers of statistics, and some of routes, come as strings. */
  numbersAsStrings: boolean
  /**
   * `standard`: Path and HttpOnly. To test how robust a client is, and not from any known firmware:
   * `secure` adds Secure and a Domain that is not this host; `none` sends no Set-Cookie, only the
   * session ID in the body.
   */
  cookie: 'standard' | 'secure' | 'none'
  /** The list response has `pendingRouteCreates`. */
  pendingRouteCreates: boolean
  /** false: a route does not show that a change of it is under way. */
  pendingChanges: boolean
  wrongPasswordStatus: 401 | 403 | 400 | 404
  /** false: `page` and `pageSize` are ignored, one response contains every route. */
  paging: boolean
  /** With path redundancy responses keep `srtNetworkBondingParams`. */
  bondingInResponse: boolean
}

export const DEFAULT_DIALECT: Readonly<Dialect> = {
  pairings: 'peers',
  destinationCommands: true,
  expiredStatus: 401,
  forbiddenStatus: 403,
  clientList: 'clientsStat',
  clientAnswer: 'clientStat',
  stoppedState: 'idle',
  startedWhileIdle: false,
  loginHistory: 'numbers',
  hlsPort: false,
  numbersAsStrings: false,
  cookie: 'standard',
  pendingRouteCreates: true,
  pendingChanges: true,
  wrongPasswordStatus: 401,
  paging: true,
  bondingInResponse: true,
}

/** All values of each switch, the default first. */
export const DIALECTS: { readonly [K in keyof Dialect]: ReadonlyArray<Dialect[K]> } = {
  pairings: ['peers', 'calypsos'],
  destinationCommands: [true, false],
  expiredStatus: [401, 404, 'redirect'],
  forbiddenStatus: [403, 401],
  clientList: ['clientsStat', 'clientStat'],
  clientAnswer: ['clientStat', 'clientsStat'],
  stoppedState: ['idle', 'stopped'],
  startedWhileIdle: [false, true],
  loginHistory: ['numbers', 'null'],
  hlsPort: [false, true],
  numbersAsStrings: [false, true],
  cookie: ['standard', 'secure', 'none'],
  pendingRouteCreates: [true, false],
  pendingChanges: [true, false],
  wrongPasswordStatus: [401, 403, 400, 404],
  paging: [true, false],
  bondingInResponse: [true, false],
}
