// A report is safe to send: whatever a gateway answers, nothing of it that could say whose it is.
import { randomUUID } from 'node:crypto'
import { linesOf, reportOf } from '../../../client/doctor/account'
import type { Answered, Reading } from '../../../client/doctor/read'
import { safeAnswers } from '../../../client/doctor/safe'
import { startSimulator, type Simulator } from '../../../simulator'
import { readingOf } from './support'

type Json = Record<string, unknown>

describe('a report', () => {
  let simulator: Simulator
  let reading: Reading
  before(async () => {
    simulator = await startSimulator({ routes: 40 })
    reading = (await readingOf(simulator)).reading
  })
  after(() => simulator.stop())

  /** A body is enough for what stands in it. */
  const safe = (body: unknown, path = '/api/devices'): unknown =>
    safeAnswers([{ method: 'GET', path, status: 200, body }])[0]!.body

  it('has none of 10,000 secrets, names, hosts and addresses, wherever they stand', function () {
    this.timeout(60_000)
    let seeds = 0
    const KINDS: Array<(seed: string) => string> = [
      (seed) => `qz${seed}`,
      (seed) => `Studio Qz${seed} : Halle`,
      (seed) => `qz${seed}.broadcaster.lan`,
      () => `172.20.${(seeds >> 8) & 255}.${seeds & 255}`,
      () => `239.222.${(seeds >> 8) & 255}.${seeds & 255}`,
      (seed) => `fd00:20::${seed}`,
      (seed) => `qz${seed}@broadcaster.lan`,
      (seed) => `rtsp://qz${seed}:Qz-${seed}@172.20.3.4:554/qz${seed}?token=qz${seed}`,
      (seed) => `disconnected from stream qz${seed} on 172.20.0.9: "Qz ${seed}"`,
      (seed) => `Qz${seed}|172.20.1.1|qz${seed}`,
      (seed) => ` Qz ${seed} `,
      (seed) => `${seed}-qz`,
    ]
    const seed = (): string => KINDS[seeds % KINDS.length]!((++seeds).toString(16))
    /** Every text becomes a seed, every object gets unknown fields, and lists become longer. */
    const plantedIn = (value: unknown, depth = 0): unknown => {
      if (Array.isArray(value)) return value.map((each) => plantedIn(each, depth + 1))
      if (typeof value !== 'object' || value === null) {
        return typeof value === 'string' || value === null || seeds % 7 === 0 ? seed() : value
      }
      const entries = Object.entries(value).map(([name, each]) => [
        name,
        plantedIn(each, depth + 1),
      ])
      return {
        ...Object.fromEntries(entries),
        unknownText: seed(),
        [`Qz${seed()}`]: { name: seed(), address: [seed(), { name: seed() }] },
        password: seed(),
        statusDetails: seed(),
        error: depth > 3 ? { type: seed(), message: seed(), more: seed() } : undefined,
      }
    }
    const answers: Answered[] = []
    for (const { method, path, body } of reading.answers) {
      const [bare] = path.split('?')
      const planted = `${bare}/${encodeURIComponent(seed())}?routeID=${encodeURIComponent(seed())}`
      answers.push({ method, path: planted, status: 500, body: plantedIn(body) })
      answers.push({ method, path, status: 200, body: plantedIn(body) })
    }
    seeds.should.be.aboveOrEqual(10_000)
    const report = reportOf({ ...reading, answers }, 0)
    const text = JSON.stringify(report) + linesOf(report.account, report.facts).join('\n')
    for (const sign of [/qz/i, /172\.20/, /239\.222/, /fd00/, /broadcaster/, /Studio|Halle/i]) {
      const [found] = new RegExp(`.{0,60}${sign.source}.{0,60}`, sign.flags).exec(text) ?? []
      should(found).be.undefined()
    }
  })

  it('has nothing of what the simulator calls its own', () => {
    const text = JSON.stringify(reportOf(reading, 0))
    const { devices, routes } = simulator
    const names = [...devices, ...routes].flatMap((one) => [
      one.name,
      '_id' in one ? one._id : one.id,
    ])
    for (const name of [...names, 'haiadmin', 'sessionID=']) {
      should(text.includes(JSON.stringify(name).slice(1, -1) + '"')).be.false(name)
    }
    for (const { source, destinations } of routes) {
      for (const { id, srtPassPhrase } of [source, ...destinations]) {
        for (const secret of [id, srtPassPhrase]) {
          if (typeof secret !== 'string' || secret === '') continue
          should(text.includes(secret)).be.false(secret)
        }
      }
    }
  })

  it('keeps what is related, and of which kind it is', () => {
    const id = randomUUID()
    const route = (name: string, address: string, outputs: Json[]): Json => ({
      id: randomUUID(),
      name,
      source: { id: randomUUID(), name: `${name} in`, protocol: 'udp', address, port: 5000 },
      destinations: outputs,
    })
    const body = safe({
      data: [
        route('Harbour ', '239.7.7.7', [{ id, name: 'Affiliates', address: '8.8.4.4' }]),
        route('Harbour', '239.7.7.8', [{ id: id.toUpperCase(), name: 'Affiliates', address: '' }]),
        route('Hall', '239.7.7.7', [{ id: randomUUID(), address: '0.0.0.0', port: '7000|7001' }]),
      ],
    }) as { data: Array<{ id: string; name: string; source: Json; destinations: Json[] }> }
    const [first, second, third] = body.data
    second!.name.should.equal('Route 1')
    first!.name.should.equal('Route 1 ')
    should(first!.source.address).equal('233.252.0.1')
    should(second!.source.address).equal('233.252.0.2')
    should(third!.source).have.properties({ address: '233.252.0.1', port: 5000, protocol: 'udp' })
    should(first!.destinations[0]).eql({
      id: second!.destinations[0]!.id,
      name: second!.destinations[0]!.name,
      address: '192.0.2.1',
    })
    should(third!.destinations[0]).have.properties({ address: '0.0.0.0', port: '7000|7001' })
    for (const one of body.data) one.id.should.match(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
  })

  it('has pseudonyms for more addresses than there are for documentation', () => {
    const addresses = Array.from({ length: 2000 }, (_, at) => `9.9.${at >> 8}.${at & 255}`)
    const many = Array.from({ length: 600 }, (_, at) => `225.9.${at >> 8}.${at & 255}`)
    for (const list of [addresses, many]) {
      const made = safe(list.map((address) => ({ address }))) as Array<{ address: string }>
      new Set(made.map(({ address }) => address)).size.should.equal(list.length)
      for (const { address } of made) {
        const first = Number(address.split('.')[0])
        should(first >= 224 && first <= 239).equal(list === many)
      }
    }
  })

  it('has no number of an IPv6 address or a hardware address, but the port beside it', () => {
    const groups = '2001:1234:5678:9012:3456:7890:1234:5678'
    const made = safe([
      { address: groups },
      { address: `srt://[${groups}]:9000` },
      { address: `[${groups}]` },
      { address: `${groups}/64` },
      { address: `${groups}:9000` },
      { address: '00:11:22:33:44:55' },
      { address: 'host:5000:7000' },
    ])
    should(made).deepEqual([
      { address: '2001:db8::1' },
      { address: 'srt://[2001:db8::1]:9000' },
      { address: '[2001:db8::1]' },
      { address: '2001:db8::1/host-1.example' },
      { address: 'host-2.example' },
      { address: 'host-3.example' },
      { address: 'host-4.examplehost-5.example' },
    ])
  })

  it('has name and type of what is not documented', () => {
    const unknown = {
      colour: 'blue',
      count: 7,
      isNew: true,
      parts: [1],
      more: { a: 1 },
      none: null,
    }
    should(safe(unknown)).eql({
      colour: '<text>',
      count: '<number>',
      isNew: '<boolean>',
      parts: '<list>',
      more: '<object>',
      none: null,
    })
    // Documented as a part or a number, and something else here.
    should(safe({ source: 'blue', port: 'blue', firmware: '10.1.2.3' })).eql({
      source: '<text>',
      port: '<text>',
      firmware: '<text>',
    })
  })

  it('keeps of texts the words of the interface', () => {
    should(
      safe({
        summaryStatusDetails: 'disconnected from stream City Hall (10.2.3.4)',
        state: 'connection established',
        srtDecryptionState: 'inactive (no passphrase)',
        statusDetails: 'Operation not authorized for roles: Observer',
      }),
    ).eql({
      summaryStatusDetails: 'disconnected from stream … (…)',
      state: 'connection established',
      srtDecryptionState: 'inactive (no passphrase)',
      statusDetails: 'Operation not authorized for roles: Observer',
    })
  })

  it('takes no longer for a long text than its length', () => {
    const texts = ['…', 'a ', ' ', 'x.', '@a', '/:', '|'].map((part) => part.repeat(200_000))
    for (const text of texts) {
      safe({ name: text, statusDetails: text, address: text, port: text, firmware: text, id: text })
    }
  })
})
