import type { Node, NodeAPI, NodeDef } from 'node-red'
import { GatewayError, asGatewayError, badSettings, say, thrownAs } from '../../client/errors'
import { Operation } from '../../client/connection/operation'
import { watchDevice } from '../../client/watch/registry'
import {
  EVENTS,
  eventsIn,
  isEvent,
  languageOf,
  thresholdFaults,
  thresholdOf,
  type EventName,
  type Threshold,
} from '../../client/model/watch'
import { eventFilter, type RouteFilter } from '../../client/watch/report/filter'
import type { Snapshot, WatchEvent } from '../../client/model/event'
import type { WatchOptions } from '../../client/watch/report/subscription'
import type { OpenIncident } from '../../client/model/incident'
import { engineEvent } from './engine-event'
import { nearest } from '../../client/model/near'
import { RANGES } from '../../client/model/ranges'
import { choiceProperty, numberProperty, refused, refuseUnresolved } from '../runtime/properties'
import {
  aboutOf,
  appliancesIn,
  faultsFor,
  followAppliances,
  tellerOfAlerts,
} from '../runtime/appliances'
import { findGateway, requireGateway, type Appliance } from '../runtime/gateway-node'
import { migrated } from '../runtime/migrations'
import { chosenDevice, chosenRoute, evaluatorOf, type Evaluate } from '../runtime/node-settings'
import type { Message } from '../runtime/parameters'
import { whenStarted } from '../runtime/flows-started'
import { serverLanguage, wordsOf } from '../runtime/catalog'
import { contextOf, readOpen, writeOpen } from './open'
import { createWatchStatus } from './status'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = NodeDef & SavedOf<typeof manifest>

const OPERATION = new Operation('watch')

/** A node that starts flows when something changes on the appliance. See docs/watch.md. */
export = (RED: NodeAPI): void => {
  const words = wordsOf(RED)
  RED.nodes.registerType('media-gateway-watch', function (this: Node, saved: Config) {
    RED.nodes.createNode(this, saved)
    const config = migrated(saved)
    const user = findGateway(RED, config)
    const status = createWatchStatus(this, words, {
      hasInventory: user?.fleet.hasNames === true,
      language: serverLanguage(RED),
    })
    const context = contextOf(this)
    /** How each watch is ended: its node, or its appliance, will not come back. */
    const watches = new Map<Appliance, (removed?: 'node' | 'appliance') => Promise<void>>()
    let closed = false
    let wantsSnapshot = false
    let unfollow = (): void => undefined

    const start = async (): Promise<void> => {
      const gateway = requireGateway(RED, config)
      const wanted = appliancesIn(config)
      const options = await optionsOf(config, evaluatorOf(RED, this))
      const language = config.language ? languageOf(config.language) : serverLanguage(RED)
      wantsSnapshot = choiceProperty('initial', config.initial, ['none', 'snapshot']) === 'snapshot'
      if (closed) return
      const { fleet } = gateway
      const tellAlerts = tellerOfAlerts(fleet, wanted, (alert) => tell(alert, alert.cause))
      unfollow = followAppliances(gateway, wanted, {
        added: (appliance) => watch(appliance, { ...options, language }),
        removed: leave,
        changed() {
          status.faulty(...faultsFor(fleet, wanted))
          tellAlerts()
        },
        engine: (change) => {
          const { report } = options
          const event = engineEvent(change, gateway.identity.name, language, report)
          const isWanted = report === 'incidents' || eventFilter(options.events)(event.event)
          if (isWanted) this.send(messageOf(event, undefined))
        },
      })
    }

    const watch = (of: Appliance, options: Omit<WatchOptions, 'onEvents'>): void => {
      const { appliance } = of
      const send = (payload: WatchEvent | Snapshot): Message => messageOf(payload, appliance)
      // Where the owners of a fleet hand appliances over, what one of them has kept may be over elsewhere.
      const place = user?.fleet.share?.memory ? undefined : context.place(appliance)
      const reportsIncidents = options.report === 'incidents'
      let isOver = false
      let end: ReturnType<typeof watchDevice> = () => undefined

      const begin = (open?: OpenIncident[]): void => {
        if (isOver) return
        try {
          end = watchDevice(of.client(), {
            ...options,
            id: this.id,
            ...(place &&
              reportsIncidents && { open, onOpen: (present) => writeOpen(place, present) }),
            onEvents: (events) => this.send([events.map(send)]),
            onSnapshot: wantsSnapshot ? (all) => this.send(send(all)) : undefined,
            onHealth: (health) => status.show(health, options.route !== undefined, appliance),
            onFailure: (error) => tell(error, of),
          })
        } catch (error) {
          fail(error, of)
        }
      }

      /** Incidents that this node reported as begun, before it was set to report changes. */
      const endFormer = (open: OpenIncident[] = []): void => {
        if (isOver || !place || open.length === 0) return
        writeOpen(place, [])
        const { deviceId, language } = options
        const former = { deviceId, language, report: 'incidents', open } as const
        const onEvents = (events: WatchEvent[]): void => this.send([events.map(send)])
        watchDevice(of.client(), { ...former, onEvents })('removed')
      }

      status.add(appliance)
      watches.set(of, async (removed) => {
        isOver = true
        end(removed === 'appliance' ? 'removed' : undefined)
        await place?.close(removed !== undefined)
      })
      const found = place && readOpen(place, (text) => this.warn(text))
      if (reportsIncidents && found) return void found.then(begin)
      begin()
      void found?.then(endFormer)
    }

    const leave = (of: Appliance): void => {
      // Its row may have changed, or another owner gone on with it.
      const isListed = user?.fleet.names().includes(of.appliance ?? '')
      void watches.get(of)?.(isListed ? undefined : 'appliance')
      watches.delete(of)
      status.remove(of.appliance)
    }

    const tell = (error: GatewayError, of: Partial<Appliance> = {}): void => {
      const { appliance, identity = user?.identity } = of
      this.error(asGatewayError(error, OPERATION, identity), aboutOf(appliance))
    }
    const fail = (error: unknown, of?: Appliance): void => {
      if (closed) return
      if (!(error instanceof GatewayError)) return this.error(thrownAs(error), {})
      status.fail(error, of?.appliance)
      tell(error, of)
    }

    const unhook = whenStarted(RED, () => {
      start().catch(fail)
    })
    user?.register(this)
    this.on('close', (removed: boolean, done: () => void) => {
      closed = true
      unhook()
      unfollow()
      const ends = [...watches.values()].map((end) => end(removed ? 'node' : undefined))
      if (removed && user?.fleet.hasNames) context.forgetAll()
      status.close()
      user?.deregister(this)
      void Promise.allSettled(ends).then(() => done())
    })
  })
}

