import { memberKey, slotKey } from '../../../client/fleet/ownership/records'
import { BEAT, TTL } from './ownership-world'

import { FENCE, afterRenewal, count, newWorld, settled, stageWorld, world } from './ownership-stage'

describe('the ownership of slots when the engine has lost records', () => {
  stageWorld()

  it('begins anew after the quiet time when it comes back empty', async () => {
    await settled(['a', 'b', 'c'])
    const before = world.owners()
    world.restartEngine(() => world.engine.wipe())
    const from = world.time.now
    const created = await world.time.until(() => world.engine.records.size > 0, TTL + 10_000)
    created.should.be.above(TTL)
    await world.time.until(() => world.isSettled(), TTL + 10_000 - (world.time.now - from))
    world.owners().should.eql(before)
  })

  it('says that the lease was lost, also where nothing is left to be stopped', async () => {
    const all = await settled(['a', 'b', 'c'])
    for (const each of all) each.stopping = 0
    world.restartEngine(() => world.engine.wipe())
    await world.time.until(() => world.engine.records.size > 0, TTL + 10_000)
    await world.time.until(() => world.isSettled(), TTL + 10_000)
    for (const { id, states } of all) {
      const lost = states.filter(({ phase }) => phase === 'lost')
      should(lost.length > 0).equal(true, id)
      for (const { reason } of lost) should(reason).be.a.String()
    }
  })

  it('begins anew also when its records are lost without a word', async () => {
    const [a] = await settled(['a', 'b'])
    const before = world.owners()
    a!.stopping = 500
    world.engine.wipe()
    await world.time.until(() => a!.given.length > 0, 2 * BEAT)
    await world.time.pass(100)
    // It may still log out.
    const [given] = a!.given
    given!.length.should.equal(count(before, a!.id))
    a!.ownership.maySend(given![0]!).should.be.true()
    a!.ownership.owns(given![0]!).should.be.false()
    await world.time.until(() => world.engine.records.size > 0, TTL + 10_000)
    await world.time.until(() => world.isSettled(), TTL + 10_000)
  })

  it('does not work for a slot that an older record gives it, while another one does', async () => {
    const [a] = await settled(['a'])
    const records = world.engine.writes
    const b = world.start('b')
    await world.time.until(() => world.isSettled(), TTL + 10_000)
    const moved = world.owners().indexOf(b.id)
    await world.time.pass(100)
    // Of all that b has done nothing is left. The record of a is older than it was.
    world.restartEngine(() => world.engine.lose(world.engine.writes - records))
    world.engine.records.get(slotKey(moved))!.value.should.equal(`${a!.id}-0`)
    await world.time.pass(1000)
    world.isSettled().should.be.false()
    await world.time.until(() => world.isSettled(), TTL + 9000)
    should(a!.states.some(({ phase }) => phase === 'lost')).be.true()
  })

  it('finds that a slot was lost though its own record was not', async () => {
    const [a, b] = await settled(['a', 'b'])
    const key = slotKey(world.owners().indexOf(b!.id))
    b!.kill()
    const taken = world.engine.writesOf.get(key)!
    await world.time.until(() => world.engine.writesOf.get(key)! > taken, TTL + 10_000, 1)
    await world.time.until(() => world.isSettled(), 1000, 1)
    const present = world.engine.records.get(memberKey(`${a!.id}-0`))
    // Nothing but the last of the takeovers is lost.
    const [last] = [...world.engine.records].sort(([, x], [, y]) => y.revision - x.revision)
    world.restartEngine(() => world.engine.lose(1))
    world.engine.records.get(memberKey(`${a!.id}-0`))!.should.eql(present)
    const lost = Number(last![0].split('.')[1])
    await world.time.pass(100)
    a!.given.should.eql([[lost]])
    should(a!.ownership.token(lost)).be.undefined()
    await world.time.until(() => world.isSettled(), TTL + 10_000)
    count(world.owners(), a!.id).should.equal(16)
  })

  it('waits when it was ended and the engine has forgotten that', async () => {
    const [a, b] = await settled(['a', 'b'])
    const slot = world.owners().indexOf(a!.id)
    a!.cut()
    const writes = world.engine.writes
    await world.time.until(() => b!.ownership.owns(slot), TTL + 10_000)
    // As it was when it was cut: a alive, with its slots. The record of b is older than b knows.
    world.restartEngine(() => world.engine.lose(world.engine.writes - writes))
    world.engine.records.get(slotKey(slot))!.value.should.equal(`${a!.id}-0`)
    a!.mend()
    const from = world.time.now
    await world.time.pass(1000)
    a!.ownership.state().phase.should.equal('lost')
    await world.time.until(() => a!.ownership.owns(slot), 2 * TTL)
    should(world.time.now - from).be.above(TTL)
    await world.time.until(() => world.isSettled(), 2 * TTL)
  })

  it('stops when a record names another one', async () => {
    const [a] = await settled(['a'])
    const key = slotKey(3)
    world.engine.update(key, 'somebody', world.engine.records.get(key)!.revision)
    await world.time.pass(100)
    a!.given.should.eql([[3]])
    a!.ownership.maySend(3).should.be.false()
    // Of whom nothing else is known, so that it ends.
    await world.time.until(() => world.isSettled(), TTL + 10_000)
  })

  it('stops also when a record names it that it has not written, and holds the slot anew', async () => {
    const [a] = await settled(['a'])
    const key = slotKey(3)
    const token = a!.ownership.token(3)!
    world.engine.update(key, `${a!.id}-0`, world.engine.records.get(key)!.revision)
    await world.time.pass(100)
    a!.given.should.eql([[3]])
    await world.time.until(() => world.isSettled(), BEAT)
    should(a!.ownership.token(3)!).be.above(token + 1)
  })

  it('does not renew a record that has ended because the number is the same', async () => {
    const [a] = await settled(['a'])
    await afterRenewal(a!)
    const key = memberKey(`${a!.id}-0`)
    const { revision } = world.engine.records.get(key)!
    a!.cut()
    world.engine.lose(2)
    await world.time.pass(TTL)
    while (world.engine.write('other', '') < revision - 1);
    const ended = '{"name":"a","beat":0,"ended":true}'
    should(world.engine.update(key, ended, world.engine.records.get(key)!.revision)).equal(revision)
    a!.mend()
    await world.time.pass(1000)
    world.engine.records.get(key)!.value.should.equal(ended)
    await world.time.until(() => world.isSettled(), TTL + 10_000)
  })

  it('does not renew a record that has ended before the answer to its first write was there', async () => {
    newWorld(16)
    const a = world.start('a')
    a.isUnanswered = false
    await world.time.pass(TTL)
    a.isUnanswered = true
    const key = memberKey(`${a.id}-0`)
    // The read is not answered either: so the write is made here.
    world.engine.create(key, '{"name":"a","beat":0,"ended":true}')
    a.isUnanswered = false
    await world.time.until(() => world.isSettled(), TTL + 10_000)
    world.engine.records.get(key)!.revision.should.equal(1)
  })

  it('does not work for a slot by an answer of a later connection', async () => {
    newWorld(4)
    world.unsent = 1
    world.shortest = 20
    world.longest = 30
    const a = world.start('a')
    // The watch, a read and the first record, and then all slots at once.
    await world.time.until(() => a.requests === 3 + world.slots, TTL + BEAT, 1)
    a.cut(100)
    a.mend()
    await world.time.pass(1000)
    world.engine.records.has(slotKey(0)).should.be.true()
    should(a.ownership.token(0)).be.undefined()
    await world.time.pass(TTL - 1500)
    a.taken.should.eql([])
    await world.time.until(() => world.isSettled(), 3000)
  })

  it('reads all records again when the engine does not report them', async () => {
    newWorld(4)
    const a = world.start('a')
    a.isBlind = true
    await world.time.pass(TTL - 100)
    a.isBlind = false
    await world.time.until(() => world.isSettled(), TTL + 10_000)
  })

  it('is not renewed by an answer that comes before all records have been read again', async () => {
    const [a] = await settled(['a'])
    world.unsent = 1
    a!.stopping = undefined
    const renewed = await afterRenewal(a!)
    const key = memberKey(`${a!.id}-0`)
    const writes = world.engine.writesOf.get(key)!
    // The renewal goes out on a connection that is broken, and is sent on the next one.
    a!.cut(BEAT + 100)
    a!.isBlind = true
    a!.mend()
    await world.time.pass(BEAT + 500)
    should(world.engine.writesOf.get(key)).equal(writes + 1)
    await world.time.pass(renewed + FENCE - world.time.now)
    a!.ownership.maySend(0).should.be.false()
    a!.ownership.state().phase.should.equal('lost')
  })
})
