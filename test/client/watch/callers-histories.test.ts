// Random histories of callers: every one that joined or left for long enough is told once, with its time,
// and nobody else. What is expected follows from who was connected when the gateway was polled.
import { dice } from '../failover/world'
import { EVERY_MS, listener, newWorld, routeOf, type CallersWorld } from './callers-world'

const HISTORIES = 50
const ADDRESSES = ['203.0.113.1', '203.0.113.2', '203.0.113.3', '2001:db8::4']
const PARTS = [
  ['News', 'Partners'],
  ['News', 'Archive'],
  ['Other', 'Partners'],
] as const

interface Played {
  told: string[]
  expected: string[]
}

async function played(seed: number): Promise<Played> {
  const next = dice(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!
  const holdFor = pick([0, 0, 5000, 15_000, 45_000])
  const options = { events: ['caller.joined', 'caller.left'] as const, holdFor }
  const routes = [
    routeOf('News', listener('Partners'), listener('Archive', { port: 7001 })),
    routeOf('Other', listener('Partners', { port: 7002 })),
  ]
  const world = newWorld(routes)
  const present = new Map(PARTS.map((part) => [part, new Map<string, number>()]))
  let port = 40_000

  const change = (): void => {
    const part = pick(PARTS)
    const callers = present.get(part)!
    const address = pick(ADDRESSES)
    if (!callers.has(address)) callers.set(address, ++port)
    else if (next() < 0.4) callers.set(address, ++port)
    else callers.delete(address)
    const [route, output] = part
    const who = [...callers].map(([from, at]) => ({ label: from, address: from, port: at }))
    world.call(who, output, route)
  }
  const acts: Array<[share: number, act: () => void | Promise<void>]> = [
    [0.7, change],
    [0.06, () => (world.route('News').state === 'running' ? world.stop : world.start)('News')],
    [0.06, () => world.failSource(next() < 0.5, 'Other')],
    [0.06, () => void (world.isAway = !world.isAway)],
    [0.06, () => world.device.setOnline(world.device.offlineSince !== undefined, world.time.now())],
    [
      0.06,
      async () => {
        await world.end()
        await world.begin(options)
      },
    ],
  ]

  const { random } = Math
  Math.random = dice(seed + 1)
  try {
    for (let first = 0; first < 4; first++) change()
    await world.begin(options)
    for (let act = 0; act < 40; act++) {
      await world.time.pass(next() * 1.5 * EVERY_MS)
      let chance = next()
      const [, does] = acts.find(([share]) => (chance -= share) < 0) ?? acts[0]!
      await does()
    }
    // What is on hold is told.
    await world.time.pass(holdFor + 3 * EVERY_MS)
    await world.end()
  } finally {
    Math.random = random
  }
  return { told: toldIn(world), expected: expectedIn(world, holdFor) }
}

const toldIn = ({ told }: CallersWorld): string[] =>
  told.map(({ at, event: { event, at: since, destination, caller } }) => {
    const { address, durationMs } = caller!
    return line(at, event, destination!.id, String(address), since, durationMs)
  })

const line = (...facts: Array<string | number | null>): string =>
  facts.map((fact) => (typeof fact === 'number' ? Math.round(fact) : fact)).join(' ')

/** A caller at a listener: since when it is there, or away. */
interface One {
  since: number
  awaySince?: number
  isTold: boolean
}

function expectedIn({ seen, device }: CallersWorld, holdFor: number): string[] {
  const expected: string[] = []
  const ids = device.routes.map(({ destinations }) => destinations.map(({ id }) => id))
  for (const [id, ofRoute] of ids.flatMap((all) => all.map((one) => [one, all] as const))) {
    const known = new Map<string, One>()
    let listed: string[] = []
    for (const [place, { at, isFirst, callers }] of seen.entries()) {
      const now = callers.get(id) ?? []
      // The lists of a route are read when a number has changed.
      const isRead = ofRoute.some((each) => {
        const [number, before] = [callers, seen[place - 1]?.callers].map(
          (some) => some?.get(each)?.length ?? 0,
        )
        return number! > 0 && (isFirst || number !== before)
      })
      if (isRead || now.length === 0) listed = now
      for (const address of listed) {
        const one = known.get(address)
        if (one) one.awaySince = undefined
        else known.set(address, { since: at, isTold: place === 0 })
      }
      for (const [address, one] of known) {
        if (!listed.includes(address)) one.awaySince ??= at
        const { since, awaySince, isTold } = one
        if (awaySince !== undefined && at - awaySince >= holdFor) {
          known.delete(address)
          if (!isTold) continue
          const lasted = awaySince - since
          expected.push(line(at, 'caller.left', id, address, awaySince, lasted))
        } else if (awaySince === undefined && !isTold && at - since >= holdFor) {
          one.isTold = true
          expected.push(line(at, 'caller.joined', id, address, since, null))
        }
      }
    }
  }
  return expected
}

describe('random histories of callers', () => {
  for (const [kind, first] of [
    ['fixed', 1],
    ['fresh', Math.floor(Math.random() * 1e9)],
  ] as const) {
    it(`none is lost, doubled or invented: ${HISTORIES} from a ${kind} seed`, async function () {
      this.timeout(120_000)
      let events = 0
      for (let seed = first; seed < first + HISTORIES; seed++) {
        const { told, expected } = await played(seed)
        told.sort().should.eql(expected.sort(), `seed ${seed}`)
        events += told.length
      }
      should(events).be.above(5 * HISTORIES)
    })
  }
})
