// Decisions whose order is all that matters: an answer, a command, an end between two looks.
import { decide } from '../../../client/failover/decide'
import { keptOf, startedMemory } from '../../../client/failover/memory'
import type { Act, FailoverEvent, Input, Look, Memory } from '../../../client/failover/types'
import { failoverSettings, type InUse } from '../../../client/model/failover'

const MAIN = { address: '192.0.2.1' }
const BACKUP = { address: '192.0.2.2' }
const ROUTES = { method: 'routes', main: { name: 'Main' }, backup: { name: 'Backup' } }

/** Long after the end of any loss before. */
const atMs = (seconds: number): number => 1_700_000_000_000 + seconds * 1000

const STOPPED: Look = { route: 'stopped' }
const UNKNOWN: Look = { route: 'unknown' }
const good = (inUse: InUse, more: object = {}): Look => ({
  route: 'running',
  inUse,
  good: true,
  ...more,
})
const bad = (inUse: InUse, more: object = {}): Look =>
  ({ ...good(inUse, more), good: false }) as Look

/** A failover that is asked step by step, at seconds since its start. */
class Failover {
  readonly settings
  memory: Memory
  acts: Act[] = []
  #events: FailoverEvent[] = []

  constructor(properties: object = {}) {
    this.settings = failoverSettings({ main: MAIN, backup: BACKUP, ...properties })
    this.memory = this.#start(undefined, 0)
    this.look(0, good('main'))
    this.told()
  }

  #start(saved: unknown, at: number): Memory {
    return startedMemory({ settings: this.settings, route: 'route', now: atMs(at) }, saved)
  }

  #take(at: number, input: Input): void {
    const { memory, events, act } = decide(this.settings, this.memory, input, atMs(at))
    this.memory = memory
    this.#events.push(...events)
    if (act) this.acts.push(act)
  }

  look(at: number, look: Look): void {
    this.#take(at, { kind: 'look', look })
  }

  /** The same look every two seconds, from the first time to the last. */
  looks(from: number, to: number, look: Look): void {
    for (let at = from; at <= to; at += 2) this.look(at, look)
  }

  command(at: number, action: string, hold = false): void {
    this.#take(at, { kind: 'command', action, hold })
  }

  answer(at: number, refused = false): void {
    const failure = { code: 'REJECTED', message: 'No.', applied: 'no' } as const
    this.#take(at, { kind: 'outcome', ...(refused && { failure }) })
  }

  deploy(at: number): void {
    this.memory = this.#start({ ...keptOf(this.memory), ahead: 0 }, at)
  }

  /** The events since the last time, each with its name first. */
  told(): Array<[string, FailoverEvent]> {
    return this.#events.splice(0).map((each) => [each.event.replace('failover.', ''), each])
  }

  outages(): Array<[string, number | null]> {
    return this.told().map(([name, { outageMs }]) => [name, outageMs])
  }

  names(): string[] {
    return this.told().map(([name]) => name)
  }
}

/** Main is bad from 2 s on, and the switch to the backup is sent at 12 s. */
function switching(properties: object = {}): Failover {
  const failover = new Failover(properties)
  failover.looks(2, 12, bad('main'))
  failover.acts.map(({ to }) => to).should.eql(['backup'])
  failover.told()
  return failover
}

/** Main and the backup are bad, and the way back is sent at 26 s. */
function takenBack(properties: object = {}): Failover {
  const failover = switching(properties)
  failover.answer(13)
  failover.looks(14, 26, bad('backup'))
  failover.acts.map(({ to }) => to).should.eql(['backup', 'main'])
  failover.names().should.eql(['unprotected'])
  return failover
}

