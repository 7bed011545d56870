import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { sendCommand, type Command } from '../api/commands'
import { requestTo } from '../api/endpoints'
import { getRoute, listRoutes } from '../api/routes'
import type { Connection } from '../connection/connection'
import { Operation } from '../connection/operation'
import { closedError, failureOf } from '../errors'
import { isText, own } from '../model/json'
import { isRunning } from '../model/route-state'
import type { Route } from '../model/types'
import type { Stop } from '../stop'

/** What the name of every route of this program begins with. */
const MARK = 'media-gateway-doctor-'
export const looksOurs = (name: unknown): boolean =>
  isText(name) && name.trim().toLowerCase().startsWith(MARK)

/** The names of the routes of one run, which no other run and nobody else has. */
export function newNames(): string[] {
  const run = randomBytes(6).toString('hex')
  return [1, 2, 3].map((number) => `${MARK}${run}-${number}`)
}

/** The file that says which routes a run may have left. It is written before the first of them is created. */
export interface Note {
  device: string
  names: string[]
}

/** @throws Error when the file is not one of this program */
export function readNote(file: string): Note | undefined {
  if (!existsSync(file)) return undefined
  try {
    const note = JSON.parse(readFileSync(file, 'utf8')) as Note
    if (isText(note.device) && note.names.every(looksOurs)) return note
  } catch {
    // Falls through to the same sentence as a file with something else in it.
  }
  throw new Error(`${file} is not a note of this program. Move it elsewhere, then try again.`)
}

