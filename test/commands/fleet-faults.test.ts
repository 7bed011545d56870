// What a fleet promises, on real processes: several Node-REDs and a nats-server that are killed, halted
// and cut off, judged by what the appliances have received.
import { instanceFor, slotOf } from '../../client/fleet/slots'
import { fillDisk, freeDisk } from '../support/disk'
import {
  fleetTools,
  type Account,
  type Cut,
  type EventAccount,
  type Fleet,
  type Given,
  type Instance,
  type Received,
  type Row,
  type Tools,
} from '../support/fleet'
import { startCluster, startNats, withNats, type NatsServer } from '../support/nats'
import { pause, until } from '../support/until'

/** Seconds. */
const TTL = 5
const INTERVAL = 1
const LIFETIME = 20

const TTL_MS = 1000 * TTL
const POLL_MS = 1000 * INTERVAL
const FENCE_MS = 0.9 * TTL_MS
const TAKEOVER_MS = TTL_MS + 10_000
/**
 * How late a timer or a response may be where two cores run all of this. A poll that is so late still comes
 * before TTL.
 */
const LATE_MS = 3500
const SETTLED_WITHIN_MS = TTL_MS + 30_000
const ANSWERED_WITHIN_MS = 30_000
/** After so long an appliance counts as unreachable. */
const OUTAGE_MS = 30_000
const APPLIANCES = 24
const COMMANDS = 300
const [LOST, BACK] = ['fleet.engine-lost', 'fleet.engine-back']
/** What the engine may store: it refuses more as a full disk does. */
const DISK_BYTES = 64e6
const ACCOUNT = { user: 'fleet', password: 'secret' }

/** In what an appliance is asked, the one place where routes are changed. */
const CHANGES = { method: 'POST', path: '/api/devices/*' }

