import { FAILOVER_DEFAULTS } from '../../client/model/failover'

/**
 * The version of the saved form that this package writes, in the hidden property `configVersion` of
 * every node. Version 0.1 of the package wrote none, which counts as 0.
 *
 * A change of the saved form raises it by one, and adds a migration of the former one to the table.
 */
export const CONFIG_VERSION = 2

export type Saved = { type: string; configVersion?: unknown } & Record<string, unknown>

/** By type and former version: returns the properties as the next version saves them. */
export type Migrations = Record<string, Record<number, (saved: Saved) => Saved>>

const MIGRATIONS: Migrations = {
  'media-gateway-update-route': {
    // A new node of 0.1 had the mode `keep`, and one without a mode did the same.
    0: (saved) => ({ ...saved, mode: saved.mode || 'keep' }),
  },
  'media-gateway-failover': {
    // No form has saved one without a version: written by hand, it has the defaults of now.
    0: (saved) => ({ ...saved, failOn: saved['failOn'] || FAILOVER_DEFAULTS.failOn }),
    1: ({ lookEvery, dryRun, failOn, ...saved }) => ({
      ...saved,
      pollEvery: saved['pollEvery'] || lookEvery,
      failOn: failOn === 'bitrate' ? 'noData' : failOn || 'status',
      // A node that changed nothing does not begin to, also where a variable says so.
      hold: isOff(dryRun) ? saved['hold'] : dryRun,
    }),
  },
  'media-gateway-metrics': {
    // It listed no connections, only figures that `routes` has now.
    1: ({ detail, ...saved }) => ({
      ...saved,
      detail: detail === 'connections' ? 'routes' : detail,
    }),
  },
}

/** A flag that is not set, also as text from the environment. */
const isOff = (flag: unknown): boolean =>
  !flag ||
  (typeof flag === 'string' && ['', 'false', '0', 'no', 'off'].includes(flag.trim().toLowerCase()))

/** As this version would have saved a node. The flow stays as it is until the node is edited. */
export function migrated<Config extends { type: string; configVersion?: unknown }>(
  saved: Config,
  migrations: Migrations = MIGRATIONS,
  target: number = CONFIG_VERSION,
): Config {
  const steps = migrations[saved.type] ?? {}
  let present: Saved = saved
  for (let version = versionOf(present); version < target; version++) {
    present = { ...(steps[version]?.(present) ?? present), configVersion: version + 1 }
  }
  return present as Saved & Config
}

function versionOf({ configVersion }: Saved): number {
  return Number.isInteger(configVersion) ? Number(configVersion) : 0
}
