import type { Connection } from '../connection/connection'
import { isObject, isText, type JsonObject } from '../model/json'
import type { Direction } from '../model/members'
import type { DeviceConfiguration } from '../model/types'
import { isSame } from './compare'
import { openIn, type OpenByWatch } from './open'
import { UNTOLD, deviceState, type DeviceState, type PartState, type RouteState } from './state'

/** What another process has seen and reported of a device, whose watches then go on from there. */
export interface HandedOver {
  seen?: {
    /** Its definitions have no digests of secrets: those of another process mean nothing here. */
    state: DeviceState
    /** When it was seen, Unix ms, by the clock of that process. */
    at: number
  }
  /** What the watches have reported as begun. Times are by the clock of that process. */
  open: OpenByWatch
}

const NOTHING = Promise.resolve(undefined)

/**
 * Returns what was handed over with the gateway, which is asked for once, and again if it could not be
 * had. It resolves to undefined where there is nothing, where it cannot be had, and where it is no
 * picture.
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

/** Something may have been handed over, but could not be had so far. */
export const lacksHandedOver = ({ memory }: Connection): boolean => memory.lacksHandedOver

async function ask(gateway: Connection): Promise<HandedOver | undefined> {
  const { memory } = gateway
  try {
    const picture = await gateway.handedOver!()
    memory.lacksHandedOver = false
    if (!isObject(picture)) return undefined
    const { snapshot } = picture
    const state = stateIn(snapshot)
    const at = (snapshot as { at?: unknown } | undefined)?.at
    const seen = state && Number.isFinite(at) ? { state, at: at as number } : undefined
    return { seen, open: openIn(picture.open, stateIn) }
  } catch {
    // A watch begins without what cannot be had.
    memory.lacksHandedOver = true
    memory.handedOver = undefined
    return undefined
  }
}

/** Returns what a snapshot shows, read as if the appliance had sent it. */
function stateIn(snapshot: unknown): DeviceState | undefined {
  if (!isSnapshot(snapshot)) return undefined
  const { device, adapters, peers, routes } = snapshot
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
  return withRoutes(state, (route) => withParts(route, withoutDigest))
}

interface Shown {
  device: JsonObject & { id: string }
  adapters: unknown[]
  peers: JsonObject[]
  routes: Array<JsonObject & { source: JsonObject; destinations: JsonObject[] }>
}

const isSnapshot = (value: unknown): value is Shown =>
  isObject(value) &&
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
