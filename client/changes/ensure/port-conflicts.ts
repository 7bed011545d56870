import type { Problem } from '../../errors'
import { toSent } from '../../model/convert'
import { grouped, normalizeId } from '../../model/ids'
import { isText, pathUnder } from '../../model/json'
import { isSrtListener } from '../../model/members'
import type { Destination, Route, RouteFields, Source } from '../../model/types'
import type { Planned } from '../shared'

/** One place where a route listens: two that overlap cannot both work. */
interface Listener {
  /** JSON path of the port within the route. */
  path: string
  /** Empty for every adapter. */
  adapter: string
  /** Empty for every address of the adapter. */
  address: string
  port: number
  /** Of the destination: one that belongs to several routes listens once. */
  output?: string
}

export const mayOpenPorts = ({ steps }: Planned): boolean =>
  steps.includes('create') || steps.includes('update')

/** Where a present route listens. */
export const listeningOf = (route: Route) => ({ route, listeners: listenersOf(toSent(route)) })

/** Ports on which planned routes would newly listen beside others. Existing clashes are left alone. */
export function findPortConflicts(
  plans: readonly Planned[],
  present: ReadonlyArray<ReturnType<typeof listeningOf>>,
  pathOf: (index: number) => string,
): Problem[] {
  const planned = new Set(plans.map(({ before }) => before?.id))
  const formerOf = new Map(present.map(({ route, listeners }) => [route.id, listeners]))
  const takenBy = (owner: unknown, where: string, listeners: Listener[]) =>
    listeners.map((listener) => ({ owner, where, listener }))
  const all = [
    ...present
      .filter(({ route }) => !planned.has(route.id))
      .flatMap(({ route, listeners }) => takenBy(route, `route "${route.name}"`, listeners)),
    ...plans.flatMap((plan, index) => {
      const { steps, fields, before } = plan
      if (steps.includes('delete')) return []
      const listeners = fields ? listenersOf(fields) : formerOf.get(before?.id ?? '')
      const name = fields?.name ?? before?.name
      return takenBy(plan, pathOf(index) || `route "${name}"`, listeners ?? [])
    }),
  ]
  const taken = grouped(all, ({ listener }) => listener.port)

  return plans.flatMap((plan, index) => {
    const { fields, before } = plan
    if (!fields || !mayOpenPorts(plan)) return []
    const former = (before && formerOf.get(before.id)) ?? []
    return listenersOf(fields).flatMap((listener) => {
      if (former.some((one) => includes(one, listener))) return []
      const { port, adapter, path: place } = listener
      const here = taken.get(port)!.filter((one) => overlap(one.listener, listener))
      const others = here.filter(({ owner }) => owner !== plan)
      const twice = here.length - others.length > 1
      if (others.length === 0 && !twice) return []
      const who = others[0]?.where ?? 'the same route'
      const on = adapter ? `network interface ${adapter}` : 'all network interfaces'
      const path = pathUnder(pathOf(index), place)
      return [{ path, problem: `is ${port} on ${on}, where ${who} already listens` }]
    })
  })
}

const covers = (one: string, other: string): boolean => one === '' || one === other
const meets = (one: string, other: string): boolean => covers(one, other) || other === ''

/** True when the first listens wherever the other one does. */
const includes = (one: Listener, other: Listener): boolean =>
  one.port === other.port &&
  covers(one.adapter, other.adapter) &&
  covers(one.address, other.address)

const overlap = (one: Listener, other: Listener): boolean =>
  meets(one.adapter, other.adapter) &&
  meets(one.address, other.address) &&
  (one.output === undefined || one === other || one.output !== other.output)

function listenersOf({ source, destinations }: RouteFields): Listener[] {
  return [
    ...listenersOfPart(source, 'source', receives(source)),
    ...destinations.flatMap((destination, index) =>
      listenersOfPart(destination, `destinations[${index}]`, isSrtListener(destination)),
    ),
  ]
}

/** True for a source that waits for unicast packets or callers. Many may receive one multicast. */
function receives(source: Source): boolean {
  if (source.protocol === 'srt') return isSrtListener(source)
  const isPacket = source.protocol === 'udp' || source.protocol === 'rtp'
  return isPacket && !/^(22[4-9]|23\d)\.|^ff/i.test(String(source.address ?? ''))
}

function listenersOfPart(part: Source | Destination, path: string, listens: boolean): Listener[] {
  if (!listens) return []
  const paths = part.srtNetworkBondingParams
  const places =
    Array.isArray(paths) && part.port === undefined
      ? paths.map((place, index) => ({ place, at: `${path}.srtNetworkBondingParams[${index}]` }))
      : [{ place: part, at: path }]
  return places
    .map(({ place, at }) => ({
      path: `${at}.port`,
      output: path !== 'source' && isText(part.id) ? normalizeId(part.id) : undefined,
      adapter: place.networkInterface ?? '',
      address: String(place.address ?? '').replace(/^(0\.0\.0\.0|::)$/, ''),
      port: Number(place.port),
    }))
    .filter(({ port }) => port > 0)
}
