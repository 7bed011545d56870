import { randomUUID } from 'node:crypto'
import { nkeys } from '@nats-io/transport-node'
import should from 'should'
import { openEngine, type Engine } from '../../client/fleet/nats/engine'
import type { EngineOptions } from '../../client/fleet/nats/options'
import { newCertificate, selfSignedCertificate } from '../support/certificate'
import { errorOf } from '../support/errors'
import {
  startCluster,
  startNats,
  startWire,
  withNats,
  type NatsOptions,
  type NatsServer,
} from '../support/nats'
import { pause, until } from '../support/until'

const TTL = 3000

type KeyPair = ReturnType<typeof nkeys.createUser>

/** A user of a new account of a new operator, as `nsc` makes them. */
function issue(user: KeyPair): {
  jwt: string
  operator: NonNullable<NatsOptions['operator']>
} {
  const [operator, account, system] = [
    nkeys.createOperator(),
    nkeys.createAccount(),
    nkeys.createAccount(),
  ]
  const jwt = (by: KeyPair, of: KeyPair, nats: object): string => {
    const encoded = (part: object): string =>
      Buffer.from(JSON.stringify(part)).toString('base64url')
    const id = { jti: randomUUID(), iat: 1, iss: by.getPublicKey(), sub: of.getPublicKey() }
    const signed = `${encoded({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encoded({ ...id, name: 'tests', nats })}`
    return `${signed}.${Buffer.from(by.sign(Buffer.from(signed))).toString('base64url')}`
  }
  const none = { subs: -1, data: -1, payload: -1 }
  const limits = { ...none, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }
  const stored = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }
  const of = (most: object): object => ({ limits: most, type: 'account', version: 2 })
  return {
    jwt: jwt(account, user, { ...none, type: 'user', version: 2, pub: {}, sub: {} }),
    operator: {
      operator: jwt(operator, operator, { type: 'operator', version: 2 }),
      system: system.getPublicKey(),
      accounts: {
        [account.getPublicKey()]: jwt(operator, account, of({ ...limits, ...stored })),
        [system.getPublicKey()]: jwt(operator, system, of(limits)),
      },
    },
  }
}

