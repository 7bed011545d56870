// What a new user does first, by mouse and keyboard: a real browser, Node-RED and simulator.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { startSimulator, type Simulator } from '../../simulator'
import {
  inBrowser,
  sharedEditor,
  VIEWS,
  type Editor,
  type EditorRED,
  type Properties,
} from '../support/editor'
import { PANEL } from '../recipes/support'
import { takePicture } from '../support/pictures'
import { packageName, root } from '../support/root'
import { until } from '../support/until'

const examples = join(root, 'examples')

const GET = 'media-gateway-get-route'
const CONTROL = 'media-gateway-control-route'
const ROUTE = 'Studio A'
const RECIPE = 'Failover to a backup and back'

declare const RED: EditorRED

inBrowser('a new user', function () {
  this.timeout(60_000)

  let editor: Editor
  let page: Page
  let appliance: Simulator
  let view: (typeof VIEWS)[number]
  /** The nodes of the flow, in the order of their wires: IDs in the editor. */
  let inject: string
  let get: string
  let control: string
  let debug: string

  before(async function () {
    editor = await sharedEditor()
  })

  beforeEach(async () => {
    editor.complaints.length = 0
    appliance = await startSimulator({ https: true, routes: 6 })
  })

  afterEach(async () => {
    await editor.deploy([])
    await until(() => appliance.openSessions === 0, 'the end of all sessions')
    await appliance.stop()
    should(editor.complaints).eql([])
  })

  after(() => editor?.rest())

  // In the dark and in other languages only with another Node-RED than that of this package: this
  // takes long, and test/editor looks at each dialog so.
  for (const each of process.env['NODE_RED'] ? VIEWS : VIEWS.slice(0, 1)) {
    it(`builds, tests and runs a flow: ${each.theme}, ${each.language}`, async () => {
      await begin(each)
      await dragNodes()
      await wireNodes()
      await addGateway()
      await pinCertificate()
      await enterWrongPassword()
      await enterPassword()
      await pickRoute()
      await dropAnother()
      await chooseAction()
      await deploy()
      await run()
      await lookAgain()
      // The keys are the same in every view.
      if (each === VIEWS[0]) await lookByKeyboard()
    })
  }

  it('imports every example, one from the menu', async () => {
    await begin(VIEWS[0])
    await importFromMenu(packageName, 'Recipes', RECIPE)
    await page.locator('#red-ui-workspace-tabs .red-ui-tab-label', { hasText: RECIPE }).waitFor()
    const files = (readdirSync(examples, { recursive: true }) as string[]).filter(
      // The one that needs the Dashboard has tests of its own, with it.
      (file) => file.endsWith('.json') && file !== join(PANEL),
    )
    should(files).containEql(join('Recipes', `${RECIPE}.json`))
    for (const file of files) {
      const flow = JSON.parse(readFileSync(join(examples, file), 'utf8')) as Properties[]
      const wanted = flow
        .filter(({ type }) => type !== 'tab')
        .map(({ type }) => ({ type, faults: [] }))
      should(await imported(flow)).eql(wanted, file)
    }
  })

  /** An editor as it is before the first flow. */
  async function begin(wanted: typeof view) {
    view = wanted
    page = await editor.open({ ...view, blank: true })
    should(await nodes().count()).equal(0)
  }

  async function dragNodes() {
    inject = await drag('inject', 'inject', 140)
    get = await drag('get route', GET, 330)
    control = await drag('control route', CONTROL, 540)
    debug = await drag('debug', 'debug', 740)
  }

  /** Finds a node in the palette by its name, and drags it to a place in the flow. */
  async function drag(name: string, type: string, x: number): Promise<string> {
    const known = await nodes().count()
    await page.click('#red-ui-palette-search input')
    await page.keyboard.press('Control+a')
    await page.keyboard.type(name)
    await page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll<HTMLElement>('.red-ui-palette-node')]
          .filter((entry) => entry.checkVisibility())
          .every(({ dataset }) => dataset['paletteLabel']?.includes(wanted)),
      name,
    )
    const { left, top } = await placeOf(page.locator('#red-ui-workspace-chart'))
    await dragMouse(page.locator(`.red-ui-palette-node[data-palette-type="${type}"]`), {
      x: left + x,
      y: top + 200,
    })
    await page.waitForFunction(
      (number) => document.querySelectorAll('.red-ui-flow-node-group').length === number,
      known + 1,
    )
    return (await page.locator('.red-ui-flow-node-selected').getAttribute('id'))!
  }

  async function wireNodes() {
    for (const [from, to] of [
      [inject, get],
      [get, control],
      [control, debug],
    ] as const) {
      const end = await placeOf(node(to).locator('.red-ui-flow-port-input'))
      await dragMouse(node(from).locator('.red-ui-flow-port-output'), end)
      should((await editor.exported(from))['wires']).eql([[to]])
    }
  }

  async function addGateway() {
    await open(get)
    await page.click('#node-input-btn-gateway-add')
    await ready('#node-config-input-name')
    for (const key of ['baseUrl', 'username', 'password', 'fingerprint', 'timeout', 'readOnly']) {
      const label = page.locator(`label[for="node-config-input-${key}"]`)
      await editor.openTabOf(`#node-config-input-${key}`)
      should((await label.innerText()).trim()).equal(text(`label.${key}`))
    }
    await enter('name', 'Studio')
    await enter('baseUrl', appliance.url)
    await enter('username', 'operator')
    await enter('password', 'guess')
  }

  async function pinCertificate() {
    const found = await testConnection()
    await look('certificate')
    should(found).have.property('subject').match(/CN=/)
    should([found['validFrom'], found['validTo']]).matchEach(/\d{4}/)
    should(found['fingerprint']).equal(appliance.fingerprint)
    should(appliance.loginAttempts).equal(0)
    await page.getByRole('button', { name: text('connection.trust') }).click()
    should(await page.inputValue('#node-config-input-fingerprint')).equal(appliance.fingerprint)
  }

  /** What is trusted is tested at once. */
  async function enterWrongPassword() {
    await result()
      .locator('b', { hasText: text('connection.failed.LOGIN_REFUSED') })
      .waitFor()
    should(await testFacts()).containEql({ user: text('connection.is.refused') })
    await look('refused')
    should(await result().innerText()).containEql(text('connection.failed.LOGIN_REFUSED'))
    should([appliance.loginAttempts, appliance.logins]).eql([1, 0])
  }

  async function enterPassword() {
    await enter('password', 'supervisor')
    let tested = await testConnection()
    // Soon after a refused login it asks nobody, so that no account gets locked.
    while (tested['appliance'] === text('connection.is.notAsked')) tested = await testConnection()
    const { answer, ...found } = tested
    await look('connected')
    const [device] = appliance.devices
    should(answer).match(/\d/)
    should(found).eql({
      appliance: text('connection.is.reached'),
      encryption: text('connection.is.pinned'),
      user: 'operator (Operator)',
      licence: text('connection.is.valid'),
      device: `${device!.name}, Online`,
      firmware: device!.firmware,
      routes: '6',
      session: text('connection.is.ended'),
    })
    should([appliance.loginAttempts, appliance.logins]).eql([2, 1])
    should(appliance.openSessions).equal(0)
    await closeGateway()
  }

  /** Before the first deploy: only the editor knows the gateway. */
  async function pickRoute() {
    await row('route').locator('.red-ui-typedInput-type-select').click()
    await page.locator('.red-ui-typedInput-options:visible [value="id"]').click()
    await says('route', text('picker.number.route', 6))
    await row('route').locator('.red-ui-typedInput-input').click()
    await page.keyboard.type('stud')
    await look('picker')
    await page.keyboard.press('Enter')
    await says('route', `${ROUTE}, ${text('state.running')}`)
    await look('get-route')
    await done()
    const route = appliance.route(ROUTE)!.id
    should(await editor.exported(get)).containEql({ route, routeType: 'id' })
    should(appliance.openSessions).equal(0)
  }

  /** A node that comes when there is a gateway has it; one from before does not change. */
  async function dropAnother() {
    const { gateway } = await editor.exported(get)
    should((await editor.exported(control))['gateway']).equal('')
    const another = await drag('session', 'media-gateway-session', 330)
    should(await editor.exported(another)).containEql({ gateway })
    should(await editor.state(another)).containEql({ valid: true, errors: [] })
    should(await usersOf(String(gateway))).containEql(another)
    await open(another)
    should(await page.inputValue('#node-input-gateway')).equal(gateway)
    await done()
    await page.keyboard.press('Control+z')
    await page.waitForFunction((id) => RED.nodes.node(id) == null, another)
    should(await usersOf(String(gateway))).not.containEql(another)
    should((await editor.exported(control))['gateway']).equal('')
  }

  const usersOf = (gateway: string) =>
    page.evaluate(
      (id) =>
        (RED.nodes.node(id) as unknown as { users: { id: string }[] }).users.map((user) => user.id),
      gateway,
    )

  async function chooseAction() {
    await open(control)
    await page.selectOption('#node-input-gateway', { label: 'Studio' })
    // The node before it says which route.
    should(await page.inputValue('#node-input-routeType')).equal('name')
    await row('route').locator('.red-ui-typedInput-type-select').click()
    await page.locator('.red-ui-typedInput-options:visible [value="msg"]').click()
    await page.selectOption('#node-input-action', 'stop')
    await page.selectOption('#node-input-waitFor', 'applied')
    await look('control-route')
    await done()
    const { gateway } = await editor.exported(get)
    should(await editor.exported(control)).containEql({
      gateway,
      route: 'routeId',
      routeType: 'msg',
      action: 'stop',
    })
  }

  async function deploy() {
    should(await page.locator('.red-ui-flow-node-changed:visible').count()).be.above(0)
    await page.click('#red-ui-header-button-deploy')
    await page.waitForFunction(() => !RED.nodes.dirty())
    // The marks of the nodes go a moment later.
    await page.locator('.red-ui-flow-node-changed:visible').first().waitFor({ state: 'hidden' })
    await expectUnchanged()
  }

  async function run() {
    const list = page.locator('.red-ui-debug-content:visible')
    if ((await list.count()) === 0) await page.click('#red-ui-tab-debug-link-button')
    const { logins } = appliance
    appliance.clearJournal()
    await node(inject).locator('.red-ui-flow-node-button-button').click()
    const message = list.locator('.red-ui-debug-msg')
    await message.waitFor()
    await look('run')
    should(await message.innerText()).match(/name: "Studio A".* state: "idle"/s)
    const writes = appliance.journal.filter(({ method }) => method !== 'GET')
    const { id } = appliance.route(ROUTE)!
    const deviceID = appliance.devices[0]!._id
    should(writes.map(({ method, path, body }) => ({ method, path, body }))).eql([
      {
        method: 'POST',
        path: '/api/session',
        body: { username: 'operator', password: 'supervisor' },
      },
      {
        method: 'POST',
        path: `/api/devices/${deviceID}/commands`,
        body: { deviceID, command: 'stop-route', parameters: { routeID: id } },
      },
    ])
    should(appliance.logins).equal(logins + 1)
  }

  /** To look at a node is not to change it. */
  async function lookAgain() {
    const before = await exported()
    for (const id of [get, control]) {
      await open(id)
      await page.click('#node-input-btn-gateway-edit')
      await ready('#node-config-input-name')
      await closeGateway()
      await done()
    }
    should(await exported()).eql(before)
    await expectUnchanged()
  }

  async function lookByKeyboard() {
    const before = await exported()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await ready('#node-input-name')
    should(await unreached()).eql([])
    await tabBackTo('#node-input-btn-gateway-edit')
    await page.keyboard.press('Enter')
    await ready('#node-config-input-name')
    should(await unreached()).eql([])
    await page.keyboard.press('Control+Escape')
    await page.locator('#node-config-dialog-ok').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+Enter')
    await closed()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await ready('#node-input-name')
    should(await unreached()).eql([])
    await page.keyboard.press('Control+Escape')
    await closed()
    should(await exported()).eql(before)
    await expectUnchanged()
  }

  // ---- the flow

  const nodes = () => page.locator('.red-ui-flow-node-group')
  const node = (id: string) => page.locator(`[id="${id}"]`)

  /** All that is deployed of this package. */
  async function exported(): Promise<Properties[]> {
    const route = await editor.exported(get)
    return [route, await editor.exported(control), await editor.exported(String(route['gateway']))]
  }

  /** Nothing is to be deployed, and no node looks as if it were. */
  async function expectUnchanged() {
    should(await page.evaluate(() => RED.nodes.dirty())).be.false()
    should(await page.locator('#red-ui-header-button-deploy.disabled').count()).equal(1)
    should(await page.locator('.red-ui-flow-node-changed:visible').count()).equal(0)
  }

  async function placeOf(what: Locator) {
    const { x, y, width, height } = (await what.boundingBox())!
    return { left: x, top: y, x: x + width / 2, y: y + height / 2 }
  }

  async function dragMouse(what: Locator, to: { x: number; y: number }) {
    const { x, y } = await placeOf(what)
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y, { steps: 4 })
    await page.mouse.up()
  }

  async function importFromMenu(...path: string[]) {
    await page.click('#red-ui-header-button-sidemenu')
    await page.click('#menu-item-import')
    const dialog = page.locator('#red-ui-clipboard-dialog')
    await dialog.locator('[href$="import-tab-examples"]').click()
    for (const name of path) {
      await dialog.locator('.red-ui-treeList-label', { hasText: name }).first().click()
    }
    await page.click('#red-ui-clipboard-dialog-ok')
  }

  /** Imports a flow as a copy, and answers what the editor makes of its nodes, in their order. */
  const imported = (flow: Properties[]) =>
    page.evaluate((copied) => {
      const { nodeMap } = RED.nodes.import(copied, { generateIds: true })
      return copied
        .map(({ id }) => {
          // A config node that is there already is not copied.
          const known = RED.nodes.node(String(id))
          return nodeMap[String(id)] ?? (known?._def.category === 'config' ? known : undefined)
        })
        .filter((added) => added !== undefined)
        .map((added) => {
          RED.editor.validateNode(added)
          return { type: added.type, faults: added.validationErrors ?? [] }
        })
    }, flow)

  // ---- the dialogs

  async function open(id: string) {
    await node(id).locator('rect.red-ui-flow-node').dblclick()
    await ready('#node-input-name')
  }

  /** The focus comes last: by then the selects of config nodes have settled too. */
  async function ready(first: string) {
    await page.waitForFunction(
      (field) =>
        document.querySelector(field)?.closest('.red-ui-tray')?.contains(document.activeElement),
      first,
    )
  }

  async function done() {
    await page.click('#node-dialog-ok')
    await closed()
  }

  const closed = () => page.waitForFunction(() => document.querySelector('.red-ui-tray') === null)

  /** The dialog below comes to light again. */
  async function closeGateway() {
    await page.click('#node-config-dialog-ok')
    await page.locator('#node-config-dialog-ok').waitFor({ state: 'detached' })
  }

  async function enter(property: string, value: string) {
    await editor.openTabOf(`#node-config-input-${property}`)
    await page.click(`#node-config-input-${property}`)
    await page.keyboard.press('Control+a')
    await page.keyboard.type(value)
    await page.keyboard.press('Tab')
  }

  const result = () => page.locator('#media-gateway-test-result')

  /** Answers what the test found, by the keys of its names. */
  async function testConnection(): Promise<Record<string, string>> {
    await page.click('#media-gateway-test')
    await page.waitForFunction(() => {
      const place = document.querySelector('#media-gateway-test-result')
      return place?.ariaBusy === 'false' && place.querySelector('dl')
    })
    return testFacts()
  }

  async function testFacts(): Promise<Record<string, string>> {
    const keys = new Map(
      Object.entries(catalog('gateway', view.language))
        .filter(([key]) => key.startsWith('connection.fact.'))
        .map(([key, name]) => [name, key.split('.')[2]!]),
    )
    const names = await result().locator('dt').allInnerTexts()
    const values = await result().locator('dd').allInnerTexts()
    return Object.fromEntries(
      names.map((name, index) => [keys.get(name.trim()) ?? name, values[index]!.trim()]),
    )
  }

  const row = (property: string) =>
    page.locator('.form-row', { has: page.locator(`#node-input-${property}`) })

  const says = (property: string, wanted: string) =>
    page.locator(`#media-gateway-picker-says-${property}`, { hasText: wanted }).waitFor()

  /** Presses Tab until all has had the focus, and answers what does not get it. */
  async function unreached(): Promise<string[]> {
    let left = await page.evaluate(watchFocus)
    should(left.length).be.above(3)
    for (let presses = 0; left.length > 0 && presses < 40; presses++) {
      await page.keyboard.press('Tab')
      left = await page.evaluate(() => window.unreached!.map((each) => each.outerHTML))
    }
    return left
  }

  async function tabBackTo(selector: string) {
    for (let presses = 0; presses < 40; presses++) {
      if ((await page.locator(`${selector}:focus`).count()) === 1) return
      await page.keyboard.press('Shift+Tab')
    }
    throw new Error(`the keyboard does not reach ${selector}`)
  }

  /** No text shows the key of a text that is missing; and a picture for the eye. */
  async function look(name: string) {
    const shown = await page.evaluate(() =>
      [...document.querySelectorAll('.red-ui-tray *, .red-ui-flow-node-group *')].flatMap(
        (element) => [
          ...[...element.childNodes]
            .filter((child) => child instanceof Text)
            .map((child) => child.textContent ?? ''),
          ...['title', 'placeholder', 'aria-label'].map((each) => element.getAttribute(each) ?? ''),
        ],
      ),
    )
    const keys = ['gateway', 'get-route', 'control-route']
      .flatMap((each) => Object.keys(catalog(each, 'en-US')))
      .filter((key) => key.includes('.'))
    should(shown.filter((each) => keys.some((key) => each.includes(key)))).eql([])
    await takePicture(page, `journey-${name}-${view.theme}-${view.language}`)
  }

  const text = (key: string, number?: number) =>
    catalog('gateway', view.language)[key]!.replace('__number__', String(number))
})

