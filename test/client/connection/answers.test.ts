import net from 'node:net'
import { createRoute } from '../../../client/changes/create'
import { findRoute } from '../../../client/changes/find'
import { sendCommand } from '../../../client/api/commands'
import { getDevice, listDevices } from '../../../client/api/devices'
import { exportPreset } from '../../../client/api/presets'
import { readAllStatistics, readStatistics } from '../../../client/api/statistics'
import type { GatewayOptions } from '../../../client/connection/connection'
import { Operation } from '../../../client/connection/operation'
import { Stop } from '../../../client/stop'
import { errorOf } from '../../support/errors'
import { freePort } from '../../support/ports'
import { liveInOwnTime } from '../../support/own-time'
import { Proxy } from '../../support/proxy'
import {
  closed,
  listen,
  type Call,
  type Reply,
  type Script,
} from '../../support/scripted-appliance'
import { appliance, gateway, scripted } from '../../support/stage'
import { until } from '../../support/until'
import { NEW, connectTo, op } from './support'

const PAGE: Reply = { text: '<!doctype html><p>Sign in' }

describe('what an appliance answers', () => {
  function start(reply: Script, options: Partial<GatewayOptions> = {}): Promise<void> {
    liveInOwnTime(10)
    return scripted(reply, { timeout: 3000, ...options })
  }
  const calls = (what: string): number =>
    appliance.calls.filter((call) => call.what === what).length

  it('nothing, is told with all attempts and the whole time', async () => {
    const timeout = 1500
    await start(({ what }) => (what === 'GET /api/devices' ? 'silence' : undefined), { timeout })
    const begun = performance.now()
    const { message } = await errorOf(listDevices(gateway, op()))
    const took = (performance.now() - begun) / 1000
    const [, attempts, time] = /did not respond to (\d) attempts within ([\d.]+) s\./.exec(message)!
    Number(attempts).should.equal(calls('GET /api/devices'))
    Number(time).should.be.within(1.5, took + 0.05)
  })

  it('nothing, on all connections that are kept, costs one attempt and not one for each of them', async () => {
    const silent = new Set<Call['socket']>()
    const released: Array<() => void> = []
    await start(async ({ what, socket }) => {
      if (what !== 'GET /api/devices') return undefined
      if (silent.has(socket)) return 'silence'
      if (released.length < 4) await new Promise<void>((resolve) => released.push(resolve))
      return undefined
    })
    const reads = Array.from({ length: 4 }, () => listDevices(gateway, op()))
    await until(() => released.length === 4)
    for (const release of released) release()
    await Promise.all(reads)
    for (const { what, socket } of appliance.calls)
      if (what !== 'POST /api/session') silent.add(socket)
    await listDevices(gateway, op())
    calls('GET /api/devices').should.equal(6)
  })

  it('nothing to a change, is told with the one attempt and its time', async () => {
    const timeout = 2000
    await start(({ path }) => (path.endsWith('/updates') ? 'silence' : undefined), { timeout })
    const { message } = await errorOf(createRoute(gateway, { ...NEW, deviceId: 'D' }, op()))
    message.should.containEql('did not respond within 2 s.')
  })

  it('with 204 to a change, is a success without a body, and to nothing else', async () => {
    await start(({ method, path }) =>
      path.endsWith('/updates') ||
      path.endsWith('/commands') ||
      (method === 'GET' && path.endsWith('/D'))
        ? { status: 204 }
        : undefined,
    )
    const { answer } = await createRoute(gateway, { ...NEW, deviceId: 'D' }, op())
    answer.should.eql({})
    const command = { deviceId: 'D', command: 'start-route', routeId: 'R' } as const
    ;(await sendCommand(gateway, command, op())).should.eql([])
    ;(await errorOf(getDevice(gateway, 'D', op()))).code.should.equal('BAD_RESPONSE')
  })

  it('with a web page, is told as such where it has worked before', async () => {
    await start(({ what }) => (what === 'GET /api/devices/D' ? PAGE : undefined))
    const first = await errorOf(getDevice(gateway, 'D', op()))
    first.message.should.match(/does not respond like a media gateway \(GET/)
    await listDevices(gateway, op())
    const { message } = await errorOf(getDevice(gateway, 'D', op()))
    message.should.match(
      /sent a web page instead of a result \(GET \/api\/devices\/D: HTTP 200\)\.$/,
    )
  })

  it('with no JSON, is told as such where it has worked before', async () => {
    await start(({ what }) => (what === 'GET /api/devices/D' ? { text: 'Hello' } : undefined))
    await listDevices(gateway, op())
    const { message } = await errorOf(getDevice(gateway, 'D', op()))
    message.should.match(/sent a response that is not a result.*The response was not JSON\.$/)
  })

  it('of another shape, is to be reported with the version', async () => {
    await start(({ what }) => (what === 'GET /api/devices' ? { body: {} } : undefined))
    const { message } = await errorOf(listDevices(gateway, op()))
    message.should.match(/object instead of array.*differs from what this package knows.*version/)
  })

  for (const body of [{}, { preset_version: '1.0' }, { response: { routes: [] } }]) {
    it(`with ${JSON.stringify(body)} to an export, is no preset`, async () => {
      await start(({ path }) => (path.endsWith('/preset') ? { body } : undefined))
      const error = await errorOf(exportPreset(gateway, 'D', op()))
      error.should.match({ code: 'BAD_RESPONSE', cause: { applied: 'no' } })
      error.message.should.match(/No preset: .* something else/)
    })
  }

  for (const body of [{ route: null }, { source: null }, { destination: 'D1' }]) {
    it(`with ${JSON.stringify(body)}, are no statistics`, async () => {
      await start(({ path }) => (path.endsWith('/statistics') ? { body } : undefined))
      const error = await errorOf(readStatistics(gateway, 'D', { routeId: 'R' }, op()))
      error.should.match({ code: 'BAD_RESPONSE', message: /other than statistics/ })
    })
  }

  it('with half a response and an end of the connection, is asked for again', async () => {
    let answers = 0
    const half = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n[{"_i\r\n'
    await start(({ what }) => {
      if (what !== 'GET /api/devices') return undefined
      return ++answers < 3 ? { raw: half } : undefined
    })
    ;(await listDevices(gateway, op())).should.eql([{ _id: 'D' }])
    answers.should.equal(3)
  })

  it('with a failure, is not asked again by a caller that has stopped meanwhile', async () => {
    const stop = new Stop()
    await start(({ what }) => {
      if (what !== 'GET /api/devices') return undefined
      setImmediate(() => setImmediate(() => setImmediate(() => stop.now())))
      return { status: 503, body: {} }
    })
    const begun = performance.now()
    const operation = new Operation('test', { stop })
    ;(
      await errorOf(gateway.call({ method: 'GET', path: '/api/devices' }, operation))
    ).code.should.equal('CLOSED')
    const paused = gateway.pause(60_000, stop)
    ;(await errorOf(paused)).code.should.equal('CLOSED')
    ;(performance.now() - begun).should.be.below(5000)
    calls('GET /api/devices').should.equal(1)
  })

  it('a pause ends when its caller is stopped', async () => {
    await start(() => undefined)
    const stop = new Stop()
    const paused = errorOf(gateway.pause(60_000, stop))
    stop.now()
    ;(await paused).code.should.equal('CLOSED')
  })

  const route = (id: string): object => ({
    id,
    name: id,
    state: 'running',
    source: { id: 'S', name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
    destinations: [],
  })

  it('as routes that are still being created are not missing in its list', async () => {
    await start(({ path }) =>
      path.endsWith('/routes')
        ? { body: { data: [route('R')], numPages: 1, numResults: 3, pendingRouteCreates: 2 } }
        : undefined,
    )
    const missing = findRoute(gateway, 'D', { name: 'None' }, op())
    ;(await errorOf(missing)).code.should.equal('NOT_FOUND')
    appliance.calls.filter(({ path }) => path.endsWith('/routes')).should.have.length(1)
  })

  it('with a 404 for the statistics of a route leaves that route out', async () => {
    await start(({ path, query }) => {
      if (path.endsWith('/routes')) {
        return { body: { data: [route('R'), route('gone')], numPages: 1, numResults: 2 } }
      }
      if (!path.endsWith('/statistics') || query.get('routeID') === 'gone') return undefined
      return { body: { route: { id: 'R' } } }
    })
    const rows = await readAllStatistics(gateway, 'D', op())
    rows.should.match([{ route: { id: 'R' } }])
    rows.should.have.length(1)
  })

  it('late, is no row of the statistics of a caller that has stopped', async () => {
    const stop = new Stop()
    await start(({ path, query }) => {
      if (path.endsWith('/routes')) {
        return { body: { data: [route('R'), route('slow')], numPages: 1, numResults: 2 } }
      }
      if (!path.endsWith('/statistics')) return undefined
      if (query.get('routeID') === 'slow') {
        setTimeout(() => stop.now(), 50)
        return 'silence'
      }
      return { body: { route: { id: 'R' } } }
    })
    const error = await errorOf(readAllStatistics(gateway, 'D', new Operation('test', { stop })))
    error.code.should.equal('CLOSED')
  })

  it('nothing, through a proxy that does not answer either, keeps no socket after the close', async () => {
    const sockets = new Set<net.Socket>()
    const proxy = net.createServer((socket) => {
      sockets.add(socket)
      socket
        .resume()
        .on('error', () => undefined)
        .on('close', () => sockets.delete(socket))
    })
    const url = `http://127.0.0.1:${await listen(proxy)}`
    for (const [scheme, fingerprint] of [['http'], ['https'], ['https', 'AB'.repeat(32)]]) {
      await start(() => undefined)
      const through = connectTo(
        { url: appliance.url.replace('http', scheme!) },
        { proxy: { url }, timeout: 10_000, fingerprint },
      )
      const failed = errorOf(listDevices(through, op()))
      await until(() => sockets.size > 0)
      await through.close()
      ;(await failed).code.should.equal('CLOSED')
      await until(() => sockets.size === 0, 'the end of the tunnel', 8000)
      await gateway.close()
      await appliance.stop()
    }
    await closed(proxy)
  })

  for (const [what, reason, said] of [
    ['that nothing listens at', 'ECONNREFUSED', 'No connection to the HTTP proxy'],
    ['that cuts the connection', 'ECONNRESET', 'No connection to the HTTP proxy'],
    ['that refuses', undefined, 'did not let the connection'],
  ] as const) {
    it(`is not blamed on the gateway, through a proxy ${what}`, async () => {
      const refusal = reason ? '' : 'HTTP/1.1 407 No\r\n\r\n'
      const proxy = reason === 'ECONNREFUSED' ? undefined : await Proxy.start(() => refusal)
      const url = proxy?.url ?? `http://127.0.0.1:${await freePort()}`
      const through = connectTo(appliance, { proxy: { url } })
      const error = await errorOf(listDevices(through, op()))
      error.should.match({ code: 'UNAVAILABLE', cause: { retryable: true } })
      should(error.cause.reason).equal(reason)
      error.message.should.containEql('HTTP proxy').and.containEql(said)
      await through.close()
      await proxy?.stop()
    })
  }

  it('through a proxy is read as often as one likes', async () => {
    const proxy = await Proxy.start()
    await start(() => undefined)
    const through = connectTo(appliance, { proxy: { url: proxy.url } })
    await Promise.all(Array.from({ length: 30 }, () => listDevices(through, op())))
    await through.close()
    await proxy.stop()
  })
})
