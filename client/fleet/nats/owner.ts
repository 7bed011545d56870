import { randomUUID } from 'node:crypto'
import { setLatest } from '../../memory'
import { Stop, pause } from '../../stop'
import type { Command } from '../types'
import type { Claim, Claims, Found } from './claims'
import type { Line } from './line'
import { lost, outcomeOf, resultLost, type Outcome } from './outcome'
import { nameOf } from './names'
import { Assembly, unpacked, type Frame } from './wire'

/** A command that was begun here. */
interface Begun {
  /** The subjects on which its senders wait. */
  readonly replies: Set<string>
  /** It has the claim, where one is needed. */
  isClaimed: boolean
  /** Undefined while it is carried out. */
  outcome?: Outcome
  /** When it ended, by `performance.now()`. */
  ended?: number
}

/** What is said of a command by its messages. */
export interface CommandHead {
  id: string
  once: boolean
  writes: boolean
  /** Where its sender waits. */
  reply: string
  /** The life of the instance of which the sender knows that it has begun. */
  begunBy?: string
}

/** A claim of this life. */
type Held = Pick<Found & { state: 'begun' }, 'revision' | 'doubt'>

/** What changes nothing needs no record. */
const UNCLAIMED: Held = { revision: 0, doubt: false }

/** Whatever arrives on a subject of the fleet becomes part of others. */
const isCommand = ({ id, reply }: Frame['head']): boolean =>
  typeof id === 'string' && typeof reply === 'string' && /^answer\.[\w-]+\.\d+$/.test(reply)

/** How long an instance that ended may take to leave its answer, in milliseconds. */
const GRACE_MS = 1000
/** As long as the engine keeps records of commands, in milliseconds. */
export const KEPT_MS = 600_000
const RETRY_MS = 1000
const RETRIES = 60

/**
 * Carries out commands, each once. What was begun is remembered here until its outcome stands in the
 * record of the command; what is remembered is done by nobody again.
 */
export class Owner {
  readonly #begun = new Map<string, Begun>()
  /** When a change of each appliance was begun here last, by `performance.now()`. */
  readonly #changedAt = new Map<string, number>()
  readonly #stop = new Stop()

  constructor(
    private readonly line: Line,
    private readonly claims: Claims,
    private readonly life: string,
    private readonly signMs: number,
  ) {}

  close(): void {
    this.#stop.now()
  }

  /**
   * Listens to all commands of the fleet: who owns an appliance answers, the others stay silent. A
   * subscription for each appliance would say at once that nobody owns it, but it would have to be
   * in step with the ownership on two sides, and ten thousand of them would have to be made again after each
   * loss of the connection. What a late message must not do is decided by the record of the command.
   * @returns ends it, after what is under way has ended
   */
  serve(
    owns: (appliance: string) => boolean,
    carryOut: (command: Command) => Promise<unknown>,
  ): () => Promise<void> {
    const assembly = new Assembly()
    const underWay = new Set<Promise<void>>()
    const end = this.line.listen('command.*', (frame, token) => {
      const appliance = nameOf(token)
      if (!owns(appliance) || !isCommand(frame.head)) return
      const bytes = assembly.add(frame)
      if (!bytes) return
      const work = this.#take(frame, bytes, appliance, owns, carryOut)
        // It is not carried out, and its sender sends it again.
        .catch(() => undefined)
        .finally(() => underWay.delete(work))
      underWay.add(work)
    })
    return async () => {
      end()
      await Promise.all(underWay)
    }
  }

