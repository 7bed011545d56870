import type { JsonObject } from '../../client/model/json'
import type { Wanted } from '../../client/changes/ensure/plan'
import { errorOf } from '../support/errors'
import { R, oddAppliance, routeOf } from './strange-support'

describe('an appliance that behaves otherwise', () => {
  const appliance = oddAppliance()

  describe('that does not tell pass phrases', () => {
    let route: JsonObject & { source: JsonObject; destinations: JsonObject[] }
    let shown: (part: JsonObject) => JsonObject
    let writes: number
    let loseAnswer: boolean

    const PART = { protocol: 'srt', address: '192.0.2.1', port: 5000, srtLatency: 120 }
    const FIRST = 'first-pass-phrase'
    const OTHER = 'other-pass-phrase'
    const APPLIED = { waitFor: 'applied', waitTimeout: 1000 } as const
    const wanted = (source: string, destination: string): object => ({
      name: 'R',
      source: { srtPassPhrase: source },
      destinations: [{ name: 'out', srtPassPhrase: destination }],
    })
    const ensured = (input: object) =>
      appliance.gateway.routes.ensure(input as Wanted, { waitTimeout: 1000 })
    const ensure = async (input: object): Promise<unknown> => (await ensured(input)).action
    const update = (source: object): Promise<unknown> =>
      appliance.gateway.routes.update(R, { source }, APPLIED)
    const isTold = (): object => ({
      ...route,
      source: shown(route.source),
      destinations: route.destinations.map((one) => shown(one)),
    })

    beforeEach(() => {
      writes = 0
      loseAnswer = false
      shown = (one) => ({ ...one, srtPassPhrase: undefined })
      route = routeOf({
        name: 'R',
        source: { ...PART, id: 'S', name: 'in', mode: 'caller' },
        destinations: [{ ...PART, id: 'T', name: 'out', mode: 'caller' }],
      }) as typeof route
      appliance.has(isTold, ({ path, body }) => {
        if (path !== '/api/devices/D/updates') return undefined
        writes++
        if (loseAnswer) return 'cut'
        const { source, destinations } = body!.fields as typeof route
        // What an update leaves out stays.
        route.source = { ...route.source, ...source, mode: source['srtMode'] }
        route.destinations = destinations.map((one, index) => ({
          ...route.destinations[index],
          ...one,
          mode: one['srtMode'],
        }))
        return { body: { status: 'ok' } }
      })
    })

    it('and leaves them out: ensure writes one once, and again only when another is wanted', async () => {
      for (const input of [wanted(FIRST, OTHER), wanted(FIRST, 'a-new-pass-phrase')]) {
        ;(await ensure(input))!.should.equal('update')
        ;(await ensure(input))!.should.equal('none')
      }
      route.source['srtPassPhrase']!.should.equal(FIRST)
      route.destinations[0]!['srtPassPhrase']!.should.equal('a-new-pass-phrase')
      writes.should.equal(2)
    })

    it('and leaves them out: an update that waits until it shows does so', async () => {
      await update({ srtPassPhrase: FIRST, srtLatency: 200 })
      route.source.should.containDeep({ srtPassPhrase: FIRST, srtLatency: 200 })
    })

    it('and leaves them out: those of a route that was created here are known', async () => {
      let created: object | undefined
      appliance.has(
        () => created,
        ({ path, body }) => {
          if (!path.endsWith('/updates')) return undefined
          const told = { ...PART, id: 'V', name: 'in', mode: 'caller' }
          created = { ...routeOf(), ...body!.fields, source: told }
          writes++
          return { body: { status: 'ok' } }
        },
      )
      const source = { ...PART, name: 'in', srtMode: 'caller', srtPassPhrase: FIRST }
      const definition = { name: 'New', source, destinations: [] }
      await appliance.gateway.routes.create(definition, APPLIED)
      ;(await ensure({ name: 'New', source: { srtPassPhrase: FIRST } }))!.should.equal('none')
      writes.should.equal(1)
    })

    it('and leaves them out: null takes one away all the same', async () => {
      await ensure(wanted(FIRST, OTHER))
      await update({ srtPassPhrase: null })
      route.source['srtPassPhrase']!.should.equal('')
      route.destinations[0]!['srtPassPhrase']!.should.equal(OTHER)
    })

    it('where the answer got lost, one is not taken for written', async () => {
      const input = wanted(FIRST, OTHER)
      await ensure(input)
      loseAnswer = true
      const lost = await errorOf(ensure(wanted('another-one-now', OTHER)))
      lost.code.should.equal('OUTCOME_UNKNOWN')
      loseAnswer = false
      // Either may be there now.
      ;(await ensure(input))!.should.equal('update')
      ;(await ensure(input))!.should.equal('none')
      writes.should.equal(3)
    })

    describe('and shows stars', () => {
      beforeEach(() => {
        route.source['srtPassPhrase'] = 'of somebody else'
        shown = (one) => ({
          ...one,
          ...(one['srtPassPhrase'] !== undefined && { srtPassPhrase: '***' }),
        })
      })
      const source = (srtPassPhrase: unknown, more: object = {}): object => ({
        name: 'R',
        source: { srtPassPhrase, ...more },
      })

      for (const secret of [FIRST, '', null]) {
        it(`${JSON.stringify(secret)} is written once, and known then`, async () => {
          const outcome = await ensured(source(secret))
          outcome.should.match({ changed: true, action: 'update' })
          outcome.diff.should.eql([{ path: 'source.srtPassPhrase', from: undefined, to: '••••••' }])
          route.source['srtPassPhrase']!.should.equal(secret ?? '')
          ;(await ensured(source(secret))).should.match({ changed: false, action: 'none' })
          writes.should.equal(1)
          ;(await ensure(source('another-one-now')))!.should.equal('update')
          route.source['srtPassPhrase']!.should.equal('another-one-now')
        })
      }

      it('the sign for it, or nothing, keeps it', async () => {
        for (const sign of ['••••••', '***', undefined]) {
          ;(await ensured(source(sign))).should.match({ changed: false, diff: [] })
        }
        ;(await ensure(source('••••••', { srtLatency: 200 })))!.should.equal('update')
        route.source['srtPassPhrase']!.should.equal('of somebody else')
      })

      it('a plan names what it will write, and shows it nowhere', async () => {
        const plan = () => appliance.gateway.routes.plan([source(FIRST)] as never)
        const { text, summary, table } = await plan()
        text.should.equal(
          [
            '0 to add, 1 to change, 0 to remove; 0 to start, 0 to stop.',
            '~ "R"  update',
            '    source.srtPassPhrase: cannot be compared, will be written',
          ].join('\n'),
        )
        summary.update.should.equal(1)
        table.should.have.length(1)
        writes.should.equal(0)
        await ensure(source(FIRST))
        ;(await plan()).text.should.match(/^Nothing to do\.$/)
      })
    })
  })
})
