import { Stop } from '../stop'
import type { Connection } from '../connection/connection'
import { isObject, isText, type JsonObject } from '../model/json'
import type { Direction } from '../model/members'
import type { DeviceConfiguration } from '../model/types'
import { isSame } from './compare'
import { UNTOLD, deviceState, type DeviceState, type PartState, type RouteState } from './state'

/** What another process has seen of a device, whose watches then go on from there. */
export interface HandedOver {
  /** Its definitions have no digests of secrets: those of another process mean nothing here. */
  state: DeviceState
  /** When it was seen, Unix ms, by the clock of that process. */
  at: number
}

/** How long a first poll waits for it, in ms. */
const PATIENCE_MS = 2000
const NOTHING = Promise.resolve(undefined)

/**
 * Returns what was handed over with the gateway, which is asked for once. It resolves to undefined
 * where there is nothing, where that does not come in time, and where it is no snapshot.
 */
export function handedOver(gateway: Connection): Promise<HandedOver | undefined> | undefined {
  if (!gateway.handedOver) return undefined
  gateway.memory.handedOver ??= ask(gateway)
  return gateway.memory.handedOver as Promise<HandedOver | undefined>
}

/** The watches of the device have it: later ones begin with what is known here. */
export function forgetHandedOver({ memory }: Connection): void {
  memory.handedOver = NOTHING
}

async function ask(gateway: Connection): Promise<HandedOver | undefined> {
  let found: HandedOver | undefined
  const over = new Stop()
  const answer = NOTHING.then(gateway.handedOver).then((value) => {
    found = seenIn(value)
  })
  // A watch does without what cannot be had.
  await Promise.race([answer, gateway.pause(PATIENCE_MS, over)]).catch(() => undefined)
  over.now()
  return found
}

/** Returns what a snapshot shows, read as if the appliance had sent it. */
function seenIn(snapshot: unknown): HandedOver | undefined {
  if (!isSnapshot(snapshot)) return undefined
  const { at, device, adapters, peers, routes } = snapshot
  const answer = {
    name: device.name,
    statusCode: device.statusCode,
    status: device.status,
    firmware: device.firmware,
    config: {
      settings: { networkAdapters: adapters },
      peers: peers.map((peer) => ({ ...peer, gatewayName: peer.name })),
    },
  }
  const arrived = routes.map(({ destinations, ...route }) => {
    // A route that has never arrived whole shows neither: then there may be destinations.
    const isUntold = destinations.length === 0 && !isText(route.source.protocol)
    return { ...route, destinations: isUntold ? undefined : destinations }
  })
  const state = deviceState(device.id, answer as unknown as DeviceConfiguration, { arrived })
  return { at, state: withRoutes(state, (route) => withParts(route, withoutDigest)) }
}

interface Shown {
  at: number
  device: JsonObject & { id: string }
  adapters: unknown[]
  peers: JsonObject[]
  routes: Array<JsonObject & { source: JsonObject; destinations: JsonObject[] }>
}

const isSnapshot = (value: unknown): value is Shown =>
  isObject(value) &&
  Number.isFinite(value.at) &&
  isObject(value.device) &&
  isText(value.device.id) &&
  Array.isArray(value.adapters) &&
  isListOf(value.peers, () => true) &&
  isListOf(
    value.routes,
    ({ id, name, source, destinations }) =>
      isText(id) &&
      typeof name === 'string' &&
      isObject(source) &&
      isListOf(destinations, () => true),
  )

const isListOf = (value: unknown, fits: (item: JsonObject) => boolean): boolean =>
  Array.isArray(value) && value.every((item: unknown) => isObject(item) && fits(item))

/**
 * Returns the state that was handed over as this process would have known it: what it cannot tell of
 * definitions, such as their secrets, is as it is now.
 */
export function asKnownHere(former: DeviceState, present: DeviceState): DeviceState {
  return withRoutes(former, (route) => {
    const now = present.routes.get(route.id)
    if (!now) return route
    return withParts(route, (part, direction, key) => {
      const partNow = direction === 'source' ? now.source : now.destinations.get(key)
      const { definition = part.definition } = partNow ?? {}
      return isSame(direction, part.definition, definition) ? { ...part, definition } : part
    })
  })
}

const withoutDigest = <Part extends PartState>(part: Part): Part => ({
  ...part,
  definition: { ...part.definition, secrets: undefined },
})

type Change = <Part extends PartState>(part: Part, direction: Direction, key: string) => Part

const withRoutes = (
  state: DeviceState,
  change: (route: RouteState) => RouteState,
): DeviceState => ({
  ...state,
  routes: new Map([...state.routes].map(([id, route]) => [id, change(route)])),
})

/** What has not been told stays so. */
const withParts = (route: RouteState, change: Change): RouteState => ({
  ...route,
  source: route.source === UNTOLD.source ? route.source : change(route.source, 'source', ''),
  destinations:
    route.destinations === UNTOLD.destinations
      ? route.destinations
      : new Map(
          [...route.destinations].map(([key, one]) => [key, change(one, 'destination', key)]),
        ),
})
