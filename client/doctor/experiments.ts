// What only a change can show: each experiment answers one question of docs/project/interface.md, with
// routes of its own.
import type { CommandName } from '../api/commands'
import { requestTo } from '../api/endpoints'
import { listRoutes } from '../api/routes'
import { openConnection, type Connection, type GatewayOptions } from '../connection/connection'
import { Operation, type Request } from '../connection/operation'
import type { Exchange } from '../connection/transport'
import { GatewayError, words } from '../errors'
import { isObject, itemsIn, own } from '../model/json'
import { isRunning } from '../model/route-state'
import { toSent } from '../model/convert'
import type { Destination, Route } from '../model/types'
import { Stop } from '../stop'
import { wordsOnly } from './safe'
import {
  createSandbox,
  freePort,
  looksOurs,
  newNames,
  outcomeOf,
  PACE,
  readNote,
  removeNote,
  writeNote,
  type Outcome,
  type Pace,
  type Sandbox,
  type Watched,
} from './sandbox'

/** What an experiment has shown. No text of the gateway is in it but the words of the interface. */
export interface Experiment {
  /** Of a fact of docs/project/interface.md. */
  name: string
  question: string
  /** Or `could not test: ` and why. */
  seen: string
}

export interface Experimented {
  experiments: Experiment[]
  /** The names of routes that could not be deleted. */
  left: string[]
  /** A route may still come: the note of it stays. */
  isDoubtful: boolean
  failure?: unknown
}

/** Of all experiments together, and as many more for the cleaning. */
const MOST_REQUESTS = 500
/** Milliseconds. The cleaning may take 60 s more. */
const MOST_MS = 180_000

export interface ExperimentOptions {
  options: GatewayOptions
  device: string
  /** Where it is written which routes there may be. */
  note: string
  stop: Stop
  pace?: Pace
}

/** Deletes what it has created, whatever happens. @throws GatewayError before anything was created */
export async function experiment(given: ExperimentOptions): Promise<Experimented> {
  const { options, device, note, stop, pace = PACE } = given
  let most = MOST_REQUESTS
  let requests = 0
  let mayLogIn = true
  /** The status of the list of devices, which only the last experiment reads. */
  let last: number | undefined
  const gateway = openConnection({
    ...options,
    maySend: ({ method, path }) =>
      method === 'DELETE' || (requests++ < most && (mayLogIn || path !== '/api/session')),
    onAnswer: ({ path, status }: Exchange) => {
      if (path === '/api/devices') last = status
    },
  })
  const timed = new Stop()
  const unhook = stop.onStop(() => timed.now())
  const cancel = gateway.clock.after(MOST_MS, () => timed.now())

  async function run(): Promise<Experimented> {
    const earlier = readNote(note)
    const { data } = await listRoutes(
      gateway,
      { deviceId: device },
      new Operation('doctor', { stop: timed }),
    )
    const strangers = data.map(({ name }) => name).filter(looksOurs)
    const unknown = strangers.filter((name) => !earlier?.names.includes(name))
    if (unknown.length > 0) throw foreign(unknown)
    if (earlier) {
      const { names } = earlier
      const { left } = await createSandbox(gateway, earlier, timed, pace, names.length).clean()
      if (left.length > 0) return { experiments: [], left, isDoubtful: false }
    }
    const names = newNames()
    writeNote(note, { device, names })
    const sandbox = createSandbox(gateway, { device, names }, timed, pace)
    const lab = { gateway, device, sandbox, pace, stop: timed, port: freePort(data) }
    const { experiments, failure } = await all(lab)
    most = requests + MOST_REQUESTS
    const { left, isCertain } = await sandbox.clean()
    if (left.length === 0 && isCertain) removeNote(note)
    if (left.length === 0) experiments.push(await endOfSession())
    const isLate = timed.stopped && !stop.stopped
    return { experiments, left, isDoubtful: !isCertain, failure: isLate ? outOfTime() : failure }
  }

  /** The last one: without a session nothing can be deleted. */
  async function endOfSession(): Promise<Experiment> {
    const about = { name: 'session-lost-401-or-404', question: 'What follows on an ended session?' }
    const operation = new Operation('doctor')
    try {
      await gateway.call({ method: 'DELETE', path: '/api/session' }, operation)
      mayLogIn = false
      await gateway.call(requestTo('listDevices', {}), operation).catch(() => undefined)
      return { ...about, seen: `status ${last}` }
    } catch (error) {
      return { ...about, seen: untested(error) }
    }
  }

  let opened: Awaited<ReturnType<Connection['session']['open']>> | undefined
  try {
    opened = await gateway.session.open()
    return await run()
  } finally {
    cancel()
    unhook()
    // One that seemed to be lost may still be open.
    if (opened && !gateway.session.isOpen()) gateway.session.discard(opened)
    await gateway.close()
  }
}

