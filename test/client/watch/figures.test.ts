import * as fc from 'fast-check'
import type { DeviceConfiguration } from '../../../client/model/types'
import type { Snapshot } from '../../../client/model/event'
import { healthOfWhole } from '../../../client/model/health'
import { createDataWatch } from '../../../client/watch/measuring/data'
import {
  eachRoute,
  figuresOf,
  routeFigures,
  turnsOf,
  type Figures,
} from '../../../client/watch/measuring/figures'
import { partsOfState } from '../../../client/watch/health'
import { createThresholds } from '../../../client/watch/measuring/thresholds'
import type { DeviceState } from '../../../client/watch/state'
import { faultsOf } from '../../../client/model/watch'
import { until } from '../../support/until'
import { device, stateOf } from './states'
import { callsFor, deviceId, look, namesOf, passTime, simulator, start, watching } from './support'

interface Sent {
  id: string
  source: { state?: string; usedBandwidth?: unknown }
  destinations: Array<{ id?: string; name?: string; usedBandwidth?: unknown }>
}

/** The state and figures of a device with these routes, as they are sent. */
function read(routes: unknown[], known?: DeviceState): { state: DeviceState; figures: Figures } {
  const answer = { _id: 'device', config: { routes } } as unknown as DeviceConfiguration
  const state = stateOf(answer, known)
  const sent = new Map(routes.map((route) => [(route as Sent).id, route as never]))
  return { state, figures: figuresOf(state, sent) }
}

function shown({ state, figures }: ReturnType<typeof read>): unknown[] {
  const found: unknown[] = []
  eachRoute(state, (route, at) => found.push(routeFigures(route, at, figures)))
  return found
}

const source = { name: 'in', protocol: 'srt', state: 'connected' }
const out = (id: string, more: object = {}): object => ({ id, name: id, protocol: 'srt', ...more })
const route = (usedBandwidth: unknown, more: object = {}): object => ({
  id: 'r1',
  name: 'Studio A',
  state: 'running',
  source: { ...source, usedBandwidth },
  destinations: [],
  ...more,
})
const all = (): boolean => true

describe('the figures of a poll', () => {
  it('belong to their source or destination, whatever the order, number or text', () => {
    const first = [
      out('a', { usedBandwidth: '1.500', clientConnections: '2' }),
      out('b', { usedBandwidth: 0, clientConnections: 0 }),
      { ...out('a', { usedBandwidth: '3' }) },
    ]
    const before = read([route('15.818', { destinations: first })])
    const expected = {
      source: { bitrate: 15.818 },
      destinations: [{ bitrate: 1.5, clients: 2 }, { bitrate: 0, clients: 0 }, { bitrate: 3 }],
    }
    shown(before).should.eql([expected])
    const turned = [null, first[1], first[0], first[2]]
    shown(read([route('15.818', { destinations: turned })], before.state)).should.eql([expected])
  })

  it('are left out where the gateway has none, or something else', () => {
    for (const none of ['', null, undefined, 'n/a', '-1', -1, NaN, {}, [], true, '1e400']) {
      shown(read([route(none, { destinations: [out('a', { usedBandwidth: none })] })])).should.eql([
        { source: {}, destinations: [{}] },
      ])
    }
    const { state } = read([route('1')])
    shown({ state, figures: figuresOf(state, new Map()) }).should.eql([
      { source: {}, destinations: [] },
    ])
  })

  it('fit their state after any poll, also filled again', () => {
    fc.assert(
      fc.property(device, device, (one, other) => {
        const before = read(one.config.routes)
        const { routes } = other.config
        const { state, figures } = read(routes, before.state)
        const sent = new Map(routes.map((each) => [each.id, each as never]))
        const refilled = (former: Figures): Figures =>
          figuresOf(state, sent, former).subarray(0, -1)
        refilled(Float64Array.from(figures, () => 7)).should.deepEqual(figures.subarray(0, -1))
        refilled(before.figures).should.deepEqual(figures.subarray(0, -1))
        for (const { destinations } of shown({ state, figures }) as Snapshot['routes']) {
          should(destinations).be.an.Array()
        }
      }),
    )
  })

  it('show whether a listener waits by who calls, not by what it sends', () => {
    const signs = [
      [0, 5],
      [1, 0],
    ].map(([clientConnections, usedBandwidth]) => {
      const listener = out('a', { mode: 'listener', clientConnections, usedBandwidth })
      const { state, figures } = read([route('5', { destinations: [listener] })])
      return partsOfState(state.routes.get('r1')!, 0, figures).outputs.map(({ sign }) => sign)
    })
    signs.should.eql([['waiting'], ['ok']])
  })
})

