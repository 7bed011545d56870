// The editor of a real Node-RED, with this package linked in, in a real browser.
import {
  type Browser,
  type BrowserContext,
  type Locator,
  type Page,
  chromium,
} from 'playwright-core'
import { findBrowser, inBrowser as describeInBrowser } from './browser'
import { keepOpen } from './hooks'
import { hasDarkTheme, hurried, NodeRed, type Properties } from './node-red'

export const CONFIG = 'media-gateway'

export { hasDarkTheme }
export type { Properties }

interface EditorNode {
  type: string
  valid: boolean
  changed?: boolean
  validationErrors?: string[]
  _def: { category: string }
}

/** The part of `RED` inside the page that the tests use. */
export interface EditorRED {
  nodes: {
    node(id: string): EditorNode | null | undefined
    convertNode(node: EditorNode): Properties
    remove(id: string): void
    getType(type: string): { category: string; defaults: Record<string, { value: unknown }> } | null
    /** Returns the nodes that it has created, by the ID that each had. */
    import(
      nodes: Properties[],
      options?: Properties,
    ): { nodeMap: Record<string, EditorNode | undefined> }
    dirty(state?: boolean): boolean
    clear(): void
    version(revision: string): void
  }
  history: { clear(): void }
  view: { redraw(isAll: boolean): void }
  sidebar: { show(id: string): void }
  settings: { user?: object }
  /** Missing at first. */
  workspaces?: { active(): string | undefined; show(id: string): void }
  editor: {
    edit(node: EditorNode): void
    editConfig(property: string, type: string, id: string): void
    validateNode(node: EditorNode): void
  }
}
declare const RED: EditorRED
declare const jQuery: { fx: { off: boolean } }
declare global {
  interface Window {
    /** From now on the clock of the page runs `times` times as fast, and waits of a second too. */
    hurry(times: number): void
  }
}

export interface View {
  theme?: 'light' | 'dark'
  /** Language of the browser. */
  language?: string
  /** There is no flow yet. Otherwise there has to be a config node `gateway`. */
  blank?: boolean
  /** Loads a separate page, which is not shared. This takes seconds. */
  own?: boolean
  /** Runs before the editor does, in a separate page. */
  script?: string
  /** What a test file has to do to every page that it uses. */
  prepare?: (page: Page) => unknown
}

/** Every language and both themes between them, since to load a page takes seconds. */
export const VIEWS = [
  { language: 'en-US', theme: 'dark' },
  { language: 'de', theme: 'light' },
  { language: 'ja', theme: 'light' },
] as const

/**
 * Describes a suite that needs a browser. The page of a test that has failed is thrown away, so that
 * neither its second try nor the next test meets the dialogs, sizes and nodes that it left behind.
 */
export function inBrowser(subject: string, suite: (this: Mocha.Suite) => void): void {
  describeInBrowser(subject, function () {
    let known = 0
    beforeEach(async function () {
      this.timeout(60_000)
      const editor = await shared
      await editor?.reopen()
      known = editor?.complaints.length ?? 0
    })
    // Comes before those of the suite itself.
    afterEach(async function () {
      if (this.currentTest?.state === 'passed') return
      const editor = await shared
      await editor?.discard()
      editor?.complaints.splice(known)
    })
    suite.call(this)
  })
}

/**
 * Starts a separate Node-RED, on a free port; `settings` are added to its settings.js, `packages` are
 * further ones by name, with their folders.
 */
export async function startEditor(
  settings: Properties = {},
  env: NodeJS.ProcessEnv = {},
  packages: Record<string, string> = {},
): Promise<Editor> {
  const editor = new Editor()
  Object.assign(editor.packages, packages)
  try {
    await editor.start(settings, env)
  } catch (error) {
    await editor.stop()
    throw error
  }
  return editor
}

let shared: Promise<Editor> | undefined

/**
 * The one Node-RED and browser shared by all test files that this process runs, without complaints.
 * Its clock runs three times as fast, so one poll per second becomes three.
 */
export async function sharedEditor(): Promise<Editor> {
  shared ??= keepOpen(
    () => startEditor({}, hurried(3)),
    (editor) => editor.stop(),
  )
  const editor = await shared
  editor.complaints.length = 0
  return editor
}

