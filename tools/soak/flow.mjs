// The flow of the long run, and what is fed into it: every action node, several watches, and
// gateways that work, that may not write, that have a wrong password, and that get no response.

import { failoverNodes } from './protected.mjs'

const ROUTES = ['Studio A', 'OB van 3', 'Stadium North', 'Newsroom feed', 'City hall']
const BULK = ['Bulk 1', 'Bulk 2', 'Bulk 3', 'Bulk 4']
/** Only the script changes routes of these names, so it knows what must be reported of them. */
export const WATCHED = ['Watched 1', 'Watched 2', 'Watched 3', 'Watched 4']
/** Routes that the flow makes. */
export const MADE = 'Made'

/** The named routes that the first appliance starts with. */
export const NAMED = [...WATCHED, 'Kept 1', 'Kept 2']

/** What a redeploy may change; `edits` alters nodes without changing what they do. */
export const newShape = () => ({
  timeout: 1500,
  concurrency: 8,
  isSwapped: false,
  isComing: true,
  edits: {},
})

/** Which watches are in the flow of this shape, and which appliance each watches. */
export function watchesOf({ isComing }) {
  const watches = { all: 'main', pattern: 'main', held: 'main', limits: 'main', second: 'second' }
  return isComing ? { ...watches, coming: 'main' } : watches
}

/** The flow as it is deployed; only new nodes carry their credentials. */
export function flowOf({ appliances, shape, deployed = [] }) {
  const known = new Set(deployed.map(({ id }) => id))
  const nodes = [
    ...gateways(appliances, shape),
    ...TABS.map((id) => ({ id, type: 'tab', label: id })),
    ...TABS.map((z) => ({ id: `catch-${z}`, type: 'catch', z, scope: null, wires: [[]] })),
    ...Object.keys(FEEDS).map(feedNode),
    ...Object.keys(FEEDS).map((z) => ({ ...PASS, id: `out-${z}`, z, wires: [[]] })),
    {
      ...PASS,
      id: 'confirm',
      z: 'writes',
      func: 'msg.confirm = true\nreturn msg',
      wires: [['import']],
    },
    ...Object.entries(FEEDS).flatMap(([z, actions]) =>
      Object.entries(actions).map(([id, action]) => actionNode(id, z, action, shape)),
    ),
    ...Object.entries(watchesOf(shape)).map(([name, appliance]) => watchNode(name, appliance)),
    ...failoverNodes(),
    { ...PASS, id: 'out-watches', z: 'watches', wires: [[]] },
  ]
  return nodes.map(({ credentials, ...node }) => ({
    ...node,
    // Without coordinates Node-RED takes it for a config node.
    ...(node.z && { x: 100, y: 100 }),
    ...(shape.edits[node.id] && { name: `edit ${shape.edits[node.id]}` }),
    ...(credentials && !known.has(node.id) && { credentials }),
  }))
}

/** One message for the flow, as `{feeder, output, msg}`. */
export function messageFor(random) {
  const feeder = random.chance(0.6) ? 'reads' : 'writes'
  return message(random, feeder, random.one(entriesOf(feeder)))
}

/** One for each action node. */
export const eachMessage = (random) =>
  Object.keys(FEEDS).flatMap((feeder) => entriesOf(feeder).map((id) => message(random, feeder, id)))

function message(random, feeder, id) {
  const { give = nothing } = FEEDS[feeder][id]
  return { feeder, output: entriesOf(feeder).indexOf(id), msg: give(random) }
}

const TABS = ['reads', 'writes', 'watches']
const PASS = { type: 'function', func: 'return msg', outputs: 1 }

// ---- what the action nodes get

const anyRoute = (random) => ({ routeName: random.one([...ROUTES, 'No such route']) })
const nothing = () => ({})

/** A route that can run beside all others, in a form that nodes accept. */
function definition(random, name) {
  const port = random.whole(10_000, 60_000)
  const destination = (end) => ({
    name: `${name} ${end}`,
    protocol: 'udp',
    address: `192.0.2.${random.whole(1, 250)}`,
    port: random.whole(10_000, 60_000),
    networkInterface: 'eth1',
  })
  return {
    name,
    source: {
      name: `${name} in`,
      protocol: 'udp',
      address: `239.1.${random.whole(1, 250)}.${random.whole(1, 250)}`,
      port,
      networkInterface: 'eth0',
    },
    destinations: [destination('out'), ...(random.chance(0.4) ? [destination('spare')] : [])],
  }
}

