import type { Problem } from '../errors'
import { REASONS, type Reason } from './health'
import { isNamed } from './ids'
import { isObject, type JsonObject } from './json'
import type { Named } from './types'

/** What a watch reports: incidents, or all single changes. */
export const REPORTS = ['incidents', 'changes'] as const

export type Report = (typeof REPORTS)[number]

/** The events of a watch that reports incidents. `changed` is another severity or reason. */
export const INCIDENT_EVENTS = ['incident.begun', 'incident.changed', 'incident.ended'] as const

export type IncidentEvent = (typeof INCIDENT_EVENTS)[number]

export const SEVERITIES = ['critical', 'warning'] as const

export type Severity = (typeof SEVERITIES)[number]

/** What an incident is about. Of a route, its source, its data and its status are one. */
export const INCIDENT_KINDS = [
  'gateway',
  'device',
  'route',
  'output',
  'threshold',
  'caller',
] as const

export type IncidentKind = (typeof INCIDENT_KINDS)[number]

/** Why an incident has ended, where nobody knows that all is well. */
export const CLOSINGS = ['stopped', 'removed'] as const

/** One thing that went wrong, from its beginning to its end: plain data. */
export interface Incident {
  /** The same in all its events, also after a restart; of no other incident of this gateway. */
  id: string
  severity: Severity
  kind: IncidentKind
  /** What is wrong; after the end, what was wrong last. */
  reason: Reason
  /** When it was first seen, Unix ms: before the hold. */
  since: number
  /** When it was first seen to be over, Unix ms; null while it lasts. */
  until: number | null
  /** From `since` to `until`; null while it lasts. */
  durationMs: number | null
}

/** One that has begun and not ended, as plain data for another process or after a restart. */
export interface OpenIncident extends Incident {
  /** What it is about, the same for all incidents of one thing. */
  key: string
  device: Named
  route?: Named
  source?: Named
  destination?: Named
  /** The gateway's own word, as in `Health`. */
  word?: string
  /** With kind `caller`: the name of who is away. */
  caller?: string
  /** With kind `threshold`: what is measured, where, its value at the latest poll, and the limit. */
  measure?: string
  of?: 'source' | 'destination'
  value?: number
  limit?: number
}

export function openIncidentFaults(value: unknown, path: string): Problem[] {
  if (!Array.isArray(value)) return [{ path, problem: 'must be a list of open incidents' }]
  return value.flatMap((one: unknown, index): Problem[] => {
    const at = `${path}[${index}]`
    if (!isObject(one)) return [{ path: at, problem: 'must be an open incident' }]
    return Object.entries(MEMBERS)
      .filter(([name, fits]) => !fits(one[name]))
      .map(([name]) => ({ path: `${at}.${name}`, problem: 'is not what an open incident has' }))
  })
}

export const isOpenIncident = (value: unknown): value is OpenIncident & JsonObject =>
  openIncidentFaults([value], '').length === 0

type Fits = (value: unknown) => boolean

const isOneOf =
  (all: readonly unknown[]): Fits =>
  (value) =>
    all.includes(value)
const unlessAbsent =
  (fits: Fits): Fits =>
  (value) =>
    value === undefined || fits(value)
const isGivenText: Fits = (value) => typeof value === 'string' && value !== ''
const isNumber: Fits = (value) => Number.isFinite(value)

const MEMBERS: Readonly<Record<keyof OpenIncident, Fits>> = {
  key: isGivenText,
  id: isGivenText,
  severity: isOneOf(SEVERITIES),
  kind: isOneOf(INCIDENT_KINDS),
  reason: isOneOf(REASONS),
  since: isNumber,
  until: isOneOf([null]),
  durationMs: isOneOf([null]),
  device: isNamed,
  route: unlessAbsent(isNamed),
  source: unlessAbsent(isNamed),
  destination: unlessAbsent(isNamed),
  word: unlessAbsent(isGivenText),
  caller: unlessAbsent(isGivenText),
  measure: unlessAbsent(isGivenText),
  of: unlessAbsent(isOneOf(['source', 'destination'])),
  value: unlessAbsent(isNumber),
  limit: unlessAbsent(isNumber),
}
