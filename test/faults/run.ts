import { isDeepStrictEqual } from 'node:util'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import { hooks } from '@node-red/util'
import { ERROR_CODES, type Applied, type GatewayError } from '../../client/errors'
import { startSimulator, type Call, type Fault, type Simulator } from '../../simulator'
import { sentRoute } from '../../simulator/model'
import { REFUSED_FLOOR } from '../../client/connection/session'
import type { TransportOptions } from '../../client/connection/transport'
import { helper, type Message } from '../support/flow'
import { LOADED, PASS_PHRASE, PASSWORD, ROUTES, type Variant } from './nodes'
import { hangs } from './rules'

/** One run of a node: which node, in what state of its session, and what goes wrong. */
export interface Trial {
  variant: Variant
  /** The session is open already. */
  warm: boolean
  fault?: Fault
}

/** What a trial has shown. */
export interface Observed {
  outcome: string
  /** A part of the result failed, and says so. */
  isPartial: boolean
  message: string
  retryable: boolean
  /** What the error says of the appliance: whether the message changed it. */
  applied: Applied
  payload: unknown
  calls: Call[]
  /** The routes of the appliance at the end of the run, by their definitions. */
  routes: unknown
  /** Whether they are as they were before. */
  isUnchanged: boolean
  /** What is wrong regardless of the rules. */
  problems: string[]
}

/** How many trials are under way at once; most of them wait most of the time. */
const AT_ONCE = 40

/** Runs trials in one Node-RED, each with an appliance, a config node and a node of its own. */
export async function run(trials: Trial[]): Promise<Observed[]> {
  const simulators = await Promise.all(trials.map(() => startSimulator(APPLIANCE)))
  try {
    return await watching(async (stray) => {
      const { flow, credentials } = flowOf(trials, simulators)
      await helper.load(LOADED, flow, credentials)
      listen()
      const observed = await inParallel(trials, AT_ONCE, (trial, index) =>
        observe(trial, simulators[index]!, index),
      )
      const told = JSON.stringify(helper.log().args.map(([{ msg }]) => String(msg)))
      await helper.unload()
      await closed(simulators)
      for (const [index, { problems }] of observed.entries()) {
        const simulator = simulators[index]!
        problems.push(...endedOnce(index), ...leftOver(simulator), ...stray())
        if (secretIn(told, simulator)) problems.push('a secret in the log')
      }
      return observed
    })
  } finally {
    hooks.remove('*.faults')
    runs.clear()
    await Promise.all(simulators.map((simulator) => simulator.stop()))
  }
}

/** Does the work; `stray` returns the unhandled rejections so far. */
export async function watching<T>(work: (stray: () => string[]) => Promise<T>): Promise<T> {
  const reasons: string[] = []
  const note = (reason: unknown): void => {
    reasons.push(`unhandled: ${String(reason)}`)
  }
  process.on('unhandledRejection', note)
  try {
    return await work(() => reasons)
  } finally {
    process.off('unhandledRejection', note)
  }
}

// Real limits would take all the memory: many enormous responses come at the same time.
const transport =
  require('../../client/connection/transport') as typeof import('../../client/connection/transport')
const { createTransport } = transport
Object.assign(transport, {
  createTransport: (options: TransportOptions) =>
    createTransport({ ...options, maxAnswerBytes: 256 * 1024 }),
})

const USER = 'fault-user'
export const CREDENTIALS = { username: USER, password: PASSWORD }
// Accepted work is done at once, so that the calls of a node are the same each time.
export const APPLIANCE = { routes: ROUTES, username: USER, password: PASSWORD, applyDelay: 0 }

/** Long enough for a slow moment with many trials at once; shorter where it has to expire. */
export const timeoutFor = (fault: Fault | undefined): number =>
  fault && hangs(fault) ? 2500 : 15_000

function flowOf(
  trials: Trial[],
  simulators: Simulator[],
): { flow: object[]; credentials: Record<string, object> } {
  const at = { z: 'tab', x: 0, y: 0 }
  const flow = trials.flatMap((trial, index) => [
    {
      id: `gateway-${index}`,
      type: 'media-gateway',
      baseUrl: simulators[index]!.url,
      timeout: timeoutFor(trial.fault),
    },
    {
      id: `node-${index}`,
      ...at,
      type: `media-gateway-${trial.variant.node}`,
      gateway: `gateway-${index}`,
      ...trial.variant.properties,
      wires: [['out']],
    },
    {
      id: `session-${index}`,
      ...at,
      type: 'media-gateway-session',
      gateway: `gateway-${index}`,
      action: 'msg',
      wires: [['out']],
    },
  ])
  return {
    flow: [
      { id: 'tab', type: 'tab', label: 'faults' },
      ...flow,
      { id: 'out', ...at, type: 'helper', wires: [] },
      { id: 'catch', ...at, type: 'catch', scope: null, wires: [['caught']] },
      { id: 'caught', ...at, type: 'helper', wires: [] },
    ],
    credentials: Object.fromEntries(trials.map((_, index) => [`gateway-${index}`, CREDENTIALS])),
  }
}

