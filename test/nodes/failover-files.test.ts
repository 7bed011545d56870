// Failover, routes as a file and keys that change know of each other: a real flow with all of them.
import type { RouteSpec, Simulator } from '../../simulator'
import type { Ensured } from '../../client/changes/ensure/apply'
import type { PlanReport } from '../../client/changes/ensure/report'
import { CONFIG_VERSION } from '../../nodes/runtime/migrations'
import { load, result, send, simulated } from '../support/flow'
import { until } from '../support/until'

const MAIN = { address: '192.0.2.1', port: 5002 }
const BACKUP = { address: '192.0.2.2', port: 5999 }
const KEY = 'the key of the first day'
const NEW_KEY = 'the key of the second day'

const out = (port: number) => ({ name: `to ${port}`, protocol: 'udp', address: '239.9.9.9', port })
const srt = (source: object) => ({ name: 'in', protocol: 'srt', srtMode: 'caller', ...source })
const route = (name: string, source: object, port: number, startRoute = true): RouteSpec =>
  ({ id: name, name, startRoute, source, destinations: [out(port)] }) as unknown as RouteSpec

const failover = (more: object): object => ({
  type: 'media-gateway-failover',
  configVersion: CONFIG_VERSION,
  mainType: 'json',
  backupType: 'json',
  pollEvery: 0.5,
  holdOff: 0.5,
  settle: 2,
  guard: 1,
  wires: [[]],
  ...more,
})
const sides = (more: object): object => ({
  main: JSON.stringify({ ...MAIN, ...more }),
  backup: JSON.stringify({ ...BACKUP, ...more }),
})
const ensure = (more: object = {}): object => ({
  type: 'media-gateway-ensure-route',
  state: 'row',
  exact: true,
  waitTimeout: 5,
  ...more,
})
const definitions = { type: 'media-gateway-list-routes', output: 'definitions', secrets: 'names' }
const other = { gateway: 'other' }

