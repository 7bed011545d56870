// The saved properties of a failover node as the client takes them.
import type { NodeDef } from 'node-red'
import { asSetting } from '../../client/errors'
import type { ProtectOptions } from '../../client/failover/protect'
import { FAILOVER_CHOICES, FAILOVER_RANGES, type Side } from '../../client/model/failover'
import { chosenDevice, chosenRoute, type Evaluate } from '../runtime/node-settings'
import { choiceProperty, flagProperty, refused, refuseUnresolved } from '../runtime/properties'
import type { WithSecrets } from '../runtime/secrets'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

/** What has a type beside it: the two sources, or routes. */
type Named = Side | 'monitor' | 'monitorBackup'

export type FailoverConfig = NodeDef & SavedOf<typeof manifest>

/** @throws GatewayError `CONFIG`. The values themselves are checked by the client. */
export async function protectOptions(
  config: FailoverConfig,
  evaluate: Evaluate,
  withSecrets: WithSecrets,
): Promise<Pick<ProtectOptions, 'deviceId' | 'route' | 'settings'>> {
  const { restore, failOn } = config
  // What the sides are depends on it: with another one, each would be wrong in its own way.
  const method = choiceProperty('method', config.method, FAILOVER_CHOICES.method)
  const saved = config as unknown as Record<string, unknown>
  const numbers = Object.keys(FAILOVER_RANGES).map((name) => [name, saved[name]] as const)
  for (const [name, value] of [...numbers, ...Object.entries({ restore, failOn })]) {
    refuseUnresolved(name, value)
  }
  const secretsIn = (value: unknown, name: string): unknown => {
    try {
      return withSecrets(value, name)
    } catch (error) {
      throw asSetting(error)
    }
  }
  const isRoutes = method === 'routes'
  const side = async (name: Side): Promise<unknown> =>
    isRoutes
      ? routeIn(config, name, evaluate)
      : secretsIn(await sourceIn(config, name, evaluate), name)
  const { route = '', routeType } = config
  const choose = 'choose the route to protect, or enter its ID or name'
  return {
    deviceId: await chosenDevice(config, evaluate),
    ...(!isRoutes && { route: await chosenRoute(route, routeType || 'name', evaluate, choose) }),
    settings: {
      ...Object.fromEntries(numbers),
      method,
      failOn,
      restore,
      main: await side('main'),
      backup: await side('backup'),
      ...(restore === 'monitor' && { monitor: await routeIn(config, 'monitor', evaluate) }),
      monitorBackup: await routeIn(config, 'monitorBackup', evaluate),
      hold: flagProperty('hold', config.hold),
    },
  }
}

/** A route by its ID or its name, as the settings have it. */
async function routeIn(config: FailoverConfig, name: Named, evaluate: Evaluate): Promise<unknown> {
  const type = config[`${name}Type`] || 'name'
  const isName = type === 'name' || type === 'str'
  const value = await evaluate(name, config[name] ?? '', isName ? 'str' : type)
  if (typeof value !== 'string') return value
  if (value === '') return undefined
  return isName ? { name: value } : { id: value }
}

/** The fields of a source; as text they are JSON. */
async function sourceIn(config: FailoverConfig, name: Side, evaluate: Evaluate): Promise<unknown> {
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
