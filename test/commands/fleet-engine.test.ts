import { fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
import should from 'should'
import { GatewayError, invalidInput, say } from '../../client/errors'
import { openEngine, type Engine } from '../../client/fleet/nats/engine'
import type { EngineOptions } from '../../client/fleet/nats/options'
import type { Pace } from '../../client/fleet/nats/sender'
import type { Command } from '../../client/fleet/types'
import { Stop } from '../../client/stop'
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

  function open(servers: string, options: Partial<EngineOptions> = {}, pace?: Pace): Opened {
    const logged: string[] = []
    const engine = openEngine(
      {
        servers,
        fleet: 'tests',
        replicas: 1,
        ttlMs: TTL,
        log: (level, text) => logged.push(`${level}: ${text}`),
        ...options,
      },
      pace,
    )
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

  describe('its commands', () => {
    const PACE = { repeat: 100, sign: 200, silence: 1500 }
    const command = (about: Partial<Command> = {}): Command => ({
      id: randomUUID(),
      appliance: 'Oslo 1',
      once: true,
      writes: true,
      body: undefined,
      ...about,
    })
    const all = (): boolean => true

    /** A sender, and two owners of which the first can be cut off. */
    async function threeEngines() {
      const nats = await server()
      const wire = await startWire(nats.port)
      ending.push(() => wire.stop())
      const one = open(nats.url, {}, PACE)
      const other = open(wire.url, {}, PACE)
      const third = open(nats.url, {}, PACE)
      await isUp(one, other, third)
      return { wire, one, other, third }
    }

    /** Serves and notes what was carried out. */
    async function owner(
      engine: Engine,
      owns: (appliance: string) => boolean,
      carryOut: (command: Command) => unknown = () => 'done',
    ): Promise<Command[]> {
      const carriedOut: Command[] = []
      const end = await engine.commands.serve(owns, async (each) => {
        carriedOut.push(each)
        return carryOut(each)
      })
      ending.push(end)
      return carriedOut
    }

    it('are carried out by the owner, whatever the name of the appliance, and answered', async () => {
      const nats = await server()
      const [one, other, third] = [open(nats.url), open(nats.url), open(nats.url)]
      await isUp(one, other, third)
      const names = ['Oslo 1', 'a.b.*.>', 'München', '東京', '🎬'.repeat(100), ' ', '=']
      const mine = await owner(
        other,
        (name) => names.includes(name),
        ({ body }) => body,
      )
      const theirs = await owner(third, (name) => !names.includes(name))
      const body = { bytes: Buffer.from([0, 255, 10]), $bytes: 'none', list: [1, null, 'ü'] }
      for (const appliance of names) {
        for (const writes of [true, false]) {
          const answer = await one.commands.send(command({ appliance, writes, body }), {
            waitMs: 5000,
          })
          should(answer).eql(body)
        }
      }
      mine.map(({ appliance }) => appliance).should.eql(names.flatMap((name) => [name, name]))
      theirs.should.eql([])
    })

    it('bring large things there and back: 5,000 routes, and what does not compress', async () => {
      const nats = await server({ maxPayload: 65_536 })
      const [one, other] = [open(nats.url), open(nats.url)]
      await isUp(one, other)
      await owner(other, all, ({ body }) => body)
      const routes = Array.from({ length: 5000 }, (_, id) => ({
        id: randomUUID(),
        name: `Route ${id}`,
        destinations: [{ id: randomUUID(), port: 5000 + id }],
      }))
      for (const body of [routes, randomBytes(1_000_000)]) {
        for (const writes of [true, false]) {
          const sent = command({ writes, body })
          should(await one.commands.send(sent, { waitMs: 5000 })).eql(body)
        }
      }
    })

    it('fail with the same error as on the owner', async () => {
      const nats = await server()
      const [one, other] = [open(nats.url), open(nats.url)]
      await isUp(one, other)
      const failures = [
        invalidInput([{ path: 'port', problem: 'must be a number' }], 'update-route'),
        new GatewayError('UNAVAILABLE', say('refused'), { reason: 'ECONNREFUSED' }),
        new GatewayError('REJECTED', say('rejected', { status: 400 }), {
          statusCode: 400,
          gateway: { id: 'g1', name: 'Oslo' },
          applied: 'yes',
        }),
      ]
      for (const failure of failures) {
        const end = await other.commands.serve(all, () => Promise.reject(failure))
        const error = await errorOf(one.commands.send(command(), { waitMs: 5000 }))
        error.should.be.instanceof(GatewayError)
        should(error.message).equal(failure.message)
        should(error.cause).eql(failure.cause)
        should(error.sentences).eql(failure.sentences)
        await end()
      }
      await owner(other, all, () => {
        throw new TypeError('a fault of ours')
      })
      const error = await errorOf(one.commands.send(command(), { waitMs: 5000 }))
      should(error).have.property('code', 'BAD_RESPONSE')
      should(error.cause.applied).equal('maybe')
    })

    it('are refused before anything is sent if they cannot be', async () => {
      const nats = await server()
      const [one, other] = [open(nats.url), open(nats.url)]
      await isUp(one, other)
      const carriedOut = await owner(other, all)
      const round: { self?: unknown } = {}
      round.self = round
      const error = await errorOf(one.commands.send(command({ body: round }), { waitMs: 1000 }))
      error.code.should.equal('INVALID_INPUT')
      carriedOut.should.eql([])
    })

    it('wait until somebody owns the appliance', async () => {
      const nats = await server()
      const [one, other] = [open(nats.url), open(nats.url)]
      await isUp(one, other)
      const sent = one.commands.send(command(), { waitMs: 10_000 })
      await pause(700)
      const carriedOut = await owner(other, all)
      should(await sent).equal('done')
      carriedOut.length.should.equal(1)
    })

    it('begin in the order in which they were sent, also when they had to wait for an owner', async () => {
      const nats = await server()
      const [one, other] = [open(nats.url, {}, PACE), open(nats.url, {}, PACE)]
      await isUp(one, other)
      // The larger one takes longer to be packed.
      const bodies = ['x'.repeat(2_000_000), 'second', 'third']
      const sent = bodies.map((body) => command({ once: false, body }))
      const answers = sent.map((each) => one.commands.send(each, { waitMs: 10_000 }))
      await pause(250)
      const carriedOut = await owner(other, all, () => pause(20))
      await Promise.all(answers)
      carriedOut.map(({ id }) => id).should.eql(sent.map(({ id }) => id))
    })

    it('are carried out by nobody once their sender was told so', async () => {
      const nats = await server()
      const [one, other] = [open(nats.url, {}, PACE), open(nats.url, {}, PACE)]
      await isUp(one, other)
      const late = command()
      const error = await errorOf(one.commands.send(late, { waitMs: 500 }))
      error.code.should.equal('UNAVAILABLE')
      should(error.cause.applied).equal('no')
      const carriedOut = await owner(other, all)
      // A message of it that was on its way so long.
      const again = await errorOf(one.commands.send(late, { waitMs: 700 }))
      again.code.should.equal('UNAVAILABLE')
      carriedOut.should.eql([])
    })

    it('fail as not carried out without an engine, and when their sender is stopped before', async () => {
      const nats = await server()
      const one = open(nats.url)
      await isUp(one)
      await nats.kill()
      await isDown(one)
      const error = await errorOf(one.commands.send(command(), { waitMs: 300 }))
      error.code.should.equal('UNAVAILABLE')
      should(error.cause.applied).equal('no')
      const stop = new Stop()
      const stopped = errorOf(one.commands.send(command(), { waitMs: 60_000, stop }))
      stop.now()
      should(await stopped).have.property('code', 'CLOSED')
      should((await stopped).cause.applied).equal('no')
    })

    it('that the engine does not take fail with its reason, though somebody owns the appliance', async () => {
      const account = { user: 'fleet', password: 'right' }
      const rights = { publish: ['>'], subscribe: ['>'] }
      const refused = ['$KV.media-gateway-tests-commands.>']
      const nats = await server({ users: [{ ...account, ...rights, refused }] })
      const [one, other] = [open(nats.url, account), open(nats.url, account)]
      await isUp(one, other)
      const carriedOut = await owner(other, () => true)
      const error = await errorOf(one.commands.send(command(), { waitMs: 1500 }))
      error.code.should.equal('UNAVAILABLE')
      error.message.should.match(/does not take the command for appliance "Oslo.*\(.+\)/)
      should(error.cause.applied).equal('no')
      carriedOut.should.eql([])
    })

    it('may have been made when their sender is stopped after', async () => {
      const nats = await server()
      const [one, other] = [open(nats.url), open(nats.url)]
      await isUp(one, other)
      const carriedOut = await owner(other, all, () => pause(2000))
      const stop = new Stop()
      const stopped = errorOf(one.commands.send(command(), { waitMs: 60_000, stop }))
      await until(() => carriedOut.length === 1)
      stop.now()
      should(await stopped).have.property('code', 'CLOSED')
      should((await stopped).cause.applied).equal('maybe')
    })

    it('may take longer than any silence', async () => {
      const nats = await server()
      const [one, other] = [open(nats.url, {}, PACE), open(nats.url, {}, PACE)]
      await isUp(one, other)
      const carriedOut = await owner(other, all, () => pause(4000).then(() => 'at last'))
      should(await one.commands.send(command(), { waitMs: 500 })).equal('at last')
      should(await one.commands.send(command({ writes: false }), { waitMs: 500 })).equal('at last')
      carriedOut.length.should.equal(2)
    })

    it('are carried out once, however often they come, and answered the same each time', async () => {
      const nats = await server()
      const [one, other, third] = [open(nats.url), open(nats.url), open(nats.url)]
      await isUp(one, other, third)
      let count = 0
      const carriedOut = await owner(other, all, () => pause(300).then(() => ++count))
      const repeated = command()
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => one.commands.send(repeated, { waitMs: 5000 })),
      )
      answers.push(await third.commands.send(repeated, { waitMs: 5000 }))
      answers.should.eql(answers.map(() => 1))
      carriedOut.length.should.equal(1)
    })

    it('are carried out once when answers get lost, and their sender gets one all the same', async () => {
      const nats = await server()
      const wire = await startWire(nats.port)
      ending.push(() => wire.stop())
      const [one, other] = [open(wire.url, {}, PACE), open(nats.url, {}, PACE)]
      await isUp(one, other)
      const carriedOut = await owner(other, all, () => pause(200).then(() => 'done'))
      for (let round = 0; round < 5; round++) {
        const sent = one.commands.send(command(), { waitMs: 20_000 })
        await until(() => carriedOut.length === round + 1)
        wire.cutAnswers()
        await isDown(one)
        wire.mend()
        should(await sent).equal('done')
        await isUp(one)
      }
      carriedOut.length.should.equal(5)
    })

    it('go to the next owner when the first is not it any more', async () => {
      const nats = await server()
      const [one, other, third] = [open(nats.url), open(nats.url), open(nats.url)]
      await isUp(one, other, third)
      for (const writes of [true, false]) {
        const appliance = `writes ${writes}`
        let isFirst = true
        const first = await owner(
          other,
          (name) => name === appliance && isFirst,
          () => {
            isFirst = false
            throw new GatewayError('UNAVAILABLE', 'Not the owner any more.')
          },
        )
        const second = await owner(third, (name) => name === appliance && !isFirst)
        const sent = command({ appliance, writes })
        should(await one.commands.send(sent, { waitMs: 5000 })).equal('done')
        first.length.should.equal(1)
        second.length.should.equal(1)
      }
    })

    it('go to the next owner when the first cannot prove any more that it is the owner', async () => {
      const nats = await server()
      const [one, other, third] = [open(nats.url), open(nats.url), open(nats.url)]
      await isUp(one, other, third)
      let isFirst = true
      const first = await owner(
        other,
        () => isFirst,
        () => {
          setTimeout(() => (isFirst = false), 50)
          throw new GatewayError('UNAVAILABLE', say('notOwned'))
        },
      )
      const second = await owner(third, () => !isFirst)
      should(await one.commands.send(command(), { waitMs: 5000 })).equal('done')
      first.length.should.equal(1)
      second.length.should.equal(1)
    })

    it('in doubt when the owner is cut off: repeated only if that does no harm', async () => {
      const { wire, one, other, third } = await threeEngines()
      let isFirst = true
      const first = await owner(
        other,
        () => isFirst,
        () => pause(5000),
      )
      const sent = [true, false].map((once) => command({ once }))
      const answers = sent.map((each) => one.commands.send(each, { waitMs: 10_000 }))
      const doubtful = errorOf(answers[0]!)
      await until(() => first.length === 2)
      wire.cut()
      isFirst = false
      const second = await owner(third, () => !isFirst)
      const error = await doubtful
      error.code.should.equal('OUTCOME_UNKNOWN')
      should(error.cause.applied).equal('maybe')
      should(await answers[1]).equal('done')
      second.map(({ id }) => id).should.eql([sent[1]!.id])
    })

    it('in doubt are not repeated after a later change of the same appliance', async () => {
      const { wire, one, other, third } = await threeEngines()
      let isFirst = true
      const first = await owner(
        other,
        () => isFirst,
        () => pause(5000),
      )
      const [stopping, starting] = [command({ once: false }), command({ once: false })]
      const doubtful = errorOf(one.commands.send(stopping, { waitMs: 10_000 }))
      await until(() => first.length === 1)
      wire.cut()
      isFirst = false
      const second = await owner(third, () => !isFirst)
      should(await one.commands.send(starting, { waitMs: 10_000 })).equal('done')
      const error = await doubtful
      error.code.should.equal('OUTCOME_UNKNOWN')
      should(error.cause.applied).equal('maybe')
      second.map(({ id }) => id).should.eql([starting.id])
    })

    it('are not said to have changed nothing when an earlier owner may have carried them out', async () => {
      const refusals = {
        'it is left to nobody': new GatewayError('UNAVAILABLE', say('notOwned')),
        'the appliance does not respond': new GatewayError('TIMEOUT', 'No connection.'),
      }
      for (const [why, refusal] of Object.entries(refusals)) {
        const nats = await server()
        const wire = await startWire(nats.port)
        ending.push(() => wire.stop())
        const one = open(nats.url, {}, PACE)
        const other = open(wire.url, {}, PACE)
        const third = open(nats.url, {}, PACE)
        await isUp(one, other, third)
        let isFirst = true
        const first = await owner(
          other,
          () => isFirst,
          () => pause(5000),
        )
        const answer = errorOf(one.commands.send(command({ once: false }), { waitMs: 3000 }))
        await until(() => first.length === 1)
        wire.cut()
        isFirst = false
        let owns = true
        await owner(
          third,
          () => owns,
          () => {
            owns = false
            throw refusal
          },
        )
        const error = await answer
        should(error.cause.applied).equal('maybe', why)
        error.message.should.not.containEql('Nothing was changed')
      }
    })

    it('are carried out by nobody whose record an empty engine has lost', async () => {
      const nats = await server()
      const [one, other] = [open(nats.url, {}, PACE), open(nats.url, {}, PACE)]
      await isUp(one, other)
      let isOwned = false
      const carriedOut = await owner(other, () => isOwned)
      const doubtful = errorOf(one.commands.send(command(), { waitMs: 6000 }))
      await pause(300)
      await nats.kill()
      await nats.start(true)
      await isUp(one, other)
      isOwned = true
      should(await doubtful).have.property('code', 'OUTCOME_UNKNOWN')
      carriedOut.should.eql([])
    })

    it('a thousand, with the owner killed in the middle: each at most once, each answered or in doubt', async () => {
      const nats = await server()
      const folder = mkdtempSync(join(tmpdir(), 'media-gateway-fleet-'))
      ending.push(() => rmSync(folder, { recursive: true, force: true }))
      const journal = join(folder, 'journal')
      writeFileSync(journal, '')
      const first = fork(join(__dirname, '../support/fleet-owner.js'), [nats.url, journal, '1500'])
      const gone = new Promise((resolve) => first.once('exit', resolve))
      ending.push(() => first.kill('SIGKILL'))
      const [one, other] = [open(nats.url, {}, PACE), open(nats.url, {}, PACE)]
      await isUp(one, other)
      await new Promise((resolve) => first.once('message', resolve))
      const begun = (): string[] => readFileSync(journal, 'utf8').split('\n').filter(Boolean)

      let isOwner = false
      const second = await owner(
        other,
        () => isOwner,
        () => ({ by: 'second' }),
      )
      const sent = Array.from({ length: 1000 }, (_, index) =>
        command({ appliance: `Oslo ${index}`, once: index % 2 === 0 }),
      )
      const outcomes = new Map<string, string>()
      const work = sent.map(async (each, index) => {
        await pause(index * 3)
        const outcome = await one.commands.send(each, { waitMs: 20_000 }).then(
          (answer) => (answer as { by: string }).by,
          ({ code }: GatewayError) => code as string,
        )
        outcomes.set(each.id, outcome)
      })
      await until(() => begun().length > 500)
      first.kill('SIGKILL')
      await gone
      await pause(1000)
      isOwner = true
      await Promise.all(work)

      const times = new Map<string, number>()
      for (const id of [...begun(), ...second.map(({ id: each }) => each)]) {
        times.set(id, (times.get(id) ?? 0) + 1)
      }
      const counts: Record<string, number> = {}
      for (const { id, once } of sent) {
        const outcome = outcomes.get(id)!
        counts[outcome] = (counts[outcome] ?? 0) + 1
        if (once) should(times.get(id) ?? 0).be.belowOrEqual(1)
        if (once) outcome.should.be.oneOf('first', 'second', 'OUTCOME_UNKNOWN')
        else outcome.should.be.oneOf('first', 'second')
        if (outcome !== 'OUTCOME_UNKNOWN') should(times.get(id)).be.aboveOrEqual(1)
      }
      for (const each of ['first', 'second', 'OUTCOME_UNKNOWN']) {
        should(counts[each]).be.above(10, JSON.stringify(counts))
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
      const gathering = engine.gathering()
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
      const [before, after] = [one.gathering(), other.gathering()]
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

    it('is the last beat of each owner, which says when the next one comes', async () => {
      const nats = await server()
      const engine = open(nats.url)
      await isUp(engine)
      const gathering = engine.gathering()
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
      const gathering = engine.gathering()
      should(await gathering.show('Oslo', { running: 1 }, 5)).be.true()
      await api('DELETE')
      await until(() => gathering.show('Oslo', { running: 2 }, 6).catch(() => false))
      should(await stateOf(nats, 'Oslo')).eql({ appliance: 'Oslo', running: 2, token: 6 })
    })

    it('replaces a state that is none', async () => {
      const nats = await server()
      const engine = open(nats.url)
      const gathering = engine.gathering()
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
