// The forms in a real browser, on a real Node-RED with this package linked in.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import should from 'should'
import { EVENTS } from '../../client/internal'
import { CONFIG_VERSION } from '../../nodes/runtime/migrations'
import {
  CONFIG,
  hasDarkTheme,
  inBrowser,
  sharedEditor,
  type Editor,
  type EditorRED,
  type Properties,
  type View,
} from '../support/editor'
import { flawsOf } from '../support/looks'
import { takePicture } from '../support/pictures'
import { root } from '../support/root'

/** The defaults of every node: names and values of the contract (design 2). */
const WAITING = { waitFor: 'accepted', waitTimeout: 30 }
const DEVICE = { device: '', deviceType: 'auto' }
const ROUTE = { route: 'routeId', routeType: 'msg' }
const DESTINATION = { destination: 'destinationId', destinationType: 'msg' }
const DEFINITION = { definition: 'payload', definitionType: 'msg', validate: true }
const DEFAULTS: Record<string, Properties> = {
  'media-gateway': {
    name: '',
    baseUrl: '',
    tls: '',
    proxy: '',
    fingerprint: '',
    timeout: 10000,
    concurrency: 8,
    pollInterval: '',
    readOnly: false,
  },
  'media-gateway-session': { action: 'info' },
  'media-gateway-list-devices': { output: 'response' },
  'media-gateway-get-device': { ...DEVICE, hideSecrets: false },
  'media-gateway-list-routes': { ...DEVICE, output: 'response', filter: '', state: '' },
  'media-gateway-get-route': { ...DEVICE, ...ROUTE, hideSecrets: false },
  'media-gateway-create-route': { ...DEVICE, ...DEFINITION, ...WAITING, startRoute: false },
  'media-gateway-update-route': {
    ...DEVICE,
    ...ROUTE,
    ...DEFINITION,
    ...WAITING,
    mode: 'merge',
  },
  'media-gateway-delete-route': { ...DEVICE, ...ROUTE, ...WAITING },
  'media-gateway-control-route': {
    ...DEVICE,
    ...ROUTE,
    ...DESTINATION,
    ...WAITING,
    action: 'start',
    target: 'route',
  },
  'media-gateway-ensure-route': {
    ...DEVICE,
    ...DEFINITION,
    state: 'present',
    check: false,
    exact: false,
    waitTimeout: 30,
  },
  'media-gateway-statistics': { ...DEVICE, ...ROUTE, ...DESTINATION, scope: 'route' },
  'media-gateway-preset': { ...DEVICE, hideSecrets: false, action: 'export' },
  'media-gateway-watch': {
    ...DEVICE,
    route: '',
    routeType: 'all',
    events: [],
    initial: 'none',
    holdFor: '',
    thresholds: [],
  },
}
const WATCH = 'media-gateway-watch'
const ACTIONS = Object.keys(DEFAULTS).filter((type) => type !== CONFIG)
for (const defaults of Object.values(DEFAULTS)) defaults['configVersion'] = CONFIG_VERSION
for (const type of ACTIONS) Object.assign(DEFAULTS[type]!, { name: '', gateway: 'gateway' })

/** Another value for every plain property, as a user would fill it in. */
const OTHER: Properties = {
  name: 'Studio <b>A</b>',
  baseUrl: 'https://10.0.0.5:8443/gateway/',
  fingerprint: Array(32).fill('aB').join(':'),
  timeout: '2500',
  concurrency: '${CALLS}',
  pollInterval: '2.5',
  readOnly: true,
  action: 'msg',
  output: 'split',
  hideSecrets: true,
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
  holdFor: '2.5',
}
const OTHER_OF: Record<string, Properties> = {
  'media-gateway-ensure-route': { state: 'started' },
  'media-gateway-preset': { action: 'import' },
  [WATCH]: {
    events: ['appliance.unreachable', 'route.stopped', 'statistics.low'],
    thresholds: [
      { measure: 'bitrate', of: 'source', low: 1.5, high: '', hysteresis: 0.25 },
      { measure: 'roundTripTime', of: 'destination', low: 2, high: 300, hysteresis: '' },
      { measure: 'packetLoss', of: 'source', low: '', high: 2, hysteresis: '' },
    ],
  },
}

