// A route becomes a node in the flow: dragged, or with a button.
import { element, whenPressed } from '../../editor/element'
import type { Place } from '../../wire'
import type { Route } from './route'
import { text } from './text'

/** What a route can become; each is a type of node without its prefix. */
const KINDS = ['control-route', 'watch', 'failover'] as const
export type Kind = (typeof KINDS)[number]

const typeOf = (kind: Kind): string => `media-gateway-${kind}`

/** The kinds that this Node-RED has, for users who may change flows, while the flow has the gateway. */
export function kindsFor(gatewayId: string): Kind[] {
  const mayEdit = RED.user.hasPermission?.('flows.write') ?? true
  if (!mayEdit || !RED.nodes.node(gatewayId)) return []
  return KINDS.filter((kind) => RED.nodes.getType(typeOf(kind)))
}

interface About {
  place: Place
  /** Undefined for the only one. */
  deviceId?: string
  route: Pick<Route, 'id' | 'name'>
  /** No other route of the device has its name. */
  isOnly: boolean
}

function nodeOf(kind: Kind, about: About): object {
  const { place, deviceId, route, isOnly } = about
  const { id: gateway, appliance } = place
  const type = typeOf(kind)
  const defaults = Object.entries(RED.nodes.getType(type)?.defaults ?? {})
  const values = Object.fromEntries(defaults.map(([name, { value }]) => [name, value]))
  // A name can be read in the flow, and outlives the route. A variable would be put in its place.
  const isNamed = isOnly && route.name !== '' && !route.name.startsWith('${')
  const applianceType = kind === 'control-route' ? 'str' : 'pattern'
  return {
    ...structuredClone(values),
    id: RED.nodes.id(),
    type,
    z: RED.workspaces.active(),
    ...middle(),
    wires: [[]],
    gateway,
    ...(appliance !== undefined && { appliance, applianceType }),
    ...(deviceId !== undefined && { device: deviceId, deviceType: 'id' }),
    route: isNamed ? route.name : route.id,
    routeType: isNamed ? 'name' : 'id',
  }
}

function middle(): { x: number; y: number } {
  const chart = document.querySelector('#red-ui-workspace-chart')
  if (!chart) return { x: 200, y: 100 }
  const scale = RED.view.scale()
  return {
    x: Math.round((chart.scrollLeft + chart.clientWidth / 2) / scale),
    y: Math.round((chart.scrollTop + chart.clientHeight / 2) / scale),
  }
}

/** Why a gateway can have no node in the flow that is shown; undefined if it can. */
export function whyNotAdded(gatewayId: string): string | undefined {
  if (RED.workspaces.isLocked?.()) return text('add.locked')
  // Nodes of other flows cannot use it: their dialogs do not offer it.
  const own = RED.nodes.node(gatewayId)?.['z']
  if (!own || own === RED.workspaces.active()) return undefined
  return text('add.elsewhere', { flow: RED.nodes.workspace(own)?.label ?? '' })
}

/** The editor takes what is dragged as a flow; what is clicked, the next click places. */
export function addRoute(kind: Kind, about: About, event: Event): 'added' | 'held' {
  if (event instanceof DragEvent) {
    event.dataTransfer?.setData('text/plain', JSON.stringify([nodeOf(kind, about)]))
    return 'held'
  }
  const isPlaced = event instanceof KeyboardEvent
  RED.view.importNodes([nodeOf(kind, about)], { notify: false, touchImport: isPlaced })
  RED.nodes.dirty(true)
  return isPlaced ? 'added' : 'held'
}

/** What the user drags or presses. Not a button: some browsers do not drag one. */
export function createHandle(kind: Kind, onAdd: (event: Event) => void): HTMLElement {
  const handle = element(
    'span.media-gateway-sidebar-button',
    { role: 'button', draggable: true, tabIndex: 0, title: text('add.hint'), 'data-kind': kind },
    text(`add.${kind}`),
  )
  for (const event of ['click', 'dragstart']) handle.addEventListener(event, onAdd)
  whenPressed(handle, (event) => {
    // The editor would apply it to the flow.
    event.stopPropagation()
    onAdd(event)
  })
  return handle
}
