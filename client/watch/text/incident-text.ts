import type { Incident } from '../../model/incident'
import type { Language } from '../../model/watch'
import { healthText } from './health-text'
import {
  durationOf,
  gatewayOf,
  measuredText,
  nameOf,
  routeOf,
  statisticsText,
  unreachable,
  type Event,
} from './parts'
import type { Words } from './words'

/** The sentences on incidents. `whole` is a route or a gateway, `why` what is or was wrong. */
interface IncidentWords {
  changed(whole: string, why: string): string
  well(whole: string, why: string, duration: string): string
  /** A route was stopped. */
  routeStopped(whole: string, why: string, duration: string): string
  /** A part of it, or all of it, was stopped. */
  stopped(whole: string, why: string, duration: string): string
  removed(whole: string, why: string, duration: string): string
}

const WORDS: Readonly<Record<Language, IncidentWords>> = {
  'en-US': {
    changed: (whole, why) => `${whole}: now ${why}`,
    well: (whole, why, duration) => `${whole}: OK again after ${duration} (${why})`,
    routeStopped: (whole, why, duration) => `${whole} was stopped: ${why} for ${duration}`,
    stopped: (whole, why, duration) => `${whole}: stopped (${why} for ${duration})`,
    removed: (whole, why, duration) => `${whole}: no longer watched (${why} for ${duration})`,
  },
  // Durations are in the dative, after „nach“.
  de: {
    changed: (whole, why) => `${whole}: jetzt ${why}`,
    well: (whole, why, duration) => `${whole}: nach ${duration} wieder OK (${why})`,
    routeStopped: (whole, why, duration) => `${whole} wurde nach ${duration} gestoppt: ${why}`,
    stopped: (whole, why, duration) => `${whole}: nach ${duration} gestoppt (${why})`,
    removed: (whole, why, duration) => `${whole}: nach ${duration} nicht mehr überwacht (${why})`,
  },
  ja: {
    changed: (whole, why) => `${whole}: 現在は${why}`,
    well: (whole, why, duration) => `${whole}: ${duration}後に正常に復帰 (${why})`,
    routeStopped: (whole, why, duration) => `${whole}: 停止されました (${why}、${duration}間)`,
    stopped: (whole, why, duration) => `${whole}: 停止 (${why}、${duration}間)`,
    removed: (whole, why, duration) => `${whole}: 監視対象外 (${why}、${duration}間)`,
  },
}

/** Says in one sentence what has begun, changed or ended; undefined where the incident is missing. */
export function incidentText(event: Event, words: Words, language: Language): string | undefined {
  const { incident, after, destination, caller, word } = event
  if (!incident) return undefined
  const { kind, reason, severity, durationMs } = incident
  const { [language]: own } = WORDS
  const whole = event.route ? routeOf(event) : gatewayOf(event, words)
  const health = { sign: severity, reason, output: caller?.name ?? nameOf(destination), word }
  if (event.event === 'incident.changed') return own.changed(whole, healthText(health, language))
  if (event.event === 'incident.begun') {
    if (kind === 'gateway' && event.reason) return unreachable(event, words)
    if (kind === 'threshold') return statisticsText(event, levelOf(event), words)
    return `${whole}: ${healthText(health, language)}`
  }
  const brief = healthText(health, language, true)
  const why = kind === 'threshold' ? `${measuredText(event, words)}: ${brief}` : brief
  return own[endOf(kind, after)](whole, why, durationOf(durationMs ?? 0, words) ?? '')
}

const levelOf = ({ value, limit = NaN }: Event): 'low' | 'high' =>
  typeof value === 'number' && value < limit ? 'low' : 'high'

const endOf = (
  kind: Incident['kind'],
  after: unknown,
): 'well' | 'stopped' | 'routeStopped' | 'removed' => {
  if (after === 'removed') return 'removed'
  if (after !== 'stopped') return 'well'
  return kind === 'route' ? 'routeStopped' : 'stopped'
}
