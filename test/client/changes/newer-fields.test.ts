import type { Route } from '../../../client'
import { errorOf } from '../../support/errors'
import { ROUTE as NEW } from '../connection/support'
import { liveInOwnTime } from '../../support/own-time'
import { appliance, program as gateway, relay, relayed, simulator } from '../../support/stage'

describe('a field of a route that the package does not know', () => {
  let read: Route

  beforeEach(async () => {
    liveInOwnTime()
    await relayed({ routes: 2 })
    appliance.reply = async (call) => {
      const answer = await relay(call)
      if (answer === 'cut' || call.method !== 'GET' || !call.path.includes('/routes')) return answer
      const body = JSON.parse(String(answer.text)) as Route & { data?: Route[] }
      for (const route of body.data ?? [body]) {
        route.operatorGroup = { name: 'newer firmware' }
        // Near to one that is known.
        route.createdBy = 'admin'
      }
      return { body }
    }
    read = await gateway.routes.get({ id: simulator.routes[0]!.id })
    read.should.have.property('operatorGroup')
  })

  const modes = ['keep', 'merge', 'replace'] as const

  it('is accepted in a route as read', async () => {
    const source = { ...read.source, name: 'Another' }
    for (const mode of modes) await gateway.routes.update(read, { ...read, source }, { mode })
    const { action } = await gateway.routes.ensure({ ...read, source })
    action.should.equal('none')
    simulator.route(read.id)!.source.name.should.equal('Another')
    await gateway.routes.create({ ...read, name: 'A copy' })
  })

  it('is refused where the appliance has not returned it', async () => {
    const edited = { ...read, enabled: false }
    const attempts = [
      ...modes.flatMap((mode) =>
        [true, false].map((validate) => {
          return () => gateway.routes.update(read, edited, { mode, validate })
        }),
      ),
      () => gateway.routes.ensure(edited),
    ]
    for (const attempt of attempts) {
      const { code, cause } = await errorOf(attempt())
      code.should.equal('INVALID_INPUT')
      cause.problems!.map(({ path }) => path).should.eql(['enabled'])
    }
    // An empty ID is none: somebody has written this.
    const source = { ...NEW.source, id: '' }
    const made = await errorOf(gateway.routes.create({ ...NEW, source, outputs: [] } as never))
    made.cause.problems!.map(({ path }) => path).should.eql(['outputs'])
    simulator.journal.filter(({ path }) => path.endsWith('/updates')).should.be.empty()
  })
})
