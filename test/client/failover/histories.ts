// Random histories of a protected route, and what must hold in each of them. Used by the tests and
// by the bench.
import { isFresh, notProtecting } from '../../../client/failover/decision'
import type { Look } from '../../../client/failover/types'
import type { FailoverSettings, InUse, Side } from '../../../client/model/failover'
import {
  dice,
  play,
  type Moment,
  type Span,
  type Step,
  type Story,
  type Witness,
  type World,
} from './world'

const HOUR_MS = 3_600_000

/** Dice with what is usually asked of them. */
interface Chance {
  of: (share: number) => boolean
  between: (least: number, most: number) => number
  pick: <T>(from: readonly T[]) => T
  dice: () => number
}

function chanceOf(seed: number): Chance {
  const next = dice(seed)
  return {
    dice: next,
    of: (share) => next() < share,
    between: (least, most) => Math.round((least + next() * (most - least)) * 2) / 2,
    pick: (from) => from[Math.floor(next() * from.length)]!,
  }
}

/** A side that is up and down in some rhythm, which may change now and then. */
function rhythm({ of, pick, dice: next }: Chance, seconds: number): Span[] {
  if (of(0.1)) return []
  if (of(0.1)) return [[0, seconds]]
  const spans: Span[] = []
  const scale = (): number => pick([4, 12, 15, 60, 300, 1500])
  let [up, down] = [scale(), scale()]
  const isRegular = of(0.3)
  const about = (mean: number): number =>
    isRegular ? mean : Math.max(0.5, -mean * Math.log(1 - next()))
  for (let at = about(up) * next(); at < seconds;) {
    const to = at + about(down)
    spans.push([Math.round(at * 10) / 10, Math.round(to * 10) / 10 + 0.1])
    at = to + 0.2 + about(up)
    if (of(0.02)) [up, down] = [scale(), scale()]
  }
  return spans
}

/** A few spans of trouble. */
function some({ between }: Chance, seconds: number, most: number, longest: number): Span[] {
  const spans: Span[] = []
  let at = 0
  for (let left = between(0, most); left >= 1; left--) {
    const from = at + between(1, (2 * seconds) / most)
    at = from + between(1, longest)
    if (at < seconds) spans.push([from, at])
  }
  return spans
}

export interface Wish {
  seconds: number
  /** A person acts as well. */
  withPerson?: boolean
  /** Node-RED restarts, and clocks are set. */
  withRestarts?: boolean
}