async function optionsOf(
  config: Config,
  evaluate: Evaluate,
): Promise<Omit<WatchOptions, 'onEvents'>> {
  const report = choiceProperty('report', config.report, ['changes', 'incidents'])
  const holdFor = numberProperty('holdFor', config.holdFor, RANGES.holdFor)
  return {
    deviceId: await chosenDevice(config, evaluate),
    route: await routeOf(config, evaluate),
    report,
    ...(report === 'incidents' ? { mustRun: mustRunOf(config) } : { events: eventsOf(config) }),
    thresholds: thresholdsOf(config),
    ...(holdFor !== undefined && { holdFor: 1000 * holdFor }),
  }
}

/** @param appliance the name in an inventory */
function messageOf(payload: WatchEvent | Snapshot, appliance: string | undefined): Message {
  const { event, device } = payload
  const route = 'route' in payload ? payload.route : undefined
  const about = aboutOf(appliance)
  return {
    topic: event,
    payload: Object.assign(payload, about),
    ...about,
    ...(device.id && { deviceId: device.id }),
    ...(route && { routeId: route.id }),
  }
}

/** Which routes to watch; undefined for all of them. */
async function routeOf(config: Config, evaluate: Evaluate): Promise<RouteFilter | undefined> {
  const { route = '', routeType } = config
  const type = routeType || (route === '' ? 'all' : 'str')
  if (type === 'all') return undefined
  const isPattern = type === 'pattern'
  const choose = 'choose all routes, or enter an ID, a name or a pattern'
  const chosen = await chosenRoute(route, isPattern ? 'str' : type, evaluate, choose)
  return isPattern && 'idOrName' in chosen ? { pattern: chosen.idOrName } : chosen
}

/** A pattern of the names of routes; undefined for none. */
function mustRunOf({ mustRun }: Config): string | undefined {
  refuseUnresolved('mustRun', mustRun)
  if (mustRun === undefined || mustRun === null) return undefined
  if (typeof mustRun !== 'string') throw refused('mustRun', 'must be a name pattern, as text')
  return mustRun.trim() || undefined
}

function eventsOf({ events }: Config): EventName[] {
  refuseUnresolved('events', events)
  const named = eventsIn(events)
  const [unknown] = named.filter((name) => !isEvent(name))
  if (unknown === undefined) return named.filter(isEvent)
  const meant = nearest(unknown, EVENTS)
  const sentence = `Unknown event "${unknown.slice(0, 60)}" in Events.${meant ? ` Did you mean ${meant}?` : ''}`
  const short = { key: 'choice', values: { what: 'events' } } as const
  throw badSettings(
    [{ path: 'events', problem: `has no event "${unknown.slice(0, 60)}"`, sentence, short }],
    say('correctNode'),
  )
}

function thresholdsOf({ thresholds }: Config): Threshold[] {
  if (thresholds === undefined || thresholds === null || thresholds === '') return []
  const problems = thresholdFaults(thresholds, 'thresholds')
  if (problems.length > 0) throw badSettings(problems, say('correctNode'))
  return (thresholds as object[]).map(thresholdOf)
}