interface Lab {
  gateway: Connection
  device: string
  sandbox: Sandbox
  pace: Pace
  stop: Stop
  port: number
}

async function all(lab: Lab): Promise<Pick<Experimented, 'experiments' | 'failure'>> {
  const experiments: Experiment[] = []
  let failure: unknown
  for (const { name, question, run } of EXPERIMENTS) {
    let seen = 'could not test: it was not begun'
    try {
      if (failure === undefined) seen = await run(lab)
    } catch (error) {
      seen = untested(error)
      if (lab.stop.stopped || !isOfGateway(error)) failure = error
    }
    experiments.push({ name, question, seen })
  }
  return { experiments, failure }
}

class Untested extends Error {}
const isOfGateway = (error: unknown): boolean =>
  error instanceof Untested || (error instanceof GatewayError && error.code !== 'CLOSED')

function untested(error: unknown): string {
  if (error instanceof Untested) return `could not test: ${error.message}`
  if (!(error instanceof GatewayError)) return 'could not test: this program failed'
  const { statusCode } = error.cause
  return `could not test: ${error.code}${statusCode === undefined ? '' : `, status ${statusCode}`}`
}

/** A multicast group and a network that are reserved for documentation: nothing is received or sent. */
const fieldsAt = (port: number) => ({
  source: {
    id: '',
    name: 'source',
    protocol: 'udp',
    address: '233.252.0.1',
    port,
    networkInterface: '',
  },
  destinations: [1, 2].map((number) => ({
    id: '',
    name: `output ${number}`,
    protocol: 'udp',
    address: '198.51.100.1',
    port: port + number,
    networkInterface: '',
    mtu: 1316,
    ttl: 1,
    tos: 0,
  })),
})

