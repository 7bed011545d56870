// The inventory of a form, and the appliances of one that runs, as the editor shows them.
import type { Node, NodeAPI } from 'node-red'
import { GatewayError } from '../../../client/errors'
import { factCounts } from '../../../client/model/failover-view'
import { languageOf, type Language } from '../../../client/model/watch'
import { readInTime, inventoryIn, inventorySource, type Inventory } from '../inventory'
import { hostIn, type ConnectionForm } from '../options'
import { runningGateways, type Fleet, type ListedAppliance } from '../../runtime/gateway-node'
import type { CheckedInventory, Failure, Received } from '../../wire'
import type { FleetList, FleetQuestion, FleetRow } from '../../wire'
import { failureOf } from './failure'
import { healthOf } from './health'

/** In one answer about an inventory: the forms show no more of them. */
const MOST = 200

/** In one list of the appliances that run: the sidebar shows no more of them. */
const MOST_LISTED = 2000

export const checkedInventory = (
  names: readonly string[],
  faults: readonly GatewayError[],
  ignored: readonly string[] = [],
): CheckedInventory => ({
  appliances: names.length,
  names: names.slice(0, MOST),
  faults: shownFaults(faults),
  ...(ignored.length > 0 && { ignored: [...ignored] }),
})

export const shownFaults = (faults: readonly GatewayError[]): Failure[] =>
  faults.slice(0, MOST).map((fault) => failureOf(fault, ''))

/** With the variables and the context of its node or, where it is not deployed, of Node-RED. */
export async function readFormInventory(RED: NodeAPI, form: ConnectionForm): Promise<Inventory> {
  const node = (form.id && RED.nodes.getNode(form.id)) || anyNode(RED)
  const source = inventorySource(RED, node as Node, form)
  const value = source.value ? source.value() : (await readInTime(source.look!()))?.value
  return inventoryIn(value, RED, node as Node, form)
}

/** The global context is the same for all nodes. */
const anyNode = (RED: NodeAPI): Node | undefined => globalNode(RED) ?? runningGateways(RED)[0]

/** The node that has the variables of the editor which count everywhere; none where there are no such. */
export function globalNode(RED: NodeAPI): Node | undefined {
  let found: Node | undefined
  RED.nodes.eachNode(({ id, type }) => {
    if (type === 'global-config') found = RED.nodes.getNode(id) ?? undefined
  })
  return found
}

/** Lists appliances: those in trouble first, and then by name. Opens nothing and polls nothing. */
export function listAppliances(
  fleet: Fleet,
  { search, trouble, limit, language }: Received<FleetQuestion>,
): FleetList {
  const all = fleet.list()
  const wanted = typeof search === 'string' ? search.trim().toLowerCase() : ''
  const fits = ({ name, address }: ListedAppliance): boolean =>
    `${name}\n${withoutUser(address)}`.toLowerCase().includes(wanted)
  const found = all
    .filter(fits)
    .map((listed) => rowOf(listed, languageOf(language)))
    .map((row) => ({ row, rank: rankOf(row) }))
    .filter(({ rank }) => trouble !== true || rank < FINE)
  found.sort((one, other) => one.rank - other.rank || ORDER.compare(one.row.name, other.row.name))
  const wantedRows = Number.isInteger(limit) && Number(limit) >= 0 ? Number(limit) : 50
  return {
    total: all.length,
    found: found.length,
    rows: found.slice(0, Math.min(wantedRows, MOST_LISTED)).map(({ row }) => row),
    ...(fleet.failure && { error: failureOf(fleet.failure, '') }),
  }
}

/** As people count: 2 before 10. */
const ORDER = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

function rowOf(listed: ListedAppliance, language: Language): FleetRow {
  const { name, address, isOwned, connection, failovers } = listed
  const host = hostIn(address)
  const health = isOwned && connection ? healthOf(connection, { host, language }) : undefined
  const statuses = [...(failovers ?? [])].flatMap(({ status }) => status ?? [])
  return {
    name,
    address: withoutUser(address),
    owned: isOwned,
    ...(health && { health }),
    ...(failovers && failovers.size > 0 && { failovers: factCounts(statuses) }),
  }
}

const FINE = 6

/** The worst first. */
function rankOf({ health, failovers = {} }: FleetRow): number {
  const { known, failure, unreachable } = health ?? {}
  if (failovers.unprotected) return 0
  if (unreachable || known?.device?.sign === 'unknown') return 1
  if (failure || known?.isOld) return 2
  if (known?.worst?.sign === 'critical') return 3
  const { unknown, alone, onBackup, foreign } = failovers
  if (unknown || alone || onBackup || foreign) return 4
  return known?.worst || known?.device ? 5 : FINE
}

/** An address with a user and a password is refused, but may be in the flow all the same. */
export const withoutUser = (address: string): string =>
  address.replace(/^([^/?#]*\/\/)?[^/?#]*@/, '$1')
