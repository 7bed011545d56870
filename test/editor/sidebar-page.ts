// The sidebar in a real browser, on a real Node-RED, with simulated appliances.
import type { Locator, Page } from 'playwright-core'
import type { ApplianceState } from '../../nodes/wire'
import { startSimulator, type RouteSpec, type Simulator } from '../../simulator'
import { inBrowser, sharedEditor, type Editor, type Properties, type View } from '../support/editor'
import { until } from '../support/until'

export const HOSTILE = '<img src=x onerror="title=1"> __gateway__ $t(cancel)'

const SIDEBAR = 'media-gateway-sidebar'

declare const RED: {
  sidebar: { show(id: string): void; removeTab(id: string): void }
  plugins: { getPlugin(id: string): { onadd(): void } }
  actions: { remove(name: string): void }
}

/** Describes a suite with three gateways on two appliances: Studio, Network and Only to look. */
export function withSidebar(
  subject: string,
  suite: (sidebar: ReturnType<typeof sidebarPage>) => void,
): void {
  inBrowser(subject, function () {
    this.timeout(120_000)
    suite(sidebarPage())
  })
}

function sidebarPage() {
  let editor: Editor
  let small: Simulator
  let large: Simulator

  before(async function () {
    small = await startSimulator(SMALL)
    large = await startSimulator({ routes: 100 })
    editor = await sharedEditor()
    await deploy()
  })
  after(async function () {
    await editor?.rest()
    await until(() => small.openSessions === 0, 'the end of all sessions')
    await small?.stop()
    await large?.stop()
  })
  afterEach(async function () {
    if (this.currentTest?.state !== 'passed') await startAfresh()
    else should(editor.complaints.splice(0)).eql([])
  })

  const gateway = (id: string, name: string, { url }: Simulator, more: Properties = {}) => ({
    id,
    type: 'media-gateway',
    name,
    baseUrl: url,
    pollInterval: 1,
    timeout: 30_000,
    credentials: { username: 'haiadmin', password: 'manager' },
    ...more,
  })

  async function deploy(more: Properties[] = []): Promise<void> {
    await editor.deploy([
      { id: 'tab', type: 'tab', label: 'Media gateway' },
      gateway('gateway', 'Studio', small),
      gateway('large', 'Network', large),
      gateway('reader', 'Only to look', small, { readOnly: true }),
      ...more,
    ])
  }

  /** A test that failed half way leaves nothing to the next one. */
  async function startAfresh(): Promise<void> {
    const { port } = new URL(small.url)
    await small.stop()
    small = await startSimulator({ ...SMALL, port: Number(port) })
    await deploy()
    // The browser reports every request that this has cut off.
    editor.complaints.length = 0
  }

  /** Opens the editor, with the sidebar of the appliances that are named. */
  async function open(gateways: string[], view: View = {}): Promise<Page> {
    const kept = { open: { gateway: false, large: false, reader: false } }
    for (const id of gateways) Object.assign(kept.open, { [id]: true })
    const page = await editor.open(view)
    await page.evaluate(mount, JSON.stringify(kept))
    return page
  }

  async function showTab(page: Page, id: string): Promise<void> {
    await page.evaluate((tab) => RED.sidebar.show(tab), id)
    await page.evaluate(whenInSight, id === SIDEBAR)
  }

  const block = (name: string): Locator =>
    editor.page
      .locator('.media-gateway-sidebar-block')
      .filter({ has: editor.page.getByRole('button', { name: new RegExp(`^${name} `) }) })
  const head = (name: string): Locator => block(name).locator('.media-gateway-sidebar-head')
  const row = (name: string, of = 'Studio'): Locator =>
    block(of)
      .getByRole('row')
      .filter({ has: editor.page.getByText(name, { exact: true }) })
  const names = (of = 'Studio') => block(of).getByRole('row').locator('.media-gateway-sidebar-name')
  const facts = (name: string): Locator => block(name).locator('.media-gateway-sidebar-told')
  const age = (name: string): Locator => block(name).locator('.media-gateway-sidebar-age')
  const message = (): Locator => editor.page.locator('.media-gateway-sidebar-fault:visible')
  const details = (): Locator => editor.page.getByRole('region', { name: /^Details of / })
  const question = (): Locator => editor.page.getByRole('alertdialog')

  async function says(where: Locator, words: string | RegExp): Promise<void> {
    await where.filter({ hasText: words }).first().waitFor({ timeout: 30_000 })
  }

  /** Waits until the list shows these routes, in this order. */
  async function lists(wanted: string[], of = 'Studio'): Promise<void> {
    let shown: string[] = []
    const is = async () => {
      shown = await names(of).allTextContents()
      return JSON.stringify(shown) === JSON.stringify(wanted)
    }
    await until(is, () => `${wanted.join(', ')} instead of ${shown.join(', ')}`)
  }

  /** Where the rows and their buttons are. */
  const places = async (of: string): Promise<string[]> => {
    await block(of).evaluate(recordPlaces)
    return editor.page.evaluate(() => [...recordedPlaces].sort())
  }

  const commands = ({ journal }: Simulator): unknown[] =>
    journal
      .filter(({ method, path }) => method !== 'GET' && !path.includes('/session'))
      .map(({ body }) => body)

  return {
    editor: () => editor,
    small: () => small,
    gateway,
    deploy,
    open,
    showTab,
    block,
    head,
    row,
    names,
    lists,
    facts,
    age,
    message,
    details,
    question,
    says,
    places,
    commands,
  }
}

