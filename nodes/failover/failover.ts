import type { Node, NodeAPI } from 'node-red'
import {
  asGatewayError,
  closedError,
  newOperation,
  protectRoute,
  type FailoverReport,
  type GatewayError,
  type Protection,
} from '../../client/internal'
import { languageOf } from '../../client/model/watch'
import { evaluatorOf } from '../runtime/chosen'
import { flagProperty } from '../runtime/environment'
import { whenStarted } from '../runtime/flows-started'
import { findGateway, requireGateway, type ListedFailover } from '../runtime/gateway-node'
import { migrated } from '../runtime/migrations'
import type { Message } from '../runtime/parameters'
import { secretsOf } from '../runtime/secrets'
import { wordsOf } from '../runtime/words'
import { keptIn } from './kept'
import { protectOptions, type FailoverConfig } from './options'
import { createFailoverStatus } from './status'

const OPERATION = newOperation('failover')

/** A node that keeps a route on the air: to the backup when main fails, and back (design 3.1). */
export = (RED: NodeAPI): void => {
  const words = wordsOf(RED)
  RED.nodes.registerType('media-gateway-failover', function (this: Node, saved: FailoverConfig) {
    RED.nodes.createNode(this, saved)
    const config = migrated(saved)
    const kept = keptIn(RED, this, config.store)
    const status = createFailoverStatus(this, words, () => kept.isLostAtRestart && !startsHeld)
    const user = findGateway(RED, config)
    let closed = false
    let startsHeld = false
    let protection: Protection | undefined

    const complete = (error: unknown): GatewayError =>
      asGatewayError(error, OPERATION, user?.identity)
    const tell = (error: GatewayError, event?: FailoverReport): void =>
      // The flow has the event itself, and may change it.
      this.error(complete(error), event ? messageOf(structuredClone(event)) : {})

    const protect = async (): Promise<Protection> => {
      const found = requireGateway(RED, config)
      const gateway = found.client()
      const withSecrets = secretsOf(RED, this, found)
      const options = await protectOptions(config, evaluatorOf(RED, this, OPERATION), withSecrets)
      startsHeld = flagProperty('hold', config.hold)
      const memory = await kept.read()
      if (closed) throw closedError()
      protection = protectRoute(gateway, {
        ...options,
        memory,
        language: languageOf(config.language || RED._('locale')),
        onEvents: (events) => {
          for (const event of events) count(listed, event)
          this.send([events.map(messageOf)])
        },
        onMemory: (present) => kept.write(present),
        onStatus: (shown) => {
          listed.status = shown
          status.show(shown)
        },
        onFailure: tell,
      })
      return protection
    }

    let begin: (begun: Promise<Protection>) => void
    let cancel: (reason: Error) => void
    const started = new Promise<Protection>((resolve, reject) => {
      begin = resolve
      cancel = reject
    })
    started.catch((error: unknown) => {
      if (closed) return
      const failure = complete(error)
      status.fail(failure)
      tell(failure)
    })
    const unhook = whenStarted(RED, () => begin(protect()))

    const listed: Listed = {
      id: this.id,
      name: this.name ?? '',
      switches: {},
      routes: () => protection?.routes() ?? [],
      command: async (action, hold) => (await started).command(action, hold),
    }
    user?.register(this)
    user?.failovers.add(listed)

    this.on('input', (incoming, _send, done) => {
      obey(incoming as Message).then(
        () => done(),
        (error: unknown) => done(complete(error)),
      )
    })

    /** What comes of a command is an event. */
    async function obey({ action, hold, main }: Message): Promise<void> {
      const present = await started
      if (main !== undefined) await present.main(main)
      if (main === undefined || action !== undefined) await present.command(action, hold)
    }

    // Two parameters: from their number, Node-RED knows that it has to wait.
    this.on('close', (removed: boolean, done: () => void) => {
      closed = true
      unhook()
      cancel(closedError())
      user?.failovers.delete(listed)
      const end = (): void => {
        kept.close(removed)
        status.close()
        user?.deregister(this)
        done()
      }
      if (protection) void protection.close().then(end, end)
      else end()
    })
  })
}

type Listed = { -readonly [Name in keyof ListedFailover]: ListedFailover[Name] }

function count({ switches }: Listed, { event, cause, dryRun }: FailoverReport): void {
  if (event !== 'failover.switched' || !cause || dryRun) return
  switches[cause] = (switches[cause] ?? 0) + 1
}

function messageOf(event: FailoverReport): Message {
  const { id } = event.route
  return { topic: event.event, payload: event, ...(id !== null && { routeId: id }) }
}
