// Ensure as a file is applied: a state for each row, plans that are approved, routes that are
// removed, and names that change.
import * as fc from 'fast-check'
import type { PlanReport } from '../../client/changes/ensure/report'
import { load, result, unload } from '../support/flow'
import {
  type Definition,
  type Row,
  destination,
  ensure,
  fault,
  simulator,
  listener,
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

describe('ensure-route with a file', () => {
  stageEach()

  describe('with the state of each row', () => {
    it('starts, stops, and leaves alone', async () => {
      await run('row', [
        route('A', 'running'),
        route('B', 'stopped'),
        route('C'),
        route('D', 'Started'),
      ])
      const states = (): unknown[] => ['A', 'B', 'C', 'D'].map((name) => named(name).state)
      states().should.deepEqual(['running', 'idle', 'idle', 'running'])
      const done = await run('row', [route('A', 'idle'), route('B', 'running'), route('D')])
      done.map(({ action }) => action).should.deepEqual(['stop', 'start', 'none'])
      states().should.deepEqual(['idle', 'running', 'idle', 'running'])
    })

    it('refuses a state that it does not know, with its place, before any call', async () => {
      const { error } = await fault('row', { payload: [route('A'), route('B', 'runing')] })
      error.cause.should.match({ code: 'INVALID_INPUT', problems: [{ path: '[1].state' }] })
      error.message.should.containEql('[1].state is "runing"; it must be one of running, stopped')
      simulator.journal.should.have.length(0)
    })

    it('refuses a state in a row where one is chosen for all', async () => {
      const { error } = await fault('present', { payload: [route('A', 'running')] })
      error.cause.should.match({ code: 'INVALID_INPUT', problems: [{ path: '[0].state' }] })
      simulator.journal.should.have.length(0)
    })
  })

  describe('that is approved', () => {
    it('answers with the plan first, and applies it with its ID', async () => {
      await run('row', [route('A', 'running'), route('B')])
      const wanted = [
        { ...route('A', 'running'), destinations: [{ ...destination('A'), port: 6001 }] },
        route('New', 'running'),
        route('B', 'stopped'),
      ]
      const plan = await planned(wanted)
      plan.summary.should.deepEqual({ create: 1, update: 1, delete: 0, start: 0, stop: 0 })
      plan.text
        .split('\n')
        .should.deepEqual([
          '1 to add, 1 to change, 0 to remove; 0 to start, 0 to stop.',
          '~ "A"  update',
          '    destinations[0].port: 6000 → 6001',
          '+ "New"  create and start',
          '    source: name "New in", protocol udp, address 239.1.1.1, port 5003',
          '    destinations[0]: name "New out", protocol udp, address 192.0.2.9, port 6000',
        ])
      plan.table
        .map(({ sign, route: of }) => [sign, of])
        .should.deepEqual([
          ['~', '"A"'],
          ['+', '"New"'],
        ])
      const done = await result('approve', { payload: wanted, plan: { id: plan.id } })
      ;(done.payload as Row[])
        .map(({ action }) => action)
        .should.deepEqual(['update', 'create', 'none'])
      done.plan!.should.match({ id: plan.id, applied: true })
      named('New').state!.should.equal('running')
      ;(await planned(wanted)).text.should.equal('Nothing to do.')
    })

    it('also if the option comes from the environment', async () => {
      const plan = await planned([route('A')], 'approve-by-variable')
      plan.summary.create.should.equal(1)
    })

    it('makes the same plan as a dry run', async () => {
      const wanted = [route('A', 'running')]
      const [plan, dry] = [await planned(wanted), await planned(wanted, 'check')]
      plan.id.should.equal(dry.id)
      plan.text.should.equal(dry.text)
    })

    it('one route as well', async () => {
      const plan = await planned(route('A', 'running'))
      const done = await result('approve', { payload: route('A', 'running'), plan })
      done.payload!.should.match({ action: 'create', after: { state: 'running' } })
      done.routeId!.should.equal(named('A').id)
    })

    it('says what has changed since, and writes nothing', async () => {
      await run('row', [route('A'), route('B'), route('C')])
      const wanted = [route('A', 'running'), route('B'), route('C')]
      const plan = await planned(wanted)
      await run('row', { name: 'B', destinations: [{ ...destination('B'), port: 6009 }] })
      const before = writes().length
      const { error } = await fault('approve', { payload: wanted, plan })
      error.cause.should.match({ code: 'CONFLICT', applied: 'no' })
      error.message.should.containEql('"B" has changed on the gateway since')
      error.message.should.not.containEql('"A"')
      const other = await fault('approve', { payload: [route('A')], plan: { id: plan.id } })
      other.error.cause.code.should.equal('CONFLICT')
      const unknown = await fault('approve', { payload: wanted, plan: { id: 'of another node' } })
      unknown.error.cause.code.should.equal('CONFLICT')
      writes().length.should.equal(before)
      names().should.deepEqual(['A', 'B', 'C'])
    })

    it('is refused for a route that was started or stopped since, or that is wanted otherwise', async () => {
      await run('row', [route('A')])
      const wanted = [{ ...route('A'), source: { ...source('A'), port: 5111 } }]
      const plan = await planned(wanted)
      await run('row', [route('A', 'running')])
      const { error } = await fault('approve', { payload: wanted, plan })
      error.message.should.containEql('"A" has changed on the gateway since')
      const again = await planned(wanted)
      const [first] = wanted
      const altered = [{ ...first!, source: { ...source('A'), port: 5112 } }]
      const refused = await fault('approve', { payload: altered, plan: again })
      refused.error.message.should.containEql('"A" is not given as in the plan')
    })

    it('does not change a route that changes while the plan is applied', async () => {
      await run('row', [route('A')])
      const wanted = [{ ...route('A'), source: { ...source('A'), port: 5111 } }]
      const plan = await planned(wanted)
      const before = writes().length
      let lists = 0
      // The plan is compared on the list; in its turn the route is read once more.
      const end = simulator.onCall(({ method, path }) => {
        if (method !== 'GET' || !path.endsWith('/routes') || ++lists !== 1) return
        simulator.route('A')!.source.port = 5222
      })
      const [row] = await run('approve', wanted, { plan })
      end()
      row!.should.match({ changed: false, error: { code: 'CONFLICT' } })
      writes().length.should.equal(before)
      should(named('A').source.port).equal(5222)
    })

    it('is applied once if two messages bring its ID at the same time', async () => {
      await run('row', [route('A'), route('B')])
      const payload = [route('A', 'running'), route('New')]
      const plan = await planned(payload)
      const before = writes().length
      const ended = await Promise.allSettled(
        ['approve', 'approve-by-variable'].map((node) => run(node, payload, { plan })),
      )
      const [done] = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      const [refused] = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
      done!.map(({ action }) => action).should.deepEqual(['start', 'create'])
      should(refused).match({ message: /is being applied\. Nothing was changed/ })
      writes().length.should.equal(before + 2)
    })

    it('can be applied later if applying it has changed nothing', async () => {
      await run('row', [route('A')])
      const payload = [route('A', 'running')]
      const plan = await planned(payload)
      simulator.fault({ kind: 'status', status: 400, match: { path: /\/commands$/ }, times: 1 })
      const [refused] = await run('approve', payload, { plan })
      refused!.should.match({ changed: false, error: { code: 'REJECTED' } })
      const [done] = await run('approve', payload, { plan })
      done!.action.should.equal('start')
    })

    it('knows no secret by its plan, its text or its ID', async () => {
      await run('row', [srt('S', 'a secret phrase')])
      const plan = await planned([srt('S', 'another phrase'), srt('T', 'a third phrase')])
      JSON.stringify(plan).should.not.match(/phrase"|another|third/)
      plan.text.should.containEql('source.srtPassPhrase: •••••• → ••••••')
      const other = await planned([srt('S', 'yet another one'), srt('T', 'a third phrase')])
      other.id.should.not.equal(plan.id)
    })
  })

  it('says of ten kinds of drift what brings the gateway back to the file', async () => {
    const file = [
      ...['Port', 'Address', 'More', 'Fewer', 'Started', 'Gone', 'Event name'].map((name) =>
        route(name, 'stopped'),
      ),
      route('Stopped', 'running'),
      srt('Phrase', 'the phrase of the file'),
    ]
    await run('row', file)
    ;(await planned(file, 'prune')).text.should.equal('Nothing to do.')

    const other = { ...destination('one more'), port: 6007 }
    await run('row', [
      { name: 'Port', source: { port: 5555 } },
      { name: 'Address', destinations: [{ name: 'Address out', address: '192.0.2.77' }] },
      { ...route('More'), destinations: [destination('More'), other] },
      { name: 'Fewer', destinations: [] },
      route('Started', 'running'),
      route('Stopped', 'stopped'),
      { name: 'Phrase', source: { srtPassPhrase: 'a phrase of somebody' } },
      route('Event added', 'stopped'),
    ])
    simulator.removeRoute('Gone')
    simulator.renameRoute('Event name', 'Event renamed')

    const { text, summary } = await planned(file, 'prune')
    summary.should.deepEqual({ create: 1, update: 6, delete: 1, start: 1, stop: 1 })
    for (const line of [
      '~ "Port"  update\n    source.port: 5555 → 5004\n',
      '~ "Address"  update\n    destinations[0].address: 192.0.2.77 → 192.0.2.9\n',
      '~ "More"  update\n    destinations[1]: name "one more out"',
      '~ "Fewer"  update\n    destinations[0]: name "Fewer out"',
      '~ "Started"  stop\n    state: running → idle\n',
      '~ "Stopped"  start\n    state: idle → running\n',
      '~ "Phrase"  update\n    source.srtPassPhrase: •••••• → ••••••',
      '+ "Gone"  create\n',
      '~ "Event renamed" → "Event name"  update\n',
      '- "Event added"  delete\n',
    ]) {
      text.should.containEql(line)
    }
    // What takes something away comes first, and the totals before that.
    const heads = text.split('\n').filter((line) => !line.startsWith(' '))
    heads
      .slice(0, 4)
      .should.deepEqual([
        '1 to add, 6 to change, 1 to remove; 1 to start, 1 to stop.',
        '- "Event added"  delete',
        '~ "Started"  stop',
        '~ "Event renamed" → "Event name"  update',
      ])
  })

  it('writes as codes what shows nothing in a name', async () => {
    await run('row', [route('C'), route('D')])
    const wanted = [
      { ...route('C'), name: 'C\u200b', renamedFrom: 'C' },
      { ...route('D'), name: '\u202eD\u00a0x', renamedFrom: 'D' },
      { ...route('New'), name: 'New\u2028\u{e0041}' },
    ]
    const { text, table } = await planned(wanted)
    text.should.containEql('~ "C" → "C\\u200b"  update\n    name: C → "C\\u200b"\n')
    text.should.containEql('~ "D" → "\\u202eD\\u00a0x"  update\n')
    text.should.containEql('+ "New\\u2028\\udb40\\udc41"  create')
    table.map(({ route: of }) => of).should.containEql('"C" → "C\\u200b"')
  })

  it('shows no secret in a result, also in one that is a number or part of a URL', async () => {
    const hidden = 'a phrase of the test'
    const url = 'rtsp://viewer:camera-word@192.0.2.7/live'
    const rtsp = { name: 'in', protocol: 'rtsp', address: url, port: 554, password: 7654321987 }
    const rows = [srt('Phrase', hidden), { ...route('Camera'), source: rtsp }]
    const shown: unknown[] = []
    const all = async (
      payload: unknown,
      more: object = {},
      node = 'unchecked',
    ): Promise<unknown> => {
      const { payload: rowsOf, plan } = await result(node, { payload, ...more })
      shown.push(rowsOf, plan)
      return plan
    }
    await all(rows, { plan: await all(rows) })
    const changed = [srt('Phrase', `${hidden} 2`), { ...rows[1]!, source: { ...rtsp, port: 555 } }]
    const plan = await all(changed)
    await all(changed, { plan })
    await all(undefined, { action: 'undo' })
    await all([{ name: 'Phrase' }, { name: 'Camera' }], {}, 'absent')
    const text = JSON.stringify(shown)
    for (const secret of [hidden, 'camera-word', '7654321987']) text.should.not.containEql(secret)
    // What is taken back is what was there, with its secrets.
    const bodies = JSON.stringify(writes().map(({ body }) => body))
    for (const secret of [hidden, 'camera-word', '7654321987']) bodies.should.containEql(secret)
  })

  it('asks for the name of a protected route when it applies a plan, and when it takes a run back', async () => {
    await unload()
    await load(
      simulator.url,
      { approve: ensure({ approve: true }), row: ensure({}) },
      { gateway: { protectedRoutes: 'Main*' } },
    )
    await run('row', [route('Main', 'running'), route('Other')])
    const wanted = [route('Main', 'stopped'), route('Other', 'running')]
    const plan = await planned(wanted)
    const before = writes().length
    const { error } = await fault('approve', { payload: wanted, plan })
    error.cause.should.match({ code: 'READ_ONLY', applied: 'no' })
    writes().length.should.equal(before)
    await run('approve', wanted, { plan, confirmProtected: 'Main' })
    named('Main').state!.should.equal('idle')
    // To start it again needs no name.
    await run('approve', undefined, { action: 'undo' })
    named('Main').state!.should.equal('running')
    await run('row', [{ name: 'Main', source: { port: 5099 } }], { confirmProtected: ['Main'] })
    const back = await fault('row', { action: 'undo' })
    back.error.cause.code.should.equal('READ_ONLY')
    await run('row', undefined, { action: 'undo', confirmProtected: 'Main' })
    should(named('Main').source.port).equal(port('Main'))
  })

  describe('that leaves out routes', () => {
    const three = (): Definition[] => [route('Event 1'), route('Event 2'), route('Studio')]

    it('removes those that fit, once that is approved', async () => {
      await run('row', three())
      const kept = [route('Event 1')]
      const plan = await planned(kept, 'prune')
      plan.summary.should.deepEqual({ create: 0, update: 0, delete: 1, start: 0, stop: 0 })
      plan.text.should.endWith('\n- "Event 2"  delete')
      const done = await run('prune', kept, { plan })
      done.map(({ action }) => action).should.deepEqual(['none', 'delete'])
      names().should.deepEqual(['Event 1', 'Studio'])
    })

    it('says which of them are protected, and which cannot be taken back', async () => {
      await run('row', [route('Studio'), srt('Event 1', 'a phrase of its own')])
      await unload()
      const prune = ensure({ approve: true, remove: 'pattern', removePattern: '*' })
      await load(simulator.url, { prune }, { gateway: { protectedRoutes: 'Event*' } })
      simulator.route('Event 1')!.source.srtPassPhrase = '********'
      const { text } = await planned([route('Studio')], 'prune')
      text
        .split('\n')
        .slice(1, 4)
        .should.deepEqual([
          '- "Event 1"  delete',
          '    protected: confirmProtected must be its name',
          '    cannot be undone: source.srtPassPhrase is hidden',
        ])
    })

    it('removes nothing by itself', async () => {
      await run('row', three())
      ;(await planned([route('Event 1')])).summary.delete.should.equal(0)
    })

    it('is refused without a plan that somebody sees', async () => {
      const { error } = await fault('prune-unseen', { payload: three() })
      error.cause.should.match({ code: 'INVALID_INPUT', problems: [{ path: 'remove' }] })
      simulator.journal.should.have.length(0)
    })

    it('never takes an empty list, no list, or no pattern for "remove all"', async () => {
      for (const [node, payload, path] of [
        ['prune', [], 'remove'],
        ['prune', route('Event 1'), 'remove'],
        ['prune-no-pattern', three(), 'removePattern'],
        ['prune-absent', [{ name: 'Event 1' }], 'remove'],
      ] as const) {
        const { error } = await fault(node, { payload })
        error.cause.should.match({ code: 'INVALID_INPUT', problems: [{ path }] })
      }
      for (const payload of [null, undefined, '[{"name":"Event 1"', 'nonsense']) {
        const { error } = await fault('prune', { payload })
        error.cause.code.should.equal('INVALID_INPUT')
      }
      simulator.journal.should.have.length(0)
    })

    it('is refused for a route that is on the air', async () => {
      await run('row', [route('Event 1'), route('Event 2', 'running')])
      const { error } = await fault('prune', { payload: [route('Event 1')] })
      error.message.should.containEql('would delete "Event 2", which is not stopped')
      await run('row', [route('Event 2', 'stopped')])
      const event = simulator.route('Event 2')!
      Object.assign(event, { state: 'starting' })
      const starting = await fault('prune', { payload: [route('Event 1')] })
      starting.error.message.should.containEql('would delete "Event 2", which is not stopped')
      event.state = 'idle'
      ;(await planned([route('Event 1')], 'prune')).summary.delete.should.equal(1)
    })

    it('is a conflict when one of them is on the air by the time it is applied', async () => {
      await run('row', three())
      const kept = [route('Event 1')]
      const plan = await planned(kept, 'prune')
      simulator.startRoute('Event 2')
      const { error } = await fault('prune', { payload: kept, plan })
      error.cause.code.should.equal('CONFLICT')
      error.message.should.containEql('"Event 2" has changed on the gateway since')
      simulator.stopRoute('Event 2')
      simulator.renameRoute('Studio', 'Event 9')
      const more = await fault('prune', { payload: kept, plan })
      more.error.message.should.containEql('"Event 9" is not in the plan')
      names().should.deepEqual(['Event 1', 'Event 2', 'Event 9'])
    })

    it('is refused for more than so many, with their names', async () => {
      const many = [1, 2, 3, 4, 5].map((number) => route(`Event ${number}`))
      await run('row', many)
      const { error } = await fault('prune', { payload: many.slice(0, 1) })
      error.cause.should.match({ code: 'INVALID_INPUT', problems: [{ path: 'removeAtMost' }] })
      error.message.should.match(/is 3, but 4 routes .* "Event 2", "Event 3", "Event 4", "Event 5"/)
      ;(await planned(many.slice(0, 2), 'prune')).summary.delete.should.equal(3)
    })

    it('frees the port for a route that takes it', async () => {
      await run('row', [listener('Event 1', 5900), route('Studio')])
      const wanted = [listener('Event 2', 5900, 'other out'), route('Studio')]
      const done = await run('prune', wanted, { plan: await planned(wanted, 'prune') })
      done.map(({ action }) => action).should.deepEqual(['create', 'none', 'delete'])
      writes()
        .slice(-2)
        .map(({ body }) => (body as { action: string }).action)
        .should.deepEqual(['delete', 'create'])
    })
  })

  describe('in which a route has another name', () => {
    it('is a rename in a plan, never a second route beside the old one', async () => {
      await run('row', [route('Old', 'running'), route('Other')])
      const { id } = named('Old')
      const wanted = [{ ...route('Old', 'running'), name: 'New' }, route('Other')]
      const plan = await planned(wanted, 'prune')
      plan.text.should.endWith('\n~ "Old" → "New"  update\n    name: Old → New')
      const [row] = await run('prune', wanted, { plan })
      row!.should.match({ action: 'update', after: { id, name: 'New', state: 'running' } })
      names().should.deepEqual(['New', 'Other'])
    })

    it('is what renamedFrom says, also if more has changed, and once', async () => {
      await run('row', [route('Old')])
      const wanted = { ...route('New', 'running'), renamedFrom: 'Old' }
      ;(await run('row', [wanted]))[0]!.action.should.deepEqual(['update', 'start'])
      ;(await run('row', [wanted]))[0]!.action.should.equal('none')
      names().should.deepEqual(['New'])
    })

    it('is a new route where the former name is given as empty, and without a plan', async () => {
      await run('row', [route('Old')])
      const twin = { ...route('Old'), name: 'Twin' }
      ;(await planned([{ ...twin, renamedFrom: '' }])).summary.create.should.equal(1)
      const { plan } = await result('check', { payload: [twin] })
      ;(plan as PlanReport).text.should.containEql('the same as "Old" except for its name')
      await run('row', [twin])
      names().should.deepEqual(['Old', 'Twin'])
    })

    describe('that another route still has', () => {
      const moved = (from: string, to: string, more: object = {}): Definition => ({
        ...route(from),
        name: to,
        renamedFrom: from,
        ...more,
      })
      const placed = (): object[] =>
        simulator.routes
          .map(({ id, name, state, source: { port: at } }) => ({ id, name, state, port: at }))
          .sort((one, other) => (one.id < other.id ? -1 : 1))

      it('any exchange and any shift moves names only, and is done once', async () => {
        const NAMES = ['Cam', 'Cam 2', 'Camera', 'Studio A', 'Studio B 1', 'Weather']
        await fc.assert(
          fc.asyncProperty(
            fc.shuffledSubarray(NAMES, { minLength: 2 }),
            fc.shuffledSubarray([...NAMES, 'Free', 'Free too'], { minLength: 8 }),
            fc.boolean(),
            fc.boolean(),
            async (given, targets, isWhole, isApproved) => {
              for (const id of simulator.routes.map((one) => one.id)) simulator.removeRoute(id)
              for (const name of NAMES) {
                const { state: _, ...spec } = route(name)
                simulator.addRoute({ ...spec, startRoute: true } as never)
              }
              const before = placed() as Array<{ name: string }>
              // Names that no given row gives away stay where they are.
              const free = targets.filter((name) => given.includes(name) || !NAMES.includes(name))
              const to = new Map(given.map((name, index) => [name, free[index]!]))
              const rows = given
                .filter((name) => to.get(name) !== name)
                .map((name) => {
                  const row = moved(name, to.get(name)!)
                  return (isWhole ? row : { name: row.name, renamedFrom: name }) as Definition
                })
              if (rows.length === 0) return
              const from = simulator.journal.length
              const plan = isApproved ? await planned(rows) : undefined
              const done = await run(isApproved ? 'approve' : 'row', rows, { plan })
              done.map(({ action }) => action).should.deepEqual(rows.map(() => 'update'))
              placed().should.deepEqual(
                before.map((one) => ({ ...one, name: to.get(one.name) ?? one.name })),
              )
              const sent = simulator.journal
                .slice(from)
                .filter(({ method, path }) => method !== 'GET' && path !== '/api/session')
              sent
                .map(({ body }) => (body as { action?: string }).action)
                .should.deepEqual(rows.map(() => 'update'))
              if (!isWhole) return
              const again = await run('row', rows)
              again.map(({ action }) => action).should.deepEqual(rows.map(() => 'none'))
            },
          ),
          { numRuns: 12 },
        )
      })

      it('is refused with what to do where that name stays, or is not clear', async () => {
        await run('row', [route('A', 'running'), route('Bb', 'running'), route('Ccc')])
        const before = placed()
        const count = writes().length
        const refused = async (payload: unknown): Promise<string> => {
          const { error } = await fault('row', { payload })
          error.code.should.equal('INVALID_INPUT')
          return error.message
        }
        ;(await refused([moved('Bb', 'A')])).should.containEql(
          '[0].renamedFrom is "Bb", but "A" exists as well: renaming "Bb" to "A" needs two runs, the first one for "A"; if it was renamed already, remove renamedFrom',
        )
        const changed = { source: source('Bb', 7001) }
        ;(await refused([moved('Bb', 'A', changed), moved('A', 'Bb')])).should.containEql(
          '[0].renamedFrom is "Bb", but "A" differs in more than its name: exchange the names in one run',
        )
        writes().length.should.equal(count)
        placed().should.deepEqual(before)
      })

      it('is over once it was done: a route that is new under the former name, or a drift, is no order', async () => {
        await run('row', [route('A'), route('Bb')])
        const exchange = [moved('Bb', 'A'), moved('A', 'Bb')]
        await run('row', exchange)
        const after = placed()
        await run('row', [{ name: 'A', source: { port: 7002 } }])
        ;(await run('row', exchange))
          .map(({ action }) => action)
          .should.deepEqual(['update', 'none'])
        placed().should.deepEqual(after)
        await run('row', [route('Old')])
        await run('row', [moved('Old', 'New')])
        const both = [moved('Old', 'New'), route('Old')]
        ;(await run('row', both)).map(({ action }) => action).should.deepEqual(['none', 'create'])
        ;(await run('row', [{ ...both[0]!, source: source('Old', 7003) }, both[1]!]))
          .map(({ action }) => action)
          .should.deepEqual(['update', 'none'])
      })
    })

    it('is not guessed when two routes could be meant', async () => {
      await run('row', [route('Old')])
      await run('row', [{ ...route('Old'), name: 'Twin' }])
      const plan = await planned([{ ...route('Old'), name: 'Third' }])
      plan.summary.should.match({ create: 1, update: 0 })
    })
  })
})
