// npm --prefix tools run screenshots: retakes the pictures in docs/images, in the editor of a real Node-RED with
// this package, against the simulator. With names, only those: npm --prefix tools run screenshots -- watch
//   --list    only lists their names
//   CHROMIUM  the path of the browser, if not in one of the usual places
import '../../scripts/help.mjs'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { DASHBOARD, dashboard, panel } from '../../scripts/harness/dashboard.mjs'
import { until } from '../../scripts/harness/processes.mjs'
import { withPalette } from './png.mjs'
import { ready, root } from '../../scripts/ready.mjs'

const require = createRequire(import.meta.url)
const folder = join(root, 'docs/images')

// The pictures show these addresses, so they are always the same.
const PORT = 8480
const OTHER_PORT = 8481
const LARGEST_BYTES = 120_000
const LARGEST_TOTAL_BYTES = 1_000_000

/** Every picture, and how it is taken. */
const PICTURES = {
  editor: (stage) => stage.editor(),
  'editor-dark': (stage) => stage.editor('dark'),
  'test-connection': (stage) => stage.testConnection(),
  'pin-certificate': (stage) => stage.pinCertificate(),
  'route-picker': (stage) => stage.routePicker(),
  'route-form': (stage) => stage.routeForm(),
  'route-form-dark': (stage) => stage.routeForm('dark'),
  sidebar: (stage) => stage.sidebar(),
  watch: (stage) => stage.watch(),
  failover: (stage) => stage.failover(),
  'alarm-with-recovery': (stage) => stage.recipe('Alarm with recovery'),
  'stream-deck-with-companion': (stage) => stage.recipe('Stream Deck with Companion'),
  'tsl-umd-tally': (stage) => stage.recipe('TSL UMD tally'),
  salvo: (stage) => stage.recipe('Salvo'),
  'bookings-from-a-calendar': (stage) => stage.recipe('Bookings from a calendar'),
  'guest-contribution': (stage) => stage.recipe('Guest contribution'),
  'rest-facade': (stage) => stage.recipe('REST facade'),
  'routes-as-a-file': (stage) => stage.recipe('Routes as a file'),
  'two-sites-alike': (stage) => stage.recipe('Two sites alike'),
  'key-rotation': (stage) => stage.recipe('Key rotation'),
  'control-panel': (stage) => stage.controlPanel(),
  'control-panel-light': (stage) => stage.controlPanel(LIGHT),
}

async function main(wanted) {
  if (wanted.includes('--list')) return console.log(names().join('\n'))
  // The pictures show times, which must not depend on the machine.
  process.env.TZ = 'UTC'
  const unknown = wanted.filter((name) => !(name in PICTURES))
  if (unknown.length > 0) {
    throw new Error(`No such picture: ${unknown.join(', ')}. There are ${names().join(', ')}.`)
  }
  ready()
  const stage = await openStage()
  try {
    mkdirSync(folder, { recursive: true })
    for (const name of wanted.length > 0 ? wanted : names()) {
      const picture = await PICTURES[name](stage)
      await stage.take(picture, join(folder, `${name}.png`))
    }
  } finally {
    await stage.close()
  }
  removeOthers()
  tellSizes()
}

const names = () => Object.keys(PICTURES)

function removeOthers() {
  for (const file of readdirSync(folder)) {
    if (!names().includes(file.replace(/\.png$/, ''))) rmSync(join(folder, file))
  }
}

function tellSizes() {
  const sizes = names().map((name) => [name, statSync(join(folder, `${name}.png`)).size])
  const total = sizes.reduce((sum, [, size]) => sum + size, 0)
  for (const [name, size] of sizes) console.log(`${kilobytes(size)}  ${name}`)
  console.log(`${kilobytes(total)}  in all`)
  const large = sizes.filter(([, size]) => size > LARGEST_BYTES).map(([name]) => name)
  if (large.length > 0)
    throw new Error(`Larger than ${kilobytes(LARGEST_BYTES)}: ${large.join(', ')}`)
  if (total > LARGEST_TOTAL_BYTES) throw new Error(`Larger than ${kilobytes(LARGEST_TOTAL_BYTES)}`)
}

