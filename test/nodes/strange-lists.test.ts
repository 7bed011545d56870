import 'should'
import { ensureRoutes } from '../../client/changes/ensure/ensure'
import { findRoute } from '../../client/changes/find'
import { listDefinitions } from '../../client/changes/definitions'
import { listRoutes } from '../../client/api/routes'
import { errorOf } from '../support/errors'
import { oddAppliance, op, updates } from './strange-support'

describe('an appliance that behaves otherwise', () => {
  const appliance = oddAppliance()
  const { calls } = appliance

  describe('that lists fewer routes than it counts', () => {
    const page = ['R1', 'R2'].map((id) => ({
      id,
      name: id,
      source: { id: 'S', name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
      destinations: [],
    }))
    beforeEach(() => {
      appliance.reply = ({ path }) =>
        path.endsWith('/routes') ? { body: { data: page, numPages: 1, numResults: 3 } } : undefined
    })

    it('what it lists is found, and what it does not list is not taken for absent', async () => {
      const { data } = await listRoutes(appliance.gateway, { deviceId: 'D' }, op())
      data.should.have.length(2)
      ;(await findRoute(appliance.gateway, 'D', { name: 'R2' }, op())).should.equal('R2')
      const error = await errorOf(findRoute(appliance.gateway, 'D', { name: 'R3' }, op()))
      error.should.match({ code: 'BAD_RESPONSE', cause: { retryable: true } })
      error.message.should.match(
        /reports 3 routes but returned only 2\. It is uncertain whether route ".+" exists/,
      )
      const options = { deviceId: 'D', state: 'present', waitTimeout: 500 } as const
      const { results } = await ensureRoutes(appliance.gateway, { name: 'R2' }, options, op())
      results.should.have.property('action', 'none')
    })

    it('its definitions are not returned: in a file, what is missing counts as deleted', async () => {
      const error = await errorOf(listDefinitions(appliance.gateway, { deviceId: 'D' }, op()))
      error.should.match({ code: 'BAD_RESPONSE', cause: { retryable: true } })
      error.message.should.match(/reports 3 routes but returned only 2\. Definitions that lack/)
    })

    it('a count of a moment ago is waited for', async () => {
      let looks = 0
      appliance.reply = ({ path }) =>
        path.endsWith('/routes')
          ? { body: { data: page, numPages: 1, numResults: ++looks > 2 ? 2 : 3 } }
          : undefined
      ;(await errorOf(findRoute(appliance.gateway, 'D', { name: 'R3' }, op()))).code.should.equal(
        'NOT_FOUND',
      )
    })

    it('a route that is listed twice may hide another: the page is read again', async () => {
      let looks = 0
      appliance.reply = ({ path }) => {
        if (!path.endsWith('/routes')) return undefined
        const data = ++looks === 1 ? [page[0], page[0]] : page
        return { body: { data, numPages: 1, numResults: 2 } }
      }
      const { data } = await listRoutes(appliance.gateway, { deviceId: 'D' }, op())
      data.map(({ id }) => id).should.eql(['R1', 'R2'])
    })

    it('one page among others that came short is not taken for whole', async () => {
      appliance.reply = ({ path, query }) => {
        if (!path.endsWith('/routes')) return undefined
        const at = Number(query.get('page'))
        const data =
          at === 2 || at > 3 ? [] : page.map((route) => ({ ...route, id: `${route.id} ${at}` }))
        return { body: { data, numPages: 3, numResults: 6 } }
      }
      const error = await errorOf(listRoutes(appliance.gateway, { deviceId: 'D' }, op()))
      error.should.match({ code: 'BAD_RESPONSE', cause: { retryable: true } })
    })

    const counts: Record<string, object> = {
      'no counts': {},
      'counts of null': { numPages: null, numResults: null },
      'a number of pages that is too small': { numPages: 1, numResults: 5 },
    }
    for (const [what, given] of Object.entries(counts)) {
      for (const end of ['an empty page', 'an error', 'the last page again']) {
        it(`with ${what}: all pages are read, up to ${end}`, async () => {
          const ids = ['A', 'B', 'C', 'D', 'E']
          appliance.reply = ({ path, query }) => {
            if (!path.endsWith('/routes')) return undefined
            const at = Math.min(Number(query.get('page')), end === 'the last page again' ? 3 : 99)
            if (end === 'an error' && at > 3) return { status: 400 }
            const some = ids.slice(2 * (at - 1), 2 * at)
            return { body: { data: some.map((id) => ({ ...page[0], id, name: id })), ...given } }
          }
          const { data } = await listRoutes(appliance.gateway, { deviceId: 'D' }, op())
          data.map(({ id }) => id).should.eql(ids)
        })
      }
    }

    it('those that are still being created may be counted', async () => {
      appliance.reply = ({ path }) =>
        path.endsWith('/routes')
          ? { body: { data: page, numPages: 1, numResults: 3, pendingRouteCreates: 1 } }
          : undefined
      const { data } = await listRoutes(appliance.gateway, { deviceId: 'D' }, op())
      data.should.have.length(2)
    })

    it('a route that is not among them is neither created nor taken for absent', async () => {
      const wanted = { ...page[0], id: undefined, name: 'R3' }
      for (const state of ['present', 'absent'] as const) {
        const options = { deviceId: 'D', state, waitTimeout: 500 }
        ;(await errorOf(ensureRoutes(appliance.gateway, wanted, options, op()))).code.should.equal(
          'BAD_RESPONSE',
        )
      }
      updates(calls).should.have.length(0)
    })
  })

  it('with numPages beyond all reason is read to its end', async () => {
    const data = [{ id: 'R', name: 'Route' }]
    appliance.reply = ({ path }) =>
      path.endsWith('/routes') ? { body: { data, numPages: 1e9, numResults: '1' } } : undefined
    const list = await listRoutes(appliance.gateway, { deviceId: 'D' }, op())
    list.data.should.have.length(1)
    calls.length.should.be.below(30)
  })
})
