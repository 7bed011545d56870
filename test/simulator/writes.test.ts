import { type Json, simulate, loggedIn, routeOf, STUDIO } from './support'

describe('simulator', () => {
  describe('updates and commands', () => {
    // That it refuses what the checks refuse is in verdicts.test.ts.
    it('refuses what it does not know, and what is no JSON', async () => {
      const simulator = await simulate({ routes: [STUDIO] })
      const { update, post } = await loggedIn(simulator)
      const fields = { ...STUDIO, startRoute: false }
      const { status, json } = await update('create', { fields: { ...fields, name: '' } })
      status.should.equal(400)
      json.error.message.should.match(/name/)
      ;(await update('change', {})).status.should.equal(400)
      ;(await update('update', { fields })).status.should.equal(400)
      ;(await update('update', { fields, elementID: 'none' })).status.should.equal(404)
      ;(await post('updates', { action: 'create', fields })).status.should.equal(400)
      ;(await post('updates', { deviceID: 'other' })).status.should.equal(400)
      ;(await post('updates', {}, { type: 'text/plain' })).status.should.equal(415)
      ;(await post('updates', {}, { raw: '{"half' })).status.should.equal(400)
      ;(await post('commands', { command: 'dance', parameters: {} })).status.should.equal(400)
      await simulator.settle()
      simulator.routes.length.should.equal(1)
    })

    it('takes an update without destinations for one that removes all', async () => {
      const simulator = await simulate({ routes: [STUDIO] })
      const { update } = await loggedIn(simulator)
      const { id, source } = routeOf(simulator, 'Studio A')
      const fields = { name: 'Studio A', source: { ...STUDIO.source, id: source.id } }
      ;(await update('update', { elementID: id, fields })).status.should.equal(200)
      await simulator.settle()
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
  })

  describe('presets', () => {
    const upload = (content: string, field = 'file') => ({
      type: 'multipart/form-data; boundary=line',
      raw: `--line\r\nContent-Disposition: form-data; name="note"\r\n\r\nno file\r\n--line\r\nContent-Disposition: form-data; name="${field}"; filename="a.hmg"\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n--line--\r\n`,
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
