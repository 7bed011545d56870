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
})

const ROUTE = {
  name: 'Fault route',
  source: { name: 'Fault in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
}
