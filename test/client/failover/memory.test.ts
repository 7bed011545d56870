// What a failover knows after a restart.
import * as fc from 'fast-check'
import { decide } from '../../../client/failover/decide'
import { keptOf, startedMemory } from '../../../client/failover/memory'
import type { FailoverEvent, Look, Memory } from '../../../client/failover/types'
import { failoverSettings, type FailoverSettings } from '../../../client/model/failover'
import { play, type Span, type Step, type World } from './world'

const sides = { main: { address: '192.0.2.1' }, backup: { address: '192.0.2.2' } }
const settingsWith = (more: Partial<FailoverSettings> = {}): FailoverSettings =>
  failoverSettings({ ...sides, ...more })
const failed: Span[] = [[100, Infinity]]
const both = { mainBad: failed, backupBad: failed }
const EPOCH = 1_700_000_000_000
const HOUR = 3600

/** What is stored at the end of a world. */
function keptAfter(world: World): Record<string, unknown> {
  let memory: Memory | undefined
  play(world, ({ after }) => (memory = after.memory))
  return JSON.parse(JSON.stringify({ ...keptOf(memory!), ahead: 0 })) as Record<string, unknown>
}

const started = (saved: unknown, more: Partial<Parameters<typeof startedMemory>[0]> = {}): Memory =>
  startedMemory(
    { settings: settingsWith(), route: 'route', now: EPOCH + 5_000_000, ...more },
    saved,
  )

