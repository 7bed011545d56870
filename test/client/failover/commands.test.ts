// What a person asks of a failover, and what it answers.
import { isGatewayError, type Problem } from '../../../client/errors'
import { decide } from '../../../client/failover/decide'
import { startedMemory } from '../../../client/failover/memory'
import { FAILOVER_ACTIONS, failoverSettings } from '../../../client/model/failover'
import { play, type Span, type Step, type World } from './world'

const failed: Span[] = [[100, Infinity]]
const monitor = { restore: 'monitor' } as const
const say = (at: number, action: string, hold?: boolean): Step => ({
  at,
  command: { action, hold },
})
const played = (more: Partial<World>, ...script: Step[]) => play({ seconds: 1000, ...more, script })

describe('a command to a failover', () => {
  it('is answered, whatever it changes', () => {
    for (const action of FAILOVER_ACTIONS) {
      const { events } = played({ seconds: 55 }, say(50, ` ${action.toUpperCase()} `))
      events.filter(({ at }) => at === 50_000).should.have.length(1, action)
    }
  })

  it('that is given again changes nothing, and is answered', () => {
    const { told, events } = played(
      {},
      say(50, 'hold'),
      say(51, 'hold'),
      say(60, 'release'),
      say(61, 'release'),
    )
    told.should.eql(['50 held', '60 released'])
    events.filter(({ at }) => at === 51_000 || at === 61_000).should.have.length(2)
  })

  it('for a side is obeyed at once, whatever rests, and kept until it is released', () => {
    const { acts, told } = played(
      { seconds: 2000, settings: monitor },
      say(50, 'backup'),
      say(700, 'release'),
    )
    acts.should.eql(['50 backup', '700 main'])
    told.should.eql(['56.5 switched', '700 released', '706.5 switched'])
    played({ settings: monitor }, say(50, 'backup')).acts.should.eql(['50 backup'])
    const resting = played({ seconds: 160, mainBad: failed, backupBad: failed }, say(150, 'backup'))
    resting.acts.at(-1)!.should.equal('150 backup')
  })

  it('for the source in use makes no change, but it is by hand from then on', () => {
    const world = { seconds: 3000, settings: monitor, mainBad: [[100, 300]] as Span[] }
    played(world, say(350, 'backup')).acts.should.eql(['110 backup'])
    const forced = played({ mainBad: failed }, say(50, 'main', true))
    forced.acts.should.eql([])
    forced.told.should.eql(['50 held', '110 unprotected'])
  })

  it('is refused while the source is not known, the route stopped, a switch in progress, or it is held', () => {
    const refused = (more: Partial<World>, ...script: Step[]): string[] =>
      played(more, ...script).errors
    refused({}, { at: 40, person: 'stop' }, say(50, 'backup')).should.eql(['50 CONFLICT'])
    refused({}, say(50, 'backup'), say(51, 'main')).should.eql(['51 CONFLICT'])
    refused({}, say(50, 'hold'), say(51, 'backup')).should.eql(['51 CONFLICT'])
    refused({ away: [[20, 90]] }, say(50, 'backup')).should.eql(['50 UNAVAILABLE'])
    refused({}, { at: 50, pause: 100 }, say(100, 'backup')).should.eql(['100 UNAVAILABLE'])
  })

  it('is refused while the response to a switch that shows already is still to come', () => {
    const settings = failoverSettings({ main: {}, backup: {} })
    let memory = startedMemory({ settings, route: '', now: 0 }, undefined)
    const take = (input: Parameters<typeof decide>[2], now: number): void => {
      memory = decide(settings, memory, input, now).memory
    }
    const look = (inUse: 'main' | 'backup') =>
      ({ kind: 'look', look: { route: 'running', inUse, good: true } }) as const
    const choose = (action: string) => ({ kind: 'command', action, hold: undefined }) as const
    take(look('main'), 0)
    take(choose('backup'), 1000)
    take(look('backup'), 2000)
    ;(() => take(choose('main'), 3000)).should.throw({ code: 'CONFLICT' })
    take({ kind: 'outcome' }, 4000)
    take(choose('main'), 5000)
    memory.change!.to.should.equal('main')
  })

  it('with hold that fails does not leave it held with the wrong source', () => {
    const world = { mainBad: failed, refused: 1, trouble: [[0, 70]] as Span[] }
    const { acts, events } = played(world, say(50, 'backup', true))
    acts.should.eql(['50', '52.5', '57', '65.5', '110'].map((at) => `${at} backup`))
    events.every(({ held }) => !held).should.be.true()
  })

  it('to release ends what a switch in progress would leave', () => {
    const { acts, told } = played(
      { settings: monitor },
      say(50, 'backup', true),
      say(51, 'release'),
    )
    told.slice(0, 2).should.eql(['51 released', '55 switched'])
    acts.should.eql(['50 backup', '353 main'])
  })

  it('to hold ends a switch that has not reached the route, and keeps the way back closed', () => {
    const world = { mainBad: failed, lost: 1, trouble: [[0, 300]] as Span[] }
    played(world, say(112, 'hold')).acts.should.eql(['110 backup'])
    const back = { settings: monitor, mainBad: [[100, 300]] as Span[], seconds: 2000 }
    played(back, say(400, 'hold'), say(900, 'release')).acts.should.eql(['110 backup', '900 main'])
  })

  it('that nobody knows is refused, with its place and what came', () => {
    const settings = failoverSettings({ main: {}, backup: {}, restore: 'message' })
    const memory = startedMemory({ settings, route: '', now: 0 }, undefined)
    const problemOf = (input: Parameters<typeof decide>[2]): string | undefined => {
      try {
        decide(settings, memory, input, 0)
        return undefined
      } catch (error) {
        if (!isGatewayError(error)) throw error
        error.code.should.equal('INVALID_INPUT')
        const [{ path, problem }] = error.cause.problems as [Problem]
        return `${path} ${problem}`
      }
    }
    const actions = 'it must be one of main, backup, hold, release, status'
    for (const [action, given] of [
      [undefined, 'missing'],
      ['toString', '"toString"'],
      ['reset', '"reset"'],
      [7, '7'],
    ])
      should(problemOf({ kind: 'command', action })).equal(`msg.action is ${given}; ${actions}`)
    should(problemOf({ kind: 'command', action: 'status', hold: 'perhaps' })).equal(
      'msg.hold is "perhaps"; it must be true or false',
    )
    should(problemOf({ kind: 'main', good: null })).equal(
      'msg.main is null; it must be true or false',
    )
    should(problemOf({ kind: 'command', action: ' Status ', hold: 'true' })).be.undefined()
    should(problemOf({ kind: 'main', good: 'false' })).be.undefined()
    const off = { ...settings, restore: 'off' } as const
    should(() => decide(off, memory, { kind: 'main', good: true }, 0)).throw({
      code: 'INVALID_INPUT',
    })
  })
})
