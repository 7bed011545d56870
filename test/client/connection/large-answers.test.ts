import { gzipSync } from 'node:zlib'
import { getDevice, listDevices } from '../../../client/api/devices'
import { listRoutes } from '../../../client/api/routes'
import { sessionInformation } from '../../../client/api/session'
import { createCookies } from '../../../client/connection/cookies'
import { errorOf } from '../../support/errors'
import { LOGIN, type Reply, type Script } from '../../support/scripted-appliance'
import { connectTo, op } from './support'
import { afterThisTest } from '../../support/hooks'
import { appliance, gateway, scripted } from '../../support/stage'

const MIB = 1024 * 1024

/** An appliance may be hostile: whatever it sends, nothing else stops meanwhile. */
describe('a response that is made to cost much', () => {
  const start = (reply: Script): Promise<void> => scripted(reply, { timeout: 200_000 })

  const filled = (part: string, bytes: number): string =>
    `[${part.repeat(Math.floor((bytes - 10) / part.length))}0]`

  const CALLS: Record<string, [path: string, call: () => Promise<unknown>, most: number]> = {
    'a session': ['/api/session', () => sessionInformation(gateway, op()), MIB / 16],
    devices: ['/api/devices', () => listDevices(gateway, op()), MIB],
    'the configuration of a device': [
      '/api/devices/D',
      () => getDevice(gateway, 'D', op()),
      16 * MIB,
    ],
    routes: ['/api/gateway/D/routes', () => listRoutes(gateway, { deviceId: 'D' }, op()), 16 * MIB],
  }

  for (const [what, [path, call, most]] of Object.entries(CALLS)) {
    // What costs how much is one rule for all: one of the largest sees each kind.
    const kinds = what === 'routes' ? ['{},', '[],', '0,', '"",', '{"a":0},', '[[[]]],'] : ['{},']
    for (const part of kinds) {
      it(`${what}, all ${part}… is refused before it is parsed`, async () => {
        let text = Buffer.alloc(0)
        await start((each) => (each.method === 'GET' && each.path === path ? { text } : undefined))
        await listDevices(gateway, op()).catch(() => undefined)
        text = Buffer.from(filled(part, most))
        const before = process.memoryUsage.rss()
        const begun = process.cpuUsage()
        const error = await errorOf(call())
        const { user, system } = process.cpuUsage(begun)
        error.code.should.equal('BAD_RESPONSE')
        error.message.should.match(/127\.0\.0\.1.*too many values/)
        ;((user + system) / 1000).should.be.below(1000)
        ;(process.memoryUsage.rss() - before).should.be.below(100 * MIB)
      })
    }

    it(`${what} of one byte more than is read is refused`, async () => {
      const text = `{"a":"${'x'.repeat(most)}"}`
      await start((each) => (each.method === 'GET' && each.path === path ? { text } : undefined))
      const size = most < MIB ? '64 KiB' : `${most / MIB} MiB`
      ;(await errorOf(call())).message.should.containEql(`is larger than ${size} and was not read`)
    })
  }

  for (const encoding of ['gzip', 'deflate', 'br', 'GZIP', 'x-unknown']) {
    it(`as ${encoding}, which was not requested, is not unpacked`, async () => {
      await start(({ what }) =>
        what === 'GET /api/devices'
          ? { headers: { 'content-encoding': encoding }, text: gzipSync(Buffer.alloc(1_000_000)) }
          : undefined,
      )
      const error = await errorOf(listDevices(gateway, op()))
      error.code.should.equal('BAD_RESPONSE')
      error.message.should.containEql(`has an encoding that was not requested ("${encoding}")`)
      const asked = appliance.calls.filter(({ what }) => what === 'GET /api/devices')
      asked.should.have.length(1)
      asked[0]!.headers['accept-encoding']!.should.equal('identity')
    })
  }

  for (const encoding of ['', 'identity', 'Identity']) {
    it(`as "${encoding}" is read, as it is not encoded`, async () => {
      await start(({ what }) =>
        what === 'GET /api/devices'
          ? { headers: { 'content-encoding': encoding }, body: [{ _id: 'D' }] }
          : undefined,
      )
      ;(await listDevices(gateway, op())).should.eql([{ _id: 'D' }])
    })
  }

  it('byte by byte costs no more than at once', async () => {
    await start(({ what }) => {
      if (what !== 'GET /api/gateway/D/routes') return undefined
      const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
      return { raw: head + '1\r\n0\r\n'.repeat(500_000) }
    })
    const before = process.memoryUsage.rss()
    const error = await errorOf(listRoutes(gateway, { deviceId: 'D' }, op()))
    error.code.should.equal('BAD_RESPONSE')
    // Were its chunks not counted, it would be 400.
    ;(process.memoryUsage.rss() - before).should.be.below(200 * MIB)
  })

  it('many at once are refused together, and the next one is read', async function () {
    this.timeout(300_000)
    let isLarge = true
    const large = filled('"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",', 15 * MIB)
    await start(({ path }): Reply | undefined => {
      if (path !== '/api/devices/D') return undefined
      if (!isLarge) return { body: { _id: 'D', config: {} } }
      const head = 'HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n'
      return { raw: head.replace('99999999', String(15 * MIB)) + large.slice(0, 14 * MIB) }
    })
    const read = (): Promise<unknown> => getDevice(gateway, 'D', op())
    const errors = await Promise.all(Array.from({ length: 8 }, () => errorOf(read())))
    errors.some(({ message }) => message.includes('larger than 32 MiB')).should.be.true()
    isLarge = false
    await read()
  })

  it('of many gateways together leave each of them 1 MiB', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 15728640\r\n\r\n'
    const part = Buffer.from(head + 'x'.repeat(14 * MIB))
    // Each sends most of a response, and never its end.
    await start(({ path, socket }) => {
      if (path !== '/api/devices/D') return undefined
      socket.write(part)
      return 'silence'
    })
    const hostile = Array.from({ length: 8 }, () => connectTo(appliance, { timeout: 120_000 }))
    // 4 of 14 MiB fit into 64 MiB: at least so many of the others are refused.
    const refused = new Promise<void>((resolve, reject) => {
      let left = 4
      for (const each of hostile) {
        errorOf(getDevice(each, 'D', op()))
          .then(({ code, message }) => {
            if (code === 'CLOSED') return
            message.should.containEql('larger than 1 MiB')
            if (--left === 0) resolve()
          })
          .catch(reject)
      }
    })
    afterThisTest(() => Promise.all(hostile.map((each) => each.close())))
    await refused
    await listDevices(gateway, op())
  })

  it('5,000 routes of ten destinations each, on one page, are listed', async () => {
    const destinations = Array.from({ length: 10 }, (_, index) => ({
      id: `destination-${index}`,
      name: `Output ${index}`,
      protocol: 'srt',
      address: '203.0.113.7',
      port: 5000 + index,
      srtMode: 'caller',
      srtLatency: 125,
    }))
    const data = Array.from({ length: 5000 }, (_, index) => ({
      id: `route-${index}`,
      name: `Route number ${index}`,
      state: 'running',
      source: { id: 'S', name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
      destinations,
    }))
    await start(({ path }) =>
      path.endsWith('/routes') ? { body: { data, numPages: 1, numResults: 5000 } } : undefined,
    )
    const { data: listed } = await listRoutes(gateway, { deviceId: 'D' }, op())
    listed.should.have.length(5000)
  })

  it('with ever more cookies costs the next request no more than a few', async () => {
    let sent = 0
    await start(({ what }) =>
      what === 'GET /api/devices'
        ? {
            headers: {
              'set-cookie': Array.from(
                { length: 200 },
                () => `c${sent++}=${'x'.repeat(40)}; Path=/`,
              ),
            },
            body: [{ _id: 'D' }],
          }
        : undefined,
    )
    for (let reads = 0; reads < 10; reads++) await listDevices(gateway, op())
    const cookie = appliance.calls.at(-1)!.headers.cookie!
    cookie.length.should.be.below(2000)
    cookie.should.match(/sessionID=secret-session-1/)
    cookie.should.match(new RegExp(`c${sent - 201}=`))
  })
})

