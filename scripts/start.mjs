// npm start: a real Node-RED with these nodes and a flow that uses them all, against the
// simulator, or against the gateway named in the environment. Needs no other command.
//   PORT                                             of the editor (1880)
//   GATEWAY_URL, GATEWAY_USERNAME, GATEWAY_PASSWORD  a gateway; nothing on it is changed
//   GATEWAY_FINGERPRINT                              of its certificate, if it is self-signed
//   --once                                           ends after the first run of the flow
import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { atEnd, end, endOnSignals, isEnding, sentenceOf } from './harness/end.mjs'
import { link, startHere } from './harness/node-red.mjs'
import { table } from './harness/report.mjs'
import { ready, root } from './ready.mjs'

const HOST = '127.0.0.1'
const RUN_WITHIN_MS = 120_000

const require = createRequire(import.meta.url)

// Packages of Node-RED use deprecated parts of Node.js; a user can do nothing about that.
process.noDeprecation = true

async function main() {
  const { once } = parseArgs({ options: { once: { type: 'boolean' } } }).values
  const gateway = gatewayOf(process.env)
  const wantedPort = portOf(process.env)
  ready()
  endOnSignals(0)
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, fail)

  const simulator = gateway ? undefined : await startSimulator()
  const flow = simulator ? flowOnSimulator(simulator) : flowOnGateway(gateway)
  const editor = await startNodeRed(wantedPort, flow)
  const results = await run(editor.RED, flow, simulator !== undefined)
  tell(results, simulator)
  showNotes()
  if (once) await end(0)
  else sayWhere(editor, simulator)
}

// ---- before: options and environment

function gatewayOf(environment) {
  const { GATEWAY_URL, GATEWAY_USERNAME, GATEWAY_PASSWORD, GATEWAY_FINGERPRINT } = environment
  const needed = { GATEWAY_URL, GATEWAY_USERNAME, GATEWAY_PASSWORD }
  const missing = Object.keys(needed).filter((name) => !needed[name])
  if (missing.length === 3 && !GATEWAY_FINGERPRINT) return undefined
  if (missing.length > 0) {
    throw new Error(
      `To use a gateway, set GATEWAY_URL, GATEWAY_USERNAME and GATEWAY_PASSWORD; missing: ${missing.join(', ')}. With none of them set, the simulator is used.`,
    )
  }
  return { fingerprint: GATEWAY_FINGERPRINT }
}

function portOf({ PORT = '1880' }) {
  if (/^\d{1,5}$/.test(PORT) && Number(PORT) < 65_536) return Number(PORT)
  throw new Error(`PORT is the port of the editor, a number from 0 to 65535, not "${PORT}".`)
}

// ---- start: simulator, flow, Node-RED

async function startSimulator() {
  const { startSimulator: start } = require('../dist/simulator')
  const simulator = await orOnFreePort(8080, 'the simulator', (port) => start({ port, host: HOST }))
  atEnd((code) => {
    if (code === 0) console.log(`\nSessions left open: ${simulator.openSessions}`)
    return simulator.stop()
  })
  return simulator
}

/** Tries the port; if it is taken, uses a free one and says so. */
async function orOnFreePort(port, who, listen) {
  try {
    return await listen(port)
  } catch (error) {
    if (!['EADDRINUSE', 'EACCES'].includes(error.code)) throw error
    console.log(`Port ${port} is not free: ${who} takes another one.`)
    return listen(0)
  }
}

const FIRST = 'Start and stop a route'
const ALL = 'All nodes'

const example = (title) => JSON.parse(readFileSync(join(root, `examples/${title}.json`), 'utf8'))

/** One job to try, then the example with all nodes, then buttons that make something fail. */
function flowOnSimulator({ url }) {
  const nodes = [...example(FIRST), ...example(ALL), ...failureFlow(url)]
  const gateway = nodes.find(({ type }) => type === 'media-gateway')
  gateway.baseUrl = url
  // Only an Administrator may use all the nodes.
  gateway.credentials = { username: 'haiadmin', password: 'manager' }
  for (const node of nodes) {
    // They are set already.
    if (node.name === 'Set these, then deploy') node.name = 'For your own gateway, set these'
    // The first tab shows the events in the sidebar.
    if (node.type === 'debug' && node.name === 'event') node.tosidebar = false
  }
  // The examples share the gateway.
  return nodes.filter((node) => node === gateway || node.id !== gateway.id)
}

