/** What can be wrong with the settings of a failover, besides the fields of its sources. */
import type { Problem } from '../errors'
import type { Side } from './failover'
import { wordsFrom, type Words } from './faults'

/** A fault with its kind and values, from which the editor makes its own words. */
export type FailoverFault = Problem & { reason: FailoverReason }

export type FailoverReason =
  | { kind: 'settings' | 'flag' }
  | { kind: 'choice'; choices: string }
  | { kind: 'number' | 'wholeNumber'; least: number; most: number }
  /** Over so few polls the share of bad time cannot be known; no bitrate to compare with. */
  | { kind: 'degradePer' | 'low' }
  | { kind: 'monitor' }
  | { kind: 'route' | 'sameRoute' }
  | { kind: 'source' | 'sameSource' }
  /** The sign for a hidden value, which no switch can send. */
  | { kind: 'hidden' }
  /** A field of a source that only the `other` one has. */
  | { kind: 'missing'; side: Side; other: Side }

export const failoverFault = (path: string, reason: FailoverReason): FailoverFault => ({
  path,
  problem: wordsFrom(SENTENCES, reason.kind, reason),
  reason,
})

const SENTENCES: Words<FailoverReason> = {
  settings: 'must be an object with the settings',
  flag: 'must be true or false',
  choice: ({ choices }) => `must be one of ${choices}`,
  number: ({ least, most }) => `must be a number from ${least} to ${most}`,
  wholeNumber: ({ least, most }) => `must be a whole number from ${least} to ${most}`,
  degradePer: 'must be at least three times lookEvery',
  low: 'must be a number of Mbit/s above 0',
  monitor: 'is missing; restore = monitor needs the route that receives main all the time',
  route: 'must be a route, by its id or name',
  sameRoute: 'is the same route as main',
  source: 'must be an object with the fields of the source that differ',
  sameSource:
    'is the same as main, apart from secrets; the two must differ in a field that the gateway returns, such as address or port',
  hidden: 'is the sign for a hidden value; give the value itself',
  missing: ({ side, other }) =>
    `is missing; ${other} gives it, and its value would stay after a switch to ${side}`,
}
