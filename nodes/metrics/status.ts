import type { Node } from 'node-red'
import type { GatewayError } from '../../client/errors'
import type { Language } from '../../client/model/watch'
import { healthText } from '../../client/watch/text/health-text'
import { shortReason } from '../runtime/short-reason'
import type { Words } from '../runtime/catalog'
import type { Followed } from './follow'

/** The status of a metrics node. */
export interface MetricsStatus {
  /** What is known of its gateways. */
  show(followed: readonly Followed[]): void
  /** It cannot work. */
  fail(failure: GatewayError): void
  /** Clears the status. */
  close(): void
}

type Fill = 'green' | 'yellow' | 'red'

/** Creates the status of one node. It is set only when it says something new. */
export function createMetricsStatus(node: Node, words: Words, language: Language): MetricsStatus {
  const numbers = new Intl.NumberFormat(language)
  let shown = ''
  let closed = false

  function set(fill: Fill, text: string): void {
    if (closed || `${fill} ${text}` === shown) return
    shown = `${fill} ${text}`
    node.status({ fill, shape: fill === 'green' ? 'dot' : 'ring', text })
  }

  const counted = (key: string, number: number): string =>
    words(`metrics:status.${key}${number === 1 ? 'One' : ''}`, { number: numbers.format(number) })

  return {
    show(followed) {
      let routes = 0
      let up = 0
      let waiting = 0
      let reason: string | undefined
      for (const { health, failure } of followed) {
        const problem = failure ?? health?.failure
        const known = health?.known
        if (problem) reason ??= shortReason(problem, words)
        else if (known?.device.sign === 'unknown')
          reason ??= healthText(known.device, language, true)
        else if (known) {
          up++
          routes += known.routes
        } else waiting++
      }
      // Before the first polls there is nothing to say.
      if (waiting === followed.length && (waiting > 0 || shown === '')) return
      if (up === 0 && reason) return set('red', reason)
      const known = { routes: counted('routes', routes), gateways: counted('gateways', up) }
      const fill = followed.length > 0 ? 'green' : 'yellow'
      if (!reason) return set(fill, words('metrics:status.known', known))
      const all = numbers.format(followed.length)
      set('yellow', words('metrics:status.some', { ...known, up: numbers.format(up), all }))
    },
    fail: (failure) => set('red', shortReason(failure, words)),
    close() {
      // Node-RED would show it under the node that a deploy puts in its place.
      if (shown !== '') node.status({})
      closed = true
    },
  }
}
