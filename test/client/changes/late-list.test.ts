import type { Route } from '../../../client'
import { errorOf } from '../../support/errors'
import { liveInOwnTime } from '../../support/own-time'
import { appliance, program as gateway, relay, relayed, simulator } from '../../support/stage'

const ROWS = 20
const APPLIED = { waitFor: 'applied' } as const

/** A read of one route shows a change at once; the list of routes is that of before. */
describe('a list that is older than the route by itself', () => {
  let held: string | undefined
  let reads: string[]
  /** The ID of a route that cannot be read. */
  let broken: string | undefined
  let first: { id: string; name: string }

  const list = async (url: string): Promise<string> => {
    const response = await fetch(simulator.url + url, { headers: { cookie } })
    return response.text()
  }
  let cookie = ''
  const stored = (id = first.id): Route =>
    simulator.routes.find((route) => route.id === id) as unknown as Route
  const changes = (): string[] =>
    simulator.journal
      .filter(({ method, path }) => method === 'POST' && /updates|commands/.test(path))
      .map(({ body }) => (body as { action?: string; command?: string }).action ?? 'command')

  beforeEach(async () => {
    liveInOwnTime()
    ;[held, broken, reads, cookie] = [undefined, undefined, [], '']
    await relayed({ routes: ROWS })
    appliance.reply = async (call) => {
      if (call.method !== 'GET' || !call.path.includes('/routes')) return relay(call)
      cookie = String(call.headers.cookie)
      reads.push(call.path.endsWith('/routes') ? 'list' : 'route')
      if (broken !== undefined && call.path.endsWith(broken)) return { status: 500 }
      return call.path.endsWith('/routes') && held !== undefined ? { text: held } : relay(call)
    }
    const { data } = await gateway.routes.list()
    first = data[0]!
    const url = appliance.calls.find(({ path }) => path.endsWith('/routes'))!.url
    held = await list(url)
    reads = []
  })

  it('does not hide an update from an ensure of the former values', async () => {
    const { address } = stored().source
    await gateway.routes.update(first, { source: { address: '239.9.9.9' } }, APPLIED)
    const ensured = await gateway.routes.ensure({ name: first.name, source: { address } })
    ensured.should.match({ action: 'update', after: { source: { address } } })
    stored().source.address!.should.equal(address!)
  })

  it('does not hide it from many rows', async () => {
    const rows = simulator.routes.map(({ name, source }) => ({
      name,
      source: { name: source.name },
    }))
    const ids = simulator.routes.map(({ id }) => ({ id }))
    await Promise.all(ids.map((one) => gateway.routes.update(one, { source: { name: 'other' } })))
    await simulator.settle()
    await Promise.all(ids.map((one) => gateway.routes.get(one)))
    const ensured = await gateway.routes.ensure(rows)
    ensured.should.match(rows.map(() => ({ action: 'update' })))
    simulator.routes.map(({ source }) => source.name).should.eql(rows.map((one) => one.source.name))
  })

  it('does not hide an ensure from its undo', async () => {
    const { address } = stored().source
    await gateway.routes.ensure({ name: first.name, source: { address: '239.9.9.9' } })
    const { results } = await gateway.routes.undo()
    results.should.match([{ action: 'update' }])
    stored().source.address!.should.equal(address!)
  })

  it('does not hide a stop from an ensure that it runs', async () => {
    await gateway.routes.start(first, APPLIED)
    held = await list(appliance.calls.findLast(({ path }) => path.endsWith('/routes'))!.url)
    await gateway.routes.stop(first, APPLIED)
    const ensured = await gateway.routes.ensure({ name: first.name }, { state: 'started' })
    ensured.should.match({ action: 'start' })
  })

  it('does not confirm a start by the state of before the stop', async () => {
    const [one, other] = simulator.routes.filter(({ state }) => state === 'running')
    await gateway.routes.stop({ id: one!.id }, APPLIED)
    simulator.setOptions({ applyDelay: 400 })
    // Waits of several routes share a list.
    const started = [one, other].map((each) => gateway.routes.start({ id: each!.id }, APPLIED))
    await started[0]
    stored(one!.id).state!.should.equal('running')
    await Promise.all(started)
  })

  it('keeps no other from being confirmed where one cannot be read by itself', async () => {
    const [one, other] = simulator.routes.filter(({ state }) => state === 'running')
    await gateway.routes.stop({ id: one!.id }, APPLIED)
    broken = one!.id
    let isSaid = false
    const started = gateway.routes.start({ id: one!.id }, APPLIED).then(() => (isSaid = true))
    await gateway.routes.start({ id: other!.id }, APPLIED)
    isSaid.should.be.false()
    broken = undefined
    await started
    stored(one!.id).state!.should.equal('running')
  })

  it('does not show that an update was refused: what is under way shows sooner elsewhere', async () => {
    const { address } = stored().source
    simulator.setOptions({ applyDelay: 400 })
    await gateway.routes.update(first, { source: { address: '239.9.9.9' } })
    await gateway.routes.get(first)
    const ensured = await gateway.routes.ensure({ name: first.name, source: { address } })
    ensured.should.match({ action: 'update' })
    stored().source.address!.should.equal(address!)
  })

  it('has a route under the name that an update gave it, and not under its former one', async () => {
    await gateway.routes.update({ id: first.id }, { name: 'Renamed' }, APPLIED)
    const { source } = stored()
    const ensured = await gateway.routes.ensure({ name: 'Renamed', source: { port: source.port } })
    ensured.should.match({ action: 'none', before: { id: first.id } })
    ;(await errorOf(gateway.routes.stop({ name: first.name }))).code.should.equal('NOT_FOUND')
    await gateway.routes.update({ name: 'Renamed' }, { name: first.name }, APPLIED)
    stored().name.should.equal(first.name)
    changes().should.eql(['update', 'update'])
  })

  it('has what somebody else has made of the route since', async () => {
    await gateway.routes.update(first, { source: { address: '239.9.9.9' } }, APPLIED)
    Object.assign(stored().source, { address: '239.8.8.8' })
    const wanted = { name: first.name, source: { address: '239.8.8.8' } }
    ;(await gateway.routes.ensure(wanted)).should.match({ action: 'none' })
  })

  it('costs one more read for each change that it does not show, and none once it does', async () => {
    await gateway.routes.update(first, { source: { address: '239.9.9.9' } }, APPLIED)
    const wanted = { name: first.name, source: { address: '239.9.9.9' } }
    reads = []
    await gateway.routes.ensure(wanted)
    reads.should.eql(['list', 'route'])
    for (const expected of [['list'], ['list']]) {
      ;[held, reads] = [undefined, []]
      await gateway.routes.ensure(wanted)
      reads.should.eql(expected)
    }
  })
})
