import type { NodeAPI, NodeDef } from 'node-red'
import { badSettings, say } from '../../client/errors'
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
import { engineEvent } from '../../client/fleet/events'
import type { EngineChange } from '../../client/fleet/types'
import { nearest } from '../../client/model/near'
import { RANGES } from '../../client/model/ranges'
import { choiceProperty, numberProperty, refuseUnresolved } from '../runtime/properties'
import { aboutOf, tellerOfAlerts, type Wanted } from '../runtime/appliances'
import type { Appliance, GatewayNode } from '../runtime/gateway-node'
import {
  chosenDevice,
  chosenRoute,
  evaluatorOf,
  refused,
  type Evaluate,
} from '../runtime/node-settings'
import type { Message } from '../runtime/parameters'
import { registerWorker, type Work, type Worker } from '../runtime/worker'
import { contextOf, readOpen, writeOpen } from './open'
import { createWatchStatus } from './status'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = NodeDef & SavedOf<typeof manifest>

/** A node that starts flows when something changes on the appliance. See docs/watch.md. */
export = (RED: NodeAPI): void => registerWorker<Config>(RED, 'media-gateway-watch', jobOf)

function jobOf(worker: Worker<Config>) {
  const { RED, node, config, gateway: user, tell, fail } = worker
  const status = createWatchStatus(worker)
  const context = contextOf(node)

  const watch = (
    of: Appliance,
    options: Omit<WatchOptions, 'onEvents'>,
    wantsSnapshot: boolean,
  ): Work => {
    const { appliance } = of
    const send = (payload: WatchEvent | Snapshot): Message => messageOf(payload, appliance)
    const onEvents = (events: WatchEvent[]): void => node.send([events.map(send)])
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
          id: node.id,
          ...(place &&
            reportsIncidents && { open, onOpen: (present) => writeOpen(place, present) }),
          onEvents,
          onSnapshot: wantsSnapshot ? (all) => node.send(send(all)) : undefined,
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
      watchDevice(of.client(), { ...former, onEvents })('removed')
    }

    const found = place && readOpen(place, (text) => node.warn(text))
    if (reportsIncidents && found) void found.then(begin)
    else {
      begin()
      void found?.then(endFormer)
    }
    return {
      async end(removed) {
        isOver = true
        end(removed === 'appliance' ? 'removed' : undefined)
        await place?.close(removed !== undefined)
      },
    }
  }

  return {
    context,
    async start({ fleet, identity }: GatewayNode, wants: Wanted) {
      const language = config.language ? languageOf(config.language) : worker.language
      const options = { ...(await optionsOf(config, evaluatorOf(RED, node))), language }
      const { report, events } = options
      const wantsSnapshot =
        choiceProperty('initial', config.initial, ['none', 'snapshot']) === 'snapshot'
      return {
        begin: (of: Appliance) => watch(of, options, wantsSnapshot),
        changed: tellerOfAlerts(fleet, wants, (alert) => tell(alert, alert.cause)),
        engine(change: EngineChange) {
          const event = engineEvent(change, identity.name, language, report)
          const isWanted = report === 'incidents' || eventFilter(events)(event.event)
          if (isWanted) node.send(messageOf(event, undefined))
        },
      }
    },
  }
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
