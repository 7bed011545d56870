import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { invalidInput, words } from '../errors'
import { isSecretPrefix } from '../model/secrets'
import { definitionsOf, type Definition, type DefinitionsOptions } from '../model/definitions'
import { incompleteList, isIncomplete, listRoutes } from '../api/routes'
import { onMain } from './owned'

export interface ListDefinitions extends DefinitionsOptions {
  /** A function is called only once the options have passed their checks. */
  deviceId: string | (() => Promise<string>)
}

/**
 * Sorted by name; of what a failover owns, main's.
 * @throws GatewayError `BAD_RESPONSE` when any is missing or incomplete: in a file that counts as deleted
 */
export async function listDefinitions(
  gateway: Connection,
  { deviceId: where, ...options }: ListDefinitions,
  operation: Operation,
): Promise<{ deviceId: string; answer: Definition[] }> {
  const { prefix } = options
  if (prefix !== undefined && !isSecretPrefix(prefix)) {
    const problem = 'must be at least two letters, digits or underscores, not a digit first'
    throw invalidInput([{ path: 'prefix', problem }])
  }
  const deviceId = typeof where === 'string' ? where : await where()
  const list = await listRoutes(gateway, { deviceId }, operation)
  if (isIncomplete(list)) {
    throw incompleteList(list, words('Definitions that lack routes are not returned.'))
  }
  const routes = list.data.map((route) => onMain(gateway, deviceId, route))
  return { deviceId, answer: definitionsOf(routes, { ...options, hide: gateway.hide }) }
}
