// Events and states of all appliances that this instance owns, for whoever reads them on the engine.
import { randomUUID } from 'node:crypto'
import { MONOTONIC } from '../../../client/clock'
import { createOutageLog } from '../../../client/connection/outage-log'
import type { Gathering } from '../../../client/fleet/nats/gathering'
import { GatewayError } from '../../../client/errors'
import { isOld } from '../../../client/watch/life/device'
import { knownBy, snapshotOfKnown, watchDevice } from '../../../client/watch/registry'
import { Stop, pause } from '../../../client/stop'
import { EVENTS, type Language } from '../../../client/model/watch'
import type { Appliance, Fleet } from '../../runtime/gateway-node'

/** No address of a caller leaves this Node-RED by itself. */
const PUBLISHED = EVENTS.filter((name) => !name.startsWith('caller.'))

/** A state ends after a day on the engine: one that does not change is written again. */
const CONFIRM_MS = 60 * 60 * 1000
const AGAIN_MS = 2000

/**
 * Publishes what happens, for as long as it is not ended.
 * @returns ends it; what was published is there once the promise has settled, which never rejects
 */
export function gatherFrom(
  fleet: Pick<Fleet, 'names' | 'follow'>,
  gathering: Gathering,
  { language, log }: { language: Language; log: (level: 'info' | 'warn', text: string) => void },
): () => Promise<void> {
  const ends = new Map<string, () => Promise<void>>()
  const outages = createOutageLog(log, 'Events and states are published on the engine again.')
  const said = new Set<string>()
  const stop = new Stop()
  /** Another one after each loss of the engine: what was published before it is not of now. */
  let owner: string | undefined
  let cancelBeat = (): void => undefined

  /** @returns false when the engine has not taken it */
  async function send(about: string, work: Promise<unknown>): Promise<boolean> {
    try {
      await work
      outages.recovered(about)
      return true
    } catch (error) {
      const { code, message } = error as GatewayError
      if (code === 'UNAVAILABLE') {
        const text = `Events and states cannot be published on the engine, among them what is about "${about}": ${message}`
        outages.failed(about, 'publish', text)
        return false
      }
      // It is of no use to try again.
      const text = `${about}: ${message}`
      if (!said.has(text)) log('warn', text)
      said.add(text)
      return true
    }
  }

  function beat(): void {
    cancelBeat = MONOTONIC.after(gathering.beatMs, beat)
    const facts = { at: Date.now(), appliances: ends.size }
    // The next one comes soon: nothing is said of one that is missing.
    gathering.beat(owner!, facts).catch(() => undefined)
  }

  function gather(appliance: Appliance): () => Promise<void> {
    const name = appliance.appliance!
    const connection = appliance.client()
    /** What was known last: whether it could be read, and why not. */
    let health: string | undefined
    /** When the state is to be written again, by the clock: at once after something has happened. */
    let dueAt = Infinity
    let writing: Promise<unknown> = Promise.resolve()

    function show(): void {
      const present = appliance.token
      const known = knownBy(connection)
      if (present === undefined || !known || MONOTONIC.now() < dueAt) return
      dueAt = MONOTONIC.now() + CONFIRM_MS
      const snapshot = snapshotOfKnown(known)
      const isUp = !isOld(known, Date.now())
      const state = { isUp, at: Date.now(), owner, ...(snapshot && { snapshot }) }
      const written = send(name, gathering.show(name, state, present)).then((isTaken) => {
        if (!isTaken) dueAt = -Infinity
      })
      writing = Promise.all([writing, written])
    }

    /**
     * Nobody may take it over: then nothing is known of it. What is not taken back is believed for as long
     * as this owner beats, so that is tried again.
     */
    async function clear(present: number, by = owner): Promise<void> {
      const isRemoved = !fleet.names().includes(name)
      const state = { isUp: null, at: Date.now(), owner: null, ...(isRemoved && { isRemoved }) }
      if (await send(name, gathering.show(name, state, present))) return outages.remove(name)
      void pause(AGAIN_MS, stop).then(() => {
        if (!stop.stopped && owner === by && !ends.has(name)) return clear(present, by)
        return outages.remove(name)
      })
    }

    const end = watchDevice(connection, {
      language,
      events: PUBLISHED,
      onEvents(events) {
        const present = appliance.token
        if (present === undefined) return
        dueAt = -Infinity
        const sent = events.map((event) => send(name, gathering.publish(name, event, present)))
        writing = Promise.all([writing, ...sent])
      },
      onHealth({ known, failure }) {
        // The first poll, and each change between well and not.
        const present = `${known !== undefined} ${failure?.code ?? ''}`
        if (present !== health) dueAt = -Infinity
        health = present
      },
      onFailure: ({ message }) => log('warn', `${name}: ${message}`),
      onTold: show,
    })
    return async () => {
      const present = appliance.token
      end()
      await writing
      if (present !== undefined) await clear(present)
    }
  }

  const unfollow = fleet.follow({
    added(appliance) {
      const isFirst = owner === undefined
      owner ??= randomUUID()
      ends.set(appliance.appliance!, gather(appliance))
      if (isFirst) beat()
    },
    async removed({ appliance }) {
      const end = ends.get(appliance!)
      ends.delete(appliance!)
      await end?.()
    },
    engine({ isUp }) {
      if (isUp) return
      cancelBeat()
      owner = undefined
    },
  })
  return async () => {
    unfollow()
    const ending = [...ends.values()]
    ends.clear()
    await Promise.all(ending.map((end) => end()))
    cancelBeat()
    stop.now()
  }
}