describe('figures that have not turned', () => {
  const rate = fc.constantFrom('0.000', '0', 0, '7.5', 12, undefined, 'n/a')
  const clients = fc.constantFrom(0, 1, 3, undefined)
  const poll = fc.tuple(rate, rate, clients)
  const healths = ({ state, figures }: ReturnType<typeof read>): unknown[] => {
    const found: unknown[] = []
    eachRoute(state, (each, at) => found.push(healthOfWhole(partsOfState(each, at, figures))))
    return found
  }

  it('show the same health', () => {
    let same = 0
    fc.assert(
      fc.property(poll, poll, (one, other) => {
        const sent = ([received, output, calling]: typeof one): object[] => [
          route(received, {
            source: { protocol: 'udp', state: 'connected', usedBandwidth: received },
            destinations: [
              out('a', {
                protocol: 'srt',
                mode: 'listener',
                state: 'disconnected',
                usedBandwidth: output,
                clientConnections: calling,
              }),
            ],
          }),
        ]
        const { state, figures } = read(sent(one))
        const before = healths({ state, figures })
        const turns = turnsOf(figures)
        const [now] = sent(other)
        figuresOf(state, new Map([[[...state.routes.keys()][0]!, now as never]]), figures)
        if (turnsOf(figures) !== turns) return
        same++
        healths({ state, figures }).should.eql(before)
      }),
      { numRuns: 2000 },
    )
    same.should.be.above(40)
  })
})

describe('the loss of data', () => {
  /** Shows a watch one poll after the other, 4 s apart. */
  function following(
    holdMs = 0,
  ): (sent: object[], wants?: (route: { name: string }) => boolean) => unknown[] {
    const data = createDataWatch(holdMs)
    let now = 0
    let known: DeviceState | undefined
    return (sent, wants = all) => {
      now += 4000
      const { state, figures } = read(sent, known)
      known = state
      return data
        .polled(state, figures, wants, now)
        .map(({ event, at, before, after }) => [event, at, before, after])
    }
  }
  const none = [route('0.000')]
  const some = [route('10.000')]
  const stopped = [route('0.0', { state: 'idle' })]

  it('is an event after two polls and five seconds, and its end at once', () => {
    const show = following()
    for (const quiet of [some, none, some, none, none]) show(quiet).should.eql([])
    show(none).should.eql([['source.data-lost', 16_000, true, false]])
    show(none).should.eql([])
    show(some).should.eql([['source.data', 32_000, false, true]])
    show(some).should.eql([])
  })

  it('must last as long as both are held', () => {
    const show = following(10_000)
    for (const quiet of [some, none, none, none]) show(quiet).should.eql([])
    show(none).should.eql([['source.data-lost', 8000, true, false]])
    for (const quiet of [some, none, some, some, some]) show(quiet).should.eql([])
    show(some).should.eql([['source.data', 32_000, false, true]])
  })

  it('has an end only where it had a beginning: none at the first poll', () => {
    const show = following()
    for (let looks = 0; looks < 4; looks++) show(none).should.eql([])
    show(some).should.eql([])
    for (const quiet of [none, none]) show(quiet).should.eql([])
    show(none).should.eql([['source.data-lost', 24_000, true, false]])
    for (const end of [stopped, []]) {
      const another = following()
      for (const quiet of [none, none, end]) another(quiet).should.eql([])
    }
  })

  it('that is held has the time of the value that it has at last', () => {
    const show = following(20_000)
    for (let looks = 0; looks < 8; looks++) show(looks < 1 ? some : none)
    for (const quiet of [some, some, some, stopped, stopped]) show(quiet).should.eql([])
    show(stopped).should.eql([['source.data', 48_000, false, null]])
  })

  it('is known only of a source that is connected and has a figure', () => {
    const show = following()
    const away = [route('0.000', { source: { ...source, state: 'connecting', usedBandwidth: 0 } })]
    for (let looks = 0; looks < 4; looks++) {
      for (const quiet of [some, away, away, away, [route('')]]) show(quiet).should.eql([])
    }
    // One that has connected again has as much time as a new one.
    for (const quiet of [some, none, away, none, none]) show(quiet).should.eql([])
    show(none).should.have.length(1)
    // It is still the same loss.
    for (const quiet of [away, [route(undefined)], none, none, none]) show(quiet).should.eql([])
  })

  it('is one also of a route that started without data, which nobody has seen before', () => {
    const show = following()
    for (const quiet of [stopped, none, none]) show(quiet).should.eql([])
    show(none).should.eql([['source.data-lost', 8000, null, false]])
  })

  it('is none of a route that was renamed into the watch', () => {
    const show = following()
    const wants = ({ name }: { name: string }): boolean => name === 'Studio A'
    show([route('10.000', { name: 'Studio B' })], wants).should.eql([])
    for (let looks = 0; looks < 4; looks++) show(none, wants).should.eql([])
  })

  it('ends without a claim when the route stops, is gone, or is not watched any more', () => {
    for (const end of [
      (show: ReturnType<typeof following>) => show(stopped),
      (show: ReturnType<typeof following>) => show([]),
      (show: ReturnType<typeof following>) => show(none, () => false),
    ]) {
      const show = following()
      for (const each of [some, none, none, none]) show(each)
      end(show).should.eql([['source.data', 20_000, false, null]])
      end(show).should.eql([])
      // From then on it is a new one.
      show(some).should.eql([])
    }
  })
})

