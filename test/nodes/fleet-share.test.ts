// A fleet whose ownership moves, with a share that is moved by hand.
import should from 'should'
import { GatewayError, openConnection, say, watchDevice } from '../../client/internal'
import type { UsableRow } from '../../client/fleet/inventory'
import type { Gathering, Share, ShareFollower } from '../../client/fleet/types'
import { settingsOf } from '../../client/watch/subscription'
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
    logged.should.eql(['Inventory: 0 added, 1 changed, 1 removed.'])
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

  describe('with pictures', () => {
    /** What is told, and how often a picture is read. */
    let events: string[]
    let reads: string[]
    let pictures: Map<string, { snapshot?: { routes: object[] }; open?: object; isUp?: boolean }>
    let isSlow = false
    /** What the engine refuses. */
    let isAway: boolean
    let isUnreadable: boolean
    let keeps: number
    let mostTold: number

    const away = (): GatewayError => new GatewayError('UNAVAILABLE', 'no answer')
    const settings = settingsOf({ onEvents: () => undefined })
    const toldIn = (picture: object): number => JSON.stringify(picture).split('"told":').length - 1

    const gathering: Gathering = {
      publish: (name, { event }) => void events.push(`${name} ${event}`),
      async keep(name, whole, _, shorter) {
        keeps++
        if (isAway) throw away()
        const isWhole = toldIn(whole) <= mostTold
        const picture = isWhole ? whole : shorter!
        if (isSlow) await new Promise((resolve) => setTimeout(resolve, 200))
        const present = JSON.parse(JSON.stringify(picture)) as object
        pictures.set(name, { ...pictures.get(name), ...present })
        return isWhole
      },
      async read(name) {
        reads.push(name)
        if (isUnreadable) throw away()
        const picture = pictures.get(name)
        return picture && { picture, token: 1 }
      },
    }

    beforeEach(async () => {
      await fleet.close()
      events = []
      reads = []
      pictures = new Map()
      isSlow = false
      isAway = false
      isUnreadable = false
      keeps = 0
      mostTold = 1
      share = Object.assign(new Moved(), { gathering, token: () => 1 })
      fleet = newFleet()
    })

    it('an owner reads the picture of each appliance once, whoever watches it', async () => {
      fleet.follow(follower)
      share.take('one', 'two')
      await until(() => pictures.size === 2)
      reads.sort().should.eql(['one', 'two'])
      await share.give('one')
      share.take('one')
      await until(() => reads.length === 3)
      await until(() => simulators[0]!.openSessions === 1)
      reads.at(-1)!.should.equal('one')
    })

    it('an outage that the former owner has reported is ended by the next one', async () => {
      share.take('one')
      await until(() => pictures.has('one'))
      const { open } = pictures.get('one')!
      should(open).eql({})
      await share.give('one')
      // The former owner has reported an outage, and seen nothing since.
      const since = Date.now() - 60_000
      pictures.get('one')!.open = { [settings]: { unreachableSince: since } }
      events = []
      share.take('one')
      await until(() => events.length > 0)
      events.should.eql(['one appliance.reachable'])
      await until(() => Object.keys(pictures.get('one')!.open!).length === 0)
    })

    it('the latest picture is written before the appliance is given', async () => {
      const [one] = simulators as [Simulator]
      share.take('one')
      await until(() => pictures.has('one'))
      isSlow = true
      const { id } = one.routes.find(({ state }) => state === 'running') ?? one.routes[0]!
      one.removeRoute(id)
      await until(() => events.includes('one route.removed'))
      await share.give('one')
      pictures.get('one')!.snapshot!.routes.should.have.length(one.routes.length)
    })

    describe('of which a watch node has the same settings as the pictures,', () => {
      let seen: string[]
      let failed: number
      let unfollow: () => void
      const since = Date.now() - 60_000
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

      beforeEach(() => {
        seen = []
        failed = 0
        unfollow = () => undefined
        pictures.set('one', { open: { [settings]: { unreachableSince: since } } })
      })
      afterEach(() => unfollow())

      for (const isLate of [false, true]) {
        const when = isLate ? 'and begins a moment later' : 'and begins with them'

        it(`both report the end of an outage at the first poll, ${when}`, async () => {
          if (!isLate) unfollow = fleet.follow(watching)
          share.take('one')
          if (isLate) {
            await until(() => events.length > 0)
            unfollow = fleet.follow(watching)
          }
          await until(() => events.length > 0 && seen.length > 0)
          events.should.eql(['one appliance.reachable'])
          seen.should.eql(['appliance.reachable'])
        })

        it(`neither reports its beginning again, both its end, ${when}`, async () => {
          const [one] = simulators as [Simulator]
          one.fault({ kind: 'status', status: 503 })
          if (!isLate) unfollow = fleet.follow(watching)
          share.take('one')
          await until(() => keeps > 0)
          if (isLate) unfollow = fleet.follow(watching)
          await until(() => failed > 0 || isLate)
          await pause(100)
          ;[events, seen].should.eql([[], []])
          pictures.get('one')!.open!.should.eql({ [settings]: { unreachableSince: since } })
          one.clearFaults()
          await until(() => events.length > 0 && seen.length > 0)
          events.should.eql(['one appliance.reachable'])
          seen.should.eql(['appliance.reachable'])
        })
      }

      it('both report it as soon as the picture can be read, which stays as it is until then', async () => {
        isUnreadable = true
        unfollow = fleet.follow(watching)
        share.take('one')
        await until(() => pictures.get('one')!.snapshot !== undefined)
        reads.slice(0, 3).should.eql(['one', 'one', 'one'])
        ;[events, seen].should.eql([[], []])
        should(pictures.get('one')!.open).have.property(settings)
        isUnreadable = false
        await until(() => events.length > 0 && seen.length > 0)
        events.should.eql(['one appliance.reachable'])
        seen.should.eql(['appliance.reachable'])
        await until(() => Object.keys(pictures.get('one')!.open!).length === 0)
      })
    })

    it('an engine that takes none is named once, for all appliances, and so is that it does again', async () => {
      share.take('one', 'two')
      await until(() => pictures.size === 2)
      for (const simulator of simulators) simulator.removeRoute(simulator.routes[0]!.id)
      logged.length = 0
      isAway = true
      keeps = 0
      await until(() => keeps >= 6)
      logged.should.have.length(1)
      logged[0]!.should.match(/cannot be written, among them that of "(one|two)": no answer/)
      isAway = false
      await until(() => logged.length > 1)
      logged.slice(1).should.eql(['The pictures on the engine can be read and written again.'])
    })

    it('a picture that was not taken is written when the appliance is given', async () => {
      const [one] = simulators as [Simulator]
      share.take('one')
      await until(() => pictures.has('one'))
      isAway = true
      keeps = 0
      one.removeRoute(one.routes[0]!.id)
      await until(() => keeps === 1)
      await pause(10)
      isAway = false
      await share.give('one')
      keeps.should.equal(2)
      pictures.get('one')!.snapshot!.routes.should.eql([])
    })

    it('a picture that is too large is kept without the changes on hold, which is said once', async () => {
      const [one] = simulators as [Simulator]
      mostTold = 0
      const unfollow = fleet.follow({
        added(appliance) {
          const options = { holdFor: 60_000, onEvents: () => undefined }
          ends.set(appliance, watchDevice(appliance.client(), options))
        },
        removed: (appliance) => ends.get(appliance)?.(),
      })
      share.take('one')
      await until(() => pictures.has('one'))
      logged.should.eql([])
      for (const summaryStatusCode of ['error', 'warn'] as const) {
        const before = events.length
        one.routes[0]!.summaryStatusCode = summaryStatusCode
        await until(() => events.length > before)
      }
      await until(() => logged.length > 0)
      logged.should.have.length(1)
      logged[0]!.should.match(/^one: The picture is too large/)
      pictures.get('one')!.open!.should.eql({})
      unfollow()
    })
  })

  it('of 10,000 appliances opens nothing before it is used, and changes one quickly', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      name: `site-${index}`,
      baseUrl: `http://10.${index >> 8}.${index & 255}.1`,
      ...ACCOUNT,
    }))
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
