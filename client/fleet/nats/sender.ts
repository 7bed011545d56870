import { randomUUID } from 'node:crypto'
import { GatewayError, closedError, inDoubt, invalidInput, say, words } from '../../errors'
import { Stop } from '../../stop'
import type { Command } from '../types'
import type { Claims } from './claims'
import type { Line } from './line'
import type { Link } from './link'
import { tokenOf } from './names'
import { lost, resultLost, resultOf } from './outcome'
import type { CommandHead } from './owner'
import { Assembly, packed, type Frame } from './wire'

/** How often something is done, in milliseconds. */
export interface Pace {
  /** How often a command is sent while nobody answers. */
  repeat: number
  /** How often an owner says that it is still busy. */
  sign: number
  /** After so much silence an owner counts as gone. */
  silence: number
}

/** What has come for one command. */
interface Heard {
  /** Who has begun; undefined while nobody has, as far as is known. */
  by?: string
  /** When it last gave a sign, by `performance.now()`. */
  at: number
  answer?: Uint8Array
  /** It has been begun: the next one may be sent. */
  onBegun?: () => void
  wake: () => void
}

/** Sends commands to whoever owns their appliance, and waits for what comes of them. */
export class Sender {
  readonly #waiting = new Map<string, Heard>()
  /** By appliance: the latest change, which others come after. */
  readonly #turns = new Map<string, Promise<void>>()
  readonly #stop = new Stop()
  readonly #end: () => void
  #sent = 0

