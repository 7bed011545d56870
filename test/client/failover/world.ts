// A gateway with one protected route, and all that can happen to it: played against the rules of
// the failover, and measured against a route without one, and one whose owner knows everything.
import type { GatewayError } from '../../../client/errors'
import { decide } from '../../../client/failover/decide'
import { keptOf, startedMemory } from '../../../client/failover/memory'
import type {
  Act,
  Decision,
  FailoverEvent,
  Failure,
  Input,
  Look,
  Memory,
} from '../../../client/failover/types'
import {
  failoverSettings,
  type FailoverSettings,
  type InUse,
  type Side,
} from '../../../client/model/failover'

/** Seconds: from the first on, before the second. Spans of a list follow each other. */
export type Span = readonly [from: number, to: number]

/** What a monitor, or a probe, says of a side: the truth, always the same, nothing, or nonsense. */
export type Witness =
  'honest' | 'true' | 'false' | 'silent' | 'flapping' | 'true once' | 'false once'

export interface Step {
  at: number
  command?: { action: string; hold?: boolean }
  /** Somebody sets a source, stops or starts the route. */
  person?: InUse | 'stop' | 'start'
  /** Node-RED restarts, with what was kept, or without. */
  restart?: 'kept' | 'lost'
  /** The clock of the machine is set: so many seconds on, or back. */
  clock?: number
  /** Nobody looks for so long. */
  pause?: number
}

/** All times in seconds. */
export interface World {
  seconds: number
  /** Of the dice for reads and writes. */
  seed?: number
  settings?: Partial<FailoverSettings>
  start?: Side
  mainBad?: readonly Span[]
  backupBad?: readonly Span[]
  /** The route does not receive main, though main is good and its monitor says so. */
  portBad?: readonly Span[]
  /** The gateway does not answer at all. */
  away?: readonly Span[]
  /** How many of the reads fail, and how many of these take 10 s for it. */
  failing?: number
  hanging?: number
  /** How many switches the gateway refuses; loses; accepts and forgets; makes without an answer. */
  refused?: number
  lost?: number
  ignored?: number
  unanswered?: number
  /** Of two routes, how often one is stopped, and the other does not start. */
  noStart?: number
  /** When that happens; absent: always. */
  trouble?: readonly Span[]
  /** From the request until the route shows it, and from then until the source is connected. */
  apply?: number
  connect?: number
  /** Some change of the route never ends. */
  isPending?: boolean
  /** For this share of the time that a change takes, the route shows a part of it. */
  half?: number
  main?: Witness
  backup?: Witness
  /** How often a person saves an old form just after a switch. */
  undo?: number
  script?: readonly Step[]
}

/** What is true, whatever the failover knows. Ms. */
export interface Truth {
  at: number
  inUse: InUse
  /** Who has set the source in use. */
  by: 'person' | 'failover'
  isGood: boolean
  isStopped: boolean
  /** Of two routes neither runs. */
  isHalted: boolean
  feeds: Record<Side, boolean>
  /** A change is under way, and its outcome is still to come. */
  isChanging: boolean
}

/** One input and what followed. */
export interface Moment {
  at: number
  /** Unix ms, as the failover counts them. */
  now: number
  input: Input
  before: Memory
  after: Decision
  truth: Truth
}

export interface Story {
  settings: FailoverSettings
  /** Each change that was asked for: `110 backup`. */
  acts: string[]
  /** The events but for states: `116 switched`. */
  told: string[]
  events: FailoverEvent[]
  states: string[]
  errors: string[]
  /** Seconds without a good source: with the failover, and without it. */
  off: number
  without: number
  /** Of what is off only with it, where the side of the other world was good: while that side had to rest, and else. */
  resting: number
  excess: number
  /** How many rests that was, and how many times of the rest in which nothing was switched. */
  rests: number
  spells: number
  /** The longest time between two answers. */
  blind: number
  /** The longest time from the request of a switch until the route had it, or it was given up. */
  slowest: number
  faults: string[]
}

const ANSWER_MS = 100
/** So long a switch of two routes waits for the second one to run. */
const SEEN_MS = 5000
const HANG_MS = 10_000
const LEAST_MS = 500
const EPOCH = 1_700_000_000_000
const failure = (code: Failure['code'], applied: Failure['applied']): Failure => ({
  code,
  message: code,
  applied,
})

