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
import {
  connect,
  formAppliances,
  foundOut,
  hostOf,
  type ConnectionForm,
  type FormAppliance,
  type Lease,
} from './connection'
import { failureOf, type Failure } from './failure'
import { hostIn } from '../options'
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

/** A part of the appliances of an inventory, tested. */
export interface InventoryReport {
  /** Of the inventory. */
  total: number
  /** In its order. */
  results: (ConnectionReport & FormAppliance)[]
}

/** Tested at once, and in one answer. */
const PART = 8

/** The next test after a refused login, ms; twice as long after each further one, up to a minute. */
const FIRST_WAIT = 2000
const LONGEST_WAIT = 60_000
/** As many refused logins are remembered, the latest ones. */
const MOST_REMEMBERED = 1000

export interface ConnectionTests {
  /** Never throws. */
  test(test: TestConnection): Promise<ConnectionReport>
  /** Tests the next ones of an inventory, from `offset`. @throws GatewayError when it is none */
  testPart(test: Omit<TestConnection, 'appliance'> & { offset: number }): Promise<InventoryReport>
}

/**
 * Tests of connections leave no session behind. They are one at a time for each user and each host, and
 * wait after a refused login, so that they cannot lock an account. Of an inventory, each appliance gets
 * one login at most.
 */
export function createConnectionTests(RED: NodeAPI): ConnectionTests {
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

  /** One at a time for each of these. @throws NotTested */
  async function inTurn<T>(turns: string[], work: () => Promise<T>): Promise<T> {
    if (turns.some((turn) => running.has(turn))) throw new NotTested(say('testRunning'))
    for (const turn of turns) running.add(turn)
    try {
      return await work()
    } finally {
      for (const turn of turns) running.delete(turn)
    }
  }

  const turnOf = (user: string | undefined): string[] =>
    user === undefined ? [] : [`user ${user}`]

  const testAt = async (
    host: string,
    turns: string[],
    form: ConnectionForm,
    appliance?: string,
  ): Promise<ConnectionReport> => {
    const account = JSON.stringify([host, form.username, appliance])
    const work = async (): Promise<ConnectionReport> => {
      const report = await testOnce(RED, form, appliance, () => {
        const left = (refused.get(account)?.until ?? 0) - performance.now()
        if (left > 0) throw new NotTested(say('testHeld', { time: Math.ceil(left / 1000) }))
      })
      const isRefused = report.code === 'LOGIN_REFUSED' && !report.mistake
      if (isRefused && !report.reused) refuse(account)
      else if (report.ok) refused.delete(account)
      return report
    }
    return inTurn([`host ${host}`, ...turns], work).catch((error: unknown) => ({
      ok: false,
      reused: false,
      ...failureIn(error, host),
    }))
  }

  return {
    async test({ form, appliance, user }) {
      const host = await targetOf(RED, form, appliance)
      return testAt(host, turnOf(user), form, appliance)
    },
    testPart: ({ form, offset, user }) =>
      inTurn(turnOf(user), async () => {
        const all = await formAppliances(RED, form)
        const part = all.slice(offset, offset + PART)
        const reports = new Map<string, ConnectionReport>()
        // Behind one host, they are one after the other.
        const hosts = new Map<string, string[]>()
        for (const { name, address } of part) {
          const host = hostIn(address)
          hosts.set(host, [...(hosts.get(host) ?? []), name])
        }
        await Promise.all(
          [...hosts].map(async ([host, names]) => {
            for (const name of names) reports.set(name, await testAt(host, [], form, name))
          }),
        )
        const results = part.map((one) => ({ ...reports.get(one.name)!, ...one }))
        return { total: all.length, results }
      }),
  }
}

/** The host that is tested: of an inventory that is not deployed, that of the row. */
async function targetOf(
  RED: NodeAPI,
  form: ConnectionForm,
  appliance: string | undefined,
): Promise<string> {
  const listed =
    appliance === undefined ? [] : await formAppliances(RED, form).catch((): FormAppliance[] => [])
  const address = listed.find(({ name }) => name === appliance)?.address
  return address === undefined ? hostOf(RED, form, appliance) : hostIn(address)
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
