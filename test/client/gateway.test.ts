// The client for plain Node.js, as other programs use it.
import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  EVENTS,
  GatewayError,
  isGatewayError,
  type GatewayOptions,
  type WatchEvent,
} from '../../client'
import { type SimulatorOptions } from '../../simulator'
import { contentOf, root } from '../support/root'
import { connected, deviceId as device, program as gateway, simulator } from '../support/stage'
import { SLOW_CLOCK } from '../support/slow-clock'

describe('the gateway of plain Node.js', () => {
  const start = (options: SimulatorOptions = {}, own?: Partial<GatewayOptions>): Promise<void> =>
    connected({ routes: 3, applyDelay: 0, settleDelay: 0, ...options }, own)

  /** The calls since the last time, without those for the session. */
  let counted = 0
  const calls = (): string[] => {
    const latest = simulator.journal.slice(counted)
    counted = simulator.journal.length
    return latest
      .filter(({ path }) => path !== '/api/session')
      .map(({ method, path }) => `${method} ${path.replace(device, 'D')}`)
  }
  beforeEach(() => {
    counted = 0
  })

  const first = (): { id: string; name: string } => simulator.routes[0]!
  const part = { protocol: 'udp', address: '239.1.1.1' }
  const definition = (name: string) => ({
    name,
    source: { ...part, name: 'in', port: 5001 },
    destinations: [{ ...part, name: 'out', port: 5002 }],
  })
  const errorOf = async (work: Promise<unknown>): Promise<GatewayError> => {
    const outcome: unknown = await work.catch((error: unknown) => error)
    isGatewayError(outcome).should.be.true(String(outcome))
    return outcome as GatewayError
  }

  it('has a session', async () => {
    await start()
    ;(await gateway.session.start()).should.have.property('roles')
    ;(await gateway.session.info()).should.have.property('roles')
    simulator.openSessions.should.equal(1)
    ;(await gateway.session.end()).type.should.equal('Session')
    simulator.openSessions.should.equal(0)
    simulator.logins.should.equal(1)
    calls().should.eql([])
  })

  it('has devices, by default the only one, looked up once', async () => {
    await start()
    ;(await gateway.devices.list()).map(({ _id }) => _id).should.eql([device])
    ;(await gateway.devices.get())._id.should.equal(device)
    ;(await gateway.devices.get())._id.should.equal(device)
    ;(await gateway.devices.get({ deviceId: device }))._id.should.equal(device)
    calls().should.eql([
      'GET /api/devices',
      'GET /api/devices',
      ...Array.from({ length: 3 }, () => 'GET /api/devices/D'),
    ])
  })

  it('looks the only device up again when the appliance does not know it any more', async () => {
    await start()
    await gateway.devices.get()
    simulator.fault({ kind: 'status', status: 404, match: { path: '/api/devices/*' }, times: 1 })
    ;(await errorOf(gateway.devices.get())).code.should.equal('NOT_FOUND')
    calls()
    await gateway.devices.get()
    calls().should.eql(['GET /api/devices', 'GET /api/devices/D'])
  })

  it('reads routes', async () => {
    await start()
    ;(await gateway.routes.list()).data.should.have.length(3)
    ;(await gateway.routes.list({ page: 2, pageSize: 2 })).data.should.have.length(1)
    calls()
    ;(await gateway.routes.get({ id: first().id })).name.should.equal(first().name)
    calls().should.eql([`GET /api/gateway/D/routes/${first().id}`])
    ;(await gateway.routes.get({ name: first().name })).id.should.equal(first().id)
    calls().should.eql(['GET /api/gateway/D/routes', `GET /api/gateway/D/routes/${first().id}`])
    // A route as read has both, and counts by its ID.
    ;(await gateway.routes.get({ ...first(), name: 'another' })).id.should.equal(first().id)
    calls().should.eql([`GET /api/gateway/D/routes/${first().id}`])
  })

  it('creates, changes, starts, stops and deletes a route', async () => {
    await start()
    const waitFor = 'applied'
    const { route } = await gateway.routes.create(definition('New'), { waitFor, startRoute: true })
    route!.state!.should.equal('running')
    const named = { name: 'New' }
    const { id } = route!
    const patch = { source: { port: 5003 } }
    ;(await gateway.routes.update(named, patch, { waitFor })).route!.source.port!.should.equal(5003)
    ;(await gateway.routes.stop(named, { waitFor })).route!.state!.should.equal('idle')
    ;(await gateway.routes.start({ id }, { waitFor })).route!.state!.should.equal('running')
    ;(await gateway.routes.restart({ id }, { waitFor })).route!.state!.should.equal('running')
    const destination = { name: 'out' }
    const stopped = await gateway.routes.stop({ id }, { destination, waitFor })
    stopped.route!.destinations[0]!.started!.should.be.false()
    const { answer, routeId } = await gateway.routes.delete({ id }, { waitFor })
    answer.should.have.property('status')
    routeId.should.equal(id)
    simulator.routes.should.have.length(3)
    const writes = calls().filter((call) => call.startsWith('POST'))
    const [update, command] = ['POST /api/devices/D/updates', 'POST /api/devices/D/commands']
    const commands = Array.from({ length: 5 }, () => command)
    writes.should.eql([update, update, ...commands, update])
  })

  it('only accepts by default, and merges what it is given', async () => {
    await start({}, { clock: SLOW_CLOCK })
    const before = await gateway.routes.get({ id: first().id })
    calls()
    const done = await gateway.routes.update({ id: first().id }, { name: 'Renamed' })
    done.should.have.properties({ deviceId: device, routeId: first().id })
    done.should.not.have.property('route')
    calls().should.eql([`GET /api/gateway/D/routes/${first().id}`, 'POST /api/devices/D/updates'])
    const after = await gateway.routes.get({ id: first().id })
    after.name.should.equal('Renamed')
    after.destinations.should.have.length(before.destinations.length)
  })

  it('ensures one route, or a list', async () => {
    await start()
    const wanted = definition('Wanted')
    const planned = await gateway.routes.ensure(wanted, { check: true })
    planned.action.should.equal('create')
    calls()
      .filter((call) => call.startsWith('POST'))
      .should.eql([])
    ;(await gateway.routes.ensure(wanted)).changed.should.be.true()
    const rows = await gateway.routes.ensure([wanted, { id: first().id, name: first().name }])
    rows.map(({ changed }) => changed).should.eql([false, false])
    ;(await gateway.routes.ensure({ name: 'Wanted' }, { state: 'absent' })).changed.should.be.true()
    calls()
      .filter((call) => call.startsWith('POST'))
      .should.have.length(2)
  })

  it('plans, applies exactly that plan, and takes it back', async () => {
    await start()
    const wanted = [{ ...definition('Wanted'), state: 'running' }]
    const plan = await gateway.routes.plan(wanted, { state: 'row' })
    plan.summary.should.eql({ create: 1, update: 0, delete: 0, start: 0, stop: 0 })
    plan.text.should.match(/^1 to add, .*\n\+ "Wanted" {2}create and start\n/)
    plan.results[0]!.action.should.equal('create')
    const stale = gateway.routes.ensure(wanted, { state: 'row', planId: 'another' })
    await stale.should.be.rejectedWith({ code: 'CONFLICT' })
    const gone = gateway.routes.undo()
    await gone.should.be.rejectedWith({ code: 'NOT_FOUND' })
    calls()
      .filter((call) => call.startsWith('POST'))
      .should.eql([])
    const [row] = await gateway.routes.ensure(wanted, { state: 'row', planId: plan.id })
    row!.should.match({ action: 'create', after: { state: 'running' } })
    const { results } = await gateway.routes.undo()
    results.map(({ action }) => action).should.eql(['delete'])
    const { data } = await gateway.routes.list()
    data.some(({ name }) => name === 'Wanted').should.be.false()
  })

  it('reads statistics', async () => {
    await start()
    const running = simulator.routes.find(({ state }) => state === 'running')!
    const route = { id: running.id }
    const [destination] = running.destinations
    ;(await gateway.statistics.get({ name: running.name })).should.have.property('route')
    ;(await gateway.statistics.get(route, { source: true })).should.have.property('source')
    const of = { destination: { name: destination!.name } }
    ;(await gateway.statistics.get(route, of)).should.have.property('destination')
    ;(await gateway.statistics.all()).length.should.be.above(0)
    const client = { address: '10.0.0.1' }
    const error = await errorOf(gateway.statistics.get(route, { client }))
    error.code.should.equal('INVALID_INPUT')
    calls()
    await gateway.statistics.get(route, { ...of, client }).catch(isGatewayError)
    calls().at(-1)!.should.equal('GET /api/gateway/D/statistics/client')
  })

  it('exports and imports a preset', async () => {
    await start()
    const preset = await gateway.presets.export()
    preset.should.have.property('preset_version')
    ;(await gateway.presets.import(JSON.stringify(preset))).should.have.property('type')
    calls().should.eql([
      'GET /api/devices',
      'GET /api/gateway/D/system/preset',
      'POST /api/gateway/D/system/preset',
    ])
  })

  it('watches, until it is ended or its signal is aborted', async () => {
    await start({}, { pollInterval: 1000 })
    const { signal, abort } = abortable()
    const seen: WatchEvent[] = []
    const aborted: WatchEvent[] = []
    const known = new Promise<void>((resolve) => {
      gateway.watch({ signal, onSnapshot: () => resolve() }, (events) => aborted.push(...events))
    })
    await known
    abort()
    const changed = new Promise<() => void>((resolve) => {
      const end = gateway.watch(
        {
          events: ['route.added'],
          onSnapshot: () => void gateway.routes.create(definition('Seen')),
        },
        (events) => {
          seen.push(...events)
          resolve(end)
        },
      )
    })
    const end = await changed
    end()
    end()
    seen.map(({ event, route }) => [event, route!.name]).should.eql([['route.added', 'Seen']])
    aborted.should.eql([])
    ;(() => gateway.watch({ signal }, () => undefined)).should.throw({ code: 'CLOSED' })
    EVENTS.should.containEql('route.added')
  })

  it('ends its watches when it is closed: no event, and no listener at the signal', async () => {
    await start()
    const events: WatchEvent[] = []
    const { signal } = new AbortController()
    await new Promise<void>((resolve) => {
      gateway.watch({ signal, holdFor: 60_000, onSnapshot: () => resolve() }, (each) => {
        events.push(...each)
      })
    })
    getEventListeners(signal, 'abort').should.have.length(1)
    simulator.renameRoute(simulator.routes[0]!.id, 'Renamed')
    await gateway.close()
    getEventListeners(signal, 'abort').should.have.length(0)
    events.should.eql([])
  })

  describe('a call that is aborted', () => {
    it('before it begins sends nothing', async () => {
      await start()
      const signal = AbortSignal.abort()
      const error = await errorOf(gateway.routes.delete({ id: first().id }, { signal }))
      error.code.should.equal('CLOSED')
      error.cause.should.containEql({ operation: 'delete-route', applied: 'no' })
      simulator.journal.should.have.length(0)
    })

    it('while it reads rejects at once', async () => {
      await start()
      simulator.fault({ kind: 'hang', match: { path: '/api/devices' } })
      const { signal, abort } = abortable()
      const error = errorOf(gateway.devices.list({ signal }))
      await until(() => calls().length === 1)
      abort()
      ;(await error).cause.should.containEql({ code: 'CLOSED', applied: 'no', retryable: true })
    })

    it('while a change is on its way says that it may have been applied', async () => {
      await start()
      await gateway.devices.get()
      simulator.fault({ kind: 'hang-after', match: { method: 'POST', path: '/api/devices/*' } })
      const { signal, abort } = abortable()
      const error = errorOf(gateway.routes.delete({ id: first().id }, { signal }))
      await until(() => simulator.journal.at(-1)!.method === 'POST')
      abort()
      ;(await error).cause.should.containEql({ code: 'CLOSED', applied: 'maybe', retryable: false })
    })

    it('while it waits for a change to show says so too', async () => {
      await start({ applyDelay: 60_000 })
      const { signal, abort } = abortable()
      const options = { signal, waitFor: 'applied' } as const
      const error = errorOf(gateway.routes.update({ id: first().id }, { name: 'Late' }, options))
      await until(() =>
        simulator.journal.some(
          ({ method, path }) => method === 'POST' && path.endsWith('/updates'),
        ),
      )
      abort()
      ;(await error).cause.should.containEql({ code: 'CLOSED', applied: 'maybe' })
    })

    it('after it has ended is not touched', async () => {
      await start()
      const { signal, abort } = abortable()
      const { data } = await gateway.routes.list({ signal })
      abort()
      data.should.have.length(3)
      ;(await errorOf(gateway.routes.list({ signal }))).code.should.equal('CLOSED')
    })

    it('shares one listener with all calls of its signal, and removes it after the last', async () => {
      await start()
      const { signal, abort } = abortable()
      const warnings: Error[] = []
      const warned = (warning: Error): void => void warnings.push(warning)
      process.on('warning', warned)
      try {
        simulator.fault({ kind: 'hang', match: { path: '/api/devices' }, times: 8 })
        const all = Array.from({ length: 200 }, () => errorOf(gateway.devices.list({ signal })))
        getEventListeners(signal, 'abort').should.have.length(1)
        abort()
        const codes = new Set((await Promise.all(all)).map(({ code }) => code))
        ;[...codes].should.eql(['CLOSED'])
        await new Promise((resolve) => setImmediate(resolve))
      } finally {
        process.off('warning', warned)
      }
      warnings.should.eql([])
      getEventListeners(signal, 'abort').should.have.length(0)
    })
  })

  it('makes a file of a route with one redundant path that the gateway does not list', async () => {
    await start({ dialect: { bondingInResponse: false } })
    const listener = { name: 'in', protocol: 'srt', srtMode: 'listener', srtGroupMode: 'broadcast' }
    const wanted = {
      ...definition('One path'),
      source: { ...listener, srtNetworkBondingParams: [{ address: '0.0.0.0', port: 5001 }] },
    }
    const actionOf = async (row: { name: string }) => (await gateway.routes.ensure(row)).action
    ;(await actionOf(wanted)).should.equal('create')
    ;(await actionOf(wanted)).should.equal('none')
    const file = (await gateway.routes.definitions()).find(({ name }) => name === wanted.name)!
    const { state: _state, ...exported } = file
    ;(await actionOf(exported)).should.equal('none')
    ;(await actionOf(await gateway.routes.get({ name: wanted.name }))).should.equal('none')
    const moved = { name: wanted.name, source: { port: 5002 } }
    const { cause } = await errorOf(gateway.routes.ensure(moved))
    cause.problems!.map(({ path }) => path).should.eql(['source.port'])
  })

  it('says by a route without id and name what is wrong with it', async () => {
    await start()
    const error = await errorOf(gateway.routes.get({} as never))
    error.cause.problems!.should.eql([
      { path: 'route', problem: 'is an object; it must be {id} or {name}' },
    ])
    simulator.journal.should.have.length(0)
  })

  it('knows the errors of another copy of the package', async () => {
    await start()
    const path = require.resolve('../../client/errors')
    const loaded = require.cache[path]
    delete require.cache[path]
    const copy = require(path) as typeof import('../../client/errors')
    require.cache[path] = loaded
    const other = copy.closedError()
    ;(other instanceof GatewayError).should.be.false()
    isGatewayError(other).should.be.true()
    isGatewayError(await errorOf(gateway.routes.get({ id: 'x' }))).should.be.true()
    for (const no of [undefined, null, 'x', new Error('x'), { name: 'GatewayError', code: 'X' }]) {
      isGatewayError(no).should.be.false()
    }
  })

  it('runs the example of its docstring', async () => {
    await start()
    const source = contentOf('client/gateway.ts')
    const [, example = ''] = /@example\n([^]*?)\n \*\//.exec(source)!
    const code = example
      .replaceAll(/^ \* ?/gm, '')
      .replace('https://gateway.example', simulator.url)
    const run = `const { openGateway } = require(${JSON.stringify(join(root, 'dist/client'))})
      ;(async () => { ${code} })()`
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', run])
    for (const { name } of simulator.routes) stdout.should.containEql(name)
  })
})

function abortable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; turns < 500; turns++) {
    if (condition()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('the condition was not met within 5 s')
}
