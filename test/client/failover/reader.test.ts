// What a failover makes of what it reads: incomplete, offline, its own monitor, twice protected.
import { openConnection } from '../../../client/connection/connection'
import { createSavedConnections } from '../../../nodes/gateway/saved'
import { ownerOf, type Protections } from '../../../client/memory'
import { protectRoute } from '../../../client/failover/protect'
import { errorOf } from '../../support/errors'
import { until } from '../../support/until'
import {
  BACKUP,
  clock,
  connect,
  event,
  gateway,
  looks,
  loseMain,
  MAIN,
  namesOf,
  protect,
  protecting,
  reaches,
  readsOf,
  SETTINGS,
  sharedReads,
  simulator,
  start,
  stateOf,
  tells,
  updates,
} from './support'

const MONITORED = { restore: 'monitor', monitor: { name: 'Monitor' } }

describe('what a failover reads', () => {
  beforeEach(() => start())
  describe('of a device that is offline', () => {
    it('says nothing, though the gateway shows what it knew last', async () => {
      const told = await protecting()
      simulator.failDevice('offline')
      loseMain()
      await reaches(told, 'unknown')
      const { failure } = told.statuses.at(-1)!
      failure!.code.should.equal('UNAVAILABLE')
      failure!.message.should.containEql('shows only its last known state: its status is "Offline"')
      await looks(5)
      updates().should.eql([])
      told.failures.should.eql([])
      simulator.failDevice('ok')
      await tells(told, 'switched')
    })
  })

  describe('of a device with an error', () => {
    for (const [signs, status] of [
      [{ status: 'Device error', statusCode: 'error' }, 'Device error'],
      [{ status: 'device error' }, 'device error'],
      [{ status: 'Degraded', statusCode: 'error' }, 'Degraded'],
      [{ statusCode: 'error' }, 'error'],
    ] as const) {
      it(`says nothing, as the health of the device: ${JSON.stringify(signs)}`, async () => {
        const told = await protecting()
        loseMain()
        const { _id, routes } = simulator.devices[0]!
        const restore = simulator.fault({
          kind: 'status',
          status: 200,
          body: { _id, config: { routes: JSON.parse(JSON.stringify(routes)) as [] }, ...signs },
          match: { path: /^\/api\/devices\/[^/]+$/ },
        })
        await reaches(told, 'unknown')
        const { failure } = told.statuses.at(-1)!
        failure!.code.should.equal('UNAVAILABLE')
        failure!.message.should.containEql(`last known state: its status is "${status}"`)
        await looks(5)
        updates().should.eql([])
        restore()
        await tells(told, 'switched')
      })
    }
  })

  describe('when it is closed', () => {
    it('while a monitor is read leaves the route to others', async () => {
      const { _id, routes } = simulator.devices[0]!
      const listed = structuredClone(routes).map(({ destinations, ...route }) => ({
        ...route,
        ...(route.name !== 'Monitor' && { destinations }),
      }))
      simulator.fault({
        kind: 'status',
        status: 200,
        body: { _id, config: { routes: JSON.parse(JSON.stringify(listed)) as [] } },
        match: { path: /^\/api\/devices\/[^/]+$/ },
      })
      simulator.fault({ kind: 'hang', match: { path: /\/routes\/[^/]+$/ } })
      const told = protect(MONITORED)
      await until(() => simulator.journal.some(({ path }) => /\/routes\/[^/]+$/.test(path)))
      await told.protection.close()
      await new Promise(setImmediate)
      gateway.memory.protections.size.should.equal(0)
    })
  })

  describe('of a configuration', () => {
    /** What the device returns, changed. */
    function distort(change: (routes: Array<Record<string, unknown>>) => unknown): () => void {
      const body = {
        _id: simulator.devices[0]!._id,
        status: 'Online',
        config: { routes: change(JSON.parse(JSON.stringify(simulator.devices[0]!.routes)) as []) },
      }
      return simulator.fault({
        kind: 'status',
        status: 200,
        body,
        match: { path: /^\/api\/devices\/[^/]+$/ },
      })
    }

    it('without the route: that one is read by itself', async () => {
      const told = await protecting()
      distort((routes) => routes.filter(({ id }) => id !== 'studio-a'))
      await until(() => readsOf('studio-a') >= 3)
      loseMain()
      await tells(told, 'switched')
      readsOf('monitor').should.equal(0)
      told.failures.should.eql([])
    })

    it('with half of the route: the same', async () => {
      const told = await protecting()
      distort((routes) =>
        routes.map((route) => (route.id === 'studio-a' ? { ...route, source: {} } : route)),
      )
      await until(() => readsOf('studio-a') >= 3)
      stateOf(told)!.should.equal('normal')
    })

    it('without any list of routes: the same', async () => {
      const told = await protecting()
      distort(() => null)
      await until(() => readsOf('studio-a') >= 3)
      stateOf(told)!.should.equal('normal')
    })
  })

  describe('of a monitor', () => {
    for (const [what, settings] of [
      ['by its ID', { restore: 'monitor', monitor: { id: 'studio-a' } }],
      ['of the backup', { monitorBackup: { id: 'studio-a' } }],
    ] as const) {
      it(`that is the route itself, ${what}, is refused at once`, async () => {
        const error = await errorOf(Promise.resolve().then(() => protect(settings)))
        error.code.should.equal('INVALID_INPUT')
        error.cause.operation!.should.equal('failover')
        error.message.should.not.containEql('Nothing was changed')
        error.message.should.match(/is the protected route itself.*deploy/)
        await looks(0)
        sharedReads().should.equal(0)
      })
    }

    it('that turns out to be the route itself is refused once, and nothing is protected', async () => {
      const told = protect({ restore: 'monitor', monitor: { name: 'Studio A' } })
      await until(() => told.failures.length > 0)
      loseMain()
      await looks(8)
      told.failures.map(({ code }) => code).should.eql(['INVALID_INPUT'])
      stateOf(told)!.should.equal('unknown')
      updates().should.eql([])
    })

    it('that is one of two routes is refused too', async () => {
      const settings = {
        method: 'routes',
        main: { name: 'Studio A' },
        backup: { id: 'studio-a-2' },
        restore: 'monitor',
        monitor: { name: 'Studio A backup' },
      }
      const told = protect(settings, { route: undefined })
      await until(() => told.failures.length > 0)
      told.failures[0]!.code.should.equal('INVALID_INPUT')
      stateOf(told)!.should.equal('unknown')
    })

    it('that is stopped is reported once; the route is protected, and nothing returns', async () => {
      simulator.stopRoute('monitor')
      const told = await protecting(MONITORED)
      await until(() => told.failures.length > 0)
      loseMain()
      await tells(told, 'switched')
      simulator.failAddress(MAIN.address, 'ok')
      await looks(10)
      namesOf(told).should.eql(['switched'])
      told.failures.map(({ code }) => code).should.eql(['CONFLICT'])
      told.failures[0]!.message.should.containEql('Monitor route "Monitor" is stopped')
      told.statuses.at(-1)!.failure!.code.should.equal('CONFLICT')
      told.statuses.at(-1)!.monitor!.should.equal('stopped')
      simulator.startRoute('monitor')
      await tells(told, 'switched', 'switched')
      should(told.statuses.at(-1)!.failure).be.undefined()
      should(told.statuses.at(-1)!.monitor).be.undefined()
    })

    it('that does not exist is shown as that; a protected route that does not is no monitor', async () => {
      const told = await protecting({ restore: 'monitor', monitor: { name: 'Moniter' } })
      await until(() => told.statuses.at(-1)!.monitor === 'missing')
      told.failures.map(({ code }) => code).should.eql(['NOT_FOUND'])
      const restore = simulator.fault({
        kind: 'status',
        status: 503,
        match: { path: /^\/api\/devices\/[^/]+$/ },
      })
      await looks(3)
      told.statuses.at(-1)!.monitor!.should.equal('missing')
      restore()
      const lost = protect(MONITORED, { route: { name: 'Studio Z' } })
      await until(() => lost.failures.length > 0)
      await until(() => lost.statuses.length > 0)
      lost.statuses.forEach(({ monitor }) => should(monitor).be.undefined())
    })

    it('of the backup says that there is no protection, before it is needed', async () => {
      simulator.startRoute('studio-a-2')
      const told = await protecting({ monitorBackup: { name: 'Studio A backup' } })
      simulator.failAddress(BACKUP.address, 'disconnected')
      await tells(told, 'unprotected')
      event(told, 'unprotected').reason!.should.equal('backup-bad')
      simulator.failAddress(BACKUP.address, 'ok')
      await tells(told, 'unprotected', 'protected')
      updates().should.eql([])
    })
  })

  describe('through two connections to one gateway', () => {
    it('is protected once, however its URL is spelled', async () => {
      const protections: Protections = new Map()
      await gateway.close()
      connect({ protections })
      const told = await protecting()
      const { port } = new URL(simulator.url)
      const login = { username: 'haiadmin', password: 'manager', clock, protections }
      const other = openConnection({ ...login, baseUrl: `HTTP://127.0.0.1:${port}/` })
      const codes: string[] = []
      const second = protectRoute(other, {
        route: { name: 'Studio A' },
        settings: SETTINGS,
        onEvents: () => undefined,
        onFailure: ({ code }) => codes.push(code),
      })
      try {
        await until(() => codes.length > 0)
        codes.should.eql(['CONFLICT'])
        const address = { deviceId: simulator.devices[0]!._id, routeId: 'studio-a' }
        const owner = ownerOf(other, address)!
        owner.should.equal(ownerOf(gateway, address))
        owner.members.should.eql(['address', 'port', 'srtPassPhrase'])
        owner.main.should.eql({ address: MAIN.address, port: MAIN.port })
        owner.inUse!.should.equal('main')
        owner.isTwo.should.be.false()
        await told.protection.close()
        await until(() => ownerOf(gateway, address) !== undefined)
        ownerOf(gateway, address)!.should.not.equal(owner)
      } finally {
        await second.close()
        await other.close()
      }
      protections.size.should.equal(0)
    })

    it('of two config nodes of one Node-RED, too', async () => {
      const connections = createSavedConnections()
      const login = { username: 'haiadmin', password: 'manager', baseUrl: simulator.url }
      const [one, other] = [connections.open('one', login), connections.open('other', login)]
      one.memory.protections.should.equal(other.memory.protections)
      one.address.should.equal(other.address)
      await Promise.all([one.close(), other.close()])
    })

    for (const [url, isSame] of [
      ['http://gateway.example:80/', true],
      ['HTTP://Gateway.example', true],
      ['http://gateway.example/one', false],
      ['http://gateway.example:81', false],
    ] as const) {
      it(`${isSame ? 'is' : 'is not'} one gateway with ${url}`, async () => {
        const login = { username: 'haiadmin', password: 'manager' }
        const [one, other] = ['http://gateway.example', url].map((baseUrl) =>
          openConnection({ ...login, baseUrl }),
        )
        ;(one!.address === other!.address).should.equal(isSame)
        await Promise.all([one!.close(), other!.close()])
      })
    }
  })
})
