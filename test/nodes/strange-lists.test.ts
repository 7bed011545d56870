import { errorOf } from '../support/errors'
import { oddAppliance, routeOf, updates } from './strange-support'

describe('an appliance that behaves otherwise', () => {
  const appliance = oddAppliance()
  const { calls } = appliance

  /** Answers each request for a list, by its number and its page. */
  function lists(answer: (look: number, page: number) => object | undefined): void {
    let looks = 0
    appliance.reply = ({ path, query }) => {
      if (!path.endsWith('/routes')) return undefined
      const body = answer(++looks, Number(query.get('page')))
      return body ? { body } : { status: 400 }
    }
  }
  const idsListed = async (): Promise<string[]> =>
    (await appliance.gateway.routes.list({ deviceId: 'D' })).data.map(({ id }) => id)

  describe('that lists fewer routes than it counts', () => {
    const data = ['R1', 'R2'].map((id) => routeOf({ id, name: id }))
    const none = () => appliance.gateway.statistics.get({ name: 'R3' })
    const UNSURE = { code: 'BAD_RESPONSE', cause: { retryable: true } }
    beforeEach(() => lists(() => ({ data, numPages: 1, numResults: 3 })))

    it('what it lists is found, and what it does not list is not taken for absent', async () => {
      const { routes, statistics } = appliance.gateway
      ;(await idsListed()).should.eql(['R1', 'R2'])
      await errorOf(statistics.get({ name: 'R2' }))
      calls.some(({ query }) => query.get('routeID') === 'R2').should.be.true()
      const error = await errorOf(none())
      error.should.match(UNSURE)
      error.message.should.match(
        /reports 3 routes but returned only 2\. It is uncertain whether route ".+" exists/,
      )
      ;(await routes.ensure({ name: 'R2' })).should.have.property('action', 'none')
    })

    it('its definitions are not returned: in a file, what is missing counts as deleted', async () => {
      const error = await errorOf(appliance.gateway.routes.definitions())
      error.should.match(UNSURE)
      error.message.should.match(/reports 3 routes but returned only 2\. Definitions that lack/)
    })

    it('a count of a moment ago is waited for', async () => {
      lists((look) => ({ data, numPages: 1, numResults: look > 2 ? 2 : 3 }))
      ;(await errorOf(none())).code.should.equal('NOT_FOUND')
    })

    it('a route that is listed twice may hide another: the page is read again', async () => {
      const twice = [data[0], data[0]]
      lists((look) => ({ data: look === 1 ? twice : data, numPages: 1, numResults: 2 }))
      ;(await idsListed()).should.eql(['R1', 'R2'])
    })

    it('one page among others that came short is not taken for whole', async () => {
      lists((_, page) => {
        const some = data.map((route) => ({ ...route, id: `${String(route['id'])} ${page}` }))
        return { data: page === 2 || page > 3 ? [] : some, numPages: 3, numResults: 6 }
      })
      ;(await errorOf(idsListed())).should.match(UNSURE)
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
          lists((_, page) => {
            if (end === 'an error' && page > 3) return undefined
            const at = end === 'the last page again' ? Math.min(page, 3) : page
            const some = ids.slice(2 * (at - 1), 2 * at)
            return { data: some.map((id) => routeOf({ id, name: id })), ...given }
          })
          ;(await idsListed()).should.eql(ids)
        })
      }
    }

    it('those that are still being created may be counted', async () => {
      lists(() => ({ data, numPages: 1, numResults: 3, pendingRouteCreates: 1 }))
      ;(await idsListed()).should.have.length(2)
    })

    it('a route that is not among them is neither created nor taken for absent', async () => {
      const wanted = { ...data[0], id: undefined, name: 'R3' }
      for (const state of ['present', 'absent'] as const) {
        const ensured = appliance.gateway.routes.ensure(wanted, { state, waitTimeout: 500 })
        ;(await errorOf(ensured)).code.should.equal('BAD_RESPONSE')
      }
      updates(calls).should.have.length(0)
    })
  })

  it('with numPages beyond all reason is read to its end', async () => {
    lists(() => ({ data: [{ id: 'R', name: 'Route' }], numPages: 1e9, numResults: '1' }))
    ;(await idsListed()).should.have.length(1)
    calls.length.should.be.below(30)
  })
})
