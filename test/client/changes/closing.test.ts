import should from 'should'
import { controlRoute } from '../../../client/changes/control'
import { getRoute } from '../../../client/api/routes'
import { listDevices } from '../../../client/api/devices'
import { updateRoute } from '../../../client/changes/update'
import type { Connection } from '../../../client/connection/connection'
import { startSimulator, type Simulator } from '../../../simulator'
import { errorOf } from '../../support/errors'
import { FakeTime } from '../../support/fake-time'
import { liveInOwnTime } from '../../support/own-time'
import { ScriptedAppliance, passOn, type Call } from '../../support/scripted-appliance'
import { pause, until } from '../../support/until'
import { connectTo, op } from '../connection/support'
import { endEach } from '../../support/connect'

const commandOf = ({ body }: Call): unknown => (body as { command?: unknown } | undefined)?.command

/** What is under way when the gateway closes. */
describe('a close during a change', () => {
  let simulator: Simulator
  let appliance: ScriptedAppliance
  let gateway: Connection
  let deviceId: string
  let routeId: string

  beforeEach(async () => {
    liveInOwnTime(10)
    simulator = await startSimulator({ routes: 3 })
    deviceId = simulator.devices[0]!._id
    routeId = simulator.routes.find(({ state }) => state === 'running')!.id
    appliance = new ScriptedAppliance((call) => passOn(call, simulator.url + call.url))
    await appliance.start()
    gateway = connectTo(appliance)
    await listDevices(gateway, op())
  })
  afterEach(() => endEach(gateway, appliance, simulator))

  const restart = (): Promise<unknown> =>
    controlRoute(
      gateway,
      { deviceId, routeId, action: 'restart', waitFor: 'accepted', waitTimeout: 5000 },
      op(),
    )

  const sent = (what: string): number =>
    appliance.calls.findIndex((call) => commandOf(call) === what || call.what === what)

  // Of a stop that takes effect more than 2.2 s after the close began, no start can follow.
  const STOPS = { 'at once': [300, 1700, 2500], 'as late as it responds': [300, 1700] }
  for (const [applied, times] of Object.entries(STOPS)) {
    for (const ms of times) {
      it(`starts the route of a restart again: the stop is answered after ${ms} ms and applied ${applied}`, async () => {
        appliance.reply = async (call) => {
          const isSlow = commandOf(call) === 'stop-route'
          if (isSlow && applied !== 'at once') await pause(ms)
          const reply = await passOn(call, simulator.url + call.url)
          if (isSlow && applied === 'at once') await pause(ms)
          return reply
        }
        const restarted = restart().catch((error: unknown) => error)
        await until(() => sent('stop-route') >= 0)
        await pause(50)
        const begun = performance.now()
        await gateway.close()
        ;(performance.now() - begun).should.be.below(3000)
        await restarted
        sent('start-route').should.be.above(sent('stop-route'))
        sent('DELETE /api/session').should.be.above(sent('start-route'))
        await simulator.settle()
        simulator.route(routeId)!.state.should.equal('running')
      })
    }
  }

  it('sends the start of a restart also where its stop is never answered', async () => {
    appliance.reply = (call) =>
      commandOf(call) === 'stop-route'
        ? passOn(call, simulator.url + call.url).then(() => 'silence' as const)
        : passOn(call, simulator.url + call.url)
    const restarted = restart().catch((error: unknown) => error)
    await until(() => sent('stop-route') >= 0)
    await gateway.close()
    await restarted
    await simulator.settle()
    simulator.route(routeId)!.state.should.equal('running')
  })

  it('repeats the start of a restart for as long as the close lasts', async () => {
    const starts = (): number =>
      appliance.calls.filter((call) => commandOf(call) === 'start-route').length
    appliance.reply = async (call) => {
      const isLost = commandOf(call) === 'start-route' && starts() < 6
      return isLost ? { status: 503 } : passOn(call, simulator.url + call.url)
    }
    const restarted = restart().catch((error: unknown) => error)
    await until(() => starts() > 0)
    await gateway.close()
    await restarted
    starts().should.equal(6)
    await simulator.settle()
    simulator.route(routeId)!.state.should.equal('running')
  })

  it('does not send a stop again for which a new session had to be opened', async () => {
    let logins = 0
    appliance.reply = async (call) => {
      if (commandOf(call) === 'stop-route') return { status: 401 }
      if (call.what === 'POST /api/session') {
        logins++
        await pause(400)
      }
      return passOn(call, simulator.url + call.url)
    }
    const restarted = errorOf(restart())
    await until(() => logins > 0)
    await gateway.close()
    ;(await restarted).should.match({ code: 'CLOSED', cause: { applied: 'no' } })
    const commands = appliance.calls.map(commandOf).filter(Boolean)
    commands.should.eql(['stop-route'])
  })
})

