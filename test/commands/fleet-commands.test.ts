// Commands from one instance of a fleet to another, over a real nats-server.
import { fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@nats-io/transport-node'
import { GatewayError, closedError, invalidInput, say } from '../../client/errors'
import { sealed } from '../../client/fleet/nats/wire'
import { SLOTS, slotOf } from '../../client/fleet/slots'
import { Stop } from '../../client/stop'
import {
  ALL_SLOTS,
  KEY,
  command,
  engines,
  isBegun,
  isDown,
  isUp,
  open,
  owner,
  type Opened,
  wired,
} from '../support/engines'
import { errorOf } from '../support/errors'
import { afterThisTest } from '../support/hooks'
import { type NatsServer, type Wire, withNats } from '../support/nats'
import { pause, until } from '../support/until'

/** The owner has sent nothing: the appliance is not its own any more. */
const UNSENT = [new GatewayError('UNAVAILABLE', say('notOwned')), closedError()]

withNats('the commands of a fleet', function () {
  this.timeout(60_000)

  describe('reach the owner', () => {
    it('whatever the name of the appliance, and are answered', async () => {
      const { one, other, third } = await engines(3)
      const names = ['Oslo 1', 'a.b.*.>', 'München', '東京', '🎬'.repeat(100), ' ', '=']
      const slots = names.map(slotOf)
      const mine = owner(other, slots, ({ body }) => body)
      const theirs = owner(
        third,
        ALL_SLOTS.filter((slot) => !slots.includes(slot)),
      )
      const body = { text: '\0ÿ', list: [1, null, 'ü'] }
      for (const appliance of names) {
        for (const writes of [true, false]) {
          const sent = command({ appliance, writes, body })
          should(await one.commands.send(sent, { waitMs: 5000 })).eql(body)
          should(mine.carriedOut.at(-1)).eql(sent)
        }
      }
      mine.carriedOut.length.should.equal(2 * names.length)
      theirs.carriedOut.should.eql([])
    })

    it('of another slot than that of the name, where the appliance has one', async () => {
      const { one: first, other: second } = await engines(2)
      const slot = (slotOf('Oslo 1') + 1) % SLOTS
      const one = owner(first, [slotOf('Oslo 1')])
      const other = owner(second, [slot])
      await first.commands.send(command({ slot }), { waitMs: 5000 })
      ;[one.carriedOut.length, other.carriedOut.length].should.eql([0, 1])
    })

    it('with the same error as there', async () => {
      const { one, other } = await engines(2)
      const failures = [
        invalidInput([{ path: 'port', problem: 'must be a number' }]),
        new GatewayError('UNAVAILABLE', say('refused'), { reason: 'ECONNREFUSED' }),
        new GatewayError('REJECTED', say('rejected', { status: 400 }), {
          statusCode: 400,
          gateway: { id: 'g1', name: 'Oslo' },
          applied: 'yes',
        }),
      ]
      for (const failure of failures) {
        owner(other, ALL_SLOTS, () => Promise.reject(failure))
        const error = await errorOf(one.commands.send(command(), { waitMs: 5000 }))
        error.should.be.instanceof(GatewayError)
        should(error.message).equal(failure.message)
        should(error.cause).eql(failure.cause)
        should(error.sentences).eql(failure.sentences)
      }
      owner(other, ALL_SLOTS, () => {
        throw new TypeError('a fault of ours')
      })
      const error = await errorOf(one.commands.send(command(), { waitMs: 5000 }))
      should(error).have.property('code', 'BAD_RESPONSE')
      should(error.cause.applied).equal('maybe')
    })

    it('with 5,000 routes, there and back', async () => {
      const { one, other } = await engines(2)
      owner(other, ALL_SLOTS, ({ body }) => body)
      const routes = Array.from({ length: 5000 }, (_, id) => ({
        id: randomUUID(),
        name: `Route ${id}`,
        destinations: [{ id: randomUUID(), port: 5000 + id }],
      }))
      for (const writes of [true, false]) {
        const sent = command({ writes, body: routes })
        should(await one.commands.send(sent, { waitMs: 5000 })).eql(routes)
      }
    })

    it('and are refused before anything is sent where they cannot be', async () => {
      const { one, other } = await engines(2, { maxPayload: 65_536 })
      const { carriedOut } = owner(other, ALL_SLOTS)
      const round: { self?: unknown } = {}
      round.self = round
      for (const [body, why] of [
        [round, /circular/],
        [randomBytes(100_000), /\d{6} bytes.*engine takes 57344.*raise "max_payload"/],
      ] as const) {
        const error = await errorOf(one.commands.send(command({ body }), { waitMs: 1000 }))
        error.code.should.equal('INVALID_INPUT')
        error.message.should.match(why)
        should(error.cause.applied).equal('no')
      }
      carriedOut.should.eql([])
    })

    it('and fail where the result is too large to come back: a change was made then', async () => {
      const { one, other } = await engines(2, { maxPayload: 65_536 })
      const { carriedOut } = owner(other, ALL_SLOTS, () => randomBytes(100_000))
      for (const writes of [true, false]) {
        const error = await errorOf(one.commands.send(command({ writes }), { waitMs: 5000 }))
        error.code.should.equal('BAD_RESPONSE')
        error.message.should.match(/\d{6} bytes.*engine takes 57344.*raise "max_payload"/)
        should(/The change was made\./.test(error.message)).equal(writes)
        should(error.cause.applied).equal(writes ? 'yes' : 'no')
      }
      carriedOut.length.should.equal(2)
    })
  })

  describe('wait', () => {
    it('until somebody owns the appliance', async () => {
      const { one, other } = await engines(2)
      const sent = one.commands.send(command(), { waitMs: 10_000 })
      await pause(700)
      const { carriedOut } = owner(other, ALL_SLOTS)
      should(await sent).equal('done')
      carriedOut.length.should.equal(1)
    })

    it('and begin in the order in which they were sent', async () => {
      const { one, other } = await engines(2)
      // The larger one takes longer to be packed.
      const bodies = ['x'.repeat(2_000_000), 'second', 'third']
      const { carriedOut } = owner(other, ALL_SLOTS, () => pause(300))
      const answers = bodies.map((body) => one.commands.send(command({ body }), { waitMs: 10_000 }))
      await Promise.all(answers)
      should(carriedOut.map(({ body }) => body)).eql(bodies)
    })

    it('for the next owner where the first is not it any more', async () => {
      const { one, other, third } = await engines(3)
      const cases = [true, false].flatMap((writes) => UNSENT.map((error) => ({ writes, error })))
      for (const { writes, error } of cases) {
        const second = owner(third, [])
        const first = owner(other, ALL_SLOTS, () => {
          first.leave(ALL_SLOTS)
          setTimeout(() => second.take(ALL_SLOTS), 50)
          throw error
        })
        should(await one.commands.send(command({ writes }), { waitMs: 5000 })).equal('done')
        first.carriedOut.length.should.equal(1)
        second.carriedOut.length.should.equal(1)
        second.leave(ALL_SLOTS)
      }
    })

    it('for another owner where the one that was found is gone before it has got them', async () => {
      const { nats, one, other } = await engines(2)
      const raw = await connect({ servers: nats.url })
      afterThisTest(() => raw.close())
      let found = 0
      // As an owner that dies right after its answer.
      const dying = raw.subscribe('media-gateway.tests.command.>', {
        callback: (_, { reply = '' }) => {
          found++
          raw.publish(reply, sealed(KEY, { subject: reply }, { life: 'gone', now: 0 }))
        },
      })
      await raw.flush()
      const sent = one.commands.send(command(), { waitMs: 10_000 })
      await until(() => found === 3)
      dying.unsubscribe()
      await raw.flush()
      const { carriedOut } = owner(other, ALL_SLOTS)
      should(await sent).equal('done')
      carriedOut.length.should.equal(1)
    })

    it('for nothing longer than they may, and nobody carries them out afterwards', async () => {
      const { one, other } = await engines(2)
      const error = await errorOf(one.commands.send(command(), { waitMs: 500 }))
      error.code.should.equal('UNAVAILABLE')
      error.message.should.match(/No instance works for appliance "Oslo 1"/)
      should(error.cause.applied).equal('no')
      const { carriedOut } = owner(other, ALL_SLOTS)
      await pause(500)
      carriedOut.should.eql([])
    })

    it('without an engine, and until their sender is stopped', async () => {
      const { nats, one } = await engines(2)
      await nats.kill()
      await isDown(one)
      const error = await errorOf(one.commands.send(command(), { waitMs: 300 }))
      error.code.should.equal('UNAVAILABLE')
      error.message.should.match(/engine of the fleet cannot be reached/)
      should(error.cause.applied).equal('no')
      const stop = new Stop()
      const stopped = errorOf(one.commands.send(command(), { waitMs: 60_000, stop }))
      stop.now()
      should(await stopped).have.property('code', 'CLOSED')
      should((await stopped).cause.applied).equal('no')
    })
  })

  describe('are carried out once', () => {
    it('also where they take longer than any silence', async () => {
      const { one, other } = await engines(2)
      const { carriedOut } = owner(other, ALL_SLOTS, () => pause(4000).then(() => 'at last'))
      const answers = [true, false].map((writes) =>
        one.commands.send(command({ writes }), { waitMs: 500 }),
      )
      should(await Promise.all(answers)).eql(['at last', 'at last'])
      carriedOut.length.should.equal(2)
    })

    it('where answers get lost, and their sender gets one all the same', async () => {
      const { nats, wire } = await wired()
      const [one, other] = [open(wire.url), open(nats.url)]
      await isUp(one, other)
      const { carriedOut } = owner(other, ALL_SLOTS, () => pause(200).then(() => 'done'))
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

    it('where the config node of the owner is deployed again meanwhile', async () => {
      const { one, other } = await engines(2)
      const before = owner(other, ALL_SLOTS, () => pause(1000).then(() => 'by the former'))
      const sent = one.commands.send(command(), { waitMs: 5000 })
      await isBegun(before)
      before.leave(ALL_SLOTS)
      const closed = before.close()
      const after = owner(other, ALL_SLOTS)
      should(await sent).equal('by the former')
      await closed
      after.carriedOut.should.eql([])
      should(await one.commands.send(command(), { waitMs: 5000 })).equal('done')
    })

    it('and may have been when their sender is stopped after', async () => {
      const { one, other } = await engines(2)
      const first = owner(other, ALL_SLOTS, () => pause(1000))
      const stop = new Stop()
      const stopped = errorOf(one.commands.send(command(), { waitMs: 60_000, stop }))
      await isBegun(first)
      stop.now()
      should(await stopped).have.property('code', 'CLOSED')
      should((await stopped).cause.applied).equal('maybe')
    })
  })

  describe('that their owner has begun', () => {
    /** A sender, and two owners of which the first can be cut off. */
    async function withWire(): Promise<{ wire: Wire; all: [Opened, Opened, Opened] }> {
      const { nats, wire } = await wired()
      const all: [Opened, Opened, Opened] = [open(nats.url), open(wire.url), open(nats.url)]
      await isUp(...all)
      return { wire, all }
    }

    it('are in doubt when it is cut off: changes are not repeated, and reads are', async () => {
      const { wire, all } = await withWire()
      const [one, other, third] = all
      const first = owner(other, ALL_SLOTS, () => pause(5000))
      const change = errorOf(one.commands.send(command(), { waitMs: 5000 }))
      const read = one.commands.send(command({ writes: false }), { waitMs: 5000 })
      await isBegun(first, 2)
      wire.cut()
      const second = owner(third, ALL_SLOTS)
      const error = await change
      error.code.should.equal('OUTCOME_UNKNOWN')
      should(error.cause.applied).equal('maybe')
      should(await read).equal('done')
      should(second.carriedOut.map(({ writes }) => writes)).eql([false])
    })

    it('get their outcome from it when it is back, whichever instance owns the appliance then', async () => {
      const { wire, all } = await withWire()
      const [one, other, third] = all
      const first = owner(other, ALL_SLOTS, () => pause(1000).then(() => 'by the first'))
      const sent = one.commands.send(command(), { waitMs: 5000 })
      await isBegun(first)
      wire.cut()
      await isDown(other)
      first.leave(ALL_SLOTS)
      const second = owner(third, ALL_SLOTS)
      wire.mend()
      should(await sent).equal('by the first')
      second.carriedOut.should.eql([])
    })

    it('fail where it could not send them, since later ones may have been made elsewhere', async () => {
      const { one, other, third } = await engines(3)
      for (const unsent of UNSENT) {
        const journal: unknown[] = []
        const first = owner(other, ALL_SLOTS, async () => {
          await pause(1000)
          throw unsent
        })
        const stopping = errorOf(one.commands.send(command({ body: 'stop' }), { waitMs: 5000 }))
        await isBegun(first)
        await pause(300)
        first.leave(ALL_SLOTS)
        const second = owner(third, ALL_SLOTS, ({ body }) => journal.push(body))
        await one.commands.send(command({ body: 'start' }), { waitMs: 5000 })
        const error = await stopping
        error.code.should.equal('UNAVAILABLE')
        should(error.cause.applied).equal('no')
        error.message.should.equal(UNSENT[0]!.message)
        journal.should.eql(['start'])
        second.leave(ALL_SLOTS)
      }
    })

    describe('and that is killed', () => {
      /** A process that begins each command, and answers after so many milliseconds, at random. */
      async function startOwner(
        nats: NatsServer,
        shortest: number,
        longest: number,
      ): Promise<{ begun: () => string[]; kill: () => Promise<void> }> {
        const folder = mkdtempSync(join(tmpdir(), 'media-gateway-fleet-'))
        afterThisTest(() => rmSync(folder, { recursive: true, force: true }))
        const journal = join(folder, 'journal')
        writeFileSync(journal, '')
        const args = [nats.url, KEY, journal, String(shortest), String(longest)]
        const child = fork(join(__dirname, '../support/fleet-owner.js'), args)
        const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
        afterThisTest(() => child.kill('SIGKILL'))
        await new Promise((resolve) => child.once('message', resolve))
        return {
          begun: () => readFileSync(journal, 'utf8').split('\n').filter(Boolean),
          async kill() {
            child.kill('SIGKILL')
            await gone
          },
        }
      }

      const SITES = Array.from({ length: 14 }, (_, index) => `site ${index}`)

      /** Its stops have no answer when it is killed; another one takes over a second later. */
      async function killedInStops(): Promise<{
        one: Opened
        first: Awaited<ReturnType<typeof startOwner>>
        stops: Array<Promise<GatewayError>>
        starts: Array<Promise<unknown>>
        journal: string[]
      }> {
        const { nats, one, other } = await engines(2)
        const first = await startOwner(nats, 1e6, 0)
        const send = (body: string, appliance: string): Promise<unknown> =>
          one.commands.send(command({ appliance, body }), { waitMs: 10_000 })
        const stops = SITES.map((site) => errorOf(send('stop', site)))
        await until(() => first.begun().length === SITES.length, 'the stops')
        await pause(800)
        const starts = SITES.map((site) => send('start', site).catch(({ code }) => code))
        await pause(500)
        await first.kill()
        await pause(1000)
        const journal: string[] = []
        owner(other, ALL_SLOTS, ({ appliance, body }) => {
          journal.push(`${String(body)} ${appliance}`)
          return 'by the next'
        })
        return { one, first, stops, starts, journal }
      }

      it('order: no stop is made again, and none after a start', async () => {
        const { one, first, stops, starts, journal } = await killedInStops()
        for (const { code } of await Promise.all(stops)) code.should.equal('OUTCOME_UNKNOWN')
        // They waited behind the stops.
        should(await Promise.all(starts)).eql(SITES.map(() => 'OUTCOME_UNKNOWN'))
        first.begun().should.eql(SITES.map((site) => `stop ${site}`))
        journal.should.eql([])
        for (const appliance of SITES) {
          const sent = command({ appliance, body: 'start' })
          should(await one.commands.send(sent, { waitMs: 5000 })).equal('by the next')
        }
        journal.should.eql(SITES.map((site) => `start ${site}`))
      })

      it('stale: a stop that it has begun is not made again after a start on the next owner', async () => {
        const { one, stops, journal } = await killedInStops()
        // While nobody knows yet what became of the stops.
        const newer = SITES.map((appliance) =>
          one.commands.send(command({ appliance, body: 'newer start' }), { waitMs: 10_000 }),
        )
        should(await Promise.all(newer)).eql(SITES.map(() => 'by the next'))
        for (const { code } of await Promise.all(stops)) code.should.equal('OUTCOME_UNKNOWN')
        journal.toSorted().should.eql(SITES.map((site) => `newer start ${site}`).toSorted())
      })

      it('local change: nor after a start that the next owner itself was asked for', async () => {
        const { stops, starts, journal } = await killedInStops()
        journal.push('local start')
        for (const { code } of await Promise.all(stops)) code.should.equal('OUTCOME_UNKNOWN')
        await Promise.all(starts)
        await pause(1000)
        journal.should.eql(['local start'])
      })

      it('a thousand: each at most once, and each answered or in doubt', async () => {
        const { nats, one, other } = await engines(2)
        const first = await startOwner(nats, 0, 1500)
        const sent = Array.from({ length: 1000 }, (_, index) => ({
          appliance: `Oslo ${index}`,
          body: index,
        }))
        const outcomes = new Map<unknown, string>()
        const second = owner(other, [], () => ({ by: 'second' }))
        const work = sent.map(async (each, index) => {
          await pause(index * 3)
          const outcome = await one.commands.send(command(each), { waitMs: 20_000 }).then(
            (answer) => (answer as { by: string }).by,
            ({ code }: GatewayError) => code as string,
          )
          outcomes.set(each.body, outcome)
        })
        await until(() => first.begun().length > 500)
        await first.kill()
        await pause(1000)
        second.take(ALL_SLOTS)
        await Promise.all(work)

        const times = new Map<string, number>()
        const begun = first.begun().map((line) => line.split(' ')[0]!)
        for (const id of [...begun, ...second.carriedOut.map(({ body }) => String(body))]) {
          times.set(id, (times.get(id) ?? 0) + 1)
        }
        const counts: Record<string, number> = {}
        for (const { body } of sent) {
          const outcome = outcomes.get(body)!
          counts[outcome] = (counts[outcome] ?? 0) + 1
          outcome.should.be.oneOf('first', 'second', 'OUTCOME_UNKNOWN')
          should(times.get(String(body)) ?? 0).be.belowOrEqual(1)
          if (outcome !== 'OUTCOME_UNKNOWN') should(times.get(String(body))).equal(1)
        }
        for (const each of ['first', 'second', 'OUTCOME_UNKNOWN']) {
          should(counts[each]).be.above(10, JSON.stringify(counts))
        }
      })
    })
  })
})
