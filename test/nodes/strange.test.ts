import 'should'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  controlRoute,
  createRoute,
  deleteRoute,
  endSession,
  ensureRoutes,
  findRoute,
  getDevice,
  getRoute,
  listDevices,
  listRoutes,
  newOperation,
  openConnection,
  readStatistics,
  updateRoute,
  watchDevice,
  type Ensured,
  type Connection,
  type Snapshot,
} from '../../client/internal'
import type { JsonObject } from '../../client/model/json'
import { pollNow } from '../../client/watch/device-watch'
import { failure, helper, load, result, send, unload, type Message } from '../support/flow'
import { errorOf } from '../support/errors'

/** Firmware that differs where the facts are silent: nothing may be lost, repeated or leaked. */
describe('an appliance that behaves otherwise', () => {
  interface Call {
    method: string
    path: string
    query?: URLSearchParams
    cookie?: string
    body?: { fields?: Record<string, unknown> }
  }
  type Reply =
    { status?: number; headers?: Record<string, string>; body?: unknown; text?: string } | 'cut'

  let server: http.Server
  let gateway: Connection
  let calls: Call[]
  let reply: (call: Call) => Reply | undefined
  let logged: string[]

  const LOGIN: Reply = {
    headers: { 'set-cookie': 'sessionID=secret-session-1; Path=/' },
    body: { response: { type: 'Session', sessionID: 'secret-session-1' } },
  }
  const usual = ({ method, path }: Call): Reply => {
    if (path === '/api/session' && method === 'POST') return LOGIN
    if (path === '/api/session' && method === 'GET') return { body: { roles: ['Administrator'] } }
    if (path === '/api/session') return { body: { type: 'Session', message: 'bye' } }
    if (path === '/api/devices') return { body: [{ _id: 'D' }] }
    return { status: 404, body: { error: { type: 'x', message: 'no such thing' } } }
  }

  beforeEach(async () => {
    calls = []
    logged = []
    reply = () => undefined
    server = http.createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const call: Call = {
          method: request.method!,
          path: request.url!.split('?')[0]!,
          query: new URL(request.url!, 'http://appliance').searchParams,
          cookie: request.headers.cookie,
          body: text ? (JSON.parse(text) as Call['body']) : undefined,
        }
        calls.push(call)
        const answer = reply(call) ?? usual(call)
        if (answer === 'cut') return request.socket.destroy()
        response.writeHead(answer.status ?? 200, answer.headers)
        const { body, text: written = '' } = answer
        return response.end(body === undefined ? written : JSON.stringify(body))
      })
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    gateway = openConnection({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      username: 'user',
      password: 'secret-password',
      timeout: 500,
      log: (_, text) => logged.push(text),
    })
  })
  afterEach(async () => {
    await gateway.close()
    server.closeAllConnections()
    await new Promise((resolve) => {
      server.close(resolve)
    })
  })

  const op = (): ReturnType<typeof newOperation> => newOperation('test')
  const logins = (): number =>
    calls.filter(({ method, path }) => method === 'POST' && path === '/api/session').length
  const updates = (): Call[] => calls.filter(({ path }) => path.endsWith('/updates'))

  describe('a route that did not come whole', () => {
    const whole = {
      id: 'R',
      name: 'Route',
      source: { id: 'S', name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
      destinations: [{ id: 'E', name: 'out', protocol: 'udp', address: '192.0.2.1', port: 1 }],
    }
    const halves: Array<[string, object]> = [
      ['without destinations', { ...whole, destinations: undefined }],
      ['with null for destinations', { ...whole, destinations: null }],
      ['with IDs for destinations', { ...whole, destinations: ['E'] }],
      [
        'with a null among the destinations',
        { ...whole, destinations: [...whole.destinations, null] },
      ],
      ['without a source', { ...whole, source: undefined }],
      ['wrapped', { data: whole }],
      ['of another ID', { ...whole, id: 'Q' }],
    ]
    for (const [what, body] of halves) {
      it(`${what} is never the ground of an update`, async () => {
        reply = ({ method, path }) =>
          method === 'GET' && path.endsWith('/routes/R') ? { body } : undefined
        for (const mode of ['keep', 'merge'] as const) {
          const change = {
            address: { deviceId: 'D', routeId: 'R' },
            patch: { name: 'New' },
            mode,
            waitFor: 'accepted' as const,
            waitTimeout: 1000,
          }
          const error = await errorOf(updateRoute(gateway, change, op()))
          error.code.should.equal('BAD_RESPONSE')
          error.message.should.match(/The change was not sent/)
        }
        updates().should.have.length(0)
      })
    }

    it('a masked pass phrase is not sent back as the pass phrase', async () => {
      const source = {
        ...whole.source,
        protocol: 'srt',
        mode: 'listener',
        srtPassPhrase: '********',
      }
      reply = ({ method, path }) => {
        if (method === 'GET' && path.endsWith('/routes/R')) return { body: { ...whole, source } }
        return path.endsWith('/updates') ? { body: { status: 'ok' } } : undefined
      }
      const patches: Array<[object, 'keep' | 'merge']> = [
        [{ name: 'New' }, 'keep'],
        [{ name: 'New' }, 'merge'],
        [{ ...whole, source }, 'keep'],
        [{ source: { ...source, srtPassPhrase: '••••••' } }, 'keep'],
        [{ source: { srtPassPhrase: '••••••' } }, 'merge'],
      ]
      for (const [patch, mode] of patches) {
        const change = {
          address: { deviceId: 'D', routeId: 'R' },
          patch,
          mode,
          waitFor: 'accepted' as const,
          waitTimeout: 1000,
        }
        // Each one waits in vain for the one before to show: the fake applies nothing.
        reply = (
          (before) => (call) =>
            before(call)
        )(reply)
        await updateRoute(openAgain(), change, op())
      }
      updates().should.have.length(5)
      JSON.stringify(updates()).should.not.match(/srtPassPhrase/)
      await Promise.all(more.splice(0).map((one) => one.close()))
    })
  })

  const more: Connection[] = []
  const openAgain = (): Connection => {
    const again = openConnection({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      username: 'user',
      password: 'secret-password',
    })
    more.push(again)
    return again
  }

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
      reply = ({ path, method }) => {
        if (path !== '/api/session') return undefined
        return method === 'POST' ? answer : { status: 401 }
      }
      for (let tries = 0; tries < 12; tries++) {
        await errorOf(listDevices(gateway, op()))
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      logins().should.equal(1)
      logged.should.have.length(1)
    })
  }

  it('that refuses a password with status 200 is asked once', async () => {
    reply = ({ path }) =>
      path === '/api/session' ? { body: { error: { type: 'Login', message: 'wrong' } } } : undefined
    for (let tries = 0; tries < 5; tries++) {
      ;(await errorOf(listDevices(gateway, op()))).code.should.equal('LOGIN_REFUSED')
    }
    logins().should.equal(1)
  })

  it('that denies rights with 401 costs one login more, and harms no other call', async () => {
    reply = ({ path }) => (path.endsWith('/updates') ? { status: 401 } : undefined)
    const write = {
      method: 'POST',
      path: '/api/devices/D/updates',
      body: {},
    } as const
    for (let tries = 0; tries < 10; tries++) {
      ;(await errorOf(gateway.call(write, op()))).code.should.equal('FORBIDDEN')
      await listDevices(gateway, op())
    }
    logins().should.equal(2)
    calls.filter(({ method }) => method === 'DELETE').should.have.length(1)
  })

  it('that redirects a call is not logged in to again, nor is a write repeated', async () => {
    reply = ({ path }) =>
      path.endsWith('/updates') ? { status: 303, headers: { location: '/done' } } : undefined
    const write = {
      method: 'POST',
      path: '/api/devices/D/updates',
      body: {},
    } as const
    const error = await errorOf(gateway.call(write, op()))
    error.code.should.equal('BAD_RESPONSE')
    error.message.should.match(/redirected.*may or may not have been applied/)
    updates().should.have.length(1)
    logins().should.equal(1)
  })

  it('that redirects elsewhere gets the cookie nowhere else', async () => {
    const elsewhere: string[] = []
    const other = http.createServer((request, response) => {
      elsewhere.push(String(request.headers.cookie))
      response.end('{}')
    })
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve)
    })
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/api/devices`
    reply = ({ path }) =>
      path === '/api/devices' ? { status: 307, headers: { location } } : undefined
    ;(await errorOf(listDevices(gateway, op()))).code.should.equal('BAD_RESPONSE')
    elsewhere.should.have.length(0)
    await new Promise((resolve) => {
      other.close(resolve)
    })
  })

  it('that repeats secrets in its errors has them hidden', async () => {
    const message = `session secret-session-1 of secret-password-and-more, ${'x'.repeat(280)}secret-password`
    reply = ({ path }) =>
      path === '/api/devices'
        ? { status: 400, body: { error: { type: 'secret-session-1', message } } }
        : undefined
    const error = await errorOf(listDevices(gateway, op()))
    JSON.stringify([error.message, error.cause]).should.not.match(/secret-(session|pass)/)
  })

  for (const [what, unknown] of [
    ['410', { status: 410, body: { error: { type: 'x', message: 'no such route' } } }],
    ['null', { body: null }],
  ] as const) {
    it(`that answers ${what} for a route that is gone: a delete is confirmed by the list`, async () => {
      reply = ({ path }) => {
        if (path === '/api/devices/D/updates') return { body: { status: 'accepted' } }
        if (path === '/api/gateway/D/routes/R') return unknown
        return path === '/api/gateway/D/routes' ? { body: { data: [] } } : undefined
      }
      const route = { deviceId: 'D', routeId: 'R', waitFor: 'applied', waitTimeout: 5000 } as const
      await deleteRoute(gateway, route, newOperation('t'))
    })
  }

  it('that writes true and false as text: a route as read goes back, as booleans', async () => {
    const sent: unknown[] = []
    const part = { name: 'out', protocol: 'udp', address: '239.1.1.1', port: '6000' }
    const source = { ...part, id: 'S', name: 'in' }
    const destinations = [{ ...part, id: 'T', shaping: 'false' }]
    const route = { id: 'R', name: 'A', state: 'idle', source, destinations }
    reply = ({ path, body }) => {
      if (path === '/api/gateway/D/routes/R') return { body: route }
      if (path !== '/api/devices/D/updates') return undefined
      sent.push(body!.fields!.destinations)
      return { body: { status: 'accepted' } }
    }
    const address = { deviceId: 'D', routeId: 'R' }
    const patch = await getRoute(gateway, address, newOperation('t'))
    const change = {
      address,
      patch,
      mode: 'merge',
      waitFor: 'accepted',
      waitTimeout: 1000,
    } as const
    await updateRoute(gateway, change, newOperation('t'))
    sent.should.match([[{ id: 'T', shaping: false, port: 6000 }]])
  })

  describe('that writes its states otherwise', () => {
    let state: string | undefined
    let commands: string[]
    const address = { deviceId: 'D', routeId: 'R' }
    const route = (): object => ({
      id: 'R',
      name: 'Studio A',
      state,
      source: { id: 'S', name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
      destinations: [],
    })

    beforeEach(() => {
      commands = []
      reply = ({ path, body }) => {
        if (path === '/api/gateway/D/routes/R') return { body: route() }
        if (path === '/api/gateway/D/routes') return { body: { data: [route()] } }
        if (path !== '/api/devices/D/commands') return undefined
        const { command } = body as { command: string }
        commands.push(command)
        if (state === 'Running' && command === 'stop-route') state = 'Stopped'
        else if (state === 'Stopped' && command === 'start-route') state = 'Running'
        return { body: [{ command }] }
      }
    })

    const ensure = async (wanted: 'started' | 'stopped', waitTimeout = 5000): Promise<object> => {
      const options = { deviceId: 'D', state: wanted, waitTimeout }
      return (await ensureRoutes(gateway, { id: 'R' }, options, newOperation('t'))).results
    }

    it('with capitals: a running route is stopped and started, and neither is done twice', async () => {
      state = 'Running'
      ;(await ensure('started')).should.have.property('changed', false)
      ;(await ensure('stopped')).should.have.property('changed', true)
      ;(await ensure('stopped')).should.have.property('changed', false)
      ;(await ensure('started')).should.have.property('changed', true)
      commands.should.eql(['stop-route', 'start-route'])
    })

    it('with capitals: a stop is confirmed when it shows, and a restart stops first', async () => {
      state = 'Running'
      const control = { ...address, waitFor: 'applied', waitTimeout: 5000 } as const
      await controlRoute(gateway, { ...control, action: 'restart' }, newOperation('t'))
      const { route: after } = await controlRoute(
        gateway,
        { ...control, action: 'stop' },
        newOperation('t'),
      )
      after!.should.have.property('state', 'Stopped')
      commands.should.eql(['stop-route', 'start-route', 'stop-route'])
    })

    it('with capitals: the list is filtered by them', async () => {
      const lists = { type: 'media-gateway-list-routes', output: 'routes' }
      const { port } = server.address() as AddressInfo
      await load(`http://127.0.0.1:${port}`, {
        running: { ...lists, state: 'running' },
        idle: { ...lists, state: 'idle' },
      })
      const counts: unknown[] = []
      for (state of ['Running', 'Stopped']) {
        for (const filter of ['running', 'idle']) {
          counts.push(((await result(filter)).payload as unknown[]).length)
        }
      }
      await unload()
      counts.should.eql([1, 0, 0, 1])
    })

    for (const unknown of ['stopping', undefined]) {
      it(`${String(unknown)}: it is never taken for stopped`, async () => {
        state = unknown
        await ensure('stopped', 100).should.be.rejectedWith({ code: 'NOT_CONFIRMED' })
        const control = {
          ...address,
          action: 'stop',
          waitFor: 'applied',
          waitTimeout: 100,
        } as const
        await controlRoute(gateway, control, newOperation('t')).should.be.rejectedWith({
          code: 'NOT_CONFIRMED',
        })
        commands.should.eql(['stop-route', 'stop-route'])
      })
    }
  })

  describe('that lists fewer routes than it counts', () => {
    const page = ['R1', 'R2'].map((id) => ({
      id,
      name: id,
      source: { id: 'S', name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
      destinations: [],
    }))
    beforeEach(() => {
      reply = ({ path }) =>
        path.endsWith('/routes') ? { body: { data: page, numPages: 1, numResults: 3 } } : undefined
    })

    it('what it lists is found, and what it does not list is not taken for absent', async () => {
      const { data } = await listRoutes(gateway, { deviceId: 'D' }, op())
      data.should.have.length(2)
      ;(await findRoute(gateway, 'D', { name: 'R2' }, op())).should.equal('R2')
      const error = await errorOf(findRoute(gateway, 'D', { name: 'R3' }, op()))
      error.should.match({ code: 'BAD_RESPONSE', cause: { retryable: true } })
      error.message.should.match(/has 3 routes, and lists 2/)
      const options = { deviceId: 'D', state: 'present', waitTimeout: 500 } as const
      const { results } = await ensureRoutes(gateway, { name: 'R2' }, options, op())
      results.should.have.property('action', 'none')
    })

    it('a count of a moment ago is waited for', async () => {
      let looks = 0
      reply = ({ path }) =>
        path.endsWith('/routes')
          ? { body: { data: page, numPages: 1, numResults: ++looks > 2 ? 2 : 3 } }
          : undefined
      ;(await errorOf(findRoute(gateway, 'D', { name: 'R3' }, op()))).code.should.equal('NOT_FOUND')
    })

    it('one page among others that came short is not taken for whole', async () => {
      reply = ({ path, query }) => {
        if (!path.endsWith('/routes')) return undefined
        const at = Number(query!.get('page'))
        const data =
          at === 2 || at > 3 ? [] : page.map((route) => ({ ...route, id: `${route.id} ${at}` }))
        return { body: { data, numPages: 3, numResults: 6 } }
      }
      const error = await errorOf(listRoutes(gateway, { deviceId: 'D' }, op()))
      error.should.match({ code: 'BAD_RESPONSE', cause: { retryable: true } })
    })

    const counts: Record<string, object> = {
      'no counts': {},
      'counts of null': { numPages: null, numResults: null },
      'a number of pages that is too small': { numPages: 1, numResults: 5 },
    }
    for (const [what, given] of Object.entries(counts)) {
      for (const end of ['an empty page', 'an error', 'the last page again']) {
        it(`with ${what}: all pages are read, up to ${end}`, async () => {
          const ids = ['A', 'B', 'C', 'D', 'E']
          reply = ({ path, query }) => {
            if (!path.endsWith('/routes')) return undefined
            const at = Math.min(Number(query!.get('page')), end === 'the last page again' ? 3 : 99)
            if (end === 'an error' && at > 3) return { status: 400 }
            const some = ids.slice(2 * (at - 1), 2 * at)
            return { body: { data: some.map((id) => ({ ...page[0], id, name: id })), ...given } }
          }
          const { data } = await listRoutes(gateway, { deviceId: 'D' }, op())
          data.map(({ id }) => id).should.eql(ids)
        })
      }
    }

    it('those that are still being created may be counted', async () => {
      reply = ({ path }) =>
        path.endsWith('/routes')
          ? { body: { data: page, numPages: 1, numResults: 3, pendingRouteCreates: 1 } }
          : undefined
      const { data } = await listRoutes(gateway, { deviceId: 'D' }, op())
      data.should.have.length(2)
    })

    it('a route that is not among them is neither created nor taken for absent', async () => {
      const wanted = { ...page[0], id: undefined, name: 'R3' }
      for (const state of ['present', 'absent'] as const) {
        const options = { deviceId: 'D', state, waitTimeout: 500 }
        ;(await errorOf(ensureRoutes(gateway, wanted, options, op()))).code.should.equal(
          'BAD_RESPONSE',
        )
      }
      updates().should.have.length(0)
    })
  })

  describe('that answers with something else', () => {
    const others: Array<[string, unknown]> = [
      ['nothing in it', {}],
      ['what was asked for wrapped', { data: { id: 'R', _id: 'D', route: {}, config: {} } }],
      ['another one', { id: 'Q', name: 'Other' }],
    ]
    for (const [what, body] of others) {
      it(`an object with ${what} is no route, no device and no statistics`, async () => {
        reply = ({ path }) => (path.startsWith('/api/session') ? undefined : { body })
        const reads = [
          getRoute(gateway, { deviceId: 'D', routeId: 'R' }, op()),
          getDevice(gateway, 'D', op()),
          readStatistics(gateway, 'D', { routeId: 'R' }, op()),
        ]
        for (const read of reads) (await errorOf(read)).code.should.equal('BAD_RESPONSE')
      })
    }
  })

  describe('that does not tell pass phrases', () => {
    let route: JsonObject & { source: JsonObject; destinations: JsonObject[] }
    let shown: (part: JsonObject) => JsonObject
    let writes: number
    let loseAnswer: boolean

    const part = { protocol: 'srt', address: '192.0.2.1', port: 5000, srtLatency: 120 }
    const wanted = (source: string, destination: string): object => ({
      name: 'R',
      source: { srtPassPhrase: source },
      destinations: [{ name: 'out', srtPassPhrase: destination }],
    })
    const ensured = async (input: object): Promise<Ensured> => {
      const options = { deviceId: 'D', state: 'present' as const, waitTimeout: 1000 }
      const { results } = await ensureRoutes(gateway, input, options, op())
      return results as Ensured
    }
    const ensure = async (input: object): Promise<unknown> => (await ensured(input)).action

    beforeEach(() => {
      writes = 0
      loseAnswer = false
      route = {
        id: 'R',
        name: 'R',
        state: 'idle',
        source: { ...part, id: 'S', name: 'in', mode: 'caller' },
        destinations: [{ ...part, id: 'T', name: 'out', mode: 'caller' }],
      }
      reply = ({ path, body }) => {
        const told = {
          ...route,
          source: shown(route.source),
          destinations: route.destinations.map((one) => shown(one)),
        }
        if (path === '/api/gateway/D/routes/R') return { body: told }
        if (path === '/api/gateway/D/routes') return { body: { data: [told] } }
        if (path !== '/api/devices/D/updates') return undefined
        writes++
        if (loseAnswer) return 'cut'
        const { source, destinations } = body!.fields as typeof route
        // What an update leaves out stays (facts 9.3).
        route.source = { ...route.source, ...source, mode: source['srtMode'] }
        route.destinations = destinations.map((one, index) => ({
          ...route.destinations[index],
          ...one,
          mode: one['srtMode'],
        }))
        return { body: { status: 'ok' } }
      }
    })

    const ways: Record<string, (part: JsonObject) => JsonObject> = {
      'and leaves them out': (one) => ({ ...one, srtPassPhrase: undefined }),
    }
    for (const [way, show] of Object.entries(ways)) {
      it(`${way}: ensure writes one once, and again only when another is wanted`, async () => {
        shown = show
        const first = wanted('first-pass-phrase', 'other-pass-phrase')
        ;(await ensure(first))!.should.equal('update')
        ;(await ensure(first))!.should.equal('none')
        route.source['srtPassPhrase']!.should.equal('first-pass-phrase')
        ;(await ensure(wanted('first-pass-phrase', 'a-new-pass-phrase')))!.should.equal('update')
        route.destinations[0]!['srtPassPhrase']!.should.equal('a-new-pass-phrase')
        ;(await ensure(wanted('first-pass-phrase', 'a-new-pass-phrase')))!.should.equal('none')
        writes.should.equal(2)
      })

      it(`${way}: an update that waits until it shows does so`, async () => {
        shown = show
        await updateRoute(
          gateway,
          {
            address: { deviceId: 'D', routeId: 'R' },
            patch: { source: { srtPassPhrase: 'first-pass-phrase', srtLatency: 200 } },
            mode: 'merge',
            waitFor: 'applied',
            waitTimeout: 1000,
          },
          op(),
        )
        route.source.should.containDeep({ srtPassPhrase: 'first-pass-phrase', srtLatency: 200 })
      })
    }

    it('and leaves them out: those of a route that was created here are known', async () => {
      shown = ways['and leaves them out']!
      const answer = reply
      let created: JsonObject[] = []
      reply = (call) => {
        const { action, fields } = (call.body ?? {}) as { action?: string; fields?: JsonObject }
        if (action === 'create') {
          const told = { ...part, id: 'V', name: 'in', mode: 'caller' }
          created = [{ ...route, ...fields, id: 'N', source: told }]
          return { body: { status: 'ok' } }
        }
        if (call.path === '/api/gateway/D/routes') return { body: { data: created } }
        if (call.path === '/api/gateway/D/routes/N') return { body: created[0] }
        return answer(call)
      }
      const source = { ...part, name: 'in', srtMode: 'caller', srtPassPhrase: 'first-pass-phrase' }
      const definition = { name: 'New', source, destinations: [] }
      const waiting = { waitFor: 'applied', waitTimeout: 1000 } as const
      const create = { deviceId: 'D', definition, startRoute: false, ...waiting }
      await createRoute(gateway, create, op())
      ;(await ensure({
        name: 'New',
        source: { srtPassPhrase: 'first-pass-phrase' },
      }))!.should.equal('none')
      writes.should.equal(0)
    })

    it('and leaves them out: null takes one away all the same', async () => {
      shown = ways['and leaves them out']!
      await ensure(wanted('first-pass-phrase', 'other-pass-phrase'))
      await updateRoute(
        gateway,
        {
          address: { deviceId: 'D', routeId: 'R' },
          patch: { source: { srtPassPhrase: null } },
          mode: 'merge',
          waitFor: 'applied',
          waitTimeout: 1000,
        },
        op(),
      )
      route.source['srtPassPhrase']!.should.equal('')
      route.destinations[0]!['srtPassPhrase']!.should.equal('other-pass-phrase')
    })

    it('where the answer got lost, one is not taken for written', async () => {
      shown = ways['and leaves them out']!
      const input = wanted('first-pass-phrase', 'other-pass-phrase')
      await ensure(input)
      loseAnswer = true
      const other = wanted('another-one-now', 'other-pass-phrase')
      ;(await errorOf(ensure(other))).code.should.equal('OUTCOME_UNKNOWN')
      loseAnswer = false
      // Either may be there now.
      ;(await ensure(input))!.should.equal('update')
      ;(await ensure(input))!.should.equal('none')
      writes.should.equal(3)
    })

    it('and shows stars: one that was written from here is replaced by another', async () => {
      shown = (one) => ({
        ...one,
        ...(one['srtPassPhrase'] !== undefined && { srtPassPhrase: '***' }),
      })
      // Nothing tells what the stars stand for, so they are taken for what is wanted, which is said.
      route.source['srtPassPhrase'] = 'of somebody else'
      for (const srtPassPhrase of ['first-pass-phrase', '', null]) {
        const outcome = await ensured({ name: 'R', source: { srtPassPhrase } })
        outcome.should.match({ changed: false, action: 'none', diff: [] })
        outcome.unverified!.should.eql(['source.srtPassPhrase'])
      }
      for (const srtPassPhrase of ['••••••', '***', undefined]) {
        const outcome = await ensured({ name: 'R', source: { srtPassPhrase } })
        outcome.should.not.have.property('unverified')
      }
      const both = { srtPassPhrase: 'first-pass-phrase', srtLatency: 200 }
      const written = await ensured({ name: 'R', source: both })
      written.should.match({ action: 'update' }).and.not.have.property('unverified')
      ;(await ensured({ name: 'R', source: both })).should.not.have.property('unverified')
      ;(await ensure({ name: 'R', source: { srtPassPhrase: 'another-one-now' } }))!.should.equal(
        'update',
      )
      route.source['srtPassPhrase']!.should.equal('another-one-now')
    })
  })

  it('that takes more than a second to end a session is given the time', async () => {
    let isHeard: boolean | undefined
    server.prependListener('request', (request, response) => {
      if (request.method !== 'DELETE') return
      const end = response.end.bind(response)
      Object.assign(response, {
        end: (text: string) =>
          setTimeout(() => {
            isHeard = !response.destroyed
            end(text)
          }, 1300),
      })
    })
    const patient = openAgain()
    await listDevices(patient, op())
    await patient.close()
    isHeard!.should.be.true()
  })

  describe('that takes the ID of a route in either case', () => {
    const id = '3f2b8c1e-9d47-4a6b-8c21-0e5f7a9b1c2d'
    const address = { deviceId: 'D', routeId: id.toUpperCase() }
    let state: string
    let isThere: boolean
    let readsUntilGone: number

    beforeEach(() => {
      state = 'idle'
      isThere = true
      readsUntilGone = Infinity
      reply = ({ path, body }) => {
        const route = {
          id,
          name: 'Route',
          state,
          source: { id: 'S', name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
          destinations: [],
        }
        if (path.toLowerCase() === `/api/gateway/d/routes/${id}`) {
          if (--readsUntilGone < 0) isThere = false
          return isThere ? { body: route } : undefined
        }
        if (path === '/api/gateway/D/routes') {
          return { body: { data: isThere ? [route] : [], numResults: Number(isThere) } }
        }
        if (path === '/api/devices/D/commands') {
          state = 'running'
          return { body: [{}] }
        }
        if (path !== '/api/devices/D/updates') return undefined
        if ((body as { action?: string }).action === 'delete') readsUntilGone = 3
        return { body: { status: 'ok' } }
      }
    })

    it('it is read, started and seen to run', async () => {
      ;(await getRoute(gateway, address, op())).id.should.equal(id)
      const control = { action: 'start', waitFor: 'applied', waitTimeout: 2000 } as const
      const { route } = await controlRoute(gateway, { ...address, ...control }, op())
      route!.should.have.property('state', 'running')
    })

    it('it is not taken for gone before it is', async () => {
      await deleteRoute(gateway, { ...address, waitFor: 'applied', waitTimeout: 5000 }, op())
      isThere.should.be.false()
    })

    it('it is deleted where it shall be absent', async () => {
      const options = { deviceId: 'D', state: 'absent', waitTimeout: 5000 } as const
      const { results } = await ensureRoutes(gateway, { id: id.toUpperCase() }, options, op())
      results.should.have.property('action', 'delete')
    })
  })

  it('that answers the end of a session with nothing has ended it', async () => {
    reply = ({ method }) => (method === 'DELETE' ? { status: 204 } : undefined)
    await listDevices(gateway, op())
    ;(await endSession(gateway, op())).should.have.property('type', 'Session')
    await gateway.close()
    calls.filter(({ method }) => method === 'DELETE').should.have.length(1)
  })

  it('that is away: changes of one route do not try one after the other', async () => {
    await listDevices(gateway, op())
    server.closeAllConnections()
    await new Promise((resolve) => {
      server.close(resolve)
    })
    const operations = Array.from({ length: 20 }, op)
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
    server.listen(0)
  })

  describe('that writes an empty list of destinations otherwise', () => {
    const NONE: Record<string, unknown> = { null: null, 'nothing at all': undefined }
    for (const [what, none] of Object.entries(NONE)) {
      it(`${what}: a watch tells of no new route, and knows the route`, async () => {
        const route = (destinations: unknown): object => ({
          id: 'R',
          name: 'Route',
          state: 'idle',
          source: { id: 'S', name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
          destinations,
        })
        let destinations = none
        reply = ({ path }) => {
          const routes = [route(destinations)]
          if (path === '/api/devices/D')
            return { body: { _id: 'D', name: 'D', config: { routes } } }
          if (path.endsWith('/routes')) return { body: { data: routes } }
          return path.endsWith('/routes/R') ? { body: routes[0] } : undefined
        }
        const told: string[] = []
        const snapshots: Snapshot[] = []
        const end = watchDevice(gateway, {
          deviceId: 'D',
          onEvents: (events) => told.push(...events.map(({ event }) => event)),
          onSnapshot: (snapshot) => snapshots.push(snapshot),
        })
        try {
          for (let looks = 0; looks < 3; looks++) await pollNow(gateway, 'D')!()
          told.should.eql([])
          const lists = calls.filter(({ path }) => path.endsWith('/routes')).length
          if (none === null) lists.should.equal(0)
          snapshots[0]!.routes.should.have.length(1)
          const out = { id: 'T', name: 'out', protocol: 'udp', address: '192.0.2.1', port: 1 }
          destinations = [out]
          await pollNow(gateway, 'D')!()
          destinations = [out, { ...out, id: 'U', name: 'out 2' }]
          await pollNow(gateway, 'D')!()
          // Where nothing was told, that the first one is told is no change.
          const first = none === null ? ['destination.added'] : []
          told.should.eql([...first, 'destination.added'])
        } finally {
          end()
        }
      })
    }
  })

  it('with numPages beyond all reason is read to its end', async () => {
    const data = [{ id: 'R', name: 'Route' }]
    reply = ({ path }) =>
      path.endsWith('/routes') ? { body: { data, numPages: 1e9, numResults: '1' } } : undefined
    const list = await listRoutes(gateway, { deviceId: 'D' }, op())
    list.data.should.have.length(1)
    calls.length.should.be.below(30)
  })

  it('whose expireAt never moves is asked about it once', async () => {
    const expireAt = Date.now() + 2500
    reply = ({ path, method }) =>
      path === '/api/session' && method === 'GET' ? { body: { expireAt, roles: [] } } : undefined
    await listDevices(gateway, op())
    await new Promise((resolve) => setTimeout(resolve, 2150))
    for (let reads = 0; reads < 30; reads++) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      await listDevices(gateway, op())
    }
    calls
      .filter(({ path, method }) => path === '/api/session' && method === 'GET')
      .should.have.length(2)
    logins().should.equal(1)
  })

  it('one write that is cut fails no other call', async () => {
    reply = ({ path }) => (path.endsWith('/updates') ? 'cut' : undefined)
    const write = {
      method: 'POST',
      path: '/api/devices/D/updates',
      body: {},
    } as const
    const cut = errorOf(gateway.call(write, op()))
    await Promise.all(Array.from({ length: 100 }, () => listDevices(gateway, op())))
    ;(await cut).code.should.equal('OUTCOME_UNKNOWN')
  })

  it("a 404 of a route is told as such, by a client of one's own", async () => {
    const address = { deviceId: 'D', routeId: 'none' }
    ;(await errorOf(getRoute(gateway, address, op()))).code.should.equal('NOT_FOUND')
    logins().should.equal(1)
  })

  /** The least cases of what generated ones have found (fuzz.test.ts). */
  describe('through the nodes', () => {
    const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const DEEP = 10_000
    const nested = '['.repeat(DEEP) + ']'.repeat(DEEP)
    const address = { deviceId: 'D', routeId: 'R' }
    const byName = { ...address, destinationName: 'b', action: 'start' }
    const whole = {
      id: 'R',
      name: 'Route',
      source: { id: 'S', name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
      destinations: [],
    }
    const answerTo = (end: string, answer: Reply): void => {
      reply = ({ path }) => (path.endsWith(end) ? answer : undefined)
    }

    afterEach(unload)

    type Node = Record<string, unknown>
    const badAnswers: Array<[what: string, node: Node, message: Message, text: string]> = [
      ['lists in lists in lists', { type: 'get-route', hideSecrets: true }, address, nested],
      ['a route without a source', { type: 'statistics', scope: 'source' }, address, '{}'],
      [
        'a source without an ID',
        { type: 'statistics', scope: 'source' },
        address,
        '{"source":{"id":7}}',
      ],
      [
        'null among the destinations',
        { type: 'control-route', target: 'destination' },
        byName,
        '{"destinations":[null]}',
      ],
      [
        'text for the destinations',
        { type: 'control-route', target: 'destination' },
        byName,
        '{"destinations":"all"}',
      ],
      [
        'a destination without an ID',
        { type: 'control-route', target: 'destination' },
        byName,
        '{"destinations":[{"name":"b"}]}',
      ],
    ]
    for (const [what, { type, ...node }, message, text] of badAnswers) {
      it(`${what}: a bad answer, not a mistake of the node (${String(type)})`, async () => {
        answerTo('/routes/R', { text })
        await load(url(), { node: { ...node, type: `media-gateway-${String(type)}` } })
        const { code, message: sentence } = await failure('node', message)
        code.should.equal('BAD_RESPONSE')
        sentence.should.not.match(/Please report/)
      })
    }

    it('what is nested too deep is sent on to nobody: Node-RED could not copy it', async () => {
      answerTo('/updates', { text: `{"status":"ok","more":${nested}}` })
      await load(url(), { 'update-route': { wires: [['out', 'caught']] } })
      const message = { ...address, payload: { ...whole, destinations: [] } }
      const { code } = await failure('update-route', message)
      code.should.equal('BAD_RESPONSE')
    })

    for (const id of ['..', '\ud800', 'x'.repeat(100_000)]) {
      it(`a device with the ID ${JSON.stringify(id.slice(0, 4))} is not used, nor remembered`, async () => {
        answerTo('/devices', { body: [{ _id: id }] })
        await load(url())
        ;(await failure('get-device')).code.should.equal('BAD_RESPONSE')
        answerTo('/devices/D', { body: { _id: 'D', config: {} } })
        ;(await result('get-device')).should.have.property('deviceId', 'D')
      })
    }

    it('a device that is refused, with whatever status, is looked up anew', async () => {
      let id = 'old'
      reply = ({ path }) => {
        if (path === '/api/devices') return { body: [{ _id: id }] }
        if (path === `/api/devices/${id}`) return { body: { config: {} } }
        return path.startsWith('/api/devices/') ? { status: 400 } : undefined
      }
      await load(url())
      ;(await result('get-device')).should.have.property('deviceId', 'old')
      id = 'new'
      ;(await failure('get-device')).code.should.equal('REJECTED')
      ;(await result('get-device')).should.have.property('deviceId', 'new')
    })

    it('many devices with long names make no endless sentence', async () => {
      const body = Array.from({ length: 1000 }, (_, at) => ({
        _id: `D${at}`,
        name: 'x'.repeat(99),
      }))
      answerTo('/devices', { body })
      await load(url())
      const { code, message, cause } = await failure('get-device')
      code.should.equal('INVALID_INPUT')
      message.length.should.be.below(2000)
      cause.problems![0]!.problem.length.should.be.below(2000)
    })

    it('the editor is given text only where text belongs', async () => {
      reply = ({ path }) => {
        if (path === '/api/devices') {
          return { body: [{ _id: 'D', name: { a: 'secret' }, status: ['secret'] }] }
        }
        if (path === '/api/devices/D') return { body: { config: { settings: 'none' } } }
        if (!path.endsWith('/routes')) return undefined
        const destinations = [null, { id: { a: 'secret' }, name: 7, started: 'secret' }]
        return { body: { data: [{ id: 'R', name: null, state: { a: 'secret' }, destinations }] } }
      }
      await load(url())
      for (const path of ['connection', 'lookup']) {
        const request = helper.request().post(`/media-gateway/${path}`)
        const { status, text } = await request
          .set('content-type', 'application/json')
          .send('{"connection":{"id":"gateway"}}')
        status.should.equal(200)
        text.should.not.match(/secret/)
      }
    })

    const refused: Array<[what: string, node: Node, message: () => Message]> = [
      ['a list of routes with holes', { type: 'ensure-route' }, () => ({ payload: Array(3) })],
      [
        'a route to delete that is not told',
        { type: 'ensure-route', state: 'absent' },
        () => ({ payload: { nmae: 'Studio A' } }),
      ],
      [
        'destinations with holes',
        { type: 'create-route' },
        () => ({ payload: { ...whole, id: undefined, destinations: Array(2) } }),
      ],
      [
        'a promise that never ends, as the definition',
        { type: 'create-route' },
        () => ({ payload: new Promise(() => undefined) }),
      ],
      [
        'a promise that never ends, as the route',
        { type: 'get-route' },
        () => ({ routeId: new Promise(() => undefined) }),
      ],
      [
        'lists in lists in lists, as the definition',
        { type: 'update-route', validate: false },
        () => ({
          ...address,
          payload: { source: { a: JSON.parse('['.repeat(1000) + ']'.repeat(1000)) as unknown } },
        }),
      ],
      [
        'a preset that refers to itself',
        { type: 'preset', action: 'import' },
        () => {
          const preset: Record<string, unknown> = { preset_version: 1, routes: [] }
          return { confirm: true, payload: Object.assign(preset, { preset }) }
        },
      ],
      [
        'a preset with holes in its routes',
        { type: 'preset', action: 'import' },
        () => ({ confirm: true, payload: { preset_version: 1, routes: Array(2) } }),
      ],
      [
        'an object for the port of a client',
        { type: 'statistics', scope: 'client' },
        () => ({ ...byName, clientAddress: '192.0.2.1', clientPort: { valueOf: 1, toString: 1 } }),
      ],
      [
        'an ID of many pages',
        { type: 'get-route' },
        () => ({ ...address, routeId: 'x'.repeat(9999) }),
      ],
      [
        'an ID of many pages for a command',
        { type: 'control-route' },
        () => ({ ...address, routeId: 'x'.repeat(9999) }),
      ],
      [
        'an ID of many pages for a removal',
        { type: 'delete-route' },
        () => ({ ...address, routeId: 'x'.repeat(9999) }),
      ],
      ['a scope named as a method', { type: 'statistics', scope: 'toString' }, () => address],
      ['a scope named as a class', { type: 'statistics', scope: 'constructor' }, () => address],
      ['a number for a place', { type: 'create-route', definition: 5 }, () => address],
      [
        'a place in what is not there',
        { type: 'create-route', definition: 'a.b.c' },
        () => address,
      ],
    ]
    for (const [what, { type, ...node }, message] of refused) {
      it(`${what}: refused before any call (${String(type)})`, async () => {
        await load(url(), { node: { ...node, type: `media-gateway-${String(type)}` } })
        const error = await failure('node', message())
        error.code.should.equal('INVALID_INPUT')
        error.message.should.match(/^Nothing was changed/).and.not.match(/Cannot|is not a function/)
        calls
          .filter(({ method, path }) => method !== 'GET' && path !== '/api/session')
          .should.eql([])
      })
    }

    it('a TLS configuration that is none is refused', async () => {
      for (const tls of ['__proto__', 'get-route']) {
        await load(url(), {}, { gateway: { tls } })
        ;(await failure('list-devices')).code.should.equal('CONFIG')
        await unload()
      }
    })

    it('an ID that does not let itself be read is none', async () => {
      await load(url())
      const routeId = Object.defineProperty({}, 'id', {
        get() {
          throw new Error('do not look')
        },
      })
      ;(await send('get-route', { routeId })).error!.code.should.equal('INVALID_INPUT')
    })

    it('a message that cannot be copied for a second wire ends once, and says so', async () => {
      await load(url(), { 'list-devices': { wires: [['out', 'caught']] } })
      const other = new Proxy(
        {},
        {
          ownKeys() {
            throw new Error('do not list')
          },
        },
      )
      const { done: times, error } = await send('list-devices', { other })
      times.should.equal(1)
      error!.message.should.match(/was done, but the message could not be sent on/)
    })
  })
})
