import type { ErrorCode } from '../../client/errors'
import type { Call, Fault, FaultKind } from '../../simulator'
import { EFFECTS } from '../../simulator/faults'
import type { Variant } from './nodes'

/**
 * The required outcome of each fault, written from the documentation, not from the code: reads are
 * repeated where that may help, writes never where they may have arrived, a lost session is renewed
 * unnoticed, and what is not certain is not reported as certain.
 */

/** What the node makes a call for. */
export type Place = 'login' | 'introduction' | 'read' | 'write' | 'confirm' | 'logout'

/** `once`: one call is struck. `lasting`: that call and all after it, until the fault is gone. */
export const EXTENTS = ['once', 'lasting'] as const
export type Extent = (typeof EXTENTS)[number]

/** `ok`, or the code of the error. */
export type Outcome = 'ok' | ErrorCode

/** What a fault means to the caller. */
type Meaning =
  | 'nothing'
  | 'no answer'
  | 'connection cut'
  | 'answer cut off'
  | 'unreadable'
  | 'web page'
  | 'redirect'
  | 'away'
  | 'failed'
  | 'refused'
  | 'not found'
  | 'too many'
  | 'session ended'

const MEANINGS: Record<Exclude<FaultKind, 'status'>, Meaning> = {
  latency: 'nothing',
  'content-type': 'nothing',
  hang: 'no answer',
  'hang-after': 'no answer',
  reset: 'connection cut',
  'reset-after': 'connection cut',
  truncate: 'answer cut off',
  array: 'unreadable',
  'invalid-json': 'unreadable',
  empty: 'unreadable',
  html: 'web page',
  giant: 'web page',
  redirect: 'redirect',
  'too-many': 'too many',
  'session-drop': 'session ended',
}

const STATUSES: Record<number, [Meaning, ErrorCode]> = {
  400: ['refused', 'REJECTED'],
  401: ['session ended', 'LOGIN_REFUSED'],
  403: ['refused', 'FORBIDDEN'],
  404: ['not found', 'NOT_FOUND'],
  409: ['refused', 'CONFLICT'],
  429: ['too many', 'REJECTED'],
  500: ['failed', 'UNAVAILABLE'],
  502: ['away', 'UNAVAILABLE'],
  503: ['away', 'UNAVAILABLE'],
  504: ['away', 'UNAVAILABLE'],
}

/** How each kind of fault is tried; a kind that is not named here, without parameters. */
const FORMS: Partial<Record<FaultKind, Array<Partial<Fault>>>> = {
  latency: [{ ms: 40 }],
  giant: [{ bytes: 1024 * 1024 }],
  status: Object.keys(STATUSES).map((status) => ({ status: Number(status) })),
}

/** Every fault that the simulator knows, and its name in the table. */
export const FAULTS: ReadonlyArray<{ name: string; fault: Fault }> = (
  Object.keys(EFFECTS) as FaultKind[]
).flatMap((kind) =>
  (FORMS[kind] ?? [{}]).map((form) => ({
    name: form.status === undefined ? kind : String(form.status),
    fault: { kind, ...form },
  })),
)

export const hangs = ({ kind }: Fault): boolean => MEANINGS[kind as 'hang'] === 'no answer'

function meaningOf({ kind, status = 500 }: Fault): Meaning {
  const meaning = kind === 'status' ? STATUSES[status]?.[0] : MEANINGS[kind]
  if (!meaning) throw new Error(`It is not said what ${kind} means: add it to the rules.`)
  return meaning
}

/** The outcome of a fault that is neither recovered from nor specific to the call. */
const PLAIN: Partial<Record<Meaning, Outcome>> = {
  nothing: 'ok',
  'no answer': 'TIMEOUT',
  'connection cut': 'UNAVAILABLE',
  'answer cut off': 'BAD_RESPONSE',
  unreadable: 'BAD_RESPONSE',
  'web page': 'BAD_RESPONSE',
  redirect: 'BAD_RESPONSE',
  'too many': 'REJECTED',
  'session ended': 'REJECTED',
}

const plain = (fault: Fault): Outcome =>
  PLAIN[meaningOf(fault)] ?? STATUSES[fault.status ?? 500]![1]

