import type { Problem } from '../../errors'
import { toSent } from '../../model/convert'
import { isSrtListener } from '../../model/members'
import type { Destination, Route, RouteFields, Source } from '../../model/types'

/** One place where a route listens: two on the same adapter and port cannot both work. */
interface Listener {
  /** JSON path of the port within the route. */
  path: string
  adapter: string
  /** Empty for every address of the adapter. */
  address: string
  port: number
}

interface Planned {
  before: Route | null
  fields?: RouteFields
  steps: string[]
}

/**
 * Finds planned routes that would newly listen on an adapter and port on which another planned or
 * present route already listens. Existing clashes are left alone.
 */
export function findPortConflicts(
  plans: Planned[],
  present: readonly Route[],
  pathOf: (index: number) => string,
): Problem[] {
  const planned = new Map(plans.map((plan) => [plan.before?.id ?? plan, plan]))
  const taken = new Map<string, Array<{ owner: unknown; where: string; address: string }>>()
  const take = (owner: unknown, where: string, listeners: Listener[]): void => {
    for (const listener of listeners) {
      const key = keyOf(listener)
      const others = taken.get(key)
      const one = { owner, where, address: listener.address }
      if (others) others.push(one)
      else taken.set(key, [one])
    }
  }
  for (const route of present) {
    if (!planned.has(route.id)) take(route, `route "${route.name}"`, listenersOf(toSent(route)))
  }
  plans.forEach((plan, index) => {
    if (plan.steps.includes('delete')) return
    const fields = plan.fields ?? (plan.before ? toSent(plan.before) : undefined)
    const name = fields?.name ?? ''
    if (fields) take(plan, pathOf(index) || `route "${name}"`, listenersOf(fields))
  })

  return plans.flatMap(({ steps, fields, before }, index) => {
    if (!fields || !(steps.includes('create') || steps.includes('update'))) return []
    const listened = new Set(before ? listenersOf(toSent(before)).map(keyOf) : [])
    return listenersOf(fields).flatMap((listener) => {
      const key = keyOf(listener)
      if (listened.has(key)) return []
      const all = (taken.get(key) ?? []).filter(
        ({ address }) => !address || !listener.address || address === listener.address,
      )
      const others = all.filter(({ owner }) => owner !== plans[index])
      const twice = all.length - others.length > 1
      if (others.length === 0 && !twice) return []
      const who = others[0]?.where ?? 'the same route'
      const on = listener.adapter
        ? `network interface ${listener.adapter}`
        : 'the automatic network interface'
      const path = [pathOf(index), listener.path].filter(Boolean).join('.')
      return [{ path, problem: `is ${listener.port} on ${on}, where ${who} already listens` }]
    })
  })
}

const keyOf = ({ adapter, port }: Listener): string => `${adapter} ${port}`

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
      adapter: place.networkInterface ?? '',
      address: String(place.address ?? '').replace(/^(0\.0\.0\.0|::)$/, ''),
      port: Number(place.port),
    }))
    .filter(({ port }) => port > 0)
}
