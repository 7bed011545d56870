#!/usr/bin/env node
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { certificateFrom, type Certificate } from './certificate'
import { DIALECTS } from './dialect'
import { FIELD_DIALECT, fieldRoutes } from './field'
import { asObject, type Call } from './http'
import { BadRecording } from './recorded'
import { checkFault, EFFECTS, type Fault } from './faults'
import type { LineCondition } from './lines'
import type { CallersCondition } from './model'
import {
  startSimulator,
  type DeviceCondition,
  type Simulator,
  type SimulatorOptions,
} from './server'
import { DEFAULT_ACCOUNTS } from './sessions'
import { mayRead } from './terminal'

const HELP = `media-gateway-simulator: a simulated gateway to develop and test against

  --port N             port to listen on (8080, or 8443 with --https; 0 takes a free one)
  --host ADDRESS       address to listen on (127.0.0.1)
  --https              make a certificate for localhost; its fingerprint is printed
  --cert FILE          https with this certificate instead (PEM)
  --key FILE           its private key (PEM, without a passphrase)
  --routes N           number of generated routes on each device, using every protocol (8)
  --devices N          number of devices (1)
  --from FILE          serve a recording instead: a report of media-gateway-doctor
  --user NAME          username of the Administrator (haiadmin)
  --password TEXT      password of the Administrator (manager)
  --max-sessions N     maximum number of sessions; further logins get 429 (10)
  --session-lifetime S seconds without a request until a session expires (900)
  --page-size N        routes on a page if the client does not say (25)
  --latency MS         milliseconds added to every response (0)
  --fault KIND[=N][:METHOD][:/PATH][:TIMES]
                       make requests fail; repeatable. * in a path is any text. N is the
                       ms of latency, the status, or the bytes of giant.
                       --fault status=503:POST:/api/devices/*/updates:2
  --fail WHAT=STATE    start with a failure; repeatable, see below
  --callers ROUTE/DESTINATION=N
                       how many call an SRT listener output, or who, see below; repeatable.
                       Routes of the start have one to three, new ones none
  --life SEED          let callers and sources come and go by chance; the same seed, the same
                       life
  --dialect NAME=VALUE behave like other firmware; repeatable
  --dialect field      14 routes as on a gateway in the field, several without callers
  --quiet              print no line for each request
  --help               print this text

Kinds of fault:
${Object.entries(EFFECTS)
  .map(([kind, { about }]) => `  ${kind.padEnd(14)}${about}`)
  .join('\n')}

What can fail, and how. Use --fail 'Studio A=disconnected', or type while it runs:
"fail Studio A=disconnected", "restore Studio A", "restore".
  ROUTE                the line to its source      disconnected, connecting, no-data, ok,
  ROUTE/DESTINATION    the line to a destination   or some of bitrate=N (at most N Mbit/s),
  @ADDRESS[:PORT]      every line to an address    loss=N (percent), rtt=N (ms): loss=5,rtt=400
  device               the gateway                 offline, away (cuts every connection), ok
Who calls: type "callers ROUTE/DESTINATION=2", or 0, "reconnect" (all from other ports), or
a list: [{"address": "203.0.113.7", "port": 40001, "label": "A", "loss": 5, "rtt": 80}].

Dialects; the first value is the default:
${Object.entries(DIALECTS)
  .map(([name, values]) => `  ${name.padEnd(21)}${values.join(', ')}`)
  .join('\n')}

While it runs, without a session:
  GET    /                         a page to see routes, and to make them fail
  GET    /simulator                state, sessions, faults
  GET    /simulator/routes         what the page shows
  GET    /simulator/journal        the requests received
  POST   /simulator/faults         add a fault: {"kind": "status", "status": 503, "times": 2,
                                   "after": 0, "match": {"method": "GET", "path": "/api/*",
                                   "action": "update"}}
  DELETE /simulator/faults         remove all faults
  POST   /simulator/routes/NAME    fail or restore lines: {"source": "disconnected",
                                   "destinations": {"Monitor": {"loss": 5, "rtt": 400}}}
  POST   /simulator/addresses/ADDRESS[:PORT]
                                   the same for every line to this address: {"line": "no-data"}
  POST   /simulator/device         {"state": "offline"}, "away" or "ok"
  GET    /simulator/callers        who calls SRT listener outputs
  POST   /simulator/callers/ROUTE  set that, or who calls a source: {"Partners": 2},
                                   {"Partners": "reconnect"}, {"Partners": [{"label": "A",
                                   "address": "203.0.113.7", "port": 40001, "loss": 5}]}
  GET    /simulator/truth          what --life did, and when
  DELETE /simulator/failures       restore everything
  POST   /simulator/sessions/drop  end all sessions, as if they had expired
`

