import { GatewayError, closedError, ofConfiguration, type Identity } from '../../client/errors'
import { Operation } from '../../client/connection/operation'
import type { Connection } from '../../client/connection/connection'
import type { Appliance } from '../runtime/gateway-node'

interface ApplianceOptions {
  /** In the inventory, if there is one. */
  appliance?: string
  /** See `Appliance`. */
  slot?: number
  token?: () => number | undefined
  identity: Identity
  /** @throws GatewayError `CONFIG`; others that say where they come from */
  open: () => Connection
  /** @throws GatewayError `CONFIG` */
  secretPrefix: () => string
  /** True while its session stays open without a user of its own. */
  isKept?: () => boolean
  warn: (text: string) => void
}

/** An appliance, for the one who has made it. */
export type OwnAppliance = ReturnType<typeof newAppliance>

/** How long a session without a user stays open: a deploy takes the nodes away and brings them back. */
const LINGER_MS = 2000

/** Makes one appliance. Its connection is opened when it is first used. */
export function newAppliance(options: ApplianceOptions) {
  const { token, open, isKept = () => false, warn, ...of } = options
  const users = new Set<object>()
  let connection: Connection | undefined
  let lingering: NodeJS.Timeout | undefined
  let closed = false

  /** Ends the session in a moment, unless there is a user by then. */
  function linger(): void {
    if (users.size > 0 || isKept() || !connection || closed) return
    clearTimeout(lingering)
    lingering = setTimeout(endSession, LINGER_MS)
  }

  function endSession(): void {
    if (isKept()) return
    connection?.endSession(new Operation('session')).catch((error: GatewayError) => {
      warn(`The session could not be ended. ${error.message}`)
    })
  }

  return {
    ...of,
    get token(): number | undefined {
      return token?.()
    },
    memories: of.appliance === undefined ? undefined : new Map(),
    failovers: new Set(),
    /** Its connection, if it has been opened. */
    get opened(): Connection | undefined {
      return connection
    },
    client(): Connection {
      if (connection) return connection
      if (closed) throw closedError()
      try {
        return (connection = open())
      } catch (error) {
        const isFaulty = error instanceof GatewayError && error.code === 'CONFIG'
        throw isFaulty ? ofConfiguration(error, of.identity) : error
      }
    },
    register(user) {
      users.add(user)
      clearTimeout(lingering)
    },
    deregister(user) {
      users.delete(user)
      linger()
    },
    linger,
    /** Ends the connection, for good. Never rejects. */
    async close(): Promise<void> {
      closed = true
      clearTimeout(lingering)
      await connection?.close().catch(() => undefined)
    },
  } satisfies Appliance & Record<string, unknown>
}
