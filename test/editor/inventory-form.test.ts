// An inventory in the forms: the config node that has it, and the nodes that are about its appliances.
// What Node-RED would say of it is scripted.
import type { Locator, Page } from 'playwright-core'
import should from 'should'
import {
  CONFIG,
  inBrowser,
  sharedEditor,
  type Editor,
  type EditorRED,
  type Properties,
} from '../support/editor'
import { flawsOf } from '../support/looks'
import { takePicture } from '../support/pictures'
import { until } from '../support/until'

declare const RED: EditorRED

const INVENTORY = JSON.stringify([
  { name: 'Oslo 1', baseUrl: 'https://10.0.0.1' },
  { name: 'Oslo 2', baseUrl: 'https://10.0.0.2' },
])
const HOSTILE = '<img src=x class="from-appliance">'

/** 300 appliances, more than one request lists. */
const NAMES = [HOSTILE, ...Array.from({ length: 299 }, (_, index) => `Site ${index + 1}`)]

inBrowser('an inventory in the forms', function () {
  this.timeout(60_000)

  let editor: Editor
  let page: Page
  /** What the editor has asked, by path. */
  let asked: { path: string; body: Properties }[]
  let answers: Record<string, (body: Properties) => object>

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
      { ...place, id: 'metrics', type: 'media-gateway-metrics', gateways: 'all' },
    ])
  })

  beforeEach(async () => {
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
        routes: [{ id: 'r1', name: `Route of ${String(appliance)}`, state: 'running' }],
      }),
    }
    await show()
  })

  after(() => editor?.rest())
  afterEach(() => should(editor.complaints.splice(0)).eql([]))

  it('is one more line in the form of a gateway, and none in those of its nodes', async () => {
    await openForm('gateway')
    should(await labels())
      .containEql('Inventory')
      .and.not.containEql('Share')
    should(await labels()).not.containEql('Engine')
    should(await page.locator('#media-gateway-test-appliance').isVisible()).be.false()
    await editor.press('ok')
    should(await editor.state('gateway')).containEql({ changed: false })
    for (const id of ['single', 'metrics']) {
      const { form } = await openForm(id)
      const isShown = await form.locator('#node-input-appliance + *').isVisible()
      should(isShown).equal(id === 'metrics', id)
      await editor.press('ok')
      should(await editor.state(id)).containEql({ changed: false })
    }
    should(asked.filter(({ path }) => path !== 'lookup')).eql([])
    should(asked.every(({ body }) => !('appliance' in body))).be.true()
  })

  it('shows what its choices need, and saves it', async () => {
    const id = await openNew({ baseUrl: '' })
    await typeOf('inventory', 'json')
    await typed('inventory').fill(INVENTORY)
    await typed('inventory').press('Tab')
    should(await labels())
      .containEql('Share')
      .and.not.containEql('Engine')
    await page.selectOption('#media-gateway-share', 'part')
    should(await focused()).equal('node-config-input-share')
    await page.fill('#node-config-input-share', '2/3')
    await page.selectOption('#media-gateway-share', 'lease')
    should(await page.locator('#node-config-input-share').isVisible()).be.false()
    should(await labels()).containDeep(['Engine', 'Fleet', 'Lease TTL'])
    should(await labels()).not.containEql('MQTT address')
    await page.selectOption('#media-gateway-share', 'part')
    should(await page.inputValue('#node-config-input-share')).equal('2/3')
    await page.selectOption('#media-gateway-share', 'lease')
    await page.fill('#node-config-input-engine', 'nats://nats1:4222, nats://nats2:4222')
    await page.fill('#node-config-input-enginePassword', 'an example')
    await page.check('#node-config-input-gather')
    await page.fill('#node-config-input-engineMqtt', 'mqtt://nats1:1883')
    await editor.press('ok')
    should(await editor.exported(id)).containEql({
      inventory: INVENTORY,
      inventoryType: 'json',
      baseUrl: '',
      share: 'lease',
      engine: 'nats://nats1:4222, nats://nats2:4222',
      gather: true,
      engineMqtt: 'mqtt://nats1:1883',
    })
    const { credentials, ...saved } = await editor.exported(id)
    should(credentials).eql({ enginePassword: 'an example' })
    should(JSON.stringify(saved)).not.containEql('an example')
    should((await editor.state(id)).errors).eql([])
  })

  it('checks what is entered, and only what is used', async () => {
    const inventory = { inventory: INVENTORY, inventoryType: 'json' }
    const lease = { ...inventory, share: 'lease', engine: 'nats://nats1' }
    const cases: Array<[Properties, RegExp | undefined]> = [
      [{ baseUrl: '' }, /URL/],
      [inventory, undefined],
      [{ ...inventory, inventory: '' }, /missing/],
      [{ ...inventory, inventory: '{"name":"Oslo"}' }, /JSON array/],
      [{ ...inventory, inventory: '[' }, /JSON/],
      [{ ...inventory, inventoryType: 'file', inventory: '' }, /missing/],
      [{ ...inventory, share: '${SHARE}' }, undefined],
      [{ ...inventory, share: '4/3' }, /1\/3/],
      [{ ...inventory, share: '' }, /1\/3/],
      [lease, undefined],
      [{ ...lease, engine: '' }, /missing/],
      [{ ...lease, engine: 'nats1:4222' }, /nats:\/\//],
      [{ ...lease, engine: 'nats://nats1,tls://nats2' }, /nats:\/\//],
      [{ ...lease, engine: 'nats://user:example@nats1' }, /nats:\/\//],
      [{ ...lease, fleet: 'a b' }, /letters/],
      [{ ...lease, leaseTtl: 1 }, /number from 2/],
      [{ ...lease, engineReplicas: 2 }, /1, 3 or 5/],
      [{ ...lease, gather: true, engineMqtt: 'nats1' }, /mqtt:\/\//],
      // What is not used is not checked.
      [{ ...lease, engineMqtt: 'nats1' }, undefined],
      [{ ...lease, share: 'all', engine: '', leaseTtl: 1 }, undefined],
      [{ baseUrl: 'https://10.0.0.5', share: '4/3', engine: 'x' }, undefined],
    ]
    for (const [properties, fault] of cases) {
      const id = await addNew(properties)
      const { errors } = await editor.state(id)
      const what = JSON.stringify([properties, errors])
      should(errors.length > 0).equal(fault !== undefined, what)
      if (fault) should(errors.join(' ')).match(fault, what)
    }
  })

  it('is checked row by row before a connection is tested', async () => {
    const faults = [
      { code: 'CONFIG', message: `Row 3 (${HOSTILE}) has no address.` },
      { code: 'CONFIG', message: 'Row 4 has no name.' },
    ]
    answers['inventory'] = () => ({ appliances: 2, names: ['Oslo 1', 'Oslo 2'], faults })
    answers['connection'] = () => ({
      ok: true,
      reused: false,
      user: { name: 'op', roles: ['Operator'], isLicensed: true },
    })
    await openNew({ inventory: INVENTORY, inventoryType: 'json' })
    await test()
    const result = page.locator('#media-gateway-test-result')
    should(await result.innerText())
      .containEql('Appliances in the inventory: 2')
      .and.containEql(`Row 3 (${HOSTILE}) has no address.`)
      .and.containEql('choose an appliance beside the button')
    should(await page.locator('.from-appliance').count()).equal(0)
    should(asked.map(({ path }) => path)).eql(['inventory'])

    await page.click('#media-gateway-test-appliance')
    await option('Oslo 2').click()
    should(await result.innerText()).containEql('Test again')
    await test()
    should(await result.innerText())
      .containEql('Oslo 2')
      .and.containEql('Connected')
    const { body } = asked.at(-1)!
    should(body).containDeep({ appliance: 'Oslo 2', connection: { inventoryType: 'json' } })
    should(body['connection']).have.property('inventory', INVENTORY)
    await editor.press('cancel')
  })

  it('offers its appliances by a search that Node-RED makes', async () => {
    const { form } = await openForm('any')
    await typeOf('appliance', 'str')
    await says('appliance', 'Appliances to choose from: 300')
    await typed('appliance').fill('site 29')
    await option('Site 299').waitFor()
    should(asked.filter(({ path }) => path === 'appliances').at(-1)!.body).containDeep({
      id: 'fleet',
      search: 'site 29',
    })
    should(await form.locator('.from-appliance').count()).equal(0)
    await option('Site 299').click()
    await says('appliance', /reachable · https:\/\/10\.0\.0\./)
    await until(() => asked.some(({ path }) => path === 'lookup'))
    should(asked.find(({ path }) => path === 'lookup')!.body).containEql({ appliance: 'Site 299' })
    await typed('route').click()
    await option('Route of Site 299').click()
    await editor.press('ok')
    should(await editor.exported('any')).containEql({
      appliance: 'Site 299',
      applianceType: 'str',
      route: 'Route of Site 299',
    })
  })

  it('keeps an appliance, also one that the inventory does not have', async () => {
    await openForm('one')
    await says('appliance', /^(reachable|unreachable|other instance) · https/)
    await editor.press('ok')
    should(await editor.state('one')).containEql({ changed: false })
    await openForm('gone')
    await says('appliance', 'Not in the inventory; the value is kept.')
    await typed('appliance').click()
    await option('Site 7').waitFor()
    await editor.press('ok')
    should(await editor.state('gone')).containEql({ changed: false })
  })

  it('looks for routes in an appliance that is not saved, where a message names it', async () => {
    await openForm('any')
    should(asked.filter(({ path }) => path === 'lookup')).eql([])
    await says('route', 'Choose an appliance to see a list.')
    const look = page.getByLabel('Show lists of')
    await look.click()
    await option('Site 3').click()
    await says('route', 'Routes to choose from: 1')
    should(asked.find(({ path }) => path === 'lookup')!.body).containDeep({
      appliance: 'Site 3',
      connection: { id: 'fleet' },
    })
    await editor.press('ok')
    should(await editor.state('any')).containEql({ changed: false })
    // The next form begins where this one looked.
    await openForm('any')
    should(await look.inputValue()).equal('Site 3')
    await says('route', 'Routes to choose from: 1')
    await editor.press('cancel')
  })

  it('says which appliances a pattern matches, and is gone with the inventory', async () => {
    answers['appliances'] = () => ({ total: 3, found: 3, rows: NAMES.slice(0, 3).map(rowOf) })
    await openForm('watch')
    await typeOf('appliance', 'pattern')
    await typed('appliance').fill('site *')
    await says('appliance', 'Matches 2 appliances: Site 1, Site 2')
    await page.selectOption('#node-input-gateway', 'gateway')
    should(await typed('appliance').isVisible()).be.false()
    await page.selectOption('#node-input-gateway', 'fleet')
    should(await typed('appliance').isVisible()).be.true()
    await editor.press('ok')
    should(await editor.exported('watch')).containEql({
      appliance: 'site *',
      applianceType: 'pattern',
    })
  })

  it('is read from the editor while it is not deployed', async () => {
    await page.evaluate(() => Object.assign(RED.nodes.node('fleet')!, { changed: true }))
    await openForm('one')
    await says('appliance', 'Not in the inventory; the value is kept.')
    should(asked.map(({ path }) => path))
      .containEql('inventory')
      .and.not.containEql('appliances')
    const { body } = asked.find(({ path }) => path === 'inventory')!
    should(body).containDeep({ connection: { inventory: INVENTORY, inventoryType: 'json' } })
    await editor.press('cancel')
  })

  for (const theme of ['light', 'dark'] as const) {
    it(`looks as it should, ${theme}`, async () => {
      await show(theme)
      answers['inventory'] = () => ({
        appliances: 2,
        names: ['Oslo 1', 'Oslo 2'],
        faults: [{ message: 'Row 3 ("Bergen") has the same address as row 1 ("Oslo 1").' }],
      })
      await openNew({
        name: 'Fleet',
        inventory: INVENTORY,
        inventoryType: 'json',
        share: 'lease',
        engine: 'nats://nats1.example.com:4222',
        gather: true,
      })
      await shoot(`config-${theme}`)
      await test()
      await page.locator('#media-gateway-test-result').scrollIntoViewIfNeeded()
      await shoot(`config-tested-${theme}`)
      await editor.press('cancel')
      await openForm('one')
      await shoot(`node-${theme}`)
      await typed('appliance').fill('site 1')
      await option('Site 100').waitFor()
      await takePicture(page, `inventory-picker-${theme}`)
      await editor.press('cancel')
      await openForm('any')
      await page.getByLabel('Show lists of').waitFor()
      await shoot(`look-in-${theme}`)
      await editor.press('cancel')
    })
  }

  const rowOf = (name: string, index: number) => ({
    name,
    address: `https://10.0.0.${index}`,
    owned: index % 4 !== 3,
    polled: true,
    health: {
      known: { isOld: false, routes: 20, running: 12, warnings: 0, errors: 0 },
      unreachable: index % 4 === 2,
    },
  })

  async function show(theme: 'light' | 'dark' = 'light') {
    await editor.open({ theme, prepare })
  }

  async function prepare(opened: Page) {
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
  async function addNew(properties: Properties): Promise<string> {
    const id = `inventory-${counter++}`
    await editor.add({ timeout: 10_000, ...properties, id, type: CONFIG })
    return id
  }

  async function openNew(properties: Properties): Promise<string> {
    const id = await addNew(properties)
    await editor.openForm(id)
    return id
  }

  const openForm = async (id: string) => ({ form: await editor.openForm(id) })

  const labels = () =>
    page
      .locator('.media-gateway-form label:visible')
      .evaluateAll((all) => all.map((one) => one.textContent.trim()))
  const focused = () => page.evaluate(() => document.activeElement?.id)
  const frame = (property: string): Locator =>
    page.locator(
      `:is(#node-input-${property}, #node-config-input-${property}) + .red-ui-typedInput-container`,
    )
  const typed = (property: string): Locator =>
    frame(property).locator('input.red-ui-typedInput-input')
  const option = (name: string) =>
    page.locator('.media-gateway-picker-option:visible', {
      has: page.locator('.media-gateway-picker-name', { hasText: new RegExp(`^${name}$`) }),
    })

  async function typeOf(property: string, kind: string) {
    await frame(property).locator('.red-ui-typedInput-type-select').click()
    await page.locator(`.red-ui-typedInput-options:visible [value="${kind}"]`).click()
  }

  async function says(property: string, wanted: string | RegExp) {
    let said = ''
    const line = page.locator(`#media-gateway-picker-says-${property}`)
    const is = async () => {
      said = (await line.innerText()).trim()
      return typeof wanted === 'string' ? said === wanted : wanted.test(said)
    }
    await until(is).catch(() => should(said).equal(String(wanted)))
  }

  async function test() {
    await page.click('#media-gateway-test')
    await page.waitForFunction(
      () => document.querySelector('#media-gateway-test-result')?.ariaBusy === 'false',
    )
  }

  /** Looks for what can be computed; the picture is for the eye. */
  async function shoot(name: string) {
    should(await flawsOf(page.locator('.media-gateway-form').last())).eql([], name)
    await takePicture(page.locator('.red-ui-tray-body').last(), `inventory-${name}`)
  }
})