/** A mistake in the arguments: printed as a sentence, exit code 2. */
class UsageError extends Error {}

interface Command {
  help: boolean
  quiet: boolean
  options: SimulatorOptions
  failures: string[]
  callers: string[]
}

async function main(): Promise<void> {
  const { help, quiet, options, failures, callers } = commandFrom(process.argv.slice(2))
  if (help) {
    process.stdout.write(HELP)
    return
  }
  const simulator = await startSimulator(options)
  try {
    for (const text of failures) asOption('fail', () => failAsTold(simulator, text))
    for (const text of callers) asOption('callers', () => setCallersAsTold(simulator, text))
  } catch (error) {
    await simulator.stop()
    throw error
  }
  const isObeying = mayRead()
  introduce(simulator, options, isObeying)
  if (!quiet) simulator.onCall((call) => console.log(lineFor(call)))
  const typed = isObeying ? createInterface({ input: process.stdin }) : undefined
  typed?.on('line', (line) => obey(simulator, line.trim()))
  const stop = () => {
    typed?.close()
    if (typed) process.stdin.destroy()
    // Without timers and sockets the process exits by itself.
    simulator.stop().catch(fail)
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
}

function asOption(name: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    throw new UsageError(`--${name}: ${messageOf(error)}`)
  }
}

function commandFrom(args: string[]): Command {
  const values = parsedArguments(args)
  checkFrom(values)
  const https = certificateOf(values) ?? values.https === true
  const lifetime = whole('session-lifetime', values['session-lifetime'], 1)
  const options: SimulatorOptions = {
    port: whole('port', values.port, 0, 65_535) ?? (https ? 8443 : 8080),
    https,
    host: values.host,
    devices: whole('devices', values.devices, 0, 1000),
    latency: whole('latency', values.latency, 0),
    maxSessions: whole('max-sessions', values['max-sessions'], 0),
    sessionLifetime: lifetime === undefined ? undefined : lifetime * 1000,
    defaultPageSize: whole('page-size', values['page-size'], 1, 500),
    username: values.user,
    password: values.password,
    ...dialectsFrom(values.dialect ?? []),
    from: values.from,
    ...(values.routes && { routes: whole('routes', values.routes, 0, 100_000) }),
    life: lifeFrom(values.life),
    faults: (values.fault ?? []).map(faultFrom),
    applyDelay: 200,
    settleDelay: 300,
    journalSize: 1000,
  }
  const { help = false, quiet = false, fail: failures = [], callers = [] } = values
  return { help, quiet, options, failures, callers }
}

function parsedArguments(args: string[]) {
  const text = { type: 'string' } as const
  const several = { type: 'string', multiple: true } as const
  const flag = { type: 'boolean' } as const
  try {
    return parseArgs({
      args,
      options: {
        port: text,
        host: text,
        https: flag,
        cert: text,
        key: text,
        routes: text,
        devices: text,
        from: text,
        latency: text,
        fault: several,
        fail: several,
        callers: several,
        life: text,
        'max-sessions': text,
        'session-lifetime': text,
        user: text,
        password: text,
        'page-size': text,
        dialect: several,
        quiet: flag,
        help: flag,
      },
    }).values
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
}

/** A recording has devices and routes. */
function checkFrom({ from, routes, devices, dialect = [] }: ReturnType<typeof parsedArguments>) {
  const others = [
    ...(routes === undefined ? [] : ['--routes']),
    ...(devices === undefined ? [] : ['--devices']),
    ...(dialect.includes('field') ? ['--dialect field'] : []),
  ]
  if (from === undefined || others.length === 0) return
  throw new UsageError(`--from brings its own devices and routes: leave out ${others.join(', ')}.`)
}

function certificateOf({ cert, key }: { cert?: string; key?: string }): Certificate | undefined {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined) {
    throw new UsageError('Give both --cert and --key, or neither.')
  }
  try {
    return certificateFrom(cert, key)
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
}

function whole(name: string, text: string | undefined, low: number, high = 2 ** 31 - 1) {
  if (text === undefined) return undefined
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < low || number > high) {
    throw new UsageError(`--${name} takes a whole number from ${low} to ${high}, not "${text}".`)
  }
  return number
}