describe('limits on bitrates', () => {
  const low = { measure: 'bitrate', of: 'source', low: 5 } as const
  const namesIn = (events: Array<{ event: string }>): string[] => events.map(({ event }) => event)
  const statisticsOf = (bitrate: number, destinations: object[] = []): never =>
    ({
      route: { id: 'r1', name: 'Studio A', state: 'running', source: { bitrate }, destinations },
    }) as never

  it('need statistics only where the poll has no figure', () => {
    const limits = createThresholds([low], 0)
    const poll = (used: unknown): string[] => {
      const { state, figures } = read([route(used)])
      return namesIn(limits.polled(state, figures, all, 0))
    }
    poll('10.000').should.eql([])
    limits.lacking().should.eql([])
    poll('1.000').should.eql(['statistics.low'])
    // What nobody has asked for comes late.
    limits.measured(statisticsOf(9), 0).should.eql([])
    poll('').should.eql([])
    limits
      .lacking()
      .map(({ id }) => id)
      .should.eql(['r1'])
    namesIn(limits.measured(statisticsOf(9), 0)).should.eql(['statistics.normal'])
    poll('1').should.eql(['statistics.low'])
    limits.lacking().should.eql([])
  })

  it('count the figure of the poll, not that of statistics that another limit needs', () => {
    const limits = createThresholds([low, { measure: 'packetLoss', of: 'source', high: 1 }], 0)
    const { state, figures } = read([route('1.000')])
    namesIn(limits.polled(state, figures, all, 0)).should.eql(['statistics.low'])
    limits.lacking().should.have.length(1)
    limits.measured(statisticsOf(9), 0).should.eql([])
  })

  it('count what is exactly at a limit as normal, and what is exactly at the hysteresis', () => {
    const both = { ...low, low: 2, high: 8 }
    for (const [hysteresis, steps] of [
      [undefined, '1.9 low, 2.19, 2.2 normal'],
      [1, '1.9 low, 2, 2.9, 3 normal'],
      [0, '1.9 low, 2 normal'],
      [undefined, '8, 8.1 high, 7.3, 7.2 normal'],
      [1, '8.1 high, 8, 7.1, 7 normal, 2'],
    ] as const) {
      const limits = createThresholds([{ ...both, hysteresis }], 0)
      for (const step of steps.split(', ')) {
        const [value, expected] = step.split(' ')
        const { state, figures } = read([route(Number(value))])
        const names = namesIn(limits.polled(state, figures, all, 0))
        names.should.eql(expected ? [`statistics.${expected}`] : [], `${step} of ${hysteresis}`)
      }
    }
  })

  it('that are passed and held have the time of the level that is told', () => {
    const limits = createThresholds([{ ...low, high: 8 }], 20_000)
    const show = (value: number, at: number): unknown[] => {
      const { state, figures } = read([route(value)])
      return limits.polled(state, figures, all, at).map((one) => [one.event, one.at, one.before])
    }
    show(5, 0).should.eql([])
    show(1, 1000).should.eql([])
    show(9, 20_000).should.eql([])
    show(9, 21_000).should.eql([['statistics.high', 20_000, 'normal']])
    show(5, 30_000).should.eql([])
    show(5, 50_000).should.eql([['statistics.normal', 30_000, 'high']])
  })

  it('count statistics only of routes that run and are watched by the latest poll', () => {
    const gone: Array<[unknown[], () => boolean]> = [
      [[route('', { state: 'idle' })], all],
      [[], all],
      [[route('')], () => false],
    ]
    for (const [routes, wants] of gone) {
      const limits = createThresholds([low], 0)
      const running = read([route('')])
      limits.polled(running.state, running.figures, all, 0)
      namesIn(limits.measured(statisticsOf(1), 0)).should.eql(['statistics.low'])
      const next = read(routes)
      namesIn(limits.polled(next.state, next.figures, wants, 0)).should.eql(['statistics.normal'])
      // They were asked for before, and come late.
      limits.measured(statisticsOf(1), 0).should.eql([])
    }
  })

  it('name a route as the latest poll does', () => {
    const limits = createThresholds([low], 0)
    const { state, figures } = read([route('', { name: 'Renamed' })])
    limits.polled(state, figures, all, 0)
    limits.measured(statisticsOf(1), 0)[0]!.route!.should.eql({ id: 'r1', name: 'Renamed' })
  })

  it('are refused where no value between them could be normal again', () => {
    const faults = (limit: object): unknown[] =>
      faultsOf({ measure: 'bitrate', ...limit }).map(({ fields, key }) => [...fields, key])
    const never = [['hysteresis', 'never']]
    faults({ low: 5, high: 6, hysteresis: 2 }).should.eql(never)
    faults({ high: 6, hysteresis: 6 }).should.eql(never)
    for (const fine of [
      { low: 5, high: 6, hysteresis: 1 },
      { low: 5, high: 6, hysteresis: 0 },
      { low: 5, high: 5.2 },
      { low: 9.05, high: 10 },
      { low: 5, hysteresis: 20 },
      { high: 6, hysteresis: 5.9 },
    ]) {
      faults(fine).should.eql([])
    }
  })

  it('with a default hysteresis are normal again between any two limits', () => {
    const limits = createThresholds([{ ...low, low: 5, high: 5.2 }], 0)
    const at = (bitrate: number): string[] => {
      const { state, figures } = read([route(String(bitrate))])
      return namesIn(limits.polled(state, figures, all, 0))
    }
    at(5.1)
    at(4).should.eql(['statistics.low'])
    at(5.2).should.eql(['statistics.normal'])
    at(6).should.eql(['statistics.high'])
    at(5).should.eql(['statistics.normal'])
  })

  it('ask for the clients of a listener that itself carries nothing', () => {
    const limits = createThresholds([{ ...low, of: 'destination' }], 0)
    const poll = (destinations: object[]): string[] => {
      const { state, figures } = read([route('9', { destinations })])
      return namesIn(limits.polled(state, figures, all, 0))
    }
    poll([out('a', { usedBandwidth: '0.000', clientConnections: 2 })]).should.eql([])
    limits.lacking().should.have.length(1)
    const clients = { id: 'a', name: 'a', bitrate: 0, clientStat: [{ bitrate: 1 }, { bitrate: 2 }] }
    namesIn(limits.measured(statisticsOf(9, [clients]), 0)).should.eql(['statistics.low'])
    poll([]).should.eql(['statistics.normal'])
    limits.lacking().should.eql([])
  })
})