const EXPERIMENTS: ReadonlyArray<{
  name: string
  question: string
  run: (lab: Lab) => Promise<string>
}> = [
  {
    name: 'unknown-create-without-start',
    question: 'Can startRoute be omitted in a create?',
    async run({ sandbox, port }) {
      const [name] = sandbox.names as [string]
      const outcome = await sandbox.create(name, fieldsAt(port))
      if (outcome.isAccepted) return `${said(outcome)}, ${listed(await sandbox.find(name))}`
      const whole = await sandbox.create(name, { ...fieldsAt(port), startRoute: false })
      return `${said(outcome)}; with it ${said(whole)}, ${listed(await sandbox.find(name))}`
    },
  },
  {
    name: 'unknown-time-of-change',
    question: 'How long does a change take?',
    async run({ sandbox, port }) {
      const route = await first(sandbox)
      const outcome = await sandbox.update(route, withOutput(route, { port: port + 3 }))
      const hasPort = ({ destinations }: Route): boolean =>
        destinations.some((each) => Number(each.port) === port + 3)
      const watched = await sandbox.watch(route.id, (seen) => seen !== undefined && hasPort(seen))
      return `update: ${said(outcome)}, ${shows(watched)}`
    },
  },
  {
    name: 'unknown-started-while-stopped',
    question: 'What does started show when an output of a stopped route is started?',
    async run({ sandbox, pace }) {
      const { id: routeId, destinations } = await first(sandbox)
      const { id } = destinations[0]!
      return inTurn(sandbox, OUTPUT, { routeId, destinationId: id }, async () => {
        const { seen } = await sandbox.watch(routeId, () => false, pace.brief)
        return `started ${sequence(seen.map((route) => word(startedIn(route, id))))}`
      })
    },
  },
  {
    name: 'unknown-command-states',
    question: 'Which values follow pending, and what is then in result?',
    async run({ sandbox }) {
      const { id: routeId } = await first(sandbox)
      const twice = ['start-route', 'start-route'] as const
      return inTurn(sandbox, twice, { routeId }, async (_, { body }) => {
        const [entry] = itemsIn(body)
        const watched = await sandbox.watch(routeId, (seen) => !!seen && isRunning(seen))
        const [state, result] = ['state', 'result'].map((name) => word(own(entry, name)))
        return `state ${state}, result ${result}, running: ${shows(watched)}`
      })
    },
  },
  {
    name: 'unknown-pending-updates',
    question: 'What is in pendingUpdates, and is it present during every change?',
    async run({ sandbox }) {
      const { id: routeId } = await running(sandbox)
      const commands = ['stop-route', 'start-route'] as const
      return inTurn(sandbox, commands, { routeId }, async (command) => {
        const isWanted = command === 'start-route'
        const watched = await sandbox.watch(
          routeId,
          (seen) => !!seen && isRunning(seen) === isWanted && !seen.pendingUpdates,
        )
        return `${pending(watched)}, ${shows(watched)}`
      })
    },
  },
  {
    name: 'destination-stopped-shows',
    question: 'How does an output restart while its route runs?',
    async run({ sandbox }) {
      const { id: routeId, destinations } = await running(sandbox)
      const { id } = destinations[0]!
      return inTurn(sandbox, OUTPUT, { routeId, destinationId: id }, async (command) => {
        const isWanted = command === 'start-destination'
        return shows(await sandbox.watch(routeId, (seen) => startedIn(seen, id) === isWanted))
      })
    },
  },
  {
    name: 'unknown-duplicate-name',
    question: 'What happens to a create with a name or a port that is in use?',
    async run({ sandbox, port }) {
      const route = await first(sandbox)
      const [taken, , third] = sandbox.names as [string, string, string]
      const create = async (name: string, at: number, count: number): Promise<string> => {
        const outcome = await sandbox.create(name, { ...fieldsAt(at), startRoute: false })
        if (!outcome.isAccepted) return said(outcome)
        const found = await sandbox.find(name, count)
        for (const each of await sandbox.list()) {
          if (each.name === taken && each.id !== route.id) await sandbox.remove(each)
        }
        return `${said(outcome)}, ${listed(found)}`
      }
      return `name: ${await create(taken, port + 4, 2)}; port: ${await create(third, port, 1)}`
    },
  },
  {
    name: 'unknown-shared-output',
    question: 'What does a change of one route do to an output that another route shares?',
    async run({ sandbox, pace, port }) {
      const route = await first(sandbox)
      const [, name] = sandbox.names as [string, string]
      const { id } = outputOf(route)
      const fields = fieldsAt(port + 7)
      const shared = toSent(route).destinations.filter((each) => each.id === id)
      const outcome = await sandbox.create(name, {
        ...fields,
        startRoute: false,
        destinations: shared,
      })
      if (!outcome.isAccepted) return `a create with the ID of an output: ${said(outcome)}`
      const other = (await sandbox.find(name)).seen.at(-1)
      if (!other) throw new Untested('the second route was not listed')
      if (!other.destinations.some((each) => each.id === id)) {
        return `a create with the ID of an output: ${said(outcome)}, it gets an output of its own`
      }
      const before = JSON.stringify(toSent(route).destinations)
      const update = await sandbox.update(other, withOutput(other, { port: port + 9 }))
      const changed = await sandbox.watch(
        route.id,
        (seen) => !seen || JSON.stringify(toSent(seen).destinations) !== before,
        pace.brief,
      )
      const removal = await sandbox.remove(other)
      await sandbox.watch(other.id, (seen) => seen === undefined)
      const lost = await sandbox.watch(
        route.id,
        (seen) => !seen?.destinations.some((each) => each.id === id && each.protocol),
        pace.brief,
      )
      const has = ({ after }: Watched): string => (after === undefined ? 'has not' : 'has')
      return [
        `update: ${said(update)}, the other route ${has(changed)} changed`,
        `delete: ${said(removal)}, the other route ${has(lost)} lost the output`,
      ].join('; ')
    },
  },
  {
    name: 'unknown-default-page-size',
    question: 'How many routes has a page at most, and what is on a page that does not exist?',
    async run(lab) {
      const queries = ['page=1&pageSize=1', 'page=1&pageSize=100000', 'page=0', 'page=99999']
      const results: string[] = []
      for (const query of queries) {
        const { body, ...outcome } = await ask(
          lab,
          requestTo('listRoutes', { device: lab.device }, { query }),
        )
        const data = own(body, 'data')
        const total = Number(own(body, 'numResults'))
        const count = Array.isArray(data) ? `, ${data.length} of ${total}` : ''
        results.push(`${query}: ${said(outcome)}${count}`)
      }
      return results.join('; ')
    },
  },
  {
    name: 'unknown-change-of-running-route',
    question: 'What does a change of the source interrupt, and can a running route be deleted?',
    async run({ sandbox, pace, port }) {
      const route = await running(sandbox)
      const sent = toSent(route)
      const source = { ...sent.source, port: port + 6 }
      const outcome = await sandbox.update(route, { ...sent, source })
      const { seen } = await sandbox.watch(route.id, () => false, 2 * pace.brief)
      const states = seen.map((each) =>
        [each?.state, each?.source.state, each && outputOf(each).state].map(word).join(' / '),
      )
      const ran = seen.map((each) => secondsIn(each?.elapsedTime))
      const began = ran.some((each, place) => each < ran[place - 1]!)
      const removal = await sandbox.remove(route)
      const gone = await sandbox.watch(route.id, (each) => each === undefined)
      return [
        `update: ${said(outcome)}, route / source / output: ${sequence(states)}`,
        `the running time ${began ? 'began again' : 'went on'}`,
        `delete while running: ${said(removal)}, ${shows(gone)}`,
      ].join('; ')
    },
  },
  {
    name: 'unknown-status-of-unknown-device',
    question: 'Which status does an unknown device have?',
    async run(lab) {
      const request = requestTo('listRoutes', { device: 'AAAAAAAAAAAAAAAAAAAAAA' })
      return said(await ask(lab, request))
    },
  },
  {
    name: 'unknown-error-types',
    question:
      'What is the response for a route that was deleted, and to a create without a source?',
    async run(lab) {
      const { sandbox } = lab
      const [, , name] = sandbox.names as [string, string, string]
      const route = (await sandbox.list()).find((each) => each.name === name)
      if (!route) throw new Untested('there was no route to delete')
      await sandbox.remove(route)
      const { after } = await sandbox.watch(route.id, (seen) => seen === undefined)
      if (after === undefined) throw new Untested('the route was not deleted')
      const read = requestTo('getRoute', { device: lab.device, route: route.id })
      const outcomes: Array<[string, Outcome]> = [
        ['read', await ask(lab, read)],
        ['delete', await sandbox.remove(route)],
        ['start', await sandbox.command({ command: 'start-route', routeId: route.id })],
        ['create', await sandbox.create(name, { startRoute: false, destinations: [] })],
      ]
      return outcomes.map(([what, outcome]) => `${what}: ${said(outcome)}`).join('; ')
    },
  },
]

