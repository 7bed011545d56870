import type { Language } from '../model/watch'
import type { WatchEvent } from '../watch/events'
import { eventText } from '../watch/text/event-text'

/** The engine of a fleet was lost, so that this instance works for no appliance; or it is back. */
export interface EngineChange {
  isUp: boolean
  /** Unix ms. */
  at: number
  /** Of a return: since when it was lost, Unix ms, and for how long. */
  since?: number
  outageMs?: number
}

/** The event of a change, as a watch reports it. @param fleet the name of the config node */
export function engineEvent(
  { isUp, ...facts }: EngineChange,
  fleet: string,
  language: Language,
): WatchEvent {
  const [before, after] = isUp ? (['lost', 'up'] as const) : (['up', 'lost'] as const)
  const device = { id: '', name: '' }
  const event = { event: isUp ? 'fleet.engine-back' : 'fleet.engine-lost', before, after } as const
  const named = { ...event, ...facts, device: { id: '', name: fleet } }
  return { ...event, text: eventText(named, language), ...facts, device }
}
