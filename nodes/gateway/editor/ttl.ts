// The warning below a lease TTL that is too short for a cluster.
import { DEFAULTS, RANGES } from '../../../client/model/ranges'
import { isShortTtl, numberIn } from '../../../client/model/settings'
import { field } from '../../editor/fields'
import { signIcon } from '../../editor/states'
import { text } from '../../editor/text'

/** Shows it while the two numbers need it; what a variable holds is not known here. */
export function prepareTtl(node: EditorNode): void {
  const place = document.querySelector<HTMLElement>('#media-gateway-short-ttl')!
  const [ttl, replicas] = [field(node, 'leaseTtl'), field(node, 'engineReplicas')]

  function show(): void {
    const seconds = numberIn(ttl.val() || DEFAULTS.leaseTtl, RANGES.leaseTtl)
    const isShort = seconds !== undefined && isShortTtl(seconds, Number(replicas.val()))
    if (isShort === place.hasChildNodes()) return
    place.replaceChildren(...(isShort ? [signIcon('warning'), ` ${text('hint.shortTtl')}`] : []))
  }

  for (const input of [ttl, replicas]) {
    for (const event of ['change', 'keyup']) input.on(event, show)
  }
  show()
}
