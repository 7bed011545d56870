import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import should from 'should'
import { openEngine, type Engine } from '../../client/fleet/nats/engine'
import type { EngineOptions } from '../../client/fleet/nats/options'
import { selfSignedCertificate } from '../support/certificate'
import { errorOf } from '../support/errors'
import { startCluster, startNats, startWire, withNats, type NatsServer } from '../support/nats'
import { NodeRed } from '../support/node-red'
import { pause, until } from '../support/until'

const TTL = 3000

withNats('the engine of a fleet', function () {
  this.timeout(60_000)
  const ending: Array<() => unknown> = []
  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end()
  })

  interface Opened extends Engine {
    readonly logged: string[]
  }

  function open(servers: string, options: Partial<EngineOptions> = {}): Opened {
    const logged: string[] = []
    const engine = openEngine({
      servers,
      fleet: 'tests',
      key: 'the key of the fleet in the tests',
      replicas: 1,
      ttlMs: TTL,
      log: (level, text) => logged.push(`${level}: ${text}`),
      ...options,
    })
    ending.push(() => engine.close())
    return Object.defineProperties({} as Opened, {
      ...Object.getOwnPropertyDescriptors(engine),
      logged: { value: logged },
    })
  }

  const isUp = (...engines: Engine[]): Promise<void> =>
    until(() => engines.every(({ link }) => link.isUp), 'the connection')
  const isDown = ({ link }: Engine): Promise<void> => until(() => !link.isUp, 'the loss')

  async function server(...options: Parameters<typeof startNats>): Promise<NatsServer> {
    const nats = await startNats(...options)
    ending.push(() => nats.remove())
    return nats
  }

  /** Writes past the engine's rules. */
  async function put(nats: NatsServer, bucket: string, key: string, text: string): Promise<void> {
    const [{ connect }, { Kvm }] = [
      await import('@nats-io/transport-node'),
      await import('@nats-io/kv'),
    ]
    const connection = await connect({ servers: nats.url })
    const kv = await new Kvm(connection).open(`media-gateway-tests-${bucket}`)
    await kv.put(key, text)
    await connection.close()
  }

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

  interface Watched {
    /** What the present watch knows. */
    readonly now: Map<string, string>
    readonly all: string[]
    readonly ready: () => number
    /** Of each watch that has ended: whether the engine had lost records. */
    readonly ends: boolean[]
  }

  /** Watches, and begins again whenever a watch ends. */
  async function watched({ store, link }: Engine): Promise<Watched> {
    const now = new Map<string, string>()
    const all: string[] = []
    const ends: boolean[] = []
    let ready = 0
    let end = (): void => undefined
    let isOver = false
    ending.push(() => {
      isOver = true
      end()
    })
    const begin = async (): Promise<void> => {
      now.clear()
      end = await store.watch({
        onEntry(key, entry) {
          all.push(`${key}=${entry?.value ?? ''}`)
          if (entry) now.set(key, entry.value)
          else now.delete(key)
        },
        onReady: () => ready++,
        onEnd(hasLost) {
          ends.push(hasLost)
          void until(() => isOver || link.isUp).then(() => (isOver ? undefined : begin()))
        },
      })
    }
    await begin()
    return { now, all, ready: () => ready, ends }
  }

  describe('its connection', () => {
    it('refuses options that cannot work, and repeats no password', () => {
      const refusal = (options: Partial<EngineOptions>): string => {
        try {
          open('nats://127.0.0.1:1', options)
        } catch (error) {
          should(error).have.property('code', 'CONFIG')
          return (error as Error).message
        }
        throw new Error('it was accepted')
      }
      for (const servers of [
        '',
        'host:4222',
        'http://host',
        'nats://host/path',
        'nats://one,tls://other',
      ]) {
        refusal({ servers }).should.match(/^The engine must be an address/)
      }
      const secret = refusal({ servers: 'nats://user:geheim@host' })
      secret.should.match(/must not contain a username/).and.not.match(/geheim/)
      refusal({ mqtt: 'nats://host' }).should.match(/mqtt:/)
      refusal({ fleet: 'a.b' }).should.match(/name of the fleet/)
      refusal({ replicas: 2 }).should.match(/1, 3 or 5/)
      refusal({ password: 'geheim' }).should.match(/no username/)
    })

    it('comes up when the server does, and says once that it was lost and once that it is back', async () => {
      const nats = await server()
      await nats.kill()
      const engine = open(nats.url)
      await until(() => engine.logged.length === 1)
      engine.logged[0]!.should.match(/^warn: .*"tests" cannot be reached \(ECONNREFUSED\)/)
      await pause(2500)
      engine.logged.length.should.equal(1)
      should(engine.connectedSince).be.undefined()

      await nats.start()
      await isUp(engine)
      const [first, id] = [engine.connectedSince!, engine.serverId]
      engine.logged.slice(1).should.eql(['info: The engine of the fleet "tests" responds again.'])

      await nats.kill()
      await isDown(engine)
      await nats.start()
      await isUp(engine)
      engine.connectedSince!.should.be.above(first)
      engine.serverId!.should.not.equal(id)
      engine.logged.at(-1)!.should.match(/^info: .*responds again/)
    })

    it('says why it is refused, without the password', async () => {
      const nats = await server({ user: 'fleet', password: 'right' })
      const refused = open(nats.url, { user: 'fleet', password: 'geheim' })
      await until(() => refused.logged.length === 1)
      refused.logged[0]!.should.match(/Authorization Violation/)
      await pause(3000)
      refused.logged.length.should.equal(1)
      refused.logged.join().should.not.match(/geheim/)
      await isUp(open(nats.url, { user: 'fleet', password: 'right' }))
    })

    it('is encrypted with tls://, to a server whose certificate is the right one', async () => {
      const [certificate, other] = [await selfSignedCertificate(), await selfSignedCertificate()]
      const account = { user: 'fleet', password: 'geheim' }
      const nats = await server({ ...account, certificate })
      const plain = await server(account)
      const elsewhere = await startWire(nats.port, '127.0.0.2')
      ending.push(() => elsewhere.stop())
      await isUp(open(nats.url, { ...account, tls: { ca: certificate.cert } }))
      await isUp(
        open(nats.url.replace('127.0.0.1', 'localhost'), {
          ...account,
          tls: { ca: certificate.cert },
        }),
      )
      for (const [url, tls, why] of [
        [nats.url, { ca: other.cert }, /SELF_SIGNED/],
        [nats.url, {}, /SELF_SIGNED/],
        [elsewhere.url.replace('nats:', 'tls:'), { ca: certificate.cert }, /ALTNAME/],
        [nats.url.replace('tls:', 'nats:'), {}, /tls|TLS|secure/],
        [plain.url.replace('nats:', 'tls:'), { ca: certificate.cert }, /tls|TLS/],
      ] as const) {
        const refused = open(url, { ...account, tls })
        await until(() => refused.logged.length > 0)
        refused.logged[0]!.should.match(why)
        refused.logged.join().should.not.match(/geheim/)
        refused.link.isUp.should.be.false()
      }
    })

    it('notices within the lease that nothing comes back: server halted, network cut', async () => {
      const nats = await server()
      const wire = await startWire(nats.port)
      ending.push(() => wire.stop())
      const engine = open(wire.url)
      for (const [cut, mend] of [
        [() => wire.cut(), () => wire.mend()],
        [() => nats.pause(), () => nats.resume()],
      ] as const) {
        await isUp(engine)
        const since = performance.now()
        cut()
        await isDown(engine)
        const noticed = performance.now() - since
        should(noticed < TTL).equal(true, `it took ${noticed} ms`)
        mend()
      }
      await isUp(engine)
    })
  })

  describe('its store', () => {
    it('creates and replaces records by comparing revisions', async () => {
      const nats = await server()
      const [one, other] = [open(nats.url), open(nats.url)]
      await isUp(one, other)
      should(await one.store.get('slot.1')).be.undefined()
      const results = await Promise.all([
        one.store.create('slot.1', 'one'),
        other.store.create('slot.1', 'other'),
      ])
      results.filter((revision) => revision !== undefined).length.should.equal(1)
      const { revision } = (await other.store.get('slot.1'))!
      const next = (await one.store.update('slot.1', 'two', revision))!
      next.should.be.above(revision)
      should(await other.store.update('slot.1', 'three', revision)).be.undefined()
      should(await other.store.get('slot.1')).eql({ value: 'two', revision: next })
    })

    it('lets one of many win, each time', async () => {
      const nats = await server()
      const engines = [open(nats.url), open(nats.url), open(nats.url)]
      await isUp(...engines)
      let revision = (await engines[0]!.store.create('slot.1', '0'))!
      for (let round = 1; round <= 100; round++) {
        const won = await Promise.all(
          engines.map(({ store }) => store.update('slot.1', `${round}`, revision)),
        )
        const revisions = won.filter((each) => each !== undefined)
        revisions.length.should.equal(1)
        revision = revisions[0]!
      }
    })

    it('rejects when the engine does not respond, and does not take that for another revision', async () => {
      const nats = await server()
      const wire = await startWire(nats.port)
      ending.push(() => wire.stop())
      const engine = open(wire.url)
      await isUp(engine)
      const revision = (await engine.store.create('slot.1', 'one'))!
      wire.cutAnswers()
      for (const work of [
        engine.store.get('slot.1'),
        engine.store.create('slot.2', 'one'),
        engine.store.update('slot.1', 'two', revision),
      ]) {
        const error = await errorOf(work)
        error.code.should.equal('UNAVAILABLE')
      }
      wire.mend()
      await until(async () => {
        await until(() => engine.link.isUp)
        const entry = await engine.store.get('slot.1').catch(() => undefined)
        return entry?.value === 'two'
      })
    })

    it('reports all records, and then each change', async () => {
      const nats = await server()
      const [one, other] = [open(nats.url), open(nats.url)]
      await isUp(one, other)
      for (let slot = 0; slot < 256; slot++) await one.store.create(`slot.${slot}`, 'free')
      const { now, ready } = await watched(other)
      await until(() => ready() === 1)
      now.size.should.equal(256)
      await one.store.create('member.1', 'here')
      await until(() => now.get('member.1') === 'here')
      const empty = open(nats.url, { fleet: 'empty' })
      await isUp(empty)
      const nothing = await watched(empty)
      await until(() => nothing.ready() === 1)
      nothing.all.should.eql([])
    })

    it('knows what was written while it was cut off, and survives a kill of the server', async () => {
      const nats = await server()
      const wire = await startWire(nats.port)
      ending.push(() => wire.stop())
      const [one, other] = [open(wire.url), open(nats.url)]
      await isUp(one, other)
      let revision = (await other.store.create('slot.1', '1'))!
      const { now } = await watched(one)
      await until(() => now.get('slot.1') === '1')
      wire.cut()
      await isDown(one)
      revision = (await other.store.update('slot.1', '2', revision))!
      wire.mend()
      await until(() => now.get('slot.1') === '2')
      await nats.kill()
      await isDown(other)
      await nats.start()
      await isUp(one, other)
      await other.store.update('slot.1', '3', revision)
      await until(() => now.get('slot.1') === '3')
      nats.pause()
      await isDown(one)
      await isDown(other)
      nats.resume()
      await isUp(one, other)
      await other.store.create('slot.2', '1')
      await until(() => now.get('slot.2') === '1')
    })

    it('begins anew on an engine that came back empty: what is gone is reported as gone', async () => {
      const nats = await server()
      const [one, other] = [open(nats.url), open(nats.url)]
      await isUp(one, other)
      await one.store.create('slot.1', 'old')
      await one.store.create('slot.2', 'old')
      const { now, ready } = await watched(other)
      await until(() => now.size === 2)
      const { createdAt } = other.store
      await nats.kill()
      await nats.start(true)
      await isUp(one, other)
      await one.store.create('slot.2', 'new')
      await until(() => now.get('slot.2') === 'new' && !now.has('slot.1'))
      ready().should.equal(2)
      should(other.store.createdAt).be.above(createdAt + 2)
    })

    it('notices a bucket that was removed under a connection that stays', async () => {
      const nats = await server()
      const [one, other] = [open(nats.url), open(nats.url)]
      await isUp(one, other)
      const since = other.connectedSince
      for (let each = 0; each < 20; each++) await one.store.create(`slot.${each}`, 'old')
      const { now, ends } = await watched(other)
      await until(() => now.size === 20)
      const token = other.store.createdAt + 20
      await removeBucket(nats.url, 'media-gateway-tests')
      // Whoever writes learns of it at once, though the record is made.
      const error = await errorOf(one.store.create('slot.1', 'new'))
      error.message.should.match(/records were lost/)
      await until(() => now.get('slot.1') === 'new' && now.size === 1)
      should(ends).eql([true])
      should(other.connectedSince).equal(since)
      should(other.store.createdAt).be.above(token)
    })

    it('deletes a record that has not changed, and leaves no mark of it', async () => {
      const nats = await server()
      const engine = open(nats.url)
      await isUp(engine)
      const old = (await engine.store.create('member.1', 'one'))!
      const present = (await engine.store.update('member.1', 'two', old))!
      const { now } = await watched(engine)
      await until(() => now.size === 1)
      await engine.store.remove('member.1', old)
      should((await engine.store.get('member.1'))?.value).equal('two')
      await engine.store.remove('member.1', present)
      should(await engine.store.get('member.1')).be.undefined()
      // Nothing has moved for those who watch, and its key can be used again.
      should(now.get('member.1')).equal('two')
      should(await engine.store.create('member.1', 'three')).equal(present + 1)
      const fresh = await watched(engine)
      await until(() => fresh.ready() === 1)
      should([...fresh.now]).eql([['member.1', 'three']])
    })

    it('works on with two of three servers', async () => {
      const servers = await startCluster()
      ending.push(...servers.map((each) => () => each.remove()))
      const all = servers.map(({ url }) => url).join(',')
      const [one, other] = [open(all, { replicas: 3 }), open(all, { replicas: 3 })]
      await until(() => one.link.isUp && other.link.isUp, 'the cluster', 30_000)
      const { now } = await watched(other)
      let revision = (await one.store.create('slot.1', '0'))!
      await until(() => now.get('slot.1') === '0')
      for (const nats of servers) {
        await nats.kill()
        let confirmed: number | undefined
        await until(
          async () => {
            const entry = await one.store.get('slot.1').catch(() => undefined)
            if (!entry) return false
            entry.revision.should.be.aboveOrEqual(revision)
            confirmed = await one.store
              .update('slot.1', `without ${nats.port}`, entry.revision)
              .catch(() => undefined)
            return confirmed !== undefined
          },
          'a write with two of three',
          30_000,
        )
        revision = confirmed!
        await until(() => now.get('slot.1') === `without ${nats.port}`, 'the watch', 30_000)
        await nats.start()
        // A cluster that has not caught up has no two servers left after the next one.
        await until(async () => (await inSync(nats.url)) === 3, 'three that are equal', 30_000)
      }
    })
  })

  describe('what it gathers', () => {
    it('is published as events, each on its own subject', async () => {
      const nats = await server()
      const engine = open(nats.url)
      const gathering = engine.gathering()
      gathering.publish('Oslo 1', { event: 'route.state' }, 1)
      await isUp(engine)
      const { connect } = await import('@nats-io/transport-node')
      const reader = await connect({ servers: nats.url })
      ending.push(() => reader.close())
      const received: unknown[] = []
      reader.subscribe('media-gateway.tests.event.>', {
        callback: (_, message) => void received.push([message.subject, message.json()]),
      })
      await reader.flush()
      gathering.publish('Oslo 1', { event: 'route.state', text: 'ü' } as { event: string }, 7)
      gathering.publish(
        'Oslo 1',
        { event: 'snapshot', all: 'a'.repeat(2e6) } as { event: string },
        7,
      )
      gathering.publish('Oslo 1', { event: 'a b' }, 8)
      await until(() => received.length === 2)
      received.should.eql([
        [
          'media-gateway.tests.event.Oslo=201.route.state',
          { event: 'route.state', text: 'ü', appliance: 'Oslo 1', token: 7 },
        ],
        [
          'media-gateway.tests.event.Oslo=201.a=20b',
          { event: 'a b', appliance: 'Oslo 1', token: 8 },
        ],
      ])
      engine.logged.filter((line) => /not published/.test(line)).length.should.equal(1)
    })

    it('is the latest picture of each appliance, never that of a former owner', async () => {
      const nats = await server()
      const [one, other] = [open(nats.url), open(nats.url)]
      await isUp(one, other)
      const [before, after] = [one.gathering(), other.gathering()]
      should(await after.read('Oslo')).be.undefined()
      await before.keep('Oslo', { running: 1 }, 5)
      should(await after.read('Oslo')).eql({ picture: { running: 1 }, token: 5 })
      await Promise.all(
        Array.from({ length: 50 }, (_, running) => [
          before.keep('Oslo', { running, by: 'before' }, 5),
          after.keep('Oslo', { running, by: 'after' }, 9),
        ]).flat(),
      )
      await before.keep('Oslo', { late: true }, 5)
      should(await before.read('Oslo')).eql({ picture: { running: 49, by: 'after' }, token: 9 })
      const large = await errorOf(before.keep('Oslo', { all: 'a'.repeat(2e6) }, 10))
      large.code.should.equal('INVALID_INPUT')
      const [whole, short] = [{ running: 1, all: 'a'.repeat(2e6) }, { running: 2 }]
      should(await before.keep('Oslo', whole, 10, short)).be.false()
      should(await after.read('Oslo')).eql({ picture: { running: 2, by: 'after' }, token: 10 })
      should(await before.keep('Oslo', { running: 3 }, 10, { running: 4 })).be.true()
      should(await after.read('Oslo')).match({ picture: { running: 3 } })
      const both = await errorOf(before.keep('Oslo', whole, 10, whole))
      both.code.should.equal('INVALID_INPUT')
      await nats.kill()
      await isDown(one)
      should(await errorOf(before.keep('Oslo', {}, 10))).have.property('code', 'UNAVAILABLE')
    })

    it('replaces a record that is none', async () => {
      const nats = await server()
      const engine = open(nats.url)
      const gathering = engine.gathering()
      await isUp(engine)
      for (const text of ['nonsense', 'null', '{"running":1}']) {
        await put(nats, 'pictures', 'Oslo', text)
        should(await gathering.read('Oslo')).be.undefined()
        await gathering.keep('Oslo', { running: 2 }, 1)
        should(await gathering.read('Oslo')).eql({ picture: { running: 2 }, token: 1 })
      }
    })

    it('comes to the mqtt nodes of Node-RED: events, and at once the pictures', async () => {
      const nats = await server({ mqtt: true, user: 'fleet', password: 'right' })
      const account = {
        user: 'fleet',
        password: 'right',
        mqtt: `mqtt://127.0.0.1:${nats.mqttPort}`,
      }
      const [one, other] = [open(nats.url, account), open(nats.url, account)]
      await isUp(one, other)
      const folder = mkdtempSync(join(tmpdir(), 'media-gateway-fleet-'))
      ending.push(() => rmSync(folder, { recursive: true, force: true }))
      const appliances = Array.from({ length: 20 }, (_, index) => `Oslo ${index}`)
      await Promise.all(
        appliances.map(async (appliance) => {
          await one.gathering().keep(appliance, { running: 0 }, 1)
          await other.gathering().keep(appliance, { running: 1 }, 2)
          await one.gathering().keep(appliance, { running: 0 }, 1)
        }),
      )
      const nodeRed = new NodeRed()
      ending.push(() => nodeRed.stop())
      await nodeRed.start({ mqttReconnectTime: 1000 })
      const file = join(folder, 'received')
      const answer = await fetch(`${nodeRed.url}flows`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(mqttFlow(nats.mqttPort, file)),
      })
      should(answer.ok).be.true()
      interface Received {
        topic: string
        retain: boolean
        payload: { event?: string; appliance: string; running?: number; token: number }
      }
      const received = (): Received[] =>
        existsSync(file)
          ? readFileSync(file, 'utf8')
              .split('\n')
              .filter(Boolean)
              .map((line) => JSON.parse(line) as Received)
          : []
      await until(() => received().length >= appliances.length, 'the pictures', 30_000)
      const pictures = received().filter(({ topic }) => topic.includes('/picture/'))
      should(new Map(pictures.map(({ topic, ...rest }) => [topic, rest]))).eql(
        new Map(
          appliances.map((appliance) => [
            `media-gateway/tests/picture/${appliance.replace(' ', '=20')}`,
            { retain: true, payload: { appliance, running: 1, token: 2 } },
          ]),
        ),
      )
      one.gathering().publish('Oslo 1', { event: 'route.state' }, 1)
      await until(() => received().some(({ topic }) => topic.includes('/event/')), 'the event')
      const { topic, payload } = received().at(-1)!
      should(topic).equal('media-gateway/tests/event/Oslo=201/route/state')
      should(payload).eql({ event: 'route.state', appliance: 'Oslo 1', token: 1 })

      await nats.kill()
      await isDown(one)
      await nats.start()
      await isUp(one)
      await one.gathering().keep('Oslo 1', { running: 2 }, 3)
      await until(
        () => received().some((each) => each.payload.running === 2),
        'the new picture',
        30_000,
      )
      for (const { logged } of [one, other]) {
        logged.join().should.not.match(/right/)
        logged.filter((line) => /MQTT port .* cannot/.test(line)).length.should.be.belowOrEqual(2)
      }
    })
  })

  describe('what it remembers for the next owner', () => {
    it('has a bucket once it is used, which keeps all of it', async () => {
      const nats = await server()
      const [one, other] = [open(nats.url), open(nats.url)]
      await isUp(one, other)
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
      const nats = await server()
      const [one, other] = [open(nats.url), open(nats.url)]
      await isUp(one, other)
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
      const nats = await server()
      const wire = await startWire(nats.port)
      ending.push(() => wire.stop())
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
      should(await engine.store.create('a', '1')).be.a.Number()
    })
  })
})

