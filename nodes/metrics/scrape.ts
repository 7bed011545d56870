import { CONTENT_TYPE as METRICS_TYPE } from '../../client/metrics/format'
import {
  renderMetrics,
  type Detail,
  type Picture,
  type PicturedFleet,
} from '../../client/metrics/render'
import { isText } from '../../client/model/json'
import { shortened } from '../../client/model/legible'
import { faultsFor, type Wanted } from '../runtime/appliances'
import type { Appliance, GatewayNode } from '../runtime/gateway-node'
import { unreadable } from '../runtime/parameters'
import type { Followed } from './follow'

/** What is followed of one config node. */
export interface Group {
  readonly gateway: GatewayNode
  readonly wants: Wanted
  readonly appliances: ReadonlyMap<Appliance, Followed>
  end(): void
}

/** What is known now of all gateways, or of those that the query names. No request is sent for it. */
export async function scrape(
  groups: readonly Group[],
  detail: Detail,
  req: unknown,
): Promise<{ payload: string; headers: Record<string, string>; statusCode: number }> {
  const pictures = picturesOf(groups)
  const wanted = gatewaysIn(req)
  const unknown = wanted.find((name) => pictures.every(({ gateway }) => gateway !== name))
  if (unknown !== undefined) {
    return {
      payload: `There is no gateway "${shortened(unknown, 200)}". Use the name in the label "gateway" of the metrics.\n`,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      statusCode: 404,
    }
  }
  const chosen = pictures.filter(({ gateway }) => wanted.length === 0 || wanted.includes(gateway))
  return {
    payload: await renderMetrics(chosen, detail, wanted.length === 0 ? fleetsOf(groups) : []),
    headers: { 'content-type': METRICS_TYPE },
    statusCode: 200,
  }
}

/** The names in `?gateway=`: none, one or several. @throws GatewayError `INVALID_INPUT` */
function gatewaysIn(req: unknown): string[] {
  try {
    const { query } = (req ?? {}) as { query?: { gateway?: unknown } | null }
    return [query?.gateway].flat().filter(isText)
  } catch {
    throw unreadable('msg.req.query.gateway')
  }
}

/** Two samples must not have the same labels, and the series of a gateway go on when another comes. */
function picturesOf(groups: readonly Group[]): Picture[] {
  const nameOf = distinct()
  return groups.flatMap(({ gateway, wants, appliances }) => [
    ...[...appliances.values()].map((one) =>
      Object.assign(one.picture(), { gateway: nameOf(one.gateway.identity.name, gateway.id) }),
    ),
    ...faultyIn(gateway, wants).map((name) => ({
      isUp: false,
      gateway: nameOf(name, gateway.id),
    })),
  ])
}

/** Of things with the same name, the first one has it; the others get their ID too. */
function distinct(): (name: string, id: string) => string {
  const taken = new Set<string>()
  return (name, id) => {
    const free = taken.has(name) ? `${name} (${id})` : name
    taken.add(free)
    return free
  }
}

/** Rows that cannot be used, as far as no other row has their names: these gateways are not up. */
function faultyIn({ fleet }: GatewayNode, wants: Wanted): string[] {
  const names = new Set(faultsFor(fleet, wants)[1].flatMap(({ cause }) => cause.appliance ?? []))
  const known = names.size > 0 ? new Set(fleet.names()) : names
  return [...names].filter((name) => !known.has(name))
}

function fleetsOf(groups: readonly Group[]): PicturedFleet[] {
  const nameOf = distinct()
  return groups.flatMap(({ gateway: { id, identity, fleet } }) => {
    if (!fleet.hasNames) return []
    const names = fleet.names()
    const owned = names.filter((name) => fleet.owns(name)).length
    const faults = fleet.faults().length
    const { isMember } = fleet
    const inventory = nameOf(identity.name, id)
    return [{ inventory, isMember, appliances: names.length, owned, faults }]
  })
}
