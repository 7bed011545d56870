import type { NodeAPI } from 'node-red'
import { readCertificate } from '../../../client/connection/certificate'
import type { GatewayOptions } from '../../../client/connection/connection'
import { fileName, fileOf, reportOf } from '../../../client/doctor/account'
import { createRecorder } from '../../../client/doctor/read'
import type { MadeReport } from '../../wire'
import type { Question } from './answers'
import { connect, hostOf } from './connection'
import { failureOf } from './failure'
import type { Logins } from './logins'

/** As `media-gateway-doctor`, with a session of its own. @throws GatewayError without any reading */
export async function makeReport(
  RED: NodeAPI,
  logins: Logins,
  { form, appliance, user, stop, used }: Question,
): Promise<MadeReport> {
  const recorder = createRecorder()
  let options: GatewayOptions | undefined
  const { gateway, end } = await connect(RED, logins, form, appliance, { user }, (given) => {
    options = given
    return recorder.options
  })
  used.push(gateway)
  try {
    const certificate = await readCertificate(options!)
    const { reading, failure } = await recorder.read(gateway, stop, certificate)
    const now = Date.now()
    return {
      name: fileName(now),
      file: fileOf(reportOf(reading, now)),
      ...(failure && { failure: failureOf(failure, hostOf(RED, form, appliance)) }),
    }
  } finally {
    await end().catch(() => undefined)
  }
}
