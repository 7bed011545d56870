// Events and pictures of all appliances that this instance owns, for whoever listens on the engine.
import { isOld, knownBy, knownSnapshot, watchDevice } from '../../../client/internal'
import type { Gathering } from '../../../client/fleet/types'
import { LANGUAGES, languageOf } from '../../../client/model/watch'
import type { Appliance, Fleet } from '../../runtime/gateway-node'

export interface GatherOptions {
  gathering: Gathering
  /** Of the appliance: grows with each owner. */
  token: (appliance: string) => number | undefined
  /** Of the texts of events. */
  language: (typeof LANGUAGES)[number]
  /** What cannot be told. */
  onFailure: (appliance: string, error: Error) => void
}

/** Tells the engine what happens, for as long as it is not ended. @returns ends it */
export function gatherFrom(fleet: Fleet, options: GatherOptions): () => void {
  const ends = new Map<string, () => void>()
  const unfollow = fleet.follow({
    added(appliance) {
      ends.set(appliance.appliance!, gather(appliance, options))
    },
    removed({ appliance }) {
      ends.get(appliance!)?.()
      ends.delete(appliance!)
    },
  })
  return () => {
    unfollow()
    for (const end of ends.values()) end()
  }
}

function gather(appliance: Appliance, options: GatherOptions): () => void {
  const { gathering, token, language, onFailure } = options
  const name = appliance.appliance!
  const connection = appliance.client()
  /** What the latest picture showed of the reachability. */
  let shown: string | undefined
  /** What a former owner has seen, which counts until this one has seen something. */
  let former: unknown
  let ended = false

  function keep(): void {
    const present = token(name)
    const known = knownBy(connection)
    if (present === undefined || !known) return
    const isUp = !isOld(known, Date.now())
    const snapshot = knownSnapshot(connection) ?? former
    const picture = { isUp, at: Date.now(), ...(snapshot !== undefined && { snapshot }) }
    gathering.keep(name, picture, present).catch((error: Error) => onFailure(name, error))
  }

  const begin = (): (() => void) =>
    watchDevice(connection, {
      language: languageOf(language),
      onEvents(events) {
        const present = token(name)
        if (present === undefined) return
        for (const event of events) gathering.publish(name, { ...event, appliance: name }, present)
        keep()
      },
      onHealth({ known, failure }) {
        // The first poll, and each change between well and not.
        const health = `${known !== undefined} ${failure?.code ?? ''}`
        if (health === shown) return
        shown = health
        keep()
      },
      onFailure: (error) => onFailure(name, error),
    })

  let end = (): void => undefined
  void snapshotIn(gathering, name).then((snapshot) => {
    former = snapshot
    if (!ended && !connection.closing.stopped) end = begin()
  })
  return () => {
    ended = true
    end()
  }
}

/** What is kept of an appliance; undefined where nothing is, or it cannot be read now. */
export async function snapshotIn(gathering: Gathering, appliance: string): Promise<unknown> {
  try {
    const kept: { snapshot?: unknown } = (await gathering.read(appliance))?.picture ?? {}
    return kept.snapshot
  } catch {
    return undefined
  }
}
