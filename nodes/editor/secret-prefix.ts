import { isSecretPrefix, SECRET_PREFIX } from '../../client/model/secrets'
import { isVariable } from './checks'

/** How variables for secrets begin, by the gateway of a node; empty where only the start shows it. */
export function secretPrefixOf(gateway: unknown): string {
  const node = typeof gateway === 'string' ? RED.nodes.node(gateway) : undefined
  const prefix = node?.['secretPrefix']
  if (typeof prefix === 'string' && isVariable(prefix)) return ''
  return isSecretPrefix(prefix) ? prefix : SECRET_PREFIX
}
