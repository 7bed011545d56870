// An appliance of an inventory while it is closed: its name, how it is, and what is known of it.
import { element } from '../../editor/element'
import { conditionOf } from '../../editor/inventory'
import { sentenceOf } from '../../editor/failures'
import type { Sign } from '../../editor/states'
import type { FleetRow } from '../../wire'
import { FAILOVER_FACTS } from './failover'
import { factsOfKnown } from './health'
import { createHead } from './head'
import { text } from './text'

export interface FleetRowView {
  readonly element: HTMLElement
  show(row: FleetRow, isOld: boolean): void
  /** It keeps its place, but nothing new is known of it. */
  age(): void
  focus(): void
}

/** Failovers of which somebody should know. */
const countsOf = ({ failovers = {} }: FleetRow) =>
  FAILOVER_FACTS.flatMap((fact) => {
    const number = failovers[fact] ?? 0
    return number > 0 ? [{ fact, number }] : []
  })

export function signOfRow(row: FleetRow): Sign {
  const { sign } = conditionOf(row)
  const [worst] = countsOf(row)
  if (sign === 'critical' || worst?.fact === 'unprotected') return 'critical'
  return worst && worst.fact !== 'held' ? 'warning' : sign
}

export const isInTrouble = (row: FleetRow): boolean =>
  ['critical', 'warning'].includes(signOfRow(row))

export function createFleetRow(id: string, name: string, onOpen: () => void): FleetRowView {
  const head = createHead(id, id, onOpen)
  const row = element('div.media-gateway-sidebar-appliance', { id }, ...head.elements)
  row.dataset['appliance'] = name

  return {
    element: row,
    show(shown, isOld) {
      row.classList.toggle('media-gateway-sidebar-old', isOld)
      const { key } = conditionOf(shown)
      const device = shown.health?.known?.device
      const isAway = key === 'reachable' && device?.sign === 'unknown'
      head.show({
        title: name,
        address: shown.address,
        isOpen: false,
        tone: signOfRow(shown),
        word: isAway ? device.text : text(`health.${key}`),
        isQuiet: key === 'reachable' && !isAway,
        facts: factsOf(shown, isOld),
        more: [shown.address],
      })
    },
    age: () => row.classList.add('media-gateway-sidebar-old'),
    focus: () => head.focus(),
  }
}

function factsOf(row: FleetRow, isOld: boolean): string[] {
  const { health, address } = row
  const known = health?.known
  const facts = factsOfKnown(known, isOld || known?.isOld === true, true)
  for (const { fact, number } of countsOf(row)) {
    facts.push(text(`failover.fact.${fact}`, { number }))
  }
  if (!known && health?.failure) facts.push(sentenceOf(health.failure))
  return facts.length > 0 ? facts : [address]
}
