import type { Msg, Subscription } from '@nats-io/transport-node'
import type { JsonObject } from '../../model/json'
import { within } from '../../stop'
import type { Command } from '../types'
import { roomOn } from './fenced-records'
import { outcomeOf, type Outcome } from './outcome'
import { lifeSubject, slotSubject } from './subjects'
import { sealed, unpacked, unsealed, type Bus, type Sealed } from './wire'

/** A command that has reached this life of the instance. */
interface Taken {
  /** Undefined while it is carried out. */
  outcome?: Outcome
  over: Promise<void>
  /** By `performance.now()`. */
  ended?: number
}

type CarryOut = (command: Command) => Promise<unknown>

interface Head extends Omit<Command, 'body'> {
  readonly id: string
  /** When it was sent, by the clock of this instance. */
  readonly at: number
}

/** What is sent back: `begun` while it is carried out, `elsewhere` if it never will be here. */
export interface Answer {
  readonly state: 'begun' | 'done' | 'elsewhere'
  /** The clock of this instance. */
  readonly now: number
}

/** What an instance says that owns the slot in question. */
export interface Offer {
  readonly life: string
  readonly now: number
}

/** How long an outcome is remembered, in milliseconds. */
export const KEPT_MS = 600_000
/** A message that is older, or from so far in the future, is refused. In milliseconds. */
const MOST_AGE_MS = 60_000
const MOST_UNDER_WAY = 1000
/** What is over by then needs no second request. */
const QUICK_MS = 100
const LOGGED_EVERY_MS = 60_000

/**
 * Carries out commands, each once: what has reached this life of the instance is remembered here, and a
 * message for another life is for nobody.
 */
export function serveCommands({ link, pace, fleet, key, life, log }: Bus) {
  const all = new Map<string, Taken>()
  const slots = new Map<number, Subscription | undefined>()
  let serving: CarryOut | undefined
  let underWay = 0
  let refused = { count: 0, logged: Number.NEGATIVE_INFINITY }

  /** What has begun here is answered here, whoever owns its slot by then. */
  link.onChange((isUp) => {
    if (!isUp) return
    // The link logs the missing right.
    const callback = (error: Error | null, message: Msg): void => void (error ?? take(message))
    link.connection?.subscribe(lifeSubject(fleet, life), { callback })
    for (const slot of slots.keys()) listen(slot)
  })

  function listen(slot: number): void {
    const callback = (error: Error | null, message: Msg): void => {
      if (error || !slots.has(slot) || !read(message)) return
      respond(message, { life, now: performance.now() })
    }
    slots.set(slot, link.connection?.subscribe(slotSubject(fleet, slot), { callback }))
  }

  async function take(message: Msg): Promise<void> {
    const sent = read(message)
    if (!sent) return
    const { head } = sent
    if (!isHead(head) || Math.abs(performance.now() - head.at) > MOST_AGE_MS) {
      refuse('it is too old, or not of this version')
      return
    }
    forget()
    const known = all.get(head.id)
    const taken = known ?? (await begin(head, sent.bytes))
    await within(known ? pace.sign : QUICK_MS, taken.over)
    const { outcome } = taken
    const state = !outcome ? 'begun' : outcome.isElsewhere ? 'elsewhere' : 'done'
    respond(message, { state, now: performance.now() }, outcome?.bytes)
    // A read that comes again is made again.
    if (outcome && !head.writes) taken.outcome = ELSEWHERE
  }

  async function begin(
    { id, appliance, slot, writes, from }: Head,
    bytes: Uint8Array,
  ): Promise<Taken> {
    const carryOut = serving
    const taken: Taken = { over: Promise.resolve() }
    all.set(id, taken)
    const end = (outcome: Outcome): Taken =>
      Object.assign(taken, { outcome, ended: performance.now() })
    const isMine = carryOut && slots.has(slot) && underWay < MOST_UNDER_WAY
    if (!isMine) return end(ELSEWHERE)
    underWay++
    const body = unpacked(bytes)
    const work = async (): Promise<unknown> =>
      carryOut({ appliance, slot, writes, from, body: await body })
    taken.over = outcomeOf(work, writes, roomOn(link)).then((outcome) => {
      underWay--
      end(outcome)
    })
    // The sender may send the next one when it hears of this one.
    await body.catch(() => undefined)
    return taken
  }

  function forget(): void {
    const before = performance.now() - KEPT_MS
    for (const [id, { ended = before }] of all) {
      if (ended > before) break
      if (ended < before) all.delete(id)
    }
  }

  function read({ subject, reply, data }: Msg): Sealed | undefined {
    const sent = unsealed(key, { subject, reply }, data)
    if (!sent)
      refuse(
        'it is not signed with the fleet key of this instance. If another instance of the fleet has sent it, enter the same key on both',
      )
    return sent
  }

  function respond({ reply }: Msg, head: Answer | Offer, bytes?: Uint8Array): void {
    if (!reply) return
    link.connection?.publish(reply, sealed(key, { subject: reply }, head, bytes))
  }

  /** Anybody may send as much as the engine takes: the log gets a line a minute. */
  function refuse(why: string): void {
    refused.count++
    const now = performance.now()
    if (now - refused.logged < LOGGED_EVERY_MS) return
    const { count } = refused
    refused = { count: 0, logged: now }
    const times = count > 1 ? ` (${count} since this was last logged)` : ''
    log('warn', `A command on the engine was refused${times}: ${why}.`)
  }

  return (carryOut: CarryOut) => {
    serving = carryOut
    return {
      take(taken: readonly number[]): void {
        for (const slot of taken) listen(slot)
      },
      /** What was begun before is still answered. */
      leave(left: readonly number[]): void {
        for (const slot of left) {
          const subscription = slots.get(slot)
          slots.delete(slot)
          if (!subscription?.isClosed()) subscription?.unsubscribe()
        }
      },
      /** Resolves when all that has begun is over. */
      async close(): Promise<void> {
        if (serving === carryOut) serving = undefined
        await Promise.all([...all.values()].map(({ over }) => over))
      },
    }
  }
}

const isHead = (head: JsonObject): head is JsonObject & Head => {
  const { id, at, appliance, slot, writes, from } = head
  return (
    [id, appliance, from].every((each) => typeof each === 'string') &&
    [at, slot].every((each) => typeof each === 'number') &&
    typeof writes === 'boolean'
  )
}

const ELSEWHERE: Outcome = { bytes: Buffer.of(), isElsewhere: true }
