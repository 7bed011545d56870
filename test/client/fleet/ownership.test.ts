import { SLOTS, instanceFor } from '../../../client/fleet/slots'
import { memberKey, slotKey } from '../../../client/fleet/ownership/records'
import { BEAT, TTL } from './ownership-world'

import { FENCE, afterRenewal, count, newWorld, settled, stageWorld, world } from './ownership-stage'

describe('the ownership of slots', () => {
  stageWorld()

  describe('in good order', () => {
    it('gives each slot to the instance that rendezvous hashing names, after a TTL of quiet', async () => {
      newWorld(SLOTS)
      for (const name of ['a', 'b', 'c']) world.start(name)
      await world.time.pass(TTL - 100)
      world.engine.writes.should.equal(0)
      world.instances.forEach(({ ownership }) => ownership.state().phase.should.equal('joining'))
      await world.time.until(() => world.isSettled(), 10_000)
      const [a] = world.instances
      for (let slot = 0; slot < SLOTS; slot++) {
        should(world.owners()[slot]!.split('-')[0]).equal(instanceFor(slot, ['a', 'b', 'c']))
      }
      await world.time.pass(2 * BEAT)
      const { phase, members, reason } = a!.ownership.state()
      should({ phase, reason }).eql({ phase: 'member', reason: undefined })
      const names = members.map(({ name }) => name)
      names.sort().should.eql(['a', 'b', 'c'])
    })

    it('renews with one write per beat, however many slots there are', async () => {
      await settled(['a'], SLOTS)
      await world.time.pass(BEAT)
      const before = world.engine.writes
      const requests = world.instances[0]!.requests
      await world.time.pass(10 * BEAT)
      should(world.engine.writes - before).equal(10)
      should(world.instances[0]!.requests - requests).equal(10)
    })

    it('takes 256 slots a few at a time', async () => {
      newWorld(SLOTS)
      const a = world.start('a')
      let most = 0
      let before = 0
      const look = world.time.check
      world.time.check = () => {
        look()
        most = Math.max(most, a.requests - before - world.engine.writes)
      }
      await world.time.pass(TTL)
      before = a.requests - world.engine.writes
      await world.time.until(() => world.isSettled(), 10_000, 1)
      most.should.be.within(2, 10)
    })

    it('leaves at once: stops first, ends its record with one write, and others take its slots', async () => {
      const [a, b, c] = await settled(['a', 'b', 'c'], SLOTS)
      const owned = count(world.owners(), c!.id)
      const before = world.owners()
      const from = world.time.now
      c!.stopping = 500
      const left = c!.leave()
      await world.time.pass(490)
      world.engine.records.get(memberKey(`${c!.id}-0`))!.value.should.not.containEql('ended')
      await world.time.until(() => world.isSettled(), 2000)
      await left
      world.engine.records.get(memberKey(`${c!.id}-0`))!.value.should.containEql('"ended":true')
      c!.ownership.state().phase.should.equal('closed')
      c!.given.flat().length.should.equal(owned)
      should(world.time.now - from).be.below(2000)
      world.owners().forEach((owner, slot) => {
        if (before[slot] !== c!.id) should(owner).equal(before[slot])
      })
      should([a!, b!].flatMap(({ given }) => given)).eql([])
    })

    it('leaves at once also while a renewal gets no answer', async () => {
      const [a, b] = await settled(['a', 'b'])
      await afterRenewal(a!)
      const key = memberKey(`${b!.id}-0`)
      const before = world.engine.writesOf.get(key)
      b!.loseAnswers = 1
      await world.time.until(() => world.engine.writesOf.get(key) !== before, 2 * BEAT, 1)
      const left = b!.leave()
      await world.time.until(() => world.isSettled(), 500)
      await left
      world.engine.records.get(key)!.value.should.containEql('"ended":true')
    })

    it('moves only the slots of a new instance, each with a pause of at most two beats', async () => {
      await settled(['a', 'b', 'c'], SLOTS)
      const before = world.owners()
      const longest = watchPauses()
      const d = world.start('d')
      await world.time.pass(TTL - 100)
      world.owners().should.eql(before)
      await world.time.until(() => world.isSettled(), 10_000)
      const moved = world.owners().filter((owner, slot) => owner !== before[slot])
      moved.length.should.be.within(40, 90)
      new Set(moved).should.eql(new Set([d.id]))
      d.taken.flat().length.should.equal(moved.length)
      longest().should.be.belowOrEqual(2 * BEAT)
      longest().should.be.above(0)
    })

    it('needs no second quiet time on a connection that has been there', async () => {
      const [a] = await settled(['a', 'b'])
      const since = a!.clock.now() - 10 * TTL
      const left = a!.leave()
      await world.time.until(() => !a!.isAlive, 2000)
      await left
      world.start('a', { connectedSince: since })
      await world.time.until(() => world.isSettled(), 2 * BEAT)
    })

    it('grows a token with each owner', async () => {
      const [a, b] = await settled(['a', 'b'])
      const slot = world.owners().indexOf(b!.id)
      const first = b!.ownership.token(slot)!
      should(a!.ownership.token(slot)).be.undefined()
      b!.kill()
      await world.time.until(() => world.isSettled(), TTL + 10_000)
      should(a!.ownership.token(slot)).be.above(first)
    })

    it('grows a token with all that is taken later, for an appliance that gets a name from there', async () => {
      const [a] = await settled(['a', 'b'])
      const slots = world.owners()
      const c = world.start('c')
      await world.time.until(() => world.isSettled(), 2 * TTL)
      const theirs = c.ownership.token(world.owners().indexOf(c.id))!
      await world.time.pass(BEAT)
      const kept = slots.findIndex((id, slot) => id === a!.id && world.owners()[slot] === id)
      should(a!.ownership.token(kept)!).be.aboveOrEqual(theirs)
    })

    it('grows a token also when the engine has lost all records', async () => {
      const [a] = await settled(['a'])
      await world.time.pass(20 * BEAT)
      const before = a!.ownership.token(0)!
      world.restartEngine(() => world.engine.wipe())
      await world.time.pass(BEAT)
      await world.time.until(() => world.isSettled(), TTL + 10_000)
      should(a!.ownership.token(0)!).be.above(before)
    })

    it('divides slots also between instances with the same name', async () => {
      const [first, second] = await settled(['a', 'a'])
      count(world.owners(), first!.id).should.be.above(0)
      count(world.owners(), second!.id).should.be.above(0)
    })

    it('stops in time when the end of work hangs, and lets nothing out from then on', async () => {
      const [a, b] = await settled(['a', 'b'])
      a!.stopping = b!.stopping = undefined
      const left = a!.leave()
      await world.time.until(() => !a!.isAlive, 4000)
      await left
      await world.time.until(() => world.isSettled(), 2000)
      world.start('c')
      await world.time.until(() => world.isSettled(), TTL + 10_000)
    })

    it('lets nothing out for work that has not ended in 0.35 TTL, and keeps its slots from others for 8 s', async () => {
      const [a] = await settled(['a'])
      a!.stopping = undefined
      const b = world.start('b')
      await world.time.until(() => a!.given.length > 0, TTL + BEAT)
      const [slot] = a!.given[0]!
      const { maySend, owns } = a!.ownership
      await world.time.pass(0.35 * TTL - 20)
      should([owns(slot!), maySend(slot!)]).eql([false, true])
      await world.time.pass(20)
      maySend(slot!).should.be.false()
      await world.time.pass(8000 - 0.35 * TTL - 20)
      world.engine.records.get(slotKey(slot!))!.value.should.equal(a!.life)
      await world.time.until(() => b.ownership.owns(slot!), 1000)
    })

    it('leaves within 4 s without an engine', async () => {
      const [a, b] = await settled(['a', 'b'])
      a!.isUnanswered = true
      const left = a!.leave()
      await world.time.until(() => !a!.isAlive, 4000)
      await left
      await world.time.until(() => world.isSettled(), TTL + 10_000)
      count(world.owners(), b!.id).should.equal(16)
    })
  })

  describe('when an instance is gone', () => {
    it('is taken over within a TTL and 10 s, and the others go on', async () => {
      const [a, b, c] = await settled(['a', 'b', 'c'], SLOTS)
      const before = world.owners()
      c!.kill()
      await world.time.pass(FENCE)
      world.owners().forEach((owner, slot) => {
        should(owner).equal(before[slot] === c!.id ? '' : before[slot])
      })
      await world.time.until(() => world.isSettled(), TTL + 10_000 - FENCE)
      should([a!, b!].flatMap(({ given }) => given)).eql([])
      world.engine.writesOf.get(memberKey(`${c!.id}-0`))!.should.be.above(1)
    })

    it('is taken over within a TTL and 10 s also if all records are read again meanwhile', async () => {
      for (let part = 0; part < 10; part++) {
        const [, b] = await settled(['a', 'b'])
        // A watch lasts 4 TTL.
        await world.time.pass((3 + part / 10) * TTL)
        b!.kill()
        await world.time.until(() => world.isSettled(), TTL + 10_000)
      }
    })

    for (const change of ['change', 'creation']) {
      it(`counts a silent loss of a ${change} as one of a reconnection, once all records are read again`, async () => {
        const [a, b] = await settled(['a', 'b'])
        await world.time.pass(2 * BEAT)
        const slot = change === 'change' ? world.owners().indexOf(b!.id) : world.slots
        const before = world.engine.records.get(slotKey(slot))
        if (before) world.engine.update(slotKey(slot), 'somebody', before.revision)
        else world.engine.create(slotKey(slot), '')
        await world.time.pass(10)
        // As many writes as were lost: the number of the latest does not show it.
        world.engine.loseQuietly(() => {
          world.engine.lose(1)
          world.engine.write('other', '')
        })
        await world.time.pass(BEAT + 1000)
        for (const { logged } of [a!, b!]) {
          logged.join().should.match(/The engine has lost records/)
        }
        await world.time.until(() => world.isSettled(), 2 * TTL + 10_000)
      })
    }

    it('leaves no record of lives that have ended long ago', async () => {
      const [, b] = await settled(['a', 'b'])
      b!.kill()
      await world.time.until(() => world.isSettled(), TTL + 10_000)
      const [c] = [world.start('c'), world.start('d')]
      await world.time.until(() => world.isSettled(), TTL + 10_000)
      void c.leave()
      await world.time.until(() => world.isSettled(), TTL + 10_000)
      await world.time.pass(10 * TTL)
      world.engine.removed.should.eql([])
      await world.time.pass(15 * TTL)
      world.engine.removed.sort().should.eql([b!, c].map(({ life }) => memberKey(life)).sort())
      world.isSettled().should.be.true()
    })

    it('is not ended before its record has not changed for a whole TTL', async () => {
      newWorld(16)
      world.start('a')
      await world.time.pass(0.3 * BEAT)
      const b = world.start('b')
      await world.time.until(() => world.isSettled(), TTL + 10_000)
      const renewed = await afterRenewal(b)
      b.kill()
      const key = memberKey(`${b.id}-0`)
      const { revision } = world.engine.records.get(key)!
      await world.time.pass(renewed + TTL - world.time.now)
      world.engine.records.get(key)!.revision.should.equal(revision)
      await world.time.until(() => world.isSettled(), 10_000)
    })

    it('is not ended before a whole TTL where its record was deleted while it may still act', async () => {
      const [a, b] = await settled(['a', 'b'])
      const slot = world.owners().indexOf(b!.id)
      const key = memberKey(`${b!.id}-0`)
      await afterRenewal(b!)
      b!.stopping = undefined
      b!.cut()
      world.engine.write(key, undefined)
      await world.time.pass(TTL - 500)
      world.engine.records.has(key).should.be.false()
      world.engine.records.get(slotKey(slot))!.value.should.equal(`${b!.id}-0`)
      await world.time.until(() => a!.ownership.owns(slot), 10_000)
      // A life without a record is nobody to whom anything could be given.
      should(a!.given).eql([])
    })

    it('is not ended before its own TTL, where that is longer than that of the others', async () => {
      const LONG = 3 * TTL
      newWorld(16)
      const a = world.start('a')
      const b = world.start('b', { ttlMs: LONG })
      await world.time.until(() => world.isSettled(), LONG + 10_000)
      const slot = world.owners().indexOf(b.id)
      const renewed = await afterRenewal(b, LONG)
      // It may act for as long as its own lease lasts.
      b.stopping = undefined
      b.cut()
      await world.time.pass(renewed + 0.54 * LONG - world.time.now)
      b.ownership.owns(slot).should.be.true()
      await world.time.pass(renewed + LONG - world.time.now)
      const key = memberKey(`${b.id}-0`)
      world.engine.records.get(key)!.value.should.not.containEql('"ended":true')
      world.engine.records.get(slotKey(slot))!.value.should.equal(`${b.id}-0`)
      await world.time.until(() => a.ownership.owns(slot), 10_000)
      world.engine.records.get(key)!.value.should.containEql('"ended":true')
    })

    it('does not count silence that it could not hear: not across a reconnection', async () => {
      const [a, b] = await settled(['a', 'b'])
      b!.kill()
      await world.time.pass(TTL - BEAT)
      a!.cut()
      await world.time.pass(500)
      a!.mend()
      await world.time.until(() => a!.ownership.state().phase === 'member', 2000)
      await world.time.pass(TTL - 1000)
      world.engine.records.get(memberKey(`${b!.id}-0`))!.value.should.not.containEql('ended')
      await world.time.until(() => world.isSettled(), 10_000)
    })

    it('does not count silence across a loss of records either, though its record is as before', async () => {
      const [a, b] = await settled(['a', 'b'])
      b!.kill()
      await world.time.pass(TTL - 2 * BEAT)
      const later = Array.from({ length: 9 }, () => world.engine.write('other', ''))
      await world.time.pass(10)
      world.engine.loseQuietly(() => world.engine.lose(later.length))
      const isKnown = (): boolean => /The engine has lost records/.test(a!.logged.join())
      await world.time.until(isKnown, BEAT + 500)
      await world.time.pass(TTL - BEAT)
      world.engine.records.get(memberKey(`${b!.id}-0`))!.value.should.not.containEql('ended')
      await world.time.until(() => world.isSettled(), 10_000)
    })
  })

  describe('when its lease cannot be renewed', () => {
    it('stops at 0.55 TTL and sends nothing from 0.9 TTL on; the other begins later', async () => {
      const [a, b] = await settled(['a', 'b'])
      const slot = world.owners().indexOf(a!.id)
      a!.stopping = undefined
      const confirmed = await afterRenewal(a!)
      a!.cut()
      await world.time.pass(confirmed + 0.54 * TTL - world.time.now)
      a!.ownership.owns(slot).should.be.true()
      await world.time.pass(0.02 * TTL)
      a!.ownership.owns(slot).should.be.false()
      a!.ownership.maySend(slot).should.be.true()
      const { phase, reason } = a!.ownership.state()
      should({ phase, reason }).eql({ phase: 'lost', reason: 'The connection was cut.' })
      a!.refusal = 'The certificate is not trusted.'
      should(a!.ownership.state().reason).equal('The certificate is not trusted.')
      await world.time.pass(confirmed + FENCE - world.time.now)
      a!.ownership.maySend(slot).should.be.false()
      b!.ownership.owns(slot).should.be.false()
      await world.time.until(() => b!.ownership.owns(slot), TTL)
      should(world.time.now).be.above(confirmed + TTL)
      await world.time.pass(1000)
      count(world.owners(), b!.id).should.equal(16)
    })

    it('is not disturbed by an answer that is lost, though the renewal got through', async () => {
      const [a, b] = await settled(['a', 'b'])
      for (const lost of [1, 2]) {
        await afterRenewal(a!)
        a!.loseAnswers = lost
        await world.time.pass(2 * TTL)
      }
      should([...a!.given, ...b!.given]).eql([])
      a!.states.every(({ phase }) => phase !== 'lost').should.be.true()
      world.isSettled().should.be.true()
    })

    it('takes its slots up again when the engine answers before anyone has ended it', async () => {
      const [a] = await settled(['a'])
      await afterRenewal(a!)
      a!.isUnanswered = true
      await world.time.until(() => a!.given.length > 0, TTL)
      await world.time.pass(5 * TTL)
      a!.ownership.state().phase.should.equal('lost')
      a!.ownership.state().reason!.should.containEql('does not respond')
      const writes = world.engine.writesOf.get(slotKey(0))
      a!.isUnanswered = false
      await world.time.until(() => world.isSettled(), BEAT)
      should(world.engine.writesOf.get(slotKey(0))).equal(writes)
      a!.taken.at(-1)!.length.should.equal(16)
    })

    it('goes on without a quiet time after a cut that is shorter than its lease', async () => {
      const [a, b] = await settled(['a', 'b'])
      const confirmed = await afterRenewal(a!)
      a!.cut()
      await world.time.pass(confirmed + 0.8 * TTL - world.time.now)
      a!.given.length.should.equal(1)
      // Its work has stopped, and the slots are still its own.
      const slot = world.owners().indexOf('')
      a!.ownership.token(slot)!.should.be.above(0)
      a!.ownership.maySend(slot).should.be.false()
      a!.mend()
      await world.time.until(() => world.isSettled(), 500)
      should(b!.given).eql([])
    })

    it('begins a new life when it was ended, and gets its slots back', async () => {
      const [a, b] = await settled(['a', 'b'])
      const before = world.owners()
      a!.cut()
      await world.time.until(() => b!.taken.flat().length === 16, TTL + 10_000)
      a!.mend()
      const from = world.time.now
      await world.time.until(() => world.isSettled(), TTL + 10_000)
      should(world.time.now - from).be.above(TTL)
      world.owners().should.eql(before)
      should(a!.working.size).equal(count(before, a!.id))
      world.engine.records.get(memberKey(`${a!.id}-0`))!.value.should.containEql('"ended":true')
      world.engine.records.has(memberKey(`${a!.id}-1`)).should.be.true()
      a!.states.map(({ phase }) => phase).should.containDeepOrdered(['member', 'lost', 'member'])
    })

    it('may send nothing after it was frozen for an hour, before any of its timers has run', async () => {
      const [a, b] = await settled(['a', 'b'])
      const slot = world.owners().indexOf(a!.id)
      a!.freeze()
      await world.time.pass(3_600_000)
      b!.ownership.owns(slot).should.be.true()
      a!.ownership.maySend(slot).should.be.false()
      a!.ownership.owns(slot).should.be.false()
      a!.working.has(slot).should.be.true()
      a!.thaw()
      await world.time.until(() => world.isSettled(), TTL + 10_000)
      // Not a line for each slot.
      const warnings = a!.logged.filter((line) => line.startsWith('warn'))
      warnings.join().should.match(/^warn The lease is lost, and all work stops: [^,]*$/)
    })

    it('may send nothing while its event loop is blocked, also if nobody has ended it', async () => {
      const [a] = await settled(['a'])
      const confirmed = await afterRenewal(a!)
      a!.freeze()
      await world.time.pass(confirmed + FENCE - 10 - world.time.now)
      a!.ownership.maySend(0).should.be.true()
      await world.time.pass(10)
      a!.ownership.maySend(0).should.be.false()
      a!.thaw()
      await world.time.until(() => world.isSettled(), 1000)
    })
  })

  /** Follows for how long a slot has no owner. */
  function watchPauses(): () => number {
    const since = new Map<number, number>()
    let longest = 0
    const look = world.time.check
    world.time.check = () => {
      look()
      for (let slot = 0; slot < world.slots; slot++) {
        if (world.ownersOf(slot).length > 0) {
          const from = since.get(slot)
          if (from !== undefined) longest = Math.max(longest, world.time.now - from)
          since.delete(slot)
        } else if (!since.has(slot)) since.set(slot, world.time.now)
      }
    }
    return () => longest
  }
})
