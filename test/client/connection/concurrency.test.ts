import { controlRoute } from '../../../client/changes/control'
import { Operation } from '../../../client/connection/operation'
import { readAllStatistics } from '../../../client/api/statistics'
import { createKeyedMutex, createSemaphore } from '../../../client/connection/concurrency'
import { Stop } from '../../../client/stop'
import { until } from '../../support/until'
import { connected, gateway, simulator } from '../../support/stage'

describe('a semaphore', () => {
  it('runs what is in the background only when nothing else waits', async () => {
    const semaphore = createSemaphore(1)
    const begun: string[] = []
    const task = (name: string) => async () => {
      begun.push(name)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await Promise.all([
      semaphore.run(task('first')),
      semaphore.run(task('statistics 1'), 'background'),
      semaphore.run(task('statistics 2'), 'background'),
      semaphore.run(task('start')),
      semaphore.run(task('poll')),
    ])
    begun.should.eql(['first', 'start', 'poll', 'statistics 1', 'statistics 2'])
  })

  it('runs what is first beside all others, and one at a time', async () => {
    const semaphore = createSemaphore(1)
    const begun: string[] = []
    let end = (): void => undefined
    const slow = new Promise<void>((resolve) => {
      end = resolve
    })
    const task = (name: string, work: () => Promise<void>) => () => {
      begun.push(name)
      return work()
    }
    const read = semaphore.run(task('slow read', () => slow))
    const later = semaphore.run(task('another read', () => slow))
    const change = (name: string) =>
      semaphore.run(
        task(name, () => new Promise((resolve) => setTimeout(resolve, 1))),
        'first',
      )
    await Promise.all([change('a change'), change('another change')])
    begun.should.eql(['slow read', 'a change', 'another change'])
    end()
    await Promise.all([read, later])
    begun.should.eql(['slow read', 'a change', 'another change', 'another read'])
  })

  it('rejects both kinds of tasks that wait', async () => {
    const semaphore = createSemaphore(1)
    const never = () => new Promise<void>(() => undefined)
    void semaphore.run(never)
    const waiting = [semaphore.run(never), semaphore.run(never, 'background')]
    semaphore.rejectQueued(new Error('gone'))
    const outcomes = await Promise.allSettled(waiting)
    outcomes.map(({ status }) => status).should.eql(['rejected', 'rejected'])
  })
})

describe('a mutex', () => {
  it('never begins a task whose wait was stopped or rejected', async () => {
    const mutex = createKeyedMutex()
    const begun: string[] = []
    const change = (name: string, stop?: Stop): Promise<number> =>
      mutex.run('route', () => Promise.resolve(begun.push(name)), stop)
    let end = (): void => undefined
    const slow = new Promise<void>((resolve) => {
      end = resolve
    })
    const first = mutex.run('route', () => slow)
    await new Promise(setImmediate)
    const stop = new Stop()
    const outcomes = Promise.allSettled([change('stopped', stop), change('rejected')])
    stop.now()
    mutex.rejectQueued(new Error('gone'), Infinity)
    const last = change('last')
    end()
    await Promise.all([first, last])
    begun.should.eql(['last'])
    for (const { status } of await outcomes) status.should.equal('rejected')
  })
})

describe('statistics of all routes', () => {
  beforeEach(() => connected({ routes: 24 }, { concurrency: 1 }))

  it('keep no command waiting: it goes out before the next reading', async () => {
    const deviceId = simulator.devices[0]!._id
    const { id: routeId } = simulator.routes.find(({ state }) => state === 'idle')!
    const running = simulator.routes.filter(({ state }) => state === 'running').length
    const readings = (): number =>
      simulator.journal.filter(({ path }) => path.endsWith('/statistics')).length
    simulator.setOptions({ latency: 40 })
    const all = readAllStatistics(gateway, deviceId, new Operation('statistics'))
    await until(() => readings() > 2)

    const before = readings()
    const options = {
      deviceId,
      routeId,
      action: 'start',
      waitFor: 'accepted',
      waitTimeout: 9000,
    } as const
    await controlRoute(gateway, options, new Operation('control-route'))
    // The one that was under way.
    readings().should.be.belowOrEqual(before + 1)
    ;(await all).should.have.length(running)
  })
})