describe('an outage', () => {
  it('is told with the switch whose answer comes after the new source is good', () => {
    const failover = switching(ROUTES)
    failover.look(14, good('backup'))
    failover.command(15, 'status')
    failover.answer(15.5)
    failover.look(16, good('backup'))
    failover.outages().should.eql([
      ['state', null],
      ['switched', 14_000],
    ])
  })

  it('is all of it, where the source was good for a moment', () => {
    const late = switching(ROUTES)
    late.look(14, good('backup'))
    late.look(16, bad('backup'))
    late.look(18, good('backup'))
    late.answer(19)
    late.look(20, good('backup'))
    late.outages().should.eql([['switched', 18_000]])
    const early = switching()
    early.look(14, good('main'))
    early.look(16, good('backup'))
    early.answer(16.5)
    early.look(18, good('backup'))
    early.outages().should.eql([['switched', 16_000]])
  })

  it('is told with the switch only, not with the hold that comes with it', () => {
    const failover = new Failover()
    failover.looks(2, 4, bad('main'))
    failover.command(5, 'backup', true)
    failover.answer(6)
    failover.look(7, good('backup'))
    failover.outages().should.eql([
      ['state', null],
      ['state', null],
      ['held', null],
      ['switched', 7000],
    ])
  })

  it('is told once, where the state is told before the switch', () => {
    const failover = new Failover()
    failover.looks(2, 4, bad('main'))
    failover.command(5, 'backup')
    failover.answer(6)
    failover.looks(8, 20, UNKNOWN)
    failover.told()
    failover.look(22, good('main', { isPending: true }))
    failover.look(24, good('backup'))
    failover.outages().should.eql([
      ['state', 22_000],
      ['switched', 2000],
    ])
  })

  it('goes on while the gateway restarts the route for the switch', () => {
    const failover = switching()
    failover.answer(13)
    failover.looks(14, 16, STOPPED)
    failover.look(18, good('backup'))
    failover.outages().should.eql([['switched', 18_000]])
  })

  it('of main is told while the backup is bad', () => {
    const failover = new Failover({ monitorBackup: 'Monitor' })
    failover.looks(2, 14, good('main', { backup: false }))
    failover.names().should.eql(['unprotected'])
    failover.looks(16, 20, bad('main', { backup: false }))
    failover.look(22, good('main', { backup: false }))
    failover
      .told()
      .map(([name, { state, outageMs }]) => [name, state, outageMs])
      .should.eql([
        ['state', 'no-protection', null],
        ['state', 'normal', 8000],
      ])
  })
})

describe('a source of which one part shows', () => {
  it('is our own for half a minute after the switch was sent last', () => {
    const failover = switching()
    failover.answer(13, true)
    failover.look(16, bad('main'))
    failover.acts.should.have.length(2)
    failover.answer(16.5)
    failover.look(44, good('other', { isPending: true }))
    failover.names().should.eql([])
    failover.look(47, good('other', { isPending: true }))
    failover.names().should.eql(['taken-over'])
  })
})

describe('a route that is stopped', () => {
  it('during a switch is left so, and said to be after half a minute', () => {
    const failover = switching()
    failover.answer(13)
    failover.looks(14, 40, STOPPED)
    failover.names().should.eql([])
    failover.look(42, STOPPED)
    failover
      .told()
      .map(([, { state }]) => state)
      .should.eql(['standby'])
    failover.acts.should.have.length(1)
  })

  it('when the switch was refused is said to be at once', () => {
    const failover = switching()
    failover.answer(13, true)
    failover.look(14, STOPPED)
    failover
      .told()
      .map(([, { state }]) => state)
      .should.eql(['standby'])
  })

  it('while neither source is good is told, and so is what follows', () => {
    const failover = takenBack()
    failover.answer(27)
    failover.look(28, bad('main'))
    failover.look(30, STOPPED)
    failover.look(32, bad('main'))
    failover
      .told()
      .map(([, { state }]) => state)
      .should.eql(['standby', 'no-protection'])
  })
})

describe('the all-clear', () => {
  /** Main is good again at 30 s, after it and the backup were not. */
  function clearing(properties: object = {}): Failover {
    const failover = takenBack(properties)
    failover.answer(27)
    failover.look(28, bad('main'))
    failover.look(30, good('main'))
    failover.names().should.eql([])
    return failover
  }

  it('comes after the guard time, with the outage', () => {
    const failover = clearing()
    failover.looks(32, 58, good('main'))
    failover.names().should.eql([])
    failover.look(60, good('main'))
    failover.outages().should.eql([['protected', 30_000]])
  })

  it('waits for all of it again after a deploy, and after a time in which nothing was seen', () => {
    const deployed = clearing()
    deployed.deploy(3600)
    const silent = clearing()
    silent.looks(32, 600, UNKNOWN)
    silent.told()
    const away = clearing()
    for (const [failover, from] of [
      [deployed, 3600],
      [silent, 602],
      [away, 1000],
    ] as const) {
      failover.looks(from, from + 28, good('main'))
      failover
        .names()
        .filter((name) => name !== 'state')
        .should.eql([])
      failover.look(from + 30, good('main'))
      failover.outages().should.eql([['protected', 30_000]])
    }
  })

  it('does not come before a long guard time', () => {
    const failover = clearing({ guard: 900 })
    failover.looks(32, 928, good('main'))
    failover.names().should.eql([])
    failover.look(930, good('main'))
    failover.names().should.eql(['protected'])
  })
})

