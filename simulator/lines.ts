import { asObject } from './http'
import { isRedundant, type Line, type SentSource, type SourceState } from './model'

/** The condition of a line, as given by a program, a call or a command. */
export type LineCondition = 'ok' | 'disconnected' | 'connecting' | 'no-data' | Impairment

/** A line that works, but not well. */
export interface Impairment {
  /** The most it carries, in Mbit/s. */
  bitrate?: number
  /** Packets lost, in percent. */
  loss?: number
  /** Round trip time, ms. */
  rtt?: number
}

/** The usual line, with nothing wrong. */
export const GOOD: Line = {}

/** What the words for a condition mean. */
export const WORDS: Readonly<Record<string, Line>> = {
  ok: GOOD,
  disconnected: { state: 'disconnected' },
  connecting: { state: 'connecting' },
  'no-data': { data: false },
}

const MOST = { bitrate: 10_000, loss: 100, rtt: 60_000 }

/** The line that a condition stands for. Throws an error that lists the valid conditions. */
export function lineFrom(condition: unknown): Line {
  if (typeof condition === 'string' && Object.hasOwn(WORDS, condition)) {
    return WORDS[condition] ?? GOOD
  }
  const members = Object.entries(asObject(condition))
  const line: Line = {}
  for (const [name, value] of members) {
    if (name !== 'bitrate' && name !== 'loss' && name !== 'rtt') throw noCondition()
    if (typeof value !== 'number' || !(value >= 0 && value <= MOST[name])) throw noCondition()
    line[name] = value
  }
  if (members.length === 0) throw noCondition()
  return line
}

function noCondition(): Error {
  const ranges = Object.entries(MOST).map(([name, most]) => `${name} (0 to ${most})`)
  return new Error(
    `A line is ${Object.keys(WORDS).join(', ')}, or has some of ${ranges.join(', ')}.`,
  )
}

interface Failure {
  place: string
  line: Line
  /** ID of the source or destination, if that was failed rather than an address. */
  of?: string
}

/**
 * The lines with a failure. A failure belongs to the far end, not to the route: it outlasts a stop,
 * affects everything else at that place, and does not follow a change of address.
 */
export class Lines {
  private failures: Failure[] = []

  /** Sets the line to where a source or destination leads now; a good line restores the part. */
  set(part: SourceState, line: Line): void {
    const places = placesOf(part).map(({ own }) => own)
    const isRestored = (failure: Failure) =>
      places.includes(failure.place) || (line === GOOD && failure.of === part.id)
    this.failures = this.failures.filter((failure) => !isRestored(failure))
    if (line !== GOOD) {
      this.failures.push(...places.map((place) => ({ place, line, of: part.id })))
    }
  }

  /** Sets every line to an address, or to one port of it. */
  setAddress(place: string, line: Line): void {
    this.failures = this.failures.filter((failure) => failure.place !== place)
    if (line !== GOOD) this.failures.push({ place, line })
  }

  clear(): void {
    this.failures = []
  }

  list(): object[] {
    return this.failures.map(({ place, line }) => ({ place, ...line }))
  }

  /** The lines of a part, one for each path. */
  of(part: SourceState): Line[] {
    if (this.failures.length === 0) return []
    return placesOf(part).map(({ own, address, port }) => {
      const places = [own, address, `${address}:${port}`]
      return this.failures.filter(({ place }) => places.includes(place)).reduce(worse, GOOD)
    })
  }
}

const ANYWHERE = ['', '0.0.0.0', '::']

/** Where a part leads. A part without the address of a far end is a place of its own. */
function placesOf(part: SourceState) {
  return pathsOf(part).map(({ address = '', port = '' }) => {
    const place = `${address}:${port}`
    const own = ANYWHERE.includes(address) ? `${part.name} (${part.id}) ${place}` : place
    return { own, address, port }
  })
}

/** The paths of a part with redundancy, or the only one. */
export function pathsOf(part: SentSource): Array<{ address?: string; port?: number }> {
  const paths = part.srtNetworkBondingParams
  return isRedundant(part) && Array.isArray(paths) && paths.length > 0 ? paths : [part]
}

function worse(one: Line, { line: other }: Failure): Line {
  const states = [one.state, other.state]
  const state = states.find((each) => each === 'disconnected') ?? one.state ?? other.state
  const least = Math.min(one.bitrate ?? Infinity, other.bitrate ?? Infinity)
  const loss = Math.max(one.loss ?? 0, other.loss ?? 0)
  const rtt = Math.max(one.rtt ?? 0, other.rtt ?? 0)
  return {
    ...(state && { state }),
    ...((one.data === false || other.data === false) && { data: false }),
    ...(least !== Infinity && { bitrate: least }),
    ...(loss > 0 && { loss }),
    ...(rtt > 0 && { rtt }),
  }
}
