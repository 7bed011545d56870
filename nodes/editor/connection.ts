import type { Connection, Requests } from '../wire'
import { ask, askCredentials, RequestError } from './ask'
import { isSecretPrefix, SECRET_PREFIX } from '../../client/model/secrets'
import { isVariable } from './checks'
import { field, read } from './fields'
import { text } from './text'

/** The value of the password field while the stored password is unchanged. */
const STORED = '__PWRD__'

const PLAIN = ['baseUrl', 'fingerprint', 'timeout', 'tls', 'proxy'] as const
const OF_INVENTORY = ['inventory', 'inventoryType', 'inventoryHosts', 'secretPrefix'] as const

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
  // "_ADD_" stands for no config node.
  const given = (property: string) => (value(property) === '_ADD_' ? '' : (value(property) ?? ''))
  const names = [...PLAIN, ...(isInventory(value('inventoryType')) ? OF_INVENTORY : [])]
  const values = Object.fromEntries(names.map((name) => [name, given(name)]))
  return { id, username: username ?? '', password: password ?? '', ...values }
}

/** Where an inventory may be; any other value stands for a gateway without one. */
const INVENTORIES: unknown[] = ['json', 'file', 'env', 'global']

export const isInventory = (type: unknown): boolean => INVENTORIES.includes(type)

export const hasInventory = (gateway: EditorNode | null | undefined): gateway is EditorNode =>
  isInventory(gateway?.['inventoryType'])

/** How variables for secrets begin, by the gateway of a node; empty where only the start shows it. */
export function secretPrefixOf(gateway: unknown): string {
  const node = typeof gateway === 'string' ? RED.nodes.node(gateway) : undefined
  const prefix = node?.['secretPrefix']
  if (typeof prefix === 'string' && isVariable(prefix)) return ''
  return isSecretPrefix(prefix) ? prefix : SECRET_PREFIX
}
