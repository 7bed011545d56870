import type { Node, NodeAPI } from 'node-red'
import {
  GatewayError,
  asGatewayError,
  closedError,
  newOperation,
  type Identity,
} from '../../client/internal'
import { languageOf } from '../../client/model/watch'
import { whenStarted } from '../runtime/flows-started'
import { isGatewayNode, requireGateway, type GatewayNode } from '../runtime/gateway-node'
import { migrated } from '../runtime/migrations'
import type { Message } from '../runtime/parameters'
import { wordsOf } from '../runtime/words'
import { follow, type Followed } from './follow'
import { scrape } from './scrape'
import { settingsOf, type Config, type Settings } from './settings'
import { createMetricsStatus } from './status'

const OPERATION = newOperation('metrics')

/** A node that writes what polls have shown as metrics for Prometheus (design 3.2). */
export = (RED: NodeAPI): void => {
  const words = wordsOf(RED)
  RED.nodes.registerType('media-gateway-metrics', function (this: Node, saved: Config) {
    RED.nodes.createNode(this, saved)
    const config = migrated(saved)
    const status = createMetricsStatus(this, words, languageOf(RED._('locale')))
    const followed = new Map<GatewayNode, Followed>()
    let closed = false
    let settings: Settings | undefined
    /** Why the node cannot work. */
    let fault: GatewayError | undefined
    let begin: () => void
    /** What comes before the flows have started waits. */
    const started = new Promise<void>((resolve) => (begin = resolve))

    const complete = (error: unknown, identity?: Identity): GatewayError =>
      asGatewayError(error, OPERATION, identity)

    const startFollowing = (gateway: GatewayNode, { statistics }: Settings): Followed =>
      follow(this, gateway, {
        statistics,
        onHealth: showHealth,
        onFailure: (error) => this.error(complete(error, gateway.identity), {}),
      })

    function showHealth(): void {
      if (!closed) status.show([...followed.values()])
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
        if (closed || !settings) throw closedError()
        const scraped = await scrape([...followed.values()], settings.detail, message['req'])
        // The deploy may have ended it meanwhile.
        if (closed) throw closedError()
        send(Object.assign(message, scraped))
      }
      answer().then(
        () => done(),
        (error: unknown) => done(complete(error)),
      )
    })

    this.on('close', () => {
      closed = true
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
  const found: GatewayNode[] = []
  RED.nodes.eachNode(({ id, type }) => {
    const node = type === 'media-gateway' ? RED.nodes.getNode(id) : null
    if (isGatewayNode(node)) found.push(node)
  })
  if (found.length > 0) return found
  throw new GatewayError(
    'CONFIG',
    'There is no gateway. Add one in any media gateway node, and deploy.',
  )
}