describe('watching', () => {
  it('shows and reports what sources carry without a request of its own', async () => {
    await start({ routes: 6 })
    // What a listener has is certain only with its clients.
    const { id, name } = simulator.routes.find(
      ({ state, destinations }) =>
        state === 'running' && destinations.every(({ srtMode }) => srtMode !== 'listener'),
    )!
    const told = await watching({
      route: { id },
      events: ['statistics.low', 'statistics.normal', 'source.data-lost', 'source.data'],
      thresholds: [
        { measure: 'bitrate', of: 'source', low: 0.5 },
        { measure: 'bitrate', of: 'destination', high: 9999 },
      ],
    })
    const [shownRoute] = told.snapshots[0]!.routes
    should(shownRoute!.source['bitrate']).be.a.Number().and.above(1)
    for (const { bitrate } of shownRoute!.destinations) should(bitrate).be.a.Number()

    simulator.fail(name, { source: 'no-data' })
    await until(async () => {
      passTime(3000)
      await look()
      return told.events.length === 2
    })
    simulator.fail(name, { source: 'ok' })
    await until(async () => {
      await look()
      return told.events.length === 4
    })
    namesOf(told.events).should.eql([
      'statistics.low',
      'source.data-lost',
      'source.data',
      'statistics.normal',
    ])
    told.events[1]!.should.containDeep({ route: { id, name }, before: true, after: false })
    told.events[1]!.text.should.equal(`${name}: source receives no data`)
    callsFor(`/api/gateway/${deviceId}/statistics`).should.equal(0)
  })
})
