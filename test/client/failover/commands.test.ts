// What a person asks of a failover, and what it answers.
import should from 'should'
import { isGatewayError } from '../../../client/errors'
import { decide } from '../../../client/failover/decide'
import { startedMemory } from '../../../client/failover/memory'
import {
  FAILOVER_ACTIONS,
  failoverSettings,
  type FailoverSettings,
} from '../../../client/model/failover'
import type { Memory } from '../../../client/failover/types'
import { play, type Span, type Step, type World } from './world'

const failed: Span[] = [[100, Infinity]]
const command = (action: string, hold?: boolean): Step => ({ command: { action, hold } })
const monitor = { restore: 'monitor' } as const

describe('a command to a failover', () => {
  it('is answered, whatever it changes', () => {
    for (const action of FAILOVER_ACTIONS) {
      const { decisions } = play({ script: { 50: command(action) } }, 60)
      const { after } = decisions.find(({ input }) => input.kind === 'command')!
      after.events.should.have.length(1, action)
    }
  })

  it('that is given again changes nothing', () => {
    const script = { 50: command('hold'), 51: command('hold'), 60: command('release') }
    const more = { 52: command('main', true), 61: command('release') }
    const { told, events } = play({ script: { ...script, ...more } }, 80)
    told.should.eql(['50 held', '60 released'])
    events.filter(({ at }) => at === 51_000 || at === 61_000).should.have.length(2)
  })

  it('for the source in use makes no change, but it is by hand from then on', () => {
    const world: World = { settings: monitor, mainBad: [[100, 300]] }
    const { acts, told } = play({ ...world, script: { 350: command('backup') } }, 7200)
    acts.should.eql(['110 backup'])
    told.should.eql(['116 switched'])
    const forced = play({ ...world, script: { 50: command('main', true) } }, 2000)
    forced.acts.should.eql([])
    forced.told.slice(0, 2).should.eql(['50 held', '110 no-protection'])
  })

  it('is refused while the route is stopped, a switch is in progress, or it is held', () => {
    const refused = (world: World): string[] =>
      play(world, 300).errors.map(({ at, code }) => `${at} ${code}`)
    refused({ stopped: [[0, 99]], script: { 50: command('backup') } }).should.eql(['50 CONFLICT'])
    refused({ script: { 50: command('backup'), 51: command('main') } }).should.eql(['51 CONFLICT'])
    refused({ script: { 50: command('hold'), 51: command('backup') } }).should.eql(['51 CONFLICT'])
    refused({ script: { 0: command('backup') } }).should.eql(['0 UNAVAILABLE'])
    const late: World = { script: { 50: { pause: 100 }, 100: command('backup') } }
    refused(late).should.eql(['100 UNAVAILABLE'])
  })

  it('is refused while an outcome is still to come, though the switch was given up', () => {
    const world: World = { mainBad: failed, change: 100, script: { 180: command('backup') } }
    play(world, 209).errors.should.eql([{ at: 180, code: 'CONFLICT' }])
  })

  it('that nobody knows is refused, with its place', () => {
    const settings = failoverSettings({ main: {}, backup: {}, restore: 'message' })
    const memory = startedMemory(settings, undefined, 0)
    const pathOf = (input: Parameters<typeof decide>[2]): string | undefined => {
      try {
        decide(settings, memory, input, 0)
        return undefined
      } catch (error) {
        if (!isGatewayError(error)) throw error
        error.code.should.equal('INVALID_INPUT')
        return error.cause.problems![0]!.path
      }
    }
    should(pathOf({ kind: 'command', action: 'Backup' })).equal('msg.action')
    should(pathOf({ kind: 'command', action: undefined })).equal('msg.action')
    should(pathOf({ kind: 'command', action: 'toString' })).equal('msg.action')
    should(pathOf({ kind: 'command', action: 'status', hold: 'yes' })).equal('msg.hold')
    should(pathOf({ kind: 'main', good: 'true' })).equal('msg.main')
    should(pathOf({ kind: 'command', action: 'status' })).be.undefined()
  })

  it('is reported with where it led from', () => {
    const { events } = play({ script: { 50: command('backup'), 90: command('main') } }, 200)
    events
      .filter(({ event }) => event === 'failover.switched')
      .map(({ from, to, cause }) => [from, to, cause])
      .should.eql([
        ['main', 'backup', 'manual'],
        ['backup', 'main', 'manual'],
      ])
  })

  it('replaces a third source', () => {
    const { acts, told, states } = play(
      { script: { 50: { set: 'other' }, 80: command('backup') } },
      300,
    )
    acts.should.eql(['80 backup'])
    told.should.eql(['50 taken-over', '86 switched'])
    states.at(-1)!.should.equal('86 protecting')
  })

  it('starts one of two routes of which neither runs, whichever was in use', () => {
    const settings = { method: 'routes', main: { name: 'A' }, backup: { name: 'B' } } as const
    for (const side of ['main', 'backup'] as const) {
      const world: World = { settings, mainBad: failed, noStart: [[0, 120]] }
      const { acts } = play({ ...world, script: { 125: command(side) } }, 139)
      acts.should.eql(['110 backup', `125 ${side}`])
    }
  })

  it('with hold goes through a hold, and the new source stays', () => {
    const script = { 50: command('hold'), 80: command('backup', true) }
    const { acts, told } = play({ script, backupBad: [[200, Infinity]] }, 1000)
    acts.should.eql(['80 backup'])
    told.should.eql(['50 held', '86 switched', '210 no-protection'])
  })

  it('with hold that fails does not leave it held with the wrong source', () => {
    const script = { 50: command('backup', true) }
    const { acts, told, events } = play({ script, refused: [[0, 60]], mainBad: failed }, 300)
    acts.should.eql(['50 backup', '110 backup'])
    told.should.eql(['52 failed', '116 switched'])
    events.every(({ held }) => !held).should.be.true()
  })

  it('to release ends what a switch in progress would leave', () => {
    const script = { 50: command('backup', true), 51: command('release') }
    const { acts, told } = play({ settings: monitor, script }, 1000)
    told.slice(0, 2).should.eql(['51 released', '56 switched'])
    acts.should.eql(['50 backup', '352 main'])
  })

  it('to hold ends no switch in progress, and no hold-off', () => {
    const script = { 111: command('hold'), 200: command('release') }
    const { acts } = play({ mainBad: failed, backupBad: [[150, Infinity]], script }, 210)
    acts.should.eql(['110 backup', '200 main'])
  })

  it('to hold is reported as no protection once, and again after a stop', () => {
    const script = { 50: command('hold') }
    const world: World = { mainBad: failed, script, away: [[200, 210]], stopped: [[300, 310]] }
    play(world, 1000).told.should.eql(['50 held', '110 no-protection', '320 no-protection'])
  })

  it('to hold keeps the way back closed', () => {
    const world: World = { settings: monitor, mainBad: [[100, 300]] }
    const script = { 400: command('hold'), 900: command('release') }
    play({ ...world, script }, 2000).acts.should.eql(['110 backup', '900 main'])
  })

  it('is obeyed while the gateway is away if it is not a switch', () => {
    const script = { 150: command('hold') }
    const { acts, told } = play({ away: [[100, 200]], mainBad: failed, script }, 1000)
    acts.should.eql([])
    told.should.eql(['150 held', '210 no-protection'])
  })
})

describe('a message about main', () => {
  it('that it is bad ends the wait, also when it is good again before the next look', () => {
    const settings = { restore: 'message' } as const
    const world: World = { settings, mainBad: [[100, 300]], script: { 400: { main: true } } }
    const { settings: all, memory } = endOf(world, 500)
    memory.waits.mainGoodSince!.should.equal(400_000)
    const bad = decide(all, memory, { kind: 'main', good: false }, 500_000)
    const good = decide(all, bad.memory, { kind: 'main', good: true }, 500_001)
    good.next!.should.equal(500_001)
    const look = { route: 'running', inUse: 'backup', good: true } as const
    const seen = decide(all, good.memory, { kind: 'look', look }, 500_002)
    seen.due!.should.equal(800_002)
  })
})

/** Settings and memory at the end of a world. */
function endOf(world: World, until: number): { settings: FailoverSettings; memory: Memory } {
  const settings = failoverSettings({ ...world.settings, main: {}, backup: {} })
  return { settings, memory: play(world, until).decisions.at(-1)!.after.memory }
}
