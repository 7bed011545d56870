import { LANGUAGES, eventText, type Language, type WatchEvent } from '../../../client/internal'

/** What happened on an appliance, as the sidebar lists it. */
export interface Happening {
  /** Unix ms. */
  at: number
  /** One sentence, in the language of the editor. It may contain words of the appliance. */
  text: string
}

/** A time in which nobody watched for the sidebar: what happened then is not known. */
export interface Gap {
  /** When it began, Unix ms. */
  from: number
  /** When it ended. */
  at: number
}

/** The latest of both, oldest first. */
export interface Lately {
  /** @param device as a sentence calls it where the appliance has not said its name */
  add(events: readonly WatchEvent[], device: string): void
  /** Somebody begins to watch, or has stopped. */
  watched(isWatched: boolean, at: number): void
  list(language: Language): Array<Happening | Gap>
}

const MOST = 50

export function createLately(): Lately {
  // In all languages: each editor has its own, and an event with its definitions would be large.
  const kept: Array<{ at: number; texts: Record<Language, string> } | Gap> = []
  let leftAt: number | undefined

  function keep(...latest: typeof kept): void {
    kept.push(...latest)
    kept.splice(0, kept.length - MOST)
  }

  return {
    add(events, device) {
      const latest = events.map((event) => {
        const named = event.device.name ? event : { ...event, device: { id: '', name: device } }
        const texts = LANGUAGES.map((language) => [language, eventText(named, language)])
        return { at: event.at, texts: Object.fromEntries(texts) as Record<Language, string> }
      })
      keep(...latest)
    },
    watched(isWatched, at) {
      if (isWatched && leftAt !== undefined && kept.length > 0) keep({ from: leftAt, at })
      leftAt = isWatched ? undefined : at
    },
    list: (language) =>
      kept.map((one) => ('texts' in one ? { at: one.at, text: one.texts[language] } : one)),
  }
}
