// The recipe that starts and stops a route by the clock.
import { compileFunction } from 'node:vm'
import { pause, until } from '../support/until'
import { type FlowNode, nodeNamed, read, simulator, stageRecipes, withTab } from './support'

const TITLE = 'Scheduled start and stop'
const CLOCK = 'every minute'

describe('the example flows', () => {
  const { open, press, inject, told, commands, writes, timeIn } = stageRecipes()

  /** A time of day, so many hours from now by the clock of Node-RED. */
  const at = (hours: number): string => timeIn(hours).toTimeString().slice(0, 5)
  /** By the clock, the route should run, or not, for two hours already and for two hours to come. */
  const schedule = (should: 'run' | 'stop', armed = true): FlowNode[] => {
    const [START, STOP] = should === 'run' ? [at(-2), at(2)] : [at(2), at(-2)]
    return withTab(read(`Recipes/${TITLE}.json`), { START, STOP, ARMED: armed })
  }
  const done = (texts: number): Promise<void> =>
    until(() => told('done').length === texts, `text ${texts}`)

  describe(TITLE, () => {
    it('checks every minute, starts what should run, also late, and does that once', async () => {
      simulator.stopRoute('Studio A')
      const flow = schedule('run')
      nodeNamed(flow, CLOCK).should.match({ repeat: '60', once: true })
      await open(TITLE, { flow })
      await done(1)
      told('done').should.deepEqual(['Studio A is running'])
      simulator.route('Studio A')!.state.should.equal('running')
      // Somebody stops it by hand.
      simulator.stopRoute('Studio A')
      await inject(flow, CLOCK)
      await inject(flow, CLOCK)
      commands().should.deepEqual(['start-route'])
      simulator.route('Studio A')!.state.should.equal('idle')
    })

    it('stops what should be stopped, and leaves a route that is right already alone', async () => {
      await open(TITLE, { flow: schedule('stop') })
      await done(1)
      told('done').should.deepEqual(['Studio A is stopped'])
      commands().should.deepEqual(['stop-route'])
      // The stop was made for today; another flow context knows nothing of it.
      await open(TITLE, { flow: [{ id: 'x', type: 'tab', label: 'other' }] })
      await open(TITLE, { flow: schedule('stop') })
      await done(1)
      commands().should.deepEqual(['stop-route'])
    })

    it('tries again a minute later when it failed', async () => {
      simulator.stopRoute('Studio A')
      const mended = simulator.fault({ kind: 'status', status: 403, match: { path: '*/commands' } })
      const flow = schedule('run')
      await open(TITLE, { flow })
      await until(() => told('error').length === 1, 'the error')
      await inject(flow, CLOCK)
      await until(() => told('error').length === 2, 'the second error')
      mended()
      await inject(flow, CLOCK)
      await done(1)
      simulator.route('Studio A')!.state.should.equal('running')
    })

    it('does not overrule its buttons, and does so only when the next time comes', async () => {
      const flow = schedule('run')
      await open(TITLE, { flow })
      await done(1)
      await press(flow, 'stop now')
      await done(2)
      told('done')[1]!.should.equal('Studio A is stopped')
      await inject(flow, CLOCK)
      commands().should.deepEqual(['stop-route'])
      await open(TITLE, { flow: schedule('stop') })
      await done(1)
      await press(flow, 'start now')
      await done(2)
      await inject(flow, CLOCK)
      commands().should.deepEqual(['stop-route', 'start-route'])
      simulator.route('Studio A')!.state.should.equal('running')
    })

    it('acts by the clock once it is armed, whatever its buttons did before', async () => {
      const flow = schedule('run', false)
      await open(TITLE, { flow })
      await inject(flow, CLOCK)
      await press(flow, 'stop now')
      await done(1)
      await inject(flow, CLOCK)
      await pause(300)
      commands().should.deepEqual(['stop-route'])
      await open(TITLE, { flow: withTab(flow, { ARMED: true }) })
      await done(1)
      commands().should.deepEqual(['stop-route', 'start-route'])
    })

    it('changes nothing when a time or a day is none', async () => {
      for (const wrong of [{ START: '6' }, { STOP: '24:00' }, { DAYS: 'Mon Feb' }, { DAYS: '' }]) {
        await open(TITLE, { flow: withTab(schedule('stop'), wrong) })
        await until(() => told('error').length === 1, 'the error')
        told('error')[0]!.should.match(/START|STOP|DAYS/)
      }
      writes().should.equal(0)
    })

    /** What is due at a time of the week of Monday, 16 March 2026. */
    function dueAt(day: number, time: string, env: Record<string, unknown>): string {
      const { func } = nodeNamed(read(`Recipes/${TITLE}.json`), 'should it run now?')
      const parts = ['msg', 'env', 'flow', 'node', 'Date']
      const decide = compileFunction(String(func), parts) as (...values: unknown[]) => object[]
      const [hours, minutes] = time.split(':').map(Number)
      class Clock extends Date {
        constructor() {
          super(2026, 2, 15 + day, hours, minutes)
        }
      }
      const errors: string[] = []
      const node = { status: () => {}, error: (text: string) => errors.push(text) }
      const values = { ARMED: true, DAYS: 'Mon Tue Wed Thu Fri Sat Sun', ...env }
      const get = (name: keyof typeof values): unknown => values[name]
      const [toStart] = decide({}, { get }, { get: () => undefined }, node, Clock)
      errors.should.deepEqual([])
      return toStart ? 'start' : 'stop'
    }

    it('knows at any time of the week what is due', () => {
      const day = { START: '06:00', STOP: '22:00' }
      const night = { START: '22:00', STOP: '06:00' }
      const [MON, TUE, FRI, SAT, SUN] = [1, 2, 5, 6, 7]
      const cases: Array<[number, string, object, string]> = [
        [MON, '05:59', day, 'stop'],
        [MON, '06:00', day, 'start'],
        [MON, '21:59', day, 'start'],
        [MON, '22:00', day, 'stop'],
        [MON, '21:59', night, 'stop'],
        [MON, '22:00', night, 'start'],
        [TUE, '05:59', night, 'start'],
        [TUE, '06:00', night, 'stop'],
        [SAT, '12:00', { ...day, DAYS: 'mon, tue, wed, thu, fri' }, 'stop'],
        [FRI, '12:00', { ...day, DAYS: 'mon, tue, wed, thu, fri' }, 'start'],
        [SAT, '03:00', { ...night, DAYS: 'Fri' }, 'start'],
        [SUN, '03:00', { ...night, DAYS: 'Fri' }, 'stop'],
        [MON, '05:00', { ...day, DAYS: 'Mon' }, 'stop'],
      ]
      for (const [on, time, env, due] of cases)
        dueAt(on, time, env as Record<string, unknown>).should.equal(due, `${on} ${time}`)
    })
  })
})