  constructor(
    private readonly link: Link,
    private readonly line: Line,
    private readonly claims: Claims,
    private readonly life: string,
    private readonly pace: Pace,
  ) {
    const assembly = new Assembly()
    this.#end = line.listen(`answer.${life}.*`, (frame, token) =>
      this.#hear(frame, token, assembly),
    )
  }

  close(): void {
    this.#stop.now()
    this.#end()
  }

  async send(
    command: Command,
    { waitMs, stop }: { waitMs: number; stop?: Stop },
  ): Promise<unknown> {
    const token = String(++this.#sent)
    const deadline = performance.now() + waitMs
    const { appliance, writes } = command
    // Changes of an appliance begin in the order in which they were sent.
    const turn = writes ? this.#takeTurn(appliance) : undefined
    const heard: Heard = { at: 0, onBegun: turn?.end, wake: () => undefined }
    const wake = (): void => heard.wake()
    const unhook = [this.#stop.onStop(wake), this.link.onChange(wake)]
    if (stop) unhook.push(stop.onStop(wake))
    const stopped = new Promise<void>((resolve) => {
      unhook.push(this.#stop.onStop(resolve))
      if (stop) unhook.push(stop.onStop(resolve))
    })
    this.#waiting.set(token, heard)
    try {
      const body = await packed(command.body).catch((error: Error) => {
        const problem = `cannot be sent to another instance: ${error.message.split('\n')[0]}`
        throw invalidInput([{ path: '', problem }])
      })
      await Promise.race([turn?.before, stopped])
      return await this.#exchange(command, body, `answer.${this.life}.${token}`, heard, {
        deadline,
        patience: Math.max(waitMs, this.pace.silence),
        isStopped: () => this.#stop.stopped || stop?.stopped === true,
      })
    } finally {
      turn?.end()
      this.#waiting.delete(token)
      for (const each of unhook) each()
    }
  }

  /** @returns what to wait for, and what to call when the next one may begin */
  #takeTurn(appliance: string): { before?: Promise<void>; end: () => void } {
    const before = this.#turns.get(appliance)
    let end = (): void => undefined
    const own = new Promise<void>((resolve) => (end = resolve))
    const over = before ? before.then(() => own) : own
    this.#turns.set(appliance, over)
    void over.then(() => this.#turns.get(appliance) === over && this.#turns.delete(appliance))
    return { before, end }
  }

  async #exchange(
    { id, appliance, once, writes }: Command,
    body: Uint8Array,
    reply: string,
    heard: Heard,
    {
      deadline,
      patience,
      isStopped,
    }: { deadline: number; patience: number; isStopped: () => boolean },
  ): Promise<unknown> {
    const head: CommandHead = { id, once, writes, reply }
    const subject = `command.${tokenOf(appliance)}`
    const { repeat, silence } = this.pace
    /** It has a record, without which nobody carries out a change. */
    let isOpen = !writes
    /** Why it has none. */
    let refused: unknown
    let wasSent = false
    let next = 0
    for (;;) {
      if (heard.answer) return resultOf(heard.answer)
      if (isStopped()) throw writes && wasSent ? inDoubt(closedError()) : closedError()
      const now = performance.now()
      const isSilent = heard.by === undefined || now - heard.at > silence / 2
      if (isSilent && now >= next && this.link.isUp) {
        if (!isOpen) {
          refused = await this.claims.open(id).catch((error: unknown) => error)
          isOpen = refused === undefined
        }
        if (isOpen) {
          const sent = this.line.send(subject, { ...head, begunBy: heard.by }, body, randomUUID())
          if (sent) wasSent = true
        }
        next = performance.now() + repeat
      }
      const end = heard.by === undefined ? deadline : heard.at + patience
      if (performance.now() >= end && !heard.answer) {
        if (!wasSent || !writes) throw this.#notOwned(appliance, refused)
        await this.#lookUp(id, appliance, heard)
        continue
      }
      const again = isSilent ? next : heard.at + silence / 2
      await this.#news(heard, this.link.isUp ? Math.min(again, end) : end)
    }
  }

  /**
   * Nothing more is heard of a change: what its record says is what is known. Returns if that is an
   * answer, or that it was begun after all.
   * @throws GatewayError `UNAVAILABLE` when nobody has begun, and nobody can any more; `OUTCOME_UNKNOWN`
   */
  async #lookUp(id: string, appliance: string, heard: Heard): Promise<void> {
    const end = performance.now() + this.pace.silence
    while (performance.now() < end && !this.#stop.stopped) {
      if (heard.answer) return
      const found = await this.claims.get(id).catch(() => 'away' as const)
      if (found === 'away') {
        await this.#news(heard, performance.now() + this.pace.repeat)
      } else if (found?.state === 'done') {
        if (!found.outcome) throw resultLost(appliance)
        heard.answer = found.outcome
      } else if (found?.state === 'closed') {
        if (found.doubt) break
        throw this.#notOwned(appliance)
      } else if (found?.state === 'begun' && heard.by === undefined) {
        heard.by = found.by
        heard.at = performance.now()
        return
      } else if (found?.state === 'open' && heard.by === undefined) {
        // Whether that has worked, the next look at the record says.
        const { doubt, revision } = found
        await this.claims
          .change(id, { state: 'closed', doubt }, revision)
          .catch(() => this.#news(heard, performance.now() + this.pace.repeat))
      } else {
        break
      }
    }
    throw lost(appliance)
  }

  /** Waits until something is heard, or until then. */
  #news(heard: Heard, then: number): Promise<void> {
    if (heard.answer) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        heard.wake = () => undefined
        resolve()
      }
      const timer = setTimeout(done, Math.max(1, then - performance.now()))
      heard.wake = done
    })
  }

  #hear(frame: Frame, token: string, assembly: Assembly): void {
    const heard = this.#waiting.get(token)
    if (!heard) return
    const { sign, by } = frame.head
    if (sign === 'answer') heard.answer ??= assembly.add(frame)
    // Left to the next owner, unless that has begun already.
    if (sign === 'elsewhere' && (heard.by === undefined || heard.by === by)) heard.by = undefined
    if (sign === 'begun') {
      heard.by = String(by)
      heard.onBegun?.()
    }
    heard.at = performance.now()
    heard.wake()
  }

  /** @param refused why the engine has no record of it */
  #notOwned(appliance: string, refused?: unknown): GatewayError {
    if (this.link.isUp && refused instanceof GatewayError) {
      const { reason = refused.message } = refused.cause as { reason?: string }
      const why =
        'The engine of the fleet does not take the command for appliance "__appliance__" (__reason__).'
      return new GatewayError('UNAVAILABLE', [words(why, { appliance, reason }), say('unchanged')])
    }
    const why = this.link.isUp
      ? 'No instance of Node-RED works for appliance "__appliance__" at present.'
      : 'The engine of the fleet cannot be reached, so that the command for appliance "__appliance__" was not sent.'
    return new GatewayError('UNAVAILABLE', [words(why, { appliance }), say('unchanged')])
  }
}
