// Random histories of the gateway of the `field` dialect, and what must hold in each of them: the loss of
// a source is reported, once, and its end, once; a missing caller never. What is expected follows from how
// all was when the gateway was polled, not from the rules of a watch. Used by the tests and by the bench.
import type { WatchEvent } from '../../../client/model/event'
import { dice } from '../failover/world'
import {
  play,
  type Act,
  type History,
  type Look,
  type Sight,
  type Story,
  type Told,
} from './field-world'

const DEFAULT_HOLD = 10_000
/** A gateway counts as unreachable after that long. */
const OUTAGE_MS = 30_000
const ROUTES = 14

type Share = (share: number) => boolean

/** A random history; the same for the same seed. */
export function randomHistory(seed: number, minutes = 5): History {
  const next = dice(seed)
  const of: Share = (share) => next() < share
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!
  const lengthMs = minutes * 60_000
  const holdFor = pick([undefined, undefined, undefined, 0, 3000, 30_000])
  const hold = holdFor ?? DEFAULT_HOLD
  const everyMs = pick([5000, 5000, 10_000])
  const acts: Act[] = []
  const during = (mean: number): number => Math.round(100 - mean * Math.log(1 - next()))
  /** Something that comes and goes: how long it is there and away, each about so many ms. */
  const rhythm = (there: number, away: number, begin: () => Act, over: () => Act): void => {
    for (let at = during(there); at < lengthMs;) {
      acts.push({ ...begin(), at })
      at += during(away)
      if (at < lengthMs) acts.push({ ...over(), at })
      at += during(there)
    }
  }
  const at = 0
  const routes = Array.from({ length: ROUTES }, (_, route) => route)
  const pushes = of(0.5) ? routes.filter(() => of(0.3)) : []
  for (const route of routes) {
    if (of(0.35)) {
      const away = pick([hold / 2 + 1000, hold + everyMs, 90_000, 300_000])
      const lost = (): Act => ({
        at,
        do: 'source',
        route,
        is: pick(['disconnected', 'no-data', 'connecting']),
      })
      if (of(0.1)) acts.push(lost())
      rhythm(pick([hold, 60_000, 300_000]), away, lost, () => ({
        at,
        do: 'source',
        route,
        is: 'ok',
      }))
    }
    const call = (callers: () => number) => (): Act => ({
      at,
      do: 'call',
      route,
      output: of(0.7) ? 0 : 1,
      callers: callers(),
    })
    if (of(0.3))
      rhythm(
        100_000,
        pick([8000, 60_000, 200_000]),
        call(() => 0),
        call(() => Math.ceil(3 * next())),
      )
    if (of(0.15))
      rhythm(
        200_000,
        60_000,
        () => ({ at, do: 'stop', route }),
        () => ({ at, do: 'start', route }),
      )
    if (of(0.08))
      rhythm(
        200_000,
        40_000,
        () => ({ at, do: 'poor', route }),
        () => ({ at, do: 'good', route }),
      )
    if (of(0.05))
      rhythm(
        200_000,
        40_000,
        () => ({ at, do: 'warn', route }),
        () => ({ at, do: 'calm', route }),
      )
    if (pushes.includes(route)) {
      const is = pick(['disconnected', 'connecting'])
      rhythm(
        100_000,
        pick([hold, 60_000]),
        () => ({ at, do: 'push', route, is }),
        () => ({ at, do: 'push', route, is: 'ok' }),
      )
    }
    if (of(0.04)) acts.push({ at: next() * lengthMs, do: 'remove', route })
    if (of(0.06))
      acts.push({
        at: next() * lengthMs,
        do: 'rename',
        route,
        name: pick(['Theatre', 'Opera ', 'P']),
      })
  }
  if (of(0.15)) acts.push({ at: next() * lengthMs, do: 'add', name: 'Added' })
  // What happens to one that was not added happens to nothing.
  acts.push({ at: next() * lengthMs, do: 'source', route: ROUTES, is: 'no-data' })
  if (of(0.4))
    rhythm(
      150_000,
      pick([everyMs, 20_000, 120_000]),
      () => ({ at, do: 'fail' }),
      () => ({ at, do: 'answer' }),
    )
  if (of(0.2))
    rhythm(
      200_000,
      pick([hold, 60_000]),
      () => ({ at, do: 'offline' }),
      () => ({ at, do: 'online' }),
    )
  if (of(0.1))
    rhythm(
      200_000,
      60_000,
      () => ({ at, do: 'device-warn' }),
      () => ({ at, do: 'device-ok' }),
    )
  if (of(0.4)) {
    const how = (): Act => ({
      at,
      do: 'begin',
      how: pick(['restart', 'deploy', 'full deploy', 'takeover'] as const),
    })
    rhythm(150_000, pick([100, 5000, 90_000]), () => ({ at, do: 'end' }), how)
  }
  acts.sort((one, other) => one.at - other.at)
  return {
    seed,
    lengthMs,
    everyMs,
    holdFor,
    settleMs: pick([0, 300, 1200]),
    mustRun: of(0.25) ? pick(['P*', '*a*', '*']) : undefined,
    pattern: of(0.15) ? pick(['*a*', 'P*', '*e*']) : undefined,
    pushes,
    acts: acts.map((act) => ({ ...act, at: Math.round(act.at) })),
  }
}

