import { until } from '../../support/until'
import {
  closeAll,
  event,
  gateway,
  lastKept,
  looks,
  MAIN,
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

const ROUTES = {
  method: 'routes',
  main: { name: 'Studio A' },
  backup: { id: 'studio-a-2' },
}

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
  afterEach(closeAll)

  const begin = (): Promise<Told> => protecting(ROUTES, { route: undefined })
  const loseMain = (): void => simulator.failAddress(MAIN.address, 'disconnected')

  it('reads both, stops the one, sees it stopped, and only then starts the other', async () => {
    const told = await begin()
    simulator.setOptions({ applyDelay: 100 })
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

  it('goes on when the response to the stop is lost', async () => {
    const told = await begin()
    simulator.fault({ kind: 'reset-after', match: { action: 'stop-route' }, times: 1 })
    loseMain()
    await tells(told, 'switched')
    commands().should.eql(['stop-route main', 'start-route backup'])
    namesOf(told).should.eql(['switched'])
  })

  it('starts nothing when the stop is refused', async () => {
    const told = await begin()
    simulator.fault({ kind: 'status', status: 400, match: { action: 'stop-route' }, times: 1 })
    loseMain()
    await tells(told, 'failed')
    event(told, 'failed').failure!.applied.should.equal('no')
    commands().should.eql(['stop-route main'])
    ;[runs('Studio A'), runs('Studio A backup')].should.eql([true, false])
    await tells(told, 'failed', 'no-protection', 'switched')
  })

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
  })

  it('repeats a start that may not have arrived', async () => {
    const told = await begin()
    simulator.fault({ kind: 'reset', match: { action: 'start-route' }, times: 1 })
    loseMain()
    await tells(told, 'switched')
    commands().should.eql(['stop-route main', 'start-route backup', 'start-route backup'])
    namesOf(told).should.eql(['switched'])
  })

  it('tries a refused start again after the guard, without a second stop', async () => {
    const told = await begin()
    simulator.fault({ kind: 'status', status: 400, match: { action: 'start-route' }, times: 1 })
    loseMain()
    await tells(told, 'failed')
    const { failure, text } = event(told, 'failed')
    failure!.should.containEql({ code: 'REJECTED', applied: 'yes' })
    text.should.endWith('the switch to backup failed halfway: request rejected')
    await until(() => writes().length === 3)
    const [first, second, third] = commands()
    ;[first, second].should.eql(['stop-route main', 'start-route backup'])
    third!.should.startWith('start-route ')
    await until(() => namesOf(told).includes('switched'))
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
    event(again, 'switched').should.containEql({ from: 'main', to: 'backup', switches: 1 })
  })

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
})