/** A history; the same for the same seed. */
export function randomWorld(seed: number, { seconds, withPerson, withRestarts }: Wish): World {
  const chance = chanceOf(seed)
  const { of, between, pick, dice: next } = chance
  const witness = (): Witness =>
    pick([
      'honest',
      'honest',
      'honest',
      'silent',
      'true',
      'false',
      'flapping',
      'true once',
      'false once',
    ])
  const method = of(0.3) ? 'routes' : 'source'
  const settings: Partial<FailoverSettings> = {
    restore: pick(['off', 'monitor', 'message']),
    ...(method === 'routes' && { method, main: { name: 'Main' }, backup: { name: 'Backup' } }),
    ...(of(0.4) && {
      holdOff: pick([0, 4, 10, 30]),
      settle: pick([5, 10, 20]),
      guard: pick([1, 10, 30, 90]),
      waitToRestore: pick([5, 60, 300]),
      pollEvery: pick([0.5, 2, 5]),
    }),
  }
  const isTroubled = of(0.3)
  const share = (most: number): number => (isTroubled && of(0.5) ? next() * most : 0)
  const script: Step[] = []
  const steps = (withPerson ? between(0, 8) : 0) + (withRestarts ? between(0, 4) : 0)
  for (let left = steps; left >= 1; left--) script.push({ at: between(1, seconds), ...step() })

  function step(): Omit<Step, 'at'> {
    if (!withPerson || (withRestarts && of(0.4))) {
      return pick<Omit<Step, 'at'>>([
        { restart: 'kept' },
        { restart: 'lost' },
        { clock: pick([-3600, 3600, -60]) },
        { clock: pick([-3600, 3600]), restart: 'kept' },
        { pause: between(5, 120) },
      ])
    }
    if (of(0.5))
      return {
        person: pick<InUse | 'stop' | 'start'>([
          'main',
          'backup',
          'other',
          'stop',
          'start',
          'start',
          'main',
        ]),
      }
    const action = pick(['main', 'Backup', 'hold', 'release', 'release', 'status'])
    return { command: { action, ...(of(0.2) && { hold: true }) } }
  }
  return {
    seconds,
    seed: Math.floor(next() * 2 ** 31),
    settings,
    start: of(0.85) ? 'main' : 'backup',
    mainBad: rhythm(chance, seconds),
    backupBad: rhythm(chance, seconds),
    ...(of(0.2) && { portBad: rhythm(chance, seconds) }),
    ...(of(0.2) && { away: some(chance, seconds, 4, 120) }),
    failing: of(0.5) ? next() / 2 : 0,
    hanging: of(0.5) ? next() / 2 : 0,
    refused: share(1),
    lost: share(0.7),
    ...(method === 'source' && { ignored: share(0.7) }),
    unanswered: share(1),
    noStart: share(0.7),
    ...(of(0.5) && { trouble: some(chance, seconds, 4, 300) }),
    apply: pick([0.5, 2, 2, 2, 4, 8]),
    connect: pick([0, 3, 3, 3, 4.5]),
    isPending: of(0.1),
    main: witness(),
    backup: of(0.5) ? 'silent' : witness(),
    ...(withPerson && of(0.3) && { undo: next() / 2 }),
    script: script.sort((one, other) => one.at - other.at),
    ...(method === 'source' && of(0.3) && { half: next() }),
  }
}

const HOURS = 7200
const ALWAYS: readonly Span[] = [[0, HOURS]]
const LOST: readonly Span[] = [[100, HOURS]]
const monitored = { restore: 'monitor', waitToRestore: 60 } as const

/** Bad for so long each time, from 100 s on. */
export function every(period: number, bad: number): Span[] {
  const spans: Span[] = []
  for (let at = 100; at < HOURS; at += period) spans.push([at, at + bad])
  return spans
}

/** Histories of two hours that the bench and docs/project/performance.md name. */
export const NAMED: Readonly<Record<string, World>> = {
  'main fails, the backup is good': { seconds: HOURS, mainBad: LOST },
  'main out 12 s every 5 min, the backup dead': {
    seconds: HOURS,
    mainBad: every(300, 12),
    backupBad: ALWAYS,
  },
  'main out 12 s every 10 min, the backup dead': {
    seconds: HOURS,
    mainBad: every(600, 12),
    backupBad: ALWAYS,
  },
  'main 8 s on, 8 s off, the backup dead': {
    seconds: HOURS,
    mainBad: every(16, 8),
    backupBad: ALWAYS,
  },
  'main 8 s on, 8 s off, the backup good': { seconds: HOURS, mainBad: every(16, 8) },
  'main out 2 min every 10 min, with a monitor': {
    seconds: HOURS,
    settings: monitored,
    mainBad: every(600, 120),
  },
  'the port of main dead, its monitor good': { seconds: HOURS, settings: monitored, portBad: LOST },
  'main fails, half of the reads fail, half of these hang': {
    seconds: HOURS,
    mainBad: LOST,
    failing: 0.5,
    hanging: 0.5,
  },
  'main fails for 10 min, then the backup; a probe fell silent': {
    seconds: HOURS,
    settings: { restore: 'message' },
    mainBad: [[100, 700]],
    backupBad: [[400, HOURS]],
    main: 'false once',
  },
  'main fails, switches are refused for 5 min, then half are lost': {
    seconds: HOURS,
    mainBad: LOST,
    refused: 1,
    lost: 0.5,
    trouble: [[0, 400]],
  },
}

