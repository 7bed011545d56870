import 'should'
import { controlRoute } from '../../client/changes/control'
import { deleteRoute } from '../../client/changes/delete'
import { ensureRoutes } from '../../client/changes/ensure/ensure'
import { newEnsureMemory, undoLastRun } from '../../client/changes/ensure/undo'
import { getDevice } from '../../client/api/devices'
import { getRoute } from '../../client/api/routes'
import { newOperation } from '../../client/connection/operation'
import { readStatistics } from '../../client/api/statistics'
import { updateRoute } from '../../client/changes/update'
import { watchDevice, pollNow } from '../../client/watch/registry'
import type { Snapshot } from '../../client/model/event'
import { load, result, unload } from '../support/flow'
import { errorOf } from '../support/errors'
import { oddAppliance, op, updates } from './strange-support'

describe('an appliance that behaves otherwise', () => {
  const appliance = oddAppliance()
  const { calls } = appliance

  describe('a route that did not come whole', () => {
    const whole = {
      id: 'R',
      name: 'Route',
      source: { id: 'S', name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
      destinations: [{ id: 'E', name: 'out', protocol: 'udp', address: '192.0.2.1', port: 1 }],
    }
    const halves: Array<[string, object]> = [
      ['without destinations', { ...whole, destinations: undefined }],
      ['with IDs for destinations', { ...whole, destinations: ['E'] }],
      [
        'with a null among the destinations',
        { ...whole, destinations: [...whole.destinations, null] },
      ],
      ['without a source', { ...whole, source: undefined }],
      [
        'with a destination without ID',
        { ...whole, destinations: [{ ...whole.destinations[0], id: undefined }] },
      ],
      [
        'with a destination with an empty ID',
        { ...whole, destinations: [...whole.destinations, { ...whole.destinations[0], id: '' }] },
      ],
      ['wrapped', { data: whole }],
      ['of another ID', { ...whole, id: 'Q' }],
    ]
    for (const [what, body] of halves) {
      it(`${what} is never the ground of an update`, async () => {
        appliance.reply = ({ method, path }) =>
          method === 'GET' && path.endsWith('/routes/R') ? { body } : undefined
        for (const mode of ['keep', 'merge'] as const) {
          const change = {
            address: { deviceId: 'D', routeId: 'R' },
            patch: { name: 'New' },
            mode,
            waitFor: 'accepted' as const,
            waitTimeout: 1000,
          }
          const error = await errorOf(updateRoute(appliance.gateway, change, op()))
          error.code.should.equal('BAD_RESPONSE')
          error.message.should.match(/The change was not sent/)
        }
        updates(calls).should.have.length(0)
      })
    }

    it('a masked pass phrase is not sent back as the pass phrase', async () => {
      const source = {
        ...whole.source,
        protocol: 'srt',
        mode: 'listener',
        srtPassPhrase: '********',
      }
      appliance.reply = ({ method, path }) => {
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
        // The same one would wait in vain for the update before to show.
        const another = appliance.connect()
        await updateRoute(another, change, op())
        await another.close()
      }
      updates(calls).should.have.length(5)
      JSON.stringify(updates(calls)).should.not.match(/srtPassPhrase/)
    })
  })

  it('the undo of a delete says so where the gateway leaves out pass phrases', async () => {
    const source = {
      id: 'S',
      name: 'in',
      protocol: 'srt',
      mode: 'caller',
      address: 'a',
      port: 5000,
    }
    const out = { id: 'E', name: 'out', protocol: 'udp', address: '192.0.2.1', port: 1 }
    const route = { id: 'R', name: 'Route', state: 'idle', source, destinations: [out] }
    let isThere = true
    appliance.reply = ({ path }) => {
      if (path.endsWith('/updates')) {
        isThere = false
        return { body: { status: 'ok' } }
      }
      if (path.endsWith('/routes/R') && isThere) return { body: route }
      return path.endsWith('/routes') ? { body: { data: isThere ? [route] : [] } } : undefined
    }
    const gateway = appliance.connect()
    const memory = newEnsureMemory()
    const options = { deviceId: 'D', state: 'absent', waitTimeout: 5000, memory } as const
    await ensureRoutes(gateway, { id: 'R' }, options, op())
    const sent = updates(calls).length
    const error = await errorOf(undoLastRun(gateway, memory, { waitTimeout: 5000 }, op()))
    error.code.should.equal('CONFLICT')
    error.message.should.match(/source\.srtPassPhrase: the gateway hides its former value/)
    updates(calls).should.have.length(sent)
    await gateway.close()
  })

  for (const [how, shown, changed] of [
    ['hides', '********', 5001],
    ['leaves out', undefined, 5001],
    ['hides, and of nothing else,', '********', 5000],
    ['leaves out, and of nothing else,', undefined, 5000],
  ] as const) {
    it(`the undo of a pass phrase that the gateway ${how} says so, and sends nothing`, async () => {
      const part = { name: 'out', protocol: 'udp', address: '192.0.2.1', port: 1 }
      const route = (port: number): object => ({
        id: 'R',
        name: 'Route',
        state: 'idle',
        source: {
          id: 'S',
          name: 'in',
          protocol: 'srt',
          mode: 'caller',
          address: '192.0.2.2',
          port,
          srtPassPhrase: shown,
        },
        destinations: [{ id: 'E', ...part }],
      })
      let port = 5000
      appliance.reply = ({ method, path, body }) => {
        if (method === 'GET' && path.endsWith('/routes/R')) return { body: route(port) }
        if (method === 'GET' && path.endsWith('/routes')) return { body: { data: [route(port)] } }
        if (!path.endsWith('/updates')) return undefined
        port = (body as { fields: { source: { port: number } } }).fields.source.port
        return { body: { status: 'ok' } }
      }
      const gateway = appliance.connect()
      const memory = newEnsureMemory()
      const options = { deviceId: 'D', state: 'present', waitTimeout: 5000, memory } as const
      const change = async (source: object): Promise<void> =>
        void (await ensureRoutes(gateway, { id: 'R', source }, options, op()))
      await change({ port: changed, srtPassPhrase: 'a new pass phrase' })
      const sent = updates(calls).length
      const error = await errorOf(undoLastRun(gateway, memory, { waitTimeout: 5000 }, op()))
      error.code.should.equal('CONFLICT')
      error.message.should.match(/source\.srtPassPhrase: the gateway hides its former value/)
      error.message.should.not.match(/a new pass phrase/)
      updates(calls).should.have.length(sent)
      // What this connection wrote before is known.
      await change({ port: 5002, srtPassPhrase: 'a newer pass phrase' })
      await undoLastRun(gateway, memory, { waitTimeout: 5000 }, op())
      const back = new RegExp(`"port":${changed}.*"a new pass phrase"`)
      JSON.stringify(updates(calls).at(-1)).should.match(back)
      await gateway.close()
    })
  }

  for (const [what, state, news] of [
    ['', 'present', '"Route" is neither as before nor as it was to become'],
    [
      ', after a stop',
      'stopped',
      '"Route" source.srtPassPhrase: the gateway hides its former value',
    ],
  ] as const) {
    it(`the undo of a hidden pass phrase that may have been written${what} says so`, async () => {
      const source = {
        id: 'S',
        name: 'in',
        protocol: 'srt',
        mode: 'caller',
        address: '192.0.2.2',
        port: 5000,
        srtPassPhrase: '********',
      }
      const route = { id: 'R', name: 'Route', state: 'running', source, destinations: [] }
      appliance.reply = ({ method, path }) => {
        if (method === 'GET' && path.endsWith('/routes/R')) return { body: route }
        if (method === 'GET' && path.endsWith('/routes')) return { body: { data: [route] } }
        if (path.endsWith('/commands')) {
          route.state = 'idle'
          return { body: [{}] }
        }
        return path.endsWith('/updates') ? { status: 500, body: {} } : undefined
      }
      const gateway = appliance.connect()
      const memory = newEnsureMemory()
      const options = { deviceId: 'D', state, waitTimeout: 500, memory } as const
      const wanted = { id: 'R', source: { srtPassPhrase: 'a new pass phrase' } }
      const { cause } = await errorOf(ensureRoutes(gateway, wanted, options, op()))
      cause.applied.should.equal(state === 'stopped' ? 'yes' : 'maybe')
      const error = await errorOf(undoLastRun(gateway, memory, { waitTimeout: 500 }, op()))
      error.code.should.equal('CONFLICT')
      error.message.should.containEql(news)
      await gateway.close()
    })
  }

  it('that counts in its routes and lists destinations in any order: a plan can be applied', async () => {
    const part = { protocol: 'udp', address: '192.0.2.1' }
    let port = 5000
    let reads = 0
    const route = (): object => {
      const packets = ++reads
      const destinations = ['E', 'F'].map((id, at) => ({
        ...part,
        id,
        name: id,
        port: at + 1,
        packets,
      }))
      return {
        id: 'R',
        name: 'Route',
        state: 'idle',
        source: { ...part, id: 'S', name: 'in', port, packets },
        destinations: packets % 2 ? destinations : destinations.reverse(),
      }
    }
    appliance.reply = ({ method, path, body }) => {
      if (method === 'GET' && path.endsWith('/routes/R')) return { body: route() }
      if (method === 'GET' && path.endsWith('/routes')) return { body: { data: [route()] } }
      if (!path.endsWith('/updates')) return undefined
      port = (body as { fields: { source: { port: number } } }).fields.source.port
      return { body: { status: 'ok' } }
    }
    const gateway = appliance.connect()
    const options = { deviceId: 'D', state: 'present', waitTimeout: 5000, approve: true } as const
    const ensure = (planId?: string): ReturnType<typeof ensureRoutes> =>
      ensureRoutes(
        gateway,
        [{ name: 'Route', source: { port: 5001 } }],
        { ...options, planId },
        op(),
      )
    const { plan } = await ensure()
    const { isApplied, results } = await ensure(plan!.id)
    isApplied.should.equal(true)
    results.should.match([{ action: 'update' }])
    updates(calls).should.have.length(1)
    port.should.equal(5001)
    await gateway.close()
  })

  for (const [what, unknown] of [
    ['410', { status: 410, body: { error: { type: 'x', message: 'no such route' } } }],
    ['null', { body: null }],
  ] as const) {
    it(`that answers ${what} for a route that is gone: a delete is confirmed by the list`, async () => {
      appliance.reply = ({ path }) => {
        if (path === '/api/devices/D/updates') return { body: { status: 'accepted' } }
        if (path === '/api/gateway/D/routes/R') return unknown
        return path === '/api/gateway/D/routes' ? { body: { data: [] } } : undefined
      }
      const route = { deviceId: 'D', routeId: 'R', waitFor: 'applied', waitTimeout: 5000 } as const
      await deleteRoute(appliance.gateway, route, newOperation('t'))
    })
  }

  it('that writes true and false as text: a route as read goes back, as booleans', async () => {
    const sent: unknown[] = []
    const part = { name: 'out', protocol: 'udp', address: '239.1.1.1', port: '6000' }
    const source = { ...part, id: 'S', name: 'in' }
    const destinations = [{ ...part, id: 'T', shaping: 'false' }]
    const route = { id: 'R', name: 'A', state: 'idle', source, destinations }
    appliance.reply = ({ path, body }) => {
      if (path === '/api/gateway/D/routes/R') return { body: route }
      if (path !== '/api/devices/D/updates') return undefined
      sent.push(body!.fields!.destinations)
      return { body: { status: 'accepted' } }
    }
    const address = { deviceId: 'D', routeId: 'R' }
    const patch = await getRoute(appliance.gateway, address, newOperation('t'))
    const change = {
      address,
      patch,
      mode: 'merge',
      waitFor: 'accepted',
      waitTimeout: 1000,
    } as const
    await updateRoute(appliance.gateway, change, newOperation('t'))
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
      appliance.reply = ({ path, body }) => {
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
      return (await ensureRoutes(appliance.gateway, { id: 'R' }, options, newOperation('t')))
        .results
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
      await controlRoute(appliance.gateway, { ...control, action: 'restart' }, newOperation('t'))
      const { route: after } = await controlRoute(
        appliance.gateway,
        { ...control, action: 'stop' },
        newOperation('t'),
      )
      after!.should.have.property('state', 'Stopped')
      commands.should.eql(['stop-route', 'start-route', 'stop-route'])
    })

    it('with capitals: the list is filtered by them', async () => {
      const lists = { type: 'media-gateway-list-routes', output: 'routes' }
      await load(appliance.url, {
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
        await controlRoute(appliance.gateway, control, newOperation('t')).should.be.rejectedWith({
          code: 'NOT_CONFIRMED',
        })
        commands.should.eql(['stop-route', 'stop-route'])
      })
    }
  })

  describe('that answers with something else', () => {
    const others: Array<[string, unknown]> = [
      ['nothing in it', {}],
      ['what was asked for wrapped', { data: { id: 'R', _id: 'D', route: {}, config: {} } }],
      ['another one', { id: 'Q', name: 'Other' }],
    ]
    for (const [what, body] of others) {
      it(`an object with ${what} is no route, no device and no statistics`, async () => {
        appliance.reply = ({ path }) => (path.startsWith('/api/session') ? undefined : { body })
        const reads = [
          getRoute(appliance.gateway, { deviceId: 'D', routeId: 'R' }, op()),
          getDevice(appliance.gateway, 'D', op()),
          readStatistics(appliance.gateway, 'D', { routeId: 'R' }, op()),
        ]
        for (const read of reads) (await errorOf(read)).code.should.equal('BAD_RESPONSE')
      })
    }
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
      appliance.reply = ({ path, body }) => {
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
      ;(await getRoute(appliance.gateway, address, op())).id.should.equal(id)
      const control = { action: 'start', waitFor: 'applied', waitTimeout: 15_000 } as const
      const { route } = await controlRoute(appliance.gateway, { ...address, ...control }, op())
      route!.should.have.property('state', 'running')
    })

    it('it is not taken for gone before it is', async () => {
      await deleteRoute(
        appliance.gateway,
        { ...address, waitFor: 'applied', waitTimeout: 5000 },
        op(),
      )
      isThere.should.be.false()
    })

    it('it is deleted where it shall be absent', async () => {
      const options = { deviceId: 'D', state: 'absent', waitTimeout: 5000 } as const
      const { results } = await ensureRoutes(
        appliance.gateway,
        { id: id.toUpperCase() },
        options,
        op(),
      )
      results.should.have.property('action', 'delete')
    })
  })

  describe('that writes an empty list of destinations otherwise', () => {
    it('null: what ensure has changed can be undone', async () => {
      const source = { id: 'S', name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 }
      const route = { id: 'R', name: 'Route', state: 'idle', source, destinations: null }
      appliance.reply = ({ path, text }) => {
        if (path.endsWith('/routes')) return { body: { data: [route] } }
        if (path.endsWith('/routes/R')) return { body: route }
        if (!path.endsWith('/commands')) return undefined
        route.state = text.includes('start-route') ? 'running' : 'idle'
        return { body: [{}] }
      }
      const memory = newEnsureMemory()
      const options = { deviceId: 'D', state: 'started', waitTimeout: 5000, memory } as const
      await ensureRoutes(appliance.gateway, { id: 'R' }, options, op())
      route.state.should.equal('running')
      await undoLastRun(appliance.gateway, memory, { waitTimeout: 5000 }, op())
      route.state.should.equal('idle')
    })

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
        appliance.reply = ({ path }) => {
          const routes = [route(destinations)]
          if (path === '/api/devices/D')
            return { body: { _id: 'D', name: 'D', config: { routes } } }
          if (path.endsWith('/routes')) return { body: { data: routes } }
          return path.endsWith('/routes/R') ? { body: routes[0] } : undefined
        }
        const told: string[] = []
        const snapshots: Snapshot[] = []
        const end = watchDevice(appliance.gateway, {
          deviceId: 'D',
          onEvents: (events) => told.push(...events.map(({ event }) => event)),
          onSnapshot: (snapshot) => snapshots.push(snapshot),
        })
        try {
          for (let looks = 0; looks < 3; looks++) await pollNow(appliance.gateway, 'D')!()
          told.should.eql([])
          const lists = calls.filter(({ path }) => path.endsWith('/routes')).length
          if (none === null) lists.should.equal(0)
          snapshots[0]!.routes.should.have.length(1)
          const out = { id: 'T', name: 'out', protocol: 'udp', address: '192.0.2.1', port: 1 }
          destinations = [out]
          await pollNow(appliance.gateway, 'D')!()
          destinations = [out, { ...out, id: 'U', name: 'out 2' }]
          await pollNow(appliance.gateway, 'D')!()
          // Where nothing was told, that the first one is told is no change.
          const first = none === null ? ['destination.added'] : []
          told.should.eql([...first, 'destination.added'])
        } finally {
          end()
        }
      })
    }
  })
})
