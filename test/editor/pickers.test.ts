// Pickers for device, route and destination: a real browser, Node-RED and simulator.
import type { Page, Request } from 'playwright-core'
import should from 'should'
import { startSimulator, type Simulator } from '../../simulator'
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

const GET = 'media-gateway-get-route'
const CONTROL = 'media-gateway-control-route'
/** Nothing listens there, nor can anything that takes a free port. */
const NOBODY = 'http://127.0.0.1:1'

inBrowser('the pickers', function () {
  this.timeout(60_000)

  let editor: Editor
  let page: Page
  let studio: Simulator
  let several: Simulator
  /** What the editor has asked the runtime to look up. */
  let lookups: Properties[]

  before(async function () {
    studio = await startSimulator()
    several = await startSimulator({ devices: 3, routes: 4 })
    const credentials = { username: 'operator', password: 'supervisor' }
    const place = { z: 'tab', x: 200, y: 80, wires: [[]] }
    const [route] = studio.routes
    const auto = { gateway: 'gateway', device: '', deviceType: 'auto' }
    editor = await sharedEditor()
    await editor.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      { id: 'gateway', type: CONFIG, name: 'Studio', baseUrl: studio.url, credentials },
      { id: 'several', type: CONFIG, name: 'Several', baseUrl: several.url, credentials },
      { id: 'away', type: CONFIG, name: 'Away', baseUrl: NOBODY, credentials },
      { ...place, id: 'plain', type: GET, ...auto, route: 'routeId', routeType: 'msg' },
      { ...place, id: 'known', type: GET, ...auto, route: route!.id, routeType: 'id' },
      { ...place, id: 'named', type: GET, ...auto, route: 'Weather desk', routeType: 'name' },
      { ...place, id: 'unknown', type: GET, ...auto, route: 'gone', routeType: 'id' },
      { ...place, id: 'far', type: GET, ...auto, gateway: 'away', route: 'x1', routeType: 'id' },
      {
        ...place,
        id: 'target',
        type: CONTROL,
        ...auto,
        action: 'start',
        target: 'destination',
        route: 'Stadium North',
        routeType: 'name',
        destination: '',
        destinationType: 'id',
      },
      {
        ...place,
        id: 'one-of-three',
        type: GET,
        gateway: 'several',
        device: several.devices[1]!._id,
        deviceType: 'id',
        route: several.devices[1]!.routes[0]!.id,
        routeType: 'id',
      },
      {
        ...place,
        id: 'watch',
        type: 'media-gateway-watch',
        ...auto,
        route: 'Studio A',
        routeType: 'name',
      },
    ])
    await open()
  })

  beforeEach(() => {
    lookups = []
  })

  afterEach(async function () {
    // A dialog that stays open would be in the way of all that follow.
    if (this.currentTest?.isFailed()) await open()
  })

  after(async () => {
    await editor?.rest()
    const left = () => studio.openSessions + several.openSessions
    await until(
      () => left() === 0,
      () => `the end of ${left()} sessions`,
    )
    await studio.stop()
    await several.stop()
  })

  it('ask nothing where nothing is to be picked', async () => {
    await editor.openForm('plain')
    should(await line('route').isVisible()).be.false()
    should(await field('route').getAttribute('role')).equal(null)
    await field('route').click()
    await editor.press('ok')
    should(lookups).eql([])
  })

  it('tell what a saved ID is, and the ID of a saved name', async () => {
    await editor.openForm('known')
    await says('route', 'Studio A, running')
    should(await field('route').inputValue()).equal(studio.route('Studio A')!.id)
    should(await page.getByRole('combobox', { name: 'Route' }).count()).equal(1)
    await editor.press('ok')

    await editor.openForm('named')
    await says('route', `idle · ${studio.route('Weather desk')!.id}`)
    await editor.press('ok')

    await editor.openForm('watch')
    await says('route', /^running · /)
    await editor.press('ok')
    should(lookups.map(({ connection }) => connection)).eql([
      { id: 'gateway' },
      { id: 'gateway' },
      { id: 'gateway' },
    ])
  })

  it('keep an ID that they do not know', async () => {
    await editor.openForm('unknown')
    await says('route', 'Not on the appliance; the value is kept.')
    await editor.press('ok')
    should(await editor.exported('unknown')).containEql({ route: 'gone', routeType: 'id' })
  })

  it('leave a node as it is when its dialog is opened and closed', async () => {
    for (const id of ['plain', 'known', 'named', 'unknown', 'far', 'target', 'one-of-three']) {
      const before = await editor.exported(id)
      await editor.openForm(id)
      await editor.press('ok')
      await editor.openForm(id)
      await settled()
      await editor.press('ok')
      should(await editor.exported(id)).eql(before)
      should(await editor.state(id)).containEql({ changed: false })
    }
    should(await page.evaluate(() => RED.nodes.dirty())).be.false()
    expectFailed(2)
  })

  it('work before the first deploy, with one look-up for all fields', async () => {
    const { logins, openSessions } = several
    await addGateway('fresh', several)
    await editor.add({
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
    await editor.openForm('first')
    await typed('device', 'id')
    await says('device', 'Devices to choose from: 3')
    await typed('route', 'id')
    await says('route', 'The appliance has 3 devices: choose one to get a list.')
    should(lookups.length).equal(1)
    should(lookups[0]!['connection']).containEql({
      id: 'fresh',
      baseUrl: several.url,
      password: 'supervisor',
    })

    const [, device] = several.devices
    await field('device').click()
    await option(device!.name).click()
    await says('device', `${device!.name}, Online`)
    await says('route', 'Routes to choose from: 4')
    should(lookups.map(({ deviceId }) => deviceId)).eql([undefined, device!._id])
    await field('route').click()
    await option('OB van 3').click()
    await page.selectOption('#node-input-target', 'destination')
    await typed('destination', 'name')
    await field('destination').click()
    await option('OB van 3 out').click()
    await says('destination', /^(connected|switched off) · /)
    should(lookups.length).equal(2)
    await editor.press('ok')
    const route = device!.routes.find(({ name }) => name === 'OB van 3')!
    should(await editor.exported('first')).containEql({
      device: device!._id,
      deviceType: 'id',
      route: route.id,
      routeType: 'id',
      destination: 'OB van 3 out',
      destinationType: 'name',
    })
    should(several.logins).equal(logins + 2)
    should(several.openSessions).equal(openSessions)
  })

  it('are worked by the keyboard alone', async () => {
    const id = await openNew()
    await typed('route', 'id')
    await says('route', 'Routes to choose from: 8')
    const input = field('route')
    await input.focus()
    await page.keyboard.press('ArrowDown')
    should(await options()).have.length(8)
    should(await input.getAttribute('aria-expanded')).equal('true')
    await page.keyboard.press('Escape')
    should(await options()).eql([])
    should(await input.getAttribute('aria-expanded')).equal('false')

    await page.keyboard.type('hall')
    should(await options()).eql(['City hall', 'Concert hall'])
    should(await chosen()).equal('City hall')
    await page.keyboard.press('ArrowDown')
    should(await chosen()).equal('Concert hall')
    await page.keyboard.press('ArrowDown')
    should(await chosen()).equal('City hall')
    await page.keyboard.press('ArrowUp')
    should(await chosen()).equal('Concert hall')
    should(await input.inputValue()).equal('hall')
    await page.keyboard.press('Enter')
    should(await options()).eql([])
    should(await input.inputValue()).equal(studio.route('Concert hall')!.id)
    await says('route', 'Concert hall, idle')
    should(lookups.length).equal(1)
    await editor.press('ok')
    should(await editor.exported(id)).containEql({
      route: studio.route('Concert hall')!.id,
      routeType: 'id',
    })
  })

  it('save the name where the type is the name', async () => {
    const id = await openNew()
    await typed('route', 'name')
    await says('route', 'Routes to choose from: 8')
    await field('route').pressSequentially('stadium')
    await page.keyboard.press('Enter')
    await says('route', `running · ${studio.route('Stadium North')!.id}`)
    await editor.press('ok')
    should(await editor.exported(id)).containEql({ route: 'Stadium North', routeType: 'name' })
  })

  it('begin empty, not with the name of a message property', async () => {
    const before = await editor.exported('plain')
    await editor.openForm('plain')
    for (const kind of ['id', 'name']) {
      await typed('route', kind)
      await says('route', 'Routes to choose from: 8')
    }
    await typed('route', 'msg')
    should(await field('route').inputValue()).equal('routeId')
    await typed('route', 'flow')
    should(await field('route').inputValue()).equal('routeId')
    await typed('route', 'msg')
    await editor.press('ok')
    should(await editor.exported('plain')).eql(before)
    should(await editor.state('plain')).containEql({ changed: false })
  })

  it('say how many routes the pattern of a watch fits', async () => {
    const before = await editor.exported('watch')
    await editor.openForm('watch')
    await says('route', /^running · /)
    await typed('route', 'pattern')
    // A name is a pattern that only this name fits.
    await says('route', 'Fits 1 route: Studio A')
    should(await field('route').getAttribute('role')).equal(null)
    should(await row('route').locator('.media-gateway-picker-open').isVisible()).be.false()
    await field('route').fill('*ST*')
    await says('route', 'Fits 2 routes: Studio A, Stadium North')
    await field('route').fill('Studoi*')
    await says('route', 'No route fits.')
    should(await line('route').locator('.media-gateway-sign-warn').count()).equal(1)
    await field('route').fill('*')
    await says('route', /^Fits 8 routes: .*, …$/)
    await field('route').click()
    should(await options()).eql([])
    should(lookups).have.length(1)
    await editor.press('cancel')
    should(await editor.exported('watch')).eql(before)
  })

  it('translate an ID to its name, and back', async () => {
    const { id } = studio.route('Studio A')!
    await editor.openForm('known')
    await says('route', 'Studio A, running')
    await typed('route', 'name')
    should(await field('route').inputValue()).equal('Studio A')
    await typed('route', 'id')
    should(await field('route').inputValue()).equal(id)
    await says('route', 'Studio A, running')

    await field('route').fill('nobody knows it')
    await typed('route', 'name')
    should(await field('route').inputValue()).equal('')
    should(await field('route').evaluate((each) => each === document.activeElement)).be.true()
    await typed('route', 'id')
    should(await field('route').inputValue()).equal('nobody knows it')
    await editor.press('cancel')
  })

  it('do not choose one of several that have the name', async () => {
    studio.renameRoute('OB van 3', 'Weather desk')
    await editor.openForm('named')
    await says('route', '2 have this name: choose by ID.')
    await typed('route', 'id')
    should(await field('route').inputValue()).equal('')
    await typed('route', 'name')
    should(await field('route').inputValue()).equal('Weather desk')
    await editor.press('cancel')
    const [, double] = studio.routes.filter(({ name }) => name === 'Weather desk')
    studio.renameRoute(double!.id, 'OB van 3')
  })

  it('do not take the place in a message for a name', async () => {
    await openNew({ route: 'payload.data[0]', routeType: 'msg' })
    await typed('route', 'name')
    should(await field('route').inputValue()).equal('')
    await says('route', 'Routes to choose from: 8')
    await typed('route', 'msg')
    should(await field('route').inputValue()).equal('payload.data[0]')
    await editor.press('cancel')
  })

  it('say that a gateway is disabled, and do not ask it', async () => {
    await editor.add({ id: 'off', type: CONFIG, name: 'Off', baseUrl: studio.url })
    await page.evaluate(() => Object.assign(RED.nodes.node('off')!, { d: true, changed: false }))
    await openNew({ gateway: 'off', route: 'x', routeType: 'id' })
    await says('route', 'This gateway is disabled.')
    should(lookups).eql([])
    await editor.press('cancel')
  })

  it('choose nothing by themselves: what is typed stays', async () => {
    await openNew()
    await typed('route', 'name')
    await says('route', 'Routes to choose from: 8')
    await field('route').pressSequentially('Studio')
    should(await chosen()).equal('Studio A')
    await page.keyboard.press('Tab')
    should(await field('route').inputValue()).equal('Studio')
    await says('route', 'Not on the appliance; the value is kept.')

    await field('route').fill('nothing like it')
    should(await page.locator('.media-gateway-picker-remark').innerText()).equal(
      'Nothing fits what you typed.',
    )
    await page.keyboard.press('Enter')
    should(await field('route').inputValue()).equal('nothing like it')

    await typed('route', 'id')
    await field('route').fill('Studio A')
    await says('route', 'This is a name, not an ID: choose it from the list.')
    await field('route').fill('${ROUTE}')
    await says('route', 'An environment variable tells it when the flow starts.')
    should(lookups.length).equal(1)
    await editor.press('cancel')
  })

  it('warn of a name that several routes have', async () => {
    studio.renameRoute('OB van 3', 'Weather desk')
    await editor.openForm('named')
    await says('route', '2 have this name: choose by ID.')
    await editor.press('ok')
    studio.renameRoute('Weather desk', 'OB van 3')
  })

  it('offer the destinations of the route that is chosen', async () => {
    await editor.openForm('target')
    await says('destination', 'Destinations to choose from: 5')
    await page.locator('.media-gateway-picker-open:visible').last().click()
    should(await options()).have.length(5)
    await option('Stadium North reserve').click()
    await says('destination', 'Stadium North reserve, switched off')
    await field('route').fill('Weather desk')
    await says('destination', 'The route has no destinations.')
    await field('route').fill('nowhere')
    await says('destination', 'No list: the route is not on the appliance.')
    await field('route').fill('')
    await says('destination', 'Choose a route to get a list.')
    await typed('route', 'msg')
    await says('destination', 'No list: which route it is shows when the flow runs.')
    should(lookups.length).equal(1)
    await editor.press('cancel')
  })

  it('know several devices', async () => {
    await editor.openForm('one-of-three')
    const [first, second] = several.devices
    await says('device', `${second!.name}, Online`)
    const [route] = second!.routes
    await says('route', `${route!.name}, ${route!.state}`)
    should(lookups.map(({ deviceId }) => deviceId)).eql([second!._id])

    await field('device').fill('unheard of')
    await page.keyboard.press('Tab')
    await says('device', 'Not on the appliance; the value is kept.')
    await says('route', 'No list: the device is not on the appliance.')
    await typed('device', 'msg')
    await says('route', 'No list: which of the 3 devices it is shows when the flow runs.')
    should(lookups.length).equal(1)

    await typed('device', 'id')
    await field('device').fill(first!._id)
    await page.keyboard.press('Tab')
    await says('route', 'Not on the appliance; the value is kept.')
    should(lookups.length).equal(2)
    await editor.press('cancel')
  })

  it('find the devices although the saved one is gone', async () => {
    await editor.add({
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
    await editor.openForm('lost')
    await says('device', 'Not on the appliance; the value is kept.')
    await says('route', 'No list: the device is not on the appliance.')
    await field('device').click()
    should(await options()).have.length(3)
    await editor.press('cancel')
    expectFailed(1)
  })

  it('tell why there is no list, and ask again', async () => {
    const remote = await startSimulator({ faults: [{ kind: 'reset' }] })
    await addGateway('remote', remote)
    await openNew({ gateway: 'remote', route: 'x1', routeType: 'id' })
    await says('route', /^Not reached or not ready: .*connection was cut/)
    await field('route').click()
    should(await options()).eql([])
    should(lookups.length).equal(1)
    remote.clearFaults()
    await reload('route').click()
    await says('route', 'Not on the appliance; the value is kept.')
    should(lookups.length).equal(2)
    await field('route').fill('')
    await says('route', 'Routes to choose from: 8')

    const [route, ...others] = remote.routes.slice()
    remote.removeRoute(route!.id)
    await reload('route').focus()
    await page.keyboard.press('Enter')
    await says('route', 'Routes to choose from: 7')
    for (const { id } of others) remote.removeRoute(id)
    await reload('route').click()
    await says('route', 'The appliance has no routes.')
    should(await field('route').inputValue()).equal('')
    await editor.press('cancel')
    should(remote.openSessions).equal(0)
    await remote.stop()
    expectFailed(1)
  })

  it('try a password that was refused once, however many forms are opened', async () => {
    const remote = await startSimulator()
    await addGateway('mistyped', remote, 'wrong')
    const attempts = (): number =>
      remote.journal.filter(({ method, path }) => method === 'POST' && path === '/api/session')
        .length
    for (let forms = 0; forms < 3; forms++) {
      await openNew({ gateway: 'mistyped', route: 'x1', routeType: 'id' })
      await says('route', /refused the user name or the password/)
      await editor.press('cancel')
    }
    should(attempts()).equal(1)
    await openNew({ gateway: 'mistyped', route: 'x1', routeType: 'id' })
    await reload('route').click()
    await until(() => attempts() === 2)
    await settled()
    await editor.press('cancel')
    await remote.stop()
    expectFailed(2)
  })

  it('say that they are asking, and let one type meanwhile', async () => {
    const answer = await holdLookups()
    await openNew()
    await typed('route', 'name')
    await says('route', 'Asking the appliance …')
    await field('route').pressSequentially('Weather d')
    should(await page.locator('.media-gateway-picker-remark').innerText()).equal(
      'Asking the appliance …',
    )
    await answer()
    await until(async () => (await options()).length === 1)
    should(await options()).eql(['Weather desk'])
    should(await field('route').inputValue()).equal('Weather d')
    should(lookups.length).equal(1)
    await editor.press('cancel')
  })

  it('drop what comes of a gateway that was switched meanwhile', async () => {
    const answer = await holdLookups()
    await openNew()
    await typed('route', 'id')
    await says('route', 'Asking the appliance …')
    await page.selectOption('#node-input-gateway', 'several')
    await until(() => lookups.length === 2)
    await answer()
    await says('route', 'The appliance has 3 devices: choose one to get a list.')
    await page.selectOption('#node-input-gateway', '_ADD_')
    await says('route', 'Choose a gateway to get a list.')
    should(lookups.length).equal(2)
    await editor.press('cancel')
  })

  it('ask what was changed in the form of the gateway, saved but not deployed', async () => {
    await openNew()
    await typed('route', 'id')
    await says('route', 'Routes to choose from: 8')
    await page.click('#node-input-btn-gateway-edit')
    await page.locator('#node-config-input-baseUrl').fill(several.url)
    await page.locator('#node-config-input-baseUrl').press('Tab')
    await page.click('#node-config-dialog-ok', { force: true })
    await says('route', /Enter the password again/)
    await page.click('#node-input-btn-gateway-edit')
    await page.locator('#node-config-input-password').fill('supervisor')
    await page.click('#node-config-dialog-ok', { force: true })
    await says('route', 'The appliance has 3 devices: choose one to get a list.')
    await editor.press('cancel')
    expectFailed(1)
    await open()
  })

  it('find a gateway that was imported, and one that is not deployed any more', async () => {
    await addGateway('imported', studio)
    await page.evaluate(() => {
      const node = RED.nodes.node('imported')!
      node.changed = false
    })
    await openNew({ gateway: 'imported', route: 'x', routeType: 'id' })
    await says('route', 'Not on the appliance; the value is kept.')
    should(lookups).have.length(2)
    await editor.press('cancel')
    expectFailed(1)
  })

  it('show many routes in part, until one types', async () => {
    const many = await startSimulator({ routes: 250 })
    await addGateway('many', many)
    await openNew({ gateway: 'many', route: '', routeType: 'id' })
    await says('route', 'Routes to choose from: 250')
    await field('route').click()
    should(await options()).have.length(100)
    should(await page.locator('.media-gateway-picker-remark').innerText()).equal(
      'and 150 more: type part of the name',
    )
    await field('route').pressSequentially(many.routes[200]!.id.slice(0, 8))
    should(await options()).eql([many.routes[200]!.name])
    await editor.press('cancel')
    await many.stop()
  })

  it('put names into the page as text', async () => {
    const route = studio.route('Harbour camera')!
    const markup = '<img src=x class="from-appliance">'
    studio.renameRoute(route.id, markup)
    await openNew({ route: route.id, routeType: 'id' })
    await says('route', `${markup}, idle`)
    await field('route').click()
    should(await options()).containEql(markup)
    should(await page.locator('.from-appliance').count()).equal(0)
    studio.renameRoute(route.id, 'Harbour camera')
    await editor.press('cancel')
  })

  it('tell in words that they may not', async () => {
    await page.route('**/media-gateway/lookup', (route) => route.fulfill({ status: 401 }))
    await editor.openForm('known')
    await says('route', /lacks the permission/)
    await editor.press('ok')
    await page.unroute('**/media-gateway/lookup')
    expectFailed(1)
  })

  for (const [language, says0, says1] of [
    ['de', 'Studio A, läuft', 'Routen zur Auswahl: 8'],
    ['ja', 'Studio A, 実行中', '選択できるルート: 8'],
  ] as const) {
    it(`speak the language of the editor: ${language}`, async () => {
      await open({ language })
      await editor.openForm('known')
      await says('route', says0)
      await field('route').fill('')
      await says('route', says1)
      await field('route').click()
      await shoot(`list-${language}`)
      await editor.press('cancel')
    })
  }

  for (const theme of ['light', 'dark'] as const) {
    it(`look as they should, ${theme}`, async () => {
      await open({ theme })
      const error = studio.route('City hall')!
      error.summaryStatusCode = 'error'
      studio.route('Stadium North')!.summaryStatusCode = 'warn'
      await editor.openForm('known')
      await says('route', /Studio A/)
      await shoot(`known-${theme}`)
      await field('route').click()
      await page.keyboard.press('ArrowDown')
      await shoot(`list-${theme}`)
      await editor.press('cancel')
      await editor.openForm('target')
      await says('destination', /5/)
      await shoot(`destination-${theme}`)
      await field('destination').click()
      await shoot(`destination-list-${theme}`)
      await editor.press('cancel')
      await editor.openForm('far')
      await says('route', /refused/)
      await shoot(`offline-${theme}`)
      await editor.press('cancel')
      expectFailed(1)
    })
  }

  it('make no error and ask nobody outside', () => {
    should(editor.complaints).eql([])
  })

  async function open(view: Parameters<Editor['open']>[0] = {}) {
    page = await editor.open(view)
    page.on('request', (request: Request) => {
      if (!request.url().endsWith('/media-gateway/lookup')) return
      lookups.push(request.postDataJSON() as Properties)
    })
  }

  async function addGateway(id: string, { url }: Simulator, password = 'supervisor') {
    await editor.add({ id, type: CONFIG, name: id, baseUrl: url, timeout: 10000 })
    const credentials = { username: 'operator', password }
    await page.evaluate(
      ([added, given]) => {
        Object.assign(RED.nodes.node(added)!, { changed: true, credentials: given })
      },
      [id, credentials] as const,
    )
  }

  let counter = 0

  async function openNew(properties: Properties = {}): Promise<string> {
    const id = `new-${counter++}`
    const empty = {
      gateway: 'gateway',
      device: '',
      deviceType: 'auto',
      route: '',
      routeType: 'msg',
    }
    await editor.add({ id, type: GET, x: 0, y: 0, ...empty, ...properties })
    await editor.openForm(id)
    return id
  }

  /** Lets the look-ups wait until the function returned is called. */
  async function holdLookups(): Promise<() => Promise<void>> {
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/media-gateway/lookup', async (route) => {
      await released
      await route.continue()
    })
    return async () => {
      release()
      await page.unroute('**/media-gateway/lookup')
    }
  }

  const row = (property: string) =>
    page.locator('.form-row', { has: page.locator(`#node-input-${property}`) })
  const field = (property: string) => row(property).locator('.red-ui-typedInput-input')
  const line = (property: string) => page.locator(`#media-gateway-picker-says-${property}`)
  const reload = (property: string) => row(property).locator('.media-gateway-picker-reload')
  const option = (name: string) =>
    page.locator('.media-gateway-picker-option:visible', {
      has: page.locator('.media-gateway-picker-name', { hasText: new RegExp(`^${name}$`) }),
    })
  const options = () =>
    page.locator('.media-gateway-picker-option:visible .media-gateway-picker-name').allInnerTexts()
  const chosen = () =>
    page.locator('[aria-selected="true"]:visible .media-gateway-picker-name').innerText()

  /** Chooses a type with the mouse. */
  async function typed(property: string, kind: string) {
    await row(property).locator('.red-ui-typedInput-type-select').click()
    await page.locator(`.red-ui-typedInput-options:visible [value="${kind}"]`).click()
  }

  async function says(property: string, wanted: string | RegExp) {
    let said = ''
    const is = async () => {
      said = (await line(property).innerText()).trim()
      return typeof wanted === 'string' ? said === wanted : wanted.test(said)
    }
    await until(is).catch(() => should(said).equal(String(wanted)))
  }

  const settled = () =>
    page.waitForFunction(() => document.querySelector('.media-gateway-loading') === null)

  /** The browser itself tells a failed call as an error. */
  function expectFailed(number: number) {
    const complaints = editor.complaints.splice(0)
    should(complaints).matchEach(/Failed to load resource/)
    should(complaints).have.length(number)
  }

  /** Looks for what can be computed; the picture is for the eye. */
  async function shoot(name: string) {
    should(await flawsOf(page.locator('.media-gateway-form'))).eql([], name)
    await takePicture(page.locator('.red-ui-tray-body').last(), `picker-${name}`)
  }
})
