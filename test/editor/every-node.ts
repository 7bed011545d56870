// Every node of the package: its defaults, other values for it, and a flow with all of them.
import { CONFIG, type Properties } from '../support/editor'
import { defaultsOf, nodes, typeOf } from '../support/manifests'

export const WATCH = 'media-gateway-watch'
export const FAILOVER = 'media-gateway-failover'
export const METRICS = 'media-gateway-metrics'

export const DEFAULTS: Record<string, Properties> = Object.fromEntries(
  nodes.map((node) => {
    const isConfig = node === 'gateway'
    return [typeOf(node), { ...defaultsOf(node), ...(!isConfig && { gateway: 'gateway' }) }]
  }),
)
export const ACTIONS = Object.keys(DEFAULTS).filter((type) => type !== CONFIG)

/** The nodes of the flow whose dialogs show, between them, every row there is. */
export const LOOKED = ['gateway', ...ACTIONS].flatMap((id) => [id, `${id}-other`])

/** Another value for every plain property, as a user would fill it in. */
const OTHER: Properties = {
  name: 'Studio <b>A</b>',
  baseUrl: 'https://10.0.0.5:8443/gateway/',
  fingerprint: Array(32).fill('aB').join(':'),
  timeout: '2500',
  concurrency: '${CALLS}',
  pollInterval: '2.5',
  readOnly: true,
  protectedRoutes: 'On air*\nStudio ?, left',
  inventoryHosts: '*.example.net\n10.0.0.*',
  secretPrefix: 'STUDIO_',
  action: 'msg',
  output: 'split',
  hideSecrets: false,
  filter: 'studio',
  state: 'idle',
  startRoute: true,
  mode: 'merge',
  target: 'destination',
  check: true,
  exact: true,
  scope: 'client',
  validate: false,
  waitFor: 'applied',
  waitTimeout: '45',
  initial: 'snapshot',
  language: 'ja',
  holdFor: '2.5',
  gateways: 'one',
  // The other one hides the statistics.
  detail: 'routes',
  statistics: '30',
}
/** Of one node, in the order in which its form can be filled in: a choice may hide a field. */
const OTHER_OF: Record<string, Properties> = {
  'media-gateway-ensure-route': {
    state: 'row',
    remove: 'pattern',
    removePattern: 'Test *',
    removeAtMost: '20',
    approve: true,
  },
  'media-gateway-preset': { hideSecrets: true, action: 'import' },
  'media-gateway-statistics': { output: 'callers' },
  [WATCH]: {
    mustRun: 'News*',
    report: 'changes',
    events: ['appliance.unreachable', 'route.stopped', 'statistics.low'],
    thresholds: [
      { measure: 'bitrate', of: 'source', low: 1.5, high: '', hysteresis: 0.25 },
      { measure: 'roundTripTime', of: 'destination', low: 2, high: 300, hysteresis: '' },
      { measure: 'packetLoss', of: 'source', low: '', high: 2, hysteresis: '' },
    ],
  },
  [FAILOVER]: {
    failOn: 'status',
    holdOff: '5',
    settle: '${SETTLE}',
    guard: '60',
    restore: 'monitor',
    waitToRestore: '600',
    pollEvery: '0.5',
    hold: '${HOLD}',
  },
}

/** What a node has to be given: without it, its defaults are not enough. */
export const NEEDED: Record<string, Properties> = {
  [FAILOVER]: {
    route: 'Studio A',
    main: '{"address":"203.0.113.7","port":9000}',
    backup: '{"address":"198.51.100.23","port":9002}',
    monitor: 'Studio A monitor',
  },
}

export function othersOf(type: string): Properties {
  const known = { ...OTHER_OF[type], ...OTHER, ...OTHER_OF[type] }
  const own = Object.entries(known).filter(([property]) => property in DEFAULTS[type]!)
  return Object.fromEntries(own)
}

