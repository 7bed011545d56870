import { GatewayError } from '../../../client/errors'
import { listDevices } from '../../../client/api/devices'
import { Operation } from '../../../client/connection/operation'
import { sessionInformation } from '../../../client/api/session'
import { MONOTONIC } from '../../../client/clock'
import { type SimulatorOptions } from '../../../simulator'
import { freePort } from '../../support/ports'
import { pause, until } from '../../support/until'
import { connected, gateway, simulator } from '../../support/stage'

const now = (): Operation => new Operation('list-devices')

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: unknown) => (error as GatewayError).code,
  )

async function codesOf(works: Array<Promise<unknown>>): Promise<string[]> {
  return [...new Set(await Promise.all(works.map(codeOf)))]
}

/** docs/sessions.md, against the journal of the simulator. */
describe('the session', () => {
  const LIFETIME = 10 * 60_000
  /** How far the clocks of both are set forward. */
  let moved: number
  const clock = { ...MONOTONIC, now: () => MONOTONIC.now() + moved }

  function start(options: SimulatorOptions = {}, more: object = {}): Promise<void> {
    moved = 0
    return connected(
      { now: () => Date.now() + moved, ...options },
      { timeout: 10_000, clock, ...more },
    )
  }

  it('is opened only when first needed, and once for two hundred calls', async () => {
    await start()
    await pause(20)
    simulator.journal.should.have.length(0)
    await Promise.all(Array.from({ length: 200 }, () => listDevices(gateway, now())))
    simulator.logins.should.equal(1)
    simulator.journal.filter(({ path }) => path === '/api/devices').should.have.length(200)
  })

  for (const expiredStatus of [401, 404] as const) {
    it(`that is dropped under load (shown as ${expiredStatus}) is replaced once, no call lost or doubled`, async () => {
      await start({ dialect: { expiredStatus } })
      await listDevices(gateway, now())
      simulator.dropSessions()
      const writes = Array.from({ length: 40 }, (_, index) =>
        gateway.call(
          {
            method: 'POST',
            path: `/api/devices/${simulator.devices[0]!._id}/commands`,
            body: {
              deviceID: simulator.devices[0]!._id,
              command: 'start-route',
              parameters: { routeID: simulator.routes[index % 8]!.id },
            },
          },
          now(),
        ),
      )
      await Promise.all(writes)
      simulator.logins.should.equal(2)
      const commands = simulator.journal.filter(({ path }) => path.endsWith('/commands'))
      commands.filter(({ applied }) => applied).should.have.length(40)
    })
  }

  it('that is dropped under load (shown as redirect) is replaced once, no read lost, no write sent twice', async () => {
    await start({ dialect: { expiredStatus: 'redirect' } })
    await listDevices(gateway, now())
    simulator.dropSessions()
    const [{ _id: deviceID }, { id: routeID }] = [simulator.devices[0]!, simulator.routes[0]!]
    const body = { deviceID, command: 'start-route', parameters: { routeID } }
    const path = `/api/devices/${deviceID}/commands`
    const writes = Array.from({ length: 20 }, () =>
      codeOf(gateway.call({ method: 'POST', path, body }, now())),
    )
    await Promise.all(Array.from({ length: 20 }, () => listDevices(gateway, now())))
    const codes = await Promise.all(writes)
    const failed = codes.filter((code) => code === 'BAD_RESPONSE').length
    const commands = simulator.journal.filter((call) => call.path === path)
    commands.should.have.length(20)
    commands.filter(({ applied }) => applied).should.have.length(20 - failed)
    simulator.logins.should.equal(2)
  })

  it('is not renewed for a 404 that means what it says', async () => {
    await start()
    const path = `/api/gateway/${simulator.devices[0]!._id}/routes/none`
    const code = await codeOf(gateway.call({ method: 'GET', path }, now()))
    code.should.equal('NOT_FOUND')
    simulator.logins.should.equal(1)
  })

  it('is opened once for any number of unknown routes, where the firmware cannot be asked about it', async () => {
    await start()
    simulator.fault({ kind: 'status', status: 404, match: { method: 'GET', path: '/api/session' } })
    const path = `/api/gateway/${simulator.devices[0]!._id}/routes/none`
    for (let reads = 0; reads < 10; reads++) {
      ;(await codeOf(gateway.call({ method: 'GET', path }, now()))).should.equal('NOT_FOUND')
    }
    simulator.loginAttempts.should.equal(1)
  })

  it('that could not be asked about once is asked about again, and renewed', async () => {
    await start({ dialect: { expiredStatus: 404 } })
    const match = { method: 'GET', path: '/api/session' }
    simulator.fault({ kind: 'status', status: 404, match, times: 1 })
    const path = `/api/gateway/${simulator.devices[0]!._id}/routes/none`
    await codeOf(gateway.call({ method: 'GET', path }, now()))
    simulator.dropSessions()
    await listDevices(gateway, now())
    simulator.logins.should.equal(2)
  })

  it('that is known to be over is renewed before the call, not after it failed', async () => {
    await start({ sessionLifetime: LIFETIME })
    await sessionInformation(gateway, now())
    moved += LIFETIME + 1000
    simulator.clearJournal()
    await listDevices(gateway, now())
    simulator.journal
      .map(({ method, status }) => `${method} ${status}`)
      .should.deepEqual(['POST 200', 'GET 200', 'GET 200'])
  })

  it('that calls prolong is asked about, not thrown away', async () => {
    await start({ sessionLifetime: LIFETIME, slidingSessions: true })
    await sessionInformation(gateway, now())
    for (let calls = 0; calls < 6; calls++) {
      moved += LIFETIME / 4
      await listDevices(gateway, now())
    }
    simulator.logins.should.equal(1)
  })

  it('with a wrong password makes one attempt, however many calls', async () => {
    for (const wrongPasswordStatus of [401, 403, 400] as const) {
      await start({ dialect: { wrongPasswordStatus } }, { password: 'wrong-password' })
      const codes = await codesOf(Array.from({ length: 50 }, () => listDevices(gateway, now())))
      codes.should.deepEqual(['LOGIN_REFUSED'])
      for (let calls = 0; calls < 20; calls++) await codeOf(listDevices(gateway, now()))
      simulator.journal.should.have.length(1)
      // "start" of a session node is the one thing that tries again.
      moved += 5000
      gateway.session.clearBackoff()
      await codeOf(listDevices(gateway, now()))
      simulator.journal.should.have.length(2)
    }
  })

  it('whose credentials worked before tries again only after a minute', async () => {
    await start()
    await listDevices(gateway, now())
    simulator.dropSessions()
    simulator.fault({ kind: 'status', status: 401, match: { path: '/api/session' } })
    simulator.clearJournal()
    const codes = await codesOf(Array.from({ length: 20 }, () => listDevices(gateway, now())))
    codes.should.deepEqual(['LOGIN_REFUSED'])
    simulator.journal.filter(({ path }) => path === '/api/session').should.have.length(1)
    const error = (await listDevices(gateway, now()).catch((e: unknown) => e)) as GatewayError
    error.message.should.match(/Next attempt in (5[0-9]|60) s/)
  })

  it('is held when the appliance has no free one', async () => {
    await start()
    simulator.fault({ kind: 'too-many', match: { method: 'POST' } })
    const codes = await codesOf(Array.from({ length: 30 }, () => listDevices(gateway, now())))
    codes.should.deepEqual(['TOO_MANY_SESSIONS'])
    for (let calls = 0; calls < 10; calls++) {
      ;(await codeOf(listDevices(gateway, now()))).should.equal('TOO_MANY_SESSIONS')
    }
    simulator.journal.should.have.length(1)
  })

  it('is opened again by itself after the appliance had none free, or was away', async () => {
    await start({ maxSessions: 0 })
    ;(await codeOf(listDevices(gateway, now()))).should.equal('TOO_MANY_SESSIONS')
    simulator.setOptions({ maxSessions: 5 })
    await until(async () => (await codeOf(listDevices(gateway, now()))) === 'no error')

    await start({ port: await freePort() })
    await simulator.stop()
    ;(await codeOf(listDevices(gateway, now()))).should.equal('UNAVAILABLE')
    await simulator.start()
    await until(async () => (await codeOf(listDevices(gateway, now()))) === 'no error')
  })

  it('fails fast while the appliance is away', async () => {
    await start({ port: await freePort() })
    await simulator.stop()
    await codeOf(listDevices(gateway, now()))
    const codes = await codesOf(Array.from({ length: 200 }, () => listDevices(gateway, now())))
    codes.should.deepEqual(['UNAVAILABLE'])
    await simulator.start()
  })

  it('is asked for once where no answer comes, also with credentials that have worked', async () => {
    await start({}, { timeout: 2000 })
    await listDevices(gateway, now())
    simulator.dropSessions()
    simulator.fault({ kind: 'hang', match: { method: 'POST', path: '/api/session' } })
    ;(await codeOf(listDevices(gateway, now()))).should.equal('TIMEOUT')
    simulator.journal
      .filter(({ method, path }) => method === 'POST' && path === '/api/session')
      .should.have.length(2)
  })

  it('never renews for a right that is missing', async () => {
    for (const forbiddenStatus of [403, 401] as const) {
      await start({ dialect: { forbiddenStatus } }, { username: 'user', password: 'public' })
      simulator.fault({ kind: 'status', match: { method: 'GET', path: '/api/session' }, times: 1 })
      const deviceID = simulator.devices[0]!._id
      const body = {
        action: 'delete',
        deviceID,
        elementType: 'route',
        elementID: simulator.routes[0]!.id,
      }
      const request = { method: 'POST', path: `/api/devices/${deviceID}/updates`, body } as const
      ;(await codeOf(gateway.call(request, now()))).should.equal('FORBIDDEN')
      simulator.logins.should.equal(1)
    }
  })

  for (const cookie of ['standard', 'secure', 'none'] as const) {
    it(`works with the ${cookie} cookie of the firmware`, async () => {
      await start({ dialect: { cookie } })
      await listDevices(gateway, now())
      await listDevices(gateway, now())
      simulator.logins.should.equal(1)
      String(simulator.journal.at(-1)!.headers.cookie).should.match(/^sessionID=[^;]+$/)
    })
  }

  it('is ended at the close, also when its login is still on its way, and calls then fail', async () => {
    await start({ latency: 100 })
    const call = codeOf(listDevices(gateway, now()))
    await pause(30)
    await gateway.close()
    ;(await call).should.equal('CLOSED')
    ;(await codeOf(listDevices(gateway, now()))).should.equal('CLOSED')
    simulator.logins.should.equal(simulator.logouts)
  })

  it('is not opened in order to end it', async () => {
    await start()
    const answer = await gateway.endSession(now())
    answer.type.should.equal('Session')
    simulator.journal.should.have.length(0)
  })

  it('whose end failed is still open, and is ended by the next try', async () => {
    await start({}, { timeout: 2000 })
    for (const kind of ['hang', 'reset', 'status', 'html'] as const) {
      await listDevices(gateway, now())
      const free = simulator.fault({ kind, match: { method: 'DELETE' } })
      ;(await codeOf(gateway.endSession(now()))).should.not.equal('no error')
      simulator.openSessions.should.equal(1)
      free()
      await gateway.endSession(now())
      simulator.openSessions.should.equal(0)
    }
  })

  it('whose end failed is used on, and ended at the close', async () => {
    await start()
    await listDevices(gateway, now())
    simulator.fault({ kind: 'reset', match: { method: 'DELETE' }, times: 1 })
    ;(await codeOf(gateway.endSession(now()))).should.equal('UNAVAILABLE')
    await listDevices(gateway, now())
    simulator.logins.should.equal(1)
  })

  it('that is ended at once again and again is not opened again and again', async () => {
    await start()
    simulator.fault({ kind: 'session-drop', match: { path: '/api/devices' } })
    for (let calls = 0; calls < 20; calls++) await codeOf(listDevices(gateway, now()))
    simulator.logins.should.be.belowOrEqual(3)
  })
})
