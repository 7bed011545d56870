import dns from 'node:dns'
import net from 'node:net'
import { type Ensured, type Gateway } from '../../../client'
import { liveInOwnTime } from '../../support/own-time'
import { closed, listen } from '../../support/scripted-appliance'
import {
  appliance,
  program as gateway,
  relay,
  relayed,
  simulated,
  simulator,
} from '../../support/stage'
import { gatewayAt } from '../../support/connect'
import { errorOf } from '../../support/errors'
import { pause } from '../../support/until'

/** What another client does while a login or a connection takes its time. */
async function addDestination(): Promise<void> {
  const { id } = simulator.routes[0]!
  const other = gatewayAt(simulator, { tls: { rejectUnauthorized: false } })
  const added = { name: 'Added', protocol: 'udp', address: '239.9.9.9', port: 7001 }
  await other.routes.update({ id }, { destinations: [added] }, { waitFor: 'applied' })
  await other.close()
}

function keepsBoth(): void {
  const { source, destinations } = simulator.routes[0]!
  source.name.should.equal('other in')
  destinations.map(({ name }) => name).should.containEql('Added')
}

/** A change deletes every destination that it leaves out: others may add one before it is sent. */
describe('a change whose plan is too old when it is sent', () => {
  beforeEach(() => {
    liveInOwnTime(10)
    return relayed({ routes: 2 })
  })

  const route = () => ({ id: simulator.routes[0]!.id })
  const wanted = () => ({ ...route(), source: { name: 'other in' } })

  /** The session ends before the first update, and the next login takes longer than a plan lasts. */
  function endSession(meanwhile: () => unknown = () => undefined): void {
    let refused = false
    appliance.reply = async (call) => {
      if (call.path.endsWith('/updates') && !refused) {
        refused = true
        return { status: 401 }
      }
      if (call.what === 'POST /api/session' && refused) {
        await Promise.all([meanwhile(), pause(1200)])
      }
      return relay(call)
    }
  }

  for (const [what, change] of Object.entries({
    update: () => gateway.routes.update(route(), { source: { name: 'other in' } }),
    ensure: () => gateway.routes.ensure(wanted()),
  })) {
    it(`is planned again after a login: ${what}`, async () => {
      endSession(() => addDestination())
      await change()
      await simulator.settle()
      keepsBoth()
    })
  }

  it('is taken back to what it was planned on in the end', async () => {
    endSession(() => addDestination())
    await gateway.routes.ensure(wanted())
    await gateway.routes.undo()
    const { source, destinations } = simulator.route(route().id)!
    source.name.should.not.equal('other in')
    destinations.map(({ name }) => name).should.containEql('Added')
  })

  describe('after a step of its own', () => {
    const stopped = { state: 'stopped' } as const

    function isTold({ action, before, diff }: Ensured): void {
      action.should.eql(['stop', 'update'])
      before!.should.match({ state: 'running', source: { name: 'Studio A in' } })
      diff.map(({ path }) => path).should.eql(['source.name', 'state'])
    }

    it('is told as it was planned before that', async () => {
      endSession()
      isTold(await gateway.routes.ensure(wanted(), stopped))
    })

    it('is still what was approved', async () => {
      const { id: planId } = await gateway.routes.plan(wanted(), stopped)
      endSession()
      isTold(await gateway.routes.ensure(wanted(), { ...stopped, planId }))
    })

    it('is not what was approved once somebody else has changed the route', async () => {
      const { id: planId } = await gateway.routes.plan(wanted(), stopped)
      endSession(() => addDestination())
      const error = await errorOf(gateway.routes.ensure(wanted(), { ...stopped, planId }))
      error.should.match({ code: 'CONFLICT', cause: { applied: 'yes' } })
      error.message.should.endWith(
        'has changed since this was planned. The change was not sent. Make a new plan.',
      )
    })

    it('is still the undo', async () => {
      await gateway.routes.stop(route(), { waitFor: 'applied' })
      await gateway.routes.ensure(wanted(), { state: 'started' })
      endSession()
      const { results } = await gateway.routes.undo()
      results[0]!.should.match({ action: ['stop', 'update'], before: { state: 'running' } })
      simulator.route(route().id)!.source.name.should.equal('Studio A in')
    })

    it('is an undo that names the route when somebody else has changed it', async () => {
      await gateway.routes.stop(route(), { waitFor: 'applied' })
      await gateway.routes.ensure(wanted(), { state: 'started' })
      endSession(() => addDestination())
      const { message } = await errorOf(gateway.routes.undo())
      message.should.containEql('Route "Studio A" is stopped now')
      message.should.containEql('Route "Studio A" has changed')
    })
  })

  it('goes out beside reads that take their time', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    appliance.reply = async (call) => {
      if (call.path.endsWith('/devices')) await held
      return relay(call)
    }
    const reads = Array.from({ length: 8 }, () => gateway.devices.list())
    await gateway.routes.start(
      { id: simulator.routes[0]!.id },
      { deviceId: simulator.devices[0]!._id },
    )
    release()
    await Promise.all(reads)
  })

  it('fails before it is sent when the session ends each time', async () => {
    appliance.reply = async (call) => {
      if (call.path.endsWith('/updates')) return { status: 401 }
      if (call.what === 'POST /api/session') await pause(1100)
      return relay(call)
    }
    const error = await gateway.routes
      .update(route(), { name: 'renamed' })
      .catch((reason: unknown) => reason)
    error!.should.match({ code: 'UNAVAILABLE', cause: { applied: 'no', retryable: true } })
  })
})

