import * as fc from 'fast-check'
import type { DeviceConfiguration, Route } from '../../../client/model/types'
import { isText } from '../../../client/model/json'
import { compare, heldBack, keyOf, type Change } from '../../../client/watch/report/compare'
import { eventNameOf, eventOf, snapshotOf } from '../../../client/watch/report/events'
import type { DeviceState } from '../../../client/watch/state'
import { arbitraryRoute } from '../../support/arbitraries'
import { device, stateOf } from './states'

/** All that counts of a state, in one order. */
function meaning(state: DeviceState): unknown[] {
  const { condition, firmware, adapters, peers, routes } = state
  const code = (of: { condition: { code?: string; state?: string } }): unknown => [
    of.condition.code,
    of.condition.state,
  ]
  const sorted = <T>(map: ReadonlyMap<string, T>): Array<[string, T]> =>
    [...map].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    condition.code,
    condition.state,
    firmware,
    adapters,
    sorted(peers).map(([id, one]) => [id, one.condition.state]),
    sorted(routes).map(([id, one]) => [
      id,
      one.name,
      one.condition.code,
      one.condition.state === 'running',
      one.source.definition,
      code(one.source),
      [...one.destinations]
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .map((to) => [to.key, to.definition, to.started, code(to)]),
    ]),
  ]
}

/** Each run has whole devices with all their routes. */
const RUNS = { numRuns: 50 }