/** What a history shows. */
export interface Judgement {
  faults: string[]
  /** Losses of sources that lasted long enough while all was well that is needed to see them. */
  losses: number
  told: number
  /** How much later than loss, hold and one poll they were reported at most. */
  lateMs: number
  events: number
  /** How often callers came or went. */
  calls: number
  /** Events about what was not wrong. */
  falseAlarms: number
  /** Of these, those of routes with an output that nobody called. */
  ofCallers: number
}

/** Why a route, an output or the device is in an incident, or undefined. */
const TROUBLE: ReadonlySet<Sight> = new Set<Sight>([
  'no-source',
  'no-data',
  'source-warning',
  'route-warning',
  'not-running',
  'output-lost',
  'device-away',
  'device-warning',
])
const CRITICAL: ReadonlySet<string> = new Set([
  'no-source',
  'no-data',
  'not-running',
  'device-away',
])

/** How one thing was at a poll that succeeded. */
interface Seen {
  at: number
  holds: number
  sight: Sight
}

/** Plays a history and judges it. */
export async function judged(history: History): Promise<Judgement> {
  return judge(await play(history))
}

export function judge(story: Story): Judgement {
  const { holdFor: hold = DEFAULT_HOLD } = story.history
  const judgement: Judgement = {
    faults: [],
    losses: 0,
    told: 0,
    lateMs: 0,
    events: story.told.length,
    calls: story.history.acts.filter((act) => act.do === 'call').length,
    falseAlarms: 0,
    ofCallers: 0,
  }
  const { faults } = judgement
  const looks = story.looks.filter(({ seen }) => seen)
  const subjects = new Set(looks.flatMap(({ seen }) => [...seen!.keys()]))
  const byThing = new Map<string, Told[]>()
  for (const one of story.told) {
    const thing = thingOf(one.event)
    byThing.set(thing, [...(byThing.get(thing) ?? []), one])
    if (thing !== 'gateway') subjects.add(thing)
  }
  for (const thing of subjects) {
    const told = byThing.get(thing) ?? []
    if (told.length === 0 && !looks.some(({ seen }) => TROUBLE.has(seen!.get(thing)!))) continue
    const seen = sightsOf(thing, looks)
    const fault = (at: number, text: string): unknown =>
      faults.push(`${(at / 1000).toFixed(1)} s, ${thing}: ${text}`)
    const isFalse = ({ at, event }: Told): void => {
      judgement.falseAlarms++
      const look = looks.find((one) => one.at === at)
      const route = thing.split(' ')[0]!
      if (event.event === 'incident.begun' && look?.uncalled?.has(route)) judgement.ofCallers++
    }
    judgeOrder(told, fault)
    for (const one of told) if (!isTrue(one, seen, hold, fault)) isFalse(one)
    judgeTime(told, seen, hold, fault)
  }
  judgeGateway(story, byThing.get('gateway') ?? [], hold, faults)
  judgeLosses(story, byThing, hold, judgement)
  return judgement
}

/** What an event is about; a thing that no look has where it is about nothing that can be lost. */
function thingOf({ incident, route, destination }: WatchEvent): string {
  const { kind } = incident!
  if (kind === 'gateway' || kind === 'device') return kind
  if (kind === 'route') return route!.id
  return `${route!.id} ${destination?.id ?? ''}`
}

