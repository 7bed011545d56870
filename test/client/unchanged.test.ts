// "Nothing was changed" is said of every change that was refused, and of nothing that only reads.
import { openGateway, type Gateway, type GatewayError } from '../../client'
import { liveInOwnTime } from '../support/own-time'
import { freePort } from '../support/ports'
import { ScriptedAppliance } from '../support/scripted-appliance'
import { endEach } from '../support/connect'

const SENTENCE = /Nothing was changed/
const account = { username: 'user', password: 'secret-password' }
const route = { name: 'Studio A' }
const definition = {
  name: 'Studio A',
  source: { name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
  destinations: [],
}
const preset = { preset_version: 1, routes: [{ name: 'Studio A' }] }

type Door = (of: Gateway, options: object) => unknown

/** By the method; a second one of a method that does either is after a blank. */
const READS: Record<string, Door> = {
  'session.info': (of, options) => of.session.info(options),
  'session.start': (of, options) => of.session.start(options),
  'session.end': (of, options) => of.session.end(options),
  'devices.list': (of, options) => of.devices.list(options),
  'devices.get': (of, options) => of.devices.get(options),
  'routes.list': (of, options) => of.routes.list(options),
  'routes.health': (of, options) => of.routes.health(options),
  'routes.definitions': (of, options) => of.routes.definitions(options),
  'routes.get': (of, options) => of.routes.get(route, options),
  'routes.plan': (of, options) => of.routes.plan([definition], options),
  'routes.ensure check': (of, options) => of.routes.ensure(definition, { check: true, ...options }),
  'routes.undo check': (of, options) => of.routes.undo({ check: true, ...options }),
  'statistics.get': (of, options) => of.statistics.get(route, options),
  'statistics.all': (of, options) => of.statistics.all(options),
  'presets.export': (of, options) => of.presets.export(options),
  watch: (of, options) => of.watch(options, () => undefined),
}
const CHANGES: Record<string, Door> = {
  'routes.create': (of, options) => of.routes.create(definition, options),
  'routes.update': (of, options) => of.routes.update(route, { name: 'B' }, options),
  'routes.delete': (of, options) => of.routes.delete(route, options),
  'routes.start': (of, options) => of.routes.start(route, options),
  'routes.stop': (of, options) => of.routes.stop(route, options),
  'routes.restart': (of, options) => of.routes.restart(route, options),
  'routes.ensure': (of, options) => of.routes.ensure(definition, options),
  'routes.undo': (of, options) => of.routes.undo(options),
  'presets.import': (of, options) => of.presets.import(preset, options),
}

describe('that nothing was changed', () => {
  const appliance = new ScriptedAppliance()
  let gateway: Gateway

  beforeEach(async () => {
    liveInOwnTime(10)
    appliance.reply = () => undefined
    appliance.calls.length = 0
    // Where some stop it, nobody listens then.
    await appliance.start(await freePort())
    gateway = openGateway({ ...account, baseUrl: appliance.url })
  })
  afterEach(() => endEach(gateway, appliance))

  const messageOf = async (door: Door, options: object): Promise<string | undefined> => {
    try {
      await door(gateway, options)
    } catch (error) {
      return (error as GatewayError).message
    }
    return undefined
  }
  /** What each door says, of those that fail. */
  async function messages(doors: Record<string, Door>, options = {}): Promise<[string, string][]> {
    const said: [string, string][] = []
    for (const [name, door] of Object.entries(doors)) {
      if (name === 'watch' && Object.keys(options).length === 0) continue
      const message = await messageOf(door, options)
      if (message !== undefined) said.push([name, message])
    }
    return said
  }
  const saying = (said: [string, string][], isSaid: boolean): string[] =>
    said.filter(([, message]) => SENTENCE.test(message) === isSaid).map(([name]) => name)

  it('is asked of every method of the client', () => {
    const methods = Object.entries(gateway).flatMap(([name, member]: [string, unknown]) =>
      typeof member === 'function'
        ? [name]
        : Object.keys(member as object).map((each) => `${name}.${each}`),
    )
    const asked = new Set(Object.keys({ ...READS, ...CHANGES }).map((name) => name.split(' ')[0]!))
    methods.filter((name) => name !== 'close' && !asked.has(name)).should.eql([])
  })

  it('is said of each change with an option that is wrong, and of no read', async () => {
    const reads = await messages(READS, { zzz: 1 })
    reads.length.should.equal(Object.keys(READS).length)
    saying(reads, true).should.eql([])
    const changes = await messages(CHANGES, { zzz: 1 })
    changes.length.should.equal(Object.keys(CHANGES).length)
    saying(changes, false).should.eql([])
    appliance.calls.should.eql([])
  })

  it('is said of each change that names none of several devices, and of no read', async () => {
    const devices = ['one', 'two'].map((_id) => ({ _id, name: _id }))
    appliance.reply = ({ what }) => (what === 'GET /api/devices' ? { body: devices } : undefined)
    const reads = await messages(READS)
    reads.length.should.be.above(8)
    saying(reads, true).should.eql([])
    const changes = (await messages(CHANGES)).filter(([name]) => name !== 'routes.undo')
    changes.length.should.equal(Object.keys(CHANGES).length - 1)
    saying(changes, false).should.eql([])
    appliance.calls.filter(({ path }) => path.endsWith('/updates')).should.eql([])
  })

  /** Each change that needs no earlier one, and the message of its failure. */
  const failedChanges = async (): Promise<[string, string][]> => {
    const { 'routes.undo': _undo, ...others } = CHANGES
    const said = await messages(others)
    said.map(([name]) => name).should.eql(Object.keys(others))
    return said
  }
  const saidOnce = (said: [string, string][]): void => {
    said.filter(([, message]) => message.split(SENTENCE).length !== 2).should.eql([])
  }

  for (const status of [401, 503]) {
    it(`is said once of each change whose login ends with HTTP ${status}`, async () => {
      appliance.reply = ({ what }) =>
        what === 'POST /api/session' ? { status, body: { error: { message: 'no' } } } : undefined
      saidOnce(await failedChanges())
    })
  }

  it('is said once of each change while the gateway cannot be reached, logged in or not', async () => {
    await gateway.devices.list()
    await appliance.stop()
    saidOnce(await failedChanges())
    await appliance.start()
  })

  it('is not said of a change that arrived, whatever came back', async () => {
    appliance.reply = ({ method, path }) =>
      method === 'GET' || path === '/api/session' ? undefined : { status: 503 }
    const said = await messages({ 'routes.start': CHANGES['routes.start']! })
    said.should.have.length(1)
    saying(said, true).should.eql([])
  })

  for (const status of [400, 403, 404, 409, 503]) {
    it(`is said of no read that ends with HTTP ${status}`, async () => {
      appliance.reply = ({ path }) =>
        path === '/api/session' ? undefined : { status, body: { error: { message: 'no' } } }
      const reads = await messages(READS)
      reads.length.should.be.above(8)
      saying(reads, true).should.eql([])
    })
  }

  it('is said of no read while the gateway cannot be reached', async () => {
    await appliance.stop()
    const reads = await messages(READS)
    reads.length.should.be.above(8)
    saying(reads, true).should.eql([])
    should(
      reads.every(([, message]) => /refused the connection|undo|undone/.test(message)),
    ).be.true()
    await appliance.start()
  })
})
