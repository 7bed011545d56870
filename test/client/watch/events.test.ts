import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EVENTS } from '../../../client/model/watch'
import type { RouteView, WatchEvent } from '../../../client/model/event'
import type { RouteState } from '../../../simulator'
import {
  device,
  deviceId,
  eventsOf,
  idle,
  look,
  namesOf,
  passTime,
  running,
  simulator,
  start,
  watch,
  watching,
  type Told,
} from './support'

describe('watching', () => {
  describe('tells each event once, with what was before and after:', () => {
    let told: Told
    let route: RouteState

    beforeEach(async () => {
      await start({ routes: 16 })
      route = running()
      told = await watching()
    })

    /** The only event of a change. */
    async function only(change: () => unknown): Promise<WatchEvent> {
      const began = Date.now()
      const events = await eventsOf(told, change)
      namesOf(events).should.have.length(1)
      const [event] = events
      event!.device.should.eql({ id: deviceId, name: 'Gateway 1' })
      // The clock of the machine may be adjusted meanwhile.
      event!.at.should.be.within(began - 2000, Date.now() + 2000)
      return event!
    }

    it('route.added and route.removed', async () => {
      const added = await only(() =>
        simulator.addRoute({
          name: 'New',
          source: { name: 'New in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
          destinations: [{ name: 'New out', protocol: 'udp', address: '239.1.1.2', port: 5001 }],
        }),
      )
      const { id } = simulator.route('New')!
      added.should.containDeep({ event: 'route.added', route: { id, name: 'New' } })
      should(added.before).be.null()
      const view = added.after as RouteView
      view.should.containDeep({ id, name: 'New', state: 'idle', source: { port: 5000 } })
      view.destinations[0]!.should.containDeep({ name: 'New out', port: 5001 })

      const removed = await only(() => simulator.removeRoute('New'))
      removed.should.containDeep({ event: 'route.removed', route: { id, name: 'New' } })
      removed.before!.should.eql(view)
      should(removed.after).be.null()
    })

    it('route.renamed, told by its ID', async () => {
      const { id, name } = route
      const event = await only(() => simulator.renameRoute(id, 'Other name'))
      event.event.should.equal('route.renamed')
      event.should.containDeep({
        route: { id, name: 'Other name' },
        before: name,
        after: 'Other name',
      })
    })

    it('route.started and route.stopped, and the status of what belongs to it', async () => {
      const { id, name, destinations } = idle()
      const states = destinations.map(() => 'destination.status')
      const events = await eventsOf(told, async () => {
        simulator.startRoute(id)
        await simulator.settle()
      })
      namesOf(events).should.eql(['route.started', 'route.status', 'source.status', ...states])
      for (const event of events) event.route!.should.eql({ id, name })
      events[0]!.should.containDeep({ before: 'idle', after: 'running' })
      events[1]!.should.containDeep({ before: 'unknown', after: 'ok', details: 'running' })
      events[2]!.should.containDeep({ before: 'unknown', after: 'ok' })

      const back = await eventsOf(told, () => simulator.stopRoute(id))
      namesOf(back).should.eql(['route.stopped', 'route.status', 'source.status', ...states])
      back[0]!.should.containDeep({ before: 'running', after: 'idle' })
    })

    it('route.status', async () => {
      const event = await only(() => {
        Object.assign(route, { summaryStatusCode: 'error', summaryStatusDetails: 'No licence' })
      })
      event.should.containDeep({
        event: 'route.status',
        text: `${route.name} has an error (running, No licence)`,
        before: 'ok',
        after: 'error',
        details: 'No licence',
        states: { before: 'running', after: 'running' },
      })
    })

    it('source.status: the code, or where it stays the same the state', async () => {
      const byCode = await only(() => {
        Object.assign(route.source, { summaryStatusCode: 'warn', state: 'connecting' })
      })
      byCode.should.containDeep({ event: 'source.status', before: 'ok', after: 'warn' })
      const byState = await only(() => Object.assign(route.source, { state: 'disconnected' }))
      byState.should.containDeep({
        event: 'source.status',
        before: 'connecting',
        after: 'disconnected',
      })
    })

    it('destination.status, .stopped and .started', async () => {
      const [{ id, name }] = route.destinations as [RouteState['destinations'][0]]
      const destination = route.destinations[0]!
      const status = await only(() => Object.assign(destination, { summaryStatusCode: 'error' }))
      status.should.containDeep({
        event: 'destination.status',
        destination: { id, name },
        before: 'ok',
        after: 'error',
      })
      const stopped = await only(() => Object.assign(destination, { started: false }))
      stopped.should.containDeep({
        event: 'destination.stopped',
        destination: { id, name },
        before: true,
        after: false,
      })
      // Some firmware writes values as text.
      const started = await only(() => Object.assign(destination, { started: 'true' }))
      started.event.should.equal('destination.started')
      started.after!.should.be.true()
    })

    it('destination.added and .removed', async () => {
      const [removed] = route.destinations.splice(0, 1)
      const event = await only(() => undefined)
      event.should.containDeep({
        event: 'destination.removed',
        destination: { id: removed!.id, name: removed!.name },
        before: { id: removed!.id },
      })
      const added = await only(() => route.destinations.push(removed!))
      added.should.containDeep({ event: 'destination.added', after: { id: removed!.id } })
    })

    it('route.changed, with both definitions and without secrets', async () => {
      const event = await only(() => Object.assign(route.source, { port: 7777 }))
      event.should.containDeep({
        event: 'route.changed',
        route: { id: route.id },
        after: { source: { port: 7777 } },
      })
      event.before!.should.not.containDeep({ source: { port: 7777 } })
      ;(event.after as RouteView).destinations.should.have.length(route.destinations.length)
    })

    it('a new pass phrase as route.changed, which tells neither', async () => {
      const secret = simulator.routes.find(({ source }) => source.protocol === 'srt')!
      secret.source.srtPassPhrase = 'first-pass-phrase'
      await eventsOf(told, () => undefined)
      const event = await only(() => {
        secret.source.srtPassPhrase = 'second-pass-phrase'
      })
      event.event.should.equal('route.changed')
      JSON.stringify(told).should.not.containEql('pass-phrase')
      event.after!.should.containDeep({ source: { srtPassPhrase: '••••••' } })
    })

    it('no secret, wherever it stands', async () => {
      const [one] = simulator.routes.filter(({ source }) => source.protocol === 'srt')
      Object.assign(one!.source, {
        srtGroupMode: 'broadcast',
        srtPassPhrase: 'not-to-be-told-0',
        srtNetworkBondingParams: [
          { address: '192.0.2.1', port: 5000, srtPassPhrase: 'not-to-be-told-1', count: 1 },
          { address: '192.0.2.2', port: 5000 },
        ],
        labels: ['a', { password: 'not-to-be-told-2' }],
        summaryStatusDetails: 'bad pass phrase not-to-be-told-0',
      })
      one!.source.summaryStatusCode = 'error'
      Object.assign(device().networkAdapters[0]!, { name: { password: 'not-to-be-told-3' } })
      const rtsp = simulator.routes.find((each) => each !== one)!
      Object.assign(rtsp.source, { protocol: 'rtsp', address: 'rtsp://u:not-to-be-told-4@host/x' })
      const events = await eventsOf(told, () => undefined)
      namesOf(events).should.containEql('route.changed')
      const late = watch()
      JSON.stringify([told.events, told.snapshots, late.snapshots]).should.not.containEql(
        'not-to-be',
      )
    })

    it('device.status, device.firmware and device.config', async () => {
      const status = await only(() =>
        Object.assign(device(), { statusCode: 'error', statusDetails: 'Disk full' }),
      )
      status.should.containDeep({
        event: 'device.status',
        before: 'ok',
        after: 'error',
        details: 'Disk full',
      })
      const state = await only(() => Object.assign(device(), { status: 'Device error' }))
      state.should.containDeep({ event: 'device.status', before: 'Online', after: 'Device error' })
      const { firmware } = device()
      const updated = await only(() => Object.assign(device(), { firmware: '6.0' }))
      updated.should.containDeep({ event: 'device.firmware', before: firmware, after: '6.0' })
      const before = structuredClone(device().networkAdapters)
      const config = await only(() => {
        device().networkAdapters[0]!.address = '192.0.2.99'
      })
      config.event.should.equal('device.config')
      config.before!.should.eql(before)
      config.after!.should.eql(device().networkAdapters)
    })

    it('peer.status, also of a pairing that comes or goes', async () => {
      const [pairing] = device().pairings
      const peer = { id: pairing!.id, name: pairing!.gatewayName }
      const status = await only(() => Object.assign(pairing!, { status: 'poll timeout' }))
      status.should.containDeep({
        event: 'peer.status',
        peer,
        before: 'accepted',
        after: 'poll timeout',
      })
      // What a response leaves out says nothing.
      const silent = await eventsOf(told, () => Object.assign(pairing!, { status: undefined }))
      silent.should.eql([])
      const gone = await only(() => device().pairings.splice(0, 1))
      gone.should.containDeep({ event: 'peer.status', peer, before: 'poll timeout' })
      should(gone.after).be.null()
      JSON.stringify(told).should.not.containEql('invented-passcode')
    })

    it('several at once in the documented order', async () => {
      const [first, second] = [...simulator.routes]
        .filter(({ state }) => state === 'running')
        .sort((a, b) => (a.id < b.id ? -1 : 1))
      const events = await eventsOf(told, () => {
        simulator.addRoute({
          name: 'A',
          source: { name: 'A in', protocol: 'udp', address: '239.9.9.9', port: 1 },
        })
        Object.assign(second!, { name: 'Second', summaryStatusCode: 'error' })
        Object.assign(first!.source, { summaryStatusCode: 'error' })
        simulator.removeRoute(idle().id)
        Object.assign(device(), { firmware: '7', statusCode: 'warn' })
      })
      namesOf(events).should.eql([
        'device.status',
        'device.firmware',
        'route.removed',
        'route.added',
        'source.status',
        'route.renamed',
        'route.status',
      ])
    })

    it('every event that there is, here or below', () => {
      const files = [
        'events',
        'outages',
        'thresholds',
        'figures',
        'callers',
        '../../nodes/engine-event',
      ]
      const text = files
        .map((file) => readFileSync(join(__dirname, `${file}.test.js`), 'utf8'))
        .join('')
      EVENTS.filter((event) => !text.includes(`'${event}'`)).should.eql([])
    })
  })

  describe('chooses', () => {
    it('events, and routes by ID, name, pattern, or either; the appliance itself always', async () => {
      await start({ routes: 6 })
      const [route, other] = simulator.routes as [RouteState, RouteState]
      Object.assign(route, { name: 'Sport (1) in' })
      Object.assign(other, { name: 'News 1' })
      const all = await watching()
      const watches = {
        byId: await watching({ route: { id: route.id } }),
        byName: await watching({ route: { name: 'Sport (1) in' } }),
        byPattern: await watching({ route: { pattern: 'sport (?)*' } }),
        byEither: await watching({ route: { idOrName: 'Sport (1) in' } }),
      }
      const firmware = await watching({ events: ['device.firmware'] })
      await eventsOf(all, () => {
        for (const each of simulator.routes) each.summaryStatusCode = 'error'
        device().firmware = '9'
      })
      namesOf(all.events).should.have.length(7)
      for (const [how, told] of Object.entries(watches)) {
        namesOf(told.events).should.eql(['device.firmware', 'route.status'], how)
        told.events[1]!.route!.id.should.equal(route.id)
        told.snapshots[0]!.routes.map(({ id }) => id).should.eql([route.id])
      }
      namesOf(firmware.events).should.eql(['device.firmware'])
    })
  })

  describe('holds', () => {
    it('a route that goes and comes back', async () => {
      await start({ routes: 4 })
      const told = await watching({ holdFor: 5000 })
      const [route] = simulator.routes as [RouteState]
      device().remove(route.id)
      await look()
      passTime(1000)
      await look()
      device().add(route)
      passTime(9000)
      await look()
      await look()
      told.events.should.eql([])
    })
  })
})
