// An inventory in the forms: the config node that has it, and the nodes that are about its appliances.
// What Node-RED would say of it is scripted.
import type { Locator, Page } from 'playwright-core'
import { CONFIG, inBrowser, sharedEditor, type Editor, type Properties } from '../support/editor'
import { flawsOf } from '../support/looks'
import { takePicture } from '../support/pictures'
import { until } from '../support/until'

export const INVENTORY = JSON.stringify([
  { name: 'Oslo 1', baseUrl: 'https://10.0.0.1' },
  { name: 'Oslo 2', baseUrl: 'https://10.0.0.2' },
])
/** One of each kind, as many as are not shown one by one. */
export const BAD_ROWS = [
  { name: 'Oslo', baseUrl: 'https://10.0.0.1' },
  'Bergen',
  { name: 'Oslo', baseUrl: 'https://10.0.0.2' },
  { name: 'Narvik', baseUrl: 'https://10.0.0.1/' },
  { name: 'Lund', baseURL: 'https://10.0.0.5' },
  { name: 'Malmö', baseUrl: '10.0.0.6', password: 'manager' },
  { baseUrl: 'https://10.0.0.7' },
]
export const INVENTORY_FIELD = '#node-config-input-inventory'
export const HOSTILE = '<img src=x class="from-appliance">'

/** 300 appliances, more than one request lists. */
export const NAMES = [HOSTILE, ...Array.from({ length: 299 }, (_, index) => `Site ${index + 1}`)]

export let editor: Editor
export let page: Page
/** What the editor has asked, by path. */
export let asked: { path: string; body: Properties }[]
export let answers: Record<string, (body: Properties) => object>

/** Describes a suite on a flow with an inventory, in an editor that each test opens. */
export function withInventory(suite: () => void): void {
  inBrowser('an inventory in the forms', function () {
    this.timeout(60_000)
    stageInventory()
    suite()
  })
}

function stageInventory(): void {
  before(async () => {
    editor = await sharedEditor()
    const credentials = { username: 'operator', password: 'example' }
    const shared = { type: CONFIG, timeout: 10_000, credentials }
    const place = { z: 'tab', x: 200, y: 80, wires: [[]] }
    const route = { route: '', routeType: 'name', device: '', deviceType: 'auto' }
    const ofFleet = { ...place, gateway: 'fleet' }
    const control = { type: 'media-gateway-control-route', action: 'start', ...route }
    const named = { appliance: 'Site 7', applianceType: 'str' }
    await editor.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      { ...shared, id: 'gateway', name: 'Studio', baseUrl: 'https://gateway.example.com' },
      { ...shared, id: 'fleet', name: 'Fleet', inventory: INVENTORY, inventoryType: 'json' },
      { ...place, ...control, id: 'single', gateway: 'gateway' },
      { ...ofFleet, ...control, id: 'any', appliance: 'appliance', applianceType: 'msg' },
      { ...ofFleet, ...control, id: 'one', ...named },
      { ...ofFleet, ...control, id: 'gone', ...named, appliance: 'Gone' },
      { ...ofFleet, id: 'watch', type: 'media-gateway-watch', appliance: '', applianceType: 'all' },
      { ...ofFleet, id: 'failover', type: 'media-gateway-failover', ...route },
      { ...place, id: 'metrics', type: 'media-gateway-metrics', gateways: 'all' },
    ])
  })

  beforeEach(() => {
    asked = []
    answers = {
      appliances({ search = '', limit = 50 }) {
        const fitting = NAMES.filter((name) =>
          name.toLowerCase().includes(String(search).toLowerCase()),
        )
        const rows = fitting.slice(0, Number(limit)).map((name, index) => rowOf(name, index))
        return { total: NAMES.length, found: fitting.length, rows }
      },
      inventory: () => ({ appliances: 2, names: ['Oslo 1', 'Oslo 2'], faults: [] }),
      lookup: ({ appliance }) => ({
        devices: [{ id: 'dev', name: 'Device' }],
        deviceId: 'dev',
        routes: [
          {
            id: 'r1',
            name: `Route of ${String(appliance)}`,
            state: 'running',
            health: { sign: 'ok', text: 'OK' },
            source: {},
          },
        ],
      }),
    }
  })

  after(() => editor?.rest())
  afterEach(() => should(editor.complaints.splice(0)).eql([]))
}