/** Starts the browser of the tests. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findBrowser(),
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

/** The editor of one language, once it is loaded. */
interface Shown {
  context: BrowserContext
  page: Page
  isOwn: boolean
}

/** A Node-RED, and the browser that shows its editor. */
export class Editor extends NodeRed {
  /** Errors in the page, and requests to other hosts. A test that expects one empties it. */
  readonly complaints: string[] = []
  page!: Page
  private browser: Browser | undefined
  private readonly loaded = new Map<string, Shown>()
  private shown: Shown | undefined
  /** What was shown last, until the file is at its end. */
  private view: View | undefined

  override async start(settings: Properties, env?: NodeJS.ProcessEnv): Promise<void> {
    await super.start(settings, env)
    this.browser = await launchBrowser()
  }

  /** Shows the editor with what is deployed, as if it was just loaded, and returns its page. */
  async open(view: View = {}): Promise<Page> {
    const { theme = 'light', language = 'en-US', blank = false, script = '', prepare } = view
    const { own = blank || script !== '' } = view
    await this.leave()
    this.view = view
    const key = `${language} ${hasDarkTheme ? theme : ''}`
    let shown = own ? undefined : this.loaded.get(key)
    if (shown && !(await this.renew(shown).catch(() => false))) {
      this.loaded.delete(key)
      await shown.context.close()
      shown = undefined
    }
    shown ??= await this.load({ theme, language, blank, own, script })
    if (!shown.isOwn) this.loaded.set(key, shown)
    this.shown = shown
    this.page = shown.page
    await this.paint(theme)
    await prepare?.(this.page)
    return this.page
  }

  /** Loads the page again, as a user does. */
  async reload(): Promise<void> {
    await this.page.reload()
    await ready(this.page, this.view?.blank)
  }

  /** Throws the page away, whatever is in it. */
  async discard(): Promise<void> {
    const { shown } = this
    if (!shown) return
    this.shown = undefined
    for (const [key, each] of this.loaded) if (each === shown) this.loaded.delete(key)
    await shown.context.close()
  }

  /** Shows again, in a new page, what has been thrown away. */
  async reopen(): Promise<void> {
    if (this.view && !this.shown) await this.open(this.view)
  }

  /** Shows the page in a theme. */
  async paint(theme: 'light' | 'dark'): Promise<void> {
    await this.page.evaluate(
      ({ isDark, css }) => {
        const style =
          document.querySelector('#test-theme') ??
          document.head.appendChild(document.createElement('style'))
        style.id = 'test-theme'
        // Node-RED 4 has no dark theme of its own: themes set these properties.
        const isNative = document.querySelector('html.nr-theme-dark') !== null
        style.textContent = isDark && !isNative ? css : ''
      },
      { isDark: theme === 'dark', css: DARK },
    )
  }

  /** Leaves the page and removes the flow, for the next test file. */
  async rest(): Promise<void> {
    await this.leave()
    this.view = undefined
    await this.deploy([])
  }

  /** Idles what is not seen: a separate page is closed, a shared one calls no appliance. */
  private async leave(): Promise<void> {
    const { shown } = this
    this.shown = undefined
    if (shown?.isOwn) await shown.context.close()
    else await shown?.page.evaluate(() => RED.sidebar.show('info'))
  }