/** And for those with a type beside them, every type. */
const TYPED: Record<string, Record<string, string>> = {
  device: {
    id: 'dev-1_A',
    msg: 'payload._id',
    flow: 'device',
    global: 'device.id',
    env: 'DEVICE',
    jsonata: 'payload[0]._id',
    auto: '',
  },
  route: {
    id: 'b3c9',
    name: 'Studio A',
    flow: 'route',
    global: 'route',
    env: 'ROUTE',
    jsonata: 'payload.id',
    msg: 'payload',
  },
  destination: {
    id: 'd1f0',
    name: 'Studio A out',
    flow: 'destination',
    global: 'destination',
    env: 'DESTINATION',
    jsonata: 'payload.destinations[0].id',
    msg: 'payload',
  },
  definition: {
    flow: 'wanted',
    global: 'wanted',
    json: '{"name":"A","source":{"name":"in","protocol":"udp","address":"239.0.0.9","port":5009}}',
    jsonata: '{"name": payload}',
    env: 'WANTED',
    msg: 'wanted',
  },
}
export const WATCHED: typeof TYPED = {
  device: { id: 'dev-1_A', env: 'DEVICE', auto: '' },
  route: { id: 'b3c9', name: 'Studio A', pattern: 'Studio*', env: 'ROUTE', all: '' },
}
const MEASURED: typeof TYPED = { route: { pattern: 'Studio*', all: '' } }
const sideOf = (json: string) => ({ env: 'SOURCE', flow: 'source', global: 'a.source', json })
export const PROTECTED: typeof TYPED = {
  device: WATCHED['device']!,
  route: { id: 'b3c9', env: 'ROUTE', flow: 'route', global: 'a.route', name: 'Studio A' },
  main: sideOf('{"address":"203.0.113.7","port":9000}'),
  backup: sideOf('{"address":"198.51.100.23","port":9002}'),
  monitor: { id: 'b3ca', name: 'Studio A monitor' },
  monitorBackup: { id: 'b3cb', name: 'Studio A backup monitor' },
}
const TYPED_OF: Record<string, typeof TYPED> = {
  [WATCH]: WATCHED,
  [FAILOVER]: PROTECTED,
  [METRICS]: MEASURED,
}

/**
 * Types and values for all typed properties of a node at once, as often as it takes to have each of them.
 * All nodes share the code of a typed property: one of them shows every type, the others one.
 */
export function typedOf(type: string): Array<Record<string, [kind: string, value: string]>> {
  const rounds: ReturnType<typeof typedOf> = []
  for (const [property, kinds] of Object.entries(TYPED_OF[type] ?? TYPED)) {
    if (!(property in DEFAULTS[type]!)) continue
    const showsAll =
      type in TYPED_OF ||
      type === ACTIONS.findLast((each) => !(each in TYPED_OF) && property in DEFAULTS[each]!)
    for (const [round, typed] of Object.entries(kinds).entries()) {
      if (showsAll || round === 0) (rounds[round] ??= {})[property] = typed
    }
  }
  return rounds
}

/** As they are saved. */
export const savedAs = (typed: Record<string, [kind: string, value: string]>): Properties =>
  Object.fromEntries(
    Object.entries(typed).flatMap(([property, [kind, value]]) => [
      [property, value],
      [`${property}Type`, kind],
    ]),
  )

/** The flow that is deployed: of each type one with defaults, one bare, and for all kinds of values. */
export function flow(): Properties[] {
  const place = { z: 'hidden', x: 200, wires: [[]] }
  const all: Properties[] = [
    { id: 'tab', type: 'tab', label: 'Media gateway' },
    // What is not on the flow that is shown is not drawn after each dialog.
    { id: 'hidden', type: 'tab', label: 'Not shown' },
    {
      ...DEFAULTS[CONFIG],
      id: 'gateway',
      type: CONFIG,
      name: 'Studio',
      baseUrl: 'https://gateway.example.com',
      credentials: { username: 'operator', password: 'example' },
    },
    { id: 'gateway-bare', type: CONFIG, baseUrl: 'http://10.0.0.5' },
    {
      ...DEFAULTS[CONFIG],
      ...OTHER,
      id: 'gateway-other',
      type: CONFIG,
      tls: 'tls',
      proxy: 'proxy',
    },
    { id: 'tls', type: 'tls-config', name: 'Own authority', verifyservercert: true },
    { id: 'proxy', type: 'http proxy', name: 'Way out', url: 'http://10.0.0.9:3128', noproxy: [] },
  ]
  ACTIONS.forEach((type, row) => {
    const y = 60 + row * 60
    all.push({ ...DEFAULTS[type], ...NEEDED[type], ...place, id: type, type, y })
    all.push({ ...place, id: `${type}-bare`, type, gateway: 'gateway', x: 440, y })
    all.push({
      ...DEFAULTS[type],
      ...NEEDED[type],
      ...othersOf(type),
      ...place,
      id: `${type}-other`,
      type,
      x: 700,
      y,
    })
    for (const [round, typed] of typedOf(type).entries()) {
      all.push({
        ...DEFAULTS[type],
        ...NEEDED[type],
        ...othersOf(type),
        ...savedAs(typed),
        ...place,
        id: `${type}-typed-${round}`,
        type,
        x: 1200,
        y: 60 + all.length * 40,
      })
    }
  })
  return all
}
