// The sidebar in a real browser, on a real Node-RED, with simulated appliances.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import should from 'should'
import { startSimulator, type RouteSpec, type Simulator } from '../simulator'
import { inBrowser, startEditor, type Editor, type Properties, type View } from './editor'

const screenshots = join(__dirname, '../../coverage/screenshots')
const HOSTILE = '<img src=x onerror="title=1"> __gateway__ $t(cancel)'

declare const RED: {
  sidebar: { show(id: string): void }
  events: { emit(event: string): void }
  settings: { user?: object }
}

inBrowser('the sidebar', function () {
  this.timeout(60_000)

  let editor: Editor
  let small: Simulator
  let large: Simulator

  before(async function () {
    mkdirSync(screenshots, { recursive: true })
    small = await startSimulator({ routes: ROUTES, applyDelay: 200, settleDelay: 30 })
    large = await startSimulator({ routes: 2000, maxPageSize: 500 })
    editor = await startEditor()
    await deploy()
  })
  after(async function () {
    await editor?.stop()
    small?.openSessions.should.equal(0)
    await small?.stop()
    await large?.stop()
  })
  afterEach(() => {
    const complaints = editor.complaints.splice(0)
    should(complaints).eql([])
  })

  const gateway = (id: string, name: string, { url }: Simulator, more: Properties = {}) => ({
    id,
    type: 'media-gateway',
    name,
    baseUrl: url,
    pollInterval: 1,
    timeout: 5000,
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

  /** Opens the editor, with the sidebar of the appliances that are named. */
  async function open(gateways: string[], view: View = {}): Promise<Page> {
    const kept = { open: { gateway: false, large: false, reader: false } }
    for (const id of gateways) Object.assign(kept.open, { [id]: true })
    const keep = `localStorage.getItem('media-gateway-sidebar') ??
      localStorage.setItem('media-gateway-sidebar', ${JSON.stringify(JSON.stringify(kept))})`
    const page = await editor.open({ ...view, script: `${keep}; ${HURRY}` })
    await showTab(page, 'media-gateway-sidebar')
    return page
  }

  const showTab = (page: Page, id: string) => page.evaluate((tab) => RED.sidebar.show(tab), id)

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
  const question = (): Locator => editor.page.getByRole('alertdialog')

  async function says(where: Locator, words: string | RegExp): Promise<void> {
    await where.filter({ hasText: words }).first().waitFor({ timeout: 15_000 })
  }

  const commands = ({ journal }: Simulator): unknown[] =>
    journal
      .filter(({ method, path }) => method !== 'GET' && !path.includes('/session'))
      .map(({ body }) => body)

  it('shows each appliance with its state, its device, and how old that is', async () => {
    await open(['gateway', 'large'])
    await says(head('Studio'), 'reachable')
    await says(head('Network'), 'reachable')
    await says(head('Only to look'), 'not asked')
    const device = small.devices[0]!
    const facts = block('Studio').locator('.media-gateway-sidebar-facts')
    await says(facts, `${device.name} · firmware ${device.firmware} · 2 of 4 routes run`)
    await says(facts, /\d s ago/)
    const age = facts.locator('.media-gateway-sidebar-age')
    await small.stop()
    await says(head('Studio'), 'out of date')
    const before = parseInt((await age.textContent())!)
    await says(age, `${before + 2} s ago`)
    should(await names().count()).equal(4)
    await says(block('Studio').locator('.media-gateway-sidebar-fault'), /refused|reach|connect/i)
    await small.start()
    await says(head('Studio'), 'reachable')
  })

  it('shows routes with their state, source and destinations, and their names as text', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    await says(row('Alpha'), 'in connected · out 2/3')
    await says(row('Beta'), 'stopped · out 0/1')
    await says(row('Gamma'), 'stopped · out 0/0')
    await says(row(HOSTILE), 'running')
    should(await names().allTextContents()).eql([HOSTILE, 'Alpha', 'Beta', 'Gamma'])
    should(await page.locator('.media-gateway-sidebar img').count()).equal(0)
    should(await row('Alpha').locator('[data-tone]').getAttribute('data-tone')).equal('ok')
    should(await row('Beta').locator('[data-tone]').getAttribute('data-tone')).equal('off')

    small.route('Alpha')!.summaryStatusCode = 'warn'
    await says(row('Alpha'), 'running, warning')
    should(await row('Alpha').locator('[data-tone]').getAttribute('data-tone')).equal('warn')
    small.route('Alpha')!.summaryStatusCode = 'ok'
    await says(row('Alpha'), 'running · in')
  })

  it('finds routes by name, ID and state', async () => {
    await open(['gateway'])
    await says(row('Alpha'), 'running')
    const search = block('Studio').getByLabel('search name or ID')
    const filter = block('Studio').getByLabel('Which routes')
    await search.fill('ALP')
    should(await names().allTextContents()).eql(['Alpha'])
    await says(block('Studio'), '1 of 4 routes shown')
    await search.fill(small.route('Beta')!.id.slice(0, 13))
    should(await names().allTextContents()).eql(['Beta'])
    await search.fill('nothing like it')
    await says(block('Studio'), 'No route matches.')
    await search.press('Escape')
    should(await names().count()).equal(4)
    await filter.selectOption('running')
    should(await names().allTextContents()).eql([HOSTILE, 'Alpha'])
    await filter.selectOption('not running')
    should(await names().allTextContents()).eql(['Beta', 'Gamma'])
    small.route('Gamma')!.summaryStatusCode = 'error'
    await filter.selectOption('with a problem')
    await says(row('Gamma'), 'stopped, error')
    should(await names().allTextContents()).eql(['Gamma'])
    small.route('Gamma')!.summaryStatusCode = 'unknown'
    await says(block('Studio'), 'No route matches.')
  })

  it('stops and starts a route, after a question', async () => {
    const page = await open(['gateway'])
    const { id } = small.route('Alpha')!
    await says(row('Alpha'), 'running')
    small.clearJournal()

    await row('Alpha').getByRole('button', { name: 'stop Alpha' }).click()
    await says(question(), 'Stop route “Alpha” on Studio?')
    await says(question(), 'Its 2 destinations go off the air.')
    should(await focused(page)).equal('Cancel')
    await page.keyboard.press('Enter')
    await question().waitFor({ state: 'detached' })
    should(await focused(page)).equal('stop Alpha')
    await page.keyboard.press('Enter')
    await question().waitFor()
    await page.keyboard.press('Escape')
    await question().waitFor({ state: 'detached' })
    should(commands(small)).eql([])

    await row('Alpha').getByRole('button').click()
    await question().getByRole('button', { name: 'Stop route' }).click()
    await says(row('Alpha'), 'stopping …')
    await says(row('Alpha'), 'stopped')
    should(small.route('Alpha')!.state).equal('idle')
    should(commands(small)).have.length(1)
    should(commands(small)[0]).containDeep({ command: 'stop-route', parameters: { routeID: id } })
    await says(page.locator('.media-gateway-sidebar-spoken'), 'Alpha: stopped')

    await row('Alpha').getByRole('button', { name: 'start Alpha' }).click()
    await says(question(), 'Its 2 destinations go on the air.')
    await question().getByRole('button', { name: 'Start route' }).click()
    await says(row('Alpha'), 'running')
    should(commands(small)).have.length(2)
  })

  it('shows what a command has brought about without waiting for the next poll', async () => {
    await deploy([gateway('calm', 'Calm', small, { pollInterval: 3600 })])
    await open(['calm'])
    await says(row('Alpha', 'Calm'), 'running')
    await row('Alpha', 'Calm').getByRole('button').click()
    await question().getByRole('button', { name: 'Stop route' }).click()
    await says(row('Alpha', 'Calm'), 'stopped')
    await row('Alpha', 'Calm').getByRole('button').click()
    await question().getByRole('button', { name: 'Start route' }).click()
    await says(row('Alpha', 'Calm'), 'running')
    await deploy()
  })

  it('shows a chosen route in detail, and starts and stops its destinations', async () => {
    const page = await open(['gateway'])
    await row('Alpha').click()
    const details = page.getByRole('region', { name: 'Chosen route' })
    const route = small.route('Alpha')!
    await says(details, route.id)
    await says(details, 'Alpha in (UDP)')
    should(await details.getByRole('listitem').count()).equal(4)
    await says(details.getByRole('listitem').filter({ hasText: 'Alpha reserve' }), 'switched off')
    small.clearJournal()

    await details.getByRole('button', { name: 'stop Alpha web' }).click()
    await says(question(), 'Stop destination “Alpha web” of route “Alpha” on Studio?')
    await question().getByRole('button', { name: 'Stop destination' }).click()
    await says(details.getByRole('listitem').filter({ hasText: 'Alpha web' }), 'switched off')
    should(small.route('Alpha')!.destinations.map(({ started }) => started)).eql([
      true,
      false,
      false,
    ])
    await details.getByRole('button', { name: 'start Alpha web' }).click()
    await question().getByRole('button', { name: 'Start destination' }).click()
    await details.getByRole('button', { name: 'stop Alpha web' }).waitFor()
    await says(row('Alpha'), 'out 2/3')
    should(commands(small)).have.length(2)

    await details.getByRole('button', { name: 'copy ID' }).click()
    const search = block('Studio').getByLabel('search name or ID')
    await search.focus()
    await page.keyboard.press('ControlOrMeta+V')
    should(await search.inputValue()).equal(route.id)
    await details.getByRole('button', { name: 'close' }).click()
    should(await details.isVisible()).be.false()
  })

  it('shows why a command was refused, and takes a question back that has answered itself', async () => {
    await open(['gateway'])
    await says(row('Alpha'), 'running')
    const mend = small.fault({ kind: 'status', status: 403, match: { action: 'stop-route' } })
    await row('Alpha').getByRole('button').click()
    await question().getByRole('button', { name: 'Stop route' }).click()
    await says(block('Studio').getByRole('alert'), /^Alpha: \S/)
    await says(row('Alpha'), 'running')
    // The browser tells of every answer that is a refusal.
    should(editor.complaints.splice(0).join()).match(/^console: Failed to load resource/)
    mend()

    await row('Beta').getByRole('button').click()
    await says(question(), 'Its one destination goes on the air.')
    small.startRoute('Beta')
    await question().waitFor({ state: 'detached' })
    await says(row('Beta'), 'running')
    small.stopRoute('Beta')
    await says(row('Beta'), 'stopped')

    for (const destination of small.route('Beta')!.destinations) destination.started = false
    await until(async () => {
      await row('Beta').getByRole('button').click()
      const said = await question().innerText()
      await question().getByRole('button', { name: 'Cancel' }).click()
      return said.includes('Some may go on the air all the same.')
    })
    for (const destination of small.route('Beta')!.destinations) destination.started = true
  })

  it('asks about two appliances at once, each in words of its own', async () => {
    const page = await open(['gateway', 'large'])
    await says(row('Alpha'), 'running')
    await row('Alpha').getByRole('button').click()
    await block('Network').getByRole('row').first().getByRole('button').click()
    await question().nth(1).waitFor()
    const ids = await page
      .locator('.media-gateway-sidebar-question [id]')
      .evaluateAll((marked) => marked.map(({ id }) => id))
    should(new Set(ids).size).equal(4)
    should(await page.getByRole('alertdialog', { name: /Alpha/ }).count()).equal(1)
    await page.keyboard.press('Escape')
    await question().nth(1).waitFor({ state: 'detached' })
    await question().getByRole('button', { name: 'Cancel' }).click()
    await question().waitFor({ state: 'detached' })
  })

  it('keeps 2,000 routes smooth: few rows in the page, all within reach of the keyboard', async () => {
    const page = await open(['large'])
    await says(block('Network').locator('.media-gateway-sidebar-facts'), /of 2000 routes run/)
    const list = block('Network').getByRole('grid')
    should(await list.getAttribute('aria-rowcount')).equal('2000')
    const count = () => block('Network').getByRole('row').count()
    should(await count())
      .be.above(5)
      .and.below(60)

    const most = await list.evaluate(async (view) => {
      const rows: number[] = []
      const steps = 60
      for (let step = 0; step < steps; step++) {
        view.scrollTop = (view.scrollHeight * step) / steps
        await new Promise((resolve) => requestAnimationFrame(resolve))
        rows.push(view.querySelectorAll('[role="row"]').length)
      }
      return Math.max(...rows)
    })
    should(most).be.below(60)
    should(await count())
      .be.above(5)
      .and.below(60)
    // Rows that nobody can see any more are gone, and the one with the focus stays.
    await list.evaluate((view) => (view.scrollTop = 0))
    await block('Network').getByRole('row').nth(1).focus()
    await page.keyboard.press('End')
    const last = block('Network').locator('[aria-rowindex="2000"]')
    should(await last.evaluate((one) => one === document.activeElement)).be.true()
    should(await last.isVisible()).be.true()
    await list.evaluate((view) => (view.scrollTop = 0))
    await block('Network').locator('[aria-rowindex="1"]').waitFor()
    should(await last.evaluate((one) => one === document.activeElement)).be.true()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('PageDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowRight')
    should(await focused(page)).match(/^(start|stop) /)
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Chosen route' }).waitFor()

    const search = block('Network').getByLabel('search name or ID')
    await search.fill('Studio A 77')
    should(await names('Network').allTextContents()).eql(['Studio A 77'])
    should(await count()).equal(1)
  })

  it('asks only while the tab can be seen, and then again only for what is new', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    const asked: Array<{ path: string; body: Properties }> = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (!pathname.startsWith('/media-gateway/')) return
      asked.push({ path: pathname, body: (request.postDataJSON() ?? {}) as Properties })
    })
    await until(() => asked.length >= 2)
    should(asked.map(({ path }) => path)).eql(asked.map(() => '/media-gateway/state'))
    should(asked[1]!.body['version']).be.a.Number()
    should(asked[1]!.body['version']).equal(asked[0]!.body['version'])

    await showTab(page, 'info')
    await pause(300)
    asked.length = 0
    await pause(1500)
    should(asked).eql([])
    await showTab(page, 'media-gateway-sidebar')
    await until(() => asked.some(({ path }) => path === '/media-gateway/state'))

    await head('Studio').click()
    await pause(300)
    asked.length = 0
    await pause(1500)
    should(asked).eql([])
    await head('Studio').click()
    await until(() => asked.length > 0)

    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    await pause(300)
    asked.length = 0
    await pause(1500)
    should(asked).eql([])
  })

  it('offers no commands where the config node is read only, or the user may only read', async () => {
    const page = await open(['reader'])
    await says(row('Alpha', 'Only to look'), 'running')
    await says(block('Only to look'), 'read only')
    const buttons = block('Only to look').getByRole('row').getByRole('button')
    should(await buttons.count()).equal(0)
    await row('Alpha', 'Only to look').click()
    const details = page.getByRole('region', { name: 'Chosen route' })
    should(await details.getByRole('button').allTextContents()).eql(['close', 'copy ID'])

    await page.evaluate(() => (RED.settings.user = { username: 'x', permissions: 'read' }))
    await head('Studio').click()
    await says(row('Alpha'), 'running')
    should(await block('Studio').getByRole('row').getByRole('button').count()).equal(0)
  })

  it('says when an appliance is unreachable, Node-RED is away, or nothing is there', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    const message = 'Nobody answers <b>here</b>.'
    const failure = { code: 'UNAVAILABLE', message }
    await page.route('**/media-gateway/state', async (route) => {
      const reply = await route.fetch()
      const state = (await reply.json()) as { health: object }
      state.health = { ...state.health, failure, unreachable: true }
      await route.fulfill({ json: state })
    })
    await says(head('Studio'), 'unreachable')
    await says(block('Studio').locator('.media-gateway-sidebar-fault'), message)
    should(await head('Studio').locator('[data-tone]').getAttribute('data-tone')).equal('error')
    await says(page.locator('.media-gateway-sidebar-spoken'), 'Studio: unreachable')

    await page.unroute('**/media-gateway/state')
    await page.route('**/media-gateway/state', (route) => route.abort())
    await says(head('Studio'), 'out of date')
    await says(block('Studio'), 'Node-RED does not answer.')
    editor.complaints.length = 0
    await page.unroute('**/media-gateway/state')
    await says(head('Studio'), 'reachable')

    await page.route('**/media-gateway/gateways*', (route) => route.fulfill({ json: [] }))
    await page.evaluate(() => RED.events.emit('deploy'))
    await says(page.locator('.media-gateway-sidebar'), 'No media gateway is deployed.')
    should(await page.locator('.media-gateway-sidebar-block').count()).equal(0)
    editor.complaints.length = 0
  })

  it('follows a deploy, and tells what is wrong with a config node', async () => {
    await open(['gateway'])
    await says(row('Alpha'), 'running')
    await deploy([gateway('broken', 'No address', small, { baseUrl: '' })])
    await says(head('No address'), 'fault')
    await says(block('No address'), /address/)
    await says(head('Studio'), 'reachable')
    await deploy()
    await block('No address').waitFor({ state: 'detached' })
    await says(row('Alpha'), 'running')
  })

  it('lets one choose among several devices', async () => {
    const many = await startSimulator({ devices: 2, routes: 3 })
    try {
      await deploy([gateway('many', 'Hub', many)])
      const page = await open(['many'])
      const choice = block('Hub').getByLabel('Device')
      await choice.waitFor()
      const [first, second] = many.devices
      await says(block('Hub').locator('.media-gateway-sidebar-facts'), first!.name)
      await choice.selectOption(second!.name)
      await says(block('Hub').locator('.media-gateway-sidebar-facts'), second!.name)
      await page.reload()
      await page.waitForFunction(() => document.querySelector('.media-gateway-sidebar') !== null)
      await showTab(page, 'media-gateway-sidebar')
      await says(block('Hub').locator('.media-gateway-sidebar-facts'), second!.name)
    } finally {
      await deploy()
      await many.stop()
    }
  })

  for (const [language, words] of Object.entries({
    de: ['erreichbar', 'läuft · Quelle verbunden', 'Stoppen', 'Route „Alpha“ auf Studio stoppen?'],
    ja: ['応答あり', '動作中 · ソース: 接続済み', '停止', 'Studioのルート「Alpha」を停止しますか?'],
  })) {
    it(`speaks the language of the user: ${language}`, async () => {
      const page = await open(['gateway'], { language })
      await says(head('Studio'), words[0]!)
      await says(row('Alpha'), words[1]!)
      await row('Alpha').getByRole('button', { name: words[2]! }).click()
      await says(question(), words[3]!)
      const shown = await page.locator('.media-gateway-sidebar').innerText()
      should(shown.replaceAll(HOSTILE, '')).not.match(/media-gateway|[a-z]\.[a-z]|__/)
      await row('Alpha').click()
      await capture(page, `sidebar-${language}`)
    })
  }

  for (const theme of ['light', 'dark'] as const) {
    it(`can be read: ${theme}`, async () => {
      const page = await open(['gateway', 'large'], { theme })
      await says(head('Network'), 'reachable')
      small.route('Alpha')!.summaryStatusCode = 'warn'
      small.route('Gamma')!.summaryStatusCode = 'error'
      await says(row('Gamma'), 'error')
      await row('Alpha').click()
      await row('Alpha').getByRole('button').click()
      await capture(page, `sidebar-${theme}`)
      small.route('Alpha')!.summaryStatusCode = 'ok'
      small.route('Gamma')!.summaryStatusCode = 'unknown'
      const faint = await page.locator('.media-gateway-sidebar').evaluate(faintTexts)
      should(faint).eql([])
    })
  }

  it('says the same in every language', () => {
    const english = texts('en-US')
    for (const language of ['de', 'ja']) should(texts(language)).eql(english, language)
  })

  const capture = (page: Page, name: string) =>
    page.screenshot({ path: join(screenshots, `${name}.png`) })
})