/** The example with all nodes: what another example changes would be refused here. */
function flowOnGateway({ fingerprint }) {
  const nodes = example(ALL)
  const gateway = nodes.find(({ type }) => type === 'media-gateway')
  // Node-RED replaces ${NAME} with the value from the environment: no secret is stored.
  gateway.baseUrl = '${GATEWAY_URL}'
  gateway.credentials = { username: '${GATEWAY_USERNAME}', password: '${GATEWAY_PASSWORD}' }
  gateway.fingerprint = fingerprint ? '${GATEWAY_FINGERPRINT}' : ''
  gateway.readOnly = true
  return nodes
}

const ofStudio = 'routes/Studio%20A'

/** What can fail: the label of a button, the call of the simulator that it makes, and its body. */
const FAILURES = {
  'Source of Studio A': [
    { label: 'source fails', path: ofStudio, body: { source: 'disconnected' } },
    { label: 'source sends no data', path: ofStudio, body: { source: 'no-data' } },
    { label: 'bit rate drops', path: ofStudio, body: { source: { bitrate: 0.5 } } },
    { label: 'packet loss', path: ofStudio, body: { source: { loss: 8, rtt: 600 } } },
    { label: 'source is back', path: ofStudio, body: { source: 'ok' } },
  ],
  'Destination of Studio A': [
    {
      label: 'destination fails',
      path: ofStudio,
      body: { destinations: { 'Studio A out': 'disconnected' } },
    },
    {
      label: 'destination is back',
      path: ofStudio,
      body: { destinations: { 'Studio A out': 'ok' } },
    },
  ],
  Gateway: [
    { label: 'device goes offline', path: 'device', body: { state: 'offline' } },
    { label: 'gateway does not respond', path: 'device', body: { state: 'away' } },
    { label: 'gateway is back', path: 'device', body: { state: 'ok' } },
  ],
  Everything: [{ label: 'everything is back', path: 'failures', method: 'DELETE' }],
}

/** About how wide the editor draws a label, so that all wires begin in one line. */
const widthOf = (label) => Math.max(100, 20 * Math.ceil((7 * label.length + 50) / 20))

/** A tab with buttons that make something of the simulator fail, and restore it. */
function failureFlow(url) {
  const z = 'simulator-failures'
  const nodes = []
  const groups = []
  const add = (node) => {
    nodes.push({ id: `${z}-${nodes.length}`, z, wires: [], ...node })
    return nodes.at(-1)
  }
  const group = (name, members, place) => {
    const id = `${z}-group-${groups.length}`
    for (const member of members) member.g = id
    const ids = members.map((member) => member.id)
    groups.push({ id, type: 'group', z, name, style: { label: true }, nodes: ids, ...place })
  }
  add({
    type: 'comment',
    name: 'Make something fail, and see what your flow does',
    info: `These buttons call the simulator. "${FIRST}" has a watch that reports what happens. Import a recipe, choose its gateway and the route Studio A, and press a button here.`,
    x: 210,
    y: 40,
  })
  let y = 80
  for (const [title, buttons] of Object.entries(FAILURES)) {
    const members = buttons.map(({ label: name, path, body = {}, method = 'POST' }, row) =>
      add({
        type: 'inject',
        name,
        props: [
          { p: 'payload', v: JSON.stringify(body), vt: 'json' },
          { p: 'method', v: method, vt: 'str' },
          { p: 'url', v: `${url}/simulator/${path}`, vt: 'str' },
        ],
        repeat: '',
        crontab: '',
        once: false,
        onceDelay: 0.1,
        topic: '',
        x: 286 - widthOf(name) / 2,
        y: y + 41 + 40 * row,
        wires: [[`${z}-call`]],
      }),
    )
    const h = 82 + 40 * (members.length - 1)
    group(title, members, { x: 20, y, w: 300, h })
    y += h + 20
  }
  const call = add({
    id: `${z}-call`,
    type: 'http request',
    name: 'call the simulator',
    method: 'use',
    ret: 'obj',
    paytoqs: 'ignore',
    url: '',
    tls: '',
    persist: false,
    proxy: '',
    insecureHTTPParser: false,
    authType: '',
    senderr: false,
    headers: [],
    x: 510,
    y: 201,
    wires: [[`${z}-shown`]],
  })
  const shown = add({
    id: `${z}-shown`,
    type: 'debug',
    name: 'what fails now',
    active: true,
    tosidebar: true,
    console: false,
    tostatus: false,
    complete: 'payload',
    targetType: 'msg',
    x: 710,
    y: 201,
  })
  group('Do it', [call, shown], { x: 394, y: 160, w: 432, h: 82 })
  return [
    { id: z, type: 'tab', label: 'Simulator: failures', disabled: false, info: '' },
    ...groups,
    ...nodes,
  ]
}

