// The page on the failover, against the code: its names, and its drawing of the states against what
// the rules do in histories of all kinds.
import { decide } from '../../client/failover/decide'
import { startedMemory } from '../../client/failover/memory'
import type { Input, Look } from '../../client/failover/types'
import {
  FAILOVER_ACTIONS,
  FAILOVER_CAUSES,
  FAILOVER_EVENTS,
  FAILOVER_STATES,
  failoverSettings,
  UNPROTECTED,
  type InUse,
  type NotProtecting,
} from '../../client/model/failover'
import { contentOf } from '../support/root'

/** Why a failover protects nothing: those that are no event have no list in the code. */
const REASONS = Object.keys({
  ...Object.fromEntries(UNPROTECTED.map((reason) => [reason, true])),
  ...({ 'main-bad': true, foreign: true, stopped: true, 'not-started': true } satisfies Record<
    Exclude<NotProtecting, (typeof UNPROTECTED)[number]>,
    true
  >),
})

describe('the page on the failover', () => {
  const page = contentOf('docs/failover.md')
  const sectionOn = (title: string): string => page.split(`\n${title}\n`)[1]!.split(/^#/m)[0]!
  const codes = (text: string): string[] =>
    [...text.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name!)
  const [, drawing = ''] = /```mermaid\n([^]*?)```/.exec(page)!

  it('says what to do about every event and every reason, and about no other', () => {
    const rows = sectionOn('## What to do').match(/^\| `.*$/gm)!
    const seen = rows.flatMap((row) => codes(row.split('|')[1]!))
    const [events, words] = [seen.filter(isEvent), seen.filter((name) => !isEvent(name))]
    sorted(events).should.eql([...FAILOVER_EVENTS].sort())
    // What a state says, beside its reason.
    const states = ['standby']
    sorted(words).should.eql([...REASONS, ...states].sort())
  })

  it('names every state and every cause, and uses no name that the code does not have', () => {
    const states = codes(sectionOn('### The states'))
    for (const name of [...FAILOVER_STATES, ...FAILOVER_CAUSES]) {
      // Those that the drawing alone has.
      if (['hold-off', 'switching', 'no-protection'].includes(name)) drawing.should.containEql(name)
      else states.should.containEql(name)
    }
    const known = [
      ...[FAILOVER_STATES, FAILOVER_EVENTS, FAILOVER_CAUSES, FAILOVER_ACTIONS, REASONS].flat(),
      'not-good',
    ]
    const used = codes(page).filter((name) => isEvent(name) || /^[a-z]+(-[a-z]+)+$/.test(name))
    used.filter((name) => !known.includes(name)).should.eql([])
    FAILOVER_ACTIONS.filter((name) => !codes(sectionOn('### By hand')).includes(name)).should.eql(
      [],
    )
  })

  it('draws every state, and every way from one to another that the rules go', () => {
    const { parents, arrows } = read(drawing)
    const drawn = [...parents.keys()].filter((name) => !GROUPS.includes(name))
    drawn.sort().should.eql([...FAILOVER_STATES].sort())
    const within = (name: string): string[] => {
      const parent = parents.get(name)
      return parent === undefined ? [name] : [name, ...within(parent)]
    }
    const gone = waysGone()
    gone.size.should.be.above(30)
    const used = new Set<string>()
    const missing = [...gone].filter((way) => {
      const [from, to] = way.split(' > ').map((name) => within(name)) as [string[], string[]]
      const found = from.flatMap((one) => to.map((other) => `${one} > ${other}`))
      for (const each of found) if (arrows.has(each)) used.add(each)
      // Within "good" and within "nothing is switched", a person can get from each to each.
      return from[1] !== to[1] || from[1] === 'seen'
        ? !found.some((each) => arrows.has(each))
        : false
    })
    missing.should.eql([])
    ;[...arrows].filter((arrow) => !used.has(arrow)).should.eql([])
  })
})

const isEvent = (name: string): boolean => name.startsWith('failover.')
const sorted = (names: string[]): string[] => [...new Set(names)].sort()

const GROUPS = ['seen', 'good', 'idle']

/** What stands within what, and the arrows, by the names of the code. */
function read(drawing: string): { parents: Map<string, string | undefined>; arrows: Set<string> } {
  const named = new Map<string, string>()
  for (const [, name, id] of drawing.matchAll(/state "([^"]+)" as (\w+)$/gm)) named.set(id!, name!)
  const nameOf = (id: string): string => named.get(id) ?? id
  const parents = new Map<string, string | undefined>()
  const arrows = new Set<string>()
  const open: string[] = []
  const place = (name: string): void => {
    if (!parents.has(name)) parents.set(name, open.at(-1))
  }
  for (const line of drawing.split('\n').map((each) => each.trim())) {
    const [, group] = /^state "[^"]+" as (\w+) \{$/.exec(line) ?? []
    const [, from, to] = /^(\w+) --> (\w+)/.exec(line) ?? []
    if (group) {
      place(group)
      open.push(group)
    } else if (line === '}') open.pop()
    else if (from && to) {
      for (const id of [from, to]) place(nameOf(id))
      arrows.add(`${nameOf(from)} > ${nameOf(to)}`)
    } else if (/^\w+$/.test(line) && open.length > 0) place(nameOf(line))
  }
  return { parents, arrows }
}

/** Each way from a state to another in many histories: failures, people, refused and lost switches. */
function waysGone(): Set<string> {
  const ways = new Set<string>()
  const random = seeded(26)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const settings = failoverSettings({
    main: { address: 'a' },
    backup: { address: 'b' },
    restore: 'monitor',
    monitor: { name: 'm' },
    waitToRestore: 30,
  })
  for (let history = 0; history < 100; history++) {
    let now = 1e12
    let memory = startedMemory({ settings, route: 'r', now }, undefined)
    let inUse: InUse = 'main'
    let isStopped = false
    const good = { main: true, backup: true }
    const take = (input: Input): void => {
      const { act, ...decision } = decide(settings, memory, input, now)
      const { state } = decision.memory
      if (state !== memory.state) ways.add(`${memory.state} > ${state}`)
      memory = decision.memory
      if (!act) return
      const isMade = random() < 0.8
      if (isMade) inUse = act.to
      const failure = { code: 'REJECTED', message: '', applied: 'no' } as const
      take({ kind: 'outcome', ...((!isMade || random() < 0.1) && { failure }) })
    }
    const command = (): void => {
      try {
        take({ kind: 'command', action: pick(FAILOVER_ACTIONS) })
      } catch {
        // Refused: nothing has changed.
      }
    }
    const look = (): Look => {
      const monitored = random() < 0.95 ? good : {}
      if (isStopped) return { route: 'stopped', inUse, ...monitored }
      return { route: 'running', inUse, good: inUse === 'other' || good[inUse], ...monitored }
    }
    for (let looks = 0; looks < 400; looks++) {
      now += settings.pollEvery * 1000
      for (const side of ['main', 'backup'] as const) if (random() < 0.03) good[side] = !good[side]
      if (random() < 0.006) inUse = pick(['main', 'backup', 'other'])
      else if (inUse === 'other' && random() < 0.1) inUse = 'main'
      if (random() < (isStopped ? 0.1 : 0.002)) isStopped = !isStopped
      if (random() < 0.01) command()
      if (random() < 0.02) {
        for (let silent = random() * 10; silent > 1; silent--) {
          take({ kind: 'look', look: { route: 'unknown' } })
          now += settings.pollEvery * 1000
        }
      }
      take({ kind: 'look', look: look() })
    }
  }
  return ways
}

/** Numbers from 0 to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}
