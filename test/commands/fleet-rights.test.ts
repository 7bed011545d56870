// The rights that docs/fleets.md names, as a nats-server grants them: they are enough, and each is needed.
import { connect as connectNats } from '@nats-io/transport-node'
import should from 'should'
import { openLease, type Lease } from '../../client/fleet/lease'
import { openEngine, type Engine } from '../../client/fleet/nats/engine'
import { namedRights, ofFleet, subjectsIn } from '../support/fleet-rights'
import { startNats, withNats, type NatsServer } from '../support/nats'
import { until } from '../support/until'

const TTL = 2000
const PASSWORD = 'geheim'
const NAMES = Array.from({ length: 20 }, (_, index) => `site ${index}`)

const named = namedRights
const reading = subjectsIn('- Commands contain what the message contains')

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
    lease.send({ appliance, once: true, writes: true, body: undefined })

  it('that the documentation names are enough: to divide, to command, to gather, to come back, and to read', async () => {
    reading.should.eql(['media-gateway.>'])
    const fleet = 'oslo'
    const nats = await startNats({
      users: [
        { user: 'fleet', password: PASSWORD, ...ofFleet(named, fleet) },
        { user: 'reader', password: PASSWORD, publish: [], subscribe: reading },
      ],
    })
    ending.push(() => nats.remove())
    const both = [open(nats, 'fleet', fleet), open(nats, 'fleet', fleet)] as const
    const [one, other] = both
    const ownedBy = ({ lease }: Instance): string[] => NAMES.filter((name) => lease.owns(name))
    const divided = (): boolean =>
      both.every((each) => ownedBy(each).length > 0) &&
      ownedBy(one).length + ownedBy(other).length === NAMES.length

    const subjects: string[] = []
    const refused: string[] = []
    async function read(): Promise<void> {
      const reader = await connectNats({ servers: nats.url, user: 'reader', pass: PASSWORD })
      ending.push(() => reader.close())
      for (const subject of ['media-gateway.>', `media-gateway-commands.${fleet}.>`, '$KV.>']) {
        reader.subscribe(subject, {
          callback: (error, message) =>
            void (error ? refused.push(subject) : subjects.push(message.subject)),
        })
      }
      await reader.flush()
    }
    for (const round of [1, 2]) {
      await until(divided, 'a division', 20_000)
      await read()
      const [theirs] = ownedBy(other) as [string]
      should(await send(one, theirs)).equal('done')
      other.carriedOut.should.eql(Array.from({ length: round }, () => theirs))
      const [published, shown] = [one.engine.gathering(), other.engine.gathering()]
      await published.publish('Oslo 1', { event: 'route.state' }, round)
      should(await published.show('Oslo 1', { round }, round)).be.true()
      should(await shown.show('Oslo 1', { round }, round - 1)).be.false()
      await published.beat('life', { appliances: 1 })
      const gathered = ['event.Oslo=201.route.state', 'state.Oslo=201', 'owner.life']
      await until(() =>
        gathered.every((each) => subjects.includes(`media-gateway.${fleet}.${each}`)),
      )
      await until(() => refused.length === 2)
      refused.splice(0).should.eql([`media-gateway-commands.${fleet}.>`, '$KV.>'])
      subjects
        .splice(0)
        .filter((each) => !each.startsWith('media-gateway.'))
        .should.eql([])
      if (round === 2) break
      await nats.kill()
      await until(() => both.every(({ engine }) => !engine.link.isUp), 'the loss')
      await nats.start()
      await until(() => both.every(({ engine }) => engine.link.isUp), 'the return')
    }
    for (const { logged } of both) logged.join('\n').should.not.match(/no right|geheim/)
  })

  it('are each needed, and the log names the one that is missing', async () => {
    const kinds = (['publish', 'subscribe'] as const).flatMap((kind) =>
      named[kind].map((subject) => ({ kind, subject })),
    )
    kinds.length.should.be.above(8)
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
        const missing = `The account of the fleet "${name}" on the engine has no right to ${kind} to "${subject
          .replace('<fleet>', name)
          .replace(/^(media-gateway.*)\.>$/, `$1.${name}.>`)}".`
        const told = (): number => logged.filter((line) => line.includes(missing)).length
        for (let tried = 0; told() === 0 && tried < 20; tried++) {
          await until(() => engine.link.isUp, 'the connection', 500).catch(() => undefined)
          await engine
            .gathering()
            .show('Oslo 1', {}, 1)
            .catch(() => undefined)
          await engine.memory.write('failover', 'Oslo 1', {}, 1).catch(() => undefined)
          void send(instance, 'Oslo 1').catch(() => undefined)
          // So much that the engine waits until it is told that it arrives.
          await Promise.all(
            Array.from({ length: 30 }, (_, part) =>
              engine.store.create(`large.${tried}-${part}`, 'a'.repeat(1e5)).catch(() => undefined),
            ),
          )
          ending.push(
            await engine.store.watch({
              onEntry: () => undefined,
              onReady: () => undefined,
              onEnd: () => undefined,
            }),
          )
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