/** Where the session is gone and the same fault strikes every attempt to get another. */
const noOtherSession = ({ kind }: Fault): Outcome =>
  kind === 'session-drop' ? 'REJECTED' : 'LOGIN_REFUSED'

type Rule = (fault: Fault, extent: Extent) => Outcome

const RULES: Record<Place, Rule> = {
  read(fault, extent) {
    const meaning = meaningOf(fault)
    const passes = ['no answer', 'connection cut', 'answer cut off', 'away', 'session ended']
    if (extent === 'once') return passes.includes(meaning) ? 'ok' : plain(fault)
    return withoutSession(fault) ?? plain(fault)
  },

  write(fault, extent) {
    const meaning = meaningOf(fault)
    if (meaning === 'no answer' || meaning === 'connection cut') return 'OUTCOME_UNKNOWN'
    if (extent === 'once' && meaning === 'session ended') return 'ok'
    if (extent === 'lasting') return withoutSession(fault) ?? plain(fault)
    return plain(fault)
  },

  login(fault, extent) {
    const meaning = meaningOf(fault)
    // A login has no session to drop; the one that it opens is dropped while the fault lasts.
    if (fault.kind === 'session-drop') return extent === 'once' ? 'ok' : 'REJECTED'
    switch (meaning) {
      case 'too many':
        return 'TOO_MANY_SESSIONS'
      case 'refused':
      case 'not found':
      case 'session ended':
        return 'LOGIN_REFUSED'
      // The cookie is enough, if the appliance then knows the session.
      case 'unreadable':
        return extent === 'once' ? 'ok' : 'BAD_RESPONSE'
      case 'away':
        return extent === 'once' && fault.status !== 504 ? 'ok' : 'UNAVAILABLE'
      default:
        return plain(fault)
    }
  },

  // Nothing depends on it; a lasting fault shows at the next call.
  introduction: (_fault, extent) => (extent === 'once' ? 'ok' : 'NOT_CONFIRMED'),

  // The change was accepted: a read that fails does not disprove it.
  confirm: (fault, extent) =>
    extent === 'once' || meaningOf(fault) === 'nothing' ? 'ok' : 'NOT_CONFIRMED',

  logout(fault) {
    const meaning = meaningOf(fault)
    const over = ['not found', 'redirect', 'session ended']
    return over.includes(meaning) ? 'ok' : plain(fault)
  },
}

/** The places in the table of the rules. */
export const RULED: Partial<Record<Place, string>> = {
  login: 'Login',
  read: 'Read',
  write: 'Change',
  confirm: 'Check after a change',
  logout: 'Logout',
}

export const ruleFor = (place: Place, fault: Fault, extent: Extent): Outcome =>
  RULES[place](fault, extent)

/** A fault that lasts and makes the session look gone. */
function withoutSession(fault: Fault): Outcome | undefined {
  const meaning = meaningOf(fault)
  return meaning === 'session ended' || meaning === 'not found' ? noOtherSession(fault) : undefined
}

/** One case of the matrix, as far as the rules are concerned. */
export interface Case {
  variant: Variant
  fault: Fault
  extent: Extent
  /** The calls of the node, the struck ones with `fault`. */
  calls: readonly Call[]
  /** The calls of the same node without any fault. */
  usual: readonly Call[]
}

/** The required outcome, and the reason where it deviates from the rules. */
export function expected(one: Case): { outcome: Outcome } & Partial<Exception> {
  const at = one.calls.findIndex(({ fault }) => fault !== undefined)
  const places = placesOf(one.calls)
  const place = places[at]
  if (!place) throw new Error('The fault struck no call.')
  const special = SPECIAL.find(({ when }) => when(one, place, at))
  if (special) {
    const { because, otherResult } = special
    return { outcome: special.outcome(one), because, otherResult }
  }
  if (place === 'introduction' && one.extent === 'lasting') {
    const next = placesOf(one.usual)[at + 1] ?? 'read'
    return { outcome: RULES[next](one.fault, 'lasting') }
  }
  return { outcome: RULES[place](one.fault, one.extent) }
}

