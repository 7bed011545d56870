import type { SavedMemory } from '../../../client/failover/memory'
import type { Fault } from '../../../simulator/faults'
import { until } from '../../support/until'
import {
  clock,
  event,
  gateway,
  lastKept,
  log,
  looks,
  loseMain,
  namesOf,
  protect,
  protecting,
  reaches,
  simulator,
  start,
  tells,
  writes,
  type Told,
} from './support'

const ROUTES = { method: 'routes', main: { name: 'Studio A' }, backup: { id: 'studio-a-2' } }

interface Body {
  command?: string
}

const commands = (): string[] =>
  writes().map(({ body, path }) => {
    const { command, ...rest } = body as Body & object
    const route = JSON.stringify(rest).includes('studio-a-2') ? 'backup' : 'main'
    return path.endsWith('/commands') ? `${command} ${route}` : path
  })

const runs = (name: string): boolean => simulator.route(name)!.state === 'running'

describe('a failover of two routes', () => {
  beforeEach(() => start())
  const begin = (): Promise<Told> => protecting(ROUTES, { route: undefined })

  it('reads both, stops the one, sees it stopped, and only then starts the other', async () => {
    const told = await begin()
    // Long enough for a read in between, also on a busy machine.
    simulator.setOptions({ applyDelay: 400 })
    // What a read showed of the route that is to be stopped.
    const seen: string[] = []
    const end = simulator.onCall(({ method, path, body }) => {
      const { command } = (body ?? {}) as Body
      if (command) seen.push(command)
      else if (method === 'GET' && path.endsWith('/studio-a')) {
        seen.push(runs('Studio A') ? 'runs' : 'idle')
      }
    })
    loseMain()
    await tells(told, 'switched')
    await reaches(told, 'protecting')
    end()
    commands().should.eql(['stop-route main', 'start-route backup'])
    const [stopped, started] = [seen.indexOf('stop-route'), seen.indexOf('start-route')]
    stopped.should.be.within(0, started)
    seen
      .slice(stopped + 1, started)
      .should.containEql('runs')
      .and.containEql('idle')
    ;[runs('Studio A'), runs('Studio A backup')].should.eql([false, true])
    event(told, 'switched').route.should.eql({ id: 'studio-a', name: 'Studio A' })
  })

  it('sends nothing before it is kept that the other one is to be started, for a second at most', async () => {
    let sentBefore: string[] | undefined
    const keepOnce = (memory: SavedMemory): Promise<void> | undefined => {
      if (!memory.change) return undefined
      return new Promise((resolve) => {
        if (sentBefore) return
        clock.after(500, () => {
          sentBefore ??= commands()
          resolve()
        })
      })
    }
    const told = protect(ROUTES, { route: undefined, onMemory: keepOnce })
    await reaches(told, 'normal')
    loseMain()
    await tells(told, 'switched')
    should(sentBefore).eql([])
    commands().should.eql(['stop-route main', 'start-route backup'])

    // The store no longer responds.
    await told.protection.command('main')
    await tells(told, 'switched', 'switched')
    commands().slice(2).should.eql(['stop-route backup', 'start-route main'])
  })

  const [STOP, START] = ['stop-route main', 'start-route backup']
  // Accepted, and nothing comes of it.
  const IGNORED = { status: 200, body: [{ _id: 'queued' }] }
  for (const [what, fault, sent, applied] of [
    [
      'goes on when the response to the stop is lost',
      { kind: 'reset-after', match: { action: 'stop-route' } },
      [STOP, START],
    ],
    [
      'starts nothing when the stop is refused, and sends it again',
      { kind: 'status', status: 400, match: { action: 'stop-route' } },
      [STOP, STOP, START],
      'no',
    ],
    [
      'repeats a start that may not have arrived',
      { kind: 'reset', match: { action: 'start-route' } },
      [STOP, START, START],
    ],
    [
      'sends a refused start again, without a second stop',
      { kind: 'status', status: 400, match: { action: 'start-route' } },
      [STOP, START, START],
      'yes',
    ],
    [
      'sends a start again that was accepted and does not show',
      { kind: 'status', ...IGNORED, match: { action: 'start-route' } },
      [STOP, START, START],
    ],
  ] as Array<[string, Fault, string[], string?]>) {
    it(what, async () => {
      const told = await begin()
      simulator.fault({ ...fault, times: 1 })
      loseMain()
      if (applied) {
        await until(() => lastKept(told).change?.failure !== undefined)
        lastKept(told).change!.failure!.should.containEql({ code: 'REJECTED', applied })
        if (applied === 'no') [runs('Studio A'), runs('Studio A backup')].should.eql([true, false])
      }
      await tells(told, 'switched')
      commands().should.eql(sent)
      namesOf(told).should.eql(['switched'])
    })
  }

  it('starts nothing when the stop does not show', async () => {
    const told = await begin()
    simulator.setOptions({ applyDelay: 1500 })
    loseMain()
    await reaches(told, 'switching')
    // 10 s, in a time ten times as fast.
    await until(() => lastKept(told).change?.failure !== undefined)
    lastKept(told).change!.failure!.should.containEql({ code: 'NOT_CONFIRMED', applied: 'maybe' })
    commands().should.eql(['stop-route main'])
    simulator.setOptions({ applyDelay: 10 })
    // The stop takes effect in the end: nobody else has stopped both, and the start follows.
    await tells(told, 'switched')
    commands().at(-1)!.should.equal('start-route backup')
  })

  it('starts the first one again when the other cannot be started', async () => {
    const told = await begin()
    simulator.fault({
      kind: 'status',
      status: 400,
      match: { action: 'start-route', path: /./ },
      times: 4,
    })
    loseMain()
    await tells(told, 'failed')
    const { text, failure } = event(told, 'failed')
    failure!.should.containEql({ code: 'REJECTED', applied: 'yes' })
    text.should.match(/neither route runs/)
    told.failures[0]!.cause.should.containEql({ applied: 'yes', statusCode: 400 })
    await until(() => runs('Studio A'))
    const sent = commands()
    sent.filter((one) => one === 'start-route backup').should.have.length(4)
    sent.slice(-1).should.eql(['start-route main'])
    sent.filter((one) => one.startsWith('stop')).should.eql(['stop-route main'])
  })

  it('leaves the backup stopped that a person stops right after it was seen to run', async () => {
    const told = await begin()
    // Else a route that starts right after a read would count as seen.
    simulator.setOptions({ applyDelay: 0 })
    const end = simulator.onCall(({ method, path }) => {
      const isRead = method === 'GET' && path.endsWith('/studio-a-2')
      if (!isRead || !runs('Studio A backup')) return
      end()
      simulator.stopRoute('Studio A backup')
    })
    loseMain()
    await reaches(told, 'standby')
    await looks(8)
    commands().should.eql(['stop-route main', 'start-route backup'])
    ;[runs('Studio A'), runs('Studio A backup')].should.eql([false, false])
  })

  it('switches although something else never ends in the route', async () => {
    for (const name of ['Studio A', 'Studio A backup']) {
      Object.defineProperty(simulator.route(name)!, 'pendingUpdates', {
        get: () => ({ stuck: true }),
        set() {},
        configurable: true,
      })
    }
    const told = await begin()
    loseMain()
    await tells(told, 'switched')
    commands().should.eql(['stop-route main', 'start-route backup'])
    told.kept.some(({ change }) => change?.failure).should.be.false()
  })

  it('of which both run keeps its hands off, until a command says which', async () => {
    simulator.startRoute('Studio A backup')
    const told = protect(ROUTES, { route: undefined })
    await reaches(told, 'foreign')
    await looks(3)
    writes().should.eql([])
    await told.protection.command('backup')
    await tells(told, 'switched')
    commands().should.eql(['stop-route main'])
    ;[runs('Studio A'), runs('Studio A backup')].should.eql([false, true])
  })

  it('completes its switch when it is closed in the middle', async () => {
    const told = await begin()
    simulator.setOptions({ applyDelay: 100 })
    loseMain()
    await until(() => commands().length === 1)
    await told.protection.close()
    commands().should.eql(['stop-route main', 'start-route backup'])
    const again = protect(ROUTES, {
      route: undefined,
      memory: JSON.parse(JSON.stringify(lastKept(told))),
    })
    await tells(again, 'switched')
    event(again, 'switched').should.containEql({ from: 'main', to: 'backup' })
  })

  for (const what of ['failover', 'connection']) {
    it(`repeats a start for as long as the close of the ${what} lasts`, async () => {
      const told = await begin()
      simulator.setOptions({ applyDelay: 100 })
      simulator.fault({ kind: 'reset', match: { action: 'start-route' }, times: 4 })
      loseMain()
      await until(() => commands().length === 1)
      await (what === 'failover' ? told.protection : gateway).close()
      commands().should.eql(['stop-route main', ...Array<string>(5).fill('start-route backup')])
      await until(() => runs('Studio A backup'))
    })
  }

  for (const [when, isReady] of [
    ['while it stops the one', () => commands().length === 1],
    ['between two attempts to start the other', (told: Told) => lastKept(told).change?.failure],
  ] as const) {
    it(`says that both may be stopped when it ends ${when}, and the next one goes on`, async () => {
      const told = await begin()
      simulator.setOptions({ applyDelay: 100 })
      simulator.fault({ kind: 'status', status: 400, match: { action: 'start-route' } })
      loseMain()
      await until(() => Boolean(isReady(told)))
      ;(await told.protection.close()).should.eql({ isHalfway: true })
      const said = log.filter((line) => line.includes('both routes may be stopped'))
      said.should.have.length(1)
      said[0]!.should.match(/^warn A failover ended during a switch: .*Studio A backup.*400/)
      ;[runs('Studio A'), runs('Studio A backup')].should.eql([false, false])
      simulator.clearFaults()
      const again = protect(ROUTES, { route: undefined, memory: structuredClone(lastKept(told)) })
      await tells(again, 'switched')
      ;(await again.protection.close()).should.eql({ isHalfway: false })
      ;[runs('Studio A'), runs('Studio A backup')].should.eql([false, true])
      log.filter((line) => line.includes('may be stopped')).should.have.length(1)
    })
  }

  it('completes its switch when the connection is closed in the middle', async () => {
    const told = await begin()
    simulator.setOptions({ applyDelay: 100 })
    loseMain()
    await until(() => commands().length === 1)
    await gateway.close()
    commands().should.eql(['stop-route main', 'start-route backup'])
    await until(() => runs('Studio A backup'))
    lastKept(told).change!.to.should.equal('backup')
  })

  it('starts the other one before a close ends, also when the stop takes effect only later', async () => {
    const told = await begin()
    simulator.setOptions({ applyDelay: 4000 })
    // The close begins while the stop is on its way.
    const slow = { kind: 'latency', ms: 300, match: { action: 'stop-route' } } as const
    simulator.fault({ ...slow, times: 1 })
    loseMain()
    await until(() => commands().length === 1)
    await gateway.close()
    commands().should.eql(['stop-route main', 'start-route backup'])
    await until(() => runs('Studio A backup') && !runs('Studio A'))
    lastKept(told).change!.to.should.equal('backup')
  })

  it('starts nothing at a close beside a route that a lost stop has left running', async () => {
    const told = await begin()
    simulator.fault({ kind: 'reset', match: { action: 'stop-route' }, times: 1 })
    loseMain()
    await until(() => commands().length === 1)
    await gateway.close()
    commands().should.eql(['stop-route main'])
    ;[runs('Studio A'), runs('Studio A backup')].should.eql([true, false])
    lastKept(told).change!.to.should.equal('backup')
  })
})