/** How a thing was at each poll that shows it. While the device is offline, only the device shows. */
function sightsOf(thing: string, looks: readonly Look[]): Seen[] {
  const all: Seen[] = []
  for (const { at, holds, seen } of looks) {
    const isOffline = seen!.get('device') === 'device-away'
    if (isOffline && thing !== 'device') continue
    all.push({ at, holds, sight: seen!.get(thing) ?? 'gone' })
  }
  return all
}

type Say = (at: number, text: string) => unknown

/** Begun, changed as often as it likes, ended: each once, also across watches, each by its own ID. */
function judgeOrder(told: readonly Told[], fault: Say): void {
  const ids = new Set<string>()
  let open: NonNullable<WatchEvent['incident']> | undefined
  for (const { at, event } of told) {
    const { id, since, until, durationMs } = event.incident!
    if (event.event === 'incident.begun') {
      if (open) fault(at, 'has begun twice')
      if (ids.has(id)) fault(at, 'has the ID of another one')
      ids.add(id)
      open = event.incident!
      continue
    }
    if (open?.id !== id) fault(at, `${event.event} of none that is open`)
    else if (open.since !== since) fault(at, 'has another beginning than before')
    if (event.event === 'incident.changed') continue
    if (durationMs !== until! - since || durationMs < 0) fault(at, 'has a wrong duration')
    open = undefined
  }
}

/** The polls from a time to another one that show how the thing is for certain. */
const within = (seen: readonly Seen[], from: number, to: number): Seen[] =>
  seen.filter(({ at }) => at >= from && at <= to)

const isTrouble = ({ sight }: Seen): boolean => TROUBLE.has(sight)
const isOver = ({ sight }: Seen): boolean => !TROUBLE.has(sight)

/** An event says what the polls have shown, for as long as it must have lasted. */
function isTrue({ at, event }: Told, seen: readonly Seen[], hold: number, fault: Say): boolean {
  const told = fault.bind(undefined, at)
  const now = seen.find((one) => one.at === at)
  if (!now) {
    told(`${event.event} while nothing shows it`)
    return false
  }
  const { incident, before, after } = event
  const saw = event.at - EPOCH_OF_STORY
  const shown = within(seen, saw, at)
  const isFirst = shown[0]?.at === saw
  if (event.event === 'incident.ended') {
    const closing = { stopped: 'stopped', gone: 'removed' }[now.sight as string] ?? 'ok'
    const fits = shown.every(isOver) && shown[0]?.sight !== 'covered' && now.sight !== 'covered'
    if (!fits || !isFirst) told('has ended while it lasted')
    if (at - saw < hold) told('has ended too early')
    if (after !== closing) told(`has ended as ${String(after)}, but is ${closing}`)
    return fits
  }
  const { reason, severity } = incident!
  const fits = isTrouble(now)
  if (now.sight !== reason) told(`${event.event} for ${reason}, but is ${now.sight}`)
  const wanted = CRITICAL.has(now.sight) ? 'critical' : 'warning'
  if (severity !== wanted || after !== wanted) told(`is ${severity}, not ${wanted}`)
  if (event.event === 'incident.begun') {
    if (!shown.every(isTrouble) || !isFirst) told('has begun while it was well')
    if (at - saw < hold) told('has begun too early')
    if (incident!.since !== event.at || before !== 'ok') told('has begun at another time')
  }
  return fits
}

/** Unix ms of the beginning of each story. */
const EPOCH_OF_STORY = 1_800_000_000_000

/** What has lasted for the hold is reported at the very poll that shows it. */
function judgeTime(told: readonly Told[], seen: readonly Seen[], hold: number, fault: Say): void {
  let next = 0
  let open: string | undefined
  let ofTrouble: Seen | undefined
  let ofHealth: Seen | undefined
  let ofReason: Seen | undefined
  let ofOther: Seen | undefined
  let last: Seen | undefined
  for (const now of seen) {
    const { at, holds, sight } = now
    if (last?.holds !== holds) ofTrouble = ofHealth = ofReason = ofOther = undefined
    ofTrouble = isTrouble(now) ? (ofTrouble ?? now) : undefined
    // What only follows from another trouble is neither over nor not.
    ofHealth = isOver(now) && sight !== 'covered' ? (ofHealth ?? now) : undefined
    ofReason = sight === last?.sight ? (ofReason ?? now) : now
    ofOther = isTrouble(now) && sight !== open ? (ofOther ?? now) : undefined
    for (; told[next] && told[next]!.at <= at; next++) {
      const { event } = told[next]!
      const from = ofOther?.at ?? Infinity
      if (event.event === 'incident.changed' && at - from < hold) fault(at, 'has changed too early')
      open = event.event === 'incident.ended' ? undefined : event.incident!.reason
    }
    const lasted = (since: Seen | undefined): boolean =>
      since !== undefined && at - since.at >= hold
    if (lasted(ofTrouble) && open === undefined) fault(at, `${sight} is not reported`)
    if (lasted(ofHealth) && open !== undefined) fault(at, `the end of ${open} is not reported`)
    if (lasted(ofReason) && isTrouble(now) && open !== sight) {
      fault(at, `that it is ${sight} now is not reported`)
    }
    last = now
  }
}

