// The devices, routes and destinations to choose from, or why there are none. It needs no page.
import { isVariable } from '../checks'
import type { Addressed, FoundDestination, FoundRoute, Lookup } from '../../wire'
import { addressOf, byName } from '../address'
import { namedDevice } from '../appliance'
import { deviceState, partState, routeState, type State } from '../states'
import { text } from '../text'

export const KINDS = ['device', 'route', 'destination'] as const

export type Kind = (typeof KINDS)[number]

/** The fields that have a picker, and what each of them names. */
export const FIELDS: Readonly<Record<string, Kind>> = {
  device: 'device',
  route: 'route',
  destination: 'destination',
  main: 'route',
  backup: 'route',
  monitor: 'route',
  monitorBackup: 'route',
}

export interface Entry {
  type: string
  value: string
}

export type Entries = Record<Kind, Entry>

export interface Choice {
  id: string
  name: string
  /** What tells it from the others: its address. */
  place?: string
  state?: State
}

/** What there is, or why there is nothing. */
interface Items<Item> {
  items: Item[]
  /** How many there are, where these are not all of them. */
  number?: number
  why?: string
}

export type Offer = Items<Choice>

const nothing = (key: string, number = 0): Items<never> => ({
  items: [],
  why: text(`picker.${key}`, { number }),
})

export function offerOf(kind: Kind, entries: Entries, found: Lookup): Offer {
  if (kind === 'device') return offer(kind, found.devices, deviceState)
  const routes = routesOf(entries, found)
  if (routes.why !== undefined) return { ...routes, items: [] }
  if (kind === 'route') return offer(kind, routes.items, routeState, ({ source }) => source)
  const parts = destinationsOf(entries.route, routes.items)
  return parts.why === undefined
    ? offer(kind, parts.items, partState, (part) => part)
    : { ...parts, items: [] }
}

function offer<Item extends { id?: string; name: string }>(
  kind: Kind,
  items: Item[],
  stateOf: (item: Item) => State,
  placeOf: (item: Item) => Addressed = () => ({}),
): Offer {
  const choices = items
    .filter(({ id }) => typeof id === 'string' && id !== '')
    .map((item) => ({
      id: item.id!,
      name: item.name,
      place: addressOf(placeOf(item)),
      state: stateOf(item),
    }))
    .sort(byName)
  return choices.length > 0 ? { items: choices } : nothing(`none.${kind}`)
}

function routesOf({ device }: Entries, { devices, deviceId, routes }: Lookup): Items<FoundRoute> {
  const only = devices.length === 1 ? devices[0]!.id : undefined
  const wanted = device.type === 'id' ? namedDevice(device) : only
  if (wanted !== undefined && wanted === deviceId) return { items: routes ?? [] }
  if (devices.length === 0) return nothing('none.device')
  if (wanted !== undefined) return nothing('deviceUnknown')
  const isOpen = device.type === 'id' && device.value.trim() === ''
  const key = isOpen || device.type === 'auto' ? 'chooseDevice' : 'deviceLater'
  return nothing(key, devices.length)
}

function destinationsOf(entry: Entry, routes: FoundRoute[]): Items<FoundDestination> {
  const fitting = namedRoutes(entry, routes)
  if (!fitting) return nothing('routeLater')
  if (entry.value.trim() === '') return nothing('chooseRoute')
  if (fitting.length > 1) return nothing('sameName', fitting.length)
  const [route] = fitting
  return route ? { items: route.destinations ?? [] } : nothing('routeUnknown')
}

/** The routes with that ID or name; undefined where only a message or the environment decides. */
function namedRoutes({ type, value }: Entry, routes: FoundRoute[]): FoundRoute[] | undefined {
  const wanted = value.trim()
  if ((type !== 'id' && type !== 'name') || isVariable(wanted)) return undefined
  return routes.filter((route) => route[type] === wanted)
}

export function chosenRoute(entries: Entries, found: Lookup): FoundRoute | undefined {
  const fitting = namedRoutes(entries.route, routesOf(entries, found).items) ?? []
  return fitting.length === 1 ? fitting[0] : undefined
}
