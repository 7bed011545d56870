// An inventory in the forms: the config node that has it, and the nodes that are about its appliances.
// What Node-RED would say of it is scripted.
import type { Locator, Page } from 'playwright-core'
import should from 'should'
import {
  CONFIG,
  inBrowser,
  sharedEditor,
  VIEWS,
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
/** One of each kind, as many as are not shown one by one. */
const BAD_ROWS = [
  { name: 'Oslo', baseUrl: 'https://10.0.0.1' },
  'Bergen',
  { name: 'Oslo', baseUrl: 'https://10.0.0.2' },
  { name: 'Narvik', baseUrl: 'https://10.0.0.1/' },
  { name: 'Lund', baseURL: 'https://10.0.0.5' },
  { name: 'Malmö', baseUrl: '10.0.0.6', password: 'manager' },
  { baseUrl: 'https://10.0.0.7' },
]
const INVENTORY_FIELD = '#node-config-input-inventory'
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
      { ...ofFleet, id: 'failover', type: 'media-gateway-failover', ...route },
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
        routes: [{ id: 'r1', name: `Route of ${String(appliance)}`, state: 'running', source: {} }],
      }),
    }
    await show()
  })

  after(() => editor?.rest())
  afterEach(() => should(editor.complaints.splice(0)).eql([]))

  it('is one more line in the form of a gateway, and none in those of its nodes', async () => {
    await openForm('gateway')
    await editor.openTabOf(INVENTORY_FIELD)
    should(await labels())
      .containEql('Inventory')
      .and.not.containEql('Share')
    should(await labels()).not.containEql('Engine')
    await editor.openTabOf('#media-gateway-test')
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
    const hosts = page.locator('#node-config-input-inventoryHosts')
    const isHostsShown = async (): Promise<boolean> => {
      await editor.openTabOf('#node-config-input-inventoryHosts')
      return hosts.isVisible()
    }
    should(await isHostsShown()).be.false()
    await typeOf('inventory', 'file')
    should(await isHostsShown()).be.true()
    await hosts.fill('*.example.net\n10.0.0.*')
    await typeOf('inventory', 'json')
    should(await isHostsShown()).be.false()
    await editor.openTabOf(INVENTORY_FIELD)
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
    await page.selectOption('#media-gateway-share', 'part')
    should(await page.inputValue('#node-config-input-share')).equal('2/3')
    await page.selectOption('#media-gateway-share', 'lease')
    await page.fill('#node-config-input-engine', 'nats://nats1:4222, nats://nats2:4222')
    await page.fill('#node-config-input-engineCredentials', 'an example')
    const short = page.locator('#media-gateway-short-ttl')
    should(await short.innerText()).equal('')
    await page.fill('#node-config-input-engineReplicas', '3')
    should(await short.innerText()).equal('')
    await page.fill('#node-config-input-leaseTtl', '29')
    await page.press('#node-config-input-leaseTtl', 'Tab')
    should(await short.innerText()).match(/use 30 s or more/)
    await page.fill('#node-config-input-leaseTtl', '')
    await page.press('#node-config-input-leaseTtl', 'Tab')
    should(await short.innerText()).equal('')
    const key = page.locator('#node-config-input-fleetKey')
    should(await key.getAttribute('type')).equal('password')
    await page.click('#media-gateway-fleet-key')
    const [first, shown] = [await key.inputValue(), await key.getAttribute('type')]
    should([/^[0-9a-f]{64}$/.test(first), shown]).eql([true, 'text'])
    await page.click('#media-gateway-fleet-key')
    const fleetKey = await key.inputValue()
    fleetKey.should.match(/^[0-9a-f]{64}$/).and.not.equal(first)
    await page.check('#node-config-input-gather')
    await editor.press('ok')
    should(await editor.exported(id)).containEql({
      inventory: INVENTORY,
      inventoryType: 'json',
      inventoryHosts: '*.example.net\n10.0.0.*',
      baseUrl: '',
      share: 'lease',
      engine: 'nats://nats1:4222, nats://nats2:4222',
      gather: true,
    })
    const { credentials, ...saved } = await editor.exported(id)
    should(credentials).eql({ engineCredentials: 'an example', fleetKey })
    should(JSON.stringify(saved)).not.containEql('an example').and.not.containEql(fleetKey)
    should((await editor.state(id)).errors).eql([])
  })

  it('checks what is entered, and only what is used', async () => {
    const inventory = { inventory: INVENTORY, inventoryType: 'json' }
    const ofFile = { inventory: '/data/inventory.json', inventoryType: 'file' }
    const lease = { ...inventory, share: 'lease', engine: 'nats://nats1' }
    const cases: Array<[Properties, RegExp | undefined]> = [
      [{ baseUrl: '' }, /URL/],
      [inventory, undefined],
      [{ ...inventory, inventory: '' }, /missing/],
      [{ ...inventory, inventory: '{"name":"Oslo"}' }, /JSON array/],
      [{ ...inventory, inventory: '[' }, /JSON/],
      [
        { ...inventory, inventory: '[{"name":"Oslo"}]', baseUrl: '' },
        /Row 1.*"Oslo".*URL is missing/,
      ],
      [{ ...inventory, inventoryType: 'file', inventory: '' }, /missing/],
      [{ ...ofFile, inventoryHosts: '*.example.net\n10.0.0.*' }, undefined],
      [{ ...ofFile, inventoryHosts: 'https://10.0.0.5' }, /without https/],
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
      // What is not used is not checked.
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
      .and.containEql('choose an appliance next to the button')
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

    // The rows may name variables as their secrets: which ones counts too.
    const mark = page.locator('.media-gateway-test-outdated')
    should(await mark.isVisible()).be.false()
    await editor.openTabOf('#node-config-input-secretPrefix')
    await page.locator('#node-config-input-secretPrefix').press('A')
    await editor.openTabOf('#media-gateway-test')
    should(await mark.isVisible()).be.true()
    await editor.press('cancel')
  })

  it('is tested as a whole, and trusts the certificates that were shown by one click', async () => {
    const print = (digit: string) => Array.from({ length: 32 }, () => digit.repeat(2)).join(':')
    const shown = (name: string, digit: string) => ({
      name,
      address: 'https://10.0.0.2',
      ok: false,
      code: 'TLS',
      message: 'Not trusted.',
      certificate: { fingerprint: print(digit), subject: HOSTILE, issuer: '' },
    })
    const results = [
      { name: 'Oslo 1', address: 'https://10.0.0.1', ok: true, reused: false },
      shown('Oslo 2', 'A'),
      shown('Oslo 3', 'B'),
      { ...shown('Oslo 4', 'C'), fingerprint: print('D') },
      { name: HOSTILE, address: '', ok: false, code: 'LOGIN_REFUSED', message: 'Refused.' },
    ]
    answers['inventory'] = () => ({
      appliances: 5,
      names: results.map(({ name }) => name),
      faults: [],
      ignored: ['Region', HOSTILE],
    })
    answers['connections'] = ({ offset }) => ({
      total: 5,
      results: results.slice(Number(offset), Number(offset) + 3),
    })
    const rows = ['Oslo 1', 'Oslo 2', 'Oslo 3', 'Oslo 4'].map((name, index) => ({
      name,
      baseUrl: `https://10.0.0.${index + 1}`,
      ...(name === 'Oslo 4' && { fingerprint: print('D') }),
    }))
    const id = await openNew({ inventory: JSON.stringify(rows), inventoryType: 'json' })
    const result = page.locator('#media-gateway-test-result')
    const testAll = async () => {
      await editor.openTabOf('#media-gateway-test-all')
      await page.click('#media-gateway-test-all')
      await result.locator('li').nth(4).waitFor()
    }
    await testAll()
    should(asked.map(({ path }) => path)).eql(['inventory', 'connections', 'connections'])
    should(await result.innerText())
      .containEql('Not used: Region')
      .and.containEql('Connected: 1 of 5')
      .and.containEql(`Oslo 2 certificate not trusted: ${print('A')}`)
      .and.containEql('Oslo 4 not the certificate that its row trusts')
      .and.containEql('Username or password rejected')
    should(await page.locator('.from-appliance').count()).equal(0)
    // Nothing is trusted before somebody says so.
    should(await typed('inventory').inputValue()).equal(JSON.stringify(rows))
    await page.click('#media-gateway-trust-all')
    await until(() => asked.length === 6)
    const trusted = rows.map((row) => ({
      ...row,
      ...(row.name === 'Oslo 2' && { fingerprint: print('A') }),
      ...(row.name === 'Oslo 3' && { fingerprint: print('B') }),
    }))
    should(asked.at(-1)!.body['connection']).have.property('inventory', JSON.stringify(trusted))
    await result.locator('li').nth(4).waitFor()
    await editor.press('ok')
    should(await editor.exported(id)).containEql({ inventory: JSON.stringify(trusted) })

    // Where the rows are elsewhere, their fingerprints are to be entered there.
    await openNew({ inventory: '/data/sites.csv', inventoryType: 'file' })
    await testAll()
    should(await page.locator('#media-gateway-trust-all').count()).equal(0)
    const lines = (await page.inputValue('#media-gateway-fingerprints')).split('\n')
    should(lines.slice(0, 3)).eql([
      'name,baseUrl,fingerprint',
      'Oslo 1,https://10.0.0.1,',
      `Oslo 2,https://10.0.0.2,${print('A')}`,
    ])
    should(lines[4]).endWith(print('D'))
    const link = result.locator('a[download="fingerprints.csv"]')
    should(decodeURIComponent((await link.getAttribute('href'))!)).containEql(print('B'))
    await editor.press('cancel')
  })

  it('names bad rows while they are edited, as the run time would', async () => {
    const id = await openNew({ inventory: '', inventoryType: 'json', baseUrl: '' })
    const place = page.locator('#media-gateway-inventory-faults')
    const faults = () => place.locator('li').allInnerTexts()
    const enter = async (rows: unknown) => {
      await typed('inventory').fill(typeof rows === 'string' ? rows : JSON.stringify(rows))
      await typed('inventory').press('Tab')
      return faults()
    }
    should(await enter(BAD_ROWS)).eql([
      'Row 2 of the inventory: It is not an object.',
      'Row 3 of the inventory, "Oslo": Row 1 has the same name.',
      'Row 4 of the inventory, "Narvik": Row 1 has the same URL.',
      'Row 5 of the inventory, "Lund": The field "baseURL" is unknown. Did you mean baseUrl?',
      'Row 6 of the inventory, "Malmö": The field password must be the name of an environment variable, such as ${OSLO_PASSWORD}, because flows are exported.',
      'and 1 more',
    ])
    should(await typed('inventory').getAttribute('aria-invalid')).equal('true')
    should(await place.getAttribute('role')).equal('status')
    should(await typed('inventory').getAttribute('aria-describedby')).equal(
      await place.getAttribute('id'),
    )
    should((await enter('[{"name":"Oslo",}]'))[0]).match(/not valid JSON: see line 1, column 17/)
    should(await enter([{ name: HOSTILE }])).eql([
      `Row 1 of the inventory, "${HOSTILE}": The URL is missing.`,
    ])
    should(await page.locator('.from-appliance').count()).equal(0)
    // What a row leaves out is taken from the form.
    await editor.openTabOf('#node-config-input-baseUrl')
    await page.fill('#node-config-input-baseUrl', 'https://10.0.0.1')
    await page.press('#node-config-input-baseUrl', 'Tab')
    await editor.openTabOf(INVENTORY_FIELD)
    should(await faults()).eql([])
    should(await typed('inventory').getAttribute('aria-invalid')).equal('false')
    // What only the run time knows is not wrong, and a text is not wrong before it is complete.
    should(
      await enter([
        { name: '${SITE}', baseUrl: '${SITE_URL}', fingerprint: '${SITE_PRINT}' },
        { name: 'Oslo', baseUrl: 'https://10.0.0.2', username: '${USER}', password: '${PASS}' },
      ]),
    ).eql([])
    await typed('inventory').press('Backspace')
    should(await faults()).eql([])
    should(await enter('${INVENTORY}')).eql([])
    should(await enter(BAD_ROWS)).have.length(6)
    await typeOf('inventory', 'file')
    should(await faults()).eql([])
    await typeOf('inventory', 'json')
    await editor.press('ok')
    // The editor says it of a closed form, too.
    await editor.add({ ...(await editor.exported(id)), id, inventory: JSON.stringify(BAD_ROWS) })
    const { errors, valid } = await editor.state(id)
    should(valid).be.false()
    should(errors.join(' ')).match(/Row 2 of the inventory.*more bad rows: 5/)
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
    const look = page.getByLabel('Browse', { exact: true })
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

  for (const { language, theme } of VIEWS) {
    it(`looks as it should in ${language}, ${theme}`, async () => {
      await editor.open({ language, theme, prepare })
      const shoot = (name: string) => lookAt(`${name}-${language}-${theme}`)
      const lease = {
        share: 'lease',
        engine: 'nats://nats1.example.com:4222',
        leaseTtl: 15,
        engineReplicas: 3,
        gather: true,
      }
      const ofJson = { name: 'Fleet', inventory: INVENTORY, inventoryType: 'json' }
      const forms: Record<string, Properties> = {
        none: { baseUrl: 'https://10.0.0.1' },
        'json-part': { ...ofJson, share: '1/3' },
        'json-lease': { ...ofJson, ...lease },
        'json-bad': { ...ofJson, inventory: JSON.stringify(BAD_ROWS) },
        'json-broken': { ...ofJson, inventory: '[{"name":"Oslo",}]' },
        file: { inventory: '/data/inventory.json', inventoryType: 'file' },
        env: { inventory: 'INVENTORY', inventoryType: 'env', share: '${SHARE}' },
        global: { inventory: 'inventory', inventoryType: 'global' },
      }
      const wrapped: string[] = []
      // A picture has the whole form.
      await page.setViewportSize({ width: 1400, height: 1700 })
      for (const [name, properties] of Object.entries(forms)) {
        await openNew(properties)
        await shoot(`config-${name}`)
        wrapped.push(...(await twoLines()))
        await editor.press('cancel')
      }
      should([...new Set(wrapped)]).eql([])
      answers['inventory'] = () => ({
        appliances: 2,
        names: ['Oslo 1', 'Oslo 2'],
        faults: Array.from({ length: 23 }, (_, index) => faultOf(index + 3)),
      })
      answers['connection'] = () => ({
        ok: true,
        reused: false,
        user: { name: 'op', roles: ['Operator'], isLicensed: true },
      })
      answers['connections'] = () => ({
        total: 3,
        results: [
          { name: 'Oslo 1', address: 'https://10.0.0.1', ok: true },
          {
            name: 'Oslo 2',
            address: 'https://10.0.0.2',
            ok: false,
            code: 'TLS',
            certificate: { fingerprint: Array.from({ length: 32 }, () => 'A7').join(':') },
          },
          {
            name: 'Bergen, control room',
            address: 'https://10.0.0.3',
            ok: false,
            code: 'LOGIN_REFUSED',
            message: 'Refused.',
          },
        ],
      })
      await openNew({ ...ofJson, name: 'Fleet' })
      await editor.openTabOf('#media-gateway-test')
      await page.click('#media-gateway-test-appliance')
      await option('Oslo 2').waitFor()
      await shoot('config-choice')
      await option('Oslo 2').click()
      await test()
      await shoot('config-tested')
      await editor.openTabOf('#media-gateway-test-all')
      await page.click('#media-gateway-test-all')
      await page.locator('#media-gateway-trust-all').waitFor()
      await shoot('config-tested-all')
      await editor.press('cancel')
      await openNew({ name: 'Fleet', inventory: '/data/sites.csv', inventoryType: 'file' })
      await editor.openTabOf('#media-gateway-test-all')
      await page.click('#media-gateway-test-all')
      await page.locator('#media-gateway-fingerprints').waitFor()
      await shoot('config-tested-file')
      await editor.press('cancel')

      await page.setViewportSize({ width: 1400, height: 900 })
      await openForm('one')
      await until(async () => !(await page.locator('.media-gateway-loading').count()))
      await shoot('node')
      await typed('appliance').fill('site 1')
      await option('Site 100').waitFor()
      await takePicture(page, `inventory-picker-${language}-${theme}`)
      await editor.press('cancel')
      await openForm('any')
      await page.locator('.media-gateway-look-in:visible').waitFor()
      await shoot('look-in')
      await editor.press('cancel')
      answers['appliances'] = () => ({ total: 3, found: 3, rows: NAMES.slice(0, 3).map(rowOf) })
      for (const id of ['watch', 'failover', 'metrics']) {
        await openForm(id)
        await shoot(`${id}-all`)
        await typeOf('appliance', 'pattern')
        await typed('appliance').fill('site *')
        // Of all gateways, nobody has chosen one to look in.
        if (id !== 'metrics') await says('appliance', /Site 1, Site 2/)
        await shoot(`${id}-pattern`)
        await editor.press('cancel')
      }
    })
  }

  const faultOf = (row: number) => ({
    code: 'CONFIG',
    message: 'Not translated.',
    sentences: [
      { key: 'inventoryRowNamed', values: { row, name: 'Bergen' } },
      { key: 'rowSameUrl', values: { first: 1 } },
    ],
  })
  const rowOf = (name: string, index: number) => ({
    name,
    address: `https://10.0.0.${index}`,
    owned: index % 4 !== 3,
    polled: true,
    health: {
      known: { isOld: false, routes: 20, running: 12, problems: 0 },
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
    await editor.openTabOf(INVENTORY_FIELD)
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
    if (property === 'inventory') await editor.openTabOf(INVENTORY_FIELD)
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
    await editor.openTabOf('#media-gateway-test')
    await page.click('#media-gateway-test')
    await page.waitForFunction(
      () => document.querySelector('#media-gateway-test-result')?.ariaBusy === 'false',
    )
  }

  /** The labels of what only an inventory needs, where they do not fit their line. */
  const twoLines = () =>
    page
      .locator('[data-media-gateway-when] .form-row:not(.media-gateway-beside) > label')
      .evaluateAll((all) =>
        all
          .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height > 30)
          .map((one) => one.textContent.trim()),
      )

  /** Looks for what can be computed; the picture is for the eye. */
  async function lookAt(name: string) {
    const form = page.locator('.media-gateway-form').last()
    await takePicture(page.locator('.red-ui-tray-body').last(), `inventory-${name}`)
    should(await flawsOf(form)).eql([], name)
  }
})
