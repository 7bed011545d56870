import { controlRoute } from '../../client/changes/control'
import { listDevices } from '../../client/api/devices'
import { Operation } from '../../client/connection/operation'
import { connectTo } from '../support/connect'
import { errorOf } from '../support/errors'
import { FakeTime } from '../support/fake-time'
import type { Reply } from '../support/scripted-appliance'
import { pause } from '../support/until'
import { R, logins, oddAppliance } from './strange-support'

describe('an appliance that behaves otherwise', () => {
  const appliance = oddAppliance()
  const { calls, logged } = appliance
  const list = (of = appliance.gateway) => of.devices.list()
  const write = () => appliance.gateway.routes.start(R, { deviceId: 'D' })

  const refusals: Array<[string, Reply]> = [
    [
      'an empty cookie',
      { headers: { 'set-cookie': 'sessionID=' }, body: { response: { sessionID: '' } } },
    ],
    ['a cookie for every visitor', { headers: { 'set-cookie': 'sessionID=anonymous' }, body: {} }],
    ['no session', { body: { response: {} } }],
    ['a redirect', { status: 302, headers: { location: '/login?failed' } }],
    ['a cut connection', 'cut'],
    ['a failure', { status: 500, body: { error: { type: 'x', message: 'no' } } }],
  ]
  for (const [what, answer] of refusals) {
    it(`a login answered with ${what} is not tried on and on`, async () => {
      appliance.reply = ({ path, method }) => {
        if (path !== '/api/session') return undefined
        return method === 'POST' ? answer : { status: 401 }
      }
      const clock = new FakeTime()
      const gateway = appliance.connect({ clock, log: (_, text) => logged.push(text) })
      for (let tries = 0; tries < 12; tries++) {
        await errorOf(list(gateway))
        clock.skip(100)
      }
      await gateway.close()
      logins(calls).should.equal(1)
      logged.should.have.length(1)
    })
  }

  it('that refuses a password with status 200 is asked once', async () => {
    appliance.reply = ({ path }) =>
      path === '/api/session' ? { body: { error: { type: 'Login', message: 'wrong' } } } : undefined
    for (let tries = 0; tries < 5; tries++) {
      ;(await errorOf(list())).code.should.equal('LOGIN_REFUSED')
    }
    logins(calls).should.equal(1)
  })

  it('that denies rights with 401 costs one login more, and harms no other call', async () => {
    appliance.reply = ({ path }) => (path.endsWith('/commands') ? { status: 401 } : undefined)
    for (let tries = 0; tries < 10; tries++) {
      ;(await errorOf(write())).code.should.equal('FORBIDDEN')
      await list()
    }
    logins(calls).should.equal(2)
    calls.filter(({ method }) => method === 'DELETE').should.have.length(1)
  })

  it('that repeats secrets in its errors has them hidden', async () => {
    const message = `session secret-session-1 of secret-password-and-more, ${'x'.repeat(280)}secret-password`
    appliance.reply = ({ path }) =>
      path === '/api/devices'
        ? { status: 400, body: { error: { type: 'secret-session-1', message } } }
        : undefined
    const error = await errorOf(list())
    JSON.stringify([error.message, error.cause]).should.not.match(/secret-(session|pass)/)
  })

  it('that takes more than a second to end a session is given the time', async () => {
    let isHeard: boolean | undefined
    appliance.reply = async ({ method, socket }) => {
      if (method !== 'DELETE') return undefined
      await pause(1300)
      isHeard = !socket.destroyed
      return undefined
    }
    const patient = appliance.connect()
    await list(patient)
    await patient.close()
    isHeard!.should.be.true()
  })

  it('that answers the end of a session with nothing has ended it', async () => {
    appliance.reply = ({ method }) => (method === 'DELETE' ? { status: 204 } : undefined)
    await list()
    ;(await appliance.gateway.session.end()).should.have.property('type', 'Session')
    await appliance.gateway.close()
    calls.filter(({ method }) => method === 'DELETE').should.have.length(1)
  })

  it('that is away: changes of one route do not try one after the other', async () => {
    const gateway = connectTo(appliance)
    await listDevices(gateway, new Operation('test'))
    await appliance.stop()
    const operations = Array.from({ length: 20 }, () => new Operation('test'))
    const outcomes = operations.map((operation) => {
      const control = { deviceId: 'D', routeId: 'R', action: 'start', waitFor: 'accepted' } as const
      return errorOf(controlRoute(gateway, { ...control, waitTimeout: 1000 }, operation))
    })
    for (const { code, cause } of await Promise.all(outcomes)) {
      code.should.equal('UNAVAILABLE')
      cause.operation!.should.equal('test')
    }
    // One finds out, and where others came just after it had begun, one more.
    operations.filter(({ requests }) => requests > 0).length.should.be.within(1, 2)
    await gateway.close()
  })

  it('whose expireAt never moves is asked about it once', async () => {
    const clock = new FakeTime()
    const end = clock.now() + 30_000
    appliance.reply = ({ path, method }) => {
      if (path !== '/api/session' || method !== 'GET') return undefined
      return { body: { expireAt: Date.now() + end - clock.now(), roles: [] } }
    }
    const gateway = appliance.connect({ clock })
    await list(gateway)
    clock.skip(20_000)
    await list(gateway)
    // Later than it says: a response that is slow moves it by as much.
    clock.skip(12_000)
    for (let reads = 0; reads < 30; reads++) {
      clock.skip(20)
      await list(gateway)
    }
    await gateway.close()
    calls
      .filter(({ path, method }) => path === '/api/session' && method === 'GET')
      .should.have.length(2)
    logins(calls).should.equal(1)
  })

  it('one write that is cut fails no other call', async () => {
    appliance.reply = ({ path }) => (path.endsWith('/commands') ? 'cut' : undefined)
    const cut = errorOf(write())
    await Promise.all(Array.from({ length: 100 }, () => list()))
    ;(await cut).code.should.equal('OUTCOME_UNKNOWN')
  })
})
