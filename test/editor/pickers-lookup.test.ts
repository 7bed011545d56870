// Pickers for device, route and destination: what they ask of which gateway, and what they say.
import { startSimulator } from '../../simulator'
import { afterThisTest } from '../support/hooks'
import { CONFIG, type EditorRED } from '../support/editor'
import { until } from '../support/until'
import { CONTROL, GET, withPickers } from './pickers-page'

declare const RED: EditorRED

withPickers('the pickers: what they ask', (pickers) => {
  const { editor, page, studio, several, lookups, open } = pickers
  const { addGateway, openNew, holdLookups, field, line, reload } = pickers
  const { option, options, typed, says, settled, expectFailed } = pickers

  it('ask nothing where nothing is to be picked', async () => {
    await editor().openForm('plain')
    should(await line('route').isVisible()).be.false()
    should(await field('route').getAttribute('role')).equal(null)
    await field('route').click()
    await editor().press('ok')
    should(lookups()).eql([])
  })

  it('work before the first deploy, with one look-up for all fields', async () => {
    const { logins, openSessions } = several()
    await addGateway('fresh', several())
    await editor().add({
      id: 'first',
      type: CONTROL,
      x: 0,
      y: 0,
      gateway: 'fresh',
      device: '',
      deviceType: 'auto',
      route: '',
      routeType: 'msg',
    })
    await editor().openForm('first')
    await typed('device', 'id')
    await says('device', 'Devices to choose from: 3')
    await typed('route', 'id')
    await says('route', 'The gateway has 3 devices: choose a device to see a list.')
    should(lookups().length).equal(1)
    should(lookups()[0]!['connection']).containEql({
      id: 'fresh',
      baseUrl: several().url,
      password: 'supervisor',
    })

    const [, device] = several().devices
    await field('device').click()
    await option(device!.name).click()
    await says('device', `${device!.name}, Online`)
    await says('route', 'Routes to choose from: 4')
    should(lookups().map(({ deviceId }) => deviceId)).eql([undefined, device!._id])
    await field('route').click()
    await option('OB van 3').click()
    await page().selectOption('#node-input-target', 'destination')
    await typed('destination', 'name')
    await field('destination').click()
    await option('OB van 3 out').click()
    await says('destination', /^(connected|switched off) · /)
    should(lookups().length).equal(2)
    await editor().press('ok')
    const route = device!.routes.find(({ name }) => name === 'OB van 3')!
    should(await editor().exported('first')).containEql({
      device: device!._id,
      deviceType: 'id',
      route: route.id,
      routeType: 'id',
      destination: 'OB van 3 out',
      destinationType: 'name',
    })
    should(several().logins).equal(logins + 2)
    should(several().openSessions).equal(openSessions)
  })

  it('find the devices although the saved one is gone', async () => {
    await editor().add({
      id: 'lost',
      type: GET,
      x: 0,
      y: 0,
      gateway: 'several',
      device: 'gone',
      deviceType: 'id',
      route: 'gone too',
      routeType: 'id',
    })
    await editor().openForm('lost')
    await says('device', 'Not on the gateway; the value is kept.')
    await says('route', 'No list available: the gateway does not have this device.')
    await field('device').click()
    should(await options()).have.length(3)
    await editor().press('cancel')
    expectFailed(1)
  })

  it('tell why there is no list, and ask again', async () => {
    const remote = await startSimulator({ faults: [{ kind: 'reset' }] })
    afterThisTest(() => remote.stop())
    await addGateway('remote', remote)
    await openNew({ gateway: 'remote', route: 'x1', routeType: 'id' })
    await says(
      'route',
      /^Gateway not reachable or not ready: .*closed the connection without a response/,
    )
    await field('route').click()
    should(await options()).eql([])
    should(lookups().length).equal(1)
    remote.clearFaults()
    await reload('route').click()
    await says('route', 'Not on the gateway; the value is kept.')
    should(lookups().length).equal(2)
    await field('route').fill('')
    await says('route', 'Routes to choose from: 8')

    const [route, ...others] = remote.routes.slice()
    remote.removeRoute(route!.id)
    await reload('route').focus()
    await page().keyboard.press('Enter')
    await says('route', 'Routes to choose from: 7')
    for (const { id } of others) remote.removeRoute(id)
    await reload('route').click()
    await says('route', 'The gateway has no routes.')
    should(await field('route').inputValue()).equal('')
    await editor().press('cancel')
    should(remote.openSessions).equal(0)
    expectFailed(1)
  })

  it('say that a gateway is disabled, and do not ask it', async () => {
    await editor().add({ id: 'off', type: CONFIG, name: 'Off', baseUrl: studio().url })
    await page().evaluate(() => Object.assign(RED.nodes.node('off')!, { d: true, changed: false }))
    await openNew({ gateway: 'off', route: 'x', routeType: 'id' })
    await says('route', 'This gateway is disabled.')
    should(lookups()).eql([])
    await editor().press('cancel')
  })

  it('try a password that was refused once, however many forms are opened', async () => {
    const remote = await startSimulator()
    afterThisTest(() => remote.stop())
    await addGateway('mistyped', remote, 'wrong')
    const attempts = (): number =>
      remote.journal.filter(({ method, path }) => method === 'POST' && path === '/api/session')
        .length
    for (let forms = 0; forms < 3; forms++) {
      await openNew({ gateway: 'mistyped', route: 'x1', routeType: 'id' })
      await says('route', /refused the username or the password/)
      await editor().press('cancel')
    }
    should(attempts()).equal(1)
    await openNew({ gateway: 'mistyped', route: 'x1', routeType: 'id' })
    await says('route', /refused the username or the password/)
    await reload('route').click()
    await until(() => attempts() === 2)
    await settled()
    await editor().press('cancel')
    expectFailed(2)
  })

  it('say that they are asking, and let one type meanwhile', async () => {
    const answer = await holdLookups()
    await openNew()
    await typed('route', 'name')
    await says('route', 'Reading from the gateway …')
    await field('route').pressSequentially('Weather d')
    should(await page().locator('.media-gateway-picker-remark').innerText()).equal(
      'Reading from the gateway …',
    )
    await answer()
    await until(async () => (await options()).length === 1)
    should(await options()).eql(['Weather desk'])
    should(await field('route').inputValue()).equal('Weather d')
    should(lookups().length).equal(1)
    await editor().press('cancel')
  })

  it('drop what comes of a gateway that was switched meanwhile', async () => {
    const answer = await holdLookups()
    await openNew()
    await typed('route', 'id')
    await says('route', 'Reading from the gateway …')
    await page().selectOption('#node-input-gateway', 'several')
    await until(() => lookups().length === 2)
    await answer()
    await says('route', 'The gateway has 3 devices: choose a device to see a list.')
    await page().selectOption('#node-input-gateway', '_ADD_')
    await says('route', 'Choose a gateway to see a list.')
    should(lookups().length).equal(2)
    await editor().press('cancel')
  })

  it('ask what was changed in the form of the gateway, saved but not deployed', async () => {
    await openNew()
    await typed('route', 'id')
    await says('route', 'Routes to choose from: 8')
    await page().click('#node-input-btn-gateway-edit')
    await page().locator('#node-config-input-baseUrl').fill(several().url)
    await page().locator('#node-config-input-baseUrl').press('Tab')
    await page().click('#node-config-dialog-ok', { force: true })
    await says('route', /Enter the password again/)
    await page().click('#node-input-btn-gateway-edit')
    await page().locator('#node-config-input-password').fill('supervisor')
    await page().click('#node-config-dialog-ok', { force: true })
    await says('route', 'The gateway has 3 devices: choose a device to see a list.')
    await editor().press('cancel')
    expectFailed(1)
    await open()
  })

  it('find a gateway that was imported, and one that is not deployed any more', async () => {
    await addGateway('imported', studio())
    await page().evaluate(() => {
      const node = RED.nodes.node('imported')!
      node.changed = false
    })
    await openNew({ gateway: 'imported', route: 'x', routeType: 'id' })
    await says('route', 'Not on the gateway; the value is kept.')
    should(lookups()).have.length(2)
    await editor().press('cancel')
    expectFailed(1)
  })

  it('ask for nothing where each instance of a subflow has another gateway', async () => {
    const its = { type: CONFIG, z: 'site', baseUrl: '${SITE_URL}' }
    const within = {
      type: GET,
      z: 'site',
      x: 0,
      y: 0,
      gateway: 'its',
      routeType: 'name',
      wires: [[]],
    }
    await page().evaluate(
      ([gateway, node]) => {
        const site = { id: 'site', type: 'subflow', name: 'site', in: [], out: [], env: [] }
        RED.nodes.import([site, { ...gateway, id: 'its' }, { ...node, id: 'within' }])
        RED.workspaces!.show('site')
      },
      [its, within] as const,
    )
    await editor().openForm('within')
    await says('route', 'No list available: the subflow sets the gateway when the flow runs.')
    await editor().press('cancel')
    await page().evaluate(() => RED.workspaces!.show('tab'))
    should(lookups()).eql([])
  })

  it('tell in words that they may not', async () => {
    await page().route('**/media-gateway/lookup', (route) => route.fulfill({ status: 401 }))
    await editor().openForm('known')
    await says('route', /lacks the permission/)
    await editor().press('ok')
    await page().unroute('**/media-gateway/lookup')
    expectFailed(1)
  })
})
