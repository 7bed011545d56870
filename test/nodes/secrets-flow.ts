// The flow of secrets.test.ts: every kind of node on many gateways, nearly all of which fail.
import { join } from 'node:path'
import type { Simulator } from '../../simulator'
import { nodes } from '../support/manifests'
import { SPELLINGS } from '../support/markers'
import type { Properties } from '../support/node-red'
import type { Proxy } from '../support/proxy'
import {
  KEY_PHRASE,
  MANNERS,
  PASSWORD,
  PROXY_PASSWORD,
  STAGES,
  WRONG_PASSWORD,
  WRONG_PHRASE,
  type Quoting,
} from './secrets-appliance'

/** The nodes that do something with a message on one gateway. */
const ACTIONS = nodes.filter((node) => !['gateway', 'watch', 'failover', 'metrics'].includes(node))

/** What each kind of node is asked to do where all goes wrong. */
export const ASKED: Record<string, { properties: Properties; writes?: true }> = {
  ...Object.fromEntries(ACTIONS.map((node) => [node, { properties: {} }])),
  session: { properties: { action: 'start' } },
  'create-route': { properties: {}, writes: true },
  'update-route': { properties: { mode: 'replace' }, writes: true },
  'delete-route': { properties: {}, writes: true },
  'control-route': { properties: { action: 'start' }, writes: true },
  'ensure-route': { properties: { waitTimeout: 0.5 }, writes: true },
  preset: { properties: { action: 'import' }, writes: true },
}

/** What is done where all is well; the last ones change what the others read. */
export const DONE: Array<{ type: string; properties: Properties; last?: true }> = [
  { type: 'session', properties: { action: 'info' } },
  { type: 'list-devices', properties: {} },
  { type: 'get-device', properties: { hideSecrets: true } },
  { type: 'get-device', properties: {} },
  { type: 'list-routes', properties: { output: 'routes' } },
  { type: 'list-routes', properties: { output: 'definitions', secrets: 'hidden' } },
  { type: 'list-routes', properties: { output: 'definitions', secrets: 'names' } },
  { type: 'get-route', properties: { hideSecrets: true } },
  { type: 'get-route', properties: {} },
  { type: 'create-route', properties: { waitFor: 'accepted' } },
  { type: 'create-route', properties: { waitFor: 'applied' } },
  {
    type: 'create-route',
    properties: {
      definitionType: 'jsonata',
      definition:
        '{"name": "From the environment", "source": {"name": "in", "protocol": "srt", "srtMode": "listener", "address": "0.0.0.0", "port": 7500, "srtPassPhrase": $env("SECRETS_TEST_PHRASE")}}',
    },
  },
  { type: 'update-route', properties: { mode: 'merge', waitFor: 'accepted' } },
  { type: 'update-route', properties: { mode: 'merge', waitFor: 'applied' } },
  { type: 'control-route', properties: { action: 'restart' } },
  { type: 'ensure-route', properties: { check: true } },
  { type: 'ensure-route', properties: {} },
  { type: 'statistics', properties: { scope: 'all' } },
  { type: 'metrics', properties: { gateways: 'all', statistics: 1 } },
  { type: 'preset', properties: { hideSecrets: true } },
  { type: 'preset', properties: {} },
  { type: 'delete-route', properties: {} },
  { type: 'preset', properties: { action: 'import' }, last: true },
  { type: 'session', properties: { action: 'end' }, last: true },
]

