import { own } from '../../model/json'
import { isIncidentEvent } from '../../model/incident'
import { legible } from '../../model/legible'
import type { EventName, Language } from '../../model/watch'
import type { Snapshot, Wordless, WatchEvent } from '../../model/event'
import { GERMAN } from './de'
import { ENGLISH } from './en-us'
import { incidentText } from './incident-text'
import { JAPANESE } from './ja'
import {
  clipped,
  durationOf,
  found,
  gatewayOf,
  nameOf,
  routeOf,
  statisticsText,
  unreachable,
  type Event,
} from './parts'
import type { Predicate, Words } from './words'

export const WORDS: Readonly<Record<Language, Words>> = {
  'en-US': ENGLISH,
  de: GERMAN,
  ja: JAPANESE,
}

/**
 * Says in one sentence what an event, or a snapshot, is about: one line, without secrets, and nothing
 * that is not known. In English where there is no such language.
 */
export function eventText(
  event: Wordless<WatchEvent | Snapshot>,
  wanted: Language = 'en-US',
): string {
  const language = Object.hasOwn(WORDS, wanted) ? wanted : 'en-US'
  const words = WORDS[language]
  const sentence =
    event.event === 'snapshot'
      ? snapshotText(event, words)
      : isIncidentEvent(event.event)
        ? incidentText(event, words, language)
        : found(SENTENCES, event.event)?.(event, words)
  return legible(sentence ?? event.event)
}

type Sentence = (event: Event, words: Words) => string

const onRoute =
  (predicate: Predicate): Sentence =>
  (event, words) =>
    words.says(routeOf(event), undefined, words.predicates[predicate])

const onDestination =
  (predicate: Predicate): Sentence =>
  (event, words) =>
    words.says(routeOf(event), destinationOf(event, words), words.predicates[predicate])

const SENTENCES: Readonly<Record<EventName, Sentence>> = {
  'appliance.unreachable': unreachable,
  'appliance.reachable': (event, words) =>
    words.backAfter(gatewayOf(event, words), durationOf(event.outageMs, words)),
  'device.status': (event, words) => status(event, words, gatewayOf(event, words)),
  'device.firmware': ({ before, after, ...event }, words) =>
    onGateway(event, words, words.firmware(textIn(after), textIn(before))),
  'device.config': interfaces,
  'peer.status': pairing,
  'route.added': (event, words) => {
    const state = own(event.after, 'state')
    return words.added(
      routeOf(event),
      state === 'running' ? 'running' : isStopped(state) ? 'stopped' : undefined,
    )
  },
  'route.removed': (event, words) =>
    words.removed(routeOf(event), own(event.before, 'state') === 'running'),
  'route.renamed': (event, words) =>
    words.renamed(clipped(textIn(event.before) ?? ''), clipped(textIn(event.after) ?? '')),
  'route.started': onRoute('running'),
  'route.stopped': (event, words) =>
    isStopped(event.after)
      ? onRoute('stopped')(event, words)
      : words.noLongerRunning(routeOf(event), stateWord(event.after, words)),
  'route.status': (event, words) => status(event, words, routeOf(event)),
  'route.changed': (event, words) => words.changed(routeOf(event), changedParts(event, words)),
  'source.status': (event, words) => status(event, words, routeOf(event), words.source),
  'source.data-lost': data,
  'source.data': data,
  'destination.added': onDestination('added'),
  'destination.removed': onDestination('removed'),
  'destination.started': onDestination('starts'),
  'destination.stopped': (event, words) =>
    onDestination(event.after === false ? 'stops' : 'unknown')(event, words),
  'destination.status': (event, words) =>
    status(event, words, routeOf(event), destinationOf(event, words)),
  'statistics.low': (event, words) => statisticsText(event, 'low', words),
  'statistics.high': (event, words) => statisticsText(event, 'high', words),
  'statistics.normal': (event, words) => statisticsText(event, undefined, words),
  'caller.joined': ({ caller, ...event }, words) =>
    `${routeOf(event)}: ${words.joined(callerOf(caller), calledPart(event, words))}`,
  'caller.left': ({ caller, ...event }, words) => {
    const duration = durationOf(caller?.durationMs ?? undefined, words)
    return `${routeOf(event)}: ${words.left(callerOf(caller), calledPart(event, words), duration)}`
  },
  'fleet.engine-lost': (event, words) => words.engineLost(gatewayOf(event, words)),
  'fleet.engine-back': (event, words) =>
    words.engineBack(gatewayOf(event, words), durationOf(event.outageMs, words)),
}

