// An inventory in the forms: what they show, ask and save.
import type { EditorRED, Properties } from '../support/editor'
import { until } from '../support/until'

import {
  BAD_ROWS,
  HOSTILE,
  INVENTORY,
  INVENTORY_FIELD,
  NAMES,
  addNew,
  answers,
  asked,
  editor,
  focused,
  labels,
  openForm,
  openNew,
  option,
  page,
  rowOf,
  says,
  show,
  test,
  typeOf,
  typed,
  withInventory,
} from './inventory-page'

declare const RED: EditorRED

withInventory(() => {
  beforeEach(() => show())

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
      [lease, undefined],
      [{ ...lease, engine: '' }, /missing/],
      [{ ...lease, engine: 'nats1:4222' }, /nats:\/\//],
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
    // The rules are those of test/client/fleet/inventory.test.ts.
    const shown = await enter(BAD_ROWS)
    should(shown).have.length(6)
    should(shown[0]).equal('Row 2 of the inventory: It is not an object.')
    should(shown[5]).equal('and 1 more')
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
    should(await enter([{ name: '${SITE}', baseUrl: '${SITE_URL}' }])).eql([])
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
})
