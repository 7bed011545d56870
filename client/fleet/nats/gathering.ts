import type { Kvm } from '@nats-io/kv'
import type { Entry } from '../types'
import { fencedRecords, requireRoom } from './fenced-records'
import type { Link } from './link'
import { codeOf, openedOn, unlessChanged } from './opened'
import type { EngineOptions } from './options'
import { rootOf, tokenOf } from './subjects'

/** Everything in the stream ends after a day: an owner confirms its states more often. */
const KEPT_NS = 24 * 60 * 60 * 1e9
/** Of each kind of event of an appliance. */
const MOST_EVENTS = 1000
/** "stream name already in use with a different configuration" */
const OTHER_CONFIGURATION = 10058
/** Beats of an owner in one TTL. */
const BEATS = 3

export type Gathering = ReturnType<typeof createGathering>

/**
 * Where events and states of all instances come together, for a day. Each call throws a GatewayError:
 * `UNAVAILABLE` when the engine does not respond, `INVALID_INPUT` for what is too large for it.
 *
 * One stream for all that is gathered. A state, or a beat, replaces the one before under its subject by
 * a roll-up: so it needs no bucket of its own, and who reads the stream gets everything in one order.
 */
export function createGathering(
  link: Link,
  { fleet, replicas, ttlMs }: Pick<EngineOptions, 'fleet' | 'replicas' | 'ttlMs'>,
) {
  const name = `media-gateway-${fleet}-events`
  const root = `${rootOf(fleet)}.`
  const beatMs = ttlMs / BEATS

  /** A stream that exists is used as it is. */
  async function open({ js }: Kvm) {
    const jsm = await js.jetstreamManager()
    const wanted = {
      name,
      subjects: ['event', 'state', 'owner'].map((kind) => `${root}${kind}.>`),
      storage: 'file' as const,
      retention: 'limits' as const,
      discard: 'old' as const,
      num_replicas: replicas,
      max_age: KEPT_NS,
      max_msgs_per_subject: MOST_EVENTS,
      allow_rollup_hdrs: true,
    }
    await jsm.streams.add(wanted).catch((error: unknown) => {
      if (codeOf(error) !== OTHER_CONFIGURATION) throw error
    })
    return { js, jsm }
  }
  const { use } = openedOn(link, open)

  /** @param revision the one that it replaces; undefined for any */
  function put(key: string, value: string, revision?: number): Promise<number | undefined> {
    const nats = require('@nats-io/transport-node') as typeof import('@nats-io/transport-node')
    const headers = nats.headers()
    headers.set('Nats-Rollup', 'sub')
    const how = { headers, expect: { lastSubjectSequence: revision } }
    return use(({ js }) => unlessChanged(js.publish(root + key, value, how).then(({ seq }) => seq)))
  }

  async function get(key: string): Promise<Entry | undefined> {
    const of = { last_by_subj: root + key }
    const message = await use(({ jsm }) => jsm.streams.getMessage(name, of))
    return message ? { value: message.string(), revision: message.seq } : undefined
  }

  const states = fencedRecords(link, { get, put }, 'state')

  return {
    /** Milliseconds from one beat of an owner to the next. */
    beatMs,
    /** One subject for each event: `media-gateway.<fleet>.event.<appliance>.<event>`. */
    async publish(appliance: string, event: { event: string }, token: number): Promise<void> {
      const kind = event.event.split('.').map(tokenOf).join('.')
      const text = JSON.stringify({ ...event, appliance, token })
      requireRoom(link, text, 'event')
      await use(({ js }) => js.publish(`${root}event.${tokenOf(appliance)}.${kind}`, text))
    },
    /**
     * Replaces the state of an appliance, `media-gateway.<fleet>.state.<appliance>`.
     * @returns false when that of a later owner, with a higher token, is there
     */
    show: (appliance: string, state: object, token: number): Promise<boolean> =>
      states.write(`state.${tokenOf(appliance)}`, token, { ...state, appliance }),
    /** Says that an owner is there: `media-gateway.<fleet>.owner.<owner>`. */
    async beat(owner: string, facts: object): Promise<void> {
      const text = JSON.stringify({ ...facts, owner, everyMs: beatMs })
      await put(`owner.${tokenOf(owner)}`, text)
    },
  }
}
