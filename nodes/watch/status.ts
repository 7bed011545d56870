import type { Node } from 'node-red'
import type { GatewayError, Health } from '../../client/internal'
import { briefly } from '../runtime/reason'
import { clockTime, type Words } from '../runtime/words'

/** The status of a node that watches. */
export interface WatchStatus {
  /** How well it knows what it watches, which may be chosen routes only. */
  show(health: Health, isChosen: boolean): void
  /** It cannot watch. */
  fail(failure: GatewayError): void
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
      closed = true
    },
  }
}

/** Otherwise the gateway has responded, though not to the poll. */
const isSilent = ({ code, cause }: GatewayError): boolean =>
  (code === 'UNAVAILABLE' || code === 'TIMEOUT') && cause.statusCode === undefined
