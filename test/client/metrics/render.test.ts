import type { DeviceConfiguration } from '../../../client/model/types'
import { newCounters } from '../../../client/connection/counters'
import { FAMILIES } from '../../../client/metrics/families'
import { renderMetrics, type Detail, type Picture } from '../../../client/metrics/render'
import { srtIn } from '../../../client/metrics/srt'
import { SIGNS } from '../../../client/model/health'
import { figuresOf } from '../../../client/watch/measuring/figures'
import { samplesIn, valuesOf, type Sample } from '../../support/metrics'
import { stateOf } from '../watch/states'
import { turnsDuring } from '../../support/turns'

const part = (name: string, more: object = {}): object => ({
  id: `${name} id`,
  name,
  protocol: 'srt',
  state: 'connected',
  summaryStatusCode: 'ok',
  ...more,
})

const route = (id: string, more: object = {}): object => ({
  id,
  name: `Route ${id}`,
  state: 'running',
  summaryStatusCode: 'ok',
  source: part('in'),
  destinations: [part('out', { protocol: 'udp' }), part('clients', { summaryStatusCode: 'warn' })],
  ...more,
})

const deviceWith = (routes: object[], more: object = {}): DeviceConfiguration =>
  ({
    _id: 'device',
    name: 'Gateway 1',
    statusCode: 'ok',
    status: 'Online',
    firmware: '4.2',
    config: { routes },
    ...more,
  }) as unknown as DeviceConfiguration

const pictureOf = (routes: object[], more: Partial<Picture> = {}): Picture => ({
  gateway: 'oslo',
  isUp: true,
  lastPollAt: 1_700_000_000_500,
  counters: newCounters(),
  state: stateOf(deviceWith(routes)),
  ...more,
})

const rendered = async (pictures: Picture[], detail: Detail = 'routes'): Promise<Sample[]> =>
  samplesIn(await renderMetrics(pictures, detail))

/** The signs whose sample is 1. */
const signOf = (samples: Sample[], of: string): unknown[] => {
  const ofHealth = samples.filter(({ name }) => name === `media_gateway_${of}_health`)
  new Set(ofHealth.map(({ labels }) => labels['sign'])).should.eql(new Set(SIGNS))
  ofHealth.should.have.length(SIGNS.length)
  return ofHealth.filter(({ value }) => value === 1).map(({ labels }) => labels['sign'])
}

const reasonsOf = (samples: Sample[], of: string): string[] =>
  samples
    .filter(({ name, value }) => name === `media_gateway_${of}_health_info` && value === 1)
    .map(({ labels: { destination_id, sign, reason } }) =>
      [destination_id, sign, reason].filter(Boolean).join(' '),
    )

/** How many routes have each sign. */
const counted = (samples: Sample[]): Record<string, number> =>
  Object.fromEntries(
    samples
      .filter(({ name }) => name === 'media_gateway_routes')
      .map(({ labels, value }) => [labels['sign'], value]),
  )

const namesIn = (samples: Sample[]): string[] => [...new Set(samples.map(({ name }) => name))]