const udp = (name: string, more: object = {}) => ({
  name,
  protocol: 'udp',
  address: '239.1.1.1',
  port: 5000,
  networkInterface: 'eth0',
  ...more,
})

const ROUTES: RouteSpec[] = [
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

/** The keys of a catalog, with the placeholders of their texts. */
function texts(language: string): string[] {
  const folder = join(__dirname, '../../nodes/sidebar/locales', language)
  const catalog: unknown = JSON.parse(readFileSync(join(folder, 'sidebar.json'), 'utf8'))
  const keys = (value: unknown, path: string): string[] =>
    typeof value === 'string'
      ? [`${path} ${value && (value.match(/__\w+?__/g) ?? []).sort().join(' ')}`]
      : Object.entries(value as object).flatMap(([key, each]) => keys(each, `${path}.${key}`))
  return keys(catalog, '').sort()
}

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: one } = document
    return one?.getAttribute('aria-label') ?? one?.textContent ?? ''
  })

/** Texts with less contrast than 4.5 to 1, inside an element. */
function faintTexts(root: Element): string[] {
  const light = (colour: string): number => {
    const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number).map((part) => {
      const one = part / 255
      return one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const ground = (element: Element | null): string => {
    const own = element ? getComputedStyle(element).backgroundColor : 'rgb(255, 255, 255)'
    return element && /^rgba.*, 0\)$/.test(own) ? ground(element.parentElement) : own
  }
  return [...root.querySelectorAll<HTMLElement>('*')]
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

// The sidebar waits by the clock. Here it runs five times as fast, so that the tests do not wait.
const HURRY = `{
  const { now } = Date
  const begun = now()
  Date.now = () => begun + (now() - begun) * 5
  const { setTimeout } = window
  window.setTimeout = (task, delay, ...values) =>
    setTimeout(task, delay === 1000 ? 200 : delay, ...values)
}`

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('it did not come')
    await pause(25)
  }
}
