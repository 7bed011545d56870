import { openConnection, type GatewayOptions } from '../../../client/connection/connection'
import { Stop } from '../../../client/stop'
import { createRecorder, type Reading } from '../../../client/doctor/read'
import type { Simulator } from '../../../simulator'

/** Reads a simulator as the program does, and closes the connection. */
export async function readingOf(
  { url: baseUrl }: { url: string },
  options: Partial<GatewayOptions> = {},
  stop = new Stop(),
): Promise<{ reading: Reading; failure?: Error }> {
  const recorder = createRecorder()
  const gateway = openConnection({
    baseUrl,
    username: 'haiadmin',
    password: 'manager',
    ...options,
    ...recorder.options,
  })
  try {
    return await recorder.read(gateway, stop)
  } finally {
    await gateway.close()
  }
}

/** What a simulator has received: how many requests, the logins that worked, and what wrote. */
export function received({ journal, logins, openSessions }: Simulator) {
  const writes = journal.filter(
    ({ method, path }) => method !== 'GET' && path !== '/api/session',
  ).length
  return { isLittle: journal.length <= 60, logins, openSessions, writes }
}
/** What every report leaves behind. */
export const CLEAN = { isLittle: true, logins: 1, openSessions: 0, writes: 0 }
