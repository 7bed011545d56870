import type { Node, NodeAPI, NodeDef } from 'node-red'
import {
  GatewayError,
  newOperation,
  ofConfiguration,
  openConnection,
  type Connection,
} from '../../client/internal'
import { registerAdminRoutes } from './admin/routes'
import {
  gatewayOptions,
  hostIn,
  secretPrefixOf,
  type GatewayConfig,
  type GatewayCredentials,
} from './options'
import type { GatewayNode } from '../runtime/gateway-node'
import { migrated } from '../runtime/migrations'

interface Config extends NodeDef, GatewayConfig {}

/** How long a session without a user stays open: a deploy takes the nodes away and brings them back. */
const LINGER_MS = 2000

export = (RED: NodeAPI): void => {
  registerAdminRoutes(RED)
  RED.nodes.registerType(
    'media-gateway',
    function (this: Node<GatewayCredentials>, saved: Config) {
      RED.nodes.createNode(this, saved)
      const config = migrated(saved)
      const self = this as unknown as GatewayNode & Node<GatewayCredentials>
      const users = new Set<object>()
      let gateway: Connection | undefined
      let lingering: NodeJS.Timeout | undefined
      let closed = false

      const { id, name } = this
      const host = hostIn(config.baseUrl)
      const identity = { id, name: name || host || id, host }
      Object.defineProperty(self, 'identity', { value: identity })
      Object.defineProperty(self, 'failovers', { value: new Set() })

      const open = (): Connection => {
        secretPrefixOf(config)
        const options = gatewayOptions(RED, config, self.credentials, (level, line) =>
          level === 'warn' ? self.warn(line) : self.log(line),
        )
        return openConnection(Object.assign(options, { node: { id, name } }))
      }
      self.client = () => {
        try {
          return (gateway ??= open())
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error
          throw ofConfiguration(error, identity)
        }
      }

      Object.defineProperty(self, 'secretPrefix', { value: () => secretPrefixOf(config) })

      self.register = (user) => {
        users.add(user)
        clearTimeout(lingering)
      }

      self.deregister = (user) => {
        users.delete(user)
        if (users.size > 0 || !gateway || closed) return
        clearTimeout(lingering)
        lingering = setTimeout(endSession, LINGER_MS)
      }

      const endSession = (): void => {
        gateway?.endSession(newOperation('session')).catch((error: GatewayError) => {
          self.warn(`The session could not be ended. ${error.message}`)
        })
      }

      // Two parameters: from their number, Node-RED knows that it has to wait.
      self.on('close', (_removed: boolean, done: () => void) => {
        closed = true
        clearTimeout(lingering)
        if (!gateway) return done()
        gateway.close().then(done, done)
      })
    },
    { credentials: { username: { type: 'text' }, password: { type: 'password' } } },
  )
}
