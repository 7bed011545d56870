import { errorOf } from '../../support/errors'
import { FakeTime } from '../../support/fake-time'
import { liveInOwnTime } from '../../support/own-time'
import type { Call, Script } from '../../support/scripted-appliance'
import {
  appliance,
  deviceId,
  program as gateway,
  relay,
  relayed,
  scripted,
  simulator,
} from '../../support/stage'
import { pause, until } from '../../support/until'

const commandOf = ({ body }: Call): unknown => (body as { command?: unknown } | undefined)?.command

let routeId: string

function relayEach(times = 10): void {
  beforeEach(async () => {
    liveInOwnTime(times)
    await relayed({ routes: 3 })
    routeId = simulator.routes.find(({ state }) => state === 'running')!.id
  })
}

const restart = () => gateway.routes.restart({ id: routeId }, { deviceId })

describe('a close', () => {
  // Its six starts leave half a second for what they cost.
  relayEach(3)

  it('repeats the start of a restart for as long as the close lasts', async () => {
    const starts = (): number =>
      appliance.calls.filter((call) => commandOf(call) === 'start-route').length
    appliance.reply = async (call) => {
      const isLost = commandOf(call) === 'start-route' && starts() < 6
      return isLost ? { status: 503 } : relay(call)
    }
    const restarted = restart().catch((error: unknown) => error)
    await until(() => starts() > 0)
    await gateway.close()
    await restarted
    starts().should.equal(6)
    await simulator.settle()
    simulator.route(routeId)!.state.should.equal('running')
  })
})

/** What is under way when the gateway closes. */
describe('a close during a change', () => {
  relayEach()

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
          const reply = await relay(call)
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
      commandOf(call) === 'stop-route' ? relay(call).then(() => 'silence' as const) : relay(call)
    const restarted = restart().catch((error: unknown) => error)
    await until(() => sent('stop-route') >= 0)
    await gateway.close()
    await restarted
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
      return relay(call)
    }
    const restarted = errorOf(restart())
    await until(() => logins > 0)
    await gateway.close()
    ;(await restarted).should.match({ code: 'CLOSED', cause: { applied: 'no' } })
    const commands = appliance.calls.map(commandOf).filter(Boolean)
    commands.should.eql(['stop-route'])
  })

  it('waits for its response before it ends the session', async () => {
    appliance.reply = async (call) => {
      if (commandOf(call)) await pause(400)
      return relay(call)
    }
    const started = gateway.routes.start({ id: routeId }, { deviceId })
    await until(() => sent('start-route') >= 0)
    await gateway.close()
    ;(await started).answer.should.be.an.Array()
    appliance.calls.at(-1)!.what.should.equal('DELETE /api/session')
  })
})

describe('a close ends before the session', () => {
  let time: FakeTime
  /** How the call had ended when the end of the session was asked for. */
  let endedWith: unknown
  let ended: unknown

  const route = { id: 'R', name: 'A', state: 'idle', source: { name: 'In' }, destinations: [] }
  const calls = (part: string): number =>
    appliance.calls.filter(({ what }) => what.endsWith(part)).length

  beforeEach(() => {
    ended = endedWith = undefined
    time = new FakeTime()
    const reply: Script = ({ what, path }) => {
      if (what === 'DELETE /api/session') endedWith = ended
      if (path.endsWith('/routes/silent')) return 'silence'
      if (path.endsWith('/commands')) return { body: [{ status: 'ok' }] }
      return path.endsWith('/routes/R') ? { body: route } : undefined
    }
    return scripted(reply, { clock: time })
  })

  async function close(call: Promise<unknown>): Promise<void> {
    call.catch((error: unknown) => (ended = error))
    await gateway.close()
    should(endedWith).match({ code: 'CLOSED' })
  }

  it('a read that has no response', async () => {
    const read = gateway.routes.get({ id: 'silent' }, { deviceId: 'D' })
    await until(() => calls('/routes/silent') > 0)
    await close(read)
  })

  it('a wait for a change that is between two polls', async () => {
    const waiting = { waitFor: 'applied', waitTimeout: 60_000 } as const
    const started = gateway.routes.start({ id: 'R' }, { deviceId: 'D', ...waiting })
    // One is for the end of the wait, the other for the next poll.
    await until(() => time.timers === 2)
    calls('/routes/R').should.be.above(0)
    await close(started)
  })
})

describe('an update of a route that is given in another case', () => {
  relayEach()

  it('carries the ID as the appliance spells it', async () => {
    const id = routeId.toUpperCase()
    appliance.reply = (call) => relay(call, call.url.replace(id, routeId))
    await gateway.routes.update({ id }, { name: 'New' }, { deviceId })
    const sent = appliance.calls.find(({ path }) => path.endsWith('/updates'))!
    ;(sent.body as { elementID: string }).elementID.should.equal(routeId)
  })
})
