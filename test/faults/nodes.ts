import { join } from 'node:path'
import type { NodeAPI } from 'node-red'
import type { RouteSpec } from '../../simulator'
import type { Message } from '../support/flow'
import { actions } from '../support/manifests'
import { contentOf, root } from '../support/root'

/** A node as it is tried: its properties, and the messages it gets. */
export interface Variant {
  /** Short name of the node, such as `get-route`. */
  node: string
  /** What is particular to this variant. */
  label: string
  properties: object
  /** The message of the first and of the second run: each acts on routes of its own. */
  message: (run: number) => Message
}

type Given = Partial<Pick<Variant, 'label' | 'properties' | 'message'>>

const { 'node-red': nodeRed } = JSON.parse(contentOf('package.json')) as {
  'node-red': { nodes: Record<string, string> }
}

/** Every node that the package brings, as Node-RED loads it. */
export const LOADED = Object.values(nodeRed.nodes).map(
  (path) => require(join(root, path)) as (RED: NodeAPI) => void,
)

/** Names of all nodes except the config node. */
export const NODE_NAMES = Object.keys(nodeRed.nodes).filter((name) => name !== 'gateway')

/** Every node that takes messages, each in all its variants: the others have cells of their own. A node without particular ones gets the usual message. */
export function variants(): Variant[] {
  return actions.flatMap((node) =>
    (PARTICULAR[node] ?? [{}]).map(({ label = '', properties = {}, message }) => ({
      node,
      label,
      properties,
      message: (run: number) => ({ ...usual(run), ...message?.(run) }),
    })),
  )
}

export const PASSWORD = 'never-tell-this-password'
export const PASS_PHRASE = 'never-tell-this-phrase'

const srt = { protocol: 'srt', srtMode: 'listener', address: '0.0.0.0' }
const secret = { srtEncryption: 'AES128', srtPassPhrase: PASS_PHRASE }

const definition = (name: string, number: number): RouteSpec => ({
  name,
  source: { ...srt, ...secret, name: 'in', port: 5000 + number, srtLatency: 125 },
  destinations: [
    { name: 'out', protocol: 'udp', address: '239.1.1.1', port: 6000 + number },
    { ...srt, name: 'clients', port: 7000 + number, srtLatency: 125 },
  ],
})

const LIVE = ['live-0', 'live-1']
const IDLE = ['idle-0', 'idle-1']

/** The routes of each appliance: some run, some do not. */
export const ROUTES: RouteSpec[] = [...LIVE, ...IDLE].map((id, number) => {
  const { source, destinations, ...route } = definition(id, number)
  return {
    ...route,
    id,
    startRoute: LIVE.includes(id),
    source: { ...source, id: `${id}-in` },
    destinations: destinations?.map((one) => ({ ...one, id: `${id}-${one.name}` })),
  }
})

/** As the simulator generates them for the SRT destination of each live route. */
const CLIENTS = ['203.0.113.52', '203.0.113.53']

const usual = (run: number): Message => ({
  routeId: LIVE[run],
  destinationId: `${LIVE[run]}-clients`,
  clientAddress: CLIENTS[run],
  payload: definition(`new-${run}`, 100 + run),
})

const idle = (run: number): Message => ({ routeId: IDLE[run] })
/** Seconds: longer than a hanging read and its retry, or the reads that prove a route gone. */
const waitTimeout = 6
const APPLIED = { waitFor: 'applied', waitTimeout }
const PRESET = (run: number): object => ({
  preset_version: '1.0',
  routes: [definition(`restored-${run}`, 200 + run)],
})

const PARTICULAR: Record<string, Given[]> = {
  session: ['info', 'start', 'end'].map((action) => ({ label: action, properties: { action } })),
  'list-devices': [{}, { label: 'split', properties: { output: 'split' } }],
  'list-routes': [{}, { label: 'split', properties: { output: 'split' } }],
  'get-route': [
    {},
    { label: 'by name', message: (run) => ({ routeId: undefined, routeName: LIVE[run] }) },
  ],
  'create-route': [{}, { label: 'applied', properties: APPLIED }],
  'update-route': [
    { message: (run) => ({ payload: { name: `renamed-${run}` } }) },
    {
      label: 'merge, applied',
      properties: { ...APPLIED, mode: 'merge' },
      message: () => ({ payload: { source: { srtLatency: 500 } } }),
    },
    {
      label: 'complete',
      message: (run) => ({ payload: { ...definition(`renamed-${run}`, 300 + run) } }),
    },
  ],
  'delete-route': [{ message: idle }, { label: 'applied', properties: APPLIED, message: idle }],
  'control-route': [
    { label: 'start', message: idle },
    { label: 'start, applied', properties: APPLIED, message: idle },
    { label: 'stop', properties: { action: 'stop' } },
    { label: 'stop, applied', properties: { ...APPLIED, action: 'stop' } },
    { label: 'restart', properties: { action: 'restart', waitTimeout } },
    { label: 'restart, applied', properties: { ...APPLIED, action: 'restart' } },
    { label: 'stop a destination', properties: { action: 'stop', target: 'destination' } },
  ],
  'ensure-route': [
    { label: 'create', properties: { waitTimeout } },
    {
      label: 'update',
      properties: { waitTimeout },
      message: (run) => ({ payload: { name: LIVE[run], source: { srtLatency: 500 } } }),
    },
    {
      label: 'started',
      properties: { state: 'started', waitTimeout },
      message: (run) => ({ payload: { name: IDLE[run] } }),
    },
    {
      label: 'absent',
      properties: { state: 'absent', waitTimeout },
      message: (run) => ({ payload: { name: IDLE[run] } }),
    },
    {
      label: 'several',
      properties: { state: 'stopped', waitTimeout },
      message: (run) => ({ payload: [{ name: LIVE[run] }, { name: IDLE[run] }] }),
    },
  ],
  statistics: ['route', 'source', 'destination', 'client', 'all'].map((scope) => ({
    label: scope,
    properties: { scope },
  })),
  preset: [
    { label: 'export' },
    {
      label: 'import',
      properties: { action: 'import' },
      message: (run) => ({ confirm: true, payload: PRESET(run) }),
    },
  ],
}
