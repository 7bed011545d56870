// One change of one route: what is sent, what is remembered of it, and how it shows.
import { sendCommand } from '../api/commands'
import { sendChange } from '../api/routes'
import type { Connection } from '../connection/connection'
import { OutdatedPlan, type Operation } from '../connection/operation'
import { hasCode, mayHaveArrived, say, words, type Sentence } from '../errors'
import { toSent } from '../model/convert'
import type { RouteIndex } from '../model/route-index'
import { isOn, isPending, isRunning, stateOf } from '../model/route-state'
import { hideSecrets } from '../model/secrets'
import type { CommandAnswer, Route, RouteFields, UpdateAnswer } from '../model/types'
import { forgetUnseen, noteSeen, rememberUnseen, type Change, type Place } from '../unseen'
import { judgeMissing } from '../watch/life/missing-routes'
import type { RouteAddress } from './find'
import { forgetSecrets, rememberSecrets } from './known-secrets'
import { awaitChange, awaitRoute, type Expectation } from './wait'

export interface Waiting {
  /** `accepted`: until the appliance's response. `applied`: until the change shows. */
  waitFor: 'accepted' | 'applied'
  /** Milliseconds, for `applied`. */
  waitTimeout: number
}

/** A change: its request, where it shows, and what is remembered until then. */
export interface Sending<Answer> {
  place: Place
  change: Change
  send: (operation: Operation) => Promise<Answer>
}

export interface Step<Answer, Shown> extends Sending<Answer> {
  /**
   * @param onMissing called when a route that is to be deleted is missing for the first time
   * @throws GatewayError `NOT_CONFIRMED`
   */
  show: (timeout: number, operation: Operation, onMissing?: () => void) => Promise<Shown>
}

/** Sends a change and remembers it until a read shows it. */
export async function sendStep<Answer>(
  gateway: Connection,
  { place, change, send }: Sending<Answer>,
  operation: Operation,
): Promise<Answer> {
  const { accepted, forget } = rememberUnseen(gateway, place, change)
  try {
    const answer = await send(operation)
    accepted()
    return answer
  } catch (error) {
    if (!mayHaveArrived(error)) forget()
    throw error
  }
}

/** A lost response is `OUTCOME_UNKNOWN` at once. @returns with `applied` also the route, secrets hidden */
export async function takeStep<Answer, Shown extends Route | null>(
  gateway: Connection,
  step: Step<Answer, Shown>,
  { waitFor, waitTimeout }: Waiting,
  operation: Operation,
  sending = operation,
): Promise<{ answer: Answer; route?: Shown }> {
  const answer = await sendStep(gateway, step, sending)
  if (waitFor === 'accepted') return { answer }
  return { answer, route: hideSecrets(await step.show(waitTimeout, operation)) }
}

/** A change that runs among others makes room for them before it ends. */
export interface Slot {
  /** The appliance has responded: another change may be sent. */
  sent: () => void
  /** The change shows: another one may be in doubt. */
  seen: () => void
}

/**
 * After a lost response, a change that shows was applied; the outcome of another one stays unknown. A
 * delete that finds no route only waits.
 */
export async function ensureStep<Shown>(
  gateway: Connection,
  step: Step<unknown, Shown>,
  { timeout, slot, waiting }: { timeout: number; slot: Slot; waiting: Operation },
  sending: Operation,
): Promise<Shown> {
  const { place, change } = step
  let lost: unknown
  try {
    await sendStep(gateway, step, sending)
  } catch (error) {
    // Nothing was sent: it is planned again.
    if (error instanceof OutdatedPlan) throw error
    if (mayHaveArrived(error)) lost = error
    else if (change.kind !== 'delete' || !hasCode(error, 'NOT_FOUND')) {
      slot.sent()
      throw error
    }
  }
  slot.sent()
  try {
    return await step.show(timeout, waiting, slot.seen)
  } catch (error) {
    if (!lost || !hasCode(error, 'NOT_CONFIRMED')) throw error
    // What an update may still add counts until it shows.
    if (change.kind !== 'update') forgetUnseen(gateway, place, change.kind)
    throw lost
  }
}

/** @param older the routes that existed before it: the new one is found by its name */
export function createStep(
  gateway: Connection,
  deviceId: string,
  fields: RouteFields,
  older?: RouteIndex,
): Step<UpdateAnswer, Route> {
  const find = (routes: RouteIndex): Route | undefined =>
    routes.byName(fields.name).find(({ id }) => !older?.byId(id))
  const verdict = (created: Route): Sentence | undefined => {
    const { destinations } = created as { destinations: unknown }
    // Where a list has none at all, it does not show them.
    if (Array.isArray(destinations) && destinations.length < fields.destinations.length)
      return words('It does not have all of its destinations.')
    return fields.startRoute && !isRunning(created) ? say('lastNotRunning') : undefined
  }
  const absence = words('There is no new route with this name.')
  return {
    place: { deviceId, name: fields.name },
    change: { kind: 'create', older },
    send: (operation) => sendChange(gateway, { action: 'create', deviceId, fields }, operation),
    async show(timeout, operation) {
      const awaited = { deviceId, find, absence, verdict, timeout }
      const route = await awaitRoute(gateway, awaited, operation)
      rememberSecrets(gateway, { deviceId, routeId: route.id }, fields)
      return route
    },
  }
}