async function observe(trial: Trial, simulator: Simulator, index: number): Promise<Observed> {
  const { variant, warm, fault } = trial
  const problems: string[] = []
  if (warm) {
    const { error } = await send(`session-${index}`, { action: 'info' })
    if (error) problems.push(`could not be made ready: ${error.message}`)
  }
  const before = routesOf(simulator)
  const from = simulator.journal.length
  const free = fault ? simulator.fault(fault) : undefined
  const sent = variant.message(0)
  const one = await send(`node-${index}`, sent)
  const calls = simulator.journal.slice(from)
  free?.()
  await simulator.settle()
  const routes = routesOf(simulator)
  const observed: Observed = {
    ...outcomeOf(one),
    calls,
    routes,
    isUnchanged: isDeepStrictEqual(routes, before),
    problems,
  }
  problems.push(...faultsOf(one, sent), ...secretsOf(one, simulator))
  if (fault) problems.push(...(await worksAgain(variant, index)))
  // Closing the whole flow at once would take more than a second of work.
  for (const id of ['node', 'session', 'gateway'])
    await helper.getNode(`${id}-${index}`).close(true)
  return observed
}

const routesOf = ({ routes }: Simulator): unknown[] =>
  routes.map((route) => ({
    ...sentRoute(route),
    state: route.state,
    started: route.destinations.map(({ started }) => started),
  }))

interface Run {
  nodeId: string
  messages: Message[]
  caught: Array<Message & { error: GatewayError }>
  done: number
  error?: GatewayError
  over: () => void
}

function outcomeOf({
  messages,
  error,
}: Run): Pick<Observed, 'outcome' | 'isPartial' | 'payload' | 'message' | 'retryable' | 'applied'> {
  const payload = messages.length === 1 ? messages[0]!.payload : messages.map((one) => one.payload)
  const failed = Array.isArray(payload)
    ? (payload as Array<{ error?: GatewayError } | undefined>).find((one) => one?.error)?.error
    : undefined
  const shown = error ?? failed
  return {
    outcome: shown?.code ?? 'ok',
    isPartial: failed !== undefined,
    payload,
    message: shown?.message ?? '',
    retryable: shown?.cause.retryable ?? false,
    applied: shown?.cause.applied ?? 'no',
  }
}

/** What is wrong with the way a message ended, whatever came out. */
function faultsOf({ messages, caught, done, error }: Run, sent: Message): string[] {
  const problems: string[] = []
  if (done !== 1) problems.push(`done ${done} times`)
  if (!error) {
    const parts = messages[0]?.parts as { count: number } | undefined
    const wanted = parts?.count ?? 1
    if (messages.length !== wanted) problems.push(`${messages.length} messages out`)
    if (caught.length > 0) problems.push('an error beside the result')
    return problems
  }
  if (messages.length > 0) problems.push('a message beside the error')
  if (caught.length !== 1) problems.push(`${caught.length} messages at the Catch node`)
  if (!ERROR_CODES.includes(error.code)) problems.push(`code ${error.code}`)
  if (typeof error.cause?.retryable !== 'boolean') problems.push('no cause.retryable')
  if (!['no', 'maybe', 'yes'].includes(error.cause?.applied)) problems.push('no cause.applied')
  const { error: _error, _msgid, ...arrived } = caught[0] ?? ({} as Message)
  if (!isDeepStrictEqual(arrived, sent)) problems.push('the message was changed')
  return problems
}

export const secretIn = (text: string, { journal }: Simulator): boolean => {
  const ids = journal.flatMap(({ cookie, session }) => [cookie, session])
  return [PASSWORD, PASS_PHRASE, ...ids].some((secret) => secret && text.includes(secret))
}

function secretsOf({ error }: Run, simulator: Simulator): string[] {
  if (!error) return []
  const { message, cause, stack } = error
  return secretIn(JSON.stringify([message, cause, stack]), simulator)
    ? ['a secret in the error']
    : []
}

/**
 * Once the fault is gone the same node works: at once, or after an explicit session start. After
 * refused credentials a start has to wait, too, and says how long.
 */
