import { createSemaphore } from '../connection/concurrency'
import type { Gathering } from './types'

/** How many are read at once: a takeover may ask for thousands. */
const AT_ONCE = 32

/**
 * Returns what reads the picture that a former owner has left of an appliance; undefined where there
 * is none, or it cannot be read. A read takes its turn, for as long as the engine answers those before
 * it. Once one has had no answer and no other has had one meanwhile, those that wait are not made.
 * @param onFailure how many were not read, and why
 */
export function createPictures(
  gathering: Pick<Gathering, 'read'>,
  onFailure: (count: number, error: Error) => void,
): (appliance: string) => Promise<object | undefined> {
  const turns = createSemaphore(AT_ONCE)
  /** Counts the answers. */
  let answers = 0
  /** Those that were not read, until they are told all together. */
  let unread = 0

  function fail(error: Error): void {
    unread++
    if (unread > 1) return
    setImmediate(() => {
      onFailure(unread, error)
      unread = 0
    })
  }

  async function read(appliance: string): Promise<object | undefined> {
    const before = answers
    try {
      const found = await gathering.read(appliance)
      answers++
      return found?.picture
    } catch (error) {
      if (answers === before) turns.rejectQueued(error as Error)
      throw error
    }
  }

  return async (appliance) => {
    try {
      return await turns.run(() => read(appliance))
    } catch (error) {
      fail(error as Error)
      return undefined
    }
  }
}