/** How often a wait that doubles up to a longest one can begin within an hour. */
export function timesAnHour(first: number, longest: number): number {
  let times = 1
  for (
    let at = 0, wait = Math.min(first, longest);
    at + wait <= 3600;
    wait = Math.max(first, Math.min(longest, 2 * wait))
  ) {
    at += wait
    times++
  }
  return times
}

/** At most so many in any hour. */
function mostInAnHour(times: readonly number[]): number {
  let most = 0
  let from = 0
  for (let to = 0; to < times.length; to++) {
    while (times[to]! - times[from]! >= HOUR_MS) from++
    most = Math.max(most, to - from + 1)
  }
  return most
}

/**
 * What one switch may cost, in seconds: the side that was left is good again and the new one is not:
 * the new one has its time to settle, or was good and then has the hold-off with the two reads that
 * it takes; then the way back with its change and connection. Each of them waits for an answer.
 */
export function costOf({ settings, blind, slowest }: Story, { connect = 3 }: World): number {
  const { holdOff, settle, pollEvery } = settings
  return settle + holdOff + 2 * slowest + 2 * connect + 4 * Math.max(pollEvery, blind)
}

/** Plays a world, and returns what should not be. */
export function faultsOf(world: World): { story: Story; faults: string[] } {
  const guarantees = watchAll(world)
  const story = play(world, guarantees.watch)
  const faults = [...story.faults, ...guarantees.end(story)]
  return { story, faults }
}

/** What a read shows; nothing while it shows a part of our own change. */
function lookIn({ input, truth }: Moment): Look | undefined {
  const look = input.kind === 'look' ? input.look : undefined
  const isHalf = look?.route === 'running' && look.inUse === 'other' && truth.inUse !== 'other'
  return isHalf ? undefined : look
}