async function startNodeRed(wantedPort, flow) {
  const app = createRequire(require.resolve('node-red'))('express')()
  const listen = (port) =>
    new Promise((resolve, reject) => {
      const candidate = createServer(app)
      candidate.once('error', reject)
      candidate.listen(port, HOST, () => resolve(candidate))
    })
  const server = await orOnFreePort(wantedPort, 'the editor', listen)
  const { port } = server.address()
  atEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  const settings = {
    userDir: userDirectory(),
    uiHost: HOST,
    uiPort: port,
    httpAdminRoot: '/',
    httpNodeRoot: '/',
    flowFile: 'flows.json',
    credentialSecret: 'media-gateway-demo',
    logging: { console: { level: 'off' }, demo: { level: 'warn', handler: () => logged } },
    editorTheme: { tours: false, projects: {} },
  }
  const starting = startHere(server, settings, (RED) => {
    app.use('/', RED.httpAdmin)
    app.use('/', RED.httpNode)
  })
  const { RED, deploy } = await within(30_000, starting, 'Node-RED did not start in time.')
  await within(30_000, deploy(flow), 'Node-RED did not start the demo flow in time.')
  return { RED, url: `http://${HOST}:${port}/` }
}

function logged({ msg }) {
  // In a new user directory there can be no credentials yet.
  const expected = require('node-red').log._('nodes.credentials.encryptedNotFound')
  if (msg !== expected) note(clean(msg?.message ?? msg))
}

/** An empty user directory with this package in it. */
function userDirectory() {
  const userDir = join(root, '.demo')
  rmSync(userDir, { recursive: true, force: true })
  link(userDir)
  return userDir
}

// ---- the run: presses the buttons of the flow and collects what its nodes send

async function run(RED, flow, withChanges) {
  const { id: tab } = flow.find(({ type, label }) => type === 'tab' && label === ALL)
  const results = {}
  let refuse
  let check = () => {}
  RED.hooks.add('onSend.demo', (events) => {
    for (const { source, msg } of events) {
      const step = source.node.type.replace(/^media-gateway-/, '')
      if (step === source.node.type || source.node.z !== tab) continue
      if (step === 'watch') (results.watch ??= { payload: [] }).payload.push(msg.topic)
      else results[step] = RED.util.cloneMessage({ payload: msg.payload, gateway: msg.gateway })
      check()
    }
  })
  RED.hooks.add('onComplete.demo', ({ node, error }) => {
    if (!error) return
    const name = node.node.type.replace(/^media-gateway-/, '').replace('-', ' ')
    refuse?.(new Error(`The step "${name}" of the demo flow failed. ${error.message ?? error}`))
  })
  const press = (name, isOver) => {
    const done = new Promise((resolve, reject) => {
      refuse = reject
      check = () => isOver() && resolve()
    })
    RED.nodes.eachNode(({ id, type, z, name: label }) => {
      if (type === 'inject' && z === tab && label === name) RED.nodes.getNode(id).receive()
    })
    return within(RUN_WITHIN_MS, done, 'The demo flow did not end in time.')
  }
  await press('read', () => stepsOfReading(results).every((step) => results[step]))
  const isGone = () => results.watch?.payload.includes('route.removed')
  if (withChanges) await press('change', () => results['delete-route'] && isGone())
  RED.hooks.remove('*.demo')
  return results
}

/** What the flow reads: a route only if one exists, the preset only if the role allows it. */
function stepsOfReading({ session, 'list-routes': list }) {
  const steps = ['session', 'get-device', 'list-routes', 'statistics']
  if (list?.payload.data.length > 0) steps.push('get-route')
  if (String(session?.payload.roles).includes('Administrator')) steps.push('preset')
  return steps
}

async function within(ms, work, sentence) {
  let timer
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(sentence)), ms)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}

// ---- the report