/** What each call of a node is for. */
export function placesOf(calls: readonly Call[]): Place[] {
  let hasWritten = false
  return calls.map(({ method, path }, index): Place => {
    const isSession = path === '/api/session'
    const before = calls[index - 1]
    if (isSession && method === 'POST') return 'login'
    if (isSession && method === 'DELETE') return 'logout'
    if (isSession && before?.method === 'POST' && before.path === path) return 'introduction'
    if (method === 'POST') {
      hasWritten = true
      return 'write'
    }
    return hasWritten ? 'confirm' : 'read'
  })
}

/** A case that the documentation treats differently from the rule for its place. */
interface Special extends Exception {
  when: (one: Case, place: Place, at: number) => boolean
  outcome: (one: Case) => Outcome
}

interface Exception {
  because: string
  /** The result is a different one, and says so. */
  otherResult?: boolean
}

const isUncertain = (fault: Fault): boolean =>
  !['nothing', 'refused', 'not found', 'too many', 'session ended'].includes(meaningOf(fault))

/** The appliance acts on a call with this fault. */
const acts = ({ kind }: Fault): boolean => EFFECTS[kind].acts

const isRestart = ({ variant }: Case): boolean => variant.label.startsWith('restart')

const SPECIAL: Special[] = [
  {
    because:
      'if a large page of routes is rejected, the routes are read in pages of the size that the gateway uses by default',
    when: ({ calls, fault, extent }, _place, at) =>
      extent === 'once' &&
      calls[at]!.query.pageSize !== undefined &&
      plain(fault) === 'REJECTED' &&
      meaningOf(fault) !== 'session ended',
    outcome: () => 'ok',
  },
  {
    because:
      'if the response to a change is lost, ensure reads the route: if the change shows, that is the result',
    when: ({ variant, fault, extent }, place) =>
      variant.node === 'ensure-route' && place === 'write' && extent === 'once' && acts(fault),
    outcome: () => 'ok',
  },
  {
    because:
      'if the response to a stop is lost, a restart checks whether the stop was applied; it repeats the start until it is accepted, up to five times, because starting a running route does no harm',
    when: (one, place, at) =>
      isRestart(one) &&
      place === 'write' &&
      one.extent === 'once' &&
      (isStart(one.calls[at]!)
        ? isUncertain(one.fault) || meaningOf(one.fault) === 'too many'
        : isUncertain(one.fault) && acts(one.fault)),
    outcome: () => 'ok',
  },
  {
    because:
      'once a restart has sent the stop, it also sends the start, whatever the reads between them show',
    when: (one, place, at) =>
      isRestart(one) &&
      place === 'confirm' &&
      one.extent === 'lasting' &&
      one.usual.slice(at).some(isStart),
    outcome: ({ fault }) => RULES.write(fault, 'lasting'),
  },
  {
    because:
      'if a command for a destination is rejected with 400 or 404, as by firmware that does not support it, an update does the same',
    otherResult: true,
    when: ({ calls, fault, extent }, place, at) =>
      extent === 'once' &&
      place === 'write' &&
      calls[at]!.path.endsWith('/commands') &&
      /destination/.test(String((calls[at]!.body as { command?: unknown }).command)) &&
      [400, 404].includes(fault.status ?? 0),
    outcome: () => 'ok',
  },
  {
    because:
      'if ensure gets a 404 for a route that it has to delete, it reads the route again: `NOT_CONFIRMED` if the route still exists',
    when: ({ variant, calls, fault, extent }, place, at) =>
      variant.node === 'ensure-route' &&
      deletes(variant) &&
      extent === 'once' &&
      fault.status === 404 &&
      (place === 'write' || (place === 'read' && /routes\/[^/]+$/.test(calls[at]!.path))),
    outcome: () => 'NOT_CONFIRMED',
  },
  {
    because: 'the statistics of all routes leave out a route that no longer exists',
    otherResult: true,
    when: ({ variant, calls, fault, extent }, _place, at) =>
      variant.label === 'all' &&
      extent === 'once' &&
      calls[at]!.path.endsWith('/statistics') &&
      fault.status === 404,
    outcome: () => 'ok',
  },
]

/** Why some cases differ from the rule for their place. */
export const REASONS = SPECIAL.map(({ because }) => because)

const deletes = ({ node, label }: Variant): boolean => node === 'delete-route' || label === 'absent'

export const isStart = ({ body }: Call): boolean =>
  (body as { command?: unknown } | undefined)?.command === 'start-route'
