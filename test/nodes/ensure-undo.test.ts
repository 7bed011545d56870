// Ensure as a file is applied, and taken back: all at once, when a row fails.
import * as fc from 'fast-check'
import { toSent as sentForm } from '../../client/model/convert'
import { until } from '../support/until'
import { load, redeploy, result, unload } from '../support/flow'
import {
  type Row,
  destination,
  ensure,
  fault,
  simulator,
  named,
  names,
  planned,
  port,
  route,
  run,
  source,
  srt,
  writes,
  stageEach,
} from './ensure-stage'
import { gatewayAt } from '../support/connect'

describe('ensure-route with a file', () => {
  stageEach()

  describe('that is taken back', () => {
    const undo = async (node = 'row'): Promise<Row[]> => run(node, undefined, { action: 'undo' })

    it('gives back what was there: created, changed, renamed, started, stopped, deleted', async () => {
      await run('row', [
        srt('Changed', 'the first phrase'),
        route('Started'),
        route('Stopped', 'running'),
        route('Renamed'),
        srt('Event gone', 'a phrase of its own'),
      ])
      const before = picture()
      const wanted = [
        {
          ...srt('Changed', 'the second phrase', 'running'),
          destinations: [destination('one more')],
        },
        route('Started', 'running'),
        route('Stopped', 'stopped'),
        { ...route('Renamed'), name: 'New name' },
        route('Created', 'running'),
      ]
      const plan = await planned(wanted, 'prune')
      plan.summary.should.deepEqual({ create: 1, update: 2, delete: 1, start: 2, stop: 1 })
      await run('prune', wanted, { plan })
      picture().should.not.deepEqual(before)
      const back = await undo('prune')
      back.some(({ error }) => error).should.be.false()
      await simulator.settle()
      picture().should.deepEqual(before)
      const { error } = await fault('prune', { action: 'undo' })
      error.cause.should.match({ code: 'NOT_FOUND', applied: 'no' })
    })

    it('leaves no approval of the plan behind: it is made and approved again', async () => {
      await unload()
      const approve = ensure({ approve: true })
      const check = ensure({ approve: true, check: true })
      await load(simulator.url, { row: ensure({}), approve, other: approve, check })
      await run('row', [route('A')])
      const wanted = [{ ...route('A'), source: source('A', 7100) }]
      const plan = await planned(wanted)
      await run('approve', wanted, { plan })
      await run('approve', undefined, { action: 'undo' })
      const count = writes().length
      await run('check', wanted)
      for (const node of ['approve', 'other']) {
        const { error } = await fault(node, { payload: wanted, plan })
        error.should.match({
          code: 'CONFLICT',
          message: /applied already, or is being applied\. Nothing was changed\./,
        })
      }
      writes().length.should.equal(count)
      ;(await planned(wanted)).id.should.equal(plan.id)
      ;(await run('approve', wanted, { plan }))[0]!.action.should.equal('update')
    })

    it('is nothing at first, and not what only was planned', async () => {
      ;(await fault('row', { action: 'undo' })).error.cause.code.should.equal('NOT_FOUND')
      await planned([route('A')])
      ;(await fault('approve', { action: 'undo' })).error.cause.code.should.equal('NOT_FOUND')
    })

    it('is of the last run that changed something', async () => {
      await run('row', [route('A')])
      await run('row', [route('A')])
      await undo()
      names().should.deepEqual([])
    })

    it('one route as well', async () => {
      await run('row', route('A', 'running'))
      const { payload } = await result('row', { action: 'undo' })
      payload!.should.match({ action: 'delete', after: null })
      names().should.deepEqual([])
    })

    it('leaves no ID of another route in the message, and brings a plan only where it is wanted', async () => {
      await unload()
      await load(simulator.url, { row: ensure({}), approve: ensure({ approve: true }) })
      const action = { action: 'undo', routeId: 'of-another', plan: { of: 'the flow' } }
      const { routeId } = await result('row', { payload: route('A') })
      const one = await result('row', action)
      one.should.match({ routeId, plan: { of: 'the flow' } })
      one.gateway!.should.have.property('routeId', routeId)

      await run('row', [route('A'), route('B')])
      const list = await result('row', action)
      list.should.not.have.property('routeId')
      list.plan!.should.eql({ of: 'the flow' })

      const plan = await planned([route('A')])
      await run('approve', [route('A')], { plan })
      const approved = await result('approve', action)
      approved.plan!.should.match({ applied: true, summary: { delete: 1 } })
    })

    it('is only planned with check, which the plan says', async () => {
      await unload()
      // With an inventory, what a node has done outlives a deploy of the node alone.
      const inventory = JSON.stringify([{ name: 'one', baseUrl: simulator.url }])
      const gateway = { inventoryType: 'json', inventory, inventoryHosts: '127.0.0.1' }
      await load('', { row: ensure({}) }, { gateway })
      const appliance = 'one'
      await run('row', [route('A'), route('B')], { appliance })
      await redeploy('', { row: ensure({ check: true }) }, { gateway }, 'nodes')
      const message = { action: 'undo', appliance, routeId: 'of-another' }
      const { plan, ...rest } = await result('row', message)
      plan!.should.match({ applied: false, summary: { delete: 2 } })
      rest.should.not.have.property('routeId')
      names().should.eql(['A', 'B'])
    })

    it('is refused as a whole when a route was changed since, and possible later', async () => {
      await run('row', [route('A'), route('B')])
      const wanted = [route('A', 'running'), { ...route('B'), source: source('B', 5111) }]
      await run('row', wanted)
      simulator.route('B')!.source.port = 5222
      const before = writes().length
      const { error } = await fault('row', { action: 'undo' })
      error.cause.should.match({ code: 'CONFLICT', applied: 'no', problems: [{ path: '"B"' }] })
      error.message.should.containEql('"B" has changed since')
      writes().length.should.equal(before)
      simulator.route('B')!.source.port = 5111
      await undo()
      named('A').state!.should.equal('idle')
      should(named('B').source.port).equal(source('B').port)
    })

    it('is refused when a changed route is gone, or a deleted one is there again', async () => {
      await run('row', [route('A'), route('Event 1')])
      await run('row', [route('A', 'running')])
      simulator.removeRoute('A')
      const gone = await fault('row', { action: 'undo' })
      gone.error.message.should.containEql('"A" has been deleted since')
      const wanted = [route('Studio')]
      await run('prune', wanted, { plan: await planned(wanted, 'prune') })
      await run('present', { ...route('Event 1'), destinations: [] })
      const again = await fault('prune', { action: 'undo' })
      again.error.message.should.containEql('"Event 1" exists again')
    })

    it('has nothing to do where a created route is gone already', async () => {
      await run('row', [route('A')])
      simulator.removeRoute('A')
      ;(await undo()).should.deepEqual([])
    })

    it('leaves out what is as before already', async () => {
      await run('row', [route('A')])
      await run('row', [route('A', 'running'), route('B')])
      simulator.stopRoute('A')
      const back = await undo()
      back.map(({ action }) => action).should.deepEqual(['delete'])
      names().should.deepEqual(['A'])
    })

    it('is refused while a run is in progress, in whatever case it is written', async () => {
      await run('row', [route('A')])
      simulator.setOptions({ latency: 150 })
      const under = run('row', [route('B')])
      await until(() => simulator.journal.at(-1)?.method === 'POST')
      const { error } = await fault('row', { action: 'Undo' })
      error.cause.should.match({ code: 'CONFLICT', applied: 'no' })
      await under
      simulator.setOptions({ latency: 0 })
      await run('row', undefined, { action: ' UNDO ' })
      names().should.deepEqual(['A'])
    })

    it('leaves a destination stopped that was stopped while its route ran', async () => {
      const two = [destination('A'), { ...destination('B'), port: 6001 }]
      await run('row', [{ ...route('A', 'running'), destinations: two }])
      const client = gatewayAt(simulator)
      const second = { id: named('A').destinations[1]!.id! }
      await client.routes.stop({ name: 'A' }, { destination: second, waitFor: 'applied' })
      await client.close()
      const started = (): unknown[] => named('A').destinations.map((each) => each.started)
      started().should.deepEqual([true, false])
      await run('row', [{ ...route('A', 'running'), destinations: [destination('A')] }])
      await undo()
      await simulator.settle()
      started().should.deepEqual([true, false])
    })

    it('may be tried again for what was not taken back', async () => {
      await run('row', [route('A'), route('B')])
      await run('row', [route('A', 'running'), route('B', 'running')])
      const body = { error: { type: 'Busy', message: 'not now' } }
      const match = { action: 'stop-route' }
      simulator.fault({ kind: 'status', status: 400, body, match, times: 1 })
      const back = await undo()
      back.filter(({ error }) => error).should.have.length(1)
      const again = await undo()
      again.map(({ action }) => action).should.deepEqual(['stop'])
      for (const name of ['A', 'B']) named(name).state!.should.equal('idle')
      ;(await fault('row', { action: 'undo' })).error.cause.code.should.equal('NOT_FOUND')
    })

    for (const [what, wrapped] of Object.entries({
      'a route': (one: object): object => one,
      'a route of a list': (one: object): object => [one],
    })) {
      it(`goes on where it failed after its first step: ${what}`, async () => {
        await run('row', [route('A')])
        await run('row', wrapped({ ...route('A', 'running'), source: source('A', 5111) }))
        const body = { error: { type: 'Busy', message: 'not now' } }
        const match = { action: 'update' }
        simulator.fault({ kind: 'status', status: 400, body, match, times: 1 })
        await result('row', { action: 'undo' }).catch(() => undefined)
        named('A').should.match({ state: 'idle', source: { port: 5111 } })
        await undo()
        should(named('A').source.port).equal(port('A'))
      })
    }

    it('takes back a first step after which the next was in doubt and not made', async () => {
      await run('row', [route('A', 'running')])
      simulator.fault({ kind: 'reset', match: { action: 'update' }, times: 1 })
      const wanted = { ...route('A', 'stopped'), source: source('A', 5111) }
      const [row] = await run('brief', [wanted])
      row!.should.match({ action: ['stop'], error: { code: 'OUTCOME_UNKNOWN' } })
      await undo('brief')
      named('A').should.match({ state: 'running', source: { port: port('A') } })
    })

    it('takes back a change that was in doubt if it was made, and only then', async () => {
      await run('row', [route('A')])
      const wanted = { ...route('A'), source: source('A', 5111) }
      simulator.setOptions({ applyDelay: 2000 })
      const [row] = await run('brief', [wanted])
      row!.error!.code.should.equal('NOT_CONFIRMED')
      simulator.setOptions({ applyDelay: 20 })
      await simulator.settle()
      await undo('brief')
      should(named('A').source.port).equal(port('A'))
      names().should.deepEqual(['A'])

      simulator.setOptions({ applyDelay: 2000 })
      await run('brief', [wanted])
      simulator.setOptions({ applyDelay: 20 })
      await simulator.settle()
      simulator.route('A')!.source.port = 5333
      const { error } = await fault('brief', { action: 'undo' })
      error.message.should.containEql('"A" is neither as before nor as it was to become')
    })

    it('for any runs: what was there is there again', async () => {
      const choice = fc.record({
        name: fc.constantFrom('A', 'B', 'C', 'D'),
        state: fc.constantFrom('running', 'stopped', undefined),
        port: fc.integer({ min: 5000, max: 5003 }),
        outputs: fc.integer({ min: 1, max: 3 }),
      })
      const file = fc.uniqueArray(choice, { selector: ({ name }) => name, minLength: 1 })
      const definition = (one: {
        name: string
        state?: string
        port: number
        outputs: number
      }) => ({
        ...route(one.name, one.state),
        source: source(one.name, one.port),
        destinations: Array.from({ length: one.outputs }, (_, index) =>
          destination(`${one.name} ${index}`),
        ),
      })
      await fc.assert(
        fc.asyncProperty(file, file, async (first, second) => {
          await run('row', first.map(definition))
          const before = picture()
          const rows = await run('row', second.map(definition))
          if (rows.some(({ changed }) => changed)) {
            await undo()
            await simulator.settle()
            picture().should.deepEqual(before)
          }
        }),
        { numRuns: 6 },
      )
    })

    /** All routes without what a new one gets: IDs. */
    function picture(): object {
      const bare = (part: object): object => ({ ...part, id: undefined })
      return names().map((name) => {
        const { state, ...read } = named(name)
        const { source: from, destinations } = sentForm(read)
        const places = destinations.map((one) => JSON.stringify(bare(one))).sort()
        return { name, state, source: bare(from), destinations: places }
      })
    }
  })
})
