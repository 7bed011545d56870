// Each recording in this folder, served by the simulator: everything that reads understands it. A
// new recording is one file.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { HealthRow, Planned, Route, RouteList, Statistics } from '../../client'
import { createObservers } from '../../nodes/gateway/admin/observers'
import type { GatewayNode } from '../../nodes/runtime/gateway-node'
import { startSimulator, type Simulator } from '../../simulator'
import { helper, load, result, unload, type Message } from '../support/flow'
import { itTestsEach, reading } from '../support/manifests'
import { samplesIn, valuesOf } from '../support/metrics'
import type { Recorded } from '../support/record'
import { root } from '../support/root'
import { until } from '../support/until'
import { connectTo } from '../support/connect'
import { afterThisTest } from '../support/hooks'

const FOLDER = join(root, 'test/recordings')
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.json'))

const FROM_MESSAGE = { device: 'deviceId', deviceType: 'msg' }
const READING = {
  session: {},
  'list-devices': {},
  'get-device': FROM_MESSAGE,
  'list-routes': FROM_MESSAGE,
  'get-route': FROM_MESSAGE,
  health: { type: 'media-gateway-list-routes', output: 'health', ...FROM_MESSAGE },
  definitions: { type: 'media-gateway-list-routes', output: 'definitions', ...FROM_MESSAGE },
  plan: { type: 'media-gateway-ensure-route', check: true, state: 'row', ...FROM_MESSAGE },
  statistics: { ...FROM_MESSAGE },
  metrics: {},
}

