import net from 'node:net'
import { startSimulator, type Simulator } from '../../simulator'
import { failure, helper, load, result, unload } from '../support/flow'
import { Proxy } from '../support/proxy'
import { closed, listen, passOn, ScriptedAppliance } from '../support/scripted-appliance'
import { until } from '../support/until'
import { afterThisTest } from '../support/hooks'

describe('the config node', () => {
  let simulator: Simulator

  before(async () => {
    simulator = await startSimulator({ routes: 2 })
  })
  after(() => simulator.stop())
  beforeEach(() => simulator.clearJournal())
  afterEach(() => unload())

  const refusals: Array<[what: string, gateway: object, says: RegExp, credentials?: object]> = [
    ['no address', { baseUrl: '' }, /^Gateway "gateway": The URL is missing\./],
    ['no URL', { baseUrl: 'gateway one' }, /^Gateway "gateway": The URL is not valid\./],
    ['another scheme', { baseUrl: 'ftp://192.0.2.1' }, /http:\/\/ or https:\/\//],
    [
      'user info',
      { baseUrl: 'http://a:secret-word@192.0.2.1' },
      /not contain a username or a pass/,
    ],
    ['an unresolved address', { baseUrl: '${GATEWAY_ADDRESS_X}' }, /GATEWAY_ADDRESS_X/],
    ['no user', {}, /username is missing/, { username: '' }],
    ['no password', {}, /password/, { password: '' }],
    ['an unresolved user', {}, /GATEWAY_USER_X/, { username: '${GATEWAY_USER_X}' }],
    ['an unresolved password', {}, /GATEWAY_PASS_X/, { password: '${GATEWAY_PASS_X}' }],
    ['an unresolved timeout', { timeout: '${GATEWAY_TIME_X}' }, /GATEWAY_TIME_X/],
    ['a timeout that is no number', { timeout: 'soon' }, /timeout/],
    ['no calls at once', { concurrency: 0 }, /\(concurrency\) is 0; .* numbers from 1 to 100/],
    ['a fingerprint that is none', { fingerprint: 'ab:cd' }, /SHA-256/],
    ['a fingerprint without https', { fingerprint: 'A'.repeat(64) }, /https/],
    [
      'a read only that is neither',
      { readOnly: 'perhaps' },
      /"perhaps"; allowed are true and false/,
    ],
    ['an unresolved read only', { readOnly: '${GATEWAY_RO_X}' }, /GATEWAY_RO_X/],
    ['an unresolved protection', { protectedRoutes: '${ROUTES_X}' }, /ROUTES_X/],
    ['a variable among protected routes', { protectedRoutes: 'On air*\n${ROUTES_X}' }, /ROUTES_X/],
    [
      'protected routes that are no text',
      { protectedRoutes: {} },
      /text with one entry in each line/,
    ],
    ['a missing TLS configuration', { tls: 'gone' }, /TLS/],
    ['a missing proxy', { proxy: 'gone' }, /proxy/],
  ]
  for (const [what, gateway, expected, credentials] of refusals) {
    it(`refuses ${what} with CONFIG, for every node, and makes no call`, async () => {
      await load(simulator.url, {}, { gateway, credentials })
      for (const node of ['list-devices', 'session', 'create-route']) {
        const error = await failure(node, { payload: { name: 'x' } })
        error.code.should.equal('CONFIG')
        error.cause.code.should.equal('CONFIG')
        error.message.should.match(expected)
        error.message.should.not.match(/secret-word/)
        error.cause.operation!.should.equal(node)
      }
      simulator.journal.should.have.length(0)
    })
  }

  for (const ending of ['/api', '/api/']) {
    it(`an address that ends in ${ending} fails with a hint to leave it out`, async () => {
      await load(`${simulator.url}${ending}`)
      const error = await failure('list-devices')
      error.code.should.equal('LOGIN_REFUSED')
      error.message.should.match(
        /Remove \/api from the end of the URL: it is added automatically\./,
      )
    })
  }

  it('that is missing gives CONFIG', async () => {
    await load(simulator.url, { 'list-devices': { gateway: 'gone' }, session: { gateway: '' } })
    const gone = await failure('list-devices')
    gone.message.should.match(/does not exist/)
    gone.cause.gateway!.should.eql({ id: 'gone', name: 'gone' })
    const error = await failure('session')
    error.code.should.equal('CONFIG')
    error.cause.should.not.have.property('gateway')
    error.message.should.match(/This node has no gateway\. Choose one in the node\./)
    simulator.journal.should.have.length(0)
  })

  it('takes environment variables as whole values', async () => {
    process.env.TEST_GATEWAY_URL = `${simulator.url}/`
    process.env.TEST_GATEWAY_TIMEOUT = '3000'
    afterThisTest(() => {
      delete process.env.TEST_GATEWAY_URL
      delete process.env.TEST_GATEWAY_TIMEOUT
    })
    const gateway = { timeout: '${TEST_GATEWAY_TIMEOUT}' }
    await load('${TEST_GATEWAY_URL}', {}, { gateway })
    await result('list-devices')
    const endOfFault = simulator.fault({ kind: 'hang', match: { path: '/api/devices' } })
    const { code, message } = await failure('list-devices')
    endOfFault()
    code.should.equal('TIMEOUT')
    // Twice the timeout, and what a busy machine adds.
    const [, seconds] = /did not respond to 2 attempts within ([\d.]+) s\./.exec(message)!
    Number(seconds).should.be.within(6, 19)
  })

  it('with read only refuses every change before any call', async () => {
    const control = { type: 'media-gateway-control-route' }
    const nodes = {
      'delete-route': {},
      'ensure-route': {},
      start: { ...control, action: 'start' },
      stop: { ...control, action: 'stop' },
      restart: { ...control, action: 'restart' },
      destination: { ...control, action: 'restart', target: 'destination' },
      preset: { action: 'import' },
    }
    await load(simulator.url, nodes, { gateway: { readOnly: true } })
    const address = { deviceId: 'x', routeId: 'x', destinationId: 'x' }
    const preset = { preset_version: '1', routes: [] }
    for (const node of ['create-route', 'update-route', ...Object.keys(nodes)]) {
      const payload = node === 'preset' ? preset : { name: 'New' }
      const error = await failure(node, { ...address, payload, confirm: true })
      error.code.should.equal('READ_ONLY', node)
    }
    simulator.journal.should.have.length(0)
    await result('list-routes')
  })

  it('takes read only from the environment, in the words that people use', async () => {
    const words = { true: true, ON: true, yes: true, 1: true, false: false, off: false, No: false }
    afterThisTest(() => void delete process.env.TEST_GATEWAY_RO)
    for (const [word, refuses] of Object.entries({ ...words, 0: false })) {
      process.env.TEST_GATEWAY_RO = word
      await load(simulator.url, {}, { gateway: { readOnly: '${TEST_GATEWAY_RO}' } })
      const node = helper.getNode('gateway') as unknown as { client(): { readOnly: boolean } }
      node.client().readOnly.should.equal(refuses, word)
      await unload()
    }
  })

  describe('with protected routes', () => {
    const control = { type: 'media-gateway-control-route' }
    const nodes = {
      'delete-route': {},
      'ensure-route': {},
      start: { ...control, action: 'start' },
      stop: { ...control, action: 'stop' },
      restart: { ...control, action: 'restart' },
      preset: { action: 'import' },
      'update-route': { mode: 'merge' },
    }
    const writes = (): number =>
      simulator.journal.filter(({ method, path }) => method === 'POST' && path !== '/api/session')
        .length

    it('changes, stops and deletes them only with their name in msg.confirmProtected', async () => {
      const { id, name } = simulator.routes[0]!
      const protectedRoutes = `Nothing like it\r\n\n ${name.slice(0, -1).toUpperCase()}?`
      await load(simulator.url, nodes, { gateway: { protectedRoutes } })
      const preset = { preset_version: '1', routes: [] }
      const changes: Array<[node: string, payload: unknown]> = [
        ['update-route', { source: { port: 5999 } }],
        ['ensure-route', { name, source: { port: 5999 } }],
        ['stop', undefined],
        ['restart', undefined],
        ['delete-route', undefined],
        ['preset', preset],
      ]
      for (const [node, payload] of changes) {
        for (const confirmProtected of [undefined, true, name.slice(1), '*']) {
          const message = { routeId: id, payload, confirm: true, confirmProtected }
          const { code, cause, message: text } = await failure(node, message)
          code.should.equal('READ_ONLY', node)
          cause.should.containEql({ applied: 'no', operation: cause.operation })
          text.should.startWith(`Route "${name}" is protected by the configuration of the gateway `)
          text.should.endWith(`To override, set msg.confirmProtected to "${name}".`)
        }
      }
      await result('start', { routeId: id })
      await result('create-route', {
        payload: {
          name,
          source: { name: 'in', protocol: 'udp', address: '239.1.1.9', port: 5998 },
          destinations: [],
        },
      })
      writes().should.equal(2)
      await result('stop', { routeId: id, confirmProtected: name })
      await result('update-route', {
        routeId: id,
        payload: { source: { port: 5999 } },
        confirmProtected: ['another', name],
      })
      writes().should.equal(4)
    })

    it('takes the patterns from a variable, one in each line', async () => {
      process.env.TEST_GATEWAY_ROUTES = 'On air, left\nStudio *\n'
      afterThisTest(() => void delete process.env.TEST_GATEWAY_ROUTES)
      await load(simulator.url, {}, { gateway: { protectedRoutes: '${TEST_GATEWAY_ROUTES}' } })
      const node = helper.getNode('gateway') as unknown as {
        client(): { protects(name: string): boolean }
      }
      const gateway = node.client()
      const names = ['on air, left', 'Studio 1', 'Studio', 'left']
      names.map((name) => gateway.protects(name)).should.eql([true, true, false, false])
    })
  })

  it('keeps a path prefix of the address', async () => {
    const site = new ScriptedAppliance((call) =>
      passOn(call, simulator.url + call.url.replace('/site/gw', '')),
    )
    await site.start()
    await load(`${site.url}/site/gw/`)
    await result('list-devices')
    site.calls
      .map(({ path }) => path)
      .should.deepEqual(['/site/gw/api/session', '/site/gw/api/session', '/site/gw/api/devices'])
    await unload()
    await site.stop()
  })

  describe('with TLS', () => {
    let secure: Simulator
    before(async () => {
      secure = await startSimulator({ routes: 2, https: true })
    })
    after(() => secure.stop())
    beforeEach(() => secure.clearJournal())

    it('refuses a certificate that is not trusted, says what to do, and sends nothing', async () => {
      await load(secure.url)
      const error = await failure('list-devices')
      error.code.should.equal('TLS')
      error.message.should.match(/fingerprint/)
      secure.journal.should.have.length(0)
    })

    it('trusts the pinned certificate, however its fingerprint is written', async () => {
      const pinned = secure.fingerprint!
      for (const fingerprint of [pinned, pinned.toLowerCase(), pinned.replaceAll(':', '')]) {
        await load(secure.url, {}, { gateway: { fingerprint } })
        await result('list-devices')
        await result('create-route', { payload: ROUTE })
        await unload()
      }
      secure.openSessions.should.equal(0)
    })

    it('says when a TLS configuration cannot be used', async () => {
      const others = [{ id: 'tls', type: 'helper' }]
      await load(secure.url, {}, { gateway: { tls: 'tls' }, others })
      Object.assign(helper.getNode('tls'), {
        addTLSOptions: (options: object) => Object.assign(options, { cert: 'garbage', key: 'x' }),
      })
      for (let calls = 0; calls < 2; calls++) {
        const error = await failure('list-devices')
        error.code.should.equal('CONFIG')
        error.message.should.match(/TLS or proxy configuration/)
      }
    })

    it('leaves no socket behind when the handshake hangs', async () => {
      const sockets = new Set<net.Socket>()
      const server = net.createServer((socket) => {
        sockets.add(socket)
        socket.on('error', () => undefined)
        socket.resume()
        socket.on('close', () => sockets.delete(socket))
      })
      const port = await listen(server)
      const gateway = { fingerprint: 'AB'.repeat(32), timeout: 200 }
      await load(`https://127.0.0.1:${port}`, {}, { gateway })
      ;(await failure('list-devices')).code.should.equal('TIMEOUT')
      await unload()
      await until(() => sockets.size === 0)
      await closed(server)
    })

    it('goes through an http proxy, with credentials for the proxy only, pinned or not', async () => {
      const proxy = await Proxy.start()
      const others = [
        { id: 'proxy', type: 'http proxy', name: '', url: proxy.url, noproxy: [] as string[] },
      ]
      const fingerprint = secure.fingerprint!
      await load(secure.url, {}, { gateway: { fingerprint, proxy: 'proxy' }, others })
      await result('list-devices')
      new Set(proxy.connects.map(({ url }) => url)).should.deepEqual(
        new Set([new URL(secure.url).host]),
      )
      await unload()

      others[0]!.noproxy = ['127.0.0.1']
      proxy.connects.length = 0
      await load(secure.url, {}, { gateway: { fingerprint, proxy: 'proxy' }, others })
      await result('list-devices')
      proxy.connects.should.have.length(0)
      await unload()
      await proxy.stop()
    })
  })
})

const ROUTE = {
  name: 'Pinned',
  source: { name: 'Pinned in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
}
