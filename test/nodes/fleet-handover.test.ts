// What a fleet leaves on the engine: for the next owner, and for those who read events and states.
import { GatewayError } from '../../client/errors'
import { watchDevice } from '../../client/watch/registry'
import type { ShareMemory } from '../../client/fleet/nats/fenced-records'
import type { Gathering } from '../../client/fleet/nats/gathering'
import { settingsOf } from '../../client/watch/report/subscription'
import type { Follower } from '../../nodes/runtime/gateway-node'
import type { Simulator } from '../../simulator'
import { pause, until } from '../support/until'
import {
  fleet,
  share,
  logged,
  ends,
  row,
  follower,
  renew,
  stageFleet,
  simulators,
} from './fleet-stage'

const away = (): GatewayError => new GatewayError('UNAVAILABLE', 'no answer')

describe('a fleet with what is open in its memory', () => {
  stageFleet()

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
    kept = new Map()
    seen = []
    failed = 0
    reads = []
    writes = 0
    token = 1
    isSlow = false
    isUnreadable = false
    isFull = false
    await renew({ memory, token: () => token })
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
    // What began with one token is written under it to the end.
    token = 9
    one.clearFaults()
    await until(() => seen.length > 0)
    seen.should.eql(['appliance.reachable'])
    await until(() => Object.keys(openOn('one')).length === 0)
    kept.get('one')!.token.should.equal(5)
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

describe('a fleet with events and states on the engine', () => {
  stageFleet()

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
    events = []
    states = new Map()
    beats = []
    isAway = false
    isSlow = false
    asked = 0
    await renew({ gathering, token: () => 1 })
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

  it('nothing is said of an appliance before it was seen, though another watch of it has seen it', async () => {
    const [one] = simulators as [Simulator]
    const deviceId = one.devices[0]!._id
    fleet.follow({
      added(appliance) {
        const options = { deviceId, onEvents: () => undefined }
        ends.set(appliance, watchDevice(appliance.client(), options))
      },
      removed: (appliance) => ends.get(appliance)?.(),
    })
    // The other one knows which device it is, and need not ask.
    one.fault({ kind: 'latency', ms: 200, match: { path: '/api/devices' } })
    share.take('one')
    await until(() => asked > 0)
    states.get('one')!.should.containEql({ isUp: true })
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
