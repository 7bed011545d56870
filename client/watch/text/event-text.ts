import { grouped } from '../../model/ids'
import { itemsIn, own, textIn } from '../../model/json'
import type { IncidentEvent } from '../../model/incident'
import { legible } from '../../model/legible'
import type { Named } from '../../model/types'
import type { EventName, Language } from '../../model/watch'
import type { Snapshot, Wordless, WatchEvent } from '../../model/event'
import { healthText } from './health-text'
import { clipped, durationOf, titled, wordsIn, type Key, type Words } from './words'

/** In one sentence without secrets, and nothing that is not known. In English where it has no such words. */
export function eventText(event: Wordless<WatchEvent | Snapshot>, language?: Language): string {
  const words = wordsIn(language)
  const { event: name } = event
  if (event.event === 'snapshot') return legible(snapshotText(event, words))
  const sentence = Object.hasOwn(SENTENCES, name) ? SENTENCES[event.event](event, words) : undefined
  return legible(sentence ?? name)
}

type Event = Wordless<WatchEvent>
type Sentence = (event: Event, words: Words) => string | undefined
type Predicate = Key extends infer Each ? (Each extends `is.${infer Name}` ? Name : never) : never

const onRoute =
  (predicate: Predicate): Sentence =>
  (event, words) =>
    says(words, routeOf(event), undefined, predicate)

const onDestination =
  (predicate: Predicate): Sentence =>
  (event, words) =>
    says(words, routeOf(event), destinationOf(event, words), predicate)

const SENTENCES: Readonly<Record<EventName | IncidentEvent, Sentence>> = {
  'incident.begun': incidentText,
  'incident.changed': incidentText,
  'incident.ended': incidentText,
  'appliance.unreachable': unreachable,
  'appliance.reachable': (event, words) => outage('backAfter', event, words),
  'device.status': (event, words) => status(event, words, gatewayOf(event, words)),
  'device.firmware': ({ before, after, ...event }, words) => {
    const now = textIn(after)
    return onGateway(event, words, words.say('firmware', { now, before: now && textIn(before) }))
  },
  'device.config': interfaces,
  'peer.status': pairing,
  'route.added': (event, words) => {
    const state = own(event.after, 'state')
    const isKnown = state === 'running' || isStopped(state)
    const route = titled('route', routeOf(event), words)
    return words.say('added', { route, state: isKnown ? stateWord(state, words) : undefined })
  },
  'route.removed': (event, words) => {
    const ran = own(event.before, 'state') === 'running'
    const route = titled('route', routeOf(event), words)
    return words.say(ran ? 'removed.running' : 'removed', { route })
  },
  'route.renamed': ({ before, after }, { say }) =>
    say('renamed', { before: clipped(textIn(before) ?? ''), after: clipped(textIn(after) ?? '') }),
  'route.started': onRoute('running'),
  'route.stopped': (event, words) =>
    isStopped(event.after)
      ? onRoute('stopped')(event, words)
      : words.say('noLongerRunning', {
          route: routeOf(event),
          state: stateWord(event.after, words),
        }),
  'route.status': (event, words) => status(event, words, routeOf(event)),
  'route.changed': (event, words) =>
    words.say('changed', { route: routeOf(event), parts: changedParts(event, words) }),
  'source.status': (event, words) => status(event, words, routeOf(event), words.say('source')),
  'source.data-lost': data,
  'source.data': data,
  'destination.added': onDestination('added'),
  'destination.removed': onDestination('removed'),
  'destination.started': onDestination('starts'),
  'destination.stopped': (event, words) =>
    onDestination(event.after === false ? 'stops' : 'unknown')(event, words),
  'destination.status': (event, words) =>
    status(event, words, routeOf(event), destinationOf(event, words)),
  'statistics.low': (event, words) => statistics(event, 'low', words),
  'statistics.high': (event, words) => statistics(event, 'high', words),
  'statistics.normal': (event, words) => statistics(event, 'normal', words),
  'caller.joined': (event, words) => called('joined', event, words),
  'caller.left': (event, words) => called('left', event, words),
  'fleet.engine-lost': (event, words) => outage('engineLost', event, words),
  'fleet.engine-back': (event, words) => outage('engineBack', event, words),
}

const says = (
  { say }: Words,
  whole: string,
  part: string | undefined,
  predicate: Predicate,
): string => say('says', { whole, part, predicate: say(`is.${predicate}`) })

