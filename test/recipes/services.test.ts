// Recipes that connect routes with people: a page for guests, an interface for programs.
import type { RouteState } from '../../simulator'
import { contentOf } from '../support/root'
import { until } from '../support/until'
import { type FlowNode, nodeNamed, read, simulator, stageRecipes, withTab } from './support'

const PASSWORD = 'a password for tests'
const TOKEN = 'a token for the tests only'

describe('the example flows', () => {
  const { open, inject, output, told, commands, nodeRed } = stageRecipes({
    GATEWAY_API_TOKEN: TOKEN,
    GUESTS_PASSWORD: PASSWORD,
  })

  const isRunning = (name: string): boolean => simulator.route(name)!.state === 'running'

  describe('Guest contribution', () => {
    const TITLE = 'Guest contribution'
    const CLOCK = 'every minute'
    const basic = (password: string): Record<string, string> => ({
      authorization: `Basic ${Buffer.from(`me:${password}`).toString('base64')}`,
    })

    /** Sends a form, or without one reads the page. */
    async function page(
      form?: Record<string, string>,
      headers = basic(PASSWORD),
    ): Promise<{ status: number; text: string; headers: Headers }> {
      const answer = await fetch(`${nodeRed.url}guests`, {
        headers,
        redirect: 'manual',
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      })
      return {
        status: answer.status,
        text: unescaped(await answer.text()),
        headers: answer.headers,
      }
    }
    function formOf({ text }: { text: string }): string {
      const [, form] = /name="form" value="(\w+)"/.exec(text) ?? []
      should.exist(form, text)
      return form!
    }
    const opened = (properties = {}): Promise<FlowNode[]> => {
      const HOST = 'srt.example.com'
      const tab = { ARMED: true, HOST, PORTS: '5100-5102', ...properties }
      return open(TITLE, { flow: withTab(read(`Recipes/${TITLE}.json`), tab) })
    }
    const guests = (): RouteState[] =>
      simulator.routes.filter(({ name }) => name.startsWith('Guest '))

    it('invites a guest, says when they connect, and removes them', async () => {
      simulator.route('Studio A')!.destinations[0]!.port = 5100
      await opened()
      const form = formOf(await page())
      const invited = await page({ form, action: 'invite', name: 'Änne 1', hours: '2' })
      invited.status.should.equal(201)
      invited.headers.get('cache-control')!.should.equal('no-store')
      const [, url = ''] = /<code>(.*?)<\/code>/.exec(invited.text)!
      const { hostname, port, searchParams } = new URL(url.replace('srt:', 'http:'))
      const passphrase = searchParams.get('passphrase')!
      passphrase.should.match(/^[\w-]{24}$/)
      const [guest] = guests() as [RouteState]
      guest.name.should.match(/^Guest Änne 1 until \d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
      guest.should.match({
        state: 'running',
        source: { protocol: 'srt', srtMode: 'listener', port: 5101, srtPassPhrase: passphrase },
        destinations: [{ protocol: 'udp', address: '239.1.1.50', port: 5101 }],
      })
      ;[hostname, port].should.eql(['srt.example.com', '5101'])

      // To the simulator, somebody is there at once.
      await until(() => told('report').at(-1) === 'Guest Änne 1 connected', 'the text')
      simulator.fail(guest.id, { source: 'disconnected' })
      await until(() => told('report').at(-1) === 'Guest Änne 1 disconnected', 'the text')
      simulator.fail(guest.id, { source: 'ok' })
      await until(() => told('report').length === 3, 'the text')
      told('report')[2]!.should.equal('Guest Änne 1 connected')

      const shown = await page()
      shown.text.should.match(/<td>Änne 1<\/td><td>[\d: -]+ UTC<\/td><td>5101<\/td><td>connected/)
      shown.text.should.not.containEql(passphrase)
      shown.headers.get('content-security-policy')!.should.startWith("default-src 'none'")
      const removed = await page({ form, action: 'remove', id: guest.id })
      ;[removed.status, removed.headers.get('location')].should.eql([303, '/guests'])
      guests().should.eql([])
      told('removed').should.eql(['Guest Änne 1 removed: by hand'])
      output().should.not.containEql(passphrase)
    })

    it('gives each guest another port and passphrase, and says when there is none left', async () => {
      await opened()
      const form = formOf(await page())
      const names = ['A', 'B', 'C', 'D', 'a']
      const answers = await Promise.all(
        names.map((name) => page({ form, action: 'invite', name, hours: '0.25' })),
      )
      answers
        .map(({ status }) => status)
        .sort((one, other) => one - other)
        .should.eql([201, 201, 201, 409, 409])
      new Set(guests().map(({ source }) => source.port)).should.eql(new Set([5100, 5101, 5102]))
      new Set(guests().map(({ source }) => source['srtPassPhrase'])).size.should.equal(3)
    })

    it('removes a guest when the time is over, also after a restart, and nobody else', async () => {
      const [studio, hall] = [simulator.route('Studio A')!, simulator.route('City hall')!]
      simulator.renameRoute(studio.id, 'Guest Old until 2026-01-01 10:00 UTC')
      simulator.renameRoute(hall.id, 'Guest New until 2999-01-01 10:00 UTC')
      simulator.renameRoute('OB van 3', 'Guest room')
      const count = simulator.routes.length
      await opened({ ARMED: false })
      await page()
      simulator.routes.length.should.equal(count)
      const flow = await opened()
      nodeNamed(flow, CLOCK).should.match({ repeat: '60', once: true })
      await until(() => told('removed').length === 1, 'the removal')
      told('removed').should.eql(['Guest Old removed: the time is over'])
      await inject(flow, CLOCK)
      simulator.routes.length.should.equal(count - 1)
      should(simulator.route(studio.id)).be.undefined()
    })

    it('is closed without the password, to other pages, to other routes, and until it is armed', async () => {
      await opened({ ARMED: false })
      for (const headers of [{}, basic(''), basic(`${PASSWORD}x`), { authorization: 'Bearer x' }]) {
        ;(await page(undefined, headers)).status.should.equal(401)
        ;(await page({ action: 'invite' }, headers)).status.should.equal(401)
      }
      const form = formOf(await page())
      const invite = { action: 'invite', name: 'A', hours: '1' }
      ;(await page({ ...invite, form })).text.should.match(/ARMED/)
      await opened()
      const { id } = simulator.route('Studio A')!
      const routes = simulator.routes.length
      const again = formOf(await page())
      const renamed = '<i>x</i> & "y"'
      simulator.renameRoute('City hall', `Guest ${renamed} until 2999-01-01 10:00 UTC`)
      const raw = await fetch(`${nodeRed.url}guests`, { headers: basic(PASSWORD) })
      ;(await raw.text()).should.not.containEql('<i>')
      for (const [sent, status] of [
        [invite, 403],
        [{ ...invite, form: 'x' }, 403],
        [{ form: again, action: 'remove', id }, 404],
        [{ ...invite, form: again, name: '<b>' }, 400],
        [{ ...invite, form: again, hours: '1e9' }, 400],
      ] as Array<[Record<string, string>, number]>) {
        ;(await page(sent)).status.should.equal(status, JSON.stringify(sent))
      }
      const restore = simulator.fault({ kind: 'status', status: 403, match: { path: '*/updates' } })
      const failed = await page({ ...invite, form: again })
      restore()
      failed.status.should.equal(502)
      failed.text.should.not.match(/passphrase=/)
      simulator.routes.length.should.equal(routes)
      await until(() => told('error').length === 1, 'the error')
    })
  })

  describe('Who is watching', () => {
    const TITLE = 'Who is watching'
    const HOSTILE = '<b>KQED</b>'
    const rows = [{ address: '203.0.113.7', name: HOSTILE, route: 'Studio A', expected: 'running' }]
    const page = async (): Promise<{ status: number; text: string }> => {
      const answer = await fetch(`${nodeRed.url}watching`)
      return { status: answer.status, text: await answer.text() }
    }
    const named = (): FlowNode[] =>
      read(`Recipes/${TITLE}.json`).map((node) =>
        node.type === 'media-gateway'
          ? { ...node, callersType: 'json', callers: JSON.stringify(rows) }
          : node,
      )
    const called = (...who: object[]): void =>
      simulator.setCallers('Studio A', { 'Studio A out': who })
    const KQED = { address: '203.0.113.7', port: 40_001 }

    it('shows all callers on a page, by name, and says who is away and back', async () => {
      called(KQED, { address: '203.0.113.9', port: 40_002 })
      await open(TITLE, { flow: named() })
      await until(async () => {
        const { text } = await page()
        return /KQED&#60;\/b&#62;<\/td><td>\d\d:\d\d</.test(text)
      }, 'the page, with the time since when')
      const { status, text } = await page()
      status.should.equal(200)
      text.should.containEql('<td>203.0.113.9</td>')
      text.should.not.containEql('<b>')
      const listed = text.match(/<tr><td>/g)!.length
      text.should.containEql(`<h1>${listed} callers</h1>`)
      listed.should.be.aboveOrEqual(
        simulator.callers.filter(({ joinedAt }) => joinedAt !== null).length,
      )
      called({ address: '203.0.113.9', port: 40_002 })
      await until(() => told('message').length === 1, 'the message')
      called(KQED, { address: '203.0.113.9', port: 40_002 })
      await until(() => told('message').length === 2, 'the end')
      told('message').should.match([
        'Studio A: caller “<b>KQED</b>” is away',
        /^Studio A: OK again after .* \(caller “<b>KQED<\/b>” is away\)$/,
      ])
    })

    it('says on the page why there is none, and nothing of what is not about callers', async () => {
      await open(TITLE)
      simulator.fail('Studio A', { source: 'disconnected' })
      simulator.fault({ kind: 'status', status: 403, match: { path: '*/statistics' } })
      await until(async () => (await page()).status === 502, 'the refusal')
      ;(await page()).text.should.match(/^<p>/)
      told('message').should.eql([])
    })
  })

  describe('REST facade', () => {
    const TITLE = 'REST facade'
    const FILE = 'docs/recipes/rest-facade.openapi.yaml'
    const NAME = 'Studio A/1 ü%2F'
    const PATH = `/routes/${encodeURIComponent(NAME)}`

    /** Sends a request with the token, unless other headers are given. */
    async function ask(
      method: string,
      path: string,
      headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` },
    ): Promise<{ status: number; body: unknown; text: string; headers: Headers }> {
      const answer = await fetch(`${nodeRed.url}gateway${path}`, { method, headers })
      const text = await answer.text()
      const isJson = answer.headers.get('content-type')?.includes('json')
      return {
        status: answer.status,
        text,
        body: isJson && JSON.parse(text),
        headers: answer.headers,
      }
    }

    /** The flow, with the description as Node-RED itself understands it. */
    function prepared(properties: { timeout?: number; token?: string; armed?: boolean } = {}) {
      const { timeout = 10_000, token, armed = true } = properties
      const flow = withTab(read(`Recipes/${TITLE}.json`), { ARMED: armed })
      const [tab] = flow as [FlowNode]
      if (token !== undefined)
        (tab['env'] as object[]).push({ name: 'GATEWAY_API_TOKEN', value: token, type: 'str' })
      flow.find(({ type }) => type === 'media-gateway')!['timeout'] = timeout
      const z = tab.id
      const yaml = nodeNamed(flow, 'OpenAPI')
      return [
        ...flow,
        { id: 't1', z, type: 'http in', url: '/described', method: 'get', wires: [['t2']] },
        { ...yaml, id: 't2', z, wires: [['t3']] },
        { id: 't3', z, type: 'yaml', property: 'payload', wires: [['t4']] },
        { id: 't4', z, type: 'http response', wires: [] },
      ]
    }

    beforeEach(() => simulator.renameRoute('Studio A', NAME))

    it('answers each documented operation with each documented status', async () => {
      for (const name of ['City hall', 'OB van 3']) simulator.renameRoute(name, 'Twice')
      await open(TITLE, { flow: prepared() })
      const described = (await (await fetch(`${nodeRed.url}described`)).json()) as Description
      const seen = new Set<string>()
      const see = async (
        status: number,
        [method, path]: readonly [string, string],
        code?: string,
        headers?: Record<string, string>,
      ): Promise<void> => {
        const answer = await ask(method, path, headers)
        const what = `${method} ${path} ${status}: ${answer.text}`
        answer.status.should.equal(status, what)
        if (code) {
          answer.body!.should.have.properties(described.components.schemas.Error.required)
          answer.body!.should.have.property('code', code)
        }
        seen.add(`${method} ${templateOf(path)} ${status}`)
      }
      const all = ['GET', '/routes'] as const
      const one = ['GET', PATH] as const
      const change = ['POST', `${PATH}/restart`] as const
      const operations = [all, one, change]
      const GATEWAY = { path: '/api/gateway/*' }

      for (const operation of operations) {
        await see(200, operation)
        await see(401, operation, 'UNAUTHORIZED', {})
        await see(401, operation, 'UNAUTHORIZED', { authorization: `Bearer ${TOKEN}x` })
        await see(401, operation, 'UNAUTHORIZED', { authorization: `Basic ${TOKEN}` })
      }
      for (const [code, status, fault] of [
        ['FORBIDDEN', 403, { kind: 'status', status: 403 }],
        ['UNAVAILABLE', 502, { kind: 'status', status: 500 }],
        ['TIMEOUT', 504, { kind: 'hang' }],
      ] as const) {
        if (code === 'TIMEOUT') await open(TITLE, { flow: prepared({ timeout: 5000 }) })
        const mended = simulator.fault({ ...fault, match: GATEWAY })
        await Promise.all(operations.map((each) => see(status, each, code)))
        mended()
      }
      await open(TITLE, { flow: prepared() })
      await see(200, ['GET', '/openapi.yaml'], undefined, {})
      for (const [method, rest] of [
        ['GET', ''],
        ['POST', '/stop'],
      ] as const) {
        await see(400, [method, `/routes/%E0%A4%A${rest}`])
        await see(404, [method, `/routes/nobody${rest}`], 'NOT_FOUND')
        await see(404, [method, `/routes/%20${rest}`], 'NOT_FOUND')
        await see(409, [method, `/routes/Twice${rest}`], 'CONFLICT')
      }
      await see(404, ['POST', `${PATH}/delete`], 'NOT_FOUND')

      const credentials = { username: '', password: '' }
      await open(TITLE, { flow: prepared({ armed: false }), credentials })
      await see(500, all, 'CONFIG')
      await see(500, one, 'CONFIG')
      await see(403, change, 'NOT_ARMED')
      await open(TITLE, { flow: prepared(), credentials })
      await see(500, change, 'CONFIG')
      await open(TITLE, { flow: prepared({ token: 'short' }) })
      for (const operation of operations) await see(503, operation, 'NO_TOKEN')

      const documented = Object.entries(described.paths).flatMap(([path, item]) =>
        Object.entries(item)
          .filter(([method]) => method !== 'parameters')
          .flatMap(([method, { responses }]) =>
            Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
          ),
      )
      ;[...seen].sort().should.eql(documented.sort())
    })

    it('answers when a change is done, and shows no secrets', async () => {
      await open(TITLE, { flow: prepared() })
      for (const [action, state] of [
        ['stop', 'stopped'],
        ['stop', 'stopped'],
        ['start', 'running'],
        ['restart', 'running'],
      ]) {
        const { status, body } = await ask('POST', `${PATH}/${action}`)
        status.should.equal(200)
        body!.should.match({ name: NAME, state })
        isRunning(NAME).should.equal(state === 'running')
      }
      commands().should.eql(
        ['stop', 'stop', 'start', 'stop', 'start'].map((each) => `${each}-route`),
      )

      const { body, text, headers } = await ask('GET', '/routes')
      const routes = body as Array<{ name: string; state: string }>
      routes.map(({ name }) => name).should.eql(simulator.routes.map(({ name }) => name))
      for (const { name, state } of routes) isRunning(name).should.equal(state === 'running')
      text.should.not.match(/invented|address/i)
      headers.get('cache-control')!.should.equal('no-store')
      const described = (await (await fetch(`${nodeRed.url}described`)).json()) as Description
      const { required, properties } = described.components.schemas.Route
      Object.keys(routes[0]!)
        .sort()
        .should.eql([...required].sort())
      Object.keys(properties)
        .sort()
        .should.eql([...required].sort())
      ;(await ask('GET', '/openapi.yaml')).text.should.equal(contentOf(FILE))
      output().should.not.containEql(TOKEN)
    })

    const templateOf = (path: string): string =>
      path.replace(/^\/routes\/[^/]+/, '/routes/{name}').replace(/(name\})\/\w+$/, '$1/{action}')
  })
})

/** A page without the entities of html. */
const unescaped = (text: string): string =>
  text
    .replace(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCodePoint(parseInt(code, 16)))
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')

/** What the test reads of the description of the interface. */
interface Description {
  paths: Record<string, Record<string, { responses: object }>>
  components: { schemas: Record<'Route' | 'Error', { required: string[]; properties: object }> }
}
