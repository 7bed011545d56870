import * as crypto from 'node:crypto'
import { fromUnix, type UnixClock } from '../../clock'
import type { CLOSINGS, Incident, IncidentEvent, OpenIncident } from '../../model/incident'
import { held } from '../measuring/meter'
import type { SavedTrouble, Trouble } from '../saved'

type Closing = (typeof CLOSINGS)[number]

/** Without a trouble: `unknown` while nobody can know, `covered` while it would only follow from another. */
export type Standing = 'ok' | Closing | 'unknown' | 'covered'

export interface Sight {
  /** All troubles, by their keys. */
  readonly troubles: ReadonlyMap<string, Trouble>
  /** Asked for what is in none of them. */
  standing(of: Trouble): Standing
}

/** A beginning, a change or an end, to be reported. */
export interface Step {
  event: IncidentEvent
  /** When it was first seen, Unix ms. */
  at: number
  incident: Incident
  trouble: Trouble
  before: string
  after: string
}

/**
 * Each begins once it has lasted for `holdMs`, and ends once it has been away for as long. What nobody can
 * know neither begins nor ends meanwhile, and its time runs on.
 */
export function createIncidents(holdMs: number, clock: UnixClock) {
  const entries = new Map<string, SavedTrouble>()

  function present(trouble: Trouble, at: number): Step | undefined {
    const { key, seenSince = at } = trouble
    const entry = entries.get(key) ?? { trouble, since: seenSince }
    entries.set(key, entry)
    entry.overSince = undefined
    if (!entry.begun) return begin(entry, trouble, at)
    return change(entry, trouble, at)
  }

  function begin(entry: SavedTrouble, trouble: Trouble, at: number): Step | undefined {
    entry.trouble = trouble
    if (at - entry.since < holdMs) return undefined
    const begunAt = clock.unix(entry.since)
    entry.begun = { id: idOf(trouble.key, begunAt), at: begunAt }
    return step('incident.begun', entry, begunAt, 'ok', trouble.severity)
  }

  function change(entry: SavedTrouble, trouble: Trouble, at: number): Step | undefined {
    const { severity, reason } = entry.trouble
    if (severity === trouble.severity && reason === trouble.reason) {
      entry.other = undefined
      entry.trouble = trouble
      return undefined
    }
    entry.other = held(entry.other, `${trouble.severity} ${trouble.reason}`, at)
    if (at - entry.other.since < holdMs) return undefined
    const changedAt = clock.unix(entry.other.at)
    entry.other = undefined
    entry.trouble = trouble
    return step('incident.changed', entry, changedAt, severity, trouble.severity)
  }

  function absent(entry: SavedTrouble, standing: Standing, at: number): Step | undefined {
    const { key } = entry.trouble
    if (standing === 'unknown') return undefined
    if (!entry.begun) {
      entries.delete(key)
      return undefined
    }
    if (standing === 'covered') return undefined
    entry.other = undefined
    entry.overSince ??= at
    if (at - entry.overSince < holdMs) return undefined
    entries.delete(key)
    return end(entry, entry.overSince, standing)
  }

  return {
    isQuiet: () => entries.size === 0,
    /** It is open or on hold, and was not seen to be over. */
    lasts(key: string): boolean {
      const entry = entries.get(key)
      return entry !== undefined && entry.overSince === undefined
    },
    /** Takes what is seen; returns what has lasted long enough, the ends first. */
    take(sight: Sight, at: number): Step[] {
      const steps: Step[] = []
      const add = (one: Step | undefined): unknown => one && steps.push(one)
      for (const [key, entry] of entries) {
        if (!sight.troubles.has(key)) add(absent(entry, sight.standing(entry.trouble), at))
      }
      for (const trouble of sight.troubles.values()) add(present(trouble, at))
      return steps
    },
    /** Ends all that were reported, without a hold: what they are about has left. */
    endAll(): Step[] {
      const left = [...entries.values()].filter(({ begun }) => begun)
      entries.clear()
      return left.map((entry) => end(entry, entry.overSince ?? clock.now(), 'removed'))
    },
    /** All, with what is on hold: for a later watch of this process. */
    save: (): ReadonlyMap<string, SavedTrouble> => new Map(entries),
    /** Goes on with that. What has begun meanwhile, or is not open any more, counts more. */
    goOn(earlier: ReadonlyMap<string, SavedTrouble>): void {
      for (const [key, entry] of earlier) {
        const isSame = entries.get(key)?.begun?.id === entry.begun?.id
        if (isSame) entries.set(key, { ...entry })
      }
    },
    /** Those that were reported as begun and not as ended. */
    open: () => [...entries.values()].filter(({ begun }) => begun).map(openOf),
    /** Goes on with those of an earlier watch; what was reported here counts more. */
    restore(open: readonly OpenIncident[]): void {
      for (const { id, since, until: _, durationMs: __, ...trouble } of open) {
        const { key } = trouble
        if (entries.get(key)?.begun) continue
        entries.set(key, { trouble, since: fromUnix(clock, since), begun: { id, at: since } })
      }
    },
  }
}

function step(
  event: IncidentEvent,
  entry: SavedTrouble,
  at: number,
  before: string,
  after: string,
): Step {
  return { event, at, incident: incidentOf(entry), trouble: entry.trouble, before, after }
}

/** Its times agree with each other, also where the wall clock was set meanwhile. */
function end(entry: SavedTrouble, overSince: number, after: Closing | 'ok'): Step {
  const durationMs = Math.round(overSince - entry.since)
  const until = entry.begun!.at + durationMs
  const ended = step('incident.ended', entry, until, entry.trouble.severity, after)
  return { ...ended, incident: { ...ended.incident, until, durationMs } }
}

function incidentOf({ trouble, begun }: SavedTrouble): Incident {
  const { severity, kind, reason } = trouble
  const { id, at } = begun!
  return { id, severity, kind, reason, since: at, until: null, durationMs: null }
}

function openOf(entry: SavedTrouble): OpenIncident {
  const { seenSince: _, details: __, ...trouble } = entry.trouble
  return Object.assign(incidentOf(entry), trouble)
}

const idOf = (key: string, since: number): string =>
  crypto.createHash('sha256').update(`${since} ${key}`).digest('base64url').slice(0, 12)
