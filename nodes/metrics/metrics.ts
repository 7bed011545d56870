import type { Node, NodeAPI } from 'node-red'
import {
  GatewayError,
  asGatewayError,
  closedError,
  thrownAs,
  say,
  type Identity,
} from '../../client/errors'
import { Operation } from '../../client/connection/operation'
import { unsendable } from '../runtime/action'
import { whenStarted } from '../runtime/flows-started'
import { aboutOf, followAppliances } from '../runtime/appliances'
import {
  findGateway,
  requireGateway,
  runningGateways,
  type Appliance,
  type GatewayNode,
} from '../runtime/gateway-node'
import { migrated } from '../runtime/migrations'
import { memberOf, type Message } from '../runtime/parameters'
import { serverLanguage, wordsOf } from '../runtime/catalog'
import { follow, type Followed } from './follow'
import { scrape, type Group } from './scrape'
import { settingsOf, type Config, type Settings } from './settings'
import { createMetricsStatus } from './status'

const OPERATION = new Operation('metrics')
/** More often nobody can read it. */
const SHOWN_EVERY_MS = 500

/** A node that writes what polls have shown as metrics for Prometheus. See docs/metrics.md. */
export = (RED: NodeAPI): void => {
  const words = wordsOf(RED)
  RED.nodes.registerType('media-gateway-metrics', function (this: Node, saved: Config) {
    RED.nodes.createNode(this, saved)
    const config = migrated(saved)
    const status = createMetricsStatus(this, words, serverLanguage(RED))
    /** What is followed of each config node, and how that is ended. */
    const followed = new Map<GatewayNode, Group>()
    let closed = false
    let shownAt = -Infinity
    let pending: NodeJS.Timeout | undefined
    let settings: Settings | undefined
    let fault: GatewayError | undefined
    let begin: () => void
    /** What comes before the flows have started waits. */
    const started = new Promise<void>((resolve) => (begin = resolve))

    const complete = (error: unknown, identity = chosen()): GatewayError =>
      asGatewayError(error, OPERATION, identity)
    const chosen = (): Identity | undefined =>
      config.gateways === 'one' ? findGateway(RED, config)?.identity : undefined

    const startFollowing = (gateway: GatewayNode, { statistics, wants }: Settings): Group => {
      const appliances = new Map<Appliance, Followed>()
      gateway.register(this)
      const unfollow = followAppliances(gateway, wants, {
        added: (appliance) => {
          const one = follow(this, appliance, {
            statistics,
            onHealth: showHealth,
            onFailure: (error) => tell(error, appliance),
          })
          appliances.set(appliance, one)
        },
        removed(appliance) {
          appliances.get(appliance)?.end()
          appliances.delete(appliance)
          showHealth()
        },
        changed: showHealth,
      })
      return {
        gateway,
        wants,
        appliances,
        end() {
          unfollow()
          for (const one of appliances.values()) one.end()
          gateway.deregister(this)
        },
      }
    }

    const tell = (error: GatewayError, { appliance, identity }: Appliance): void =>
      this.error(complete(error, identity), aboutOf(appliance))

    const groups = (): Group[] => [...followed.values()]

    /** At each poll of each gateway: of a large fleet, that is often. */
    function showHealth(): void {
      const now = performance.now()
      if (closed || pending) return
      if (now - shownAt < SHOWN_EVERY_MS) pending = setTimeout(showNow, SHOWN_EVERY_MS)
      else showNow()
    }

    function showNow(): void {
      pending = undefined
      shownAt = performance.now()
      const failure = groups().find(({ gateway }) => gateway.fleet.failure)?.gateway.fleet.failure
      if (failure) status.fail(failure)
      else status.show(groups().flatMap(({ appliances }) => [...appliances.values()]))
    }

    /** After each deploy: it can add, replace or remove gateways without a restart of this node. */
    const refresh = (): void => {
      unhook = whenStarted(RED, refresh)
      begin()
      try {
        fault = undefined
        settings ??= settingsOf(config)
        const present = new Set(gatewaysOf(RED, config, settings))
        for (const gateway of followed.keys()) if (!present.has(gateway)) leave(gateway)
        for (const gateway of present) {
          if (!followed.has(gateway)) followed.set(gateway, startFollowing(gateway, settings))
        }
        showHealth()
      } catch (error) {
        for (const gateway of followed.keys()) leave(gateway)
        fault = complete(error)
        status.fail(fault)
        this.error(fault, {})
      }
    }

    function leave(gateway: GatewayNode): void {
      followed.get(gateway)?.end()
      followed.delete(gateway)
    }

    let unhook = whenStarted(RED, refresh)

    this.on('input', (incoming, send, done) => {
      const message = incoming as Message
      const answer = async (): Promise<void> => {
        await started
        if (fault) throw fault
        // An inventory that has not been read is not an empty one.
        for (const { gateway } of groups()) await gateway.fleet.ready
        if (closed || !settings) throw closedError()
        const scraped = await scrape(groups(), settings.detail, memberOf(message, 'req'))
        // The deploy may have ended it meanwhile.
        if (closed) throw closedError()
        try {
          // Not written into the message: one that cannot be sent on fails as it came.
          send({ ...message, ...scraped })
        } catch (error) {
          throw unsendable(error, OPERATION)
        }
      }
      answer()
        .then(
          () => done(),
          (error: unknown) => done(complete(error)),
        )
        // What Node-RED cannot copy for a Catch or Complete node must not end it.
        .catch((error: unknown) => this.error(thrownAs(error)))
    })

    this.on('close', () => {
      closed = true
      clearTimeout(pending)
      unhook()
      begin()
      for (const gateway of followed.keys()) leave(gateway)
      status.close()
    })
  })
}

/** @throws GatewayError `CONFIG` when there is none */
function gatewaysOf(RED: NodeAPI, config: Config, { of }: Settings): GatewayNode[] {
  if (of === 'one') return [requireGateway(RED, config)]
  const found = runningGateways(RED)
  if (found.length > 0) return found
  throw new GatewayError('CONFIG', say('noGateways'))
}