describe('a switch that is told', () => {
  it('has the cause and the time of a trial that was good in the end', () => {
    const failover = takenBack()
    // The way back was not made.
    failover.look(27, good('backup'))
    failover.answer(28, true)
    failover.look(29, good('backup'))
    const [[name, { cause, from, to, durationMs }]] = failover.told() as [[string, FailoverEvent]]
    ;[name, cause, from, to, durationMs].should.eql([
      'switched',
      'signal-fail',
      'main',
      'backup',
      2000,
    ])
  })

  it('is none while the way back is accepted, and may show yet', () => {
    const failover = takenBack()
    failover.answer(26.5)
    failover.look(28, good('backup'))
    failover.names().should.eql([])
    failover.look(30, good('backup'))
    failover.names().should.eql(['switched'])
  })

  it('has them also after a deploy', () => {
    const failover = takenBack()
    failover.deploy(27)
    failover.look(28, good('backup'))
    const told = failover.told().map(([name, { cause, durationMs }]) => [name, cause, durationMs])
    told.should.eql([['switched', 'signal-fail', 2000]])
  })

  it('is a return to main that was good in the end', () => {
    const failover = switching({ restore: 'message', waitToRestore: 5 })
    failover.answer(13)
    failover.looks(14, 20, good('backup'))
    failover.told()
    failover.memory = decide(
      failover.settings,
      failover.memory,
      { kind: 'main', good: true },
      atMs(20),
    ).memory
    failover.looks(22, 60, good('backup'))
    const [, back] = failover.acts
    back!.should.containEql({ to: 'main', cause: 'restore' })
    const { at } = failover.memory.change!
    failover.answer(61)
    failover.looks(62, 74, bad('main'))
    failover.acts.should.have.length(3)
    failover.told()
    failover.look(75, good('main'))
    failover.answer(76, true)
    failover.look(77, good('main'))
    const [[name, { cause, durationMs }]] = failover.told() as [[string, FailoverEvent]]
    ;[name, cause, durationMs].should.eql(['switched', 'restore', atMs(62) - at])
  })

  it('is no trial that a person ends before it was good', () => {
    const failover = switching()
    failover.answer(13)
    failover.look(14, bad('backup'))
    failover.command(15, 'main')
    failover.answer(16)
    failover.look(17, good('main'))
    failover
      .told()
      .map(([name, { cause }]) => [name, cause])
      .should.eql([['switched', 'manual']])
  })

  it('is a trial that a person wants to stay, good or not', () => {
    const failover = switching()
    failover.answer(13)
    failover.look(14, bad('backup'))
    failover.command(15, 'backup')
    failover.looks(16, 26, bad('backup'))
    failover
      .told()
      .map(([name, { cause, to }]) => [name, cause, to])
      .should.eql([
        ['state', null, null],
        ['switched', 'signal-fail', 'backup'],
      ])
    failover.acts.should.have.length(1)
    failover.memory.manual.should.be.true()
  })

  it('neither holds nor counts from its last attempt when it shows after a release', () => {
    const failover = new Failover()
    failover.command(1, 'backup', true)
    for (let at = 2; at <= 30; at += 2) {
      if (failover.memory.isBusy) failover.answer(at - 0.5)
      failover.look(at, good('main'))
    }
    failover.acts.should.have.length(4)
    failover.names().should.eql(['state', 'failed'])
    failover.command(31, 'release')
    failover.look(32, good('backup'))
    failover.look(34, good('backup'))
    const told = failover.told().map(([name, { held, durationMs }]) => [name, held, durationMs])
    told.at(-1)!.should.eql(['switched', false, 31_000])
    failover.memory.held.should.be.false()
    failover.memory.manual.should.be.false()
  })
})
