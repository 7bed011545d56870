import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Appliance, type ApplianceSettings } from './appliance'
import { callersFrom, listCallers, type ListedCaller } from './callers'
import { fingerprintOf, testCertificate, type Certificate } from './certificate'
import type { DeviceState } from './device'
import { control, isControl } from './control'
import { DEFAULT_DIALECT, type Dialect } from './dialect'
import { page, receive, Refusal, type Call, type Reply } from './http'
import { answer } from './endpoints'
import { FIELD_DIALECT, fieldRoutes } from './field'
import { Life, type LifeEvent, type LifeOptions } from './life'
import { lineFrom, type LineCondition } from './lines'
import { checkFault, EFFECTS, Faults, send, type Exchange, type Fault } from './faults'
import {
  isCalled,
  readRoute,
  type CallersCondition,
  type Line,
  type RouteSpec,
  type RouteState,
  type SourceState,
} from './model'
import { readRecording, type Recording } from './recording'
import { DEFAULT_ACCOUNTS, type Account } from './sessions'

/** How the simulator is set up; all times in ms. */
export interface SimulatorOptions extends Partial<Omit<Adjustable, 'dialect'>> {
  /** `field`: like a gateway that was seen in the field, with its routes unless others are given. */
  dialect?: Partial<Dialect> | 'field'
  /** 0, the default, picks a free one. */
  port?: number
  /** 127.0.0.1 if not given. */
  host?: string
  /** `true` makes a certificate for localhost, 127.0.0.1 and ::1. */
  https?: boolean | Certificate
  /** The Administrator's account; haiadmin and manager if not given. */
  username?: string
  password?: string
  /** All accounts, instead of the usual three. */
  users?: Account[]
  /** 1 if not given. */
  devices?: number
  /** How many generated routes each device has, or which routes; 8 if not given. */
  routes?: number | RouteSpec[]
  /** A report of media-gateway-doctor, as a file: its devices and routes instead of generated ones. */
  from?: string
  faults?: Fault[]
  /** Lets callers and sources of the first device come and go. */
  life?: LifeOptions
  now?: () => number
}

/** The conditions to set on the lines of a route. */
export interface RouteConditions {
  source?: LineCondition
  /** By name or ID. */
  destinations?: Record<string, LineCondition>
}

/**
 * `offline`: the appliance reports its device as offline. `away`: it cuts every connection, as if
 * it had no power; the simulator's own endpoints still work.
 */
export type DeviceCondition = 'ok' | 'offline' | 'away'

/** What can also be changed while the simulator runs. */
export interface Adjustable extends Omit<ApplianceSettings, 'dialect'> {
  /** Delay of every response; the appliance has acted by then. */
  latency: number
  /** Calls the journal keeps before it drops the oldest; 100,000 if not given. */
  journalSize: number
  dialect: Partial<Dialect>
}

const DEFAULTS: Omit<Adjustable, 'dialect'> = {
  latency: 0,
  journalSize: 100_000,
  sessionLifetime: 15 * 60_000,
  slidingSessions: true,
  maxSessions: 10,
  lockoutAfter: 5,
  lockoutDuration: 5 * 60_000,
  sessionPrefix: '',
  applyDelay: 30,
  settleDelay: 30,
  defaultPageSize: 25,
  maxPageSize: 500,
  pollingInterval: 10_000,
}

/** Starts an appliance that listens; rejects if the port is taken or the recording is none. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const certificate = options.https === true ? testCertificate() : options.https || undefined
  const recording = options.from === undefined ? undefined : await readRecording(options.from)
  const simulator = new Simulator(options, certificate, recording)
  await simulator.start()
  return simulator
}

/** A simulated appliance and its network. */
export class Simulator {
  /** Every call received, in the order in which their last bytes arrived. */
  readonly journal: Call[] = []
  /** SHA-256 of the certificate, upper case with colons; only with https. */
  readonly fingerprint?: string
  port: number
  readonly host: string
  private readonly appliance: Appliance
  private readonly life: Life | undefined
  private readonly faults = new Faults()
  private readonly settings: ApplianceSettings & Omit<Adjustable, 'dialect'>
  private readonly now: () => number
  private readonly sockets = new Set<Socket>()
  private readonly underWay = new Set<Promise<void>>()
  private readonly listeners = new Set<(call: Call) => void>()
  private server: Server | undefined
  private isAway = false

