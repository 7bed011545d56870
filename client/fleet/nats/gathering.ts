import type { MsgHdrs, NatsConnection } from '@nats-io/transport-node'
import type { Gathering } from '../types'
import { codeOf, isOtherRevision } from './bucket'
import { engineAway, reasonOf } from './failures'
import { latestRecords, requireRoom, roomOn, type Records } from './latest'
import type { Link } from './link'
import { tokenOf } from './names'

export interface GatheringOptions {
  /** The name of the fleet on the engine. */
  fleet: string
  replicas: number
  /** Milliseconds that each call may take. */
  timeout: number
  /** Milliseconds from one beat of an owner to the next. */
  beatMs: number
}

/** Everything in the stream ends after a day: an owner confirms its states more often. */
const KEPT_NS = 24 * 60 * 60 * 1e9
/** Of each kind of event of an appliance. */
const MOST_EVENTS = 1000

/**
 * One stream for all that is gathered. A state, or a beat, replaces the one before under its subject by
 * a roll-up: so it needs no bucket of its own, and who reads the stream gets everything in one order.
 */
export function createGathering(link: Link, options: GatheringOptions): Gathering {
  const { fleet, replicas, timeout, beatMs } = options
  const room = (): number => roomOn(link)
  const stream = `media-gateway-${fleet}-events`
  const root = `media-gateway.${fleet}.`
  let made: { by: NatsConnection; done: Promise<unknown> } | undefined

  async function ask<T>(
    by: NatsConnection,
    subject: string,
    text: string,
    headers?: MsgHdrs,
  ): Promise<T> {
    const answer = await by.request(subject, text, { timeout, headers })
    const { error, ...found } = answer.json<{
      error?: { err_code?: number; description?: string }
    }>()
    if (!error) return found as T
    throw Object.assign(new Error(error.description), { code: error.err_code })
  }

  /** A stream that exists is used as it is. */
  function make(by: NatsConnection): Promise<unknown> {
    const wanted = {
      name: stream,
      subjects: ['event', 'state', 'owner'].map((kind) => `${root}${kind}.>`),
      storage: 'file',
      retention: 'limits',
      discard: 'old',
      num_replicas: replicas,
      max_age: KEPT_NS,
      max_msgs_per_subject: MOST_EVENTS,
      allow_rollup_hdrs: true,
    }
    return ask(by, `$JS.API.STREAM.CREATE.${stream}`, JSON.stringify(wanted)).catch((error) => {
      if (codeOf(error) !== OTHER_CONFIGURATION) throw error
    })
  }

  async function call<T>(subject: string, text: string, headers?: MsgHdrs): Promise<T> {
    const by = link.connection
    if (!by) throw engineAway('not connected')
    if (made?.by !== by) made = { by, done: make(by) }
    const mine = made
    try {
      await mine.done
      return await ask<T>(by, subject, text, headers)
    } catch (error) {
      if (codeOf(error) === NO_MESSAGE || isOtherRevision(error)) throw error
      // The stream may have been removed: it is made again with the next call.
      if (made === mine) made = undefined
      throw engineAway(reasonOf(error))
    }
  }

  /** @param replaced the revision that it replaces; undefined for any */
  function replacing(replaced?: number): MsgHdrs {
    const { headers } =
      require('@nats-io/transport-node') as typeof import('@nats-io/transport-node')
    const own = headers()
    own.set('Nats-Rollup', 'sub')
    if (replaced !== undefined) own.set('Nats-Expected-Last-Subject-Sequence', String(replaced))
    return own
  }

  async function update(
    key: string,
    value: Uint8Array | string,
    revision: number,
  ): Promise<number | undefined> {
    try {
      return (await call<{ seq: number }>(root + key, String(value), replacing(revision))).seq
    } catch (error) {
      if (isOtherRevision(error)) return undefined
      throw error
    }
  }

  const records: Records = {
    async get(key) {
      const wanted = JSON.stringify({ last_by_subj: root + key })
      try {
        const { message } = await call<{ message: { seq: number; data?: string } }>(
          `$JS.API.STREAM.MSG.GET.${stream}`,
          wanted,
        )
        return { value: Buffer.from(message.data ?? '', 'base64'), revision: message.seq }
      } catch (error) {
        if (codeOf(error) === NO_MESSAGE) return undefined
        throw error
      }
    },
    create: (key, value) => update(key, value, 0),
    update,
  }
  const states = latestRecords<object>(() => records, 'state', room)

  return {
    beatMs,
    async publish(appliance, event, token) {
      const name = event.event.split('.').map(tokenOf).join('.')
      const text = JSON.stringify({ ...event, appliance, token })
      requireRoom(text, 'event', room())
      await call(`${root}event.${tokenOf(appliance)}.${name}`, text)
    },
    show: (appliance, state, token) =>
      states.write(`state.${tokenOf(appliance)}`, token, { ...state, appliance }),
    async beat(owner, facts) {
      const text = JSON.stringify({ ...facts, owner, everyMs: beatMs })
      await call(`${root}owner.${tokenOf(owner)}`, text, replacing())
    },
  }
}

/** "stream name already in use with a different configuration" */
const OTHER_CONFIGURATION = 10058
/** "no message found" */
const NO_MESSAGE = 10037
