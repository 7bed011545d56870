import { isIP } from 'node:net'
import { asObject } from './http'
import { hash, type Caller, type CallersCondition, type RouteState } from './model'

/** Most callers of one output: more is a slip of the keyboard. */
const MOST = 1000

interface Output {
  id: string
  name: string
}

/**
 * Who calls which SRT listener. A caller belongs to the source or output, whichever routes have it, and
 * goes on calling while nobody listens.
 */
export class Callers {
  private readonly byPart = new Map<string, readonly Caller[]>()

  /** Those of an output, the first that came first. */
  of({ id }: { id: string }): readonly Caller[] {
    return this.byPart.get(id) ?? []
  }

  /** That of a source, null for none; undefined for the usual one, since none was set. */
  ofSource({ id }: { id: string }): Caller | null | undefined {
    const set = this.byPart.get(id)
    return set && (set[0] ?? null)
  }

  /** Sets who calls. Whoever called before and still does stays connected. */
  set(output: Output, condition: CallersCondition): void {
    const present = this.of(output)
    const callers =
      condition === 'reconnect'
        ? present.map((caller) => ({ ...caller, port: 1024 + ((caller.port + 1) % 64_000) }))
        : typeof condition === 'number'
          ? asMany(output, present, condition)
          : named(output, condition)
    const kept = callers.map((caller) => {
      const same = present.find((each) => isSame(each, caller))
      if (!same) return caller
      const { loss, rtt } = caller
      const isAlike = same.loss === loss && same.rtt === rtt
      return isAlike ? same : Object.assign(same, { loss, rtt })
    })
    const places = new Set(kept.map(({ address, port }) => `${address}:${port}`))
    if (places.size < kept.length) throw new Error('Two callers have the same address and port.')
    this.byPart.set(output.id, kept)
  }
}

/** A caller, and since when it is connected (Unix time, ms); null if it is not. */
export interface ListedCaller extends Caller {
  route: string
  output: string
  joinedAt: number | null
}

/** Who calls the outputs of routes. */
export function listCallers(routes: readonly RouteState[]): ListedCaller[] {
  return routes.flatMap((route) =>
    route.destinations.flatMap((output) =>
      output.clients.map(({ caller, joinedAt }) => ({
        route: route.name,
        output: output.name,
        ...caller,
        joinedAt: output.state === 'connected' ? joinedAt : null,
      })),
    ),
  )
}

/** The caller of an output that is invented for a place, from 0. */
export function inventedCaller({ id, name }: Output, place: number): Caller {
  return {
    label: `${name.trim()} client ${place + 1}`,
    address: `203.0.113.${1 + ((hash(id) + place) % 250)}`,
    port: 40_000 + place,
  }
}

/** Who calls a sample when it does not say: one to three. */
export function usualCallers({ id }: { id: string }): number {
  return 1 + (hash(id) % 3)
}

/** Checks who is to call. Throws an error that says what is valid. */
export function callersFrom(condition: unknown): CallersCondition {
  if (!Array.isArray(condition)) {
    if (condition === 'reconnect' || isWhole(condition, 0, MOST)) return condition
    throw noCallers()
  }
  if (condition.length > MOST) throw noCallers()
  return condition.map((each: unknown) => {
    const { label, address, port, loss, rtt, ...others } = asObject(each)
    const isValid =
      Object.keys(others).length === 0 &&
      (label === undefined || (typeof label === 'string' && label !== '')) &&
      (address === undefined || (typeof address === 'string' && isIP(address) > 0)) &&
      (port === undefined || isWhole(port, 1, 65_535)) &&
      (loss === undefined || (typeof loss === 'number' && loss >= 0 && loss <= 100)) &&
      (rtt === undefined || (typeof rtt === 'number' && rtt >= 0))
    if (!isValid) throw noCallers()
    return each as Partial<Caller>
  })
}

/** The first of those present; then invented ones, at places that are free. */
function asMany(output: Output, present: readonly Caller[], count: number): Caller[] {
  const callers = present.slice(0, count)
  for (let place = 0; callers.length < count; place++) {
    const invented = inventedCaller(output, place)
    const isTaken = callers.some(
      ({ address, port }) => address === invented.address && port === invented.port,
    )
    if (!isTaken) callers.push(invented)
  }
  return callers
}

function named(output: Output, callers: ReadonlyArray<Partial<Caller>>): Caller[] {
  return callers.map((caller, place) => ({ ...inventedCaller(output, place), ...caller }))
}

const isSame = (one: Caller, other: Caller) =>
  one.address === other.address && one.port === other.port && one.label === other.label

const isWhole = (value: unknown, low: number, high: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high

const noCallers = () =>
  new Error(
    `The callers of an output are a number from 0 to ${MOST}, "reconnect", or a list of {label, address, port, loss, rtt}.`,
  )