/** Writes what comes over MQTT to a file, one message a line. */
const mqttFlow = (port: number, file: string): object[] => [
  { id: 'tab', type: 'tab', label: 'fleet' },
  {
    id: 'broker',
    type: 'mqtt-broker',
    broker: '127.0.0.1',
    port: String(port),
    protocolVersion: '4',
    cleansession: true,
    keepalive: '60',
    credentials: { user: 'fleet', password: 'right' },
  },
  ...['event', 'picture'].map((kind) => ({
    id: kind,
    z: 'tab',
    x: 100,
    y: 100,
    type: 'mqtt in',
    topic: `media-gateway/tests/${kind}/#`,
    qos: '1',
    datatype: 'json',
    broker: 'broker',
    inputs: 0,
    wires: [['whole']],
  })),
  {
    id: 'whole',
    z: 'tab',
    x: 100,
    y: 100,
    type: 'function',
    func: 'const { topic, retain, payload } = msg; return { payload: JSON.stringify({ topic, retain, payload }) }',
    outputs: 1,
    wires: [['lines']],
  },
  {
    id: 'lines',
    z: 'tab',
    x: 100,
    y: 100,
    type: 'file',
    filename: file,
    filenameType: 'str',
    appendNewline: true,
    overwriteFile: 'false',
    wires: [[]],
  },
]

async function admin<T>(
  url: string,
  work: (kv: import('@nats-io/kv').KV) => Promise<T>,
  bucket = 'media-gateway-tests',
): Promise<T> {
  const { connect } = await import('@nats-io/transport-node')
  const { Kvm } = await import('@nats-io/kv')
  const connection = await connect({ servers: url })
  try {
    return await work(await new Kvm(connection).open(bucket))
  } finally {
    await connection.close()
  }
}

const removeBucket = (url: string, bucket: string): Promise<boolean> =>
  admin(url, (kv) => kv.destroy(), bucket)

/** How many servers have all of the bucket. */
const inSync = (url: string): Promise<number> =>
  admin(url, async (kv) => {
    const { cluster } = (await kv.status()).streamInfo
    return 1 + (cluster?.replicas ?? []).filter(({ current }) => current).length
  }).catch(() => 0)
