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

/** Publishes what happens, until it is ended. */
export function gatherFrom(
  fleet: Pick<Fleet, 'names' | 'follow'>,
  gathering: Gathering,
  { language, log }: { language: Language; log: (level: 'info' | 'warn', text: string) => void },
) {
  const all = new Map<string, ReturnType<typeof gather>>()
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
    // The next one comes soon: nothing is said of one that is missing.
    gathering.beat(owner!, { at: Date.now(), appliances: all.size }).catch(() => undefined)
  }

  function gather(appliance: Appliance) {
    const name = appliance.appliance!
    const connection = appliance.client()
    /** As it was written last, and when it is written again, by the clock. */
    let wasUp: boolean | undefined
    let dueAt = -Infinity
    let writing: Promise<unknown> = Promise.resolve()

    function show(): void {
      const present = appliance.token
      const known = knownBy(connection)
      if (present === undefined || !(known?.state || known?.failure)) return
      const isUp = !isOld(known, Date.now())
      if (isUp === wasUp && MONOTONIC.now() < dueAt) return
      wasUp = isUp
      dueAt = MONOTONIC.now() + CONFIRM_MS
      const snapshot = snapshotOfKnown(known)
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
        if (!stop.stopped && owner === by && !all.has(name)) return clear(present, by)
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
      onFailure: ({ message }) => log('warn', `${name}: ${message}`),
    })
    return {
      show,
      async end(): Promise<void> {
        const present = appliance.token
        end()
        await writing
        if (present !== undefined) await clear(present)
      },
    }
  }

  const unfollow = fleet.follow({
    added(appliance) {
      const isFirst = owner === undefined
      owner ??= randomUUID()
      all.set(appliance.appliance!, gather(appliance))
      if (isFirst) beat()
    },
    async removed({ appliance }) {
      const one = all.get(appliance!)
      all.delete(appliance!)
      await one?.end()
    },
    engine({ isUp }) {
      if (isUp) return
      cancelBeat()
      owner = undefined
    },
  })
  return {
    /** Publishes the state of an appliance, if that is due: to be called when something was seen of it. */
    show: (appliance: string): void => all.get(appliance)?.show(),
    /** What was published is there once this has settled, which never rejects. */
    async end(): Promise<void> {
      unfollow()
      const ending = [...all.values()]
      all.clear()
      await Promise.all(ending.map((one) => one.end()))
      cancelBeat()
      stop.now()
    },
  }
}
