import type { Node, NodeAPI } from 'node-red'
import {
  Stop,
  asGatewayError,
  closedError,
  newOperation,
  type FailoverReport,
  type GatewayError,
} from '../../client/internal'
import { languageOf } from '../../client/model/watch'
import { appliancesIn, faultsFor, followAppliances, type Wanted } from '../runtime/appliances'
import { evaluatorOf, refused } from '../runtime/chosen'
import { flagProperty } from '../runtime/environment'
import { whenStarted } from '../runtime/flows-started'
import {
  findGateway,
  requireGateway,
  type Appliance,
  type GatewayNode,
} from '../runtime/gateway-node'
import { migrated } from '../runtime/migrations'
import type { Message } from '../runtime/parameters'
import { wordsOf } from '../runtime/words'
import type { EngineOutage } from './engine-outage'
import { startGuard, type Guard } from './guard'
import { forgetAll, isLostAtRestart, keptIn, type Kept } from './kept'
import type { FailoverConfig } from './options'
import { createFailoverStatus, createFleetFailoverStatus } from './status'

const OPERATION = newOperation('failover')

/** A node that keeps a route on the air: to the backup when main fails, and back (design 3.1). */
export = (RED: NodeAPI): void => {
  const words = wordsOf(RED)
  RED.nodes.registerType('media-gateway-failover', function (this: Node, saved: FailoverConfig) {
    RED.nodes.createNode(this, saved)
    const config = migrated(saved)
    const { id } = this
    const { store } = config
    const user = findGateway(RED, config)
    const language = languageOf(RED._('locale'))
    let startsHeld = false
    const isHoldLost = (): boolean =>
      isLostAtRestart(RED, store) && !startsHeld && !user?.fleet?.memory
    const status = user?.fleet
      ? createFleetFailoverStatus(this, words, language, isHoldLost)
      : createFailoverStatus(this, words, isHoldLost)
    /** With an inventory one for each appliance, which protects the routes of the same names there. */
    const guards = new Map<Appliance, Guard>()
    let closed = false
    let unfollow = (): void => undefined
    const stop = new Stop()

    const complete = (error: unknown, of?: Appliance): GatewayError =>
      asGatewayError(error, OPERATION, (of ?? user)?.identity)
    const send = (events: FailoverReport[], { appliance }: Appliance): void =>
      this.send([events.map((event) => messageOf(event, appliance))])
    const tell = (error: unknown, of?: Appliance, event?: FailoverReport): void => {
      const appliance = of?.appliance
      const about = appliance === undefined ? {} : { appliance }
      // The flow has the event itself, and may change it.
      this.error(complete(error, of), event ? messageOf(structuredClone(event), appliance) : about)
    }
    const fail = (error: unknown, of?: Appliance): void => {
      status.fail(complete(error, of), of?.appliance)
      tell(error, of)
    }

    let shared: EngineOutage | undefined
    const keptFor = (of: Appliance): Kept => {
      const { appliance } = of
      const local = keptIn(this, store, appliance)
      const { memory, token } = user?.fleet ?? {}
      if (!memory || !token || appliance === undefined) return local
      // Only with a lease: its files are loaded then.
      const { carried } = require('./carried') as typeof import('./carried')
      const { createEngineOutage } = require('./engine-outage') as typeof import('./engine-outage')
      const engineOutage = (shared ??= createEngineOutage(tell, (text) => this.log(text)))
      return carried({
        memory,
        token,
        node: id,
        appliance,
        local,
        onFailure: (error, work) => engineOutage.failed(of, error, work),
        onSuccess: () => engineOutage.recovered(appliance),
        onOldHold: () =>
          this.warn(
            `The failover of "${appliance}" is held, as this instance has kept it; the engine has nothing of it. If another instance has ended the hold, send "release".`,
          ),
        onEnd: () => engineOutage.remove(appliance),
      })
    }

    const protect = (of: Appliance): void => {
      const { appliance } = of
      status.add(appliance)
      const guard = startGuard(of, {
        RED,
        node: this,
        config,
        evaluate: evaluatorOf(RED, this, OPERATION),
        language: languageOf(config.language || RED._('locale')),
        kept: keptFor(of),
        onEvents: (events) => send(events, of),
        onStatus: (present) => status.show(present, appliance),
        onWait: (waits) => (waits ? status.wait(appliance) : status.add(appliance)),
        onFault: (error) => fail(error, of),
        onFailure: (error, event) => tell(error, of, event),
      })
      guards.set(of, guard)
    }

    const leave = (of: Appliance): Promise<void> | undefined => {
      const ended = guards.get(of)?.close(false)
      guards.delete(of)
      status.remove(of.appliance)
      return ended
    }

    const start = (): Protecting => {
      const gateway = requireGateway(RED, config)
      const wanted = appliancesIn(config)
      startsHeld = flagProperty('hold', config.hold)
      unfollow = followAppliances(gateway, wanted, {
        added: protect,
        removed: leave,
        changed: () => gateway.fleet && status.faulty(...faultsFor(gateway.fleet, wanted)),
      })
      return { gateway, wanted }
    }

    let begin: (begun: Promise<Protecting>) => void
    let cancel: (reason: Error) => void
    /** What comes before the flows have started waits. */
    const started = new Promise<Protecting>((resolve, reject) => {
      begin = resolve
      cancel = reject
    })
    started.catch((error: unknown) => {
      if (!closed) fail(error)
    })
    const unhook = whenStarted(RED, () => begin(Promise.resolve().then(start)))
    user?.register(this)

    this.on('input', (incoming, _send, done) => {
      obey(incoming as Message).then(
        () => done(),
        (error: unknown) => done(complete(error)),
      )
    })

    async function obey(message: Message): Promise<void> {
      const { gateway, wanted } = await started
      if (!gateway.fleet) return guards.get(gateway)?.obey(message)
      const name = message['appliance']
      if (typeof name === 'string' && name !== '') {
        return obeyFor(name, message, { gateway, wanted })
      }
      throw refused('msg.appliance', 'is empty; it must be the name of a gateway in the inventory')
    }

    /** Obeys for one appliance of the inventory, by its name. */
    async function obeyFor(
      name: string,
      message: Message,
      { gateway: { fleet }, wanted }: Protecting,
    ): Promise<void> {
      await fleet!.ready
      const of = fleet!.find(name)
      if (!wanted(name)) {
        throw refused('msg.appliance', `is "${name}", which this node does not protect`)
      }
      try {
        if (!fleet!.owns(name)) {
          const { obeyElsewhere } =
            require('../runtime/elsewhere') as typeof import('../runtime/elsewhere')
          return await obeyElsewhere(fleet!, of, id, message, stop)
        }
        of.client()
        const guard = guards.get(of)
        if (!guard) throw closedError()
        await guard.obey(message)
      } catch (error) {
        throw complete(error, of)
      }
    }

    // Two parameters: from their number, Node-RED knows that it has to wait.
    this.on('close', (removed: boolean, done: () => void) => {
      closed = true
      stop.now()
      unhook()
      unfollow()
      cancel(closedError())
      const ended = [...guards.values()].map((guard) => guard.close(removed))
      const end = (): void => {
        if (removed && user?.fleet) forgetAll(this, store)
        status.close()
        user?.deregister(this)
        done()
      }
      if (ended.length > 0) void Promise.all(ended).then(end, end)
      else end()
    })
  })
}

/** What the node protects. */
interface Protecting {
  gateway: GatewayNode
  wanted: Wanted
}

/** @param appliance the name in an inventory */
function messageOf(event: FailoverReport, appliance: string | undefined): Message {
  const { id } = event.route
  const isNamed = appliance !== undefined
  return {
    topic: event.event,
    payload: isNamed ? Object.assign(event, { appliance }) : event,
    ...(isNamed && { appliance }),
    ...(id !== null && { routeId: id }),
  }
}
