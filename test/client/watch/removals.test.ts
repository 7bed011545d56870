import 'should'
import { newOperation } from '../../../client/connection/operation'
import type { RouteState } from '../../../simulator'
import { until } from '../../support/until'
import {
  callsFor,
  closeAll,
  device,
  deviceId,
  eventsOf,
  gateway,
  look,
  namesOf,
  passTime,
  simulator,
  start,
  watch,
  watching,
} from './support'

describe('watching', () => {
  afterEach(closeAll)

  describe('never takes a fault for a removal:', () => {
    const configuration = (): string => `/api/devices/${deviceId}`
    const list = (): string => `/api/gateway/${deviceId}/routes`

    async function answers(change: (body: Record<string, unknown>) => void): Promise<void> {
      const { payload } = { payload: await rawDevice() }
      change(payload)
      simulator.fault({
        kind: 'status',
        status: 200,
        body: payload,
        match: { path: configuration() },
      })
    }
    const rawDevice = async (): Promise<Record<string, unknown>> =>
      (await gateway.call(
        { method: 'GET', path: configuration() },
        newOperation('test'),
      )) as Record<string, unknown>

    const faults: Record<string, (config: Record<string, unknown>) => void> = {
      'no routes in the configuration': (config) => (config.routes = []),
      'half of the routes in the configuration': (config) =>
        (config.routes as unknown[]).splice(0, 4),
      'no list of routes': (config) => delete config.routes,
      'routes that are no list': (config) => (config.routes = 'none'),
      'routes without sources': (config) =>
        (config.routes as RouteState[]).forEach(
          (route) => delete (route as { source?: unknown }).source,
        ),
      'routes without destinations': (config) =>
        (config.routes as RouteState[]).forEach(
          (route) => delete (route as { destinations?: unknown }).destinations,
        ),
      'pairings and adapters left out': (config) => {
        delete config.peers
        delete config.calypsos
        delete config.settings
      },
    }
    for (const [what, change] of Object.entries(faults)) {
      it(what, async () => {
        await start({ routes: 8 })
        const told = await watching()
        await answers((body) => change(body.config as Record<string, unknown>))
        for (let polled = 0; polled < 3; polled++) await look()
        simulator.clearFaults()
        await look()
        told.events.should.eql([])
      })
    }

    const empty = { data: [], numPages: 1, numResults: 0 }
    const lists: Record<string, () => void> = {
      'an empty list too, while each route answers': () => answer(list(), empty),
      'an empty list too, and no route is found, for some seconds': () => {
        answer(list(), empty)
        simulator.fault({ kind: 'status', status: 404, match: { path: `${list()}/*` } })
      },
      'an empty list too, and the routes answer with other errors': () => {
        answer(list(), empty)
        simulator.fault({ kind: 'status', status: 400, match: { path: `${list()}/*` } })
      },
    }
    const answer = (path: string, body: unknown): unknown =>
      simulator.fault({ kind: 'status', status: 200, body, match: { path } })
    for (const [what, fault] of Object.entries(lists)) {
      it(what, async () => {
        await start({ routes: 8 })
        const told = await watching()
        await answers((body) => ((body.config as Record<string, unknown>).routes = []))
        fault()
        for (let polled = 0; polled < 5; polled++) {
          await look()
          passTime(1500)
        }
        simulator.clearFaults()
        await look()
        told.events.should.eql([])
      })
    }

    const unusable: Record<string, () => void> = {
      'a list that is shorter than it says': () => answer(list(), { ...empty, numResults: 8 }),
      'a list that cannot be read': () =>
        simulator.fault({ kind: 'html', match: { path: list() } }),
    }
    for (const [what, fault] of Object.entries(unusable)) {
      it(what, async () => {
        await start({ routes: 8 })
        const told = await watching()
        await answers((body) => ((body.config as Record<string, unknown>).routes = []))
        fault()
        for (let polled = 0; polled < 3; polled++) await look().catch(() => undefined)
        told.health.at(-1)!.failure!.code.should.equal('BAD_RESPONSE')
        simulator.clearFaults()
        await look()
        told.events.should.eql([])
      })
    }

    it('one route that is really gone, while the list is cut short', async () => {
      await start({ routes: 8 })
      const told = await watching()
      const gone = simulator.routes[2]!
      simulator.removeRoute(gone.id)
      await answers((body) => (body.config as { routes: unknown[] }).routes.splice(0, 2))
      answer(list(), empty)
      await look()
      await look()
      simulator.clearFaults()
      await look()
      told.events
        .map(({ event, route }) => [event, route!.id])
        .should.eql([['route.removed', gone.id]])
    })

    it('a route that firmware answers with another error than 404: when two looks agree', async () => {
      await start({ routes: 4 })
      const told = await watching()
      const gone = simulator.routes[0]!
      simulator.removeRoute(gone.id)
      simulator.routes[0]!.summaryStatusCode = 'error'
      simulator.fault({ kind: 'status', status: 400, match: { path: `${list()}/*` } })
      await look()
      namesOf(told.events).should.eql(['route.status'])
      passTime(1000)
      await look()
      namesOf(told.events).should.eql(['route.status', 'route.removed'])
    })

    it('one that is being deleted and still answers, which hinders nothing else', async () => {
      await start({ routes: 4 })
      const told = await watching()
      await answers((body) => {
        const { routes } = body.config as { routes: RouteState[] }
        routes.shift()
        routes[0]!.summaryStatusCode = 'error'
      })
      answer(list(), { ...empty, data: [] })
      await look()
      await look()
      namesOf(told.events).should.eql(['route.status'])
      told.health.every(({ failure }) => failure === undefined).should.be.true()
    })

    const emptied: Record<string, [(body: Record<string, unknown>) => void, string]> = {
      'no destinations for one look': [
        (body) => ((body.config as { routes: RouteState[] }).routes[0]!.destinations = []),
        'destination.removed',
      ],
      'no pairings for one look': [
        (body) => Object.assign(body.config as object, { peers: [], calypsos: [] }),
        'peer.status',
      ],
      'no adapters for one look': [
        (body) => Object.assign(body.config as object, { settings: { networkAdapters: [] } }),
        'device.config',
      ],
    }
    for (const [what, [change, event]] of Object.entries(emptied)) {
      it(`${what}; two looks count`, async () => {
        await start({ routes: 4 })
        const told = await watching()
        await answers(change)
        await look()
        simulator.clearFaults()
        await look()
        told.events.should.eql([])
        await answers(change)
        await look()
        await look()
        new Set(namesOf(told.events)).should.eql(new Set([event]))
      })
    }

    it('a list in another form than the configuration, when another route is removed', async () => {
      await start({ routes: 4 })
      const told = await watching()
      const { data } = (await gateway.call(
        { method: 'GET', path: `${list()}?page=1&pageSize=500` },
        newOperation('test'),
      )) as { data: Array<{ id: string; source: object }> }
      const gone = simulator.routes[0]!
      simulator.removeRoute(gone.id)
      const others = data
        .filter(({ id }) => id !== gone.id)
        .map((one) => ({
          ...one,
          source: { ...one.source, labels: ['x'], networkInterface: 'eth9' },
        }))
      answer(list(), { ...empty, data: others, numResults: others.length })
      await look()
      await look()
      namesOf(told.events).should.eql(['route.removed'])
    })

    it('a device that is offline, whose own status is told all the same', async () => {
      await start({ routes: 4 })
      const told = await watching()
      const routes = simulator.routes.slice(0, 3)
      for (const { id } of routes) device().remove(id)
      Object.assign(device(), { statusCode: 'error', status: 'Communication error' })
      await look()
      await look()
      namesOf(told.events).should.eql(['device.status'])
      for (const route of routes) device().add(route)
      Object.assign(device(), { statusCode: 'ok', status: 'Online' })
      await look()
      namesOf(told.events).should.eql(['device.status', 'device.status'])
    })

    it('a route that is missing for a moment in each of two polls', async () => {
      await start({ routes: 4 })
      const told = await watching()
      const { config } = (await rawDevice()) as { config: { routes: Array<{ id: string }> } }
      const [{ id } = { id: '' }, ...others] = config.routes
      for (let polled = 0; polled < 3; polled++) {
        await answers((body) => ((body.config as { routes: unknown }).routes = others))
        const once = { kind: 'status', times: 1 } as const
        const body = { ...empty, data: others, numResults: others.length }
        simulator.fault({ ...once, status: 200, body, match: { path: list() } })
        simulator.fault({ ...once, status: 404, match: { path: `${list()}/${id}` } })
        const read = callsFor(list())
        await look()
        callsFor(list()).should.equal(read + 2)
        simulator.clearFaults()
      }
      told.events.should.eql([])
    })

    it('all routes removed for real: told when they are gone for ten seconds', async () => {
      await start({ routes: 3 })
      const told = await watching()
      while (simulator.routes.length > 0) simulator.removeRoute(simulator.routes[0]!.id)
      await look()
      passTime(5000)
      await look()
      told.events.should.eql([])
      passTime(5000)
      await look()
      await look()
      namesOf(told.events).should.eql(['route.removed', 'route.removed', 'route.removed'])
    })

    it('a configuration without routes in it, on firmware that only lists them', async () => {
      await start({ routes: 8 })
      const raw = { payload: undefined as unknown }
      const told = watch()
      await until(() => told.snapshots.length > 0)
      raw.payload = await rawDevice()
      ;(raw.payload as { config: { routes: unknown } }).config.routes = []
      simulator.fault({
        kind: 'status',
        status: 200,
        body: raw.payload,
        match: { path: configuration() },
      })
      const late = watch()
      await eventsOf(told, () => simulator.renameRoute(simulator.routes[0]!.id, 'Renamed'))
      namesOf(told.events).should.eql(['route.renamed'])
      namesOf(late.events).should.eql(['route.renamed'])
    })
  })
})
