// The layout of a gateway in the field, and a life of its own with the truth about it.
import { setTimeout as pause } from 'node:timers/promises'
import {
  fieldRoutes,
  type LifeEvent,
  type LifeOptions,
  type SimulatorOptions,
} from '../../simulator'
import { call, loggedIn, simulate, type Json } from './support'

describe('the dialect field of the simulator', () => {
  const list = async (options: SimulatorOptions = { dialect: 'field' }): Promise<Json[]> => {
    const simulator = await simulate(options)
    const { get, routes } = await loggedIn(simulator)
    return (await get(`${routes}?pageSize=100`)).json.data
  }
  const endsInBlank = ({ name = '' }: Json) => name !== name.trim()

  it('is 14 routes from UDP to SRT listeners, two of them stopped', async () => {
    const routes = await list()
    routes.should.have.length(14)
    const running = routes.filter(({ state }) => state === 'running')
    running.should.have.length(12)
    for (const { source } of running) {
      source.should.containEql({ protocol: 'udp', state: 'connected', summaryStatusCode: 'ok' })
    }
    const others = routes.filter(({ state }) => state !== 'running')
    others.map(({ state }) => state).should.eql(['stopped', 'stopped'])
    const outputs = routes.flatMap(({ destinations }) => destinations)
    const there = outputs.filter(({ protocol }) => protocol !== undefined)
    for (const { protocol, mode } of there) should([protocol, mode]).eql(['srt', 'listener'])
  })

  it('has six running routes that nobody calls, in warn, and six that are ok', async () => {
    const running = (await list()).filter(({ state }) => state === 'running')
    const waiting = running.filter(({ summaryStatusCode }) => summaryStatusCode === 'warn')
    waiting.should.have.length(6)
    for (const { destinations } of waiting) {
      for (const { state, clientConnections } of destinations) {
        should([state, clientConnections]).eql(['disconnected', 0])
      }
    }
    const ok = running.filter(({ summaryStatusCode }) => summaryStatusCode === 'ok')
    ok.should.have.length(6)
  })

  it('shares one output, holds the ID of none, and has names that end in blanks or repeat', async () => {
    const routes = await list()
    const outputs = routes.flatMap(({ name, destinations }) =>
      destinations.map((each: Json) => ({ ...each, route: name })),
    )
    const by = (id: string) => outputs.filter((each) => each.id === id)
    const shared = outputs.filter(({ id }) => by(id).length > 1)
    shared.map(({ route }) => route).should.eql(['Evening show', 'Evening show reserve'])
    for (const { state } of shared) should(state).equal('connected')
    outputs.filter(({ name }) => name === undefined).should.match([{ id: /^[0-9a-f-]{36}$/ }])
    const named = outputs.filter(({ name }) => name !== undefined)
    routes.filter(endsInBlank).should.have.length(1)
    named.filter(endsInBlank).should.have.length(2)
    named.filter(({ name }) => name === 'Affiliates').length.should.be.above(3)
    const addresses = JSON.stringify(fieldRoutes()).match(/\d+\.\d+\.\d+\.\d+/g)!
    addresses.filter((each) => !/^(239|198\.51\.100|0\.0\.0)\./.test(each)).should.eql([])
  })

  it('keeps its dialect with other routes, and its routes with other settings', async () => {
    const [own] = await list({
      dialect: 'field',
      routes: [{ ...fieldRoutes()[0]!, startRoute: false }],
    })
    own.state.should.equal('stopped')
    const routes = await list({ dialect: 'field', defaultPageSize: 5 })
    routes.should.have.length(14)
  })

  describe('with a life', () => {
    /** What has happened after so long, in steps of a second. */
    async function live(life: LifeOptions, seconds: number, options: SimulatorOptions = {}) {
      const clock = { now: 1_000_000 }
      const simulator = await simulate({ dialect: 'field', life, now: () => clock.now, ...options })
      const pass = (more: number) => {
        for (let second = 0; second < more; second++) {
          clock.now += 1000
          void simulator.devices
        }
      }
      pass(seconds)
      return { simulator, clock, pass }
    }

    it('is the same for a seed, and another for another', async () => {
      const [one, same, other] = await Promise.all(
        [7, 7, 8].map(async (seed) => (await live({ seed }, 3600)).simulator.truth),
      )
      one!.length.should.be.above(50)
      one!.should.eql(same)
      one!.should.not.eql(other)
      const kinds = new Set(one!.map(({ kind }) => kind))
      kinds.size.should.equal(4)
    })

    it('goes faster with a pace', async () => {
      const { simulator } = await live({ seed: 7 }, 3600)
      const fast = await live({ seed: 7, pace: 60 }, 60)
      const what = (events: readonly LifeEvent[]) => events.map((event) => ({ ...event, at: 0 }))
      what(fast.simulator.truth).should.eql(what(simulator.truth))
    })

    it('has a true journal: what the gateway shows follows from it', async () => {
      const { simulator, clock, pass } = await live({ seed: 11 }, 0)
      const callers = new Map<string, number>()
      for (const { destinations } of simulator.routes) {
        for (const { id, clients } of destinations) callers.set(id, clients.length)
      }
      const lost = new Set<string>()
      let told = 0
      let losses = 0
      for (let minute = 0; minute < 240; minute++) {
        pass(60)
        // Until whatever is back has connected.
        for (let step = 0; step < 5; step++) {
          clock.now += 10
          void simulator.devices
        }
        for (const { kind, route, output = '' } of simulator.truth.slice(told)) {
          if (kind === 'source.lost') lost.add(route)
          if (kind === 'source.back') lost.delete(route)
          if (kind === 'caller.joined') callers.set(output, callers.get(output)! + 1)
          if (kind === 'caller.left') callers.set(output, callers.get(output)! - 1)
        }
        told = simulator.truth.length
        losses += lost.size
        for (const route of simulator.routes.filter(({ state }) => state === 'running')) {
          const read = simulator.readForm(route.id) as Json
          const isOn = Number(read.source.usedBandwidth) > 0
          isOn.should.equal(!lost.has(route.id), route.name)
          if (read.source.state !== 'connected') continue
          for (const { id, clientConnections, protocol } of read.destinations) {
            if (protocol) should(clientConnections).equal(callers.get(id), `${route.name} ${id}`)
          }
        }
      }
      losses.should.be.above(10)
    })

    it('goes on automatically until the simulator stops', async () => {
      const simulator = await simulate({ dialect: 'field', life: { seed: 1, pace: 1000 } })
      await pause(500)
      const asked = Date.now()
      const [first] = (await call(simulator.url, 'GET', '/simulator/truth')).json
      // At its own time, not when somebody asks.
      should(first.at).be.below(asked)
      await simulator.stop()
    })

    it('has nobody leave who is not there', async () => {
      const { simulator, pass } = await live({ seed: 3 }, 0)
      for (let second = 0; second < 3600; second++) {
        for (const { id, destinations } of simulator.routes) {
          const called = destinations.filter(({ clients }) => clients.length > 0)
          if (called.length === 0) continue
          simulator.setCallers(id, Object.fromEntries(called.map((each) => [each.id, 0])))
        }
        pass(1)
      }
      const kinds = new Set(simulator.truth.map(({ kind }) => kind))
      kinds.has('caller.joined').should.be.true()
      kinds.has('caller.left').should.be.false()
    })

    it('spares what somebody removed', async () => {
      const { simulator, pass } = await live({ seed: 3 }, 0)
      const ids = simulator.routes.map(({ id }) => id)
      for (const id of ids) simulator.removeRoute(id)
      pass(3600)
      simulator.truth.should.eql([])
    })
  })
})
