// Recordings of simulators: reports of media-gateway-doctor, but for the pseudonyms.
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accountOf, type Account } from '../../client/doctor/account'
import { factsIn, type Fact } from '../../client/doctor/facts'
import type { Answered } from '../../client/doctor/read'
import { readingOf } from '../client/doctor/support'

export interface Recorded {
  format: string
  version: number
  account: Account
  facts: Fact[]
  answers: Answered[]
}

/** What the doctor finds at a URL. */
export async function record(url: string): Promise<Recorded> {
  const { reading, failure } = await readingOf({ url })
  if (failure) throw failure
  return {
    ...reportOf(reading.answers),
    account: accountOf(reading, Date.now()),
    facts: factsIn(reading),
  }
}

export const reportOf = (answers: Answered[]) => ({
  format: 'media-gateway-report',
  version: 1,
  answers,
})

let files = 0

/** Writes a file for the simulator; returns its path. */
export function saved(content: unknown): string {
  const path = join(tmpdir(), `media-gateway-report-${process.pid}-${++files}.json`)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
