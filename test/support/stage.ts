// A simulator and the connections to it, as most tests of the client need them.
import 'should'
import type { Gateway } from '../../client'
import type { Connection, GatewayOptions } from '../../client/connection/connection'
import { startSimulator, type Simulator, type SimulatorOptions } from '../../simulator'
import { connectTo, endEach, gatewayAt } from './connect'
import { afterThisTest } from './hooks'

export let simulator: Simulator
/** The only device, or the first. */
export let deviceId: string
/** A connection as nodes have it. */
export let gateway: Connection
/** One as programs have it, with a session of its own. */
export let program: Gateway

/** Starts a simulator for this test: it and the connections end with the test, and leave no session. */
export async function connected(
  options: SimulatorOptions = {},
  more: Partial<GatewayOptions> = {},
): Promise<void> {
  const started = await startSimulator(options)
  const connections = [connectTo(started, more), gatewayAt(started, more)] as const
  ;[simulator, deviceId, [gateway, program]] = [started, started.devices[0]!._id, connections]
  afterThisTest(async () => {
    started.clearFaults()
    await endEach(...connections)
    started.openSessions.should.equal(0)
    await started.stop()
  })
}