let made = 0
const newName = () => `${MADE} ${++made}`

const bulk = (random) => ({ payload: BULK.map((name) => definition(random, name)) })
const kept = (random) => ({ routeName: random.one(['Kept 1', 'Kept 2', ...BULK]) })
const edit = (random) => {
  const name = random.one(['Kept 1', 'Kept 2'])
  const { source, destinations } = definition(random, name)
  return {
    routeName: name,
    payload: random.one([{ source: { port: source.port } }, { name, source, destinations }, 7]),
  }
}

/**
 * By tab: `type` without its prefix, the node's own `properties`, the node that it is wired `to` if
 * not the end of the tab, and the message that it is given. A node with `give: false` is fed by
 * another one.
 */
const FEEDS = {
  reads: {
    session: {
      type: 'session',
      properties: { action: 'msg' },
      give: (random) => ({ action: random.one(['info', 'info', 'start', 'end', 'nonsense']) }),
    },
    devices: { type: 'list-devices' },
    'devices-split': { type: 'list-devices', properties: { output: 'split' } },
    device: { type: 'get-device', properties: { hideSecrets: true } },
    list: { type: 'list-routes' },
    page: { type: 'list-routes', give: (random) => ({ page: random.whole(1, 3), pageSize: 5 }) },
    'list-split': { type: 'list-routes', properties: { output: 'split', state: 'running' } },
    route: { type: 'get-route', give: anyRoute },
    statistics: { type: 'statistics', give: anyRoute },
    'statistics-source': { type: 'statistics', properties: { scope: 'source' }, give: anyRoute },
    'statistics-all': { type: 'statistics', properties: { scope: 'all' } },
    export: { type: 'preset', properties: { action: 'export', hideSecrets: true } },
    second: { type: 'list-routes', gateway: 'second' },
    observer: { type: 'statistics', gateway: 'observer', properties: { scope: 'all' } },
    away: { type: 'list-devices', gateway: 'away' },
    wrong: { type: 'list-devices', gateway: 'wrong' },
    nowhere: { type: 'list-devices', gateway: 'none' },
  },
  writes: {
    create: {
      type: 'create-route',
      give: (random) => ({ payload: definition(random, newName()), startRoute: true }),
    },
    chain: {
      type: 'create-route',
      properties: { waitFor: 'applied', waitTimeout: 5 },
      to: 'chain-start',
      give: (random) => ({ payload: definition(random, newName()) }),
    },
    'chain-start': {
      type: 'control-route',
      properties: { waitFor: 'applied', waitTimeout: 5 },
      to: 'chain-measure',
      give: false,
    },
    'chain-measure': { type: 'statistics', to: 'chain-update', give: false },
    'chain-update': {
      type: 'update-route',
      properties: {
        mode: 'merge',
        definition: '{"source":{"address":"239.2.2.2"}}',
        definitionType: 'json',
        waitFor: 'applied',
        waitTimeout: 5,
      },
      to: 'chain-delete',
      give: false,
    },
    'chain-delete': {
      type: 'delete-route',
      properties: { waitFor: 'applied', waitTimeout: 5 },
      give: false,
    },
    keep: { type: 'update-route', give: edit },
    merge: {
      type: 'update-route',
      properties: { mode: 'merge', waitFor: 'applied', waitTimeout: 5 },
      give: edit,
    },
    replace: { type: 'update-route', properties: { mode: 'replace' }, give: edit },
    control: {
      type: 'control-route',
      properties: { action: 'msg', waitFor: 'applied', waitTimeout: 5 },
      give: (random) => ({ ...kept(random), action: random.one(['start', 'stop', 'restart']) }),
    },
    destination: {
      type: 'control-route',
      properties: { action: 'msg', target: 'destination' },
      give: (random) => ({
        routeName: 'Kept 1',
        destinationName: 'Kept 1 out',
        action: random.one(['start', 'stop']),
      }),
    },
    delete: { type: 'delete-route', give: () => ({ routeName: `${MADE} ${made}` }) },
    ensure: { type: 'ensure-route', properties: { waitTimeout: 5 }, give: bulk },
    'ensure-started': {
      type: 'ensure-route',
      properties: { state: 'started', waitTimeout: 5 },
      give: (random) => ({ payload: definition(random, random.one(BULK)) }),
    },
    'ensure-absent': {
      type: 'ensure-route',
      properties: { state: 'absent', waitTimeout: 5 },
      give: (random) => ({ payload: BULK.slice(0, random.whole(1, 4)).map((name) => ({ name })) }),
    },
    plan: { type: 'ensure-route', properties: { check: true }, give: bulk },
    'export-second': {
      type: 'preset',
      gateway: 'second',
      properties: { action: 'export' },
      to: 'confirm',
    },
    import: { type: 'preset', gateway: 'second', properties: { action: 'import' }, give: false },
    'refused-import': { type: 'preset', properties: { action: 'import' }, give: nothing },
    'read-only': { type: 'delete-route', gateway: 'read-only', give: kept },
    forbidden: { type: 'delete-route', gateway: 'observer', give: kept },
  },
}