describe('the recordings', () => {
  itTestsEach(reading(), Object.keys(READING))

  it('are there: at least one', () => {
    FILES.length.should.be.above(0)
  })

  it('say by the beginning of their names where they come from', () => {
    should(FILES.filter((file) => !/^(gateway|simulator|composed)-/.test(file))).eql([])
  })

  for (const file of FILES) {
    describe(file, () => {
      const recorded = routesIn(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')))
      const devices = [...recorded.keys()]
      const each = devices.map((deviceId) => ({ deviceId }))
      const received: Message[] = []
      let simulator: Simulator

      before(async () => {
        simulator = await startSimulator({ from: join(FOLDER, file) })
        const watches = devices.flatMap((device, place) =>
          ['changes', 'incidents'].map((report) => [
            `watch ${place} ${report}`,
            {
              type: 'media-gateway-watch',
              device,
              deviceType: 'id',
              report,
              holdFor: '0',
              initial: 'snapshot',
              wires: [['events']],
            },
          ]),
        )
        await load(
          simulator.url,
          { ...READING, ...Object.fromEntries(watches) },
          {
            gateway: { pollInterval: 1 },
            others: [{ id: 'events', z: 'tab', x: 0, y: 0, type: 'helper', wires: [] }],
          },
        )
        helper.getNode('events').on('input', (message: unknown) => {
          received.push(message as Message)
        })
      })
      after(async () => {
        await unload()
        simulator.openSessions.should.equal(0)
        await simulator.stop()
      })

      it('is a device with its routes to the nodes that read', async () => {
        const session = await result('session')
        should(session.payload).have.property('roles', ['Administrator'])
        const list = (await result('list-devices')).payload as Array<{ _id: string }>
        list.map(({ _id }) => _id).should.eql(devices)
        for (const message of each) {
          const ids = recorded.get(message.deviceId)!
          const device = await result('get-device', message)
          should(device.payload).have.property('_id', message.deviceId)
          const { data } = (await result('list-routes', message)).payload as RouteList
          data.map(({ id }) => id).should.eql(ids)
          for (const route of data) {
            const one = await result('get-route', { ...message, routeId: route.id })
            should(without(one.payload as Route)).deepEqual(without(route))
          }
        }
      })

      it('has statistics of each route', async () => {
        for (const { deviceId } of each) {
          for (const routeId of recorded.get(deviceId)!) {
            const { payload } = await result('statistics', { deviceId, routeId })
            const { route } = payload as Statistics & { route: { id: string } }
            should(route.id).equal(routeId)
          }
        }
      })

      it('has a health for each route', async () => {
        for (const message of each) {
          const rows = (await result('health', message)).payload as HealthRow[]
          rows.map(({ id }) => id).should.eql(recorded.get(message.deviceId))
          for (const { sign, running, text, name } of rows) {
            should(sign === 'stopped').equal(!running, name)
            should(text).match(/\w/, name)
          }
        }
      })

      it('has definitions, of which the plan is empty', async () => {
        for (const message of each) {
          const { payload } = await result('definitions', message)
          should(payload).have.length(recorded.get(message.deviceId)!.length)
          const { plan } = await result('plan', { ...message, payload })
          const { text, summary } = plan as Planned
          should(text).equal('Nothing to do.')
          should(summary).eql({ create: 0, update: 0, delete: 0, start: 0, stop: 0 })
        }
      })

      it('has metrics of each route, if it has one device', async () => {
        const scrape = async () => {
          const { payload, statusCode } = await result('metrics', { req: { query: {} } })
          should(statusCode).equal(200)
          return samplesIn(String(payload))
        }
        const [routes = [], ...others] = recorded.values()
        const count = others.length > 0 ? 0 : routes.length
        await until(
          async () => valuesOf(await scrape(), 'route_running').length === count,
          'the metrics of all routes',
        )
      })

      it('is shown by the sidebar with all routes', async () => {
        const connection = connectTo(simulator, { pollInterval: 1000 })
        const node = {
          client: () => connection,
          failovers: new Set(),
          register: () => {},
          deregister: () => {},
        } as unknown as GatewayNode
        const observers = createObservers(60_000, Date.now, 0)
        afterThisTest(() => connection.close())
        for (const { deviceId } of each) {
          const state = () => observers.state(node, { deviceId })
          await until(async () => (await state()).snapshot !== undefined, 'the state')
          const { routes } = (await state()).snapshot!
          routes.map(({ id }) => id).should.eql(recorded.get(deviceId))
          for (const { health } of routes) should(health).have.property('sign')
        }
      })

      it('is the same for as long as it is watched', async () => {
        const polls = () =>
          devices.map(
            (id) => simulator.journal.filter(({ path }) => path === `/api/devices/${id}`).length,
          )
        const wanted = polls().map((count) => count + 2)
        await until(() => polls().every((count, place) => count >= wanted[place]!), 'two polls')
        const topics = received.map(({ topic }) => topic)
        topics.filter((topic) => topic === 'snapshot').should.have.length(2 * devices.length)
        topics.filter((topic) => topic !== 'snapshot' && topic !== 'incident.begun').should.eql([])
        const incidents = received.filter(({ topic }) => topic === 'incident.begun')
        const about = incidents.map(({ routeId, payload }) => {
          const { incident, destination } = payload as Message & { destination?: { id: string } }
          return [routeId, (incident as { kind: string }).kind, destination?.id].join()
        })
        about.should.eql([...new Set(about)])
      })
    })
  }
})

/** The IDs of the devices in a file, and of their routes in the order of the list. */
function routesIn({ answers }: Recorded): Map<string, string[]> {
  const [list] = answers.filter(({ path }) => path === '/api/devices')
  const devices = new Map(
    (list!.body as Array<{ _id: string }>).map(({ _id }) => [_id, [] as string[]]),
  )
  for (const { path, status, body } of answers) {
    const [, device = ''] = /^\/api\/gateway\/([^/]+)\/routes(?:\?|$)/.exec(path) ?? []
    if (status !== 200 || !devices.has(device)) continue
    const ids = (body as RouteList).data.map(({ id }) => id)
    devices.set(device, [...new Set([...devices.get(device)!, ...ids])])
  }
  return devices
}

/** A route without what moves. */
function without(route: Route): object {
  const text = JSON.stringify(route, (name, value: unknown) =>
    name === 'usedBandwidth' || name === 'elapsedTime' ? undefined : value,
  )
  return JSON.parse(text) as object
}
