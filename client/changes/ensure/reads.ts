import { incompleteList, isIncomplete, isMoving } from '../../api/routes'
import { say, words } from '../../errors'
import type { Connection } from '../../connection/connection'
import { isPending, wholeRoute } from '../../model/route-state'
import { RouteIndex } from '../../model/route-index'
import type { Route, RouteList } from '../../model/types'
import { askItself, judgeMissing } from '../../watch/life/missing-routes'
import type { RouteAddress, Unseen } from '../../memory'
import { isNameUnseen, overdueOf, unseenCreates, unseenOf } from '../../unseen'
import { decidesOn } from '../merge'
import { presentList } from '../shared-list'
import { isInProgress, pollUntil, readStableRoute } from '../unconfirmed'
import type { Operation } from '../../connection/operation'
import type { Goal, Site } from './plan'
import { findEach } from './renames'
import { awaitChange, type Expectation } from '../wait'

/** Where a row of `ensure` reads what is present before it changes anything. */
export interface Present {
  /**
   * Once no change of the wanted one is in progress and, where it is missing, no create.
   * @throws GatewayError `NOT_CONFIRMED` when the changes in progress do not end
   */
  routes(goal: Goal): Promise<RouteIndex>
  /** Once no earlier update of it is in progress. @throws GatewayError `NOT_FOUND`, `NOT_CONFIRMED` */
  route(address: RouteAddress, goal: Goal): Promise<Route>
}

export const ownReads = (site: Site, operation: Operation): Present => ({
  routes: (goal) => settledList(site, [goal], goal.options.waitTimeout, operation),
  route: (address, goal) => stable(site, address, goal, operation),
})

/**
 * Each row gets the next list that is requested from now on, which all of them share.
 * @param timeout milliseconds for what is in progress to end
 */
export function sharedReads(site: Site, timeout: number, operation: Operation): Present {
  const { gateway, deviceId } = site
  const instead = words('An earlier change is still in progress.')
  /** Waits for the first list that says something. A judgement that throws ends the wait. */
  const fromList = <T>(
    judgeList: (list: RouteList, routes: RouteIndex) => Promise<T | undefined>,
  ): Promise<T> => {
    const judge: Expectation<T>['judge'] = async (routes, _, list) => {
      const seen = await judgeList(list!, routes)
      return seen === undefined ? { instead } : { seen }
    }
    const awaited = { deviceId, needsList: true, unsent: true, timeout, judge }
    return awaitChange(gateway, awaited, operation)
  }

  return {
    routes: (goal) => fromList(settledJudge(site, [goal], operation)),
    async route(address, goal) {
      const listed = await fromList<Route | null>((_, routes) => {
        const route = routes.byId(address.routeId)
        const isSettled = route && isToBeFound(gateway, address, route)
        return Promise.resolve(isSettled ? wholeRoute(route) : null)
      })
      // One that is missing or changing is read by itself.
      return listed ?? stable(site, address, goal, operation)
    },
  }
}

/** True for a route of which nothing that was sent is missing. */
const isToBeFound = (gateway: Connection, address: RouteAddress, route: Route): boolean =>
  !isInProgress(gateway, address, route, true) && overdueOf(gateway, address, route).length === 0

function stable(
  { gateway }: Site,
  address: RouteAddress,
  { wanted, options }: Goal,
  operation: Operation,
): Promise<Route> {
  const { id, name, renamedFrom, source, destinations } = wanted
  const onlyState = !source && !destinations && !renamedFrom && !(id && name)
  const decidesAll = options.exact === true || options.state === 'absent' || onlyState
  const decides = decidesAll ? () => true : decidesOn(wanted, 'merge')
  return readStableRoute(gateway, address, operation, { ofState: true, decides })
}

/** Evidence against absence, strongest first. */
const DOUBTS = ['there', 'no answer', 'unclear'] as const

/**
 * All routes, once no change of a wanted one is in progress and, where one is missing, no create.
 * @param timeout milliseconds for what is in progress to end
 * @throws GatewayError `NOT_CONFIRMED` when the changes in progress do not end
 */
export async function settledList(
  site: Site,
  goals: readonly Goal[],
  timeout: number,
  operation: Operation,
): Promise<RouteIndex> {
  const { gateway, deviceId } = site
  const judge = settledJudge(site, goals, operation)
  const read = async (): Promise<RouteIndex | undefined> => {
    const list = await presentList(gateway, deviceId, operation)
    return judge(list, new RouteIndex(list.data))
  }
  return pollUntil(gateway, read, timeout, operation)
}

const UNCERTAIN = [say('uncertainAnyRoute'), say('unchanged')]

/** Returns the routes of a list that is settled as far as these rows go; undefined otherwise. */
function settledJudge(
  { gateway, deviceId }: Site,
  goals: readonly Goal[],
  operation: Operation,
): (list: RouteList, routes: RouteIndex) => Promise<RouteIndex | undefined> {
  let missingSince: number | undefined
  // Without an ID, a route cannot be read by itself.
  const areGone = async (found: Array<Route | undefined>): Promise<boolean> => {
    const ids = goals.flatMap(({ wanted: { id }, options: { state } }, index) =>
      found[index] || !id || state !== 'absent' ? [] : [id],
    )
    const answers = await Promise.all(
      ids.map((routeId) => askItself(gateway, { deviceId, routeId }, operation)),
    )
    const itself = DOUBTS.find((answer) => answers.includes(answer)) ?? 'missing'
    const verdict = judgeMissing({ isUnlisted: true, itself }, missingSince, gateway.clock.now())
    missingSince = verdict === 'gone' ? missingSince : verdict
    return verdict === 'gone'
  }
  /** It is not certain yet which route is meant, or whether it is there. */
  const isChanging = ({ wanted: { id, name } }: Goal, route: Route | undefined): boolean => {
    if (!route) return name !== undefined && isNameUnseen(gateway, deviceId, name)
    const isRenamed = ({ fields }: Unseen): boolean => !id && fields?.name !== (name ?? route.name)
    return (
      isPending(route) ||
      unseenOf(gateway, { deviceId, routeId: route.id }).some(
        (one) => one.kind === 'delete' || (one.kind === 'update' && isRenamed(one)),
      )
    )
  }
  return async (list, routes) => {
    // Without a name it can neither be found in another way nor created.
    const isLost = goals.some(({ wanted: { id, name } }) => !name && !routes.byId(id))
    if (isLost && isMoving(list)) return undefined
    if (isLost && isIncomplete(list)) throw incompleteList(list, ...UNCERTAIN)
    const { found } = findEach(goals, routes)
    const strangers = Number(list.pendingRouteCreates) - unseenCreates(gateway, deviceId)
    const missing = found.some((route) => route === undefined)
    if (missing && isMoving(list)) return undefined
    if (missing && isIncomplete(list)) throw incompleteList(list, ...UNCERTAIN)
    const changing = goals.some((goal, index) => isChanging(goal, found[index]))
    const isToBeGone = goals.some(
      ({ options: { state } }, index) => !found[index] && state === 'absent',
    )
    if (isToBeGone && !(await areGone(found))) return undefined
    return changing || (missing && strangers > 0) ? undefined : routes
  }
}