/** Numbers from 0 to 1, the same for the same seed. */
export function dice(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Spans of which each question may be about no earlier time than the one before. */
class Times {
  readonly #spans: readonly Span[]
  #next = 0

  constructor(spans: readonly Span[] = []) {
    this.#spans = spans.map(([from, to]) => [from * 1000, to * 1000])
  }

  has(at: number): boolean {
    while (this.#next < this.#spans.length && this.#spans[this.#next]![1] <= at) this.#next++
    const span = this.#spans[this.#next]
    return span !== undefined && span[0] <= at
  }

  /** When that changes next. */
  change(at: number): number {
    const isIn = this.has(at)
    const span = this.#spans[this.#next]
    return span === undefined ? Infinity : span[isIn ? 1 : 0]
  }
}

/** Plays a world. `watch` sees each decision; `through` may replace the memory between two inputs. */
export function play(
  world: World,
  watch?: (moment: Moment, story: Story) => void,
  through: (memory: Memory) => Memory = (memory) => memory,
): Story {
  const settings = failoverSettings({
    main: { address: '192.0.2.1' },
    backup: { address: '192.0.2.2' },
    ...world.settings,
  })
  const { failing = 0, hanging = 0, script = [], undo = 0 } = world
  const applyMs = (world.apply ?? 2) * 1000
  const connectMs = (world.connect ?? 3) * 1000
  const end = world.seconds * 1000
  const random = dice(world.seed ?? 1)
  const story: Story = {
    settings,
    acts: [],
    told: [],
    events: [],
    states: [],
    errors: [],
    off: 0,
    without: 0,
    resting: 0,
    excess: 0,
    rests: 0,
    spells: 0,
    blind: 0,
    slowest: 0,
    faults: [],
  }
  const bad = { main: new Times(world.mainBad), backup: new Times(world.backupBad) }
  const portBad = new Times(world.portBad)
  const away = new Times(world.away)
  const trouble = world.trouble && new Times(world.trouble)

  let at = 0
  /** From the time of the world to that of the failover, and to the clock of the machine. */
  let offset = EPOCH
  let clock = EPOCH
  let memory = startedMemory({ settings, route: 'route', now: offset, isStart: true }, undefined)
  let inUse: InUse = world.start ?? 'main'
  let elsewhere: InUse = inUse
  let by: Truth['by'] = 'person'
  let connectedAt = 0
  let isStopped = false
  let isHalted = false
  let nextLook = 0
  let lookedAt = -Infinity
  let answeredAt = 0
  let reading: { ends: number; isAnswer: boolean } | undefined
  let changing:
    { act: Act; began: number; sends: number; ends: number; failure?: Failure } | undefined
  /** What the gateway does later, in the order in which it was asked. */
  let later: Array<{ at: number; act?: Act; step: 'stop' | 'set' | 'undo'; to: InUse }> = []
  let begunAt = -Infinity
  let steps = 0
  let lastRest = 0
  let isIdleSpell = false
  const spoken = { main: 0, backup: 0 }

  const isFed = (side: InUse): boolean =>
    side === 'other' || !(bad[side].has(at) || (side === 'main' && portBad.has(at)))
  const isGood = (): boolean => !isHalted && at >= connectedAt && isFed(inUse)

  const truth = (): Truth => ({
    at,
    inUse,
    by,
    isGood: isGood(),
    isStopped,
    isHalted,
    feeds: { main: isFed('main'), backup: isFed('backup') },
    isChanging: changing !== undefined,
  })

  /** What is on the air until `until`: nothing changes before. */
  function pass(until: number): void {
    const seconds = (until - at) / 1000
    if (seconds <= 0 || isStopped) return
    const isOff = !isGood()
    const wouldBe = isFed(elsewhere)
    if (isOff) story.off += seconds
    if (!wouldBe) story.without += seconds
    if (!isOff || !wouldBe) {
      if (isIdleSpell) story.spells++
      isIdleSpell = false
      return
    }
    const rest = elsewhere === 'other' ? undefined : memory.rests[elsewhere]
    const isResting = rest && rest.again > at + offset && !memory.change && elsewhere !== inUse
    isIdleSpell ||= !isResting && !memory.change
    if (!isResting) story.excess += seconds
    else {
      story.resting += seconds
      if (rest.since !== lastRest) story.rests++
      lastRest = rest.since
    }
  }

  function set(to: InUse, who: Truth['by']): void {
    if (to !== inUse || isHalted) connectedAt = at + connectMs
    if (to !== inUse) by = who
    inUse = to
    isHalted = false
  }

  function says(side: Side): boolean | undefined {
    const witness = world[side] ?? (side === 'main' ? 'honest' : 'silent')
    const isOnce = witness === 'true once' || witness === 'false once'
    if (witness === 'silent' || (isOnce && spoken[side]++ > 0)) return undefined
    if (witness === 'honest') return !bad[side].has(at)
    if (witness === 'flapping') return Math.floor(at / 20_000) % 2 === 0
    return witness.startsWith('true')
  }

  function look(isAnswer: boolean): Look {
    if (!isAnswer) return { route: 'unknown' }
    story.blind = Math.max(story.blind, (at - answeredAt) / 1000)
    answeredAt = at
    const main = settings.restore === 'monitor' ? says('main') : undefined
    const backup = says('backup')
    const known = { ...(main !== undefined && { main }), ...(backup !== undefined && { backup }) }
    if (isHalted || (isStopped && settings.method === 'routes'))
      return { route: 'stopped', ...known }
    if (isStopped) return { route: 'stopped', inUse, ...known }
    const isPending = world.isPending === true || later.length > 0
    const isHalf = later.some(
      (one) => one.step === 'set' && one.at - at <= (world.half ?? 0) * applyMs,
    )
    if (isHalf) return { route: 'running', inUse: 'other', good: false, isPending, ...known }
    return { route: 'running', inUse, good: isGood(), ...(isPending && { isPending }), ...known }
  }

  function take(input: Input): void {
    const before = memory
    try {
      const after = decide(settings, before, input, at + offset)
      memory = through(after.memory)
      nextLook = input.kind === 'look' ? at + settings.pollEvery * 1000 : at
      for (const event of after.events) {
        story.events.push({ ...event, at: event.at - offset })
        const name = event.event.replace('failover.', '')
        if (name !== 'state') story.told.push(`${seconds(at)} ${name}`)
      }
      const { state } = after.memory
      if (state !== before.state) story.states.push(`${seconds(at)} ${state}`)
      watch?.({ at, now: at + offset, input, before, after, truth: truth() }, story)
      if (after.act) send(after.act)
    } catch (error) {
      const { code } = error as GatewayError
      if (code === undefined) throw error
      story.errors.push(`${seconds(at)} ${code}`)
    }
  }

  function send(act: Act): void {
    if (changing) story.faults.push(`${seconds(at)} a second change while one is under way`)
    story.acts.push(`${seconds(at)} ${act.to}`)
    const { sends = 1 } = memory.change ?? {}
    if (sends === 1) begunAt = at
    const change = (ends: number, why?: Failure): void => {
      changing = { act, began: begunAt, sends, ends: at + ends, ...(why && { failure: why }) }
    }
    const isHit = (share = 0): boolean => random() < share && (trouble?.has(at) ?? true)
    const isHere =
      settings.method === 'routes' && act.isHalfway ? isHalted : !isHalted && inUse === act.from
    if (away.has(at)) return change(HANG_MS, failure('TIMEOUT', 'no'))
    if (!isHere || isStopped) return change(ANSWER_MS, failure('CONFLICT', 'no'))
    if (isHit(world.refused)) return change(2 * ANSWER_MS, failure('REJECTED', 'no'))
    if (isHit(world.lost)) return change(HANG_MS, failure('TIMEOUT', 'maybe'))
    const isIgnored = isHit(world.ignored)
    const isUnstarted = settings.method === 'routes' && isHit(world.noStart)
    const isUnanswered = isHit(world.unanswered)
    if (settings.method === 'routes') {
      later.push({ at: at + 2 * ANSWER_MS, act, step: 'stop', to: act.to })
      if (isUnstarted) return change(5 * ANSWER_MS, failure('REJECTED', 'yes'))
      later.push({ at: at + 2 * ANSWER_MS + applyMs, act, step: 'set', to: act.to })
      // It is waited for until the route is seen to run.
      if (applyMs > SEEN_MS) return change(2 * ANSWER_MS + SEEN_MS, failure('NOT_CONFIRMED', 'yes'))
      if (!isUnanswered) return change(4 * ANSWER_MS + applyMs)
    } else if (!isIgnored) later.push({ at: at + applyMs, act, step: 'set', to: act.to })
    if (isUnanswered) change(HANG_MS, failure('TIMEOUT', 'maybe'))
    else change(4 * ANSWER_MS)
  }

  function happen({ act, step, to }: (typeof later)[number]): void {
    if (step === 'stop') {
      if (!isStopped) isHalted = true
      return
    }
    if (step === 'undo') return person(to)
    set(to, 'failover')
    if (act?.cause === 'manual') elsewhere = to
    story.slowest = Math.max(story.slowest, (at - begunAt) / 1000)
    if (act && random() < undo)
      later.push({ at: at + 500 + 5000 * random(), step: 'undo', to: act.from })
  }

  /** What was asked for before is done before. */
  function person(to: InUse): void {
    later = []
    set(to, 'person')
    elsewhere = to
  }

  function follow(step: Step): void {
    const { command, restart, pause, clock: jump = 0, person: wanted } = step
    clock += jump * 1000
    if (wanted === 'stop') {
      later = []
      isStopped = true
      isHalted = false
    } else if (wanted === 'start') isStopped = false
    else if (wanted) person(wanted)
    if (restart) {
      const kept: unknown = JSON.parse(JSON.stringify({ ...keptOf(memory), ahead: clock - offset }))
      const saved = restart === 'kept' ? kept : undefined
      offset = clock
      memory = startedMemory({ settings, route: 'route', now: at + offset, isStart: true }, saved)
      nextLook = at
      reading = undefined
      changing = undefined
    }
    if (pause !== undefined) nextLook = at + pause * 1000
    if (command) take({ kind: 'command', ...command })
  }

  const probe = settings.restore === 'message'
  let nextProbe = probe ? 0 : Infinity
  while (at < end) {
    const starts = reading ? Infinity : Math.max(nextLook, lookedAt + LEAST_MS)
    let until = Math.min(
      end,
      starts,
      reading?.ends ?? Infinity,
      changing?.ends ?? Infinity,
      nextProbe,
    )
    until = Math.min(until, steps < script.length ? script[steps]!.at * 1000 : Infinity)
    for (const one of later) until = Math.min(until, one.at)
    until = Math.min(until, bad.main.change(at), bad.backup.change(at), portBad.change(at))
    if (connectedAt > at) until = Math.min(until, connectedAt)
    if (until > at) {
      pass(until)
      at = until
    }
    if (at >= end) break
    while (steps < script.length && script[steps]!.at * 1000 <= at) follow(script[steps++]!)
    const due = later.filter((one) => one.at <= at)
    if (due.length > 0) {
      later = later.filter((one) => one.at > at)
      due.forEach(happen)
    }
    if (changing && changing.ends <= at) {
      const { failure: why } = changing
      changing = undefined
      take({ kind: 'outcome', ...(why && { failure: why }) })
    }
    if (nextProbe <= at) {
      nextProbe = at + 5000
      const good = says('main')
      if (good !== undefined) take({ kind: 'main', good })
    }
    if (reading && reading.ends <= at) {
      const { isAnswer } = reading
      reading = undefined
      take({ kind: 'look', look: look(isAnswer) })
    } else if (!reading && Math.max(nextLook, lookedAt + LEAST_MS) <= at) {
      lookedAt = at
      const isAnswer = !away.has(at) && random() >= failing
      const isHanging = !isAnswer && random() < hanging
      // A read that is answered at once makes the times of examples round.
      if (isAnswer && failing === 0) take({ kind: 'look', look: look(true) })
      else reading = { isAnswer, ends: at + (isHanging ? HANG_MS : ANSWER_MS) }
    }
  }
  return story
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10

/**
 * Seconds off the air of who knows everything, and has a switch ready: on a good side at every
 * time, after each outage the hold-off, one read, one change and the connection.
 */
export function oracle(world: World): number {
  const { holdOff, pollEvery } = failoverSettings({ main: {}, backup: {}, ...world.settings })
  const bad = {
    main: new Times(joined(world.mainBad, world.portBad)),
    backup: new Times(world.backupBad),
  }
  let side: Side = world.start ?? 'main'
  let off = 0
  let badSince: number | undefined
  const end = world.seconds * 1000
  const switchMs = ((world.apply ?? 2) + (world.connect ?? 3)) * 1000
  for (let at = 0; at < end;) {
    const other = side === 'main' ? 'backup' : 'main'
    const next = Math.min(end, bad.main.change(at), bad.backup.change(at))
    if (!bad[side].has(at)) {
      badSince = undefined
      at = next
      continue
    }
    badSince ??= at
    const decided = badSince + (holdOff + pollEvery) * 1000
    if (at < decided || bad[other].has(at)) {
      const until = at < decided ? Math.min(next, decided) : next
      off += until - at
      at = until
    } else {
      const until = Math.min(end, at + switchMs)
      off += until - at
      at = until
      side = other
      badSince = undefined
    }
  }
  return off / 1000
}

/** Two lists of spans as one. */
export function joined(one: readonly Span[] = [], two: readonly Span[] = []): Span[] {
  const all: Array<[number, number]> = []
  for (const [from, to] of [...one, ...two].sort((a, b) => a[0] - b[0])) {
    const last = all.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else all.push([from, to])
  }
  return all
}
