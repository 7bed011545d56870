// Routes as a file: what it says, and that sending it changes nothing.
import * as fc from 'fast-check'
import { plan } from '../../../client/changes/ensure/plan'
import { definitionsOf, type Definition } from '../../../client/changes/definitions'
import { checkWanted } from '../../../client/model/definition'
import { HIDDEN, findSecrets, withSecretsFrom } from '../../../client/model/secrets'
import type { Route } from '../../../client/model/types'
import { arbitraryRoute, frozen } from '../../support/arbitraries'
import { keepBusy, turnsDuring } from '../../support/turns'

const { dump, load } = require('js-yaml') as {
  dump: (value: unknown) => string
  load: (text: string) => unknown
}

const SECRET = 'correct horse battery'

const srt = (name: string, more: object = {}) => ({
  name,
  protocol: 'srt',
  mode: 'listener',
  address: '0.0.0.0',
  port: 5000,
  srtPassPhrase: SECRET,
  ...more,
})

const routeOf = (name: string, ...destinations: object[]): Route =>
  ({
    id: `id of ${name}`,
    name,
    state: 'running',
    source: { id: 's', ...srt('in') },
    destinations: destinations.map((one, index) => ({ id: `d${index}`, ...one })),
  }) as unknown as Route

/** The names that stand for the secrets of each route, by the name of the route. */
async function namesOf(routes: Route[], prefix?: string): Promise<Record<string, unknown[]>> {
  const definitions = await definitionsOf(routes, { secrets: 'names', prefix })
  return Object.fromEntries(
    definitions.map(({ name, source, destinations }) => [
      name,
      [source, ...destinations].map(({ srtPassPhrase }) => srtPassPhrase),
    ]),
  )
}