/** One for each stage and manner, and one for each way in which TLS, proxy or login go wrong. */
export function gatewaysOf(
  simulator: Simulator,
  secure: Simulator,
  appliance: Quoting,
): Properties[] {
  const gateway = (id: string, properties: Properties, credentials?: Properties): Properties => ({
    id,
    type: 'media-gateway',
    name: `Gateway ${id}`,
    timeout: 20_000,
    concurrency: 30,
    pollInterval: 1,
    ...properties,
    credentials: { username: 'haiadmin', password: PASSWORD, ...credentials },
  })
  const quoting = Object.keys(STAGES).flatMap((stage) =>
    Object.keys(MANNERS)
      // What is read brings no secret that could be spelled in so many ways.
      .filter((manner) => stage !== 'calls' || manner === 'plain' || !(manner in SPELLINGS))
      .map((manner) =>
        gateway(`${stage}-${manner}`, {
          baseUrl: `${appliance.url}/${stage}/${manner}`,
          timeout: manner === 'hang' ? 300 : 20_000,
        }),
      ),
  )
  const variables = { username: '${SECRETS_TEST_USER}', password: '${SECRETS_TEST_PASSWORD}' }
  const { fingerprint } = secure
  return [
    gateway('good', { baseUrl: simulator.url, timeout: 10_000 }),
    ...quoting,
    gateway('environment', { baseUrl: simulator.url }, variables),
    gateway('wrong', { baseUrl: simulator.url }, { password: WRONG_PASSWORD }),
    gateway('away', { baseUrl: 'http://127.0.0.1:1' }),
    gateway('secure', { baseUrl: secure.url, fingerprint, tls: 'tls', proxy: 'proxy' }),
    gateway('untrusted', { baseUrl: secure.url }),
    gateway('changed', { baseUrl: secure.url, fingerprint: 'AB'.repeat(32), proxy: 'proxy' }),
    gateway('wrong-key', { baseUrl: secure.url, fingerprint, tls: 'wrong-tls' }),
    gateway('refused-way', { baseUrl: secure.url, fingerprint, proxy: 'wrong-proxy' }),
  ]
}

/** TLS configurations and proxies, right and wrong. */
export function waysTo({ key, cert }: { key: string; cert: string }, proxy: Proxy): Properties[] {
  const tls = (id: string, passphrase: string): Properties => ({
    id,
    type: 'tls-config',
    name: `The ${id}`,
    cert: '',
    key: '',
    ca: '',
    verifyservercert: true,
    credentials: { certdata: cert, keydata: key, passphrase },
  })
  const through = (id: string, username: string): Properties => ({
    id,
    type: 'http proxy',
    name: `The ${id}`,
    url: proxy.url,
    noproxy: [],
    credentials: { username, password: PROXY_PASSWORD },
  })
  return [
    tls('tls', KEY_PHRASE),
    tls('wrong-tls', WRONG_PHRASE),
    through('proxy', 'known'),
    through('wrong-proxy', 'unknown'),
  ]
}

const WATCHED = ['good', 'login-plain', 'calls-plain', 'calls-reset', 'wrong', 'secure', 'changed']

/** Whether this kind of node is asked on this gateway: only where it can make a difference. */
function meets(gateway: string, type: string, writes = false): boolean {
  if (gateway === 'good' || gateway === 'environment') return false
  if (gateway.startsWith('writes-')) return writes
  // All fail at the same login.
  return !gateway.startsWith('login-') || gateway === 'login-plain' || type === 'create-route'
}

