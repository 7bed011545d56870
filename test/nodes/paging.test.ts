import 'should'
import { listRoutes, newOperation, openConnection, type Connection } from '../../client/internal'
import { startSimulator, type Simulator, type SimulatorOptions } from '../../simulator'
import { failure, load, result, unload } from '../support/flow'

describe('list-routes over pages', () => {
  let simulator: Simulator
  let gateway: Connection

  async function start(options: SimulatorOptions): Promise<void> {
    simulator = await startSimulator(options)
    gateway = openConnection({ baseUrl: simulator.url, username: 'haiadmin', password: 'manager' })
  }
  afterEach(async () => {
    await gateway.close()
    await simulator.stop()
  })

  const list = async (): Promise<{ ids: string[]; pages: number[] }> => {
    const deviceId = simulator.devices[0]!._id
    const { data } = await listRoutes(gateway, { deviceId }, newOperation('list-routes'))
    const pages = simulator.journal
      .filter(({ path }) => path.endsWith('/routes'))
      .map(({ query }) => Number(query.page))
    return { ids: data.map(({ id }) => id), pages }
  }
  const present = (): string[] => simulator.routes.map(({ id }) => id)

  it('10,000 routes over pages of 25: all of them, no page twice', async () => {
    await start({ routes: 10_000, maxPageSize: 25 })
    const { ids, pages } = await list()
    ids.should.deepEqual(present())
    pages.toSorted((a, b) => a - b).should.deepEqual(Array.from({ length: 400 }, (_, i) => i + 1))
  }).timeout(60_000)

  it('exactly full pages, one page, no route', async () => {
    for (const routes of [50, 25, 1, 0]) {
      await start({ routes, maxPageSize: 25 })
      const { ids, pages } = await list()
      ids.should.have.length(routes)
      pages.should.have.length(Math.max(1, Math.ceil(routes / 25)))
      if (routes > 0) {
        await gateway.close()
        await simulator.stop()
      }
    }
  })

  it('firmware that does not page, or refuses large pages', async () => {
    await start({ routes: 60, dialect: { paging: false } })
    ;(await list()).ids.should.deepEqual(present())
    await gateway.close()
    await simulator.stop()

    await start({ routes: 60 })
    simulator.fault({ kind: 'status', status: 400, match: { path: /routes$/ }, times: 1 })
    ;(await list()).ids.should.deepEqual(present())
  })

  it('a route that is removed or added while the list is read hides no other', async () => {
    for (const change of ['remove', 'add'] as const) {
      await start({ routes: 200, maxPageSize: 20 })
      const stop = simulator.onCall(({ path, query }) => {
        if (!path.endsWith('/routes') || query.page !== '2') return
        stop()
        if (change === 'remove') simulator.removeRoute(simulator.routes[3]!.id)
        else {
          simulator.addRoute({
            name: 'Added meanwhile',
            source: { name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
          })
        }
      })
      const { ids } = await list()
      ids.should.deepEqual(present())
      if (change === 'remove') {
        await gateway.close()
        await simulator.stop()
      }
    }
  })

  it('msg.page and msg.pageSize ask for that one page', async () => {
    await start({ routes: 60 })
    await load(simulator.url)
    const { payload } = await result('list-routes', { page: 2, pageSize: 10 })
    const { data } = payload as { data: Array<{ id: string }> }
    data.map(({ id }) => id).should.deepEqual(present().slice(10, 20))
    simulator.journal.filter(({ path }) => path.endsWith('/routes')).should.have.length(1)
    for (const paging of [{ page: 0 }, { pageSize: 'x' }, { page: 1.5 }]) {
      ;(await failure('list-routes', paging)).code.should.equal('INVALID_INPUT')
    }
    await unload()
  })
})
