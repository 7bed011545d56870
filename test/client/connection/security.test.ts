import { X509Certificate } from 'node:crypto'
import { createRoute } from '../../../client/changes/create'
import { getRoute } from '../../../client/api/routes'
import { listDevices } from '../../../client/api/devices'
import {
  openConnection,
  type Connection,
  type GatewayOptions,
} from '../../../client/connection/connection'
import { invalidInput } from '../../../client/errors'
import { HIDDEN } from '../../../client/model/secrets'
import { checkIdentity } from '../../../client/connection/agents'
import { readStatistics } from '../../../client/api/statistics'
import { withoutSecrets } from '../../../client/connection/redaction'
import { startSimulator, type Certificate, type Simulator } from '../../../simulator'
import { selfSignedCertificate } from '../../support/certificate'
import { freePort } from '../../support/ports'
import { Proxy } from '../../support/proxy'
import { errorOf } from '../../support/errors'
import { LOGIN, ScriptedAppliance, type Script } from '../../support/scripted-appliance'
import { NEW, op } from './support'

/** Who gets the password, the cookie and the calls. What gets out in words is in `secrets.test.ts`. */

const USER = 'haiadmin'
const PASSWORD = 'pässword "of" the\r\nappliance'

describe('the password and the cookie', () => {
  let closeAll: Array<() => Promise<unknown>>
  let certificate: Certificate

  before(async () => {
    certificate = await selfSignedCertificate()
  })
  beforeEach(() => {
    closeAll = []
  })
  afterEach(async () => {
    for (const close of closeAll.reverse()) await close()
  })

  function open(options: Partial<GatewayOptions> & { baseUrl: string }): Connection {
    const gateway = openConnection({
      username: USER,
      password: PASSWORD,
      timeout: 3000,
      ...options,
    })
    closeAll.push(() => gateway.close())
    return gateway
  }

  async function simulate(shown?: Certificate): Promise<Simulator> {
    const port = await freePort()
    const simulator = await startSimulator({ port, routes: 4, https: shown, password: PASSWORD })
    closeAll.push(() => simulator.stop())
    return simulator
  }

  async function listen(reply?: Script, secure?: Certificate): Promise<ScriptedAppliance> {
    const server = new ScriptedAppliance(reply, secure)
    await server.start()
    closeAll.push(() => server.stop())
    return server
  }

  async function proxyTo(): Promise<Proxy> {
    const proxy = await Proxy.start()
    closeAll.push(() => proxy.stop())
    return proxy
  }

  it('stand in no fault of an input', async () => {
    const gateway = open({ baseUrl: 'http://127.0.0.1:9', password: 'correct horse' })
    const fault = { path: 'correct horse', problem: 'is correct horse' }
    const failed = gateway.inTurn('key', op(), () => Promise.reject(invalidInput([fault])))
    const { cause } = await errorOf(failed)
    cause.problems!.should.eql([{ path: HIDDEN, problem: `is ${HIDDEN}` }])
  })

  it('that no server takes: the error names the login, not the call', async () => {
    const server = await listen(({ path }) =>
      path === '/api/session' ? { status: 405 } : undefined,
    )
    const error = await errorOf(listDevices(open({ baseUrl: server.url }), op()))
    error.message.should.match(/\(POST \/api\/session: HTTP 405\)/)
  })

  describe('do not follow a redirect:', () => {
    const places: Record<string, (own: ScriptedAppliance, other: ScriptedAppliance) => string> = {
      'to another port': (_, other) => `${other.url}/api/devices`,
      'to another host': (_, other) => `${other.url.replace('127.0.0.1', 'localhost')}/api/devices`,
      'without a scheme': (_, other) => `${other.url.replace('http:', '')}/api/devices`,
      'to the same address': (own) => `${own.url}/taken`,
      'to another path': () => '/taken',
    }
    for (const status of [301, 302, 303, 307, 308]) {
      for (const [where, place] of Object.entries(places)) {
        it(`${status} ${where}`, async () => {
          const other = await listen()
          let struck = 'POST /api/session'
          const own: ScriptedAppliance = await listen((call) =>
            call.what === struck ? { status, headers: { location: place(own, other) } } : undefined,
          )
          const reads = (gateway: Connection): Promise<unknown> => listDevices(gateway, op())
          const writes = (gateway: Connection): Promise<unknown> =>
            createRoute(gateway, { ...NEW, deviceId: 'D' }, op())

          ;(await errorOf(reads(open({ baseUrl: own.url })))).code.should.equal('BAD_RESPONSE')
          for (const [what, act] of Object.entries({
            'GET /api/devices': reads,
            'POST /api/devices/D/updates': writes,
          })) {
            struck = what
            ;(await errorOf(act(open({ baseUrl: own.url })))).code.should.equal('BAD_RESPONSE')
          }
          other.calls.should.eql([])
          own.calls.filter(({ path }) => path === '/taken').should.eql([])
        })
      }
    }

    it('from https to http', async () => {
      const other = await listen()
      const own = await listen(
        (call) =>
          call.what === 'GET /api/devices'
            ? { status: 307, headers: { location: `${other.url}/api/devices` } }
            : undefined,
        certificate,
      )
      const gateway = open({ baseUrl: own.url, tls: { ca: certificate.cert } })
      ;(await errorOf(listDevices(gateway, op()))).code.should.equal('BAD_RESPONSE')
      other.calls.should.eql([])
    })
  })

  describe('are sent to the configured address only:', () => {
    const cookies: Record<string, [attributes: string, sent: boolean]> = {
      'a plain cookie is sent': ['', true],
      'a cookie for the path of the interface is sent': ['Path=/site/api', true],
      'a cookie for another path is not': ['Path=/elsewhere', false],
      'a cookie for the domain above is not': ['Path=/; Domain=0.0.1', false],
      'a cookie for another host is not': ['Path=/; Domain=appliance.example.com', false],
    }
    for (const [what, [attributes, sent]] of Object.entries(cookies)) {
      it(`${what}, and all calls are below the path of the address`, async () => {
        const cookie = ['sessionID=secret-session-1', `other=given; ${attributes}`]
        const server = await listen((call) =>
          call.what === 'POST /site/api/session'
            ? { ...LOGIN, headers: { 'set-cookie': cookie } }
            : undefined,
        )
        await listDevices(open({ baseUrl: `${server.url}/site/` }), op())
        const [login, ...others] = server.calls
        ;(login!.headers.cookie === undefined).should.be.true()
        others.should.not.be.empty()
        for (const { path, headers } of others) {
          path.should.match(/^\/site\/api\//)
          headers.cookie!.includes('other=given').should.equal(sent)
          headers.cookie!.should.match(/sessionID=secret-session-1/)
        }
      })
    }

    it('a cookie of one appliance is not sent to another one', async () => {
      const one = await simulate()
      const other = await simulate()
      await listDevices(open({ baseUrl: one.url }), op())
      await listDevices(open({ baseUrl: other.url }), op())
      const cookiesOf = ({ journal }: Simulator): Set<unknown> =>
        new Set(journal.map(({ cookie }) => cookie).filter(Boolean))
      const seen = cookiesOf(one)
      seen.size.should.equal(1)
      for (const cookie of cookiesOf(other)) seen.has(cookie).should.be.false()
    })
  })

  it('go to whom the certificate was issued for, by name or address', () => {
    const shown = new X509Certificate(certificate.cert).toLegacyObject()
    for (const host of ['localhost', '127.0.0.1', '::1', '[::1]', '0:0:0:0:0:0:0:1']) {
      should(checkIdentity(host, shown)).equal(undefined, host)
    }
    for (const host of ['other.example', '127.0.0.2', '::2', '[::2]', '::ffff:127.0.0.1', '']) {
      should(checkIdentity(host, shown)).have.property('code', 'ERR_TLS_CERT_ALTNAME_INVALID')
    }
  })

  describe('with a proxy', () => {
    const credentials = { username: 'próxy user', password: 'p@ss:w\r\nörd/%' }

    it('go through it, and its own credentials to it alone', async () => {
      const proxy = await proxyTo()
      const simulator = await simulate()
      const gateway = open({ baseUrl: simulator.url, proxy: { url: proxy.url, ...credentials } })
      await listDevices(gateway, op())
      await createRoute(gateway, { ...NEW, deviceId: simulator.devices[0]!._id }, op())
      proxy.connects.length.should.be.above(0)
      for (const { headers } of proxy.connects) {
        decoded(headers['proxy-authorization']).should.equal(
          `${credentials.username}:${credentials.password}`,
        )
        Object.keys(headers).sort().should.eql(['connection', 'host', 'proxy-authorization'])
      }
      for (const { headers } of simulator.journal) {
        headers.should.not.have.properties('proxy-authorization', 'authorization')
      }
    })

    it('in its address: the same', async () => {
      const proxy = await proxyTo()
      const simulator = await simulate()
      const url = proxy.url.replace('//', '//known:p%40ss@')
      await listDevices(open({ baseUrl: simulator.url, proxy: { url } }), op())
      decoded(proxy.connects[0]!.headers['proxy-authorization']).should.equal('known:p@ss')
      simulator.journal.forEach(({ headers }) =>
        headers.should.not.have.property('proxy-authorization'),
      )
    })

    it('are not seen by it with https', async () => {
      const proxy = await proxyTo()
      const simulator = await simulate(certificate)
      const { fingerprint } = simulator
      await listDevices(open({ baseUrl: simulator.url, fingerprint, proxy }), op())
      const cookie = simulator.journal.at(-1)!.cookie!
      const seen = Buffer.concat(proxy.carried).toString('latin1')
      seen.length.should.be.above(1000)
      for (const secret of ['haiadmin', 'appliance"', cookie, 'sessionID', '/api/']) {
        seen.includes(secret).should.be.false()
      }
    })

    it('go to a gateway at an IPv6 address, with http and with https', async () => {
      for (const tls of [undefined, { ca: certificate.cert }]) {
        const proxy = await proxyTo()
        const { port } = await simulate(tls && certificate)
        const baseUrl = `${tls ? 'https' : 'http'}://[::1]:${port}`
        await listDevices(open({ baseUrl, proxy, tls }), op())
        proxy.connects.map(({ url }) => url).should.matchEach(`[::1]:${port}`)
      }
    })

    it('go to a proxy at an IPv6 address, which is no name to look up', async () => {
      // Not every machine has IPv6: it listens at another address of the same port.
      const url = (await proxyTo()).url.replace('127.0.0.1', '[::1]')
      const { message } = await errorOf(
        listDevices(open({ baseUrl: (await simulate()).url, proxy: { url } }), op()),
      )
      message.should.match(/ECONNREFUSED|EADDRNOTAVAIL|ENETUNREACH/)
    })

    const refused: Record<string, (other: Simulator) => Partial<GatewayOptions>> = {
      'not the pinned one': () => ({ fingerprint: 'AB'.repeat(32) }),
      'of nobody that is known': () => ({}),
      'for another name': () => ({ tls: { ca: certificate.cert, servername: 'other.example' } }),
    }
    for (const [what, options] of Object.entries(refused)) {
      it(`are not sent where the certificate behind it is ${what}`, async () => {
        const proxy = await proxyTo()
        const simulator = await simulate(certificate)
        const gateway = open({ baseUrl: simulator.url, proxy, ...options(simulator) })
        ;(await errorOf(listDevices(gateway, op()))).code.should.equal('TLS')
        proxy.connects.should.not.be.empty()
        simulator.journal.should.be.empty()
      })
    }
  })

  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    it(`are not sent, and never will be, to a server that misses a client certificate (${maxVersion})`, async () => {
      const strict = { ...certificate, ca: certificate.cert, requestCert: true, maxVersion }
      const { url } = await listen(undefined, strict)
      const gateway = open({ baseUrl: url, tls: { ca: certificate.cert } })
      const error = await errorOf(listDevices(gateway, op()))
      error.code.should.equal('TLS')
      error.cause.should.containEql({ applied: 'no', retryable: false, reason: 'EPROTO' })
      error.message.should.match(/Check .* which TLS versions and certificates the gateway accepts/)
    })
  }

  describe('are not sent to another certificate that shows up at the same address,', () => {
    const ways: Record<string, (right: Simulator) => Partial<GatewayOptions>> = {
      'with a fingerprint': ({ fingerprint }) => ({ fingerprint }),
      'with an authority': () => ({ tls: { ca: certificate.cert } }),
      'with a fingerprint and a TLS configuration that checks nothing': ({ fingerprint }) => ({
        fingerprint,
        tls: { rejectUnauthorized: Boolean(0) },
      }),
    }
    for (const [how, options] of Object.entries(ways)) {
      for (const proxied of [false, true]) {
        it(`${how}${proxied ? ', through a proxy' : ''}`, async () => {
          const right = await simulate(certificate)
          const deviceId = right.devices[0]!._id
          const proxy = proxied ? await proxyTo() : undefined
          const gateway = open({ baseUrl: right.url, ...options(right), proxy })
          const reads = (): Promise<unknown> => listDevices(gateway, op())
          const writes = (): Promise<unknown> => createRoute(gateway, { ...NEW, deviceId }, op())
          await reads()
          await writes()
          await reads()
          const { port } = right
          await right.stop()

          const wrong = await startSimulator({ port, https: true, password: PASSWORD })
          for (const call of [reads, writes, reads]) {
            ;(await errorOf(call())).code.should.equal('TLS')
          }
          wrong.journal.should.be.empty()
          await wrong.stop()

          await right.start()
          await reads()
          right.logins.should.equal(1)
        })
      }
    }
  })

  describe('and whatever is in an ID, a name or a password', () => {
    const IDS = [
      'one\r\nX-Evil: 1',
      'one HTTP/1.1\r\nHost: evil\r\n\r\nGET /evil',
      '../../session',
      '..%2f..',
      'a?b=c#d',
      'höchst, 日本 \u{1f600}',
      'a;b=c d"\\',
    ]
    for (const id of IDS) {
      it(`adds no header and leads to no other path: ${JSON.stringify(id)}`, async () => {
        const simulator = await simulate()
        const deviceId = simulator.devices[0]!._id
        const gateway = open({ baseUrl: simulator.url })
        await listDevices(gateway, op())
        simulator.clearJournal()
        ;(await errorOf(getRoute(gateway, { deviceId, routeId: id }, op()))).code.should.equal(
          'NOT_FOUND',
        )
        const client = { routeId: id, destinationId: id, clientAddress: id }
        await errorOf(readStatistics(gateway, deviceId, client, op()))
        const read = simulator.journal.find(({ path }) => path.includes('/routes/'))!
        decodeURIComponent(read.path).should.equal(`/api/gateway/${deviceId}/routes/${id}`)
        read.path.split('/').should.have.length(6)
        const asked = simulator.journal.find(({ path }) => path.includes('/statistics'))!
        asked.query.should.eql({ routeID: id, destinationID: id, clientAddress: id })
        for (const { headers, path } of simulator.journal) {
          const names = ['accept', 'accept-encoding', 'connection', 'cookie', 'host']
          Object.keys(headers).sort().should.eql(names)
          path.should.match(/^\/api\/(gateway|session)/)
        }
      })
    }

    it('it is refused where it would lead to another place, or is far too long', async () => {
      const simulator = await simulate()
      const deviceId = simulator.devices[0]!._id
      const gateway = open({ baseUrl: simulator.url })
      for (const routeId of ['', '.', '..', 'x'.repeat(100_000), '\n'.repeat(2000)]) {
        const error = await errorOf(getRoute(gateway, { deviceId, routeId }, op()))
        error.code.should.equal('INVALID_INPUT')
        error.message.should.match(/Nothing was changed/)
        error.message.length.should.be.below(200)
        ;(
          await errorOf(createRoute(gateway, { ...NEW, deviceId: routeId }, op()))
        ).code.should.equal('INVALID_INPUT')
      }
      simulator.journal.should.be.empty()
    })

    it('names arrive as they are', async () => {
      const simulator = await simulate()
      const name = 'höchst "gut"\r\nX-Evil: 1 日本'
      const definition = { ...NEW.definition, name }
      const gateway = open({ baseUrl: simulator.url })
      await createRoute(gateway, { ...NEW, deviceId: simulator.devices[0]!._id, definition }, op())
      const { headers, body } = simulator.journal.at(-1)!
      headers.should.not.have.property('x-evil')
      body!.should.containDeep({ fields: { name } })
    })

    it('so do user and password', async () => {
      const simulator = await simulate()
      await listDevices(open({ baseUrl: simulator.url }), op())
      simulator.journal[0]!.body!.should.eql({ username: USER, password: PASSWORD })
      simulator.journal[0]!.headers.should.not.have.property('x-evil')
    })

    for (const sessionID of ['one\r\nX-Evil: 1', 'one; other=2', 'höchst', '']) {
      it(`is no session where it cannot be one: ${JSON.stringify(sessionID)}`, async () => {
        const server = await listen((call) =>
          call.what === 'POST /api/session' ? { body: { response: { sessionID } } } : undefined,
        )
        const error = await errorOf(listDevices(open({ baseUrl: server.url }), op()))
        error.code.should.equal('BAD_RESPONSE')
        server.calls.should.have.length(1)
      })
    }
  })

  it('go to the pinned certificate also where it is for another name', async () => {
    const simulator = await simulate(certificate)
    const { fingerprint, url: baseUrl } = simulator
    await listDevices(open({ baseUrl, fingerprint, tls: { servername: 'other.example' } }), op())
  })

  it('are hidden in an error also after the appliance has given the session another ID', async () => {
    const server = await listen((call) => {
      if (call.what !== 'GET /api/devices') return undefined
      const cookie = call.headers.cookie ?? ''
      return cookie.includes('sessionID=renewed')
        ? { status: 400, body: { error: { type: 'x', message: `bad ${cookie}` } } }
        : { headers: { 'set-cookie': ['sessionID=renewed-one; Path=/'] }, body: [{ _id: 'D' }] }
    })
    const gateway = open({ baseUrl: server.url })
    await listDevices(gateway, op())
    const error = await errorOf(listDevices(gateway, op()))
    error.message.should.match(/bad sessionID=••••••/)
    JSON.stringify(error.cause).should.not.match(/renewed/)
  })
})