describe('the cookies of a session', () => {
  const taken = (...lines: string[]): string => {
    const cookies = createCookies(new URL('http://gw.example/a'))
    cookies.take({ headers: { 'set-cookie': lines } })
    return cookies.header()
  }
  const kept: Array<[what: string, lines: string[], header: string]> = [
    ['the latest of a name', ['a=1', 'a=2; Path=/a/api'], 'a=2'],
    ['none for another host', ['a=1; Domain=other.example'], ''],
    ['none for https only', ['a=1; Secure'], ''],
    ['none for another path', ['a=1; Path=/b'], ''],
    [
      'one that would have ended',
      ['a=1; Max-Age=-1; Expires=Thu, 01 Jan 1970 00:00:00 GMT'],
      'a=1',
    ],
    ['none of more than 4 KB', [`a=${'x'.repeat(5000)}`], ''],
    ['names that objects have', ['__proto__=1', 'constructor=2'], '__proto__=1; constructor=2'],
  ]
  for (const [what, lines, header] of kept) {
    it(`are ${what}`, () => taken(...lines).should.equal(header))
  }

  it('are those of the login, whatever comes after it', () => {
    const cookies = createCookies(new URL('http://gw.example'))
    cookies.take({ headers: LOGIN.headers })
    const lines = Array.from({ length: 1000 }, (_, index) => `c${index}=1; Path=/`)
    cookies.take({ headers: { 'set-cookie': lines } })
    cookies.sessionId().should.equal('secret-session-1')
    cookies.header().split('; ').should.have.length(24)
  })
})