describe('a close with a change on its way', () => {
  it('waits for its response before it ends the session', async () => {
    liveInOwnTime(10)
    const simulator = await startSimulator({ routes: 2 })
    const appliance = new ScriptedAppliance(async (call) => {
      if (call.path.endsWith('/commands')) await pause(400)
      return passOn(call, simulator.url + call.url)
    })
    await appliance.start()
    const gateway = connectTo(appliance)
    await listDevices(gateway, op())
    const address = { deviceId: simulator.devices[0]!._id, routeId: simulator.routes[0]!.id }
    const started = controlRoute(
      gateway,
      { ...address, action: 'start', waitFor: 'accepted', waitTimeout: 0 },
      op(),
    )
    await until(() => appliance.calls.some(({ path }) => path.endsWith('/commands')))
    await gateway.close()
    const { answer } = await started
    answer.should.be.an.Array()
    appliance.calls.at(-1)!.what.should.equal('DELETE /api/session')
    await appliance.stop()
    await simulator.stop()
  })
})

describe('a close ends before the session', () => {
  let appliance: ScriptedAppliance
  let gateway: Connection
  let time: FakeTime
  /** How the call had ended when the end of the session was asked for. */
  let endedWith: unknown
  let ended: unknown

  const route = { id: 'R', name: 'A', state: 'idle', source: { name: 'In' }, destinations: [] }
  const calls = (part: string): number =>
    appliance.calls.filter(({ what }) => what.endsWith(part)).length

  beforeEach(async () => {
    ended = endedWith = undefined
    time = new FakeTime()
    appliance = new ScriptedAppliance(({ what, path }) => {
      if (what === 'DELETE /api/session') endedWith = ended
      if (path.endsWith('/routes/silent')) return 'silence'
      if (path.endsWith('/commands')) return { body: [{ status: 'ok' }] }
      return path.endsWith('/routes/R') ? { body: route } : undefined
    })
    await appliance.start()
    gateway = connectTo(appliance, { clock: time })
  })
  afterEach(() => appliance.stop())

  async function close(call: Promise<unknown>): Promise<void> {
    call.catch((error: unknown) => (ended = error))
    await gateway.close()
    should(endedWith).match({ code: 'CLOSED' })
  }

  it('a read that has no response', async () => {
    const read = getRoute(gateway, { deviceId: 'D', routeId: 'silent' }, op())
    await until(() => calls('/routes/silent') > 0)
    await close(read)
  })

  it('a wait for a change that is between two polls', async () => {
    const start = { action: 'start', waitFor: 'applied', waitTimeout: 60_000 } as const
    const started = controlRoute(gateway, { deviceId: 'D', routeId: 'R', ...start }, op())
    // One is for the end of the wait, the other for the next poll.
    await until(() => time.timers === 2)
    calls('/routes/R').should.be.above(0)
    await close(started)
  })
})

describe('an update of a route that is given in another case', () => {
  it('carries the ID as the appliance spells it', async () => {
    const simulator = await startSimulator({ routes: 2 })
    const gateway = connectTo(simulator)
    const { id } = simulator.routes[0]!
    const appliance = new ScriptedAppliance(async (call) =>
      passOn(call, simulator.url + call.url.replace(id.toUpperCase(), id)),
    )
    await appliance.start()
    const through = connectTo(appliance)
    const address = { deviceId: simulator.devices[0]!._id, routeId: id.toUpperCase() }
    const waiting = { waitFor: 'accepted', waitTimeout: 0 } as const
    await updateRoute(through, { address, patch: { name: 'New' }, mode: 'merge', ...waiting }, op())
    const sent = appliance.calls.find(({ path }) => path.endsWith('/updates'))!
    ;(sent.body as { elementID: string }).elementID.should.equal(id)
    await Promise.all([gateway.close(), through.close()])
    await appliance.stop()
    await simulator.stop()
  })
})
