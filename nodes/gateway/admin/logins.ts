// The logins with the values of a form: one at a time, and after a refused one not at once.
import { GatewayError, say, type Sentence } from '../../../client/errors'
import type { Connection } from '../../../client/connection/connection'
import type { Stop } from '../../../client/stop'

/** The next login after a refused one, ms; twice as long after each further one, up to a minute. */
const FIRST_WAIT = 2000
const LONGEST_WAIT = 60_000
/** As many refused logins are remembered, the latest ones. */
const MOST_REMEMBERED = 1000
/** As many wait for one turn; more are refused. */
const MOST_WAITING = 20

export interface Asking {
  user?: string
  /** It waits for its turn, until this stop; without one it is refused while another runs. */
  stop?: Stop
}

export type Logins = ReturnType<typeof createLogins>

/** The gateway was not asked. */
export class NotTried extends GatewayError {
  constructor(why: Sentence) {
    super('INVALID_INPUT', why)
  }
}

/** One at a time for each user and host: nobody can guess a password so, or lock an account. */
export function createLogins() {
  /** The last of those that run or wait, and how many they are. */
  const lines = new Map<string, { last: Promise<void>; length: number }>()
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

  /** Joins a line at its end. */
  function join(name: string): { turn: Promise<void>; end: () => void } {
    const before = lines.get(name)
    let release: () => void = () => undefined
    const ended = new Promise<void>((resolve) => (release = resolve))
    lines.set(name, { last: ended, length: (before?.length ?? 0) + 1 })
    const end = (): void => {
      const now = lines.get(name)!
      if (--now.length === 0) lines.delete(name)
      release()
    }
    return { turn: before?.last ?? Promise.resolve(), end }
  }

  return {
    /** Waits for the turn of a connection. @returns ends it @throws NotTried, and closes it */
    async inTurn(
      gateway: Connection,
      username: string,
      { user, stop }: Asking,
    ): Promise<(isMistaken?: boolean) => Promise<void>> {
      const { host } = gateway.identity
      const names = [`host ${host}`, ...(user === undefined ? [] : [`user ${user}`])]
      const most = stop ? MOST_WAITING : 0
      const account = JSON.stringify([host, username])
      const ends: Array<() => void> = []
      const close = (): Promise<void> => gateway.close().finally(() => ends.forEach((end) => end()))
      try {
        if (names.some((name) => (lines.get(name)?.length ?? 0) > most)) {
          throw new NotTried(say('testRunning'))
        }
        // All at once, so that no two wait for each other.
        const places = names.map(join)
        ends.push(...places.map(({ end }) => end))
        await Promise.all(places.map(({ turn }) => turn))
        if (stop?.stopped) throw new NotTried(say('stopped'))
        const left = (refused.get(account)?.until ?? 0) - performance.now()
        if (left > 0) throw new NotTried(say('testHeld', { time: Math.ceil(left / 1000) }))
      } catch (error) {
        await close()
        throw error
      }
      return async (isMistaken = false) => {
        const { logins } = gateway.counters
        if (logins.refused > 0 && !isMistaken) refuse(account)
        else if (logins.ok > 0) refused.delete(account)
        await close()
      }
    },
  }
}