const kilobytes = (bytes) => `${Math.round(bytes / 1000)} kB`.padStart(7)

// ---- what is in the pictures

async function openStage() {
  const { startSimulator } = require('../../dist/simulator')
  const { findBrowser } = require('../../dist/test/support/browser')
  const { startEditor } = require('../../dist/test/support/editor')
  if (findBrowser() === undefined) throw new Error('Without a browser there are no pictures.')

  const opened = []
  const close = async () => {
    for (const one of opened.reverse()) await one.stop()
  }
  const opening = async (one) => {
    opened.push(await one)
    return one
  }
  try {
    const https = certificate()
    const studio = await opening(
      startSimulator({ port: PORT, https, routes: ROUTES, settleDelay: 100 }),
    )
    await opening(startSimulator({ port: OTHER_PORT, https }))
    const editor = await opening(startEditor({ editorTheme: THEME }))
    await editor.deploy(flow(studio.fingerprint))
    const problem = studio.route('OB van 3')
    await until(() => problem.source.state === 'connected', 'The connection of the source')
    problem.summaryStatusCode = 'warn'
    return { ...scenes(editor, () => opening(startPanel(studio))), close }
  } catch (error) {
    await close()
    throw error
  }
}

const THEME = {
  tours: false,
  palette: { catalogues: [] },
  codeEditor: { lib: 'ace' },
  header: { title: 'Node-RED' },
}

const srt = (name, srtMode, address, port, more) => ({
  name,
  protocol: 'srt',
  srtMode,
  address,
  port,
  srtLatency: 250,
  ...more,
})
const udp = (name, address, port, more) => ({
  name,
  protocol: 'udp',
  address,
  port,
  networkInterface: 'eth1',
  ...more,
})

const ROUTES = [
  {
    name: 'Studio A',
    startRoute: true,
    source: srt('Studio A in', 'listener', '0.0.0.0', 5001),
    destinations: [
      udp('Studio A playout', '239.10.1.1', 6001),
      srt('Studio A partner', 'caller', '203.0.113.20', 7001),
    ],
  },
  {
    name: 'Studio B',
    startRoute: true,
    source: srt('Studio B in', 'listener', '0.0.0.0', 5002),
    destinations: [udp('Studio B playout', '239.10.1.2', 6002)],
  },
  {
    name: 'OB van 3',
    startRoute: true,
    source: srt('OB van 3 in', 'caller', '198.51.100.33', 5003),
    destinations: [udp('OB van 3 playout', '239.10.1.3', 6003)],
  },
  {
    name: 'Stadium North',
    startRoute: true,
    source: udp('Stadium North in', '239.20.1.4', 5004),
    destinations: [srt('Stadium North partner', 'listener', '0.0.0.0', 7004)],
  },
  {
    name: 'Stadium South',
    source: udp('Stadium South in', '239.20.1.5', 5005),
    destinations: [srt('Stadium South partner', 'listener', '0.0.0.0', 7005)],
  },
  {
    name: 'Weather desk',
    source: udp('Weather desk in', '239.20.1.6', 5006),
    destinations: [udp('Weather desk playout', '239.10.1.6', 6006)],
  },
]

const DEFINITION = {
  name: 'Studio C',
  source: srt('Studio C in', 'listener', '0.0.0.0', 5009, {
    networkInterface: 'eth0',
    srtPassPhrase: 'correct horse battery',
  }),
  destinations: [
    udp('Studio C playout', '239.10.1.9', 6009, { ttl: 16 }),
    srt('Studio C partner', 'caller', '203.0.113.20', 7009),
  ],
}

/** How fast the clock of the panel runs, so that its chart shows minutes and not seconds. */
const PANEL_HURRY = 10
const LIGHT = {
  surface: '#ffffff',
  primary: '#52525b',
  bgPage: '#f4f4f5',
  groupBg: '#ffffff',
  groupOutline: '#e4e4e7',
}

/** What the watch says then. */
const SAID = {
  disconnected: /^Stadium North: no source/,
  ok: /^Stadium North: OK again/,
}

