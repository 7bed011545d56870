import { named } from '../../model/ids'
import type { CallerBook, CallerRow, ExpectedCaller, Place } from '../../model/callers'
import type { Named } from '../../model/types'
import { isCalled, isRouteOf } from '../measuring/caller-book'
import type { Callers } from '../measuring/callers'
import { isRunning, type DeviceState, type RouteState } from '../state'
import type { Standing } from './incidents'

/** An expected caller, and how it is; with its route where that is one. */
export interface Awaited {
  readonly expected: ExpectedCaller
  readonly route?: Named
  readonly destination?: Named
  readonly standing: Standing | 'away'
}

/** Returns how each expected caller is, without what follows from the trouble of a route. */
export function awaitedIn(
  state: DeviceState,
  book: CallerBook | undefined,
  callers: Callers,
  wantsRoute: (route: Named) => boolean,
): readonly Awaited[] {
  const expected = book?.expected ?? []
  if (expected.length === 0) return NONE_AWAITED
  const routes = [...state.routes.values()].filter(wantsRoute)
  const present = callers.present()
  return expected.flatMap((one): Awaited[] => {
    const { row } = one
    const its = routes.filter((route) => isRouteOf(row, route))
    if (its.length === 0) return []
    const [route] = its.length === 1 ? its : []
    const say = (standing: Awaited['standing']): Awaited[] => [
      { expected: one, route, destination: outputOf(row, route), standing },
    ]
    const at = present.filter(({ address, place }) => one.is(address, place))
    if (at.length > 0) return say(at.some(({ place }) => isRead(callers, place)) ? 'ok' : 'unknown')
    if (!its.some(({ condition }) => isRunning(condition))) {
      return say(row.expected === 'always' ? 'away' : 'stopped')
    }
    const lists = its.map((each) => callers.listsOf(each, row.output))
    // Of a listener without a list nothing is known: only the others can show that nobody is there.
    const isCertain = !lists.includes('unread') && lists.includes('read')
    return say(isCertain ? 'away' : 'unknown')
  })
}

/** Whether the list in which a caller was found is that of the latest poll. */
export const isRead = (callers: Callers, { route, destination, source }: Place): boolean =>
  callers.listsOf(route, (destination ?? source)?.id ?? '') !== 'unread'

export const NONE_AWAITED: readonly Awaited[] = []

function outputOf({ output }: CallerRow, route: RouteState | undefined): Named | undefined {
  const found = output ? route?.destinations.find((each) => isCalled(each, output)) : undefined
  return found && named(found)
}