describe('a change for which connections take their time', () => {
  let door: net.Server
  let slow: Gateway
  let connections: number
  /** Resolves once a connection may go on to the simulator; false, and it is closed instead. */
  let opens: () => Promise<boolean>

  beforeEach(async () => {
    liveInOwnTime(10)
    await simulated({ routes: 1, https: true })
    opens = async () => true
    connections = 0
    door = net.createServer({ pauseOnConnect: true }, (near) => void pass(near))
    const url = `https://127.0.0.1:${await listen(door)}`
    slow = gatewayAt({ url }, { tls: { rejectUnauthorized: false } })
    await slow.devices.list()
    connections = 0
  })
  afterEach(async () => {
    await slow.close()
    await closed(door)
  })

  async function pass(near: net.Socket): Promise<void> {
    connections++
    near.on('error', () => near.destroy())
    if (!(await opens())) return void near.destroy()
    const far = net.connect(Number(new URL(simulator.url).port), '127.0.0.1')
    far.on('error', () => far.destroy())
    far.on('close', () => near.destroy())
    near.on('close', () => far.destroy())
    near.pipe(far).pipe(near)
  }

  const route = () => ({ id: simulator.routes[0]!.id })

  it('is planned again when its connection came too late', async () => {
    opens = async () => {
      await Promise.all([addDestination(), pause(1100)])
      return true
    }
    await slow.routes.update(route(), { source: { name: 'other in' } }, { waitFor: 'applied' })
    keepsBoth()
  })

  it('is planned again when only the last attempt came about, and too late', async () => {
    opens = async () => {
      if (connections < 3) return false
      if (connections === 3) await Promise.all([addDestination(), pause(1100)])
      return true
    }
    await slow.routes.update(route(), { source: { name: 'other in' } }, { waitFor: 'applied' })
    keepsBoth()
    connections.should.equal(3)
  })

  it('fails with what went wrong when none comes about', async () => {
    opens = () => pause(1100).then(() => false)
    const error = await errorOf(slow.routes.update(route(), { name: 'renamed' }))
    error.should.match({
      code: 'UNAVAILABLE',
      cause: { applied: 'no', retryable: true, reason: 'ECONNRESET' },
    })
    connections.should.equal(3)
  })
})

describe('a change for which each TCP connection takes longer than its plan lasts', () => {
  const { lookup } = dns
  let slow: Gateway

  beforeEach(async () => {
    liveInOwnTime()
    await simulated({ routes: 1 })
    slow = gatewayAt({ url: simulator.url.replace('127.0.0.1', 'gateway.test') })
    dns.lookup = slowly(() => undefined)
    await slow.devices.list()
  })
  afterEach(async () => {
    dns.lookup = lookup
    await slow.close()
  })

  /** Without a lookup in the network, but a connection begins as late as with a slow one. */
  const slowly = (meanwhile: () => unknown) =>
    ((_host: string, options: object, then: Parameters<typeof lookup>[1]) =>
      void Promise.all([meanwhile(), pause(1100)]).then(() =>
        lookup('127.0.0.1', options, then),
      )) as typeof lookup

  it('is planned again for its first step only', async () => {
    let lookups = 0
    dns.lookup = slowly(() => lookups++)
    const { id } = simulator.routes[0]!
    const { action } = await slow.routes.ensure(
      { id, source: { name: 'other in' } },
      { state: 'stopped' },
    )
    action.should.eql(['stop', 'update'])
    lookups.should.equal(1)
  })

  it('is planned again', async () => {
    let isAdded: Promise<void> | undefined
    dns.lookup = slowly(() => (isAdded ??= addDestination()))
    const { id } = simulator.routes[0]!
    await slow.routes.update({ id }, { source: { name: 'other in' } }, { waitFor: 'applied' })
    keepsBoth()
  })
})