async function worksAgain({ message }: Variant, index: number): Promise<string[]> {
  let again = await send(`node-${index}`, message(1))
  if (again.error && /Next attempt in|No further attempt/.test(again.error.message)) {
    const start = (): Promise<Run> => send(`session-${index}`, { action: 'start' })
    let started = await start()
    const seconds = secondsTo(started.error)
    if (seconds > LONGEST_FLOOR_S) return [`a start would have to wait ${seconds} s`]
    if (seconds > 0) {
      // A timer may be early by a part of a millisecond.
      await pause(seconds * 1000 + 10)
      started = await start()
    }
    if (started.error) return [`start: ${started.error.message}`]
    again = await send(`node-${index}`, message(1))
  }
  const { outcome, message: reason } = outcomeOf(again)
  return [
    ...(outcome === 'ok' ? [] : [`does not work afterwards: ${outcome} ${reason}`]),
    ...faultsOf(again, message(1)),
  ]
}

/** The longest wait of a start after one refused login, s. */
const LONGEST_FLOOR_S = REFUSED_FLOOR / 1000

/** When the next login is possible, as a refused one says. */
const secondsTo = (error: GatewayError | undefined): number =>
  error?.code === 'LOGIN_REFUSED'
    ? Number(/Next attempt in (\d+) s/.exec(error.message)?.[1] ?? 0)
    : 0

/** Each message has ended exactly once, even after everything is over. */
const endedOnce = (index: number): string[] =>
  [...runs.values()]
    .filter(({ nodeId, done }) => nodeId === `node-${index}` && done !== 1)
    .map(({ done }) => `done ${done} times in the end`)

/** What is left after Node-RED has stopped its nodes. */
export function leftOver(simulator: Simulator): string[] {
  const problems: string[] = []
  const { journal } = simulator
  const login = journal.findLast(({ method, path, applied }) => isLogin(method, path) && applied)
  const isEnded = journal.some(
    ({ method, path, applied, session }) =>
      method === 'DELETE' && path === '/api/session' && applied && session === login?.session,
  )
  const isGone = journal.some(
    ({ cookie, status = 0, fault }) =>
      cookie !== undefined &&
      cookie === login?.session &&
      (fault === 'session-drop' || (fault && [302, 401, 404].includes(status))),
  )
  if (login && !isEnded && !isGone) problems.push('the session was not ended')
  if (simulator.openSessions > strandedBy(journal)) {
    problems.push(`${simulator.openSessions} sessions left open`)
  }
  const { openSockets } = simulator
  if (openSockets > 0) problems.push(`${openSockets} sockets left open`)
  return problems
}

const EACH_MS = 20
const LONGEST_MS = 5000

/**
 * The end of a connection takes a moment to arrive at the other side. Turns are counted, not time: a
 * process that was held up has not heard of it yet.
 */
export async function closed(simulators: Simulator[]): Promise<void> {
  for (let waited = 0; waited < LONGEST_MS; waited += EACH_MS) {
    if (simulators.every(({ openSockets }) => openSockets === 0)) return
    await pause(EACH_MS)
  }
}

const isLogin = (method: string, path: string): boolean =>
  method === 'POST' && path === '/api/session'

/** Sessions that the client cannot end: it never learned of them, or heard that they are gone. */
function strandedBy(journal: Call[]): number {
  const struck = journal.filter(({ fault }) => fault !== undefined)
  return new Set(struck.map(({ session, cookie }) => session ?? cookie).filter(Boolean)).size
}

const runs = new Map<string, Run>()
let sentCount = 0

function send(nodeId: string, message: Message): Promise<Run> {
  const _msgid = `message-${++sentCount}`
  return new Promise((resolve) => {
    const one: Run = { nodeId, messages: [], caught: [], done: 0, over: () => resolve(one) }
    runs.set(_msgid, one)
    helper.getNode(nodeId).receive({ ...message, _msgid })
  })
}

interface Completion {
  msg: Message
  error?: Error
  node: { id: string }
}

function listen(): void {
  hooks.add('onComplete.faults', ({ msg, error, node }: Completion) => {
    const one = runs.get(String(msg._msgid))
    if (!one || one.nodeId !== node.id) return
    one.done++
    one.error = error as GatewayError | undefined
    // Messages are delivered a turn later; one more turn shows a second `done`.
    if (one.done === 1)
      void turn()
        .then(() => turn())
        .then(() => turn())
        .then(one.over)
  })
  helper.getNode('out').on('input', (msg: unknown) => {
    const message = msg as Message
    runs.get(String(message._msgid))?.messages.push(message)
  })
  helper.getNode('caught').on('input', (msg: unknown) => {
    const message = msg as Run['caught'][number]
    runs.get(String(message._msgid))?.caught.push(message)
  })
}

/** Up to `atOnce` at a time, but no more than the machine keeps up with: timeouts are short. */
async function inParallel<T, R>(
  tasks: T[],
  atOnce: number,
  work: (task: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < tasks.length) {
      await calm()
      const index = next++
      if (index >= tasks.length) return
      results[index] = await work(tasks[index]!, index)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}

async function calm(): Promise<void> {
  for (;;) {
    const asked = performance.now()
    await turn()
    if (performance.now() - asked < 15) return
    await pause(5)
  }
}
