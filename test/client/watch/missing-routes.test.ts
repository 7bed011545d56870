import { createRoute } from '../../../client/changes/create'
import { deleteRoute } from '../../../client/changes/delete'
import { ensureRoutes } from '../../../client/changes/ensure/ensure'
import { findRoute } from '../../../client/changes/find'
import { listRoutes } from '../../../client/api/routes'
import { Operation } from '../../../client/connection/operation'
import { readAllStatistics } from '../../../client/api/statistics'
import { watchDevice, pollNow } from '../../../client/watch/registry'
import { GatewayError } from '../../../client/errors'
import type { WatchEvent } from '../../../client/model/event'
import { judgeMissing, refusalOf } from '../../../client/watch/life/missing-routes'
import type { SimulatorOptions } from '../../../simulator'
import { until } from '../../support/until'
import { errorOf } from '../../support/errors'
import { liveInOwnTime } from '../../support/own-time'
import { connected, deviceId, gateway, simulator } from '../../support/stage'

describe('a route counts as gone', () => {
  const certain = { isUnlisted: true, itself: 'missing' } as const

  it('when a complete list lacks it, it is not found, and a second look agrees', () => {
    const since = judgeMissing(certain, undefined, 7)
    since!.should.equal(7)
    judgeMissing(certain, 7, 8)!.should.equal('gone')
  })

  it('not by a list that may lack routes, nor when the route gives no answer', () => {
    for (const doubt of [{ isUnlisted: false }, { itself: 'no answer' as const }]) {
      ;(judgeMissing({ ...certain, ...doubt }, undefined, 7) === undefined).should.be.true()
      judgeMissing({ ...certain, ...doubt }, 7, 1e9)!.should.equal(7)
    }
  })

  it('not while the route itself answers, after which the proof begins again', () => {
    const there = judgeMissing({ ...certain, itself: 'there' }, 7, 1e9)
    ;(there === undefined).should.be.true()
  })

  it('a second later where it is refused otherwise than with 404', () => {
    const unclear = { ...certain, itself: 'unclear' } as const
    judgeMissing(unclear, 7, 1006)!.should.equal(7)
    judgeMissing(unclear, 7, 1007)!.should.equal('gone')
  })

  it('not by a login that is refused, which says nothing of the route', () => {
    for (const code of ['LOGIN_REFUSED', 'TOO_MANY_SESSIONS'] as const) {
      const error = new GatewayError(code, 'refused', { statusCode: 429 })
      refusalOf(error).should.equal('no answer')
    }
  })

  it('not before the time that is asked for', () => {
    judgeMissing(certain, 7, 100, 10_000)!.should.equal(7)
    judgeMissing(certain, 7, 10_007, 10_000)!.should.equal('gone')
  })
})

