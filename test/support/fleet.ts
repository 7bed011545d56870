// A fleet as `npm --prefix tools run fleet` starts it: Node-REDs as processes, and simulated appliances in another one.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { keepOpen } from './hooks'
import { root } from './root'

export interface Instance {
  readonly name: string
  readonly state: 'off' | 'on' | 'frozen' | 'crashed'
  /** The name of its present life, with which it logs in. */
  readonly client: string
  start(): Promise<void>
  kill(): Promise<void>
  /** @returns how long it took, in ms */
  stop(): Promise<number>
  freeze(): void
  thaw(): void
  ask(what: 'block' | 'shiftClock', ms: number): Promise<void>
  ask(what: 'events'): Promise<Record<string, number>>
  get(path: string): Promise<unknown>
  deploy(nodes: object[]): Promise<void>
  output(): string
}

/** An appliance of the fleet. */
export interface Row {
  readonly name: string
  readonly url: string
}

/** A request that an appliance has received. */
export interface Received {
  readonly at: number
  readonly appliance: string
  readonly client?: string
  readonly session?: string
  readonly kind: 'login' | 'logout' | 'poll' | 'read' | 'write'
  readonly command?: number
}

export interface Given {
  readonly number: number
  readonly appliance: string
  readonly isOnce: boolean
  /** How it has ended: `ok` or the code of its error. */
  readonly code?: string
  readonly applied?: string
  readonly message?: string
  /** What the error names. */
  readonly named?: { gateway?: { id: string; name: string }; appliance?: string }
}

export interface Evidence {
  readonly records: readonly Received[]
}

export interface Fleet {
  readonly instances: readonly Instance[]
  readonly appliances: readonly Row[]
  readonly commands: ReadonlyMap<number, Given>
  living(): Instance[]
  latest(): Promise<Array<{ name: string; client?: string; at?: number }>>
  /** Waits until all appliances are polled by living instances, and nothing moves. In ms. */
  settle(options: { client?: string; within: number }): Promise<boolean>
  /** @returns ends it */
  send(through: Instance, options?: { everyMs?: number }): () => Promise<void>
  give(
    through: Instance,
    appliance: string,
    options?: { isOnce?: boolean; msg?: object },
  ): Promise<number>
  answers(within: number): Promise<void>
  writeInventories(rows: readonly Row[]): Promise<void>
  /** What follows was done to the instance. */
  happens(kind: string, instance: { client: string }): void
  openSessions(): Promise<number>
  evidence(until: number): Promise<Evidence>
}

export interface FleetOptions {
  engine: { servers: string; user?: string; password?: string }
  appliances: number
  instances: number
  routes?: number
  /** Seconds. */
  ttl: number
  interval: number
  lifetime?: number
  replicas?: number
  engineFor?: (name: string) => string
  inventoryFor?: (name: string, rows: readonly Row[]) => readonly Row[] | Promise<readonly Row[]>
}

interface Spread {
  readonly median: number
  readonly longest: number
}

/** What something that was done to the fleet was for the appliances that it moved, and for all others. */
export interface EventAccount {
  readonly kind: string
  readonly client: string
  readonly moved: number
  readonly missing: number
  readonly takenAfter: Spread
  readonly pause: Spread
  readonly staying: number
  readonly stayingLongest: number
}

export interface Account {
  readonly clients: Record<string, { appliances: number; polls: number; logins: number }>
  readonly events: readonly EventAccount[]
  readonly doubles: readonly object[]
  readonly twins: readonly object[]
  readonly commands: Record<string, unknown>
  readonly sessions: { most: number; left: number; expiring: number }
}

/** A connection that can be ended, and halted so that both ends believe in it. */
export interface Cut {
  readonly port: number
  set(mode: 'open' | 'cut' | 'silent'): void
}

/** The modules of `npm --prefix tools run fleet`. Everything they start has ended after `stop`. */
export interface Tools {
  startFleet(options: FleetOptions): Promise<Fleet>
  startCut(target: number): Promise<Cut>
  accountOf(evidence: Evidence): Account
  brokenPromises(account: Account, options: { ttlMs: number; isSteady?: boolean }): string[]
  /** @returns what failed */
  stop(): Promise<unknown[]>
}

interface Module extends Omit<Tools, 'stop'> {
  stopStarted(): Promise<unknown[]>
}

const FILES = [
  'tools/fleet/fleet.mjs',
  'tools/soak/cut.mjs',
  'tools/fleet/account.mjs',
  'scripts/harness/end.mjs',
]

export async function fleetTools(): Promise<Tools> {
  const load = (file: string): Promise<object> =>
    import(pathToFileURL(join(root, file)).href) as Promise<object>
  // They listen for the end of the process, to end theirs with it.
  const modules = await keepOpen(
    () => Promise.all(FILES.map(load)),
    () => undefined,
  )
  const module = Object.assign({}, ...modules) as Module
  return { ...module, stop: () => module.stopStarted() }
}
