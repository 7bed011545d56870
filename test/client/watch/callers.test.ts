// Who calls the listeners of a gateway: joined, left and away, and what it costs to know that.
import { callersOf } from '../../../client/watch/measuring/callers'
import type { RouteState } from '../../../simulator/model'
import { EVERY_MS, listener, newWorld, routeOf, type CallersWorld } from './callers-world'

const NORTH = { label: 'N', address: '203.0.113.7', port: 40_001 }
const SOUTH = { label: 'S', address: '203.0.113.8', port: 40_002 }
const NEWS = routeOf('News', listener('Partners'))
const EVENTS = { events: ['caller.joined', 'caller.left'] as const }

describe('callers of a gateway', () => {
  let world: CallersWorld

  afterEach(() => world.end())

  async function begin(
    options: Parameters<CallersWorld['begin']>[0] = EVENTS,
    routes = [NEWS],
    rows?: object[],
  ): Promise<void> {
    world = newWorld(routes, { rows })
    world.call([NORTH])
    await world.begin(options)
    world.news().should.eql([])
  }

  it('join and leave, each told once, and who was there at first is no news', async () => {
    await begin()
    world.call([NORTH, SOUTH])
    await world.look()
    const { event } = world.told[0]!
    event.should.containEql({
      before: 'away',
      after: 'connected',
      route: { id: world.route('News').id, name: 'News' },
      destination: { id: world.route('News').destinations[1]!.id, name: 'Partners' },
      caller: {
        address: SOUTH.address,
        port: SOUTH.port,
        name: null,
        since: event.at,
        durationMs: null,
      },
      text: 'News: 203.0.113.8 connected to destination “Partners”',
    })
    world.told.length = 0
    await world.look(3)
    world.call([SOUTH])
    await world.look(2)
    world.call([])
    await world.look(2)
    Object.keys(world.told[1]!.event).sort().should.eql(Object.keys(event).sort())
    const [north, south, ...others] = world.told.map((one) => one.event)
    others.should.eql([])
    should(north!.caller!.address).equal(NORTH.address)
    should(south!.caller!.since).equal(event.at)
    should(south!.caller!.durationMs).equal(Math.round(south!.at - event.at))
    south!.should.containEql({ event: 'caller.left', before: 'connected', after: 'away' })
    south!.text.should.match(
      /^News: 203\.0\.113\.8 disconnected from destination “Partners” after \d+ /,
    )
  })

  it('that reconnect from the same address within the hold have not left', async () => {
    await begin({ ...EVENTS, holdFor: 2 * EVERY_MS + 5000 })
    world.call([])
    await world.look()
    world.call([{ ...NORTH, port: 40_009 }])
    await world.look(4)
    world.news().should.eql([])
    world.known()!.should.match([{ address: NORTH.address, port: 40_009 }])
    // And without a poll between, with any hold.
    world.call('reconnect')
    await world.look(2)
    world.news().should.eql([])
    world.call([])
    await world.look(2)
    world.news().should.eql([])
    await world.look(3)
    world.news().should.eql(['caller.left 203.0.113.7 News Partners'])
    world.call([NORTH])
    await world.look(2)
    world.call([])
    await world.look(8)
    world.news().should.eql([])
  })

  it('of one address are several, each of its own', async () => {
    await begin()
    const [second, third] = [
      { ...NORTH, label: 'M', port: 40_003 },
      { ...NORTH, label: 'O', port: 40_004 },
    ]
    world.call([NORTH, second, third])
    await world.look()
    world.news().should.have.length(2)
    world.call('reconnect')
    world.call([{ ...NORTH, port: 50_000 }, second])
    await world.look()
    world.news().should.eql(['caller.left 203.0.113.7 News Partners'])
  })

  it('call a source in listener mode too', async () => {
    const source = { name: 'In', protocol: 'srt', srtMode: 'listener', address: '0.0.0.0', port: 1 }
    await begin(EVENTS, [{ ...NEWS, source }])
    world.call([{ label: 'V', address: '198.51.100.44', port: 1 }], 'In')
    await world.look()
    // It is connected as before: no number has changed.
    world.news().should.eql([])
    world.call(0, 'In')
    await world.look()
    world
      .news()
      .should.eql(
        ['caller.left 203.0.113.7 News Partners', 'caller.left 198.51.100.10 News In'].sort(),
      )
    world.call([{ label: 'V', address: '198.51.100.44', port: 1 }], 'In')
    await world.look(2)
    world
      .news()
      .sort()
      .should.eql([
        'caller.joined 198.51.100.44 News In',
        'caller.joined 203.0.113.7 News Partners',
      ])
  })

  it('of an output that two routes share are told once', async () => {
    const shared = listener('Partners', { id: 'shared' })
    await begin(EVENTS, [routeOf('News', shared), routeOf('Reserve', shared)])
    world.call([NORTH, SOUTH])
    await world.look()
    world.news().should.eql(['caller.joined 203.0.113.8 News Partners'])
    world.stop('News')
    await world.look(2)
    world.news().should.eql([])
  })

  /** The statistics have no list of who calls Partners. */
  function withoutList(statistics: object): object {
    const { destinations } = (statistics as { route: { destinations: object[] } }).route
    Reflect.deleteProperty(destinations[1]!, 'clientsStat')
    return statistics
  }

  it('stay unknown where the statistics have no list, without a read for each poll', async () => {
    world = newWorld([NEWS])
    world.forge = withoutList
    world.call([NORTH])
    await world.begin(EVENTS)
    await world.look(5)
    world.statistics.should.have.length(2)
    world.news().should.eql([])
  })

  describe('cost', () => {
    const OTHER = routeOf('Other', listener('Partners'), listener('Archive', { port: 7001 }))
    const PLAIN = routeOf('Plain')

    it('one read for each route whose number has changed, and none without', async () => {
      await begin(EVENTS, [NEWS, OTHER, PLAIN])
      world.statistics.splice(0).should.eql(['News'])
      await world.look(3)
      world.statistics.should.eql([])
      world.call(2, 'Partners', 'Other')
      world.call(3, 'Archive', 'Other')
      await world.look(3)
      world.statistics.splice(0).should.eql(['Other'])
      // That nobody calls, the number alone says.
      world.call(0, 'Partners', 'Other')
      world.call(0)
      await world.look(3)
      world.statistics.should.eql([])
      world.told.length = 0
    })

    it('nothing where no caller is asked for', async () => {
      for (const options of [
        {},
        { events: ['route.stopped'] as const },
        { report: 'incidents' as const },
      ]) {
        await begin(options)
        world.call([NORTH, SOUTH])
        await world.look(3)
        world.statistics.should.eql([])
        await world.end()
      }
    })

    it('nothing for an incident of somebody who is expected elsewhere', async () => {
      const rows = [{ address: '203.0.113.8', name: 'S', route: 'Other', expected: 'running' }]
      await begin({ report: 'incidents' }, [NEWS, OTHER], rows)
      world.call([NORTH, SOUTH])
      await world.look(3)
      world.statistics.should.eql([])
    })

    it('two reads at most where the list never fits the number', async () => {
      world = newWorld([NEWS])
      world.forge = (statistics) => {
        const { destinations } = (
          statistics as { route: { destinations: Array<{ clientsStat: object[] }> } }
        ).route
        destinations[1]!.clientsStat = destinations[1]!.clientsStat.slice(1)
        return statistics
      }
      world.call([NORTH, SOUTH])
      await world.begin(EVENTS)
      await world.look(5)
      world.statistics.should.have.length(2)
      world.call([NORTH, SOUTH, { ...SOUTH, port: 1, label: 'T' }])
      await world.look(5)
      world.statistics.should.have.length(4)
      world.news().should.eql(['caller.joined 203.0.113.8 News Partners'])
    })
  })

  describe('expected', () => {
    const rows = [
      {
        address: '203.0.113.0/29',
        name: 'North',
        route: 'News',
        output: 'Partners',
        expected: 'running',
      },
      { address: '203.0.113.8', name: 'South', expected: 'always' },
    ]
    const options = { report: 'incidents', holdFor: 0 } as const

    /** North is told to be away, and the watch ends. */
    async function missNorth(): Promise<void> {
      world = newWorld([NEWS], { rows })
      world.call([SOUTH])
      await world.begin(options)
      await world.look()
      world.news().should.eql(['incident.begun caller North News Partners'])
      await world.end()
    }

    it('are missed with a warning, until they are back', async () => {
      world = newWorld([NEWS], { rows })
      world.call([NORTH, SOUTH])
      await world.begin(options)
      await world.look()
      world.news().should.eql([])
      world.call([SOUTH])
      await world.look()
      const { event } = world.told[0]!
      event.should.containEql({
        event: 'incident.begun',
        text: 'News: caller “North” is away',
        destination: { id: world.route('News').destinations[1]!.id, name: 'Partners' },
        caller: { address: null, port: null, name: 'North', since: null, durationMs: null },
      })
      event.incident!.should.containEql({
        kind: 'caller',
        severity: 'warning',
        reason: 'caller-away',
      })
      world.told.length = 0
      await world.look(3)
      world.call([NORTH, SOUTH])
      await world.look()
      const { event: ended } = world.told[0]!
      ended.text.should.match(/^News: OK again after \d+ seconds \(caller “North” is away\)$/)
      world.told.length = 0
    })

    it('are not missed where the statistics have no list, until nobody calls', async () => {
      world = newWorld([NEWS], { rows })
      world.forge = withoutList
      world.call([NORTH, SOUTH])
      await world.begin(options)
      await world.look(5)
      world.news().should.eql([])
      world.call([])
      await world.look(2)
      world
        .news()
        .should.eql([
          'incident.begun caller North News Partners',
          'incident.begun caller South News',
        ])
    })

    it('are missed where another listener of the route has no list', async () => {
      const source = {
        name: 'In',
        protocol: 'srt',
        srtMode: 'listener',
        address: '0.0.0.0',
        port: 1,
      }
      world = newWorld([{ ...NEWS, source }], { rows })
      world.forge = (statistics) => {
        const { route } = statistics as { route: { source: object } }
        Reflect.deleteProperty(route.source, 'connections')
        return statistics
      }
      world.call([NORTH, SOUTH])
      await world.begin(options)
      await world.look(3)
      world.news().should.eql([])
      world.call([])
      await world.look(3)
      world
        .news()
        .should.eql([
          'incident.begun caller North News Partners',
          'incident.begun caller South News',
        ])
    })

    it('are missed where the statistics spell the IDs in upper case', async () => {
      world = newWorld([NEWS], { rows })
      world.forge = (statistics) => {
        const { route } = statistics as { route: RouteState }
        for (const part of [route, ...route.destinations]) part.id = part.id.toUpperCase()
        return statistics
      }
      world.call([NORTH, SOUTH])
      await world.begin(options)
      await world.look()
      world.call([SOUTH])
      await world.look()
      world.news().should.eql(['incident.begun caller North News Partners'])
    })

    it('are missed no longer when they are no longer expected: that ends as removed', async () => {
      await missNorth()
      world.book = newWorld([], { rows: rows.slice(1) }).book
      await world.begin(options)
      await world.look(2)
      const [{ event }] = world.told as [(typeof world.told)[0]]
      event.should.containEql({ event: 'incident.ended', after: 'removed' })
      world.news().should.eql(['incident.ended caller North News Partners'])
    })

    it('need not call a route that is stopped, unless always', async () => {
      world = newWorld([NEWS], { rows })
      world.call([NORTH, SOUTH])
      await world.begin(options)
      world.stop('News')
      await world.look(2)
      world.news().should.eql(['incident.begun caller South News'])
      world.start('News')
      await world.look(2)
      world.news().should.eql(['incident.ended caller South News'])
    })

    it('are not missed where the source is lost: nobody can call then', async () => {
      world = newWorld([NEWS], { rows })
      world.call([NORTH, SOUTH])
      await world.begin(options)
      world.failSource(true)
      await world.look(2)
      world.news().should.eql(['incident.begun route News In'])
      world.call([])
      world.failSource(false)
      await world.look(2)
      world
        .news()
        .sort()
        .should.eql([
          'incident.begun caller North News Partners',
          'incident.begun caller South News',
          'incident.ended route News In',
        ])
    })

    it('are not missed where they call an output that another route shares', async () => {
      const shared = listener('Partners', { id: 'shared' })
      const routes = [routeOf('News', shared), routeOf('Reserve', shared)]
      const [row] = rows
      world = newWorld(routes, { rows: [{ ...row, route: 'Reserve' }] })
      world.call([NORTH])
      await world.begin(options)
      await world.look(2)
      world.news().should.eql([])
      world.statistics.splice(0).should.eql(['Reserve'])
      const at = (): string[] => world.known()!.map(({ place }) => place.route.name)
      at().should.eql(['Reserve', 'News'])
      world.stop('Reserve')
      world.stop('News')
      world.start('Reserve')
      await world.look(2)
      world.news().should.eql([])
      at().should.eql(['Reserve'])
      world.call([], 'Partners', 'Reserve')
      await world.look(2)
      world.news().should.eql(['incident.begun caller North Reserve Partners'])
    })

    it('do not make an incident of a value that is back inside its threshold', async () => {
      const thresholds = [{ measure: 'roundTripTime', of: 'source', high: 100 }] as const
      let srtRoundTripTime = 150
      world = newWorld([NEWS], { rows })
      world.forge = (statistics) => {
        Object.assign((statistics as { route: { source: object } }).route.source, {
          srtRoundTripTime,
        })
        return statistics
      }
      world.call([NORTH, SOUTH])
      await world.begin({ ...options, thresholds })
      await world.look(2)
      world.news().should.eql(['incident.begun threshold News'])
      srtRoundTripTime = 20
      await world.look(2)
      world.news().should.eql(['incident.ended threshold News'])
    })

    it('have names in all events, and a list that is not read yet ends nothing', async () => {
      await missNorth()
      const { book } = world
      world.book = undefined
      await world.begin(options)
      await world.look(2)
      world.news().should.eql([])
      world.book = book
      await world.look(2)
      world.news().should.eql([])
      await world.end()
      world.book = undefined
      await world.begin()
      world.book = book
      world.call([NORTH, SOUTH])
      await world.look()
      world.news().should.eql(['caller.joined North News Partners'])
    })
  })

  it('are listed with what is measured, whatever the statistics leave out', () => {
    world = newWorld([])
    should(callersOf({ clientStat: 'none' })).be.undefined()
    callersOf({
      srtEncryption: 'AES256',
      clientStat: [
        {
          address: ' ::ffff:192.0.2.1 ',
          port: 5,
          bitrate: 2,
          connections: [{ srtRoundTripTime: 8 }, { srtRoundTripTime: Infinity }],
        },
        { address: '2001:db8::1', port: 'x', bitrate: -1, srtPacketLossRate: 250 },
        { port: 7 },
        null,
        { address: '' },
      ],
    })!.should.eql([
      {
        address: '192.0.2.1',
        port: 5,
        bitrate: 2,
        packetLoss: null,
        roundTripTime: 8,
        encryption: 'AES256',
      },
      {
        address: '2001:db8::1',
        port: null,
        bitrate: null,
        packetLoss: null,
        roundTripTime: null,
        encryption: 'AES256',
      },
    ])
  })
})