function tell(results, simulator) {
  const payload = (step) => results[step]?.payload
  const { displayName, roles = [], expireAt } = payload('session')
  console.log(
    `\n${simulator ? `The simulated gateway at ${simulator.url}` : 'Your gateway, read-only'}`,
  )
  console.log(
    `Session of ${clean(displayName)} (${clean(roles.join(', '))}), until ${timeOf(expireAt)}`,
  )

  const devices = payload('list-devices')
  console.log(`\nDevices: ${devices.length}`)
  show(
    ['Name', 'Status', 'Firmware', 'ID'],
    devices.map(({ name, status, firmware, _id }) => [name, status, firmware, _id]),
  )

  const { data: routes } = payload('list-routes')
  console.log(`\nRoutes of the first device: ${routes.length}`)
  show(
    ['Name', 'State', 'Source', 'Destinations', 'Status'],
    routes.map((route) => [
      route.name,
      route.state === 'idle' ? 'stopped' : route.state,
      protocolOf(route.source),
      counted((route.destinations ?? []).map(protocolOf)),
      route.summaryStatusCode,
    ]),
  )

  const statistics = payload('statistics')
  const bitrates = statistics.map(({ route }) => Number(route.source?.bitrate) || 0)
  const total = bitrates.reduce((sum, bitrate) => sum + bitrate, 0)
  console.log(`\nRunning: ${statistics.length}, with ${total.toFixed(1)} Mbit/s of sources`)
  const preset = payload('preset')
  console.log(
    preset ? `Preset: ${preset.routes?.length ?? 0} routes` : 'Preset: only for an Administrator',
  )

  console.log()
  if (simulator) {
    tellChange('Created', payload('create-route'))
    tellChange('Updated', payload('update-route'))
    console.log(clean(`Started it: ${payload('control-route').state}`))
    console.log(clean(`Ensured "stopped": ${[payload('ensure-route').action].flat().join(', ')}`))
    console.log(clean(`Deleted it: ${payload('delete-route').status}`))
    console.log(clean(`Reported by the watch: ${[...new Set(payload('watch'))].join(', ')}`))
    const calls = simulator.journal.length - simulator.loginAttempts
    console.log(
      `Logins: ${simulator.logins} for ${calls} requests of ${Object.keys(results).length} nodes`,
    )
  } else {
    console.log('Nothing was changed: this demo only reads from your gateway.')
  }
}

function tellChange(what, { name, source, destinations }) {
  const places = [source, ...destinations].map(
    (part) => `${part.name} ${protocolOf(part)} ${part.address}:${part.port}`,
  )
  const [from, ...to] = places
  console.log(clean(`${what} route "${name}": from ${from}, to ${to.join(' and to ')}`))
}

function protocolOf({ protocol, mode } = {}) {
  if (mode === 'hls') return 'hls'
  return protocol === 'srt' && mode ? `srt ${mode}` : protocol
}

/** `['udp', 'hls', 'udp']` as "2 × udp, hls". */
function counted(words) {
  const counts = new Map()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const parts = [...counts].map(([word, count]) => (count > 1 ? `${count} × ${word}` : word))
  return parts.join(', ') || 'none'
}

const MOST_ROWS = 30

function show(heads, rows) {
  const shown = rows.slice(0, MOST_ROWS).map((row) => row.map(clean))
  table(heads, shown, { isText: true, indent: '  ' })
  if (rows.length > MOST_ROWS) console.log(`  and ${rows.length - MOST_ROWS} more`)
}

/** Warnings of Node-RED, kept back until the report, since a failure may say the same. */
let notes = []

function note(text) {
  if (notes) notes.push(text)
  else console.error(`Node-RED: ${text}`)
}

function showNotes(sentence = '') {
  for (const text of notes ?? []) {
    if (!sentence.includes(text)) console.error(`Node-RED: ${text}`)
  }
  notes = undefined
}

// What comes from a gateway must not steer the terminal.
function clean(value) {
  return String(value ?? '').replace(/\p{C}/gu, ' ')
}

function timeOf(ms) {
  const time = new Date(ms)
  return Number.isNaN(time.getTime()) ? 'an unknown time' : time.toLocaleTimeString()
}

function sayWhere({ url }, simulator) {
  console.log(`\nEditor     ${url}`)
  if (simulator) {
    console.log(`           tab "${FIRST}": press a button, see what happens`)
    console.log(`           tab "${ALL}": every node, as it ran above`)
    console.log('           tab "Simulator: failures": make something fail')
    console.log(`Simulator  ${simulator.url}/simulator shows its state`)
    console.log('           users: operator, password supervisor; haiadmin, password manager')
  }
  console.log('\nEach start replaces the flows: export what you want to keep.')
  console.log('Ctrl-C stops everything and logs out.')
}

// ---- the end

function fail(error) {
  if (!isEnding()) {
    const sentence = sentenceOf(error)
    showNotes(sentence)
    console.error(sentence)
  }
  return end(1)
}

main().catch(fail)
