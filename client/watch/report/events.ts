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

export function eventNameOf(change: Change): EventName {
  switch (change.of) {
    case 'route':
      return change.to ? 'route.added' : 'route.removed'
    case 'route.name':
      return 'route.renamed'
    case 'route.definition':
      return 'route.changed'
    case 'route.state':
      return isRunning(change.to) ? 'route.started' : 'route.stopped'
    case 'destination':
      return change.to ? 'destination.added' : 'destination.removed'
    case 'destination.started':
      return change.to ? 'destination.started' : 'destination.stopped'
    default:
      return change.of
  }
}

/** Returns the same text for changes to the same value, which is what `after` shows of it. */
export function valueOf(change: Change): string {
  switch (change.of) {
    case 'route':
    case 'destination':
      return change.to ? 'there' : 'gone'
    case 'route.definition': {
      const { source, destinations } = change.to
      const traces = [source, ...destinations].map(({ definition: { trace, secrets } }) => [
        trace,
        secrets,
      ])
      return JSON.stringify([...destinations.map(({ key }) => key), traces])
    }
    case 'route.state':
      return String(change.to.state)
    case 'device.status':
    case 'peer.status':
    case 'route.status':
    case 'source.status':
    case 'destination.status': {
      const { from = {}, to = {} } = change
      return String(to[newsOf(from, to)])
    }
    default:
      return String(change.to)
  }
}

/** What of a condition is shown: the state behind the code only when the code is the same. */
const newsOf = (from: Condition, to: Condition): 'state' | 'code' =>
  from.code === to.code ? 'state' : 'code'

export function eventOf(
  change: Change,
  at: number,
  { id, name }: DeviceState,
): Wordless<WatchEvent> {
  const common = { at, device: { id, name } }
  const route = 'route' in change ? { route: named(change.route) } : {}
  const destination =
    'destination' in change
      ? { destination: { id: change.destination.id ?? '', name: change.destination.name } }
      : {}
  const event = eventNameOf(change)
  const make = (before: unknown, after: unknown, more: object = {}): Wordless<WatchEvent> => ({
    event,
    ...common,
    ...route,
    ...destination,
    ...more,
    before: before ?? null,
    after: after ?? null,
  })
  const status = (
    from: Condition = {},
    to: Condition = {},
    more: object = {},
  ): Wordless<WatchEvent> => {
    const told = newsOf(from, to)
    const states = { before: from.state ?? null, after: to.state ?? null }
    const details = to.details && { details: to.details }
    return make(from[told], to[told], { ...more, ...details, states })
  }

  switch (change.of) {
    case 'device.firmware':
    case 'route.name':
    case 'destination.started':
      return make(change.from, change.to)
    case 'device.status':
    case 'route.status':
    case 'source.status':
    case 'destination.status':
      return status(change.from, change.to)
    case 'peer.status':
      return status(change.from, change.to, { peer: named(change.peer) })
    case 'device.config':
      return make(JSON.parse(change.from), JSON.parse(change.to))
    case 'route':
      return make(change.from && routeView(change.from), change.to && routeView(change.to))
    case 'route.definition':
      return make(definitionView(change.from), definitionView(change.to))
    case 'route.state':
      return make(change.from.state, change.to.state)
    default:
      return make(
        change.from && destinationView(change.from),
        change.to && destinationView(change.to),
      )
  }
}

/** Returns the whole state, with only the wanted routes and, where given, their figures. */
export function snapshotOf(
  { id, name, condition, firmware, adapters, peers, routes }: DeviceState,
  at: number,
  wants: (route: Named) => boolean,
  figures?: Figures,
): Wordless<Snapshot> {
  const views: RouteView[] = []
  eachRoute({ routes }, (route, place) => {
    if (!wants(route)) return
    views.push(routeView(route, figures && routeFigures(route, place, figures)))
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

function routeView(
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
