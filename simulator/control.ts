// The simulator's own page and requests, outside the gateway's interface and its journal: see
// docs/simulator.md#while-it-runs.
import { isIP } from 'node:net'
import { asObject, isObject, json, Refusal, type Call, type Reply } from './http'
import type { Fault } from './faults'
import type { LineCondition } from './lines'
import { isListener, lineOf, type CallersCondition } from './model'
import { PAGE } from './page'
import type { DeviceCondition, RouteConditions, Simulator } from './server'

/** More would be no page to look at, and too much to send each second. */
const MOST_ROUTES = 200

/** Whether a call is to the simulator, not to the gateway that it simulates. */
export function isControl({ method, path }: Call): boolean {
  if (path === '/') return method === 'GET'
  return path === '/simulator' || path.startsWith('/simulator/')
}

/** The response to a call for which `isControl` is true. */
export function control(simulator: Simulator, call: Call): Reply {
  refuseOtherPages(simulator, call)
  if (call.path === '/') return PAGE
  const [, , kind = '', ...rest] = call.path.split('/')
  const name = rest.length === 1 ? decodeURIComponent(rest[0] ?? '') : ''
  const failed = (work: () => void): Reply => {
    told('Failure', work)
    return json(200, simulator.state.failures)
  }
  switch (`${call.method} ${kind}${name && '/*'}`) {
    case 'GET ':
      return json(200, simulator.state)
    case 'GET journal':
      return json(
        200,
        simulator.journal.map((entry) => ({ ...entry, rawBody: undefined })),
      )
    case 'POST faults':
      told('Fault', () => simulator.fault(bodyOf(call) as Fault))
      return json(201, simulator.state.faults)
    case 'DELETE faults':
      simulator.clearFaults()
      return json(200, [])
    case 'GET routes':
      return json(200, routesOf(simulator))
    case 'POST routes/*':
      return failed(() => simulator.fail(name, routeConditionsFrom(bodyOf(call))))
    case 'GET callers':
      return json(200, simulator.callers)
    case 'POST callers/*':
      told('Callers', () => simulator.setCallers(name, callersByName(bodyOf(call))))
      return json(200, simulator.callers)
    case 'GET truth':
      return json(200, simulator.truth)
    case 'POST addresses/*':
      return failed(() => {
        const { line } = membersOf(bodyOf(call), ['line'])
        simulator.failAddress(name, line as LineCondition)
      })
    case 'POST device':
      return failed(() => {
        const { state } = membersOf(bodyOf(call), ['state'])
        simulator.failDevice(state as DeviceCondition)
      })
    case 'DELETE failures':
      return failed(() => simulator.restore())
    case 'POST sessions/*':
      if (name !== 'drop') break
      simulator.dropSessions()
      return json(200, simulator.state)
  }
  throw new Refusal(404, 'Simulator', `The simulator has no ${call.method} ${call.path}.`)
}

/**
 * Refuses what another web page sends from the same browser, also one whose name leads to this
 * computer: a name with a dot can be anybody's.
 */
function refuseOtherPages({ host: own }: Simulator, { headers }: Call): void {
  const { host = '', origin } = headers
  const { hostname = '' } = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : {}
  const isHere =
    hostname === own || !hostname.includes('.') || isIP(hostname.replace(/^\[|\]$/g, '')) > 0
  const isSame = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)
  if (isHere && isSame) return
  throw new Refusal(
    403,
    'Simulator',
    'Another web page may not control the simulator. Use its address in numbers, or localhost.',
  )
}

/** The first routes of the first device, as a client reads them, with what is set of each part. */
function routesOf(simulator: Simulator): object[] {
  const routes = simulator.devices[0]?.routes ?? []
  return routes.slice(0, MOST_ROUTES).map((route) => {
    const parts = [route.source, ...route.destinations]
    return {
      ...simulator.readForm(route.id),
      lines: Object.fromEntries(parts.map((part) => [part.id, lineOf(part)])),
      callers: Object.fromEntries(
        parts.filter(isListener).map(({ id, clients }) => [id, clients.length]),
      ),
    }
  })
}

/** Returns what `work` returns; what it throws is the caller's fault, a 400. */
function told<T>(type: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new Refusal(400, type, error instanceof Error ? error.message : String(error))
  }
}

/** The JSON of a call to the simulator's own endpoints, with any content type (`curl -d`). */
function bodyOf({ rawBody }: Call): unknown {
  if (rawBody.length === 0) return undefined
  try {
    return JSON.parse(rawBody.toString('utf8')) as unknown
  } catch {
    throw new Error('The body is not JSON.')
  }
}

function routeConditionsFrom(body: unknown): RouteConditions {
  const { source, destinations = {} } = membersOf(body, ['source', 'destinations'])
  if (!isObject(destinations)) throw new Error('destinations is an object with their names.')
  return { source, destinations } as RouteConditions
}

function callersByName(body: unknown): Record<string, CallersCondition> {
  if (isObject(body)) return body as Record<string, CallersCondition>
  throw new Error('The body is a JSON object with the callers of each output.')
}

/** The members of a body, which must have at least one of `names` and no others. */
function membersOf(body: unknown, names: string[]): Record<string, unknown> {
  const members = asObject(body)
  const keys = Object.keys(members)
  if (keys.length === 0 || keys.some((key) => !names.includes(key))) {
    throw new Error(`The body is a JSON object with ${names.join(' or ')}.`)
  }
  return members
}
