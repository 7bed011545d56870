// What a failover of this Node-RED owns of a route: plans leave it as it is, files have main's.
import type { Connection } from '../connection/connection'
import { ownerOf, type Owner } from '../memory'
import { protocolOf, toSent } from '../model/convert'
import { cannotBeCompared, changesFor, type Difference } from '../model/diff'
import { isSameId } from '../model/ids'
import { isObject, isText, membersIn, own, type JsonObject } from '../model/json'
import { shown } from '../model/legible'
import { anyMembersOf, membersOf } from '../model/members'
import { HIDDEN, isMasked, isSecret } from '../model/secrets'
import type { Route, RoutePatch, Source } from '../model/types'
import { planMerge } from './merge'

/** What a plan leaves as it is, because a failover owns it. */
export interface Left {
  /** In the route, as in a difference. */
  path: string
  /** `backup`: on main it is as wanted. `failover`: only a change of the failover brings it there. */
  reason: 'backup' | 'failover'
  /** One sentence without secrets. */
  text: string
}

/** The route as it is with main in use: for files, and to see whether anything else has changed. */
export function onMain(gateway: Connection, deviceId: string, route: Route): Route {
  // A list from elsewhere may have anything in it.
  const owner = isText(route.id) ? ownerOf(gateway, { deviceId, routeId: route.id }) : undefined
  return owner ? asOnMain(owner, route) : route
}

function asOnMain({ isTwo, mainId, inUse, members, main }: Owner, route: Route): Route {
  if (isTwo) {
    if (inUse !== 'backup') return route
    return { ...route, state: isSameId(route.id, mainId) ? 'running' : 'idle' }
  }
  if (!isObject(route.source) || !Array.isArray(route.destinations)) return route
  const options = { validate: false, pathsAreWhole: true }
  const { source } = planMerge({ source: main }, route, options).fields
  const known = membersOf('source', source.protocol)
  // A merge leaves out what the gateway masks.
  const masked = membersIn(route.source).filter(
    ([name, value]) => isSecret(name) && isMasked(value) && known.has(name),
  )
  // Which secret it is does not matter here: no file has one, and no switch is a change of the route.
  const secrets = members.filter(
    (name) => isSecret(name) && known.has(name) && !Object.hasOwn(main, name),
  )
  const hidden = Object.fromEntries(secrets.map((name) => [name, HIDDEN]))
  return { ...route, source: { ...Object.fromEntries(masked), ...source, ...hidden } }
}

/** Takes from a patch what a failover owns of the source, and says where that differs from the route. */
export function withoutOwned<Patch extends RoutePatch>(
  patch: Patch,
  route: Route,
  /** For comparison, with the secrets that reads leave out. */
  told: Route,
  owner: Owner,
): { patch: Patch; left: Left[] } {
  const wanted = own(patch, 'source')
  if (owner.isTwo || !isObject(wanted)) return { patch, left: [] }
  const now = ownedDifferences(wanted, told, owner)
  const home = ownedDifferences(wanted, asOnMain(owner, told), owner)
  const paths = new Set([...now.keys(), ...home.keys()])
  const left = [...paths].map((path): Left => {
    const clash = home.get(path)
    const stays = now.get(path) ?? { from: clash!.to }
    const isBackup = !clash && owner.inUse === 'backup'
    const why = clash
      ? `the failover has ${shown(clash.from)} for main, not ${shown(clash.to)}; change it there`
      : whyLeft(isBackup)
    const text = `${path} stays ${shown(stays.from)}: ${why}`
    return { path, reason: isBackup ? 'backup' : 'failover', text }
  })
  return { patch: { ...patch, source: restOf(wanted, route, owner) }, left }
}

/** What a plan would do to the state of one of two routes. */
export function leftState({ mainId, inUse }: Owner, { id, state }: Route, isStart: boolean): Left {
  const isBackup = inUse === 'backup' && isStart === isSameId(id, mainId)
  const text = `state stays ${shown(state)}: ${whyLeft(isBackup)}`
  return { path: 'state', reason: isBackup ? 'backup' : 'failover', text }
}

const whyLeft = (isBackup: boolean): string =>
  isBackup ? 'on backup by failover' : 'left to the failover'

/** Why a plan does not delete a route. */
export const whyKept = ({ name }: Route): string =>
  `a failover protects ${JSON.stringify(name)}; end the failover before the route is deleted`

/** Where the wanted source differs in what the failover owns, by path. */
function ownedDifferences(
  wanted: JsonObject,
  route: Route,
  { members }: Owner,
): Map<string, Difference> {
  const { fields } = planMerge({ source: wanted }, route, { validate: false })
  const owned = changesFor(fields, toSent(route)).filter((one) => {
    const [part, name] = one.path.split(/[.[]/)
    return part === 'source' && members.includes(name!) && !cannotBeCompared(one)
  })
  return new Map(owned.map((one) => [one.path, one]))
}

/** What is left of a wanted source, and fits the protocol that the failover has chosen. */
function restOf(wanted: JsonObject, { source }: Route, { members }: Owner): Source {
  const isChosen = members.includes('protocol')
  const protocol = isChosen ? source.protocol : protocolOf('source', { ...source, ...wanted })
  const known = membersOf('source', protocol)
  const rest = membersIn(wanted).filter(([name]) => {
    const isForeign = isChosen && !known.has(name) && ANY.has(name)
    return !isForeign && !members.includes(known.get(name)?.sentAs ?? name)
  })
  return Object.fromEntries(rest) as Source
}

const ANY = anyMembersOf('source')