function lifeFrom(text: string | undefined) {
  const seed = whole('life', text, 0)
  return seed === undefined ? undefined : { seed }
}

/** `field` comes with routes; what is given beside it wins. */
function dialectsFrom(given: string[]): SimulatorOptions {
  const values = given.filter((each) => each !== 'field').map(dialectFrom)
  const dialect = Object.fromEntries(values)
  if (values.length === given.length) return { dialect }
  return { dialect: { ...FIELD_DIALECT, ...dialect }, routes: fieldRoutes() }
}

function dialectFrom(text: string): [string, string | number | boolean] {
  const [name, value = ''] = text.split('=', 2)
  const known = Object.entries(DIALECTS).find(([each]) => each === name)
  if (!known) {
    const names = [...Object.keys(DIALECTS), 'field'].join(', ')
    throw new UsageError(`There is no dialect "${name}". The dialects are ${names}.`)
  }
  const values: ReadonlyArray<string | number | boolean> = known[1]
  const meant = values.find((each) => String(each) === value)
  if (meant !== undefined) return [known[0], meant]
  throw new UsageError(`--dialect ${name} takes ${values.join(' or ')}, not "${value}".`)
}

function faultFrom(text: string): Fault {
  const [kindAndNumber = '', ...rest] = text.split(':')
  const [kind, number] = kindAndNumber.split('=', 2)
  const fault: Record<string, unknown> = { kind }
  const match: Record<string, string> = {}
  for (const part of rest) {
    if (part.startsWith('/')) match.path = part
    else if (/^\d+$/.test(part)) fault.times = Number(part)
    else if (/^[a-z]+$/i.test(part)) match.method = part
    else
      throw new UsageError(`--fault: "${part}" in "${text}" is not a method, a path or a number.`)
  }
  if (Object.keys(match).length > 0) fault.match = match
  if (number !== undefined) {
    const member = kind === 'status' ? 'status' : kind === 'giant' ? 'bytes' : 'ms'
    fault[member] = whole('fault', number, 0)
  }
  try {
    checkFault(fault)
  } catch (error) {
    throw new UsageError(`--fault ${text}: ${messageOf(error)}`)
  }
  return fault
}

/** Carries out a line typed while the simulator runs. */
function obey(simulator: Simulator, line: string): void {
  const [verb, what] = [line.split(/\s/, 1)[0], line.replace(/^\S+\s*/, '')]
  try {
    if (verb === '') return
    else if (verb === 'fail' && what) failAsTold(simulator, what)
    else if (verb === 'restore' && what) failAsTold(simulator, `${what}=ok`)
    else if (verb === 'restore') simulator.restore()
    else if (verb === 'callers' && what) setCallersAsTold(simulator, what)
    else {
      throw new Error(
        'Type "fail WHAT=STATE", "restore WHAT", "restore" or "callers ROUTE/DESTINATION=N"; see --help.',
      )
    }
    console.log(`Done: ${line}`)
  } catch (error) {
    console.error(messageOf(error))
  }
}

