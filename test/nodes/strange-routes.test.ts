import { pollNow, watchDevice } from '../../client/watch/registry'
import type { Snapshot } from '../../client/model/event'
import type { Wanted } from '../../client/changes/ensure/plan'
import type { EnsureOptions } from '../../client/options'
import type { RoutePatch } from '../../client/model/types'
import { load, result, unload } from '../support/flow'
import { connectTo } from '../support/connect'
import { errorOf } from '../support/errors'
import type { Call } from '../support/scripted-appliance'
import { OUT, R, SOURCE, oddAppliance, routeOf, updates } from './strange-support'

const HIDES = /source\.srtPassPhrase: the gateway hides its former value/
const SRT = { ...SOURCE, protocol: 'srt', mode: 'caller', address: '192.0.2.2' }

describe('an appliance that behaves otherwise', () => {
  const appliance = oddAppliance()
  const { calls } = appliance

  const ensure = (wanted: object, options: EnsureOptions = {}) =>
    appliance.gateway.routes.ensure(wanted as Wanted, { waitTimeout: 5000, ...options })
  const undo = () => appliance.gateway.routes.undo({ waitTimeout: 5000 })
  const isUpdate = ({ path }: Call): boolean => path.endsWith('/updates')

  describe('a route that did not come whole', () => {
    const whole = routeOf({ destinations: [OUT] })
    const halves: Array<[string, object]> = [
      ['without destinations', { ...whole, destinations: undefined }],
      ['with IDs for destinations', { ...whole, destinations: ['E'] }],
      ['with a null among the destinations', { ...whole, destinations: [OUT, null] }],
      ['without a source', { ...whole, source: undefined }],
      ['with a destination without ID', { ...whole, destinations: [{ ...OUT, id: undefined }] }],
      [
        'with a destination with an empty ID',
        { ...whole, destinations: [OUT, { ...OUT, id: '' }] },
      ],
      ['wrapped', { data: whole }],
      ['of another ID', { ...whole, id: 'Q' }],
    ]
    for (const [what, half] of halves) {
      it(`${what} is never the ground of an update`, async () => {
        appliance.has(() => half)
        for (const mode of ['keep', 'merge'] as const) {
          const error = await errorOf(appliance.gateway.routes.update(R, { name: 'New' }, { mode }))
          error.code.should.equal('BAD_RESPONSE')
          error.message.should.match(/The change was not sent/)
        }
        updates(calls).should.have.length(0)
      })
    }

    it('a masked pass phrase is not sent back as the pass phrase', async () => {
      const source = { ...SRT, mode: 'listener', srtPassPhrase: '********' }
      appliance.has(
        () => ({ ...whole, source }),
        (call) => (isUpdate(call) ? { body: { status: 'ok' } } : undefined),
      )
      const patches: Array<[object, 'keep' | 'merge']> = [
        [{ name: 'New' }, 'keep'],
        [{ name: 'New' }, 'merge'],
        [{ ...whole, source }, 'keep'],
        [{ source: { ...source, srtPassPhrase: '••••••' } }, 'keep'],
        [{ source: { srtPassPhrase: '••••••' } }, 'merge'],
      ]
      for (const [patch, mode] of patches) {
        // The same one would wait in vain for the update before to show.
        const another = appliance.connect()
        await another.routes.update(R, patch as RoutePatch, { mode })
        await another.close()
      }
      updates(calls).should.have.length(5)
      JSON.stringify(updates(calls)).should.not.match(/srtPassPhrase/)
    })
  })

  it('the undo of a delete says so where the gateway leaves out pass phrases', async () => {
    let isThere = true
    appliance.has(
      () => isThere && routeOf({ source: SRT, destinations: [OUT] }),
      (call) => {
        if (!isUpdate(call)) return undefined
        isThere = false
        return { body: { status: 'ok' } }
      },
    )
    await ensure(R, { state: 'absent' })
    const sent = updates(calls).length
    const error = await errorOf(undo())
    error.code.should.equal('CONFLICT')
    error.message.should.match(HIDES)
    updates(calls).should.have.length(sent)
  })

  for (const [how, srtPassPhrase, changed] of [
    ['hides', '********', 5001],
    ['leaves out', undefined, 5001],
    ['hides, and of nothing else,', '********', 5000],
    ['leaves out, and of nothing else,', undefined, 5000],
  ] as const) {
    it(`the undo of a pass phrase that the gateway ${how} says so, and sends nothing`, async () => {
      let port = 5000
      appliance.has(
        () => routeOf({ source: { ...SRT, port, srtPassPhrase }, destinations: [OUT] }),
        (call) => {
          if (!isUpdate(call)) return undefined
          ;({ port } = call.body!.fields!['source'] as { port: number })
          return { body: { status: 'ok' } }
        },
      )
      await ensure({ ...R, source: { port: changed, srtPassPhrase: 'a new pass phrase' } })
      const sent = updates(calls).length
      const error = await errorOf(undo())
      error.code.should.equal('CONFLICT')
      error.message.should.match(HIDES).and.not.match(/a new pass phrase/)
      updates(calls).should.have.length(sent)
      // What this connection wrote before is known.
      await ensure({ ...R, source: { port: 5002, srtPassPhrase: 'a newer pass phrase' } })
      await undo()
      const back = new RegExp(`"port":${changed}.*"a new pass phrase"`)
      JSON.stringify(updates(calls).at(-1)).should.match(back)
    })
  }

  for (const [what, state, news] of [
    ['', 'present', /"Route" is neither as before nor as it was to become/],
    [', after a stop', 'stopped', HIDES],
  ] as const) {
    it(`the undo of a hidden pass phrase that may have been written${what} says so`, async () => {
      const source = { ...SRT, srtPassPhrase: '********' }
      const route = routeOf({ state: 'running', source })
      appliance.has(
        () => route,
        (call) => {
          if (isUpdate(call)) return { status: 500, body: {} }
          if (!call.path.endsWith('/commands')) return undefined
          route['state'] = 'idle'
          return { body: [{}] }
        },
      )
      const wanted = { ...R, source: { srtPassPhrase: 'a new pass phrase' } }
      const { cause } = await errorOf(ensure(wanted, { state, waitTimeout: 500 }))
      cause.applied.should.equal(state === 'stopped' ? 'yes' : 'maybe')
      const error = await errorOf(undo())
      error.code.should.equal('CONFLICT')
      error.message.should.match(news)
    })
  }

  it('that counts in its routes and lists destinations in any order: a plan can be applied', async () => {
    let port = 5000
    let packets = 0
    appliance.has(
      () => {
        packets++
        const destinations = [OUT, { ...OUT, id: 'F', name: 'F', port: 2 }]
        return routeOf({
          source: { ...SOURCE, port, packets },
          destinations: (packets % 2 ? destinations : destinations.reverse()).map((each) => ({
            ...each,
            packets,
          })),
        })
      },
      (call) => {
        if (!isUpdate(call)) return undefined
        ;({ port } = call.body!.fields!['source'] as { port: number })
        return { body: { status: 'ok' } }
      },
    )
    const wanted = [{ name: 'Route', source: { port: 5001 } }]
    const { id: planId } = await appliance.gateway.routes.plan(wanted)
    ;(await ensure(wanted, { planId })).should.match([{ action: 'update' }])
    updates(calls).should.have.length(1)
    port.should.equal(5001)
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
      await appliance.gateway.routes.delete(R, { waitFor: 'applied', waitTimeout: 5000 })
    })
  }

  it('that writes true and false as text: a route as read goes back, as booleans', async () => {
    const part = { name: 'out', protocol: 'udp', address: '239.1.1.1', port: '6000' }
    const destinations = [{ ...part, id: 'T', shaping: 'false' }]
    const route = routeOf({ source: { ...part, id: 'S', name: 'in' }, destinations })
    appliance.has(
      () => route,
      (call) => (isUpdate(call) ? { body: { status: 'accepted' } } : undefined),
    )
    await appliance.gateway.routes.update(R, await appliance.gateway.routes.get(R))
    updates(calls)
      .map(({ body }) => body!.fields!['destinations'])
      .should.match([[{ id: 'T', shaping: false, port: 6000 }]])
  })

  describe('that writes its states otherwise', () => {
    let state: string | undefined
    let commands: string[]

    beforeEach(() => {
      commands = []
      appliance.has(
        () => routeOf({ state }),
        ({ path, body }) => {
          if (!path.endsWith('/commands')) return undefined
          const { command } = body as { command: string }
          commands.push(command)
          if (state === 'Running' && command === 'stop-route') state = 'Stopped'
          else if (state === 'Stopped' && command === 'start-route') state = 'Running'
          return { body: [{ command }] }
        },
      )
    })

    it('with capitals: a running route is stopped and started, and neither is done twice', async () => {
      state = 'Running'
      for (const [wanted, changed] of [
        ['started', false],
        ['stopped', true],
        ['stopped', false],
        ['started', true],
      ] as const) {
        ;(await ensure(R, { state: wanted })).should.have.property('changed', changed)
      }
      commands.should.eql(['stop-route', 'start-route'])
    })

    it('with capitals: a stop is confirmed when it shows, and a restart stops first', async () => {
      state = 'Running'
      const options = { waitFor: 'applied', waitTimeout: 5000 } as const
      await appliance.gateway.routes.restart(R, options)
      const { route } = await appliance.gateway.routes.stop(R, options)
      route!.should.have.property('state', 'Stopped')
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
        const options = { waitFor: 'applied', waitTimeout: 100 } as const
        for (const stopping of [
          ensure(R, { state: 'stopped', waitTimeout: 100 }),
          appliance.gateway.routes.stop(R, options),
        ]) {
          ;(await errorOf(stopping)).code.should.equal('NOT_CONFIRMED')
        }
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
        const { devices, routes, statistics } = appliance.gateway
        const deviceId = 'D'
        for (const read of [
          routes.get(R, { deviceId }),
          devices.get({ deviceId }),
          statistics.get(R, { deviceId }),
        ]) {
          ;(await errorOf(read)).code.should.equal('BAD_RESPONSE')
        }
      })
    }
  })

  describe('that takes the ID of a route in either case', () => {
    const id = '3f2b8c1e-9d47-4a6b-8c21-0e5f7a9b1c2d'
    const target = { id: id.toUpperCase() }
    let state: string
    let isThere: boolean
    let readsUntilGone: number

    beforeEach(() => {
      state = 'idle'
      isThere = true
      readsUntilGone = Infinity
      appliance.reply = ({ path, body }) => {
        const route = routeOf({ id, state })
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
      const { routes } = appliance.gateway
      ;(await routes.get(target)).id.should.equal(id)
      const { route } = await routes.start(target, { waitFor: 'applied', waitTimeout: 15_000 })
      route!.should.have.property('state', 'running')
    })

    it('it is not taken for gone before it is', async () => {
      await appliance.gateway.routes.delete(target, { waitFor: 'applied', waitTimeout: 5000 })
      isThere.should.be.false()
    })

    it('it is deleted where it shall be absent', async () => {
      ;(await ensure(target, { state: 'absent' })).should.have.property('action', 'delete')
    })
  })

  describe('that writes an empty list of destinations otherwise', () => {
    it('null: what ensure has changed can be undone', async () => {
      const route = routeOf({ destinations: null })
      appliance.has(
        () => route,
        ({ path, text }) => {
          if (!path.endsWith('/commands')) return undefined
          route['state'] = text.includes('start-route') ? 'running' : 'idle'
          return { body: [{}] }
        },
      )
      await ensure(R, { state: 'started' })
      route['state']!.should.equal('running')
      await undo()
      route['state']!.should.equal('idle')
    })

    const NONE: Record<string, unknown> = { null: null, 'nothing at all': undefined }
    for (const [what, none] of Object.entries(NONE)) {
      it(`${what}: a watch tells of no new route, and knows the route`, async () => {
        let destinations = none
        appliance.has(
          () => routeOf({ destinations }),
          ({ path }) => {
            if (path !== '/api/devices/D') return undefined
            const config = { routes: [routeOf({ destinations })] }
            return { body: { _id: 'D', name: 'D', config } }
          },
        )
        const gateway = connectTo(appliance)
        const look = (): Promise<unknown> => pollNow(gateway, 'D')!()
        const told: string[] = []
        const snapshots: Snapshot[] = []
        watchDevice(gateway, {
          deviceId: 'D',
          onEvents: (events) => told.push(...events.map(({ event }) => event)),
          onSnapshot: (snapshot) => snapshots.push(snapshot),
        })
        try {
          for (let looks = 0; looks < 3; looks++) await look()
          told.should.eql([])
          const lists = calls.filter(({ path }) => path.endsWith('/routes')).length
          if (none === null) lists.should.equal(0)
          snapshots[0]!.routes.should.have.length(1)
          destinations = [OUT]
          await look()
          destinations = [OUT, { ...OUT, id: 'U', name: 'out 2' }]
          await look()
          // Where nothing was told, that the first one is told is no change.
          const first = none === null ? ['destination.added'] : []
          told.should.eql([...first, 'destination.added'])
        } finally {
          await gateway.close()
        }
      })
    }
  })
})
