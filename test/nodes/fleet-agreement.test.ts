// Instances of a fleet whose inventories differ, as one of them sees the others.
import { mock } from 'node:test'
import type { UsableRow } from '../../client/model/inventory'
import type { Member } from '../../client/fleet/types'
import type { ShareFollower } from '../../client/fleet/lease'
import { createFleet, type OwnFleet } from '../../nodes/gateway/fleet/fleet'
import { DIFFERING_MS, digestOf } from '../../nodes/gateway/inventory-check'

const row = (name: string, more: Partial<UsableRow> = {}): UsableRow => ({
  name,
  baseUrl: 'https://gateway.example',
  ...more,
})

describe('inventories of several instances', () => {
  let fleet: OwnFleet
  let members: Member[]
  let follower: ShareFollower
  let logged: string[]
  let changes: number
  /** Those of whom the fleet says that they differ. */
  const others = (): string[] =>
    fleet
      .faults()
      .map(({ message }) => /other names or URLs than (.*?)\. If/.exec(message)?.[1] ?? message)

  beforeEach(() => {
    members = []
    logged = []
    changes = 0
    mock.timers.enable({ apis: ['setTimeout'] })
    fleet = createFleet({
      node: { id: 'gateway', name: 'sites', host: '' },
      openShare(by) {
        follower = by
        return {
          owns: () => true,
          state: () => ({ phase: 'member', members }),
          close: () => Promise.resolve(),
        }
      },
      open: () => {
        throw new Error('nothing is opened')
      },
      secretPrefix: () => 'SRT_',
      note: () => undefined,
      language: 'en-US',
      log: (level, text) => void (level === 'warn' && logged.push(text)),
    })
    update('one')
    fleet.follow({ added: () => undefined, removed: () => undefined, changed: () => changes++ })
  })
  afterEach(async () => {
    mock.timers.reset()
    await fleet.close()
  })

  const rows = (inventory: string): UsableRow[] => [row(inventory)]
  const update = (inventory: string): void => fleet.update({ rows: rows(inventory), faults: [] })
  /** What instances say of their inventories; undefined where they do not. */
  function say(inventories: Record<string, string | undefined>): void {
    members = Object.entries(inventories).map(([name, inventory]) => ({
      id: name,
      name,
      inventory: inventory === undefined ? undefined : digestOf(rows(inventory)),
    }))
    follower.onState({ phase: 'member', members })
  }

  it('are the same with the same appliances by the same names, in any order, whatever else the rows say', () => {
    const digest = digestOf([row('oslo'), row('bergen', { password: 'secret' })])
    digestOf([
      row('bergen'),
      row('oslo', { baseUrl: 'https://GATEWAY.example:443/' }),
    ]).should.equal(digest)
    digestOf([row('bergen'), row('oslo', { baseUrl: 'https://other.example' })]).should.not.equal(
      digest,
    )
    digestOf([row('oslo')]).should.not.equal(digest)
    digestOf([row('oslo,bergen')]).should.not.equal(digest)
    digestOf([]).should.not.equal(digest)
  })

  it('that differ for a moment are not told, whichever of them is replaced first', () => {
    say({ a: 'one', b: 'two' })
    mock.timers.tick(DIFFERING_MS / 2)
    update('two')
    say({ a: 'two', b: 'two' })
    mock.timers.tick(DIFFERING_MS)
    others().should.eql([])
    say({ b: 'one' })
    mock.timers.tick(DIFFERING_MS / 2)
    update('one')
    mock.timers.tick(DIFFERING_MS)
    others().should.eql([])
    logged.should.eql([])
  })

  it('that differ again are told a whole while after that', () => {
    say({ b: 'two' })
    mock.timers.tick(DIFFERING_MS / 2)
    say({ b: 'one' })
    say({ b: 'two' })
    mock.timers.tick(DIFFERING_MS - 1)
    others().should.eql([])
    mock.timers.tick(1)
    others().should.eql(['b'])
  })

  it('that go on differing are told with the names of the others, and so is the end', () => {
    say({ a: 'one', c: 'two', b: 'two' })
    // The time of one that differs counts for the others.
    mock.timers.tick(DIFFERING_MS / 2)
    say({ a: 'one', c: 'two', b: 'three' })
    mock.timers.tick(DIFFERING_MS / 2 - 1)
    others().should.eql([])
    const before = changes
    mock.timers.tick(1)
    changes.should.equal(before + 1)
    others().should.eql(['b, c'])
    say({ a: 'one', b: 'one', c: 'two' })
    others().should.eql(['c'])
    say({ a: 'one', b: 'one', c: 'two' })
    say({ a: 'one', b: 'one', c: 'one' })
    others().should.eql([])
    logged.should.have.length(2)
    logged[0]!.should.match(/^Gateway "sites": .*b, c/)
    should(fleet.failure).be.undefined()
    fleet.alerts().should.eql([])
  })

  it('that are not known are not compared', () => {
    say({ 'earlier version': undefined })
    mock.timers.tick(2 * DIFFERING_MS)
    others().should.eql([])
  })

  it('are not compared any more once the fleet is closed', async () => {
    say({ b: 'two' })
    await fleet.close()
    say({ b: 'two' })
    mock.timers.tick(2 * DIFFERING_MS)
    logged.should.eql([])
  })
})
