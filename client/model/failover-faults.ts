/** What can be wrong with main and backup, besides the fields of a source. */
import type { Problem } from '../errors'
import type { Side } from './failover'
import { wordsFrom, type Words } from './faults'

/** A fault with its kind and values, from which the editor makes its own words. */
export type FailoverFault = Problem & { reason: FailoverReason }

export type FailoverReason =
  | { kind: 'monitor' | 'route' | 'sameRoute' | 'source' | 'sameSource' | 'hidden' }
  /** A field that a switch to the `other` source and back would change. */
  | { kind: 'missing'; other: Side }
  /** A field that no source with this protocol is known to have. */
  | { kind: 'noField'; protocol: string }

export const failoverFault = (path: string, reason: FailoverReason): FailoverFault => ({
  path,
  problem: wordsFrom(SENTENCES, reason.kind, reason),
  reason,
})

const SENTENCES: Words<FailoverReason> = {
  monitor: 'is missing; restore = monitor needs the route that receives main all the time',
  route: 'must be a route, by its id or name',
  sameRoute: 'is the same route as main',
  source: 'must be an object with the fields of the source that differ',
  sameSource:
    'is the same as main, apart from secrets; the two must differ in a field that the gateway returns, such as address or port',
  hidden: 'is the sign for a hidden value; give the value itself',
  missing: ({ other }) => `is missing; a switch to ${other} and back would change it; add it`,
  noField: ({ protocol }) =>
    `is not a known field of a source with the protocol ${protocol}; correct its name, or remove it`,
}
