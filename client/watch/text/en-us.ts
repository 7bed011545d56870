import { titled, type Words } from './words'

const counted = (one: string, many: string) => (count: number) =>
  `${count} ${count === 1 ? one : many}`

const destinationCalled = (name: string): string =>
  name ? `destination “${name}”` : 'a destination'

export const ENGLISH: Words = {
  decimal: '.',
  comma: ', ',

  gateway: (name) => (name ? titled('Gateway', name) : 'The gateway'),
  source: 'source',
  destination: destinationCalled,
  pairing: (name) => (name ? `pairing with ${name}` : 'a pairing'),
  networkInterface: (name) => (name ? `network interface ${name}` : 'a network interface'),

  says: (whole, part, predicate) =>
    part ? `${whole}: ${part} ${predicate}` : `${whole} ${predicate}`,
  predicates: {
    ok: 'is OK',
    okAgain: 'is OK again',
    warn: 'has a warning',
    error: 'has an error',
    unknown: 'is in an unknown state',
    lost: 'lost',
    back: 'is back',
    noData: 'receives no data',
    data: 'receives data',
    running: 'is running',
    stopped: 'is stopped',
    added: 'was added',
    removed: 'was removed',
    starts: 'started',
    stops: 'stopped',
  },
  shows: (whole, part, now, before) =>
    `${whole}: ${part ? `${part} ` : ''}${now}${before ? `, was ${before}` : ''}`,
  state: (word) => `, ${word}`,
  details: (words) => ` (${words})`,
  states: {
    connected: 'connected',
    connecting: 'connecting',
    'connection established': 'connection established',
    disconnected: 'disconnected',
    running: 'running',
    idle: 'stopped',
    stopped: 'stopped',
    online: 'online',
    offline: 'offline',
    never: 'never connected',
    'device error': 'device error',
    'communication error': 'communication error',
    accepted: 'accepted',
    'pair pending': 'waiting for the pairing',
    'pairing error': 'pairing error',
    'pairing timeout': 'pairing timed out',
    'pairing denied': 'pairing denied',
    'poll timeout': 'poll timed out',
    'poll error': 'poll error',
  },

  unreachable: (gateway, reason) => `${gateway} cannot be reached: ${reason}`,
  unwatchable: (gateway, reason) => `${gateway} cannot be watched: ${reason}`,
  reasons: {
    ECONNREFUSED: 'connection refused',
    ECONNRESET: 'connection cut off',
    EPIPE: 'connection cut off',
    ENOTFOUND: 'host name not found',
    EAI_AGAIN: 'host name lookup failed',
    EHOSTUNREACH: 'no network route to the host',
    ENETUNREACH: 'no route to the network',
    ETIMEDOUT: 'no response in time',
    TIMEOUT: 'no response in time',
    UNAVAILABLE: 'not available',
    TLS: 'no trusted TLS connection',
    LOGIN_REFUSED: 'login refused',
    TOO_MANY_SESSIONS: 'too many sessions',
    FORBIDDEN: 'access forbidden',
    NOT_FOUND: 'device not found',
    BAD_RESPONSE: 'unusable response',
    REJECTED: 'request rejected',
    CONFLICT: 'request rejected',
    CONFIG: 'unusable settings',
    INVALID_INPUT: 'unusable settings',
    READ_ONLY: 'read-only',
    OUTCOME_UNKNOWN: 'outcome unknown',
    NOT_CONFIRMED: 'not confirmed',
    CLOSED: 'connection closed',
  },
  backAfter: (gateway, duration) => `${gateway} is back${duration ? ` after ${duration}` : ''}`,
  engineLost: (gateway) =>
    `${gateway}: the lease on the engine is lost, so this instance has stopped working for its appliances`,
  engineBack: (gateway, duration) =>
    `${gateway}: the lease on the engine is back${duration ? ` after ${duration}` : ''}`,
  durations: {
    second: counted('second', 'seconds'),
    minute: counted('minute', 'minutes'),
    hour: counted('hour', 'hours'),
    day: counted('day', 'days'),
  },
  and: ' and ',

  firmware: (version, before) =>
    version ? `firmware ${version}${before ? `, was ${before}` : ''}` : 'firmware version unknown',
  address: (networkInterface, now, before) =>
    now
      ? `${networkInterface} has the address ${now}${before ? `, had ${before}` : ''}`
      : `${networkInterface} has no address${before ? `, had ${before}` : ''}`,
  interfaces: (names) =>
    names ? `network interfaces changed: ${names}` : 'network interfaces changed',

  added: (route, state) => `${titled('Route', route)} is new${state ? ` and is ${state}` : ''}`,
  removed: (route, wasRunning) =>
    `${titled('Route', route)}${wasRunning ? ', which was running,' : ''} is gone`,
  renamed: (before, after) => `${before} was renamed to ${after}`,
  noLongerRunning: (route, state) =>
    `${route} is no longer running${state ? `, state ${state}` : ''}`,
  changed: (route, parts) => `${route} was changed${parts ? `: ${parts}` : ''}`,
  several: (destinations) => `${destinations} destinations`,

  measured: (measure, destination) =>
    `${measure} of ${destination === undefined ? 'the source' : destinationCalled(destination)}`,
  measures: { bitrate: 'bitrate', roundTripTime: 'round-trip time', packetLoss: 'packet loss' },
  below: (what, value, limit) => `${what} ${value}, below ${limit}`,
  above: (what, value, limit) => `${what} ${value}, above ${limit}`,
  normal: (what, value) => `${what} normal again, ${value}`,
  notMeasured: (what) => `${what} no longer measured`,

  joined: (caller, part) => `${caller} has connected to ${part}`,
  left: (caller, part, duration) =>
    `${caller} has left ${part}${duration ? ` after ${duration}` : ''}`,

  running: (running, routes) => {
    if (routes === 0) return 'no routes'
    return `${running} of ${routes} routes ${running === 1 ? 'is' : 'are'} running`
  },
  stateUnknown: (routes) => `state of ${routes} unknown`,
}
