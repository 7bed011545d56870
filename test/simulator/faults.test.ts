import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type Fault } from '../../simulator'
import { until } from '../support/until'
import { type Json, simulate, call, loggedIn, STUDIO, rawAnswer } from './support'

describe('simulator', () => {
  describe('faults', () => {
    /** Sends a create struck by a fault. Where no answer comes, the client leaves. */
    async function struck(fault: Fault) {
      const simulator = await simulate({ routes: [] })
      const session = await loggedIn(simulator)
      simulator.fault({ match: { action: 'create' }, ...fault })
      const client = new AbortController()
      const outcome = session
        .post(
          'updates',
          { action: 'create', elementType: 'route', fields: { ...STUDIO, startRoute: false } },
          { signal: client.signal },
        )
        .then(
          (answer) => ({ answer, error: undefined }),
          (error: NodeJS.ErrnoException) => ({ answer: undefined, error: error.code }),
        )
      if (fault.kind.startsWith('hang')) {
        await until(() => simulator.journal.at(-1)?.fault === fault.kind)
        client.abort()
      }
      const { answer, error } = await outcome
      const entry = simulator.journal.at(-1)
      should(entry?.fault).equal(fault.kind)
      await simulator.settle()
      const created = simulator.routes.length === 1
      should(entry?.applied).equal(created)
      should(entry?.status).equal(error === undefined ? answer?.status : entry?.status)
      return { simulator, session, answer, error, created }
    }

    it('latency: a late answer', async () => {
      const before = performance.now()
      const { answer, created } = await struck({ kind: 'latency', ms: 80 })
      should(performance.now() - before).be.above(79)
      should(answer?.status).equal(200)
      created.should.be.true()
    })

    const ENDS: Array<[kind: Fault['kind'], error: string, isCreated: boolean]> = [
      ['hang', 'ABORT_ERR', false],
      ['hang-after', 'ABORT_ERR', true],
      ['reset', 'ECONNRESET', false],
      ['reset-after', 'ECONNRESET', true],
      ['truncate', 'ECONNRESET', true],
    ]
    for (const [kind, code, isCreated] of ENDS) {
      it(`${kind}: no answer, and ${isCreated ? 'acted on' : 'nothing is done'}`, async () => {
        const { error, created } = await struck({ kind })
        should([error, created]).eql([code, isCreated])
      })
    }

    it('truncate: the connection is cut halfway', async () => {
      const simulator = await simulate()
      const whole = await call(simulator.url, 'GET', '/login')
      simulator.fault({ kind: 'truncate' })
      const text = await rawAnswer(simulator, '/login')
      text.should.match(new RegExp(`Content-Length: ${whole.text.length}\r\n`))
      const body = text.slice(text.indexOf('\r\n\r\n') + 4)
      body.should.equal(whole.text.slice(0, Math.floor(whole.text.length / 2)))
    })

    const ANSWERS: Array<[fault: Fault, status: number, header: string, isCreated?: true]> = [
      [{ kind: 'html' }, 200, 'text/html'],
      [{ kind: 'status' }, 500, 'application/json'],
      [{ kind: 'status', status: 503, body: { busy: true } }, 503, 'application/json'],
      [{ kind: 'too-many', ms: 2500 }, 429, '3'],
      [{ kind: 'session-drop' }, 401, 'application/json'],
      [{ kind: 'redirect' }, 302, '/login'],
      [{ kind: 'content-type' }, 200, 'text/plain', true],
    ]
    for (const [fault, status, header, isCreated = false] of ANSWERS) {
      it(`${fault.kind}: ${status}, ${header}`, async () => {
        const { simulator, answer, created } = await struck(fault)
        const { location, 'retry-after': after, 'content-type': type } = answer!.headers
        should([answer!.status, created]).eql([status, isCreated])
        should(location ?? after ?? type).startWith(header)
        if (fault.body) answer!.json.should.eql(fault.body)
        simulator.openSessions.should.equal(fault.kind === 'session-drop' ? 0 : 1)
      })
    }

    it('giant: as long as asked, and over when the client leaves', async () => {
      const { answer, created } = await struck({ kind: 'giant', bytes: 1_000_000 })
      answer?.json.data[0].should.have.length(1_000_000)
      created.should.be.false()

      const simulator = await simulate()
      simulator.fault({ kind: 'giant' })
      const before = process.memoryUsage().rss
      const sent = httpRequest(`${simulator.url}/api/devices`, { agent: false })
      sent.on('error', () => {})
      sent.end()
      const [response] = await once(sent, 'response')
      response.on('error', () => {})
      await once(response, 'readable')
      await pause(100)
      should(process.memoryUsage().rss - before).be.below(100 * 1024 * 1024)
      sent.destroy()
      await until(() => simulator.openSockets === 0, 'the socket to be gone')
    })

    it('array, invalid-json, empty: acted on, wrongly answered', async () => {
      const array = await struck({ kind: 'array' })
      array.answer?.json.should.eql([])
      const invalid = await struck({ kind: 'invalid-json' })
      should(invalid.answer?.text).startWith('{"status"')
      should(invalid.answer?.json).be.undefined()
      const empty = await struck({ kind: 'empty' })
      should([empty.answer?.status, empty.answer?.text]).eql([200, ''])
      for (const each of [array, invalid, empty]) each.created.should.be.true()

      array.simulator.fault({ kind: 'array', match: { path: '/api/devices' } })
      ;(await array.session.get('/api/devices')).json.should.eql({})
    })

    it('strikes as often, as late and where it is told', async () => {
      const simulator = await simulate({
        faults: [{ kind: 'status', status: 502, after: 1, times: 2, match: { method: 'get' } }],
      })
      const { get, send, device } = await loggedIn(simulator)
      const status = async (path: string) => (await get(path)).status
      const seen = []
      for (let times = 0; times < 4; times++) seen.push(await status('/api/devices'))
      seen.should.eql([200, 502, 502, 200])

      const remove = simulator.fault({ kind: 'status', match: { path: '/api/gateway/*/routes' } })
      ;(await status('/api/devices')).should.equal(200)
      ;(await status(`/api/gateway/${device}/routes?page=1`)).should.equal(500)
      ;(await status(`/api/gateway/${device}/routes/none`)).should.equal(404)
      remove()
      ;(await status(`/api/gateway/${device}/routes`)).should.equal(200)

      simulator.fault({ kind: 'status', match: { path: /devices$/g } })
      simulator.fault({ kind: 'latency', ms: 30 })
      const before = performance.now()
      ;(await status('/api/devices')).should.equal(500)
      ;(await status('/api/devices')).should.equal(500)
      should(performance.now() - before).be.above(58)
      should(simulator.journal.at(-1)?.fault).equal('status+latency')
      ;(await send('DELETE', '/api/session')).status.should.equal(200)
      const nonsense: Json = { kind: 'nonsense' }
      should(() => simulator.fault(nonsense)).throw(/kind/)
    })
  })
})
