// An inventory in the forms: how they look, with whatever can stand in them.
import { VIEWS, type Properties } from '../support/editor'
import { takePicture } from '../support/pictures'
import { until } from '../support/until'

import {
  BAD_ROWS,
  INVENTORY,
  NAMES,
  answers,
  editor,
  faultOf,
  lookAt,
  openForm,
  openNew,
  option,
  page,
  prepare,
  rowOf,
  says,
  test,
  twoLines,
  typeOf,
  typed,
  withInventory,
} from './inventory-page'

withInventory(() => {
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
})
