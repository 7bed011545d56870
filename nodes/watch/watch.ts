import type { Node, NodeAPI, NodeDef } from 'node-red'
import {
  GatewayError,
  asGatewayError,
  invalidInput,
  newOperation,
  watchDevice,
  type EventName,
  type Problem,
  type RouteFilter,
  type Snapshot,
  type Threshold,
  type WatchEvent,
  type WatchOptions,
} from '../../client/internal'
import {
  MEASURES,
  PLACES,
  eventsIn,
  faultsOf,
  isEvent,
  languageOf,
  thresholdOf,
  type ThresholdFault,
} from '../../client/model/watch'
import { engineEvent } from '../../client/fleet/events'
import { eventFilter } from '../../client/watch/filter'
import { RANGES } from '../../client/model/ranges'
import { numberProperty, refuseUnresolved } from '../runtime/environment'
import {
  appliancesIn,
  faultsFor,
  followAppliances,
  type AppliancesConfig,
} from '../runtime/appliances'
import { findGateway, requireGateway, type Appliance } from '../runtime/gateway-node'
import { migrated } from '../runtime/migrations'
import { chosenDevice, evaluatorOf, refused, type Evaluate } from '../runtime/chosen'
import type { Message } from '../runtime/parameters'
import { whenStarted } from '../runtime/flows-started'
import { wordsOf } from '../runtime/words'
import { createFleetWatchStatus, createWatchStatus } from './status'

interface Config extends NodeDef, AppliancesConfig {
  gateway?: string
  device?: string
  deviceType?: string
  events?: unknown
  route?: string
  routeType?: string
  initial?: string
  /** Empty for the language of Node-RED. */
  language?: string
  /** Seconds. */
  holdFor?: unknown
  thresholds?: unknown
}

const OPERATION = newOperation('watch')

/** A node that starts flows when something changes on the appliance (design 2.6). */
export = (RED: NodeAPI): void => {
  const words = wordsOf(RED)
  RED.nodes.registerType('media-gateway-watch', function (this: Node, saved: Config) {
    RED.nodes.createNode(this, saved)
    const config = migrated(saved)
    const user = findGateway(RED, config)
    const status = user?.fleet
      ? createFleetWatchStatus(this, words, languageOf(RED._('locale')))
      : createWatchStatus(this, words)
    /** How each watch is ended. */
    const watches = new Map<Appliance, () => void>()
    let closed = false
    let unfollow = (): void => undefined

    const start = async (): Promise<void> => {
      const gateway = requireGateway(RED, config)
      const wanted = appliancesIn(config)
      const options = await optionsOf(config, evaluatorOf(RED, this, OPERATION))
      const language = languageOf(config.language || RED._('locale'))
      if (closed) return
      unfollow = followAppliances(gateway, wanted, {
        added: (appliance) => watch(appliance, { ...options, language }),
        removed: leave,
        changed: () => gateway.fleet && status.faulty(...faultsFor(gateway.fleet, wanted)),
        engine: (change) => {
          const event = engineEvent(change, gateway.identity.name, language)
          if (eventFilter(options.events)(event.event)) this.send(messageOf(event, undefined))
        },
      })
    }

    const watch = (of: Appliance, options: Omit<WatchOptions, 'onEvents'>): void => {
      const { appliance } = of
      const send = (payload: WatchEvent | Snapshot): Message => messageOf(payload, appliance)
      status.add(appliance)
      try {
        const end = watchDevice(of.client(), {
          ...options,
          onEvents: (events) => this.send([events.map(send)]),
          onSnapshot: config.initial === 'snapshot' ? (all) => this.send(send(all)) : undefined,
          onHealth: (health) => status.show(health, options.route !== undefined, appliance),
          onFailure: (error) => tell(error, of),
        })
        watches.set(of, end)
      } catch (error) {
        fail(error, of)
      }
    }

    const leave = (of: Appliance): void => {
      watches.get(of)?.()
      watches.delete(of)
      status.remove(of.appliance)
    }

    const tell = (error: GatewayError, of?: Appliance): void => {
      const { appliance, identity = user?.identity } = of ?? {}
      const about = appliance === undefined ? {} : { appliance }
      this.error(asGatewayError(error, OPERATION, identity), about)
    }
    const fail = (error: unknown, of?: Appliance): void => {
      if (closed) return
      if (!(error instanceof GatewayError)) return this.error(String(error), {})
      status.fail(error, of?.appliance)
      tell(error, of)
    }

    const unhook = whenStarted(RED, () => {
      start().catch(fail)
    })
    user?.register(this)
    this.on('close', () => {
      closed = true
      unhook()
      unfollow()
      for (const end of watches.values()) end()
      status.close()
      user?.deregister(this)
    })
  })
}

