// An appliance of an inventory while it is closed: its name, how it is, and what is known of it.
import { sentenceOf } from '../../editor/ask'
import { element } from '../../editor/element'
import { reachOf, signOfListed } from '../../editor/inventory'
import type { Sign } from '../../editor/states'
import type { FleetRow } from '../../wire'
import { factsOfFailovers } from './failover'
import { factsOfKnown } from './health'
import { createHead } from './head'
import { text } from './text'

export type FleetRowView = ReturnType<typeof createFleetRow>

export function signOfRow(row: FleetRow): Sign {
  const sign = signOfListed(row)
  const { held: _, ...wrong } = row.failovers ?? {}
  if (sign === 'critical' || wrong.unprotected) return 'critical'
  return Object.keys(wrong).length > 0 ? 'warning' : sign
}

export const isInTrouble = (row: FleetRow): boolean =>
  ['critical', 'warning'].includes(signOfRow(row))

export function createFleetRow(id: string, name: string, onOpen: () => void) {
  const head = createHead(id, id, onOpen)
  const named = { id, 'data-appliance': name }
  const row = element('div.media-gateway-sidebar-appliance', named, ...head.elements)

  return {
    element: row,
    show(shown: FleetRow, isOld: boolean): void {
      row.classList.toggle('media-gateway-sidebar-old', isOld)
      const reach = reachOf(shown)
      const device = shown.health?.known?.device
      head.show({
        title: name,
        address: shown.address,
        isOpen: false,
        tone: signOfRow(shown),
        word: reach === 'device' && device ? device.text : text(`health.${reach}`),
        isQuiet: reach === 'reachable',
        facts: factsOf(shown, isOld),
        more: [shown.address],
      })
    },
    /** It keeps its place, but nothing new is known of it. */
    age: (): void => row.classList.add('media-gateway-sidebar-old'),
    focus: head.focus,
  }
}

function factsOf(row: FleetRow, isOld: boolean): string[] {
  const { health, address } = row
  const known = health?.known
  const facts = factsOfKnown(known, isOld || known?.isOld === true, true)
  facts.push(...factsOfFailovers(row.failovers ?? {}))
  if (!known && health?.failure) facts.push(sentenceOf(health.failure))
  return facts.length > 0 ? facts : [address]
}
