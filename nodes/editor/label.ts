// What a node says on the canvas while it has no name: what it does, as far as its saved properties
// say so. These may hold anything: a flow can be written by hand.
import { jsonIn, own } from '../../client/model/json'
import { shortened } from '../../client/model/legible'
import { flagIn } from '../../client/model/settings'
import { presentValue, type Read } from './fields'
import { text, type Values } from './text'

/** A text of the catalog below `does`; undefined where the name of the node says as much. */
type Does = [key: string, values?: Values] | undefined

/** Returns what a node does, such as "start Studio A"; empty where only its messages say it. */
export function labelOf(node: EditorNode): string {
  if (node.type === 'media-gateway') return (node['baseUrl'] as string | undefined) ?? ''
  const found = DOES[node.type]?.((property) => presentValue(node, property))
  if (!found) return ''
  const [key, values] = found
  const label = text(`does.${key}`, values).trim()
  if (node.type !== ENSURE) return label
  if (flagIn(presentValue(node, 'check')) === true) return text('does.dryRun', { label })
  return flagIn(presentValue(node, 'approve')) === true ? text('does.planFirst', { label }) : label
}

/** It may be set to change nothing, or nothing before its plan is approved. */
const ENSURE = 'media-gateway-ensure-route'

const DOES: Record<string, (read: Read) => Does> = {
  'media-gateway-control-route'(read) {
    const action = oneOf(['start', 'stop', 'restart'], read('action'))
    const route = nameIn(read, 'route')
    const isRoute = read('target') !== 'destination'
    const what = isRoute ? (route ?? word('route')) : endIn(read, word('destination'))
    if (action) return [action, { what }]
    return route === undefined ? undefined : ['control', { what }]
  },

  'media-gateway-create-route': (read) => about('create', namesIn(read)),

  'media-gateway-update-route'(read) {
    const mode = oneOf(['merge', 'replace'], read('mode'))
    const route = nameIn(read, 'route')
    if (!mode) return about('update', route)
    const key = mode === 'merge' && route === undefined ? 'mergeRoute' : mode
    return [key, { what: route ?? word('route') }]
  },

  'media-gateway-delete-route': (read) => about('delete', nameIn(read, 'route')),

  [ENSURE](read) {
    const state = oneOf(['present', 'started', 'stopped', 'absent', 'row'], read('state'))
    return state && [state, { what: namesIn(read) ?? word('route') }]
  },

  'media-gateway-get-route': (read) => about('get', nameIn(read, 'route')),

  'media-gateway-list-routes'(read) {
    const state = oneOf(['running', 'idle'], read('state'))
    const filter = plain(read('filter'))
    if (filter !== undefined) return [`filtered.${state ?? 'any'}`, { filter }]
    return state && [`list.${state}`]
  },

  'media-gateway-statistics'(read) {
    const scope = oneOf(['source', 'destination', 'client', 'all'], read('scope'))
    const route = nameIn(read, 'route')
    if (!scope) return about('statistics.route', route)
    const isOfDestination = scope === 'destination' || scope === 'client'
    return [`statistics.${scope}`, { what: isOfDestination ? endIn(read) : (route ?? '') }]
  },

  'media-gateway-preset'(read) {
    const action = oneOf(['export', 'import'], read('action'))
    return action && [`preset.${action}`]
  },

  'media-gateway-session'(read) {
    const action = oneOf(['info', 'start', 'end'], read('action'))
    return action && [`session.${action}`]
  },

  'media-gateway-watch'(read) {
    const isAll = ['all', undefined].includes(read('routeType') as string | undefined)
    return isAll ? undefined : ['watch', { what: nameIn(read, 'route') ?? word('route') }]
  },

  'media-gateway-failover': (read) =>
    about('failover', nameIn(read, read('method') === 'routes' ? 'main' : 'route')),
}

const about = (key: string, what: string | undefined): Does =>
  what === undefined ? undefined : [key, { what }]

const word = (kind: 'route' | 'destination'): string => text(`does.${kind}`)

const oneOf = <One extends string>(known: readonly One[], value: unknown): One | undefined =>
  known.find((each) => each === value)

const LONGEST = 32

/** A text to show; undefined where there is none. */
function plain(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return shortened(value, LONGEST)
}

function nameIn(read: Read, property: 'route' | 'destination' | 'main'): string | undefined {
  const type = read(`${property}Type`)
  return type === 'name' || type === 'pattern' ? plain(read(property)) : undefined
}

function endIn(read: Read, otherwise = ''): string {
  const route = nameIn(read, 'route')
  const destination = nameIn(read, 'destination') ?? otherwise
  return route === undefined ? destination : `${destination} (${route})`.trim()
}

/** A longer text would take time with each redraw. */
const LONGEST_DEFINITION = 50_000

function namesIn(read: Read): string | undefined {
  const json = read('definition')
  if (read('definitionType') !== 'json' || typeof json !== 'string') return undefined
  if (json.length > LONGEST_DEFINITION) return undefined
  const given = jsonIn(json)
  const definitions = Array.isArray(given) ? given : [given]
  const { length } = definitions
  return length === 1 ? plain(own(definitions[0], 'name')) : text('does.routes', { number: length })
}
