import { randomUUID } from 'node:crypto'
import type { NodeAPI } from 'node-red'
import { asGatewayError, invalidInput, type GatewayError } from '../../client/errors'
import { newOperation } from '../../client/connection/operation'
import type { FailoverReport } from '../../client/failover/protect'
import { booleanFrom } from '../../client/model/convert'
import { aboutOf, obeyFailover } from '../runtime/appliances'
import type { Appliance } from '../runtime/gateway-node'
import { applianceIn, type Message } from '../runtime/parameters'
import { registerWorker, type Worker } from '../runtime/worker'
import type { EngineOutage } from './engine-memory'
import { startProtection } from './protection'
import { contextOf, isLostAtRestart, contextMemory, type Kept } from './context-memory'
import type { FailoverConfig } from './options'
import { createFailoverStatus } from './status'

const COMMAND = newOperation('failover', undefined, true)

/** Keeps a route on the air: to the backup when main fails, and back. See docs/failover.md. */
export = (RED: NodeAPI): void => {
  /** Of Node-RED: it loads a node only once. */
  const started = randomUUID()
  registerWorker<FailoverConfig>(RED, 'media-gateway-failover', (worker) => jobOf(worker, started))
}

function jobOf(worker: Worker<FailoverConfig>, started: string) {
  const { RED, node, config, gateway: user, stop, groups, tell } = worker
  const isEnded = isLostAtRestart(RED) && booleanFrom(config.hold) !== true
  const status = createFailoverStatus(worker, () => isEnded && !user?.fleet.share?.memory)
  const context = contextOf(node)
  let outage: EngineOutage | undefined

  const keptFor = (of: Appliance): Kept => {
    const local = contextMemory(context, started, of.appliance)
    const { memory } = user?.fleet.share ?? {}
    if (!memory || of.appliance === undefined) return local
    // Only with a lease: its file is loaded then.
    const { engineMemory, createEngineOutage } =
      require('./engine-memory') as typeof import('./engine-memory')
    outage ??= createEngineOutage(tell, (text) => node.log(text))
    return engineMemory(node, of, { memory, local, outage })
  }

  const complete = (error: unknown, of: Appliance): GatewayError =>
    asGatewayError(error, COMMAND, of.identity)

  /** Protects the route of an appliance; with an inventory, the routes of the same names. */
  const begin = (of: Appliance) =>
    startProtection(of, {
      worker,
      kept: keptFor(of),
      status,
      onEvents: (events) => node.send([events.map((event) => messageOf(event, of.appliance))]),
      onFailure(error, event) {
        if (!event) return tell(error, of)
        // The flow has the event itself, and may change it.
        node.error(complete(error, of), messageOf(structuredClone(event), of.appliance))
      },
    })

  return {
    context,
    command: COMMAND,
    start: () => ({ begin }),
    async obey(message: Message) {
      const { wants, gateway } = groups()[0]!
      const { fleet } = gateway
      const name = await applianceIn(fleet, RED, node, {}, message)
      await fleet.ready
      const of = fleet.find(name)
      if (fleet.hasNames && !wants(name)) {
        const problem = `is "${name}", which this node does not protect`
        throw invalidInput([{ path: 'msg.appliance', problem }])
      }
      try {
        await obeyFailover(of, node.id, message, stop, fleet)
      } catch (error) {
        throw complete(error, of)
      }
    },
  }
}

/** @param appliance the name in an inventory */
function messageOf(event: FailoverReport, appliance: string | undefined): Message {
  const { id } = event.route
  const about = aboutOf(appliance)
  return {
    topic: event.event,
    payload: Object.assign(event, about),
    ...about,
    ...(id !== null && { routeId: id }),
  }
}