function othersOf(type: string): Properties {
  const known = { ...OTHER, ...OTHER_OF[type] }
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
const WATCHED: typeof TYPED = {
  device: { id: 'dev-1_A', env: 'DEVICE', auto: '' },
  route: { id: 'b3c9', name: 'Studio A', pattern: 'Studio*', env: 'ROUTE', all: '' },
}
const typedOf = (type: string) => (type === WATCH ? WATCHED : TYPED)

/** All nodes share the code of a typed property: one of them shows every type, the others one. */
const showsAllTypes = (type: string, property: string) =>
  type === ACTIONS.find((candidate) => property in DEFAULTS[candidate]!) ||
  (type === WATCH && property in WATCHED)

/** A watch as a hand or a later version may have written it. */
const STRANGE: Properties = {
  device: 'deviceId',
  deviceType: 'msg',
  route: 'Studio A',
  routeType: 'str',
  events: ['route.merged', 'route.changed', 'device.status'],
  thresholds: [
    { measure: 'jitter', of: 'client', low: '', high: '12', note: 'x' },
    { high: 3, measure: 'bitrate' },
    { low: 'x' },
    null,
  ],
}

/** The flow that is deployed: of each type one with defaults, one bare, and one per kind of value. */
function flow(): Properties[] {
  const place = { z: 'hidden', x: 200, wires: [[]] }
  const nodes: Properties[] = [
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
    nodes.push({ ...DEFAULTS[type], ...place, id: type, type, y })
    nodes.push({ ...place, id: `${type}-bare`, type, gateway: 'gateway', x: 440, y })
    nodes.push({
      ...DEFAULTS[type],
      ...othersOf(type),
      ...place,
      id: `${type}-other`,
      type,
      x: 700,
      y,
    })
    for (const [property, kinds] of Object.entries(typedOf(type))) {
      if (!showsAllTypes(type, property)) continue
      for (const [kind, value] of Object.entries(kinds)) {
        nodes.push({
          ...DEFAULTS[type],
          ...othersOf(type),
          ...place,
          id: `${type}-${property}-${kind}`,
          type,
          [property]: value,
          [`${property}Type`]: kind,
          x: 1200,
          y: 60 + nodes.length * 40,
        })
      }
    }
  })
  return nodes
}

declare const RED: EditorRED

