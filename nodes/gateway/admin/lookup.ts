import { GatewayError, say } from '../../../client/errors'
import { getDevice, listDevices } from '../../../client/api/devices'
import { listRoutes } from '../../../client/api/routes'
import { Operation } from '../../../client/connection/operation'
import type { Device, Route } from '../../../client/model/types'
import type { Connection } from '../../../client/connection/connection'
import { mayAct } from '../../../client/connection/roles'
import { booleanFrom, partToSent, protocolOf } from '../../../client/model/convert'
import { deviceHealth, type Health } from '../../../client/model/health'
import { isObject, own, type JsonObject, objectsIn } from '../../../client/model/json'
import type { Direction } from '../../../client/model/members'
import { shortened } from '../../../client/model/legible'
import type { Language } from '../../../client/model/watch'
import { signsOfRoute } from '../../../client/watch/health'
import type { Addressed, FoundRoute, Lookup } from '../../wire'
import { healthOfEach, shown } from './health'

/** @throws GatewayError `NOT_FOUND` */
export function refuseUnlisted(devices: readonly Device[], id: string): void {
  if (devices.some(({ _id }) => _id === id)) return
  throw new GatewayError('NOT_FOUND', say('deviceNotFound', { id: shortened(id, 60) }))
}

/** All who ask for the same at the same time share one request, however many editors are open. */
export function createSharing() {
  const underWay = new WeakMap<Connection, Map<string, Promise<unknown>>>()
  return <T>(gateway: Connection, what: string, work: () => Promise<T>): Promise<T> => {
    const shared = underWay.get(gateway) ?? new Map<string, Promise<unknown>>()
    underWay.set(gateway, shared)
    const begun = shared.get(what) ?? work().finally(() => shared.delete(what))
    shared.set(what, begun)
    return begun as Promise<T>
  }
}

/** Looks up the devices and, of the wanted or only one, routes, destinations and adapters. */
export async function lookUp(
  gateway: Connection,
  wanted: string | undefined,
  language: Language,
): Promise<Lookup> {
  const operation = new Operation('look-up')
  const [devices, configuration] = await Promise.all([
    listDevices(gateway, operation),
    wanted === undefined ? undefined : getDevice(gateway, wanted, operation),
  ])
  const picked = devices.map(pickedDevice)
  const deviceId = wanted ?? (picked.length === 1 ? picked[0]!.id : undefined)
  if (deviceId === undefined) return { devices: picked }
  const device = configuration ?? (await getDevice(gateway, deviceId, operation))
  const { config } = device
  const configured = objectsIn(own(config, 'routes'))
  const routes: readonly JsonObject[] =
    configured.length > 0
      ? configured
      : (await listRoutes(gateway, { deviceId, certain: false }, operation)).data.filter(isObject)
  const ofDevice = deviceHealth(textIfAny(device.statusCode), textIfAny(device.status))
  const adapters = objectsIn(own(own(config, 'settings'), 'networkAdapters'))
  return {
    devices: picked,
    deviceId,
    routes: routes.map((route) => pickedRoute(route, ofDevice, language)),
    adapters: adapters.map(({ name, address }) => ({ name: text(name), address: text(address) })),
    ...(!mayAct(gateway.session.roles(), 'Operator') && { mayChange: false as const }),
  }
}

export const pickedDevice = (device: Device): Lookup['devices'][number] => ({
  id: text(device._id),
  name: text(device.name),
  statusCode: text(device.statusCode),
  status: text(device.status),
})

function pickedRoute(route: JsonObject, device: Health, language: Language): FoundRoute {
  const health = healthOfEach(signsOfRoute(route as unknown as Route), device)
  return {
    id: text(route.id),
    name: text(route.name),
    state: textIfAny(route.state),
    health: shown(health.route, language),
    source: isObject(route.source) ? addressed('source', route.source) : {},
    destinations: objectsIn(route.destinations).map((destination, index) => ({
      id: textIfAny(destination.id),
      name: text(destination.name),
      ...addressed('destination', destination),
      started: booleanFrom(destination.started),
      state: textIfAny(destination.state),
      health: shown(health.destinations[index]!, language),
    })),
  }
}

function addressed(direction: Direction, part: JsonObject): Addressed {
  const { address, port } = partToSent(direction, part)
  return {
    protocol: textIfAny(protocolOf(direction, part)),
    address: textIfAny(address),
    port: typeof port === 'number' ? port : undefined,
  }
}

/** Returns text as it is; empty for anything else that an appliance may send in its place. */
export const text = (value: unknown): string => textIfAny(value) ?? ''
const textIfAny = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined
