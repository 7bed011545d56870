import should from 'should'
import { openEngine, type Engine } from '../../client/fleet/nats/engine'
import type { EngineOptions } from '../../client/fleet/nats/options'
import type { Store } from '../../client/fleet/types'
import { errorOf } from '../support/errors'
import { startCluster, startNats, startWire, withNats, type NatsServer } from '../support/nats'
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

  /** What a watch has reported, and what it knows now. */
  async function watched(
    store: Store,
  ): Promise<{ now: Map<string, string>; all: string[]; ready: () => number }> {
    const now = new Map<string, string>()
    const all: string[] = []
    let ready = 0
    const end = await store.watch(
      (key, entry) => {
        all.push(`${key}=${entry?.value ?? ''}`)
        if (entry) now.set(key, entry.value)
        else now.delete(key)
      },
      () => ready++,
    )
    ending.push(end)
    return { now, all, ready: () => ready }
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

    it('notices within a third of the lease that nothing comes back: server halted, network cut', async () => {
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
      const { now, ready } = await watched(other.store)
      await until(() => ready() === 1)
      now.size.should.equal(256)
      await one.store.create('member.1', 'here')
      await until(() => now.get('member.1') === 'here')
      const empty = open(nats.url, { fleet: 'empty' })
      await isUp(empty)
      const nothing = await watched(empty.store)
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
      const { now } = await watched(one.store)
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
      const { now, all, ready } = await watched(other.store)
      await until(() => now.size === 2)
      await nats.kill()
      await nats.start(true)
      await isUp(one, other)
      await one.store.create('slot.2', 'new')
      await until(() => now.get('slot.2') === 'new' && !now.has('slot.1'))
      all.should.containEql('slot.1=')
      ready().should.equal(1)
    })

    it('notices a bucket that was removed under a connection that stays', async () => {
      const nats = await server()
      const [one, other] = [open(nats.url), open(nats.url)]
      await isUp(one, other)
      const since = other.connectedSince
      for (let each = 0; each < 20; each++) await one.store.create(`slot.${each}`, 'old')
      const { now } = await watched(other.store)
      await until(() => now.size === 20)
      await removeBucket(nats.url, 'media-gateway-tests')
      await one.store.create('slot.1', 'new')
      await until(() => now.get('slot.1') === 'new' && now.size === 1)
      should(other.connectedSince).equal(since)
    })

    it('works on with two of three servers', async () => {
      const servers = await startCluster()
      ending.push(...servers.map((each) => () => each.remove()))
      const all = servers.map(({ url }) => url).join(',')
      const [one, other] = [open(all, { replicas: 3 }), open(all, { replicas: 3 })]
      await until(() => one.link.isUp && other.link.isUp, 'the cluster', 30_000)
      const { now } = await watched(other.store)
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
})

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