describe('the comparison of two states', () => {
  it('gives all that differs: a state with all changes held back is the one before', () => {
    fc.assert(
      fc.property(device, device, (before, after) => {
        const from = stateOf(before)
        const to = stateOf(after)
        const keys = new Set(compare(from, to).map(keyOf))
        meaning(heldBack(from, to, (key) => keys.has(key))).should.deepEqual(meaning(from))
        meaning(heldBack(from, to, () => false)).should.deepEqual(meaning(to))
      }),
      RUNS,
    )
  })

  /** A device with one route, which has one output. */
  const withRoute = (route: object, source: object, output: object): DeviceState => {
    const part = { protocol: 'udp', address: '192.0.2.1', port: 6000 }
    const destinations = [{ id: 'out', name: 'out', ...part, ...output }]
    const one = { id: 'route 1', name: 'One', state: 'running', ...route, destinations }
    const routes = [{ ...one, source: { id: 'in', name: 'in', ...part, ...source } }]
    return stateOf({ _id: 'device', config: { routes } } as unknown as DeviceConfiguration)
  }

  it('tells a route as changed of which only a destination is defined anew', () => {
    const [from, to] = [withRoute({}, {}, { port: 6000 }), withRoute({}, {}, { port: 6002 })]
    compare(from, to).map(eventNameOf).should.deepEqual(['route.changed'])
    meaning(heldBack(from, to, (key) => key === 'route.definition route 1')).should.deepEqual(
      meaning(from),
    )
  })

  it('holds names of source and destinations back with their definitions', () => {
    const from = withRoute({}, {}, {})
    const to = withRoute({}, { name: 'new in' }, { name: 'new out' })
    compare(from, to).map(keyOf).should.eql(['route.definition route 1'])
    for (const [isHeld, names] of [
      [true, ['in', 'out']],
      [false, ['new in', 'new out']],
    ] as const) {
      const shown = heldBack(from, to, (key) => isHeld && key === 'route.definition route 1')
      const { source, destinations } = shown.routes.get('route 1')!
      ;[source.name, destinations[0]!.name].should.eql(names)
    }
  })

  it('holds destinations back that turn with their route, also where it turns back', () => {
    const from = withRoute({ state: 'idle' }, {}, { started: false })
    const to = withRoute({}, {}, { started: true })
    const held = compare(from, to).map(keyOf)
    held.should.eql(['route.state route 1'])
    const between = heldBack(from, to, (key) => held.includes(key))
    compare(between, from).should.eql([])
    compare(between, to).map(keyOf).should.eql(held)
  })

  it('gives those that were held back, and only them', () => {
    fc.assert(
      fc.property(device, device, fc.infiniteStream(fc.boolean()), (before, after, choices) => {
        const from = stateOf(before)
        const to = stateOf(after)
        const held = compare(from, to)
          .map(keyOf)
          .filter(() => choices.next().value)
        const between = heldBack(from, to, (key) => held.includes(key))
        compare(between, to).map(keyOf).should.eql(held)
      }),
      RUNS,
    )
  })

  it('gives nothing for the same answer, whatever its order and its counters', () => {
    fc.assert(
      fc.property(device, fc.nat(), (answer, counter) => {
        const count = <T extends object>(part: T): T => ({
          ...part,
          usedBandwidth: String(counter),
          elapsedTime: `00:00:${counter}`,
          lastConnectedAt: counter,
          clientConnections: counter,
          counterOfNewFirmware: counter,
          summaryStatusDetails: `for ${counter} s`,
        })
        const later = {
          ...count(answer),
          lastConnection: `<${counter}m`,
          pendingSync: true,
          config: {
            ...answer.config,
            peers: answer.config.peers.map(count).reverse(),
            routes: answer.config.routes
              .map((one) => ({
                ...count(one),
                source: count(one.source),
                destinations: one.destinations.map(count),
              }))
              .reverse(),
          },
        }
        const from = stateOf(answer)
        compare(from, stateOf(later)).should.eql([])
        compare(from, stateOf(later, from)).should.eql([])
      }),
      RUNS,
    )
  })

  it('gives nothing for what an answer leaves out', () => {
    fc.assert(
      fc.property(device, (answer) => {
        const from = stateOf(answer)
        const { config } = answer
        const routes = config.routes.map(({ id }) => ({ id })) as unknown as Route[]
        const partial = { _id: 'device', config: { routes } } as unknown as DeviceConfiguration
        compare(from, stateOf(partial, from)).should.eql([])
      }),
      RUNS,
    )
  })

  it('is the same whatever the order of the routes', () => {
    fc.assert(
      fc.property(device, device, (before, after) => {
        const events = (answer: DeviceConfiguration): unknown => {
          const from = stateOf(before)
          const to = stateOf(answer)
          return compare(from, to).map((change) => eventOf(change, 1, to))
        }
        const { config } = after
        const turned = { ...after, config: { ...config, routes: config.routes.toReversed() } }
        JSON.stringify(events(turned)).should.equal(JSON.stringify(events(after)))
      }),
      RUNS,
    )
  })

  it('becomes events and snapshots without secrets, with before and after that differ', () => {
    const SECRET = 'never-shown'
    // Unlike every text beside it: a stream may be called as a passphrase is.
    const marked = (answer: DeviceConfiguration): DeviceConfiguration => {
      const copy = structuredClone(answer)
      for (const { source, destinations } of copy.config.routes) {
        for (const part of [source, ...destinations] as unknown as Record<string, unknown>[]) {
          for (const name of ['srtPassPhrase', 'password']) {
            if (isText(part[name])) part[name] = `${SECRET} ${part[name]}`
          }
        }
      }
      return copy
    }
    fc.assert(
      fc.property(device, device, (before, after) => {
        const from = stateOf(marked(before))
        const to = stateOf(marked(after))
        const changes = compare(from, to)
        const events = changes.map((change) => eventOf(change, 1, to))
        events.map(({ event }) => event).should.eql(changes.map(eventNameOf))
        const isDifferent = (change: Change): boolean => change.of !== 'route.definition'
        for (const [index, event] of events.entries()) {
          if (!isDifferent(changes[index]!)) continue
          JSON.stringify(event.before).should.not.equal(JSON.stringify(event.after))
        }
        const text = JSON.stringify([events, snapshotOf(to, 1, () => true)])
        text.should.not.containEql(SECRET)
      }),
      RUNS,
    )
  })

  it('takes states in capitals for the same, and shows them in small letters', () => {
    const answer = (state: string, code: string): DeviceConfiguration => {
      const part = { name: 'in', protocol: 'udp', state: 'Connected', summaryStatusCode: code }
      const read = { id: 'R', name: 'A', state, summaryStatusCode: code, source: part }
      const routes = [{ ...read, destinations: [] }]
      return { statusCode: code, config: { routes } } as unknown as DeviceConfiguration
    }
    const running = stateOf(answer('Running', 'OK'))
    compare(stateOf(answer('running', 'ok')), running).should.eql([])
    const changes = compare(running, stateOf(answer('Stopped', 'OK')))
    changes
      .map((change) => eventOf(change, 1, running))
      .should.match([{ event: 'route.stopped', before: 'running', after: 'stopped' }])
  })

  it('is none where adapters with equal names come in another order', () => {
    const adapters = ['10.0.0.2', '10.0.0.3', '10.0.0.1'].map((address) => ({
      name: 'eth',
      address,
    }))
    const state = (networkAdapters: object[]): DeviceState =>
      stateOf({
        config: { routes: [], settings: { networkAdapters } },
      } as unknown as DeviceConfiguration)
    compare(state(adapters), state(adapters.toReversed())).should.eql([])
    compare(state(adapters), state(adapters.slice(1))).should.have.length(1)
  })

  it('takes time in proportion to the number of routes', () => {
    const [read] = fc.sample(arbitraryRoute, { seed: 7, numRuns: 1 }) as [Route]
    const state = (count: number, name: string): DeviceState => {
      const routes = Array.from({ length: count }, (_, id) => ({ ...read, id: `${id}`, name }))
      return stateOf({ config: { routes } } as unknown as DeviceConfiguration)
    }
    const from = state(5000, 'before')
    const changes = compare(from, state(5000, 'after'))
    changes.should.have.length(5000)
    heldBack(from, from, () => false).routes.size.should.equal(5000)
  })
})