const ask = ({ gateway, stop }: Lab, request: Request): Promise<Outcome> =>
  outcomeOf(new Operation('doctor', { stop }), (operation) => gateway.call(request, operation))

const OUTPUT = ['stop-destination', 'start-destination'] as const

/** Sends commands one after the other. @param see what became of one */
async function inTurn<Name extends CommandName>(
  sandbox: Sandbox,
  commands: readonly Name[],
  about: { routeId: string; destinationId?: string },
  see: (command: Name, outcome: Outcome) => Promise<string>,
): Promise<string> {
  const results: string[] = []
  for (const command of commands) {
    const outcome = await sandbox.command({ command, ...about })
    const seen = outcome.isAccepted ? `, ${await see(command, outcome)}` : ''
    results.push(`${command}: ${said(outcome)}${seen}`)
  }
  return results.join('; ')
}

const startedIn = (route: Route | undefined, id: unknown): unknown =>
  route?.destinations.find((each) => each.id === id)?.started

async function first(sandbox: Sandbox): Promise<Route> {
  const route = (await sandbox.list()).find(({ name }) => name === sandbox.names[0])
  if (!route || route.destinations?.length !== 2 || !isObject(route.source)) {
    throw new Untested('there was no route to test with')
  }
  return route
}

async function running(sandbox: Sandbox): Promise<Route> {
  const route = await first(sandbox)
  if (!isRunning(route)) throw new Untested('the route does not run')
  return route
}

