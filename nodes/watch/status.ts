import type { Node } from 'node-red'
import type { GatewayError } from '../../client/errors'
import type { WatchHealth } from '../../client/watch/report/subscription'
import { isTrouble, isWorse, type Health } from '../../client/model/health'
import { shortened } from '../../client/model/legible'
import type { Language } from '../../client/model/watch'
import { healthText } from '../../client/watch/text/health-text'
import { createFleetStatus, type FleetStatus } from '../runtime/fleet-status'
import { LAMPS, type Lamp } from '../runtime/lamp'
import { shortReason } from '../runtime/short-reason'
import { LONGEST_NAME, clockTime, type Words } from '../runtime/catalog'

/** The status of a node that watches. With an inventory, each appliance has its name there. */
export interface WatchStatus {
  /** It begins to watch an appliance. */
  add(appliance?: string): void
  remove(appliance?: string): void
  /** How what it watches is, which may be chosen routes only, and how well that is known. */
  show(health: WatchHealth, isChosen: boolean, appliance?: string): void
  /** It cannot watch: at all, or this appliance. */
  fail(failure: GatewayError, appliance?: string): void
  /** What is wrong with the inventory: all of it, or the rows that concern the node. */
  faulty: FleetStatus['faulty']
  /** Clears the status. */
  close(): void
}

type Known = NonNullable<WatchHealth['known']>

/** The worst of what is known: a route, or the device. */
interface Worst {
  lamp: Lamp
  health: Health
  route?: { id: string; name: string }
}

/** While nothing changes, a status for each poll would say nothing new, and costs more than the poll. */
const TIME_SHOWN_EVERY_MS = 10_000

/** Creates the status of one watch. Its texts are made only when they are shown. */
export function createWatchStatus(node: Node, words: Words, language: Language): WatchStatus {
  let shown = ''
  let shownAt = -Infinity
  let closed = false

  function show(lamp: Lamp, news: string, text: () => string): void {
    const now = performance.now()
    if (closed || (`${lamp} ${news}` === shown && now - shownAt < TIME_SHOWN_EVERY_MS)) return
    shown = `${lamp} ${news}`
    shownAt = now
    node.status({ ...LAMPS[lamp], text: text() })
  }

  function textOf(known: Known, { lamp, health, route }: Worst): string {
    const { running, routes, problems, waiting, seenAt } = known
    const say = (key: string, values: object): string => words(`watch:status.${key}`, { ...values })
    const time = clockTime(seenAt)
    if (!route && (lamp === 'away' || lamp === 'warning')) {
      return say('device', { reason: reasonOf(health, language), time })
    }
    if (route && (routes === 1 || problems === 1)) {
      const reason = reasonOf(health, language)
      return say('one', { name: nameBeside(reason, route), reason, time })
    }
    if (problems > 0) return say('problems', { running, routes, problems })
    if (waiting > 0) return say('waiting', { running, routes, waiting })
    return say('running', { running, routes, time })
  }

  return {
    add: () => undefined,
    remove: () => undefined,
    faulty: () => undefined,
    show({ known, failure, since, unreachable }, isChosen) {
      if (failure) {
        const key = unreachable && isSilent(failure) ? 'unreachable' : 'noData'
        return show(unreachable ? 'away' : 'failing', failure.code, () =>
          words(`watch:status.${key}`, {
            time: clockTime(since),
            reason: shortReason(failure, words),
          }),
        )
      }
      if (!known) return
      // A name with a typo must not look as if all were well.
      if (isChosen && known.routes === 0) {
        return show('failing', 'noRoute', () => words('watch:status.noRoute'))
      }
      const worst = worstOf(known)
      const { running, routes, problems, waiting } = known
      const news = `${running}/${routes} ${problems} ${waiting} ${newsIn(worst)}`
      show(worst.lamp, news, () => textOf(known, worst))
    },
    fail: (failure) => show('away', failure.code, () => shortReason(failure, words)),
    close() {
      // Node-RED would show it under the node that a deploy puts in its place.
      if (shownAt > -Infinity) node.status({})
      closed = true
    },
  }
}

/** Creates the status of a watch of many appliances. */
export function createFleetWatchStatus(node: Node, words: Words, language: Language): WatchStatus {
  const fleet = createFleetStatus(node, words, 'watch:status', language)
  const setFailure = (appliance: string, failure: GatewayError, isLasting: boolean): void =>
    fleet.set(appliance, {
      lamp: isLasting ? 'away' : 'failing',
      isUp: false,
      trouble: { key: failure.code, text: () => shortReason(failure, words) },
    })
  const nameOf = ({ health, route }: Worst): string => {
    const reason = reasonOf(health, language)
    return route ? `${nameBeside(reason, route)}: ${reason}` : reason
  }
  return {
    add: (appliance = '') => fleet.set(appliance),
    remove: (appliance = '') => fleet.remove(appliance),
    show({ known, failure, unreachable }, isChosen, appliance = '') {
      if (failure) return setFailure(appliance, failure, unreachable)
      if (!known) return
      if (isChosen && known.routes === 0) {
        const trouble = { key: 'noRoute', text: () => words('watch:status.noRoute') }
        return fleet.set(appliance, { lamp: 'failing', isUp: true, trouble })
      }
      const worst = worstOf(known)
      const { lamp, health } = worst
      const trouble =
        lamp === 'away' || isTrouble(health)
          ? { key: newsIn(worst), text: () => nameOf(worst) }
          : undefined
      fleet.set(appliance, { lamp, isUp: true, trouble })
    },
    fail(failure, appliance) {
      if (appliance === undefined) fleet.fail(failure)
      else setFailure(appliance, failure, true)
    },
    faulty: (failure, rows) => fleet.faulty(failure, rows),
    close: () => fleet.close(),
  }
}

/** While the device is not there, all that is known of its routes is old. */
function worstOf({ device, worst }: Known): Worst {
  if (device.sign === 'unknown') return { lamp: 'away', health: device }
  if (!worst || (isTrouble(device) && isWorse(device, worst.health))) {
    return { lamp: device.sign, health: device }
  }
  return { lamp: worst.health.sign, ...worst }
}

const newsIn = ({ route, health: { reason, output } }: Worst): string =>
  JSON.stringify([route?.name, reason, output])

/** In characters, of what Node-RED shows: the time, and the name of an output, leave this much. */
const ROOM = 29
const LEAST_NAME = 8

function reasonOf(health: Health, language: Language): string {
  const { output = '' } = health
  return healthText({ ...health, output: shortened(output, LEAST_NAME) }, language, true)
}

/** The reason is the news: the name has what it leaves. */
function nameBeside(reason: string, { id, name }: { id: string; name: string }): string {
  const room = Math.min(LONGEST_NAME, Math.max(LEAST_NAME, ROOM - reason.length))
  return shortened(name || id, room)
}

/** Otherwise the gateway has responded, though not to the poll. */
const isSilent = ({ code, cause }: GatewayError): boolean =>
  (code === 'UNAVAILABLE' || code === 'TIMEOUT') && cause.statusCode === undefined
