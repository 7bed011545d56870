import type { Route } from '../../../client'
import { errorOf } from '../../support/errors'
import { liveInOwnTime } from '../../support/own-time'
import { appliance, program as gateway, relay, relayed, simulator } from '../../support/stage'
import { pause, until } from '../../support/until'

/** Waits for changes of one device share their polls. */
describe('a wait beside a read that hangs', () => {
  beforeEach(() => {
    liveInOwnTime()
    return relayed({ routes: 3 })
  })

  it('is over as soon as its own change shows', async () => {
    const [first, second] = simulator.routes.map(({ id }) => ({ id }))
    let hangs = 0
    appliance.reply = (call) => {
      const isRead = call.method === 'GET' && call.path.endsWith(first!.id)
      if (isRead && ++hangs === 1) return 'silence'
      return relay(call)
    }
    const waiting = { waitFor: 'applied', waitTimeout: 7000 } as const
    const one = gateway.routes.start(first!, waiting).catch((error: unknown) => error)
    await until(() => hangs === 1)
    const begun = performance.now()
    await gateway.routes.start(second!, waiting)
    ;(performance.now() - begun).should.be.below(6000)
    await one
  })

  it('ends its read when nobody waits for it any more', async () => {
    const [first] = simulator.routes.map(({ id }) => ({ id }))
    let open: boolean | undefined
    appliance.reply = (call) => {
      if (call.method !== 'GET' || !call.path.endsWith(first!.id)) return relay(call)
      open = true
      call.socket.once('close', () => (open = false))
      return 'silence'
    }
    const waiting = { waitFor: 'applied', waitTimeout: 2000 } as const
    ;(await errorOf(gateway.routes.start(first!, waiting))).code.should.equal('NOT_CONFIRMED')
    const failed = performance.now()
    await until(() => open === false)
    // The read itself would be given up after 10 s.
    ;(performance.now() - failed).should.be.below(3000)
  })

  /** The read of a route hangs from now on. */
  function silent(id: string): { isOpen: () => boolean | undefined } {
    let open: boolean | undefined
    appliance.reply = (call) => {
      if (call.method !== 'GET' || !call.path.endsWith(id)) return relay(call)
      open = true
      call.socket.once('close', () => (open = false))
      return 'silence'
    }
    return { isOpen: () => open }
  }

  it('ends at a close, and so does its read', async () => {
    const [first] = simulator.routes.map(({ id }) => ({ id }))
    const { isOpen } = silent(first!.id)
    const failed = errorOf(gateway.routes.start(first!, { waitFor: 'applied' }))
    await until(() => isOpen() === true)
    await gateway.close()
    ;(await failed).should.match({ code: 'CLOSED', cause: { applied: 'maybe' } })
  })
})

const output = (name: string, port: number) => {
  return { name, protocol: 'udp', address: '239.1.1.2', port }
}
const NEW = {
  name: 'New',
  source: { name: 'New in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
  destinations: [output('one', 6000), output('two', 6001)],
}

/** Waits share the polls of a watch where they can. */
const watched = (): Promise<void> =>
  new Promise((resolve) => {
    gateway.watch({ onSnapshot: () => resolve() }, () => undefined)
  })

describe('waits for many changes beside a watch', () => {
  beforeEach(() => {
    liveInOwnTime()
    return relayed({ routes: 30 })
  })

  it('read no route by itself that the device shows', async () => {
    await watched()
    const ids = simulator.routes.filter(({ state }) => state === 'running').map(({ id }) => id)
    ids.length.should.be.above(5)
    // The device shows them one after the other.
    await Promise.all(
      ids.map(async (id, at) => {
        await pause(100 * at)
        await gateway.routes.stop({ id }, { waitFor: 'applied' })
      }),
    )
    for (const action of ['start', 'stop'] as const) {
      await Promise.all(ids.map((id) => gateway.routes[action]({ id }, { waitFor: 'applied' })))
    }
    const singles = appliance.calls.filter(({ what }) => /^GET .*\/routes\/[^/]+$/.test(what))
    singles.length.should.be.below(ids.length)
  })
})

describe('a new route', () => {
  /** Changes what a read of routes shows of the new one, the first three times that it is there. */
  const showLate = (change: (routes: Route[], time: number) => Route[]): void => {
    let times = 0
    appliance.reply = async (call) => {
      const answer = await relay(call)
      if (answer === 'cut' || call.method !== 'GET' || !call.path.includes('/routes')) return answer
      const body = JSON.parse(String(answer.text)) as Route & { data?: Route[] }
      const read = body.data ?? [body]
      if (!read.some(({ name }) => name === 'New') || times === 3) return answer
      const routes = change(read, times++)
      return { body: body.data ? { ...body, data: routes, numResults: routes.length } : routes[0] }
    }
  }
  beforeEach(() => {
    liveInOwnTime()
    return relayed({ routes: 2 })
  })

  it('that the device shows before the list does is not made twice', async () => {
    await watched()
    showLate((routes) => routes.filter(({ name }) => name !== 'New'))
    await gateway.routes.create(NEW, { waitFor: 'applied' })
    const ensured = await gateway.routes.ensure({ name: 'New', source: NEW.source })
    ensured.should.match({ action: 'none' })
    simulator.routes.filter(({ name }) => name === 'New').should.have.length(1)
  })

  it('that shows before its destinations do is not taken as created', async () => {
    showLate((routes, time) =>
      routes.map((one) =>
        one.name === 'New' ? { ...one, destinations: one.destinations.slice(0, time) } : one,
      ),
    )
    const { route } = await gateway.routes.create(NEW, { waitFor: 'applied' })
    route!.destinations.map(({ name }) => name).should.eql(['one', 'two'])
  })
})
