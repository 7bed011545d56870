import type { Node } from 'node-red'
import type { GatewayError, Health } from '../../client/internal'
import type { Language } from '../../client/model/watch'
import { createFleetStatus, type FleetStatus, type Standing } from '../runtime/fleet-status'
import { briefly } from '../runtime/reason'
import { clockTime, type Words } from '../runtime/words'

/** The status of a node that watches. With an inventory, each appliance has its name there. */
export interface WatchStatus {
  /** It begins to watch an appliance. */
  add(appliance?: string): void
  remove(appliance?: string): void
  /** How well it knows what it watches, which may be chosen routes only. */
  show(health: Health, isChosen: boolean, appliance?: string): void
  /** It cannot watch: at all, or this appliance. */
  fail(failure: GatewayError, appliance?: string): void
  /** What is wrong with the inventory: all of it, or the rows that concern the node. */
  faulty: FleetStatus['faulty']
  /** Clears the status. */
  close(): void
}

type Fill = 'green' | 'yellow' | 'red'

/** While all is well, a status for each poll would say nothing new, and costs more than the poll. */
const TIME_SHOWN_EVERY_MS = 10_000

/** Creates the status of one watch. Its texts are made only when they are shown. */
export function createWatchStatus(node: Node, words: Words): WatchStatus {
  let shown = ''
  let shownAt = -Infinity
  let closed = false

  function show(fill: Fill, news: string, text: () => string): void {
    const now = performance.now()
    if (closed || (news === shown && now - shownAt < TIME_SHOWN_EVERY_MS)) return
    shown = news
    shownAt = now
    node.status({ fill, shape: fill === 'green' ? 'dot' : 'ring', text: text() })
  }

  return {
    add: () => undefined,
    remove: () => undefined,
    faulty: () => undefined,
    show({ known, failure, since, unreachable }, isChosen) {
      if (failure) {
        const key = unreachable && isSilent(failure) ? 'unreachable' : 'noData'
        return show(unreachable ? 'red' : 'yellow', `${unreachable} ${failure.code}`, () =>
          words(`watch:status.${key}`, {
            time: clockTime(since),
            reason: briefly(failure, words),
          }),
        )
      }
      if (!known) return
      const { running, routes, seenAt } = known
      // A name with a typo must not look as if all were well.
      if (isChosen && routes === 0) return show('yellow', '', () => words('watch:status.noRoute'))
      show('green', `${running}/${routes}`, () =>
        words('watch:status.running', { running, routes, time: clockTime(seenAt) }),
      )
    },
    fail: (failure) => show('red', failure.code, () => briefly(failure, words)),
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
  const troubled = (failure: GatewayError, isUnreachable: boolean): Standing => ({
    fill: isUnreachable ? 'red' : 'yellow',
    isUp: false,
    trouble: { key: failure.code, text: () => briefly(failure, words) },
  })
  const noRoute: Standing = {
    fill: 'yellow',
    isUp: true,
    trouble: { key: 'noRoute', text: () => words('watch:status.noRoute') },
  }
  return {
    add: (appliance = '') => fleet.set(appliance),
    remove: (appliance = '') => fleet.remove(appliance),
    show({ known, failure, unreachable }, isChosen, appliance = '') {
      if (failure) return fleet.set(appliance, troubled(failure, unreachable))
      if (!known) return
      fleet.set(appliance, isChosen && known.routes === 0 ? noRoute : GOOD)
    },
    fail(failure, appliance) {
      if (appliance === undefined) fleet.fail(failure)
      else fleet.set(appliance, troubled(failure, true))
    },
    faulty: (failure, rows) => fleet.faulty(failure, rows),
    close: () => fleet.close(),
  }
}

const GOOD: Standing = { fill: 'green', isUp: true }

/** Otherwise the gateway has responded, though not to the poll. */
const isSilent = ({ code, cause }: GatewayError): boolean =>
  (code === 'UNAVAILABLE' || code === 'TIMEOUT') && cause.statusCode === undefined
