// Protected routes: what changes, stops or deletes one needs its name.
import {
  openGateway,
  type ConfirmOptions,
  type Gateway,
  type GatewayError,
  type GatewayOptions,
} from '../../../client'
import { startSimulator, type Simulator } from '../../../simulator'
import { errorOf } from '../../support/errors'
import { endEach } from '../../support/connect'
import { SLOW_CLOCK } from '../../support/slow-clock'

const NAME = 'On air, 1'
const PATTERNS = [' ON AIR* ', '', 'Studio ?']

const part = (name: string, port: number) => ({ name, protocol: 'udp', address: '239.1.1.1', port })
const definition = (name: string, port = 5001) => ({
  name,
  source: part('in', port),
  destinations: [part('out', port + 1000)],
})

describe('a protected route', () => {
  let simulator: Simulator
  let gateway: Gateway
  let device: string
  let counted: number

  beforeEach(async () => {
    const routes = [NAME, 'Free'].map((name, index) => ({
      id: `route-${index}`,
      startRoute: true,
      ...definition(name, 6001 + index),
    }))
    simulator = await startSimulator({ routes, applyDelay: 0, settleDelay: 0 })
    device = simulator.devices[0]!._id
    gateway = open(PATTERNS)
  })
  afterEach(() => endEach(gateway, simulator))

  function open(protectedRoutes?: readonly string[], own: Partial<GatewayOptions> = {}): Gateway {
    counted = 0
    const account = { username: 'haiadmin', password: 'manager' }
    return openGateway({ baseUrl: simulator.url, ...account, protectedRoutes, ...own })
  }

  /** The calls since the last time, without those for the session and for the only device. */
  const calls = (): string[] => {
    const latest = simulator.journal.slice(counted)
    counted = simulator.journal.length
    return latest
      .filter(({ path }) => path !== '/api/session' && path !== '/api/devices')
      .map(({ method, path }) => `${method} ${path.replace(device, 'D')}`)
  }
  const writes = (): string[] => calls().filter((call) => call.startsWith('POST'))

  const onAir = { id: 'route-0' }
  const whole = () => {
    const { source, destinations } = simulator.routes[0]!
    const { id } = destinations[0]!
    return {
      name: NAME,
      source: { id: source.id, ...part('in', 5003) },
      destinations: [{ id, ...part('out', 5004) }],
    }
  }
  const preset = { preset_version: '1', routes: [definition('Another')] }
  const out = { destination: { name: 'out' } }

  it('is one already while its new name does not show', async () => {
    simulator.setOptions({ applyDelay: 1500 })
    const free = { id: 'route-1' }
    await gateway.routes.update(free, { name: 'On air, 2' })
    const change = gateway.routes.delete(free)
    ;(await errorOf(change)).code.should.equal('READ_ONLY')
    await simulator.settle()
    simulator.routes.should.have.length(2)
  })

  type Work = (options: ConfirmOptions) => Promise<unknown>
  const REFUSED: Record<string, Work> = {
    'an update': (options) => gateway.routes.update(onAir, { source: { port: 5003 } }, options),
    'an update by its name': (options) =>
      gateway.routes.update({ name: NAME }, { source: { port: 5003 } }, options),
    'an update that replaces it': (options) =>
      gateway.routes.update(onAir, whole(), { mode: 'replace', ...options }),
    'a rename': (options) => gateway.routes.update(onAir, { name: 'Free to change' }, options),
    'a delete': (options) => gateway.routes.delete(onAir, options),
    'a stop': (options) => gateway.routes.stop(onAir, options),
    'a stop of a destination': (options) => gateway.routes.stop(onAir, { ...out, ...options }),
    'a restart': (options) => gateway.routes.restart(onAir, options),
    'a restart of a destination': (options) =>
      gateway.routes.restart(onAir, { ...out, ...options }),
    'an ensure that changes it': (options) =>
      gateway.routes.ensure({ name: NAME, source: { port: 5003 } }, options),
    'an ensure that renames it': (options) =>
      gateway.routes.ensure({ ...onAir, name: 'Free to change' }, options),
    'an ensure that stops it': (options) =>
      gateway.routes.ensure({ name: NAME }, { state: 'stopped', ...options }),
    'an ensure that deletes it': (options) =>
      gateway.routes.ensure({ name: NAME }, { state: 'absent', ...options }),
    'an ensure of a list with it': (options) =>
      gateway.routes.ensure([definition('New'), { name: NAME, source: { port: 5003 } }], options),
    'an import of a preset': (options) => gateway.presets.import(preset, options),
  }
  const WRONG = [undefined, true, 'On air', 'on air, 1', 'On air*', `${NAME} `, [], ['Free'], {}]

  for (const [what, work] of Object.entries(REFUSED)) {
    it(`refuses ${what}, unless it is confirmed by the name`, async () => {
      for (const confirmProtected of WRONG) {
        const error = await errorOf(work({ confirmProtected: confirmProtected as string }))
        refuses(error, NAME)
      }
      writes().should.eql([])
      await work({ confirmProtected: ['Free', NAME] })
      writes().length.should.be.above(0)
    })
  }

  function refuses({ code, cause, message }: GatewayError, ...names: string[]): void {
    code.should.equal('READ_ONLY', message)
    cause.should.containEql({ applied: 'no', retryable: false })
    for (const name of names) message.should.containEql(`"${name}"`)
    const host = new URL(simulator.url).host
    message.should.containEql(host).and.match(/protected by .*Nothing was changed\. .*confirmProt/)
  }

  it('takes its name as a text too', async () => {
    await gateway.routes.stop(onAir, { confirmProtected: NAME, waitFor: 'applied' })
    simulator.routes[0]!.state.should.equal('idle')
  })

  it('says what it is in one sentence each', async () => {
    const { message } = await errorOf(gateway.routes.stop(onAir))
    message.should.equal(
      `Route "${NAME}" is protected by the option protectedRoutes of the gateway ${new URL(simulator.url).host}. Nothing was changed. To override, set the option confirmProtected to "${NAME}".`,
    )
  })

  it('may be created and started', async () => {
    await gateway.routes.create(definition('On air, 2'))
    await gateway.routes.ensure(definition('On air, 3', 5101))
    await gateway.routes.stop(onAir, { confirmProtected: NAME, waitFor: 'applied' })
    await gateway.routes.start(onAir, { waitFor: 'applied' })
    await gateway.routes.start(onAir, out)
    await gateway.routes.stop(onAir, { confirmProtected: NAME, waitFor: 'applied' })
    ;(await gateway.routes.ensure({ name: NAME }, { state: 'started' })).action.should.equal(
      'start',
    )
    ;(await gateway.routes.ensure({ name: NAME })).action.should.equal('none')
    simulator.routes.should.have.length(4)
  })

  it('is the one that has the name now', async () => {
    simulator.routes[0]!.name = 'Retired'
    simulator.routes[1]!.name = 'Studio 1 '
    await gateway.routes.delete(onAir)
    refuses(await errorOf(gateway.routes.delete({ id: 'route-1' })), 'Studio 1 ')
    await gateway.routes.delete({ id: 'route-1' }, { confirmProtected: 'Studio 1 ' })
  })

  it('is read in its turn: after a change that was sent before', async () => {
    const renamed = gateway.routes.update(
      { id: 'route-1' },
      { name: 'On air, 2' },
      { waitFor: 'applied' },
    )
    const error = await errorOf(gateway.routes.stop({ id: 'route-1' }))
    await renamed
    refuses(error, 'On air, 2')
  })

  it('is one by the name that it still shows, while its new name is on the way', async () => {
    simulator.setOptions({ applyDelay: 60_000, dialect: { pendingChanges: false } })
    await gateway.routes.update(onAir, { name: 'Free to change' }, { confirmProtected: NAME })
    refuses(await errorOf(gateway.routes.update(onAir, { source: { port: 5003 } })), NAME)
  })

  it('is in a plan that changes nothing', async () => {
    const wanted = [{ name: NAME, source: { port: 5003 } }]
    const [row] = await gateway.routes.ensure(wanted, { check: true })
    row!.action.should.equal('update')
    writes().should.eql([])
  })

  it('and others are all named', async () => {
    simulator.routes[1]!.name = 'Studio 1'
    const rows = [NAME, 'Studio 1'].map((name) => ({ name, source: { port: 5003 } }))
    const works: Work[] = [
      (options) => gateway.routes.ensure(rows, { validate: false, ...options }),
      (options) => gateway.presets.import(preset, options),
    ]
    for (const work of works) {
      refuses(await errorOf(work({ confirmProtected: NAME })), NAME, 'Studio 1')
    }
    writes().should.eql([])
    for (const work of works) await work({ confirmProtected: [NAME, 'Studio 1'] })
  })

  it('that gets its name after an ensure has planned refuses its row', async () => {
    let reads = 0
    const end = simulator.onCall(({ method, path }) => {
      const isRead = method === 'GET' && path.includes('/routes')
      if (isRead && ++reads === 2) simulator.routes[1]!.name = NAME
    })
    const rows = [definition('New', 5301), { id: 'route-1', source: { port: 5003 } }]
    const [made, refused] = await gateway.routes.ensure(rows)
    end()
    made!.action.should.equal('create')
    should(refused).containDeep({ changed: false, action: [], error: { code: 'READ_ONLY' } })
    simulator.routes[1]!.source.port!.should.not.equal(5003)
  })

  it('may be among routes that are not listed: a preset is not imported then', async () => {
    simulator.routes[0]!.name = 'Retired'
    simulator.fault({
      kind: 'status',
      status: 200,
      body: { data: [simulator.routes[1]], numResults: 2, numPages: 1 },
      match: { path: '*/routes' },
    })
    const error = await errorOf(gateway.presets.import(preset))
    error.code.should.equal('BAD_RESPONSE')
    error.message.should.match(/Routes that are not listed may be protected/)
    writes().should.eql([])
  })

  for (const patterns of [undefined, [], ['', ' '], ['Nothing like that']]) {
    const isOn = patterns?.[0]?.startsWith('Nothing')
    it(`costs ${isOn ? 'a read' : 'no call'} with the patterns ${JSON.stringify(patterns)}`, async () => {
      await gateway.close()
      gateway = open(patterns, { clock: SLOW_CLOCK })
      const works: Array<[read: string, write: string, work: () => Promise<unknown>]> = [
        ['/route-0', 'devices/D/commands', () => gateway.routes.stop(onAir)],
        [
          '/route-0',
          'devices/D/updates',
          () => gateway.routes.update(onAir, whole(), { mode: 'replace' }),
        ],
        ['/route-1', 'devices/D/updates', () => gateway.routes.delete({ id: 'route-1' })],
        ['', 'gateway/D/system/preset', () => gateway.presets.import(preset)],
      ]
      for (const [read, write, work] of works) {
        calls()
        await work()
        const reads = isOn ? [`GET /api/gateway/D/routes${read}`] : []
        // Whether another route shares an output is a matter of its own.
        const isShareable = write.endsWith('updates') ? ['GET /api/gateway/D/routes'] : []
        calls().should.eql([...reads, ...isShareable, `POST /api/${write}`])
      }
    })
  }

  it('needs a list of patterns', () => {
    for (const patterns of ['On air*', [5], {}, true]) {
      should(() => open(patterns as never)).throw({ code: 'CONFIG', message: /name patterns/ })
    }
  })
})
