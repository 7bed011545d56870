import type { Connection } from '../connection/connection'
import { protocolOf, toSent } from '../model/convert'
import { mayDiffer } from '../model/diff'
import { matcher } from '../model/ids'
import { membersIn, own } from '../model/json'
import { withoutEmptySecrets } from '../model/secrets'
import type { Destination, Route, Source } from '../model/types'
import { shows, unseenOf } from '../unseen'

/** What the next change builds on. While the route is being started or stopped its state is neither. */
export function withUnseen(gateway: Connection, deviceId: string, read: Route): Route {
  // What was sent from here keeps an empty secret: that removes the stored one.
  const route = withoutEmptySecrets(read)
  const changes = unseenOf(gateway, { deviceId, routeId: route.id })
  const update = changes.find(({ kind }) => kind === 'update')
  // One that shows although the route still says that something is under way is there already.
  const isThere = update !== undefined && !update.earlier && shows(update, route)
  const fields = isThere ? undefined : update?.fields
  const isChanging = changes.some(
    ({ kind, destinationId }) => (kind === 'start' || kind === 'stop') && !destinationId,
  )
  if (!fields && !isChanging) return route
  const state = isChanging ? undefined : route.state
  if (!fields) return { ...route, state }
  const now = toSent(route)
  // Without `before` nobody can tell apart what was sent to change it from what was sent to keep it.
  const { before, formers = [] } = update!
  const known = before ? [before, ...formers] : []
  const finds = known.map(({ destinations }) => matcher(destinations))
  const find = matcher(now.destinations)
  const kept = fields.destinations.flatMap((one) => {
    const former = known.map(({ destinations }, at) => destinations[finds[at]!(one)[0]!])
    const [index] = find(one)
    if (index !== undefined) return over('destination', now.destinations[index]!, one, former)
    const wasRemoved = before !== undefined && former.every((was) => was !== undefined)
    return wasRemoved ? [] : one
  })
  const ours = new Set([fields, ...known].flatMap(({ destinations }) => destinations.flatMap(find)))
  const added = now.destinations.filter((_, at) => before && !ours.has(at))
  const sources = known.map((one) => one.source)
  const source = over('source', now.source, fields.source, sources)
  const isRenamed = !before || known.some(({ name }) => name !== fields.name)
  const name = isRenamed ? fields.name : now.name
  return { ...route, name, state, source, destinations: [...kept, ...added] }
}

/**
 * What was sent counts where it changes something: the rest is as now, which may be from others.
 * The appliance keeps what an update leaves out, unless the protocol changes.
 */
function over<Part extends Source | Destination>(
  direction: 'source' | 'destination',
  now: Part,
  sent: Part,
  /** As it was before, and as earlier updates had sent it. */
  formers: readonly (Part | undefined)[],
): Part {
  const isChanged = (name: string): boolean =>
    formers.length === 0 || formers.some((was) => mayDiffer(sent[name], own(was, name), name))
  if (protocolOf(direction, now) !== protocolOf(direction, sent)) {
    return isChanged('protocol') ? sent : now
  }
  const changed = membersIn(sent).filter(([name]) => isChanged(name))
  return { ...now, ...Object.fromEntries(changed) }
}
