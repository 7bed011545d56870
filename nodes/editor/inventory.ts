// The names of an inventory, for whoever chooses one of its appliances.
import type { CheckedInventory, Connection, FleetList, FleetRow } from '../wire'
import { ask, RequestError } from './ask'
import { connectionOfNode, hasInventory } from './connection'
import { text, textsOf } from './text'
import { SIGN_OF_REACH, type Reach, type Sign, type State } from './states'

/** An appliance of an inventory; where nothing runs yet, only its name is known. */
export type ListedAppliance = Pick<FleetRow, 'name'> & Partial<FleetRow>

interface Listed extends Omit<FleetList, 'rows'> {
  rows: ListedAppliance[]
}

/** @throws RequestError */
export const checkInventory = (connection: Connection): Promise<CheckedInventory> =>
  ask('inventory', { connection })

/** How well an appliance of a list is known. */
export function reachOf({ owned, polled, health }: ListedAppliance): Reach {
  if (owned === false) return 'elsewhere'
  if (!health) return polled ? 'asking' : 'closed'
  const { known, failure, unreachable } = health
  if (unreachable) return 'unreachable'
  if (!known) return failure ? 'fault' : 'asking'
  if (known.isOld) return 'stale'
  return known.device?.sign === 'unknown' ? 'device' : 'reachable'
}

export function signOfListed(appliance: ListedAppliance): Sign {
  const reach = reachOf(appliance)
  const { known, failure } = appliance.health ?? {}
  if (reach !== 'reachable') return SIGN_OF_REACH[reach]
  return known?.worst?.sign ?? (failure ? 'warning' : (known?.device?.sign ?? 'ok'))
}

/** The same for a list of choices; nothing where nothing runs yet. */
export function applianceState(appliance: ListedAppliance): State | undefined {
  if (appliance.owned === undefined) return undefined
  const reach = reachOf(appliance)
  const device = appliance.health?.known?.device
  const isHeard = reach === 'reachable' || reach === 'device'
  const word = isHeard && device ? device.text : text(`condition.${reach}`)
  return { sign: signOfListed(appliance), word }
}

export interface InventoryLook {
  loading: boolean
  /** The answer to a search, and all rows of this inventory that were ever found. */
  found?: Listed & { search: string; seen: ReadonlyMap<string, ListedAppliance> }
  failure?: RequestError
}

/** True where all appliances are known whose names contain this. */
export const isCovered = ({ found }: InventoryLook, name: string): boolean =>
  found !== undefined &&
  found.rows.length >= found.found &&
  name.toLowerCase().includes(found.search.toLowerCase())

export type Inventory = ReturnType<typeof openInventory>

/** Rows of one request. */
const MOST = 100

/** What is typed within this time is one request. */
const TYPING_MS = 250

/** @param gatewayNow the config node whose inventory it is; undefined while none is chosen */
export function openInventory(gatewayNow: () => EditorNode | undefined) {
  const listeners: (() => void)[] = []
  let look: InventoryLook = { loading: false }
  let asked: string | undefined
  let wanted = ''
  let turn = 0
  let typing: number | undefined

  function show(next: InventoryLook): void {
    look = next
    for (const listener of listeners) listener()
  }

  async function read(search: string, again: boolean): Promise<void> {
    const gateway = gatewayNow()
    if (!hasInventory(gateway)) return
    const { id, changed, inventory, inventoryType } = gateway
    const key = JSON.stringify([id, changed, inventory, inventoryType])
    if (key === asked && !again && knows(look, search)) return
    const isSame = key === asked
    asked = key
    const mine = ++turn
    show({ loading: true, ...(isSame && look.found && { found: look.found }) })
    try {
      const listed = await list(gateway, search)
      const seen = new Map(isSame ? look.found?.seen : [])
      for (const row of listed.rows) seen.set(row.name, row)
      if (mine === turn) show({ loading: false, found: { ...listed, search, seen } })
    } catch (failure) {
      if (mine === turn) show({ loading: false, failure: failure as RequestError })
    }
    // Something else was typed meanwhile.
    if (mine === turn && wanted !== search) await read(wanted, false)
  }

  return {
    now: () => look,
    /** Requests the appliances that fit what is searched, where they are not known yet. */
    update({ again = false, search = '' } = {}): void {
      window.clearTimeout(typing)
      wanted = search
      if (search === '' || again) void read(search, again)
      else typing = window.setTimeout(() => void read(search, false), TYPING_MS)
    },
    onChange: (listener: () => void): void => void listeners.push(listener),
  }
}

/** True where another request would bring nothing new. */
const knows = (look: InventoryLook, search: string): boolean =>
  look.found ? look.found.search === search || isCovered(look, search) : look.loading

/** Of the running inventory, or of one that is only in the editor. */
async function list(gateway: EditorNode, search: string): Promise<Listed> {
  if (gateway.d) throw new RequestError(text('picker.disabled'))
  if (!gateway.changed) {
    try {
      const listed = await ask('appliances', {
        id: gateway.id,
        search,
        limit: MOST,
        language: textsOf('watch')('locale'),
      })
      if (!('notDeployed' in listed)) return listed
    } catch (error) {
      if (!(error instanceof RequestError) || !error.notDeployed) throw error
    }
  }
  const { appliances, names } = await checkInventory(await connectionOfNode(gateway))
  return { total: appliances, found: names.length, rows: names.map((name) => ({ name })) }
}
