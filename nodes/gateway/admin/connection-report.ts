import type { NodeAPI } from 'node-red'
import {
  GatewayError,
  listDevices,
  listRoutes,
  newOperation,
  startSession,
  type Certificate,
  say,
  type Connection,
  type Mistake,
  type Sentence,
} from '../../../client/internal'
import { connect, foundOut, hostOf, type Lease, type ConnectionForm } from './connection'
import { failureOf, type Failure } from './failure'
import { text } from './lookup'

/** What a test of a connection found out before it ended. */
export interface ConnectionReport extends Partial<Failure> {
  ok: boolean
  reused: boolean
  /** What the appliance shows, when it is not trusted. */
  certificate?: Certificate
  /** In the URL, where another one does better. */
  mistake?: Mistake
  user?: { name: string; roles: string[]; isLicensed: boolean | null }
  devices?: number
  device?: { id: string; name: string; firmware: string; status: string; statusCode: string }
  routes?: number
  /** How long the appliance took for one response, in ms. */
  answerMs?: number
}

export interface TestConnection {
  form: ConnectionForm
  appliance?: string
  /** Who asks; undefined where Node-RED has no users. */
  user?: string
}

/** The next test after a refused login, ms; twice as long after each further one, up to a minute. */
const FIRST_WAIT = 2000
const LONGEST_WAIT = 60_000
/** As many refused logins are remembered, the latest ones. */
const MOST_REMEMBERED = 1000

/**
 * Returns the test of a connection, which never throws, and leaves no session behind. It is one at a
 * time for each user and each host, and waits after a refused login, so that it cannot lock an account.
 */
export function createConnectionTest(
  RED: NodeAPI,
): (test: TestConnection) => Promise<ConnectionReport> {
  const running = new Set<string>()
  const refused = new Map<string, { times: number; until: number }>()

  function refuse(account: string): void {
    const times = (refused.get(account)?.times ?? 0) + 1
    const wait = Math.min(FIRST_WAIT * 2 ** (times - 1), LONGEST_WAIT)
    refused.delete(account)
    refused.set(account, { times, until: performance.now() + wait })
    for (const oldest of refused.keys()) {
      if (refused.size <= MOST_REMEMBERED) break
      refused.delete(oldest)
    }
  }

  return async ({ form, appliance, user }) => {
    const host = hostOf(RED, form, appliance)
    const account = JSON.stringify([host, form.username, appliance])
    const turns = [`host ${host}`, ...(user === undefined ? [] : [`user ${user}`])]
    if (turns.some((turn) => running.has(turn))) {
      return { ok: false, reused: false, ...failureIn(new NotTested(say('testRunning')), host) }
    }
    for (const turn of turns) running.add(turn)
    try {
      const report = await testOnce(RED, form, appliance, () => {
        const left = (refused.get(account)?.until ?? 0) - performance.now()
        if (left > 0) throw new NotTested(say('testHeld', { time: Math.ceil(left / 1000) }))
      })
      const isRefused = report.code === 'LOGIN_REFUSED' && !report.mistake
      if (isRefused && !report.reused) refuse(account)
      else if (report.ok) refused.delete(account)
      return report
    } finally {
      for (const turn of turns) running.delete(turn)
    }
  }
}

/** The gateway was not asked. */
class NotTested extends GatewayError {
  constructor(why: Sentence) {
    super('REJECTED', why)
  }
}

/** A failure; without a code where nothing is known about the gateway. */
const failureIn = (error: unknown, host: string): Partial<Failure> => ({
  ...failureOf(error, host),
  ...(error instanceof NotTested && { code: undefined }),
})

async function testOnce(
  RED: NodeAPI,
  form: ConnectionForm,
  appliance: string | undefined,
  /** Called before a login. @throws NotTested */
  mayLogIn: () => void,
): Promise<ConnectionReport> {
  const report: ConnectionReport = { ok: false, reused: false }
  let connection: Lease | undefined
  try {
    connection = await connect(RED, form, appliance)
    report.reused = connection.reused
    if (!connection.reused) mayLogIn()
    await fill(report, connection.gateway)
    report.ok = true
  } catch (error) {
    const shown = report.reused ? error : withoutLock(error)
    Object.assign(report, failureIn(shown, hostOf(RED, form, appliance)))
    Object.assign(report, await foundOut(RED, form, appliance, error))
  } finally {
    await connection?.end().catch(() => undefined)
  }
  return report
}

/** The connection of a test ends with it: what it would do next does not matter. */
function withoutLock(error: unknown): unknown {
  if (!(error instanceof GatewayError)) return error
  const isNext = ({ key }: Sentence): boolean => key === 'noLogin' || key === 'nextLogin'
  if (!error.sentences.some(isNext)) return error
  const sentences = error.sentences.filter((sentence) => !isNext(sentence))
  return new GatewayError(error.code, sentences, error.cause)
}

async function fill(report: ConnectionReport, gateway: Connection): Promise<void> {
  const operation = newOperation('test-connection')
  const { displayName, roles, isLicensed } = await startSession(gateway, operation)
  report.user = {
    name: text(displayName),
    roles: Array.isArray(roles) ? roles.map(text) : [],
    isLicensed: typeof isLicensed === 'boolean' ? isLicensed : null,
  }
  const asked = performance.now()
  const devices = await listDevices(gateway, operation)
  report.answerMs = Math.round(performance.now() - asked)
  report.devices = devices.length
  const [device] = devices
  if (!device) return
  const { _id: id, name, firmware, status, statusCode } = device
  report.device = {
    id: text(id),
    name: text(name),
    firmware: text(firmware),
    status: text(status),
    statusCode: text(statusCode),
  }
  const page = await listRoutes(gateway, { deviceId: id, page: 1, pageSize: 1 }, operation)
  report.routes = Number(page.numResults) || page.data.length
}