  private async load({
    theme,
    language,
    blank,
    own,
    script,
  }: Required<Omit<View, 'prepare'>>): Promise<Shown> {
    const context = await this.browser!.newContext({ viewport: VIEWPORT, locale: language })
    context.on('weberror', (error) => {
      this.complaints.push(`error in the page: ${error.error().message}`)
    })
    context.on('console', (message) => {
      if (message.type() !== 'error') return
      this.complaints.push(`console: ${message.text()} ${message.location().url}`)
    })
    context.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url())
      if (protocol.startsWith('http') && hostname !== '127.0.0.1') {
        this.complaints.push(`asked outside: ${request.url()}`)
      }
    })
    const page = await context.newPage()
    await page.addInitScript(`localStorage.setItem('view-dark-theme', '${theme}')`)
    await page.addInitScript(HASTEN)
    if (script) await page.addInitScript(script)
    await page.goto(this.url)
    await ready(page, blank)
    // Node-RED remembers which one was shown last, in whatever page.
    await page.evaluate(() => RED.sidebar.show('info'))
    return { context, page, isOwn: own }
  }

  /** Makes a page as good as new; returns false if that is not possible. */
  private async renew({ page }: Shown): Promise<boolean> {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    page.removeAllListeners()
    page.setDefaultTimeout(30_000)
    await page.setViewportSize(VIEWPORT)
    await page.mouse.move(0, 0)
    return page.evaluate(async () => {
      if (document.querySelector('.red-ui-tray, .ui-widget-overlay')) return false
      ;(document.activeElement as HTMLElement | null)?.blur()
      window.hurry(1)
      delete RED.settings.user
      const answer = await fetch('flows', { headers: { 'Node-RED-API-Version': 'v2' } })
      const { flows, rev } = (await answer.json()) as { flows: Properties[]; rev: string }
      RED.nodes.clear()
      RED.history.clear()
      RED.nodes.version(rev)
      RED.nodes.import(flows)
      RED.nodes.dirty(false)
      RED.view.redraw(true)
      return true
    })
  }

  /** A new page that shows nothing yet, in a browser session of its own. */
  async openPage(viewport: { width: number; height: number }, script: string): Promise<Page> {
    const page = await (await this.browser!.newContext({ viewport })).newPage()
    await page.addInitScript(script)
    return page
  }

  /** Adds a node to the flow in the editor, in the place of one that a first try has left. */
  async add(node: Properties): Promise<void> {
    await this.page.evaluate((added) => {
      RED.nodes.remove(String(added['id']))
      RED.nodes.import([{ ...added, z: 'x' in added ? 'tab' : undefined, wires: [[]] }], {
        generateIds: false,
      })
    }, node)
    await this.page.waitForFunction((id) => RED.nodes.node(id) != null, String(node['id']))
  }

  /** Opens the tab of the form that has this field, where the form has tabs. */
  async openTabOf(field: string): Promise<void> {
    const panel = await this.page
      .locator(field)
      .first()
      .evaluate((element) => element.closest('[role="tabpanel"]')?.id)
    // Node-RED takes two quick clicks for a double click, also on two tabs.
    if (panel) await this.page.locator(`a[href="#${panel}"]`).press('Enter')
  }

  /** A node as it would be saved. */
  exported(id: string): Promise<Properties> {
    return this.page.evaluate((wanted) => RED.nodes.convertNode(RED.nodes.node(wanted)!), id)
  }

  /** What the editor thinks of a node. */
  state(id: string): Promise<{ valid: boolean; changed: boolean; errors: string[] }> {
    return this.page.evaluate((wanted) => {
      const node = RED.nodes.node(wanted)!
      RED.editor.validateNode(node)
      return {
        valid: node.valid,
        changed: node.changed === true,
        errors: node.validationErrors ?? [],
      }
    }, id)
  }

  /** Opens the dialog of a node, and returns its form. */
  async openForm(id: string): Promise<Locator> {
    await this.page.evaluate((wanted) => {
      const node = RED.nodes.node(wanted)!
      if (node._def.category === 'config') RED.editor.editConfig('', node.type, wanted)
      else RED.editor.edit(node)
    }, id)
    // The focus comes last: by then the selects of config nodes have settled too.
    await this.page.waitForFunction(() => {
      const tray = document.querySelector('.red-ui-tray')
      return tray?.querySelector('.media-gateway-form') && tray.contains(document.activeElement)
    })
    return this.page.locator('.media-gateway-form')
  }

  /** Closes the dialog. */
  async press(button: 'ok' | 'cancel'): Promise<void> {
    // Nothing moves here, so there is no need to wait until the button stands still.
    await this.page.click(`#node-dialog-${button}:visible, #node-config-dialog-${button}:visible`, {
      force: true,
    })
    await this.page.waitForFunction(() => document.querySelector('.red-ui-tray') === null)
  }

  /** Sets a field that has a type selector. */
  async fillTyped(property: string, kind: string, value: string): Promise<void> {
    const container = this.page.locator(`#node-input-${property} + .red-ui-typedInput-container`)
    if ((await this.page.inputValue(`#node-input-${property}Type`)) !== kind) {
      await container.locator('.red-ui-typedInput-type-select').click()
      await this.page.locator(`.red-ui-typedInput-options:visible [value="${kind}"]`).click()
    }
    // A definition shows as a form, with its text behind a button.
    const asText = this.page.locator('.media-gateway-route-switch:visible [data-view="json"]')
    if (property === 'definition' && kind === 'json') await asText.click()
    const input = container.locator('input.red-ui-typedInput-input')
    if (!(await input.isVisible())) {
      // A side of a failover shows as a form only: its text is behind the editor of JSON.
      const isText = kind === 'json' && property !== 'definition'
      if (isText) await this.page.evaluate(enterTyped, [`#node-input-${property}`, value] as const)
      return
    }
    await input.fill(value)
    await input.press('Tab')
  }

  override async stop(): Promise<void> {
    await this.browser?.close()
    await super.stop()
  }
}

