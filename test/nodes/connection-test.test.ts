import { X509Certificate } from 'node:crypto'
import http from 'node:http'
import { startSimulator, type Simulator } from '../../simulator'
import { selfSignedCertificate } from '../support/certificate'
import { hurried, NodeRed, usersOf, type Properties } from '../support/node-red'
import { Proxy } from '../support/proxy'
import { ScriptedAppliance, closed, good, listen } from '../support/scripted-appliance'
import { endEach } from '../support/connect'

/** What "Test connection" does for a form, in a Node-RED with users. */
describe('a test of a connection', () => {
  let nodeRed: NodeRed
  let simulator: Simulator
  let secure: Simulator
  let proxy: Proxy
  const tokens: Record<string, string> = {}

  before(async () => {
    simulator = await startSimulator({ routes: 1 })
    secure = await startSimulator({ routes: 1, https: true })
    proxy = await Proxy.start()
    nodeRed = new NodeRed()
    const drives = ['media-gateway.read', 'media-gateway.write']
    const users = { writer: '*', driver: drives, other: drives }
    await nodeRed.start(
      { logging: { console: { level: 'info', metrics: false, audit: true } }, ...usersOf(users) },
      // What is held back after a wrong password is so for as long as a test takes on a busy machine.
      hurried(1 / 3),
    )
    for (const name of Object.keys(users)) tokens[name] = await nodeRed.token(name)
    await nodeRed.deploy(
      [
        {
          id: 'proxy',
          type: 'http proxy',
          name: 'house',
          url: proxy.url,
          noproxy: [],
          credentials: { username: 'proxyuser', password: 'proxypass' },
        },
        {
          id: 'gw',
          type: 'media-gateway',
          name: 'gw',
          baseUrl: simulator.url,
          proxy: 'proxy',
          credentials: { username: 'haiadmin', password: 'manager' },
        },
        ...[
          { id: 'wrong', baseUrl: secure.url.replace('https', 'http') },
          { id: 'secure', baseUrl: secure.url },
          { id: 'plain', baseUrl: simulator.url },
        ].map((properties) => ({
          ...properties,
          type: 'media-gateway',
          credentials: { username: 'haiadmin', password: 'manager' },
        })),
      ],
      tokens['writer'],
    )
  })
  after(() => endEach(nodeRed, proxy, simulator, secure))
  beforeEach(() => {
    simulator.clearJournal()
    proxy.connects.length = 0
  })

  const test = (
    connection: Properties,
    user = 'driver',
  ): Promise<{ status: number; body: Properties }> => ask('connection', { connection }, user)

  async function ask(
    path: string,
    question: Properties,
    user = 'driver',
  ): Promise<{ status: number; body: Properties }> {
    const response = await fetch(`${nodeRed.url}media-gateway/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens[user]}` },
      body: JSON.stringify(question),
    })
    const body = (await response.json().catch(() => ({}))) as Properties
    return { status: response.status, body }
  }
  const form = (baseUrl: string, more: Properties = {}): Properties => ({
    id: 'new',
    baseUrl,
    username: 'haiadmin',
    password: 'manager',
    ...more,
  })
  const logins = (): number =>
    simulator.journal.filter(({ method, path }) => method === 'POST' && path === '/api/session')
      .length

  const PATHS = ['connection', 'report', 'lookup', 'definition', 'plan']
  const definition = {
    name: 'A',
    source: { name: 'In', protocol: 'udp', address: '239.1.1.1', port: 5 },
    destinations: [],
  }
  const asked = { deviceId: 'D', routeId: 'R', definition, node: 'ensure-route' }
  /** As the form of a deployed node, with its password unchanged. */
  let stored: Properties
  before(() => {
    stored = { baseUrl: simulator.url, username: 'haiadmin', password: '__PWRD__', proxy: 'proxy' }
  })
  const isHeld = /^Another test of .* is running|next attempt is possible in \d s/

  for (const path of PATHS) {
    it(`with 40 wrong passwords at once tries one of them: ${path}`, async () => {
      const guesses = Array.from({ length: 40 }, (_, index) => {
        const victim = { username: `victim of ${path}`, password: `guess ${index}` }
        return ask(path, { ...asked, connection: form(simulator.url, victim) })
      })
      const answers = await Promise.all(guesses)
      logins().should.equal(1)
      const said = answers.map(({ body }) => String(body['message']))
      said.filter((text) => isHeld.test(text)).should.have.length(39)
    })
  }

  it('with wrong passwords on all paths, of all users, tries one of them', async () => {
    const guesses = Array.from({ length: 40 }, (_, index) => {
      const connection = form(simulator.url, { username: 'all', password: `guess ${index}` })
      const user = ['driver', 'other'][index % 2]!
      return ask(PATHS[index % PATHS.length]!, { ...asked, connection }, user)
    })
    await Promise.all(guesses)
    logins().should.equal(1)
  })

  it('with wrong passwords in the rows of an inventory tries one of them', async () => {
    for (let guess = 0; guess < 20; guess++) {
      const row = { name: `row ${guess}`, baseUrl: simulator.url }
      const connection = form(`http://host-${guess}`, {
        username: 'in a row',
        password: `guess ${guess}`,
        inventoryType: 'json',
        inventory: JSON.stringify([row]),
        inventoryHosts: '127.0.0.1*',
      })
      const path = PATHS[guess % PATHS.length]!
      const { body } = await ask(path, { ...asked, connection, appliance: row.name })
      body['message']!.should.match(guess === 0 ? /refused the username/ : isHeld)
    }
    logins().should.equal(1)
  })

  it('with the right password all that ask at once get their answer, in turn', async () => {
    const routeId = simulator.routes[0]!.id
    const answers = await Promise.all(
      ['lookup', 'definition', 'lookup', 'plan', 'lookup'].map((path) =>
        ask(path, { ...asked, deviceId: undefined, routeId, connection: form(simulator.url) }),
      ),
    )
    answers.map(({ body }) => body['message']).should.eql(Array(5).fill(undefined))
    logins().should.equal(5)
    simulator.openSessions.should.equal(0)
  })

  it('and whatever else logs in with a form is told to the audit log', async () => {
    const connection = form('http://127.0.0.1:1', { password: 'a-typed-password' })
    for (const path of PATHS) await ask(path, { ...asked, connection })
    // What is deployed has logged in already.
    await ask('lookup', { connection: { id: 'gw' } })
    const records = (): Properties[] =>
      [...nodeRed.output.matchAll(/\[audit\] (\{.*\})/g)]
        .map(([, json]) => JSON.parse(json!) as Properties)
        .filter(
          ({ event, host }) => String(event).startsWith('media-gateway') && host === '127.0.0.1:1',
        )
    while (records().length < PATHS.length) await new Promise((resolve) => setTimeout(resolve, 10))
    const found = records().map(({ event, user }) => [event, (user as Properties)['username']])
    found.should.eql(PATHS.map((path) => [`media-gateway.${path}`, 'driver']))
    nodeRed.output.should.not.match(/a-typed-password|media-gateway\.lookup.*"gateway":"gw"/)
  })

  it('with one wrong password after the other soon has to wait, whoever asks', async () => {
    const guess = (user: string): ReturnType<typeof test> =>
      test(form(simulator.url, { username: 'target', password: 'guess' }), user)
    for (let guesses = 0; guesses < 10; guesses++) await guess(guesses % 2 ? 'driver' : 'other')
    logins().should.equal(1)
    const { body } = await guess('writer')
    body['message']!.should.match(/next attempt is possible in \d s\. Nothing was sent/)
    body.should.not.have.property('code')
    const outcomes = (): unknown[] =>
      [...nodeRed.output.matchAll(/\[audit\] (\{.*\})/g)]
        .map(([, json]) => JSON.parse(json!) as Properties)
        .filter(({ event }) => event === 'media-gateway.connection')
        .filter(({ user }) => (user as Properties)['username'] === 'writer')
        .map(({ outcome }) => outcome)
    while (outcomes().length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    outcomes().should.eql(['INVALID_INPUT'])
  })

  it('says that a password is wrong, and nothing of what a running flow would do', async () => {
    const { body } = await test(form(simulator.url, { username: 'nobody', password: 'guess' }))
    body.should.containEql({ code: 'LOGIN_REFUSED' })
    body['message']!.should.not.match(/session node|attempt/)
  })

  const FAULTS: Array<[what: string, wrong: Properties, expected: RegExp]> = [
    ['the URL', { baseUrl: 'gateway' }, /^The URL must begin with/],
    ['the fingerprint', { fingerprint: 'abc' }, /^The fingerprint must be/],
    ['the timeout', { timeout: '5s' }, /^Request timeout \(timeout\) is "5s"; allowed are/],
    ['the username', { username: '' }, /^The username is missing\./],
    ['the password', { password: '' }, /^The password is missing\./],
    ['a variable', { username: '${NOT_SET_HERE}' }, /^username: the environment variable NOT_SET/],
    ['the TLS configuration', { tls: 'none' }, /^The TLS configuration does not exist/],
    ['the proxy', { proxy: 'none' }, /^The HTTP proxy does not exist/],
  ]
  for (const [what, wrong, expected] of FAULTS) {
    it(`names the field of a form that is not saved, as to a person: ${what}`, async () => {
      const { body } = await test(form(simulator.url, wrong), 'writer')
      body.should.containEql({ ok: false, code: 'CONFIG' })
      body['message']!.should.match(expected).and.not.match(/option|openGateway/i)
      logins().should.equal(0)
    })
  }

  it('speaks of no options either where the gateway refuses what the form has', async () => {
    const { body } = await test(form(simulator.url, { username: 'nobody else', password: 'guess' }))
    body['message']!.should.match(/refused the username/).and.not.match(/option|baseUrl/i)
    const certificate = await test(form(secure.url))
    certificate.body['message']!.should.match(/fingerprint/).and.not.match(/option/i)
  })

  it('offers no certificate to trust where a client certificate is missing', async () => {
    const certificate = await selfSignedCertificate()
    const { fingerprint256: fingerprint } = new X509Certificate(certificate.cert)
    const asking = Object.assign(certificate, { requestCert: true })
    const strict = new ScriptedAppliance(undefined, asking)
    await strict.start()
    const { body } = await test(form(strict.url, { fingerprint }))
    await strict.stop()
    body.should.containEql({ code: 'TLS' }).and.not.have.property('certificate')
  })

  it('runs for one user at a time, and for others beside it', async () => {
    const silent = new ScriptedAppliance(() => 'silence')
    await silent.start()
    const slow = test(form(silent.url, { timeout: 1000 }))
    while (silent.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    const busy = await test(form(simulator.url))
    busy.body['message']!.should.match(/^Another test of .* is running/)
    ;(await test(form(simulator.url), 'other')).body.should.containEql({ ok: true })
    ;(await slow).body.should.containEql({ code: 'TIMEOUT' })
    ;(await test(form(simulator.url))).body.should.containEql({ ok: true })
    await silent.stop()
  })

  it('has a report beside it, with a session of its own that it ends', async () => {
    for (const connection of [form(simulator.url), { id: 'plain' }, { id: 'gw', ...stored }]) {
      const before = simulator.openSessions
      simulator.clearJournal()
      const { status, body } = await ask('report', { connection })
      status.should.equal(200, JSON.stringify(body))
      body['name']!.should.match(/^media-gateway-report-\d{4}-\d\d-\d\d\.json$/)
      const report = JSON.parse(String(body['file'])) as { format: string; answers: object[] }
      report.format.should.equal('media-gateway-report')
      report.answers.length.should.be.above(5)
      const { name, _id } = simulator.devices[0]!
      for (const own of [name, _id, 'haiadmin', 'manager', simulator.routes[0]!.id]) {
        String(body['file']).should.not.containEql(`"${own}"`)
      }
      logins().should.equal(1)
      simulator.journal.length.should.be.belowOrEqual(60)
      simulator.openSessions.should.equal(before)
    }
  })

  it('has a report that says why there is none, and sends no password where it must not', async () => {
    const untrusted = await ask('report', { connection: form(secure.url) })
    untrusted.status.should.equal(502)
    untrusted.body.should.containEql({ code: 'TLS' })
    const moved = { id: 'gw', ...stored, baseUrl: secure.url }
    const { body } = await ask('report', { connection: moved }, 'writer')
    body.should.containEql({ passwordNeeded: true })
    secure.loginAttempts.should.equal(0)
  })

  it('lends a stored proxy to no other place, except for those who may deploy', async () => {
    for (const id of ['gw', 'new']) {
      const elsewhere = form(secure.url, { id, proxy: 'proxy' })
      ;(await test(elsewhere)).status.should.equal(401)
      ;(await test({ ...elsewhere, proxy: '', tls: 'any' })).status.should.equal(401)
    }
    proxy.connects.should.have.length(0)
    const here = form(simulator.url, { id: 'gw', proxy: 'proxy' })
    ;(await test(here)).body.should.containEql({ ok: true })
    ;(await test(form(secure.url, { proxy: 'proxy' }), 'writer')).status.should.equal(200)
    proxy.connects.should.not.be.empty()
  })

  describe('finds the URL that is meant:', () => {
    const mistaken = async (
      url: string,
      more?: Properties,
    ): Promise<{ mistake?: unknown; certificate?: unknown }> => (await test(form(url, more))).body

    it('http:// at an https port', async () => {
      const url = secure.url.replace('https', 'http')
      const report = await mistaken(url)
      report.should.match({ mistake: { kind: 'https', url: secure.url } })
      report.should.not.have.property('certificate')
      secure.loginAttempts.should.equal(0)
    })

    it('http:// at an https port, also of a node that is deployed', async () => {
      const url = secure.url.replace('https', 'http')
      const report = (await test({ id: 'wrong', baseUrl: url, username: 'haiadmin' })).body
      report.should.match({ reused: true, mistake: { kind: 'https', url: secure.url } })
    })

    it('none, but the certificate to judge, of a node that is deployed', async () => {
      const report = (await test({ id: 'secure', baseUrl: secure.url, username: 'haiadmin' })).body
      report.should.match({ reused: true, certificate: { fingerprint: secure.fingerprint } })
      report.should.not.have.property('mistake')
    })

    it('https:// at an http port, where there is no certificate', async () => {
      const report = await mistaken(simulator.url.replace('http', 'https'))
      report.should.match({ mistake: { kind: 'http', url: simulator.url } })
      report.should.not.have.property('certificate')
      logins().should.equal(0)
    })

    it('http:// at an https port of a server that answers with status 400', async () => {
      const answers = http.createServer((_, response) => {
        response.writeHead(400).end('<html>The plain HTTP request was sent to HTTPS port')
      })
      const url = `http://127.0.0.1:${await listen(answers)}`
      // Where https is not spoken either, nothing is suggested.
      const report = (await test(form(url))).body
      report.should.not.have.property('mistake')
      report['message']!.should.containEql('If this port speaks https')
      await closed(answers)
    })

    for (const path of ['/login', '/api', '/routes/list/']) {
      it(`a path of a web page: ${path}`, async () => {
        const report = await mistaken(`${simulator.url}${path}`)
        report.should.match({ mistake: { kind: 'path', url: simulator.url } })
        logins().should.be.belowOrEqual(1)
        const others = simulator.journal.filter(({ method }) => method === 'GET')
        others.should.have.length(1)
        others[0]!.headers.should.not.have.property('cookie')
      })
    }

    it('no other one where the gateway is behind its path', async () => {
      const behind = new ScriptedAppliance((call) =>
        call.path.startsWith('/gw/') ? good(call) : { status: 404, text: '<html>' },
      )
      await behind.start()
      const report = await mistaken(`${behind.url}/gw`)
      report.should.have.property('devices', 1)
      report.should.not.have.property('mistake')
      ;(await mistaken(`${behind.url}/other`)).should.not.have.property('mistake')
      await behind.stop()
    })

    it('no other one where nothing listens, or a certificate is to be judged', async () => {
      ;(await mistaken('http://127.0.0.1:1')).should.not.have.property('mistake')
      const report = await mistaken(secure.url)
      report.should.not.have.property('mistake')
      report.should.have.property('certificate')
    })
  })

  it('of a gateway whose device has no ID says so', async () => {
    const appliance = new ScriptedAppliance(({ what }) =>
      what === 'GET /api/devices' ? { body: [{ name: 'Studio' }] } : undefined,
    )
    await appliance.start()
    const { body } = await test(form(appliance.url))
    await appliance.stop()
    body.should.containEql({ code: 'BAD_RESPONSE' })
    body['message']!.should.match(/reports a device without a usable ID/)
  })

  it('of a URL of slashes is refused at once', async () => {
    const begun = performance.now()
    const { body } = await test(form(`http://127.0.0.1:1/${'/'.repeat(100_000)}x`))
    body.should.containEql({ code: 'CONFIG' })
    body['message']!.should.match(/more than 2048 characters/)
    ;(performance.now() - begun).should.be.below(5000)
  })
})
