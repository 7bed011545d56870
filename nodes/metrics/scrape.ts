import {
  METRICS_TYPE,
  renderMetrics,
  type Detail,
  type Picture,
  type PicturedFleet,
} from '../../client/internal'
import { shortened } from '../../client/model/shortened'
import { faultsFor, type Wanted } from '../runtime/appliances'
import type { Appliance, GatewayNode } from '../runtime/gateway-node'
import type { Followed } from './follow'

/** What is followed of one config node. */
export interface Group {
  readonly gateway: GatewayNode
  readonly wants: Wanted
  readonly appliances: ReadonlyMap<Appliance, Followed>
  end(): void
}

/** What a scrape is answered with. */
export interface Scraped {
  payload: string
  headers: Record<string, string>
  statusCode: number
}

/**
 * Writes what is known now of the gateways, or of those that the query of the request names. No
 * request is sent for it.
 */
export async function scrape(
  groups: readonly Group[],
  detail: Detail,
  req: unknown,
): Promise<Scraped> {
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

/** The names in `?gateway=`: none, one or several. */
function gatewaysIn(req: unknown): string[] {
  const { query } = (req ?? {}) as { query?: { gateway?: unknown } | null }
  return [query?.gateway]
    .flat()
    .filter((name): name is string => typeof name === 'string' && name !== '')
}

/** Of gateways with the same name, each gets its ID too: two samples must not have the same labels. */
function picturesOf(groups: readonly Group[]): Picture[] {
  const pictures = groups.flatMap(({ gateway, wants, appliances }) => [
    ...[...appliances.values()].map((one) => ({
      ...one.picture(),
      gateway: one.gateway.identity.name,
      id: gateway.id,
    })),
    ...faultyIn(gateway, wants).map((name) => ({ isUp: false, gateway: name, id: gateway.id })),
  ])
  const counts = countsOf(pictures.map(({ gateway }) => gateway))
  return pictures.map(({ id, ...picture }) =>
    counts.get(picture.gateway) === 1 ? picture : named(picture, `${picture.gateway} (${id})`),
  )
}

const named = (picture: Picture, gateway: string): Picture => Object.assign(picture, { gateway })

/**
 * The names of an inventory whose rows cannot be used, as far as no other row has them: like any
 * gateway that cannot be configured they are not up.
 */
function faultyIn({ fleet }: GatewayNode, wants: Wanted): string[] {
  if (!fleet) return []
  const names = new Set(faultsFor(fleet, wants)[1].map(({ cause }) => cause.appliance!))
  const known = names.size > 0 ? new Set(fleet.names()) : names
  return [...names].filter((name) => !known.has(name))
}

function fleetsOf(groups: readonly Group[]): PicturedFleet[] {
  const fleets = groups.flatMap(({ gateway: { id, identity, fleet } }) => {
    if (!fleet) return []
    const names = fleet.names()
    const owned = names.filter((name) => fleet.owns(name)).length
    const faults = fleet.faults().length
    return [{ id, inventory: identity.name, appliances: names.length, owned, faults }]
  })
  const counts = countsOf(fleets.map(({ inventory }) => inventory))
  return fleets.map(({ id, inventory, ...numbers }) => ({
    ...numbers,
    inventory: counts.get(inventory) === 1 ? inventory : `${inventory} (${id})`,
  }))
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
