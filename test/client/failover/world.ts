import type { GatewayError } from '../../../client/errors'
import { decide } from '../../../client/failover/decide'
import { startedMemory } from '../../../client/failover/memory'
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
  type FailoverState,
  type InUse,
} from '../../../client/model/failover'

/** From the first second on, before the second one. */
export type Span = readonly [from: number, to: number]

/** What happens at a time, before a look at that time. */
export interface Step {
  command?: { action: string; hold?: boolean }
  /** Somebody sets a source. */
  set?: InUse
  /** A probe reports how main is. */
  main?: boolean
  /** Two looks so far apart: Node-RED did not get round to it. */
  pause?: number
  /** Node-RED restarts, with what was kept, or without. */
  restart?: 'kept' | 'lost'
}

/** A gateway with one protected route, and all that happens to it. Times in seconds. */
export interface World {
  settings?: Partial<FailoverSettings>
  inUse?: InUse
  mainBad?: readonly Span[]
  backupBad?: readonly Span[]
  /** The route does not receive main, though the feed is good, as the monitor shows. */
  portBad?: readonly Span[]
  /** The gateway does not answer. */
  away?: readonly Span[]
  stopped?: readonly Span[]
  monitorStopped?: readonly Span[]
  /** Changes that are refused, that are lost, and that are made without a response. */
  refused?: readonly Span[]
  lost?: readonly Span[]
  unanswered?: readonly Span[]
  /** Of two routes the one is stopped, but the other does not start. */
  noStart?: readonly Span[]
  script?: Readonly<Record<number, Step>>
  /** From the request until the route shows it, and from then until the source is connected. */
  change?: number
  connect?: number
}

/** What came of it. */
export interface Story {
  /** Each change that was asked for: `110 backup`. */
  acts: string[]
  /** The events without `failover.`, and without `state`: `116 switched`. */
  told: string[]
  events: FailoverEvent[]
  /** Each state with the time at which it began: `100 hold-off`. */
  states: string[]
  errors: Array<{ at: number; code: string }>
  /** Seconds in which the running route had no good source. */
  bad: number
  /** Each decision, with what the route was like then. */
  decisions: Array<{ at: number; input: Input; before: Memory; after: Decision }>
}

const STEP = 0.5
const LOST: Failure = { code: 'TIMEOUT', message: 'No response.', applied: 'maybe' }
const NO_START: Failure = { code: 'REJECTED', message: 'No start.', applied: 'yes' }
const REFUSED: Failure = { code: 'REJECTED', message: 'No.', applied: 'no' }

const isIn = (spans: readonly Span[] | undefined, at: number): boolean =>
  (spans ?? []).some(([from, to]) => at >= from && at < to)

/** Plays a world until a time. `through` may replace the memory between two inputs. */
export function play(
  world: World,
  until: number,
  through: (memory: Memory) => Memory = (memory) => memory,
): Story {
  const settings = failoverSettings({
    main: { address: '192.0.2.1' },
    backup: { address: '192.0.2.2' },
    ...world.settings,
  })
  const { change: changeTime = 2, connect = 3, script = {} } = world
  const story: Story = {
    acts: [],
    told: [],
    events: [],
    states: [],
    errors: [],
    bad: 0,
    decisions: [],
  }
  let memory = startedMemory(settings, undefined, 0)
  let inUse: InUse = world.inUse ?? 'main'
  let connectedAt = 0
  /** Neither of two routes runs. */
  let isHalted = false
  let state: FailoverState | undefined
  let nextLook = 0
  /** After a restart nobody hears how it went. */
  let pending: { act: Act; at: number; isHeard: boolean } | undefined
  let at = 0

  const feeds = (side: InUse): boolean => {
    if (side === 'other') return true
    return !isIn(side === 'main' ? world.mainBad : world.backupBad, at)
  }
  const isGood = (): boolean =>
    at >= connectedAt && feeds(inUse) && !(inUse === 'main' && isIn(world.portBad, at))

  function set(to: InUse): void {
    if (to !== inUse || isHalted) connectedAt = at + connect
    inUse = to
    isHalted = false
  }

  function look(): Look {
    if (isIn(world.away, at)) return { route: 'unknown' }
    const isHeard = settings.restore === 'monitor' && !isIn(world.monitorStopped, at)
    const monitored = isHeard ? { main: feeds('main') } : {}
    if (isHalted) return { route: 'stopped', ...monitored }
    if (isIn(world.stopped, at)) return { route: 'stopped', inUse, ...monitored }
    return { route: 'running', inUse, good: isGood(), ...monitored }
  }

  function take(input: Input): void {
    const before = memory
    try {
      const after = decide(settings, before, input, at * 1000)
      story.decisions.push({ at, input, before, after })
      memory = through(after.memory)
      if (after.next !== undefined) nextLook = after.next / 1000
      for (const event of after.events) {
        story.events.push(event)
        const name = event.event.replace('failover.', '')
        if (name !== 'state') story.told.push(`${at} ${name}`)
      }
      if (after.state !== state) story.states.push(`${at} ${after.state}`)
      state = after.state
      if (after.act) {
        if (pending?.isHeard) throw new Error(`${at}: a second change while one is under way`)
        pending = { act: after.act, at: at + changeTime, isHeard: true }
        story.acts.push(`${at} ${after.act.to}`)
      }
    } catch (error) {
      const { code } = error as GatewayError
      if (code === undefined) throw error
      story.errors.push({ at, code })
    }
  }

  function endChange(): void {
    if (!pending) return
    if (settings.method === 'routes' && at >= pending.at - changeTime / 2) {
      isHalted ||= !isIn(world.refused, at)
    }
    if (at < pending.at) return
    const { act, isHeard } = pending
    pending = undefined
    const isRefused = isIn(world.refused, at)
    const isLost = isIn(world.lost, at) || isIn(world.away, at)
    const isUnstarted = isIn(world.noStart, at)
    if (!isRefused && !isLost && !isUnstarted) set(act.to)
    const isDoubtful = isLost || isIn(world.unanswered, at)
    const failure = isRefused ? REFUSED : isDoubtful ? LOST : isUnstarted ? NO_START : undefined
    if (isHeard) take({ kind: 'outcome', failure })
  }

  function follow({ command, set: source, main, pause, restart }: Step): void {
    if (source) set(source)
    if (restart) {
      const kept: unknown = JSON.parse(JSON.stringify(memory))
      memory = startedMemory(settings, restart === 'kept' ? kept : undefined, at * 1000)
      nextLook = at
      if (pending) pending.isHeard = false
    }
    if (pause !== undefined) nextLook = at + pause
    if (main !== undefined) take({ kind: 'main', good: main })
    if (command) take({ kind: 'command', ...command })
  }

  for (; at < until; at += STEP) {
    endChange()
    const step = script[at]
    if (step) follow(step)
    if (at >= nextLook) take({ kind: 'look', look: look() })
    if (isHalted || (!isIn(world.stopped, at) && !isGood())) story.bad += STEP
  }
  return story
}