const outage = (key: Key, event: Event, words: Words): string =>
  words.say(key, { gateway: gatewayOf(event, words), duration: durationOf(event.outageMs, words) })

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
  const details = detailsOf(event)
  const shows = (now: string, then?: string): string =>
    words.say('shows', { whole, part, now, before: then }) + noted(words, details)
  if (!CODES.has(before) && !CODES.has(after)) {
    const now = stateWord(event.after, words)
    if (now === undefined) return says(words, whole, part, 'unknown')
    return shows(now, stateWord(event.before, words))
  }
  if (after !== undefined && !CODES.has(after)) return shows(clipped(String(event.after)))
  const predicate = predicateOf(event, before, after, part !== undefined)
  const state = lower(event.states?.after)
  const word = stateWord(event.states?.after, words)
  // A code that says nothing, as of a route that is stopped, needs no words beside the state.
  if (predicate === 'unknown' && word !== undefined) return shows(word)
  const goesWithoutSaying = word === undefined || (after === 'ok' && GOOD.has(state))
  const notes = [goesWithoutSaying ? undefined : word, after === 'ok' ? undefined : details]
  return says(words, whole, part, predicate) + noted(words, ...notes)
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
function detailsOf({ details, after, states }: Event): string | undefined {
  const said = lower(details)
  if (said === undefined || said === lower(after) || said === lower(states?.after)) return undefined
  return clipped(details!)
}

/** Notes in one pair of parentheses, after a sentence. */
function noted({ say }: Words, ...notes: Array<string | undefined>): string {
  const said = notes.filter((note) => note !== undefined)
  return said.length === 0 ? '' : say('details', { words: said.join(say('comma')) })
}

function pairing(event: Event, words: Words): string {
  const gateway = gatewayOf(event, words)
  const peer = words.say('pairing', { name: nameOf(event.peer) })
  const [now, before] = [stateWord(event.after, words), stateWord(event.before, words)]
  if (now === undefined) {
    return says(words, gateway, peer, before === undefined ? 'unknown' : 'removed')
  }
  const whole = gateway + words.say('comma') + peer
  return words.say('shows', { whole, now, before }) + noted(words, detailsOf(event))
}

function interfaces(event: Event, words: Words): string {
  const [before, after] = [addressesIn(event.before), addressesIn(event.after)]
  const names = new Set([...before.keys(), ...after.keys()])
  const changed = [...names].filter((name) => before.get(name) !== after.get(name))
  const [one = ''] = changed
  if (changed.length !== 1) {
    const listed = clipped(changed.filter((name) => name !== '').join(words.say('comma')))
    return onGateway(event, words, words.say('interfaces', { names: listed }))
  }
  const [now, then] = [after.get(one), before.get(one)]
  const name = words.say('interface', { name: clipped(one) })
  if (now === undefined || then === undefined) {
    return says(words, gatewayOf(event, words), name, then === undefined ? 'added' : 'removed')
  }
  const values = { name, now: clipped(now), before: clipped(then) }
  return onGateway(event, words, words.say('address', values))
}

/** By its name, the addresses of each network interface; several may have the same name. */
function addressesIn(adapters: unknown): Map<string, string> {
  const word = (adapter: unknown, name: string): string => textIn(own(adapter, name)) ?? ''
  const byName = grouped(itemsIn(adapters), (one) => word(one, 'name'))
  const addresses = (same: unknown[]): string => same.map((one) => word(one, 'address')).join(', ')
  return new Map(Array.from(byName, ([name, same]) => [name, addresses(same)]))
}

/** Which parts of a definition differ; none where only what is hidden does. */
function changedParts({ before, after }: Event, { say }: Words): string {
  const parts: string[] = []
  if (isChanged(own(before, 'source'), own(after, 'source'))) parts.push(say('source'))
  const keyOf = (destination: unknown): unknown =>
    own(destination, 'id') ?? own(destination, 'name') ?? ''
  const former = new Map(
    itemsIn(own(before, 'destinations')).map((one) => [keyOf(one), one] as const),
  )
  const changed = itemsIn(own(after, 'destinations')).filter((one) => {
    const was = former.get(keyOf(one))
    return was !== undefined && isChanged(was, one)
  })
  const [one] = changed
  if (changed.length > 1) parts.push(say('several', { count: changed.length }))
  else if (one !== undefined) {
    const name = clipped(textIn(own(one, 'name')) ?? textIn(keyOf(one)) ?? '')
    parts.push(say('destination', { name }))
  }
  return parts.join(say('comma'))
}

const isChanged = (before: unknown, after: unknown): boolean =>
  JSON.stringify(before) !== JSON.stringify(after)

function data(event: Event, words: Words): string {
  const { after } = event
  const predicate = after === true ? 'data' : after === false ? 'noData' : 'unwatched'
  return says(words, routeOf(event), words.say('source'), predicate)
}

/** Who calls, by the name or else by the address, and the source or destination that is called. */
function called(key: 'joined' | 'left', event: Event, words: Words): string {
  const { caller, destination } = event
  const sentence = words.say(key, {
    caller: clipped(caller?.name ?? caller?.address ?? ''),
    part: destination ? destinationOf(event, words) : words.say('source'),
    duration: durationOf(caller?.durationMs ?? undefined, words),
  })
  return `${routeOf(event)}: ${sentence}`
}