interface Update {
  fields: RouteFields
  present?: Route
}

/** An update that only a poll will show. */
export function updateSending(
  gateway: Connection,
  address: RouteAddress,
  { fields, present }: Update,
): Sending<UpdateAnswer> {
  return {
    place: address,
    change: {
      kind: 'update',
      fields,
      before: present && toSent(present),
      amongOthers: present && isPending(present),
    },
    async send(operation) {
      try {
        const answer = await sendChange(
          gateway,
          { ...address, action: 'update', fields },
          operation,
        )
        rememberSecrets(gateway, address, fields)
        return answer
      } catch (error) {
        if (mayHaveArrived(error)) forgetSecrets(gateway, address)
        throw error
      }
    },
  }
}

/** @param verdict says what is seen instead of the update */
export const updateStep = (
  gateway: Connection,
  address: RouteAddress,
  update: Update,
  verdict: (route: Route) => Sentence | undefined,
): Step<UpdateAnswer, Route> => ({
  ...updateSending(gateway, address, update),
  async show(timeout, operation) {
    const route = await awaitRoute(gateway, { ...address, verdict, timeout }, operation)
    noteSeen(gateway, address, 'update')
    return route
  },
})

export const deleteStep = (
  gateway: Connection,
  address: RouteAddress,
): Step<UpdateAnswer, null> => ({
  place: address,
  change: { kind: 'delete' },
  send: (operation) => sendChange(gateway, { ...address, action: 'delete' }, operation),
  async show(timeout, operation, onMissing) {
    await awaitGone(gateway, address, { timeout, onMissing }, operation)
    forgetUnseen(gateway, address)
    forgetSecrets(gateway, address)
    return null
  },
})

interface Commanded extends RouteAddress {
  destinationId?: string
  /** Something was under way before the command: that does not have to end. */
  wasPending?: boolean
}

/** A start or a stop. Its `send` is that of a route: firmware differs in the one for destinations. */
export function commandStep(
  gateway: Connection,
  { deviceId, routeId, destinationId, wasPending }: Commanded,
  kind: 'start' | 'stop',
): Step<CommandAnswer | UpdateAnswer, Route> {
  const place = { deviceId, routeId }
  const verdict = (route: Route): Sentence | undefined => {
    const now = stateOf(route, destinationId)
    if (now === undefined) return say('lastNoDestination')
    if (now === (kind === 'start' ? 'running' : 'stopped')) return undefined
    if (kind === 'stop') return say('lastNotStopped')
    const isHeldBack = destinationId !== undefined && !isRunning(route)
    return say(isHeldBack ? 'lastRouteNotRunning' : 'lastNotRunning')
  }
  return {
    place,
    change: { kind, destinationId, amongOthers: wasPending },
    send: (operation) => sendCommand(gateway, { ...place, command: `${kind}-route` }, operation),
    show: (timeout, operation) =>
      awaitRoute(gateway, { ...place, verdict, wasPending, timeout }, operation),
  }
}

/**
 * Waits until the route is certainly gone.
 * @param options.unsent true when no change was sent because the route was not found
 * @param options.onMissing called when a poll shows the first time that it is missing
 */
export function awaitGone(
  gateway: Connection,
  { deviceId, routeId }: RouteAddress,
  { onMissing, ...options }: { timeout: number; unsent?: boolean; onMissing?: () => void },
  operation: Operation,
): Promise<true> {
  let missingSince: number | undefined
  const judge: Expectation<true>['judge'] = async (routes, evidence) => {
    const route = routes.byId(routeId)
    if (route) {
      missingSince = undefined
      const isUnderWay = isOn(route.hasPendingDelete)
      return { instead: isUnderWay ? say('lastPending') : words('The route still exists.') }
    }
    const found = await evidence(routeId)
    const verdict = judgeMissing(found, missingSince, gateway.clock.now())
    if (verdict === 'gone') return { seen: true }
    const again = missingSince === undefined && verdict !== undefined
    missingSince = verdict
    if (verdict !== undefined) onMissing?.()
    if (found.itself === 'there') return { instead: words('The route is still listed.') }
    return {
      again,
      instead: words(
        found.isUnlisted
          ? 'The route is missing, which one more poll has to confirm.'
          : 'The route is missing from a list that may not be complete.',
      ),
    }
  }
  return awaitChange(gateway, { deviceId, routeId, judge, ...options }, operation)
}
