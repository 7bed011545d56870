import { createSemaphore } from '../connection/concurrency'
import { pause, type Stop } from '../stop'
import type { Gathering } from './types'

/** How many are read at once: a takeover may ask for thousands. */
const AT_ONCE = 32
/** An engine whose leader has just changed does not answer at first. */
const ATTEMPTS = 3
const PAUSE_MS = 1000

export interface PictureOptions {
  /** Somebody here works for the appliance: without that, it is not tried again. */
  isWanted: (appliance: string) => boolean
  onSuccess: (appliance: string) => void
  /** It was given up. */
  onFailure: (appliance: string, error: Error) => void
  stop: Stop
  /** Between two attempts, in ms. */
  pauseMs?: number
}

/**
 * Returns what reads the picture that a former owner has left of an appliance; undefined where there
 * is none. It rejects after the third attempt. A read takes its turn, for as long as the engine answers
 * those before it. Once one has had no answer and no other has had one meanwhile, the attempts of those
 * that wait count as made.
 */
export function createPictures(
  gathering: Pick<Gathering, 'read'>,
  { isWanted, onSuccess, onFailure, stop, pauseMs = PAUSE_MS }: PictureOptions,
): (appliance: string) => Promise<object | undefined> {
  const turns = createSemaphore(AT_ONCE)
  /** Counts the answers. */
  let answers = 0

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

  async function attempt(appliance: string, left: number): Promise<object | undefined> {
    try {
      const picture = await turns.run(() => read(appliance))
      onSuccess(appliance)
      return picture
    } catch (error) {
      if (left > 0) await pause(pauseMs, stop)
      if (stop.stopped || !isWanted(appliance)) throw error
      if (left > 0) return attempt(appliance, left - 1)
      onFailure(appliance, error as Error)
      throw error
    }
  }

  return (appliance) => attempt(appliance, ATTEMPTS - 1)
}
