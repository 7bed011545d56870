// What owners leave on the engine for others: events, states, beats, and the memory for the next owner.
import type { Engine } from '../../client/fleet/nats/engine'
import { TTL, isDown, isUp, open, server, engines, wired } from '../support/engines'
import { errorOf } from '../support/errors'
import { afterThisTest } from '../support/hooks'
import { withNats, type NatsServer } from '../support/nats'
import { until } from '../support/until'

withNats('what a fleet keeps on its engine', function () {
  this.timeout(60_000)

  describe('what it gathers', () => {
    interface Message {
      readonly subject: string
      readonly body: Record<string, unknown>
    }

    /** All that is in the stream, in its order, as another system reads it. */
    async function stored(nats: NatsServer): Promise<Message[]> {
      const { connect } = await import('@nats-io/transport-node')
      const connection = await connect({ servers: nats.url })
      const api = async (subject: string, body: object): Promise<Record<string, never>> =>
        (await connection.request(`$JS.API.STREAM.${subject}`, JSON.stringify(body))).json()
      const found: Message[] = []
      const { state } = await api('INFO.media-gateway-tests-events', {})
      const { first_seq: first = 1, last_seq: last = 0 } = (state ?? {}) as Record<string, number>
      for (let seq = first; seq <= last; seq++) {
        const { message } = await api('MSG.GET.media-gateway-tests-events', { seq })
        if (!message) continue
        const { subject, data } = message as { subject: string; data: string }
        const body = JSON.parse(Buffer.from(data, 'base64').toString()) as Message['body']
        found.push({ subject, body })
      }
      await connection.close()
      return found
    }
    const stateOf = async (nats: NatsServer, appliance: string): Promise<unknown> => {
      const subject = `media-gateway.tests.state.${appliance}`
      const found = (await stored(nats)).filter((each) => each.subject === subject)
      found.length.should.be.belowOrEqual(1)
      return found[0]?.body
    }

    it('is published as events, each on its own subject, and kept for who was away', async () => {
      const nats = await server()
      const engine = open(nats.url)
      const gathering = engine.gathering
      const early = await errorOf(gathering.publish('Oslo 1', { event: 'route.state' }, 1))
      early.code.should.equal('UNAVAILABLE')
      await isUp(engine)
      const { connect } = await import('@nats-io/transport-node')
      const reader = await connect({ servers: nats.url })
      afterThisTest(() => reader.close())
      const received: Message[] = []
      reader.subscribe('media-gateway.tests.event.>', {
        callback: (_, one) => void received.push({ subject: one.subject, body: one.json() }),
      })
      await reader.flush()
      // Sent at once, they stay in their order.
      const sent = ['first', 'second', 'third'].map((text) =>
        gathering.publish('Oslo 1', { event: 'route.state', text } as { event: string }, 7),
      )
      const large = { event: 'snapshot', all: 'a'.repeat(2e6) }
      should(await errorOf(gathering.publish('Oslo 1', large, 7))).have.property(
        'code',
        'INVALID_INPUT',
      )
      await Promise.all(sent)
      await gathering.publish('Oslo 1', { event: 'a b' }, 8)
      await until(() => received.length === 4)
      const subject = 'media-gateway.tests.event.Oslo=201.route.state'
      const of = { event: 'route.state', appliance: 'Oslo 1', token: 7 }
      const all = [
        ...['first', 'second', 'third'].map((text) => ({ subject, body: { ...of, text } })),
        {
          subject: 'media-gateway.tests.event.Oslo=201.a=20b',
          body: { event: 'a b', appliance: 'Oslo 1', token: 8 },
        },
      ]
      received.should.eql(all)
      ;(await stored(nats)).should.eql(all)
    })

    it('is the last state of each appliance, never that of a former owner', async () => {
      const { nats, one, other } = await engines(2)
      const [before, after] = [one.gathering, other.gathering]
      should(await before.show('Oslo', { running: 1 }, 5)).be.true()
      should(await stateOf(nats, 'Oslo')).eql({ appliance: 'Oslo', running: 1, token: 5 })
      const taken = await Promise.all(
        Array.from({ length: 50 }, (_, running) => [
          before.show('Oslo', { running, by: 'before' }, 5),
          after.show('Oslo', { running, by: 'after' }, 9),
        ]).flat(),
      )
      taken.filter((_, index) => index % 2 === 1).should.eql(Array(50).fill(true))
      should(await before.show('Oslo', { late: true }, 5)).be.false()
      const latest = { appliance: 'Oslo', running: 49, by: 'after', token: 9 }
      should(await stateOf(nats, 'Oslo')).eql(latest)
      // Events, and the states of others, stay.
      await before.publish('Oslo', { event: 'route.state' }, 9)
      await before.show('Bergen', { running: 1 }, 2)
      await after.show('Oslo', { isUp: null }, 9)
      ;(await stored(nats))
        .map(({ subject }) => subject.replace('media-gateway.tests.', ''))
        .should.eql(['event.Oslo.route.state', 'state.Bergen', 'state.Oslo'])
      const large = await errorOf(before.show('Oslo', { all: 'a'.repeat(2e6) }, 10))
      large.code.should.equal('INVALID_INPUT')
      await nats.kill()
      await isDown(one)
      should(await errorOf(before.show('Oslo', {}, 10))).have.property('code', 'UNAVAILABLE')
      await nats.start()
      await isUp(one, other)
      should(await after.show('Oslo', { running: 3 }, 8)).be.false()
      should(await after.show('Oslo', { running: 3 }, 10)).be.true()
    })

    it('is never that of a former owner that has read before the later one wrote', async () => {
      const { nats, one, other } = await engines(2)
      const [before, after] = [one.gathering, other.gathering]
      should(await before.show('Oslo', { by: 'before' }, 5)).be.true()
      const connection = one.link.connection!
      const request = connection.request.bind(connection)
      let reads = 0
      connection.request = async (subject, ...rest) => {
        const answer = await request(subject, ...rest)
        if (!subject.includes('.MSG.GET.')) return answer
        if (++reads === 1) should(await after.show('Oslo', { by: 'after' }, 9)).be.true()
        return answer
      }
      should(await before.show('Oslo', { late: true }, 5)).be.false()
      reads.should.equal(2)
      should(await stateOf(nats, 'Oslo')).eql({ appliance: 'Oslo', by: 'after', token: 9 })
    })

    it('is the last beat of each owner, which says when the next one comes', async () => {
      const nats = await server()
      const engine = open(nats.url)
      await isUp(engine)
      const gathering = engine.gathering
      for (const appliances of [1, 2]) await gathering.beat('life', { appliances })
      await gathering.beat('other', { appliances: 3 })
      ;(await stored(nats)).should.eql(
        [
          ['life', 2],
          ['other', 3],
        ].map(([owner, appliances]) => ({
          subject: `media-gateway.tests.owner.${owner}`,
          body: { owner, appliances, everyMs: TTL / 3 },
        })),
      )
    })

    it('goes on where its stream was removed, or is another than it would make', async () => {
      const nats = await server()
      const engine = open(nats.url)
      await isUp(engine)
      const { connect } = await import('@nats-io/transport-node')
      const connection = await connect({ servers: nats.url })
      afterThisTest(() => connection.close())
      const stream = 'media-gateway-tests-events'
      const api = (what: string, body?: object): Promise<unknown> =>
        connection.request(`$JS.API.STREAM.${what}.${stream}`, body && JSON.stringify(body))
      await api('CREATE', {
        name: stream,
        subjects: ['event', 'state', 'owner'].map((kind) => `media-gateway.tests.${kind}.>`),
        storage: 'memory',
        allow_rollup_hdrs: true,
      })
      const gathering = engine.gathering
      should(await gathering.show('Oslo', { running: 1 }, 5)).be.true()
      await api('DELETE')
      await until(() => gathering.show('Oslo', { running: 2 }, 6).catch(() => false))
      should(await stateOf(nats, 'Oslo')).eql({ appliance: 'Oslo', running: 2, token: 6 })
    })

    it('replaces a state that is none', async () => {
      const nats = await server()
      const engine = open(nats.url)
      const gathering = engine.gathering
      await isUp(engine)
      await gathering.show('Oslo', {}, 1)
      const { connect, headers } = await import('@nats-io/transport-node')
      const connection = await connect({ servers: nats.url })
      afterThisTest(() => connection.close())
      for (const text of ['nonsense', 'null', '{"running":1}']) {
        const rollUp = headers()
        rollUp.set('Nats-Rollup', 'sub')
        const subject = 'media-gateway.tests.state.Oslo'
        await connection.request(subject, text, { timeout: 2000, headers: rollUp })
        should(await gathering.show('Oslo', { running: 2 }, 1)).be.true()
        should(await stateOf(nats, 'Oslo')).eql({ appliance: 'Oslo', running: 2, token: 1 })
      }
    })
  })

  describe('what it remembers for the next owner', () => {
    it('has a bucket once it is used, which keeps all of it', async () => {
      const { nats, one, other } = await engines(2)
      should(await buckets(nats)).not.containEql('media-gateway-tests-memory')
      should(await one.memory.read('a.b', 'Oslo 1')).be.undefined()
      should(await one.memory.write('a.b', 'Oslo 1', { held: true }, 5)).be.true()
      should(await buckets(nats)).containEql('media-gateway-tests-memory')
      const kept = { of: 'a.b', appliance: 'Oslo 1', memory: { held: true }, token: 5 }
      should(await other.memory.read('a.b', 'Oslo 1')).eql(kept)
      should(await other.memory.read('a', 'b.Oslo 1')).be.undefined()
      should(await other.memory.read('a.b', 'Oslo 2')).be.undefined()
      await nats.kill()
      await Promise.all([isDown(one), isDown(other)])
      should(await errorOf(other.memory.read('a.b', 'Oslo 1'))).have.property('code', 'UNAVAILABLE')
      await nats.start()
      await isUp(one, other)
      should(await other.memory.read('a.b', 'Oslo 1')).eql(kept)
    })

    it('is never that of a former owner, also where it was forgotten', async () => {
      const { one, other } = await engines(2)
      const write = (by: Engine, memory: unknown, token: number): Promise<boolean> =>
        by.memory.write('failover', 'Oslo', memory, token)
      const written = await Promise.all(
        Array.from({ length: 50 }, (_, number) => [
          write(one, { number, by: 'one' }, 5),
          write(other, { number, by: 'other' }, 9),
        ]).flat(),
      )
      written.filter((_, index) => index % 2 === 1).should.eql(Array(50).fill(true))
      const read = async (): Promise<unknown> => {
        const { memory, token } = (await one.memory.read('failover', 'Oslo'))!
        return { memory, token }
      }
      should(await read()).eql({ memory: { number: 49, by: 'other' }, token: 9 })
      should(await write(one, { late: true }, 8)).be.false()
      should(await write(other, undefined, 9)).be.true()
      should(await write(one, { late: true }, 8)).be.false()
      should(await read()).eql({ memory: undefined, token: 9 })
      const large = await errorOf(write(other, { all: 'a'.repeat(2e6) }, 9))
      large.code.should.equal('INVALID_INPUT')
      should(await write(one, { next: true }, 10)).be.true()
      should(await read()).eql({ memory: { next: true }, token: 10 })
    })

    it('rejects when the engine does not respond, and does not take that for nothing', async () => {
      const { wire } = await wired()
      const engine = open(wire.url)
      await isUp(engine)
      await engine.memory.write('failover', 'Oslo', { held: true }, 1)
      wire.cutAnswers()
      const [read, written] = await Promise.all([
        errorOf(engine.memory.read('failover', 'Oslo')),
        errorOf(engine.memory.write('failover', 'Oslo', { held: false }, 2)),
      ])
      ;[read.code, written.code].should.eql(['UNAVAILABLE', 'UNAVAILABLE'])
      wire.mend()
      await until(async () => {
        const present = await engine.memory.read('failover', 'Oslo').catch(() => undefined)
        // Without the answer to its read, the write was not made.
        return present?.token === 1
      })
    })

    it('may be refused by the engine: the fleet works all the same', async () => {
      const account = { user: 'fleet', password: 'right' }
      const refused = ['$JS.API.STREAM.CREATE.KV_media-gateway-tests-memory']
      const rights = { publish: ['>'], subscribe: ['>'] }
      const nats = await server({ users: [{ ...account, ...rights, refused }] })
      const engine = open(nats.url, account)
      await isUp(engine)
      should(await errorOf(engine.memory.read('failover', 'Oslo'))).have.property(
        'code',
        'UNAVAILABLE',
      )
      await nats.kill()
      await isDown(engine)
      await nats.start()
      await isUp(engine)
      should(await engine.store.put('a', '1', 0)).be.a.Number()
    })
  })
})

async function buckets(nats: NatsServer): Promise<string[]> {
  const [{ connect }, { Kvm }] = [
    await import('@nats-io/transport-node'),
    await import('@nats-io/kv'),
  ]
  const connection = await connect({ servers: nats.url })
  const names: string[] = []
  for await (const { bucket } of new Kvm(connection).list()) names.push(bucket)
  await connection.close()
  return names
}
