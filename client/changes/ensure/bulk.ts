import {
  type ErrorCause,
  type ErrorCode,
  GatewayError,
  afterChanges,
  closedError,
  hasCode,
  mayHaveArrived,
  reported,
  restated,
  withoutLabels,
  say,
  words,
  type Sentence,
} from '../../errors'
import { createSemaphore, type Semaphore } from '../../connection/concurrency'
import type { Connection } from '../../connection/connection'
import type { Operation } from '../../connection/operation'
import { stopAfter } from '../../stop'
import { apply, type Ensured, type InSlot } from './apply'
import { labelOf } from '../find'
import type { ApplyOptions, EnsureAction, Site, Row } from './plan'
import { refusePlans } from '../protected'
import { refuseSharedPlans } from '../shared'
import { ownReads, sharedReads } from './reads'

/** The result of a row that failed in a bulk. */
export interface EnsureFailure {
  /** True unless it is certain that nothing was changed. */
  changed: boolean
  /** What was done before it failed. */
  action: EnsureAction[]
  error: { code: ErrorCode; message: string; cause: ErrorCause }
}

/** More rows than these share their reads. */
const MANY = 16
/** Rows at once that have their turn and a list that was requested after that. */
const READY_AT_ONCE = 128
/** Rows whose change was sent and has not been seen yet. */
const SENT_AT_ONCE = 128
/** Milliseconds after a stop for what was sent to show: so next to nothing is left in doubt. */
const GRACE = 1200
/** This many rows, one after the other, to which the appliance did not respond end a bulk. */
const MOST_UNANSWERED = 3

export interface Apply extends Site, Pick<ApplyOptions, 'waitTimeout'> {
  /** The result of each row is wanted, also where it failed. */
  isList: boolean
  /** Called when a row of a list is done, with how many are, of how many. */
  onProgress?: (done: number, rows: number) => void
}

/** Applies plans that need no confirmation, or have it. @throws GatewayError */
export function applyRows(
  rows: readonly Row[],
  how: Apply,
  operation: Operation,
): Promise<Ensured | Array<Ensured | EnsureFailure>> {
  const plans = rows.map((row) => row.plan)
  refusePlans(how.gateway, plans, operation)
  refuseSharedPlans(plans, operation)
  const [first] = rows
  return how.isList || !first ? applyAll(rows, how, operation) : applyAlone(first, how, operation)
}

/**
 * A row that fails has its error in its result. Deletes go first: others may take their ports.
 * @throws GatewayError `CLOSED` when it was stopped
 */
async function applyAll(
  rows: readonly Row[],
  { gateway, deviceId, waitTimeout, onProgress }: Apply,
  whole: Operation,
): Promise<Array<Ensured | EnsureFailure>> {
  const operation = whole.under({ background: true })
  const { stop, end } = stopAfter(whole.stop, GRACE, gateway.clock)
  const waiting = whole.under({ stop, uninterruptible: true })
  const site = { gateway, deviceId }
  const isBulk = rows.filter(({ plan: { steps } }) => steps.length > 0).length > MANY
  const present = isBulk ? sharedReads(site, waitTimeout, operation) : ownReads(site, operation)
  const ready = createSemaphore(READY_AT_ONCE)
  const sending = createSemaphore(gateway.concurrency)
  const sent = createSemaphore(SENT_AT_ONCE)
  let done = 0
  let unanswered = 0

  const applyOne = async (row: Row, endReady: () => void): Promise<Ensured | EnsureFailure> => {
    const own = operation.under({ route: labelOf(row.wanted) })
    const inSlot: InSlot = (change) =>
      withSlot(sending, (endSending) =>
        withSlot(sent, async (endSent) => {
          if (unanswered >= MOST_UNANSWERED) throw notTried()
          const leave = (): void => {
            endSending()
            endReady()
          }
          return change({ sent: leave, seen: endSent })
        }),
      )
    try {
      const result = await apply(row, { site, operation: own, waiting, present, inSlot })
      if (result.changed) unanswered = 0
      return result
    } catch (error) {
      if (hasCode(error, 'UNAVAILABLE', 'TIMEOUT', 'OUTCOME_UNKNOWN')) unanswered++
      return failed(error, row.trace.steps, own, gateway)
    } finally {
      onProgress?.(++done, rows.length)
    }
  }
  const results = new Map<Row, Ensured | EnsureFailure>()
  const applyThose = (some: readonly Row[]): Promise<unknown> =>
    Promise.all(
      some.map(async (row) => {
        results.set(row, await withSlot(ready, (leave) => applyOne(row, leave)))
      }),
    )
  const isDeleted = ({ plan: { steps } }: Row): boolean => steps.includes('delete')
  const work = async (): Promise<void> => {
    await applyThose(rows.filter(isDeleted))
    await applyThose(rows.filter((row) => !isDeleted(row)))
  }
  await gateway.protect(work().finally(end))
  const inOrder = rows.map((row) => results.get(row)!)
  throwIfClosed(inOrder, rows)
  return inOrder
}

