import type { Node } from 'node-red'
import type { GatewayError } from '../../client/errors'
import type { WatchHealth } from '../../client/watch/report/subscription'
import { isTrouble, isWorse, type Health } from '../../client/model/health'
import { shortened } from '../../client/model/legible'
import type { Language } from '../../client/model/watch'
import { healthText } from '../../client/watch/text/health-text'
import { createFleetStatus, type FleetStatus, type Standing } from '../runtime/fleet-status'
import { createLamp, type Lamp } from '../runtime/lamp'
import { shortReason } from '../runtime/short-reason'
import { LONGEST_NAME, clockTime, type Words } from '../runtime/catalog'

type Known = NonNullable<WatchHealth['known']>

/** The worst of what is known: a route, or the device. */
interface Worst {
  lamp: Lamp
  health: Health
  route?: { id: string; name: string }
}

/** While nothing changes, a status for each poll would say nothing new, and costs more than the poll. */
const TIME_SHOWN_EVERY_MS = 10_000

/** With an inventory, each appliance has its name there. Texts are made only when they are shown. */
export function createWatchStatus(
  node: Node,
  words: Words,
  { hasInventory, language }: { hasInventory: boolean; language: Language },
) {
  const fleet = hasInventory ? createFleetStatus(node, words, 'watch:status', language) : undefined
  const single = createLamp(node)
  let latest = ''
  let shownAt = -Infinity

  /** @param news what the text is about, for an appliance that is the only one */
  function set(name: string, standing: Standing, news: string, text: () => string): void {
    if (fleet) return fleet.set(name, standing)
    const { lamp } = standing
    const now = performance.now()
    if (`${lamp} ${news}` === latest && now - shownAt < TIME_SHOWN_EVERY_MS) return
    latest = `${lamp} ${news}`
    shownAt = now
    // An editor that has just taken over the deploy of somebody else has missed the one before.
    single.show(lamp, text(), true)
  }

  /** @param text for an appliance that is the only one; of one of many only the reason is said */
  function setFailure(
    name: string,
    failure: GatewayError,
    lamp: Lamp,
    text = (reason: string): string => reason,
  ): void {
    const { code: key } = failure
    const reason = (): string => shortReason(failure, words)
    const standing = { lamp, isUp: false, trouble: { key, text: reason } }
    set(name, standing, key, () => text(reason()))
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

  const nameOf = ({ health, route }: Worst): string => {
    const reason = reasonOf(health, language)
    return route ? `${nameBeside(reason, route)}: ${reason}` : reason
  }

  return {
    /** It begins to watch an appliance. */
    add: (name = '') => fleet?.set(name),
    remove: (name = '') => fleet?.remove(name),
    /** How what it watches is, which may be chosen routes only, and how well that is known. */
    show(health: WatchHealth, isChosen: boolean, name = ''): void {
      const { known, failure, since, unreachable } = health
      if (failure) {
        const key = unreachable && isSilent(failure) ? 'unreachable' : 'noData'
        return setFailure(name, failure, unreachable ? 'away' : 'failing', (reason) =>
          words(`watch:status.${key}`, { time: clockTime(since), reason }),
        )
      }
      if (!known) return
      // A name with a typo must not look as if all were well.
      if (isChosen && known.routes === 0) {
        const trouble = { key: 'noRoute', text: () => words('watch:status.noRoute') }
        return set(name, { lamp: 'failing', isUp: true, trouble }, trouble.key, trouble.text)
      }
      const worst = worstOf(known)
      const { lamp } = worst
      const key = newsIn(worst)
      const isBad = lamp === 'away' || isTrouble(worst.health)
      const trouble = isBad ? { key, text: () => nameOf(worst) } : undefined
      const { running, routes, problems, waiting } = known
      const news = `${running}/${routes} ${problems} ${waiting} ${key}`
      set(name, { lamp, isUp: true, trouble }, news, () => textOf(known, worst))
    },
    /** It cannot watch: at all, or this appliance. */
    fail(failure: GatewayError, name?: string): void {
      if (fleet && name === undefined) fleet.fail(failure)
      else setFailure(name ?? '', failure, 'away')
    },
    /** What is wrong with the inventory: all of it, or the rows that concern the node. */
    faulty: (...faults: Parameters<FleetStatus['faulty']>) => fleet?.faulty(...faults),
    close(): void {
      fleet?.close()
      single.close()
    },
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