async function optionsOf(
  config: Config,
  evaluate: Evaluate,
): Promise<Omit<WatchOptions, 'onEvents'>> {
  return {
    deviceId: await chosenDevice(config, evaluate),
    route: await routeOf(config, evaluate),
    events: eventsOf(config),
    thresholds: thresholdsOf(config),
    holdFor: 1000 * (numberProperty('holdFor', config.holdFor, RANGES.holdFor) ?? 0),
  }
}

/** @param appliance the name in an inventory */
function messageOf(payload: WatchEvent | Snapshot, appliance: string | undefined): Message {
  const { event, device } = payload
  const route = 'route' in payload ? payload.route : undefined
  const isNamed = appliance !== undefined
  return {
    topic: event,
    payload: isNamed ? Object.assign(payload, { appliance }) : payload,
    ...(isNamed && { appliance }),
    ...(device.id && { deviceId: device.id }),
    ...(route && { routeId: route.id }),
  }
}

/** Which routes to watch; undefined for all of them. */
async function routeOf(config: Config, evaluate: Evaluate): Promise<RouteFilter | undefined> {
  const { route = '', routeType } = config
  const type = routeType || (route === '' ? 'all' : 'str')
  if (type === 'all') return undefined
  const asText = type === 'id' || type === 'name' || type === 'pattern'
  const value = await evaluate('route', route, asText ? 'str' : type)
  if (typeof value === 'object' && value !== null) {
    const { id, name } = value as { id?: unknown; name?: unknown }
    if (typeof id === 'string' && id !== '') return { id }
    if (typeof name === 'string' && name !== '') return { name }
  }
  if (typeof value !== 'string' || value === '') {
    throw refused('route', 'is empty; choose all routes, or enter an ID, a name or a pattern')
  }
  switch (type) {
    case 'id':
      return { id: value }
    case 'name':
      return { name: value }
    case 'pattern':
      return { pattern: value }
    default:
      return { idOrName: value }
  }
}

function eventsOf({ events }: Config): EventName[] {
  refuseUnresolved('events', events)
  const named = eventsIn(events)
  const unknown = named.filter((name) => !isEvent(name))
  if (unknown.length === 0) return named.filter(isEvent)
  throw refused('events', `must be a list of events, but ${unknown.join(', ')} is not an event`)
}

function thresholdsOf({ thresholds }: Config): Threshold[] {
  if (thresholds === undefined || thresholds === null || thresholds === '') return []
  if (!Array.isArray(thresholds)) throw refused('thresholds', 'must be a list')
  const problems = thresholds.flatMap((row: unknown, index) =>
    faultsOf(row).map(({ fields, key }): Problem => {
      const which = fields.length > 1 ? '' : `.${fields[0]}`
      return { path: `thresholds[${index}]${which}`, problem: WORDS[key] }
    }),
  )
  if (problems.length > 0) throw invalidInput(problems, 'watch')
  return (thresholds as object[]).map(thresholdOf)
}

const WORDS: Record<ThresholdFault['key'], string> = {
  unknown: `is not known; a measure is one of ${MEASURES.join(', ')}, and it is measured at ${PLACES.join(' or ')}`,
  number: 'must be a number from 0',
  noLimit: 'has neither low nor high',
  order: 'must have a low below its high',
  never: 'would never trigger its event, or never clear it',
}
