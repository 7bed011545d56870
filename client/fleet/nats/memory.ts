import type { ShareMemory } from '../types'
import type { Bucket } from './bucket'
import { latestRecords } from './latest'
import { tokenOf } from './names'

interface Remembered {
  appliance: string
  of: string
  /** Absent where it was forgotten. */
  memory?: unknown
}

/**
 * What is forgotten leaves its token behind: what a former owner has of it is out of date.
 * @param open the bucket, when it is first used
 * @param room how many bytes fit into a record
 */
export function createMemory(open: () => Bucket, room: () => number): ShareMemory {
  let opened: ReturnType<typeof latestRecords<Remembered>> | undefined
  const records = () => (opened ??= latestRecords<Remembered>(open(), 'memory', room))
  const keyOf = (of: string, appliance: string): string => `${tokenOf(of)}.${tokenOf(appliance)}`
  return {
    read: (of, appliance) => records().read(keyOf(of, appliance)),
    write: (of, appliance, memory, token) =>
      records().write(keyOf(of, appliance), token, () => ({ appliance, of, memory })),
  }
}
