import {
  simulate,
  call,
  ADMINISTRATOR,
  OPERATOR,
  OBSERVER,
  loggedIn,
  routeOf,
  STUDIO,
} from './support'

describe('simulator', () => {
  describe('sessions', () => {
    it('expires sessions by its clock, later when they slide', async () => {
      let now = 0
      for (const sliding of [true, false]) {
        const simulator = await simulate({
          now: () => now,
          sessionLifetime: 1000,
          slidingSessions: sliding,
        })
        const { get } = await loggedIn(simulator)
        now += 900
        ;(await get('/api/devices')).status.should.equal(200)
        now += 900
        ;(await get('/api/devices')).status.should.equal(sliding ? 200 : 401)
        now += 1000
        simulator.openSessions.should.equal(0)
        ;(await get('/api/devices')).status.should.equal(401)
      }
    })

    it('counts wrong passwords and locks the account, even for the right one', async () => {
      let now = 0
      const simulator = await simulate({ lockoutAfter: 3, lockoutDuration: 1000, now: () => now })
      const attempt = (password: string) =>
        call(simulator.url, 'POST', '/api/session', { body: { username: 'haiadmin', password } })
      ;(await attempt('wrong')).status.should.equal(401)
      ;(await attempt('wrong')).json.error.message.should.match(/wrong/)
      const right = (await attempt('manager')).json.response
      right.numLoginFailures.should.equal(2)
      const cookie = `sessionID=${right.sessionID}`
      const information = async () =>
        (await call(simulator.url, 'GET', '/api/session', { cookie })).json
      const { lastLoginDate, numLoginFailures } = right
      ;(await information()).should.containEql({ lastLoginDate, numLoginFailures })
      simulator.setOptions({ dialect: { loginHistory: 'null' } })
      const none = { lastLoginDate: null, numLoginFailures: null }
      ;(await information()).should.containEql(none)

      for (let times = 0; times < 3; times++) await attempt('wrong')
      const locked = await attempt('manager')
      locked.status.should.equal(401)
      locked.json.error.message.should.match(/locked/)
      now += 1001
      ;(await attempt('manager')).json.response.numLoginFailures.should.equal(3)
      ;(await attempt('manager')).json.response.numLoginFailures.should.equal(0)
      simulator.loginAttempts.should.equal(9)
      simulator.logins.should.equal(3)

      simulator.setOptions({ dialect: { wrongPasswordStatus: 404 } })
      ;(await attempt('wrong')).status.should.equal(404)
    })

    it('refuses a login that lacks a member or is no JSON', async () => {
      const simulator = await simulate()
      const half = await call(simulator.url, 'POST', '/api/session', { body: { username: 'user' } })
      half.status.should.equal(400)
      const form = { raw: 'username=user', type: 'application/x-www-form-urlencoded' }
      ;(await call(simulator.url, 'POST', '/api/session', form)).status.should.equal(415)
    })

    it('sets the cookie as the dialect says', async () => {
      const simulator = await simulate({ dialect: { cookie: 'secure' } })
      const secure = await call(simulator.url, 'POST', '/api/session', { body: OBSERVER })
      should(secure.headers['set-cookie']?.[0]).match(/; Secure; Domain=/)
      simulator.setOptions({ dialect: { cookie: 'none' } })
      const none = await call(simulator.url, 'POST', '/api/session', { body: OBSERVER })
      should(none.headers['set-cookie']).be.undefined()
      none.json.response.sessionID.should.be.a.String()
    })

    it('holds to the rights of the roles', async () => {
      const simulator = await simulate({ routes: [STUDIO] })
      const elementID = routeOf(simulator, 'Studio A').id
      const status = async (account: typeof OBSERVER) => {
        const session = await loggedIn(simulator, account)
        const start = { command: 'start-route', parameters: { routeID: elementID } }
        return [
          await session.get(session.routes),
          await session.post('commands', start),
          await session.update('delete', { elementID: 'none' }),
          await session.get(`/api/gateway/${session.device}/system/preset`),
        ].map((answer) => answer.status)
      }
      ;(await status(OBSERVER)).should.eql([200, 403, 403, 403])
      ;(await status(OPERATOR)).should.eql([200, 200, 404, 403])
      ;(await status(ADMINISTRATOR)).should.eql([200, 200, 404, 200])

      simulator.setOptions({ dialect: { forbiddenStatus: 401 } })
      const observer = await loggedIn(simulator, OBSERVER)
      const refused = await observer.update('create', {})
      refused.status.should.equal(401)
      refused.json.error.type.should.equal('SessionAuthorization')
      refused.json.error.message.should.equal('Operation not authorized for roles: Observer')
    })

    it('takes an account of the options', async () => {
      const simulator = await simulate({ username: 'chief', password: 'invented' })
      await loggedIn(simulator, { username: 'chief', password: 'invented' })
      await loggedIn(simulator, OBSERVER)
      const usual = await call(simulator.url, 'POST', '/api/session', { body: ADMINISTRATOR })
      usual.status.should.equal(401)
    })
  })
})
