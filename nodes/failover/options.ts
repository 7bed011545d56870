// The saved properties of a failover node as the client takes them.
import type { NodeDef } from 'node-red'
import type { ProtectOptions } from '../../client/internal'
import { FAILOVER_RANGES } from '../../client/model/failover'
import type { AppliancesConfig } from '../runtime/appliances'
import { chosenDevice, refused, type Evaluate } from '../runtime/chosen'
import { flagProperty, refuseUnresolved } from '../runtime/environment'
import type { WithSecrets } from '../runtime/secrets'

export interface FailoverConfig extends NodeDef, AppliancesConfig {
  gateway?: string
  device?: string
  deviceType?: string
  route?: string
  routeType?: string
  method?: string
  main?: string
  mainType?: string
  backup?: string
  backupType?: string
  failOn?: string
  low?: unknown
  restore?: string
  monitor?: string
  monitorType?: string
  /** The context store; empty for the default one. */
  store?: string
  /** Empty for the language of Node-RED. */
  language?: string
  /** True, false, or text from the environment. */
  dryRun?: unknown
  hold?: unknown
}

/** @throws GatewayError `CONFIG` or `INVALID_INPUT`. The values themselves are checked by the client. */
export async function protectOptions(
  config: FailoverConfig,
  evaluate: Evaluate,
  withSecrets: WithSecrets,
): Promise<Pick<ProtectOptions, 'deviceId' | 'route' | 'settings'>> {
  const { method = 'source', restore, failOn, low } = config
  const saved = config as unknown as Record<string, unknown>
  const numbers = Object.keys(FAILOVER_RANGES).map((name) => [name, saved[name]] as const)
  for (const [name, value] of [...numbers, ...Object.entries({ method, restore, failOn, low })]) {
    refuseUnresolved(name, value)
  }
  const side = async (name: 'main' | 'backup'): Promise<unknown> =>
    method === 'routes'
      ? routeIn(config, name, evaluate)
      : withSecrets(await sourceIn(config, name, evaluate), name)
  return {
    deviceId: await chosenDevice(config, evaluate),
    ...(method !== 'routes' && { route: await protectedRoute(config, evaluate) }),
    settings: {
      ...Object.fromEntries(numbers),
      method,
      failOn,
      low,
      restore,
      main: await side('main'),
      backup: await side('backup'),
      ...(restore === 'monitor' && { monitor: await routeIn(config, 'monitor', evaluate) }),
      dryRun: flagProperty('dryRun', config.dryRun),
      hold: flagProperty('hold', config.hold),
    },
  }
}

/** By its ID or its name; a value from elsewhere may be either, or an object with one of them. */
async function protectedRoute(
  config: FailoverConfig,
  evaluate: Evaluate,
): Promise<ProtectOptions['route']> {
  const { route = '', routeType } = config
  const type = routeType || 'name'
  const value = await evaluate('route', route, type === 'name' ? 'str' : type)
  if (typeof value === 'object' && value !== null) {
    const { id, name } = value as { id?: unknown; name?: unknown }
    if (typeof id === 'string' && id !== '') return { id }
    if (typeof name === 'string' && name !== '') return { name }
  }
  if (typeof value !== 'string' || value === '') {
    throw refused('route', 'is empty; choose the route to protect, or enter its ID or name')
  }
  if (type === 'id') return { id: value }
  return type === 'name' ? { name: value } : { idOrName: value }
}

/** A route by its ID or its name, as the settings have it. */
async function routeIn(
  config: FailoverConfig,
  name: 'main' | 'backup' | 'monitor',
  evaluate: Evaluate,
): Promise<unknown> {
  const type = config[`${name}Type`] || 'name'
  const isName = type === 'name' || type === 'str'
  const value = await evaluate(name, config[name] ?? '', isName ? 'str' : type)
  if (typeof value !== 'string') return value
  if (value === '') return undefined
  return isName ? { name: value } : { id: value }
}

/** The fields of a source; as text they are JSON. */
async function sourceIn(
  config: FailoverConfig,
  name: 'main' | 'backup',
  evaluate: Evaluate,
): Promise<unknown> {
  const type = config[`${name}Type`] || 'json'
  const saved: unknown = config[name] ?? ''
  refuseUnresolved(name, saved)
  const value = type === 'json' ? saved : await evaluate(name, saved as string, type)
  if (typeof value !== 'string') return value
  if (value.trim() === '') return undefined
  try {
    return JSON.parse(value) as unknown
  } catch {
    throw refused(name, 'is not JSON; it must be an object with the fields of the source')
  }
}
