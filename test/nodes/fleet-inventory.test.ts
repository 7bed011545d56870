// What a fleet does when its inventory changes: what stays in use, and who has which appliance.
import { mock } from 'node:test'
import type { NodeAPI } from 'node-red'
import { GatewayError, say } from '../../client/errors'
import { openConnection } from '../../client/connection/connection'
import { watchDevice } from '../../client/watch/registry'
import type { UsableRow } from '../../client/model/inventory'
import { partsOf, slotOf } from '../../client/fleet/slots'
import { createFleet, type OwnFleet } from '../../nodes/gateway/fleet/fleet'
import { sharesOf } from '../../nodes/gateway/fleet/share'
import { startSimulator } from '../../simulator'
import { until } from '../support/until'

const ACCOUNT = { username: 'haiadmin', password: 'manager' }
const MINUTE = 60_000

const named = (from: number, to: number): UsableRow[] =>
  Array.from({ length: to - from }, (_, index) => ({
    name: `site-${from + index}`,
    baseUrl: `http://10.0.0.${from + index}`,
    ...ACCOUNT,
  }))
const faulty = (appliance: string): GatewayError =>
  new GatewayError('CONFIG', say('rowNoName'), { appliance })

describe('the inventory of a fleet', () => {
  let fleet: OwnFleet
  let logged: Array<[level: string, text: string]>

  function newFleet(share: string): OwnFleet {
    return createFleet({
      node: { id: 'gateway', name: 'sites', host: '' },
      openShare: (follower) => sharesOf({} as NodeAPI)({ share }, () => undefined, follower),
      open: ({ baseUrl, username = '', password = '' }, more) =>
        openConnection({ baseUrl, username, password, ...more, pollInterval: 1000 }),
      secretPrefix: () => 'SRT_',
      note: () => undefined,
      language: 'en-US',
      log: (level, text) => logged.push([level, text]),
    })
  }
  beforeEach(() => {
    logged = []
    fleet = newFleet('all')
    mock.timers.enable({ apis: ['setTimeout'] })
  })
  afterEach(async () => {
    mock.timers.reset()
    await fleet.close()
  })
  const update = (rows: UsableRow[], faults: GatewayError[] = []): void =>
    fleet.update({ rows, faults })
  const said = (): string[] => fleet.alerts().map(({ message }) => message)

  it('loses a few rows at once, and the log names them', () => {
    update(named(1, 11))
    update(named(3, 11))
    fleet.names().should.have.length(8)
    logged.should.eql([['info', 'Inventory: 0 added, 0 changed, 2 removed: site-1, site-2.']])
    said().should.eql([])
    // One of a few is no accident either.
    update(named(3, 5))
    mock.timers.tick(5 * MINUTE)
    fleet.names().should.eql(['site-3', 'site-4'])
    update(named(3, 4))
    fleet.names().should.eql(['site-3'])
  })

  it('keeps more than a fifth until it was the same for five minutes', () => {
    update(named(1, 11))
    update(named(4, 11))
    fleet.names().should.have.length(10)
    logged.should.have.length(1)
    logged[0]![0].should.equal('warn')
    said()[0]!.should.startWith(
      'Gateway "sites": No longer in the inventory: 3 of 10 appliances (site-1, site-2, site-3). They stay in use until the inventory has been unchanged for 5 minutes.',
    )
    fleet.faults().should.have.length(1)
    fleet.find('site-1').appliance!.should.equal('site-1')
    mock.timers.tick(4 * MINUTE)
    // Another change is another removal, or the same.
    update([...named(4, 11), ...named(20, 21)])
    fleet.names().should.have.length(11)
    mock.timers.tick(MINUTE - 1)
    fleet.names().should.have.length(11)
    update(named(5, 11))
    mock.timers.tick(4 * MINUTE)
    fleet.names().should.have.length(11)
    logged.map(([level]) => level).should.eql(['warn', 'info', 'warn'])
    mock.timers.tick(MINUTE)
    fleet.names().should.eql(named(5, 11).map(({ name }) => name))
    said().should.eql([])
    logged.at(-1)!.should.match(['info', /5 removed: site-4, site-20, site-1, site-2, site-3\./])
    should(() => fleet.find('site-1')).throw({ code: 'NOT_FOUND' })
    // The next removal has to wait as long.
    for (let times = 0; times < 2; times++) update(named(8, 11))
    fleet.names().should.have.length(6)
  })

  it('keeps all where there is nothing left, also of one, and forgets it when they are back', () => {
    update(named(1, 2))
    update([])
    fleet.names().should.eql(['site-1'])
    update(named(1, 2))
    said().should.eql([])
    mock.timers.tick(10 * MINUTE)
    fleet.names().should.eql(['site-1'])
    // While it cannot be read, nobody sees whether it is the same.
    update([])
    mock.timers.tick(3 * MINUTE)
    fleet.fail(new GatewayError('CONFIG', 'The file is gone.'))
    said().should.eql(['Gateway "sites": The file is gone. The previous inventory stays in use.'])
    // It is used all the same.
    should(fleet.failure).be.undefined()
    mock.timers.tick(3 * MINUTE)
    fleet.names().should.eql(['site-1'])
    update([])
    mock.timers.tick(5 * MINUTE)
    fleet.names().should.eql([])
  })

  it('has a fault for each thing that is wrong with all of it, and for each row', async () => {
    const other = newFleet('some')
    other.update({ rows: named(1, 2), faults: [faulty('new')] })
    other.fail(new GatewayError('CONFIG', 'The file is gone.'))
    const [share, file, row, ...more] = other.faults().map(({ message }) => message)
    share!.should.containEql('share')
    file!.should.containEql('The file is gone.')
    row!.should.containEql('The name is missing.')
    more.should.eql([])
    await other.close()
  })

  it('keeps a row that has become faulty as it was, and says so', () => {
    const rows = named(1, 4)
    update(rows)
    const before = fleet.find('site-2')
    update([rows[0]!, rows[2]!], [faulty('site-2'), faulty('new')])
    fleet.names().sort().should.eql(['site-1', 'site-2', 'site-3'])
    fleet.find('site-2').should.equal(before)
    said().should.eql(['The name is missing. The appliance is used as it was before.'])
    fleet.faults().should.have.length(2)
    logged.map(([level]) => level).should.eql(['warn', 'warn'])
    // Its appliance has another name now.
    const other = { ...rows[1]!, name: 'other' }
    update([rows[0]!, other, rows[2]!], [faulty('site-2')])
    fleet.names().should.eql(['site-1', 'other', 'site-3'])
    said().should.eql([])
    // Only where the name is not that of another row.
    update([rows[0]!, other, rows[2]!], [faulty('other')])
    said().should.eql([])
    update(rows)
    fleet.faults().should.eql([])
  })

  it('logs faulty rows, and what nobody reads, once until that is over, and ten lines at a time', () => {
    const ignored = ['site']
    const rows = named(1, 3)
    const bad = Array.from(
      { length: 14 },
      (_, row) => new GatewayError('CONFIG', `Row ${row} is wrong.`),
    )
    for (let times = 0; times < 2; times++) {
      fleet.update({ rows, faults: bad.slice(0, 2), ignored })
      logged.should.eql([
        ['info', 'Inventory: not used are site.'],
        ['warn', 'Row 0 is wrong.'],
        ['warn', 'Row 1 is wrong.'],
      ])
    }
    fleet.update({ rows, faults: bad, ignored })
    logged.should.have.length(14)
    logged.at(-2)!.should.eql(['warn', 'Row 11 is wrong.'])
    logged.at(-1)!.should.eql(['warn', 'Inventory: 2 more rows cannot be used.'])
    fleet.faults().should.have.length(14)
    update(rows)
    logged = []
    update(rows, bad.slice(0, 1))
    logged.should.eql([['warn', 'Row 0 is wrong.']])
  })

  it('divides appliances by their addresses: a new name is no new owner', async () => {
    const partOf = partsOf(3)
    const rows = named(1, 40)
    const renamed = rows.map((row, index) => ({ ...row, name: `new-${index}` }))
    const fleets = ['1/3', '2/3', '3/3'].map((share) => newFleet(share))
    const owned = (): string[][] =>
      fleets.map((one) =>
        one
          .list()
          .filter(({ isOwned }) => isOwned)
          .map(({ address }) => address),
      )
    for (const one of fleets) one.update({ rows, faults: [] })
    const before = owned()
    before.flat().should.have.length(rows.length)
    before.every((each) => each.length > 0).should.be.true()
    before[0]!.every((url) => partOf(slotOf(`${new URL(url).hostname}:80`)) === 1).should.be.true()
    // Each instance gets the file when it gets it.
    for (const one of fleets) {
      one.update({ rows: renamed, faults: [] })
      owned().should.eql(before)
      one.alerts().should.eql([])
      one.names().should.eql(renamed.map(({ name }) => name))
    }
    await Promise.all(fleets.map((one) => one.close()))
  })

  it('begins with a renamed appliance after the last request under its former name', async () => {
    mock.timers.reset()
    const simulator = await startSimulator({ routes: 1 })
    const row = { name: 'old', baseUrl: simulator.url, ...ACCOUNT }
    const told: string[] = []
    let end: () => void = () => undefined
    update([row])
    const unfollow = fleet.follow({
      added(appliance) {
        told.push(`+${appliance.appliance} ${simulator.openSessions}`)
        end = watchDevice(appliance.client(), { onEvents: () => undefined })
      },
      removed: () => end(),
    })
    await until(() => simulator.openSessions === 1)
    update([{ ...row, name: 'new' }])
    await until(() => told.length === 2)
    await until(() => simulator.openSessions === 1)
    told.should.eql(['+old 0', '+new 0'])
    ;[simulator.logins, simulator.logouts].should.eql([2, 1])
    unfollow()
    end()
    await fleet.close()
    await until(() => simulator.openSockets === 0)
    await simulator.stop()
  })
})
