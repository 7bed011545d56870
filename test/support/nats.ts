// The real NATS server of the tests, and the one way to describe a suite that needs it.
//   NATS_SERVER   the path of `nats-server`, or `none`; without it PATH is searched
import { spawn, type ChildProcess } from 'node:child_process'
import {
  accessSync,
  constants,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Certificate } from '../../simulator'
import { freePort } from './ports'
import { until } from './until'

/** Returns the path of the server; undefined if there is none. */
export function findNats(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { NATS_SERVER, PATH = '' } = env
  if (NATS_SERVER) return [NATS_SERVER].find(isProgram)
  return [...PATH.split(delimiter), '/usr/sbin', '/usr/local/bin']
    .filter(Boolean)
    .map((folder) => join(folder, 'nats-server'))
    .find(isProgram)
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Ends the title of every suite that needs NATS: used to count the skipped ones. */
export const WITH_NATS = ', with NATS'

/** Describes a suite that needs NATS. Without it, it is skipped as a whole, hooks included. */
export function withNats(subject: string, suite: (this: Mocha.Suite) => void): void {
  const title = subject + WITH_NATS
  if (findNats()) describe(title, suite)
  else describe.skip(title, suite)
}

export interface NatsServer {
  readonly port: number
  /** As the property of the gateway has it. */
  readonly url: string
  /** What the server has written. */
  log(): string
  /** As if the machine had lost its power. */
  kill(): Promise<void>
  /** Halts the process, so that its sockets stay open. */
  pause(): void
  resume(): void
  /** Starts it again on the same ports. @param empty with nothing stored */
  start(empty?: boolean): Promise<void>
  /** Ends it for good. */
  remove(): Promise<void>
}

/** Who may do what: both are lists of subjects. */
export interface NatsUser {
  user: string
  password: string
  publish: string[]
  subscribe: string[]
  /** Not to be published, though `publish` has it. */
  refused?: string[]
}

export interface NatsOptions {
  user?: string
  password?: string
  /** Instead of the one user. */
  users?: NatsUser[]
  /** Users as the configuration of the server has them. */
  accounts?: string
  /** Bytes of all that is stored. */
  maxStored?: number
  /** Bytes. */
  maxPayload?: number
  /** With TLS only. */
  certificate?: Certificate
  /** An authority, PEM: only clients with a certificate of it get in. */
  clientAuthority?: string
  /** The public key of the one user. */
  nkey?: string
  /** A user of this operator: all JWTs, as `nsc` makes them. */
  operator?: { operator: string; system: string; accounts: Record<string, string> }
}

export async function startNats(options: NatsOptions = {}): Promise<NatsServer> {
  return startOne('nats', { ...options, port: await freePort() })
}

/** Three servers that keep what is stored together. */
export async function startCluster(): Promise<NatsServer[]> {
  const ports = await freePorts(6)
  const routes = ports.slice(3)
  return Promise.all(
    [0, 1, 2].map((index) =>
      startOne(`nats-${index}`, { port: ports[index]!, cluster: { port: routes[index]!, routes } }),
    ),
  )
}

const freePorts = (count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, freePort))

interface One extends NatsOptions {
  port: number
  cluster?: { port: number; routes: number[] }
}