describe('a failover, a file and a key', function () {
  this.timeout(60_000)

  let simulator: Simulator

  beforeEach(async () => {
    simulator = await simulated({
      routes: [
        route('Studio A', srt({ ...MAIN, srtPassPhrase: KEY }), 6001),
        route('Studio B', srt({ address: '192.0.2.3', port: 5003 }), 6002),
        route('Slate', srt({ address: '192.0.2.4', port: 5004 }), 6003, false),
      ],
      applyDelay: 20,
      settleDelay: 20,
    })
    const id = 'other'
    const gateway = { id, type: 'media-gateway', name: 'the same', baseUrl: simulator.url }
    await load(
      simulator.url,
      {
        source: failover({
          route: 'Studio A',
          routeType: 'name',
          ...sides({ srtPassPhrase: '${SRT_STUDIO_A_SOURCE}' }),
        }),
        two: failover({
          method: 'routes',
          main: 'Studio B',
          mainType: 'name',
          backup: 'Slate',
          backupType: 'name',
        }),
        export: definitions,
        'export-other': { ...definitions, ...other },
        check: ensure({ check: true }),
        'check-other': ensure({ check: true, ...other }),
        plan: ensure({ approve: true, remove: 'pattern', removePattern: '*' }),
        key: ensure({ state: 'present', exact: false }),
        update: {
          type: 'media-gateway-update-route',
          route: 'Studio A',
          routeType: 'name',
          definition: 'payload',
          definitionType: 'msg',
          mode: 'merge',
          waitFor: 'applied',
        },
      },
      {
        env: [{ name: 'SRT_STUDIO_A_SOURCE', value: KEY, type: 'str' }],
        others: [gateway],
        accounts: { [id]: { username: 'haiadmin', password: 'manager' } },
      },
    )
    await knows()
  })

  const source = () => simulator.route('Studio A')!.source as Record<string, unknown>
  const isRunning = (name: string): boolean => simulator.route(name)!.state === 'running'
  const writes = (): number =>
    simulator.journal.filter(
      ({ method, path }) => method === 'POST' && /\/(updates|commands|routes)$/.test(path),
    ).length
  const file = async (node = 'export'): Promise<unknown[]> =>
    (await result(node)).payload as unknown[]
  const planOf = async (node: string, payload: unknown): Promise<PlanReport> =>
    (await result(node, { payload })).plan as PlanReport
  /** Until both failovers have seen their routes. */
  const knows = async (): Promise<void> => {
    const reads = (): number =>
      simulator.journal.filter(({ method, path }) => method === 'GET' && path.includes('/devices/'))
        .length
    const before = reads()
    await until(() => reads() >= before + 4, 'looks')
  }
  const onBackup = async (): Promise<void> => {
    simulator.failAddress(MAIN.address, 'disconnected')
    await until(() => source()['address'] === BACKUP.address, 'the backup')
    await knows()
  }
  const toMain = async (): Promise<void> => {
    simulator.failAddress(MAIN.address, 'ok')
    const { error } = await send('source', { action: 'main' })
    should(error).be.undefined()
    await until(() => source()['address'] === MAIN.address, 'main')
    await knows()
  }

  it('agree while the route is on its backup: nothing differs, nothing goes back, the file has main', async () => {
    const wanted = await file()
    await onBackup()
    for (const node of ['export', 'export-other']) should(await file(node)).eql(wanted)
    for (const node of ['check', 'check-other']) {
      const { text, table } = await planOf(node, wanted)
      should(table).eql([])
      text.should.equal(
        [
          'Nothing to do.',
          '= "Studio A"',
          '    source.address stays 192.0.2.2: on backup by failover',
          '    source.port stays 5999: on backup by failover',
        ].join('\n'),
      )
    }
    const before = writes()
    const plan = await planOf('plan', wanted)
    await result('plan', { payload: wanted, plan: { id: plan.id } })
    source()['address']!.should.equal(BACKUP.address)
    writes().should.equal(before)
  })

  it('agree on two routes: a plan starts and stops neither, and the spare is not deleted', async () => {
    const wanted = (await file()) as Array<{ name: string }>
    const { error } = await send('two', { action: 'backup' })
    should(error).be.undefined()
    await until(() => isRunning('Slate') && !isRunning('Studio B'), 'the spare')
    await knows()
    should(await file()).eql(wanted)
    const { text, summary } = await planOf('check', wanted)
    should(summary).containEql({ start: 0, stop: 0, update: 0 })
    text.should.containEql('= "Slate"\n    state stays running: on backup by failover')
    const before = writes()
    await result('plan', { payload: wanted, plan: { id: (await planOf('plan', wanted)).id } })
    const { caught } = await send('plan', {
      payload: wanted.filter(({ name }) => name !== 'Slate'),
    })
    caught!.error.code.should.equal('INVALID_INPUT')
    caught!.error.message.should.containEql('a failover protects "Slate"')
    writes().should.equal(before)
    isRunning('Slate').should.be.true()
  })

  it('agree on a key: one that was rotated survives a switch away and back', async () => {
    const payload = { name: 'Studio A', source: { srtPassPhrase: NEW_KEY } }
    const rotated = (await result('key', { payload })).payload as Ensured
    rotated.changed.should.be.true()
    should(rotated.left).be.undefined()
    source()['srtPassPhrase']!.should.equal(NEW_KEY)
    await onBackup()
    source()['srtPassPhrase']!.should.equal(NEW_KEY)
    await toMain()
    source()['srtPassPhrase']!.should.equal(NEW_KEY)
    // Also while the backup is in use.
    await onBackup()
    const again = { name: 'Studio A', source: { srtPassPhrase: KEY } }
    ;((await result('key', { payload: again })).payload as Ensured).changed.should.be.true()
    await toMain()
    source()['srtPassPhrase']!.should.equal(KEY)
  })

  it('leave a person free: an update by hand sets what the failover owns', async () => {
    await result('update', { payload: { source: { address: '192.0.2.77' } } })
    source()['address']!.should.equal('192.0.2.77')
    await knows()
    source()['address']!.should.equal('192.0.2.77')
    const { text } = await planOf('check', [{ name: 'Studio A', source: MAIN }])
    text.should.containEql('source.address stays 192.0.2.77: left to the failover')
  })
})
