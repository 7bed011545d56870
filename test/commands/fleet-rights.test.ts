// The accounts and rights that docs/nats-accounts.conf and docs/fleet-events.md show, as a nats-server grants them: they are enough, each is
// needed, and they reach no other fleet.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { openLease, type Lease } from '../../client/fleet/lease'
import { openEngine, type Engine } from '../../client/fleet/nats/engine'
import { sealed } from '../../client/fleet/nats/wire'
import { SLOTS, slotOf } from '../../client/fleet/slots'
import { Stop } from '../../client/stop'
import {
  accountsOf,
  consumersRights,
  namedRights,
  ofFleet,
  readersSubjects,
} from '../support/fleet-rights'
import { afterThisTest } from '../support/hooks'
import { findNats, startNats, withNats, type NatsServer } from '../support/nats'
import { root } from '../support/root'
import { pause, until } from '../support/until'

const TTL = 3000
const PASSWORD = 'geheim'
const NAMES = Array.from({ length: 20 }, (_, index) => `site ${index}`)
const keyOf = (fleet: string): string => `the key of the fleet ${fleet}`

const named = namedRights

withNats('the rights on the engine', function () {
  this.timeout(60_000)
  const ending: Array<() => unknown> = []
  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end()
  })

  interface Instance {
    readonly engine: Engine
    readonly lease: Lease
    readonly logged: string[]
    readonly carriedOut: string[]
  }

  function open(nats: NatsServer, user: string, fleet: string): Instance {
    const logged: string[] = []
    const carriedOut: string[] = []
    const log = (level: string, text: string): void => void logged.push(`${level}: ${text}`)
    const engine = openEngine({
      servers: nats.url,
      fleet,
      key: keyOf(fleet),
      replicas: 1,
      ttlMs: TTL,
      user,
      password: PASSWORD,
      log,
    })
    const lease = openLease({
      engine,
      name: `instance ${ending.length}`,
      ttlMs: TTL,
      follower: {
        onTaken: () => undefined,
        onGiving: () => Promise.resolve(),
        inventory: () => undefined,
        carryOut({ appliance }) {
          carriedOut.push(appliance)
          return Promise.resolve('done')
        },
        onState: () => undefined,
        onEngine: () => undefined,
      },
      log,
    })
    ending.push(async () => {
      await lease.close()
      await engine.close()
    })
    return { engine, lease, logged, carriedOut }
  }

  const send = ({ lease }: Instance, appliance: string): Promise<unknown> =>
    lease.send({ appliance, slot: slotOf(appliance), writes: true, body: undefined })
  const ownedBy = ({ lease }: Instance): string[] =>
    NAMES.filter((name) => lease.owns(slotOf(name)))

  async function connected(nats: NatsServer, user: string): Promise<NatsConnection> {
    const connection = await connect({
      servers: nats.url,
      user,
      pass: PASSWORD,
      inboxPrefix: `media-gateway.${user}.reply`,
    })
    ending.push(() => connection.close())
    return connection
  }

  /** What it hears on these subjects from now on, and which of them it must not hear. */
  async function listener(
    connection: NatsConnection,
    wanted: readonly string[],
  ): Promise<{ subjects: string[]; refused: string[] }> {
    const subjects: string[] = []
    const refused: string[] = []
    for (const subject of wanted) {
      connection.subscribe(subject, {
        callback: (error, message) =>
          void (error ? refused.push(subject) : subjects.push(message.subject)),
      })
    }
    await connection.flush()
    return { subjects, refused }
  }

  it('are in a file that a server reads as it is', () => {
    const folder = mkdtempSync(join(tmpdir(), 'media-gateway-accounts-'))
    afterThisTest(() => rmSync(folder, { recursive: true }))
    const config = join(folder, 'nats.conf')
    copyFileSync(join(root, 'docs/nats-accounts.conf'), join(folder, 'nats-accounts.conf'))
    writeFileSync(
      config,
      `jetstream { store_dir: ${JSON.stringify(folder)} }\ninclude nats-accounts.conf\n`,
    )
    const env = Object.fromEntries(
      ['NORTH', 'NORTH_READER', 'NORTH_ADMIN'].map((name) => [`${name}_PASSWORD`, PASSWORD]),
    )
    const { status, stderr } = spawnSync(findNats()!, ['-t', '-c', config], {
      env,
      encoding: 'utf8',
    })
    should(status).equal(0, stderr)
  })

  it('that the documentation shows are enough: to divide, to command, to gather, to come back, and to read', async () => {
    const fleet = 'oslo'
    should(readersSubjects).eql(
      ['event', 'state', 'owner'].map((kind) => `media-gateway.north.${kind}.>`),
    )
    const subscribe = readersSubjects.map((each) => each.replace('north', fleet))
    const nats = await startNats({ accounts: accountsOf([fleet], PASSWORD) })
    ending.push(() => nats.remove())
    const both = [open(nats, fleet, fleet), open(nats, fleet, fleet)] as const
    const [one, other] = both
    const divided = (): boolean =>
      both.every((each) => ownedBy(each).length > 0) &&
      ownedBy(one).length + ownedBy(other).length === NAMES.length

    for (const round of [1, 2]) {
      await until(divided, 'a division', 20_000)
      const secret = [`media-gateway.${fleet}.>`, '$KV.>']
      const reader = await connected(nats, 'oslo-reader')
      const { subjects, refused } = await listener(reader, [...subscribe, ...secret])
      const [theirs] = ownedBy(other) as [string]
      should(await send(one, theirs)).equal('done')
      other.carriedOut.should.eql(Array.from({ length: round }, () => theirs))
      const [published, shown] = [one.engine.gathering, other.engine.gathering]
      await published.publish('Oslo 1', { event: 'route.state' }, round)
      should(await published.show('Oslo 1', { round }, round)).be.true()
      should(await shown.show('Oslo 1', { round }, round - 1)).be.false()
      await published.beat('life', { appliances: 1 })
      await one.engine.memory.write('failover', 'Oslo 1', { round }, round)
      should(await other.engine.memory.read('failover', 'Oslo 1')).match({ memory: { round } })
      const gathered = ['event.Oslo=201.route.state', 'state.Oslo=201', 'owner.life']
      await until(() =>
        gathered.every((each) => subjects.includes(`media-gateway.${fleet}.${each}`)),
      )
      await until(() => refused.length === 2)
      refused.should.eql(secret)
      subjects.filter((each) => !/\.(event|state|owner)\./.test(each)).should.eql([])
      if (round === 2) break
      await nats.kill()
      await until(() => both.every(({ engine }) => !engine.link.isUp), 'the loss')
      await nats.start()
      await until(() => both.every(({ engine }) => engine.link.isUp), 'the return')
    }
    for (const { logged } of both) logged.join('\n').should.not.match(/no right|geheim/)
  })

  it('of a reader with consumers are enough to read what is, and to go on where it was', async () => {
    const fleet = 'oslo'
    const { publish, subscribe } = consumersRights
    const reading = [...readersSubjects.map((each) => each.replace('north', fleet)), ...subscribe]
    const nats = await startNats({
      users: [
        { user: fleet, password: PASSWORD, ...ofFleet(named, fleet) },
        { user: 'reader', password: PASSWORD, publish, subscribe: reading },
      ],
    })
    ending.push(() => nats.remove())
    const { engine } = open(nats, fleet, fleet)
    await until(() => engine.link.isUp, 'the engine')
    const { gathering } = engine
    for (const round of [1, 2]) await gathering.show('Oslo', { round }, round)
    await gathering.publish('Oslo', { event: 'route.state' }, 1)

    const connection = await connect({ servers: nats.url, user: 'reader', pass: PASSWORD })
    ending.push(() => connection.close())
    const { jetstream, jetstreamManager } = await import('@nats-io/jetstream')
    const manager = await jetstreamManager(connection)
    const stream = await manager.streams.find(`media-gateway.${fleet}.state.>`)
    const present = await jetstream(connection).consumers.get(stream, {
      filter_subjects: `media-gateway.${fleet}.state.>`,
      deliver_policy: 'last_per_subject',
    })
    should((await present.next({ expires: 2000 }))?.json()).match({ round: 2 })

    const durable = { durable_name: 'reader', filter_subject: `media-gateway.${fleet}.event.>` }
    await manager.consumers.add(stream, { ...durable, ack_policy: 'explicit' })
    const { consumers } = jetstream(connection)
    const first = await (await consumers.get(stream, 'reader')).next({ expires: 2000 })
    should(await first?.ackAck()).be.true()
    await gathering.publish('Oslo', { event: 'route.removed' }, 1)
    const next = await (await consumers.get(stream, 'reader')).next({ expires: 2000 })
    should(next?.json()).match({ event: 'route.removed' })
  })

  it('reach nothing of another fleet: neither to read, nor to command, nor to delete', async () => {
    const nats = await startNats({ accounts: accountsOf(['oslo', 'bergen'], PASSWORD) })
    ending.push(() => nats.remove())
    const [one, other] = [open(nats, 'oslo', 'oslo'), open(nats, 'oslo', 'oslo')]
    const theirs = open(nats, 'bergen', 'bergen')
    const all = (): boolean => ownedBy(one).length + ownedBy(other).length === NAMES.length
    await until(() => all() && ownedBy(one).length > 0 && ownedBy(other).length > 0, 'oslo', 20_000)
    await until(() => ownedBy(theirs).length === NAMES.length, 'bergen', 20_000)
    await one.engine.memory.write('failover', 'site 0', { held: true }, 1)

    const intruder = await connected(nats, 'bergen')
    const { subjects, refused } = await listener(intruder, [
      'media-gateway.>',
      'media-gateway.oslo.>',
      `media-gateway.oslo.command.${slotOf('site 0')}`,
      '$KV.media-gateway-oslo.>',
      '_INBOX.>',
      '>',
    ])
    await until(() => refused.length === 6)

    const answers: string[] = []
    const asked = async (subject: string, data: string | Uint8Array = ''): Promise<void> => {
      const answer = await intruder.request(subject, data, { timeout: 300 }).then(
        () => 'answered',
        () => 'nothing',
      )
      answers.push(answer)
    }
    for (const bucket of ['KV_media-gateway-oslo', 'KV_media-gateway-oslo-memory']) {
      await asked(`$JS.API.STREAM.INFO.${bucket}`)
      await asked(`$JS.API.STREAM.PURGE.${bucket}`)
      await asked(`$JS.API.STREAM.DELETE.${bucket}`)
      await asked(`$JS.API.STREAM.MSG.GET.${bucket}`, '{"last_by_subj":"$KV.media-gateway-oslo.>"}')
    }
    // Nor their own: the rights have no deletion.
    await asked('$JS.API.STREAM.DELETE.KV_media-gateway-bergen')
    await asked('$JS.API.STREAM.NAMES')
    await asked('$KV.media-gateway-oslo.member.x', 'x')
    // Even with the right key, and on each subject where somebody takes commands.
    for (let slot = 0; slot < SLOTS; slot += Math.ceil(SLOTS / 16)) {
      const subject = `media-gateway.oslo.command.${slot}`
      const reply = 'media-gateway.bergen.reply.x'
      intruder.publish(subject, sealed(keyOf('oslo'), { subject, reply }, {}), { reply })
    }
    answers.should.eql(Array.from({ length: answers.length }, () => 'nothing'))
    // Nor the response of the server itself, which no right of who asks holds back.
    intruder.publish('$JS.API.INFO', '', { reply: '$KV.media-gateway-oslo.x' })
    await intruder.flush()
    await pause(2 * TTL)
    should(all()).be.true()
    subjects.should.eql([])
    should(await one.engine.store.get('x')).be.undefined()
    const [name] = ownedBy(other) as [string]
    should(await send(one, name)).equal('done')
    should(other.carriedOut).eql([name])
    should(one.carriedOut).eql([])
    should(await other.engine.memory.read('failover', 'site 0')).match({ memory: { held: true } })
    for (const { logged } of [one, other]) logged.join('\n').should.not.match(/warn/)
  })

  it('are each needed, and the log names the one that is missing', async () => {
    const kinds = (['publish', 'subscribe'] as const).flatMap((kind) =>
      named[kind].map((subject) => ({ kind, subject })),
    )
    kinds.length.should.equal(16)
    const cases = kinds.map((each, place) => {
      const name = `fleet-${place}`
      const rights = { ...named, [each.kind]: named[each.kind].filter((s) => s !== each.subject) }
      return { ...each, name, rights: ofFleet(rights, name) }
    })
    const nats = await startNats({
      users: cases.map(({ name, rights }) => ({ user: name, password: PASSWORD, ...rights })),
    })
    ending.push(() => nats.remove())
    await Promise.all(
      cases.map(async ({ kind, subject, name }) => {
        const instance = open(nats, name, name)
        const { engine, logged } = instance
        const right = subject.replace('north', name).replace('CONSUMER.*', 'CONSUMER.CREATE')
        const missing = `The account of the fleet "${name}" on the engine has no right to ${kind} to "${right}".`
        const told = (): number => logged.filter((line) => line.includes(missing)).length
        for (let tried = 0; told() === 0 && tried < 100; tried++) {
          await until(() => engine.link.isUp, 'the connection', 500).catch(() => undefined)
          await engine.gathering.show('Oslo 1', {}, 1).catch(() => undefined)
          await engine.memory.write('failover', 'Oslo 1', {}, 1).catch(() => undefined)
          void send(instance, 'Oslo 1').catch(() => undefined)
          // So much that the engine waits until it is told that it arrives.
          const revisions = await Promise.all(
            Array.from({ length: 30 }, (_, part) =>
              engine.store.put(`large.${tried}-${part}`, 'a'.repeat(1e5), 0).catch(() => undefined),
            ),
          )
          const over = new Stop()
          ending.push(() => over.now())
          const watch = { onEntry: () => undefined, onReady: () => undefined }
          void engine.store.watch(watch, over).catch(() => undefined)
          await engine.store.get(`large.${tried}-0`).catch(() => undefined)
          await engine.store.remove(`large.${tried}-0`, revisions[0] ?? 0).catch(() => undefined)
        }
        told().should.equal(1, `${kind} ${subject}: ${logged.join('\n')}`)
        logged
          .filter((line) => /no right/.test(line) && !line.includes(`right to ${kind} to`))
          .should.eql([])
        logged.join('\n').should.not.match(new RegExp(PASSWORD))
      }),
    )
  })
})
