import {
  partsHealth,
  routeHealth,
  type Health,
  type OutputSigns,
  type RouteHealth,
  type RouteSigns,
} from '../model/health'
import { isObject, objectsIn, own, textIn } from '../model/json'
import { booleanFrom } from '../model/convert'
import type { Route } from '../model/types'
import { numberIn, placeOf, type Figures } from './measuring/figures'
import { UNTOLD, type RouteState } from './state'

/** A route and all of its outputs. */
export interface WholeSigns extends RouteSigns {
  readonly outputs: readonly OutputSigns[]
}

/** By the latest poll, on a device that is well. @param at where its figures begin */
export const partsOfState = (route: RouteState, at: number, figures?: Figures): RouteHealth =>
  partsHealth(signsOfState(route, at, figures))

export function signsOfState(route: RouteState, at: number, figures?: Figures): WholeSigns {
  const { condition, source, destinations } = route
  const { state, code } = source.condition
  return {
    state: condition.state,
    code: condition.code,
    source: source === UNTOLD.source ? undefined : { state, code, bitrate: figures?.[at] },
    outputs: destinations.map(({ name, condition: shown, definition, started }, index) => {
      const { isListener } = definition.kind
      const clients = figures?.[placeOf(at, index) + 1]
      return { name, state: shown.state, code: shown.code, started, isListener, clients }
    }),
  }
}

/** How a route is as the gateway has just returned it, on a device that is well. */
export const healthOfRoute = (route: Route): Health => routeHealth(signsOfRoute(route))

export function signsOfRoute(route: Route): WholeSigns {
  const { state, summaryStatusCode: code, source, destinations } = route
  return {
    state: textIn(state),
    code: textIn(code),
    source: isObject(source) ? partSigns(source) : undefined,
    outputs: objectsIn(destinations).map((each) => ({
      ...partSigns(each),
      name: textIn(own(each, 'name')) ?? '',
      started: booleanFrom(own(each, 'started')),
      isListener: textIn(own(each, 'mode') ?? own(each, 'srtMode'))?.toLowerCase() === 'listener',
      clients: numberIn(own(each, 'clientConnections')),
    })),
  }
}

function partSigns(part: object): { state?: string; code?: string; bitrate: number } {
  return {
    state: textIn(own(part, 'state')),
    code: textIn(own(part, 'summaryStatusCode')),
    bitrate: numberIn(own(part, 'usedBandwidth')),
  }
}
