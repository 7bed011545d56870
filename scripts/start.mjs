// npm start: a real Node-RED with these nodes and a flow that uses them all, against the
// simulator, or against the gateway named in the environment. Needs no other command.
//   PORT                                             of the editor (1880)
//   GATEWAY_URL, GATEWAY_USERNAME, GATEWAY_PASSWORD  a gateway; nothing on it is changed
//   GATEWAY_FINGERPRINT                              of its certificate, if it is self-signed
//   DASHBOARD=none                                   without the control panel
//   --once                                           ends after the first run of the flow
import './help.mjs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { DASHBOARD, PANEL } from './harness/dashboard.mjs'
import { atEnd, end, endOnSignals, isEnding, sentenceOf } from './harness/end.mjs'
import { link, startHere, temporaryUserDirectory } from './harness/node-red.mjs'
import { table } from './harness/report.mjs'
import { ready } from './ready.mjs'
import { newAccess, ownPagesOnly } from './start/access.mjs'
import { TITLE as FAILURES, withWaiting } from './start/failures.mjs'
import { CHANNEL, CHANNEL_ROUTES, FAILOVER, showFailover } from './start/failover.mjs'
import { ALL, FIRST, flowOnGateway, flowOnSimulator } from './start/flows.mjs'
import { findDashboard, pathOfPanel } from './start/panel.mjs'

const HOST = '127.0.0.1'
const RUN_WITHIN_MS = 120_000
/** To open the editor, before there is something to see in it. */
const FAILOVER_AFTER_MS = 20_000
/** To see the backup in use. */
const ON_BACKUP_MS = 8000

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
  const dashboard = simulator && !once ? await findDashboard(process.env) : undefined
  const flow = simulator
    ? flowOnSimulator(simulator, { withPanel: dashboard !== undefined })
    : flowOnGateway(gateway)
  const editor = await startNodeRed(wantedPort, flow, dashboard)
  const results = await run(editor.RED, flow, simulator !== undefined)
  tell(results, simulator)
  if (simulator && once) await demonstrateFailover(editor.RED, flow)
  showNotes()
  if (once) {
    await end(0)
  } else {
    sayWhere(editor, simulator, dashboard !== undefined)
    if (simulator) await demonstrateLater(editor.RED, flow)
  }
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
  const { startSimulator: start, generateRoutes } = require('../dist/simulator')
  const routes = [...withWaiting(generateRoutes(8)), ...CHANNEL_ROUTES]
  const simulator = await orOnFreePort(8080, 'the simulator', (port) =>
    start({ port, host: HOST, routes }),
  )
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

async function startNodeRed(wantedPort, flow, dashboard) {
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
  const { token, adminAuth } = newAccess()
  const settings = {
    userDir: userDirectory(dashboard),
    uiHost: HOST,
    uiPort: port,
    httpAdminRoot: '/',
    adminAuth,
    httpNodeRoot: '/',
    flowFile: 'flows.json',
    credentialSecret: 'media-gateway-demo',
    logging: { console: { level: 'off' }, demo: { level: 'warn', handler: () => logged } },
    editorTheme: { tours: false, projects: {} },
  }
  const starting = startHere(server, settings, (RED) => {
    app.use(ownPagesOnly(server))
    app.use('/', RED.httpAdmin)
    app.use('/', RED.httpNode)
  })
  const { RED, deploy } = await within(30_000, starting, 'Node-RED did not start in time.')
  await within(30_000, deploy(flow), 'Node-RED did not start the demo flow in time.')
  return { RED, url: `http://${HOST}:${port}/`, token }
}

function logged({ msg }) {
  // In a new user directory there can be no credentials yet.
  const expected = require('node-red').log._('nodes.credentials.encryptedNotFound')
  if (msg !== expected) note(clean(msg?.message ?? msg))
}

/** A user directory of its own, with this package in it, and the Dashboard if there is one. */
function userDirectory(dashboard) {
  const userDir = temporaryUserDirectory()
  link(userDir)
  if (dashboard) link(userDir, DASHBOARD, dashboard)
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
    pressButton(RED, tab, name)
    return within(RUN_WITHIN_MS, done, 'The demo flow did not end in time.')
  }
  await press('read', () => stepsOfReading(results).every((step) => results[step]))
  const isGone = () => results.watch?.payload.includes('route.removed')
  if (withChanges) await press('failover state', () => results.failover)
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

// ---- the failover: its main source fails and comes back, then both do

/** Once, and tells each step. */
async function demonstrateFailover(RED, flow, backupMs = 0) {
  const { id: tab } = flow.find(({ type, label }) => type === 'tab' && label === FAILOVER)
  console.log(`\nFailover of the route "${CHANNEL}", with short times`)
  const shown = showFailover({
    press: (name) => pressButton(RED, tab, name),
    heard(listener) {
      RED.hooks.add('onSend.failover', (events) => {
        for (const { source, msg } of events) {
          const { type, z } = source.node
          if (type === 'media-gateway-failover' && z === tab) listener(msg)
        }
      })
      return () => RED.hooks.remove('*.failover')
    },
    backupMs,
    tell: (text) => console.log(`  ${new Date().toLocaleTimeString()}  ${clean(text)}`),
  })
  await within(RUN_WITHIN_MS, shown, 'The failover of the demo flow did not end in time.')
}

/** As somebody can watch it. */
async function demonstrateLater(RED, flow) {
  const seconds = FAILOVER_AFTER_MS / 1000
  console.log(
    `\nIn ${seconds} seconds, the main source of "${CHANNEL}" fails and comes back, then main and backup: see the tab "${FAILOVER}". This takes about a minute.`,
  )
  await pause(FAILOVER_AFTER_MS)
  await demonstrateFailover(RED, flow, ON_BACKUP_MS)
  console.log(`To see it again: tab "${FAILOVER}", button "main fails", then "main is back".`)
}

function pressButton(RED, tab, name) {
  RED.nodes.eachNode(({ id, type, z, name: label }) => {
    if (type === 'inject' && z === tab && label === name) RED.nodes.getNode(id).receive()
  })
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
    console.log(clean(`Asked a failover: ${payload('failover').text}`))
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

function sayWhere({ url, token }, simulator, hasPanel) {
  console.log(`\nEditor     ${url}?access_token=${token}`)
  if (simulator) {
    console.log(`           tab "${FIRST}": press a button, see what happens`)
    console.log(`           tab "${FAILOVER}": a source fails, and the route gets its backup`)
    console.log(`           tab "${ALL}": every node, as it ran above`)
    console.log(`           tab "${FAILURES}": make something fail`)
    if (hasPanel)
      console.log(
        `Panel      ${url}${pathOfPanel()}\n           tab "${PANEL}": what it shows and does`,
      )
    console.log('Sidebar    menu, View, Media gateways: all routes as they are now')
    console.log(`Simulator  ${simulator.url} shows its routes, and makes them fail`)
    console.log('           users: operator, password supervisor; haiadmin, password manager')
  }
  console.log('\nFlows are not kept: export what you want to keep.')
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
