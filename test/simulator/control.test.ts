import { Agent } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { PeerCertificate } from 'node:tls'
import { startSimulator } from '../../simulator'
import { testCertificate } from '../../simulator/certificate'
import { freePort } from '../support/ports'
import { until } from '../support/until'
import { type Json, type Sending, simulate, call, loggedIn, routeOf, STUDIO } from './support'

describe('simulator', () => {
  describe('journal and control', () => {
    it('keeps what was received', async () => {
      let now = 5000
      const simulator = await simulate({ now: () => now })
      const { cookie, get, update } = await loggedIn(simulator)
      simulator.clearJournal()
      now = 6000
      await get('/api/devices?a=b%20c')
      await update('nonsense', {})
      simulator.journal.length.should.equal(2)
      const [read, write] = simulator.journal
      const session = cookie.split('=')[1]
      should(read).containEql({
        at: 6000,
        method: 'GET',
        path: '/api/devices',
        url: '/api/devices?a=b%20c',
        query: { a: 'b c' },
        cookie: session,
        session,
        user: 'haiadmin',
        status: 200,
        applied: true,
      })
      should(write).containEql({ status: 400, applied: false })
      should(write?.body).containEql({ action: 'nonsense' })
      should(write?.rawBody.toString()).match(/^\{"deviceID"/)
    })

    it('keeps only as many calls as it is told', async () => {
      const simulator = await simulate({ journalSize: 10 })
      for (let place = 0; place < 25; place++) await call(simulator.url, 'GET', `/${place}`)
      simulator.journal.length.should.be.within(10, 11)
      should(simulator.journal.at(-1)?.path).equal('/24')
    })

    it('is controlled from outside, without a session and outside the journal', async () => {
      const simulator = await simulate({ routes: 3 })
      const { get } = await loggedIn(simulator)
      const control = (method: string, path: string, sending?: Sending) =>
        call(simulator.url, method, `/simulator${path}`, sending)
      const state = (await control('GET', '')).json
      state.should.containEql({ openSessions: 1, logins: 1, loginAttempts: 1, faults: [] })
      state.devices[0].routes.should.equal(3)

      const added = await control('POST', '/faults', { body: { kind: 'status', status: 503 } })
      added.status.should.equal(201)
      ;(await get('/api/devices')).status.should.equal(503)
      ;(await control('GET', '')).json.faults[0].should.containEql({ kind: 'status', struck: 1 })
      const wrong = await control('POST', '/faults', { body: { kind: 'nonsense' } })
      wrong.status.should.equal(400)
      wrong.json.error.message.should.match(/hang-after/)
      await control('DELETE', '/faults')
      ;(await get('/api/devices')).status.should.equal(200)

      await control('POST', '/sessions/drop')
      ;(await get('/api/devices')).status.should.equal(401)
      const journal = (await control('GET', '/journal')).json
      journal.map((each: Json) => each.status).should.eql([200, 503, 200, 401])
      ;(await control('GET', '/nothing')).status.should.equal(404)
      simulator.journal.length.should.equal(4)
    })
  })

  describe('page', () => {
    it('is at the root, outside the journal, also while the gateway is away', async () => {
      const simulator = await simulate()
      simulator.fault({ kind: 'status', status: 503 })
      simulator.failDevice('away')
      const { status, headers, text } = await call(simulator.url, 'GET', '/')
      status.should.equal(200)
      should(headers['content-type']).equal('text/html; charset=utf-8')
      should(headers['content-security-policy']).match(
        /^default-src 'none'.*frame-ancestors 'none'$/,
      )
      text.should.match(/<title>Simulated gateway/)
      await call(simulator.url, 'POST', '/').should.be.rejected()
      simulator.journal.should.eql([])
    })

    it('reads the routes as a client does, and what is set of each part', async () => {
      const simulator = await simulate({ routes: [STUDIO] })
      simulator.fail('Studio A', { source: { loss: 8 } })
      const { source } = routeOf(simulator, 'Studio A')
      const [route, ...others] = (await call(simulator.url, 'GET', '/simulator/routes')).json
      others.should.eql([])
      const { lines, callers, ...read } = route
      read.should.have.properties(Object.keys(simulator.readForm('Studio A')))
      lines[source.id].should.eql({ loss: 8 })
      Object.keys(callers).should.eql(
        routeOf(simulator, 'Studio A')
          .destinations.filter(({ srtMode }) => srtMode === 'listener')
          .map(({ id }) => id),
      )
      const many = await simulate({ routes: 300 })
      ;(await call(many.url, 'GET', '/simulator/routes')).json.length.should.equal(200)
      const none = await simulate({ devices: 0 })
      ;(await call(none.url, 'GET', '/simulator/routes')).json.should.eql([])
    })

    it('lets no other page control or read it, and its programs with any address of it', async () => {
      const simulator = await simulate()
      const { port } = simulator
      const asked = async (headers: Record<string, string>): Promise<number[]> => {
        const body = { state: 'away' }
        const posted = await call(simulator.url, 'POST', '/simulator/device', { body, headers })
        const { device } = simulator.state.failures
        device.should.equal(posted.status === 200 ? 'away' : 'ok')
        simulator.failDevice('ok')
        const read = await call(simulator.url, 'GET', '/simulator/journal', { headers })
        const page = await call(simulator.url, 'GET', '/', { headers })
        return [posted.status, read.status, page.status]
      }
      const strangers: Record<string, string>[] = [
        { origin: 'http://thief.example' },
        { origin: `http://127.0.0.1:${port + 1}` },
        { origin: 'null' },
        // An address of this computer behind the name of another page.
        { host: `thief.example:${port}` },
        { host: `thief.example:${port}`, origin: `http://thief.example:${port}` },
      ]
      for (const headers of strangers) {
        should(await asked(headers)).eql([403, 403, 403], JSON.stringify(headers))
      }
      const own = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `simulator:${port}`]
      for (const host of own) {
        should(await asked({ host })).eql([200, 200, 200], host)
        should(await asked({ host, origin: `http://${host}` })).eql([200, 200, 200], host)
      }
    })
  })

  describe('network', () => {
    it('leaves no socket when it stops, and comes back on the same port', async () => {
      const simulator = await simulate({ port: await freePort(), routes: [STUDIO], latency: 0 })
      const agent = new Agent({ keepAlive: true })
      await call(simulator.url, 'GET', '/login', { agent })
      simulator.fault({ kind: 'hang', match: { path: '/hangs' } })
      const hanging = call(simulator.url, 'GET', '/hangs').catch(({ code }) => code)
      simulator.setOptions({ latency: 60_000 })
      const late = call(simulator.url, 'GET', '/late').catch(({ code }) => code)
      await until(() => simulator.journal.length === 3, 'three calls')
      simulator.openSockets.should.equal(3)
      const { port } = simulator

      await simulator.stop()
      simulator.openSockets.should.equal(0)
      should(await hanging).equal('ECONNRESET')
      should(await late).equal('ECONNRESET')
      await call(simulator.url, 'GET', '/').should.be.rejectedWith(/ECONNREFUSED/)
      await simulator.stop()

      simulator.setOptions({ latency: 0 })
      await simulator.start()
      simulator.port.should.equal(port)
      ;(await call(simulator.url, 'GET', '/login')).status.should.equal(200)
      agent.destroy()
    })

    it('leaves no timer when it stops', async () => {
      const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout')
      // Mocha's own timer starts after the first turn of a test.
      await pause(0)
      const before = timers().length
      const simulator = await simulate({ routes: [STUDIO], applyDelay: 60_000 })
      const { update, get } = await loggedIn(simulator)
      await update('delete', { elementID: routeOf(simulator, 'Studio A').id })
      simulator.fault({ kind: 'latency', ms: 60_000 })
      const late = get('/api/devices').catch(() => {})
      await until(() => simulator.journal.length === 3, 'three calls')
      const settled = simulator.settle()
      timers().length.should.equal(before + 2)
      await simulator.stop()
      await Promise.all([late, settled])
      timers().length.should.equal(before)
      simulator.routes.length.should.equal(1)
    })

    it('keeps sessions over a stop and loses them at a restart; keeps its routes', async () => {
      const simulator = await simulate({ port: await freePort(), routes: [STUDIO] })
      const { get, update } = await loggedIn(simulator)
      await update('delete', { elementID: routeOf(simulator, 'Studio A').id })
      await simulator.stop()
      await pause(40)
      await simulator.start()
      ;(await get('/api/devices')).status.should.equal(200)
      simulator.routes.should.eql([])
      simulator.addRoute(STUDIO)
      await simulator.restart()
      simulator.openSessions.should.equal(0)
      ;(await get('/api/devices')).status.should.equal(401)
      simulator.routes.length.should.equal(1)
    })

    it('rejects when its port is taken', async () => {
      const { port } = await simulate()
      await startSimulator({ port }).should.be.rejectedWith(/EADDRINUSE/)
    })

    it('keeps connections alive', async () => {
      const simulator = await simulate()
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const { cookie } = await loggedIn(simulator)
      for (let times = 0; times < 3; times++) {
        await call(simulator.url, 'GET', '/api/devices', { cookie, agent })
        await until(() => simulator.openSockets === 1, 'one socket')
      }
      agent.destroy()
      await until(() => simulator.openSockets === 0, 'no socket')
    })

    it('speaks https with a certificate of its own', async () => {
      const https = testCertificate()
      const simulator = await simulate({ https })
      simulator.url.should.startWith('https://127.0.0.1:')
      const answer = await new Promise<{ status?: number; certificate: PeerCertificate }>(
        (resolve, reject) => {
          httpsRequest(`${simulator.url}/login`, { agent: false, ca: https.cert }, (response) => {
            const socket: Json = response.socket
            const certificate: PeerCertificate = socket.getPeerCertificate()
            response.resume().on('end', () => {
              resolve({ status: response.statusCode, certificate })
            })
          })
            .on('error', reject)
            .end()
        },
      )
      should(answer.status).equal(200)
      should(simulator.fingerprint).equal(answer.certificate.fingerprint256)
      should(answer.certificate.subjectaltname).equal(
        'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
      )
      await simulator.stop()
      simulator.openSockets.should.equal(0)
    })
  })
})