const CODES: ReadonlySet<unknown> = new Set(['ok', 'warn', 'error', 'unknown'])
const AWAY: ReadonlySet<unknown> = new Set(['disconnected', 'connecting'])
/** States that go without saying where all is well. */
const GOOD: ReadonlySet<unknown> = new Set([
  'connected',
  'connection established',
  'running',
  'online',
])

/** A status: its code, or where that has stayed the same the state behind it. */
function status(event: Event, words: Words, whole: string, part?: string): string {
  const before = lower(event.before)
  const after = lower(event.after)
  const details = detailsOf(event, words)
  if (!CODES.has(before) && !CODES.has(after)) {
    const [now, then] = [stateWord(event.after, words), stateWord(event.before, words)]
    if (now === undefined) return words.says(whole, part, words.predicates.unknown)
    return words.shows(whole, part, now, then) + details
  }
  if (after !== undefined && !CODES.has(after)) {
    return words.shows(whole, part, clipped(String(event.after)), undefined) + details
  }
  const predicate = predicateOf(event, before, after, part !== undefined)
  const state = lower(event.states?.after)
  // A code that says nothing, as of a route that is stopped, needs no words beside the state.
  if (predicate === 'unknown' && state !== undefined) {
    return words.shows(whole, part, stateWord(event.states?.after, words)!, undefined) + details
  }
  const goesWithoutSaying = state === undefined || (after === 'ok' && GOOD.has(state))
  return (
    words.says(whole, part, words.predicates[predicate]) +
    (goesWithoutSaying ? '' : words.state(stateWord(event.states?.after, words)!)) +
    (after === 'ok' ? '' : details)
  )
}

function predicateOf(
  { states }: Event,
  before: string | undefined,
  after: string | undefined,
  isPart: boolean,
): Predicate {
  const [wasAway, isAway] = [AWAY.has(lower(states?.before)), AWAY.has(lower(states?.after))]
  switch (after) {
    case 'ok':
      if (before !== 'warn' && before !== 'error') return 'ok'
      return isPart && wasAway && !isAway ? 'back' : 'okAgain'
    case 'warn':
    case 'error':
      return isPart && before === 'ok' && isAway && !wasAway ? 'lost' : after
    default:
      return 'unknown'
  }
}

/** The gateway's own words, unless they only repeat the state. */
function detailsOf({ details, after, states }: Event, words: Words): string {
  const said = lower(details)
  if (said === undefined || said === lower(after) || said === lower(states?.after)) return ''
  return words.details(clipped(details!))
}

function pairing(event: Event, words: Words): string {
  const gateway = gatewayOf(event, words)
  const called = words.pairing(nameOf(event.peer))
  const [now, then] = [stateWord(event.after, words), stateWord(event.before, words)]
  if (now === undefined) {
    const predicate = then === undefined ? 'unknown' : 'removed'
    return words.says(gateway, called, words.predicates[predicate])
  }
  const whole = gateway + words.comma + called
  return words.shows(whole, undefined, now, then) + detailsOf(event, words)
}