function watchAll(world: World): {
  watch: (moment: Moment, story: Story) => void
  end: (story: Story) => string[]
} {
  const faults: string[] = []
  const isClean = !['refused', 'lost', 'ignored', 'noStart', 'undo'].some(
    (name) => (world[name as keyof World] as number) > 0,
  )
  const restarts = (world.script ?? []).filter(
    ({ restart, clock, pause }) => restart ?? clock ?? pause,
  )
  const isLost = restarts.some(({ restart }) => restart === 'lost')
  const hasPerson =
    (world.undo ?? 0) > 0 || (world.script ?? []).some(({ person, command }) => person ?? command)

  /** The source that the latest answer has shown, and who had set it. */
  let shown: InUse | undefined
  let chosen: InUse | undefined
  /** Changes that have not arrived, and may yet: by the side that they lead to. */
  const sent: { [side in Side]?: number } = {}
  const trials: { [side in Side]: number[] } = { main: [], backup: [] }
  const alarms: number[] = []
  /** The way back from a failed trial is a part of what the trial costs. */
  let switches = 0
  let isTold: { at: number; told: number; reason?: string } | undefined
  const failed = new Map<string, number>()
  let badSince: number | undefined
  let oneGood: { side: Side; since: number } | undefined
  /** The latest good look of which nothing is forgotten, and what was lost since and is not told yet. */
  let good: { now: number; side: InUse | undefined } | undefined
  let isOut = false
  let outage = 0
  let lastAnswer = 0
  let blind = 0

  const wrong = (at: number, what: string): void => {
    if (faults.length < 20) faults.push(`${Math.round(at / 100) / 10} ${what}`)
  }

  function watch(moment: Moment, { settings }: Story): void {
    const { at, now, input, before, after, truth } = moment
    const { memory, act } = after
    const look = lookIn(moment)
    const isAnswer = look !== undefined && look.route !== 'unknown'
    if (isAnswer) {
      blind = at - lastAnswer
      lastAnswer = at
    }
    const seen = look?.route === 'running' || look?.route === 'stopped' ? look.inUse : undefined

    // Whom the present source is from.
    if (seen !== undefined && seen !== shown) {
      const isOurs = seen !== 'other' && sent[seen] !== undefined && now - sent[seen] < 150_000
      chosen = truth.by === 'person' && shown !== undefined && !isOurs ? seen : undefined
      shown = seen
      if (seen !== 'other') delete sent[seen]
    }

    if (input.kind === 'command' && !memory.manual) chosen = undefined
    if (before.state === 'unknown' && before.inUse === undefined) chosen = undefined
    if (act) sent[act.to] = now
    if (act && act.cause !== 'trial-failed') switches++

    if (act) {
      // (d) One change at a time, each with one outcome, and never for the source in use.
      if (before.isBusy) wrong(at, 'a change before the outcome of another')
      if (act.to === act.from) wrong(at, 'a change to the source in use')
      const isManual = act.cause === 'manual'
      // (e) Nothing of a person is undone.
      if (input.kind === 'main') wrong(at, 'a change because of a message of a probe')
      // With neither of two routes on the air, a hold does not keep it so.
      if (!isManual && before.held && !act.isHalfway) wrong(at, 'a change while it is held')
      // Whoever stops both routes while one of them is changed cannot be told from that change.
      const isMidway = before.change !== undefined && !before.change.isAccepted
      if (!isManual && truth.isStopped && !isMidway)
        wrong(at, 'a change of a route that a person has stopped')
      if (look?.route === 'running') {
        if (look.inUse === 'other' && !isManual) wrong(at, 'a change of a third source')
        if (look.inUse !== act.from) wrong(at, 'a change from a source that is not in use')
        if (look.good && !isManual && act.cause !== 'restore')
          wrong(at, `a good source left, ${act.cause}`)
        if (look.good && !isManual && chosen === look.inUse)
          wrong(at, 'a good source left that a person has chosen')
      }
      // (j) What a monitor said once is no reason to return, while one of two routes still runs.
      if (
        act.cause === 'restore' &&
        !act.isHalfway &&
        !(isFresh(memory.statements.main, now) && memory.statements.main.good)
      ) {
        wrong(at, 'a return to main that nobody calls good')
      }
    }
    const { change } = memory
    const isTrial = change && !['manual', 'trial-failed'].includes(change.cause)
    if (isTrial && change.arrivedAt === now && shown === change.to) trials[change.to].push(at)
    // (b) Trials of a side that was not good since the first of them.
    if (look?.route === 'running' && look.good && look.inUse !== 'other') {
      checkTrials(look.inUse, settings)
    }
    checkEvents(moment)
    checkOutage(moment)
    checkProtection(moment, settings)
  }

  function checkTrials(side: Side, { guard }: FailoverSettings): void {
    // One more for what a monitor that turned good has shortened, one that begins the hour.
    const most = timesAnHour(guard, Math.max(guard, 300)) + 2
    const times = trials[side]
    if (!hasPerson && !isLost && isClean && mostInAnHour(times) > most) {
      wrong(times.at(-1)!, `${mostInAnHour(times)} trials of ${side} in an hour, not ${most}`)
    }
    trials[side] = []
  }

  function checkEvents(moment: Moment): void {
    const { at, now, input, before, after } = moment
    const { memory, events } = after
    const look = lookIn(moment)
    if (before.state === 'unknown' && before.inUse === undefined) isTold = undefined
    for (const { event, reason, to, failure } of events) {
      if (event === 'failover.switched') {
        failed.clear()
        if (look?.route === 'running' && look.inUse !== to && input.kind === 'look')
          wrong(at, 'a switch told that the route does not show')
      } else if (event === 'failover.protected') {
        alarms.push(at)
        if (look?.route !== 'running' || !look.good) wrong(at, 'told to be protected while bad')
        if (!isTold && !isLost) wrong(at, 'an all-clear without an alarm')
        isTold = undefined
      } else if (event === 'failover.unprotected') {
        alarms.push(at)
        if (!memory.loss) wrong(at, 'an alarm that is not remembered')
        const isMore = isTold?.reason === 'backup-bad' && reason !== 'backup-bad'
        // (f) Once, then after 1, 2, 4 hours.
        if (isTold && !isMore && at - isTold.at < HOUR_MS * 2 ** (isTold.told - 1) - 1)
          wrong(at, `the same alarm again: ${reason}`)
        isTold = isTold && !isMore ? { ...isTold, told: isTold.told + 1 } : { at, told: 1, reason }
        if (
          reason !== 'unknown' &&
          look?.route === 'running' &&
          look.good !== (reason === 'backup-bad')
        )
          wrong(at, `told ${reason} while ${look.good ? 'good' : 'bad'}`)
        if (reason === 'backup-bad' && memory.statements.backup?.good !== false)
          wrong(at, 'told that the backup is bad, which nobody has said')
        if (reason === 'unknown' && look?.route !== 'unknown' && !isMore && isTold.told === 1)
          wrong(at, 'told that nothing is known, with an answer')
      } else if (event === 'failover.failed') {
        const code = failure?.code ?? reason ?? 'NOT_CONFIRMED'
        const toldAt = failed.get(code)
        if (toldAt !== undefined && now - toldAt < HOUR_MS - 1 && !restarts.length)
          wrong(at, `the same failure again: ${code}`)
        failed.set(code, now)
      }
    }
  }

  /** What is told of outages is what the looks have shown of them, once. */
  function checkOutage(moment: Moment): void {
    const { at, now, input, after } = moment
    const { memory, events } = after
    // An all-clear has the whole outage.
    const telling = events.filter(({ event }) => event !== 'failover.protected')
    const told = telling.reduce((sum, { outageMs }) => sum + (outageMs ?? 0), 0)
    const look = lookIn(moment)
    if (input.kind !== 'look') {
      if (told > 0) wrong(at, 'an outage told with no look')
      return
    }
    const side = look?.route === 'unknown' ? undefined : (look?.inUse ?? good?.side)
    if (['foreign', 'standby'].includes(memory.state) || side === 'other') good = undefined
    else if (look && look.route !== 'unknown') {
      isOut ||= !(look.route === 'running' && look.good) || (good && side !== good.side) === true
      if (look.route === 'running' && look.good) {
        if (isOut && good) outage += now - good.now
        isOut = false
        good = { now, side }
        if (telling.length > 0 && told !== outage && restarts.length === 0)
          wrong(at, `an outage of ${outage} ms, of which ${told} ms are told`)
        if (events.length > 0) outage = 0
      }
    }
    if (!memory.change || !good) outage = 0
  }

  function checkProtection(moment: Moment, settings: FailoverSettings): void {
    const { at, now, after, truth } = moment
    const look = lookIn(moment)
    if (!look || look.route === 'unknown') return
    const { memory } = after
    const isOurs = look.route === 'running' && look.inUse !== 'other'
    const slack =
      8000 + 8 * Math.max(blind, settings.pollEvery * 1000) + 4 * (world.apply ?? 2) * 1000
    // (j) Nobody is left in the dark about a source that is bad.
    if (!isOurs || look.good) badSince = undefined
    else badSince ??= now
    const dark = (settings.holdOff + 2 * settings.settle) * 1000 + slack + 60_000
    if (
      isOurs &&
      isClean &&
      !restarts.length &&
      !hasPerson &&
      badSince !== undefined &&
      now - badSince > dark &&
      !memory.loss
    ) {
      wrong(at, 'bad for long, and nobody has been told')
      badSince = now
    }
    if (isOurs && look.good && memory.state === 'no-protection')
      wrong(at, 'good, and said to be without protection')
    const reason = notProtecting(memory, now)
    if (
      isOurs &&
      reason === undefined &&
      !look.good &&
      !['hold-off', 'switching'].includes(memory.state)
    ) {
      wrong(at, 'bad, and said to be protected')
    }
    // (g) Protection never latches dead.
    const fed = (['main', 'backup'] as const).filter((side) => truth.feeds[side])
    const isFree = isOurs && !memory.held && isClean && !restarts.length
    const [side] = fed
    if (!isFree || fed.length !== 1 || side === undefined) oneGood = undefined
    else {
      if (oneGood?.side !== side) oneGood = { side, since: at }
      if (chosen !== undefined || look.inUse === side) oneGood.since = at
      const rest = Math.max(300, settings.guard) * 1000
      const soon = rest + (2 * settings.settle + settings.holdOff) * 1000 + slack
      if (at - oneGood.since > Math.max(soon, 600_000)) {
        wrong(at, `${side} is good for ${(at - oneGood.since) / 1000} s, and not in use`)
        oneGood = undefined
      }
    }
  }

  function end(story: Story): string[] {
    const { settings } = story
    for (const side of ['main', 'backup'] as const) checkTrials(side, settings)
    // (f) Alarms are followed by a time without, which doubles with each: no storm.
    const pairs = timesAnHour(settings.guard, 600) + 1
    if (!hasPerson && !restarts.length && mostInAnHour(alarms) > 3 * pairs) {
      wrong(0, `${mostInAnHour(alarms)} alarms and all-clears in an hour, not ${3 * pairs}`)
    }
    // (a) Never worse than without, except for what changes cost, for losses of the other side that
    // are too short for a change, and for waits while neither side was good: a side that becomes good
    // then is tried when its rest ends.
    if (!hasPerson && isClean) {
      const cost = costOf(story, world)
      const acts = switches + restarts.length
      const short =
        story.spells * (settings.holdOff + 3 * Math.max(settings.pollEvery, story.blind))
      if (story.excess > acts * cost + short)
        wrong(
          0,
          `${Math.round(story.excess)} s worse than without, for ${acts} changes of ${cost} s`,
        )
      const longest = Math.max(300, settings.guard)
      if (story.resting > story.rests * longest)
        wrong(0, `${Math.round(story.resting)} s worse than without, for ${story.rests} waits`)
      const most = story.without + acts * cost + short + story.rests * longest
      if (story.off > most + 0.1)
        wrong(0, `off the air for ${Math.round(story.off)} s, not ${Math.round(most)}`)
    }
    return faults
  }

  return { watch, end }
}

