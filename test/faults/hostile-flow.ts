// The flow through which hostile inputs come in: each node behind a request of its own.
import type { Properties } from '../support/node-red'
import { contentOf } from '../support/root'
import { MADE } from './hostile'

/** Without a place, a node would be a configuration node. */
export const PLACE = { z: 'tab', x: 0, y: 0 }

/** No call waits longer than this: also with other work beside it, an answer is read before. */
export const TIMEOUT = 10_000

/** The nodes that take messages. */
export const NODES: Record<string, Properties> = {
  session: { action: 'info' },
  'list-devices': {},
  'get-device': { hideSecrets: true },
  'list-routes': { output: 'routes', hideSecrets: true },
  definitions: { type: 'media-gateway-list-routes', output: 'definitions', secrets: 'names' },
  'get-route': { hideSecrets: true },
  'create-route': {},
  'update-route': { mode: 'merge' },
  'delete-route': {},
  'control-route': { action: 'start' },
  'ensure-route': { waitTimeout: 0.2 },
  statistics: { scope: 'route' },
  preset: { action: 'export', hideSecrets: true },
  import: { type: 'media-gateway-preset', action: 'import' },
}

/** Nodes that read answers, each on a gateway of its own. */
export const NODES_OF_ANSWERS = [
  'statistics',
  'preset',
  'create-route',
  'control-route',
  'list-devices',
]

export const laneOf = (name: string): string => name.replace('-', '')

/** Responds to a request whose message has failed. */
export const FAILED: Properties[] = [
  { id: 'catch', type: 'catch', scope: null, wires: [['failed']] },
  {
    id: 'failed',
    type: 'function',
    func: 'msg.payload = { code: msg.error.cause && msg.error.cause.code, message: msg.error.message }; msg.statusCode = 400; return msg',
    wires: [['out-failed']],
  },
  { id: 'out-failed', type: 'http response', wires: [] },
]

export const gatewayOf = (url: string, id: string, lane: string): Properties => ({
  id,
  type: 'media-gateway',
  baseUrl: `${url}/${lane}`,
  timeout: TIMEOUT,
  credentials: { username: 'user', password: 'stored-password' },
})

export function flowOn(url: string): Properties[] {
  const recipe = JSON.parse(
    contentOf('examples/Recipes/Bookings from a calendar.json'),
  ) as Properties[]
  const codeOf = (name: string): unknown => recipe.find((one) => one['name'] === name)!['func']
  const source = `return ({${Object.entries(MADE)
    .map(([name, code]) => `${JSON.stringify(name)}() { ${code} }`)
    .join(',')}})`
  const make = [
    `const make = (() => { ${source} })()`,
    'const { what, json, at } = msg.payload',
    'const value = json === undefined ? make[what]() : JSON.parse(json)',
    'const part = { name: value, protocol: "srt", address: value, port: value, unknown: value, srtPassPhrase: value }',
    // What Node-RED would copy for a catch node is no work of ours: it copies what can be counted.
    'const give = (name, value) => Object.defineProperty(msg, name, { value, enumerable: json !== undefined, writable: true, configurable: true })',
    'msg.payload = undefined; msg.deviceId = "D"; msg.routeId = "R"; msg.confirm = true',
    'if (at === "definition") give("payload", { name: value, source: part, destinations: [part], preset_version: 1, routes: [{ name: value, source: part }] })',
    'else if (at === "rows") give("payload", [{ name: "A", source: part, destinations: value }, { name: "B", state: value }])',
    'else if (at === "all") for (const name of ["payload", "deviceId", "routeId", "destinationId", "action", "plan", "confirmProtected", "page", "appliance"]) give(name, value)',
    'else give(at, value)',
    'return msg',
  ].join('\n')
  const all: Record<string, Properties> = { ...NODES }
  for (const node of NODES_OF_ANSWERS) {
    const own = { type: `media-gateway-${node}`, gateway: `gateway-${node}` }
    all[`read-${node}`] = { ...NODES[node], ...own }
  }
  const nodes = Object.entries(all).flatMap(([id, properties]) => [
    {
      id: `in-${id}`,
      ...PLACE,
      type: 'http in',
      url: `/run/${id}`,
      method: 'post',
      wires: [[`make-${id}`]],
    },
    { id: `make-${id}`, ...PLACE, type: 'function', func: make, wires: [[id]] },
    {
      id,
      ...PLACE,
      type: `media-gateway-${id}`,
      gateway: 'gateway',
      wires: [['done']],
      ...properties,
    },
  ])
  return [
    {
      id: 'tab',
      type: 'tab',
      label: 'hostile',
      env: [
        { name: 'ROUTES', value: '*', type: 'str' },
        { name: 'FIELD', value: 'SUMMARY', type: 'str' },
        { name: 'LEAD', value: '0', type: 'str' },
      ],
    },
    gatewayOf(url, 'gateway', 'good'),
    ...NODES_OF_ANSWERS.map((node) => gatewayOf(url, `gateway-${node}`, laneOf(node))),
    ...nodes,
    {
      id: 'done',
      ...PLACE,
      type: 'function',
      func: 'msg.payload = "ok"; return msg',
      wires: [['out']],
    },
    { id: 'out', ...PLACE, type: 'http response', statusCode: '200', wires: [] },
    ...FAILED.map((node) => ({ ...node, ...PLACE })),
    { id: 'in-yaml', ...PLACE, type: 'http in', url: '/yaml', method: 'post', wires: [['yaml']] },
    { id: 'yaml', ...PLACE, type: 'yaml', property: 'payload', wires: [['ensure-route']] },
    {
      id: 'in-calendar',
      ...PLACE,
      type: 'http in',
      url: '/calendar',
      method: 'post',
      wires: [['read']],
    },
    { id: 'read', ...PLACE, type: 'function', func: codeOf('read it'), wires: [['booked']] },
    {
      id: 'booked',
      ...PLACE,
      type: 'function',
      func: codeOf('what is booked now?'),
      wires: [['done']],
    },
  ]
}
