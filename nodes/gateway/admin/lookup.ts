import {
  getDevice,
  listDevices,
  listRoutes,
  newOperation,
  type Connection,
} from '../../../client/internal'
import { booleanFrom } from '../../../client/model/convert'
import { isObject, own, type JsonObject } from '../../../client/model/json'

/** What the pickers of the editor offer. */
export interface Lookup {
  devices: Array<{ id: string; name: string; statusCode: string; status: string }>
  /** The device that was asked for, or the only one. */
  deviceId?: string
  routes?: PickedRoute[]
  adapters?: Array<{ name: string; address: string }>
}

interface PickedRoute {
  id: string
  name: string
  state?: string
  summaryStatusCode?: string
  destinations: Array<{
    id?: string
    name: string
    started?: boolean
    state?: string
    summaryStatusCode?: string
  }>
}

/** Devices and, of the one that is asked for or the only one, routes, destinations and adapters. */
export async function lookUp(gateway: Connection, wanted: string | undefined): Promise<Lookup> {
  const operation = newOperation('look-up')
  const listed = await listDevices(gateway, operation)
  const devices = listed.map(({ _id, name, statusCode, status }) => ({
    id: text(_id),
    name: text(name),
    statusCode: text(statusCode),
    status: text(status),
  }))
  const deviceId = wanted || (devices.length === 1 ? devices[0]!.id : undefined)
  if (deviceId === undefined) return { devices }
  const { config } = await getDevice(gateway, deviceId, operation)
  const { data } = await listRoutes(gateway, { deviceId }, operation)
  const routes = data.map(({ id, name, state, summaryStatusCode, destinations }) => ({
    id,
    name: text(name),
    state: textIfAny(state),
    summaryStatusCode: textIfAny(summaryStatusCode),
    destinations: objectsIn(destinations).map((destination) => ({
      id: textIfAny(destination.id),
      name: text(destination.name),
      started: booleanFrom(destination.started),
      state: textIfAny(destination.state),
      summaryStatusCode: textIfAny(destination.summaryStatusCode),
    })),
  }))
  const adapters = objectsIn(own(own(config, 'settings'), 'networkAdapters')).map(
    ({ name, address }) => ({ name: text(name), address: text(address) }),
  )
  return { devices, deviceId, routes, adapters }
}

/** Only text is shown; whatever else an appliance may answer in its place is not. */
export const text = (value: unknown): string => textIfAny(value) ?? ''
const textIfAny = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

const objectsIn = (list: unknown): JsonObject[] =>
  Array.isArray(list) ? list.filter(isObject) : []