function interfaces(event: Event, words: Words): string {
  const [before, after] = [addressesIn(event.before), addressesIn(event.after)]
  const names = new Set([...before.keys(), ...after.keys()])
  const changed = [...names].filter((name) => before.get(name) !== after.get(name))
  const [name = ''] = changed
  if (changed.length !== 1) {
    return onGateway(event, words, words.interfaces(listed(changed, words)))
  }
  const [now, then] = [after.get(name), before.get(name)]
  const called = words.networkInterface(clipped(name))
  if (now !== undefined && then !== undefined) {
    return onGateway(event, words, words.address(called, clipped(now), clipped(then)))
  }
  const predicate = words.predicates[then === undefined ? 'added' : 'removed']
  return words.says(gatewayOf(event, words), called, predicate)
}

/** By its name, the addresses of each network interface; several may have the same name. */
function addressesIn(adapters: unknown): Map<string, string> {
  const addresses = new Map<string, string>()
  for (const adapter of listIn(adapters)) {
    const name = textIn(own(adapter, 'name')) ?? ''
    const address = textIn(own(adapter, 'address')) ?? ''
    const former = addresses.get(name)
    addresses.set(name, former === undefined ? address : `${former}, ${address}`)
  }
  return addresses
}

/** Which parts of a definition differ; none where only what is hidden does. */
function changedParts({ before, after }: Event, words: Words): string {
  const parts: string[] = []
  if (isChanged(own(before, 'source'), own(after, 'source'))) parts.push(words.source)
  const keyOf = (destination: unknown): unknown =>
    own(destination, 'id') ?? own(destination, 'name') ?? ''
  const former = new Map(
    listIn(own(before, 'destinations')).map((one) => [keyOf(one), one] as const),
  )
  const changed = listIn(own(after, 'destinations')).filter((one) => {
    const was = former.get(keyOf(one))
    return was !== undefined && isChanged(was, one)
  })
  const [one] = changed
  if (changed.length > 1) parts.push(words.several(changed.length))
  else if (one !== undefined) {
    parts.push(words.destination(clipped(textIn(own(one, 'name')) ?? textIn(keyOf(one)) ?? '')))
  }
  return parts.join(words.comma)
}

const isChanged = (before: unknown, after: unknown): boolean =>
  JSON.stringify(before) !== JSON.stringify(after)

function data(event: Event, words: Words): string {
  const { after } = event
  if (typeof after === 'boolean') {
    return words.says(routeOf(event), words.source, words.predicates[after ? 'data' : 'noData'])
  }
  const bitrate = words.measured(words.measures.bitrate, undefined)
  return `${routeOf(event)}: ${words.notMeasured(bitrate)}`
}

function snapshotText({ device, routes }: Wordless<Snapshot>, words: Words): string {
  const running = routes.filter(({ state }) => state === 'running').length
  const unknown = routes.filter(({ state }) => state === undefined).length
  const notes = [words.running(running, routes.length)]
  if (unknown > 0) notes.push(words.stateUnknown(unknown))
  const state = lower(device.status)
  const isGood = state === undefined || GOOD.has(state)
  if (!isGood) notes.push(stateWord(device.status, words)!)
  return `${words.gateway(nameOf(device))}: ${notes.join(words.comma)}`
}

const onGateway = (event: Pick<Event, 'device'>, words: Words, sentence: string): string =>
  `${gatewayOf(event, words)}: ${sentence}`

const destinationOf = ({ destination }: Event, words: Words): string =>
  words.destination(nameOf(destination))

/** By its name, or else by its address. */
const callerOf = (caller: Event['caller']): string => clipped(caller?.name ?? caller?.address ?? '')

const calledPart = (event: Event, words: Words): string =>
  event.destination ? destinationOf(event, words) : words.source

const isStopped = (state: unknown): boolean => state === 'idle' || state === 'stopped'

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const lower = (value: unknown): string | undefined => textIn(value)?.toLowerCase()

/** A state in words, or as the gateway calls it. */
function stateWord(state: unknown, words: Words): string | undefined {
  const given = textIn(state)
  if (given === undefined) return undefined
  return found(words.states, given.toLowerCase()) ?? clipped(given)
}

const listed = (names: readonly string[], words: Words): string =>
  clipped(names.filter((name) => name !== '').join(words.comma))
