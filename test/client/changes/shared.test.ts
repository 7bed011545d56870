// Shared outputs: one destination of two routes. What would take it away or change it is confirmed.
import { openGateway, type ConfirmOptions, type Route } from '../../../client'
import { errorOf } from '../../support/errors'
import { passOn, ScriptedAppliance } from '../../support/scripted-appliance'
import { connected, program as gateway, simulator } from '../../support/stage'

const part = (name: string, port: number, more: object = {}) => ({
  name,
  protocol: 'udp' as const,
  address: '239.1.1.1',
  port,
  ...more,
})
const LISTENER = { protocol: 'srt' as const, srtMode: 'listener', address: '0.0.0.0' }

describe('an output that two routes share', () => {
  beforeEach(async () => {
    await connected({ routes: [], applyDelay: 0, settleDelay: 0 })
    for (const [index, name] of ['First', 'Second', 'Third'].entries()) {
      simulator.addRoute({
        id: `route-${index}`,
        name,
        source: part('in', 5001 + index),
        destinations: [
          part('own', 6001 + index),
          ...(index < 2 ? [part('shared', 7000, LISTENER)] : []),
        ],
      })
    }
    for (const name of ['First', 'Second']) simulator.route(name)!.destinations[1]!.id = 'out-1'
  })

  const writes = (): number =>
    simulator.journal.filter(({ path, method }) => method === 'POST' && path.endsWith('/updates'))
      .length
  const lists = (): number =>
    simulator.journal.filter(({ path }) => path.endsWith('/routes')).length

  const first = { name: 'First' }
  const own = part('own', 6001)
  const whole = () => {
    const { name, source, destinations } = simulator.route('First')!
    return {
      name,
      source: { id: source.id, ...part('in', 5001) },
      destinations: [{ id: destinations[0]!.id, ...own }],
    }
  }
  const onlyOwn = { name: 'First', destinations: [{ name: 'own' }] }

  type Work = (options: ConfirmOptions) => Promise<unknown>
  const REFUSED: Record<string, Work> = {
    'a delete': (options) => gateway.routes.delete(first, options),
    'an update that changes it': (options) =>
      gateway.routes.update(first, { destinations: [{ name: 'shared', port: 7001 }] }, options),
    'an update that removes it': (options) =>
      gateway.routes.update(first, { destinations: { shared: null } }, options),
    'an update that replaces all, and reads nothing': (options) =>
      gateway.routes.update({ id: 'route-0' }, whole(), { mode: 'replace', ...options }),
    'an update with another list': (options) =>
      gateway.routes.update(first, { destinations: [own] }, { mode: 'keep', ...options }),
    'an ensure that changes it': (options) =>
      gateway.routes.ensure({ ...first, destinations: [{ name: 'shared', port: 7001 }] }, options),
    'an ensure that removes it': (options) =>
      gateway.routes.ensure(onlyOwn as never, { exact: true, ...options }),
    'an ensure of a list that deletes its route': (options) =>
      gateway.routes.ensure([first], { state: 'absent', ...options }),
  }
  for (const [what, work] of Object.entries(REFUSED)) {
    it(`refuses ${what}, unless that is confirmed`, async () => {
      for (const confirmShared of [undefined, false, 'true', 'Second', {}]) {
        const error = await errorOf(work({ confirmShared } as ConfirmOptions))
        error.code.should.equal('CONFLICT', error.message)
        error.cause.should.containEql({ applied: 'no', retryable: false })
        error.message.should.containEql('"shared" (also of "Second")')
        error.message.should.match(/Nothing was changed\. .*the option confirmShared to true/)
      }
      writes().should.equal(0)
      await work({ confirmShared: true })
      writes().should.equal(1)
    })
  }

  it('is no hindrance to any other change, which lists nothing more', async () => {
    await gateway.routes.start(first)
    await gateway.routes.stop(first)
    const before = lists()
    const third = { id: 'route-0' }
    await gateway.routes.update(third, {
      source: { port: 5555 },
      destinations: [part('own2', 6100)],
    })
    lists().should.equal(before)
    await gateway.routes.ensure([
      { ...first, source: { port: 5556 } },
      { name: 'Second', state: undefined },
    ])
    await gateway.routes.delete({ name: 'Third' })
    simulator
      .route('First')!
      .destinations.map(({ name }) => name)
      .should.eql(['own', 'shared', 'own2'])
  })

  it('is no clash of ports, and can be deleted with both of its routes', async () => {
    const both = ['First', 'Second'].map((name) => ({
      name,
      destinations: [{ name: 'shared', port: 7002 }],
    }))
    await gateway.routes.ensure(both, { confirmShared: true })
    simulator.route('Second')!.destinations[1]!.port!.should.equal(7002)
    const other = { ...both[0]!, name: 'Third', destinations: [part('new', 7002, LISTENER)] }
    const clash = await errorOf(gateway.routes.ensure([other]))
    clash.code.should.equal('INVALID_INPUT')
    await gateway.routes.ensure([first, { name: 'Second' }], { state: 'absent' })
    simulator.routes.map(({ name }) => name).should.eql(['Third'])
  })

  it('is named in a plan before it is refused', async () => {
    const { text } = await gateway.routes.plan([first], { state: 'absent' })
    text.should.containEql(
      '\n- "First"  delete\n    shared: "shared" (also of "Second"); confirmShared must be true',
    )
  })

  it('that no longer exists, but has its place in a route, is no hindrance', async () => {
    for (const place of [{ id: 'out-gone' }, { id: 'out-gone', name: null }]) {
      const appliance = new ScriptedAppliance(async (call) => {
        const { 'content-length': _, ...headers } = call.headers
        const text = call.text.replace(/,\{"id":"out-gone"[^}]*\}/, '')
        const answer = await passOn({ ...call, headers, text }, simulator.url + call.url)
        if (answer === 'cut' || !/\/routes\b/.test(call.path)) return answer
        const body = JSON.parse(String(answer.text)) as { data?: Route[] } & Route
        for (const route of body.data ?? [body]) route.destinations?.push(place as never)
        return { body }
      })
      await appliance.start()
      const account = { username: 'haiadmin', password: 'manager' }
      const odd = openGateway({ baseUrl: appliance.url, ...account })
      try {
        const { data } = await odd.routes.list()
        data.should.have.length(3)
        await odd.routes.get(first)
        const file = await odd.routes.definitions()
        file.should.have.length(3)
        await odd.routes.plan([{ name: 'First', source: { port: 5559 } }])
        await odd.routes.plan([first], { state: 'absent' })
        await odd.routes.ensure([
          { ...first, source: { port: 5557 } },
          { name: 'New', source: part('New in', 5900), destinations: [] },
        ])
        await odd.routes.update({ id: 'route-1' }, { source: { port: 5558 } })
        await odd.routes.start(first, { waitFor: 'applied' })
        await odd.routes.ensure([{ name: 'New' }], { state: 'absent' })
        simulator.route('First')!.source.port!.should.equal(5557)
      } finally {
        await odd.close()
        await appliance.stop()
      }
    }
  })
})
