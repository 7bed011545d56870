import { randomUUID } from 'node:crypto'
import { createKeyedMutex } from '../../connection/concurrency'
import { GatewayError, closedError, inDoubt, invalidInput, say } from '../../errors'
import { Stop, pause, untilStopped } from '../../stop'
import type { Command } from '../types'
import { answered } from './failures'
import { roomOn } from './fenced-records'
import { lost, resultOf } from './outcome'
import { KEPT_MS, type Answer, type Offer } from './owner'
import { lifeSubject, repliesOf, slotSubject } from './subjects'
import { packed, sealed, unsealed, type Bus, type Sealed } from './wire'

/** `unsent`: certainly nobody has received it. `silent`: somebody may have. */
type Heard = Sealed | 'unsent' | 'silent'

/** How long an answer takes at most, beside what the owner waits before it answers. */
const ANSWER_MS = 1000

/**
 * Sends each command to the instance that owns its appliance. It asks who that is first, and gives the
 * command to that life only: so it knows at each time whether the command may have been begun, and by whom.
 * @param closed ends all that are under way
 */
export function createSender({ link, pace, key, fleet, life }: Bus, closed: Stop) {
  const turns = createKeyedMutex()
  let requests = 0

  /** Waits while nobody owns the appliance. @throws GatewayError as `Share.send` */
  async function send(
    command: Command,
    { waitMs, stop }: { waitMs: number; stop?: Stop },
  ): Promise<unknown> {
    const over = new Stop()
    const unhook = [closed, stop].map((each) => each?.onStop(() => over.now()))
    const body = bodyOf(command, roomOn(link))
    // It may have to wait for its turn.
    body.catch(() => undefined)
    const work = async (onBegun: () => void): Promise<unknown> =>
      sendNow(command, await body, waitMs, over, onBegun)
    try {
      return await (command.writes ? inTurn(command.appliance, work, over) : work(() => undefined))
    } finally {
      for (const each of unhook) each?.()
    }
  }

  /** Changes of an appliance begin in the order in which they were sent. */
  function inTurn(
    appliance: string,
    work: (onBegun: () => void) => Promise<unknown>,
    over: Stop,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const begun = (): Promise<void> =>
        new Promise((onBegun) => void work(onBegun).then(resolve, reject).finally(onBegun))
      turns.run(appliance, begun, over).catch(reject)
    })
  }

  /** @param onBegun the next one may begin */
  async function sendNow(
    { appliance, slot, writes, from }: Command,
    body: Uint8Array,
    waitMs: number,
    over: Stop,
    onBegun: () => void,
  ): Promise<unknown> {
    /** Sends a request, and waits for its answer, so long or until the stop. */
    async function ask(
      subject: string,
      head: object,
      ms: number,
      bytes?: Uint8Array,
    ): Promise<Heard> {
      const { connection } = link
      if (!connection) return 'unsent'
      const reply = `${repliesOf(fleet)}.${life}.${++requests}`
      const message = sealed(key, { subject, reply }, head, bytes)
      const timeout = Math.max(1, ms)
      try {
        const request = connection.request(subject, message, { timeout, noMux: true, reply })
        // Of a connection that is lost, nothing more is heard, not even that the time is over.
        const asked = answered(timeout, request)
        const { data } = await untilStopped(asked, over, closedError)
        return unsealed(key, { subject: reply }, data) ?? 'silent'
      } catch (error) {
        return isForNobody(error) ? 'unsent' : 'silent'
      }
    }

    /** @throws GatewayError `UNAVAILABLE` when nobody owns the appliance by then */
    async function findOwner(deadline: number): Promise<Offer> {
      for (;;) {
        const left = deadline - performance.now()
        if (over.stopped) throw closedError()
        if (left <= 0) throw notOwned(appliance, link.isUp)
        const subject = slotSubject(fleet, slot)
        const heard = await ask(subject, {}, Math.min(ANSWER_MS, left))
        if (typeof heard === 'object') return heard.head as unknown as Offer
        await pause(Math.min(pace.repeat, left), over)
      }
    }

    /**
     * Has this owner carry it out, and asks until it is over.
     * @returns what came of it; `elsewhere`: it was not begun, and never will be; `lost`: nobody knows
     */
    async function carriedOut(owner: Offer): Promise<Uint8Array | 'elsewhere' | 'lost'> {
      const id = randomUUID()
      const subject = lifeSubject(fleet, owner.life)
      /** Less than the owner remembers it. */
      const patience = Math.min(Math.max(waitMs, pace.silence), KEPT_MS / 2)
      let { now } = owner
      let heardAt = performance.now()
      let mayBeBegun = false
      let isBegun = false
      for (;;) {
        const at = performance.now()
        const silence = at - Math.max(heardAt, link.since ?? at)
        if (over.stopped) throw writes && mayBeBegun ? inDoubt(closedError()) : closedError()
        if (at - heardAt > patience || silence > pace.silence) return 'lost'
        const head = { id, at: now + at - heardAt, appliance, slot, writes, from }
        const heard = await ask(subject, head, pace.sign + ANSWER_MS, body)
        if (heard === 'unsent' && !mayBeBegun) return 'elsewhere'
        mayBeBegun = true
        if (typeof heard === 'string') {
          await pause(pace.repeat, over)
          continue
        }
        const answer = heard.head as unknown as Answer
        // Once it has begun, later changes may have overtaken it: then it is not begun again elsewhere.
        if (answer.state === 'elsewhere' && !(writes && isBegun)) return 'elsewhere'
        if (answer.state !== 'begun') return heard.bytes
        isBegun = true
        onBegun()
        now = answer.now
        heardAt = performance.now()
      }
    }

    let deadline = performance.now() + waitMs
    for (;;) {
      const outcome = await carriedOut(await findOwner(deadline))
      if (outcome instanceof Uint8Array) return resultOf(outcome)
      if (outcome === 'lost') {
        if (writes) throw lost(appliance)
        deadline = performance.now() + waitMs
      }
      await pause(pace.repeat, over)
    }
  }

  return send
}

/** @throws GatewayError `INVALID_INPUT` for what cannot be sent */
async function bodyOf({ body }: Command, room: number): Promise<Uint8Array> {
  const refuse = (why: string): GatewayError =>
    invalidInput([{ path: '', problem: `cannot be sent to another instance: ${why}` }])
  const bytes = await packed(body).catch((error: Error) => {
    throw refuse(error.message.split('\n')[0]!)
  })
  if (bytes.length <= room) return bytes
  throw refuse(
    `it has ${bytes.length} bytes, compressed, and the engine takes ${room}. Send less in one command, or raise "max_payload" of the NATS server`,
  )
}

/** The server has said that nobody listens there. */
const isForNobody = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && error.cause.name === 'NoResponders'

function notOwned(appliance: string, isUp: boolean): GatewayError {
  return new GatewayError('UNAVAILABLE', say(isUp ? 'noOwner' : 'engineAway', { appliance }))
}
