import type { Node, NodeAPI, NodeDef } from 'node-red'
import { asGatewayError, closedError, thrownAs, type GatewayError } from '../../client/errors'
import { newOperation, type Operation } from '../../client/connection/operation'
import type { Language } from '../../client/model/watch'
import { Stop, untilStopped } from '../../client/stop'
import { aboutOf, appliancesIn, faultsFor, type Wanted } from './appliances'
import { serverLanguage, wordsOf, type Words } from './catalog'
import { createFleetStatus, type FleetStatus } from './fleet-status'
import { whenStarted } from './flows-started'
import {
  findGateway,
  requireGateway,
  type Appliance,
  type Follower,
  type GatewayNode,
} from './gateway-node'
import type { GlobalContext } from './global-context'
import { createLamp, type NodeLamp } from './lamp'
import { migrated } from './migrations'
import type { Message } from './parameters'
import { shortReason } from './short-reason'

/** The saved properties that every worker has. */
interface WorkerConfig extends NodeDef {
  gateway?: string
  appliance?: string
  applianceType?: string
}

/** What a worker does for one appliance. */
export interface Work {
  /** `node`: the node will not come back; `appliance`: that one has left the inventory. */
  end(removed?: 'node' | 'appliance'): void | Promise<void>
}

/** What a worker does for the appliances of one config node that it is for. */
export interface Group<One extends Work = Work> {
  readonly gateway: GatewayNode
  readonly wants: Wanted
  readonly works: ReadonlyMap<Appliance, One>
  /** Nothing is added any more. */
  unfollow(): void
}

/** What a type of node adds to a worker. */
interface Job<One extends Work> {
  /** What it keeps for each appliance. It is forgotten with the node. */
  context?: GlobalContext
  /** Reads the settings, before the work for a gateway. @throws GatewayError `CONFIG` */
  start(gateway: GatewayNode, wants: Wanted): Task<One> | Promise<Task<One>>
  /** Called when the work for all gateways has started, also after each deploy. */
  started?(): void
  /** Called with each message, once the settings have been read. */
  obey?: (message: Message, send: (message: Message) => void) => Promise<void>
  /** What errors of a message are about; by default what the node does by itself. */
  command?: Operation
}

interface Task<One extends Work> extends Pick<Follower, 'changed' | 'engine'> {
  /** Without an inventory it is called for the only appliance, which stays to the end. */
  begin: (appliance: Appliance) => One
}

/** One node of those that work by themselves, without a message: watch, failover and metrics. */
export interface Worker<Config = unknown, One extends Work = Work> {
  readonly RED: NodeAPI
  readonly node: Node
  readonly config: Config
  /** The one that the node is set to, if there is one. */
  readonly gateway?: GatewayNode
  readonly words: Words
  /** Of the server. */
  readonly language: Language
  readonly lamp: NodeLamp
  /** With an inventory, what the lamp shows of all appliances. */
  readonly fleet?: FleetStatus
  /** Comes when the node is closed. */
  readonly stop: Stop
  groups: () => Group<One>[]
  /** Reports an error that no message has caused. @param of what it is about; by default the gateway */
  tell: (error: GatewayError, of?: Partial<Appliance>) => void
  /** Reports and shows that it cannot work: at all, or for an appliance. @returns what is reported */
  fail: (error: unknown, of?: Appliance) => GatewayError
}

/**
 * @param gatewaysOf the gateways of a node that is set to none in particular. They are asked for again
 * after each deploy, which can add, replace or remove gateways without a restart of the node
 */
