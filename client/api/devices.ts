import { GatewayError, badResponse, hasCode, say } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import type { Device, DeviceConfiguration, Pairing } from '../model/types'
import { itemsIn } from '../model/json'
import { isSegment, requestTo } from './endpoints'
import { expectArray, expectObject, unexpected } from './shapes'

/** GET /api/devices. */
export async function listDevices(gateway: Connection, operation: Operation): Promise<Device[]> {
  const body = await gateway.call(requestTo('listDevices', {}), operation)
  return expectArray<Device>(body, 'devices')
}

/** GET /api/devices/{device}. Some firmware calls `config.peers` `calypsos`. */
export async function getDevice(
  gateway: Connection,
  deviceId: string,
  operation: Operation,
): Promise<DeviceConfiguration> {
  const what = { kind: 'device', id: deviceId } as const
  const body = await gateway.call(requestTo('getDevice', { device: deviceId }, { what }), operation)
  const device = expectObject<DeviceConfiguration>(body, 'device')
  if (device._id === undefined && device.config === undefined) {
    throw unexpected(undefined, 'device.config', 'object')
  }
  return withPeers(device)
}

function withPeers(device: DeviceConfiguration): DeviceConfiguration {
  // It may be missing, or be of another shape.
  const { calypsos, peers, ...rest } = Object(device.config) as DeviceConfiguration['config']
  if (calypsos === undefined) return device
  const known = itemsIn(peers) as Pairing[]
  const added = (itemsIn(calypsos) as Pairing[]).filter(
    ({ id }) => !known.some((pairing) => pairing.id === id),
  )
  return { ...device, config: { ...rest, peers: [...known, ...added] } }
}

/**
 * Returns the ID of the appliance's only device, looked up once and then remembered.
 * @throws GatewayError `NOT_FOUND` when there is none, `INVALID_INPUT` with a list when there are several
 */
export async function onlyDevice(gateway: Connection, operation: Operation): Promise<string> {
  const known = gateway.memory.onlyDevice
  if (known) {
    return known.catch((error: GatewayError) => {
      // Another caller was stopped, not this one.
      if (error.code === 'CLOSED') return lookUp(gateway, operation)
      throw error
    })
  }
  const asked = lookUp(gateway, operation)
  gateway.memory.onlyDevice = asked
  return asked.catch((error: unknown) => {
    forgetOnlyDevice(gateway)
    throw error
  })
}

/** True for an error that an unknown device may cause; which one is not documented. */
export const mayBeUnknownDevice = (error: unknown): boolean =>
  hasCode(error, 'NOT_FOUND', 'REJECTED')

/** Call when the remembered device turns out to be unknown to the appliance. */
export function forgetOnlyDevice(gateway: Connection): void {
  gateway.memory.onlyDevice = undefined
}

/** In characters. */
const LONGEST_LIST = 900

async function lookUp(gateway: Connection, operation: Operation): Promise<string> {
  const devices = await listDevices(gateway, operation)
  const [device, ...others] = devices
  if (!device) {
    throw new GatewayError('NOT_FOUND', say('noDevice'), { operation: operation.name })
  }
  if (others.length > 0) {
    const all = devices.map(({ _id, name }) => `${_id} (${name})`).join(', ')
    const list = all.length > LONGEST_LIST ? `${all.slice(0, LONGEST_LIST)}…` : all
    throw new GatewayError(
      'INVALID_INPUT',
      [say('severalDevices', { devices: list }), say('unchanged')],
      {
        operation: operation.name,
        problems: [{ path: 'device', problem: `must be one of: ${list}` }],
      },
    )
  }
  return idOf(device)
}

/** @throws GatewayError `BAD_RESPONSE` where the appliance gives it none that can be sent */
export function idOf({ _id }: Device): string {
  if (isSegment(_id)) return _id
  throw badResponse(say('deviceWithoutId'))
}
