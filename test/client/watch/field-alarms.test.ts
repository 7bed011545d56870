// The proof of the alarm, on the layout of a gateway that was seen in the field: the loss of a source is
// reported in every history, once, and its end, once; a missing caller in none. npm run bench -- alarms
// plays 10,000 longer ones, with the same checks.
import { openBy } from '../../../client/watch/registry'
import type { RouteState } from '../../../simulator'
import { judged, randomHistory, smallest } from './field-histories'
import { play } from './field-world'
import { deviceId, gateway, look, passTime, simulator, start, watch, watching } from './support'

const HISTORIES = 25
const MINUTES = 3
/** The same each time, and others each time. */
const SEEDS = { fixed: 1, fresh: Date.now() % 1_000_000_000 }

/** Throws with the smallest history that shows it. */
async function holds(seed: number): Promise<{ losses: number; told: number }> {
  const history = randomHistory(seed, MINUTES)
  const judgement = await judged(history)
  if (judgement.faults.length === 0) return judgement
  const least = await smallest(history)
  const told = (await play(least)).told.map(
    ({ at, event }) => `${at} ${event.event}: ${event.text}`,
  )
  const { faults } = await judged(least)
  throw new Error([`Seed ${seed}:`, ...faults, ...told, JSON.stringify(least)].join('\n'))
}

describe('the alarm on a gateway of the field', function () {
  this.timeout(120_000)

  for (const [kind, first] of Object.entries(SEEDS)) {
    it(`reports every lost source once, its end once, and a missing caller never: ${kind} seed ${first}`, async () => {
      let losses = 0
      for (let each = 0; each < HISTORIES; each++) losses += (await holds(first + each)).losses
      losses.should.be.above(HISTORIES / 2)
    })
  }

  // What the watch before the deploy has saved is taken, though the new one was given what was open.
  it('reports a loss once, that began after a deploy and lasts beyond a takeover', async () => {
    const { faults, losses } = await judged({
      seed: 0,
      lengthMs: 180_000,
      everyMs: 5000,
      settleMs: 300,
      pushes: [],
      acts: [
        { at: 50_048, do: 'end' },
        { at: 50_156, do: 'begin', how: 'deploy' },
        { at: 51_517, do: 'source', route: 7, is: 'no-data' },
        { at: 97_173, do: 'end' },
        { at: 97_405, do: 'begin', how: 'takeover' },
      ],
    })
    faults.should.eql([])
    losses.should.equal(1)
  })

  describe('over a real connection', () => {
    beforeEach(() => start({ dialect: 'field' }))
    /** Sets who calls each output, of one route or of all. */
    function call(callers: number, of = simulator.routes): void {
      for (const { id, destinations } of of) {
        simulator.setCallers(id, Object.fromEntries(destinations.map((each) => [each.id, callers])))
      }
    }

    /** Lets time pass as it does between the polls of a watch. */
    async function minutes(count: number): Promise<void> {
      for (let poll = 0; poll < 6 * count; poll++) {
        passTime(10_000)
        await look()
      }
    }

    it('says nothing while callers come and go, and one sentence when a source fails and returns', async () => {
      const told = await watching({ report: 'incidents' })
      for (const callers of [0, 2, 0, 1]) {
        call(callers)
        await minutes(1)
      }
      should(told.events).eql([])
      told.health.at(-1)!.known!.problems.should.equal(0)
      const [route] = simulator.routes
      const { id, name } = route!
      call(0, [route!])
      simulator.fail(id, { source: 'disconnected' })
      await minutes(3)
      told.events.map(({ text }) => text).should.eql([`${name}: no source (disconnected)`])
      call(2, [route!])
      await minutes(1)
      told.events.should.have.length(1)
      simulator.fail(id, { source: 'ok' })
      await minutes(2)
      const [begun, ended, ...others] = told.events
      others.should.eql([])
      ended!.should.containDeep({ event: 'incident.ended', before: 'critical', after: 'ok' })
      ended!.incident!.id.should.equal(begun!.incident!.id)
    })

    it('shows another process what is open now, also after a deploy', async () => {
      const before = await watching({ report: 'incidents', deviceId })
      before.end()
      const told = watch({ report: 'incidents', deviceId, open: [] })
      const [{ id }] = simulator.routes as [RouteState]
      simulator.fail(id, { source: 'disconnected' })
      // Sooner than what was saved is forgotten by itself.
      await minutes(0.5)
      told.events.should.have.length(1)
      const open = Object.values(openBy(gateway)!)
      open.flatMap(({ incidents = [] }) => incidents.map(({ route }) => route?.id)).should.eql([id])
    })
  })
})
