import { randomUUID } from 'node:crypto'
import type { Node, NodeAPI } from 'node-red'
import { Stop, untilStopped } from '../../client/stop'
import {
  asGatewayError,
  closedError,
  invalidInput,
  thrownAs,
  type GatewayError,
} from '../../client/errors'
import { plainInput } from '../../client/changes/input'
import { Operation } from '../../client/connection/operation'
import type { FailoverReport } from '../../client/failover/protect'
import { flagIn } from '../../client/model/settings'
import {
  aboutOf,
  appliancesIn,
  faultsFor,
  followAppliances,
  obeyFailover,
} from '../runtime/appliances'
import { whenStarted } from '../runtime/flows-started'
import { findGateway, requireGateway, type Appliance } from '../runtime/gateway-node'
import { migrated } from '../runtime/migrations'
import { applianceIn, memberOf, type Message } from '../runtime/parameters'
import { serverLanguage, wordsOf } from '../runtime/catalog'
import type { EngineOutage } from './engine-memory'
import { OPERATION, startProtection } from './protection'
import { contextOf, isLostAtRestart, contextMemory, type Kept } from './context-memory'
import type { FailoverConfig } from './options'
import { createFailoverStatus } from './status'

const COMMAND = new Operation('failover', { changes: true })

/** Keeps a route on the air: to the backup when main fails, and back. See docs/failover.md. */
export = (RED: NodeAPI): void => {
  const words = wordsOf(RED)
  /** Of Node-RED: it loads a node only once. */
  const startId = randomUUID()
  RED.nodes.registerType('media-gateway-failover', function (this: Node, saved: FailoverConfig) {
    RED.nodes.createNode(this, saved)
    const config = migrated(saved)
    const user = findGateway(RED, config)
    const isEnded = isLostAtRestart(RED) && flagIn(config.hold) !== true
    const status = createFailoverStatus(this, words, {
      hasInventory: user?.fleet.hasNames === true,
      language: serverLanguage(RED),
      isHoldLost: () => isEnded && !user?.fleet.share?.memory,
    })
    /** With an inventory one for each appliance, which protects the routes of the same names there. */
    const protections = new Map<Appliance, ReturnType<typeof startProtection>>()
    let unfollow = (): void => undefined
    const stop = new Stop()

    const complete = (
      error: unknown,
      of: Appliance | undefined = user,
      operation = COMMAND,
    ): GatewayError => asGatewayError(error, operation, of?.identity)
    const tell = (error: unknown, of?: Appliance, event?: FailoverReport): void => {
      const appliance = of?.appliance
      // The flow has the event itself, and may change it.
      const failure = complete(error, of, event ? COMMAND : OPERATION)
      this.error(failure, event ? messageOf(structuredClone(event), appliance) : aboutOf(appliance))
    }

    let outage: EngineOutage | undefined
    const context = contextOf(this)
    const keptFor = (of: Appliance): Kept => {
      const local = contextMemory(context, startId, of.appliance)
      const { memory } = user?.fleet.share ?? {}
      if (!memory || of.appliance === undefined) return local
      // Only with a lease: its file is loaded then.
      const { engineMemory, createEngineOutage } =
        require('./engine-memory') as typeof import('./engine-memory')
      outage ??= createEngineOutage(tell, (text) => this.log(text))
      return engineMemory(this, of, { memory, local, outage })
    }

    const protect = (of: Appliance): void => {
      const end = startProtection(of, {
        RED,
        node: this,
        config,
        kept: keptFor(of),
        status,
        onEvents: (events) => this.send([events.map((event) => messageOf(event, of.appliance))]),
        onFailure: (error, event) => tell(error, of, event),
      })
      protections.set(of, end)
    }

    const leave = async (of: Appliance): Promise<void> => {
      const end = protections.get(of)
      protections.delete(of)
      status.remove(of.appliance)
      await end?.(false)
    }

    const start = () => {
      const gateway = requireGateway(RED, config)
      const wanted = appliancesIn(config)
      unfollow = followAppliances(gateway, wanted, {
        added: protect,
        removed: leave,
        changed: () => status.faulty(...faultsFor(gateway.fleet, wanted)),
      })
      return { gateway, wanted }
    }

    let unhook = (): void => undefined
    const started = new Promise<void>((resolve) => (unhook = whenStarted(RED, resolve)))
    /** What comes before the flows have started waits. */
    const ready = untilStopped(started.then(start), stop, closedError)
    ready.catch((error: unknown) => {
      if (stop.stopped) return
      status.fail(complete(error, user, OPERATION))
      tell(error)
    })
    user?.register(this)

    const obey = async (message: Message): Promise<void> => {
      const { gateway, wanted } = await ready
      const { fleet } = gateway
      const name = await applianceIn(fleet, RED, this, {}, message)
      await fleet.ready
      const of = fleet.find(name)
      if (fleet.hasNames && !wanted(name)) {
        const problem = `is "${name}", which this node does not protect`
        throw invalidInput([{ path: 'msg.appliance', problem }])
      }
      try {
        await obeyFailover(of, this.id, commandIn(message), stop, fleet)
      } catch (error) {
        throw complete(error, of)
      }
    }

    this.on('input', (incoming, _send, done) => {
      obey(incoming as Message)
        .then(
          () => done(),
          (error: unknown) => done(complete(error)),
        )
        // What Node-RED cannot copy for a Catch or Complete node must not end it.
        .catch((error: unknown) => this.error(thrownAs(error)))
    })

    // Two parameters: from their number, Node-RED knows that it has to wait.
    this.on('close', (removed: boolean, done: () => void) => {
      stop.now()
      unhook()
      unfollow()
      const ends = [...protections.values()].map((end) => end(removed))
      void Promise.allSettled(ends).then((ended) => {
        const isForgotten = ended.every((one) => one.status === 'fulfilled' && one.value)
        if (removed && isForgotten && user?.fleet.hasNames) context.forgetAll()
        status.close()
        user?.deregister(this)
        done()
      })
    })
  })
}

/** What a message asks for, as plain data. @throws GatewayError `INVALID_INPUT` */
const commandIn = (message: Message): Message =>
  Object.fromEntries(
    ['action', 'hold', 'main'].map((name) => [
      name,
      plainInput(memberOf(message, name), `msg.${name}`),
    ]),
  )

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
