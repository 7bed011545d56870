// A simulator or what stands for one, and the connections to it, as most tests of the client need them.
import type { Gateway } from '../../client'
import type { Connection, GatewayOptions } from '../../client/connection/connection'
import { startSimulator, type Simulator, type SimulatorOptions } from '../../simulator'
import { connectTo, endEach, gatewayAt } from './connect'
import { afterThisTest } from './hooks'
import { passOn, ScriptedAppliance, type Call, type Script } from './scripted-appliance'

export let simulator: Simulator
/** What responds as the test says. */
export let appliance: ScriptedAppliance
/** The only device, or the first. */
export let deviceId: string
/** A connection as nodes have it. */
export let gateway: Connection
/** One as programs have it, with a session of its own. */
export let program: Gateway

/** Opens the connections for this test, and ends them with it. */
function open(at: { url: string }, more: Partial<GatewayOptions>): void {
  const connections = [connectTo(at, more), gatewayAt(at, more)] as const
  ;[gateway, program] = connections
  afterThisTest(() => endEach(...connections))
}

/** Starts a simulator for this test. */
export async function simulated(options: SimulatorOptions): Promise<Simulator> {
  const started = await startSimulator(options)
  ;[simulator, deviceId] = [started, started.devices[0]!._id]
  afterThisTest(() => started.stop())
  return started
}

/** Starts a simulator for this test: it and the connections end with the test, and leave no session. */
export async function connected(
  options: SimulatorOptions = {},
  more: Partial<GatewayOptions> = {},
): Promise<void> {
  const started = await simulated(options)
  afterThisTest(() => started.openSessions.should.equal(0))
  open(started, more)
  afterThisTest(() => started.clearFaults())
}

/** Starts an appliance that responds as the test says: it and the connections end with the test. */
export async function scripted(
  reply?: Script | ScriptedAppliance,
  more: Partial<GatewayOptions> = {},
): Promise<void> {
  const started = reply instanceof ScriptedAppliance ? reply : new ScriptedAppliance(reply)
  appliance = started
  await started.start()
  afterThisTest(() => started.stop())
  open(started, more)
}

/** What the simulator responds. */
export const relay = (call: Call, url = call.url): ReturnType<typeof passOn> =>
  passOn(call, simulator.url + url)

/** Puts an appliance that may respond in its place before a simulator, where `program` is logged in. */
export async function relayed(options: SimulatorOptions = {}): Promise<void> {
  await simulated(options)
  await scripted((call) => relay(call))
  await program.devices.list()
}
