import 'should'
import { createRoute, ensureRoutes, updateRoute, type Ensured } from '../../client/internal'
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
        // What an update leaves out stays (facts 9.3).
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

    it('and shows stars: one that was written from here is replaced by another', async () => {
      shown = (one) => ({
        ...one,
        ...(one['srtPassPhrase'] !== undefined && { srtPassPhrase: '***' }),
      })
      // Nothing tells what the stars stand for, so they are taken for what is wanted, which is said.
      route.source['srtPassPhrase'] = 'of somebody else'
      for (const srtPassPhrase of ['first-pass-phrase', '', null]) {
        const outcome = await ensured({ name: 'R', source: { srtPassPhrase } })
        outcome.should.match({ changed: false, action: 'none', diff: [] })
        outcome.unverified!.should.eql(['source.srtPassPhrase'])
      }
      for (const srtPassPhrase of ['••••••', '***', undefined]) {
        const outcome = await ensured({ name: 'R', source: { srtPassPhrase } })
        outcome.should.not.have.property('unverified')
      }
      const both = { srtPassPhrase: 'first-pass-phrase', srtLatency: 200 }
      const written = await ensured({ name: 'R', source: both })
      written.should.match({ action: 'update' }).and.not.have.property('unverified')
      ;(await ensured({ name: 'R', source: both })).should.not.have.property('unverified')
      ;(await ensure({ name: 'R', source: { srtPassPhrase: 'another-one-now' } }))!.should.equal(
        'update',
      )
      route.source['srtPassPhrase']!.should.equal('another-one-now')
    })
  })
})
