import * as fc from 'fast-check'
import should from 'should'
import { startSimulator } from '../../../simulator'
import { gatewayAt } from '../../support/connect'
import { liveInOwnTime } from '../../support/own-time'

type Step =
  | { kind: 'rename' | 'source'; value: number; applied: boolean }
  | { kind: 'start' | 'stop'; applied: boolean }
  | { kind: 'started' | 'stopped' }

const applied = fc.boolean()
const STEPS: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('rename' as const, 'source' as const),
    value: fc.integer({ min: 1, max: 3 }),
    applied,
  }),
  fc.record({ kind: fc.constantFrom('start' as const, 'stop' as const), applied }),
  fc.record({ kind: fc.constantFrom('started' as const, 'stopped' as const) }),
)

/** Any changes of a route on an appliance that is slow, with and without signs of what is pending. */
describe('a sequence of changes', function () {
  this.timeout(120_000)

  it('leaves the route as the accepted ones say, and none is said to be applied too early', async () => {
    liveInOwnTime(10)
    await fc.assert(
      fc.asyncProperty(
        fc.array(STEPS, { minLength: 2, maxLength: 6 }),
        fc.integer({ min: 0, max: 700 }),
        fc.boolean(),
        async (steps, applyDelay, pendingChanges) => {
          const simulator = await startSimulator({ routes: 1, dialect: { pendingChanges } })
          const gateway = gatewayAt(simulator)
          try {
            const { id, name, source, state } = simulator.routes[0]!
            const wanted = { name, source: source.name, state: state as string }
            const now = () => {
              const route = simulator.route(id)!
              return { name: route.name, source: route.source.name, state: route.state as string }
            }
            simulator.setOptions({ applyDelay })
            for (const step of steps) {
              const waiting =
                'applied' in step && step.applied ? ({ waitFor: 'applied' } as const) : {}
              if (step.kind === 'rename') {
                wanted.name = `name ${step.value}`
                await gateway.routes.update({ id }, { name: wanted.name }, waiting)
              } else if (step.kind === 'source') {
                wanted.source = `source ${step.value}`
                await gateway.routes.update({ id }, { source: { name: wanted.source } }, waiting)
              } else if (step.kind === 'start' || step.kind === 'stop') {
                wanted.state = step.kind === 'start' ? 'running' : 'idle'
                await gateway.routes[step.kind]({ id }, waiting)
              } else {
                wanted.state = step.kind === 'started' ? 'running' : 'idle'
                await gateway.routes.ensure({ id }, { state: step.kind })
              }
              const isSaid = !('applied' in step) || step.applied
              if (!isSaid) continue
              if ('value' in step) should(now()).match({ name: wanted.name, source: wanted.source })
              else now().state.should.equal(wanted.state)
            }
            await simulator.settle()
            now().should.eql(wanted)
          } finally {
            await gateway.close()
            await simulator.stop()
          }
        },
      ),
      { numRuns: 15, endOnFailure: true, interruptAfterTimeLimit: 60_000 },
    )
  })
})
