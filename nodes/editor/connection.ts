import type { Connection, Requests } from '../wire'
import { ask, askCredentials, RequestError } from './ask'
import { field, read } from './fields'
import { text } from './text'

/** The value of the password field while the stored password is unchanged. */
const STORED = '__PWRD__'

const PLAIN: (keyof Connection)[] = ['baseUrl', 'fingerprint', 'timeout']
const CONFIG_NODES: (keyof Connection)[] = ['tls', 'proxy']

export function connectionOfForm(node: EditorNode): Connection {
  const value = (property: string) => read(field(node, property))
  return connectionOf(node, value, { username: value('username'), password: value('password') })
}

/** Refused with values that are not deployed: each form would try again, and might lock the account. */
const refused = new Map<string, RequestError>()

/**
 * Sends a request about the appliance of a config node: of the deployed one, or with the values
 * that are only in the editor. What was refused is repeated only when the user asks for it.
 * @throws RequestError
 */
export async function askAppliance<To extends 'lookup' | 'definition' | 'plan'>(
  path: To,
  gateway: EditorNode,
  what: Omit<Requests[To]['body'], 'connection'>,
  { again = false } = {},
): Promise<Requests[To]['answer']> {
  const send = (connection: Connection) => ask(path, { ...what, connection })
  if (gateway.d) throw new RequestError(text('picker.disabled'))
  if (!gateway.changed) {
    try {
      return await send({ id: gateway.id })
    } catch (error) {
      // What looks deployed may not be: an import, or another user's deploy.
      if (!(error instanceof RequestError) || !error.notDeployed) throw error
    }
  }
  const connection = await connectionOfNode(gateway)
  const key = JSON.stringify(connection)
  const before = again ? undefined : refused.get(key)
  if (before) throw before
  try {
    return await send(connection)
  } catch (error) {
    const isRefused = error instanceof RequestError && error.code === 'LOGIN_REFUSED'
    if (isRefused) refused.set(key, error)
    throw error
  }
}

export async function connectionOfNode(node: EditorNode): Promise<Connection> {
  // The editor has them only once the form was opened, or the node was created or imported.
  const known = node.credentials ?? (await askCredentials(node.id))
  const { username, password, has_password: hasPassword } = known
  return connectionOf(node, (property) => node[property], {
    username,
    password: password ?? (hasPassword ? STORED : ''),
  })
}

function connectionOf(
  { id }: EditorNode,
  value: (property: string) => unknown,
  { username, password }: { username: unknown; password: unknown },
): Connection {
  const chosen = (property: string) => {
    const other = value(property)
    return other === '_ADD_' ? '' : (other ?? '')
  }
  return {
    id,
    username: username ?? '',
    password: password ?? '',
    ...Object.fromEntries(PLAIN.map((property) => [property, value(property) ?? ''])),
    ...Object.fromEntries(CONFIG_NODES.map((property) => [property, chosen(property)])),
    ...(isInventory(value('inventoryType')) && {
      inventory: value('inventory') ?? '',
      inventoryType: value('inventoryType'),
      inventoryHosts: value('inventoryHosts') ?? '',
      secretPrefix: value('secretPrefix') ?? '',
    }),
  }
}

/** Where an inventory may be; any other value stands for a gateway without one. */
const INVENTORIES: unknown[] = ['json', 'file', 'env', 'global']

export const isInventory = (type: unknown): boolean => INVENTORIES.includes(type)

export const hasInventory = (gateway: EditorNode | null | undefined): gateway is EditorNode =>
  isInventory(gateway?.['inventoryType'])