  constructor(
    options: SimulatorOptions,
    private readonly certificate: Certificate | undefined,
    private readonly recording: Recording | undefined,
  ) {
    const { port = 0, host = '127.0.0.1', now = Date.now, dialect, ...others } = options
    const isField = dialect === 'field'
    this.port = port
    this.host = host
    this.now = now
    this.settings = { ...DEFAULTS, dialect: { ...DEFAULT_DIALECT } }
    this.setOptions({ ...recording?.settings, dialect: recording?.dialect })
    this.setOptions({ ...others, dialect: isField ? FIELD_DIALECT : dialect })
    if (certificate) this.fingerprint = fingerprintOf(certificate.cert)
    this.appliance = new Appliance({
      settings: this.settings,
      accounts: options.users ?? accountsWith(options),
      devices: recording ? 0 : (options.devices ?? 1),
      routes: options.routes ?? (isField ? fieldRoutes() : 8),
      now,
    })
    recording?.install(this.appliance)
    const { routes } = this.appliance.devices[0] ?? { routes: [] }
    this.life = options.life && new Life(this.appliance, routes, options.life)
    for (const fault of options.faults ?? []) this.fault(fault)
  }

  get url(): string {
    const host = this.host.includes(':') ? `[${this.host}]` : this.host
    return `${this.certificate ? 'https' : 'http'}://${host}:${this.port}`
  }

  /** Logins that succeeded. */
  get logins(): number {
    return this.appliance.sessions.logins
  }

  /** Login attempts, successful or not. */
  get loginAttempts(): number {
    return this.appliance.sessions.loginAttempts
  }

  /** Sessions that were ended by their client. */
  get logouts(): number {
    return this.appliance.sessions.logouts
  }

  /** Sessions neither ended nor expired. */
  get openSessions(): number {
    return this.appliance.sessions.count
  }

  /** TCP connections that are open now. */
  get openSockets(): number {
    return this.sockets.size
  }

  /** The live devices: what a test edits shows in the next response. */
  get devices(): DeviceState[] {
    this.catchUp()
    return this.appliance.devices
  }

  /** The live routes of the first device. */
  get routes(): RouteState[] {
    return this.firstDevice.routes
  }

  /** A live route of the first device. */
  route(nameOrId: string): RouteState | undefined {
    const device = this.firstDevice
    return device.route(nameOrId) ?? device.routes.find(({ name }) => name === nameOrId)
  }

  /** A route of the first device as the appliance returns it. */
  readForm(nameOrId: string): object {
    return readRoute(this.known(nameOrId), this.now(), this.settings.dialect)
  }

  /** Adds a route at once, as if by another client; with `startRoute`, running and connected. */
  addRoute(spec: RouteSpec): RouteState {
    return this.appliance.install(this.firstDevice, spec)
  }

  removeRoute(nameOrId: string): void {
    this.firstDevice.remove(this.known(nameOrId).id)
  }

  renameRoute(nameOrId: string, name: string): void {
    this.known(nameOrId).name = name
  }

  /** Starts a route as if by another client; it connects step by step. */
  startRoute(nameOrId: string): void {
    this.appliance.start(this.known(nameOrId))
  }

  stopRoute(nameOrId: string): void {
    this.appliance.stop(this.known(nameOrId))
  }

  /**
   * Sets the lines of a route's source and destinations; `ok` restores one. A failure stays with
   * the far end: it outlasts a stop of the route, affects other routes with the same address, and
   * no longer affects this route once its address changes.
   */
  fail(nameOrId: string, { source, destinations = {} }: RouteConditions): void {
    const route = this.known(nameOrId)
    const changes = Object.entries(destinations).map(([name, condition]): [SourceState, Line] => {
      const named = (each: SourceState) => each.id === name || each.name === name
      const destination = route.destinations.find(named)
      if (!destination) throw new Error(`The route ${route.name} has no destination ${name}.`)
      return [destination, lineFrom(condition)]
    })
    if (source !== undefined) changes.push([route.source, lineFrom(source)])
    this.appliance.changeFarEnds((lines) => {
      for (const [part, line] of changes) lines.set(part, line)
    })
  }