declare global {
  interface Window {
    /** What the form on top has for the hand, and the keyboard has not come to yet. */
    unreached?: HTMLElement[]
  }
}

/** Runs in the page. */
function watchFocus(): string[] {
  const form = [...document.querySelectorAll<HTMLElement>('.media-gateway-form')].at(-1)!
  const controls = form.querySelectorAll<HTMLElement>('input, select, textarea, button, a')
  window.unreached = [...controls].filter(
    (each) =>
      each.checkVisibility() &&
      // The list of a picker opens with the arrow keys as well.
      !each.matches(':disabled, .media-gateway-picker-open'),
  )
  form.addEventListener('focusin', ({ target }) => {
    window.unreached = window.unreached!.filter((each) => each !== target)
  })
  return window.unreached.map((each) => each.outerHTML)
}

/** The texts of a catalog by their whole keys, such as `label.action`. */
function catalog(node: string, language: string): Record<string, string> {
  const file = join(root, 'nodes', node, 'locales', language, `${node}.json`)
  return Object.fromEntries(textsOf(JSON.parse(readFileSync(file, 'utf8'))))
}

function textsOf(value: unknown, ...path: string[]): Array<[key: string, text: string]> {
  if (typeof value === 'string') return [[path.join('.'), value]]
  return Object.entries(value as object).flatMap(([key, each]) => textsOf(each, ...path, key))
}
