import { createHash } from 'node:crypto'
import type { Dialect } from './dialect'
import { readRoute, type RouteState } from './model'

/** A pairing with the vendor's media platform. */
export interface Pairing {
  id: string
  gatewayName: string
  address: string
  httpPort: number
  httpsPort: number
  passcode: string
  /** Unix time, ms. */
  lastConnectedAt: number
  status: string
  statusDetails: string
  proxyAddress: string
  proxyHttpPort: number
  proxyHttpsPort: number
  lastConnection: string
}

/**
 * A device as the appliance stores it, see docs/project/interface.md#device. It may be edited while
 * it runs.
 */
export class DeviceState {
  type = 'gateway'
  ip = '127.0.0.1'
  statusCode = 'ok'
  status = 'Online'
  statusDetails = 'The device is online.'
  serialNumber: string | null = 'VMware-56 4d 00 00 00 00 00 01'
  firmware = '5.5.230907.1727'
  hasAdminError = false
  pendingSync = false
  lastConnection = '<1m'
  /** When it went offline (ms); undefined while it is online. */
  offlineSince: number | undefined
  gatewayPort = 1080
  /** Unix time, ms. */
  lastAcceptedUpdate = 0
  networkAdapters = [
    { name: 'eth0', address: '192.0.2.10' },
    { name: 'eth1', address: '198.51.100.10' },
  ]
  pairings: Pairing[]
  /** In listing order. Use the methods to add and remove: they maintain an index. */
  readonly routes: RouteState[] = []
  pendingRouteCreates = 0
  private readonly byId = new Map<string, RouteState>()
  private commands = 0

  constructor(
    readonly _id: string,
    public name: string,
  ) {
    this.pairings = [
      {
        id: identifier(`${_id} pairing`),
        gatewayName: name,
        address: 'platform.example.com',
        httpPort: 80,
        httpsPort: 443,
        passcode: 'invented-passcode',
        lastConnectedAt: 1_700_000_000_000,
        status: 'accepted',
        statusDetails: 'The pairing is accepted.',
        proxyAddress: '',
        proxyHttpPort: 0,
        proxyHttpsPort: 0,
        lastConnection: '<1m',
      },
    ]
  }

  route(id: string): RouteState | undefined {
    return this.byId.get(id)
  }

  add(route: RouteState): void {
    this.routes.push(route)
    this.byId.set(route.id, route)
  }

  remove(id: string): void {
    const place = this.routes.findIndex((route) => route.id === id)
    if (place >= 0) this.routes.splice(place, 1)
    this.byId.delete(id)
  }

  clear(): void {
    this.routes.length = 0
    this.byId.clear()
  }

  /** Offline: the front end cannot reach the device behind it, and reports what it last knew. */
  setOnline(online: boolean, now: number): void {
    if (online === (this.offlineSince === undefined)) return
    this.offlineSince = online ? undefined : now
    this.statusCode = online ? 'ok' : 'error'
    this.status = online ? 'Online' : 'Offline'
    this.statusDetails = online ? 'The device is online.' : 'The device is offline.'
  }

  nextCommandId(): string {
    return identifier(`${this._id} command ${++this.commands}`)
  }
}

/** Creates the device at a place, always with the same ID and name. */
export function newDevice(place: number): DeviceState {
  return new DeviceState(identifier(`device ${place}`), `Gateway ${place + 1}`)
}

/** An item of GET /api/devices. */
export function readDevice(device: DeviceState, now: number) {
  const { type, ip, name, statusCode, status, statusDetails, serialNumber, firmware } = device
  return {
    _id: device._id,
    type,
    ip,
    name,
    lastConnectedAt: device.offlineSince ?? now,
    statusCode,
    status,
    statusDetails,
    serialNumber,
    firmware,
    hasAdminError: device.hasAdminError,
    pendingSync: device.pendingSync,
    lastConnection: device.lastConnection,
  }
}

/** GET /api/devices/{device}. */
export function readDeviceConfiguration(
  device: DeviceState,
  now: number,
  { dialect, pollingInterval }: { dialect: Dialect; pollingInterval: number },
): object {
  const { pendingSync, lastConnection, ...information } = readDevice(device, now)
  return {
    ...information,
    lastConfigReadAt: now,
    config: {
      routes: device.routes.map((route) => readRoute(route, now, dialect)),
      settings: { networkAdapters: device.networkAdapters },
      [dialect.pairings]: device.pairings,
    },
    pendingSync,
    lastAcceptedUpdate: device.lastAcceptedUpdate,
    lastConnection,
    gateway: { port: device.gatewayPort },
    suggestedPollingInterval: { ms: pollingInterval },
  }
}

/** 22 URL-safe base64 characters, as for devices and commands, including `-` and `_`. */
function identifier(of: string): string {
  return `${createHash('sha256').update(of).digest('base64url').slice(0, 18)}-x_${of.length % 10}`
}
