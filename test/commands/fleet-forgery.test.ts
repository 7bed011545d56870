// Commands and answers that somebody without the key of a fleet publishes on its engine.
import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node'
import { sealed, unsealed } from '../../client/fleet/nats/wire'
import { slotOf } from '../../client/fleet/slots'
import {
  ALL_SLOTS,
  KEY,
  command,
  engines,
  owner,
  type Opened,
  type Owner,
} from '../support/engines'
import { errorOf } from '../support/errors'
import { afterThisTest } from '../support/hooks'
import { withNats, type NatsServer } from '../support/nats'
import { until } from '../support/until'

const ROOT = 'media-gateway.tests'

withNats('the commands of a fleet, from somebody else on the engine', function () {
  this.timeout(60_000)

  interface Attacked {
    one: Opened
    other: Opened
    third: Opened
    mine: Owner
    nats: NatsServer
    raw: NatsConnection
    /** What was published below the subject of the fleet so far. */
    heard: Msg[]
    /** The life of the owner. */
    life: string
  }

  async function attacked(): Promise<Attacked> {
    const { nats, one, other, third } = await engines(3)
    const raw = await connect({ servers: nats.url })
    afterThisTest(() => raw.close())
    const heard: Msg[] = []
    raw.subscribe(`${ROOT}.>`, { callback: (_, each) => void heard.push(each) })
    await raw.flush()
    const mine = owner(other, ALL_SLOTS, ({ body }) => body)
    should(await one.commands.send(command({ body: 'once' }), { waitMs: 5000 })).equal('once')
    const taken = (): Msg | undefined =>
      heard.find(({ subject }) => subject.startsWith(`${ROOT}.instance.`))
    await until(() => taken() !== undefined, 'what it has heard')
    const life = taken()!.subject.split('.').at(-1)!
    return { one, other, third, mine, nats, raw, heard, life }
  }

  /** What the owner has done with all that was published before. */
  const settled = async ({ one, raw, mine }: Attacked): Promise<unknown[]> => {
    await raw.flush()
    await one.commands.send(command({ body: 'last' }), { waitMs: 5000 })
    return mine.carriedOut.map(({ body }) => body)
  }

  const refusals = ({ other }: Attacked): string[] =>
    other.logged.filter((line) => /was refused/.test(line))

  /** A command that is right in all, unless something of it is changed. */
  function message(
    { life }: Attacked,
    { at = performance.now(), key = KEY, subject = `${ROOT}.instance.${life}` } = {},
  ): { subject: string; reply: string; data: Buffer } {
    const place = { subject: `${ROOT}.instance.${life}`, reply: `${ROOT}.reply.x.1` }
    const head = { ...command({ from: 'nobody' }), id: randomUUID(), at }
    const data = sealed(key, { ...place, subject }, head, Buffer.from('{"value":"forged"}'))
    return { ...place, data }
  }

  const publish = (
    { raw }: Attacked,
    { subject, reply, data }: Pick<Msg, 'subject' | 'data' | 'reply'>,
  ): void => raw.publish(subject, data, reply === undefined || reply === '' ? {} : { reply })

  it('are carried out with the key of the fleet, on the clock of the owner', async () => {
    const scene = await attacked()
    publish(scene, message(scene))
    should(await settled(scene)).eql(['once', 'forged', 'last'])
    should(refusals(scene)).eql([])
    // Not where the slot has moved on.
    scene.mine.leave(ALL_SLOTS)
    owner(scene.third, ALL_SLOTS)
    publish(scene, message(scene))
    await scene.raw.flush()
    await scene.one.commands.send(command(), { waitMs: 5000 })
    should(scene.mine.carriedOut.length).equal(3)
  })

  it('do nothing without it: one line in the log, however many there are', async () => {
    const scene = await attacked()
    const { heard } = scene
    const slot = `${ROOT}.command.${slotOf('Oslo 1')}`
    const right = message(scene).data
    for (const data of [
      message(scene, { key: 'another key of the same length' }).data,
      message(scene, { subject: slot }).data,
      // Without the seal, changed after it, cut, and nothing.
      right.subarray(32),
      Buffer.concat([right.subarray(0, -2), Buffer.from('X}')]),
      right.subarray(0, 31),
      Buffer.of(),
      gzipSync(Buffer.alloc(50_000_000)),
    ]) {
      publish(scene, { ...message(scene), data })
      publish(scene, { ...message(scene), subject: slot, data })
    }
    publish(scene, { ...message(scene), reply: `${ROOT}.reply.y.1`, data: right })
    const answers = heard.length
    should(await settled(scene)).eql(['once', 'last'])
    refusals(scene).length.should.equal(1)
    refusals(scene)[0]!.should.match(/^warn: .*not signed with the fleet key/)
    should(refusals(scene).join().includes(KEY)).be.false()
    heard
      .slice(0, answers)
      .filter(({ subject }) => /reply\.[xy]\./.test(subject))
      .should.eql([])
  })

  it('do nothing when they are too old, or from the future', async () => {
    const scene = await attacked()
    for (const at of [-61_000, 120_000]) {
      publish(scene, message(scene, { at: performance.now() + at }))
    }
    publish(scene, message(scene, { at: Number.NaN }))
    should(await settled(scene)).eql(['once', 'last'])
    refusals(scene).length.should.equal(1)
    refusals(scene)[0]!.should.match(/too old/)
  })

  it('do nothing when they are sent again, to the same owner or to the next', async () => {
    const scene = await attacked()
    const { heard, mine, other, third, one } = scene
    const again = (to = ''): void => {
      for (const each of heard) {
        const subject = each.subject.replace(/(?<=instance\.).*/, (life) => to || life)
        publish(scene, { subject, reply: each.reply, data: each.data })
      }
    }
    again()
    should(await settled(scene)).eql(['once', 'last'])
    mine.leave(ALL_SLOTS)
    const next = owner(third, ALL_SLOTS)
    again()
    await one.commands.send(command({ body: 'to the next' }), { waitMs: 5000 })
    const { subject } = heard.findLast((each) => each.subject.includes('.instance.'))!
    again(subject.split('.').at(-1))
    await one.commands.send(command({ body: 'last of all' }), { waitMs: 5000 })
    should(next.carriedOut.map(({ body }) => body)).eql(['to the next', 'last of all'])
    should(mine.carriedOut.map(({ body }) => body)).eql(['once', 'last'])
    should(refusals({ ...scene, other })).eql([])
  })

  it('answer nothing to a sender: it waits for the answer with the key', async () => {
    const { nats, one } = await engines(2)
    const raw = await connect({ servers: nats.url })
    afterThisTest(() => raw.close())
    let offers = KEY
    const answer = (key: string, reply: string, head: object): void => {
      const bytes = Buffer.from('{"value":{"result":"forged"}}')
      raw.publish(reply, sealed(key, { subject: reply }, head, bytes))
    }
    raw.subscribe(`${ROOT}.command.>`, {
      callback: (_, { reply = '' }) => answer(offers, reply, { life: 'x', now: performance.now() }),
    })
    raw.subscribe(`${ROOT}.instance.x`, {
      callback: (_, { reply = '' }) => answer('another key', reply, { state: 'done', now: 0 }),
    })
    await raw.flush()
    const doubtful = await errorOf(one.commands.send(command(), { waitMs: 1000 }))
    doubtful.code.should.equal('OUTCOME_UNKNOWN')
    offers = 'another key'
    const error = await errorOf(one.commands.send(command(), { waitMs: 1000 }))
    error.code.should.equal('UNAVAILABLE')
  })

  it('become no more in memory than the limits allow', async () => {
    const scene = await attacked()
    const { life, mine } = scene
    const place = { subject: `${ROOT}.instance.${life}`, reply: `${ROOT}.reply.x.2` }
    const answers: unknown[] = []
    scene.raw.subscribe(place.reply, {
      callback: (_, { data, subject }) => {
        answers.push(unsealed(KEY, { subject }, data)?.head['state'])
      },
    })
    const text = `{"value":[${'{},'.repeat(600_000)}{}]}`
    for (const bytes of [gzipSync(Buffer.alloc(100_000_000)), gzipSync(text)]) {
      const head = { ...command(), id: randomUUID(), at: performance.now() }
      publish(scene, { ...place, data: sealed(KEY, place, head, bytes) })
    }
    should(await settled(scene)).eql(['once', 'last'])
    await until(() => answers.length === 2)
    mine.carriedOut.length.should.equal(2)
  })
})
