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
import { RANGES } from '../../client/model/ranges'
import { numberProperty, refuseUnresolved } from '../runtime/environment'
import { findGateway, requireGateway } from '../runtime/gateway-node'
import { migrated } from '../runtime/migrations'
import { chosenDevice, evaluatorOf, refused, type Evaluate } from '../runtime/chosen'
import type { Message } from '../runtime/parameters'
import { whenStarted } from '../runtime/flows-started'
import { wordsOf } from '../runtime/words'
import { createWatchStatus } from './status'

interface Config extends NodeDef {
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
    const status = createWatchStatus(this, words)
    const user = findGateway(RED, config)
    let closed = false
    let end = (): void => undefined

    const watch = async (): Promise<void> => {
      const gateway = requireGateway(RED, config).client()
      const evaluate = evaluatorOf(RED, this, OPERATION)
      const options = {
        deviceId: await chosenDevice(config, evaluate),
        route: await routeOf(config, evaluate),
        events: eventsOf(config),
        thresholds: thresholdsOf(config),
        language: languageOf(config.language || RED._('locale')),
        holdFor: 1000 * (numberProperty('holdFor', config.holdFor, RANGES.holdFor) ?? 0),
      }
      if (closed) return
      end = watchDevice(gateway, {
        ...options,
        onEvents: (events) => this.send([events.map(messageOf)]),
        onSnapshot: config.initial === 'snapshot' ? (all) => this.send(messageOf(all)) : undefined,
        onHealth: (health) => status.show(health, options.route !== undefined),
        onFailure: tell,
      })
    }
    const tell = (error: GatewayError): void => {
      this.error(asGatewayError(error, OPERATION, user?.identity), {})
    }
    const fail = (error: unknown): void => {
      if (closed) return
      if (!(error instanceof GatewayError)) return this.error(String(error), {})
      status.fail(error)
      tell(error)
    }

    const unhook = whenStarted(RED, () => {
      watch().catch(fail)
    })
    user?.register(this)
    this.on('close', () => {
      closed = true
      unhook()
      end()
      status.close()
      user?.deregister(this)
    })
  })
}

function messageOf(payload: WatchEvent | Snapshot): Message {
  const { event, device } = payload
  const route = 'route' in payload ? payload.route : undefined
  return {
    topic: event,
    payload,
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
