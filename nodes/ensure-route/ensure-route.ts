import type { NodeAPI } from 'node-red'
import { ENSURE_STATES } from '../../client/model/definition'
import type { EnsureFailure } from '../../client/changes/ensure/bulk'
import { newEnsureMemory, type EnsureMemory } from '../../client/changes/ensure/undo'
import { invalidInput } from '../../client/errors'
import { OPERATIONS } from '../../client/operations'
import type { EnsureAction } from '../../client/changes/ensure/plan'
import type { Ensured } from '../../client/changes/ensure/apply'
import type { Remove } from '../../client/changes/ensure/removals'
import { RANGES } from '../../client/model/ranges'
import { registerAction, type ActionConfig } from '../runtime/action'
import {
  choiceProperty,
  flagProperty,
  numberProperty,
  refuseUnresolved,
  waitingOf,
} from '../runtime/properties'
import { namesIn, wrong, type Message } from '../runtime/parameters'
import type { Did } from '../runtime/status'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = ActionConfig & SavedOf<typeof manifest>

export = (RED: NodeAPI): void =>
  registerAction<Config, EnsureMemory>(
    RED,
    'media-gateway-ensure-route',
    async ({ run, config, message, progress, memory }) => {
      const { waitTimeout } = waitingOf(config)
      const check = flagProperty('check', config.check)
      const approve = flagProperty('approve', config.approve)
      const onProgress = (done: number, rows: number): void => progress(`${done}/${rows}`)
      if (isUndo(message.action)) {
        const undone = await run(OPERATIONS.undo, { memory, check, waitTimeout, onProgress })
        const { deviceId, results, plan } = undone
        return {
          payload: results,
          did: didUndo(rowsOf(results), check),
          deviceId,
          routeId: Array.isArray(results) ? null : ((results.after ?? results.before)?.id ?? null),
          ...((check || approve) && { plan: { ...plan, applied: !check } }),
        }
      }
      const state = choiceProperty('state', config.state, ENSURE_STATES)
      const { deviceId, results, routeId, plan, isApplied } = await run(OPERATIONS.ensure, {
        state,
        check,
        exact: flagProperty('exact', config.exact),
        validate: flagProperty('validate', config.validate, true),
        approve,
        planId: approve ? planIdOf(message) : undefined,
        remove: removeOf(config),
        waitTimeout,
        memory,
        onProgress,
      })
      const did = isApplied
        ? Array.isArray(results)
          ? didAll(results)
          : didOne(results)
        : didPlan(rowsOf(results), check)
      return {
        payload: results,
        did,
        deviceId,
        routeId: routeId ?? null,
        // Without these options a plan of the flow's own stays in the message.
        ...((check || approve) && { plan: { ...plan, applied: isApplied } }),
      }
    },
    {
      message: ['action', 'plan'],
      nature: ({ check }) => OPERATIONS[mayCheck(check) ? 'plan' : 'ensure'],
      newMemory: newEnsureMemory,
    },
  )

/** Also where it is not known: that fails before anything is sent, and must not end here. */
function mayCheck(check: unknown): boolean {
  try {
    return flagProperty('check', check)
  } catch {
    return true
  }
}

/** In any case, as every other choice. */
const isUndo = (action: unknown): boolean =>
  typeof action === 'string' && action.trim().toLowerCase() === 'undo'

function removeOf(config: Config): Remove | undefined {
  const { remove, removePattern, removeAtMost } = config
  if (choiceProperty('remove', remove, ['none', 'pattern']) === 'none') return undefined
  refuseUnresolved('removePattern', removePattern)
  return {
    pattern: typeof removePattern === 'string' ? removePattern : '',
    atMost: numberProperty('removeAtMost', removeAtMost, RANGES.removeAtMost),
  }
}

/** The plan that was approved; undefined where one is to be made. */
function planIdOf({ plan }: Message): string | undefined {
  const { id } = namesIn(plan)
  if (id === undefined || id === null || id === '') return undefined
  if (typeof id === 'string') return id
  throw invalidInput([wrong('msg.plan.id', id, 'text')])
}

type Row = Ensured | EnsureFailure

const rowsOf = (results: Ensured | Row[]): Row[] => [results].flat()
const changedIn = (rows: Row[]): number =>
  rows.filter((row) => !('error' in row) && row.changed).length

const didPlan = (plans: Row[], isDryRun: boolean): Did => ({
  key: isDryRun ? 'dryRun' : 'planned',
  values: { number: changedIn(plans) },
  // A quick dry run shows nothing, as every quick reading.
  changed: !isDryRun,
})

function didUndo(rows: Row[], isDryRun: boolean): Did {
  if (isDryRun) return didPlan(rows, true)
  return rows.some((row) => 'error' in row)
    ? didAll(rows)
    : { key: 'undone', values: { number: changedIn(rows) } }
}

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
  const changed = changedIn(rows)
  const unchanged = rows.length - failed - changed
  if (failed > 0) return { key: 'bulkFailed', values: { failed, changed, unchanged }, failed: true }
  return { key: 'bulk', values: { changed, unchanged } }
}
