import { Readable } from 'node:stream'
import { GatewayError } from '../../../client/errors'
import { createRoute } from '../../../client/changes/create'
import { getRoute } from '../../../client/api/routes'
import { listDevices } from '../../../client/api/devices'
import type { Connection } from '../../../client/connection/connection'
import { startSimulator, type Simulator } from '../../../simulator'
import type { Fault, FaultKind } from '../../../simulator/faults'
import { beginOwnTime } from '../../support/own-time'
import { until } from '../../support/until'
import { NEW, connectTo, op } from './support'

/** A close takes 2.8 s by its own clock; the rest is for a busy machine. Node-RED itself waits 15 s. */
const LONGEST_MS = 6000

/** A close is soon over and leaves no session behind, whatever the session is doing. */
describe('a close', () => {
  interface Situation {
    gateway: Connection
    simulator: Simulator
    deviceId: string
  }

  const reads = ({ gateway }: Situation): Promise<unknown> => listDevices(gateway, op())
  const ends = ({ gateway }: Situation): Promise<unknown> => gateway.endSession(op())
  const asks = ({ gateway, deviceId }: Situation): Promise<unknown> =>
    getRoute(gateway, { deviceId, routeId: 'unknown' }, op())
  const writes = ({ gateway, deviceId }: Situation): Promise<unknown> =>
    createRoute(gateway, { ...NEW, deviceId }, op())

  type Act = (at: Situation) => Promise<unknown>
  interface Close {
    took: number
    /** Calls after the close. */
    late: number
    /** Sessions after the close. */
    left: number
  }

  interface Case {
    state: string
    method: string
    hang: string
  }

  const METHODS = ['POST', 'GET', 'DELETE']
  const STATES: Record<string, { open: boolean; acts: Act[] }> = {
    'nothing done yet': { open: false, acts: [] },
    'a session open': { open: true, acts: [] },
    'a login under way': { open: false, acts: [reads] },
    'a login under way, and its end asked for': { open: false, acts: [reads, ends] },
    'an end under way': { open: true, acts: [ends] },
    'an end under way, and a new login': { open: true, acts: [ends, reads] },
    'a question about the session under way': { open: true, acts: [asks] },
    'a change under way': { open: true, acts: [writes] },
  }

  const HANGS: Record<string, { kind: FaultKind; ms?: number; times?: number }> = {
    'answered at once': { kind: 'latency', ms: 0 },
    'answered late': { kind: 'latency', ms: 700 },
    'answered very late': { kind: 'latency', ms: 1500 },
    'answered with an error once': { kind: 'status', times: 1 },
    'cut off once': { kind: 'reset', times: 1 },
    'not answered once': { kind: 'hang', times: 1 },
    'not answered once, but acted on': { kind: 'hang-after', times: 1 },
    'never answered': { kind: 'hang' },
  }

  /** Where the appliance does not say that there is a session, or does not let it be ended. */
  const mayBeLeft = (method: string, hang: string): boolean =>
    (method === 'POST' && hang === 'not answered once, but acted on') ||
    (method === 'DELETE' && hang === 'never answered')

  /** More, and they would stop each other. */
  const AT_ONCE = 24

  let closes: Array<Case & Close>

  // Many at once: most of the time is that of the answers that do not come.
  before(async function () {
    this.timeout(240_000)
    const cases = Object.keys(STATES).flatMap((state) =>
      METHODS.flatMap((method) => Object.keys(HANGS).map((hang) => ({ state, method, hang }))),
    )
    const end = beginOwnTime()
    closes = await Readable.from(cases)
      .map(measured, { concurrency: AT_ONCE })
      .toArray()
      .finally(end)
  })

  async function measured(one: Case): Promise<Case & Close> {
    const { open, acts } = STATES[one.state]!
    const fault = { ...HANGS[one.hang]!, match: { method: one.method, path: '/api/session' } }
    return { ...one, ...(await closed(fault, open, acts)) }
  }

  for (const state of Object.keys(STATES)) {
    for (const method of METHODS) {
      it(`with ${state}, whose ${method} is late or hangs`, () => {
        const some = closes.filter((each) => each.state === state && each.method === method)
        some.length.should.equal(Object.keys(HANGS).length)
        for (const { hang, took, late, left } of some) {
          const what = `${hang}: ${took} ms, ${late} late, ${left} left`
          took.should.be.below(LONGEST_MS, what)
          late.should.equal(0, what)
          left.should.be.belowOrEqual(mayBeLeft(method, hang) ? 1 : 0, what)
        }
      })
    }
  }

  /** Closes a gateway in the middle of something, and measures that. */
  async function closed(fault: Fault, open: boolean, acts: Act[]): Promise<Close> {
    const simulator = await startSimulator({ routes: 1 })
    const gateway = connectTo(simulator, { timeout: 20_000 })
    const situation = { gateway, simulator, deviceId: simulator.devices[0]!._id }
    if (open) await reads(situation)
    simulator.fault(fault)
    const before = simulator.journal.length
    const works = acts.map((act) => act(situation).catch((error: unknown) => error))
    if (works.length > 0) await until(() => simulator.journal.length > before)
    const begun = performance.now()
    await gateway.close()
    const took = performance.now() - begun
    const calls = simulator.journal.length
    await Promise.all(works)
    const late = simulator.journal.length - calls
    const left = simulator.openSessions
    simulator.clearFaults()
    await simulator.stop()
    return { took, late, left }
  }

  it('sends nothing afterwards, whoever asks', async () => {
    const simulator = await startSimulator({ routes: 1 })
    const gateway = connectTo(simulator)
    await listDevices(gateway, op())
    await gateway.close()
    const calls = simulator.journal.length
    const session = await gateway.session.open().catch((error: unknown) => error)
    should(session).be.instanceOf(GatewayError)
    await gateway.endSession(op()).catch(() => undefined)
    simulator.journal.length.should.equal(calls)
    await simulator.stop()
  })
})
