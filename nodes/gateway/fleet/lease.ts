// The properties of a share by leases, and the engines that the config nodes of a Node-RED use.
import { hostname } from 'node:os'
import type { NodeAPI } from 'node-red'
import { GatewayError, say } from '../../../client/errors'
import { openLease, type Share, type ShareFollower } from '../../../client/fleet/lease'
import { openEngine, type Engine } from '../../../client/fleet/nats/engine'
import type { EngineOptions } from '../../../client/fleet/nats/options'
import { DEFAULTS, RANGES } from '../../../client/model/ranges'
import { isShortTtl } from '../../../client/model/settings'
import type { Gathering } from '../../../client/fleet/nats/gathering'
import { flagProperty, numberProperty, refuseUnresolved } from '../../runtime/properties'
import { tlsOptions } from '../options'

/** The saved properties of the config node, as far as they concern leases. */
export interface LeaseConfig extends Unchecked<
  'engine' | 'fleet' | 'instance' | 'leaseTtl' | 'engineReplicas' | 'gather'
> {
  engineTls?: string
}
export type LeaseCredentials = Unchecked<
  'engineUser' | 'enginePassword' | 'engineCredentials' | 'fleetKey'
>
type Unchecked<Property extends string> = Partial<Record<Property, unknown>>

type Log = EngineOptions['log']

/**
 * How long an engine without a user stays connected: a deploy takes a config node away and brings it
 * back. An instance that has to connect again takes nothing for a whole TTL.
 */
const LINGER_MS = 2000

interface Kept {
  readonly engine: Engine
  /** Of its user. */
  log: Log
  lingering?: NodeJS.Timeout
}

/** Keeps the engines of one Node-RED that are in use, or were a moment ago. */
function keepEngines() {
  const all = new Map<string, Kept>()
  /** Fleets, each with its servers. */
  const inUse = new Set<string>()

  /**
   * Returns the engine with these options, and what to call when it is not used any more.
   * @throws GatewayError `CONFIG` when its fleet is in use: its slots would be divided between the two
   */
  return ({ log, ...options }: EngineOptions): { engine: Engine; giveBack: () => void } => {
    const { servers, fleet } = options
    const place = JSON.stringify([servers, fleet])
    if (inUse.has(place)) {
      throw new GatewayError('CONFIG', [say('fleetTwice', { fleet }), say('correct')])
    }
    const key = JSON.stringify(options)
    const kept: Kept = all.get(key) ?? {
      // The config node that uses it may be another one after a deploy.
      engine: openEngine({ ...options, log: (level, text) => kept.log(level, text) }),
      log,
    }
    all.set(key, kept)
    inUse.add(place)
    clearTimeout(kept.lingering)
    kept.log = log
    return {
      engine: kept.engine,
      giveBack() {
        inUse.delete(place)
        kept.lingering = setTimeout(() => {
          all.delete(key)
          void kept.engine.close()
        }, LINGER_MS)
      },
    }
  }
}

/** Returns what opens the shares of the config nodes of one Node-RED that divide their inventories by leases. */
export function leasesOf(RED: NodeAPI) {
  const borrow = keepEngines()

  /** @throws GatewayError `CONFIG` that names the property and what is wrong */
  return (
    config: LeaseConfig,
    credentials: LeaseCredentials,
    log: Log,
    follower: ShareFollower,
  ): Share => {
    const options = engineOptions(RED, config, credentials)
    const { ttlMs, replicas } = options
    const name = textOf('instance', config.instance) || hostname()
    const gathers = flagProperty('gather', config.gather)
    const { engine, giveBack } = borrow({ ...options, log })
    if (isShortTtl(ttlMs / 1000, replicas)) log('warn', SHORT_TTL)
    const lease = openLease({ engine, name, ttlMs, follower, log })
    return {
      ...lease,
      memory: engine.memory,
      gathering: gathers ? ofInstance(engine.gathering, name) : undefined,
      close: () => lease.close().finally(giveBack),
    }
  }
}

const SHORT_TTL =
  'The lease TTL is below 30 s on an engine with several replicas. When the leading server of the cluster fails, all work of the fleet can stop until there is a new one. Set 30 s or more.'

/** Each beat names the instance, as people call it. */
const ofInstance = (gathering: Gathering, instance: string): Gathering => ({
  ...gathering,
  beat: (owner, facts) => gathering.beat(owner, { instance, ...facts }),
})

const REPLICAS = { least: 1, most: 5, whole: true }

function engineOptions(
  RED: NodeAPI,
  config: LeaseConfig,
  { engineUser, enginePassword, engineCredentials, fleetKey }: LeaseCredentials,
): Omit<EngineOptions, 'log'> {
  const servers = textOf('engine', config.engine)
  if (!servers) throw new GatewayError('CONFIG', [say('engineMissing'), say('correct')])
  return {
    servers,
    user: textOf('engineUser', engineUser) || undefined,
    password: textOf('enginePassword', enginePassword) || undefined,
    credentials: textOf('engineCredentials', engineCredentials) || undefined,
    tls: tlsOptions(RED, config.engineTls),
    fleet: textOf('fleet', config.fleet) || 'fleet',
    key: keyIn(fleetKey),
    replicas: numberProperty('engineReplicas', config.engineReplicas, REPLICAS) ?? 1,
    ttlMs:
      1000 * (numberProperty('leaseTtl', config.leaseTtl, RANGES.leaseTtl) ?? DEFAULTS.leaseTtl),
  }
}

const SHORTEST_KEY = 16

/** Without it, everybody who may publish on the engine could change routes. */
function keyIn(fleetKey: unknown): string {
  const key = textOf('fleetKey', fleetKey)
  if (key.length >= SHORTEST_KEY) return key
  const fault = key ? say('fleetKeyShort', { length: SHORTEST_KEY }) : say('fleetKeyMissing')
  throw new GatewayError('CONFIG', [fault, say('correct')])
}

function textOf(property: string, value: unknown): string {
  refuseUnresolved(property, value)
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
}
