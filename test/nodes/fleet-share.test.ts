// A fleet whose ownership moves, with a share that is moved by hand.
import should from 'should'
import { GatewayError, say } from '../../client/errors'
import { openConnection } from '../../client/connection/connection'
import { watchDevice } from '../../client/watch/registry'
import type { UsableRow } from '../../client/fleet/inventory'
import type { Gathering, Share, ShareFollower, ShareMemory } from '../../client/fleet/types'
import { settingsOf } from '../../client/watch/report/subscription'
import { createFleet, type OwnFleet } from '../../nodes/gateway/fleet/fleet'
import type { Appliance, Follower } from '../../nodes/runtime/gateway-node'
import { startSimulator, type Simulator } from '../../simulator'
import { pause, until } from '../support/until'

const ACCOUNT = { username: 'haiadmin', password: 'manager' }

/** Owns what it is told to. */
class Moved implements Share {
  readonly owned = new Set<string>()
  mayNot = new Set<string>()
  follower!: ShareFollower
  isClosed = false

  owns = (name: string): boolean => this.owned.has(name)
  maySend = (name: string): boolean => !this.mayNot.has(name)
  take(...names: string[]): void {
    for (const name of names) this.owned.add(name)
    this.follower.onTaken()
  }
  give(...names: string[]): Promise<void> {
    for (const name of names) this.owned.delete(name)
    return this.follower.onGiving((name) => names.includes(name))
  }
  close(): Promise<void> {
    this.isClosed = true
    return Promise.resolve()
  }
}