async function applyAlone(row: Row, site: Site, operation: Operation): Promise<Ensured> {
  // An undo has no input that names it.
  operation.route ??= labelOf(row.wanted)
  try {
    return await apply(row, {
      site,
      operation,
      waiting: operation,
      present: ownReads(site, operation),
      inSlot: (change) => change({ sent: () => undefined, seen: () => undefined }),
    })
  } catch (error) {
    throw error instanceof GatewayError ? afterSteps(error, row.trace.steps, operation) : error
  }
}

/** Runs work in a slot, which it may leave before it has ended. */
function withSlot<T>(slots: Semaphore, work: (leave: () => void) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stay = (): Promise<void> =>
      new Promise((leave) => {
        work(leave).then(resolve, reject).finally(leave)
      })
    slots.run(stay).catch(reject)
  })
}

const notTried = (): GatewayError =>
  new GatewayError('UNAVAILABLE', say('rowNotSent'), { applied: 'no' })

function failed(
  error: unknown,
  done: EnsureAction[],
  operation: Operation,
  { identity }: Connection,
): EnsureFailure {
  if (!(error instanceof GatewayError)) throw error
  const failure = reported(afterSteps(error, done, operation), operation, identity)
  const { code, message, cause } = failure
  return { changed: mayHaveArrived(failure), action: done, error: { code, message, cause } }
}

/** A stopped bulk throws, with what it has changed in `applied` and the rows in doubt in `problems`. */
function throwIfClosed(
  results: ReadonlyArray<Ensured | EnsureFailure>,
  rows: readonly Row[],
): void {
  const isClosed = results.some((row) => 'error' in row && row.error.code === 'CLOSED')
  if (!isClosed) return
  const doubts = results.flatMap((row, index) => {
    const isInDoubt = 'error' in row && row.error.cause.applied === 'maybe'
    return isInDoubt ? [{ index, name: labelOf(rows[index]!.wanted) }] : []
  })
  const isChanged = results.some((row) =>
    'error' in row ? row.error.cause.applied === 'yes' : row.changed,
  )
  if (!isChanged && doubts.length === 0) throw closedError()
  const names = doubts.slice(0, 5).map(({ name }) => `"${name}"`)
  if (doubts.length > names.length) names.push(`${doubts.length - names.length} more`)
  const said: Sentence[] = [
    words(
      isChanged
        ? 'The call was stopped after a part of the changes on __host__ had been applied.'
        : 'The call was stopped.',
    ),
  ]
  if (names.length > 0) {
    const sent = 'Sent, but not confirmed: __names__. Check these routes.'
    said.push(words(sent, { names: names.join(', ') }))
  }
  throw new GatewayError('CLOSED', said, {
    applied: isChanged ? 'yes' : 'maybe',
    problems: doubts.map(({ index, name }) => ({
      path: `[${index}]`,
      problem: `"${name}" was sent and had not been confirmed yet: check the gateway`,
    })),
  })
}

/** The error of a row, with the steps before it: a create, a delete and a start are the last step. */
function afterSteps(
  error: GatewayError,
  done: readonly EnsureAction[],
  { route = '' }: Operation,
): GatewayError {
  const last = done.at(-1)
  if (last === undefined) return error
  const failure = afterChanges(error, 'yes')
  const [state, news] = last === 'stop' ? AFTER_STOP : AFTER_UPDATE
  const before = words(state, { route, done: done.join(', ') }, news)
  return restated(failure, [before, ...withoutLabels(failure.sentences)])
}

const AFTER_STOP = [
  'Route "__route__" is stopped now: __done__ was applied, but the next step failed.',
  'afterStop',
] as const
const AFTER_UPDATE = [
  'Route "__route__" was changed (__done__), but the next step failed.',
  'afterChange',
] as const