/** A Node-RED with the Dashboard and the panel, in colors of the picture, and a browser. */
async function startPanel(studio) {
  const { url, fingerprint } = studio
  const { startEditor } = require('../../dist/test/support/editor')
  const { hurried } = require('../../dist/test/support/node-red')
  const packages = { [DASHBOARD]: await dashboard() }
  const editor = await startEditor({ editorTheme: THEME }, hurried(PANEL_HURRY), packages)
  const show = async (colors) => {
    const recipe = panel()
    Object.assign(
      recipe.find(({ type }) => type === 'media-gateway'),
      {
        baseUrl: url,
        fingerprint,
        timeout: 100_000,
        credentials: { username: 'operator', password: 'supervisor' },
      },
    )
    if (colors) {
      recipe.find(({ type }) => type === 'ui-theme').colors = colors
      const chart = recipe.find(({ type }) => type === 'ui-chart')
      Object.assign(chart, { textColorDefault: true, gridColorDefault: true })
    }
    await editor.deploy(recipe)
    const page = await editor.openPage({ width: 1600, height: 900 }, hastened(PANEL_HURRY))
    await page.goto(`${editor.url}dashboard/routes`)
    await page.getByText('Stadium North', { exact: true }).first().waitFor()
    // Something has happened in the last hour.
    for (const source of ['disconnected', 'ok']) {
      studio.fail('Stadium North', { source })
      await page.locator('.panel-incidents').getByText(SAID[source]).first().waitFor()
    }
    studio.fail('Studio B', { source: 'disconnected' })
    return page
  }
  return { show, stop: () => editor.stop() }
}

/** The five seconds of the panel, as fast as the clock of its Node-RED. */
const hastened = (times) => `{
  const { setInterval } = window
  window.setInterval = (task, delay, ...values) =>
    setInterval(task, delay === 5000 ? delay / ${times} : delay, ...values)
}`

const WITH = { gateway: 'gateway', device: '', deviceType: 'auto' }
const at = (x, y, ...next) => ({ z: 'tab', x, y, wires: [next] })
const inject = {
  type: 'inject',
  props: [{ p: 'payload' }],
  payload: '',
  payloadType: 'date',
  repeat: '',
  crontab: '',
  once: false,
  onceDelay: 0.1,
  topic: '',
}
const debug = {
  type: 'debug',
  active: true,
  tosidebar: true,
  complete: 'payload',
  targetType: 'msg',
  statusType: 'auto',
}

