import * as fc from 'fast-check'
import type { Destination, Route, RouteFields, Source } from '../../../client/model/types'
import type { Ensured } from '../../../client/changes/ensure/apply'
import { toSent } from '../../../client/model/convert'
import { findPortConflicts, listeningOf } from '../../../client/changes/ensure/port-conflicts'
import { planKeep, planMerge, planReplace } from '../../../client/changes/merge'
import { withoutEmptySecrets } from '../../../client/model/secrets'
import { plan, type Wanted } from '../../../client/changes/ensure/plan'
import { routeFilter } from '../../../client/watch/report/filter'
import { generateRoutes } from '../../../simulator'
import { arbitraryRoute, frozen, respelled, spelledTwice } from '../../support/arbitraries'
import { connected, deviceId, program, simulator } from '../../support/stage'

/** Any case of a choice, or of an ID, means the same, and only the documented spelling is sent. */
describe('spelling: a choice or an ID in any case', () => {
  const PRESENT_OPTIONS = { state: 'present' } as const

  it('plans the same update in every mode, under the IDs as the appliance spells them', () => {
    fc.assert(
      fc.property(spelledTwice, ([present, other]) => {
        const expected = { fields: toSent(present), problems: [] }
        frozen(other)
        planMerge(other, frozen(present)).should.eql(expected)
        planReplace(other, present).should.eql(expected)
        planKeep(other, present).should.eql(expected)
      }),
    )
  })

  it('changes no more of a route than the patch says', () => {
    fc.assert(
      fc.property(spelledTwice, fc.integer(), ([present, other], laterMember) => {
        const { source } = other
        const patch = { source: { id: source.id, protocol: source.protocol, laterMember } }
        const { fields, problems } = planMerge(frozen(patch), frozen(present))
        problems.should.eql([])
        const before = toSent(present)
        fields.should.eql({ ...before, source: { ...before.source, laterMember } })
      }),
    )
  })

  it('is as wanted where the appliance itself writes it otherwise', () => {
    fc.assert(
      fc.property(spelledTwice, ([wanted, other]) => {
        for (const [row, found] of [
          [wanted, other],
          [other, wanted],
        ] as const) {
          const { steps, diff, problems } = plan(frozen(row), frozen(found), PRESENT_OPTIONS)
          ;({ steps, diff, problems }).should.eql({ steps: [], diff: [], problems: [] })
        }
      }),
    )
  })

  it('creates the same route', () => {
    fc.assert(
      fc.property(spelledTwice, ([wanted, other]) => {
        const planned = (row: Route) => plan(row, undefined, PRESENT_OPTIONS)
        planned(frozen(other)).should.eql(planned(wanted))
      }),
    )
  })

  it('is exactly the list of destinations that is wanted', () => {
    const options = { ...PRESENT_OPTIONS, exact: true }
    fc.assert(
      fc.property(spelledTwice, fc.nat(), ([present, other], pick) => {
        const destinations = other.destinations
          .filter((_, index) => (pick >> index) & 1)
          .map(({ id }) => ({ id }))
        const wanted = { id: other.id, destinations } as Wanted
        const { fields, problems } = plan(frozen(wanted), frozen(present), options)
        problems.should.eql([])
        fields!.destinations.should.eql(
          toSent(present).destinations.filter((_, index) => (pick >> index) & 1),
        )
      }),
    )
  })

  it('leaves a route as planned: what is planned again is nothing', () => {
    const wish = fc
      .tuple(arbitraryRoute, arbitraryRoute)
      .chain(([present, to]) =>
        fc.tuple(
          fc.constant(present),
          respelled({ id: present.id, source: { ...to.source, id: present.source.id } }),
        ),
      )
    fc.assert(
      fc.property(wish, ([present, wanted]) => {
        const first = plan(frozen(wanted), frozen(present), PRESENT_OPTIONS)
        fc.pre(first.problems.length === 0)
        const applied = appliedTo(present, first.fields!)
        const again = plan(wanted, applied, PRESENT_OPTIONS)
        ;({ steps: again.steps, diff: again.diff }).should.eql({ steps: [], diff: [] })
      }),
    )
  })

  it('listens where it listens: the same ports clash', () => {
    const clashes = (rows: Route[], present: Route[]): object => {
      const plans = rows.map((row) => plan(row as Wanted, undefined, PRESENT_OPTIONS))
      return findPortConflicts(plans, present.map(listeningOf), (index) => `[${index}]`)
    }
    const three = fc
      .array(arbitraryRoute, { minLength: 3, maxLength: 3 })
      .map((routes) => routes.map((route) => ({ ...route, source: { ...route.source, ...PLACE } })))
      .chain((routes) => fc.tuple(fc.constant(routes), respelled(routes)))
    fc.assert(
      fc.property(three, ([routes, others]) => {
        clashes(others.slice(1), others.slice(0, 1)).should.eql(
          clashes(routes.slice(1), routes.slice(0, 1)),
        )
      }),
    )
    const listener = { name: 'in', protocol: 'SRT', srtMode: 'Listener', port: 5000 }
    const rows = ['A', 'B'].map((name) => ({ name, source: listener }) as unknown as Route)
    clashes(rows, []).should.match([{ path: '[0].source.port' }, { path: '[1].source.port' }])
  })

  it('is the route that a watch is about', () => {
    fc.assert(
      fc.property(spelledTwice, ([{ id, name }, other]) => {
        routeFilter({ id: other.id })({ id, name }).should.be.true()
        routeFilter({ idOrName: other.id })({ id, name: 'other' }).should.be.true()
        routeFilter({ id })({ id: other.id, name }).should.be.true()
        routeFilter({ id: `${other.id}0` })({ id, name }).should.be.false()
      }),
    )
  })

  describe('against an appliance', () => {
    beforeEach(() => connected({ routes: generateRoutes(12), applyDelay: 1 }))

    const sent = (): Array<{ action: string; elementID?: string; fields: RouteFields }> =>
      simulator.journal
        .filter(({ path }) => path.endsWith('/updates'))
        .map(({ body }) => body as { action: string; fields: RouteFields })
    const read = (id: string): Route => simulator.readForm(id) as Route
    const ensured = (wanted: unknown, check = false): Promise<Ensured> =>
      program.routes.ensure(wanted as Wanted, { check, waitTimeout: 3000 })
    const waiting = { waitFor: 'applied', waitTimeout: 3000 } as const

    it('create sends the documented spelling, and an SRT listener without an address runs', async () => {
      const source = { name: 'in', protocol: 'SRT', srtMode: 'Listener', port: 5999 }
      const out = { name: 'out', protocol: 'Srt', mode: 'CALLER', address: '192.0.2.1', port: 6000 }
      const definition = {
        name: 'Spelled',
        source,
        destinations: [{ ...out, srtEncryption: 'aes256', srtFecLayout: 'Saircase' }],
      }
      const { route } = await program.routes.create(definition, { startRoute: true, ...waiting })
      route!.should.match({ name: 'Spelled', state: 'running' })
      sent()[0]!.fields.should.match({
        source: { protocol: 'srt', srtMode: 'listener', address: '0.0.0.0' },
        destinations: [
          {
            protocol: 'srt',
            srtMode: 'caller',
            srtEncryption: 'AES256',
            srtFecLayout: 'staircase',
          },
        ],
      })
      ;(await ensured(definition)).should.match({ changed: false, diff: [] })
    })

    it('ensure creates, plans and applies alike', async () => {
      const routes = simulator.routes.map(({ id }) => read(id))
      for (const route of routes) {
        // Its copy listens where it does.
        simulator.removeRoute(route.id)
        const [wanted] = fc.sample(respelled({ ...route, name: `Copy of ${route.id} ` }), 1)
        const copy = { ...wanted!, id: undefined }
        const planned = await ensured(copy, true)
        const done = await ensured(copy)
        ;[planned.action, planned.diff].should.eql([done.action, done.diff])
        done.action.should.equal('create')
        ;(await ensured(copy, true)).should.match({ changed: false, diff: [] })
      }
    })

    it('an update in upper case of a live route sends all that the route has, but empty secrets', async () => {
      for (const mode of ['keep', 'merge', 'replace'] as const) {
        for (const { id } of simulator.routes.slice()) {
          simulator.clearJournal()
          const before = read(id)
          const part = <P extends Source | Destination>({
            id: partId,
            protocol,
            name,
          }: P): object => ({ id: partId!.toUpperCase(), name, protocol: protocol.toUpperCase() })
          const patch =
            mode === 'merge'
              ? {
                  source: { ...part(before.source), laterMember: 1 },
                  destinations: before.destinations.map(part),
                }
              : { ...upper(before), source: { ...upper(before.source), laterMember: 1 } }
          await program.routes.update({ id }, patch, { mode, ...waiting })
          const whole = toSent(before)
          const expected = mode === 'merge' ? withoutEmptySecrets(whole) : whole
          const source = { ...expected.source, laterMember: 1 }
          sent().should.eql([
            {
              action: 'update',
              deviceID: deviceId,
              elementType: 'route',
              elementID: id,
              fields: { name: before.name, source, destinations: expected.destinations },
            },
          ])
        }
      }
    })

    it('a destination is found in a route by its ID, with and without the command', async () => {
      const running = simulator.routes.find(({ state }) => state === 'running')!
      const destinationId = running.destinations[0]!.id
      simulator.setOptions({ dialect: { destinationCommands: false } })
      const destination = { id: destinationId.toUpperCase() }
      const { route } = await program.routes.stop(running, { destination, ...waiting })
      route!.destinations[0]!.should.match({ id: destinationId, started: false })
      sent()[0]!.fields.destinations[0]!.should.match({ id: destinationId, action: 'stop' })
    })

    it('one route that is wanted twice is found out', async () => {
      const { id } = simulator.routes[0]!
      const rows = [{ id }, { id: id.toUpperCase() }]
      await ensured(rows).should.be.rejectedWith(/\[1\]\.id is the same as in \[0\]/)
      sent().should.eql([])
    })
  })
})

const PLACE = { address: '0.0.0.0', port: 5000, networkInterface: '' }

/** The route with every choice and every ID, its own and of its parts, in capitals. */
function upper<T>(value: T): T {
  const text = JSON.stringify(value).replaceAll(
    /"(id|protocol|mode|srtGroupMode|srtFecLayout|srtFecArq|srtEncryption|rtmpMode|fec)":"([^"]*)"/g,
    (_, name: string, word: string) => `"${name}":"${word.toUpperCase()}"`,
  )
  return JSON.parse(text) as T
}

/** As the appliance applies an update: a member that it leaves out keeps its value. */
function appliedTo(present: Route, fields: RouteFields): Route {
  const before = toSent(present)
  const part = <P extends Source | Destination>(now: P, was?: P): P =>
    was && was.protocol === now.protocol ? { ...was, ...now } : now
  return {
    id: present.id,
    name: fields.name,
    source: part(fields.source, before.source),
    destinations: fields.destinations.map((one) =>
      part(
        one,
        before.destinations.find(({ id }) => id === one.id),
      ),
    ),
    state: 'running',
  }
}
