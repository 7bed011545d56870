import { planMerge } from '../../../client/changes/merge'
import type { RouteState } from '../../../simulator'
import { frozen } from '../../support/arbitraries'
import { liveInOwnTime } from '../../support/own-time'
import { appliance, program as gateway, relay, relayed, simulator } from '../../support/stage'
import { PRESENT } from './support'

describe('an empty secret that the appliance returns', () => {
  it('is sent where the update names it', () => {
    const present = frozen({ ...PRESENT, source: { ...PRESENT.source, srtPassPhrase: '' } })
    for (const srtPassPhrase of ['', null]) {
      const { fields } = planMerge({ source: { srtPassPhrase } }, present)
      fields.source.srtPassPhrase!.should.equal('')
    }
  })
})

describe('an appliance that returns each pass phrase as an empty text', () => {
  beforeEach(async () => {
    liveInOwnTime()
    await relayed({ routes: 4, dialect: { destinationCommands: false } })
    appliance.reply = async (call) => {
      const answer = await relay(call)
      if (answer === 'cut' || call.method !== 'GET') return answer
      const text = String(answer.text).replace(/("srtPassPhrase": *)"[^"]*"/g, '$1""')
      return { status: answer.status, text }
    }
  })

  const secretsOf = ({ source, destinations }: RouteState): unknown[] =>
    [source, ...destinations].map((part) => part.srtPassPhrase).filter(Boolean)
  const withSecrets = (): RouteState =>
    structuredClone(simulator.routes.find((one) => one.state === 'running' && secretsOf(one)[0])!)

  it('keeps them when an update, or the stop of a destination, is about something else', async () => {
    const route = withSecrets()
    const before = secretsOf(simulator.route(route.id)!)
    const target = { id: route.id }
    const waiting = { waitFor: 'applied' } as const
    await gateway.routes.update(target, { source: { name: 'Another' } }, waiting)
    await gateway.routes.stop(target, {
      ...waiting,
      destination: { id: route.destinations[0]!.id },
    })
    simulator.route(route.id)!.source.name.should.equal('Another')
    secretsOf(simulator.route(route.id)!).should.eql(before)
  })

  it('keeps them when a run of ensure is undone', async () => {
    const route = withSecrets()
    const before = secretsOf(simulator.route(route.id)!)
    await gateway.routes.ensure({ id: route.id, source: { name: 'Another' } })
    await gateway.routes.undo()
    simulator.route(route.id)!.source.name.should.equal(route.source.name)
    secretsOf(simulator.route(route.id)!).should.eql(before)
  })
})