const flow = (fingerprint) => [
  { id: 'tab', type: 'tab', label: 'Morning show' },
  {
    id: 'gateway',
    type: 'media-gateway',
    name: 'Studio',
    baseUrl: `https://localhost:${PORT}`,
    fingerprint,
    timeout: 10000,
    concurrency: 8,
    pollInterval: 1,
    credentials: { username: 'operator', password: 'supervisor' },
  },
  {
    id: 'secure',
    type: 'media-gateway',
    name: 'Stadium',
    baseUrl: `https://localhost:${OTHER_PORT}`,
    timeout: 10000,
    concurrency: 8,
    credentials: { username: 'operator', password: 'supervisor' },
  },
  { id: 'on-air', ...inject, name: '05:55', ...at(110, 80, 'start') },
  {
    id: 'start',
    type: 'media-gateway-control-route',
    name: '',
    ...WITH,
    action: 'start',
    target: 'route',
    route: 'Studio A',
    routeType: 'name',
    destination: 'destinationId',
    destinationType: 'msg',
    waitFor: 'applied',
    waitTimeout: 30,
    ...at(290, 80, 'started'),
  },
  { id: 'started', ...debug, name: 'started', ...at(480, 80) },
  { id: 'every-minute', ...inject, name: 'each minute', ...at(110, 160, 'list') },
  {
    id: 'list',
    type: 'media-gateway-list-routes',
    name: '',
    ...WITH,
    output: 'split',
    filter: '',
    state: 'running',
    ...at(290, 160, 'statistics'),
  },
  {
    id: 'statistics',
    type: 'media-gateway-statistics',
    name: '',
    ...WITH,
    scope: 'route',
    route: 'routeId',
    routeType: 'msg',
    destination: 'destinationId',
    destinationType: 'msg',
    ...at(480, 160, 'figures'),
  },
  { id: 'figures', ...debug, name: 'figures', ...at(640, 160) },
  {
    id: 'table',
    ...inject,
    name: 'new studio',
    payload: JSON.stringify(DEFINITION),
    payloadType: 'json',
    ...at(110, 240, 'ensure'),
  },
  {
    id: 'ensure',
    type: 'media-gateway-ensure-route',
    name: '',
    ...WITH,
    state: 'started',
    definition: JSON.stringify(DEFINITION),
    definitionType: 'json',
    validate: true,
    waitTimeout: 30,
    ...at(310, 240, 'result'),
  },
  { id: 'result', ...debug, name: 'what changed', ...at(520, 240) },
  {
    id: 'watch',
    type: 'media-gateway-watch',
    name: '',
    ...WITH,
    route: 'Studio*',
    routeType: 'pattern',
    report: 'incidents',
    mustRun: 'Studio A',
    events: [],
    initial: 'none',
    holdFor: 20,
    thresholds: [{ measure: 'bitrate', of: 'source', low: 2, high: '', hysteresis: '' }],
    ...at(130, 320, 'alarm'),
  },
  {
    // Below what the picture of the editor shows.
    id: 'failover',
    type: 'media-gateway-failover',
    name: '',
    ...WITH,
    route: 'Studio A',
    routeType: 'name',
    method: 'source',
    main: '{"address":"0.0.0.0","port":5001}',
    mainType: 'json',
    backup: '{"address":"0.0.0.0","port":5101}',
    backupType: 'json',
    configVersion: 2,
    failOn: 'noData',
    restore: 'monitor',
    monitor: 'Stadium North',
    monitorType: 'name',
    hold: false,
    ...at(130, 1200),
  },
  {
    id: 'alarm',
    type: 'change',
    name: 'text of the alarm',
    rules: [{ t: 'set', p: 'payload', pt: 'msg', to: 'payload.text', tot: 'msg' }],
    ...at(310, 320, 'notify'),
  },
  { id: 'notify', ...debug, name: 'notify', ...at(470, 320) },
]

/** Self-signed, and always the same: made from fixed dates and a fixed random seed. */
function certificate() {
  const forge = require('node-forge')
  const { pki, md, random } = forge
  const prng = random.createInstance()
  const seed = (needed) => 'picture'.repeat(needed).slice(0, needed)
  prng.seedFileSync = seed
  const { publicKey, privateKey } = pki.rsa.generateKeyPair({ bits: 2048, prng })
  const made = pki.createCertificate()
  made.publicKey = publicKey
  made.serialNumber = '0102030405060708'
  made.validity.notBefore = new Date('2026-01-01T00:00:00Z')
  made.validity.notAfter = new Date('2036-01-01T00:00:00Z')
  const name = [
    { name: 'commonName', value: 'gateway-stadium' },
    { name: 'organizationName', value: 'Example Broadcast' },
  ]
  made.setSubject(name)
  made.setIssuer(name)
  made.sign(privateKey, md.sha256.create())
  return { key: pki.privateKeyToPem(privateKey), cert: pki.certificateToPem(made) }
}

// ---- how they are taken