describe('a secret in a text', () => {
  it('is hidden also where a very long text is cut in its midst', () => {
    const secret = 'a-piece-of-it '.repeat(100)
    withoutSecrets(secret.repeat(100_000), [secret, 'other']).should.match(/^•*…$/)
    withoutSecrets(`${secret}and more`, [secret]).should.equal('••••••and more')
  })

  describe('is hidden in each form that a program may give it:', () => {
    const secret = 'q"ü/\\+ <&\'\n🔑'
    const inUnits = (text: string, pattern: RegExp, upper = false): string =>
      text.replace(pattern, (one) => {
        const digits = one.charCodeAt(0).toString(16).padStart(4, '0')
        return `\\u${upper ? digits.toUpperCase() : digits}`
      })
    const json = JSON.stringify(secret).slice(1, -1)
    const percent = encodeURIComponent(secret)
    for (const [form, text] of Object.entries({
      'as it is': secret,
      JSON: json,
      'JSON in JSON': JSON.stringify(json).slice(1, -1),
      'JSON in ASCII': inUnits(json, /[^ -~]/g),
      'JSON with escaped slashes': json.replaceAll('/', '\\/'),
      'JSON in ASCII, in capitals': inUnits(json, /[^ -~]/g, true),
      'JSON of Go': inUnits(json, /[&<>]/g),
      'JSON of Gson': inUnits(json, /[&<>=']/g),
      'JSON of .NET': inUnits(json.replace('\\"', '"'), /[^ -~]|["&<>'+`]/g, true),
      'percent-encoded': percent,
      'percent-encoded in lower case': percent.replace(/%../g, (code) => code.toLowerCase()),
      'percent-encoded JSON': encodeURIComponent(json),
      'a form': new URLSearchParams({ '': secret }).toString().slice(1),
      HTML: secret
        .replace('&', '&amp;')
        .replace('<', '&lt;')
        .replace('"', '&quot;')
        .replace("'", '&#39;'),
      hexadecimal: Buffer.from(secret).toString('hex'),
      base64: Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    })) {
      it(form, () => {
        withoutSecrets(`It was ${text}!`, [secret]).should.equal('It was ••••••!')
      })
    }
  })

  it('is hidden as a whole where another secret is its beginning', () => {
    withoutSecrets('hunter2 and more', ['hunter2', 'hunter2 and more']).should.equal('••••••')
  })
})

const decoded = (header: unknown): string =>
  Buffer.from(String(header).replace('Basic ', ''), 'base64').toString()
