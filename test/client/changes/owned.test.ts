// What a failover owns of a route: plans leave it and say so, and files have main's.
import { ensureRoutes, type EnsureRoutes } from '../../../client/changes/ensure/ensure'
import { newEnsureMemory, undoLastRun } from '../../../client/changes/ensure/undo'
import { listDefinitions } from '../../../client/changes/definitions'
import { Operation } from '../../../client/connection/operation'
import { ownerKey, type Owner } from '../../../client/memory'
import type { RouteSpec } from '../../../simulator'
import { errorOf } from '../../support/errors'
import { connected, deviceId, gateway, simulator } from '../../support/stage'

const MAIN = { address: '239.1.0.1', port: 5002 }
const BACKUP = { address: '239.1.0.2', port: 5999 }
const SECRET = 'invented for this test'

const out = (port: number) => ({ name: `to ${port}`, protocol: 'udp', address: '239.9.9.9', port })
const udp = (source: object) => ({ name: 'in', protocol: 'udp', ...source })
const route = (name: string, source: object, port: number, startRoute = true): RouteSpec =>
  ({ id: name, name, startRoute, source, destinations: [out(port)] }) as unknown as RouteSpec

describe('what a failover owns', () => {
  const memory = newEnsureMemory()

  beforeEach(() =>
    connected({
      routes: [
        route('Studio A', udp(MAIN), 6001),
        route('Spare', udp({ address: '239.1.0.3', port: 5003 }), 6002, false),
      ],
      applyDelay: 0,
      settleDelay: 0,
    }),
  )

  const writes = (): string[] =>
    simulator.journal
      .filter(({ method, path }) => method === 'POST' && /updates|commands|routes$/.test(path))
      .map(({ path }) => path)

  const own = (name: string, owner: Partial<Owner>): void => {
    const address = { deviceId, routeId: name }
    const whole = { members: ['address', 'port'], main: MAIN, isTwo: false, ...owner }
    gateway.memory.protections.set(ownerKey(gateway.address, address), whole)
  }
  const ofTwo = (inUse: Owner['inUse']): void => {
    for (const name of ['Studio A', 'Spare']) {
      own(name, { members: [], main: {}, isTwo: true, mainId: 'Studio A', ...(inUse && { inUse }) })
    }
  }
  const sourceOf = (name: string) => simulator.route(name)!.source as Record<string, unknown>
  const toBackup = (): void => void Object.assign(sourceOf('Studio A'), BACKUP)

  const definitions = async () => {
    const options = { deviceId, secrets: 'names' } as const
    const found = await listDefinitions(gateway, options, new Operation('list-routes'))
    return found.answer as unknown as Array<Record<string, never>>
  }
  const ensure = async (rows: unknown, options: Partial<EnsureRoutes> = {}) =>
    ensureRoutes(
      gateway,
      rows,
      { deviceId, state: 'row', waitTimeout: 5000, exact: true, memory, ...options },
      new Operation('ensure-route'),
    )
  const check = async (rows: unknown, options: Partial<EnsureRoutes> = {}) => {
    const { plan, results } = await ensure(rows, { check: true, ...options })
    return { ...plan!, left: [results].flat().map((one) => (one as { left?: object[] }).left) }
  }
  const undo = (options = {}) =>
    undoLastRun(gateway, memory, { waitTimeout: 5000, ...options }, new Operation('ensure-route'))

  it('is left on backup: nothing is to do, the plan says why, and the file has main', async () => {
    const file = await definitions()
    own('Studio A', { inUse: 'backup' })
    toBackup()
    should(await definitions()).eql(file)
    const { text, table, summary, left } = await check(file)
    text.should.equal(
      [
        'Nothing to do.',
        '= "Studio A"',
        '    source.address stays 239.1.0.2: on backup by failover',
        '    source.port stays 5999: on backup by failover',
      ].join('\n'),
    )
    table.should.eql([])
    summary.update.should.equal(0)
    should(left[1]!.map((one) => (one as { reason: string }).reason)).eql(['backup', 'backup'])
    should(left[0]).be.undefined()
  })

  it('is left while everything else is applied, and undone', async () => {
    const file = await definitions()
    own('Studio A', { inUse: 'backup' })
    toBackup()
    simulator.route('Studio A')!.destinations[0]!.port = 6666
    const { text, id } = (await ensure(file, { approve: true })).plan!
    text.should.containEql('0 to add, 1 to change, 0 to remove')
    text.should.containEql('destinations[0].port: 6666 → 6001\n    source.address stays 239.1.0.2')
    // A switch in between is not what the plan rests on.
    Object.assign(sourceOf('Studio A'), MAIN)
    const { results } = await ensure(file, { approve: true, planId: id })
    const [, applied] = results as Array<{ changed: boolean; error?: unknown }>
    should(applied!.error).be.undefined()
    simulator.route('Studio A')!.destinations[0]!.port!.should.equal(6001)
    sourceOf('Studio A')['port']!.should.equal(MAIN.port)
    toBackup()
    const back = await undo()
    ;[back.results].flat().should.matchEach((one: { changed: boolean }) => one.changed)
    simulator.route('Studio A')!.destinations[0]!.port!.should.equal(6666)
    sourceOf('Studio A')['port']!.should.equal(BACKUP.port)
  })

  it('is never brought to what only the failover can change, which the plan names', async () => {
    const file = [{ name: 'Studio A', source: { ...MAIN, port: 5004 } }]
    await definitions()
    own('Studio A', { inUse: 'main' })
    const why = 'the failover has 5002 for main, not 5004; change it there'
    ;(await check(file)).text.should.equal(
      `Nothing to do.\n= "Studio A"\n    source.port stays 5002: ${why}`,
    )
    toBackup()
    own('Studio A', { inUse: 'backup' })
    const { text, left } = await check(file)
    text.should.containEql(`source.port stays 5999: ${why}`)
    text.should.containEql('source.address stays 239.1.0.2: on backup by failover')
    should(left[0]!.map((one) => (one as { reason: string }).reason)).eql(['backup', 'failover'])
    const { results } = await ensure(file)
    should((results as Array<{ changed: boolean }>)[0]!.changed).be.false()
    writes().should.eql([])
  })

  it('is left where a person has set another source', async () => {
    const file = await definitions()
    own('Studio A', { inUse: 'other' })
    Object.assign(sourceOf('Studio A'), { port: 5777 })
    should(await definitions()).eql(file)
    ;(await check(file)).text.should.equal(
      'Nothing to do.\n= "Studio A"\n    source.port stays 5777: left to the failover',
    )
  })

  it('is left with its protocol: nothing of main is written to another one', async () => {
    const srt = { protocol: 'srt', srtMode: 'listener', srtLatency: 300, srtPassPhrase: SECRET }
    const main = { ...srt, address: '0.0.0.0', port: 5002 }
    simulator.addRoute(route('Studio C', { name: 'in', ...main }, 6003))
    const file = await definitions()
    const mine = file.find(({ name }) => name === 'Studio C')!
    JSON.stringify(mine).should.containEql('${SRT_STUDIO_C_SOURCE}')
    // Of a main with another protocol, the failover demands every member.
    const { srtPassPhrase: _, name: __, ...shown } = mine['source']! as Record<string, unknown>
    await ensure([{ name: 'Studio C', source: udp(BACKUP) }], { exact: false })
    own('Studio C', {
      inUse: 'backup',
      members: [...Object.keys(shown), 'srtPassPhrase'],
      main: shown,
    })
    const before = writes().length
    should(await definitions()).eql(file)
    const wanted = JSON.parse(
      JSON.stringify(file).replace('${SRT_STUDIO_C_SOURCE}', SECRET),
    ) as unknown
    const { text, left } = await check(wanted)
    text.should.startWith('Nothing to do.\n= "Studio C"')
    text.should.containEql('source.protocol stays udp: on backup by failover')
    text.should.not.containEql(SECRET)
    const reasons = left
      .flatMap((one) => one ?? [])
      .map((one) => (one as { reason: string }).reason)
    new Set(reasons).should.eql(new Set(['backup']))
    await ensure(wanted)
    writes().length.should.equal(before)
  })

  it('is the running state of two routes', async () => {
    const file = await definitions()
    ofTwo('backup')
    simulator.stopRoute('Studio A')
    simulator.startRoute('Spare')
    should(await definitions()).eql(file)
    const { text, summary } = await check(file)
    summary.should.containEql({ start: 0, stop: 0, update: 0 })
    text.should.containEql('= "Spare"\n    state stays running: on backup by failover')
    text.should.containEql('= "Studio A"\n    state stays idle: on backup by failover')
    // All else of them is planned.
    const more = file.map((one) => ({ ...one, destinations: [out(6100)] }))
    ;(await check(more)).summary.should.containEql({ start: 0, stop: 0, update: 2 })

    ofTwo(undefined)
    simulator.stopRoute('Spare')
    const stopped = await definitions()
    stopped.every(({ state }) => state === ('stopped' as never)).should.be.true()
    ;(await check(file)).text.should.containEql('= "Studio A"\n    state stays idle: left to')
    await ensure(file)
    writes().should.eql([])
  })

  it('is no route to delete: not by a row, not by its absence from the file, not by an undo', async () => {
    const [spare, studio] = await definitions()
    ofTwo('main')
    for (const [rows, options] of [
      [[{ name: 'Spare' }], { state: 'absent' }],
      [{ name: 'Spare' }, { state: 'absent' }],
      [[studio], { remove: { pattern: '*' }, check: true }],
    ] as const) {
      const error = await errorOf(ensure(rows, options))
      error.code.should.equal('INVALID_INPUT')
      error.message.should.containEql('a failover protects "Spare"; end the failover before')
    }
    gateway.memory.protections.clear()
    await ensure([{ ...studio, name: 'New', destinations: [out(6009)] }, spare])
    own('New', {})
    gateway.memory.protections.set(
      ownerKey(gateway.address, { deviceId, routeId: simulator.route('New')!.id }),
      { members: [], main: {}, isTwo: false },
    )
    const error = await errorOf(undo())
    error.code.should.equal('CONFLICT')
    error.message.should.containEql('a failover protects "New"')
    should(simulator.route('New')).be.ok()
  })

  it('is no reason to see another route in one that was renamed', async () => {
    const file = await definitions()
    own('Studio A', { inUse: 'backup' })
    toBackup()
    simulator.route('Studio A')!.name = 'Somebody’s'
    const { text } = (await ensure(file, { approve: true })).plan!
    text.should.containEql('0 to add, 1 to change, 0 to remove')
    text.should.containEql('"Somebody’s" → "Studio A"  update')
  })

  it('is nothing of a route without a failover', async () => {
    const file = await definitions()
    toBackup()
    should(await definitions()).not.eql(file)
    const { text, left } = await check(file)
    text.should.containEql('source.port: 5999 → 5002')
    should(left).eql([undefined, undefined])
  })
})