describe('an appliance whose answers say too little', () => {
  const op = (): Operation => new Operation('test', { changes: true })

  function start(options: SimulatorOptions = {}, times = 10): Promise<void> {
    liveInOwnTime(times)
    return connected({ routes: 3, applyDelay: 0, settleDelay: 0, ...options })
  }

  const list = (): string => `/api/gateway/${deviceId}/routes`
  const lists = (): number => simulator.journal.filter(({ path }) => path === list()).length
  const reads = (): number =>
    simulator.journal.filter(({ path }) => path.startsWith(`${list()}/`)).length
  const changes = (): unknown[] => simulator.journal.filter(({ path }) => path.endsWith('/updates'))
  const idOf = (index: number): string => simulator.routes[index]!.id

  /** Answers each list with only the first of the routes, and the count of all. */
  async function listsOnlyTheFirst(): Promise<void> {
    const { data, ...rest } = await listRoutes(gateway, { deviceId }, op())
    const body = { ...rest, data: data.slice(0, 1) }
    simulator.fault({ kind: 'status', status: 200, body, match: { path: list() } })
  }
  /** Where shared outputs are confirmed, a delete needs no list of its own. */
  const remove = (
    routeId: string,
    waitTimeout: number,
    confirmsShared = true,
  ): Promise<unknown> => {
    const operation = op().under({ confirmsShared })
    return deleteRoute(gateway, { deviceId, routeId, waitFor: 'applied', waitTimeout }, operation)
  }

  it('two deletes that wait together are not confirmed by a list that lacks routes', async () => {
    await start({ applyDelay: 60_000 })
    await listsOnlyTheFirst()
    const outcomes = await Promise.all([1, 2].map((index) => errorOf(remove(idOf(index), 1500))))
    outcomes.map(({ code }) => code).should.eql(['NOT_CONFIRMED', 'NOT_CONFIRMED'])
    simulator.routes.should.have.length(3)
  })

  it('nor is one alone, though the route itself is not found', async () => {
    await start({ applyDelay: 60_000 })
    await listsOnlyTheFirst()
    simulator.fault({ kind: 'status', status: 404, match: { path: `${list()}/*` } })
    // That the list lacks routes is found out before, which takes a while.
    await listRoutes(gateway, { deviceId }, op())
    const error = await errorOf(remove(idOf(2), 3000))
    error.code.should.equal('NOT_CONFIRMED')
    error.message.should.match(/from a list that may not be complete/)
  })

  it('a single 404 does not prove a delete', async () => {
    await start({ applyDelay: 60_000 })
    simulator.fault({ kind: 'status', status: 404, match: { path: `${list()}/*` }, times: 1 })
    ;(await errorOf(remove(idOf(0), 1500))).code.should.equal('NOT_CONFIRMED')
  })

  it('a single look without the route does not either, by list and by ID', async () => {
    await start({ applyDelay: 60_000 })
    const { data, ...rest } = await listRoutes(gateway, { deviceId }, op())
    const body = { ...rest, data: data.slice(1), numResults: 2 }
    simulator.fault({ kind: 'status', status: 200, body, match: { path: list() }, times: 1 })
    simulator.fault({ kind: 'status', status: 404, match: { path: `${list()}/*` }, times: 1 })
    ;(await errorOf(remove(idOf(0), 1500))).code.should.equal('NOT_CONFIRMED')
  })

  it('a delete is confirmed by two looks, each at the list and the route, one soon after the other', async () => {
    await start()
    const began = Date.now()
    await remove(idOf(0), 10_000)
    ;(Date.now() - began).should.be.below(4000)
    lists().should.equal(2)
    reads().should.equal(2)
  })

  it('many deletes that wait together share their lists, also those that show shared outputs', async () => {
    await start({ routes: 200, latency: 5 }, 1)
    const ids = simulator.routes.map(({ id }) => id)
    const began = performance.now()
    await Promise.all(ids.map((id) => remove(id, 10_000, false)))
    simulator.routes.should.have.length(0)
    // So many wait for a list every 450 ms.
    lists().should.be.below(8 + (performance.now() - began) / 450)
  })

  it('a delete that lists routes gets the error of that list, and the next one lists again', async () => {
    await start()
    simulator.fault({ kind: 'status', status: 500, match: { path: list() }, times: 1 })
    const both = [0, 1].map((index) => errorOf(remove(idOf(index), 1000, false)))
    for (const error of await Promise.all(both)) {
      error.should.match({ code: 'UNAVAILABLE', cause: { operation: 'test' } })
    }
    changes().should.eql([])
    await remove(idOf(0), 10_000, false)
    simulator.routes.should.have.length(2)
  })

  it('a delete is refused where the list lacks routes, with what to set to make it anyway', async () => {
    await start()
    await listsOnlyTheFirst()
    const error = await errorOf(remove(idOf(2), 1000, false))
    error.should.match({ code: 'BAD_RESPONSE', cause: { applied: 'no', retryable: true } })
    error.message.should.match(
      /shares an output\. Nothing was changed\. .*option confirmShared to true/,
    )
    changes().should.eql([])
    await errorOf(remove(idOf(2), 500))
    changes().should.have.length(1)
  })

  for (const [what, answer] of [
    ['400', { kind: 'status', status: 400 }],
    ['403', { kind: 'status', status: 403 }],
    ['500', { kind: 'status', status: 500 }],
    [
      'an error with 200',
      { kind: 'status', status: 200, body: { error: { type: 'x', message: 'y' } } },
    ],
  ] as const) {
    it(`a delete is confirmed where an unknown route is answered with ${what}`, async () => {
      await start()
      const id = idOf(0)
      simulator.fault({ ...answer, match: { path: `${list()}/${id}` } })
      await remove(id, 10_000)
      simulator.routes.should.have.length(2)
    })
  }

  it('ensure does not take one list without a route for its absence', async () => {
    await start()
    const { id, name } = simulator.routes[0]!
    const { data, ...rest } = await listRoutes(gateway, { deviceId }, op())
    const body = { ...rest, data: data.slice(1), numResults: 2 }
    for (const wanted of [{ id }, { name }]) {
      simulator.fault({ kind: 'status', status: 200, body, match: { path: list() }, times: 1 })
      const options = { deviceId, state: 'absent', check: true, waitTimeout: 5000 } as const
      const { results } = await ensureRoutes(gateway, wanted, options, op())
      results.should.have.property('action', 'delete')
    }
  })

  it('ensure does not take a single 404 of a route for its absence', async () => {
    await start()
    const { id } = simulator.routes[0]!
    simulator.fault({ kind: 'status', status: 404, match: { path: `${list()}/*` }, times: 1 })
    const options = { deviceId, state: 'absent', waitTimeout: 800 } as const
    const error = await errorOf(ensureRoutes(gateway, { id }, options, op()))
    error.code.should.equal('NOT_CONFIRMED')
    error.message.should.match(/No change was sent/)
    error.cause.should.match({ applied: 'no', retryable: true })
    changes().should.eql([])
    const { results } = await ensureRoutes(gateway, { id }, { ...options, waitTimeout: 5000 }, op())
    results.should.have.property('action', 'delete')
  })

  it('ensure that finds the route gone in its turn, but not certainly, has changed nothing', async () => {
    await start()
    const { id } = simulator.routes[0]!
    simulator.fault({ kind: 'status', status: 404, match: { path: `${list()}/*` } })
    const options = { deviceId, state: 'absent', waitTimeout: 600 } as const
    const error = await errorOf(ensureRoutes(gateway, { id }, options, op()))
    error.should.match({ code: 'NOT_CONFIRMED', cause: { applied: 'no', retryable: true } })
    error.message.should.match(/No change was sent/)
    const { results } = await ensureRoutes(gateway, [{ id }], options, op())
    results.should.match([{ changed: false, action: [], error: { cause: { applied: 'no' } } }])
    changes().should.eql([])
  })

  it('ensure does not say that there is no route of an ID when the list lacks routes', async () => {
    await start()
    const { id } = simulator.routes[2]!
    await listsOnlyTheFirst()
    const options = { deviceId, state: 'started', waitTimeout: 800 } as const
    const error = await errorOf(ensureRoutes(gateway, { id }, options, op()))
    error.code.should.equal('BAD_RESPONSE')
    error.message.should.match(/reports 3 routes but returned only 1\./)
    changes().should.eql([])
  })

  it('a creation that is to be seen is not sent where the list lacks routes', async () => {
    await start()
    await listsOnlyTheFirst()
    const part = { name: 'x', protocol: 'udp', address: '239.1.1.1', port: 5000 }
    const definition = { name: 'New', source: part, destinations: [] }
    const waiting = { waitFor: 'applied', waitTimeout: 1000, startRoute: false } as const
    const error = await errorOf(createRoute(gateway, { deviceId, definition, ...waiting }, op()))
    error.code.should.equal('BAD_RESPONSE')
    error.message.should.match(/reports 3 routes but returned only 1\. The route was not created/)
    changes().should.eql([])
  })

  describe('that counts more routes than it lists, for good,', () => {
    beforeEach(async () => {
      await start({ routes: 6 })
      await listsOnlyTheFirst()
      simulator.clearJournal()
    })

    it('is asked again for the first list only', async () => {
      const needed: number[] = []
      for (let listing = 0; listing < 10; listing++) {
        const before = lists()
        const { data } = await listRoutes(gateway, { deviceId }, op())
        data.should.have.length(1)
        needed.push(lists() - before)
      }
      needed[0]!.should.be.belowOrEqual(6)
      needed.slice(1).should.eql(Array.from({ length: 9 }, () => 1))
    })

    it('is asked once for each name and for all statistics, which is all that is asked', async () => {
      await listRoutes(gateway, { deviceId }, op())
      const before = lists()
      const { name } = simulator.routes[0]!
      await findRoute(gateway, deviceId, { name }, op())
      await readAllStatistics(gateway, deviceId, op())
      lists().should.equal(before + 2)
    })

    it('is asked again once its count fits, and then does not', async () => {
      await listRoutes(gateway, { deviceId }, op())
      simulator.clearFaults()
      ;(await listRoutes(gateway, { deviceId }, op())).data.should.have.length(6)
      await listsOnlyTheFirst()
      const before = lists()
      await listRoutes(gateway, { deviceId }, op())
      lists().should.be.above(before + 1)
    })
  })

  for (const status of ['OFFLINE', 'communication error', 'Never']) {
    it(`that is "${status}" has no routes removed, in whatever case it says so`, async () => {
      await start()
      const events: WatchEvent[] = []
      const seen: number[] = []
      const end = watchDevice(gateway, {
        deviceId,
        onEvents: (each) => events.push(...each),
        onHealth: ({ known }) => known && seen.push(known.routes),
      })

      await until(() => seen.length > 0)
      simulator.routes.splice(0, 1)
      Object.assign(simulator.devices[0]!, { status })
      await pollNow(gateway, deviceId)!()
      await pollNow(gateway, deviceId)!()
      events.map(({ event }) => event).should.eql(['device.status'])
      end()
    })
  }
})
