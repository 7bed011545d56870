// One read of a device for all failovers of a connection: its configuration has all routes.
import { setImmediate as turn } from 'node:timers/promises'
import { forgetOnlyDevice, getDevice, mayBeUnknownDevice, onlyDevice } from '../api/devices'
import type { Connection } from '../connection/connection'
import { Operation } from '../connection/operation'
import { mayAct } from '../connection/roles'
import { asGatewayError, GatewayError, say } from '../errors'
import { deviceHealth } from '../model/health'
import { normalizeId } from '../model/ids'
import { isText, itemsIn, own, textIn } from '../model/json'
import type { DeviceConfiguration, Route } from '../model/types'
import { Stop } from '../stop'

export type Reading =
  | {
      deviceId: string
      /** By their IDs, as the device sent them: some may be incomplete. */
      routes: ReadonlyMap<string, Route>
    }
  | { failure: GatewayError }

interface Looker {
  /** The wait from read to read that it asks for, in ms; the shortest one is that of all. */
  everyMs: number
  see(reading: Reading): void
}

/** No two reads begin closer together, whatever asks for them. */
const LEAST_MS = 500

/** Returns the reads of this device, or of the only one. */
export function sharedReads(gateway: Connection, deviceId = '') {
  const all = gateway.memory.reads as Map<string, ReturnType<typeof createReads>>
  const found =
    all.get(deviceId) ?? [...all.values()].find((one) => deviceId && one.deviceId === deviceId)
  if (found) return found
  const created = createReads(gateway, deviceId, () => all.delete(deviceId))
  all.set(deviceId, created)
  return created
}

function createReads(gateway: Connection, configured: string, forget: () => void) {
  const { clock } = gateway
  const lookers = new Set<Looker>()
  const stop = new Stop()
  let deviceId = configured || undefined
  let isReading = false
  let begunAt = -Infinity
  let due = -Infinity
  let cancel: (() => void) | undefined

  function schedule(at: number): void {
    due = at
    cancel?.()
    if (isReading || stop.stopped) return
    const wait = Math.max(due, begunAt + LEAST_MS) - clock.now()
    cancel = clock.after(Math.max(0, wait), () => void read())
  }

  async function read(): Promise<void> {
    isReading = true
    begunAt = clock.now()
    due = begunAt + Math.min(...[...lookers].map(({ everyMs }) => everyMs))
    const reading = await ask()
    // Each in a turn of its own: hundreds of decisions at once would block everything else.
    for (const looker of lookers) {
      looker.see(reading)
      await turn()
    }
    isReading = false
    schedule(due)
  }

  /** In the background: a command goes first. */
  async function ask(): Promise<Reading> {
    const operation = new Operation('failover', { stop, brief: true, background: true })
    try {
      deviceId ??= await onlyDevice(gateway, operation)
      const device = await getDevice(gateway, deviceId, operation)
      const { sign, word } = deviceHealth(textIn(device.statusCode), textIn(device.status))
      if (sign === 'unknown') {
        throw new GatewayError('UNAVAILABLE', say('lastKnown', { status: String(word) }))
      }
      // A user who may not change routes can see all, and protects nothing.
      const roles = gateway.session.roles()
      if (!mayAct(roles, 'Operator')) {
        throw new GatewayError('FORBIDDEN', say('failoverRole', { roles: roles.join(', ') }))
      }
      return { deviceId, routes: routesIn(device) }
    } catch (error) {
      if (!configured && mayBeUnknownDevice(error)) {
        // The only device may be another one now.
        forgetOnlyDevice(gateway)
        deviceId = undefined
      }
      return { failure: asGatewayError(error, operation, gateway.identity) }
    }
  }

  const now = (): void => schedule(-Infinity)

  /** Reads at once, and then regularly, until the returned function is called. */
  function join(looker: Looker): () => void {
    lookers.add(looker)
    now()
    return () => {
      lookers.delete(looker)
      if (lookers.size > 0) return
      forget()
      stop.now()
      cancel?.()
    }
  }

  return {
    now,
    join,
    get deviceId() {
      return deviceId
    },
  }
}

/** What has no ID is left out, as is a list that did not come: each route is then read by itself. */
function routesIn({ config }: DeviceConfiguration): ReadonlyMap<string, Route> {
  const known = (itemsIn(own(config, 'routes')) as Route[]).filter((route) =>
    isText(own(route, 'id')),
  )
  return new Map(known.map((route) => [normalizeId(route.id), route]))
}
