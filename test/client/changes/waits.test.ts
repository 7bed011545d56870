import 'should'
import type { Gateway, Route } from '../../../client'
import { startSimulator, type Simulator } from '../../../simulator'
import { errorOf } from '../../support/errors'
import { liveInOwnTime } from '../../support/own-time'
import { ScriptedAppliance, passOn } from '../../support/scripted-appliance'
import { until } from '../../support/until'
import { endEach, gatewayAt } from '../../support/connect'

/** Waits for changes of one device share their polls. */
describe('a wait beside a read that hangs', () => {
  let simulator: Simulator
  let appliance: ScriptedAppliance
  let gateway: Gateway

  beforeEach(async () => {
    liveInOwnTime()
    simulator = await startSimulator({ routes: 3 })
    appliance = new ScriptedAppliance((call) => passOn(call, simulator.url + call.url))
    await appliance.start()
    gateway = gatewayAt(appliance)
    await gateway.devices.list()
  })
  afterEach(() => endEach(gateway, appliance, simulator))

  it('is over as soon as its own change shows', async () => {
    const [first, second] = simulator.routes.map(({ id }) => ({ id }))
    let hangs = 0
    appliance.reply = (call) => {
      const isRead = call.method === 'GET' && call.path.endsWith(first!.id)
      if (isRead && ++hangs === 1) return 'silence'
      return passOn(call, simulator.url + call.url)
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
      if (call.method !== 'GET' || !call.path.endsWith(first!.id))
        return passOn(call, simulator.url + call.url)
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
      if (call.method !== 'GET' || !call.path.endsWith(id))
        return passOn(call, simulator.url + call.url)
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

describe('a new route that the configuration of the device shows before the list does', () => {
  let simulator: Simulator
  let appliance: ScriptedAppliance
  let gateway: Gateway
  const NEW = {
    name: 'New',
    source: { name: 'New in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
    destinations: [],
  }

  beforeEach(async () => {
    liveInOwnTime()
    simulator = await startSimulator({ routes: 2 })
    let late = 0
    appliance = new ScriptedAppliance(async (call) => {
      const answer = await passOn(call, simulator.url + call.url)
      if (answer === 'cut' || call.method !== 'GET' || !call.path.endsWith('/routes')) return answer
      const list = JSON.parse(String(answer.text)) as { data: Array<{ name: string }> }
      const data = list.data.filter(({ name }) => name !== 'New')
      if (data.length === list.data.length || ++late > 3) return answer
      return { body: { ...list, data, numResults: data.length, pendingRouteCreates: 0 } }
    })
    await appliance.start()
    gateway = gatewayAt(appliance)
    // Waits share the polls of a watch where they can.
    await new Promise<void>((resolve) => {
      gateway.watch({ onSnapshot: () => resolve() }, () => undefined)
    })
  })
  afterEach(() => endEach(gateway, appliance, simulator))

  for (const waitFor of ['accepted', 'applied'] as const) {
    it(`is not made twice: create until ${waitFor}, then ensure`, async () => {
      await gateway.routes.create(NEW, { waitFor })
      const ensured = await gateway.routes.ensure({ name: 'New', source: NEW.source })
      ensured.should.match({ action: 'none' })
      simulator.routes.filter(({ name }) => name === 'New').should.have.length(1)
    })
  }
})

describe('a new route that shows before its destinations do', () => {
  let simulator: Simulator
  let appliance: ScriptedAppliance
  let gateway: Gateway
  const output = (name: string, port: number) => ({
    name,
    protocol: 'udp',
    address: '239.1.1.2',
    port,
  })
  const NEW = {
    name: 'New',
    source: { name: 'New in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
    destinations: [output('one', 6000), output('two', 6001)],
  }

  beforeEach(async () => {
    liveInOwnTime()
    simulator = await startSimulator({ routes: 2 })
    let early = 0
    appliance = new ScriptedAppliance(async (call) => {
      const answer = await passOn(call, simulator.url + call.url)
      if (answer === 'cut' || call.method !== 'GET' || !call.path.includes('/routes')) return answer
      const body = JSON.parse(String(answer.text)) as Route & { data?: Route[] }
      const made = (body.data ?? [body]).find(({ name }) => name === 'New')
      if (!made || ++early > 3) return answer
      made.destinations = made.destinations.slice(0, early - 1)
      return { body }
    })
    await appliance.start()
    gateway = gatewayAt(appliance)
  })
  afterEach(() => endEach(gateway, appliance, simulator))

  it('is not taken as created', async () => {
    const { route } = await gateway.routes.create(NEW, { waitFor: 'applied' })
    route!.destinations.map(({ name }) => name).should.eql(['one', 'two'])
  })
})