inBrowser('the editor', function () {
  this.timeout(120_000)

  let editor: Editor
  let page: Page

  before(async function () {
    editor = await sharedEditor()
    await editor.deploy(flow())
    await open()
  })

  after(() => editor?.rest())

  it('knows every node of the package', () => {
    const { 'node-red': nodeRedPart } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ) as { 'node-red': { nodes: Record<string, string> } }
    const types = Object.keys(nodeRedPart.nodes).map((set) =>
      set === 'gateway' ? CONFIG : `${CONFIG}-${set}`,
    )
    should(types.sort()).eql(Object.keys(DEFAULTS).sort())
  })

  it('has all nodes in the palette, under "media gateway"', async () => {
    const palette = page.locator('#red-ui-palette-base-category-media_gateway')
    for (const type of ACTIONS) {
      const entry = palette.locator(`.red-ui-palette-node[data-palette-type="${type}"]`)
      await entry.waitFor()
      const label = nameOf(type).replace('-', ' ')
      should(await entry.getAttribute('data-palette-label')).equal(label)
    }
    const categories = await page.evaluate(
      (types) => types.map((type) => RED.nodes.getType(type)?.category),
      [CONFIG, ...ACTIONS],
    )
    should(categories).eql(['config', ...ACTIONS.map(() => 'media gateway')])
  })

  it('keeps to the names and defaults of the contract', async () => {
    for (const [type, defaults] of Object.entries(DEFAULTS)) {
      const registered = await page.evaluate(
        (name) =>
          Object.entries(RED.nodes.getType(name)!.defaults).map(([key, { value }]) => [key, value]),
        type,
      )
      should(Object.fromEntries(registered)).eql(
        type === CONFIG ? defaults : { ...defaults, gateway: '' },
        type,
      )
    }
  })

  describe('every dialog', function () {
    this.timeout(180_000)

    interface Visit {
      id: string
      before: Properties
      after: Properties
      isChanged: boolean
      texts: string[]
      /** Labels that are for no field, or for several. */
      astray: string[]
      flaws: Partial<Record<Theme, string[]>>
    }
    type Theme = 'light' | 'dark'

    let visits: Visit[] = []
    let isDirty: boolean
    /** What is wrong with the looks of the dialogs that something was done in. */
    const flaws: Record<Theme, object> = { light: {}, dark: {} }

    // To open a dialog is what takes long here: each is opened once for all tests.
    before(async () => {
      const tours: Theme[][] = hasDarkTheme ? [['dark'], ['light']] : [['light', 'dark']]
      visits = []
      for (const themes of tours) {
        await open({ theme: themes[0]! })
        await lookAtChanged(themes)
        const looked = new Set(['gateway', 'gateway-other', ...ACTIONS])
        for (const type of await conditional()) looked.add(`${type}-other`)
        for (const { id, type } of flow()) {
          if (!String(type).startsWith(CONFIG)) continue
          visits.push(await visit(String(id), looked.has(String(id)) ? themes : []))
        }
      }
      isDirty = await page.evaluate(() => RED.nodes.dirty())
    })

    async function visit(id: string, themes: Theme[]): Promise<Visit> {
      const before = await exported(id)
      const form = await openForm(id)
      const texts = await form.locator('[data-i18n]').evaluateAll((elements) =>
        elements.map((element) => {
          const key = element.getAttribute('data-i18n') ?? ''
          return key.startsWith('[placeholder]')
            ? (element.getAttribute('placeholder') ?? '')
            : (element.textContent ?? '')
        }),
      )
      const astray = await form
        .locator('label')
        .evaluateAll((labels) =>
          labels
            .map((label) => String(label.getAttribute('for')))
            .filter((target) => document.querySelectorAll(`[id="${target}"]`).length !== 1),
        )
      const found = await flawsIn(form, id, themes)
      await done()
      const { changed } = await state(id)
      const after = await exported(id)
      return { id, before, after, isChanged: changed, texts, astray, flaws: found }
    }

    async function flawsIn(form: Locator, name: string, themes: Theme[]) {
      const found: Visit['flaws'] = {}
      for (const theme of themes) {
        await editor.paint(theme)
        found[theme] = await flawsOf(form)
        const body = form.locator('xpath=ancestor::*[contains(@class,"red-ui-tray-body")]').first()
        await takePicture(body, `${name}-${theme}`)
      }
      return found
    }

    async function lookAtChanged(themes: Theme[]) {
      const replace = await openForm('media-gateway-update-route')
      await page.selectOption('#node-input-mode', 'replace')
      await page.fill('#node-input-route + .red-ui-typedInput-container input', '')
      await fillTyped('route', 'name', '')
      const replacing = await flawsIn(replace, 'update-route-replace', themes)
      await cancel()

      const watch = await openForm(WATCH)
      await fillTyped('route', 'pattern', 'Studio*')
      await enterLimits([{ measure: 'packetLoss', of: 'destination', low: 3, high: 2 }])
      await page.keyboard.press('Tab')
      const watching = await flawsIn(watch, 'watch-faults', themes)
      await cancel()
      for (const theme of themes) {
        flaws[theme] = { replacing: replacing[theme], watching: watching[theme] }
      }
    }

    it('has no text without a translation, and a label for every field', () => {
      for (const { id, texts, astray } of visits) {
        for (const text of texts)
          should(text)
            .match(/\S/, id)
            .and.not.match(/^\w+\.\w+$/, id)
        should(astray).eql([], id)
      }
    })

    it('leaves a node unchanged when it is opened and closed', () => {
      for (const { id, before, after, isChanged } of visits) {
        should(after).eql(before, id)
        should(isChanged).be.false(id)
      }
      should(isDirty).be.false()
    })

    for (const theme of ['light', 'dark'] as const) {
      it(`looks as it should, ${theme}`, () => {
        const seen = visits.filter((each) => each.flaws[theme])
        should(seen.length).be.above(ACTIONS.length + 2)
        for (const each of seen) should(each.flaws[theme]).eql([], each.id)
        should(flaws[theme]).eql({ replacing: [], watching: [] })
      })
    }
  })

  it('finds nothing wrong with the nodes of a sound flow', async () => {
    for (const { id, type } of flow()) {
      if (!String(type).startsWith(CONFIG)) continue
      const { valid, errors } = await state(String(id))
      should({ valid, errors }).eql({ valid: true, errors: [] }, String(id))
    }
  })

  for (const type of Object.keys(DEFAULTS)) {
    it(`saves what is edited: ${type}`, async () => {
      const id = `${type}-edit`
      await add({ ...DEFAULTS[type], ...(type === CONFIG ? {} : { x: 0, y: 0 }), id, type })
      const expected: Properties = { ...DEFAULTS[type] }
      const form = await openForm(id)
      const others = othersOf(type)
      for (const property of Object.keys(DEFAULTS[type]!)) {
        if (!(property in others)) continue
        await fill(type, property, others[property])
        expected[property] = others[property]
      }
      await done()
      should(await exported(id)).containEql(expected)

      for (const [property, kinds] of Object.entries(typedOf(type))) {
        if (!(property in DEFAULTS[type]!)) continue
        const shown = Object.entries(kinds).slice(0, showsAllTypes(type, property) ? undefined : 1)
        for (const [kind, value] of shown) {
          await openForm(id)
          await fillTyped(property, kind, value)
          await done()
          should(await exported(id)).containEql({
            [property]: value,
            [`${property}Type`]: kind,
          })
        }
      }
      should(await form.count()).equal(0)
      should(await state(id)).containEql({ changed: true, valid: true })

      const saved = await exported(id)
      await openForm(id)
      await done()
      should(await exported(id)).eql(saved)
    })
  }

  it('saves user and password, and the nodes chosen for TLS and proxy', async () => {
    await add({ ...DEFAULTS[CONFIG], id: 'secret', type: CONFIG, baseUrl: 'https://10.0.0.5' })
    await openForm('secret')
    await page.fill('#node-config-input-username', 'operator')
    await page.fill('#node-config-input-password', 'example')
    await page.selectOption('#node-config-input-tls', 'tls')
    await page.selectOption('#node-config-input-proxy', 'proxy')
    await done()
    should(await exported('secret')).containEql({
      tls: 'tls',
      proxy: 'proxy',
      credentials: { username: 'operator', password: 'example' },
    })
  })

  it('saves the gateway that is chosen', async () => {
    await add({ id: 'chosen', type: 'media-gateway-session', gateway: '', x: 0, y: 0 })
    should(await state('chosen')).containEql({ valid: false })
    await openForm('chosen')
    await page.selectOption('#node-input-gateway', 'gateway-other')
    await done()
    should(await exported('chosen')).containEql({ gateway: 'gateway-other' })
    should(await state('chosen')).containEql({ valid: true })
  })

  it('leaves properties that a node lacks out of it, unless they are edited', async () => {
    const type = 'media-gateway-update-route'
    await add({ id: 'lacking', type, gateway: 'gateway', x: 0, y: 0 })
    const form = await openForm('lacking')
    should(await page.inputValue('#node-input-mode')).equal('keep')
    should(await page.isChecked('#node-input-validate')).be.true()
    should(await page.isVisible('[data-media-gateway-when="mode=keep"]')).be.true()
    await form.locator('#node-input-mode').selectOption('merge')
    await done()
    const saved = await exported('lacking')
    should(saved).containEql({ mode: 'merge', configVersion: CONFIG_VERSION })
    const given = Object.keys(saved).filter((property) => saved[property] !== undefined)
    const own = ['configVersion', 'gateway', 'mode']
    should(given.sort()).eql([...own, 'id', 'type', 'wires', 'x', 'y', 'z'].sort())
  })

  it('lists the events of a watch in their groups, each box with its label', async () => {
    await openForm(WATCH)
    const groups = page.locator('#media-gateway-watch-events fieldset')
    should(await groups.count()).equal(4)
    should(await groups.first().isVisible()).be.false()
    await page.getByLabel('Events').selectOption('only these')
    const titles = await groups.locator('legend').allTextContents()
    for (const title of titles) should(title).match(/^[A-Z][a-z, ]+$/)

    const boxes = await groups
      .locator('input')
      .evaluateAll((all) =>
        all.map((box) => [
          (box as HTMLInputElement).value,
          (box as HTMLInputElement).labels?.[0]?.textContent ?? '',
        ]),
      )
    should(boxes.map(([name]) => name)).eql([...EVENTS])
    for (const [, label] of boxes) should(label).match(/^[a-z ]+$/)
    should(new Set(boxes.map(([, label]) => label)).size).equal(EVENTS.length)
    await cancel()
  })

  it('lets one choose the events of a watch with the keyboard, and keeps their order', async () => {
    await add({ ...DEFAULTS[WATCH], id: 'events', type: WATCH, x: 0, y: 0 })
    const which = page.locator('#media-gateway-watch-which')
    const saved = async () => (await exported('events'))['events']

    await openForm('events')
    await which.selectOption('some')
    for (const label of ['value too low', 'route stopped', 'appliance not reachable']) {
      await page.getByLabel(label, { exact: true }).focus()
      await page.keyboard.press('Space')
    }
    await done()
    should(await saved()).eql(['appliance.unreachable', 'route.stopped', 'statistics.low'])

    await openForm('events')
    should(await which.inputValue()).equal('some')
    should(await page.getByLabel('route stopped').isChecked()).be.true()
    await which.selectOption('all')
    await done()
    should(await saved()).eql([])

    await openForm('events')
    should(await which.inputValue()).equal('all')
    await which.selectOption('some')
    await done()
    should(await saved()).eql([])
    await openForm('events')
    should(await which.inputValue()).equal('all')
    await cancel()
  })

  it('keeps events and limits that it does not know', async () => {
    await add({ ...DEFAULTS[WATCH], ...STRANGE, id: 'strange', type: WATCH, x: 0, y: 0 })
    await openForm('strange')
    await done()
    should(await exported('strange')).containEql(STRANGE)
    should((await state('strange')).errors).eql([
      'Events: route.merged: not known to this version',
      'Limits: row 1: not known to this version; row 3: not known to this version; row 4: not known to this version',
    ])

    await openForm('strange')
    should(await page.getByLabel('route.merged').isChecked()).be.true()
    await page.getByLabel('appliance not reachable').check()
    await limit(1).getByLabel('high').fill('4')
    await limit(2).getByLabel('low').fill('1')
    await limit(2).getByLabel('What is measured').selectOption('roundTripTime')
    await limit(3).getByRole('link', { name: 'remove this limit' }).click()
    await done()
    const mended = [
      { measure: 'bitrate', of: 'source', low: '', high: 4, hysteresis: '' },
      { measure: 'roundTripTime', of: 'source', low: 1, high: '', hysteresis: '' },
    ]
    should(await exported('strange')).containEql({
      events: ['appliance.unreachable', 'device.status', 'route.changed', 'route.merged'],
      thresholds: [
        { measure: 'jitter', of: 'client', low: '', high: 12, hysteresis: '', note: 'x' },
        ...mended,
      ],
    })

    await openForm('strange')
    await page.getByLabel('route.merged').uncheck()
    await limit(0).getByRole('link', { name: 'remove this limit' }).click()
    await done()
    should(await exported('strange')).containEql({
      events: ['appliance.unreachable', 'device.status', 'route.changed'],
      thresholds: mended,
    })
    should(await state('strange')).containEql({ valid: true })

    await openForm('strange')
    should(await page.locator('#media-gateway-watch-events legend').count()).equal(4)
    await cancel()
  })

  it('says what is wrong with a watch', async () => {
    const row = { measure: 'bitrate', of: 'source', low: '', high: '', hysteresis: '' }
    for (const [properties, reason] of [
      [{ holdFor: '-1' }, 'Hold for: a number from 0 to 86400'],
      [{ holdFor: '86401' }, 'Hold for: a number from 0 to 86400'],
      [{ holdFor: 'soon' }, 'Hold for: a number from 0 to 86400'],
      [{ route: '', routeType: 'pattern' }, 'missing'],
      [{ device: '', deviceType: 'env' }, 'missing'],
      [{ thresholds: 'bitrate' }, 'Limits: a list is expected'],
      [{ thresholds: [{ ...row, measure: undefined }] }, 'Limits: row 1: not known'],
      [{ thresholds: [{ ...row, of: 'client' }] }, 'Limits: row 1: not known'],
      [{ events: ['route.merged', 'route.status', 'x'] }, 'Events: route.merged, x: not known'],
      [{ thresholds: [row] }, 'Limits: row 1: give at least one'],
      [{ thresholds: [{ ...row, low: 'x' }] }, 'Limits: row 1: a number from 0'],
      [{ thresholds: [{ ...row, high: -1 }] }, 'Limits: row 1: a number from 0'],
      [{ thresholds: [{ ...row, low: 1, hysteresis: '1,5' }] }, 'Limits: row 1: a number from 0'],
      [{ thresholds: [{ ...row, low: {} }] }, 'Limits: row 1: a number from 0'],
      [{ thresholds: [{ ...row, low: 0 }] }, 'Limits: row 1: an event with this would never'],
      [
        { thresholds: [{ ...row, high: 3, hysteresis: 3 }] },
        'Limits: row 1: an event with this would never',
      ],
      [{ thresholds: [{ ...row, low: 2, high: 2 }] }, 'Limits: row 1: low must be less than high'],
      [
        { thresholds: [{ ...row, low: 1 }, row, { ...row, low: 10, high: 9 }] },
        'Limits: row 2: give at least one of low and high; row 3: low must be less than high',
      ],
    ] as [Properties, string][]) {
      should(await faults(WATCH, properties)).match(contains(reason))
    }
    for (const properties of [
      { holdFor: '0' },
      { holdFor: '86400' },
      { holdFor: 0.5 },
      { holdFor: '${HOLD}' },
      { thresholds: [{ ...row, high: 0 }] },
      { thresholds: [{ ...row, low: 0.5, high: 9.5, hysteresis: 0 }] },
      { events: [...EVENTS] },
      { events: 'route.status, route.changed' },
      { thresholds: [{ measure: 'bitrate', high: '3' }] },
    ]) {
      should(await faults(WATCH, properties)).equal('')
    }
  })

  it('says what is wrong with a limit while one types, and not before', async () => {
    await add({ ...DEFAULTS[WATCH], id: 'limits', type: WATCH, x: 0, y: 0 })
    await openForm('limits')
    await page.getByRole('button', { name: 'add a limit' }).click()
    const low = limit(0).getByLabel('low')
    const high = limit(0).getByLabel('high')
    const marks = async () => [
      await limit(0).locator('.media-gateway-watch-fault').textContent(),
      await low.getAttribute('aria-invalid'),
      await high.getAttribute('aria-invalid'),
    ]
    should(await marks()).eql(['', null, null])
    await low.fill('5')
    await low.press('Tab')
    should(await marks()).eql(['', 'false', 'false'])
    await high.fill('5')
    await high.press('Tab')
    should(await marks()).eql(['low must be less than high', 'true', 'true'])
    should(await high.getAttribute('class')).match(/input-error/)
    await high.fill('5 Mbit')
    await high.press('Tab')
    should(await marks()).eql(['a number from 0 on is expected', 'false', 'true'])
    await done()
    should(await state('limits')).containEql({
      valid: false,
      errors: ['Limits: row 1: a number from 0 on is expected'],
    })

    await openForm('limits')
    should(await marks()).eql(['a number from 0 on is expected', 'false', 'true'])
    await high.fill(' 5.5 ')
    await done()
    should(await state('limits')).containEql({ valid: true })
    should((await exported('limits'))['thresholds']).eql([
      { measure: 'bitrate', of: 'source', low: 5, high: 5.5, hysteresis: '' },
    ])
  })

  it('says what is wrong with an address', async () => {
    for (const [baseUrl, reason] of [
      ['', 'missing'],
      ['gateway.example.com', 'http://'],
      ['ftp://gateway', 'http://'],
      ['https://', 'not a valid'],
      ['https://a b', 'not a valid'],
      ['https://user:word@gateway', 'their own fields'],
      ['https://@gateway', 'their own fields'],
      ['https://gateway/?a=1', '? or #'],
    ] as const) {
      should(await faults(CONFIG, { baseUrl }))
        .match(/^Address: /)
        .and.match(contains(reason))
    }
    for (const baseUrl of [
      'http://10.0.0.5',
      'HTTPS://[fe80::1]:8443/a/b/',
      '${GATEWAY_URL}',
      'https://gateway/a@b',
    ]) {
      should(await faults(CONFIG, { baseUrl })).equal('', baseUrl)
    }
  })

  it('says what is wrong with a fingerprint, a number, or an empty value', async () => {
    const sound = { baseUrl: 'https://gateway' }
    const hex = 'a1'.repeat(32)
    for (const [properties, reason] of [
      [{ fingerprint: 'a1'.repeat(31) }, '64 hex'],
      [{ fingerprint: `${hex}a1` }, '64 hex'],
      [{ fingerprint: 'g1'.repeat(32) }, '64 hex'],
      [{ timeout: '0' }, 'a whole number from 1 to 600000'],
      [{ timeout: '10 s' }, 'a whole number'],
      [{ concurrency: '1.5' }, 'a whole number from 1 to 100'],
      [{ concurrency: 101 }, 'a whole number from 1 to 100'],
      [{ pollInterval: '0.5' }, 'a number from 1'],
      [{ pollInterval: '3601' }, 'a number from 1'],
    ] as const) {
      should(await faults(CONFIG, { ...sound, ...properties })).match(contains(reason))
    }
    for (const properties of [
      { fingerprint: hex.toUpperCase() },
      { fingerprint: '${FINGERPRINT}' },
      { timeout: '${TIMEOUT}', concurrency: 1, pollInterval: '${POLL}' },
      { timeout: '', concurrency: '', pollInterval: '' },
    ]) {
      should(await faults(CONFIG, { ...sound, ...properties })).equal('')
    }
    const update = 'media-gateway-update-route'
    for (const [properties, reason] of [
      [{ route: '', routeType: 'name' }, 'missing'],
      [{ route: '', routeType: 'id' }, 'missing'],
      [{ device: ' ', deviceType: 'id' }, 'missing'],
      [{ definition: '{', definitionType: 'json' }, 'JSON'],
      [{ waitFor: 'applied', waitTimeout: 'soon' }, 'a number from 0.1 to 3600'],
      [{ definition: '{"nmae":"A"}', definitionType: 'json' }, 'nmae: not known here'],
      [
        { mode: 'merge', definition: '{"source":{"port":0}}', definitionType: 'json' },
        'source.port: a whole number from 1 to 65535',
      ],
    ] as const) {
      should(await faults(update, properties)).match(contains(reason))
    }
    const part = { definition: '{"source":{"port":5000}}', definitionType: 'json' }
    should(await faults(update, { ...part, mode: 'keep' })).match(/source\.name/)
    should(await faults(update, { ...part, mode: 'merge' })).equal('')
    should(await faults(update, { waitFor: 'accepted', waitTimeout: 'soon' })).equal('')
    should(await faults(update, { gateway: '' })).equal('gateway')

    const control = 'media-gateway-control-route'
    const noDestination = { destination: '', destinationType: 'name' }
    should(await faults(control, noDestination)).equal('')
    should(await faults(control, { ...noDestination, target: 'destination' })).match(/missing/)
    should(await faults(control, { waitTimeout: '0' })).equal('')
    for (const action of ['restart', 'msg']) {
      should(await faults(control, { action, waitTimeout: '0' })).match(/a number from 0.1/)
    }
    const statistics = 'media-gateway-statistics'
    const noRoute = { route: '', routeType: 'name' }
    for (const scope of ['route', 'source', 'destination', 'client', 'all']) {
      const ofDestination = ['destination', 'client'].includes(scope)
      should(await faults(statistics, { ...noDestination, scope })).match(
        ofDestination ? /missing/ : /^$/,
      )
      should(await faults(statistics, { ...noRoute, scope })).match(
        scope === 'all' ? /^$/ : /missing/,
      )
    }
    should(await faults('media-gateway-ensure-route', { waitTimeout: 'soon' })).match(
      /a number from 0.1 to 3600/,
    )
  })

  it('marks the field while one types', async () => {
    await openForm('gateway')
    const field = page.locator('#node-config-input-baseUrl')
    await field.fill('gateway')
    await field.press('Tab')
    should(await field.getAttribute('class')).match(/input-error/)
    await field.fill('https://gateway')
    await field.press('Tab')
    should((await field.getAttribute('class')) ?? '').not.match(/input-error/)
    await cancel()

    await openForm('media-gateway-get-route')
    await fillTyped('route', 'name', '')
    const route = page.locator('#node-input-route')
    should(await route.getAttribute('class')).match(/input-error/)
    await fillTyped('route', 'name', 'Studio A')
    should(await route.getAttribute('class')).not.match(/input-error/)
    await cancel()
  })

  it('shows the rows that belong to what is chosen', async () => {
    const rows = async (property: string, value: string, visible: Record<string, boolean>) => {
      await page.selectOption(`#node-input-${property}`, value)
      for (const [name, wanted] of Object.entries(visible)) {
        const row = page.locator('.form-row', { has: page.locator(`#node-input-${name}`) })
        should(await row.isVisible()).equal(wanted, `${name} with ${property} ${value}`)
      }
      const hints = page.locator('.media-gateway-hint:visible')
      const whens = await hints.evaluateAll((all) =>
        all.map((hint) => hint.getAttribute('data-media-gateway-when')),
      )
      const warnings = await page.locator('.media-gateway-warning:visible').count()
      return { whens, warns: warnings > 0 }
    }

    await openForm('media-gateway-update-route')
    await rows('waitFor', 'accepted', { waitTimeout: false })
    await rows('waitFor', 'applied', { waitTimeout: true })
    for (const mode of ['keep', 'merge', 'replace']) {
      const { whens, warns } = await rows('mode', mode, { waitTimeout: true })
      should(whens).eql([`mode=${mode}`])
      should(warns).equal(mode === 'replace')
    }
    await cancel()

    await openForm('media-gateway-control-route')
    await rows('target', 'route', { route: true, destination: false, waitTimeout: false })
    await rows('target', 'destination', { route: true, destination: true, waitTimeout: false })
    for (const action of ['restart', 'msg']) await rows('action', action, { waitTimeout: true })
    await rows('waitFor', 'applied', { waitTimeout: true })
    await rows('action', 'stop', { waitTimeout: true })
    await rows('waitFor', 'accepted', { waitTimeout: false })
    await cancel()

    await openForm('media-gateway-statistics')
    for (const [scope, route, destination] of [
      ['source', true, false],
      ['destination', true, true],
      ['client', true, true],
      ['all', false, false],
      ['route', true, false],
    ] as const) {
      const { whens } = await rows('scope', scope, { route, destination })
      should(whens).eql(scope === 'client' ? ['scope=client'] : [])
    }
    await cancel()

    await openForm('media-gateway-preset')
    for (const action of ['import', 'export']) {
      const exports = action === 'export'
      const { whens, warns } = await rows('action', action, { hideSecrets: exports })
      should(whens).eql([`action=${action}`])
      should(warns).equal(!exports)
    }
    await cancel()

    await openForm(WATCH)
    for (const [kind, value] of Object.entries(WATCHED['route']!)) {
      await fillTyped('route', kind, value)
      const { whens } = await rows('initial', 'none', { route: true })
      should(whens.filter((when) => when !== null)).eql(
        [
          kind === 'pattern' && 'routeType=pattern',
          kind !== 'all' && 'routeType=id|name|pattern|env',
        ].filter(Boolean),
      )
    }
    await cancel()

    await openForm('media-gateway-ensure-route')
    for (const wanted of ['absent', 'present', 'started', 'stopped']) {
      const absent = wanted === 'absent'
      const { warns } = await rows('state', wanted, { exact: !absent, waitTimeout: true })
      should(warns).equal(absent)
    }
    await cancel()
  })

  it('puts names into the page as text', async () => {
    await add({
      ...DEFAULTS[CONFIG],
      id: 'markup',
      type: CONFIG,
      name: '<img src=x class="media-gateway-markup">',
      baseUrl: 'https://gateway',
    })
    await openForm('media-gateway-session')
    should(await page.locator('.media-gateway-markup').count()).equal(0)
    await cancel()
  })

  it('has help for every node', async () => {
    for (const type of Object.keys(DEFAULTS)) {
      const help = page.locator(`script[data-help-name="${type}"]`)
      should(await help.count()).equal(1, type)
      should((await help.innerHTML()).trim()).startWith('<p>')
    }
  })

  // Suites within a suite come last.
  describe('in all of that', () => {
    it('makes no error and asks nobody outside', () => {
      should(editor.complaints).eql([])
    })
  })

  async function open(view?: View) {
    page = await editor.open(view)
    // There is no appliance behind these flows that a picker could ask.
    await page.route('**/media-gateway/lookup', (route) => route.fulfill({ json: { devices: [] } }))
  }

  const add = (node: Properties) => editor.add(node)
  const exported = (id: string) => editor.exported(id)
  const state = (id: string) => editor.state(id)
  const openForm = (id: string) => editor.openForm(id)
  const done = () => editor.press('ok')
  const cancel = () => editor.press('cancel')
  const fillTyped = (property: string, kind: string, value: string) =>
    editor.fillTyped(property, kind, value)

  let counter = 0

  /** What the editor says about a node with these properties. */
  async function faults(type: string, properties: Properties): Promise<string> {
    const id = `fault-${counter++}`
    const place = type === CONFIG ? {} : { x: 0, y: 0 }
    await add({ ...DEFAULTS[type], ...place, ...properties, id, type })
    return (await state(id)).errors.join('\n')
  }

  async function fill(type: string, property: string, value: unknown) {
    if (property === 'events') return chooseEvents(value as string[])
    if (property === 'thresholds') return enterLimits(value as Properties[])
    const field = page.locator(
      `#${type === CONFIG ? 'node-config-input' : 'node-input'}-${property}`,
    )
    const tag = await field.evaluate((element) => element.tagName)
    if (tag === 'SELECT') await field.selectOption(String(value))
    else if (typeof value === 'boolean') await field.setChecked(value)
    else {
      await field.fill(String(value))
      await field.press('Tab')
    }
  }

  async function chooseEvents(names: string[]) {
    await page.selectOption('#media-gateway-watch-which', 'some')
    // Against their order: it must not matter.
    for (const name of [...names].reverse()) {
      await page.locator(`.media-gateway-watch-event [value="${name}"]`).check()
    }
  }

  const limit = (index: number) => page.locator('#media-gateway-watch-limits > li').nth(index)

  async function enterLimits(wanted: Properties[]) {
    for (const [index, { measure, of, ...numbers }] of wanted.entries()) {
      await page.getByRole('button', { name: 'add a limit' }).click()
      const row = limit(index)
      await row.getByLabel('What is measured').selectOption(String(measure))
      await row.getByLabel('Where it is measured').selectOption(String(of))
      for (const [name, value] of Object.entries(numbers)) {
        const label = name === 'hysteresis' ? 'normal again' : name
        await row.getByLabel(label).fill(String(value))
      }
    }
  }

  /** The nodes whose form has rows that are not always shown. */
  async function conditional(): Promise<string[]> {
    const forms = await page.evaluate(
      (types) =>
        types.map((type) => document.querySelector(`[data-template-name="${type}"]`)?.innerHTML),
      ACTIONS,
    )
    return ACTIONS.filter((_, index) => forms[index]?.includes('data-media-gateway-when'))
  }
})

const nameOf = (type: string) => type.slice(CONFIG.length + 1)

const contains = (text: string) => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
