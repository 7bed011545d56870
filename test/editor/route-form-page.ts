// The form of a route's definition in a real browser, on nodes that send it to a simulator.
import type { Locator, Page } from 'playwright-core'
import { startSimulator, type Simulator } from '../../simulator'
import {
  CONFIG,
  inBrowser,
  sharedEditor,
  type Editor,
  type EditorRED,
  type Properties,
  type View,
} from '../support/editor'
import { SOUND, type Entered } from './route-definitions'

declare const RED: EditorRED

/** Describes a suite on nodes that take a definition: `create`, `update` and `ensure`. */
export function withRouteForm(
  subject: string,
  suite: (routeForm: ReturnType<typeof routeFormPage>) => void,
): void {
  inBrowser(subject, function () {
    this.timeout(120_000)
    const routeForm = routeFormPage()
    suite(routeForm)
    // Suites within a suite come last.
    describe('in all of that', () => {
      it('makes no error', () => {
        should(routeForm.editor().complaints).eql([])
      })
    })
  })
}

function routeFormPage() {
  let editor: Editor
  let page: Page
  let simulator: Simulator

  const form = () => page.locator('.media-gateway-route')
  const source = () => form().locator('.media-gateway-route-part')
  const rows = () => form().locator('.media-gateway-route-destinations > * ol > li')
  const destination = (index: number) => rows().nth(index)
  const summaries = () => form().locator('.media-gateway-route-toggle').allTextContents()
  const member = (scope: Locator, name: string) => scope.locator(`[data-member="${name}"]`)
  const entry = (scope: Locator, name: string) =>
    member(scope, name).first().locator('input, select').first()
  const top = () => form().locator('> div > .media-gateway-route-group')
  const faultOf = (scope: Locator, name: string) =>
    member(scope, name).first().locator('.media-gateway-route-fault').last().textContent()
  const view = (name: 'Form' | 'JSON') =>
    page.locator('.media-gateway-route-switch').getByRole('button', { name }).click()
  const json = () => page.inputValue('#node-input-definition')
  const definition = async () => JSON.parse(await json()) as Properties

  before(async function () {
    simulator = await startSimulator({ routes: 4 })
    editor = await sharedEditor()
    await editor.deploy(flow())
    await open()
  })

  after(async () => {
    await editor?.rest()
    await simulator?.stop()
  })

  const open = (shown: View = {}) => editor.open({ ...shown, prepare: (opened) => (page = opened) })

  function flow(): Properties[] {
    const action = (use: string, more: Properties): Properties[] => [
      {
        id: `${use}-in`,
        type: 'inject',
        z: 'tab',
        x: 100,
        y: 100,
        props: [],
        repeat: '',
        crontab: '',
        once: false,
        onceDelay: 0.1,
        wires: [[use]],
      },
      {
        id: use,
        type: `${CONFIG}-${use}-route`,
        z: 'tab',
        name: '',
        gateway: 'gateway',
        device: '',
        deviceType: 'auto',
        definition: JSON.stringify(SOUND),
        definitionType: 'json',
        validate: true,
        x: 300,
        y: 100,
        wires: [[]],
        ...more,
      },
    ]
    return [
      { id: 'tab', type: 'tab', label: 'Routes' },
      {
        id: 'gateway',
        type: CONFIG,
        name: 'Studio',
        baseUrl: simulator.url,
        timeout: 10000,
        concurrency: 8,
        credentials: { username: 'haiadmin', password: 'manager' },
      },
      ...action('create', { startRoute: false, waitFor: 'accepted', waitTimeout: 30 }),
      ...action('update', {
        route: 'any',
        routeType: 'name',
        mode: 'keep',
        waitFor: 'accepted',
        waitTimeout: 30,
      }),
      ...action('ensure', { state: 'present', check: false, exact: false, waitTimeout: 30 }),
    ]
  }

  /** Gives a node other properties, as if it had been saved with them. */
  const give = (id: string, properties: Properties) =>
    page.evaluate(
      ([wanted, values]) => {
        const node = Object.assign(RED.nodes.node(wanted)!, values, { changed: true })
        RED.editor.validateNode(node)
      },
      [id, properties] as const,
    )

  async function openOn(id: string, text: string, more: Properties = {}) {
    await give(id, { definition: text, definitionType: 'json', ...more })
    await editor.openForm(id)
  }

  /** Fills a field in, wherever it is. */
  async function enter(scope: Locator, name: string, value: unknown) {
    if (Array.isArray(value)) return enterPaths(member(scope, name), value as Properties[])
    const field = member(scope, name).first()
    const more = scope.locator('details', { has: page.locator(`[data-member="${name}"]`) }).first()
    if ((await more.count()) > 0 && !(await field.isVisible()))
      await more.locator('summary').click()
    const input = field.locator('input, select').first()
    if ((await input.evaluate(({ tagName }) => tagName)) === 'SELECT') {
      await input.selectOption(String(value))
    } else await input.fill(String(value))
  }

  async function enterPaths(list: Locator, paths: Properties[]) {
    for (const [index, path] of paths.entries()) {
      if (!(await list.isVisible())) await page.locator('summary:visible').first().click()
      await list.getByRole('button', { name: 'add a path' }).click()
      const row = list.locator('li').nth(index)
      for (const [name, value] of Object.entries(path)) await enter(row, name, value)
    }
  }

  async function enterRoute(name: string, { source: values, destinations = [] }: Entered) {
    await enter(top(), 'name', name)
    for (const [each, value] of Object.entries(values)) await enter(source(), each, value)
    for (const [index, part] of destinations.entries()) {
      await form().getByRole('button', { name: 'add a destination' }).click()
      for (const [each, value] of Object.entries(part)) {
        await enter(destination(index), each, value)
      }
    }
  }

  const faults = async () =>
    (await form().locator('.media-gateway-route-fault').allTextContents()).filter(Boolean)
  const problems = () => form().locator('.media-gateway-route-problems li').allTextContents()

  /** Deploys in the editor, sends a message, and returns the body of the write that follows. */
  async function run(use: string): Promise<Properties> {
    // The editor would ask before it deploys nodes with faults.
    for (const other of ['create', 'update', 'ensure'].filter((each) => each !== use)) {
      await give(other, { definition: JSON.stringify(SOUND) })
    }
    const from = simulator.journal.length
    const deployed = page.waitForResponse(
      (response) => response.url().endsWith('/flows') && response.request().method() === 'POST',
    )
    await page.click('#red-ui-header-button-deploy')
    await deployed
    const deadline = Date.now() + 10_000
    // The answer to a deploy comes before the flow is there.
    while ((await fetch(`${editor.url}inject/${use}-in`, { method: 'POST' })).status !== 200) {
      should(Date.now()).be.below(deadline)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    for (;;) {
      const call = simulator.journal
        .slice(from)
        .find(({ method, path }) => ['POST', 'PUT'].includes(method) && path.includes('/updates'))
      if (call) {
        should(call.status).equal(200)
        return (call.body as { fields: Properties }).fields
      }
      if (Date.now() > deadline) throw new Error(`nothing was sent\n${editor.output}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  return {
    editor: () => editor,
    page: () => page,
    simulator: () => simulator,
    open,
    openOn,
    give,
    enter,
    enterRoute,
    run,
    form,
    source,
    destination,
    summaries,
    member,
    entry,
    top,
    faultOf,
    faults,
    problems,
    view,
    json,
    definition,
  }
}
