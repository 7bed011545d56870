import { named } from '../../model/ids'
import type { CallerBook, CallerRow, ExpectedCaller } from '../../model/callers'
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
    if (present.some(({ address, place }) => one.is(address, place))) return say('ok')
    if (!its.some(({ condition }) => isRunning(condition))) {
      return say(row.expected === 'always' ? 'away' : 'stopped')
    }
    return say(its.every((each) => callers.isKnown(each)) ? 'away' : 'unknown')
  })
}

export const NONE_AWAITED: readonly Awaited[] = []

function outputOf({ output }: CallerRow, route: RouteState | undefined): Named | undefined {
  const found = output ? route?.destinations.find((each) => isCalled(each, output)) : undefined
  return found && named(found)
}
