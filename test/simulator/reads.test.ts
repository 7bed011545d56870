import { generateRoutes, type RouteSpec } from '../../simulator'
import { type Json, type Answer, simulate, loggedIn, routeOf, byText, STUDIO } from './support'

describe('simulator', () => {
  describe('devices and routes', () => {
    it('lists devices and reads the configuration of one', async () => {
      const simulator = await simulate({ devices: 2, routes: 3, pollingInterval: 4000 })
      const { get, device } = await loggedIn(simulator)
      const devices = (await get('/api/devices')).json
      devices.length.should.equal(2)
      Object.keys(devices[0]).should.eql([
        '_id',
        'type',
        'ip',
        'name',
        'lastConnectedAt',
        'statusCode',
        'status',
        'statusDetails',
        'serialNumber',
        'firmware',
        'hasAdminError',
        'pendingSync',
        'lastConnection',
      ])
      devices[0]._id.should.match(/^[\w-]{22}$/)

      const configuration = (await get(`/api/devices/${device}`)).json
      configuration.config.routes.length.should.equal(3)
      configuration.config.settings.networkAdapters[0].should.have.keys('name', 'address')
      configuration.config.peers[0].should.have.keys('passcode', 'status', 'proxyHttpsPort')
      configuration.gateway.should.eql({ port: 1080 })
      configuration.suggestedPollingInterval.should.eql({ ms: 4000 })
      configuration.should.have.keys('lastConfigReadAt', 'lastAcceptedUpdate', 'pendingSync')

      simulator.setOptions({ dialect: { pairings: 'calypsos' } })
      Object.assign(simulator.devices[0] ?? {}, { statusCode: 'warn' })
      const changed = (await get(`/api/devices/${device}`)).json
      changed.statusCode.should.equal('warn')
      changed.config.should.have.key('calypsos')
      changed.config.should.not.have.key('peers')

      ;(await get('/api/devices/unknown')).status.should.equal(404)
    })

    it('pages the list, and clamps the page size', async () => {
      const simulator = await simulate({ routes: 30, maxPageSize: 20 })
      const { get, routes } = await loggedIn(simulator)
      const names = (answer: Answer) => answer.json.data.map((route: Json) => route.name)
      const all = simulator.routes.map(({ name }) => name)

      const byDefault = await get(routes)
      names(byDefault).should.eql(all.slice(0, 20))
      simulator.setOptions({ maxPageSize: 500 })
      names(await get(routes)).should.eql(all.slice(0, 25))
      const second = await get(`${routes}?page=2&pageSize=12`)
      names(second).should.eql(all.slice(12, 24))
      second.json.numPages.should.equal(3)
      second.json.numResults.should.equal(30)
      second.json.pendingRouteCreates.should.equal(0)
      second.json.numActiveOutputConnections.should.be.above(0)
      names(await get(`${routes}?page=4&pageSize=12`)).should.eql([])
      ;(await get(`${routes}?page=0`)).status.should.equal(400)

      simulator.setOptions({ dialect: { paging: false, pendingRouteCreates: false } })
      const whole = await get(`${routes}?page=2&pageSize=12`)
      names(whole).should.eql(all)
      whole.json.numPages.should.equal(1)
      whole.json.should.not.have.key('pendingRouteCreates')
    })

    it('generates the same routes over every protocol and mode', () => {
      const routes = generateRoutes(28)
      routes.should.eql(generateRoutes(28))
      routes.slice(0, 8).should.eql(generateRoutes(8))
      routes.should.not.eql(generateRoutes(28, 2))
      new Set(routes.map(({ name }) => name)).size.should.equal(28)
      const sources = routes.map(({ source }) => source)
      const destinations = routes.flatMap((route) => route.destinations ?? [])
      const values = (parts: RouteSpec['source'][], field: string) =>
        [...new Set(parts.map((part) => part[field]))]
          .filter((value) => value !== undefined)
          .sort(byText)
      values(sources.slice(0, 8), 'protocol').should.eql(['rtmp', 'rtp', 'rtsp', 'srt', 'udp'])
      values(sources, 'srtMode').should.eql(['caller', 'listener', 'rendezvous'])
      values(sources, 'rtmpMode').should.eql(['CONSUMER', 'PUBLISHER'])
      values(sources, 'srtGroupMode').should.containEql('broadcast')
      values(sources, 'fec').should.containEql('prompeg')
      values(destinations, 'protocol').should.eql(['hls', 'rtp', 'srt', 'udp'])
      should(routes.some((route) => route.destinations?.length === 0)).be.true()
      const running = routes.filter(({ startRoute }) => startRoute).length
      running.should.be.within(7, 21)
      JSON.stringify(routes)
        .match(/\d+\.\d+\.\d+\.\d+/g)
        ?.filter((ip) => !/^(192\.0\.2|198\.51\.100|203\.0\.113|239\.\d+\.\d+|0\.0\.0)\./.test(ip))
        .should.eql([])
    })

    it('reads a route differently from how it is sent', async () => {
      const simulator = await simulate({ routes: 14 })
      const { get, routes } = await loggedIn(simulator)
      const reads: Json[] = (await get(routes)).json.data
      const source = (test: (each: Json) => boolean) =>
        reads.map((route) => route.source).find(test)
      const destination = (test: (each: Json) => boolean) =>
        reads.flatMap((route) => route.destinations).find(test)

      const srt = source((each) => each.protocol === 'srt' && each.srtPassPhrase)
      srt.mode.should.equal('listener')
      srt.encryption.should.equal('srt')
      for (const route of reads) should(route.source.srtMode).be.undefined()
      const udp = source((each) => each.protocol === 'udp' && each.address.startsWith('239.'))
      udp.mode.should.equal('multicast')
      udp.should.containEql({ srtRcvBuf: 10_240_000, srtGroupMode: 'none', srtPassPhrase: null })
      udp.usedBandwidth.should.match(/^\d+\.\d{3}$/)
      udp.should.not.have.key('networkAddress')
      const publisher = source((each) => each.rtmpMode === 'PUBLISHER')
      publisher.should.containEql({ address: '127.0.0.1/live', port: 1935 })
      source((each) => each.protocol === 'rtsp').password.should.match(/^invented/)
      const redundant = source((each) => each.srtGroupMode === 'broadcast')
      redundant.port.should.match(/^\d+\|\d+$/)
      redundant.networkInterface.should.equal('eth0|eth1')
      redundant.srtNetworkBondingParams.length.should.equal(2)
      const hls = destination((each) => each.mode === 'hls')
      hls.protocol.should.equal('http')
      hls.segmentDuration.should.equal('6')
      hls.address.should.match(/^\/hls\//)
      const listener = destination((each) => each.mode === 'listener')
      listener.clientConnections.should.be.a.Number()
      listener.srtOverhead.should.equal('25')
      const plain = source((each) => each.protocol === 'srt' && !each.srtPassPhrase)
      plain.srtPassPhrase.should.equal('')
      for (const each of reads.flatMap((route) => route.destinations)) {
        should(each.networkAddress).be.null()
        if (each.protocol !== 'srt') continue
        each.should.not.have.key('encryption')
        each.should.have.keys('srtPassPhrase', 'retainHeader')
        if (each.mode === 'caller') each.useFec.should.be.a.Boolean()
      }
      hls.should.not.have.key('port')

      simulator.setOptions({
        dialect: { bondingInResponse: false, numbersAsStrings: true, hlsPort: true },
      })
      const others: Json[] = (await get(routes)).json.data
      const joined = others.find((route) => route.source.srtGroupMode === 'broadcast')
      joined.source.should.not.have.key('srtNetworkBondingParams')
      joined.source.srtLatency.should.equal('500')
      const all = others.flatMap((route) => route.destinations)
      all.find((each) => each.mode === 'hls').port.should.equal(0)
    })

    it('answers one route, or an error body', async () => {
      const simulator = await simulate({ routes: [STUDIO] })
      const { get, routes } = await loggedIn(simulator)
      const { id } = routeOf(simulator, 'Studio A')
      const one = await get(`${routes}/${id}`)
      one.json.should.eql(simulator.readForm('Studio A'))
      one.json.state.should.equal('idle')
      one.json.summaryStatusCode.should.equal('unknown')
      one.json.summaryStatusDetails.should.equal('idle')
      // As recorded: only the details say that it was stopped.
      for (const part of [one.json.source, ...one.json.destinations]) {
        part.should.containEql({
          state: 'disconnected',
          usedBandwidth: '0.0',
          summaryStatusCode: 'unknown',
          summaryStatusDetails: 'stopped',
        })
      }
      one.json.destinations.map((each: Json) => each.started).should.eql([false, false])
      simulator.setOptions({ dialect: { startedWhileIdle: true } })
      const promised = (await get(`${routes}/${id}`)).json.destinations
      promised.map((each: Json) => each.started).should.eql([true, true])
      simulator.setOptions({ dialect: { stoppedState: 'stopped' } })
      ;(await get(`${routes}/${id}`)).json.state.should.equal('stopped')
      const unknown = await get(`${routes}/none`)
      unknown.status.should.equal(404)
      unknown.json.error.should.have.keys('type', 'message')
    })

    it('knows paths and methods', async () => {
      const simulator = await simulate()
      const { get, send } = await loggedIn(simulator)
      ;(await get('/api/routes')).status.should.equal(404)
      const put = await send('PUT', '/api/session')
      put.status.should.equal(405)
      should(put.headers.allow).equal('POST, GET, DELETE')
      put.json.error.message.should.match(/PUT/)
    })
  })

  describe('statistics', () => {
    it('moves while a route runs', async () => {
      let now = 1_000_000
      const simulator = await simulate({
        routes: [{ ...STUDIO, startRoute: true }],
        now: () => now,
      })
      const { get, device } = await loggedIn(simulator)
      const { id } = routeOf(simulator, 'Studio A')
      const collect = async (after: number) => {
        now += after
        return (await get(`/api/gateway/${device}/statistics?routeID=${id}`)).json
      }
      const first = await collect(10_000)
      const second = await collect(1234)
      second.collectedAt.should.equal(1_011_234)
      second.route.elapsedRunningTime.should.equal('00:00:11')
      second.route.source.numPackets.should.be.above(first.route.source.numPackets)
      second.route.source.bitrate.should.not.equal(first.route.source.bitrate)
      second.route.source.should.have.keys('srtNumLostPackages', 'srtRoundTripTime', 'connections')
      second.route.destinations.map((each: Json) => each.name).should.eql(['One', 'Two'])

      simulator.stopRoute('Studio A')
      const idle = await collect(60_000)
      idle.route.elapsedRunningTime.should.equal('')
      idle.route.source.bitrate.should.equal(0)
      idle.route.source.usedBandwidth.should.equal(0)
      idle.route.source.numPackets.should.equal(second.route.source.numPackets)
    })

    it('finds a destination by its name, and nothing without a route', async () => {
      const simulator = await simulate({ routes: [{ ...STUDIO, startRoute: true }] })
      const { get, device } = await loggedIn(simulator)
      const { id, destinations } = routeOf(simulator, 'Studio A')
      const path = `/api/gateway/${device}/statistics`
      const byName = (await get(`${path}?routeID=${id}&destinationName=Two`)).json.destination
      byName.id.should.equal(destinations[1]?.id)
      ;(await get(path)).status.should.equal(400)
      ;(await get(`${path}?routeID=none`)).status.should.equal(404)
    })
  })
})
