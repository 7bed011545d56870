import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node'
import type { JsonObject } from '../../model/json'
import { within } from '../../stop'
import { slotOf } from '../slots'
import type { Command, Serving } from '../types'
import type { Bus } from './bus'
import { roomOn } from './latest'
import { outcomeOf, type Outcome } from './outcome'
import { sealed, unpacked, unsealed, type Sealed } from './wire'

/** A command that has reached this life of the instance. */
interface Taken {
  /** Undefined while it is carried out. */
  outcome?: Outcome
  over: Promise<void>
  /** By `performance.now()`. */
  ended?: number
}

interface Head {
  id: string
  /** When it was sent, by the clock of this instance. */
  at: number
  appliance: string
  writes: boolean
  from: string
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
export class Owner {
  readonly #taken = new Map<string, Taken>()
  readonly #slots = new Map<number, Subscription | undefined>()
  #connection: NatsConnection | undefined
  #serving: { carryOut: (command: Command) => Promise<unknown> } | undefined
  #underWay = 0
  #refused = { count: 0, logged: Number.NEGATIVE_INFINITY }

  constructor(private readonly bus: Bus) {
    bus.link.beforeUp((connection) => Promise.resolve(this.#subscribe(connection)))
  }

  serve(carryOut: (command: Command) => Promise<unknown>): Serving {
    const serving = (this.#serving = { carryOut })
    return {
      take: (slots) => {
        for (const slot of slots) this.#listen(slot)
      },
      leave: (slots) => {
        for (const slot of slots) {
          const subscription = this.#slots.get(slot)
          this.#slots.delete(slot)
          if (!subscription?.isClosed()) subscription?.unsubscribe()
        }
      },
      close: async () => {
        if (this.#serving === serving) this.#serving = undefined
        await Promise.all([...this.#taken.values()].map(({ over }) => over))
      },
    }
  }

  /** What has begun here is answered here, whoever owns its slot by then. */
  #subscribe(connection: NatsConnection): void {
    this.#connection = connection
    connection.subscribe(this.bus.instance(this.bus.life), {
      // The link logs the missing right.
      callback: (error, message) => void (error ?? this.#take(message)),
    })
    for (const slot of this.#slots.keys()) this.#listen(slot)
  }

  #listen(slot: number): void {
    const connection = this.#connection
    const callback = (error: Error | null, message: Msg): void => {
      if (error || !this.#slots.has(slot) || !this.#unsealed(message)) return
      const offer: Offer = { life: this.bus.life, now: performance.now() }
      this.#respond(message, offer)
    }
    const subject = this.bus.slot(slot)
    this.#slots.set(
      slot,
      connection?.isClosed() ? undefined : connection?.subscribe(subject, { callback }),
    )
  }

  async #take(message: Msg): Promise<void> {
    const sent = this.#unsealed(message)
    if (!sent) return
    const { head } = sent
    if (!isHead(head) || Math.abs(performance.now() - head.at) > MOST_AGE_MS) {
      this.#refuse('it is too old, or not of this version')
      return
    }
    this.#forget()
    const known = this.#taken.get(head.id)
    const taken = known ?? (await this.#begin(head, sent.bytes))
    await within(known ? this.bus.pace.sign : QUICK_MS, taken.over)
    const { outcome } = taken
    const state = !outcome ? 'begun' : outcome.isElsewhere ? 'elsewhere' : 'done'
    const answer: Answer = { state, now: performance.now() }
    this.#respond(message, answer, outcome?.bytes)
    // A read that comes again is made again.
    if (outcome && !head.writes) taken.outcome = ELSEWHERE
  }

  async #begin({ id, appliance, writes, from }: Head, bytes: Uint8Array): Promise<Taken> {
    const serving = this.#serving
    const isHere = this.#slots.has(slotOf(appliance)) && this.#underWay < MOST_UNDER_WAY
    const taken: Taken = { over: Promise.resolve() }
    this.#taken.set(id, taken)
    const end = (outcome: Outcome): void => {
      Object.assign(taken, { outcome, ended: performance.now() })
    }
    if (!serving || !isHere) {
      end(ELSEWHERE)
      return taken
    }
    this.#underWay++
    const body = unpacked(bytes)
    const work = async (): Promise<unknown> =>
      serving.carryOut({ appliance, writes, from, body: await body })
    taken.over = outcomeOf(work, writes, roomOn(this.bus.link)).then((outcome) => {
      this.#underWay--
      end(outcome)
    })
    // The sender may send the next one when it hears of this one.
    await body.catch(() => undefined)
    return taken
  }

  #forget(): void {
    const before = performance.now() - KEPT_MS
    for (const [id, { ended = before }] of this.#taken) {
      if (ended > before) break
      if (ended < before) this.#taken.delete(id)
    }
  }

  #unsealed(message: Msg): Sealed | undefined {
    const { subject, reply, data } = message
    const sent = unsealed(this.bus.key, { subject, reply }, data)
    if (!sent)
      this.#refuse(
        'it is not signed with the fleet key of this instance. If another instance of the fleet has sent it, enter the same key on both',
      )
    return sent
  }

  #respond({ reply }: Msg, head: Answer | Offer, bytes?: Uint8Array): void {
    const { connection } = this.bus.link
    if (!reply || !connection || connection.isClosed()) return
    connection.publish(reply, sealed(this.bus.key, { subject: reply }, head, bytes))
  }

  /** Anybody may send as much as the engine takes: the log gets a line a minute. */
  #refuse(why: string): void {
    this.#refused.count++
    const now = performance.now()
    if (now - this.#refused.logged < LOGGED_EVERY_MS) return
    const { count } = this.#refused
    this.#refused = { count: 0, logged: now }
    const times = count > 1 ? ` (${count} since this was last logged)` : ''
    this.bus.log('warn', `A command on the engine was refused${times}: ${why}.`)
  }
}

const isHead = (head: JsonObject): head is JsonObject & Head => {
  const { id, at, appliance, writes, from } = head
  return (
    [id, appliance, from].every((each) => typeof each === 'string') &&
    typeof at === 'number' &&
    typeof writes === 'boolean'
  )
}

const ELSEWHERE: Outcome = { bytes: Buffer.of(), isElsewhere: true }
