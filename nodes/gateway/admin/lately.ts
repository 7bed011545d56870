import { LANGUAGES, type Language } from '../../../client/model/watch'
import { eventText } from '../../../client/watch/text/event-text'
import type { WatchEvent } from '../../../client/model/event'
import type { Gap, Happening, ShownIncident } from '../../wire'

export type Lately = ReturnType<typeof createLately>

/** Of those that have ended, and of gaps. */
const MOST = 50

interface Kept extends Omit<ShownIncident, 'text'> {
  id: string
  /** In all languages: each editor has its own, and an event with its definitions would be large. */
  texts: Record<Language, string>
}

export function createLately() {
  let kept: Array<Kept | Gap> = []
  let leftAt: number | undefined

  function keep(latest: Kept | Gap): void {
    const same = (one: Kept | Gap): boolean => 'id' in one && 'id' in latest && one.id === latest.id
    const index = kept.findIndex(same)
    if (index < 0) kept.push(latest)
    else kept[index] = latest
    let surplus = kept.filter(isOver).length - MOST
    if (surplus > 0) kept = kept.filter((one) => !isOver(one) || surplus-- <= 0)
  }

  return {
    /** @param device as a sentence calls it where the appliance has not said its name */
    add(events: readonly WatchEvent[], device: string): void {
      for (const event of events) {
        const { incident } = event
        if (!incident) continue
        const { id, severity, since, until } = incident
        const named = event.device.name ? event : { ...event, device: { id: '', name: device } }
        const all = LANGUAGES.map((language) => [language, eventText(named, language)])
        const texts = Object.fromEntries(all) as Record<Language, string>
        keep({ id, severity, since, until, texts })
      }
    },
    /** Somebody begins to watch, or has stopped. */
    watched(isWatched: boolean, at: number): void {
      if (isWatched && leftAt !== undefined && kept.length > 0) keep({ from: leftAt, at })
      leftAt = isWatched ? undefined : at
    },
    list: (language: Language): Happening[] =>
      kept.map((one) => {
        if (!('texts' in one)) return one
        const { severity, since, until, texts } = one
        return { severity, since, until, text: texts[language] }
      }),
  }
}

const isOver = (one: Kept | Gap): boolean => !('id' in one) || one.until !== null
