// Which part of an inventory a config node works for, and the engines that those of a Node-RED use.
import { hostname } from 'node:os'
import type { NodeAPI } from 'node-red'
import { GatewayError, say } from '../../../client/errors'
import { openLease, type Share, type ShareFollower } from '../../../client/fleet/lease'
import { openEngine, type Engine } from '../../../client/fleet/nats/engine'
import type { EngineOptions } from '../../../client/fleet/nats/options'
import { partsOf } from '../../../client/fleet/slots'
import { isShortTtl } from '../../../client/model/settings'
import { partIn, partName } from '../../../client/model/share'
import { flagProperty } from '../../runtime/properties'
import { engineOptions, textOf, type GatewayConfig, type GatewayCredentials } from '../options'

/**
 * How long an engine without a user stays connected: a deploy takes a config node away and brings it
 * back. An instance that has to connect again takes nothing for a whole TTL.
 */
const LINGER_MS = 2000

interface Kept {
  readonly engine: Engine
  /** Of its user. */
  log: EngineOptions['log']
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

/** Returns what opens the shares of the config nodes of one Node-RED. */
export function sharesOf(RED: NodeAPI) {
  const borrow = keepEngines()

  function lease(
    config: GatewayConfig & GatewayCredentials,
    log: EngineOptions['log'],
    follower: ShareFollower,
  ): Share {
    const options = engineOptions(RED, config)
    const { ttlMs, replicas } = options
    const name = textOf('instance', config.instance).trim() || hostname()
    const gathers = flagProperty('gather', config.gather)
    const { engine, giveBack } = borrow({ ...options, log })
    if (isShortTtl(ttlMs / 1000, replicas)) log('warn', SHORT_TTL)
    const opened = openLease({ engine, name, ttlMs, follower, log })
    const { memory, gathering } = engine
    // Each beat names the instance, as people call it.
    const beat: typeof gathering.beat = (owner, facts) =>
      gathering.beat(owner, { instance: name, ...facts })
    return {
      ...opened,
      memory,
      gathering: gathers ? { ...gathering, beat } : undefined,
      close: () => opened.close().finally(giveBack),
    }
  }

  /** @throws GatewayError `CONFIG` that names the property and what is wrong */
  return (...of: Parameters<typeof lease>): Share => {
    const own = textOf('share', of[0].share ?? 'all')
      .trim()
      .toLowerCase()
    if (own === 'lease') return lease(...of)
    // Not the empty text: a part that was not entered is not everything.
    const part = partIn(own === 'all' ? '1/1' : own)
    if (!part) throw new GatewayError('CONFIG', [say('share'), say('correct')])
    const partOf = partsOf(part.of)
    return {
      owns: (slot) => partOf(slot) === part.index,
      ...(part.of > 1 && {
        parts: (slot) => ({ part: partName({ index: partOf(slot), of: part.of }, own), own }),
      }),
      close: () => Promise.resolve(),
    }
  }
}

const SHORT_TTL =
  'The lease TTL is below 30 s on an engine with several replicas. When the leading server of the cluster fails, all work of the fleet can stop until there is a new one. Set 30 s or more.'