function scenes(editor, openPanel) {
  let page
  let panelOpen

  async function open(theme = 'light', { width = 1280, height = 600 } = {}) {
    page = await editor.open({ theme, script: SIDEBAR_OPEN })
    await page.setViewportSize({ width, height })
  }

  /** Opens a dialog, in a window high enough to show all of it. */
  async function openForm(id, height, theme) {
    await open(theme, { height })
    await editor.openForm(id)
    return page.locator('.red-ui-tray').last()
  }

  async function tested() {
    await page.click('#media-gateway-test')
    await page.waitForFunction(() => {
      const place = document.querySelector('#media-gateway-test-result')
      return place?.ariaBusy === 'false' && place.querySelector('dl')
    })
    await page.locator('#media-gateway-test-result').scrollIntoViewIfNeeded()
  }

  async function showSidebar() {
    await page.evaluate(() => RED.sidebar.show('media-gateway-sidebar'))
    await page.getByRole('row').filter({ hasText: 'Weather desk' }).waitFor()
    await page.getByRole('row').filter({ hasText: 'warning' }).waitFor()
  }

  return {
    async editor(theme) {
      await open(theme)
      await page.locator('#red-ui-palette-search input').pressSequentially('gateway')
      await page.locator('#red-ui-palette-base-category-common').waitFor({ state: 'hidden' })
      await showSidebar()
      return page
    },

    async testConnection() {
      const tray = await openForm('gateway', 872)
      await tested()
      return tray
    },

    async pinCertificate() {
      const tray = await openForm('secure', 1005)
      await tested()
      return tray
    },

    async routePicker() {
      const tray = await openForm('start', 640)
      await page.locator('#node-input-route + .red-ui-typedInput-container input').first().click()
      return tray
    },

    async routeForm(theme) {
      const tray = await openForm('ensure', 1420, theme)
      return tray
    },

    async sidebar() {
      await open('light', { height: 840 })
      await showSidebar()
      await page.getByRole('row').filter({ hasText: 'Studio A' }).click()
      return page.locator('#red-ui-sidebar')
    },

    async watch() {
      const tray = await openForm('watch', 1060)
      return tray
    },

    async failover() {
      const tray = await openForm('failover', 1790)
      await page.waitForFunction(() =>
        document.querySelector('#media-gateway-failover-now')?.textContent.startsWith('Now: main'),
      )
      return tray
    },

    async recipe(title) {
      await open('light', { width: 1900, height: 1900 })
      const file = readFileSync(join(root, `examples/Recipes/${title}.json`), 'utf8')
      const clip = await page.evaluate(draw, JSON.parse(file))
      return { screenshot: () => page.screenshot({ clip }) }
    },

    async controlPanel(colors) {
      panelOpen ??= openPanel()
      page = await (await panelOpen).show(colors)
      // Four minutes of its clock.
      await page.waitForTimeout(240_000 / PANEL_HURRY)
      return page
    },

    async take(picture, path) {
      await page.mouse.move(0, 0)
      await page.evaluate(settle)
      await page.evaluate(stopClocks)
      writeFileSync(path, withPalette(await picture.screenshot()))
    },
  }
}

const SIDEBAR_OPEN = `localStorage.setItem('media-gateway-sidebar', ${JSON.stringify(
  JSON.stringify({ open: { gateway: true, secure: false } }),
)})`

/** Waits two frames, by which time changes are drawn. */
const settle = () =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))

/** Shows only this flow in the editor, without the grid. Returns where it is on the page. */
async function draw(recipe) {
  RED.nodes.clear()
  RED.nodes.import(recipe, { generateIds: false })
  RED.workspaces.show(recipe.find(({ type }) => type === 'tab').id)
  RED.view.redraw(true)
  document.querySelector('.red-ui-workspace-chart-grid').style.visibility = 'hidden'
  const wires = recipe.flatMap((node) => (node.wires ?? []).flat()).length
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  while (document.querySelectorAll('.red-ui-flow-link-line').length < wires) await frame()
  const places = [...document.querySelectorAll('.red-ui-flow-node, .red-ui-flow-group')].map(
    (drawn) => drawn.getBoundingClientRect(),
  )
  const [margin, from] = [10, (side) => Math.min(...places.map((place) => place[side]))]
  const to = (side) => Math.max(...places.map((place) => place[side]))
  // A group may begin beyond the left side of the workspace.
  const chart = document.querySelector('#red-ui-workspace-chart').getBoundingClientRect()
  const [x, y] = [Math.max(from('left') - margin, chart.left), from('top') - margin]
  return { x, y, width: to('right') + margin - x, height: to('bottom') + margin - y }
}

/** Replaces durations and times of day with fixed ones. */
function stopClocks() {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { data } = texts.currentNode
    const fixed = data
      .replace(/\b\d+ ms$/, '4 ms')
      .replace(/\b\d+ s ago/, '1 s ago')
      .replace(/\b\d\d?:\d\d:\d\d\b/, '20:15:00')
    if (fixed !== data) texts.currentNode.data = fixed
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