describe('the metrics of gateways', () => {
  it('say how each gateway, route, source and destination is', async () => {
    const samples = await rendered([pictureOf([route('r1'), route('r2', { state: 'idle' })])])
    const labels = { gateway: 'oslo', route_id: 'r1' }
    valuesOf(samples, 'up').should.eql([1])
    valuesOf(samples, 'last_poll_timestamp_seconds').should.eql([1_700_000_000.5])
    valuesOf(samples, 'info', { device: 'Gateway 1', firmware: '4.2' }).should.eql([1])
    valuesOf(samples, 'route_info', {
      ...labels,
      route: 'Route r1',
      source: 'in',
      protocol: 'srt',
    }).should.eql([1])
    valuesOf(samples, 'destination_info', {
      ...labels,
      destination_id: 'out id',
      destination: 'out',
      protocol: 'udp',
      route: 'Route r1',
    }).should.eql([1])
    valuesOf(samples, 'route_running').should.eql([1, 0])
    valuesOf(samples, 'route_status', { ...labels, status: 'ok' }).should.eql([1])
    valuesOf(samples, 'source_status', { ...labels, status: 'error' }).should.eql([0])
    signOf(samples, 'device').should.eql(['ok'])
    const clients = { ...labels, destination_id: 'clients id' }
    for (const [status, value] of Object.entries({ ok: 0, warn: 1, error: 0, unknown: 0 })) {
      valuesOf(samples, 'destination_status', { ...clients, status }).should.eql([value])
    }
  })

  it('count routes by health, with nothing else of them in the totals', async () => {
    const routes = [
      route('r1', { destinations: [] }),
      route('r2', { state: 'idle', summaryStatusCode: 'unknown' }),
      route('r3', { state: 'stopped', summaryStatusCode: 'unknown' }),
      route('r4', { summaryStatusCode: 'error' }),
      route('r5', { source: part('in', { state: 'disconnected' }) }),
    ]
    const samples = await rendered([pictureOf(routes)], 'totals')
    counted(samples).should.eql({
      critical: 2,
      warning: 0,
      unknown: 0,
      waiting: 0,
      ok: 1,
      stopped: 2,
    })
    samples.filter(({ labels }) => 'route_id' in labels).should.eql([])
  })

  describe('of health', () => {
    const listener = (name: string, more: object = {}): object =>
      part(name, { mode: 'listener', state: 'disconnected', ...more })
    const lost = (name: string): object => part(name, { mode: 'caller', state: 'disconnected' })

    it('are one sign of six, and the reason where there is one', async () => {
      for (const [sign, reason, more] of [
        ['ok', undefined, { destinations: [] }],
        ['stopped', undefined, { state: 'idle' }],
        ['critical', 'no-source', { source: part('in', { state: 'disconnected' }) }],
        ['critical', 'source-error', { source: part('in', { summaryStatusCode: 'error' }) }],
        ['warning', 'output-lost', { destinations: [lost('out')] }],
        ['waiting', 'no-caller', { summaryStatusCode: 'warn', destinations: [listener('out')] }],
        ['unknown', 'not-seen', { state: 'paused' }],
      ] as const) {
        const samples = await rendered([pictureOf([route('r1', more)])])
        signOf(samples, 'route').should.eql([sign])
        reasonsOf(samples, 'route').should.eql(reason ? [`${sign} ${reason}`] : [])
        counted(samples)[sign]!.should.equal(1)
      }
    })

    it('are by what was measured, too', async () => {
      const picture = pictureOf([route('r1', { destinations: [] })])
      const silent = await rendered([{ ...picture, figures: Float64Array.of(0, 1, 1) }])
      reasonsOf(silent, 'route').should.eql(['critical no-data'])
      const carrying = await rendered([{ ...picture, figures: Float64Array.of(2, 1, 1) }])
      signOf(carrying, 'route').should.eql(['ok'])
    })

    it('name each output that is not well, while its route has something to send', async () => {
      const destinations = [part('well'), lost('a'), listener('b'), lost('c')]
      const samples = await rendered([pictureOf([route('r1', { destinations })])])
      reasonsOf(samples, 'destination').should.eql([
        'a id warning output-lost',
        'b id waiting no-caller',
        'c id warning output-lost',
      ])
      for (const more of [{ state: 'idle' }, { source: part('in', { state: 'disconnected' }) }]) {
        const without = await rendered([pictureOf([route('r1', { destinations, ...more })])])
        reasonsOf(without, 'destination').should.eql([])
      }
    })

    it('of a device that is away make its routes unknown, and nothing of them is old', async () => {
      for (const [status, statusCode, reason] of [
        ['Offline', 'unknown', 'device-away'],
        ['Device error', 'error', 'device-error'],
      ]) {
        const state = stateOf(deviceWith([route('r1')], { status, statusCode }))
        const figures = Float64Array.of(2, 1, 1, 1, 1, 1, 1, 1, 1)
        const samples = await rendered([{ ...withFigures(), state, figures }])
        signOf(samples, 'device').should.eql(['unknown'])
        reasonsOf(samples, 'device').should.eql([`unknown ${reason}`])
        reasonsOf(samples, 'route').should.eql([`unknown ${reason}`])
        signOf(samples, 'route').should.eql(['unknown'])
        counted(samples)['unknown']!.should.equal(1)
        const ofRoutes = samples.filter(({ labels }) => 'route_id' in labels)
        namesIn(ofRoutes).should.eql([
          'media_gateway_route_info',
          'media_gateway_destination_info',
          'media_gateway_route_health',
          'media_gateway_route_health_info',
        ])
      }
      const state = stateOf(deviceWith([route('r1')], { statusCode: 'warn' }))
      const samples = await rendered([pictureOf([], { state })])
      signOf(samples, 'device').should.eql(['warning'])
      valuesOf(samples, 'route_running').should.eql([1])
    })

    it('count open incidents, with a 0 where there is none', async () => {
      const open = (samples: Sample[]): Record<string, number> =>
        Object.fromEntries(
          samples
            .filter(({ name }) => name.endsWith('_incidents_open'))
            .map(({ labels, value }) => [`${labels['severity']} ${labels['kind']}`, value]),
        )
      const none = {
        'critical gateway': 0,
        'critical device': 0,
        'warning device': 0,
        'critical route': 0,
        'warning route': 0,
        'warning output': 0,
      }
      const incidents: Picture['incidents'] = [
        { severity: 'critical', kind: 'route' },
        { severity: 'critical', kind: 'route' },
        { severity: 'warning', kind: 'output' },
      ]
      open(await rendered([{ gateway: 'oslo' }])).should.eql({})
      open(await rendered([pictureOf([], { incidents: [] })], 'totals')).should.eql(none)
      const away = await rendered([{ gateway: 'oslo', isUp: false, incidents }])
      open(away).should.eql({ ...none, 'critical route': 2, 'warning output': 1 })
    })
  })

  it('leave out what is not known', async () => {
    const samples = await rendered([
      pictureOf([route('r1', { summaryStatusCode: undefined, state: undefined })]),
    ])
    for (const name of ['route_status', 'route_running']) valuesOf(samples, name).should.eql([])
    counted(samples)['unknown']!.should.equal(1)
    valuesOf(samples, 'source_status').should.have.length(4)

    const down = await rendered([{ gateway: 'oslo', isUp: false, lastPollAt: 1000 }])
    namesIn(down).should.eql(['media_gateway_up', 'media_gateway_last_poll_timestamp_seconds'])
    valuesOf(down, 'up').should.eql([0])
    ;(await renderMetrics([{ gateway: 'oslo' }], 'routes')).should.equal('')
    ;(await renderMetrics([], 'routes')).should.equal('')
  })

  it('take a status and a state of newer firmware for an unknown one', async () => {
    const samples = await rendered([
      pictureOf([route('r1', { state: 'paused', summaryStatusCode: 'critical' })]),
    ])
    valuesOf(samples, 'route_status', { status: 'unknown' }).should.eql([1])
    valuesOf(samples, 'route_status', { status: 'ok' }).should.eql([0])
    valuesOf(samples, 'route_running').should.eql([])
    counted(samples)['unknown']!.should.equal(1)
  })

  it('leave out a status that the latest poll did not contain', async () => {
    const whole = route('r1')
    const without = (whose: object): object => ({ ...whose, summaryStatusCode: undefined })
    const given = async (sent: object): Promise<number[]> => {
      const known = stateOf(deviceWith([whole]))
      const state = stateOf(deviceWith([sent]), known)
      const figures = figuresOf(state, new Map([['r1', sent as never]]))
      const samples = await rendered([pictureOf([], { state, figures })])
      return ['route', 'source', 'destination'].map(
        (of) => valuesOf(samples, `${of}_status`).length,
      )
    }
    ;(await given(whole)).should.eql([4, 4, 8])
    ;(await given(without(whole))).should.eql([0, 4, 8])
    ;(await given({ ...whole, source: without(part('in')) })).should.eql([4, 0, 8])
    const destinations = [part('out', { protocol: 'udp' }), without(part('clients'))]
    ;(await given({ ...whole, destinations })).should.eql([4, 4, 4])
    ;(await given({ id: 'r1' })).should.eql([0, 0, 0])
  })

  it('hold any name: quotes, backslashes, line breaks, half characters, ten kilobytes', async () => {
    const odd = 'Studio "A" \\ live\nnow \\n'
    const samples = await rendered([
      pictureOf([
        route('r1', { name: odd }),
        route('r2', { name: 'x'.repeat(10_000) }),
        route('r3', { name: 'a\ud800b\udc00c\0d\re\u007f' }),
        route('r4', { name: '放送 📺' }),
        route('r5', { name: `${'x'.repeat(198)}📺📺` }),
      ]),
    ])
    const nameOf = (route_id: string): string =>
      samples.find(
        ({ name, labels }) => name.endsWith('route_info') && labels['route_id'] === route_id,
      )!.labels['route']!
    nameOf('r1').should.equal(odd.replace('\n', ' '))
    nameOf('r2').should.equal(`${'x'.repeat(199)}…`)
    nameOf('r3').should.equal('a\\ud800b\\udc00c\\u0000d e\\u007f')
    nameOf('r4').should.equal('放送 📺')
    const cut = nameOf('r5')
    cut.should.match(/^x{198}.?…$/u)
    Buffer.from(cut, 'utf8').toString('utf8').should.equal(cut)
  })

  it('tell apart IDs that are the same once they are cut or cleaned', async () => {
    const long = 'i'.repeat(5000)
    const ids = [`${long}1`, `${long}2`, 'a\ud800', 'a\ud801', 'a\ufffd', 'plain']
    const samples = await rendered([pictureOf(ids.map((id) => route(id)))])
    const found = new Set(
      samples
        .filter(({ name }) => name.endsWith('route_running'))
        .map(({ labels }) => labels['route_id']!),
    )
    found.size.should.equal(ids.length)
    for (const id of found) id.length.should.be.below(202)
    found.has('plain').should.be.true()
  })

  it('tell apart gateways, inventories and callers whose names are the same once they are cut', async () => {
    const [one, other] = ['1', '2'].map((end) => `${'n'.repeat(300)}${end}`) as [string, string]
    const callers = [one, other].map((name) => ({ name, connections: 0 }))
    const fleets = [one, other].map((inventory) => {
      return { inventory, isMember: true, appliances: 1, owned: 1, faults: 0 }
    })
    const pictures = [one, other].map((gateway) => ({ ...pictureOf([], { callers }), gateway }))
    const text = await renderMetrics(pictures, 'routes', fleets)
    const series = text.split('\n').filter((line) => /^[^#]/.test(line))
    new Set(series.map((line) => line.replace(/ \S+$/, ''))).size.should.equal(series.length)
    text.match(/^media_gateway_caller_connections\{/gm)!.should.have.length(4)
  })

  it('have in bytes what sources receive and destinations send, and the clients of listeners', async () => {
    const listener = { mode: 'listener', usedBandwidth: '4', clientConnections: '3' }
    const sent = route('r1', {
      source: part('in', { usedBandwidth: '8.000' }),
      destinations: [part('out', { usedBandwidth: 0.5 }), part('clients', listener), part('none')],
    })
    const state = stateOf(deviceWith([sent]))
    const figures = figuresOf(state, new Map([['r1', sent as never]]))
    const samples = await rendered([pictureOf([], { state, figures })])
    const of = (name: string, destination_id: string): number[] =>
      valuesOf(samples, `destination_${name}`, { route_id: 'r1', destination_id })
    valuesOf(samples, 'source_receive_bytes_per_second', { route_id: 'r1' }).should.eql([1e6])
    of('send_bytes_per_second', 'out id').should.eql([62_500])
    of('send_bytes_per_second', 'clients id').should.eql([500_000])
    of('send_bytes_per_second', 'none id').should.eql([])
    of('clients', 'clients id').should.eql([3])
    of('clients', 'out id').should.eql([])
  })

  it('keep several gateways apart, each metric in one place', async () => {
    const samples = await rendered([
      pictureOf([route('r1')]),
      pictureOf([route('r1')], { gateway: 'bergen' }),
    ])
    valuesOf(samples, 'route_running', { route_id: 'r1' }).should.eql([1, 1])
    valuesOf(samples, 'route_running', { gateway: 'bergen' }).should.eql([1])
  })

  it('have what the connection has counted', async () => {
    const counters = newCounters()
    Object.assign(counters.requests, { ok: 7, rejected: 2, failed: 1 })
    Object.assign(counters.logins, { ok: 3, refused: 1 })
    Object.assign(counters.polls, { count: 5, seconds: 0.1 + 0.2 })
    const samples = await rendered([{ gateway: 'oslo', isUp: false, counters }])
    const of = (name: string, result: string) => valuesOf(samples, name, { result })
    of('requests_total', 'ok').should.eql([7])
    of('requests_total', 'rejected').should.eql([2])
    of('requests_total', 'failed').should.eql([1])
    of('logins_total', 'refused').should.eql([1])
    valuesOf(samples, 'poll_duration_seconds_count').should.eql([5])
    valuesOf(samples, 'poll_duration_seconds_sum').should.eql([0.3])
  })

  it('have no label that a name fills but in _info', async () => {
    const samples = await rendered([withFigures()])
    const plain = ['gateway', 'route_id', 'destination_id', 'status', 'sign', 'result']
    for (const { name, labels } of samples) {
      if (name.endsWith('_info')) continue
      Object.keys(labels)
        .filter((label) => !plain.includes(label))
        .should.eql([], name)
    }
    JSON.stringify(samples).should.not.match(/203\.0\.113/)
  })

  describe('of SRT', () => {
    it('are those of the worst connection, in base units', async () => {
      const samples = await rendered([withFigures()])
      const source = { gateway: 'oslo', route_id: 'r1' }
      valuesOf(samples, 'source_srt_round_trip_time_seconds', source).should.eql([0.04])
      valuesOf(samples, 'source_srt_packets_lost_total', source).should.eql([377])
      valuesOf(samples, 'source_srt_packet_loss_ratio', source).should.eql([0.02])
      valuesOf(samples, 'source_srt_buffer_seconds', source).should.eql([0.12])
      const clients = { ...source, destination_id: 'clients id' }
      valuesOf(samples, 'destination_srt_round_trip_time_seconds', clients).should.eql([0.4])
      // One client counts less once another has left: there is no such counter.
      valuesOf(samples, 'destination_srt_packets_lost_total', clients).should.eql([])
      valuesOf(samples, 'destination_srt_buffer_seconds', clients).should.eql([0.3])
      valuesOf(samples, 'destination_srt_packet_loss_ratio', clients).should.eql([])
    })

    it('are those of sources and destinations, and none in the totals', async () => {
      const srt = (samples: Sample[]) => namesIn(samples).filter((name) => name.includes('_srt_'))
      srt(await rendered([withFigures()])).should.have.length(6)
      srt(await rendered([withFigures()], 'totals')).should.eql([])
    })

    it('are not written for a route that no longer runs', async () => {
      const samples = await rendered([withFigures('idle')])
      valuesOf(samples, 'source_srt_round_trip_time_seconds').should.eql([])
    })

    it('are not read from a response without a route', () => {
      should(srtIn({ collectedAt: 1 })).be.undefined()
      should(srtIn({ route: { name: 'no ID' } })).be.undefined()
    })

    it('are not read from what is no share, no number, or less than nothing', () => {
      const odd = (value: unknown) => ({
        srtRoundTripTime: value,
        srtBufferLevel: value,
        srtPacketLossRate: value,
      })
      const good = { srtRoundTripTime: 20, srtBufferLevel: 30, srtPacketLossRate: 50 }
      const connections = [-1, Infinity, NaN, '', 'n/a', null, true].map(odd)
      connections.push({ ...good, srtPacketLossRate: 250 })
      const source = { srtNumLostPackets: Infinity, connections }
      const [, read] = srtIn({ route: { id: 'r1', source } })!
      read.source.should.eql({
        roundTripSeconds: 0.02,
        lostPackets: undefined,
        lossRatio: undefined,
        bufferSeconds: 0.03,
      })
      const [, more] = srtIn({ route: { id: 'r1', source: { ...source, ...good } } })!
      more.source.lossRatio!.should.equal(0.5)
    })

    it('are found by IDs in either case', () => {
      const upper = '0A9021A1-CC2F-434C-B08E-6E19BAEC834A'
      const [id, { destinations }] = srtIn({ route: { id: upper, destinations: [{ id: upper }] } })!
      ;[id, ...destinations.keys()].should.eql([upper.toLowerCase(), upper.toLowerCase()])
    })
  })

  it('are rendered in slices, and all of them come', async () => {
    const picture = pictureOf(Array.from({ length: 200 }, (_, index) => route(`r${index}`)))
    const pictures = Array<Picture>(60).fill(picture).map(renamed)
    const { result: text, turns } = await turnsDuring(() => renderMetrics(pictures, 'routes'))
    turns.should.be.above(2)
    text.match(/^media_gateway_route_running\{/gm)!.should.have.length(12_000)
  })

  it('have a help without a mark that would need an escape', () => {
    for (const { help } of Object.values(FAMILIES)) help.should.match(/^[^\\\n]+\.$/)
  })
})

const renamed = (picture: Picture, index: number): Picture => ({
  ...picture,
  gateway: `gateway ${index}`,
})

/** With statistics as the client hands them on. */
function withFigures(state = 'running'): Picture {
  const [id, figures] = srtIn({
    route: {
      id: 'r1',
      source: {
        id: 'in id',
        srtNumLostPackages: 377,
        srtPacketLossRate: 1,
        connections: [
          { address: '203.0.113.9', srtRoundTripTime: 40, srtBufferLevel: 120 },
          { srtRoundTripTime: 3, srtBufferLevel: 900, srtPacketLossRate: 2 },
        ],
      },
      destinations: [
        {
          id: 'clients id',
          name: 'clients',
          clientStat: [
            {
              address: '203.0.113.7',
              connections: [{ srtRoundTripTime: 400, srtBufferLevel: 300 }],
            },
            { connections: [{ srtRoundTripTime: 2, srtBufferLevel: 20, srtNumLostPackets: 9 }] },
          ],
        },
        { name: 'out', bitrate: 3 },
      ],
    },
  })!
  return pictureOf([route('r1', { state })], { srt: new Map([[id, figures]]) })
}
