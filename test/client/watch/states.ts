// Any states of a device.
import * as fc from 'fast-check'
import type { JsonObject } from '../../../client/model/json'
import type { DeviceConfiguration, Route } from '../../../client/model/types'
import {
  deviceState,
  routeState,
  type DeviceState,
  type UnconfirmedEmpty,
} from '../../../client/watch/state'
import { arbitraryRoute } from '../../support/arbitraries'

const IDS = ['route 1', 'route 2', 'route 3', 'route 4', 'route 5']

const peer = fc.record({
  id: fc.constantFrom('peer 1', 'peer 2', 'peer 3'),
  gatewayName: fc.constantFrom('one', 'two'),
  status: fc.constantFrom('accepted', 'pair pending', 'poll error'),
  passcode: fc.constant('never-shown-passcode'),
})

const route = fc
  .record({
    read: arbitraryRoute,
    id: fc.constantFrom(...IDS),
    started: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
    shared: fc.boolean(),
  })
  .map(({ read, id, started, shared }): Route => {
    // Destinations of different states of a route are often the same ones.
    const destinations = read.destinations.map((destination, index) => ({
      ...destination,
      ...(shared && { id: `${id} destination ${index}` }),
      started: started[index % 8],
    }))
    return { ...read, id, destinations }
  })

/** A device as its configuration is returned. */
export const device = fc.record({
  _id: fc.constant('device'),
  name: fc.constant('Gateway'),
  statusCode: fc.constantFrom('ok', 'warn', 'error', 'unknown'),
  status: fc.constantFrom('Online', 'Device error', 'Offline'),
  firmware: fc.constantFrom('5.5', '5.6', '6.0'),
  config: fc.record({
    routes: fc.uniqueArray(route, { selector: ({ id }) => id, maxLength: 5 }),
    peers: fc.uniqueArray(peer, { selector: ({ id }) => id, maxLength: 3 }),
    settings: fc.record({
      networkAdapters: fc.array(
        fc.record({ name: fc.constantFrom('eth0', 'eth1'), address: fc.ipV4() }),
        { maxLength: 2 },
      ),
    }),
  }),
}) as unknown as fc.Arbitrary<DeviceConfiguration>

export const stateOf = (answer: DeviceConfiguration, known?: DeviceState): DeviceState =>
  stateFrom(answer, { known })

/** @param of with `doubts` and what was `known` before */
export function stateFrom(
  answer: DeviceConfiguration,
  of: { id?: string; doubts?: UnconfirmedEmpty; known?: DeviceState } = {},
): DeviceState {
  const { id = 'device', doubts, known } = of
  const routes = (answer.config.routes as unknown as JsonObject[]).map((one) =>
    routeState(one, doubts, known),
  )
  return deviceState(id, answer, routes, doubts, known)
}
