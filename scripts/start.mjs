// npm start: a real Node-RED with these nodes and a flow that uses them all, against the
// simulator, or against the appliance named in the environment. Needs no other command.
//   PORT                                             of the editor (1880)
//   GATEWAY_URL, GATEWAY_USERNAME, GATEWAY_PASSWORD  an appliance; nothing on it is changed
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
  const appliance = applianceOf(process.env)
  const wantedPort = portOf(process.env)
  ready()
  endOnSignals(0)
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, fail)

  const simulator = appliance ? undefined : await startSimulator()
  const editor = await startNodeRed(wantedPort, demoFlow(appliance, simulator))
  const results = await run(editor.RED, simulator !== undefined)
  tell(results, simulator)
  showNotes()
  if (once) await end(0)
  else sayWhere(editor, simulator)
}

// ---- before: options and environment

function applianceOf(environment) {
  const { GATEWAY_URL, GATEWAY_USERNAME, GATEWAY_PASSWORD, GATEWAY_FINGERPRINT } = environment
  const needed = { GATEWAY_URL, GATEWAY_USERNAME, GATEWAY_PASSWORD }
  const missing = Object.keys(needed).filter((name) => !needed[name])
  if (missing.length === 3 && !GATEWAY_FINGERPRINT) return undefined
  if (missing.length > 0) {
    throw new Error(
      `To use an appliance, set GATEWAY_URL, GATEWAY_USERNAME and GATEWAY_PASSWORD; missing: ${missing.join(', ')}. Without any of them the simulator is used.`,
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

/** The example with all nodes, on the simulator, or read only on the appliance. */
function demoFlow(appliance, simulator) {
  const flow = JSON.parse(readFileSync(join(root, 'examples/All nodes.json'), 'utf8'))
  const gateway = flow.find(({ type }) => type === 'media-gateway')
  if (simulator) {
    gateway.baseUrl = simulator.url
    // Only an Administrator may use all the nodes.
    gateway.credentials = { username: 'haiadmin', password: 'manager' }
    flow.push(...failureFlow(simulator))
  } else {
    // Node-RED replaces ${NAME} with the value from the environment: no secret is stored.
    gateway.baseUrl = '${GATEWAY_URL}'
    gateway.credentials = { username: '${GATEWAY_USERNAME}', password: '${GATEWAY_PASSWORD}' }
    gateway.fingerprint = appliance.fingerprint ? '${GATEWAY_FINGERPRINT}' : ''
    gateway.readOnly = true
  }
  return flow
}

const ofStudio = 'routes/Studio%20A'

/** What can fail: the label of a button, the call of the simulator that it makes, and its body. */
const FAILURES = [
  [
    { label: 'Studio A: source fails', path: ofStudio, body: { source: 'disconnected' } },
    { label: 'Studio A: no data comes', path: ofStudio, body: { source: 'no-data' } },
    { label: 'Studio A: bit rate down', path: ofStudio, body: { source: { bitrate: 0.5 } } },
    {
      label: 'Studio A: loss, long round trip',
      path: ofStudio,
      body: { source: { loss: 8, rtt: 600 } },
    },
    { label: 'Studio A: source is back', path: ofStudio, body: { source: 'ok' } },
  ],
  [
    {
      label: 'Studio A: destination fails',
      path: ofStudio,
      body: { destinations: { 'Studio A out': 'disconnected' } },
    },
    {
      label: 'Studio A: destination is back',
      path: ofStudio,
      body: { destinations: { 'Studio A out': 'ok' } },
    },
  ],
  [
    { label: 'appliance: device offline', path: 'device', body: { state: 'offline' } },
    { label: 'appliance: away', path: 'device', body: { state: 'away' } },
    { label: 'appliance: is back', path: 'device', body: { state: 'ok' } },
  ],
  [{ label: 'everything is back', path: 'failures', method: 'DELETE' }],
]

/** A tab with buttons that make something of the simulator fail, and restore it. */
function failureFlow({ url }) {
  const z = 'simulator-failures'
  const comment = {
    id: `${z}-note`,
    type: 'comment',
    z,
    name: 'Make something fail, and see what your flow does',
    info: 'These buttons call the simulator, not the appliance that it plays. The tab "All nodes" has a watch: its events are in the debug sidebar. Import a recipe, give it the gateway and the route Studio A, and press a button.',
    x: 220,
    y: 40,
    wires: [],
  }
  let y = 40
  const buttons = FAILURES.flatMap((group) => {
    y += 20
    return group.map(({ label: name, path, body = {}, method = 'POST' }) => ({
      id: `${z}-${(y += 40)}`,
      type: 'inject',
      z,
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
      x: 180,
      y,
      wires: [[`${z}-call`]],
    }))
  })
  const call = {
    id: `${z}-call`,
    type: 'http request',
    z,
    name: 'tell the simulator',
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
    x: 450,
    y: 300,
    wires: [[`${z}-shown`]],
  }
  const shown = {
    id: `${z}-shown`,
    type: 'debug',
    z,
    name: 'what has failed',
    active: true,
    tosidebar: true,
    console: false,
    tostatus: false,
    complete: 'payload',
    targetType: 'msg',
    x: 660,
    y: 300,
    wires: [],
  }
  const tab = { id: z, type: 'tab', label: 'Simulator: failures', disabled: false, info: '' }
  return [tab, comment, ...buttons, call, shown]
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

async function run(RED, withChanges) {
  const results = {}
  let refuse
  let check = () => {}
  RED.hooks.add('onSend.demo', (events) => {
    for (const { source, msg } of events) {
      const step = source.node.type.replace(/^media-gateway-/, '')
      if (step === source.node.type) continue
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
    RED.nodes.eachNode(({ id, type, name: label }) => {
      if (type === 'inject' && label === name) RED.nodes.getNode(id).receive()
    })
    return within(RUN_WITHIN_MS, done, 'The demo flow did not end in time.')
  }
  await press('read', () => stepsOfReading(results).every((step) => results[step]))
  const isGone = () => results.watch?.payload.includes('route.removed')
  if (withChanges) await press('change', () => results['delete-route'] && isGone())
  RED.hooks.remove('*.demo')
  return results
}

/** What the flow reads: a route only if there is one, the preset only if the role allows it. */
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
    `\n${simulator ? `The simulated appliance at ${simulator.url}` : 'Your appliance, read only'}`,
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
      route.state,
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
    console.log(clean(`Seen by the watch: ${[...new Set(payload('watch'))].join(', ')}`))
    const calls = simulator.journal.length - simulator.loginAttempts
    console.log(
      `Logins: ${simulator.logins} for ${calls} calls of ${Object.keys(results).length} nodes`,
    )
  } else {
    console.log('Nothing was changed: an appliance is only read here.')
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

// What comes from an appliance must not steer the terminal.
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
    console.log(`Simulator  ${simulator.url}/simulator shows its state`)
    console.log('           tab "Simulator: failures": buttons that make something fail')
    console.log('           users: operator, password supervisor; haiadmin, password manager')
  }
  console.log('\nThe flow is written anew at each start: export what you want to keep.')
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
