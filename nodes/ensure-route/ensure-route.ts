import type { NodeAPI } from 'node-red'
import {
  ensureRoutes,
  invalidInput,
  type EnsureAction,
  type Ensured,
  type EnsureFailure,
  type WantedState,
} from '../../client/internal'
import { registerAction, type ActionConfig } from '../runtime/action'
import type { Did } from '../runtime/status'
import { waitingOf, type WaitingConfig } from '../runtime/wait-options'

interface Config extends ActionConfig, WaitingConfig {
  state?: string
  check?: boolean
  exact?: boolean
  validate?: boolean
}

const STATES: readonly WantedState[] = ['present', 'started', 'stopped', 'absent']

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-ensure-route',
    async ({ gateway, operation, config, parameters, progress }) => {
      const { waitTimeout } = waitingOf(config)
      const state = STATES.find((known) => known === (config.state || 'present'))
      if (!state) {
        const problem = `must be one of "${STATES.join('", "')}"`
        throw invalidInput([{ path: 'state', problem }], operation.name)
      }
      const { deviceId, results, routeId } = await ensureRoutes(
        gateway,
        // A route to be absent need only be identified.
        await parameters.definition({ keepsNames: state === 'absent' }),
        {
          deviceId: parameters.device,
          state,
          check: config.check === true,
          exact: config.exact === true,
          validate: config.validate !== false,
          waitTimeout,
          onProgress: (done, rows) => progress(`${done}/${rows}`),
        },
        operation,
      )
      const did = config.check
        ? didPlan([results].flat())
        : Array.isArray(results)
          ? didAll(results)
          : didOne(results)
      return { payload: results, did, deviceId, routeId: routeId ?? null }
    },
  )

type Row = Ensured | EnsureFailure

const didPlan = (plans: Row[]): Did => ({
  key: 'dryRun',
  values: { number: plans.filter(({ changed }) => changed).length },
})

function didOne({ action, before, after }: Ensured): Did {
  const key = Array.isArray(action) ? 'changed' : DID[action]
  return { key, name: (after ?? before)?.name }
}

/** A route counts once it shows what was changed. */
const DID: Record<EnsureAction, string> = {
  none: 'unchanged',
  create: 'created',
  update: 'updated',
  start: 'running',
  stop: 'stopped',
  delete: 'deleted',
}

function didAll(rows: Row[]): Did {
  const failed = rows.filter((row) => 'error' in row).length
  const changed = rows.filter((row) => !('error' in row) && row.changed).length
  const unchanged = rows.length - failed - changed
  if (failed > 0) return { key: 'bulkFailed', values: { failed, changed, unchanged }, failed: true }
  return { key: 'bulk', values: { changed, unchanged } }
}