const entriesOf = (feeder) =>
  Object.keys(FEEDS[feeder]).filter((id) => FEEDS[feeder][id].give !== false)

// ---- the nodes

function gateways({ main, second, protected: third }, { timeout, concurrency }) {
  const common = { type: 'media-gateway', pollInterval: 1, timeout, concurrency }
  const administrator = { username: 'haiadmin', password: 'manager' }
  const observer = { username: 'user', password: 'public' }
  return [
    { id: 'main', baseUrl: main.url, credentials: administrator },
    { id: 'read-only', baseUrl: main.url, readOnly: true, credentials: administrator },
    { id: 'observer', baseUrl: main.url, credentials: observer },
    {
      id: 'second',
      baseUrl: second.url,
      fingerprint: second.fingerprint,
      credentials: administrator,
    },
    { id: 'protected', baseUrl: third.url, credentials: administrator },
    // The port of the discard service: nothing listens there.
    { id: 'away', baseUrl: 'http://127.0.0.1:9', credentials: administrator },
    {
      id: 'wrong',
      baseUrl: second.url,
      fingerprint: second.fingerprint,
      credentials: { username: 'operator', password: 'mistyped' },
    },
  ].map((gateway) => ({ ...common, ...gateway, id: `gateway-${gateway.id}` }))
}

/** The messages come from the script, through this node. */
function feedNode(name) {
  const entries = entriesOf(name)
  return {
    id: `feed-${name}`,
    type: 'function',
    z: name,
    outputs: entries.length,
    initialize: `global.get('soak').opened('${name}', (output, msg) => {
      const all = []
      all[output] = msg
      node.send(all)
    })`,
    finalize: `global.get('soak').closed('${name}')`,
    func: '',
    wires: entries.map((id) => [id]),
  }
}

function actionNode(id, z, { type, properties, gateway = 'main', to }, { isSwapped }) {
  // A node moved to another gateway: the second appliance does not know its routes.
  const isOther = isSwapped && ['device', 'route', 'list', 'keep'].includes(id)
  return {
    id,
    type: `media-gateway-${type}`,
    z,
    gateway: `gateway-${isOther ? 'second' : gateway}`,
    ...properties,
    wires: [[to ?? `out-${z}`]],
  }
}

function watchNode(name, appliance) {
  const properties = {
    pattern: { routeType: 'pattern', route: 'Watched *' },
    held: { holdFor: 2 },
    limits: {
      events: ['statistics.low', 'statistics.high', 'statistics.normal'],
      thresholds: [{ measure: 'bitrate', of: 'source', low: 5 }],
    },
  }
  return {
    id: `watch-${name}`,
    type: 'media-gateway-watch',
    z: 'watches',
    gateway: `gateway-${appliance}`,
    initial: name === 'limits' ? 'none' : 'snapshot',
    ...properties[name],
    wires: [['out-watches']],
  }
}