/** A smaller world in which something is wrong as well: for a person to read. */
export function smallest(world: World): World {
  const isWrong = (one: World): boolean => faultsOf(one).faults.length > 0
  let least = world
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false
    for (const one of smaller(least)) {
      if (!isWrong(one)) continue
      least = one
      isSmaller = true
      break
    }
  }
  return least
}

function* smaller(world: World): Generator<World> {
  if (world.seconds > 120) yield { ...world, seconds: Math.ceil(world.seconds / 2) }
  if (world.seconds > 120) yield { ...world, seconds: Math.ceil(world.seconds * 0.9) }
  for (const name of Object.keys(world) as Array<keyof World>) {
    if (name === 'seconds' || name === 'seed') continue
    const { [name]: one, ...rest } = world
    yield rest
    if (!Array.isArray(one)) continue
    const list = one as unknown[]
    if (list.length > 3) {
      const half = Math.ceil(list.length / 2)
      yield { ...world, [name]: list.slice(0, half) }
      yield { ...world, [name]: list.slice(half) }
    }
    if (list.length <= 40) {
      for (const index of list.keys())
        yield { ...world, [name]: list.filter((_, at) => at !== index) }
    }
  }
  for (const name of Object.keys(world.settings ?? {}) as Array<keyof FailoverSettings>) {
    if (['method', 'main', 'backup'].includes(name)) continue
    const { [name]: _one, ...settings } = world.settings!
    yield { ...world, settings }
  }
}
