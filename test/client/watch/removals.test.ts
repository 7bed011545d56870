import { Operation } from '../../../client/connection/operation'
import type { RouteState } from '../../../simulator'
import { until } from '../../support/until'
import {
  callsFor,
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
  describe('never takes a fault for a removal:', () => {
    const configuration = (): string => `/api/devices/${deviceId}`
    const list = (): string => `/api/gateway/${deviceId}/routes`

    type Body = Record<string, unknown>
    type Config = Body & { routes: RouteState[] }
    const rawDevice = async () =>
      (await gateway.call(
        { method: 'GET', path: configuration() },
        new Operation('test'),
      )) as Body & { config: Config }
    async function answers(change: (config: Config) => unknown): Promise<void> {
      const body = await rawDevice()
      change(body.config)
      answer(configuration(), body)
    }
    const answer = (path: string, body: unknown): unknown =>
      simulator.fault({ kind: 'status', status: 200, body, match: { path } })

    const faults: Record<string, (config: Config) => unknown> = {
      'no routes in the configuration': (config) => (config.routes = []),
      'half of the routes in the configuration': ({ routes }) => routes.splice(0, 4),
      'no list of routes': (config) => delete (config as Body)['routes'],
      'routes that are no list': (config) => Object.assign(config, { routes: 'none' }),
      'routes without sources': ({ routes }) =>
        routes.forEach((route) => delete (route as { source?: unknown }).source),
      'routes without destinations': ({ routes }) =>
        routes.forEach((route) => delete (route as { destinations?: unknown }).destinations),
      'pairings and adapters left out': (config) => {
        for (const name of ['peers', 'calypsos', 'settings']) delete config[name]
      },
    }
    for (const [what, change] of Object.entries(faults)) {
      it(what, async () => {
        await start({ routes: 8 })
        const told = await watching()
        await answers(change)
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
    for (const [what, fault] of Object.entries(lists)) {
      it(what, async () => {
        await start({ routes: 8 })
        const told = await watching()
        await answers((config) => (config.routes = []))
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
        await answers((config) => (config.routes = []))
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
      await answers(({ routes }) => routes.splice(0, 2))
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
      await start({ routes: 4 }, {}, false)
      const told = watch()
      passTime(1000)
      await until(() => told.snapshots.length > 0)
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
      await answers(({ routes }) => {
        routes.shift()
        routes[0]!.summaryStatusCode = 'error'
      })
      answer(list(), { ...empty, data: [] })
      await look()
      await look()
      namesOf(told.events).should.eql(['route.status'])
      told.health.every(({ failure }) => failure === undefined).should.be.true()
    })

    const emptied: Record<string, [(config: Config) => unknown, string]> = {
      'no destinations for one look': [
        ({ routes }) => (routes[0]!.destinations = []),
        'destination.removed',
      ],
      'no pairings for one look': [
        (config) => Object.assign(config, { peers: [], calypsos: [] }),
        'peer.status',
      ],
      'no adapters for one look': [
        (config) => Object.assign(config, { settings: { networkAdapters: [] } }),
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
        new Operation('test'),
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

    describe('an ID in upper case:', () => {
      const uuid = (index: number): string =>
        `0a9021a1-cc2f-434c-b08e-${`${index}`.padStart(12, 'a')}`
      const raised = ({ id, destinations, ...route }: RouteState): RouteState => ({
        ...route,
        id: id.toUpperCase(),
        destinations: destinations.map((each) => ({ ...each, id: each.id.toUpperCase() })),
      })
      async function startWithUuids() {
        await start({ routes: 4 })
        for (const [index, route] of simulator.routes.entries()) {
          device().remove(route.id)
          const destinations = route.destinations.map((each, at) => ({
            ...each,
            id: uuid(100 * index + at + 10),
          }))
          device().add({ ...route, id: uuid(index), destinations })
        }
        return watching()
      }

      it('from now on in the configuration', async () => {
        const told = await startWithUuids()
        await answers((config) => (config.routes = config.routes.map(raised)))
        await look()
        await look()
        namesOf(told.events).should.eql([])
        simulator.clearFaults()
        await look()
        namesOf(told.events).should.eql([])
      })

      it('always in the list, of which the configuration lacks a route for a moment', async () => {
        const told = await startWithUuids()
        const { config } = await rawDevice()
        const data = config.routes.map(raised)
        answer(list(), { ...empty, data, numResults: data.length })
        await answers(({ routes }) => routes.splice(0, 1))
        await look()
        namesOf(told.events).should.eql([])
        simulator.clearFaults()
        await look()
        await look()
        namesOf(told.events).should.eql([])
      })
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
      const { config } = await rawDevice()
      const [{ id } = { id: '' }, ...others] = config.routes
      for (let polled = 0; polled < 3; polled++) {
        await answers((given) => (given.routes = others))
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
      const told = watch()
      await until(() => told.snapshots.length > 0)
      await answers((config) => (config.routes = []))
      const late = watch()
      await eventsOf(told, () => simulator.renameRoute(simulator.routes[0]!.id, 'Renamed'))
      namesOf(told.events).should.eql(['route.renamed'])
      namesOf(late.events).should.eql(['route.renamed'])
    })
  })
})