/** What has begun, changed or ended; undefined where the incident is missing. */
function incidentText(event: Event, words: Words): string | undefined {
  const { incident, after, destination, caller, word, value, limit = NaN } = event
  if (!incident) return undefined
  const { kind, reason, severity, durationMs } = incident
  const whole = event.route ? routeOf(event) : gatewayOf(event, words)
  const health = { sign: severity, reason, output: caller?.name ?? nameOf(destination), word }
  const long = healthText(health, words.language)
  if (event.event === 'incident.changed') return words.say('incident.changed', { whole, why: long })
  if (event.event === 'incident.begun') {
    if (kind === 'gateway' && event.reason) return unreachable(event, words)
    if (kind !== 'threshold') return `${whole}: ${long}`
    return statistics(event, typeof value === 'number' && value < limit ? 'low' : 'high', words)
  }
  const brief = healthText(health, words.language, true)
  const why = kind === 'threshold' ? `${measured(event, words)}: ${brief}` : brief
  const duration = durationOf(durationMs ?? 0, words)
  if (after === 'removed') return words.say('incident.removed', { whole, why, duration })
  if (after !== 'stopped') return words.say('incident.well', { whole, why, duration })
  const key = kind === 'route' ? 'incident.routeStopped' : 'incident.stopped'
  return words.say(key, { whole, why, duration })
}

function snapshotText({ device, routes }: Wordless<Snapshot>, words: Words): string {
  const running = routes.filter(({ state }) => state === 'running').length
  const unknown = routes.filter(({ state }) => state === undefined).length
  const key = routes.length === 0 ? 'routes.none' : routes.length === 1 ? 'routes.single' : 'routes'
  const notes = [words.say(key, { running, routes: routes.length })]
  if (unknown > 0) notes.push(words.say('stateUnknown', { count: unknown }))
  const state = stateWord(device.status, words)
  if (state !== undefined && !GOOD.has(lower(device.status))) notes.push(state)
  return `${gatewayOf({ device }, words)}: ${notes.join(words.say('comma'))}`
}

const onGateway = (event: Pick<Event, 'device'>, words: Words, sentence: string): string =>
  `${gatewayOf(event, words)}: ${sentence}`

const destinationOf = ({ destination }: Event, { say }: Words): string =>
  say('destination', { name: nameOf(destination) })

const isStopped = (state: unknown): boolean => state === 'idle' || state === 'stopped'

const lower = (value: unknown): string | undefined => textIn(value)?.toLowerCase()

function stateWord(state: unknown, { find }: Words): string | undefined {
  const given = textIn(state)
  return given && (find('state', given.toLowerCase()) ?? clipped(given))
}

/** Failures that mean that nothing got through; after others something has answered. */
const NOTHING_CAME: ReadonlySet<string> = new Set(['TIMEOUT', 'UNAVAILABLE'])

function unreachable(event: Event, words: Words): string {
  const { code = 'UNAVAILABLE', detail } = event.reason ?? {}
  const why = words.find('failure', detail ?? '') ?? words.find('failure', code) ?? code
  const hasAnswered = !NOTHING_CAME.has(code) || (code === 'UNAVAILABLE' && detail === undefined)
  const gateway = gatewayOf(event, words)
  return words.say(hasAnswered ? 'unwatchable' : 'unreachable', { gateway, why })
}

const UNITS: Readonly<Record<string, string>> = { bitrate: ' Mbit/s', roundTripTime: ' ms' }

/** @param level which limit was passed; `normal` where none is any more */
function statistics(event: Event, level: 'low' | 'high' | 'normal', words: Words): string {
  const { measure = '', value, limit } = event
  const unit = Object.hasOwn(UNITS, measure) ? UNITS[measure]! : ''
  const withUnit = (number: string): string => number.replace('.', words.say('decimal')) + unit
  const isMeasured = typeof value === 'number'
  const sentence = words.say(isMeasured ? level : 'notMeasured', {
    what: measured(event, words),
    value: isMeasured ? withUnit(rounded(value, limit)) : undefined,
    limit: withUnit(String(limit)),
  })
  return `${routeOf(event)}: ${sentence}`
}

function measured(
  { measure: given = '', of, destination }: Pick<Event, 'measure' | 'of' | 'destination'>,
  { say, find }: Words,
): string {
  const measure = find('measure', given) ?? given
  return of === 'destination'
    ? say('measured.destination', { measure, name: nameOf(destination) })
    : say('measured.source', { measure })
}

/** Three digits that count, or the whole part, or all digits where fewer would pass the limit. */
function rounded(value: number, limit = NaN): string {
  const short = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
  const isSameSide = Math.sign(short - limit) === Math.sign(value - limit)
  return String(isSameSide || Number.isNaN(limit) ? short : value)
}

function gatewayOf({ device }: Pick<Event, 'device'>, words: Words): string {
  const name = nameOf(device)
  return name ? titled('gateway', name, words) : words.say('gateway.none')
}

const routeOf = ({ route }: Event): string => nameOf(route)

const nameOf = (named: Named | undefined): string => clipped(named?.name || named?.id || '')
