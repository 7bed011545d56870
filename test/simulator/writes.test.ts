import { setTimeout as pause } from 'node:timers/promises'
import should from 'should'
import { until } from '../support/until'
import {
  type Json,
  simulate,
  simulatePending,
  loggedIn,
  routeOf,
  STUDIO,
  sendable,
} from './support'

describe('simulator', () => {
  describe('updates and commands', () => {
    it('creates a route later, with ids of its own', async () => {
      const simulator = await simulate({ routes: [], applyDelay: 3000 })
      const { update, get, routes } = await loggedIn(simulator)
      const sent = {
        ...STUDIO,
        startRoute: true,
        source: { ...STUDIO.source, id: '' },
      }
      const accepted = await update('create', { fields: sent })
      accepted.status.should.equal(200)
      Object.keys(accepted.json).should.eql(['status'])
      const before = (await get(routes)).json
      before.data.should.eql([])
      before.pendingRouteCreates.should.equal(1)

      await simulator.settle()
      const after = (await get(routes)).json
      after.pendingRouteCreates.should.equal(0)
      const [route] = after.data
      route.id.should.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      route.source.id.should.have.length(36)
      route.state.should.equal('running')
      // Nobody calls a new listener.
      route.summaryStatusCode.should.equal('warn')
      route.destinations.map((each: Json) => each.state).should.eql(['connected', 'disconnected'])
      route.destinations[0].ttl.should.equal(32)
    })

    it('refuses what is incomplete or out of range, with the reason', async () => {
      const simulator = await simulate({ routes: [STUDIO] })
      const { update, post } = await loggedIn(simulator)
      const fields = { ...STUDIO, startRoute: false }
      const [one, two] = STUDIO.destinations ?? []
      const refusals: Array<[object, RegExp]> = [
        [{}, /fields/],
        [{ fields: { ...fields, name: '' } }, /name/],
        [{ fields: { ...fields, name: 'x'.repeat(61) } }, /name/],
        [{ fields: { ...fields, startRoute: 'yes' } }, /startRoute/],
        [{ fields: { ...fields, source: undefined } }, /source/],
        [{ fields: { ...fields, source: { ...STUDIO.source, port: 65_536 } } }, /source\.port/],
        [{ fields: { ...fields, source: { ...STUDIO.source, port: '5001' } } }, /source\.port/],
        [
          { fields: { ...fields, source: { ...STUDIO.source, address: undefined } } },
          /source\.address is required/,
        ],
        [{ fields: { ...fields, source: { ...STUDIO.source, port: '1|2' } } }, /port/],
        [
          {
            fields: {
              ...fields,
              source: { ...STUDIO.source, srtGroupMode: 'backup', address: 'a|b', port: undefined },
            },
          },
          /single/,
        ],
        [{ fields: { ...fields, source: { ...STUDIO.source, protocol: 'hls' } } }, /protocol/],
        [{ fields: { ...fields, destinations: 'none' } }, /array/],
        [{ fields: { ...fields, destinations: [{ ...one, mtu: 279 }] } }, /\[0\]\.mtu/],
        [{ fields: { ...fields, destinations: [one, { ...two, ttl: 0 }] } }, /\[1\]\.ttl/],
        [{ fields: { ...fields, destinations: [{ ...one, tos: 256 }] } }, /\[0\]\.tos/],
        [{ fields: { ...fields, destinations: [{ ...one, protocol: 'http' }] } }, /protocol/],
        [{ fields: { ...fields, destinations: [{ ...two, srtOverhead: 25 }] } }, /srtOverhead/],
        [{ fields: { ...fields, destinations: [one, one] } }, /name is used twice/],
      ]
      for (const [rest, reason] of refusals) {
        const { status, json } = await update('create', rest)
        status.should.equal(400)
        json.error.message.should.match(reason)
      }
      ;(await update('change', {})).status.should.equal(400)
      ;(await update('update', { fields })).status.should.equal(400)
      ;(await update('update', { fields, elementID: 'none' })).status.should.equal(404)
      ;(await post('updates', { action: 'create', fields })).status.should.equal(400)
      ;(await post('updates', { deviceID: 'other' })).status.should.equal(400)
      ;(await post('updates', {}, { type: 'text/plain' })).status.should.equal(415)
      ;(await post('updates', {}, { raw: '{"half' })).status.should.equal(400)
      await simulator.settle()
      simulator.routes.length.should.equal(1)
    })

    it('replaces on update: what is left out of the destinations is gone', async () => {
      const { simulator, apply } = await simulatePending({ routes: [STUDIO] })
      const { update, get, routes } = await loggedIn(simulator)
      const { id } = routeOf(simulator, 'Studio A')
      const read = (await get(`${routes}/${id}`)).json
      const [one] = sendable(read).destinations
      const added = { name: 'Three', protocol: 'rtp', address: '192.0.2.9', port: 7000 }
      const fields = {
        name: 'Studio A2',
        source: { id: read.source.id, name: 'In', address: '0.0.0.0', port: 5009 },
        destinations: [{ ...one, ttl: 40 }, added],
      }
      ;(await update('update', { elementID: id, fields })).json.should.have.keys('status')
      const waiting = (await get(`${routes}/${id}`)).json
      waiting.pendingUpdates.name.should.equal('Studio A2')
      waiting.name.should.equal('Studio A')

      await apply()
      const after = (await get(`${routes}/${id}`)).json
      after.should.not.have.key('pendingUpdates')
      after.name.should.equal('Studio A2')
      after.source.port.should.equal(5009)
      after.source.srtPassPhrase.should.equal('invented-passphrase')
      after.destinations.map((each: Json) => each.name).should.eql(['One', 'Three'])
      after.destinations[0].id.should.equal(one.id)
      after.destinations[0].ttl.should.equal(40)
      after.destinations[1].id.should.not.equal(read.destinations[1].id)

      const { destinations: _, ...without } = fields
      await update('update', { elementID: id, fields: without })
      await apply()
      routeOf(simulator, id).destinations.should.eql([])
    })

    it('wants the ids of the source and of known destinations', async () => {
      const simulator = await simulate({ routes: [STUDIO] })
      const { update } = await loggedIn(simulator)
      const route = routeOf(simulator, 'Studio A')
      const attempt = async (source: object, destinations: object[]) => {
        const fields = { name: 'Studio A', source: { ...STUDIO.source, ...source }, destinations }
        const { status, json } = await update('update', { elementID: route.id, fields })
        status.should.equal(400)
        return json.error.message
      }
      ;(await attempt({}, [])).should.match(/source\.id is required/)
      ;(await attempt({ id: 'other' }, [])).should.match(/source\.id cannot be changed/)
      const unknown = { ...STUDIO.destinations?.[0], id: 'unknown' }
      ;(await attempt({ id: route.source.id }, [unknown])).should.match(/destinations\[0\]\.id/)
    })

    it('takes back what it reads, and nothing changes', async () => {
      const simulator = await simulate({ routes: 14 })
      simulator.setOptions({ dialect: { numbersAsStrings: true } })
      const { update, get, routes } = await loggedIn(simulator)
      const stable = async () => {
        const { data } = (await get(`${routes}?pageSize=14`)).json
        return JSON.parse(
          JSON.stringify(data, (name, value) =>
            ['elapsedTime', 'usedBandwidth'].includes(name) ? undefined : value,
          ),
        )
      }
      const before: Json[] = await stable()
      const plain = before.filter((route) => route.source.srtGroupMode === 'none')
      plain.length.should.equal(13)
      for (const route of plain) {
        const fields = sendable(route)
        for (const destination of fields.destinations) {
          if (destination.protocol === 'http') destination.protocol = 'hls'
        }
        const answer = await update('update', { elementID: route.id, fields })
        answer.text.should.startWith('{"status"')
      }
      // Applied, but not reconnected: what has not changed is not interrupted.
      await pause(25)
      await until(() => simulator.routes.every((route) => !route.pendingUpdates), 'updates')
      ;(await stable()).should.eql(before)
    })

    it('deletes a route later', async () => {
      const { simulator, apply } = await simulatePending({ routes: [STUDIO] })
      const { update, get, routes } = await loggedIn(simulator)
      const { id } = routeOf(simulator, 'Studio A')
      await update('delete', { elementID: id })
      const going = (await get(routes)).json
      going.data[0].hasPendingDelete.should.be.true()
      await apply()
      ;(await get(routes)).json.data.should.eql([])
      ;(await get(`${routes}/${id}`)).status.should.equal(404)
      ;(await update('delete', { elementID: id })).status.should.equal(404)
    })

    it('starts and stops a route step by step', async () => {
      let now = 1_000_000
      const simulator = await simulate({
        routes: [STUDIO],
        applyDelay: 100,
        settleDelay: 100,
        now: () => now,
      })
      const { post, get, routes } = await loggedIn(simulator)
      const { id: routeID } = routeOf(simulator, 'Studio A')
      const read = async (after = 0) => {
        now += after
        return (await get(`${routes}/${routeID}`)).json
      }
      const accepted = await post('commands', { command: 'start-route', parameters: { routeID } })
      accepted.json.length.should.equal(1)
      const [queued] = accepted.json
      queued._id.should.match(/^[\w-]{22}$/)
      queued.should.containEql({
        action: 'command',
        command: 'start-route',
        parameters: { routeID },
        createdAt: 1_000_000,
        completedAt: 0,
        result: null,
        state: 'pending',
      })
      const waiting = await read()
      waiting.state.should.equal('idle')
      waiting.pendingUpdates.should.eql({ state: 'running' })

      const seen: Json[] = []
      for (let step = 0; step < 5; step++) {
        const { source, destinations, ...route } = await read(100)
        route.state.should.equal('running')
        seen.push([source.state, destinations[0].state, route.summaryStatusCode])
      }
      seen.should.eql([
        ['disconnected', 'disconnected', 'warn'],
        ['connecting', 'disconnected', 'warn'],
        ['connected', 'disconnected', 'warn'],
        ['connected', 'connecting', 'warn'],
        ['connected', 'connected', 'ok'],
      ])
      const running = await read(60_000)
      running.elapsedTime.should.equal('00:01:00')
      running.source.usedBandwidth.should.not.equal('0.000')

      await post('commands', { command: 'stop-route', parameters: { routeID } })
      const stopped = await read(100)
      stopped.state.should.equal('idle')
      stopped.destinations[0].should.containEql({ state: 'disconnected', started: false })
      stopped.elapsedTime.should.equal(running.elapsedTime)
      ;(await read(60_000)).elapsedTime.should.equal(running.elapsedTime)
    })

    it('names the source while it connects', async () => {
      const simulator = await simulate({ routes: [STUDIO], settleDelay: 10_000 })
      simulator.startRoute('Studio A')
      const read: Json = simulator.readForm('Studio A')
      read.summaryStatusDetails.should.equal('Source In disconnected')
      read.destinations[0].summaryStatusDetails.should.equal('disconnected from stream 239.1.1.1')
      simulator.stopRoute('Studio A')
      routeOf(simulator, 'Studio A').state.should.equal('idle')
    })

    it('starts and stops a destination by a command, if it knows it', async () => {
      const simulator = await simulate({ routes: [{ ...STUDIO, startRoute: true }] })
      const { post, get, routes } = await loggedIn(simulator)
      const route = routeOf(simulator, 'Studio A')
      const destinationID = route.destinations[0]?.id ?? ''
      const parameters = { routeID: route.id, destinationID }
      const destination = async () => {
        await simulator.settle()
        const read = (await get(`${routes}/${route.id}`)).json
        return [read.destinations[0].started, read.destinations[0].state, read.summaryStatusCode]
      }
      await post('commands', { command: 'stop-destination', parameters })
      ;(await destination()).should.eql([false, 'disconnected', 'ok'])
      await post('commands', { command: 'start-destination', parameters })
      ;(await destination()).should.eql([true, 'connected', 'ok'])

      const none = { ...parameters, destinationID: 'none' }
      const gone = await post('commands', { command: 'stop-destination', parameters: none })
      gone.status.should.equal(404)
      const unknown = await post('commands', { command: 'dance', parameters })
      unknown.status.should.equal(400)
      simulator.setOptions({ dialect: { destinationCommands: false } })
      const old = await post('commands', { command: 'stop-destination', parameters })
      old.status.should.equal(400)
      old.json.error.message.should.match(/stop-destination/)
    })

    it('shows a destination of an idle route as started once the route runs', async () => {
      for (const startedWhileIdle of [false, true]) {
        const [one, two] = STUDIO.destinations ?? []
        const simulator = await simulate({
          routes: [{ ...STUDIO, destinations: [{ ...one!, action: 'stop' }, two!] }],
          dialect: { startedWhileIdle },
        })
        const { post } = await loggedIn(simulator)
        const route = routeOf(simulator, 'Studio A')
        const started = () => {
          const read: Json = simulator.readForm('Studio A')
          return read.destinations.map((each: Json) => each.started)
        }
        const start = async () => {
          const parameters = { routeID: route.id, destinationID: route.destinations[0]?.id }
          await post('commands', { command: 'start-destination', parameters })
          await simulator.settle()
        }
        started().should.eql([false, startedWhileIdle])
        // What was stopped by itself stays so when the route starts.
        simulator.startRoute('Studio A')
        await simulator.settle()
        started().should.eql([false, true])
        simulator.stopRoute('Studio A')
        await start()
        started().should.eql([startedWhileIdle, startedWhileIdle])
        simulator.startRoute('Studio A')
        await simulator.settle()
        started().should.eql([true, true])
      }
    })

    it('starts and stops a destination by an update', async () => {
      const simulator = await simulate({ routes: [{ ...STUDIO, startRoute: true }] })
      const { update } = await loggedIn(simulator)
      const route = routeOf(simulator, 'Studio A')
      const act = async (action: string) => {
        const fields = sendable(simulator.readForm('Studio A'))
        fields.destinations[1].action = action
        ;(await update('update', { elementID: route.id, fields })).status.should.equal(200)
        await simulator.settle()
        return route.destinations.map(({ started, state }) => [started, state])
      }
      ;(await act('stop')).should.eql([
        [true, 'connected'],
        [false, 'disconnected'],
      ])
      ;(await act('start'))[1]?.should.eql([true, 'connected'])
      simulator.readForm('Studio A').should.not.have.propertyByPath('destinations', '1', 'action')
    })
  })

  describe('presets', () => {
    const upload = (content: string, field = 'file') => ({
      type: 'multipart/form-data; boundary=line',
      raw: `--line\r\nContent-Disposition: form-data; name="note"\r\n\r\nno file\r\n--line\r\nContent-Disposition: form-data; name="${field}"; filename="a.hmg"\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n--line--\r\n`,
    })

    it('exports routes as sent, and imports them in place of all', async () => {
      const { simulator, apply } = await simulatePending({ routes: 5 })
      const { get, send, device } = await loggedIn(simulator)
      const path = `/api/gateway/${device}/system/preset`
      const exported = await get(path)
      should(exported.headers['content-disposition']).match(/^attachment; filename=/)
      exported.json.preset_version.should.equal('1.0')
      exported.json.product_version.should.be.a.String()
      exported.json.routes.length.should.equal(5)
      exported.text.should.not.match(/"(id|state|started|summaryStatusCode|mode)":/)

      const ids = simulator.routes.map(({ id }) => id)
      simulator.addRoute(STUDIO)
      const imported = await send('POST', path, upload(exported.text, 'whatever'))
      imported.status.should.equal(200, imported.text)
      imported.json.type.should.equal('postSystemPreset')
      imported.json.pendingCreation.should.eql(exported.json.routes.map(({ name }: Json) => name))
      should(simulator.journal.at(-1)?.multipart).containEql({
        field: 'whatever',
        filename: 'a.hmg',
        content: exported.text,
      })
      simulator.routes.length.should.equal(6)
      await apply()
      simulator.routes.length.should.equal(5)
      simulator.routes.filter(({ id }) => ids.includes(id)).should.eql([])
      ;(await get(path)).json.should.eql(exported.json)
    })

    it('refuses what is no preset', async () => {
      const simulator = await simulate({ routes: 2 })
      const { send, device } = await loggedIn(simulator)
      const path = `/api/gateway/${device}/system/preset`
      ;(await send('POST', path, { body: { routes: [] } })).status.should.equal(415)
      ;(await send('POST', path, upload('not json'))).status.should.equal(400)
      ;(await send('POST', path, upload('{"routes":[{}]}'))).status.should.equal(400)
      const empty = { type: 'multipart/form-data; boundary=line', raw: '--line--\r\n' }
      ;(await send('POST', path, empty)).status.should.equal(400)
      await simulator.settle()
      simulator.routes.length.should.equal(2)
    })
  })
})
