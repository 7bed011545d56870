import type { NodeAPI } from 'node-red'
import { GatewayError, closedError, say } from '../../client/errors'
import {
  isGatewayNode,
  requireGateway,
  type Appliance,
  type GatewayNode,
} from '../runtime/gateway-node'
import type { Message } from '../runtime/parameters'
import { choiceProperty } from '../runtime/properties'
import { registerWorker, type Worker } from '../runtime/worker'
import { follow, type Followed } from './follow'
import { scrape } from './scrape'
import { settingsOf, type Config, type Settings } from './settings'
import { createMetricsStatus } from './status'

/** More often nobody can read it. */
const SHOWN_EVERY_MS = 500

/** A node that writes what polls have shown as metrics for Prometheus. See docs/metrics.md. */
export = (RED: NodeAPI): void =>
  registerWorker<Config, Followed>(RED, 'media-gateway-metrics', jobOf, gatewaysOf)

function jobOf(worker: Worker<Config, Followed>) {
  const { config, stop, groups, tell } = worker
  const status = createMetricsStatus(worker)
  let settings: Settings | undefined
  let shownAt = -Infinity
  let pending: NodeJS.Timeout | undefined
  stop.onStop(() => clearTimeout(pending))

  /** At each poll of each gateway: of a large fleet, that is often. */
  function showHealth(): void {
    const now = performance.now()
    if (stop.stopped || pending) return
    if (now - shownAt < SHOWN_EVERY_MS) pending = setTimeout(showNow, SHOWN_EVERY_MS)
    else showNow()
  }

  function showNow(): void {
    pending = undefined
    const present = groups()
    // Why there are none is shown.
    if (present.length === 0) return
    shownAt = performance.now()
    const { failure } = present.find(({ gateway }) => gateway.fleet.failure)?.gateway.fleet ?? {}
    if (failure) status.fail(failure)
    else status.show(present.flatMap(({ works }) => [...works.values()]))
  }

  return {
    start() {
      const { statistics } = (settings ??= settingsOf(config))
      return {
        begin: (appliance: Appliance) =>
          follow(appliance, {
            statistics,
            onHealth: showHealth,
            onFailure: (error) => tell(error, appliance),
          }),
        changed: showHealth,
      }
    },
    started: showHealth,
    async obey(message: Message, send: (message: Message) => void) {
      // An inventory that has not been read is not an empty one.
      for (const { gateway } of groups()) await gateway.fleet.ready
      if (stop.stopped || !settings) throw closedError()
      const scraped = await scrape(groups(), settings.detail, message['req'])
      // The deploy may have ended it meanwhile.
      if (stop.stopped) throw closedError()
      send(Object.assign(message, scraped))
    },
  }
}

/** @throws GatewayError `CONFIG` when there is none */
function gatewaysOf(RED: NodeAPI, config: Config): GatewayNode[] {
  const of = choiceProperty('gateways', config.gateways, ['all', 'one'])
  if (of === 'one') return [requireGateway(RED, config)]
  const found: GatewayNode[] = []
  RED.nodes.eachNode(({ id, type }) => {
    const node = type === 'media-gateway' ? RED.nodes.getNode(id) : null
    if (isGatewayNode(node)) found.push(node)
  })
  if (found.length > 0) return found
  throw new GatewayError('CONFIG', say('noGateways'))
}
