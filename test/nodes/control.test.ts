import type { Route } from '../../client/model/types'
import type { RouteState, Simulator } from '../../simulator'
import { deployFlows, failure, helper, load, result, send, simulated } from '../support/flow'
import { until } from '../support/until'

const control = (action: string, more: object = {}): object => ({
  type: 'media-gateway-control-route',
  action,
  waitFor: 'applied',
  waitTimeout: 15,
  ...more,
})
/** For what is never confirmed. */
const BRIEFLY = { waitTimeout: 2 }

describe('control-route', () => {
  let simulator: Simulator
  let running: RouteState
  let idle: RouteState
  let deviceId: string

  beforeEach(async () => {
    simulator = await simulated({ routes: 16 })
    deviceId = simulator.devices[0]!._id
    const several = simulator.routes.filter(({ destinations }) => destinations.length > 1)
    running = several.find(({ state }) => state === 'running')!
    idle = simulator.routes.find(({ state }) => state === 'idle')!
    await load(simulator.url, {
      start: control('start'),
      stop: control('stop'),
      restart: control('restart'),
      'start-now': control('start', { waitFor: 'accepted' }),
      'from-message': control('msg', { waitFor: 'accepted' }),
      'start-briefly': control('start', BRIEFLY),
      'start-in-time': control('start', { waitTimeout: 6 }),
      'restart-briefly': control('restart', BRIEFLY),
      'start-destination': control('start', { target: 'destination' }),
      'start-destination-briefly': control('start', { target: 'destination', ...BRIEFLY }),
      'stop-destination': control('stop', { target: 'destination' }),
      'restart-destination': control('restart', { target: 'destination' }),
    })
  })

  const commands = (): unknown[] =>
    simulator.journal.filter(({ path }) => path.endsWith('/commands')).map(({ body }) => body)
  const updates = (): Simulator['journal'] =>
    simulator.journal.filter(({ path }) => path.endsWith('/updates'))

  it('start: POST /api/devices/<device>/commands, and the answer as it is', async () => {
    const { payload, routeId } = await result('start-now', { routeId: idle.id })
    commands().should.deepEqual([
      { deviceID: deviceId, command: 'start-route', parameters: { routeID: idle.id } },
    ])
    const [answer] = payload as object[]
    answer!.should.match({ action: 'command', command: 'start-route', state: 'pending' })
    routeId!.should.equal(idle.id)
  })

  it('a wait whose look hangs takes its look along, and the next wait looks for itself', async () => {
    const reads = { method: 'GET', path: `/api/gateway/*/routes/${idle.id}` }
    simulator.fault({ kind: 'hang', match: reads })
    ;(await failure('start-briefly', { routeId: idle.id })).code.should.equal('NOT_CONFIRMED')
    simulator.clearFaults()
    simulator.clearJournal()
    await result('start-in-time', { routeId: idle.id })
    simulator.journal[0]!.path.should.match(/commands$/)
    // It did not have to wait for the look that hung, which has a timeout of 10 s.
    simulator.journal[1]!.path.should.endWith(idle.id)
  })

  it('start and stop, with applied, answer the route as it then is', async () => {
    const started = (await result('start', { routeId: idle.id })).payload as Route
    started.should.match({ id: idle.id, state: 'running' })
    const stopped = (await result('stop', { routeId: idle.id })).payload as Route
    stopped.should.match({ id: idle.id, state: 'idle' })
  })

  it('start of a running route and stop of an idle one end well', async () => {
    ;((await result('start', { routeId: running.id })).payload as Route).state!.should.equal(
      'running',
    )
    ;((await result('stop', { routeId: idle.id })).payload as Route).state!.should.equal('idle')
  })

  it('restart stops, waits until that shows, and starts', async () => {
    const { payload } = await result('restart', { routeId: running.id })
    ;(payload as Route).state!.should.equal('running')
    commands().should.match([{ command: 'stop-route' }, { command: 'start-route' }])
    const stopped = simulator.journal.findIndex(({ path }) => path.endsWith('/commands'))
    const started = simulator.journal.findLastIndex(({ path }) => path.endsWith('/commands'))
    started.should.be.above(stopped + 1)
  })

  it('restart of an idle route only starts it', async () => {
    await result('restart', { routeId: idle.id })
    commands().should.match([{ command: 'start-route' }])
  })

  for (const kind of ['reset-after', 'truncate', 'invalid-json'] as const) {
    it(`restart whose stop has no answer that can be read (${kind}) goes on to the start`, async () => {
      simulator.fault({ kind, match: { action: 'stop-route' }, times: 1 })
      const { payload } = await result('restart', { routeId: running.id })
      ;(payload as Route).state!.should.equal('running')
      commands().should.match([{ command: 'stop-route' }, { command: 'start-route' }])
    })
  }

  for (const kind of ['reset', 'reset-after', 'status'] as const) {
    it(`restart whose start fails at first (${kind}) starts again`, async () => {
      simulator.fault({ kind, match: { action: 'start-route' }, times: 2 })
      const { payload } = await result('restart', { routeId: running.id })
      ;(payload as Route).state!.should.equal('running')
    })
  }

  it('a refusal that passes does not change the way of stopping a destination', async () => {
    const message = { routeId: running.id, destinationId: running.destinations[0]!.id }
    const body = { error: { type: 'Busy', message: 'later' } }
    simulator.fault({ kind: 'status', status: 429, body, match: { path: /commands$/ }, times: 1 })
    ;(await failure('stop-destination', message)).code.should.equal('REJECTED')
    await result('stop-destination', message)
    commands().should.have.length(2)
    updates().should.have.length(0)
  })

  it('restart whose stop never shows says so, and starts all the same', async () => {
    simulator.setOptions({ applyDelay: 60_000 })
    const error = await failure('restart-briefly', { routeId: running.id })
    error.code.should.equal('NOT_CONFIRMED')
    error.message.should.match(
      /^Route "Stadium North" .* The start was sent anyway\. Check that it is running\./,
    )
    commands().should.match([{ command: 'stop-route' }, { command: 'start-route' }])
  })

  const refuseStarts = (): void => {
    const body = { error: { type: 'Licence', message: 'no more outputs' } }
    for (const action of ['start-route', 'start-destination'])
      simulator.fault({ kind: 'status', status: 403, body, match: { action } })
  }

  it('restart that cannot start again names the route that is stopped now', async () => {
    refuseStarts()
    const error = await failure('restart', { routeId: running.id })
    error.code.should.equal('FORBIDDEN')
    const route = `Route "${running.name}" (${running.id}) is stopped: the restart failed after`
    error.message.should.startWith(`${route} 1 attempt to start it. Start it again now. `)
    error.cause.should.match({ applied: 'yes', operation: 'control-route' })
    simulator.route(running.id)!.state.should.equal('idle')
  })

  it('restart whose stop is in doubt, and whose start fails, says that the route may be stopped', async () => {
    simulator.fault({ kind: 'reset', match: { action: 'stop-route' } })
    refuseStarts()
    const error = await failure('restart-briefly', { routeId: running.id })
    error.message.should.startWith(
      `Route "${running.name}" (${running.id}) may be stopped: the restart failed after`,
    )
    error.cause.should.have.property('applied', 'maybe')
  })

  it('restart of a destination that cannot start again names it and its route', async () => {
    refuseStarts()
    const [first] = running.destinations
    const message = { routeId: running.id, destinationId: first!.id }
    const error = await failure('restart-destination', message)
    const whole = `route "${running.name}" (${running.id})`
    const destination = `Destination "${first!.name}" (${first!.id}) of ${whole}`
    error.message.should.startWith(`${destination} is stopped: the restart failed after`)
  })

  it('start of a destination that does not show, in an idle route, says that the route does not run', async () => {
    const route = simulator.readForm(idle.id) as Route
    const destinations = route.destinations.map((one) => ({ ...one, started: false }))
    const match = { method: 'GET', path: /\/routes\/[^/]+$/ }
    simulator.fault({ kind: 'status', status: 200, body: { ...route, destinations }, match })
    const message = { routeId: idle.id, destinationId: route.destinations[0]!.id }
    const error = await failure('start-destination-briefly', message)
    error.code.should.equal('NOT_CONFIRMED')
    error.message.should.containEql('It is not running; its route is not running either.')
  })

  it('restart that never comes up says what it saw', async () => {
    const stop = simulator.onCall(({ body }) => {
      if ((body as { command?: string } | undefined)?.command !== 'start-route') return
      stop()
      simulator.setOptions({ applyDelay: 60_000 })
    })
    simulator.fault({ kind: 'latency', ms: 100, match: { action: 'start-route' } })
    const working = failure('restart-briefly', { routeId: running.id })
    const settled = new Promise<void>((resolve) => {
      const off = simulator.onCall(({ body }) => {
        if ((body as { command?: string } | undefined)?.command !== 'start-route') return
        off()
        simulator.stopRoute(running.id)
        resolve()
      })
    })
    await settled
    const again = setInterval(() => {
      if (simulator.route(running.id)!.state === 'running') simulator.stopRoute(running.id)
    }, 5)
    const error = await working
    clearInterval(again)
    error.code.should.equal('NOT_CONFIRMED')
    error.message.should.match(/not running|pending/)
  })

  it('a destination: the command, by ID or by name', async () => {
    const [first, second] = running.destinations
    const stopped = (
      await result('stop-destination', { routeId: running.id, destinationId: first!.id })
    ).payload as Route
    stopped.destinations[0]!.started!.should.be.false()
    await result('stop-destination', { routeId: running.id, destinationName: second!.name })
    commands().should.deepEqual(
      [first, second].map((destination) => ({
        deviceID: deviceId,
        command: 'stop-destination',
        parameters: { routeID: running.id, destinationID: destination!.id },
      })),
    )
    const started = (
      await result('start-destination', { routeId: running.id, destinationId: first!.id })
    ).payload as Route
    started.destinations[0]!.started!.should.be.true()
    started.destinations[1]!.started!.should.be.false()
    updates().should.have.length(0)
  })

  it('a destination, where the firmware has no such command: the update way, remembered', async () => {
    simulator.setOptions({ dialect: { destinationCommands: false } })
    const before = simulator.readForm(running.id) as Route
    const destinationId = running.destinations[0]!.id
    await result('stop-destination', { routeId: running.id, destinationId })
    const { fields } = updates()[0]!.body as { fields: Route }
    fields.destinations.should.have.length(before.destinations.length)
    fields.destinations
      .map(({ action }) => action)
      .should.deepEqual(['stop', ...before.destinations.slice(1).map(() => undefined)])
    await result('start-destination', { routeId: running.id, destinationId })
    commands().should.have.length(1)
    updates().should.have.length(2)
    const after = simulator.readForm(running.id) as Route
    after.destinations.map(({ id }) => id).should.deepEqual(before.destinations.map(({ id }) => id))
  })

  it('a destination that does not exist is NOT_FOUND, with and without the command', async () => {
    for (const destinationCommands of [true, false]) {
      simulator.setOptions({ dialect: { destinationCommands } })
      const message = { routeId: running.id, destinationId: 'none' }
      ;(await failure('stop-destination', message)).code.should.equal('NOT_FOUND')
      const named = { routeId: running.id, destinationName: 'nobody' }
      ;(await failure('stop-destination', named)).code.should.equal('NOT_FOUND')
    }
    updates().should.have.length(0)
  })

  it('restart of a destination leaves the others alone', async () => {
    const [first, second] = running.destinations
    await result('restart-destination', { routeId: running.id, destinationId: first!.id })
    const after = simulator.readForm(running.id) as Route
    after.destinations[0]!.started!.should.be.true()
    commands()
      .every((body) => {
        const { parameters } = body as { parameters: { destinationID: string } }
        return parameters.destinationID !== second!.id
      })
      .should.be.true()
  })

  it('takes the action from the message, and refuses others before any call', async () => {
    await result('from-message', { routeId: running.id, action: 'Stop ' })
    commands().should.match([{ command: 'stop-route' }])
    simulator.clearJournal()
    const error = await failure('from-message', { routeId: running.id, action: 'explode' })
    error.code.should.equal('INVALID_INPUT')
    error.cause.problems!.should.match([{ path: 'msg.action' }])
    error.message.should.match(
      /msg\.action is "explode"; it must be one of start, stop, restart\. /,
    )
    const missing = await failure('from-message', { routeId: running.id })
    missing.message.should.match(
      /msg\.action is missing; it must be one of start, stop, restart\. /,
    )
    ;(await failure('stop-destination', { routeId: running.id })).message.should.match(
      /msg\.destinationId/,
    )
    simulator.journal.should.have.length(0)
  })

  it('a restart under way when its node is stopped is carried through', async () => {
    simulator.setOptions({ applyDelay: 300 })
    const outcome = send('restart', { routeId: running.id })
    await until(() => commands().length === 1)
    await (helper.getNode('restart') as unknown as { close(): Promise<void> }).close()
    ;(await outcome).caught!.error.code.should.equal('CLOSED')
    await until(() => commands().length === 2)
    await simulator.settle()
    simulator.route(running.id)!.state.should.equal('running')
  })

  it('a restart under way at the stop of all is carried through, also where stopping takes long', async () => {
    simulator.setOptions({ applyDelay: 3000 })
    void send('restart-briefly', { routeId: running.id })
    await until(() => commands().length === 1)
    await deployFlows([])
    commands().should.match([{ command: 'stop-route' }, { command: 'start-route' }])
    await simulator.settle()
    simulator.route(running.id)!.state.should.equal('running')
  })
})

