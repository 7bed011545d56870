import type { ErrorCode } from '../../errors'
import type { Measure } from '../../model/watch'

/**
 * All that the sentences on events consist of, in one language. What a table leaves out, or has too
 * much, is a compile error. Names and other words of the gateway come in as they are.
 */
export interface Words {
  /** Between digits and decimals. */
  readonly decimal: string
  /** Between the items of a list. */
  readonly comma: string

  /** What a sentence is about, at its beginning. An empty name is not known. */
  gateway(name: string): string
  /** What of it the sentence is about. */
  readonly source: string
  destination(name: string): string
  pairing(name: string): string
  networkInterface(name: string): string

  /** A sentence on something, or on a part of it. */
  says(whole: string, part: string | undefined, predicate: string): string
  readonly predicates: Readonly<Record<Predicate, string>>
  /** A sentence that only shows a word for how something is, and was. */
  shows(whole: string, part: string | undefined, now: string, before: string | undefined): string
  /** How it is connected, after a sentence. */
  state(word: string): string
  /** The gateway's own words, after a sentence. */
  details(words: string): string
  readonly states: Readonly<Record<KnownState, string>>

  unreachable(gateway: string, reason: string): string
  unwatchable(gateway: string, reason: string): string
  readonly reasons: Readonly<Record<ErrorCode | NetworkReason, string>>
  /** Without a duration when it is not known. */
  backAfter(gateway: string, duration: string | undefined): string
  /** The engine of a fleet; the name is that of the fleet's config node. */
  engineLost(gateway: string): string
  engineBack(gateway: string, duration: string | undefined): string
  readonly durations: Readonly<Record<Unit, (count: number) => string>>
  /** Between two units. */
  readonly and: string

  firmware(version: string | undefined, before: string | undefined): string
  address(networkInterface: string, now: string, before: string): string
  interfaces(names: string): string

  added(route: string, state: 'running' | 'stopped' | undefined): string
  removed(route: string, wasRunning: boolean): string
  renamed(before: string, after: string): string
  /** With a state other than stopped, which the package may not know. */
  noLongerRunning(route: string, state: string | undefined): string
  changed(route: string, parts: string): string
  several(destinations: number): string

  /** Of the source where there is no destination. */
  measured(measure: string, destination: string | undefined): string
  readonly measures: Readonly<Record<Measure, string>>
  below(what: string, value: string, limit: string): string
  above(what: string, value: string, limit: string): string
  normal(what: string, value: string): string
  notMeasured(what: string): string

  /** Who calls a source or destination. */
  joined(caller: string, part: string): string
  left(caller: string, part: string, duration: string | undefined): string

  running(running: number, routes: number): string
  stateUnknown(routes: number): string
}

export type Predicate =
  | 'ok'
  | 'okAgain'
  | 'warn'
  | 'error'
  | 'unknown'
  | 'lost'
  | 'back'
  | 'noData'
  | 'data'
  | 'running'
  | 'stopped'
  | 'added'
  | 'removed'
  | 'starts'
  | 'stops'

/** States that are put into words; others are shown as they are. */
export type KnownState =
  | 'connected'
  | 'connecting'
  | 'connection established'
  | 'disconnected'
  | 'running'
  | 'idle'
  | 'stopped'
  | 'online'
  | 'offline'
  | 'never'
  | 'device error'
  | 'communication error'
  | 'accepted'
  | 'pair pending'
  | 'pairing error'
  | 'pairing timeout'
  | 'pairing denied'
  | 'poll timeout'
  | 'poll error'

/** Why a connection failed, as Node.js names it. */
export type NetworkReason =
  | 'ECONNREFUSED'
  | 'ECONNRESET'
  | 'EPIPE'
  | 'ENOTFOUND'
  | 'EAI_AGAIN'
  | 'EHOSTUNREACH'
  | 'ENETUNREACH'
  | 'ETIMEDOUT'

export type Unit = 'second' | 'minute' | 'hour' | 'day'

/** The name with a word for what it is, where the name does not contain that already. */
export function titled(word: string, name: string, english = word): string {
  const lower = name.toLowerCase()
  const says = lower.includes(word.toLowerCase()) || lower.includes(english.toLowerCase())
  return says ? name : `${word} ${name}`
}
