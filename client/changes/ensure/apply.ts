import { hasCode, invalidInput, mayHaveArrived, type Sentence } from '../../errors'
import type { Difference } from '../../model/diff'
import type { RouteIndex } from '../../model/route-index'
import { wholeRoute } from '../../model/route-state'
import { hideSecrets } from '../../model/secrets'
import type { Route } from '../../model/types'
import { comparable } from '../known-secrets'
import type { RouteAddress } from '../find'
import { ownerOf } from '../../memory'
import type { Operation } from '../../connection/operation'
import { withUnseen } from '../base'
import { isInProgress, sendFresh, serialized } from '../unconfirmed'
import { refuseChanged } from './approval'
import {
  findWanted,
  plan,
  type EnsureAction,
  type Goal,
  type Site,
  type Plan,
  type Row,
} from './plan'
import type { Left } from '../owned'
import { ownReads, type Present } from './reads'
import { refusePlans } from '../protected'
import {
  awaitGone,
  commandStep,
  createStep,
  deleteStep,
  ensureStep,
  updateStep,
  type Slot,
  type Step,
} from '../step'
import { stillDiffers } from '../wait'

/** What was done, or with `check` what would be. */
export interface Ensured {
  changed: boolean
  /** What was done; a list is in the order of the steps. */
  action: EnsureAction | EnsureAction[]
  /** Values that differ from what is wanted, secrets hidden. */
  diff: Difference[]
  /** What stays as it is, because a failover of this Node-RED owns it; absent where there is nothing. */
  left?: Left[]
  /** The route as it was, secrets hidden; null where there was none. */
  before: Route | null
  /** The route afterwards, secrets hidden; null where there is none. */
  after: Route | null
}

/** Runs a change when there is room for it; the change makes room for others before it ends. */
export type InSlot = <T>(change: (slot: Slot) => Promise<T>) => Promise<T>

interface ApplyContext {
  site: Site
  operation: Operation
  /** Waits until what was sent shows: what is sent can still show after a stop. */
  waiting: Operation
  present: Present
  inSlot: InSlot
}

/** Plans again with the present route, in turn with its other changes, and applies the plan. */
export async function apply(row: Row, context: ApplyContext): Promise<Ensured> {
  const { wanted, plan: first } = row
  const { site, operation, present, inSlot } = context
  const { gateway, deviceId } = site
  const { before } = first
  if (!before && first.steps.length === 0) return planned(first)
  const applyTo = ({ id: routeId }: Route): Promise<Ensured> => {
    const address = { deviceId, routeId }
    return serialized(gateway, address, operation, () => changeRoute(address, row, context))
  }
  if (before) {
    const { state } = row.options
    const ofState = state === 'started' || state === 'stopped'
    const settled = !isInProgress(gateway, { deviceId, routeId: before.id }, before, ofState)
    return settled && first.steps.length === 0 ? planned(first) : applyTo(before)
  }
  // Other calls for a route of this name wait here, and then find the one that was created.
  return gateway.inTurn(`create ${deviceId} ${wanted.name}`, operation, async () => {
    const read = (): Promise<RouteIndex> => present.routes(row)
    // Without a slot: others send while the list, which can be long, is read again.
    const next = await sendFresh(gateway, operation, read, async (routes, sending) => {
      const route = findWanted(row, routes)
      if (route) return () => applyTo(route)
      const ensured = await inSlot((slot) =>
        changeFrom(undefined, row, context, slot, sending, routes),
      )
      return () => ensured
    })
    return next()
  })
}

export function planOn(
  { gateway, deviceId }: Site,
  { wanted, options }: Goal,
  route: Route | undefined,
): Plan {
  if (!route) return plan(wanted, route, options)
  const base = withUnseen(gateway, deviceId, wholeRoute(route))
  const told = comparable(gateway, deviceId, route)
  const owner = ownerOf(gateway, { deviceId, routeId: route.id })
  return { ...plan(wanted, base, options, told, owner), before: wholeRoute(route) }
}

async function changeRoute(
  address: RouteAddress,
  row: Row,
  context: ApplyContext,
): Promise<Ensured> {
  const { options } = row
  const { site, operation, inSlot } = context
  const { gateway } = site
  const read = (present: Present): Promise<Route | undefined> =>
    present.route(address, row).catch(async (error: unknown) => {
      if (options.state !== 'absent' || !hasCode(error, 'NOT_FOUND')) throw error
      const { waitTimeout: timeout } = options
      await awaitGone(gateway, address, { timeout, unsent: true }, operation)
      return undefined
    })
  const first = { present: await read(context.present), at: gateway.clock.now() }
  return inSlot((slot) => {
    const send = (route: Route | undefined, sending: Operation): Promise<Ensured> =>
      changeFrom(route, row, context, slot, sending)
    // In the slot, and by itself: its change follows before it is too old again.
    const readAgain = (): Promise<Route | undefined> => read(ownReads(site, operation))
    return sendFresh(gateway, operation, readAgain, send, first)
  })
}

async function changeFrom(
  route: Route | undefined,
  row: Row,
  { site, operation, waiting }: ApplyContext,
  slot: Slot,
  first: Operation,
  /** The routes that exist before a create. */
  older?: RouteIndex,
): Promise<Ensured> {
  const { trace } = row
  const { gateway, deviceId } = site
  const one = planOn(site, row, route)
  refuseChanged(site, row, route)
  refusePlans(gateway, [one], operation)
  if (one.problems.length > 0) throw invalidInput(one.problems)

  const stepTo = (action: EnsureAction, present: Route | null): Step<unknown, Route | null> => {
    if (!present) return createStep(gateway, deviceId, one.fields!, older)
    const address = { deviceId, routeId: present.id }
    switch (action) {
      case 'delete':
        return deleteStep(gateway, address)
      case 'update': {
        const { fields } = planOn(site, row, present)
        const verdict = (now: Route): Sentence | undefined => {
          const { steps, diff } = planOn(site, row, now)
          return steps.includes('update') ? stillDiffers(diff) : undefined
        }
        return updateStep(gateway, address, { fields: fields!, present }, verdict)
      }
      default:
        return commandStep(gateway, address, action as 'start' | 'stop')
    }
  }

  const taking = { timeout: row.options.waitTimeout, slot, waiting }
  const seen = (now: Route | null): Route | null => now && comparable(gateway, deviceId, now)
  let after = route ?? null
  // What its own steps have changed since is left out of a later plan, but not of what it did.
  if (trace.steps.length === 0) {
    trace.plan = one
    trace.before = seen(after)
  }
  let sending = first
  for (const action of one.steps) {
    const step = stepTo(action, after)
    after = await ensureStep(gateway, step, taking, sending).catch((error: unknown) => {
      trace.isInDoubt = mayHaveArrived(error)
      throw error
    })
    trace.steps.push(action)
    trace.after = seen(after)
    // The wait for this step has just read the route.
    sending = first.under({ plannedAt: gateway.clock.now() })
  }
  const done = planned({ ...trace.plan, steps: trace.steps as Plan['steps'] })
  return { ...done, after: hideSecrets(after) }
}

export function planned({ steps, diff, left, before }: Plan): Ensured {
  const [only, ...others] = steps
  const action = only === undefined ? 'none' : others.length > 0 ? steps : only
  const told = hideSecrets(before)
  const changed = steps.length > 0
  return { changed, action, diff, ...(left && { left }), before: told, after: told }
}
