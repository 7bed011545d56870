// The names of an inventory, for whoever chooses one of its appliances.
import type { FleetList, FleetRow } from '../wire'
import { ask, RequestError } from './ask'
import { connectionOfNode, hasInventory } from './connection'
import { createLook, type Look } from './look'
import { language, text } from './text'
import { reachOfAway, SIGN_OF_REACH, type Reach, type Sign, type State } from './states'

/** An appliance of an inventory; where nothing runs yet, only its name is known. */
export type ListedAppliance = Pick<FleetRow, 'name'> & Partial<FleetRow>

interface Listed extends Omit<FleetList, 'rows'> {
  rows: ListedAppliance[]
}

export function reachOf({ owned, health }: ListedAppliance): Reach {
  if (owned === false) return 'elsewhere'
  if (!health) return 'closed'
  const { known, failure, unreachable } = health
  if (unreachable) return reachOfAway(health)
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

/** The answer to a search, and all rows of this inventory that were ever found. */
interface Searched extends Listed {
  search: string
  seen: ReadonlyMap<string, ListedAppliance>
}

/** True where all appliances are known whose names contain this. */
export const isCovered = ({ found }: Look<Searched>, name: string): boolean =>
  found !== undefined &&
  found.rows.length >= found.found &&
  name.toLowerCase().includes(found.search.toLowerCase())

export type Inventory = ReturnType<typeof openInventory>

const MOST = 100

/** What is typed within this time is one request. */
const TYPING_MS = 250

/** @param gatewayNow the config node whose inventory it is; undefined while none is chosen */
export function openInventory(gatewayNow: () => EditorNode | undefined) {
  const look = createLook<Searched>()
  let asked: string | undefined
  let wanted = ''
  let typing: number | undefined

  async function read(search: string, again: boolean): Promise<void> {
    const gateway = gatewayNow()
    if (!hasInventory(gateway)) return
    const { id, changed, inventory, inventoryType } = gateway
    const key = JSON.stringify([id, changed, inventory, inventoryType])
    if (key === asked && !again && knows(look.now(), search)) return
    const known = key === asked ? look.now().found : undefined
    asked = key
    const isLatest = await look.read(known, async () => {
      const listed = await list(gateway, search)
      const seen = new Map(known?.seen)
      for (const row of listed.rows) seen.set(row.name, row)
      return { ...listed, search, seen }
    })
    // Something else was typed meanwhile.
    if (isLatest && wanted !== search) await read(wanted, false)
  }

  return {
    now: look.now,
    onChange: look.onChange,
    /** Requests the appliances that fit what is searched, where they are not known yet. */
    update({ again = false, search = '' } = {}): void {
      window.clearTimeout(typing)
      wanted = search
      if (search === '' || again) void read(search, again)
      else typing = window.setTimeout(() => void read(search, false), TYPING_MS)
    },
  }
}

/** True where another request would bring nothing new. */
const knows = (look: Look<Searched>, search: string): boolean =>
  look.found ? look.found.search === search || isCovered(look, search) : look.loading

/** Of the running inventory, or of one that is only in the editor. */
async function list(gateway: EditorNode, search: string): Promise<Listed> {
  if (gateway.d) throw new RequestError(text('picker.disabled'))
  if (!gateway.changed) {
    const body = { id: gateway.id, search, limit: MOST, language: language() }
    const listed = await ask('appliances', body)
    if (!('notDeployed' in listed)) return listed
  }
  const connection = await connectionOfNode(gateway)
  const { appliances, names } = await ask('inventory', { connection })
  return { total: appliances, found: names.length, rows: names.map((name) => ({ name })) }
}
