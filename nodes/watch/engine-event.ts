import type { Report } from '../../client/model/incident'
import type { Language } from '../../client/model/watch'
import type { WatchEvent } from '../../client/model/event'
import { eventText } from '../../client/watch/text/event-text'
import type { EngineChange } from '../../client/fleet/types'

/**
 * The event of a change, as a watch reports it.
 * @param fleet the name of the config node
 */
export function engineEvent(
  change: EngineChange,
  fleet: string,
  language: Language,
  report: Report = 'changes',
): WatchEvent {
  const { isUp, ...facts } = change
  const { at, since = at, outageMs = 0 } = facts
  const [before, after] = isUp ? (['lost', 'up'] as const) : (['up', 'lost'] as const)
  const device = { id: '', name: '' }
  const event = { event: isUp ? 'fleet.engine-back' : 'fleet.engine-lost', before, after } as const
  const text = eventText({ ...event, ...facts, device: { id: '', name: fleet } }, language)
  if (report === 'changes') return { ...event, text, ...facts, device }
  const incident = {
    // Another instance has an engine of its own to lose.
    id: `engine-${since}`,
    severity: 'critical',
    kind: 'gateway',
    reason: 'gateway-away',
    since,
    until: isUp ? at : null,
    durationMs: isUp ? outageMs : null,
  } as const
  return isUp
    ? { event: 'incident.ended', incident, text, at, device, before: 'critical', after: 'ok' }
    : { event: 'incident.begun', incident, text, at, device, before: 'ok', after: 'critical' }
}
