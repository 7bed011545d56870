// Thousands of incidents that end at once must not hold up Node-RED.
import { createIncidentReporter } from '../../../client/watch/report/incident-reporter'
import { OK } from '../../../client/model/health'
import type { UnixClock } from '../../../client/clock'
import type { DeviceState } from '../../../client/watch/state'

describe('many incidents at once', () => {
  it('of limits begin and end in time that grows with their number only', function () {
    this.timeout(300_000)
    const few = timeOf(4000)
    // Of this process alone, so that other work says nothing; quadratic work takes 16 times as long.
    timeOf(16_000).should.be.below(9 * few)
  })
})

/** Microseconds of the processor in which the incidents of so many routes are seen again, and end. */
function timeOf(count: number): number {
  const device = { id: 'd', name: 'D' }
  const condition = { state: 'running', code: 'ok' }
  const routes = Array.from({ length: count }, (_, index) => {
    const source = { id: 's', name: 's', condition }
    return { id: `r${index}`, name: `R${index}`, condition, source, destinations: [] }
  })
  const state = {
    ...device,
    condition: { state: 'Online', code: 'ok' },
    routes: new Map(routes.map((route) => [route.id, route])),
  } as unknown as DeviceState
  let now = 0
  let events = 0
  let writes = 0
  const reporter = createIncidentReporter(
    { thresholds: [{ measure: 'bitrate', of: 'source', low: 5 }], onOpen: () => writes++ },
    {
      clock: { now: () => now, unix: (at: number) => at } as UnixClock,
      holdFor: 0,
      wantsRoute: () => true,
      device: () => device,
      tell: (told) => (events += told.length),
      isOver: () => false,
    },
  )
  const poll = (bitrate: number): void => {
    now += 1000
    const figures = new Float64Array(3 * count).fill(bitrate)
    const seen = { state, figures, at: now, isSame: false }
    reporter.polled(seen, (visit) => {
      for (const route of state.routes.values()) visit!(route, { own: OK, outputs: [] }, bitrate)
    })
  }
  poll(1)
  const before = process.cpuUsage()
  poll(1)
  poll(9)
  const { user } = process.cpuUsage(before)
  events.should.equal(2 * count)
  writes.should.equal(2)
  return user
}
