// What the lamp under a watch shows, for each way in which what it watches can be.
import { mock } from 'node:test'
import type { Node } from 'node-red'
import { GatewayError } from '../../client/errors'
import type { WatchHealth } from '../../client/watch/report/subscription'
import { OK, SIGNS, STOPPED, deviceHealth, type Health } from '../../client/model/health'
import { LANGUAGES, type Language } from '../../client/model/watch'
import type { Words } from '../../nodes/runtime/catalog'
import { createWatchStatus } from '../../nodes/watch/status'
import { loadWords } from '../support/words'
import { afterThisTest } from '../support/hooks'

type Known = NonNullable<WatchHealth['known']>

const NO_SOURCE: Health = { sign: 'critical', reason: 'no-source', word: 'disconnected' }
const LOST: Health = { sign: 'warning', reason: 'output-lost', output: 'To the other studio' }
const WAITING: Health = { sign: 'waiting', reason: 'no-caller', output: 'Return' }
const NOT_SEEN: Health = { sign: 'unknown', reason: 'not-seen' }
const OFFLINE = deviceHealth('error', 'Offline')

const HALL = { id: 'b3c9', name: 'City hall' }
const known = (more: Partial<Known>): WatchHealth => ({
  known: {
    routes: 17,
    running: 5,
    problems: 0,
    waiting: 0,
    device: OK,
    seenAt: new Date(2026, 0, 1, 14, 32, 5).getTime(),
    ...more,
  },
  unreachable: false,
})
const one = (health: Health, route = HALL): WatchHealth =>
  known({ routes: 1, running: 1, worst: { route, health } })
const away = (code: 'UNAVAILABLE' | 'TLS', unreachable: boolean): WatchHealth => ({
  ...one(OK),
  failure: new GatewayError(code, 'x', { reason: 'ECONNREFUSED' }),
  since: new Date(2026, 0, 1, 14, 30, 0).getTime(),
  unreachable,
})