/** Every kind of node on every gateway; what becomes of each message is written to files. */
export function flowOf(gateways: Properties[], folder: string, deviceId: string): Properties[] {
  const node = (id: string, type: string, more: Properties): Properties => ({
    id,
    z: 'tab',
    x: 0,
    y: 0,
    type,
    name: '',
    wires: [],
    ...more,
  })
  const action = (id: string, type: string, from: string, more: Properties): Properties =>
    node(id, `media-gateway-${type}`, {
      from,
      device: deviceId,
      deviceType: 'id',
      wires: [['result']],
      ...more,
    })
  const done = DONE.map(({ type, properties }, index) =>
    action(`done-${index}`, type, `done ${index}`, { gateway: 'good', ...properties }),
  )
  const asked = gateways.flatMap(({ id: gateway }) =>
    Object.entries(ASKED)
      .filter(([type, { writes }]) => meets(String(gateway), type, writes))
      .map(([type, { properties }]) =>
        action(`${String(gateway)} ${type}`, type, `asked ${type}`, { gateway, ...properties }),
      ),
  )
  const broken = [
    action('broken-json', 'create-route', 'broken json', {
      gateway: 'good',
      definitionType: 'json',
      definition: '{"source": {"srtPassPhrase": oh dear}}',
    }),
    action('broken-expression', 'create-route', 'broken expression', {
      gateway: 'good',
      definitionType: 'jsonata',
      definition: '$number(payload.source.srtPassPhrase)',
    }),
    action('environment-list', 'list-devices', 'environment', { gateway: 'environment' }),
  ]
  const watches = WATCHED.map((gateway) =>
    node(`watch-${gateway}`, 'media-gateway-watch', {
      gateway,
      initial: 'snapshot',
      wires: [['event']],
    }),
  )
  const failovers = WATCHED.map((gateway) =>
    node(`failover-${gateway}`, 'media-gateway-failover', {
      gateway,
      route: 'Studio A',
      routeType: 'name',
      main: 'SECRETS_TEST_MAIN',
      mainType: 'env',
      backup: 'SECRETS_TEST_BACKUP',
      backupType: 'env',
      wires: [['event']],
    }),
  )
  const actions = [...done, ...asked, ...broken]
  const names = [...new Set(actions.map(({ from }) => String(from)))]
  const writesTo = (file: string): Properties =>
    node(file, 'file', {
      filename: join(folder, file),
      filenameType: 'str',
      appendNewline: true,
      overwriteFile: 'false',
    })
  const does = (id: string, func: string, wires: string[][]): Properties =>
    node(id, 'function', { func, outputs: wires.length, wires })
  return [
    { id: 'tab', type: 'tab', label: 'secrets' },
    ...gateways,
    ...actions,
    ...watches,
    ...failovers,
    node('go', 'http in', { url: '/go', method: 'post', wires: [['send']] }),
    does(
      'send',
      `node.send([{ req: msg.req, res: msg.res, payload: {} }])
       const names = ${JSON.stringify(names)}
       return [null, ...names.map((from) => msg.payload[from] && { ...msg.payload[from], from })]`,
      [
        ['gone'],
        ...names.map((name) =>
          actions.filter(({ from }) => from === name).map(({ id }) => String(id)),
        ),
      ],
    ),
    node('gone', 'http response', {}),
    // The message itself arrives as it was: what it brought is in its payload.
    does('result', 'return { payload: JSON.stringify(msg) }', [['results']]),
    writesTo('results'),
    node('complete', 'complete', { scope: actions.map(({ id }) => id), wires: [['end']] }),
    does('end', 'return { payload: msg.complete.source.id }', [['done']]),
    writesTo('done'),
    node('catch', 'catch', { scope: null, wires: [['failure', 'debug']] }),
    does(
      'failure',
      `const { payload, ...rest } = msg
       rest.inspected = util.inspect(msg.error, { depth: Infinity, showHidden: true })
       return { payload: JSON.stringify(rest) }`,
      [['caught']],
    ),
    writesTo('caught'),
    node('debug', 'debug', {
      active: true,
      tosidebar: true,
      console: true,
      complete: 'error',
      targetType: 'msg',
    }),
    node('status', 'status', { scope: null, wires: [['state']] }),
    does('state', 'return { payload: JSON.stringify(msg) }', [['statuses']]),
    writesTo('statuses'),
    does('event', 'return { payload: JSON.stringify(msg) }', [['events']]),
    writesTo('events'),
    node('plant-in', 'http in', { url: '/plant', method: 'post', wires: [['plant']] }),
    does(
      'plant',
      `const text = String(msg.payload)
       context.set('planted', text)
       node.status({ text })
       node.error(text, { topic: 'planted' })
       node.send([{ ...msg, payload: text }, { topic: text }])`,
      [['gone'], ['event']],
    ),
  ]
}
