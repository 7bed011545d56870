import { GatewayError } from '../../../client/errors'
import { Stop } from '../../../client/stop'
import { controlRoute } from '../../../client/changes/control'
import { createRoute } from '../../../client/changes/create'
import type { EnsureFailure } from '../../../client/changes/ensure/bulk'
import { ensureRoutes } from '../../../client/changes/ensure/ensure'
import { getRoute } from '../../../client/api/routes'
import { listDevices } from '../../../client/api/devices'
import { Operation } from '../../../client/connection/operation'
import type { Connection, GatewayOptions } from '../../../client/connection/connection'
import { startSimulator, type Simulator } from '../../../simulator'
import type { Fault } from '../../../simulator/faults'
import { errorOf } from '../../support/errors'
import { liveInOwnTime } from '../../support/own-time'
import { freePort } from '../../support/ports'
import { until } from '../../support/until'
import { NEW, ROUTE, connectTo } from './support'

/** What an error says of a change: `cause.applied`, the sentence, and whether it may be sent again. */
describe('whether a failed change was applied', () => {
  let simulator: Simulator
  let gateway: Connection
  let deviceId: string

  beforeEach(async () => {
    liveInOwnTime(10)
    simulator = await startSimulator({ port: await freePort(), routes: 3 })
    deviceId = simulator.devices[0]!._id
    await connect({})
  })
  afterEach(async () => {
    simulator.clearFaults()
    await gateway.close()
    await simulator.stop()
  })

  async function connect(options: Partial<GatewayOptions>): Promise<void> {
    gateway = connectTo(simulator, options)
    await listDevices(gateway, new Operation('list-devices'))
  }

  /** For what is not answered. All that is answered has time, however busy the machine is. */
  async function waitShortly(): Promise<void> {
    await gateway.close()
    await connect({ timeout: 1500 })
  }

  const create = (operation = new Operation('create-route'), waitTimeout = 300): Promise<unknown> =>
    createRoute(gateway, { ...NEW, deviceId, waitFor: 'applied', waitTimeout }, operation)

  const restart = (operation: Operation, waitTimeout = 300): Promise<unknown> =>
    controlRoute(
      gateway,
      { deviceId, routeId: running(), action: 'restart', waitFor: 'accepted', waitTimeout },
      operation,
    )

  const running = (): string => simulator.routes.find(({ state }) => state === 'running')!.id

  /** The failure, after it was checked that all that it says agrees. */
  async function failureOf(work: Promise<unknown>): Promise<GatewayError> {
    const error = await errorOf(work)
    if (!(error instanceof GatewayError)) throw error as Error
    const { applied, retryable } = error.cause
    ;['no', 'maybe', 'yes'].should.containEql(applied)
    if (applied !== 'no') retryable.should.be.false()
    if (applied === 'no') error.message.should.not.match(/may or may not have been applied/)
    return error
  }

  const CASES: Record<string, [fault: Fault, code: string, applied: string]> = {
    'no answer': [{ kind: 'hang' }, 'OUTCOME_UNKNOWN', 'maybe'],
    'no answer, but acted on': [{ kind: 'hang-after' }, 'OUTCOME_UNKNOWN', 'maybe'],
    'the connection cut': [{ kind: 'reset' }, 'OUTCOME_UNKNOWN', 'maybe'],
    'an answer cut off': [{ kind: 'truncate' }, 'BAD_RESPONSE', 'maybe'],
    'a web page': [{ kind: 'html' }, 'BAD_RESPONSE', 'maybe'],
    'an empty answer': [{ kind: 'empty' }, 'BAD_RESPONSE', 'maybe'],
    'a list': [{ kind: 'array' }, 'BAD_RESPONSE', 'maybe'],
    'a redirect': [{ kind: 'redirect' }, 'BAD_RESPONSE', 'maybe'],
    ...Object.fromEntries(
      [500, 502, 503, 504].map((status) => [
        `status ${status}`,
        [{ kind: 'status', status }, 'UNAVAILABLE', 'maybe'],
      ]),
    ),
    'status 400': [{ kind: 'status', status: 400 }, 'REJECTED', 'no'],
    'status 403': [{ kind: 'status', status: 403 }, 'FORBIDDEN', 'no'],
    'status 404': [{ kind: 'status', status: 404 }, 'NOT_FOUND', 'no'],
    'status 409': [{ kind: 'status', status: 409 }, 'CONFLICT', 'no'],
    'status 429': [{ kind: 'status', status: 429 }, 'REJECTED', 'no'],
    'status 200 with an error': [
      { kind: 'status', status: 200, body: { error: { type: 'Route', message: 'Refused.' } } },
      'REJECTED',
      'no',
    ],
  }
  for (const [what, [fault, code, applied]] of Object.entries(CASES)) {
    it(`answered with ${what}: ${applied}`, async () => {
      if (fault.kind.startsWith('hang')) await waitShortly()
      simulator.fault({ ...fault, match: { action: 'create' } })
      const error = await failureOf(create())
      error.should.match({ code, cause: { applied } })
      if (applied === 'maybe') {
        error.message.match(/may or may not have been applied/g)!.should.have.length(1)
      }
    })
  }

  it('status 200 with an empty error is a success, of a change as of a login', async () => {
    const body = { status: 'The route is being created.', error: '' }
    simulator.fault({ kind: 'status', status: 200, body, match: { action: 'create' } })
    const { answer } = (await createRoute(
      gateway,
      { ...NEW, deviceId, waitTimeout: 1 },
      new Operation('create-route'),
    )) as { answer: unknown }
    answer!.should.eql(body)
  })

  for (const [what, fault, code] of [
    ['is answered with 503', { kind: 'status', status: 503 }, 'UNAVAILABLE'],
    ['is answered with a web page', { kind: 'html' }, 'BAD_RESPONSE'],
    ['is cut off', { kind: 'truncate' }, 'BAD_RESPONSE'],
    ['is not answered', { kind: 'hang' }, 'TIMEOUT'],
    ['is refused', { kind: 'status', status: 401 }, 'LOGIN_REFUSED'],
  ] as Array<[string, Fault, string]>) {
    it(`refused with 401, and the new login ${what}: no`, async () => {
      if (fault.kind === 'hang') await waitShortly()
      // The list before the create is answered; the create itself meets the end of the session.
      simulator.fault({ kind: 'status', status: 401, match: { action: 'create' } })
      simulator.fault({ ...fault, match: { method: 'POST', path: '/api/session' } })
      const error = await failureOf(create())
      error.should.match({ code, cause: { applied: 'no' } })
      simulator.journal.filter(({ path }) => path.endsWith('/updates')).should.have.length(1)
    })
  }

  it('nobody there: no', async () => {
    await simulator.stop()
    ;(await failureOf(create())).should.match({ cause: { applied: 'no', retryable: true } })
    await simulator.start()
  })

  it('accepted, and not seen: maybe', async () => {
    simulator.setOptions({ applyDelay: 60_000 })
    const error = await failureOf(create())
    error.should.match({ code: 'NOT_CONFIRMED', cause: { applied: 'maybe' } })
    error.message.should.containEql('There is no new route with this name.')
    simulator.journal.filter(({ path }) => path.endsWith('/updates')).should.have.length(1)
  })

  it('accepted, and stopped while it was waited for: maybe', async () => {
    simulator.setOptions({ applyDelay: 60_000 })
    const stop = new Stop()
    const failed = failureOf(create(new Operation('create-route', { stop }), 20_000))
    await until(() => simulator.journal.some(({ path }) => path.endsWith('/updates')))
    await until(() => simulator.journal.at(-1)!.method === 'GET')
    stop.now()
    ;(await failed).should.match({ code: 'CLOSED', cause: { applied: 'maybe' } })
  })

  it('stopped on its way: maybe; stopped while its login was on its way: no', async () => {
    for (const [path, applied] of [
      ['/api/devices/*/updates', 'maybe'],
      ['/api/session', 'no'],
    ] as const) {
      const stop = new Stop()
      if (applied === 'no') simulator.dropSessions()
      simulator.fault({ kind: 'hang', match: { method: 'POST', path } })
      const { length } = simulator.journal
      const failed = failureOf(create(new Operation('create-route', { stop })))
      await until(() => simulator.journal.slice(length).some(({ fault }) => fault !== undefined))
      stop.now()
      ;(await failed).should.match({
        code: 'CLOSED',
        cause: { applied, retryable: applied === 'no' },
      })
      simulator.clearFaults()
    }
  })

  it('a restart that only waited for its turn: no, nothing was sent, and it may be sent again', async () => {
    const first = new Stop()
    const second = new Stop()
    const waits = new Operation('control-route', { stop: second })
    simulator.fault({ kind: 'hang', match: { action: 'stop-route' } })
    const begun = failureOf(restart(new Operation('control-route', { stop: first })))
    await until(() => simulator.journal.some(({ fault }) => fault !== undefined))
    const waiting = failureOf(restart(waits))
    second.now()
    ;(await waiting).should.match({ code: 'CLOSED', cause: { applied: 'no', retryable: true } })
    waits.requests.should.equal(0)
    first.now()
    ;(await begun).should.match({ code: 'CLOSED', cause: { applied: 'maybe', retryable: false } })
  })

  it('a restart that cannot start the route before a close ends it: yes, and the log names the route', async () => {
    const lines: string[] = []
    const closing = connectTo(simulator, { log: (_level, text) => lines.push(text) })
    const routeId = running()
    const { name } = simulator.route(routeId)!
    simulator.fault({ kind: 'status', status: 503, match: { action: 'start-route' } })
    const work = controlRoute(
      closing,
      { deviceId, routeId, action: 'restart', waitFor: 'accepted', waitTimeout: 5000 },
      new Operation('control-route'),
    )
    const failed = failureOf(work)
    await until(() => simulator.journal.some(({ fault }) => fault !== undefined))
    await closing.close()
    const error = await failed
    error.cause.should.match({ applied: /^(yes|maybe)$/, retryable: false })
    const offAir = new RegExp(
      `^Route "${name}" \\(${routeId}\\) (is|may be) stopped: the restart failed after \\d attempts?`,
    )
    error.message.should.match(offAir)
    lines.filter((line) => offAir.test(line)).should.have.length(1)
  })

  it('a restart whose start finds no free session is started once there is one', async () => {
    simulator.fault({ kind: 'status', status: 401, match: { action: 'start-route' }, times: 1 })
    simulator.fault({
      kind: 'status',
      status: 429,
      match: { method: 'POST', path: '/api/session' },
      times: 1,
    })
    const routeId = running()
    await restart(new Operation('control-route'), 5000)
    await until(() => simulator.route(routeId)!.state === 'running')
  })

  it('the requests of a restart are all counted', async () => {
    simulator.clearJournal()
    const operation = new Operation('control-route')
    await restart(operation, 5000)
    operation.requests.should.equal(simulator.journal.length)
    operation.requests.should.be.above(3)
  })

  it('rows of a bulk say it too, and a bulk that is stopped says it of all its rows', async () => {
    await waitShortly()
    simulator.fault({ kind: 'hang', match: { action: 'create' }, times: 1 })
    const ensure = (names: string[], operation: Operation): ReturnType<typeof ensureRoutes> =>
      ensureRoutes(
        gateway,
        names.map((name, index) => ({
          ...ROUTE,
          name,
          source: { ...ROUTE.source, port: 5000 + index },
        })),
        { deviceId, state: 'present', waitTimeout: 3000 },
        operation,
      )
    const { results } = await ensure(['One', 'Two'], new Operation('ensure-route'))
    const rows = results as EnsureFailure[]
    rows
      .filter(({ error }) => error)
      .map(({ error, changed }) => [error.cause.applied, changed])
      .should.eql([['maybe', true]])

    const stop = new Stop()
    simulator.fault({ kind: 'hang', match: { action: 'create' }, times: 1, after: 1 })
    const { length } = simulator.journal
    const failed = failureOf(ensure(['Three', 'Four'], new Operation('ensure-route', { stop })))
    await until(() => simulator.journal.slice(length).some(({ fault }) => fault !== undefined))
    await until(() => simulator.routes.some(({ name }) => ['Three', 'Four'].includes(name)))
    stop.now()
    const { code, cause } = await failed
    code.should.equal('CLOSED')
    cause.applied.should.not.equal('no')
  })

  it('an ensure that did a step before it failed: yes', async () => {
    simulator.fault({ kind: 'status', status: 400, match: { action: 'update' } })
    const input = { id: running(), name: 'Stopped and renamed' }
    const options = { deviceId, state: 'stopped', waitTimeout: 5000 } as const
    const error = await failureOf(
      ensureRoutes(gateway, input, options, new Operation('ensure-route')),
    )
    error.message.should.match(
      /^Route "Stopped and renamed" is stopped now: stop was applied, but the next step failed\. /,
    )
    error.cause.applied.should.equal('yes')
    simulator.startRoute(input.id)
    const { results } = await ensureRoutes(gateway, [input], options, new Operation('ensure-route'))
    results.should.match([{ changed: true, action: ['stop'], error: { code: 'REJECTED' } }])
  })

  it('a read that fails: no', async () => {
    simulator.fault({ kind: 'status', status: 500 })
    const error = await failureOf(
      getRoute(gateway, { deviceId, routeId: running() }, new Operation('get-route')),
    )
    error.cause.applied.should.equal('no')
  })
})
