import type { NodeAPI } from 'node-red'
import {
  listDevices,
  listRoutes,
  newOperation,
  startSession,
  type Certificate,
  type Connection,
} from '../../../client/internal'
import { connect, hostOf, shownCertificate, type Lease, type ConnectionForm } from './connection'
import { failureOf, type Failure } from './failure'
import { text } from './lookup'

/** What a test of a connection found out before it ended. */
export interface ConnectionReport extends Partial<Failure> {
  ok: boolean
  reused: boolean
  /** What the appliance shows, when it is not trusted. */
  certificate?: Certificate
  user?: { name: string; roles: string[]; isLicensed: boolean | null }
  devices?: number
  device?: { id: string; name: string; firmware: string; status: string; statusCode: string }
  routes?: number
  /** How long the appliance took for one response, in ms. */
  answerMs?: number
}

/** Tests a connection: never throws, and leaves no session behind. */
export async function testConnection(
  RED: NodeAPI,
  form: ConnectionForm,
  appliance?: string,
): Promise<ConnectionReport> {
  const report: ConnectionReport = { ok: false, reused: false }
  let connection: Lease | undefined
  try {
    connection = await connect(RED, form, appliance)
    report.reused = connection.reused
    await fill(report, connection.gateway)
    report.ok = true
  } catch (error) {
    Object.assign(report, failureOf(error, hostOf(RED, form, appliance)))
    if (report.code === 'TLS') report.certificate = await shownCertificate(RED, form, appliance)
  } finally {
    await connection?.end().catch(() => undefined)
  }
  return report
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
