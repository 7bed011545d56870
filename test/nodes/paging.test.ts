import { findRoute } from '../../client/changes/find'
import { isIncomplete, listRoutes } from '../../client/api/routes'
import { Operation } from '../../client/connection/operation'
import { errorOf } from '../support/errors'
import { failure, load, result, unload } from '../support/flow'
import { connected, deviceId, gateway, simulator } from '../support/stage'

describe('list-routes over pages', () => {
  const added = {
    name: 'Added meanwhile',
    source: { name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
  } as const

  const list = async (): Promise<{ ids: string[]; pages: number[] }> => {
    const { data } = await listRoutes(gateway, { deviceId }, new Operation('list-routes'))
    const pages = simulator.journal
      .filter(({ path }) => path.endsWith('/routes'))
      .map(({ query }) => Number(query.page))
    return { ids: data.map(({ id }) => id), pages }
  }
  const present = (): string[] => simulator.routes.map(({ id }) => id)

  it('2,500 routes over pages of 25: all of them; each page but the last is looked at again', async () => {
    await connected({ routes: 2500, maxPageSize: 25 })
    const { ids, pages } = await list()
    ids.should.deepEqual(present())
    const each = Array.from({ length: 100 }, (_, index) => index + 1)
    const sorted = pages.toSorted((a, b) => a - b)
    sorted.should.deepEqual(each.flatMap((page) => (page < 100 ? [page, page] : [page])))
  }).timeout(60_000)

  it('exactly full pages, one page, no route', async () => {
    for (const routes of [50, 25, 1, 0]) {
      await connected({ routes, maxPageSize: 25 })
      const { ids, pages } = await list()
      ids.should.have.length(routes)
      const count = Math.max(1, Math.ceil(routes / 25))
      pages.should.have.length(2 * count - 1)
    }
  })

  it('firmware that does not page, or refuses large pages', async () => {
    await connected({ routes: 60, dialect: { paging: false } })
    ;(await list()).ids.should.deepEqual(present())
    await connected({ routes: 60 })
    simulator.fault({ kind: 'status', status: 400, match: { path: /routes$/ }, times: 1 })
    ;(await list()).ids.should.deepEqual(present())
  })

  it('a route that is removed or added while the list is read hides no other', async () => {
    for (const change of ['remove', 'add'] as const) {
      await connected({ routes: 200, maxPageSize: 20 })
      const stop = simulator.onCall(({ path, query }) => {
        if (!path.endsWith('/routes') || query.page !== '2') return
        stop()
        if (change === 'remove') simulator.removeRoute(simulator.routes[3]!.id)
        else simulator.addRoute(added)
      })
      const { ids } = await list()
      ids.should.deepEqual(present())
    }
  })

  for (const [where, removed, before] of [
    ['the first page', 3, '2'],
    ['the fifth of ten', 95, '6'],
  ] as const) {
    it(`one route that is removed on ${where} and one that is added at the end meanwhile hide no other`, async () => {
      await connected({ routes: 200, maxPageSize: 20 })
      const stop = simulator.onCall(({ path, query }) => {
        if (!path.endsWith('/routes') || query.page !== before) return
        stop()
        simulator.removeRoute(simulator.routes[removed]!.id)
        simulator.addRoute(added)
      })
      const { ids } = await list()
      ids.should.deepEqual(present())
    })
  }

  it('a list that only grows meanwhile is complete, in whatever place a new route appears', async () => {
    for (const place of ['first', 'last'] as const) {
      await connected({ routes: 60, maxPageSize: 20 })
      const before = present()
      let more = 0
      simulator.onCall(({ path, query }) => {
        if (!path.endsWith('/routes') || query.page === '1' || more > 20) return
        simulator.addRoute({ ...added, name: `Added ${more++}` })
        if (place === 'first') simulator.routes.unshift(simulator.routes.pop()!)
      })
      const listed = await listRoutes(gateway, { deviceId }, new Operation('list-routes'))
      isIncomplete(listed).should.be.false()
      const ids = listed.data.map(({ id }) => id)
      before.filter((id) => !ids.includes(id)).should.eql([])
      more.should.be.above(2)
    }
  })

  it('a list by whose absences nothing is decided reads no page twice', async () => {
    await connected({ routes: 60, maxPageSize: 20 })
    await listRoutes(gateway, { deviceId, certain: false }, new Operation('list-routes'))
    simulator.journal.filter(({ path }) => path.endsWith('/routes')).should.have.length(3)
  })

  it('a list that never stands still is not taken for complete', async () => {
    await connected({ routes: 60, maxPageSize: 20 })
    const kept = simulator.routes[30]!.name
    const stop = simulator.onCall(({ path, query }) => {
      if (!path.endsWith('/routes') || query.page !== '2') return
      simulator.removeRoute(simulator.routes[0]!.id)
      simulator.addRoute(added)
    })
    const find = (name: string): Promise<string> =>
      findRoute(gateway, deviceId, { name }, new Operation('get-route'))
    const error = await errorOf(find('Not there'))
    error.should.match({ code: 'BAD_RESPONSE', cause: { retryable: true } })
    error.message.should.match(/kept changing while its pages were read/)
    await find(kept)
    stop()
    ;(await errorOf(find('Not there'))).code.should.equal('NOT_FOUND')
  })

  it('msg.page and msg.pageSize ask for that one page', async () => {
    await connected({ routes: 60 })
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