describe('the memory of a failover', () => {
  const restart = (at: number, more: Partial<Step> = {}): Step => ({ at, restart: 'kept', ...more })

  it('keeps what has to rest, and what was told, over a restart and a clock that was set', () => {
    const world: World = { seconds: 1000, ...both }
    const { acts, told } = play(world)
    for (const script of [
      [restart(150)],
      [restart(150, { clock: -HOUR })],
      [{ at: 140, clock: HOUR }, restart(150)],
    ]) {
      const again = play({ ...world, script })
      again.acts.map((act) => act.split(' ')[1]).should.eql(acts.map((act) => act.split(' ')[1]))
      again.told.should.eql(told)
    }
    play({ ...world, script: [{ at: 150, restart: 'lost' }] }).acts[2]!.should.equal('160 backup')
  })

  it('knows a switch in progress: it is ours, also one that shows after it was given up', () => {
    const world: World = { seconds: 300, mainBad: failed, script: [restart(111)] }
    const { acts, told } = play(world)
    acts.should.eql(['110 backup'])
    told.should.eql(['115 switched'])
    play({ ...world, lost: 1, trouble: [[0, 111]] }).acts.should.eql(['110 backup', '111 backup'])
    const slow = play({ seconds: 300, mainBad: [[100, 111]], apply: 8, script: [restart(114)] })
    slow.told.should.eql(['122 switched'])
  })

  it('knows that neither of two routes runs, and starts the other; not what was stopped long ago', () => {
    const settings = { method: 'routes', main: { name: 'A' }, backup: { name: 'B' } } as const
    const world: World = { seconds: 300, settings, mainBad: failed, apply: 8 }
    play({ ...world, script: [restart(110.3)] }).acts.should.eql(['110 backup', '110.5 backup'])
    const actsAfter = (pause: number): string[] =>
      play({ ...world, seconds: 1500, noStart: 1, script: [restart(110.3), { at: 110.3, pause }] })
        .acts
    // Fifteen minutes after the stop, a person may have stopped both.
    actsAfter(890)
      .slice(0, 2)
      .should.match(['110 backup', /^100\d(\.\d)? backup$/])
    actsAfter(901).should.eql(['110 backup'])
  })

  it('is held as it was; the setting counts at a start, and when it is another one', () => {
    const held = keptAfter({ seconds: 60, script: [{ at: 50, command: { action: 'hold' } }] })
    const free = keptAfter({
      seconds: 60,
      settings: { hold: true },
      script: [{ at: 50, command: { action: 'release' } }],
    })
    const heldAfter = (saved: unknown, hold: boolean, isStart: boolean): boolean =>
      started(saved, { settings: settingsWith({ hold }), isStart }).held
    heldAfter(undefined, true, false).should.be.true()
    heldAfter(undefined, false, true).should.be.false()
    heldAfter(held, false, true).should.be.true()
    heldAfter(held, true, false).should.be.true()
    heldAfter(free, true, false).should.be.false()
    heldAfter(free, true, true).should.be.true()
    heldAfter(keptAfter({ seconds: 60, settings: { hold: true } }), false, false).should.be.false()
  })

  it('is of one route and its sources: with others only the hold remains', () => {
    const script: Step[] = [{ at: 150, command: { action: 'hold' } }]
    const kept = keptAfter({ seconds: 200, mainBad: failed, script })
    started(kept).should.have.property('inUse', 'backup')
    const others = [
      { route: 'another' },
      { settings: settingsWith({ backup: { address: '192.0.2.3' } }) },
    ]
    for (const other of others) {
      const memory = started(kept, other)
      memory.should.not.have.property('inUse')
      memory.held.should.be.true()
    }
    // Neither the order of the fields nor a secret makes another source.
    const same = settingsWith({ backup: { srtPassPhrase: 'a-new-passphrase', ...sides.backup } })
    started(kept, { settings: same }).should.have.property('inUse', 'backup')
  })

  it('has no secret in it', () => {
    const secret = { srtPassPhrase: 'never-shown-passphrase' }
    const settings = { main: { ...sides.main, ...secret }, backup: { ...sides.backup, ...secret } }
    JSON.stringify(keptAfter({ seconds: 111, settings, mainBad: failed })).should.not.containEql(
      secret.srtPassPhrase,
    )
  })

  it('blocks nothing after a clock was set back while nothing ran', () => {
    const kept = keptAfter({ seconds: 4000, ...both })
    const memory = started(kept, { now: EPOCH - 1e9 })
    memory.rests.backup!.since.should.equal(EPOCH - 1e9)
    memory.rests.backup!.again.should.be.belowOrEqual(EPOCH - 1e9 + 900_000)
    started({ ...kept, ahead: -3_600_000 }).rests.backup!.since.should.equal(
      (kept.rests as Memory['rests']).backup!.since - 3_600_000,
    )
    started(keptAfter({ seconds: 111, mainBad: failed }), { now: 1000 }).change!.at.should.equal(
      1000,
    )
  })

  /** What is told of one look after another, 2 s apart. */
  function toldOf(memory: Memory, ...looks: Look[]): FailoverEvent[] {
    let now = EPOCH + 5_000_000
    let next = memory
    return looks.flatMap((look) => {
      const decision = decide(settingsWith(), next, { kind: 'look', look }, (now += 2000))
      next = decision.memory
      return decision.events
    })
  }
  const good: Look = { route: 'running', inUse: 'main', good: true }
  const silent: Look[] = Array.from({ length: 8 }, () => ({ route: 'unknown' }))

  it('reports no state again after a deploy that has changed nothing, but after a start', () => {
    for (const [kept, look] of [
      [keptAfter({ seconds: 60 }), good],
      [keptAfter({ seconds: 104, mainBad: failed }), { ...good, good: false }],
    ] as const) {
      toldOf(started(kept), look).should.eql([])
      toldOf(started(kept, { isStart: true }), look).should.have.length(1)
      toldOf(started(undefined), look).should.have.length(1)
    }
    const [other] = toldOf(started(keptAfter({ seconds: 60 })), { ...good, good: false })
    other!.should.containEql({ event: 'failover.state', state: 'hold-off' })
  })

  it('tells that protection is lost where the last answer before a deploy was bad', () => {
    const lost = (saved: unknown) =>
      toldOf(started(saved), ...silent).filter(({ event }) => event === 'failover.unprotected')
    const bad = keptAfter({ seconds: 104, mainBad: failed })
    lost(bad)
      .map(({ reason, from }) => [reason, from])
      .should.eql([['unknown', 'main']])
    // In the middle of a switch away from it, too.
    lost(keptAfter({ seconds: 111, mainBad: failed })).should.have.length(1)
    lost(keptAfter({ seconds: 60 })).should.eql([])
    const script: Step[] = [{ at: 59.9, command: { action: 'backup' } }]
    lost(keptAfter({ seconds: 60, script })).should.eql([])
    // What was told before is not told again.
    lost(keptAfter({ seconds: 400, ...both })).should.eql([])
  })

  it('has the present reason of a loss, also after a release', () => {
    const hold: Step = { at: 50, command: { action: 'hold' } }
    const release: Step = { at: 200, command: { action: 'release' } }
    const reasonAfter = (...script: Step[]) =>
      (keptAfter({ seconds: 400, ...both, script })['loss'] as { reason: string }).reason
    reasonAfter(hold).should.equal('held')
    reasonAfter(hold, release).should.equal('both-bad')
    const { told } = play({ seconds: 400, ...both, script: [hold, release] })
    told.filter((one) => one.endsWith('unprotected')).should.have.length(1)
  })

  it('is the same as none when it is damaged', () => {
    const kept = keptAfter({ seconds: 111, mainBad: failed })
    started(kept).should.have.property('change')
    const fresh = started(undefined)
    const spoilt = (more: object): object => ({ ...kept, ...more })
    const change = (more: object): object =>
      spoilt({ change: { ...(kept.change as object), ...more } })
    const damaged: unknown[] = [
      null,
      'text',
      [],
      {},
      ...[
        { inUse: 'third' },
        { home: 'other' },
        { held: 'false' },
        { ahead: null },
        { rests: 'none' },
      ].map(spoilt),
      ...[
        { rests: { main: { failed: -1 } } },
        { losses: {} },
        { loss: { reason: 'boredom' } },
        { sent: {} },
      ].map(spoilt),
      ...[
        { to: 'other' },
        { at: undefined },
        { from: 'third' },
        { cause: 'boredom' },
        { stays: 'long' },
      ].map(change),
      ...[
        { arrivedAt: 'soon' },
        { failure: 'none' },
        { failure: { code: 1 } },
        { isAccepted: 'yes' },
      ].map(change),
    ]
    for (const one of damaged) started(one).should.eql(fresh, JSON.stringify(one))
    fc.assert(fc.property(fc.jsonValue(), (value) => void started(value).should.eql(fresh)))
  })

  it('does not grow: coming and going for long leaves little', () => {
    const flapping: Span[] = []
    for (let at = 100; at < 4000; at += 3) flapping.push([at, at + 1.5])
    let longest = 0
    const settings = { pollEvery: 0.5, holdOff: 60 }
    play({ seconds: 4000, settings, mainBad: flapping, backupBad: flapping }, ({ after }) => {
      longest = Math.max(longest, JSON.stringify(after.memory).length)
    })
    longest.should.be.within(500, 4000)
  })
})