async function startOne(name: string, one: One): Promise<NatsServer> {
  const { port, user, password, users, nkey, operator, maxPayload } = one
  const { certificate, clientAuthority, cluster } = one
  const folder = mkdtempSync(join(quickFolder(), 'media-gateway-nats-'))
  const stored = join(folder, 'stored')
  const config = join(folder, 'nats.conf')
  const logged = join(folder, 'log')
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const ca = join(folder, 'ca.pem')
  if (clientAuthority !== undefined) writeFileSync(ca, clientAuthority)
  if (certificate) {
    writeFileSync(cert, certificate.cert)
    writeFileSync(key, certificate.key)
  }
  writeFileSync(
    config,
    [
      `server_name: ${name}`,
      `listen: "127.0.0.1:${port}"`,
      `log_file: "${logged}"`,
      `jetstream { store_dir: "${stored}", max_mem: 64M, max_file: ${one.maxStored ?? '1G'} }`,
      maxPayload ? `max_payload: ${maxPayload}` : '',
      certificate
        ? `tls { cert_file: "${cert}", key_file: "${key}"${clientAuthority ? `, ca_file: "${ca}", verify: true` : ''} }`
        : '',
      nkey ? `authorization { users: [{ nkey: ${nkey} }] }` : '',
      operator
        ? `operator: ${operator.operator}\nsystem_account: ${operator.system}\nresolver: MEMORY\nresolver_preload: ${JSON.stringify(operator.accounts)}`
        : '',
      user ? `authorization { user: "${user}", password: "${password}" }` : '',
      users ? `authorization { users: ${JSON.stringify(users.map(withPermissions))} }` : '',
      one.accounts ?? '',
      cluster
        ? `cluster { name: tests, listen: "127.0.0.1:${cluster.port}", routes: [${cluster.routes
            .map((each) => `"nats-route://127.0.0.1:${each}"`)
            .join(', ')}] }`
        : '',
    ].join('\n'),
  )
  let child: ChildProcess
  let ended: Promise<unknown>

  async function start(empty = false): Promise<void> {
    if (empty) rmSync(stored, { recursive: true, force: true })
    child = spawn(findNats()!, ['-c', config], { stdio: 'ignore' })
    ended = new Promise((resolve) => child.once('exit', resolve))
    await until(() => answers(port), `nats-server on port ${port}`)
  }
  async function kill(): Promise<void> {
    child.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    port,
    url: `${certificate ? 'tls' : 'nats'}://127.0.0.1:${port}`,
    log: () => readFileSync(logged, 'utf8'),
    kill,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    start,
    async remove() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const [IN_MEMORY, LEAST_ROOM] = ['/dev/shm', 2e9]

/** In memory where there is room for it: a disk that others keep busy makes a server wait. */
function quickFolder(): string {
  try {
    accessSync(IN_MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return bavail * bsize > LEAST_ROOM ? IN_MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}

function withPermissions({ publish, subscribe, refused, ...account }: NatsUser): object {
  const only = (allow: string[], deny?: string[]): object =>
    allow.length > 0 ? { allow, ...(deny && { deny }) } : { deny: ['>'] }
  const permissions = { publish: only(publish, refused), subscribe: only(subscribe) }
  return { ...account, permissions }
}

/** It says who it is to everyone who connects. */
const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    const end = (is: boolean): void => {
      socket.destroy()
      resolve(is)
    }
    socket.once('data', () => end(true))
    socket.once('error', () => end(false))
    socket.once('close', () => end(false))
  })

/** A way to a server that can be cut without a word, as a network does. */
export interface Wire {
  readonly url: string
  /** Nothing passes in either direction any more; every connection stays open. */
  cut(): void
  /** What comes back is dropped, and what goes there passes. */
  cutAnswers(): void
  /** Everything passes again. What was dropped is lost, and so are the connections it belonged to. */
  mend(): void
  stop(): Promise<void>
}

/** @param address where it listens; `url` is without TLS */
export async function startWire(port: number, address = '127.0.0.1'): Promise<Wire> {
  const sockets = new Set<net.Socket>()
  let passes: 'all' | 'there' | 'nothing' = 'all'
  const server = net.createServer((near) => {
    const far = net.connect(port, '127.0.0.1')
    let hasLost = false
    const pass = (from: net.Socket, to: net.Socket, isAnswer: boolean): void => {
      sockets.add(from)
      from.on('data', (bytes) => {
        if (passes === 'nothing' || (passes === 'there' && isAnswer)) hasLost = true
        else if (hasLost && passes === 'all') from.destroy()
        else to.write(bytes)
      })
      from.on('error', () => from.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
    pass(near, far, false)
    pass(far, near, true)
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  return {
    url: `nats://${address}:${(server.address() as net.AddressInfo).port}`,
    cut: () => void (passes = 'nothing'),
    cutAnswers: () => void (passes = 'there'),
    mend: () => void (passes = 'all'),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
