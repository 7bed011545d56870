// A fleet whose ownership moves.
import { GatewayError, say } from '../../client/errors'
import { createFleet } from '../../nodes/gateway/fleet/fleet'
import type { Follower } from '../../nodes/runtime/gateway-node'
import type { Simulator } from '../../simulator'
import { pause, until } from '../support/until'
import {
  ACCOUNT,
  Moved,
  codeOf,
  fleet,
  follower,
  slotNamed,
  logged,
  renew,
  row,
  share,
  simulators,
  stageFleet,
  told,
} from './fleet-stage'

describe('a fleet whose ownership moves', () => {
  stageFleet()

  it('begins what is taken, and has ended what is given when it says so', async () => {
    const [one, two] = simulators as [Simulator, Simulator]
    fleet.follow(follower)
    told.should.eql([])
    codeOf('one').should.equal('UNAVAILABLE')
    share.take('one')
    told.should.eql(['+one'])
    await until(() => one.openSessions === 1 && one.journal.length > 2)
    share.take('two')
    await until(() => two.openSessions === 1)

    await share.give('one')
    ;[one.openSessions, one.logouts, two.logouts].should.eql([0, 1, 0])
    told.should.eql(['+one', '+two', '-one'])
    const sent = one.journal.length
    codeOf('one').should.equal('UNAVAILABLE')
    codeOf('two').should.equal('found')
    await until(() => two.journal.filter(({ path }) => /devices\/[^/]+$/.test(path)).length > 2)
    one.journal.should.have.length(sent)

    share.take('one')
    await until(() => one.logins === 2)
    told.at(-1)!.should.equal('+one')
  })

  it('lets what is under way come to its end, and begins again only after it', async () => {
    const [one] = simulators as [Simulator]
    let over: () => void = () => undefined
    const slow: Follower = {
      added: ({ appliance }) => void told.push(`+${appliance}`),
      removed: ({ appliance }) =>
        new Promise<void>((resolve) => {
          over = () => {
            told.push(`-${appliance}`)
            resolve()
          }
        }),
    }
    share.take('one')
    const unfollow = fleet.follow(slow)
    const former = fleet.find('one').client()
    const given = share.give('one')
    let isGiven = false
    void given.then(() => (isGiven = true))
    share.take('one')
    // Messages have it at once; who works by itself waits for the former one.
    const present = fleet.find('one').client()
    present.should.not.equal(former)
    former.closing.stopped.should.be.true()
    told.should.eql(['+one'])
    isGiven.should.be.false()
    // So does a command of another instance: changes of a route stay in one queue.
    const body = { type: 'none' }
    const command = { appliance: 'one', slot: 0, writes: true, from: 'two', body }
    let answered: GatewayError | undefined
    const answer = share.follower.carryOut(command).catch((error: GatewayError) => {
      answered = error
    })
    await pause(50)
    should(answered).be.undefined()
    over()
    await given
    await answer
    should(answered).match({ code: 'CONFIG', message: /another version/i })
    await until(() => told.length === 3)
    told.should.eql(['+one', '-one', '+one'])
    unfollow()
    one.logins.should.equal(0)
  })

  it('tells its followers of an appliance once, however often it was given and taken meanwhile', async () => {
    const overs: Array<() => void> = []
    share.take('one')
    const unfollow = fleet.follow({
      added: ({ appliance }) => void told.push(`+${appliance}`),
      removed: () => new Promise<void>((resolve) => overs.push(resolve)),
    })
    const given = share.give('one')
    share.take('one')
    const again = share.give('one')
    share.take('one')
    told.should.eql(['+one'])
    for (const over of overs) over()
    await Promise.all([given, again])
    await until(() => told.length > 1)
    await pause(10)
    told.should.eql(['+one', '+one'])
    unfollow()
  })

  it('names what had a name at another address as the former one, until its session has ended', async () => {
    const [one, two] = simulators as [Simulator, Simulator]
    share.take('one')
    const former = fleet.find('one').client()
    await former.call({ method: 'GET', path: '/api/devices' }, { name: 'x' } as never)
    const elsewhere = { ...row('one', one), baseUrl: 'http://10.0.0.9' }
    fleet.update({ rows: [elsewhere, row('two', two)], faults: [] })
    await fleet.former('one')!
    one.openSessions.should.equal(0)
    should(fleet.former('one')).be.undefined()
  })

  it('a row that changes while it is given, and one that leaves meanwhile, end once', async () => {
    const [one, two] = simulators as [Simulator, Simulator]
    share.take('one', 'two')
    fleet.follow(follower)
    await until(() => one.openSessions === 1 && two.openSessions === 1)
    fleet.update({
      rows: [row('one', one, { username: 'operator', password: 'supervisor' })],
      faults: [],
    })
    const given = share.give('one', 'two')
    should(() => fleet.find('two')).throw({ code: 'NOT_FOUND' })
    await given
    ;[one.openSessions, two.openSessions, one.logouts, two.logouts].should.eql([0, 0, 1, 1])
    told.should.eql(['+one', '+two', '-one', '-two'])
    logged.should.eql(['Inventory: 0 added, 1 changed, 1 removed: two.'])
  })

  it('has ended what it gives also where two have just exchanged their names', async () => {
    const [one, two] = simulators as [Simulator, Simulator]
    let over: () => void = () => undefined
    share.take('one', 'two')
    const unfollow = fleet.follow({
      added: () => undefined,
      removed: ({ appliance }) =>
        appliance === 'two'
          ? undefined
          : new Promise<void>((resolve) => {
              told.push(appliance!)
              over = resolve
            }),
    })
    fleet.update({ rows: [row('one', two), row('two', one)], faults: [] })
    let isGiven = false
    const given = share.give('two').then(() => {
      isGiven = true
    })
    await pause(50)
    told.should.eql(['one'])
    isGiven.should.be.false()
    over()
    await given
    unfollow()
  })

  it('ends the session of what had a name that is now the name of another one', async () => {
    const [one, two] = simulators as [Simulator, Simulator]
    share.take('one')
    share.mayNot.add(slotNamed('two'))
    const former = fleet.find('one').client()
    await former.call({ method: 'GET', path: '/api/devices' }, { name: 'x' } as never)
    one.openSessions.should.equal(1)
    fleet.update({ rows: [row('one', two), row('two', one)], faults: [] })
    await until(() => one.openSessions === 0)
  })

  it('sends nothing while the share may not', async () => {
    const [one] = simulators as [Simulator]
    share.take('one')
    share.mayNot.add(slotNamed('one'))
    const connection = fleet.find('one').client()
    const call = connection.call({ method: 'GET', path: '/api/devices' }, { name: 'x' } as never)
    await should(call).be.rejectedWith({ code: 'UNAVAILABLE' })
    one.journal.should.have.length(0)
  })

  it('says that the engine is lost, and not that another instance owns what nobody may own', async () => {
    await renew({ state: () => ({ phase: 'lost', members: [], reason: 'It is away.' }) })
    should(() => fleet.find('one').client()).throw(
      /^one \(127.0.0.1:\d+\): This instance has no lease \(It is away\.\)\. Until it has one/,
    )
  })

  it('gives everything back while an appliance is still being logged out', async () => {
    const [one] = simulators as [Simulator, Simulator]
    fleet.follow(follower)
    share.take('one')
    await until(() => one.openSessions === 1)
    one.fault({ kind: 'latency', ms: 400, match: { method: 'DELETE' } })
    const closed = fleet.close()
    share.isClosed.should.be.true()
    one.openSessions.should.equal(1)
    await closed
    one.openSessions.should.equal(0)
  })

  it('takes part only once its inventory has been read', async () => {
    const opened: string[] = []
    const other = createFleet({
      node: { id: 'other', name: 'other', host: '' },
      openShare() {
        opened.push('share')
        return new Moved()
      },
      open: () => {
        throw new Error('nothing is opened')
      },
      secretPrefix: () => 'SRT_',
      note: () => undefined,
      language: 'en-US',
      log: () => undefined,
    })
    other.join()
    other.fail(new GatewayError('CONFIG', say('inventorySlow')))
    other.join()
    opened.should.eql([])
    should(other.failure?.message).match(/could not be read within 10 s/)
    other.update({ rows: [], faults: [] })
    other.update({ rows: [], faults: [] })
    opened.should.eql(['share'])
    should(other.failure).be.undefined()
    await other.close()
  })

  it('says a digest of its inventory, by which instances compare theirs', () => {
    const [one, two] = simulators as [Simulator, Simulator]
    const digest = share.follower.inventory()
    fleet.update({ rows: [row('two', two), row('one', one)], faults: [] })
    should(share.follower.inventory()).equal(digest)
    fleet.update({ rows: [row('one', one)], faults: [] })
    should(share.follower.inventory()).not.equal(digest)
  })

  it('one follower that throws keeps nothing from the others', () => {
    fleet.follow({
      added: () => {
        throw new Error('mine')
      },
      removed: () => undefined,
    })
    fleet.follow({ ...follower, added: ({ appliance }) => void told.push(`+${appliance}`) })
    share.take('one')
    told.should.eql(['+one'])
    logged.should.eql(['one: Error: mine'])
  })

  it('of 10,000 appliances opens nothing before it is used, and changes one quickly', async () => {
    const [one, two] = simulators as [Simulator, Simulator]
    const more = Array.from({ length: 9998 }, (_, index) => ({
      name: `site-${index}`,
      baseUrl: `http://10.${index >> 8}.${index & 255}.1`,
      ...ACCOUNT,
    }))
    const rows = [row('one', one), row('two', two), ...more]
    share.owns = () => true
    const begun = process.cpuUsage()
    fleet.update({ rows, faults: [] })
    const followed = new Set<string>()
    fleet.follow({
      added: ({ appliance }) => void followed.add(appliance!),
      removed: ({ appliance }) => void followed.delete(appliance!),
    })
    followed.size.should.equal(10_000)
    fleet
      .list()
      .filter(({ connection }) => connection)
      .should.have.length(0)
    fleet.update({ rows: rows.slice(1), faults: [] })
    await until(() => followed.size === 9999)
    const { user, system } = process.cpuUsage(begun)
    ;((user + system) / 1000).should.be.below(2000)
  })
})
