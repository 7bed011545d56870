import type { GatewayError } from '../errors'
import type { Role } from './roles'
import type { Stop } from '../stop'
import { MOST } from '../model/foreign'
import { isText } from '../model/json'

/** The conditions under which an operation works. */
export interface Conditions {
  stop?: Stop
  /** It may change the appliance: only then does an error say that nothing was changed. */
  changes?: boolean
  /** It completes a change that must not be left half done: it may go on while the gateway closes. */
  uninterruptible?: boolean
  /** The caller will try again soon: the operation gets no more than one timeout. */
  brief?: boolean
  /** One of many calls that nobody waits for one by one: each other call goes first. */
  background?: boolean
  /** The route that it is about: its name or, while that is not known, its ID. */
  route?: string
  /** The exact names of the protected routes that it may change, stop or delete. */
  confirmed?: Names
  /** It may remove or change outputs that other routes share. */
  confirmsShared?: boolean
  /** When that was read on which its change is planned, by the clock of the gateway. */
  plannedAt?: number
  /** New connections take too long: its change goes over the one by which its plan was read. */
  reusesConnection?: boolean
}

/** Milliseconds. Others may have changed what was read longer ago. */
export const LONGEST_PLAN = 1000

/** Thrown instead of sending a change whose plan is too old. Whoever plans it catches this. */
export class OutdatedPlan extends Error {
  constructor(
    /** It was to be sent a second time, in a new session. */
    readonly afterLogin: boolean,
    /** Why it had not been sent by then: an attempt that did not arrive. */
    readonly fault?: GatewayError,
  ) {
    super('The plan of a change is outdated.')
  }
}

/** Whether others may have changed by now what a change is planned on. */
export const isOutdated = ({ plannedAt }: Operation, now: number): boolean =>
  plannedAt !== undefined && now - plannedAt > LONGEST_PLAN

/** A set of names, as far as it says which it has. */
export type Names = Pick<ReadonlySet<string>, 'has'>

const NO_NAMES: Names = new Set()

/**
 * The names in a confirmation: a text is one name, an array of texts are several. Nothing else
 * confirms anything.
 */
export function confirmedIn(value: unknown): Names {
  if (typeof value === 'string') return new Set([value])
  try {
    const isList = Array.isArray(value) && value.length <= MOST.values
    return isList ? new Set(value.filter(isText)) : NO_NAMES
  } catch {
    // A list with a getter that throws, or a proxy of one.
    return NO_NAMES
  }
}

/** An operation of a caller: its name, how to stop it, and the requests that it took. */
export class Operation implements Conditions {
  readonly stop?: Stop
  readonly changes: boolean
  readonly uninterruptible: boolean = false
  readonly brief: boolean = false
  readonly background: boolean = false
  /** For errors only. */
  route?: string
  confirmed = NO_NAMES
  confirmsShared: boolean = false
  readonly plannedAt?: number
  readonly reusesConnection: boolean = false
  readonly #count: Count

  constructor(
    /** As it appears in `msg.gateway.operation` and in errors. */
    readonly name: string,
    conditions: Conditions = {},
    count: Count = { requests: 0, writes: 0, statusCode: undefined },
  ) {
    Object.assign(this, conditions)
    this.changes = conditions.changes === true
    this.#count = count
  }

  /** Requests made so far, logins not counted. */
  get requests(): number {
    return this.#count.requests
  }
  set requests(requests: number) {
    this.#count.requests = requests
  }

  /** The requests that change the appliance and may have arrived. */
  get writes(): number {
    return this.#count.writes
  }
  set writes(writes: number) {
    this.#count.writes = writes
  }

  get statusCode(): number | undefined {
    return this.#count.statusCode
  }
  set statusCode(statusCode: number | undefined) {
    this.#count.statusCode = statusCode
  }

  /** Paths of fields of unknown fields that were sent. */
  get unknownFields(): readonly string[] {
    return this.#count.unknownFields ?? []
  }
  set unknownFields(paths: readonly string[]) {
    this.#count.unknownFields = paths.slice(0, MOST_FIELDS)
  }

  /** True for an operation and its parts: their requests count together. */
  countsWith(other: Operation): boolean {
    return this.#count === other.#count
  }

  /** Returns a part of this operation under other conditions. Its requests count for the whole. */
  under(conditions: Conditions): Operation {
    return Object.assign(new Operation(this.name, this, this.#count), conditions)
  }
}

interface Count {
  requests: number
  writes: number
  statusCode?: number
  unknownFields?: readonly string[]
}

/** Of a long list. */
const MOST_FIELDS = 20

/** One call of the interface. */
export interface Request {
  method: 'GET' | 'POST' | 'DELETE'
  /** Encoded path with its query, such as `/api/devices`. */
  path: string
  /** Sent as JSON, unless it is a Buffer. */
  body?: unknown
  /** For a body that is not JSON. */
  contentType?: string
  /** Secrets in a body that is not JSON, kept out of every error. */
  secrets?: string[]
  /** What a 404 is about. */
  what?: Subject
  role?: Role
  /** The largest response that is read, in bytes; default 1 MiB. */
  most?: number
}

/** What a call is about. Statistics have the ID of the route, a preset that of the device. */
export interface Subject {
  kind: 'device' | 'route' | 'destination' | 'statistics' | 'preset'
  id: string
}

/** Whether a call changes the appliance. Such a call is never repeated unless it certainly did not arrive. */
export const isWrite = ({ method }: Request): boolean => method !== 'GET'
