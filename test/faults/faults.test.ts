import 'should'
import { startSimulator, type Simulator } from '../../simulator'
import { ACTIONS, failure, load, result, send, unload, type Message } from '../support/flow'
import { freePort } from '../support/ports'
import { until } from '../support/until'

/** Besides the matrix of test/faults: what takes several messages, or more than one fault. */
describe('with a faulty appliance', () => {
  let simulator: Simulator
  let deviceId: string
  let messages: Record<string, Message>

  beforeEach(async () => {
    simulator = await startSimulator({ port: await freePort(), routes: 3 })
    deviceId = simulator.devices[0]!._id
    const routeId = simulator.routes[0]!.id
    messages = {
      'get-device': { deviceId },
      'list-routes': { deviceId },
      'get-route': { deviceId, routeId },
      'create-route': { deviceId, payload: ROUTE },
      'update-route': { deviceId, routeId, payload: { name: 'Renamed' } },
    }
  })
  afterEach(async () => {
    await unload()
    await simulator.stop()
  })

  it('that is off gives UNAVAILABLE, and all is well when it comes back', async () => {
    await load(simulator.url)
    await simulator.stop()
    for (const node of ACTIONS) {
      const error = await failure(node, messages[node])
      error.should.match({ code: 'UNAVAILABLE', cause: { retryable: true } })
    }
    await simulator.start()
    await until(async () => (await send('list-devices')).messages.length === 1)
  })

  it('that goes off in between gives UNAVAILABLE for reads and for writes', async () => {
    await load(simulator.url)
    await result('list-devices')
    await simulator.stop()
    for (const node of ACTIONS) {
      ;(await failure(node, messages[node])).code.should.equal('UNAVAILABLE')
    }
    await simulator.start()
    await result('list-routes')
  })

  it('that answers 300 MB is not read to the end, and memory stays', async () => {
    await load(simulator.url)
    await result('list-devices')
    simulator.fault({ kind: 'giant' })
    const before = process.memoryUsage().rss
    const error = await failure('list-devices')
    error.code.should.equal('BAD_RESPONSE')
    error.message.should.match(/larger than 1 MiB/)
    ;(process.memoryUsage().rss - before).should.be.below(300 * 1024 * 1024)
    simulator.clearFaults()
    await result('list-devices')
  })

  it('that says JSON is plain text is understood all the same', async () => {
    await load(simulator.url)
    simulator.fault({ kind: 'content-type' })
    await result('list-routes', messages['list-routes'])
  })

  for (const kind of ['reset', 'reset-after', 'truncate'] as const) {
    it(`a read whose answer is lost (${kind}) is asked again and answered`, async () => {
      await load(simulator.url)
      await result('list-devices')
      simulator.fault({ kind, times: 1 })
      const { gateway } = await result('list-routes', messages['list-routes'])
      gateway!.requests!.should.equal(2)
    })
  }

  for (const status of [502, 503, 504]) {
    it(`a read answered ${status} once is asked again, a write is not`, async () => {
      await load(simulator.url)
      await result('list-devices')
      simulator.fault({ kind: 'status', status, times: 1 })
      await result('list-routes', messages['list-routes'])
      simulator.fault({ kind: 'status', status, times: 1 })
      const error = await failure('create-route', messages['create-route'])
      error.should.match({ code: 'UNAVAILABLE', cause: { statusCode: status, retryable: false } })
    })
  }

  it('a write whose answer is lost is sent once, and applied at most once', async () => {
    await load(simulator.url)
    await result('list-devices')
    simulator.fault({ kind: 'reset-after', match: { action: 'create' } })
    const error = await failure('create-route', messages['create-route'])
    error.should.match({
      code: 'OUTCOME_UNKNOWN',
      cause: { code: 'OUTCOME_UNKNOWN', retryable: false },
    })
    error.message.should.match(/may or may not have been applied/)
    await simulator.settle()
    simulator.routes.filter(({ name }) => name === ROUTE.name).should.have.length(1)
    simulator.journal.filter(({ path }) => path.endsWith('/updates')).should.have.length(1)
  })

  it('a write answered with something else may have been applied, and the error says so', async () => {
    await load(simulator.url)
    await result('list-devices')
    for (const kind of ['array', 'invalid-json', 'html'] as const) {
      simulator.fault({ kind, match: { action: 'create' }, times: 1 })
      const error = await failure('create-route', messages['create-route'])
      error.should.match({ code: 'BAD_RESPONSE', cause: { retryable: false } })
      error.message.should.match(/may or may not have been applied/)
    }
  })

  it('calls that wait behind a hanging appliance end with it', async () => {
    await load(simulator.url, {}, { gateway: { timeout: 200, concurrency: 2 } })
    // So short a timeout may end the login too.
    await until(async () => (await send('list-devices')).messages.length === 1)
    simulator.fault({ kind: 'hang' })
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => send('list-devices')))
    for (const { caught, done } of outcomes) {
      caught!.error.code.should.equal('TIMEOUT')
      done.should.equal(1)
    }
    simulator.journal.filter(({ fault }) => fault).length.should.be.below(20)
  })

  it('the words of the appliance are passed on, without a secret that it repeats', async () => {
    await load(simulator.url)
    await result('list-devices')
    const body = {
      error: { type: 'Invalid', message: 'bad pass phrase top-secret-phrase, manager' },
    }
    simulator.fault({ kind: 'status', status: 400, body, match: { method: 'POST' } })
    const source = { ...ROUTE.source, protocol: 'srt', srtMode: 'listener' }
    const payload = { ...ROUTE, source: { ...source, srtPassPhrase: 'top-secret-phrase' } }
    const error = await failure('create-route', { deviceId, payload })
    error.should.match({ code: 'REJECTED', cause: { statusCode: 400, applianceType: 'Invalid' } })
    const everything = JSON.stringify([error.message, error.cause])
    everything.should.match(/bad pass phrase ••••••, ••••••/)
    everything.should.not.match(/top-secret-phrase|manager/)
  })

  it('a role that may not do it gives FORBIDDEN', async () => {
    await load(simulator.url, {}, { credentials: { username: 'user', password: 'public' } })
    const error = await failure('create-route', messages['create-route'])
    error.code.should.equal('FORBIDDEN')
    error.message.should.match(/Observer.*requires Operator/)
    simulator.journal.filter(({ path }) => path.endsWith('/updates')).should.have.length(0)
    await result('list-routes', messages['list-routes'])
    simulator.logins.should.equal(1)
  })

  it('where the roles cannot be found out, the appliance decides', async () => {
    await load(simulator.url, {}, { credentials: { username: 'user', password: 'public' } })
    simulator.fault({ kind: 'status', status: 500, match: { method: 'GET', path: '/api/session' } })
    const error = await failure('create-route', messages['create-route'])
    error.should.match({ code: 'FORBIDDEN', cause: { applianceType: 'SessionAuthorization' } })
    simulator.journal.filter(({ path }) => path.endsWith('/updates')).should.have.length(1)
    simulator.logins.should.equal(1)
  })

  it('that does not answer the question about the session is worked with all the same', async () => {
    await load(simulator.url)
    simulator.fault({ kind: 'status', status: 404, match: { method: 'GET', path: '/api/session' } })
    await result('list-routes', messages['list-routes'])
    ;(await failure('get-route', { deviceId, routeId: 'none' })).code.should.equal('NOT_FOUND')
    await result('create-route', messages['create-route'])
    simulator.logins.should.equal(1)
  })

  it('an unknown route or device gives NOT_FOUND', async () => {
    await load(simulator.url)
    ;(await failure('get-route', { deviceId, routeId: 'none' })).code.should.equal('NOT_FOUND')
    ;(await failure('get-device', { deviceId: 'none' })).code.should.equal('NOT_FOUND')
    const update = { deviceId, routeId: 'none', payload: { name: 'New' } }
    ;(await failure('update-route', update)).code.should.equal('NOT_FOUND')
    simulator.logins.should.equal(1)
  })
})

const ROUTE = {
  name: 'Fault route',
  source: { name: 'Fault in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
}