describe('the lamp of a watch', () => {
  let words: Words
  let shown: object[]
  const node = { status: (status: object) => shown.push(status) } as unknown as Node

  before(async () => {
    words = await loadWords()
  })
  beforeEach(() => {
    shown = []
  })

  const lampOf = (health: WatchHealth, isChosen = false, language: Language = 'en-US') => {
    createWatchStatus(node, words, { hasInventory: false, language }).show(health, isChosen)
    const { fill, shape, text } = shown.at(-1) as Record<'fill' | 'shape' | 'text', string>
    return [`${fill} ${shape}`, text] as const
  }

  it('is set again now and then, for an editor that did not know the node yet', () => {
    let now = 0
    const clock = mock.method(performance, 'now', () => now)
    afterThisTest(() => clock.mock.restore())
    const status = createWatchStatus(node, words, { hasInventory: false, language: 'en-US' })
    for (; now <= 25_000; now += 1000) status.show(known({ routes: 0 }), true)
    shown.length.should.equal(3)
    status.close()
    status.show(known({ routes: 0 }), true)
    shown.length.should.equal(4)
  })

  const TO_THE_LOST = 'City hal…: output “To the…” lost 14:32:05'
  const TWELVE = '12 of 17 running, 7 waiting for callers'
  const SINCE = 'since 14:30:00: connection refused'
  const many = (health: Health, more: object = {}): WatchHealth =>
    known({ worst: { route: HALL, health }, ...more })
  const on = (health: WatchHealth, device: object): WatchHealth =>
    ({ ...health, known: { ...health.known!, device } }) as WatchHealth
  const off = (health: WatchHealth): WatchHealth => on(health, OFFLINE)
  const warned = (health: WatchHealth): WatchHealth => on(health, deviceHealth('warn', 'Online'))

  for (const [name, health, look, text] of [
    ['a lost source', one(NO_SOURCE), 'red dot', 'City hall: no source 14:32:05'],
    ['a lost output', one(LOST), 'yellow dot', TO_THE_LOST],
    ['no caller', one(WAITING), 'blue dot', 'City hall: waiting for callers 14:32:05'],
    ['a route of which nothing is known', one(NOT_SEEN), 'grey ring', /^City hall: not known yet/],
    ['a route that is well', one(OK), 'green dot', 'City hall: OK 14:32:05'],
    ['a stopped route', one(STOPPED), 'grey dot', 'City hall: stopped 14:32:05'],
    ['a route without a name', one(OK, { id: 'b3c9', name: '' }), 'green dot', 'b3c9: OK 14:32:05'],
    ['two problems', many(NO_SOURCE, { problems: 2 }), 'red dot', '5 of 17 running, 2 problems'],
    ['one problem', many(LOST, { problems: 1 }), 'yellow dot', TO_THE_LOST],
    ['many that wait', many(WAITING, { running: 12, waiting: 7 }), 'blue dot', TWELVE],
    ['many that are well', many(OK), 'green dot', '5 of 17 running 14:32:05'],
    ['stopped ones', many(STOPPED, { running: 0 }), 'grey dot', '0 of 17 running 14:32:05'],
    ['no route at all', known({ routes: 0, running: 0 }), 'green dot', '0 of 0 running 14:32:05'],
    ['an offline device with a route', off(one(OK)), 'red ring', 'device offline 14:32:05'],
    [
      'one beside a lost source',
      off(many(NO_SOURCE, { problems: 1 })),
      'red ring',
      'device offline 14:32:05',
    ],
    ['a device with a warning', warned(many(OK)), 'yellow dot', 'device warning 14:32:05'],
    ['one, and a lost source', warned(one(NO_SOURCE)), 'red dot', 'City hall: no source 14:32:05'],
    ['an unreachable gateway', away('UNAVAILABLE', true), 'red ring', `unreachable ${SINCE}`],
    ['a poll that fails', away('UNAVAILABLE', false), 'yellow ring', `no data ${SINCE}`],
  ] as const) {
    it(`shows ${name}`, () => {
      const [lamp, said] = lampOf(health)
      lamp.should.equal(look)
      if (typeof text === 'string') said.should.equal(text)
      else said.should.match(text)
    })
  }

  it('shows a choice that fits no route', () => {
    lampOf(known({ routes: 0, running: 0 }), true).should.eql(['yellow ring', 'no route matches'])
  })

  it('shows another problem at once, and the same one only now and then', () => {
    const status = createWatchStatus(node, words, { hasInventory: false, language: 'en-US' })
    status.show(one(NO_SOURCE), false)
    status.show(one(NO_SOURCE), false)
    shown.should.have.length(1)
    status.show(one({ ...NO_SOURCE, reason: 'no-data' }), false)
    status.show(one({ ...NO_SOURCE, reason: 'no-data' }, { id: 'x', name: 'Arena' }), false)
    status.show(one(OK), false)
    shown.should.have.length(4)
    status.close()
    status.show(one(NO_SOURCE), false)
    shown.at(-1)!.should.eql({})
  })

  it('says the reason in full, and cuts the name', () => {
    const long = { id: 'x', name: 'The long corridor of the city hall' }
    for (const language of LANGUAGES) {
      for (const health of [NO_SOURCE, WAITING, NOT_SEEN, STOPPED, LOST]) {
        const [, text] = lampOf(one(health, long), true, language)
        text.length.should.be.belowOrEqual(49, text)
        text.should.match(/: .* 14:32:05$/)
      }
    }
    lampOf(one(WAITING, long))[1].should.equal('The long…: waiting for callers 14:32:05')
  })

  it('of many gateways shows the worst, with its name and reason, and counts the problems', async () => {
    const status = createWatchStatus(node, words, { hasInventory: true, language: 'en-US' })
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
    const expect = async (health: WatchHealth, lamp: string, text: string): Promise<void> => {
      status.show(health, false, 'oslo')
      await turn()
      const { fill, shape, text: said } = shown.at(-1) as Record<string, string>
      should([`${fill} ${shape}`, said]).eql([lamp, text])
    }
    for (const name of ['bergen', 'oslo', 'tromso']) status.add(name)
    await turn()
    shown.should.eql([])
    status.show(one(OK), false, 'bergen')
    // Nothing is known of the third.
    await expect(one(OK), 'grey ring', '2 of 3 reachable')
    status.show(one(OK), false, 'tromso')
    await expect(one(OK), 'green dot', '3 of 3 reachable')
    await expect(one(WAITING), 'blue dot', '3 of 3 reachable')
    await expect(one(STOPPED), 'green dot', '3 of 3 reachable')
    await expect(
      one(LOST),
      'yellow dot',
      'oslo: City hal…: output “To the…” lost; 1 of 3 with problems',
    )
    status.show(away('TLS', false), false, 'bergen')
    await expect(one(NO_SOURCE), 'red dot', 'oslo: City hall: no source; 2 of 3 with problems')
    const offline = known({ device: OFFLINE, worst: { route: HALL, health: OK } })
    await expect(offline, 'red ring', 'oslo: device offline; 2 of 3 with problems')
    status.show(one(NO_SOURCE), false, 'tromso')
    await expect(offline, 'red dot', 'tromso: City hall: no source; 3 of 3 with problems')
    status.remove('tromso')
    // Of two with the same lamp, the one that has had it for longer.
    status.show(one(NO_SOURCE), false, 'bergen')
    const first = 'bergen: City hall: no source; 2 of 2 with problems'
    await expect(one(NO_SOURCE), 'red dot', first)
    status.show(one(OK), false, 'bergen')
    status.show(one(NO_SOURCE), false, 'bergen')
    await expect(one(NO_SOURCE), 'red dot', first.replace('bergen', 'oslo'))
    status.show(one(OK), false, 'bergen')
    await expect(one(NOT_SEEN), 'grey ring', '2 of 2 reachable')
    for (const name of ['bergen', 'oslo']) status.show(one(STOPPED), false, name)
    await expect(one(STOPPED), 'grey dot', '2 of 2 reachable')
    status.close()
  })

  it('has a look for every sign', () => {
    for (const sign of SIGNS) {
      const [lamp] = lampOf(one({ sign }))
      lamp.should.match(/^(red|yellow|blue|green|grey) (dot|ring)$/)
      if (sign !== 'ok') lamp.should.not.startWith('green')
    }
  })
})