  /**
   * Sets who calls SRT listeners of a route, each by its name or ID: outputs, and the source, which has
   * one caller at most. Callers belong to the listener: they go on calling while it is stopped or has no
   * source, and connect again.
   */
  setCallers(nameOrId: string, conditions: Record<string, CallersCondition>): void {
    const { name, source, destinations } = this.known(nameOrId)
    const changes = Object.entries(conditions).map(([of, condition]) => {
      const parts = [...destinations, source].filter(isCalled)
      const output = parts.find((each) => each.id === of || each.name === of)
      if (!output) throw new Error(`The route ${name} has no SRT listener ${of}.`)
      return { output, condition: callersFrom(condition) }
    })
    this.appliance.changeFarEnds((_, callers) => {
      for (const { output, condition } of changes) callers.set(output, condition)
    })
  }

  /** Who calls the outputs of the first device. */
  get callers(): ListedCaller[] {
    return listCallers(this.firstDevice.routes)
  }

  /** What has happened by the option `life`: the truth, by which alarms can be judged. */
  get truth(): readonly LifeEvent[] {
    this.catchUp()
    return this.life?.journal ?? []
  }

  /** Sets every line to an address, or to one port of it (`192.0.2.7:5000`), on any route. */
  failAddress(address: string, condition: LineCondition): void {
    const line = lineFrom(condition)
    this.appliance.changeFarEnds((lines) => lines.setAddress(address, line))
  }

  /** Takes the whole appliance down, or brings it back. */
  failDevice(condition: DeviceCondition): void {
    if (!DEVICE_CONDITIONS.includes(condition)) {
      throw new Error(`A device is ${DEVICE_CONDITIONS.join(', ')}.`)
    }
    for (const device of this.devices) device.setOnline(condition !== 'offline', this.now())
    this.isAway = condition === 'away'
  }

  /** Restores every line and the device. */
  restore(): void {
    this.appliance.changeFarEnds((lines) => lines.clear())
    this.failDevice('ok')
  }

  private get failures(): { device: DeviceCondition; lines: object[] } {
    const isOffline = this.devices.some(({ offlineSince }) => offlineSince !== undefined)
    const device = this.isAway ? 'away' : isOffline ? 'offline' : 'ok'
    return { device, lines: this.appliance.lines.list() }
  }

  /** What goes on, as `GET /simulator` returns it. */
  get state() {
    return {
      url: this.url,
      openSessions: this.openSessions,
      openSockets: this.openSockets,
      logins: this.logins,
      loginAttempts: this.loginAttempts,
      logouts: this.logouts,
      calls: this.journal.length,
      pending: this.appliance.agenda.length,
      devices: this.devices.map(({ _id, name, routes }) => ({ _id, name, routes: routes.length })),
      faults: this.faults.list(),
      failures: this.failures,
      dialect: this.settings.dialect,
    }
  }

  clearJournal(): void {
    this.journal.length = 0
  }

  /** Forgets all sessions: they show as expired. */
  dropSessions(): void {
    this.appliance.sessions.forgetAll()
  }

  /** Changes settings from the next call on. */
  setOptions(options: Partial<Adjustable>): void {
    const { dialect, ...rest } = options
    for (const [name, value] of Object.entries(rest)) {
      if (Object.hasOwn(DEFAULTS, name) && value !== undefined) {
        Object.assign(this.settings, { [name]: value })
      }
    }
    Object.assign(this.settings.dialect, dialect)
  }

  /** Activates a fault; the returned function removes it. */
  fault(fault: Fault): () => void {
    checkFault(fault)
    return this.faults.add(fault)
  }

  clearFaults(): void {
    this.faults.clear()
  }