const outputOf = ({ destinations }: Route): Destination & { id: string } => {
  const [output] = destinations
  if (output?.id === undefined) throw new Untested('the route has no output')
  return output as Destination & { id: string }
}

function withOutput(route: Route, change: Partial<Destination>): object {
  const { id } = outputOf(route)
  const { source, destinations } = toSent(route)
  const changed = destinations.map((each) => (each.id === id ? { ...each, ...change } : each))
  return { source, destinations: changed }
}

/** A value that a response may have, as far as it is one of the interface. */
function word(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return wordsOnly(value)
  return typeof value === 'object' && value !== null ? 'object' : JSON.stringify(value)
}
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
/** Of `H:MM:SS`. */
const secondsIn = (text: unknown): number =>
  String(text)
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0)
const said = ({ isAccepted, status, type }: Outcome): string =>
  (status === undefined ? 'no response' : `status ${status}`) +
  (isAccepted ? '' : `, ${type ? `type ${wordsOnly(type)}` : 'no type'}`)
const shows = ({ after }: { after?: number }): string =>
  after === undefined ? 'it never showed' : `it showed after ${seconds(after)}`
const listed = ({ after }: { after?: number }): string =>
  after === undefined ? 'it was never listed' : `listed after ${seconds(after)}`

/** Each value once in a row. */
const sequence = (values: readonly string[]): string =>
  values.filter((value, place) => value !== values[place - 1]).join(', then ')

/** What an update, a start and a stop can change. */
const KNOWN = new Set(['name', 'state', 'source', 'destinations'])

function pending({ seen }: Watched): string {
  const updates = seen.map((route) => own(route ?? {}, 'pendingUpdates')).filter(isObject)
  const fields = [...new Set(updates.flatMap(Object.keys))].map((name) =>
    KNOWN.has(name) ? name : '…',
  )
  const some = updates.length > 0 ? ` with ${fields.join(', ') || 'nothing'}` : ''
  return `present in ${updates.length} of ${seen.length} responses${some}`
}

const foreign = (names: string[]): GatewayError =>
  new GatewayError(
    'CONFLICT',
    words(
      'The gateway has routes with the names of experiments, but no note here has them: __names__. If an earlier run in another directory was ended, run it there again; else delete them on the page of the gateway if they are not needed. Nothing was changed.',
      { names: names.slice(0, 20).join(', ') },
    ),
  )

const outOfTime = (): GatewayError =>
  new GatewayError(
    'TIMEOUT',
    words('Not all experiments were made within __time__ seconds.', { time: MOST_MS / 1000 }),
  )
