import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { Kvm } from '@nats-io/kv'
import { nkeys } from '@nats-io/transport-node'
import type { Engine } from '../../client/fleet/nats/engine'
import type { EngineOptions } from '../../client/fleet/nats/options'
import type { RecordWatch } from '../../client/fleet/types'
import { Stop } from '../../client/stop'
import { newCertificate, selfSignedCertificate } from '../support/certificate'
import { TTL, isDown, isUp, open, server, engines, wired } from '../support/engines'
import { errorOf } from '../support/errors'
import { afterThisTest } from '../support/hooks'
import { startCluster, startWire, withNats, type NatsOptions } from '../support/nats'
import { listen } from '../support/scripted-appliance'
import { pause, until } from '../support/until'

type KeyPair = ReturnType<typeof nkeys.createUser>

/** A user of a new account of a new operator, as `nsc` makes them. */
function issue(user: KeyPair): { jwt: string; operator: NonNullable<NatsOptions['operator']> } {
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

  interface Watched {
    /** What the present watch knows. */
    readonly now: Map<string, string>
    readonly all: string[]
    readonly ready: () => number
    /** Of each watch that has ended: whether the engine had lost records. */
    readonly ends: boolean[]
  }

  /** Watches, and begins again whenever a watch ends. */
  function watched({ store, link }: Engine): Watched {
    const now = new Map<string, string>()
    const all: string[] = []
    const ends: boolean[] = []
    let ready = 0
    const stop = new Stop()
    afterThisTest(() => stop.now())
    const begin = async (): Promise<void> => {
      now.clear()
      const over = new Stop()
      stop.onStop(() => over.now())
      const watch: RecordWatch = {
        onEntry(key, entry) {
          all.push(`${key}=${entry?.value ?? ''}`)
          if (entry) now.set(key, entry.value)
          else now.delete(key)
        },
        onReady: () => ready++,
      }
      ends.push(await store.watch(watch, over).catch(() => false))
      await until(() => stop.stopped || link.isUp, 'the connection', 60_000)
      if (!stop.stopped) await begin()
    }
    void begin()
    return { now, all, ready: () => ready, ends }
  }

  const serverIdOf = ({ link }: Engine): string | undefined => link.connection?.info?.server_id

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
      refusal({ servers: 'http://host' }).should.match(/^The engine must be an address/)
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
      should(refused.link.reason).match(/Authorization Violation/)
      const admitted = open(nats.url, { user: 'fleet', password: 'right' })
      await isUp(admitted)
      should(admitted.link.reason).be.undefined()
    })

    it('says that it was closed where a server hangs up', async () => {
      const rude = createServer((socket) => socket.destroy())
      afterThisTest(() => rude.close())
      const { logged, link } = open(`nats://127.0.0.1:${await listen(rude)}`)
      await until(() => logged.length > 0)
      logged[0]!.should.containEql('cannot be reached (closed). It is tried again.')
      link.isUp.should.be.false()
      should(link.reason).equal('closed')
    })

    it('is encrypted with tls://, to a server whose certificate is the right one', async () => {
      const [certificate, other] = [await selfSignedCertificate(), await selfSignedCertificate()]
      const account = { user: 'fleet', password: 'geheim' }
      const nats = await server({ ...account, certificate })
      const plain = await server(account)
      const elsewhere = await startWire(nats.port, '127.0.0.2')
      afterThisTest(() => elsewhere.stop())
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
        [
          { ...named, ca: other.cert },
          /(UNABLE_TO_VERIFY|SELF_SIGNED)\w*: check its certificate and Engine TLS/,
        ],
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
      const { nats, wire } = await wired()
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
      const { one, other } = await engines(2)
      should(await one.store.get('slot.1')).be.undefined()
      const results = await Promise.all([
        one.store.put('slot.1', 'one', 0),
        other.store.put('slot.1', 'other', 0),
      ])
      results.filter((revision) => revision !== undefined).length.should.equal(1)
      const { revision } = (await other.store.get('slot.1'))!
      const next = (await one.store.put('slot.1', 'two', revision))!
      next.should.be.above(revision)
      should(await other.store.put('slot.1', 'three', revision)).be.undefined()
      should(await other.store.get('slot.1')).eql({ value: 'two', revision: next })
    })

    it('lets one of many win, each time', async () => {
      const nats = await server()
      const racing = [open(nats.url), open(nats.url), open(nats.url)]
      await isUp(...racing)
      let revision = (await racing[0]!.store.put('slot.1', '0', 0))!
      for (let round = 1; round <= 100; round++) {
        const won = await Promise.all(
          racing.map(({ store }) => store.put('slot.1', `${round}`, revision)),
        )
        const revisions = won.filter((each) => each !== undefined)
        revisions.length.should.equal(1)
        revision = revisions[0]!
      }
    })

    it('is created by several instances at the same moment, without a warning', async () => {
      // Of eight instances, one in a hundred is refused.
      for (let servers = 0; servers < 3; servers++) {
        const { url } = await server()
        const all = Array.from({ length: 200 }, (_, place) =>
          open(url, { fleet: `fleet-${place % 25}`, ttlMs: 20_000 }),
        )
        await isUp(...all)
        all.flatMap(({ logged }) => logged).should.eql([])
        await Promise.all(all.map((each) => each.close()))
      }
    })

    it('rejects when the engine does not respond, and does not take that for another revision', async () => {
      const { wire } = await wired()
      const engine = open(wire.url)
      await isUp(engine)
      const revision = (await engine.store.put('slot.1', 'one', 0))!
      wire.cutAnswers()
      for (const work of [
        engine.store.get('slot.1'),
        engine.store.put('slot.2', 'one', 0),
        engine.store.put('slot.1', 'two', revision),
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
      const { nats, one, other } = await engines(2)
      for (let slot = 0; slot < 256; slot++) await one.store.put(`slot.${slot}`, 'free', 0)
      const { now, ready } = watched(other)
      await until(() => ready() === 1)
      now.size.should.equal(256)
      await one.store.put('member.1', 'here', 0)
      await until(() => now.get('member.1') === 'here')
      const empty = open(nats.url, { fleet: 'empty' })
      await isUp(empty)
      const nothing = watched(empty)
      await until(() => nothing.ready() === 1)
      nothing.all.should.eql([])
    })

    it('is ready with all records, also where they change while the watch begins', async () => {
      const { one, other } = await engines(2)
      const revisions = new Map<string, number>()
      for (let slot = 0; slot < 256; slot++) {
        revisions.set(`slot.${slot}`, (await one.store.put(`slot.${slot}`, 'free', 0))!)
      }
      const stop = new Stop()
      afterThisTest(() => stop.now())
      const changes = async (): Promise<void> => {
        for (let slot = 0; !stop.stopped; slot = (slot + 61) % 256) {
          const key = `slot.${slot}`
          revisions.set(key, (await one.store.put(key, 'taken', revisions.get(key)!))!)
          // Another one that is there for a moment only.
          const moment = (await one.store.put('member.1', 'ended', 0))!
          await one.store.remove('member.1', moment)
        }
      }
      const changing = changes()
      const known: number[] = []
      for (let watches = 0; watches < 60; watches++) {
        const over = new Stop()
        const keys = new Set<string>()
        const onReady = (): void => {
          keys.delete('member.1')
          known.push(keys.size)
          over.now()
        }
        await other.store.watch({ onEntry: (key) => keys.add(key), onReady }, over)
      }
      stop.now()
      await changing
      known.should.have.length(60)
      Math.min(...known).should.equal(256)
    })

    it('uses a bucket that keeps former revisions too, as it is', async () => {
      const nats = await server()
      const maker = open(nats.url)
      await isUp(maker)
      const kept = await new Kvm(maker.link.connection!).create('media-gateway-kept', {
        history: 5,
        allow_direct: false,
      })
      for (const value of ['one', 'two']) await kept.put('slot.1', value)
      const engine = open(nats.url, { fleet: 'kept' })
      await isUp(engine)
      const { now, ready } = watched(engine)
      await until(() => ready() === 1)
      now.get('slot.1')!.should.equal('two')
    })

    it('knows what was written while it was cut off, and survives a kill of the server', async () => {
      const { nats, wire } = await wired()
      const [one, other] = [open(wire.url), open(nats.url)]
      await isUp(one, other)
      let revision = (await other.store.put('slot.1', '1', 0))!
      const { now } = watched(one)
      await until(() => now.get('slot.1') === '1')
      wire.cut()
      await isDown(one)
      revision = (await other.store.put('slot.1', '2', revision))!
      wire.mend()
      await until(() => now.get('slot.1') === '2')
      await nats.kill()
      await isDown(other)
      await nats.start()
      await isUp(one, other)
      await other.store.put('slot.1', '3', revision)
      await until(() => now.get('slot.1') === '3')
      nats.pause()
      await isDown(one)
      await isDown(other)
      nats.resume()
      await isUp(one, other)
      await other.store.put('slot.2', '1', 0)
      await until(() => now.get('slot.2') === '1')
    })

    it('begins anew on an engine that came back empty: what is gone is reported as gone', async () => {
      const { nats, one, other } = await engines(2)
      await one.store.put('slot.1', 'old', 0)
      await one.store.put('slot.2', 'old', 0)
      const { now, ready } = watched(other)
      await until(() => now.size === 2)
      const { latest } = other.store
      await nats.kill()
      await nats.start(true)
      await isUp(one, other)
      await one.store.put('slot.2', 'new', 0)
      await until(() => now.get('slot.2') === 'new' && !now.has('slot.1'))
      ready().should.equal(2)
      should(other.store.latest).be.above(latest)
    })

    it('notices a bucket that was removed under a connection that stays', async () => {
      const { nats, one, other } = await engines(2)
      const since = other.link.since
      for (let each = 0; each < 20; each++) await one.store.put(`slot.${each}`, 'old', 0)
      const { now, ends } = watched(other)
      await until(() => now.size === 20)
      const token = other.store.latest
      await removeBucket(nats.url, 'media-gateway-tests')
      // Whoever writes learns of it at once, though the record is made.
      const error = await errorOf(one.store.put('slot.1', 'new', 0))
      error.message.should.match(/records were lost/)
      await until(() => now.get('slot.1') === 'new' && now.size === 1)
      should(ends).eql([true])
      should(other.link.since).equal(since)
      should(other.store.latest).be.above(token)
    })

    it('deletes a record that has not changed, and leaves no mark of it', async () => {
      const nats = await server()
      const engine = open(nats.url)
      await isUp(engine)
      const old = (await engine.store.put('member.1', 'one', 0))!
      const present = (await engine.store.put('member.1', 'two', old))!
      const { now } = watched(engine)
      await until(() => now.size === 1)
      await engine.store.remove('member.1', old)
      should((await engine.store.get('member.1'))?.value).equal('two')
      await engine.store.remove('member.1', present)
      should(await engine.store.get('member.1')).be.undefined()
      // Nothing has moved for those who watch, and its key can be used again.
      should(now.get('member.1')).equal('two')
      should(await engine.store.put('member.1', 'three', 0)).equal(present + 1)
      const fresh = watched(engine)
      await until(() => fresh.ready() === 1)
      should([...fresh.now]).eql([['member.1', 'three']])
    })

    it('works on with two of three servers', async () => {
      const servers = await startCluster()
      for (const each of servers) afterThisTest(() => each.remove())
      const all = servers.map(({ url }) => url).join(',')
      const [one, other] = [open(all, { replicas: 3 }), open(all, { replicas: 3 })]
      await until(() => one.link.isUp && other.link.isUp, 'the cluster', 60_000)
      const { now } = watched(other)
      let revision = (await one.store.put('slot.1', '0', 0))!
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
              .put('slot.1', `without ${nats.port}`, entry.revision)
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
})

async function admin<T>(
  url: string,
  work: (kv: import('@nats-io/kv').KV) => Promise<T>,
  bucket = 'media-gateway-tests',
): Promise<T> {
  const { connect } = await import('@nats-io/transport-node')
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