const credsFile = (jwt: string, seed: string): string =>
  `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n\n************************* IMPORTANT *************************\nNKEY Seed printed below can be used to sign and prove identity.\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`

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
  const serverIdOf = ({ link }: Engine): string | undefined => link.connection?.info?.server_id
  const isDown = ({ link }: Engine): Promise<void> => until(() => !link.isUp, 'the loss')

  async function server(...options: Parameters<typeof startNats>): Promise<NatsServer> {
    const nats = await startNats(...options)
    ending.push(() => nats.remove())
    return nats
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
      end = store.watch({
        onEntry(key, entry) {
          all.push(`${key}=${entry?.value ?? ''}`)
          if (entry) now.set(key, entry.value)
          else now.delete(key)
        },
        onReady: () => ready++,
        onEnd(hasLost) {
          ends.push(hasLost)
          void until(() => isOver || link.isUp, 'the connection', 60_000).then(() =>
            isOver ? undefined : begin(),
          )
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
      refusal({ fleet: 'a.b' }).should.match(/name of the fleet/)
      const seed = new TextDecoder().decode(nkeys.createUser().getSeed())
      const account = new TextDecoder().decode(nkeys.createAccount().getSeed())
      refusal({ credentials: seed, user: 'fleet' }).should.match(/only one of the two/)
      refusal({ credentials: seed, password: 'geheim' }).should.match(/only one of the two/)
      for (const credentials of ['geheim', account, `user ${seed}`, seed.slice(1), `${seed}A`]) {
        refusal({ credentials })
          .should.match(/^The engine credentials are neither/)
          .and.not.containEql(credentials)
      }
      refusal({ tls: { ca: 'an authority' } }).should.match(/does not begin with tls:/)
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
      // Each reason once: on a busy machine a try may also take too long.
      engine.logged.should.eql([...new Set(engine.logged)])
      should(engine.link.since).be.undefined()

      await nats.start()
      await isUp(engine)
      const [first, id] = [engine.link.since!, serverIdOf(engine)]
      const infos = engine.logged.filter((line) => line.startsWith('info:'))
      infos.should.eql(['info: The engine of the fleet "tests" responds again.'])

      await nats.kill()
      await isDown(engine)
      await nats.start()
      await isUp(engine)
      engine.link.since!.should.be.above(first)
      serverIdOf(engine)!.should.not.equal(id)
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
        [nats.url.replace('tls:', 'nats:'), undefined, /tls|TLS|secure/],
        [plain.url.replace('nats:', 'tls:'), { ca: certificate.cert }, /tls|TLS/],
      ] as const) {
        const refused = open(url, { ...account, tls })
        await until(() => refused.logged.length > 0)
        refused.logged[0]!.should.match(why)
        refused.logged.join().should.not.match(/geheim/)
        refused.link.isUp.should.be.false()
      }
    })

    it('trusts an own authority, and shows a client certificate to a server that asks for one', async () => {
      const [authority, other] = [await newCertificate('authority'), await newCertificate('other')]
      const certificate = await newCertificate('nats.example', authority)
      const mine = await newCertificate('instance', authority)
      const theirs = await newCertificate('instance', other)
      const nats = await server({ certificate, clientAuthority: authority.cert })
      const { cert: ca } = authority
      await isUp(open(nats.url, { tls: { ca, cert: mine.cert, key: mine.key } }))
      const named = { ca, cert: mine.cert, key: mine.key, servername: 'nats.example' }
      await isUp(open(nats.url, { tls: named }))
      for (const [tls, why] of [
        [{ ca }, /ERR_SSL|ECONNRESET/],
        [{ ca, cert: theirs.cert, key: theirs.key }, /ERR_SSL|ECONNRESET/],
        [{ ...named, servername: 'other.example' }, /ALTNAME/],
        [{ ...named, ca: other.cert }, /UNABLE_TO_VERIFY|SELF_SIGNED/],
      ] as const) {
        const refused = open(nats.url, { tls })
        await until(() => refused.logged.length > 0)
        await pause(2500)
        // The end of the connection can come before the server's reason for it.
        refused.logged.length.should.be.belowOrEqual(2)
        new Set(refused.logged).size.should.equal(refused.logged.length)
        for (const line of refused.logged) {
          line.should.match(/^warn: The engine .* cannot be reached \(/).and.match(why)
          line.should.not.match(/PRIVATE|BEGIN/)
        }
        refused.link.isUp.should.be.false()
      }
    })

    it('proves who it is with an nkey, or with a .creds file, which may have lost its lines', async () => {
      const [user, stranger] = [nkeys.createUser(), nkeys.createUser()]
      const seedOf = (pair: KeyPair): string => new TextDecoder().decode(pair.getSeed())
      const nats = await server({ nkey: user.getPublicKey() })
      await isUp(open(nats.url, { credentials: ` ${seedOf(user)}\n` }))

      const issued = issue(user)
      const operated = await server({ operator: issued.operator })
      const file = credsFile(issued.jwt, seedOf(user))
      await isUp(open(operated.url, { credentials: file }))
      await isUp(open(operated.url, { credentials: file.replaceAll('\n', '') }))

      for (const [url, credentials] of [
        [nats.url, seedOf(stranger)],
        [operated.url, credsFile(issued.jwt, seedOf(stranger))],
        [operated.url, seedOf(user)],
      ] as const) {
        const refused = open(url, { credentials })
        await until(() => refused.logged.length > 0)
        await pause(2500)
        refused.logged.length.should.equal(1, refused.logged.join('\n'))
        refused.logged[0]!.should.match(/^warn: .*\(Authorization Violation|AUTHENTICATION/)
        refused.logged[0]!.should.not.containEql(credentials)
        refused.logged[0]!.should.not.match(/SU[A-Z2-7]{20}|eyJ/)
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
      const since = other.link.since
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
      should(other.link.since).equal(since)
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
      await until(() => one.link.isUp && other.link.isUp, 'the cluster', 60_000)
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
          60_000,
        )
        revision = confirmed!
        await until(() => now.get('slot.1') === `without ${nats.port}`, 'the watch', 60_000)
        await nats.start()
        // A cluster that has not caught up has no two servers left after the next one.
        await until(async () => (await inSync(nats.url)) === 3, 'three that are equal', 60_000)
      }
    })
  })

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
      ending.push(() => reader.close())
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
      const nats = await server()
      const [one, other] = [open(nats.url), open(nats.url)]
      await isUp(one, other)
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
      const nats = await server()
      const [one, other] = [open(nats.url), open(nats.url)]
      await isUp(one, other)
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
      ending.push(() => connection.close())
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
      ending.push(() => connection.close())
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
