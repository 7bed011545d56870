import type { TlsOptions } from '../../connection/agents'
import { GatewayError, say } from '../../errors'
import { REPLICAS, areEngineServers, engineServersIn, isFleetName } from '../../model/settings'
import type { Sentence } from '../../sentences'

export interface EngineOptions {
  /** `nats://` or `tls://`, host and port; several servers of one cluster are separated by commas. */
  servers: string
  user?: string
  password?: string
  /** Instead of them: the text of a `.creds` file, or only the seed of an nkey. */
  credentials?: string
  /** The name of the fleet on the engine: letters, digits, `-` and `_`. */
  fleet: string
  /** The fleet key: whoever has it may command the instances of the fleet. */
  key: string
  /** How many servers of the cluster keep each record: 1, 3 or 5. */
  replicas: number
  /** Milliseconds: the lease. What takes a fifth of it counts as failed. */
  ttlMs: number
  /** As for the `https.Agent`: own authority, client certificate and so on. Only with `tls://`. */
  tls?: TlsOptions
  log: (level: 'info' | 'warn', text: string) => void
}

/**
 * Returns where the engine is: its servers, each as `host:port`.
 * @throws GatewayError `CONFIG` for options that cannot work, before anything is sent
 */
export function checkOptions(options: EngineOptions): { servers: string[]; secure: boolean } {
  const { fleet, replicas, user, password, credentials, tls } = options
  if (!isFleetName(fleet)) throw faulty(say('fleetInvalid'))
  if (!REPLICAS.includes(replicas)) throw faulty(say('replicasInvalid'))
  if (credentials !== undefined) {
    if (user || password) throw faulty(say('engineTwoAccounts'))
    if (!accountIn(credentials)) throw faulty(say('engineCredentials'))
  }
  if (password && !user) throw faulty(say('engineNoUser'))
  const servers = engineServersIn(options.servers)
  // The text is not repeated in an error: it may contain a password.
  if (servers.some((server) => /^\w+:\/\/[^/?#]*@/.test(server))) throw faulty(say('engineHasUser'))
  // A password must not go unencrypted to one of several servers.
  if (!areEngineServers(options.servers)) throw faulty(say('engineInvalid'))
  const addresses = servers.map((server) => new URL(server))
  const secure = addresses[0]?.protocol === 'tls:'
  if (tls && !secure) throw faulty(say('engineNotTls'))
  return { servers: addresses.map(({ host, port }) => (port ? host : `${host}:4222`)), secure }
}

const faulty = (said: Sentence): GatewayError => new GatewayError('CONFIG', [said, say('correct')])

/** Who an instance is on the engine. */
export interface EngineAccount {
  /** Of a user of an operator; undefined for an nkey that the server knows by itself. */
  readonly jwt?: string
  readonly seed: string
}

/**
 * The account in the text of a `.creds` file, or in the seed of an nkey; undefined where there is none.
 * The ends of lines do not count: a password field takes none.
 */
export function accountIn(text: string): EngineAccount | undefined {
  const [seed] = /(?<![A-Z0-9])SU[A-Z2-7]{56}(?![A-Z0-9])/.exec(text) ?? []
  // The signature has 64 bytes. What follows it in the file may begin with a hyphen too.
  const token = text.slice(Math.max(0, text.indexOf('eyJ')))
  const [jwt] = /^eyJ[\w-]{1,8000}\.[\w-]{1,16000}\.[\w-]{86}/.exec(token) ?? []
  const isAlone = seed !== undefined && text.trim() === seed
  return seed !== undefined && (jwt !== undefined || isAlone) ? { jwt, seed } : undefined
}
