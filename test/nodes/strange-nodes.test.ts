import { failure, helper, load, result, send, unload, type Message } from '../support/flow'
import type { Reply } from '../support/scripted-appliance'
import { oddAppliance } from './strange-support'

describe('an appliance that behaves otherwise', () => {
  const appliance = oddAppliance()
  const { calls } = appliance

  /** The least cases of what generated ones have found (fuzz.test.ts). */
  describe('through the nodes', () => {
    const DEEP = 10_000
    const nested = '['.repeat(DEEP) + ']'.repeat(DEEP)
    const address = { deviceId: 'D', routeId: 'R' }
    const byName = { ...address, destinationName: 'b', action: 'start' }
    const whole = {
      id: 'R',
      name: 'Route',
      source: { id: 'S', name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
      destinations: [],
    }
    const answerTo = (end: string, answer: Reply): void => {
      appliance.reply = ({ path }) => (path.endsWith(end) ? answer : undefined)
    }

    afterEach(unload)

    type Node = Record<string, unknown>
    const source = { type: 'statistics', scope: 'source' }
    const destination = { type: 'control-route', target: 'destination' }
    const badAnswers: Array<[what: string, node: Node, message: Message, text: string]> = [
      ['lists in lists in lists', { type: 'get-route', hideSecrets: true }, address, nested],
      ['a route without a source', source, address, '{}'],
      ['a source without an ID', source, address, '{"source":{"id":7}}'],
      ['null among the destinations', destination, byName, '{"destinations":[null]}'],
      ['text for the destinations', destination, byName, '{"destinations":"all"}'],
      ['a destination without an ID', destination, byName, '{"destinations":[{"name":"b"}]}'],
    ]
    for (const [what, { type, ...node }, message, text] of badAnswers) {
      it(`${what}: a bad answer, not a mistake of the node (${String(type)})`, async () => {
        answerTo('/routes/R', { text })
        await load(appliance.url, { node: { ...node, type: `media-gateway-${String(type)}` } })
        const { code, message: sentence } = await failure('node', message)
        code.should.equal('BAD_RESPONSE')
        sentence.should.not.match(/Please report/)
      })
    }

    it('what is nested too deep is sent on to nobody: Node-RED could not copy it', async () => {
      answerTo('/updates', { text: `{"status":"ok","more":${nested}}` })
      await load(appliance.url, { 'update-route': { wires: [['out', 'caught']] } })
      const message = { ...address, payload: { ...whole, destinations: [] }, confirmShared: true }
      const { code } = await failure('update-route', message)
      code.should.equal('BAD_RESPONSE')
    })

    for (const id of ['..', '\ud800', 'x'.repeat(100_000)]) {
      it(`a device with the ID ${JSON.stringify(id.slice(0, 4))} is not used, nor remembered`, async () => {
        answerTo('/devices', { body: [{ _id: id }] })
        await load(appliance.url)
        ;(await failure('get-device')).code.should.equal('BAD_RESPONSE')
        answerTo('/devices/D', { body: { _id: 'D', config: {} } })
        ;(await result('get-device')).should.have.property('deviceId', 'D')
      })
    }

    it('a device that is refused, with whatever status, is looked up anew', async () => {
      let id = 'old'
      appliance.reply = ({ path }) => {
        if (path === '/api/devices') return { body: [{ _id: id }] }
        if (path === `/api/devices/${id}`) return { body: { config: {} } }
        return path.startsWith('/api/devices/') ? { status: 400 } : undefined
      }
      await load(appliance.url)
      ;(await result('get-device')).should.have.property('deviceId', 'old')
      id = 'new'
      ;(await failure('get-device')).code.should.equal('REJECTED')
      ;(await result('get-device')).should.have.property('deviceId', 'new')
    })

    it('many devices with long names make no endless sentence', async () => {
      const body = Array.from({ length: 1000 }, (_, at) => ({
        _id: `D${at}`,
        name: 'x'.repeat(99),
      }))
      answerTo('/devices', { body })
      await load(appliance.url)
      const { code, message, cause } = await failure('get-device')
      code.should.equal('INVALID_INPUT')
      message.length.should.be.below(2000)
      cause.problems![0]!.problem.length.should.be.below(2000)
    })

    it('the editor is given text only where text belongs', async () => {
      appliance.reply = ({ path }) => {
        if (path === '/api/devices') {
          return { body: [{ _id: 'D', name: { a: 'secret' }, status: ['secret'] }] }
        }
        if (path === '/api/devices/D') return { body: { config: { settings: 'none' } } }
        if (!path.endsWith('/routes')) return undefined
        const destinations = [null, { id: { a: 'secret' }, name: 7, started: 'secret' }]
        return { body: { data: [{ id: 'R', name: null, state: { a: 'secret' }, destinations }] } }
      }
      await load(appliance.url)
      for (const path of ['connection', 'lookup']) {
        const request = helper.request().post(`/media-gateway/${path}`)
        const { status, text } = await request
          .set('content-type', 'application/json')
          .send('{"connection":{"id":"gateway"}}')
        status.should.equal(200)
        text.should.not.match(/secret/)
      }
    })

    const never = new Promise(() => undefined)
    const lists = JSON.parse('['.repeat(1000) + ']'.repeat(1000)) as unknown
    const preset: Record<string, unknown> = { preset_version: 1, routes: [] }
    Object.assign(preset, { preset })
    const holes = { preset_version: 1, routes: Array(2) }
    const create = { type: 'create-route' }
    const ensure = { type: 'ensure-route' }
    const importing = { type: 'preset', action: 'import' }
    const statistics = (scope: string): Node => ({ type: 'statistics', scope })
    const clientPort = { valueOf: 1, toString: 1 }
    const manyPages = 'x'.repeat(9999)
    const refused: Array<[what: string, node: Node, message: Message]> = [
      ['a list of routes with holes', ensure, { payload: Array(3) }],
      ['a slip in an absent route', { ...ensure, state: 'absent' }, { payload: { nmae: 'A' } }],
      [
        'destinations with holes',
        create,
        { payload: { ...whole, id: undefined, destinations: Array(2) } },
      ],
      ['a promise that never ends, as the definition', create, { payload: never }],
      ['a promise that never ends, as the route', { type: 'get-route' }, { routeId: never }],
      [
        'lists in lists in lists, as the definition',
        { type: 'update-route', validate: false },
        { ...address, payload: { source: { a: lists } } },
      ],
      ['a preset that refers to itself', importing, { confirm: true, payload: preset }],
      ['a preset with holes in its routes', importing, { confirm: true, payload: holes }],
      [
        'an object for the port of a client',
        statistics('client'),
        { ...byName, clientAddress: '192.0.2.1', clientPort },
      ],
      ...['get-route', 'control-route', 'delete-route'].map((type): [string, Node, Message] => [
        'an ID of many pages',
        { type },
        { ...address, routeId: manyPages },
      ]),
      ['a scope named as a method', statistics('toString'), address],
      ['a scope named as a class', statistics('constructor'), address],
      ['a number for a place', { ...create, definition: 5 }, address],
      ['a place in what is not there', { ...create, definition: 'a.b.c' }, address],
    ]
    for (const [what, { type, ...node }, message] of refused) {
      it(`${what}: refused before any call (${String(type)})`, async () => {
        await load(appliance.url, { node: { ...node, type: `media-gateway-${String(type)}` } })
        const error = await failure('node', { ...message })
        // What is wrong in the node is no fault of the message.
        const isSetting = /a scope named|a number for a place/.test(what)
        error.code.should.equal(isSetting ? 'CONFIG' : 'INVALID_INPUT')
        error.message.should.not.match(/Cannot|is not a function/)
        error.message
          .endsWith(' Nothing was changed.')
          .should.equal(
            !isSetting && /create|update|delete|control|ensure|preset/.test(String(type)),
          )
        calls
          .filter(({ method, path }) => method !== 'GET' && path !== '/api/session')
          .should.eql([])
      })
    }

    it('a TLS configuration that is none is refused', async () => {
      for (const tls of ['__proto__', 'get-route']) {
        await load(appliance.url, {}, { gateway: { tls } })
        ;(await failure('list-devices')).code.should.equal('CONFIG')
        await unload()
      }
    })

    it('an ID that does not let itself be read is none', async () => {
      await load(appliance.url)
      const routeId = Object.defineProperty({}, 'id', {
        get() {
          throw new Error('do not look')
        },
      })
      ;(await send('get-route', { routeId })).error!.code.should.equal('INVALID_INPUT')
    })

    const other = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('do not list')
        },
      },
    )

    for (const type of ['metrics', 'failover', 'get-device']) {
      it(`a message that cannot be copied for a Catch node is in the log (${type})`, async () => {
        await load(appliance.url, { [type]: { gateway: 'nowhere', gateways: 'one' } })
        const { done, caught } = await send(type, { other })
        done.should.equal(1)
        ;(caught === undefined).should.be.true()
        const logged = helper.log().args.map(([{ msg }]) => String(msg))
        logged.filter((text) => text.includes('do not list')).should.have.length(1)
      })
    }

    it('a message that cannot be copied for a second wire ends once, and says so', async () => {
      await load(appliance.url, { 'list-devices': { wires: [['out', 'caught']] } })
      const { done: times, error } = await send('list-devices', { other })
      times.should.equal(1)
      error!.message.should.match(/responded, but the message could not be sent on/)
    })
  })
})
