import type { Node } from 'node-red'
import type { GatewayError } from '../../client/errors'
import type { Language } from '../../client/model/watch'
import { healthText } from '../../client/watch/text/health-text'
import { createLamp } from '../runtime/lamp'
import { shortReason } from '../runtime/short-reason'
import type { Words } from '../runtime/catalog'
import type { Followed } from './follow'

export function createMetricsStatus(node: Node, words: Words, language: Language) {
  const numbers = new Intl.NumberFormat(language)
  const { show, isShown, close } = createLamp(node)

  const counted = (key: string, number: number): string =>
    words(`metrics:status.${key}${number === 1 ? 'One' : ''}`, { number: numbers.format(number) })

  return {
    show(followed: readonly Followed[]): void {
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
      if (waiting === followed.length && (waiting > 0 || !isShown())) return
      if (up === 0 && reason) return show('away', reason)
      const known = { routes: counted('routes', routes), gateways: counted('gateways', up) }
      const lamp = followed.length === 0 ? 'failing' : waiting > 0 ? 'unknown' : 'ok'
      if (!reason) return show(lamp, words('metrics:status.known', known))
      const all = numbers.format(followed.length)
      show('failing', words('metrics:status.some', { ...known, up: numbers.format(up), all }))
    },
    fail: (failure: GatewayError) => show('away', shortReason(failure, words)),
    close,
  }
}
