// Commands that were sent, until their effect shows in the state.
import { isOn, isRunning } from '../../editor/states'
import type { Command as Asked } from '../../wire'
import type { Route } from './route'

export type Action = Asked['action']

/** Protected routes are only started from here. */
export const isBlocked = (action: Action, { isProtected }: Route): boolean =>
  isProtected && action !== 'start'

export interface Target {
  routeId: string
  destinationId?: string
}

interface Sent extends Target {
  action: Action
  name: string
  /** Unix ms; undefined while the appliance has not accepted. */
  acceptedAt?: number
}

/** After this, a command counts as having had no effect. */
const LIMIT_MS = 60_000

const keyOf = ({ routeId, destinationId = '' }: Target): string => `${routeId} ${destinationId}`

export function createCommands() {
  const sent = new Map<string, Sent>()
  return {
    get isWaiting() {
      return sent.size > 0
    },
    /** @param isOld once it was accepted, nobody knows what has become of it */
    waiting: (target: Target, isOld = false): Action | undefined => {
      const command = sent.get(keyOf(target))
      return isOld && command?.acceptedAt !== undefined ? undefined : command?.action
    },
    send: (command: Sent) => void sent.set(keyOf(command), { ...command }),
    answered(target: Target, isAccepted: boolean): void {
      const command = sent.get(keyOf(target))
      if (!isAccepted) sent.delete(keyOf(target))
      else if (command) command.acceptedAt = Date.now()
    },
    /** Takes out the commands whose effect shows, and those whose effect is overdue. */
    settle(routes: readonly Route[]): { done: Sent[]; late: Sent[] } {
      const [done, late]: [Sent[], Sent[]] = [[], []]
      for (const [key, command] of sent) {
        if (command.acceptedAt === undefined) continue
        const state = isOnAir(routes, command)
        const isLate = Date.now() - command.acceptedAt > LIMIT_MS
        if (state === (command.action !== 'stop')) done.push(command)
        else if (state !== undefined && isLate) late.push(command)
        else if (state !== undefined) continue
        sent.delete(key)
      }
      return { done, late }
    },
  }
}

/** Whether a route or destination is on; undefined when it is gone. */
export function isOnAir(
  routes: readonly Route[],
  { routeId, destinationId }: Target,
): boolean | undefined {
  const route = routes.find(({ id }) => id === routeId)
  if (!route || destinationId === undefined) return route && isRunning(route)
  const destination = route.destinations.find(({ id }) => id === destinationId)
  return destination && isOn(destination)
}