/** The gateway is away once no poll has succeeded for half a minute, and back once one has. */
function judgeGateway(
  { looks, history }: Story,
  told: readonly Told[],
  hold: number,
  faults: string[],
): void {
  const fault: Say = (at, text) => faults.push(`${(at / 1000).toFixed(1)} s, gateway: ${text}`)
  judgeOrder(told, fault)
  const least = Math.max(OUTAGE_MS, hold)
  const latest = least + 2.2 * history.everyMs
  for (const { at, event } of told) {
    const saw = event.at - EPOCH_OF_STORY
    const polls = looks.filter((look) => look.at >= saw && look.at <= at)
    if (event.event === 'incident.begun') {
      // A poll of the same moment comes after it.
      const isSeen = polls.some((look) => look.seen && look.at < at)
      if (at - saw < least || isSeen) fault(at, 'was not away that long')
    } else {
      const isSeen = polls[0]?.seen && polls.at(-1)?.at === at && polls.at(-1)?.seen
      if (at - saw < hold || !isSeen) fault(at, 'is not back for that long')
    }
  }
  let away: Look | undefined
  let back: Look | undefined
  for (const look of looks) {
    const isSame = (away ?? back)?.life === look.life
    away = look.seen ? undefined : isSame ? (away ?? look) : look
    back = look.seen ? (isSame ? (back ?? look) : look) : undefined
    const isOpen = told.findLast(({ at }) => at <= look.at)?.event.event === 'incident.begun'
    if (away && look.at - away.at > latest && !isOpen) fault(look.at, 'is not reported')
    if (back && look.at - back.at >= hold && isOpen) fault(look.at, 'its return is not reported')
  }
}

/** Every loss that lasts for the hold and two polls is reported by then. */
function judgeLosses(
  { looks, losses, lives, history }: Story,
  byThing: ReadonlyMap<string, readonly Told[]>,
  hold: number,
  judgement: Judgement,
): void {
  const most = hold + 2.2 * history.everyMs
  for (const { route, from, to } of losses) {
    const by = from + most
    const isPolled = lives.some((life) => life.from <= from && life.to >= by)
    // Polls are rarer while the gateway is away.
    const during = looks.filter(({ at }) => at >= from && at <= by)
    const isSeen = [looks.findLast(({ at }) => at < from), ...during].every((look) => look?.seen)
    const isWatched = during.every(({ seen }) => TROUBLE.has(seen?.get(route) ?? 'gone'))
    if (to <= by || !isPolled || !isSeen || !isWatched) continue
    judgement.losses++
    const told = byThing.get(route) ?? []
    const before = told.filter(({ at }) => at <= from)
    const after = told.filter(({ at }) => at > from && at <= by)
    const last = [...before, ...after].at(-1)
    const isOpen = last && last.event.event !== 'incident.ended'
    const isCritical = last?.event.incident!.severity === 'critical'
    if (!isOpen || !isCritical) {
      judgement.faults.push(
        `${(from / 1000).toFixed(1)} s, ${route}: its lost source is not reported`,
      )
      continue
    }
    judgement.told++
    const begun = after.find(({ event }) => event.event === 'incident.begun')
    if (!begun) continue
    judgement.lateMs = Math.max(judgement.lateMs, begun.at - from - hold - history.everyMs)
  }
}

/** The smallest history that still has a fault. */
export async function smallest(history: History): Promise<History> {
  let least = history
  const fails = async (one: History): Promise<boolean> => (await judged(one)).faults.length > 0
  for (let size = Math.ceil(least.acts.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < least.acts.length;) {
      const acts = [...least.acts.slice(0, from), ...least.acts.slice(from + size)]
      const shorter = { ...least, acts }
      if (await fails(shorter)) least = shorter
      else from += size
    }
  }
  return least
}
