import { setTimeout as pause } from 'node:timers/promises'
import { startSimulator, type Call, type Fault, type Simulator } from '../../simulator'
import { REAL_TIME } from '../../client/clock'
import { helper, type Message } from '../support/flow'
import { LOADED } from './nodes'
import { FAULTS, EXTENTS, expected, placesOf, type Extent, type Place } from './rules'
import { APPLIANCE, CREDENTIALS, closed, leftOver, secretIn, timeoutFor, watching } from './run'
import type { Judged } from './matrix'

/** The watch node: what it reports of a fault that passes, and of one that lasts. */
export interface WatchCell {
  name: string
  warm: boolean
  faultName: string
  fault: Fault
  extent: Extent
  place: Place
  usual: readonly Call[]
}

/** Runs a watch without any fault, and makes every cell from its calls. */
export async function watchCells(): Promise<WatchCell[]> {
  const [usual] = await watchAll([undefined])
  const look = usual!.calls.findIndex(({ path }) => /^\/api\/devices\/[^/]+$/.test(path))
  if (look < 0 || usual!.problems.length > 0) {
    throw new Error(`The watch without a fault: ${usual!.problems.join(', ')}`)
  }
  const cold = usual!.calls.slice(0, look + 1)
  const warm = cold.slice(look)
  return [cold, warm].flatMap((calls) => {
    const isWarm = calls === warm
    return placesOf(calls).flatMap((place, after) =>
      FAULTS.flatMap(({ name, fault }) =>
        EXTENTS.map((extent): WatchCell => {
          const when = `${name} ${extent} at call ${after + 1}, ${place}`
          return {
            name: `watch, ${isWarm ? 'warm' : 'cold'}: ${when}`,
            warm: isWarm,
            faultName: name,
            extent,
            place,
            usual: calls,
            fault: { ...fault, after, ...(extent === 'once' && { times: 1 }) },
          }
        }),
      ),
    )
  })
}

export async function judgeWatches(cells: WatchCell[]): Promise<Judged[]> {
  const seen = new Map<WatchCell, Seen>()
  for (const lasting of [false, true]) {
    const together = cells.filter((cell) => isLasting(cell) === lasting)
    const results = together.length > 0 ? await watchAll(together) : []
    for (const [index, cell] of together.entries()) seen.set(cell, results[index]!)
  }
  return cells.map((cell) => {
    const { name, faultName, place } = cell
    const { outcomes, problems } = seen.get(cell)!
    return { name, node: 'watch', faultName, place, outcomes, problems }
  })
}

interface Seen {
  calls: Call[]
  outcomes: string[]
  problems: string[]
}

/**
 * How much faster time passes for polls where an outage must be reported, which takes 30 s.
 * Faults that pass must do so before that, so they run in real time.
 */
const SPEED = 10
const beginning = Date.now()

const isLasting = (cell: WatchCell | undefined): boolean => cell?.extent === 'lasting'

/** Either all of them are lasting, or none. */
async function watchAll(cells: Array<WatchCell | undefined>): Promise<Seen[]> {
  const speed = cells.some(isLasting) ? SPEED : 1
  const realTime = { ...REAL_TIME }
  Object.assign(REAL_TIME, {
    now: () => beginning + (Date.now() - beginning) * speed,
    unix: (at: number) => at,
    after: (ms: number, callback: () => void) => realTime.after(ms / speed, callback),
  })
  const simulators = await Promise.all(cells.map(() => startSimulator(APPLIANCE)))
  const endings = cells.map((cell, index) =>
    cell && !cell.warm ? simulators[index]!.fault(cell.fault) : undefined,
  )
  try {
    return await watching(async (stray) => {
      const { flow, credentials } = flowOf(cells, simulators)
      await helper.load(LOADED, flow, credentials)
      helper.getNode('caught').on('input', (msg: unknown) => {
        const { error } = msg as { error: Caught }
        listeners.get(error.source.id)?.(error)
      })
      const seen = await Promise.all(
        cells.map((cell, index) => observe(cell, simulators[index]!, index, endings[index])),
      )
      const told = JSON.stringify(helper.log().args.map(([{ msg }]) => String(msg)))
      await helper.unload()
      await closed(simulators)
      for (const [index, { problems }] of seen.entries()) {
        problems.push(...leftOver(simulators[index]!), ...stray())
        if (secretIn(told, simulators[index]!)) problems.push('a secret in the log')
      }
      return seen
    })
  } finally {
    Object.assign(REAL_TIME, realTime)
    await Promise.all(simulators.map((simulator) => simulator.stop()))
  }
}

