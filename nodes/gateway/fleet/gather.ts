// Events and pictures of all appliances that this instance owns, for whoever listens on the engine.
import {
  GatewayError,
  isOld,
  knownBy,
  knownSnapshot,
  openBy,
  watchDevice,
  withoutTold,
} from '../../../client/internal'
import type { Gathering } from '../../../client/fleet/types'
import { LANGUAGES, languageOf } from '../../../client/model/watch'
import type { Appliance, Fleet } from '../../runtime/gateway-node'

export interface GatherOptions {
  gathering: Gathering
  /** Of the appliance: grows with each owner. */
  token: (appliance: string) => number | undefined
  /** Of the texts of events. */
  language: (typeof LANGUAGES)[number]
  /** What cannot be told, or not in full: each text once. */
  onFailure: (appliance: string, text: string) => void
  /** The engine has taken a picture. */
  onKept: (appliance: string) => void
  /** The engine has not taken one. The next poll tries again. */
  onNotKept: (appliance: string, error: Error) => void
  /** It is not gathered any more. */
  onEnd: (appliance: string) => void
}

/**
 * Tells the engine what happens, for as long as it is not ended.
 * @returns ends it; what was told is there once the promise has settled, which never rejects
 */
export function gatherFrom(fleet: Fleet, options: GatherOptions): () => Promise<void> {
  const ends = new Map<string, () => Promise<void>>()
  const unfollow = fleet.follow({
    added(appliance) {
      ends.set(appliance.appliance!, gather(appliance, options))
    },
    async removed({ appliance }) {
      const end = ends.get(appliance!)
      ends.delete(appliance!)
      await end?.()
    },
  })
  return async () => {
    unfollow()
    await Promise.all([...ends.values()].map((end) => end()))
  }
}

/** @returns ends it: once the promise has settled, the next owner finds the latest picture */
function gather(appliance: Appliance, options: GatherOptions): () => Promise<void> {
  const { gathering, token, language } = options
  const name = appliance.appliance!
  const connection = appliance.client()
  /** What the latest picture showed of the reachability, and of what is open. */
  let shown: string | undefined
  let shownOpen = '{}'
  /** Something has happened since the latest picture. */
  let isNews = false
  let kept = Promise.resolve()
  let said: string | undefined

  function fail(text: string): void {
    if (text !== said) options.onFailure(name, text)
    said = text
  }

  function keep(): void {
    const present = token(name)
    const known = knownBy(connection)
    if (present === undefined || !known) return
    const open = openBy(connection)
    const openNow = open ? JSON.stringify(open) : shownOpen
    if (!isNews && openNow === shownOpen) return
    isNews = false
    shownOpen = openNow
    const isUp = !isOld(known, Date.now())
    // Until this owner has seen something, what a former one has seen stays there, and until this
    // owner has read it, what was open.
    const snapshot = knownSnapshot(connection)
    const picture = { isUp, at: Date.now(), ...(snapshot && { snapshot }), ...(open && { open }) }
    kept = write(picture, present, open && withoutTold(open))
  }

  async function write(picture: object, present: number, short?: object): Promise<void> {
    try {
      const shorter = short && { ...picture, open: short }
      if (!(await gathering.keep(name, picture, present, shorter))) fail(TOO_LARGE)
      options.onKept(name)
    } catch (error) {
      const { code, message } = error as GatewayError
      // Otherwise it is of no use to try again.
      if (code !== 'UNAVAILABLE') return fail(message)
      isNews = true
      options.onNotKept(name, error as Error)
    }
  }

  const end = watchDevice(connection, {
    language: languageOf(language),
    onEvents(events) {
      const present = token(name)
      if (present === undefined) return
      for (const event of events) gathering.publish(name, { ...event, appliance: name }, present)
      isNews = true
    },
    onHealth({ known, failure }) {
      // The first poll, and each change between well and not.
      const health = `${known !== undefined} ${failure?.code ?? ''}`
      isNews ||= health !== shown
      shown = health
    },
    onFailure: ({ message }) => options.onFailure(name, message),
    onTold: keep,
  })
  return async () => {
    // What a watch has just reported, and what the engine has not taken.
    keep()
    end()
    await kept
    options.onEnd(name)
  }
}

const TOO_LARGE =
  'The picture is too large for the engine with the changes that are on hold, and is kept without them: an owner that takes over does not report them.'