describe('a fleet whose ownership moves', () => {
  let simulators: Simulator[]
  let share: Moved
  let fleet: OwnFleet
  let told: string[]
  let logged: string[]
  let ends: Map<Appliance, () => void>

  const row = (name: string, { url }: Simulator, more: object = {}): UsableRow => ({
    name,
    baseUrl: url,
    ...ACCOUNT,
    ...more,
  })
  const follower: Follower = {
    added(appliance) {
      told.push(`+${appliance.appliance}`)
      const end = watchDevice(appliance.client(), { onEvents: () => undefined })
      ends.set(appliance, end)
    },
    removed(appliance) {
      told.push(`-${appliance.appliance}`)
      ends.get(appliance)?.()
    },
  }
  const codeOf = (name: string): string => {
    try {
      fleet.find(name).client()
      return 'found'
    } catch (error) {
      return (error as GatewayError).code
    }
  }

  beforeEach(async () => {
    simulators = await Promise.all([0, 1].map(() => startSimulator({ routes: 1 })))
    share = new Moved()
    told = []
    logged = []
    ends = new Map()
    fleet = newFleet()
  })

  function newFleet(): OwnFleet {
    const made = createFleet({
      node: { id: 'gateway', name: 'sites' },
      readOnly: false,
      ready: Promise.resolve(),
      openShare(by) {
        share.follower = by
        return share
      },
      open: ({ baseUrl, username = '', password = '' }, node, ownership) =>
        openConnection({ baseUrl, username, password, node, ...ownership, pollInterval: 1000 }),
      secretPrefix: () => 'SRT_',
      note: () => undefined,
      language: 'en-US',
      log: (_, text) => logged.push(text),
    })
    const [one, two] = simulators as [Simulator, Simulator]
    made.update({ rows: [row('one', one), row('two', two)], faults: [] })
    return made
  }

  afterEach(async () => {
    await fleet.close()
    share.isClosed.should.be.true()
    for (const simulator of simulators) {
      simulator.openSessions.should.equal(0)
      await until(() => simulator.openSockets === 0)
      await simulator.stop()
    }
  })

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
    const command = { appliance: 'one', writes: true, from: 'two', body: { type: 'none' } }
    let answered: GatewayError | undefined
    const answer = share.follower.carryOut(command).catch((error: GatewayError) => {
      answered = error
    })
    await pause(50)
    should(answered).be.undefined()
    over()
    await given
    await answer
    should(answered).match({ code: 'CONFIG', message: /another version/ })
    await until(() => told.length === 3)
    told.should.eql(['+one', '-one', '+one'])
    unfollow()
    one.logins.should.equal(0)
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
    // As a lease does: what is given is an appliance, whatever its name.
    const { keyOf } = share.follower
    const key = keyOf!('two')
    let isGiven = false
    const given = share.follower
      .onGiving((name) => keyOf!(name) === key)
      .then(() => {
        isGiven = true
      })
    await pause(50)
    told.should.eql(['one'])
    isGiven.should.be.false()
    over()
    await given
    unfollow()
  })

  it('sends nothing while the share may not', async () => {
    const [one] = simulators as [Simulator]
    share.take('one')
    share.mayNot.add('one')
    const connection = fleet.find('one').client()
    const call = connection.call({ method: 'GET', path: '/api/devices' }, { name: 'x' } as never)
    await should(call).be.rejectedWith({ code: 'UNAVAILABLE' })
    one.journal.should.have.length(0)
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
      node: { id: 'other', name: 'other' },
      readOnly: false,
      ready: Promise.resolve(),
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
    const digest = share.follower.inventory!()
    fleet.update({ rows: [row('two', two), row('one', one)], faults: [] })
    should(share.follower.inventory!()).equal(digest)
    fleet.update({ rows: [row('one', one)], faults: [] })
    should(share.follower.inventory!()).not.equal(digest)
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

  const away = (): GatewayError => new GatewayError('UNAVAILABLE', 'no answer')

  describe('with what is open in the memory of the fleet', () => {
    const since = Date.now() - 60_000
    const settings = settingsOf({ onEvents: () => undefined })
    const lost = { [settings]: { unreachableSince: since } }
    /** By the appliances, as JSON and with the token that it came with. */
    let kept: Map<string, { memory?: object; token: number }>
    let seen: string[]
    let failed: number
    let reads: string[]
    let writes: number
    let token: number
    let isSlow: boolean
    let isUnreadable: boolean
    let isFull: boolean
    const memory: ShareMemory = {
      async read(of, name) {
        of.should.equal('watch')
        reads.push(name)
        if (isUnreadable) throw away()
        return kept.get(name)
      },
      async write(of, name, open, by) {
        of.should.equal('watch')
        writes++
        if (isFull) throw away()
        if (isSlow) await pause(200)
        const { token: present = 0 } = kept.get(name) ?? {}
        if (present > by) return false
        const text = JSON.stringify(open)
        kept.set(name, { ...(text && { memory: JSON.parse(text) as object }), token: by })
        return true
      },
    }
    const openOn = (name: string): object => kept.get(name)?.memory ?? {}
    const watching: Follower = {
      added(appliance) {
        const end = watchDevice(appliance.client(), {
          onEvents: (found) => void seen.push(...found.map(({ event }) => event)),
          onHealth({ failure }) {
            if (failure) failed++
          },
        })
        ends.set(appliance, end)
      },
      removed: (appliance) => ends.get(appliance)?.(),
    }

    beforeEach(async () => {
      await fleet.close()
      kept = new Map()
      seen = []
      failed = 0
      reads = []
      writes = 0
      token = 1
      isSlow = false
      isUnreadable = false
      isFull = false
      share = Object.assign(new Moved(), { memory, token: () => token })
      fleet = newFleet()
    })

    it('an owner reads it once for each appliance, and writes nothing where nothing is open', async () => {
      fleet.follow(watching)
      fleet.follow(follower)
      share.take('one', 'two')
      await until(() => simulators.every(({ openSessions }) => openSessions === 1))
      await until(() => simulators.every(({ journal }) => journal.length > 4))
      reads.sort().should.eql(['one', 'two'])
      await share.give('one')
      share.take('one')
      await until(() => simulators[0]!.openSessions === 1)
      reads.at(-1)!.should.equal('one')
      reads.should.have.length(3)
      writes.should.equal(0)
    })

    it('an outage that the former owner has reported is ended by the next one', async () => {
      kept.set('one', { memory: lost, token: 4 })
      token = 5
      fleet.follow(watching)
      share.take('one')
      await until(() => seen.length > 0)
      seen.should.eql(['appliance.reachable'])
      await until(() => kept.get('one')!.token === 5)
      should(openOn('one')).eql({})
    })

    it('stays, with the token of the new owner, for as long as it is open', async () => {
      const [one] = simulators as [Simulator]
      one.fault({ kind: 'status', status: 503 })
      kept.set('one', { memory: lost, token: 4 })
      token = 5
      fleet.follow(watching)
      share.take('one')
      await until(() => failed > 0)
      await until(() => kept.get('one')!.token === 5)
      seen.should.eql([])
      should(openOn('one')).eql(lost)
      one.clearFaults()
      await until(() => seen.length > 0)
      seen.should.eql(['appliance.reachable'])
      await until(() => Object.keys(openOn('one')).length === 0)
    })

    it('incidents go on at the next owner, told once, and are there before it begins', async () => {
      const [one] = simulators as [Simulator]
      const reported: string[] = []
      fleet.follow({
        added(appliance) {
          const end = watchDevice(appliance.client(), {
            report: 'incidents',
            holdFor: 0,
            onEvents: (found) =>
              void reported.push(...found.map(({ event, incident }) => `${event} ${incident!.id}`)),
          })
          ends.set(appliance, end)
        },
        removed: (appliance) => ends.get(appliance)?.(),
      })
      share.take('one')
      await until(() => reads.length === 1)
      isSlow = true
      one.startRoute(one.routes[0]!.id)
      await one.settle()
      one.fail(one.routes[0]!.name, { source: 'no-data' })
      await until(() => reported.length > 0)
      await share.give('one')
      const [begun] = reported as [string]
      JSON.stringify(openOn('one')).should.containEql(begun.replace('incident.begun ', ''))
      token = 2
      share.take('one')
      await until(() => kept.get('one')!.token === 2)
      reported.should.have.length(1)
      one.fail(one.routes[0]!.name, { source: 'ok' })
      await until(() => reported.length > 1)
      reported.should.eql([begun, begun.replace('begun', 'ended')])
      await until(() => Object.keys(openOn('one')).length === 0)
    })

    it('that cannot be read is left as it is, and gone on with as soon as it can be', async () => {
      kept.set('one', { memory: lost, token: 4 })
      token = 5
      isUnreadable = true
      fleet.follow(watching)
      share.take('one')
      await until(() => reads.length > 4)
      reads.slice(0, 3).should.eql(['one', 'one', 'one'])
      seen.should.eql([])
      should(kept.get('one')).eql({ memory: lost, token: 4 })
      logged.filter((line) => /cannot be read/.test(line)).should.have.length(1)
      isUnreadable = false
      await until(() => seen.length > 0)
      seen.should.eql(['appliance.reachable'])
      await until(() => Object.keys(openOn('one')).length === 0)
    })

    it('that cannot be written is said once, tried again, and written when the appliance is given', async () => {
      const [one] = simulators as [Simulator]
      kept.set('one', { memory: lost, token: 4 })
      token = 5
      isFull = true
      one.fault({ kind: 'status', status: 503 })
      fleet.follow(watching)
      share.take('one')
      await until(() => writes > 1)
      logged.filter((line) => /cannot be written/.test(line)).should.have.length(1)
      isFull = false
      await share.give('one')
      should(kept.get('one')).eql({ memory: lost, token: 5 })
    })
  })

  describe('with events and states on the engine', () => {
    interface State {
      isUp: boolean | null
      owner: string | null
      isRemoved?: boolean
      snapshot?: { routes: object[] }
    }
    let events: string[]
    let states: Map<string, State>
    let beats: Array<{ owner: string; appliances: number }>
    let isAway: boolean
    let isSlow: boolean
    let asked: number
    const gathering: Gathering = {
      beatMs: 50,
      publish: async (name, { event }) => void events.push(`${name} ${event}`),
      async show(name, state) {
        asked++
        if (isAway) throw away()
        if (isSlow) await pause(200)
        states.set(name, JSON.parse(JSON.stringify(state)) as State)
        return true
      },
      async beat(owner, facts) {
        beats.push({ owner, ...facts } as never)
      },
    }

    beforeEach(async () => {
      await fleet.close()
      events = []
      states = new Map()
      beats = []
      isAway = false
      isSlow = false
      asked = 0
      share = Object.assign(new Moved(), { gathering, token: () => 1 })
      fleet = newFleet()
    })

    const isBeating = (owner: unknown): boolean => beats.at(-1)?.owner === owner

    it('each state names an owner that beats, with the number of its appliances', async () => {
      await pause(100)
      beats.should.eql([])
      share.take('one', 'two')
      await until(() => states.size === 2 && beats.length > 2)
      const owners = [...states.values()].map(({ owner }) => owner)
      new Set([...owners, ...beats.map(({ owner }) => owner)]).size.should.equal(1)
      beats.at(-1)!.should.containEql({ appliances: 2 })
      beats[0]!.should.not.have.property('snapshot')
      const { isUp, snapshot } = states.get('one')!
      ;[isUp, snapshot!.routes.length].should.eql([true, 1])
      await share.give('one')
      await until(() => beats.at(-1)!.appliances === 1)
    })

    it('what is given away is unknown, and what has left the inventory says so', async () => {
      const [one] = simulators as [Simulator]
      share.take('one', 'two')
      await until(() => states.size === 2)
      isSlow = true
      await share.give('one')
      states.get('one')!.should.containEql({ isUp: null, owner: null })
      states.get('one')!.should.not.have.properties(['snapshot', 'isRemoved'])
      states.get('two')!.should.containEql({ isUp: true })
      fleet.update({ rows: [row('one', one)], faults: [] })
      await until(() => states.get('two')!.isUp === null)
      states.get('two')!.should.containEql({ owner: null, isRemoved: true })
    })

    it('what could not be taken back is tried again, for as long as its owner beats', async () => {
      share.take('one')
      await until(() => states.get('one')?.isUp === true)
      const { owner } = states.get('one')!
      isAway = true
      await share.give('one')
      states.get('one')!.should.containEql({ isUp: true, owner })
      isBeating(owner).should.be.true()
      isAway = false
      await until(() => states.get('one')!.isUp === null)
    })

    it('an owner that has lost the engine beats no more: what it has shown is not of now', async () => {
      share.take('one')
      await until(() => states.get('one')?.isUp === true && beats.length > 0)
      const { owner } = states.get('one')!
      isAway = true
      await share.give('one')
      share.follower.onEngine({ isUp: false, at: Date.now() })
      isAway = false
      const count = beats.length
      await pause(150)
      beats.should.have.length(count)
      states.get('one')!.should.containEql({ isUp: true, owner })
      share.take('one')
      share.follower.onEngine({ isUp: true, at: Date.now() })
      await until(() => states.get('one')!.owner !== owner && beats.length > count)
      isBeating(states.get('one')!.owner).should.be.true()
    })

    it('an appliance that does not respond is not up', async () => {
      const [one] = simulators as [Simulator]
      share.take('one')
      await until(() => states.get('one')?.isUp === true)
      one.fault({ kind: 'status', status: 503 })
      await until(() => states.get('one')!.isUp === false)
      one.clearFaults()
      await until(() => states.get('one')!.isUp === true)
    })

    it('events are there before the appliance is given', async () => {
      const [one] = simulators as [Simulator]
      share.take('one')
      await until(() => states.has('one'))
      one.removeRoute(one.routes[0]!.id)
      await until(() => events.includes('one route.removed'))
      await until(() => states.get('one')!.snapshot!.routes.length === 0)
    })

    it('an engine that takes none is named once, for all appliances, and so is that it does again', async () => {
      share.take('one', 'two')
      await until(() => states.size === 2)
      for (const simulator of simulators) simulator.removeRoute(simulator.routes[0]!.id)
      logged.length = 0
      isAway = true
      asked = 0
      await until(() => asked >= 6)
      logged.should.have.length(1)
      logged[0]!.should.match(/cannot be published .*about "(one|two)": no answer/)
      isAway = false
      await until(() => logged.length > 1)
      logged.slice(1).should.eql(['Events and states are published on the engine again.'])
    })
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