const enterTyped = ([field, value]: readonly [string, string]) =>
  ($ as unknown as (of: string) => { typedInput: (what: 'value', value: string) => void })(
    field,
  ).typedInput('value', value)

/** Waits until the editor is loaded, and takes what moves out of it. */
async function ready(page: Page, blank = false): Promise<void> {
  await page.waitForFunction(
    (empty) => (empty ? Boolean(RED.workspaces?.active()) : RED.nodes.node('gateway') != null),
    blank,
  )
  await page.locator('#red-ui-loading-progress').waitFor({ state: 'hidden' })
  await page.evaluate(() => (jQuery.fx.off = true))
  // Deploy notifications would cover the buttons of a dialog.
  await page.addStyleTag({
    content: `* { transition: none !important; animation: none !important }
      #red-ui-notifications { display: none }`,
  })
}

const VIEWPORT = { width: 1400, height: 900 }

// The editor waits for its animations with timers. There are none here, so all its short delays
// are cut to a fiftieth, which keeps them in order.
const HASTEN = `{
  const { now } = Date
  const { setTimeout } = window
  let [times, since, at] = [1, now(), now()]
  window.hurry = (wanted) => {
    ;[times, since, at] = [wanted, now(), Date.now()]
  }
  Date.now = () => at + (now() - since) * times
  window.setTimeout = (task, delay, ...values) =>
    setTimeout(task, delay <= 500 ? delay / 50 : delay === 1000 ? delay / times : delay, ...values)
}`

const DARK = `:root, body {
  color-scheme: dark;
  --red-ui-primary-background: #15151a;
  --red-ui-secondary-background: #1b1b23;
  --red-ui-secondary-background-inactive: #14141b;
  --red-ui-secondary-background-selected: #22222c;
  --red-ui-tertiary-background: #17171d;
  --red-ui-primary-text-color: #f0f0f0;
  --red-ui-secondary-text-color: #aaaaaa;
  --red-ui-text-color-warning: #f1a10d;
  --red-ui-text-color-error: #ff6369;
  --red-ui-primary-border-color: #252527;
  --red-ui-secondary-border-color: #252527;
  --red-ui-form-background: #1b1b23;
  --red-ui-form-text-color: #f0f0f0;
  --red-ui-form-placeholder-color: #8a8a8a;
  --red-ui-form-input-background: #0e0e12;
  --red-ui-form-input-border-color: #2a2a2c;
  --red-ui-form-button-background: #22222c;
  --red-ui-form-tips-background: #120c00;
  --red-ui-palette-content-background: #1b1b23;
  --red-ui-palette-header-background: #0e0e12;
  --red-ui-palette-header-color: #e0e0e0;
  --red-ui-list-item-background-hover: #22222c;
  --red-ui-list-item-background-selected: #2f2f3c;
  --red-ui-view-background: #15151a;
  --red-ui-view-grid-color: #1e1e27;
  --red-ui-workspace-button-background: #15151a;
  --red-ui-workspace-button-background-active: #3a3a48;
  --red-ui-workspace-button-color-selected: #f0f0f0;
  --red-ui-workspace-button-background-hover: #22222c;
  --red-ui-header-text-color: #f0f0f0;
  --red-ui-tab-background: #0e0e12;
  --red-ui-tab-background-active: #15151a;
  --red-ui-tab-background-selected: #1b1b23;
  --red-ui-tab-background-inactive: #0e0e12;
  --red-ui-tab-background-hover: #22222c;
  --red-ui-tab-text-color-active: #f0f0f0;
  --red-ui-tab-text-color-inactive: #aaaaaa;
}`
