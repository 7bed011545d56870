import * as fc from 'fast-check'
import type { Gateway } from '../../../client'
import { Stop } from '../../../client/stop'
import { startSimulator, type Simulator } from '../../../simulator'
import { gatewayAt } from '../../support/connect'
import { passOn, ScriptedAppliance } from '../../support/scripted-appliance'
import { liveInOwnTime } from '../../support/own-time'
import { pause, until } from '../../support/until'

type Step =
  | { kind: 'rename' | 'source'; value: number; applied: boolean }
  | { kind: 'start' | 'stop'; applied: boolean }
  | { kind: 'started' | 'stopped' }
  | { kind: 'ensure'; value: number }

const applied = fc.boolean()
const STEPS: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('rename' as const, 'source' as const),
    value: fc.integer({ min: 1, max: 3 }),
    applied,
  }),
  fc.record({ kind: fc.constantFrom('start' as const, 'stop' as const), applied }),
  fc.record({ kind: fc.constantFrom('started' as const, 'stopped' as const) }),
  fc.record({ kind: fc.constant('ensure' as const), value: fc.integer({ min: 1, max: 3 }) }),
)

/** In front of a simulator: its list of routes is that of some time before. */
async function withLateList(
  simulator: Simulator,
  lateMs: number,
): Promise<{ url: string; follows: () => Promise<void>; stop: () => Promise<void> }> {
  let latest: { url: string; headers: Record<string, string> } | undefined
  const lists: Array<{ at: number; text: string }> = []
  const appliance = new ScriptedAppliance(async (call) => {
    if (call.method !== 'GET' || !call.path.endsWith('/routes') || lateMs === 0) {
      return passOn(call, simulator.url + call.url)
    }
    latest = { url: simulator.url + call.url, headers: { cookie: String(call.headers.cookie) } }
    const due = performance.now() - lateMs
    const shown = lists.findLast(({ at }) => at <= due) ?? lists[0]
    return shown ? { text: shown.text } : passOn(call, simulator.url + call.url)
  })
  const over = new Stop()
  const follow = async (): Promise<void> => {
    while (!over.stopped) {
      if (latest) {
        const { url, headers } = latest
        const response = await fetch(url, { headers }).catch(() => undefined)
        const text = await response?.text()
        if (response?.ok && text) lists.push({ at: performance.now(), text })
      }
      await pause(40)
    }
  }
  await appliance.start()
  const following = follow()
  return {
    url: appliance.url,
    follows: () => until(() => lists.length > 0 || lateMs === 0),
    async stop() {
      over.now()
      await following
      await appliance.stop()
    },
  }
}

/** Takes the steps of a route, and knows what they were to make of it. */
function stepsOf(simulator: Simulator, gateway: Gateway, index: number) {
  const { id, name, source, state } = simulator.routes[index]!
  const wanted = { name, source: source.name, state: state as string }
  const now = () => {
    const route = simulator.route(id)!
    return { name: route.name, source: route.source.name, state: route.state as string }
  }
  return {
    async take(step: Step): Promise<void> {
      const isAwaited = !('applied' in step) || step.applied
      const waiting = isAwaited ? ({ waitFor: 'applied' } as const) : {}
      if (step.kind === 'rename') {
        wanted.name = `${index} name ${step.value}`
        await gateway.routes.update({ id }, { name: wanted.name }, waiting)
      } else if (step.kind === 'source') {
        wanted.source = `source ${step.value}`
        await gateway.routes.update({ id }, { source: { name: wanted.source } }, waiting)
      } else if (step.kind === 'start' || step.kind === 'stop') {
        wanted.state = step.kind === 'start' ? 'running' : 'idle'
        await gateway.routes[step.kind]({ id }, waiting)
      } else if (step.kind === 'ensure') {
        wanted.source = `source ${step.value}`
        await gateway.routes.ensure({ id, source: { name: wanted.source } })
      } else {
        wanted.state = step.kind === 'started' ? 'running' : 'idle'
        await gateway.routes.ensure({ id }, { state: step.kind })
      }
      if (!isAwaited) return
      if ('value' in step) should(now()).match({ name: wanted.name, source: wanted.source })
      else now().state.should.equal(wanted.state)
    },
    isAsWanted: () => now().should.eql(wanted),
  }
}

/** Of two routes: the steps of one, of the other, or of both at once. */
const TURNS = fc.record({ of: fc.constantFrom([0], [1], [0, 1]), step: STEPS })

/**
 * Any changes on an appliance that is slow, with and without signs of what is pending, and whose list may
 * be older than a route by itself.
 */
describe('a sequence of changes', function () {
  this.timeout(120_000)

  it('leaves the routes as the accepted ones say, and none is said to be applied too early', async () => {
    liveInOwnTime(10)
    await fc.assert(
      fc.asyncProperty(
        fc.array(TURNS, { minLength: 2, maxLength: 6 }),
        fc.integer({ min: 0, max: 700 }),
        fc.boolean(),
        fc.oneof(fc.constant(0), fc.integer({ min: 100, max: 1500 })),
        async (turns, applyDelay, pendingChanges, lateMs) => {
          const simulator = await startSimulator({ routes: 2, dialect: { pendingChanges } })
          const appliance = await withLateList(simulator, lateMs)
          const gateway = gatewayAt(appliance)
          try {
            const both = [0, 1].map((index) => stepsOf(simulator, gateway, index))
            // From then on there are lists of before.
            await gateway.routes.list()
            await appliance.follows()
            simulator.setOptions({ applyDelay })
            for (const { of, step } of turns)
              await Promise.all(of.map((at) => both[at]!.take(step)))
            await simulator.settle()
            for (const one of both) one.isAsWanted()
          } finally {
            await gateway.close()
            await appliance.stop()
            await simulator.stop()
          }
        },
      ),
      { numRuns: 15, endOnFailure: true, interruptAfterTimeLimit: 60_000 },
    )
  })
})
