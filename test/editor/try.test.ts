// The button "Try" of control, update and ensure route in a real browser: what a run would do now, and
// nothing more.
import type { Page } from 'playwright-core'
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

declare const RED: { settings: { user?: { username: string; permissions: string } } }

const NEW = {
  name: 'Studio <b>X</b>',
  source: { name: 'in', protocol: 'srt', srtMode: 'listener', port: 5900 },
  destinations: [{ name: 'out', protocol: 'udp', address: '239.1.1.9', port: 6900 }],
}

/** One route of each kind, in the language of the user. */
const TOTALS: Record<string, string> = {
  'en-US': '1 to add, 1 to change, 1 to remove; 0 to start, 0 to stop.',
  de: '1 hinzuzufügen, 1 zu ändern, 1 zu löschen; 0 zu starten, 0 zu stoppen.',
  ja: '追加 1件、変更 1件、削除 1件、開始 0件、停止 0件',
}

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

  const openEnsure = (definition: unknown, properties: Properties = {}): Promise<string> =>
    openOn('ensure-route', {
      definition: typeof definition === 'string' ? definition : JSON.stringify(definition),
      definitionType: 'json',
      ...properties,
    })
  /** A route to add, one to change, and one to remove. */
  const openOnThree = () =>
    openEnsure(
      [
        { ...NEW, state: 'running' },
        { name: running().name, source: { port: 5901 } },
      ],
      {
        state: 'row',
        remove: 'pattern',
        removePattern: simulator.routes.find(({ state }) => state === 'idle')!.name,
        approve: true,
      },
    )

  const result = () => page().locator('#media-gateway-try-result')
  const block = () => page().locator('.media-gateway-try-text')
  const linesOf = (kind: string) => page().locator(`.media-gateway-try-${kind}`).allTextContents()

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
    const lines = (await block().innerText()).split('\n')
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

  it('shows in lines of their own what ensure would add, change and remove', async () => {
    await openOnThree()
    should(await attempt()).match(/^As of \d\d:\d\d:\d\d\. Nothing was changed\./)
    should(await linesOf('create')).matchEach(/^\+ "Studio <b>X<\/b>" {2}/)
    should(await linesOf('change')).have.length(1)
    should((await linesOf('change'))[0]).containEql(`~ ${JSON.stringify(running().name)}`)
    should(await linesOf('delete')).have.length(1)
    should(await block().innerText()).startWith(`${TOTALS['en-US']}\n- `)
    should(await page().locator('.media-gateway-try-text b').count()).equal(0)
    await editor.press('cancel')
    should(simulator.journal.length).be.above(began)
  })

  it('marks the plan once the form is another, until it is as it was', async () => {
    const outdated = result().getByText('The form has changed since.')
    const id = await openEnsure([NEW])
    await attempt()
    should(await outdated.isVisible()).be.false()
    await page().selectOption('#node-input-state', 'started')
    await outdated.waitFor()
    await page().selectOption('#node-input-state', 'present')
    await outdated.waitFor({ state: 'hidden' })
    await page().locator('#node-input-definition + .red-ui-typedInput-container input').fill('[]')
    await page().keyboard.press('Tab')
    await outdated.waitFor()
    await editor.press('cancel')
    should((await editor.state(id)).changed).be.false()
  })

  it('says in the language of the user what is wrong, without asking', async () => {
    await openEnsure('[{"name":"A","source":{"port":0}}]')
    should(await attempt()).equal('Definition: [0].source.port: a whole number from 1 to 65535')
    await editor.press('cancel')
    await openEnsure('{')
    should(await attempt()).match(/^Definition: .*JSON/)
    await editor.press('cancel')
    await openEnsure([NEW], { remove: 'pattern', removePattern: 'Test *' })
    should(await attempt()).equal('Unlisted routes: only possible with “Plan first” or “Dry run”')
    await editor.press('cancel')
    should(simulator.journal.slice(began).filter(({ path }) => path !== '/api/session')).eql([])
  })

  it('says why the gateway makes a plan impossible', async () => {
    const { name, id } = running()
    await openEnsure([NEW, { ...NEW, name, id }])
    should(await attempt()).match(/\[1\]/)
    await editor.press('cancel')
    // The browser itself tells a failed call as an error.
    should(editor.complaints.splice(0)).matchEach(/Failed to load resource/)

    await openEnsure([NEW], { gateway: '' })
    should(await attempt()).equal('Choose a gateway to see a list.')
    await editor.press('cancel')
  })

  it('says which values only a run knows, and asks nobody', async () => {
    let asked = 0
    page().on('request', (request) => {
      if (request.url().endsWith('/media-gateway/plan')) asked++
    })
    for (const [kind, properties, places] of [
      [
        'control-route',
        { action: 'msg', target: 'destination', device: 'device', deviceType: 'flow' },
        'Device, Route, Destination, Action',
      ],
      [
        'ensure-route',
        { definition: 'payload', definitionType: 'msg', device: '${DEVICE}', deviceType: 'id' },
        'Device, Definition',
      ],
    ] as const) {
      await openOn(kind, properties)
      should(await attempt()).equal(
        `Only what is in this form can be tried. Known only when the flow runs: ${places}.`,
      )
      await editor.press('cancel')
    }
    should(asked).equal(0)
  })

  it('says below the choice what removing routes still needs', async () => {
    const fault = () => page().locator('#media-gateway-ensure-fault').innerText()
    await openEnsure([NEW])
    should(await fault()).equal('')
    await page().selectOption('#node-input-remove', 'pattern')
    should(await fault()).equal('only possible with “Plan first” or “Dry run”')
    await page().setChecked('#node-input-approve', true)
    should(await fault()).equal('')
    await page().selectOption('#node-input-state', 'absent')
    should(await fault()).equal('not possible with the desired state absent')
    await page().selectOption('#node-input-remove', 'none')
    should(await fault()).equal('')
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

  it('is not offered to who may only read', async () => {
    await page().evaluate(() => (RED.settings.user = { username: 'x', permissions: 'read' }))
    await openOn('control-route', { route: running().name, routeType: 'name' })
    should(await page().locator('#node-input-action').isVisible()).be.true()
    should(await page().locator('#media-gateway-try').isVisible()).be.false()
    await editor.press('cancel')
    await page().evaluate(() => delete RED.settings.user)
    await openOn('control-route', { route: running().name, routeType: 'name' })
    should(await page().locator('#media-gateway-try').isVisible()).be.true()
    await editor.press('cancel')
  })

  it('makes no error and asks nobody outside', () => {
    should(editor.complaints).eql([])
  })

  it('looks as it should, in each language and theme', async () => {
    for (const { language, theme } of VIEWS) {
      await editor.open({ theme, language })
      const route = { route: running().name, routeType: 'name' }
      const update = {
        definition: '{"source":{"port":5904}}',
        definitionType: 'json',
        mode: 'merge',
      }
      for (const [kind, show] of [
        ['control', () => openOn('control-route', { ...route, action: 'restart' })],
        ['update', () => openOn('update-route', { ...route, ...update })],
        ['ensure', openOnThree],
      ] as const) {
        await show()
        await attempt()
        if (kind === 'ensure') should(await block().innerText()).startWith(`${TOTALS[language]}\n`)
        should(await flawsOf(page().locator('.media-gateway-form'))).eql([], `${language} ${theme}`)
        const body = page().locator('.red-ui-tray-body').last()
        await takePicture(body, `try-${kind}-${language}-${theme}`)
        await editor.press('cancel')
      }
    }
  })
})