const udp = (name: string, more: object = {}) => ({
  name,
  protocol: 'udp',
  address: '239.1.1.1',
  port: 5000,
  networkInterface: 'eth0',
  ...more,
})

export const ROUTES: RouteSpec[] = [
  {
    name: 'Alpha',
    startRoute: true,
    source: udp('Alpha in'),
    destinations: [
      udp('Alpha main', { port: 5001 }),
      udp('Alpha web', { port: 5002 }),
      udp('Alpha reserve', { port: 5003, action: 'stop' }),
    ],
  },
  { name: 'Beta', source: udp('Beta in', { port: 5010 }), destinations: [udp('Beta out')] },
  { name: 'Gamma', source: udp('Gamma in', { port: 5020 }), destinations: [] },
  { name: HOSTILE, startRoute: true, source: udp('Delta in', { port: 5030 }), destinations: [] },
]

const SMALL = {
  routes: ROUTES,
  applyDelay: 200,
  settleDelay: 30,
  dialect: { startedWhileIdle: true },
}

export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: one } = document
    return one?.getAttribute('aria-label') ?? one?.textContent ?? ''
  })

/** Texts with less contrast than 4.5 to 1, inside an element. */
export function faintTexts(top: Element): string[] {
  const light = (colour: string): number => {
    const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number).map((part) => {
      const one = colour.startsWith('color(') ? part : part / 255
      return one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const ground = (element: Element | null): string => {
    const own = element ? getComputedStyle(element).backgroundColor : 'rgb(255, 255, 255)'
    return element && /^rgba.*, 0\)$/.test(own) ? ground(element.parentElement) : own
  }
  return [...top.querySelectorAll<HTMLElement>('*')]
    .filter((one) => one.offsetParent !== null)
    .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent))
    .filter((one) => one.tagName !== 'OPTION')
    .filter((one) => {
      const [dark, bright] = [light(getComputedStyle(one).color), light(ground(one))].sort(
        (a, b) => a - b,
      )
      return (bright! + 0.05) / (dark! + 0.05) < 4.5
    })
    .map((one) => `${one.textContent}: ${getComputedStyle(one).color} on ${ground(one)}`)
}

/** Waits until the sidebar, too, has learnt that it is in sight or out of it. */
async function whenInSight(isInSight: boolean): Promise<void> {
  const sidebar = document.querySelector('.media-gateway-sidebar')!
  await new Promise<void>((resolve) => {
    // The browser tells the observers of an element in the order in which they were made.
    const observer = new IntersectionObserver((entries) => {
      if (entries.at(-1)?.isIntersecting !== isInSight) return
      observer.disconnect()
      resolve()
    })
    observer.observe(sidebar)
  })
}

/** Mounts the sidebar again with what was kept, on a clock that runs five times as fast. */
export function mount(kept: string): void {
  localStorage.setItem('media-gateway-sidebar', kept)
  window.hurry(5)
  RED.sidebar.removeTab('media-gateway-sidebar')
  RED.actions.remove('media-gateway:show-sidebar')
  RED.plugins.getPlugin('media-gateway-sidebar').onadd()
  RED.sidebar.show('media-gateway-sidebar')
}

declare const recordedPlaces: Set<string>

/** Records where rows and buttons are whenever anything changes, whatever has been scrolled. */
export function recordPlaces(block: Element): void {
  const recorded = new Set<string>()
  Object.assign(window, { recordedPlaces: recorded })
  const look = () => {
    const list = block.querySelector('.media-gateway-sidebar-list')
    // The last changes are those that take the block away.
    if (!list?.isConnected) return
    const scrolled = list.scrollTop + list.closest('.media-gateway-sidebar-scroller')!.scrollTop
    for (const one of block.querySelectorAll('[role="row"], [role="row"] button')) {
      const { x, y, width, height } = one.getBoundingClientRect()
      const place = [x, y + scrolled, width, height].map(Math.round).join(' ')
      const route = one.closest<HTMLElement>('[data-route]')?.dataset['route']
      recorded.add(`${route} ${one.tagName} ${place}`)
    }
  }
  look()
  new MutationObserver(look).observe(document.querySelector('.media-gateway-sidebar')!, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
  })
}

/** Changes what Node-RED says of appliances. */
export async function pretend(
  page: Page,
  change: (state: ApplianceState) => unknown,
): Promise<void> {
  await page.unroute('**/media-gateway/state')
  await page.route('**/media-gateway/state', async (route) => {
    const reply = await route.fetch()
    const state = (await reply.json()) as ApplianceState
    if ('health' in state) change(state)
    await route.fulfill({ json: state })
  })
}
