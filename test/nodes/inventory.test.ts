// The inventory of a config node, and what the editor is told of it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GatewayError } from '../../client/errors'
import type { InventoryConfig } from '../../nodes/gateway/options'
import type { Fleet, GatewayNode } from '../../nodes/runtime/gateway-node'
import { startSimulator, type Simulator } from '../../simulator'
import { helper, load, result, send, unload, type FlowOptions, type Message } from '../support/flow'
import { liveInOwnTime } from '../support/own-time'
import { ScriptedAppliance } from '../support/scripted-appliance'
import { until } from '../support/until'
import { afterThisTest } from '../support/hooks'
import { thrownBy } from '../support/errors'

const WATCH = { type: 'media-gateway-watch' }

describe('the inventory of a config node', () => {
  let one: Simulator
  let two: Simulator
  let folder: string

  beforeEach(() => liveInOwnTime())
  before(async () => {
    ;[one, two] = await Promise.all([startSimulator({ routes: 2 }), startSimulator({ routes: 2 })])
    folder = mkdtempSync(join(tmpdir(), 'media-gateway-inventory-'))
    process.env['FLEET_TEST_PASSWORD'] = 'manager'
  })
  afterEach(async () => {
    await unload()
    await until(() => one.openSessions + two.openSessions === 0)
  })
  after(async () => {
    delete process.env['FLEET_TEST_PASSWORD']
    rmSync(folder, { recursive: true })
    for (const simulator of [one, two]) {
      await until(() => simulator.openSockets === 0)
      await simulator.stop()
    }
  })

  const rows = (): object[] => [
    { name: 'one', baseUrl: one.url },
    { name: 'two', baseUrl: two.url },
  ]
  const node = (): GatewayNode => helper.getNode('gateway') as unknown as GatewayNode
  const fleet = (): Fleet => node().fleet

  async function start(
    gateway: InventoryConfig & object,
    nodes: Record<string, object> = {},
    more: FlowOptions = {},
  ): Promise<void> {
    const place = { name: 'sites', inventoryHosts: '127.0.0.1' }
    await load('', nodes, { gateway: { ...place, ...gateway }, ...more })
    await fleet().ready
  }
  async function post(path: string, body: object): Promise<Record<string, unknown>> {
    const { text } = await helper
      .request()
      .post(`/media-gateway/${path}`)
      .set('content-type', 'application/json')
      .send(JSON.stringify(body))
    return JSON.parse(text) as Record<string, unknown>
  }
  const message = (work: () => unknown): string => {
    const error = thrownBy(work)
    return `${error.code} ${error.message}`
  }

  it('is typed in, with passwords by name, or stands in a variable', async () => {
    const named = rows().map((row) => ({ ...row, password: '${FLEET_TEST_PASSWORD}' }))
    const fixed = { applianceType: 'str', appliance: 'two' }
    await start(
      { inventoryType: 'json', inventory: JSON.stringify(named) },
      { 'list-devices': {}, 'get-route': fixed },
    )
    fleet().names().should.eql(['one', 'two'])
    const devices = await result('list-devices', { appliance: 'two' })
    devices.should.match({ appliance: 'two', payload: [{ _id: two.devices[0]!._id }] })
    one.logins.should.equal(0)
    // The Catch node has it too, whatever the message said before.
    const failed = await send('get-route', { routeId: 'none', appliance: 'one' })
    failed.caught!.should.match({ appliance: 'two', error: { cause: { appliance: 'two' } } })

    await unload()
    process.env['FLEET_TEST_ROWS'] = JSON.stringify(rows())
    await start({ inventoryType: 'env', inventory: 'FLEET_TEST_ROWS' })
    fleet().names().should.eql(['one', 'two'])
    delete process.env['FLEET_TEST_ROWS']
  })

  it('refuses plain passwords in a flow, and names the row without them', async () => {
    const plain = [{ ...rows()[0], password: 'manager-secret' }, rows()[1]]
    await start({ inventoryType: 'json', inventory: JSON.stringify(plain) }, { watch: WATCH })
    fleet().names().should.eql(['two'])
    message(() => fleet().find('one')).should.match(
      /^CONFIG Row 1 of the inventory, "one": The field password/,
    )
    message(() => fleet().find('three')).should.equal(
      'NOT_FOUND The inventory has no appliance "three".',
    )
    message(() => node().client()).should.match(
      /^INVALID_INPUT Gateway "sites": This gateway has an inventory/,
    )
    const { inventory } = (await gateways())[0]!
    JSON.stringify(inventory).should.not.match(/secret/)
    inventory!.should.match({ appliances: 1, owned: 1, faults: [{ code: 'CONFIG' }] })
  })

  it('in a file has no password sent to another host, now or after a change, and no other variable', async () => {
    const thief = new ScriptedAppliance(() => ({ text: '{}' }))
    await thief.start()
    const elsewhere = thief.url.replace('127.0.0.1', 'localhost')
    const path = join(folder, 'thief.json')
    const write = (list: object[]): void => writeFileSync(path, JSON.stringify(list))
    process.env['SRT_TEST_PASSWORD'] = 'a password with the prefix'
    afterThisTest(async () => {
      delete process.env['SRT_TEST_PASSWORD']
      await unload()
      await thief.stop()
    })
    write([...rows(), { name: 'three', baseUrl: elsewhere }])
    const file = { inventoryType: 'file', inventory: path, pollInterval: 1 }
    await start(file, { watch: WATCH, list: { type: 'media-gateway-list-devices' } })
    fleet().names().should.eql(['one', 'two'])
    const refused = fleet()
      .faults()
      .map((fault) => fault.message)
    refused.should.match([/"three": The stored password is not sent to localhost:\d+\./])
    const variable = (name: string): object => ({
      name: `by ${name}`,
      baseUrl: `${elsewhere}/${name}`,
      username: 'x',
      password: `\${${name}}`,
    })
    write([variable('FLEET_TEST_PASSWORD'), variable('SRT_TEST_PASSWORD')])
    await until(() => thief.calls.length > 0)
    // All others have gone, which may be a mistake.
    await until(() => fleet().names().join() === 'by SRT_TEST_PASSWORD,one,two')
    const { text } = thief.calls[0]!
    text.should.containEql('a password with the prefix')
    JSON.stringify(thief.calls).should.not.match(/manager/)
    // A form with other hosts is another place for the stored password.
    const form = { ...file, id: 'gateway', baseUrl: '', username: 'haiadmin', password: '__PWRD__' }
    const connection = { ...form, inventoryHosts: 'localhost' }
    const asked = await post('connection', { connection, appliance: 'three' })
    asked.should.match({ ok: false, code: 'CONFIG', passwordNeeded: true })
  })

  it('may be a CSV; a row that becomes faulty stays as it was, and so do many that go at once', async () => {
    const path = join(folder, 'sites.csv')
    const away = ['three', 'four', 'five'].map(
      (name, index) => `${name};http://127.0.0.1:${index + 1}`,
    )
    const write = (...lines: string[]): void =>
      writeFileSync(path, ['\ufeffName;URL;Password;Region', ...lines].join('\r\n'))
    const [first, second] = [`one;${one.url};manager;North`, `two;${two.url}`]
    write(first, second, ...away)
    await start({ inventoryType: 'file', inventory: path, pollInterval: 1 } as object, {
      watch: { ...WATCH, applianceType: 'pattern', appliance: 't*o' },
    })
    fleet().names().should.eql(['one', 'two', 'three', 'four', 'five'])
    const caught: Array<Message & { error: GatewayError }> = []
    helper.getNode('caught').on('input', (msg) => void caught.push(msg as never))
    await until(() => two.openSessions === 1)
    const session = two.logins
    const faultsNow = (): string[] =>
      fleet()
        .faults()
        .map(({ message: text }) => text)
    faultsNow().should.eql([])

    write(first, `${second};\${FLEET_TEST_GONE}`, ...away)
    await until(() => caught.length === 1)
    caught[0]!.should.match({
      error: { cause: { code: 'CONFIG', appliance: 'two' } },
      appliance: 'two',
    })
    faultsNow().should.match([/"two": The field password .* is used as it was before\.$/])
    fleet().names().should.have.length(5)
    const devices = await result('list-devices', { appliance: 'two' })
    devices.should.match({ payload: [{ _id: two.devices[0]!._id }] })

    // An export that has lost most of its rows.
    write(first, second)
    await until(() => caught.length === 2)
    caught[1]!.error.message.should.match(
      /No longer in the inventory: 3 of 5 appliances \(three, four, five\)\. They stay in use until .* 5 minutes/,
    )
    fleet().names().sort().should.eql(['five', 'four', 'one', 'three', 'two'])
    faultsNow().should.match([/^Gateway "sites": No longer in the inventory: 3 of 5 appliances/])
    ;(await gateways())[0]!.inventory!.should.match({ appliances: 5, faults: [{ code: 'CONFIG' }] })
    // A deploy confirms it.
    ;[two.logins, caught.length].should.eql([session, 2])
    await unload()
    await start({ inventoryType: 'file', inventory: path })
    fleet().names().should.eql(['one', 'two'])
    message(() => fleet().find('TWO')).should.equal(
      'NOT_FOUND The inventory has no appliance "TWO". Did you mean "two"?',
    )
  })

  interface Listed {
    readOnly: boolean
    inventory?: object
    error?: { code: string }
  }
  async function gateways(): Promise<Listed[]> {
    const { text } = await helper.request().get('/media-gateway/gateways')
    return JSON.parse(text) as Listed[]
  }

  it('that cannot be used at all is said by everything that needs it', async () => {
    const wrong: Array<[InventoryConfig & object, RegExp]> = [
      [{ inventoryType: 'json', inventory: '[' }, /is not valid JSON/],
      [{ inventoryType: 'json', inventory: '{}' }, /must be a JSON array/],
      [
        { inventoryType: 'env', inventory: 'FLEET_TEST_NONE' },
        /variable FLEET_TEST_NONE is not set/,
      ],
      [
        { inventoryType: 'file', inventory: join(folder, 'none.json') },
        /cannot be read: .*none\.json \(ENOENT\)/,
      ],
      [{ inventoryType: 'global', inventory: 'nothing' }, /has nothing in "nothing"/],
      [{ inventoryType: 'other', inventory: '' }, /inventoryType must be/],
      [
        { inventoryType: 'json', inventory: '[]', inventoryHosts: 'https://oslo.example' },
        /inventoryHosts must be names .* "https:\/\/oslo\.example" is none/,
      ],
      [{ inventoryType: 'file', inventory: '${FLEET_TEST_NONE}' }, /FLEET_TEST_NONE is not set/],
    ]
    for (const [gateway, reason] of wrong) {
      await start(gateway, { watch: WATCH })
      const said = message(() => fleet().find('one'))
      said.should.match(/^CONFIG Gateway "sites": /).and.match(reason)
      const { error, done } = await send('list-devices', { appliance: 'one' })
      ;[error!.code, done].should.eql(['CONFIG', 1])
      ;(await gateways())[0]!.should.match({
        inventory: { appliances: 0 },
        error: { code: 'CONFIG' },
      })
      await unload()
    }
    await start({
      inventoryType: 'json',
      inventory: JSON.stringify(rows()),
      share: '3/2',
    } as object)
    message(() => fleet().find('one')).should.match(/^CONFIG Gateway "sites": The property share/)
  })

  it('is no pipe: that would hold a thread of Node.js, and four of them all of its files', async () => {
    const path = join(folder, 'pipe')
    execFileSync('mkfifo', [path])
    await start({ inventoryType: 'file', inventory: path }, { watch: WATCH })
    const sentence = `A file cannot be read: ${path} (not a file).`
    message(() => fleet().find('one')).should.containEql(sentence)
    for (let times = 0; times < 8; times++) {
      const answer = await post('inventory', {
        connection: { inventoryType: 'file', inventory: path },
      })
      JSON.stringify(answer).should.containEql(`cannot be read: ${path} (not a file)`)
    }
    // What comes later is read: all threads are free.
    rmSync(path)
    writeFileSync(path, JSON.stringify([rows()[0]]))
    await until(() => fleet().names().length === 1)
  })

  it('is listed with those in trouble first, and opens and polls nothing for it', async () => {
    const more = Array.from({ length: 60 }, (_, index) => ({
      name: `site ${index}`,
      baseUrl: `http://127.0.0.1:1/${index}`,
    }))
    const before = two.journal.length
    const path = join(folder, 'listed.json')
    writeFileSync(path, JSON.stringify([...more, ...rows()]))
    const pattern = { ...WATCH, applianceType: 'pattern', appliance: '*e*1?' }
    await start(
      { inventoryType: 'file', inventory: path },
      { watch: pattern, single: { ...WATCH, applianceType: 'pattern', appliance: 'one' } },
    )
    interface Answer {
      total: number
      found: number
      rows: Array<{ name: string; owned: boolean; address: string; health?: object }>
    }
    const ask = async (question: object): Promise<Answer> =>
      (await post('appliances', { id: 'gateway', ...question })) as unknown as Answer
    await until(async () => (await ask({ trouble: true })).found === 10)
    await until(async () => 'known' in ((await ask({ search: 'one' })).rows[0]!.health ?? {}))
    const first = await ask({ limit: 12 })
    ;[first.total, first.found, first.rows.length].should.eql([62, 62, 12])
    const names = first.rows.map(({ name }) => name)
    const failing = Array.from({ length: 10 }, (_, index) => `site ${10 + index}`)
    names.slice(0, 10).sort().should.eql(failing)
    names.slice(10).should.eql(['one', 'site 0'])
    first.rows[0]!.should.match({ owned: true, health: { failure: { code: 'UNAVAILABLE' } } })
    first.rows[10]!.should.match({
      address: one.url,
      health: { known: { routes: 2, isOld: false }, unreachable: false },
    })
    first.rows[11]!.should.eql({ name: 'site 0', address: 'http://127.0.0.1:1/0', owned: true })
    ;(await ask({})).rows.should.have.length(50)
    const whole = await ask({ limit: 1000 })
    whole.rows.should.have.length(62)
    whole.rows.at(-1)!.name.should.equal('two')
    const searched = await ask({ search: ' SITE 5' })
    searched.found.should.equal(11)
    two.journal.should.have.length(before)
    ;(await post('appliances', { id: 'gone' })).should.eql({ notDeployed: true })
  })

  it('is tested as a whole: one login for each, and certificates that nobody trusts yet', async () => {
    const secured = await Promise.all([1, 2].map(() => startSimulator({ https: true, routes: 1 })))
    afterThisTest(async () => {
      await unload()
      for (const simulator of secured) {
        await until(() => simulator.openSockets === 0)
        await simulator.stop()
      }
    })
    const [first, second] = secured as [Simulator, Simulator]
    const path = join(folder, 'tested.csv')
    const lines = [
      'name,url,username,password,fingerprint',
      `one,${one.url},,,`,
      `wrong,${two.url},haiadmin,not it,`,
      `new,${first.url},,,`,
      `pinned,${second.url},,,${second.fingerprint}`,
      `other,${second.url}/x,,,${first.fingerprint}`,
      'away,http://127.0.0.1:1,,,',
      ...Array.from({ length: 4 }, (_, index) => `more ${index},${one.url}/${index},,,`),
    ]
    writeFileSync(path, lines.join('\n'))
    const stored = { inventoryType: 'file', inventory: path }
    await start({ ...stored, timeout: 2000 } as object)
    const form = {
      ...stored,
      baseUrl: '',
      inventoryHosts: '127.0.0.1',
      username: 'haiadmin',
      password: 'manager',
      timeout: 2000,
      id: 'gateway',
    }
    const logins = (): number[] =>
      [one, two, first, second].map(
        ({ journal }) =>
          journal.filter(({ method, path: at }) => method === 'POST' && at.endsWith('/session'))
            .length,
      )
    const before = logins()
    type Answer = { total: number; results: Array<Record<string, unknown>> }
    const ask = async (offset: number, more: object = {}): Promise<Answer> =>
      (await post('connections', { connection: { ...form, ...more }, offset })) as unknown as Answer
    const { total, results } = await ask(0)
    ;[total, results.length].should.eql([10, 8])
    results.slice(0, 6).should.match([
      { name: 'one', ok: true, reused: false },
      { name: 'wrong', ok: false, code: 'LOGIN_REFUSED' },
      { name: 'new', ok: false, code: 'TLS', certificate: { fingerprint: first.fingerprint } },
      { name: 'pinned', ok: true, fingerprint: second.fingerprint },
      { name: 'other', ok: false, code: 'TLS', fingerprint: first.fingerprint },
      { name: 'away', ok: false, code: 'UNAVAILABLE' },
    ])
    const rest = await ask(8)
    rest.results.map(({ name }) => name).should.eql(['more 2', 'more 3'])
    const [ofOne, ofTwo, ofFirst, ofSecond] = logins().map((all, at) => all - before[at]!)
    ;[ofTwo, ofFirst, ofSecond].should.eql([1, 0, 1])
    ofOne!.should.be.belowOrEqual(5)
    JSON.stringify([results, rest]).should.not.match(/manager|not it/)
    // A refused login is not tried again at once.
    const again = await ask(0)
    again.results[1]!.should.match({ ok: false, sentences: [{ key: 'testHeld' }] })
    logins()[1]!.should.equal(before[1]! + 1)
    // The stored password goes where it was stored for.
    const elsewhere = await ask(0, { password: '__PWRD__', inventoryHosts: '*' })
    elsewhere.results.every(({ passwordNeeded }) => passwordNeeded === true).should.be.true()
    const deployed = await ask(0, { password: '__PWRD__' })
    deployed.results[0]!.should.match({ ok: true, reused: true })
    ;(await ask(99)).should.match({ total: 10, results: [] })
  })

  it('is where the requests of the editor look: in one of its appliances, by name', async () => {
    const path = join(folder, 'asked.json')
    writeFileSync(path, JSON.stringify(rows()))
    const stored = { inventoryType: 'file', inventory: path }
    await start({ ...stored, share: '1/2' } as object)
    const mine = fleet()
      .names()
      .filter((name) => fleet().owns(name))
    const others = fleet()
      .names()
      .filter((name) => !fleet().owns(name))
    const connection = { id: 'gateway' }
    for (const name of mine) {
      const simulator = name === 'one' ? one : two
      const looked = await post('lookup', { connection, appliance: name })
      looked.should.match({ deviceId: simulator.devices[0]!._id })
      const state = await post('state', { id: 'gateway', appliance: name })
      state.should.match({ health: { unreachable: false } })
    }
    for (const name of others) {
      ;(await post('state', { id: 'gateway', appliance: name })).should.eql({ elsewhere: true })
      ;(await post('lookup', { connection, appliance: name })).should.match({ code: 'UNAVAILABLE' })
    }
    ;(await post('lookup', { connection })).should.match({ code: 'INVALID_INPUT' })
    ;(await post('state', { id: 'gateway', appliance: 'x' })).should.match({ code: 'NOT_FOUND' })

    // A form that is not deployed has an inventory of its own.
    const form = {
      id: 'gateway',
      inventoryType: 'json',
      inventory: JSON.stringify([...rows(), { name: 'bad' }]),
      username: 'haiadmin',
      password: 'manager',
    }
    const checked = await post('inventory', { connection: form })
    checked.should.match({ appliances: 2, names: ['one', 'two'], faults: [{ code: 'CONFIG' }] })
    const report = await post('connection', { connection: form, appliance: 'two' })
    report.should.match({ ok: true, reused: false, routes: 2 })
    ;(await post('connection', { connection: form, appliance: 'bad' })).should.match({
      ok: false,
      code: 'CONFIG',
    })
    const deployed = {
      baseUrl: '',
      inventoryHosts: '127.0.0.1',
      username: 'haiadmin',
      password: '__PWRD__',
      id: 'gateway',
      ...stored,
    }
    const again = await post('connection', { connection: deployed, appliance: mine[0] })
    again.should.match(mine.length > 0 ? { ok: true, reused: true } : { ok: false })
  })
})
