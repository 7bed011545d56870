// The button "Try" of control and update route in a real browser: what a run would do, and nothing more.
import type { Page } from 'playwright-core'
import should from 'should'
import { startSimulator, type Simulator } from '../../simulator'
import {
  CONFIG,
  inBrowser,
  sharedEditor,
  VIEWS,
  type Editor,
  type Properties,
} from '../support/editor'
import { flawsOf } from '../support/looks'
import { takePicture } from '../support/pictures'
import { until } from '../support/until'
import { DEFAULTS } from './every-node'

inBrowser('the button Try', function () {
  this.timeout(60_000)

  let editor: Editor
  const page = (): Page => editor.page
  let simulator: Simulator
  let began: number

  before(async () => {
    simulator = await startSimulator({ routes: 4 })
    editor = await sharedEditor()
    const gateway = { type: CONFIG, baseUrl: simulator.url }
    const credentials = { username: 'haiadmin', password: 'manager' }
    const observer = { username: 'user', password: 'public' }
    await editor.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      { ...gateway, id: 'gateway', name: 'Studio', credentials },
      { ...gateway, id: 'locked', name: 'Locked', credentials, readOnly: true },
      { ...gateway, id: 'observer', name: 'Observer', credentials: observer },
    ])
    await editor.open()
  })

  beforeEach(() => {
    began = simulator.journal.length
  })

  afterEach(() => {
    const written = simulator.journal
      .slice(began)
      .filter(({ method, path }) => method !== 'GET' && !path.endsWith('/session'))
    should(written).eql([])
  })

  after(async () => {
    await editor?.rest()
    await until(() => simulator.openSessions === 0)
    await simulator.stop()
  })

  let counter = 0

  async function openOn(kind: string, properties: Properties): Promise<string> {
    const id = `${kind}-${counter++}`
    const type = `media-gateway-${kind}`
    await editor.add({ ...DEFAULTS[type], x: 0, y: 0, ...properties, id, type })
    await editor.openForm(id)
    return id
  }

  const result = () => page().locator('#media-gateway-try-result')

  /** Presses the button, and returns what is then shown. */
  async function attempt(): Promise<string> {
    await page().locator('#media-gateway-try').click()
    await page().locator('#media-gateway-try-result[aria-busy="false"]').waitFor()
    return (await result().innerText()).trim()
  }

  const running = () => simulator.routes.find(({ state }) => state === 'running')!

  it('says what a command would do by the unsaved values of the form', async () => {
    const { name } = running()
    const id = await openOn('control-route', { route: name, routeType: 'name', action: 'start' })
    await page().selectOption('#node-input-action', 'stop')
    should(await attempt()).match(/^As of \d\d:\d\d:\d\d\. Nothing was changed\./)
    const lines = (await page().locator('.media-gateway-try-text').innerText()).split('\n')
    should(lines).eql([
      '0 to add, 0 to change, 0 to remove; 0 to start, 1 to stop.',
      `~ ${JSON.stringify(name)}  stop`,
      '    state: running → stopped',
    ])
    await page().selectOption('#node-input-action', 'restart')
    await result().getByText('The form has changed since. Try again.').waitFor()
    await editor.press('cancel')
    should(await editor.state(id)).containEql({ changed: false })
  })

  it('says what an update would change, and what is wrong with it before it asks', async () => {
    const { name, source } = running()
    const route = { route: name, routeType: 'name', definitionType: 'json', mode: 'merge' }
    await openOn('update-route', { ...route, definition: '{"source":{"port":5904}}' })
    should(await attempt()).containEql(`source.port: ${source.port} → 5904`)
    await editor.press('cancel')
    await openOn('update-route', { ...route, definition: '{"source":{"port":0}}' })
    should(await attempt()).equal('Definition: source.port: a whole number from 1 to 65535')
    await editor.press('cancel')
  })

  it('says which values only a run knows', async () => {
    await openOn('control-route', {
      action: 'msg',
      target: 'destination',
      device: 'device',
      deviceType: 'flow',
    })
    should(await attempt()).equal(
      'Only what is in this form can be tried. Known only when the flow runs: Device, Route, Destination, Action.',
    )
    await editor.press('cancel')
  })

  it('says why a run would do nothing', async () => {
    const stop = { route: running().name, routeType: 'name', action: 'stop' }
    await openOn('control-route', { ...stop, route: 'Nobody' })
    should(await attempt()).match(/no route "Nobody"/)
    await editor.press('cancel')
    await openOn('control-route', { ...stop, gateway: 'locked' })
    should(await attempt()).match(/read-only/)
    await editor.press('cancel')
    await openOn('control-route', { ...stop, gateway: 'observer' })
    should(await attempt()).match(/may only read: the gateway would refuse the change/)
    await editor.press('cancel')
    // The browser itself tells a failed call as an error.
    should(editor.complaints.splice(0)).matchEach(/Failed to load resource/)
  })

  it('makes no error and asks nobody outside', () => {
    should(editor.complaints).eql([])
  })

  it('looks as it should, in each language and theme', async () => {
    for (const { language, theme } of VIEWS) {
      await editor.open({ theme, language })
      const route = { route: running().name, routeType: 'name' }
      const definition = '{"source":{"port":5904}}'
      for (const [kind, more] of [
        ['control-route', { action: 'restart' }],
        ['update-route', { definition, definitionType: 'json', mode: 'merge' }],
      ] as const) {
        await openOn(kind, { ...route, ...more })
        await attempt()
        should(await flawsOf(page().locator('.media-gateway-form'))).eql([], `${language} ${theme}`)
        const body = page().locator('.red-ui-tray-body').last()
        await takePicture(body, `try-${kind}-${language}-${theme}`)
        await editor.press('cancel')
      }
    }
  })
})
