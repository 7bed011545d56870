import type { NodeAPI } from 'node-red'
import { GatewayError, say, type Sentence } from '../../../client/errors'
import { idOf, listDevices } from '../../../client/api/devices'
import { listRoutes } from '../../../client/api/routes'
import { Operation } from '../../../client/connection/operation'
import { startSession } from '../../../client/api/session'
import type { Connection } from '../../../client/connection/connection'
import { grouped } from '../../../client/model/ids'
import { connect, formAppliances, foundOut, hostOf, type Lease } from './connection'
import type { ConnectionReport, InventoryReport } from '../../wire'
import type { Question } from './answers'
import { failureOf } from './failure'
import { NotTried, type Asking, type Logins } from './logins'
import { hostIn, type ConnectionForm } from '../options'
import { pickedDevice, text } from './lookup'

/** Tested at once, and in one answer. */
const PART = 8

/** Tests of connections leave no session behind. Of an inventory, each appliance gets one login at most. */
export function createConnectionTests(RED: NodeAPI, logins: Logins) {
  /** The users whose inventory is being tested. */
  const testing = new Set<string | undefined>()

  async function testOnce(
    form: ConnectionForm,
    appliance: string | undefined,
    asking: Asking,
  ): Promise<ConnectionReport> {
    const report: ConnectionReport = { ok: false, reused: false }
    let connection: Lease | undefined
    try {
      connection = await connect(RED, logins, form, appliance, asking)
      report.reused = connection.reused
      await fill(report, connection.gateway)
      report.ok = true
    } catch (error) {
      const shown = report.reused ? error : withoutLock(error)
      Object.assign(report, failureOf(shown, hostOf(RED, form, appliance)))
      // Nothing is known about the gateway.
      if (error instanceof NotTried) report.code = undefined
      Object.assign(report, await foundOut(RED, form, appliance, error))
    } finally {
      await connection?.end(report.mistake !== undefined).catch(() => undefined)
    }
    return report
  }

  async function testAll(form: ConnectionForm, offset: number): Promise<InventoryReport> {
    const all = await formAppliances(RED, form)
    const part = all.slice(offset, offset + PART)
    const reports = new Map<string, ConnectionReport>()
    // Behind one host, they are one after the other.
    const hosts = grouped(part, ({ address }) => hostIn(address))
    await Promise.all(
      [...hosts.values()].map(async (those) => {
        for (const { name } of those) reports.set(name, await testOnce(form, name, {}))
      }),
    )
    const results = part.map((one) => ({ ...reports.get(one.name)!, ...one }))
    return { total: all.length, results }
  }

  return {
    /** Never throws. */
    test: ({ form, appliance, user }: Question): Promise<ConnectionReport> =>
      testOnce(form, appliance, { user }),

    /** Tests the next ones of an inventory, from `offset`. @throws GatewayError when it is none */
    async testPart({ form, body, user }: Question): Promise<InventoryReport> {
      if (testing.has(user)) throw new NotTried(say('testRunning'))
      testing.add(user)
      try {
        const offset = Number.isInteger(body.offset) ? Math.max(Number(body.offset), 0) : 0
        return await testAll(form, offset)
      } finally {
        testing.delete(user)
      }
    },
  }
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
  const operation = new Operation('test-connection')
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
  report.device = { ...pickedDevice(device), firmware: text(device.firmware) }
  const first = { deviceId: idOf(device), page: 1, pageSize: 1 }
  const page = await listRoutes(gateway, first, operation)
  report.routes = Math.max(Number(page.numResults) || 0, page.data.length)
}
