import type { RouteFigures, RouteView, Snapshot, WatchEvent, Wordless } from '../../model/event'
import { named } from '../../model/ids'
import type { Named, NetworkAdapter } from '../../model/types'
import type { EventName } from '../../model/watch'
import { expanded } from '../compact'
import type { Change } from './compare'
import { eachRoute, routeFigures, type Figures } from '../measuring/figures'
import type { Miss } from '../../poller'
import {
  isRunning,
  type Condition,
  type DestinationState,
  type DeviceState,
  type RouteState,
} from '../state'

/** How a watch reports one kind of change. */
interface Kind<Of> {
  /** By default that of the kind. */
  event?: (change: Of) => EventName
  /** The same text for changes to the same value, which is what `after` shows of it. */
  value: (change: Of) => string
  told: (change: Of) => Told
}
type Told = [before: unknown, after: unknown, more?: object]
type Sides<Value> = { from?: Value; to?: Value }

const plain = {
  value: ({ to }: Sides<unknown>) => String(to),
  told: ({ from, to }: Sides<unknown>): Told => [from, to],
}

const status = {
  value: ({ from = {}, to = {} }: Sides<Condition>) => String(to[newsOf(from, to)]),
  told({ from = {}, to = {} }: Sides<Condition>): Told {
    const news = newsOf(from, to)
    const states = { before: from.state ?? null, after: to.state ?? null }
    return [from[news], to[news], { ...(to.details && { details: to.details }), states }]
  },
}

/** What of a condition is shown: the state behind the code only when the code is the same. */
const newsOf = (from: Condition, to: Condition): 'state' | 'code' =>
  from.code === to.code ? 'state' : 'code'

const presence = ({ to }: Sides<unknown>): string => (to ? 'there' : 'gone')

const KINDS: { [Of in Change['of']]: Kind<Extract<Change, { of: Of }>> } = {
  'device.status': status,
  'device.firmware': plain,
  'device.config': { ...plain, told: ({ from, to }) => [JSON.parse(from), JSON.parse(to)] },
  'peer.status': {
    ...status,
    told(change) {
      const [before, after, more] = status.told(change)
      return [before, after, { peer: named(change.peer), ...more }]
    },
  },
  route: {
    event: ({ to }) => (to ? 'route.added' : 'route.removed'),
    value: presence,
    told: ({ from, to }) => [from && routeView(from), to && routeView(to)],
  },
  'route.name': { ...plain, event: () => 'route.renamed' },
  'route.definition': {
    event: () => 'route.changed',
    value({ to: { source, destinations } }) {
      const parts = [source, ...destinations].map(({ definition }) => definition)
      const traces = parts.map(({ trace, secrets }) => [trace, secrets])
      return JSON.stringify([...destinations.map(({ key }) => key), traces])
    },
    told: ({ from, to }) => [definitionView(from), definitionView(to)],
  },
  'route.state': {
    event: ({ to }) => (isRunning(to) ? 'route.started' : 'route.stopped'),
    value: ({ to }) => String(to.state),
    told: ({ from, to }) => [from.state, to.state],
  },
  'route.status': status,
  'source.status': status,
  destination: {
    event: ({ to }) => (to ? 'destination.added' : 'destination.removed'),
    value: presence,
    told: ({ from, to }) => [from && destinationView(from), to && destinationView(to)],
  },
  'destination.started': {
    ...plain,
    event: ({ to }) => (to ? 'destination.started' : 'destination.stopped'),
  },
  'destination.status': status,
}

const kindOf = ({ of }: Change): Kind<Change> => KINDS[of] as Kind<Change>

export const eventNameOf = (change: Change): EventName =>
  kindOf(change).event?.(change) ?? (change.of as EventName)

export const valueOf = (change: Change): string => kindOf(change).value(change)

export function eventOf(
  change: Change,
  at: number,
  { id, name }: DeviceState,
): Wordless<WatchEvent> {
  const [before = null, after = null, more] = kindOf(change).told(change)
  return {
    event: eventNameOf(change),
    at,
    device: { id, name },
    ...('route' in change && { route: named(change.route) }),
    ...('destination' in change && { destination: named(change.destination) }),
    ...more,
    before,
    after,
  }
}

/**
 * Returns the whole state, with only the wanted routes and, where given, their figures.
 * @param present whose figures these are: of an earlier state, its routes have those of now
 */
export function snapshotOf(
  state: DeviceState,
  at: number,
  wants: (route: Named) => boolean,
  figures?: Figures,
  present = state,
): Wordless<Snapshot> {
  const { id, name, condition, firmware, adapters, peers } = state
  const views: RouteView[] = []
  const figuresAt = figures && (state === present ? inPlace(figures) : byKeys(present, figures))
  eachRoute(state, (route, place) => {
    if (wants(route)) views.push(routeView(route, figuresAt?.(route, place)))
  })
  return {
    event: 'snapshot',
    at,
    device: { id, name, statusCode: condition.code, status: condition.state, firmware },
    adapters: JSON.parse(adapters) as NetworkAdapter[],
    peers: [...peers.values()].map((peer) => ({ ...named(peer), status: peer.condition.state })),
    routes: views,
  }
}

type FiguresAt = (route: RouteState, place: number) => RouteFigures | undefined

const inPlace =
  (figures: Figures): FiguresAt =>
  (route, place) =>
    routeFigures(route, place, figures)

/** For the routes of another state. */
function byKeys(present: DeviceState, figures: Figures): FiguresAt {
  const places = new Map<string, { route: RouteState; at: number }>()
  eachRoute(present, (route, at) => void places.set(route.id, { route, at }))
  return ({ id, destinations }) => {
    const found = places.get(id)
    if (!found) return undefined
    const { source, destinations: all } = routeFigures(found.route, found.at, figures)
    const keys = found.route.destinations.map(({ key }) => key)
    return { source, destinations: destinations.map(({ key }) => all[keys.indexOf(key)] ?? {}) }
  }
}

/** A route as events show it. */
export function routeView(
  { id, name, condition, source, destinations }: RouteState,
  figures?: RouteFigures,
): RouteView {
  const { code, state } = condition
  return {
    id,
    name,
    state,
    summaryStatusCode: code,
    source: {
      ...(source.id !== undefined && { id: source.id }),
      ...expanded(source.definition),
      state: source.condition.state,
      summaryStatusCode: source.condition.code,
      ...figures?.source,
    },
    destinations: destinations.map((destination, index) => {
      return { ...destinationView(destination), ...figures?.destinations[index] }
    }),
  }
}

function destinationView({ id, definition, started, condition }: DestinationState) {
  return {
    ...(id !== undefined && { id }),
    ...expanded(definition),
    started,
    state: condition.state,
    summaryStatusCode: condition.code,
  }
}

function definitionView({ source, destinations }: RouteState): object {
  return {
    source: expanded(source.definition),
    destinations: destinations.map(({ key, definition: of }) => {
      const definition = expanded(of)
      const name = String(definition.name)
      const isNamed = key === name || key.startsWith(`${name}#`)
      return isNamed ? definition : { id: key, ...definition }
    }),
  }
}

/** Why a gateway counts as unreachable, as events show it. */
export function reasonOf({ error }: Miss): NonNullable<WatchEvent['reason']> {
  const { code, message, cause } = error
  return { code, message, ...(cause.reason ? { detail: cause.reason } : undefined) }
}
