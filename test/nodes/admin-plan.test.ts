// What the editor asks of a gateway that is deployed, in a Node-RED with users: plans, states and commands.
import type { Properties } from '../support/node-red'
import {
  ask,
  device,
  guarded,
  nodeRed,
  PASSWORD,
  PATHS,
  PATIENT,
  type Reply,
  saved,
  simulator,
  stageAdmin,
} from './admin-stage'
import { until } from '../support/until'

describe('the admin routes of a deployed gateway', () => {
  stageAdmin()

  describe('plan', () => {
    const connection = { id: 'gateway' }
    const plan = (definition: unknown, more: Properties = {}): Promise<Reply> =>
      ask('plan', { node: 'ensure-route', connection, definition, state: 'present', ...more })
    const studio = (): Properties => ({
      name: 'Studio X',
      source: { name: 'in', protocol: 'srt', srtMode: 'listener', port: 5900 },
      destinations: [{ name: 'out', protocol: 'udp', address: '239.1.1.9', port: 6900 }],
    })
    let calls: number
    beforeEach(() => {
      calls = simulator.journal.length
    })
    afterEach(() => {
      const written = simulator.journal
        .slice(calls)
        .filter(({ method, path }) => method !== 'GET' && !path.endsWith('/session'))
      written.should.eql([])
    })

    it('says what would be done, and writes nothing', async () => {
      const [route] = simulator.routes
      const rows = [
        { ...studio(), state: 'running' },
        { name: route!.name, source: { port: 5901 } },
      ]
      const { status, body } = await ask(
        'plan',
        { node: 'ensure-route', connection, definition: rows, state: 'row' },
        'driver',
      )
      status.should.equal(200)
      const text = String(body['text'])
      text.should.match(/^\+ "Studio X"/m)
      text.should.containEql(`~ ${JSON.stringify(route!.name)}`)
      text.should.match(/^ {4}source\.port: /m)
      body['summary']!.should.containDeep({ create: 1, update: 1, delete: 0 })
      body['unset']!.should.eql([])
    })

    it('says what an update would change, by the same checks as its run', async () => {
      const route = simulator.routes.find(({ source }) => source.protocol === 'srt')!
      const given = { node: 'update-route', route: route.name, routeType: 'name', mode: 'merge' }
      const secret = { port: 5903, srtPassPhrase: 'the-given-passphrase' }
      const changed = await plan({ source: secret }, given)
      const text = String(changed.body['text'])
      text.should.startWith('0 to add, 1 to change, 0 to remove; 0 to start, 0 to stop.\n')
      text.should.containEql(`~ ${JSON.stringify(route.name)}  update`)
      text.should.containEql(`source.port: ${route.source.port} → 5903`)
      JSON.stringify(changed.body).should.not.containEql('the-given-passphrase')
      const same = await plan({ source: { port: route.source.port } }, given)
      String(same.body['text']).should.equal('Nothing to do.')
      const byId = { ...given, route: route.id, routeType: 'id', mode: 'replace' }
      const { name, source } = route
      const shorter = await plan({ name, source, destinations: [] }, byId)
      String(shorter.body['text']).should.match(/destinations\[0\]: .* → removed/)
      const faulty = await plan({ source: { port: 0 } }, given)
      faulty.body['code']!.should.equal('INVALID_INPUT')
      const unknown = await plan({ source: { port: 1 } }, { ...given, route: 'Nobody' })
      unknown.body['code']!.should.equal('NOT_FOUND')
      for (const wrong of [{ mode: 'x' }, { routeType: 'msg' }, { route: '' }, { node: 'x' }]) {
        const { status, body } = await plan({ source: { port: 1 } }, { ...given, ...wrong })
        ;[status, body['code']].should.eql([400, 'INVALID_INPUT'])
      }
    })

    it('says what a command would do, to the route or to a destination', async () => {
      const given = { node: 'control-route', routeType: 'name', target: 'route' }
      const [, running] = simulator.routes.filter(({ state }) => state === 'running')
      const idle = simulator.routes.find(({ state }) => state === 'idle')!
      const textOf = async (route: { name: string }, more: Properties): Promise<string> => {
        const { body } = await plan(undefined, { ...given, route: route.name, ...more })
        return String(body['text'] ?? body['code'])
      }
      ;(await textOf(guarded(), { action: 'stop' })).should.equal('READ_ONLY')
      const stop = await textOf(running!, { action: 'stop' })
      stop.should.match(/0 to start, 1 to stop\.\n~ ".*" {2}stop\n {4}state: running → stopped$/)
      const again = await textOf(running!, { action: 'restart' })
      again.should.match(/1 to start, 1 to stop\.\n~ ".*" {2}stop, start$/)
      const start = await textOf(idle, { action: 'restart' })
      start.should.match(/~ ".*" {2}start\n {4}state: stopped → running$/)
      const [out] = running!.destinations
      const of = { action: 'stop', target: 'destination', destinationType: 'name' }
      const part = await textOf(running!, { ...of, destination: out!.name })
      part.should.match(/destinations\[0\]\.state: running → stopped$/)
      ;(await textOf(running!, { ...of, destination: 'Nobody' })).should.equal('NOT_FOUND')
      const gone = { ...of, destination: 'gone', destinationType: 'id' }
      ;(await textOf(running!, gone)).should.equal('NOT_FOUND')
      ;(await textOf(running!, { action: 'sotp' })).should.equal('INVALID_INPUT')
    })

    it('plans the removal of stopped routes', async () => {
      const stopped = simulator.routes.find(({ state }) => state === 'idle')!
      const removal = { remove: 'pattern', removePattern: stopped.name, approve: true }
      const { status, body } = await plan([studio()], removal)
      status.should.equal(200)
      String(body['text']).should.containEql(`- ${JSON.stringify(stopped.name)}`)
      body['summary']!.should.containDeep({ create: 1, delete: 1 })
    })

    it('reads flags as the run does', async () => {
      const removal = { remove: 'pattern', removePattern: 'no such route' }
      for (const approve of ['true', ' Yes ', 1]) {
        ;(await plan([studio()], { ...removal, approve })).status.should.equal(200)
      }
      const misspelled = { ...studio(), source: { prot: 5900 } }
      for (const [validate, code] of [
        [null, 'INVALID_INPUT'],
        ['on', 'INVALID_INPUT'],
        ['perhaps', 'CONFIG'],
        [{}, 'CONFIG'],
      ]) {
        const { status, body } = await plan(misspelled, { validate })
        ;[status, body['code']].should.eql([400, code])
      }
      const { body } = await plan(misspelled, { validate: 'false' })
      should(body['code']).be.undefined()
    })

    it('shows no secret, neither one that is given nor one that is stored', async () => {
      const route = simulator.routes.find(({ source }) => source.protocol === 'srt')!
      const before = route.source.srtPassPhrase
      route.source.srtPassPhrase = 'the-stored-passphrase'
      const source = { srtPassPhrase: 'the-given-passphrase' }
      const { status, body } = await plan([{ name: route.name, source }])
      route.source.srtPassPhrase = before
      status.should.equal(200)
      String(body['text']).should.containEql('••••••')
      JSON.stringify(body).should.not.match(/the-(stored|given)-passphrase/)
    })

    it('takes secrets by name from the environment, and says which are not set', async () => {
      const named = (name: string): Properties => {
        const { source, ...route } = studio()
        const secret = { srtEncryption: 'AES128', srtPassPhrase: `\${${name}}` }
        return { ...route, source: { ...(source as Properties), ...secret } }
      }
      const set = await plan(named('SRT_TEST_SET'))
      const unset = await plan(named('SRT_TEST_UNSET'))
      const other = await plan(named('MEDIA_GATEWAY_TEST_SECRET'))
      set.body['unset']!.should.eql([])
      unset.body['unset']!.should.eql(['SRT_TEST_UNSET'])
      other.body['code']!.should.equal('INVALID_INPUT')
      JSON.stringify([set, unset, other]).should.not.match(/of-the-environment|xxxx|from-the-env/)
    })

    const refused: Record<string, [definition: unknown, more: Properties, says: RegExp]> = {
      'no definition': [undefined, {}, /./],
      'a fault in a row': [[{ name: 'A', source: { port: 0 } }], {}, /\[0\]\.source\.port/],
      'an unknown state': [
        { name: 'A' },
        { state: 'up' },
        /state is "up"; it must be one of present, /,
      ],
      'a limit that is none': [
        [{ name: 'A' }],
        { remove: 'pattern', removePattern: '*', removeAtMost: 0 },
        /removeAtMost is 0; it must be a whole number from 1 to 1000\./,
      ],
      'a pattern without names': [
        [{ name: 'A' }],
        { remove: 'pattern', removePattern: 7 },
        /removePattern/,
      ],
    }
    for (const [what, [definition, more, says]] of Object.entries(refused)) {
      it(`says why there is none: ${what}`, async () => {
        const { status, body } = await plan(definition, more)
        status.should.equal(400)
        body['code']!.should.equal('INVALID_INPUT')
        String(body['message']).should.match(says)
      })
    }
  })

  it('gateways lists what is deployed, without secrets', async () => {
    const { body } = await ask('gateways', undefined, 'reader')
    body.should.eql([{ id: 'gateway', name: 'Studio', address: simulator.url, readOnly: false }])
  })

  it('state says when a gateway is not deployed, which each deploy brings about', async () => {
    for (const id of ['missing', 'watch', '']) {
      const { status, body } = await ask('state', { id }, 'reader')
      status.should.equal(200)
      body.should.eql({ notDeployed: true })
    }
  })

  it('state shows what the shared poll knows, without a call of its own', async () => {
    let reply: Reply
    do {
      reply = await ask('state', { id: 'gateway' }, 'reader')
    } while (reply.body['snapshot'] === undefined)
    const calls = simulator.journal.length
    const { body } = await ask('state', { id: 'gateway' })
    body.should.containDeep({
      health: { known: { routes: 5 }, unreachable: false },
      snapshot: { event: 'snapshot', device: { id: device() } },
    })
    const again = await ask('state', { id: 'gateway', version: body['version'] })
    should(again.body['snapshot']).be.undefined()
    should(again.body['version']).equal(body['version'])
    simulator.journal.length.should.equal(calls)
  })

  it('control starts and stops a route', async () => {
    const route = simulator.routes.find(({ state }) => state === 'idle')!
    const body = { id: 'gateway', deviceId: device(), routeId: route.id, action: 'start' }
    ;(await ask('control', body)).body.should.eql({ ok: true })
    await simulator.settle()
    route.state.should.equal('running')
    ;(await ask('control', { ...body, action: 'stop' })).body.should.eql({ ok: true })
    const wrong = await ask('control', { ...body, action: 'delete' })
    wrong.status.should.equal(400)
    wrong.body.should.containDeep({
      code: 'INVALID_INPUT',
      message: 'action is "delete"; it must be one of start, stop, restart. Nothing was changed.',
    })
  })

  it('control refuses to stop or restart a protected route, as state has it, but starts it', async () => {
    const route = guarded()
    const { body: state } = await ask('state', { id: 'gateway' }, 'reader')
    const { routes } = state['snapshot'] as { routes: Array<{ id: string; isProtected: boolean }> }
    for (const { id, isProtected } of routes) isProtected.should.equal(id === route.id)
    const target = { id: 'gateway', deviceId: device(), routeId: route.id }
    const destination = { destinationId: route.destinations[0]!.id }
    const calls = simulator.journal.filter(({ method }) => method === 'POST').length
    for (const action of ['stop', 'restart']) {
      for (const body of [target, { ...target, ...destination }]) {
        const refused = await ask('control', { ...body, action, confirmProtected: route.name })
        refused.status.should.equal(400)
        refused.body['code']!.should.equal('READ_ONLY')
        const sentences = refused.body['sentences'] as Array<{ key: string; values: object }>
        sentences.map(({ key }) => key).should.eql(['protected', 'unchanged', 'confirmProtected'])
        sentences[0]!.values.should.have.property('route', route.name)
      }
    }
    simulator.journal.filter(({ method }) => method === 'POST').should.have.length(calls)
    ;(await ask('control', { ...target, action: 'start' })).body.should.eql({ ok: true })
  })

  it('answers rubbish in words, and stays alive', async () => {
    for (const path of PATHS) {
      for (const body of [[], {}, { connection: 'x' }, { connection: { id: {} } }, { id: 7 }]) {
        const { status, body: answer } = await ask(path, body)
        ;[200, 400, 404].should.containEql(status)
        if (PATIENT.includes(path)) answer.should.eql({ notDeployed: true })
        else should(answer['code']).be.a.String()
      }
    }
  })

  it('a body that is nested too deep, or has too many values, is refused by each route, for each user', async () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    const odd: Record<string, string> = {
      'two thousand lists': nested(2000),
      'a hundred thousand lists': nested(100_000),
      'as many objects': `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
      'too many values': `[${'0,'.repeat(300_000)}0]`,
    }
    for (const [what, value] of Object.entries(odd)) {
      for (const path of PATHS) {
        for (const user of ['driver', 'writer']) {
          const connection = JSON.stringify({ baseUrl: 'http://127.0.0.1:1' })
          const text = `{"id":"gateway","connection":${connection},"definition":${value}}`
          const { status, body } = await ask(path, undefined, user, text)
          status.should.equal(400, `${path}, ${what}`)
          body.should.containDeep({ code: 'INVALID_INPUT' })
          String(body['message']).should.match(/nested too deep|too many values/)
        }
      }
    }
    const query = `?id[a][b][c]=1&connection[baseUrl]=${'x'.repeat(5000)}`
    ;(await ask(`gateways${query}`)).status.should.equal(200)
    nodeRed.output.should.not.match(/Uncaught/)
  })

  it('a device that the appliance does not list is polled for nobody', async () => {
    const calls = simulator.journal.length
    for (let number = 0; number < 25; number++) {
      const asked = await ask('state', { id: 'gateway', deviceId: `invented-${number}` }, 'reader')
      asked.status.should.equal(404)
      asked.body.should.containDeep({ code: 'NOT_FOUND', sentences: [{ key: 'deviceNotFound' }] })
    }
    simulator.journal
      .slice(calls)
      .some(({ path }) => path.includes('invented'))
      .should.be.false()
    ;(await ask('state', { id: 'gateway', deviceId: device() })).status.should.equal(200)
  })

  it('lookups of the same at the same time share their requests', async () => {
    const calls = simulator.journal.length
    const asked = Array.from({ length: 50 }, () =>
      ask('lookup', { connection: { id: 'gateway' }, deviceId: device() }, 'reader'),
    )
    for (const { status, body } of await Promise.all(asked)) {
      status.should.equal(200)
      body['deviceId']!.should.equal(device())
    }
    // One by one, they would be more than 50.
    simulator.journal.slice(calls).length.should.be.below(45)
  })

  it('a typed password is tried, also where it is the stored one', async () => {
    for (const path of ['lookup', 'connection']) {
      const { logins, logouts } = simulator
      const connection = { ...saved(), password: PASSWORD }
      ;(await ask(path, { connection }, 'driver')).status.should.equal(200)
      simulator.logins.should.equal(logins + 1)
      simulator.logouts.should.equal(logouts + 1)
    }
  })

  it('who changed or tested what is told to the audit log, without a secret', async () => {
    const route = simulator.routes.find(({ state }) => state === 'idle')!
    const place = { id: 'gateway', deviceId: device(), routeId: route.id }
    const nobody = { baseUrl: 'http://127.0.0.1:1', username: 'x', password: 'a-typed-password' }
    const definition = { name: 'A', source: { srtPassPhrase: 'a-typed-passphrase' } }
    await ask('control', { ...place, action: 'stop', note: 'a-typed-password' }, 'driver')
    await ask('control', { ...place, routeId: guarded().id, action: 'stop' }, 'driver')
    await ask('failover', { id: 'gateway', failoverId: 'none', action: 'backup' }, 'driver')
    await ask('connection', { connection: nobody }, 'driver')
    await ask('plan', { connection: { id: 'gateway' }, definition }, 'driver')
    await ask('lookup', { connection: { id: 'gateway' } }, 'driver')
    const { host } = new URL(simulator.url)
    const records = (): Properties[] =>
      [...nodeRed.output.matchAll(/\[audit\] (\{.*\})/g)]
        .map(([, json]) => JSON.parse(json!) as Properties)
        .filter(({ event }) => String(event).startsWith('media-gateway.'))
        .filter(({ user }) => (user as Properties)['username'] === 'driver')
        .slice(-5)
    await until(() => records().at(-1)?.['event'] === 'media-gateway.plan')
    const [stopped, refused, failover, tested, planned] = records()
    const about = { event: 'media-gateway.control', gateway: 'gateway', host, deviceId: device() }
    stopped!.should.containDeep({ ...about, routeId: route.id, action: 'stop', outcome: 'ok' })
    refused!.should.containDeep({ ...about, routeId: guarded().id, outcome: 'READ_ONLY' })
    failover!.should.containDeep({
      event: 'media-gateway.failover',
      failoverId: 'none',
      action: 'backup',
      outcome: 'NOT_FOUND',
    })
    tested!.should.containDeep({
      event: 'media-gateway.connection',
      host: '127.0.0.1:1',
      outcome: 'UNAVAILABLE',
    })
    planned!.should.containDeep({
      event: 'media-gateway.plan',
      gateway: 'gateway',
      outcome: 'INVALID_INPUT',
    })
    nodeRed.output.should.not.match(/a-typed-pass/)
  })
})