export function writeNote(file: string, note: Note): void {
  writeFileSync(`${file}.new`, JSON.stringify(note), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

export const removeNote = (file: string): void => rmSync(file, { force: true })

/** In ms. */
export interface Pace {
  /** Between two looks at a route. */
  look: number
  /** How long a change may take until it shows. */
  most: number
  /** How long a route is watched where nothing says when a change is over. */
  brief: number
  /** How long a create that nobody has seen may still come. */
  quiet: number
  /** How long cleaning may take. */
  clean: number
}
export const PACE: Pace = { look: 500, most: 20_000, brief: 3000, quiet: 10_000, clean: 60_000 }

/** What became of a change: `body` where it was accepted. */
export interface Outcome {
  isAccepted: boolean
  /** It was not accepted, and nobody knows whether it will come. */
  isDoubtful?: boolean
  status?: number
  type?: string
  body?: unknown
}

export async function outcomeOf(
  operation: Operation,
  work: (operation: Operation) => Promise<unknown>,
): Promise<Outcome> {
  try {
    return { isAccepted: true, body: await work(operation), status: operation.statusCode }
  } catch (error) {
    const { statusCode: status, applianceType: type, applied } = failureOf(error).cause
    return { isAccepted: false, isDoubtful: applied !== 'no', status, type }
  }
}

/** A route each time that it was read, and after how many ms it was as expected, if ever. */
export interface Watched {
  seen: Array<Route | undefined>
  after?: number
}

export type Sandbox = ReturnType<typeof createSandbox>

/** It changes and deletes no other. @param unseen how many routes of an earlier run may still come */
export function createSandbox(
  gateway: Connection,
  { device: deviceId, names }: Note,
  stop: Stop,
  pace: Pace,
  unseen = 0,
) {
  const ids = new Set<string>()
  let created = unseen
  /** Creates without a response that says whether the route comes. */
  let doubtful = 0

  /** A change is never cut off: it could arrive after the cleaning. */
  const send = (write: (operation: Operation) => Promise<unknown>): Promise<Outcome> =>
    outcomeOf(new Operation('doctor', { changes: true }), write)

  const change = (action: string, more: object) =>
    send((operation) => {
      const body = { action, deviceID: deviceId, elementType: 'route', ...more }
      return gateway.call(requestTo('changeRoute', { device: deviceId }, { body }), operation)
    })

  const halt = (): void => {
    if (stop.stopped) throw closedError()
  }

  function beforeChange(id: string): void {
    halt()
    if (!ids.has(id)) throw new Error('This program changes only routes that it has created.')
  }

  async function listed(halting?: Stop): Promise<Route[]> {
    const { data } = await listRoutes(
      gateway,
      { deviceId },
      new Operation('doctor', { stop: halting }),
    )
    const found = data.filter(({ name }) => names.includes(name))
    for (const { id } of found) ids.add(id)
    return found
  }

  async function look(id: string): Promise<Route | undefined> {
    try {
      return await getRoute(gateway, { deviceId, routeId: id }, new Operation('doctor', { stop }))
    } catch (error) {
      if (failureOf(error).cause.statusCode === 404) return undefined
      throw error
    }
  }

  async function until(
    read: () => Promise<{ route?: Route; isExpected: boolean }>,
    most = pace.most,
  ): Promise<Watched> {
    const seen: Watched['seen'] = []
    const begun = gateway.clock.now()
    for (;;) {
      const { route, isExpected } = await read()
      seen.push(route)
      const after = gateway.clock.now() - begun
      if (isExpected) return { seen, after }
      if (after >= most) return { seen }
      await gateway.pause(pace.look, stop)
    }
  }

  /**
   * Deletes all of them, also after the stop.
   * @returns the names of routes that could not be deleted, and whether none may still come whose create
   * had no response
   */
  async function clean(): Promise<{ left: string[]; isCertain: boolean }> {
    if (created === 0) return { left: [], isCertain: true }
    const end = gateway.clock.now() + pace.clean
    /** After how many looks at a route its delete is sent again. */
    const waits = new Map<string, number>()
    let left = [...names]
    let emptySince: number | undefined
    while (gateway.clock.now() < end) {
      try {
        const found = await listed()
        left = found.map(({ name }) => name)
        if (found.length > 0) emptySince = undefined
        else if (created <= ids.size) return { left, isCertain: true }
        else {
          emptySince ??= gateway.clock.now()
          const isQuiet = gateway.clock.now() - emptySince >= pace.quiet
          if (isQuiet) return { left, isCertain: doubtful === 0 }
        }
        for (const route of found) {
          const wait = waits.get(route.id) ?? 0
          waits.set(route.id, wait - 1)
          if (wait > 0) continue
          const { isAccepted } = await change('delete', { elementID: route.id })
          if (isAccepted) waits.set(route.id, LOOKS)
          else if (isRunning(route)) {
            const command = { deviceId, command: 'stop-route', routeId: route.id } as const
            await send((operation) => sendCommand(gateway, command, operation))
          }
        }
      } catch (error) {
        failureOf(error)
      }
      await gateway.pause(pace.look)
    }
    return { left, isCertain: false }
  }

  return {
    names,
    async create(name: string, fields: object): Promise<Outcome> {
      halt()
      if (!names.includes(name)) throw new Error('This program creates no other routes.')
      created++
      const outcome = await change('create', { fields: { ...fields, name } })
      if (outcome.isDoubtful) doubtful++
      else if (!outcome.isAccepted) created--
      return outcome
    },
    async update({ id, name }: Route, fields: object): Promise<Outcome> {
      beforeChange(id)
      return change('update', { elementID: id, fields: { ...fields, name } })
    },
    async remove({ id }: Pick<Route, 'id'>): Promise<Outcome> {
      beforeChange(id)
      return change('delete', { elementID: id })
    },
    async command(command: Omit<Command, 'deviceId'>): Promise<Outcome> {
      beforeChange(command.routeId)
      return send((operation) => sendCommand(gateway, { deviceId, ...command }, operation))
    },
    list: (): Promise<Route[]> => listed(stop),
    /** Looks at a route, which is undefined while it does not exist, until it is as expected. */
    watch: (id: string, isExpected: (route?: Route) => boolean, most?: number): Promise<Watched> =>
      until(async () => {
        const route = await look(id)
        return { route, isExpected: isExpected(route) }
      }, most),
    find: (name: string, count = 1): Promise<Watched> =>
      until(async () => {
        const found = (await listed(stop)).filter((route) => route.name === name)
        return { route: found.at(-1), isExpected: found.length >= count }
      }),
    clean,
  }
}

const LOOKS = 10

/** The first of some ports in a row, far from those of others: FEC takes the ports after its own too. */
export function freePort(routes: readonly unknown[]): number {
  const used = new Set<number>()
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    // With path redundancy it is a text with several.
    for (const each of JSON.stringify(own(value, 'port'))?.match(/\d+/g) ?? [])
      used.add(Number(each))
    for (const each of Object.values(value)) collect(each)
  }
  for (const route of routes) collect(route)
  for (let first = 50_000; first < 65_000; first += PORTS) {
    const near = Array.from({ length: 3 * PORTS }, (_, place) => first - PORTS + place)
    if (!near.some((port) => used.has(port))) return first
  }
  throw new Error('No ports from 50000 to 65000 are free for the routes of this program.')
}

/** That a run may use. */
const PORTS = 10