function flowOf(
  cells: Array<WatchCell | undefined>,
  simulators: Simulator[],
): { flow: object[]; credentials: Record<string, object> } {
  const at = { z: 'tab', x: 0, y: 0 }
  const flow = cells.flatMap((cell, index) => {
    const gateway = `gateway-${index}`
    return [
      {
        id: gateway,
        type: 'media-gateway',
        baseUrl: simulators[index]!.url,
        timeout: timeoutFor(cell?.fault),
        pollInterval: 1,
      },
      {
        id: `watch-${index}`,
        ...at,
        type: 'media-gateway-watch',
        gateway,
        initial: 'snapshot',
        wires: [[`out-${index}`]],
      },
      { id: `session-${index}`, ...at, type: 'media-gateway-session', gateway, action: 'start' },
      { id: `out-${index}`, ...at, type: 'helper', wires: [] },
    ]
  })
  return {
    flow: [
      { id: 'tab', type: 'tab', label: 'watches' },
      ...flow,
      { id: 'catch', ...at, type: 'catch', scope: null, wires: [['caught']] },
      { id: 'caught', ...at, type: 'helper', wires: [] },
    ],
    credentials: Object.fromEntries(cells.map((_, index) => [`gateway-${index}`, CREDENTIALS])),
  }
}

interface Caught {
  code: string
  message: string
  cause: object
  source: { id: string }
}

/** Listeners for what came to the Catch node, by the watch that it came from. */
const listeners = new Map<string, (error: Caught) => void>()

async function observe(
  cell: WatchCell | undefined,
  simulator: Simulator,
  index: number,
  endOfFault: (() => void) | undefined,
): Promise<Seen> {
  const topics: string[] = []
  const codes: string[] = []
  const problems: string[] = []
  helper.getNode(`out-${index}`).on('input', (msg: unknown) => {
    topics.push(String((msg as Message).topic))
    if (secretIn(JSON.stringify(msg), simulator)) problems.push('a secret in an event')
  })
  listeners.set(`watch-${index}`, (error) => {
    codes.push(error.code)
    if (secretIn(JSON.stringify(error), simulator)) problems.push('a secret in the error')
  })
  const come = async (topic: string): Promise<void> => {
    const deadline = Date.now() + 30_000
    while (!topics.includes(topic)) {
      if (Date.now() > deadline) return void problems.push(`${topic} did not come`)
      await pause(20)
    }
  }

  if (cell?.warm) await come('snapshot')
  const from = simulator.journal.length * Number(cell?.warm ?? false)
  const wanted = ['snapshot', 'route.renamed']
  let outcome = 'ok'
  if (cell) {
    const free = endOfFault ?? simulator.fault(cell.fault)
    while (!simulator.journal.some(({ fault }) => fault)) await pause(20)
    ;({ outcome } = expected({ ...cell, variant: WATCH, calls: simulator.journal.slice(from) }))
    if (cell.extent === 'lasting' && outcome !== 'ok') {
      wanted.push('appliance.unreachable', 'appliance.reachable')
      await come('appliance.unreachable')
      // Long enough for more polls: it must be reported only once.
      await pause(300)
    }
    // A refused login is not retried by itself.
    if (outcome === 'LOGIN_REFUSED') while (codes.length === 0) await pause(20)
    free()
    const isHeld = cell.extent === 'lasting' || outcome === 'LOGIN_REFUSED'
    if (isHeld) helper.getNode(`session-${index}`).receive({})
    for (const topic of wanted.slice(2)) await come(topic)
  }
  await come('snapshot')
  const calls = simulator.journal.slice(from)
  simulator.renameRoute('live-0', 'renamed')
  await come('route.renamed')
  await pause(100)
  if (topics.sort().join() !== wanted.sort().join()) problems.push(`told ${topics.join()}`)
  const caught = TOLD_ONCE.has(outcome) ? [outcome] : []
  if (codes.join() !== caught.join()) problems.push(`caught ${codes.join()}, not ${caught.join()}`)
  const away = topics.includes('appliance.unreachable') ? ['away'] : []
  const outcomes = [...away, ...codes]
  for (const id of ['watch', 'session', 'gateway'])
    await helper.getNode(`${id}-${index}`).close(true)
  return { calls, outcomes: outcomes.length > 0 ? outcomes : ['ok'], problems }
}

const WATCH = { node: 'watch', label: '', properties: {}, message: () => ({}) }

/** Failures that do not pass by themselves: the Catch node gets them once. */
const TOLD_ONCE: ReadonlySet<string> = new Set(['LOGIN_REFUSED', 'FORBIDDEN', 'NOT_FOUND'])