export function registerWorker<Config extends WorkerConfig, One extends Work = Work>(
  RED: NodeAPI,
  type: string,
  jobOf: (worker: Worker<Config, One>) => Job<One>,
  gatewaysOf?: (RED: NodeAPI, config: Config) => GatewayNode[],
): void {
  const words = wordsOf(RED)
  const kind = type.replace(/^media-gateway-/, '')
  const operation = newOperation(kind)

  RED.nodes.registerType(type, function (this: Node, saved: Config) {
    RED.nodes.createNode(this, saved)
    const config = migrated(saved)
    const gateway = gatewaysOf ? undefined : findGateway(RED, config)
    const language = serverLanguage(RED)
    const lamp = createLamp(this)
    const fleet = gateway?.fleet.hasNames
      ? createFleetStatus(lamp, words, `${kind}:status`, language)
      : undefined
    const stop = new Stop()
    const groups = new Map<GatewayNode, Group<One>>()
    /** Why it does not work. */
    let fault: unknown
    let settle: () => void
    /** What comes before the flows have started waits. */
    const started = new Promise<void>((resolve) => (settle = resolve))

    const tell: Worker['tell'] = (error, { appliance, identity = gateway?.identity } = {}) =>
      this.error(asGatewayError(error, operation, identity), aboutOf(appliance))

    const fail: Worker['fail'] = (error, of) => {
      const failure = asGatewayError(error, operation, (of ?? gateway)?.identity)
      if (stop.stopped) return failure
      const text = (): string => shortReason(failure, words)
      const name = of?.appliance
      if (!fleet) lamp.show('away', text())
      else if (name === undefined) fleet.fail(failure)
      else fleet.set(name, { lamp: 'away', isUp: false, trouble: { key: failure.code, text } })
      tell(failure, of)
      return failure
    }

    const follow = async (one: GatewayNode, wants: Wanted): Promise<void> => {
      const { begin, changed, engine } = await job.start(one, wants)
      if (stop.stopped) return
      one.register(this)
      const works = new Map<Appliance, One>()
      const isFor = ({ appliance }: Appliance): boolean =>
        appliance === undefined || wants(appliance)
      const unfollow = one.fleet.follow({
        added(of) {
          if (!isFor(of)) return
          fleet?.set(of.appliance ?? '')
          works.set(of, begin(of))
        },
        removed(of) {
          if (!isFor(of)) return undefined
          const work = works.get(of)
          works.delete(of)
          // Its row may have changed, or another owner gone on with it.
          const isListed = one.fleet.names().includes(of.appliance ?? '')
          const ended = work?.end(isListed ? undefined : 'appliance')
          fleet?.remove(of.appliance ?? '')
          return ended
        },
        changed() {
          fleet?.faulty(...faultsFor(one.fleet, wants))
          changed?.()
        },
        engine,
      })
      groups.set(one, { gateway: one, wants, works, unfollow })
    }

    const leave = async (group: Group<One>, removed?: 'node') => {
      groups.delete(group.gateway)
      group.unfollow()
      await Promise.allSettled([...group.works.values()].map(async (one) => one.end(removed)))
      group.gateway.deregister(this)
    }

    const start = async (): Promise<void> => {
      if (gatewaysOf) unhook = whenStarted(RED, () => void start())
      try {
        fault = undefined
        const present = new Set(gatewaysOf?.(RED, config) ?? [requireGateway(RED, config)])
        const wants = appliancesIn(config)
        for (const [one, group] of groups) if (!present.has(one)) void leave(group)
        for (const one of present) if (!groups.has(one)) await follow(one, wants)
        job.started?.()
      } catch (error) {
        for (const group of groups.values()) void leave(group)
        fault = error
        fail(error)
      }
      settle()
    }

    const job = jobOf({
      RED,
      node: this,
      config,
      gateway,
      words,
      language,
      lamp,
      fleet,
      stop,
      groups: () => [...groups.values()],
      tell,
      fail,
    })
    let unhook = whenStarted(RED, () => void start())
    gateway?.register(this)

    const { obey, command = operation } = job
    if (obey) {
      this.on('input', (incoming, send, done) => {
        const work = async (): Promise<void> => {
          await untilStopped(started, stop, closedError)
          if (fault) throw fault as Error
          await obey(incoming, send)
        }
        work()
          .then(
            () => done(),
            (error: unknown) => done(asGatewayError(error, command, gateway?.identity)),
          )
          // What Node-RED cannot copy for a Catch or Complete node must not end it.
          .catch((error: unknown) => this.error(thrownAs(error)))
      })
    }

    // Two parameters: from their number, Node-RED knows that it has to wait.
    this.on('close', (removed: boolean, done: () => void) => {
      stop.now()
      unhook()
      const left = [...groups.values()].map((group) => leave(group, removed ? 'node' : undefined))
      void Promise.allSettled(left).then(() => {
        if (removed && gateway?.fleet.hasNames) job.context?.forgetAll()
        fleet?.close()
        lamp.close()
        gateway?.deregister(this)
        done()
      })
    })
  })
}