withNats('a fleet', function () {
  this.timeout(90_000)
  let tools: Tools
  let nats: NatsServer
  let fleet: Fleet
  let one: Instance
  let two: Instance
  let three: Instance
  let four: Instance
  /** The ways to the engine, by the names of the instances. */
  const links = new Map<string, Cut>()
  /** The ways of the second instance to the appliances, by their addresses. */
  const ways = new Map<string, Cut>()
  /** End the commands that a test sends meanwhile. */
  const senders: Array<() => Promise<void>> = []

  before(async () => {
    tools = await fleetTools()
    nats = await startNats({ ...ACCOUNT, maxStored: DISK_BYTES })
    for (let place = 1; place <= 4; place++) {
      links.set(`node-red-${place}`, await tools.startCut(nats.port))
    }
    fleet = await tools.startFleet({
      engine: { servers: nats.url, ...ACCOUNT },
      appliances: APPLIANCES,
      instances: 4,
      routes: 2,
      ttl: TTL,
      interval: INTERVAL,
      lifetime: LIFETIME,
      engineFor: (name) => `nats://127.0.0.1:${links.get(name)!.port}`,
      inventoryFor: (name, rows) =>
        name === 'node-red-2' ? Promise.all(rows.map(throughCut)) : rows,
    })
    ;[one, two, three, four] = fleet.instances as [Instance, Instance, Instance, Instance]
    await Promise.all([one, two, three].map((instance) => instance.start()))
    await settled()
  })

  let hasFailed = false
  beforeEach(async () => {
    const off = [one, two, three].filter(({ state }) => state === 'off')
    await Promise.all(off.map((instance) => instance.start()))
    // Each test leaves a fleet that has settled.
    if (off.length > 0 || hasFailed) await settled(off[0])
  })

  afterEach(async function () {
    const { state, err } = this.currentTest ?? {}
    hasFailed = state === 'failed'
    if (err) err.stack += `\n${latest()}`
    await endSenders()
  })

  after(async () => {
    const failed = (await tools?.stop()) ?? []
    await nats?.remove()
    failed.should.eql([])
  })

  /** What else says why: the latest lines of the instances, and of the engine. */
  function latest(): string {
    const running = fleet.instances.filter(({ state }) => state !== 'off')
    return [...running.map((each) => [each.name, each.output()]), ['nats-server', nats.log()]]
      .map(([name, log]) => `${name}:\n${log!.slice(-1500)}`)
      .join('\n')
  }

  async function throughCut(row: Row): Promise<Row> {
    const port = Number(new URL(row.url).port)
    const way = ways.get(row.url) ?? (await tools.startCut(port))
    ways.set(row.url, way)
    return { ...row, url: `http://127.0.0.1:${way.port}` }
  }

  /** Every appliance is polled by an instance that runs, and nothing moves any more. */
  async function settled(joined?: Instance): Promise<void> {
    const isSettled = await fleet.settle({ client: joined?.client, within: SETTLED_WITHIN_MS })
    isSettled.should.equal(true, 'not every appliance is polled')
  }

  /** Sends commands through these while something happens to the fleet. */
  function sendThrough(...instances: Instance[]): void {
    for (const instance of instances) senders.push(fleet.send(instance, { everyMs: 100 }))
  }

  async function endSenders(): Promise<void> {
    await Promise.all(senders.splice(0).map((end) => end()))
    await fleet.answers(ANSWERED_WITHIN_MS)
  }

  const account = async (): Promise<Account> => tools.accountOf(await fleet.evidence(Date.now()))

  /** Two never worked for one appliance at the same time. */
  async function noDoubles(): Promise<Account> {
    const found = await account()
    should({ doubles: found.doubles, twins: found.twins }).eql({ doubles: [], twins: [] })
    return found
  }

  /** What the last event was for the fleet. */
  const lastEvent = async (): Promise<EventAccount> => (await noDoubles()).events.at(-1)!

  const received = async (since: number): Promise<Received[]> =>
    (await fleet.evidence(Date.now())).records.filter(({ at }) => at > since)

  /** Who polls which appliance. */
  async function division(): Promise<Map<string, string | undefined>> {
    return new Map((await fleet.latest()).map(({ name, client }) => [name, client]))
  }

  const ownedBy = async ({ client }: Instance): Promise<string[]> =>
    [...(await division())].filter(([, owner]) => owner === client).map(([name]) => name)

  /** How many events of this name the watch of each has sent. */
  const toldBy = (instances: Instance[], event: string): Promise<number[]> =>
    Promise.all(instances.map(async (each) => (await each.ask('events'))[event] ?? 0))

  const addressOf = (appliance: string): string =>
    fleet.appliances.find(({ name }) => name === appliance)!.url

  async function answerTo(number: number): Promise<Given> {
    await until(async () => {
      await fleet.answers(0)
      return fleet.commands.get(number)?.code !== undefined
    }, `the answer to ${number}`)
    return fleet.commands.get(number)!
  }

  it('1: of three instances, each appliance is polled by one, in one session, as often as by one alone', async () => {
    const since = Date.now()
    await pause(8 * POLL_MS)
    const records = await received(since)
    const lasted = Date.now() - since
    const polls = records.filter(({ kind }) => kind === 'poll')
    const most = APPLIANCES * (lasted / POLL_MS + 1)
    polls.length.should.be.belowOrEqual(most).and.be.above(0.6 * most)
    for (const { name } of fleet.appliances) {
      const sessions = records.filter(({ appliance }) => appliance === name)
      new Set(sessions.map(({ session }) => session)).size.should.equal(1, name)
    }
    new Set(polls.map(({ client }) => client)).size.should.equal(3)
    ;(await fleet.openSessions()).should.equal(APPLIANCES)
  })

  it(`2 and 10: kill -9 of one while ${COMMANDS} commands are sent: all that it had is polled by others within TTL + 10 s, and no command is lost or carried out twice`, async () => {
    const first = fleet.commands.size
    const count = (): number => fleet.commands.size - first
    const end = fleet.send(one, { everyMs: 5 })
    await until(() => count() > COMMANDS / 4, 'a part of the commands')
    fleet.happens('kill', three)
    await three.kill()
    await until(() => count() >= COMMANDS, 'all commands')
    await end()
    await settled()
    await fleet.answers(ANSWERED_WITHIN_MS)

    const kill = await lastEvent()
    kill.moved.should.be.above(0)
    kill.missing.should.equal(0)
    kill.takenAfter.longest.should.be.belowOrEqual(TAKEOVER_MS)
    kill.stayingLongest.should.be.belowOrEqual(POLL_MS + LATE_MS)
    const { commands, sessions } = await account()
    sessions.most.should.be.belowOrEqual(2)
    commands.should.containEql({ twice: [], claimed: [], denied: [], unanswered: [], astray: [] })
    for (const { code, applied } of fleet.commands.values()) {
      if (code !== 'ok') should([code, applied]).eql(['OUTCOME_UNKNOWN', 'maybe'])
    }
  })

  /** Two changes of a route of an appliance that this one owns, of which the first gets no response. */
  async function queueWrites(instance: Instance): Promise<number> {
    const [appliance] = (await ownedBy(instance)) as [string]
    const simulator = `${addressOf(appliance)}/simulator`
    const fault = { kind: 'hang', match: CHANGES, times: 1 }
    await fetch(`${simulator}/faults`, { method: 'POST', body: JSON.stringify(fault) })
    await fleet.give(instance, appliance, { isOnce: false })
    await until(async () => {
      const { faults } = (await (await fetch(simulator)).json()) as Faults
      return faults.some(({ struck }) => struck === 1)
    }, 'the change that gets no response')
    const queued = await fleet.give(instance, appliance, { isOnce: false })
    await pause(200)
    return queued
  }

  /** Nothing that waited in the instance since then is sent when it goes on. */
  async function sendsNothing(instance: Instance, since: number, queued: number): Promise<void> {
    const { named: _, ...answer } = await answerTo(queued)
    answer.should.containEql({ number: queued, applied: 'no' })
    const records = await received(since)
    records.filter(({ command }) => command === queued).should.eql([])
    const event = await lastEvent()
    event.client.should.equal(instance.client)
    event.moved.should.be.above(0)
    event.missing.should.equal(0)
  }

  it('4: SIGSTOP for two TTL with a change in the queue: it is not sent after SIGCONT', async () => {
    const queued = await queueWrites(two)
    sendThrough(one)
    fleet.happens('freeze', two)
    two.freeze()
    const since = Date.now()
    await pause(2 * TTL_MS)
    two.thaw()
    await sendsNothing(two, since, queued)
    await settled(two)
    await lastEvent()
  })

  it('11: an event loop that is blocked for 1.5 TTL, with a change in the queue: it is not sent afterwards', async () => {
    const queued = await queueWrites(three)
    sendThrough(one)
    fleet.happens('block', three)
    const since = Date.now()
    await three.ask('block', 1.5 * TTL_MS)
    await sendsNothing(three, since, queued)
    await settled(three)
    await lastEvent()
  })

  it('5: one that is cut from the engine stops before 0.9 TTL, and the others begin after it', async () => {
    sendThrough(one, two)
    const link = links.get(two.name)!
    const owned = await ownedBy(two)
    fleet.happens('cut from the engine', two)
    const at = Date.now()
    link.set('silent')
    await until(async () => {
      const owners = await division()
      return owned.every((name) => owners.get(name) !== two.client)
    }, 'the takeover')
    const late = (await received(at + FENCE_MS)).filter(({ client }) => client === two.client)
    late.should.eql([])
    const event = await lastEvent()
    event.missing.should.equal(0)
    event.moved.should.equal(owned.length)
    event.takenAfter.longest.should.be.belowOrEqual(TAKEOVER_MS)
    link.set('open')
    await settled(two)
    await endSenders()
    await lastEvent()
  })

  for (const { title, isLong, away, lasts, back } of [
    {
      title: '7: the engine is away for three TTL',
      isLong: true,
      away: async (): Promise<void> => nats.pause(),
      lasts: 3 * TTL_MS,
      back: async (): Promise<void> => nats.resume(),
    },
    {
      title: '7: the engine is killed, and back after one and a half TTL',
      isLong: true,
      away: (): Promise<void> => nats.kill(),
      lasts: 1.5 * TTL_MS,
      back: (): Promise<void> => nats.start(),
    },
    {
      title: '7: the engine is killed, and comes back empty',
      isLong: false,
      away: (): Promise<void> => nats.kill(),
      lasts: 0,
      back: (): Promise<void> => nats.start(true),
    },
    {
      title: '7: the disk of the engine is full for two TTL',
      isLong: true,
      away: (): Promise<void> => fillDisk({ url: nats.url, account: ACCOUNT }),
      lasts: 2 * TTL_MS,
      back: (): Promise<void> => freeDisk({ url: nats.url, account: ACCOUNT }),
    },
  ]) {
    it(`${title}: all stop, say so once, and go on with one owner each`, async () => {
      const all = [one, two, three]
      const before = { lost: await toldBy(all, LOST), back: await toldBy(all, BACK) }
      const isMore = (counts: number[], than: number[]): boolean =>
        counts.every((count, place) => count > than[place]!)
      sendThrough(one, two)
      for (const instance of all) fleet.happens('engine away', instance)
      await away()
      const at = Date.now()
      await pause(lasts)
      if (isLong) {
        for (const instance of all) {
          const [gateway] = (await instance.get('media-gateway/gateways')) as [Listed]
          should(gateway.error?.code).equal('UNAVAILABLE')
        }
        should(await toldBy(all, LOST)).eql(before.lost.map((count) => count + 1))
        should(await toldBy(all, BACK)).eql(before.back)
      }
      const backAt = Date.now()
      await back()
      await until(
        async () => isMore(await toldBy(all, BACK), before.back),
        'the engine',
        SETTLED_WITHIN_MS,
      )
      await settled()
      await endSenders()
      // Each loss has its return: a busy machine may have added one.
      const lost = await toldBy(all, LOST)
      should(isMore(lost, before.lost)).equal(true)
      should(await toldBy(all, BACK)).eql(lost)
      const meanwhile = (await received(at + FENCE_MS)).filter((record) => record.at < backAt)
      meanwhile.should.eql([])
      await lastEvent()
    })
  }

  it('9: a fourth instance gets the quarter that falls to it, and nothing else moves', async () => {
    const before = await division()
    await four.start()
    fleet.happens('join', four)
    await settled(four)
    const after = await division()
    const names = [one, two, three, four].map(({ name }) => name)
    for (const [name, owner] of after) {
      // As its inventory says: ownership does not go by the name.
      const isItsPart = instanceFor(slotOf(`the gateway ${name}`), names) === four.name
      should(owner).equal(isItsPart ? four.client : before.get(name), name)
    }
    const join = await lastEvent()
    join.moved.should.be.above(0).and.be.below(APPLIANCES / 2)
    join.moved.should.equal((await ownedBy(four)).length)
    // It is handed over, and does not lapse.
    join.pause.longest.should.be.belowOrEqual(TTL_MS)
    join.stayingLongest.should.be.belowOrEqual(POLL_MS + LATE_MS)
  })

  it('3 and 9: SIGTERM of the fourth: logged out everywhere within 2 s, and only its part moves', async () => {
    const before = await division()
    const since = Date.now()
    fleet.happens('leave', four)
    const took = await four.stop()
    await settled()
    const after = await division()
    for (const [name, owner] of after) {
      if (before.get(name) === four.client) should(owner).not.equal(four.client)
      else should(owner).equal(before.get(name), name)
    }
    const { records } = await fleet.evidence(Date.now())
    const own = records.filter(({ client }) => client === four.client)
    const ended = own.filter(({ kind }) => kind === 'logout')
    new Set(ended.map(({ session }) => session)).size.should.equal(
      new Set(own.map(({ session }) => session)).size,
    )
    Math.max(...ended.map(({ at }) => at - since)).should.be.below(2000)
    // Node.js needs its time to end as well.
    took.should.be.below(2000 + LATE_MS)
    const leave = await lastEvent()
    leave.missing.should.equal(0)
    leave.pause.longest.should.be.belowOrEqual(2000 + 2 * POLL_MS + LATE_MS)
    leave.stayingLongest.should.be.belowOrEqual(POLL_MS + LATE_MS)
  })

  it('6: one that is cut from its appliances keeps them, and goes on when the way is back', async () => {
    const owned = await ownedBy(two)
    const at = Date.now()
    for (const way of ways.values()) way.set('cut')
    await pause(2 * TTL_MS)
    const theirs = await ownedAsTold(two)
    for (const way of ways.values()) way.set('open')
    should(theirs).equal(owned.length)
    await settled()
    const records = (await received(at)).filter(({ appliance }) => owned.includes(appliance))
    records.filter(({ client }) => client !== two.client).should.eql([])
    should((await ownedBy(two)).toSorted()).eql(owned.toSorted())
    await noDoubles()
    // One stays cut off from now on.
    cutOff = { name: owned[0]!, at: Date.now() }
    ways.get(addressOf(cutOff.name))!.set('cut')
  })

  /** What the second instance works for, and cannot reach. */
  let cutOff = { name: '', at: 0 }
  const reachable = (): Row[] => fleet.appliances.filter(({ name }) => name !== cutOff.name)

  /** How many appliances it works for, as it says itself. */
  async function ownedAsTold(instance: Instance): Promise<number | undefined> {
    const gateways = (await instance.get('media-gateway/gateways')) as Listed[]
    return gateways.find(({ id }) => id === 'gateway')?.inventory?.owned
  }

  it('8: a clock that is set back by an hour, and forth again, changes nothing', async () => {
    const before = await division()
    const lost = await toldBy([one, two, three], LOST)
    for (const shift of [-3_600_000, 0]) {
      const since = Date.now()
      await two.ask('shiftClock', shift)
      await pause(TTL_MS)
      should([...(await division())]).eql([...before])
      const records = (await received(since)).filter(({ appliance }) => appliance !== cutOff.name)
      records.filter(({ kind }) => kind === 'login' || kind === 'logout').should.eql([])
      for (const { name } of reachable()) {
        const polls = records.filter(({ appliance, kind }) => appliance === name && kind === 'poll')
        polls.should.not.be.empty()
        const pauses = polls.map(({ at }, place) => at - (polls[place - 1]?.at ?? since))
        Math.max(...pauses).should.be.belowOrEqual(POLL_MS + LATE_MS, name)
      }
    }
    should(await toldBy([one, two, three], LOST)).eql(lost)
  })

  it('an error on another instance reaches the Catch node of the sender with all that is known', async () => {
    const [appliance] = (await ownedBy(three)) as [string]
    const failing = async (isOnce: boolean, msg: object): Promise<Given> =>
      answerTo(await fleet.give(one, appliance, { isOnce, msg }))
    const named = { gateway: { id: 'gateway', name: 'Fleet' }, appliance }
    const missing = await failing(false, { routeName: 'No such route' })
    missing.should.containEql({ code: 'NOT_FOUND', applied: 'no' })
    should(missing.named).eql(named)
    const invalid = await failing(true, { payload: { name: 7 } })
    invalid.should.containEql({ code: 'INVALID_INPUT', applied: 'no' })
    should(invalid.named).eql(named)

    await setReadOnly(three, true, appliance)
    const refused = await failing(false, {})
    refused.should.containEql({ code: 'READ_ONLY', applied: 'no' })
    should(refused.named).eql(named)
    await setReadOnly(three, false, appliance)
    const carriedOut = await failing(false, {})
    should(carriedOut.code).equal('ok')
    await noDoubles()
  })

  /** By a deploy. @returns when the instance polls the appliance again */
  async function setReadOnly(
    instance: Instance,
    readOnly: boolean,
    appliance: string,
  ): Promise<void> {
    const flow = (await instance.get('flows')) as Array<{ id: string }>
    await instance.deploy(
      flow.map((node) => (node.id === 'gateway' ? { ...node, readOnly } : node)),
    )
    const since = Date.now()
    await until(async () => {
      const polls = await fleet.latest()
      const { client, at = 0 } = polls.find(({ name }) => name === appliance)!
      return client === instance.client && at > since
    }, 'its first poll after the deploy')
  }

  it('of an inventory that changes, only what changed moves', async () => {
    const [gone, moved] = reachable().map(({ name }) => name) as [string, string]
    const way = await tools.startCut(Number(new URL(addressOf(moved)).port))
    const present = fleet.appliances
      .filter(({ name }) => name !== gone)
      .map((row) => (row.name === moved ? { ...row, url: `http://127.0.0.1:${way.port}` } : row))
    const sessions = await sessionsNow()
    const owners = await division()
    await fleet.writeInventories(present)
    await until(async () => {
      const now = await sessionsNow()
      return !now.has(gone) && now.has(moved) && now.get(moved) !== sessions.get(moved)
    }, 'the change')
    const after = await sessionsNow()
    for (const { name } of reachable().filter((row) => ![gone, moved].includes(row.name))) {
      should(after.get(name)).equal(sessions.get(name), name)
    }
    should((await division()).get(moved)).equal(owners.get(moved))
    const logouts = (await fleet.evidence(Date.now())).records.filter(
      ({ kind }) => kind === 'logout',
    )
    for (const name of [gone, moved]) {
      logouts.some(({ session }) => session === sessions.get(name)).should.equal(true, name)
    }
    await fleet.writeInventories(fleet.appliances)
    await until(
      async () => (await sessionsNow()).size === reachable().length,
      'the former inventory',
    )
    await noDoubles()
  })

  /** The session in which each appliance is polled; none where it is not. */
  async function sessionsNow(): Promise<Map<string, string | undefined>> {
    const records = await received(Date.now() - POLL_MS - LATE_MS)
    const ended = new Set(
      records.filter(({ kind }) => kind === 'logout').map(({ session }) => session),
    )
    const polls = records.filter(({ kind, session }) => kind === 'poll' && !ended.has(session))
    return new Map(polls.map(({ appliance, session }) => [appliance, session]))
  }

  it('7: of a cluster of three servers one is killed: nothing is lost', async () => {
    const servers = await startCluster()
    try {
      const other = await tools.startFleet({
        engine: { servers: servers.map(({ url }) => url).join(',') },
        appliances: 8,
        instances: 2,
        routes: 2,
        ttl: TTL,
        interval: INTERVAL,
        replicas: 3,
      })
      const both = other.instances
      await Promise.all(both.map((instance) => instance.start()))
      const within = SETTLED_WITHIN_MS
      should(await other.settle({ within })).equal(true)
      for (const instance of both) senders.push(other.send(instance, { everyMs: 100 }))
      // It may have led the others: until they have a new leader, nothing can be renewed.
      for (const instance of both) other.happens('server killed', instance)
      await servers[0]!.kill()
      await pause(2 * TTL_MS)
      await Promise.all(senders.splice(0).map((end) => end()))
      should(await other.settle({ within })).equal(true)
      await other.answers(ANSWERED_WITHIN_MS)
      const end = Date.now()
      await Promise.all(both.map((instance) => instance.stop()))
      const found = tools.accountOf(await other.evidence(end))
      tools.brokenPromises(found, { ttlMs: TTL_MS, isSteady: false }).should.eql([])
      should(found.commands['carriedOut']).be.above(0)
      ;(await other.openSessions()).should.equal(0)
    } finally {
      await Promise.all(servers.map((server) => server.remove()))
    }
  })

  it('6: what it cannot reach for 30 s it calls unreachable, and nobody else tries', async () => {
    const event = 'appliance.unreachable'
    await until(
      async () => (await toldBy([two], event))[0]! > 0,
      'the event',
      cutOff.at + OUTAGE_MS + 2 * TTL_MS - Date.now(),
    )
    should(await toldBy([one, two, three], event)).eql([0, 1, 0])
    const records = await received(cutOff.at + LATE_MS)
    records.filter(({ appliance }) => appliance === cutOff.name).should.eql([])
  })

  it('3: all instances end, nothing is left, and nothing was ever done twice', async () => {
    const end = Date.now()
    await Promise.all(fleet.living().map((instance) => instance.stop()))
    const found = tools.accountOf(await fleet.evidence(end))
    tools.brokenPromises(found, { ttlMs: TTL_MS, isSteady: false }).should.eql([])
    ;(await fleet.openSessions()).should.equal(0)
  })
})

interface Faults {
  faults: Array<{ struck: number }>
}

interface Listed {
  id: string
  error?: { code: string }
  inventory?: { owned: number }
}