  async #take(
    { head }: Frame,
    bytes: Uint8Array,
    appliance: string,
    owns: (appliance: string) => boolean,
    carryOut: (command: Command) => Promise<unknown>,
  ): Promise<void> {
    this.#forget()
    const { id, once, writes, reply, begunBy } = head as unknown as CommandHead
    const known = this.#begun.get(id)
    if (known) {
      known.replies.add(reply)
      if (known.outcome) this.#answer(known, known.outcome.bytes)
      else if (known.isClaimed) this.line.say(reply, { sign: 'begun', by: this.life })
      return
    }
    const begun: Begun = { replies: new Set([reply]), isClaimed: false }
    this.#begun.set(id, begun)
    try {
      const body = await unpacked(bytes)
      const held = writes ? await this.#claim(id, { appliance, once, begunBy }, begun) : UNCLAIMED
      if (held === undefined) {
        this.#begun.delete(id)
      } else if (!owns(appliance)) {
        await this.#settle(id, held, begun, 'elsewhere')
      } else {
        begun.isClaimed = true
        if (writes && !held.doubt) setLatest(this.#changedAt, appliance, performance.now())
        const work = (): Promise<unknown> => carryOut({ id, appliance, once, writes, body })
        const outcome = await this.#withSigns(begun, outcomeOf(work, writes, held.doubt))
        const isLeft = isForTheNext(outcome, owns(appliance))
        await this.#settle(id, held, begun, isLeft ? 'elsewhere' : outcome)
      }
    } catch (error) {
      this.#begun.delete(id)
      throw error
    }
  }

  /** @returns undefined when the command is not to be carried out */
  async #claim(
    id: string,
    { appliance, once, begunBy }: { appliance: string; once: boolean; begunBy?: string },
    begun: Begun,
  ): Promise<Held | undefined> {
    let waitedFor: number | undefined
    for (;;) {
      const found = await this.claims.get(id)
      if (!found || found.state === 'closed') return undefined
      const { revision } = found
      if (found.state === 'done') {
        this.#answer(begun, found.outcome ?? (await packedError(resultLost(appliance))))
        return undefined
      }
      // A claim of this life that nothing is known of here was never followed by anything.
      if (found.state === 'begun' && found.by === this.life) return found
      const doubt = found.doubt || !isFree(found, begunBy, this.life)
      if (doubt) {
        if (waitedFor !== revision) {
          waitedFor = revision
          await pause(GRACE_MS, this.#stop)
          continue
        }
        // Another change has been made since: to repeat this one would take that back.
        const changedAt = this.#changedAt.get(appliance) ?? Number.NEGATIVE_INFINITY
        if (once || performance.now() - changedAt < KEPT_MS) {
          const outcome = await packedError(lost(appliance))
          await this.claims.change(id, { state: 'done', outcome }, revision)
          continue
        }
      }
      // Its answer may get lost: then the record says at the next look who has the claim.
      await this.claims
        .change(id, { state: 'begun', by: this.life, doubt }, revision)
        // Refused at once, it would be tried again at once.
        .catch(() => pause(RETRY_MS, this.#stop))
      if (this.#stop.stopped) return undefined
    }
  }

  /**
   * Notes what came of a command, and answers. That nothing was changed is said only once it is noted:
   * until then, another owner may have taken the command over.
   */
  async #settle(
    id: string,
    { revision, doubt }: Held,
    begun: Begun,
    outcome: Outcome | 'elsewhere',
  ): Promise<void> {
    const isElsewhere = outcome === 'elsewhere'
    const isCertain = !isElsewhere && (doubt || !outcome.unchanged)
    const claim: Claim = isElsewhere
      ? { state: 'open', doubt }
      : { state: 'done', outcome: outcome.bytes }
    const end = (isNoted: boolean): void => {
      if (isNoted && isElsewhere) this.#say(begun, 'elsewhere')
      if (isNoted && !isElsewhere) this.#answer(begun, outcome.bytes)
      const isKept = isNoted && (isElsewhere || outcome.bytes.length <= this.line.room)
      if (isKept || !isCertain) this.#begun.delete(id)
    }
    if (revision === 0) {
      end(true)
      this.#begun.delete(id)
      return
    }
    if (isCertain) Object.assign(begun, { outcome, ended: performance.now() })
    const noted = await this.claims.change(id, claim, revision).catch(() => 'unknown' as const)
    if (isCertain) this.#answer(begun, outcome.bytes)
    if (noted === 'unknown') void this.#insist(id, claim, revision).then(end)
    else end(noted !== undefined)
  }

  /** Changes the record of a command as soon as the engine responds. @returns false when it has changed */
  async #insist(id: string, claim: Claim, revision: number): Promise<boolean> {
    for (let tried = 0; tried < RETRIES && !this.#stop.stopped; tried++) {
      await pause(RETRY_MS, this.#stop)
      try {
        if ((await this.claims.change(id, claim, revision)) !== undefined) return true
        // An earlier attempt may have arrived, and only its answer not.
        const found = await this.claims.get(id)
        return found !== undefined && isSame(found, claim)
      } catch {
        // It is tried again.
      }
    }
    return false
  }

  /** Tells the senders again and again that it is being carried out. */
  async #withSigns<T>(begun: Begun, work: Promise<T>): Promise<T> {
    const over = new Stop()
    const signs = (async () => {
      while (!over.stopped) {
        this.#say(begun, 'begun')
        await pause(this.signMs, over)
      }
    })()
    const result = await work
    over.now()
    await signs
    return result
  }

  #say({ replies }: Begun, sign: 'begun' | 'elsewhere'): void {
    for (const reply of replies) this.line.say(reply, { sign, by: this.life })
  }

  #answer({ replies }: Begun, bytes: Uint8Array): void {
    for (const reply of replies) {
      this.line.send(reply, { sign: 'answer', by: this.life }, bytes, randomUUID())
    }
    replies.clear()
  }

  #forget(): void {
    const before = performance.now() - KEPT_MS
    for (const [id, { ended }] of this.#begun) {
      if (ended !== undefined && ended < before) this.#begun.delete(id)
    }
  }
}

/** Nobody else has begun, as far as the record and the sender know. */
const isFree = (found: Found, begunBy: string | undefined, life: string): boolean =>
  found.state === 'open' && (begunBy === undefined || begunBy === life)

/** Nothing was sent, since this instance is not the owner any more, or cannot prove that it is. */
const isForTheNext = ({ unchanged }: Outcome, isOwned: boolean): boolean =>
  unchanged?.code === 'UNAVAILABLE' &&
  (!isOwned || unchanged.sentences.some(({ key }) => key === 'notOwned'))

function isSame(found: Found, claim: Claim): boolean {
  if (found.state !== 'done' || claim.state !== 'done') return found.state === claim.state
  return found.outcome !== undefined && Buffer.compare(found.outcome, claim.outcome!) === 0
}

async function packedError(error: Error): Promise<Uint8Array> {
  const { bytes } = await outcomeOf(async () => {
    throw error
  }, true)
  return bytes
}