export const faultOf = (row: number) => ({
  code: 'CONFIG',
  message: 'Not translated.',
  sentences: [
    { key: 'inventoryRowNamed', values: { row, name: 'Bergen' } },
    { key: 'rowSameUrl', values: { first: 1 } },
  ],
})
export const rowOf = (name: string, index: number) => ({
  name,
  address: `https://10.0.0.${index}`,
  owned: index % 4 !== 3,
  health: {
    known: { isOld: false, routes: 20, running: 12, problems: 0 },
    unreachable: index % 4 === 2,
  },
})

export async function show(theme: 'light' | 'dark' = 'light') {
  await editor.open({ theme, prepare })
}

export async function prepare(opened: Page) {
  page = opened
  await page.route('**/media-gateway/*', async (route) => {
    const path = route.request().url().split('/').at(-1)!
    const answer = answers[path]
    if (!answer) return route.continue()
    const body = route.request().postDataJSON() as Properties
    asked.push({ path, body })
    await route.fulfill({ json: answer(body) })
  })
}

let counter = 0
export async function addNew(properties: Properties): Promise<string> {
  const id = `inventory-${counter++}`
  await editor.add({ timeout: 10_000, ...properties, id, type: CONFIG })
  return id
}

export async function openNew(properties: Properties): Promise<string> {
  const id = await addNew(properties)
  await editor.openForm(id)
  await editor.openTabOf(INVENTORY_FIELD)
  return id
}

export const openForm = async (id: string) => ({ form: await editor.openForm(id) })

export const labels = () =>
  page
    .locator('.media-gateway-form label:visible')
    .evaluateAll((all) => all.map((one) => one.textContent.trim()))
export const focused = () => page.evaluate(() => document.activeElement?.id)
export const frame = (property: string): Locator =>
  page.locator(
    `:is(#node-input-${property}, #node-config-input-${property}) + .red-ui-typedInput-container`,
  )
export const typed = (property: string): Locator =>
  frame(property).locator('input.red-ui-typedInput-input')
export const option = (name: string) =>
  page.locator('.media-gateway-picker-option:visible', {
    has: page.locator('.media-gateway-picker-name', { hasText: new RegExp(`^${name}$`) }),
  })

export async function typeOf(property: string, kind: string) {
  if (property === 'inventory') await editor.openTabOf(INVENTORY_FIELD)
  await frame(property).locator('.red-ui-typedInput-type-select').click()
  await page.locator(`.red-ui-typedInput-options:visible [value="${kind}"]`).click()
}

export async function says(property: string, wanted: string | RegExp) {
  let said = ''
  const line = page.locator(`#media-gateway-picker-says-${property}`)
  const is = async () => {
    said = (await line.innerText()).trim()
    return typeof wanted === 'string' ? said === wanted : wanted.test(said)
  }
  await until(is).catch(() => should(said).equal(String(wanted)))
}

export async function test() {
  await editor.openTabOf('#media-gateway-test')
  await page.click('#media-gateway-test')
  await page.waitForFunction(
    () => document.querySelector('#media-gateway-test-result')?.ariaBusy === 'false',
  )
}

/** The labels of what only an inventory needs, where they do not fit their line. */
export const twoLines = () =>
  page
    .locator('[data-media-gateway-when] .form-row:not(.media-gateway-beside) > label')
    .evaluateAll((all) =>
      all
        .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height > 30)
        .map((one) => one.textContent.trim()),
    )

/** Looks for what can be computed; the picture is for the eye. */
export async function lookAt(name: string) {
  const form = page.locator('.media-gateway-form').last()
  await takePicture(page.locator('.red-ui-tray-body').last(), `inventory-${name}`)
  should(await flawsOf(form)).eql([], name)
}