describe('the definitions of routes', () => {
  it('say in a fixed order what is sent, and the state', async () => {
    const route = {
      id: 'r',
      summaryStatusCode: 'ok',
      destinations: [
        {
          started: true,
          ttl: 7,
          port: 6000,
          address: '239.1.1.1',
          id: 'd',
          protocol: 'udp',
          name: 'out',
        },
      ],
      source: {
        tags: [],
        zeta: 1,
        srtPassPhrase: SECRET,
        port: 5000,
        id: 's',
        srtStreamID: null,
        networkInterface: '',
        usedBandwidth: '1',
        mode: 'listener',
        protocol: 'SRT',
        name: ' in ',
      },
      elapsedTime: '00:00:12',
      state: 'Running',
      name: ' Studio A ',
    } as unknown as Route
    JSON.stringify(await definitionsOf([frozen(route)])).should.equal(
      JSON.stringify([
        {
          name: ' Studio A ',
          state: 'running',
          source: {
            name: ' in ',
            protocol: 'srt',
            srtMode: 'listener',
            port: 5000,
            srtPassPhrase: HIDDEN,
            tags: [],
            zeta: 1,
          },
          destinations: [
            { name: 'out', protocol: 'udp', address: '239.1.1.1', port: 6000, ttl: 7 },
          ],
        },
      ]),
    )
  })

  it('have the state only of a route that is running or stopped', async () => {
    const states = ['idle', 'stopped', 'running', 'starting', undefined]
    const routes = states.map((state, index) => ({ ...routeOf(`${index}`), state }) as Route)
    const definitions = await definitionsOf(routes)
    definitions
      .map((one) => one.state)
      .should.eql(['stopped', 'stopped', 'running', undefined, undefined])
    definitions[3]!.should.not.have.property('state')
  })

  it('are sorted by code units, in whatever order the routes came', async () => {
    const names = ['b', 'a', 'Ä', 'B', ' b', '10', '9', 'A']
    const sorted = [' b', '10', '9', 'A', 'B', 'a', 'b', 'Ä']
    for (const order of [names, names.toReversed()]) {
      const definitions = await definitionsOf(order.map((name) => routeOf(name)))
      definitions.map(({ name }) => name).should.eql(sorted)
    }
  })

  it('of many routes let everything else run in between', async () => {
    const hide = <T>(value: T): T => {
      keepBusy(3)
      return value
    }
    const routes = Array.from({ length: 20 }, (_, index) => routeOf(`${index}`))
    const { turns } = await turnsDuring(() => definitionsOf(routes, { hide }))
    turns.should.be.above(3)
  })

  it('hide every secret, also one that the firmware masks, and leave an empty one', async () => {
    const route = routeOf('A', srt('out', { srtPassPhrase: '********' }), {
      ...srt('open'),
      srtPassPhrase: '',
    })
    const [{ source, destinations }] = (await definitionsOf([route])) as [Definition]
    ;[source, ...destinations]
      .map(({ srtPassPhrase }) => srtPassPhrase)
      .should.eql([HIDDEN, HIDDEN, ''])
  })

  it('of a route that is not whole are an error, also where it is not wanted', async () => {
    for (const part of ['source', 'destinations'] as const) {
      const broken = { ...routeOf('B'), [part]: undefined }
      const only = ({ name }: Route): boolean => name === 'A'
      await definitionsOf([routeOf('A'), broken], { only }).should.be.rejectedWith({
        code: 'BAD_RESPONSE',
        message: new RegExp(`route "B" from .*without its ${part}`),
      })
    }
  })

  describe('give secrets by name', () => {
    it('from route and part, with the prefix', async () => {
      const route = routeOf(' Studio A – Käfig ', srt('to "Oslo" (1)'), srt('x_y'))
      ;(await namesOf([route]))[route.name]!.should.eql([
        '${SRT_STUDIO_A_K_FIG_SOURCE}',
        '${SRT_STUDIO_A_K_FIG_TO_OSLO_1}',
        '${SRT_STUDIO_A_K_FIG_X_Y}',
      ])
      ;(await namesOf([routeOf('A')], 'my_'))['A']!.should.eql(['${my_A_SOURCE}'])
    })

    it('with a hash wherever a name would be ambiguous, or nothing is left of it', async () => {
      const routes = [
        routeOf('Studio A'),
        routeOf('studio-a'),
        routeOf('日本語'),
        routeOf('B', srt('日本'), srt('source')),
        routeOf('C', srt('out'), srt('out')),
      ]
      // These names are in files of users: they must never change.
      ;(await namesOf(routes)).should.eql(NAMES)
    })

    it('that never mean another secret when a route is added', async () => {
      const before = await namesOf([routeOf('Studio A', srt('out'))])
      const after = await namesOf([
        routeOf('Studio A', srt('out')),
        routeOf('Studio-A', srt('out')),
      ])
      const all = Object.values(after).flat()
      for (const name of Object.values(before).flat()) all.should.not.containEql(name)
      const twins = [srt('out', { port: 1 }), srt('out', { port: 2 })]
      const [, one, two] = (await namesOf([routeOf('A', ...twins)]))['A']!
      const [, first, ...same] = (await namesOf([routeOf('A', srt('out', { port: 3 }), ...twins)]))[
        'A'
      ]!
      same.should.eql([one, two])
      ;[one, two].should.not.containEql(first)
      // Two that differ in nothing that is shown.
      new Set((await namesOf([routeOf('A', srt('out'), srt('out'))]))['A']).size.should.equal(3)
    })

    it('that do not depend on which routes are wanted', async () => {
      const routes = [routeOf('Studio A'), routeOf('studio-a')]
      const only = ({ name }: Route): boolean => name === 'Studio A'
      const all = await definitionsOf(routes, { secrets: 'names' })
      const wanted = await definitionsOf(routes, { secrets: 'names', only })
      wanted.should.eql(all.filter(({ name }) => name === 'Studio A'))
    })
  })

  it('with two destinations of one name are refused when they are sent, not mixed up', async () => {
    const [{ state: _state, ...definition }] = (await definitionsOf([
      routeOf('A', srt('out'), srt('out', { port: 6000 })),
    ])) as [Definition]
    checkWanted(definition, { state: 'present' }).should.match([
      { path: 'destinations[1].name', kind: 'repeated' },
    ])
  })

  describe('of any routes, sent back', () => {
    const anyRoutes = fc.uniqueArray(arbitraryRoute, { maxLength: 4, selector: ({ name }) => name })
    const WAYS = {
      'as they are': (value: unknown) => value,
      'by way of JSON': (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown,
      'by way of YAML': (value: unknown) => load(dump(value)),
    }

    /** Plans each row as its state says. */
    function changesNothing(rows: Definition[], routes: Route[]): void {
      rows.should.have.length(routes.length)
      for (const { state, ...wanted } of rows) {
        const route = routes.find(({ name }) => name === wanted.name)
        const how = state === 'running' ? 'started' : 'stopped'
        const { steps, problems, diff } = plan(wanted, route, { state: how })
        ;({ steps, problems, diff }).should.eql({ steps: [], problems: [], diff: [] })
      }
    }

    for (const [way, travel] of Object.entries(WAYS)) {
      it(`change nothing, secrets hidden: ${way}`, async () => {
        await fc.assert(
          fc.asyncProperty(anyRoutes, async (routes) =>
            changesNothing(travel(await definitionsOf(frozen(routes))) as Definition[], routes),
          ),
        )
      })

      it(`change nothing, secrets by name: ${way}`, async () => {
        await fc.assert(
          fc.asyncProperty(anyRoutes, async (routes) => {
            const rows = await definitionsOf(frozen(routes), { secrets: 'names' })
            const values = environmentOf(rows, routes)
            const { definition, faults } = withSecretsFrom(travel(rows) as Definition[], {
              prefix: 'SRT_',
              lookUp: (name) => values.get(name),
            })
            faults.should.eql([])
            changesNothing(definition, routes)
          }),
        )
      })
    }
  })
})

/** The variables as somebody sets them who knows each secret. */
function environmentOf(rows: Definition[], routes: Route[]): Map<string, string> {
  const values = new Map<string, string>()
  for (const { name, source, destinations } of rows) {
    const route = routes.find((one) => one.name === name)!
    const parts = [
      [source, route.source],
      ...destinations.map((one, index) => [one, route.destinations[index]]),
    ]
    for (const [part, read] of parts as [object, Record<string, string>][]) {
      for (const path of findSecrets(part)) {
        const variable = (part as Record<string, string>)[path]!.slice(2, -1)
        values.has(variable).should.be.false()
        values.set(variable, read[path]!)
      }
    }
  }
  return values
}

const NAMES = {
  B: ['${SRT_B_SOURCE_073D2B8D}', '${SRT_B_B1566350}', '${SRT_B_SOURCE_93A2B27C}'],
  C: ['${SRT_C_SOURCE}', '${SRT_C_OUT_DD31B41A}', '${SRT_C_OUT_5862B23F}'],
  'Studio A': ['${SRT_STUDIO_A_SOURCE_4AC99922}'],
  'studio-a': ['${SRT_STUDIO_A_SOURCE_FA3A8209}'],
  日本語: ['${SRT_SOURCE_C1117520}'],
}