  /** Calls `listener` when a call is finished, answered or not; the returned function ends that. */
  onCall(listener: (call: Call) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Resolves when nothing accepted is pending and every state has settled. */
  settle(): Promise<void> {
    return this.appliance.agenda.empty()
  }

  /** Listens; after `stop`, on the same port, with routes and sessions unchanged. */
  async start(): Promise<void> {
    if (this.server) return
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      const exchange = this.serve(request, response).finally(() => this.underWay.delete(exchange))
      this.underWay.add(exchange)
    }
    const server = this.certificate
      ? createSecureServer(this.certificate, handle)
      : createServer(handle)
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket)
      socket.once('close', () => this.sockets.delete(socket))
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.port, this.host, () => {
        server.off('error', reject)
        resolve()
      })
    })
    const address = server.address()
    if (typeof address === 'object' && address) this.port = address.port
    this.server = server
    this.appliance.agenda.wake()
    this.life?.wake()
  }

  /** Cuts every connection; resolves when no socket and no timer is left. */
  async stop(): Promise<void> {
    const { server } = this
    if (!server) return
    this.server = undefined
    this.appliance.agenda.sleep()
    this.life?.sleep()
    const closed = [new Promise((resolve) => server.close(resolve))]
    for (const socket of this.sockets) {
      closed.push(new Promise((resolve) => socket.once('close', resolve)))
      socket.destroy()
    }
    await Promise.all(closed)
    await Promise.all(this.underWay)
  }

  /** Reboots: connections are cut, sessions lost, routes kept. */
  async restart(): Promise<void> {
    await this.stop()
    this.dropSessions()
    await this.start()
  }

  private catchUp(): void {
    this.life?.catchUp()
    this.appliance.agenda.catchUp()
  }

  private get firstDevice(): DeviceState {
    const [device] = this.devices
    if (!device) throw new Error('The simulator has no device.')
    return device
  }

  private known(nameOrId: string): RouteState {
    const route = this.route(nameOrId)
    if (!route) throw new Error(`The simulator has no route ${nameOrId}.`)
    return route
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const client = new AbortController()
    response.once('close', () => client.abort(LEFT))
    try {
      const call = await receive(request, this.now)
      if (isControl(call)) {
        const exchange = { call, reply: NOTHING, response, left: client.signal }
        return send(exchange, control(this, call))
      }
      if (this.isAway) {
        response.destroy()
        return
      }
      await this.answer(call, response, client.signal)
    } catch (error) {
      // The client has disconnected: no response can be sent.
      if (client.signal.aborted) return
      const refusal =
        error instanceof Refusal ? error : new Refusal(500, 'Simulator', String(error))
      const { status, headers, body } = refusal.reply()
      if (!response.headersSent) response.writeHead(status, headers).end(body)
      else response.destroy()
    }
  }

  private async answer(call: Call, response: ServerResponse, left: AbortSignal): Promise<void> {
    this.note(call)
    const striking = this.faults.strike(call)
    if (striking.length > 0) call.fault = striking.map(({ kind }) => kind).join('+')
    const main = striking.find(({ kind }) => kind !== 'latency')
    const delays = striking.filter(({ kind }) => kind === 'latency')
    const exchange: Exchange = { call, reply: NOTHING, response, left }
    try {
      if (!main || EFFECTS[main.kind].acts) {
        if (main?.kind === 'session-drop' && call.cookie !== undefined) {
          this.appliance.sessions.forget(call.cookie)
        }
        exchange.reply = this.act(call)
        call.applied = exchange.reply.status < 300
      }
      const delay = delays.reduce((sum, { ms = 1000 }) => sum + ms, this.settings.latency)
      if (delay > 0) await pause(delay, undefined, { signal: left })
      if (main) await EFFECTS[main.kind].answer(exchange, main)
      else send(exchange, exchange.reply)
    } finally {
      for (const listener of this.listeners) listener(call)
    }
  }

  private act(call: Call): Reply {
    if (call.path === '/login') return page('Log in to the media gateway')
    this.catchUp()
    const reply = answer(this.appliance, call)
    return this.recording?.shaped(call, reply) ?? reply
  }

  private note(call: Call): void {
    this.journal.push(call)
    const excess = this.journal.length - this.settings.journalSize
    // In batches: removing from the front moves all the rest.
    if (excess > this.settings.journalSize / 10) this.journal.splice(0, excess)
  }
}

/** Shared, since creating an error costs more than some calls do. */
const LEFT = new Error('The client has left.')

const DEVICE_CONDITIONS: readonly DeviceCondition[] = ['ok', 'offline', 'away']

const NOTHING: Reply = { status: 200, headers: {}, body: '' }

function accountsWith({ username, password }: SimulatorOptions): Account[] {
  const [administrator, ...others] = DEFAULT_ACCOUNTS
  return [
    {
      username: username ?? administrator?.username ?? '',
      password: password ?? administrator?.password ?? '',
      role: 'Administrator',
    },
    ...others,
  ]
}