/** `Studio A=disconnected`, `Studio A/Monitor=loss=5,rtt=400`, `@192.0.2.7=no-data`, … */
function failAsTold(simulator: Simulator, text: string): void {
  const [, what = '', how = ''] = /^([^=]+)=(.+)$/.exec(text) ?? []
  if (what === '') throw new Error(`"${text}" is not WHAT=STATE.`)
  if (what === 'device') return simulator.failDevice(how as DeviceCondition)
  const condition = conditionFrom(how)
  if (what.startsWith('@')) return simulator.failAddress(what.slice(1), condition)
  const { route, destination } = partNamed(simulator, what)
  if (destination === undefined) simulator.fail(route, { source: condition })
  else simulator.fail(route, { destinations: { [destination]: condition } })
}

/** `Studio A/Studio A out=2`, `…=reconnect`, `…=[{"address": "203.0.113.7"}]` */
function setCallersAsTold(simulator: Simulator, text: string): void {
  const list = text.indexOf('=[')
  const at = list < 0 ? text.lastIndexOf('=') : list
  const [what, who] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)]
  const { route, destination } = partNamed(simulator, what)
  const isKnown = list >= 0 || who === 'reconnect' || /^\d+$/.test(who)
  if (destination === undefined || !isKnown)
    throw new Error(`"${text}" is not ROUTE/DESTINATION=N.`)
  const condition = who === 'reconnect' ? who : (JSON.parse(who) as CallersCondition)
  simulator.setCallers(route, { [destination]: condition })
}

/** `Studio A` or `Studio A/Monitor`: both names may contain a slash. */
function partNamed(simulator: Simulator, text: string): { route: string; destination?: string } {
  const names = text.split('/')
  const routes = names.map((_, place) => names.slice(0, place).join('/'))
  const route = routes.find((name) => simulator.route(name))
  if (simulator.route(text) || route === undefined) return { route: text }
  return { route, destination: text.slice(route.length + 1) }
}

function conditionFrom(text: string): LineCondition {
  if (!text.includes('=')) return text as LineCondition
  const members = text.split(',').map((each) => each.split('=', 2))
  return Object.fromEntries(members.map(([name, value = '']) => [name, Number(value || NaN)]))
}

function introduce(
  simulator: Simulator,
  { username, password }: SimulatorOptions,
  isObeying: boolean,
): void {
  console.log(`The simulated gateway is at ${simulator.url}`)
  console.log('  Open it in a browser to see its routes, and to make them fail.')
  for (const account of DEFAULT_ACCOUNTS) {
    const administrator = account.role === 'Administrator'
    const name = (administrator && username) || account.username
    const secret = (administrator && password) || account.password
    console.log(`  ${account.role}: user ${name}, password ${secret}`)
  }
  if (simulator.fingerprint) console.log(`  Certificate SHA-256: ${simulator.fingerprint}`)
  const example = simulator.devices[0]?.routes[0]?.name ?? 'ROUTE'
  console.log(
    isObeying
      ? `Type "fail ${example}=disconnected" or "restore"; see --help. Press Ctrl-C to stop.`
      : 'Running in the background: typed commands are not read. See --help for the HTTP requests.',
  )
}

function lineFor({ at, method, url, status, user, fault }: Call): string {
  const time = new Date(at).toISOString().slice(11, 23)
  const extras = [user, fault && `fault ${fault}`].filter(Boolean).join(', ')
  return `${time} ${method} ${url} ${status ?? 'no response'}${extras && ` (${extras})`}`
}

function fail(error: unknown): void {
  console.error(sentenceFor(error))
  process.exitCode = error instanceof UsageError || error instanceof BadRecording ? 2 : 1
}

function sentenceFor(error: unknown): string {
  const { code } = asObject(error)
  switch (code) {
    case 'EADDRINUSE':
      return `${where(error)} is in use. Stop the program that uses it, or choose another port with --port.`
    case 'EACCES':
      return `${where(error)} needs more rights than this user has. Choose a port above 1023 with --port.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'This computer does not have the address to listen on. Choose another with --host.'
    default:
      return `${messageOf(error)}${error instanceof UsageError ? '\n--help lists the options.' : ''}`
  }
}

function where(error: unknown): string {
  const { port, address } = asObject(error)
  return `Port ${String(port)} of ${String(address)}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

main().catch(fail)