describe('delete-route', () => {
  let simulator: Simulator

  beforeEach(async () => {
    simulator = await simulated({ routes: 4 })
    await load(simulator.url, {
      delete: { type: 'media-gateway-delete-route' },
      gone: { type: 'media-gateway-delete-route', waitFor: 'applied', waitTimeout: 15 },
      'gone-briefly': { type: 'media-gateway-delete-route', waitFor: 'applied', ...BRIEFLY },
    })
  })

  it('POST /api/devices/<device>/updates, delete', async () => {
    const { id } = simulator.routes[0]!
    const { payload, routeId } = await result('delete', { routeId: id })
    const deviceID = simulator.devices[0]!._id
    const call = simulator.journal.at(-1)!
    call.should.match({ method: 'POST', path: `/api/devices/${deviceID}/updates` })
    call.body!.should.deepEqual({ action: 'delete', deviceID, elementType: 'route', elementID: id })
    payload!.should.have.property('status')
    routeId!.should.equal(id)
  })

  it('with applied waits until it is gone, or says that it is not', async () => {
    const [first, second] = simulator.routes.map(({ id }) => id)
    await result('gone', { routeId: first })
    ;(simulator.route(first!) === undefined).should.be.true()
    simulator.setOptions({ applyDelay: 60_000 })
    const error = await failure('gone-briefly', { routeId: second })
    error.code.should.equal('NOT_CONFIRMED')
    error.message.should.match(/change is still pending/)
  })

  it('of a route that is gone already is NOT_FOUND', async () => {
    ;(await failure('gone', { routeId: 'none' })).code.should.equal('NOT_FOUND')
  })
})
