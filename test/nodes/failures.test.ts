// What the editor gets of a failure: sentences that it has in its own language.
import { controlRoute } from '../../client/changes/control'
import { getRoute } from '../../client/api/routes'
import { Operation } from '../../client/connection/operation'
import { type Connection } from '../../client/connection/connection'
import { startSession } from '../../client/api/session'
import { SENTENCES } from '../../client/sentences'
import { failureOf } from '../../nodes/gateway/admin/failure'
import { lookUp } from '../../nodes/gateway/admin/lookup'
import { startSimulator, type Fault, type FaultKind, type Simulator } from '../../simulator'
import { EFFECTS } from '../../simulator/faults'
import { errorOf } from '../support/errors'
import { connectTo } from '../support/connect'

const FORMS: Partial<Record<FaultKind, Array<Partial<Fault>>>> = {
  giant: [{ bytes: 300_000 }],
  status: [400, 401, 403, 404, 409, 429, 500, 503].map((status) => ({ status })),
}

const FAULTS: Fault[] = (Object.keys(EFFECTS) as FaultKind[])
  .filter((kind) => kind !== 'latency' && kind !== 'content-type')
  .flatMap((kind) => (FORMS[kind] ?? [{}]).map((form) => ({ kind, ...form })))

/** The calls that a fault strikes. */
const PLACES: Record<string, Fault['match']> = {
  'every call': {},
  'the login': { method: 'POST', path: '/api/session' },
  'what is read': { method: 'GET', path: /devices|routes/ },
  'the change': { method: 'POST', path: /commands|updates/ },
}

describe('a failure in the editor', function () {
  this.timeout(60_000)
  let simulator: Simulator
  before(async () => {
    simulator = await startSimulator({ routes: 5 })
  })
  after(() => simulator.stop())

  /** What the editor requests of the gateway. */
  const requests: Record<string, (gateway: Connection) => Promise<unknown>> = {
    'test connection': (gateway) => startSession(gateway, new Operation('test-connection')),
    'a picker': (gateway) => lookUp(gateway, undefined, 'en-US'),
    'a definition': (gateway) =>
      getRoute(gateway, { deviceId: deviceId(), routeId: routeId() }, new Operation('get-route')),
    'the sidebar': (gateway) =>
      controlRoute(
        gateway,
        {
          deviceId: deviceId(),
          routeId: routeId(),
          action: 'stop',
          waitFor: 'applied',
          waitTimeout: 300,
        },
        new Operation('control-route'),
      ),
  }
  const deviceId = (): string => simulator.devices[0]!._id
  const routeId = (): string => simulator.routes[0]!.id

  for (const [where, match] of Object.entries(PLACES)) {
    it(`has a key for each sentence, whatever strikes ${where}`, async () => {
      const { host } = new URL(simulator.url)
      let failures = 0
      for (const fault of FAULTS) {
        const struck = Object.values(requests).map(async (request) => {
          const gateway = connectTo(simulator, { timeout: 150, maxAnswerBytes: 256 * 1024 })
          const error = await errorOf(request(gateway)).catch(() => undefined)
          await gateway.close()
          if (!error) return
          failures++
          const { sentences, message } = failureOf(error, host)
          for (const sentence of sentences) {
            const { key } = sentence as { key: keyof typeof SENTENCES }
            should(SENTENCES).have.property(key)
          }
          message.should.containEql(host)
          message.should.not.match(/__|undefined|unknown request/)
        })
        const end = simulator.fault(Object.assign({ match }, fault))
        await Promise.all(struck)
        end()
      }
      failures.should.be.above(20)
    })
  }

  it('says nothing of what is not known to the package', () => {
    const { message } = failureOf(new Error('a secret of the gateway'), 'gw1.example.com')
    message.should.startWith('The response of gw1.example.com could not be processed')
    message.should.not.containEql('secret')
  })
})
