import 'should'
import { createRoute } from '../../client/changes/create'
import { ensureRoutes } from '../../client/changes/ensure/ensure'
import { updateRoute } from '../../client/changes/update'
import type { Ensured } from '../../client/changes/ensure/apply'
import type { PlanReport } from '../../client/changes/ensure/report'
import type { JsonObject } from '../../client/model/json'
import { errorOf } from '../support/errors'
import { oddAppliance, op } from './strange-support'

describe('an appliance that behaves otherwise', () => {
  const appliance = oddAppliance()

  describe('that does not tell pass phrases', () => {
    let route: JsonObject & { source: JsonObject; destinations: JsonObject[] }
    let shown: (part: JsonObject) => JsonObject
    let writes: number
    let loseAnswer: boolean

    const part = { protocol: 'srt', address: '192.0.2.1', port: 5000, srtLatency: 120 }
    const wanted = (source: string, destination: string): object => ({
      name: 'R',
      source: { srtPassPhrase: source },
      destinations: [{ name: 'out', srtPassPhrase: destination }],
    })
    const ensured = async (input: object): Promise<Ensured> => {
      const options = { deviceId: 'D', state: 'present' as const, waitTimeout: 1000 }
      const { results } = await ensureRoutes(appliance.gateway, input, options, op())
      return results as Ensured
    }
    const ensure = async (input: object): Promise<unknown> => (await ensured(input)).action

    beforeEach(() => {
      writes = 0
      loseAnswer = false
      route = {
        id: 'R',
        name: 'R',
        state: 'idle',
        source: { ...part, id: 'S', name: 'in', mode: 'caller' },
        destinations: [{ ...part, id: 'T', name: 'out', mode: 'caller' }],
      }
      appliance.reply = ({ path, body }) => {
        const told = {
          ...route,
          source: shown(route.source),
          destinations: route.destinations.map((one) => shown(one)),
        }
        if (path === '/api/gateway/D/routes/R') return { body: told }
        if (path === '/api/gateway/D/routes') return { body: { data: [told] } }
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
      }
    })

    const ways: Record<string, (part: JsonObject) => JsonObject> = {
      'and leaves them out': (one) => ({ ...one, srtPassPhrase: undefined }),
    }
    for (const [way, show] of Object.entries(ways)) {
      it(`${way}: ensure writes one once, and again only when another is wanted`, async () => {
        shown = show
        const first = wanted('first-pass-phrase', 'other-pass-phrase')
        ;(await ensure(first))!.should.equal('update')
        ;(await ensure(first))!.should.equal('none')
        route.source['srtPassPhrase']!.should.equal('first-pass-phrase')
        ;(await ensure(wanted('first-pass-phrase', 'a-new-pass-phrase')))!.should.equal('update')
        route.destinations[0]!['srtPassPhrase']!.should.equal('a-new-pass-phrase')
        ;(await ensure(wanted('first-pass-phrase', 'a-new-pass-phrase')))!.should.equal('none')
        writes.should.equal(2)
      })

      it(`${way}: an update that waits until it shows does so`, async () => {
        shown = show
        await updateRoute(
          appliance.gateway,
          {
            address: { deviceId: 'D', routeId: 'R' },
            patch: { source: { srtPassPhrase: 'first-pass-phrase', srtLatency: 200 } },
            mode: 'merge',
            waitFor: 'applied',
            waitTimeout: 1000,
          },
          op(),
        )
        route.source.should.containDeep({ srtPassPhrase: 'first-pass-phrase', srtLatency: 200 })
      })
    }

    it('and leaves them out: those of a route that was created here are known', async () => {
      shown = ways['and leaves them out']!
      const answer = appliance.reply
      let created: JsonObject[] = []
      appliance.reply = (call) => {
        const { action, fields } = (call.body ?? {}) as { action?: string; fields?: JsonObject }
        if (action === 'create') {
          const told = { ...part, id: 'V', name: 'in', mode: 'caller' }
          created = [{ ...route, ...fields, id: 'N', source: told }]
          return { body: { status: 'ok' } }
        }
        if (call.path === '/api/gateway/D/routes') return { body: { data: created } }
        if (call.path === '/api/gateway/D/routes/N') return { body: created[0] }
        return answer(call)
      }
      const source = { ...part, name: 'in', srtMode: 'caller', srtPassPhrase: 'first-pass-phrase' }
      const definition = { name: 'New', source, destinations: [] }
      const waiting = { waitFor: 'applied', waitTimeout: 1000 } as const
      const create = { deviceId: 'D', definition, startRoute: false, ...waiting }
      await createRoute(appliance.gateway, create, op())
      ;(await ensure({
        name: 'New',
        source: { srtPassPhrase: 'first-pass-phrase' },
      }))!.should.equal('none')
      writes.should.equal(0)
    })

    it('and leaves them out: null takes one away all the same', async () => {
      shown = ways['and leaves them out']!
      await ensure(wanted('first-pass-phrase', 'other-pass-phrase'))
      await updateRoute(
        appliance.gateway,
        {
          address: { deviceId: 'D', routeId: 'R' },
          patch: { source: { srtPassPhrase: null } },
          mode: 'merge',
          waitFor: 'applied',
          waitTimeout: 1000,
        },
        op(),
      )
      route.source['srtPassPhrase']!.should.equal('')
      route.destinations[0]!['srtPassPhrase']!.should.equal('other-pass-phrase')
    })

    it('where the answer got lost, one is not taken for written', async () => {
      shown = ways['and leaves them out']!
      const input = wanted('first-pass-phrase', 'other-pass-phrase')
      await ensure(input)
      loseAnswer = true
      const other = wanted('another-one-now', 'other-pass-phrase')
      ;(await errorOf(ensure(other))).code.should.equal('OUTCOME_UNKNOWN')
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

      for (const secret of ['first-pass-phrase', '', null]) {
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
        const plan = async (): Promise<PlanReport> => {
          const options = { deviceId: 'D', state: 'row' as const, check: true, waitTimeout: 1000 }
          const rows = [source('first-pass-phrase')]
          return (await ensureRoutes(appliance.gateway, rows, options, op())).plan!
        }
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
        await ensure(source('first-pass-phrase'))
        ;(await plan()).text.should.match(/^Nothing to do\.$/)
      })
    })
  })
})
