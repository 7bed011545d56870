import * as fc from 'fast-check'
import type { Wanted } from '../../client/changes/ensure/plan'
import type { Ensured } from '../../client/changes/ensure/apply'
import type { Route } from '../../client/model/types'
import { generateRoutes, type Simulator } from '../../simulator'
import { failure, load, result, send, simulated, unload } from '../support/flow'
import { gatewayAt } from '../support/connect'

type Row = Ensured & { error?: { code: string; message: string } }

const ensure = (state: string, more: object = {}): object => ({
  type: 'media-gateway-ensure-route',
  state,
  waitTimeout: 15,
  ...more,
})

describe('ensure-route', () => {
  let simulator: Simulator

  beforeEach(async () => {
    simulator = await simulated({ routes: generateRoutes(12) })
    await load(simulator.url, {
      present: ensure('present'),
      started: ensure('started'),
      stopped: ensure('stopped'),
      absent: ensure('absent'),
      check: ensure('present', { check: true }),
      'check-started': ensure('started', { check: true }),
      exact: ensure('present', { exact: true }),
      'delete-route': {},
    })
  })

  const writes = (): Simulator['journal'] =>
    simulator.journal.filter(({ method, path }) => method === 'POST' && path !== '/api/session')
  const run = async (node: string, payload: unknown): Promise<Ensured> =>
    (await result(node, { payload })).payload as Ensured
  const read = (name: string): Route => simulator.readForm(name) as Route

  it('creates what is missing, and writes nothing the second time', async () => {
    const first = await run('present', WANTED)
    first.should.match({ changed: true, action: 'create', before: null })
    first.after!.should.match({ name: WANTED.name, state: 'idle' })
    first.diff.should.have.length(1)
    const { routeId } = await result('present', { payload: WANTED })
    routeId!.should.equal(first.after!.id)
    // About several there is no one ID, and that of another route would mislead the next node.
    const list = await result('present', { payload: [WANTED], routeId: 'of-another' })
    list.should.not.have.property('routeId')
    writes().should.have.length(1)
    const second = await run('present', WANTED)
    second.should.match({ changed: false, action: 'none', diff: [] })
    writes().should.have.length(1)
  })

  it('says that there is no such route, where only a name is given', async () => {
    const { code, message, cause } = await failure('started', { payload: { name: 'Studio Z' } })
    code.should.equal('INVALID_INPUT')
    message.should.match(
      /^Route "Studio Z" on .*: There is no such route\. Check its name, or give its source to create it\. Nothing was changed\.$/,
    )
    cause.problems!.map(({ path }) => path).should.eql(['source'])
    const row = await failure('started', { payload: [{ name: 'Studio Z' }] })
    row.message.should.containEql('There is no such route.')
    writes().should.have.length(0)
  })

  it('finds a route by a name with spaces at both ends, and creates none with such a name', async () => {
    const [first] = simulator.routes
    first!.name = ' Studio A '
    const port = { source: { port: 7123 } }
    ;(await run('present', { name: ' Studio A ', ...port })).after!.id.should.equal(first!.id)
    ;(await run('present', { name: ' Studio A ', ...port })).changed.should.be.false()
    for (const node of ['present', 'create-route']) {
      const { message } = await failure(node, { payload: { ...WANTED, name: ' Studio B ' } })
      message.should.match(/^Route " Studio B " on .*: name begins or ends with a blank/)
    }
  })

  it('changes only what is given, by name or by ID, and leaves other destinations', async () => {
    const route = simulator.routes.find(({ destinations }) => destinations.length > 1)!
    const before = read(route.id)
    const wanted = {
      name: route.name,
      destinations: [{ name: route.destinations[1]!.name, ttl: 7 }],
    }
    if (route.destinations[1]!.protocol === 'hls') throw new Error('a poor choice of a route')
    const done = await run('present', wanted)
    done.should.match({ changed: true, action: 'update' })
    done.diff.should.match([{ path: 'destinations[1].ttl', to: 7 }])
    done.after!.destinations.should.have.length(before.destinations.length)
    read(route.id).destinations[1]!.ttl!.should.equal(7)
    ;(await run('present', { id: route.id, name: 'By its ID' })).action.should.equal('update')
    read(route.id).name.should.equal('By its ID')
  })

  it('exact removes destinations that are not mentioned', async () => {
    const route = simulator.routes.find(({ destinations }) => destinations.length > 1)!
    const [kept] = route.destinations
    const wanted = { name: route.name, destinations: [{ name: kept!.name }] }
    ;(await run('present', wanted)).changed.should.be.false()
    const done = await run('exact', wanted)
    done.action.should.equal('update')
    read(route.id)
      .destinations.map(({ id }) => id)
      .should.deepEqual([kept!.id])
  })

  it('started, stopped and absent, each once', async () => {
    ;(await run('started', WANTED)).should.match({ action: 'create', after: { state: 'running' } })
    ;(await run('started', WANTED)).action.should.equal('none')
    const changed = { ...WANTED, source: { ...WANTED.source, port: 5999 } }
    const stopped = await run('stopped', changed)
    stopped.action.should.deepEqual(['stop', 'update'])
    stopped.after!.should.match({ state: 'idle', source: { port: 5999 } })
    ;(await run('stopped', changed)).action.should.equal('none')
    ;(await run('started', WANTED)).action.should.deepEqual(['update', 'start'])
    ;(await run('absent', { name: WANTED.name })).should.match({ action: 'delete', after: null })
    ;(await run('absent', { name: WANTED.name })).should.match({ action: 'none', before: null })
  })

  it('check gives the same plan as the run, and writes nothing', async () => {
    const route = simulator.routes.find(({ state }) => state === 'idle')!
    for (const wanted of [WANTED, { id: route.id, name: 'Planned' }]) {
      const plan = await run('check-started', wanted)
      writes().should.have.length(0)
      const done = await run('started', wanted)
      ;[done.changed, done.action, done.diff].should.deepEqual([
        plan.changed,
        plan.action,
        plan.diff,
      ])
      simulator.clearJournal()
      ;(await run('check-started', wanted)).changed.should.be.false()
    }
  })

  for (const check of ['true', 'ON', ' 1 ']) {
    it(`check may be text, as Node-RED gives a variable: ${JSON.stringify(check)}`, async () => {
      await unload()
      await load(
        simulator.url,
        { check: ensure('present', { check }) },
        { gateway: { readOnly: true } },
      )
      const { payload, plan } = await result('check', { payload: WANTED })
      payload!.should.match({ action: 'create', after: null })
      plan!.should.have.property('applied', false)
      writes().should.have.length(0)
    })
  }

  for (const property of ['check', 'exact', 'validate', 'approve']) {
    it(`${property} that is neither on nor off is CONFIG, and nothing is sent`, async () => {
      await unload()
      await load(simulator.url, {
        unset: ensure('present', { [property]: '${DRY_RUN_X}' }),
        perhaps: ensure('present', { [property]: 'perhaps' }),
      })
      for (const node of ['unset', 'perhaps']) {
        const error = await failure(node, { payload: WANTED })
        error.cause.should.match({ code: 'CONFIG', applied: 'no' })
      }
      simulator.journal.should.have.length(0)
    })
  }

  it('exact and validate may be text', async () => {
    await unload()
    const extra = { name: 'Extra', protocol: 'udp', address: '192.0.2.51', port: 6001 }
    await load(simulator.url, {
      present: ensure('present'),
      exact: ensure('present', { exact: 'true' }),
      loose: ensure('present', { validate: 'false' }),
      empty: ensure('present', { validate: '' }),
    })
    await run('present', { ...WANTED, destinations: [...WANTED.destinations, extra] })
    ;(await run('exact', WANTED)).after!.destinations.should.have.length(1)
    const odd = { ...WANTED, name: 'Odd', destinations: [{ ...extra, adress: 'x' }] }
    ;(await failure('present', { payload: odd })).code.should.equal('INVALID_INPUT')
    ;(await failure('empty', { payload: odd })).code.should.equal('INVALID_INPUT')
    ;(await run('loose', odd)).action.should.equal('create')
  })

  it('works on a gateway that is read only, as far as it only checks', async () => {
    await unload()
    await load(
      simulator.url,
      { check: ensure('present', { check: true }), present: ensure('present') },
      { gateway: { readOnly: true } },
    )
    ;(await run('check', WANTED)).action.should.equal('create')
    ;(await failure('present', { payload: WANTED })).code.should.equal('READ_ONLY')
  })

  it('a Route as read is as wanted, of every protocol, with secrets shown or hidden', async () => {
    const { data } = (await result('list-routes')).payload as { data: Route[] }
    const rows = (await result('present', { payload: data })).payload as Row[]
    rows.map(({ action }) => action).should.deepEqual(data.map(() => 'none'))
    const hidden = JSON.parse(
      JSON.stringify(data).replaceAll(/"(srtPassPhrase|password)":"[^"]+"/g, '"$1":"••••••"'),
    ) as Route[]
    JSON.stringify(hidden).should.match(/••••••/)
    const again = (await result('present', { payload: hidden })).payload as Row[]
    again.map(({ action }) => action).should.deepEqual(data.map(() => 'none'))
    writes().should.have.length(0)
  })

  it('a changed pass phrase shows hidden in the plan, and a hidden one is kept in an update', async () => {
    const route = simulator.routes.find(({ source }) => source.srtPassPhrase)!
    const old = route.source.srtPassPhrase!
    const wanted = { id: route.id, source: { srtPassPhrase: 'another-invented-phrase' } }
    const plan = await run('check', wanted)
    plan.diff.should.deepEqual([{ path: 'source.srtPassPhrase', from: '••••••', to: '••••••' }])
    await run('present', { id: route.id, name: 'Renamed', source: { srtPassPhrase: '••••••' } })
    await simulator.settle()
    simulator.route(route.id)!.source.srtPassPhrase!.should.equal(old)
    simulator.route(route.id)!.name.should.equal('Renamed')
  })

  it('finds a route by name whose ID is of a former one', async () => {
    const route = simulator.routes[0]!
    const former = { ...read(route.id), id: 'former-id' }
    ;(await run('present', former)).action.should.equal('none')
    const { id: _, ...unnamed } = former
    const parts = [unnamed.source, ...unnamed.destinations].map((part) => ({ ...part, id: 'gone' }))
    const [source, ...destinations] = parts
    ;(await run('present', { ...unnamed, source, destinations })).action.should.equal('none')
    simulator.removeRoute(route.id)
    ;(await run('present', former)).action.should.equal('create')
    simulator.route(route.name)!.source.protocol.should.equal(route.source.protocol)
  })

  it('absent with an ID never means another route of the same name', async () => {
    const route = simulator.routes[0]!
    const twin = simulator.addRoute({ ...WANTED, name: route.name })
    const wanted = read(route.id)
    ;(await run('absent', wanted)).action.should.equal('delete')
    ;(await run('absent', wanted)).should.match({ changed: false, action: 'none' })
    simulator.route(twin.id)!.name.should.equal(route.name)
    ;(await failure('present', { payload: { id: 'none' } })).code.should.equal('NOT_FOUND')
  })

  it('a delete that is under way is waited for', async () => {
    simulator.setOptions({ applyDelay: 200 })
    const { id, name } = simulator.routes[0]!
    const wanted = { ...read(id), id: undefined }
    await result('delete-route', { routeId: id })
    ;(await run('present', wanted)).action.should.equal('create')
    simulator.routes.filter((route) => route.name === name).should.have.length(1)
    const both = await Promise.all([run('absent', { name }), run('absent', { name })])
    both
      .map(({ action }) => String(action))
      .toSorted()
      .should.deepEqual(['delete', 'none'])
  })

  it('refuses what it could never bring about', async () => {
    const srt = simulator.routes.find(({ source }) => source.protocol === 'srt')!
    const cases: Array<[object, string]> = [
      [{ id: srt.id, source: { srtLatency: null } }, 'source.srtLatency'],
      [{ ...WANTED, state: 'running' }, 'state'],
      [{ ...WANTED, source: { ...SRT, srtPassPhrase: '${SRT_STUDIO}' } }, 'source.srtPassPhrase'],
      [{ id: srt.id, destinations: { out: { port: 5 } } }, 'destinations'],
      [
        { ...WANTED, destinations: [{ ...WANTED.destinations[0], action: 'stop' }] },
        'destinations[0].action',
      ],
    ]
    for (const [payload, path] of cases) {
      const error = await failure('present', { payload })
      error.cause.problems!.map((one) => one.path).should.deepEqual([path])
    }
    writes().should.have.length(0)
  })

  it('two at once for one missing route create one', async () => {
    const both = await Promise.all([run('present', WANTED), run('present', WANTED)])
    both
      .map(({ action }) => String(action))
      .toSorted()
      .should.deepEqual(['create', 'none'])
    simulator.routes.filter(({ name }) => name === WANTED.name).should.have.length(1)
  })

  describe('in bulk', () => {
    const rows = (count: number): object[] =>
      Array.from({ length: count }, (_, index) => ({
        name: `Bulk ${index}`,
        source: {
          name: `Bulk ${index} in`,
          protocol: 'udp',
          address: '239.2.2.2',
          port: 7000 + index,
        },
        destinations: [
          { name: `Bulk ${index} out`, protocol: 'udp', address: '192.0.2.8', port: 8000 + index },
        ],
      }))

    it('shows how far it has got', async () => {
      const { helper } = await import('../support/flow.js')
      const node = helper.getNode('present')
      const show = node.status.bind(node)
      const shown: unknown[] = []
      node.status = (now) => {
        shown.push(typeof now === 'object' && now.text)
        show(now)
      }
      simulator.setOptions({ latency: 60 })
      await result('present', { payload: rows(60) })
      shown[0]!.should.equal('waiting for the gateway')
      shown[1]!.should.match(/^[1-9]\d*\/60$/)
      shown.at(-1)!.should.equal('60 changed, 0 unchanged')
    })

    it('faults, duplicate names and port clashes are found before the first write', async () => {
      const listener = (name: string, port: number, more: object = {}): object => ({
        name,
        source: {
          name: `${name} in`,
          protocol: 'srt',
          srtMode: 'listener',
          address: '0.0.0.0',
          port,
          ...more,
        },
      })
      const first = simulator.routes[0]!
      const second = simulator.routes[1]!
      const rtp = (name: string): object => ({
        name,
        source: {
          name: `${name} in`,
          protocol: 'rtp',
          rtpNetworkBondingParams: [{ address: '239.1.1.1', port: 5000 }],
        },
      })
      simulator.addRoute({
        name: 'Taken',
        source: { name: 'Taken in', protocol: 'udp', address: '0.0.0.0', port: 9100 },
      })
      const on = (networkInterface: string): object => ({ networkInterface })
      for (const [name, port, networkInterface] of [
        ['Every', 9200, ''],
        ['One', 9300, 'eth1'],
        ['Other', 9300, 'eth2'],
      ] as const) {
        simulator.addRoute({
          name,
          source: {
            name: `${name} in`,
            protocol: 'udp',
            address: '0.0.0.0',
            port,
            networkInterface,
          },
        })
      }
      const cases: Array<[object[], string[]]> = [
        [[...rows(2), { name: '' }], ['[2].name']],
        [[...rows(2), rows(1)[0]!], ['[2].name']],
        [
          [listener('A', 9000), listener('B', 9000)],
          ['[0].source.port', '[1].source.port'],
        ],
        [[listener('A', 9000), listener('B', 9100)], ['[1].source.port']],
        // Without an interface it listens on each, and with 0.0.0.0 on each address.
        [[listener('A', 9200, on('eth0'))], ['[0].source.port']],
        [[listener('A', 9300)], ['[0].source.port']],
        [
          [listener('A', 9000, { address: '192.0.2.1' }), listener('B', 9000, on('eth1'))],
          ['[0].source.port', '[1].source.port'],
        ],
        [[listener('A', 9000, on('eth0')), listener('B', 9000, on('eth1'))], []],
        [[listener('A', 9300, on('eth0'))], []],
        [[{ name: 'One', source: on('') }], ['[0].source.port']],
        [[{ name: 'Every', source: on('eth1') }], []],
        [[{ name: 'New without a source' }], ['[0].source']],
        [[{ id: first.id }, { name: first.name }], ['[1]']],
        [[{ id: first.id, name: second.name }], ['[0].name']],
        [[rtp('A'), rtp('B')], []],
      ]
      for (const [payload, paths] of cases) {
        if (paths.length === 0) {
          await result('check', { payload })
          continue
        }
        const error = await failure('present', { payload })
        error.code.should.equal('INVALID_INPUT')
        error.cause
          .problems!.map(({ path }) => path)
          .sort()
          .should.deepEqual(paths.toSorted())
      }
      writes().should.have.length(0)
    })

    it('a name that several routes have is a conflict, before the first write', async () => {
      const twin = { ...WANTED, name: simulator.routes[0]!.name }
      simulator.addRoute(twin)
      const error = await failure('present', { payload: [rows(1)[0], { name: twin.name }] })
      error.code.should.equal('CONFLICT')
      writes().should.have.length(0)
    })
  })

  it('plan, apply, plan is empty, for any changes to any routes', async () => {
    const gateway = gatewayAt(simulator)
    const ensured = (wanted: object, check: boolean): Promise<Ensured> =>
      gateway.routes.ensure(wanted as Wanted, { check, waitTimeout: 3000 })
    simulator.setOptions({ applyDelay: 1 })
    const wish = fc.record(
      {
        index: fc.nat(11),
        name: fc.string({ minLength: 1, maxLength: 40 }),
        networkInterface: fc.constantFrom('', 'eth0', 'eth1'),
        latency: fc.integer({ min: 20, max: 8000 }),
        label: fc.stringMatching(/^[a-z]{1,8}$/),
      },
      { requiredKeys: ['index', 'name'] },
    )
    await fc.assert(
      fc.asyncProperty(wish, async ({ index, name, networkInterface, latency, label }) => {
        const { id, source } = simulator.routes[index]!
        const placed = source.networkInterface !== undefined
        const wanted = {
          id,
          name: `${id} ${name}`.slice(0, 60),
          source: {
            ...(placed && networkInterface !== undefined && { networkInterface }),
            ...(source.protocol === 'srt' && latency !== undefined && { srtLatency: latency }),
            ...(label !== undefined && { newMember: label }),
          },
        }
        const plan = await ensured(wanted, true)
        const done = await ensured(wanted, false)
        ;[done.changed, done.action, done.diff].should.deepEqual([
          plan.changed,
          plan.action,
          plan.diff,
        ])
        ;(await ensured(wanted, true)).should.match({ changed: false, action: 'none', diff: [] })
      }),
      { numRuns: 40 },
    )
    await gateway.close()
  })

  it('bad input is refused before any call', async () => {
    for (const payload of ['text', 5, {}, { source: {} }, [5], { nme: 'x', name: 'y' }]) {
      ;(await failure('present', { payload })).code.should.equal('INVALID_INPUT')
    }
    simulator.journal.should.have.length(0)
    const { payload } = await result('present', { payload: [] })
    payload!.should.deepEqual([])
  })

  it('an ensure on its way when its node is stopped ends with CLOSED', async () => {
    const { helper } = await import('../support/flow.js')
    simulator.setOptions({ applyDelay: 60_000 })
    const outcome = send('present', { payload: WANTED })
    await new Promise((resolve) => setTimeout(resolve, 200))
    await (helper.getNode('present') as unknown as { close(): Promise<void> }).close()
    ;(await outcome).caught!.error.code.should.equal('CLOSED')
  })
})

const SRT = {
  name: 'Wanted in',
  protocol: 'srt',
  srtMode: 'caller',
  address: '192.0.2.1',
  port: 5000,
}

const WANTED = {
  name: 'Wanted here',
  source: { name: 'Wanted in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
  destinations: [{ name: 'Wanted out', protocol: 'udp', address: '192.0.2.50', port: 6000 }],
}
