// The recipe "Control panel" as an operator has it: its page in a browser, on a real Node-RED with
// the Dashboard, against a simulator.
//   DASHBOARD   the folder of the Dashboard; npm run test:editor installs it
import type { Browser, Page } from 'playwright-core'
import { startSimulator, type RouteSpec, type Simulator } from '../../simulator'
import { DASHBOARD, nodeNamed, PANEL, read, withTab, type FlowNode } from '../recipes/support'
import { inBrowser, launchBrowser } from '../support/editor'
import { hurried, NodeRed } from '../support/node-red'
import { pause, until } from '../support/until'

/** How fast the clock of Node-RED runs, and with it every time of the flow. */
const HURRY = 5
/** How often a page says that it is there. */
const EVERY_MS = 5000 / HURRY
/** A question is open for 20 s. */
const EXPIRED_MS = 20_000 / HURRY + 200

const HOSTILE = '<img src=x onerror="document.title=1"> R&D &lt;'
const GREEN = 'rgb(47, 158, 88)'
const RED = 'rgb(229, 72, 77)'

const udp = (name: string, port: number): RouteSpec['source'] => ({
  name,
  protocol: 'udp',
  address: '239.1.1.1',
  port,
  networkInterface: 'eth0',
})
const route = (name: string, port: number, startRoute = true): RouteSpec => ({
  name,
  startRoute,
  source: udp(`${name} in`, port),
  destinations: [udp(`${name} out`, port + 1)],
})
const ROUTES = [
  route('Alpha', 5000),
  route('Beta', 5010),
  route('Gamma', 5020, false),
  route(HOSTILE, 5030),
]

const panel = (suite: () => void): void => {
  const title = 'the recipe "Control panel"'
  if (process.env['DASHBOARD']) return inBrowser(title, suite)
  describe.skip(`${title}: the Dashboard is not installed, npm run test:editor does that`, suite)
}

panel(function () {
  before(function () {
    this.timeout(120_000)
  })

  const nodeRed = new NodeRed()
  const flow = read(PANEL)
  const idOf = (name: string): string => nodeNamed(flow, name).id
  let browser: Browser
  let simulator: Simulator
  const pages: Page[] = []
  const complaints: string[] = []

  before(async () => {
    nodeRed.packages[DASHBOARD] = process.env['DASHBOARD']!
    await nodeRed.start({}, hurried(HURRY))
    browser = await launchBrowser()
  })
  after(async () => {
    await browser?.close()
    await nodeRed.stop()
  })
  beforeEach(async function () {
    this.timeout(60_000)
    simulator = await startSimulator({ routes: ROUTES, settleDelay: 50, applyDelay: 50 })
    await deploy({ ARMED: true })
  })
  afterEach(async function () {
    this.timeout(60_000)
    for (const page of pages.splice(0)) await page.context().close()
    await simulator.stop()
    const complained = complaints.splice(0)
    // A hook that fails would take the second try away.
    if (this.currentTest?.state === 'passed') should(complained).eql([])
  })

  async function deploy(
    properties: Record<string, unknown>,
    more: FlowNode[] = [],
    { password = 'supervisor', fails = false } = {},
  ): Promise<void> {
    const connected = withTab(structuredClone([...flow, ...more]), properties).map(
      (node): FlowNode => {
        if (node.type !== 'media-gateway') return node
        const credentials = { username: 'operator', password }
        return { ...node, baseUrl: simulator.url, timeout: 60_000, credentials }
      },
    )
    const from = nodeRed.output.length
    await nodeRed.deploy(connected)
    if (!fails) nodeRed.output.slice(from).should.not.match(/missing|unknown|\[(error|warn)\]/i)
  }

  /** Opens the panel in a browser of its own. */
  async function open(): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } })
    context.on('weberror', (error) => void complaints.push(error.error().message))
    context.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url())
      if (protocol.startsWith('http') && hostname !== '127.0.0.1') complaints.push(request.url())
    })
    const page = await context.newPage()
    pages.push(page)
    await page.addInitScript(`{
      const { setInterval } = window
      window.setInterval = (task, delay, ...values) =>
        setInterval(task, delay === 5000 ? ${EVERY_MS} : delay, ...values)
    }`)
    await page.goto(`${nodeRed.url}dashboard/routes`)
    await row(page, 'Alpha').waitFor()
    return page
  }

  const row = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) })
  const click = (page: Page, name: string) => row(page, name).getByRole('button').click()
  const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
  /** The button that does it. */
  const question = (page: Page) =>
    page.locator('.nrdb-ui-notification').getByRole('button', { name: /^(Stop|Start)$/ })
  const lamp = (page: Page, name: string): Promise<string> =>
    row(page, name)
      .locator('.nrdb-ui-table-cell-color-spot')
      .evaluate((spot) => getComputedStyle(spot).backgroundColor)
  const commands = (): unknown[] =>
    simulator.journal
      .filter(({ method, path }) => method !== 'GET' && path !== '/api/session')
      .map(({ body }) => (body as { command?: unknown }).command)
  const reads = (): number =>
    simulator.journal.filter(({ path, status }) => /\/routes(\?|$)/.test(path) && status === 200)
      .length
  /** What the Dashboard has for a widget, and gives to the next page. */
  const stored = async (name: string): Promise<unknown> => {
    const answer = await fetch(`${nodeRed.url}dashboard/_debug/datastore/${idOf(name)}`)
    return answer.json()
  }

  /** The points of one line in the chart. */
  const rates = async (name: string): Promise<Array<number | null>> =>
    ((await stored('bit rates')) as Array<{ payload: { route: string; rate: number | null } }>)
      .filter(({ payload }) => payload.route === name)
      .map(({ payload }) => payload.rate)

  it('shows the routes with lamps and bit rates, always by name, and names as text', async () => {
    const page = await open()
    await until(async () => (await lamp(page, 'Alpha')) === GREEN, 'the lamp of Alpha')
    await says(row(page, 'Gamma').page(), 'stopped')
    should(await row(page, 'Alpha').innerText()).match(/Alpha\s+OK\s+\d+\.\d\s+\d+\.\d\s+Stop/i)
    should(await row(page, 'Gamma').innerText()).match(/Gamma\s+stopped\s+Start/i)
    should(await lamp(page, HOSTILE)).equal(GREEN)
    simulator.fail('Beta', { source: 'disconnected' })
    await until(async () => (await lamp(page, 'Beta')) === RED, 'the lamp of Beta')
    should(await row(page, 'Beta').innerText()).match(/no source \(disconnected\)/)
    await says(page, 'NO SOURCE: Beta')
    // From the watch, a little later.
    const incidents = page.locator('.panel-incidents')
    await incidents.getByText('Beta: no source (disconnected)').waitFor()
    should(await incidents.innerText()).match(/since \d\d:\d\d\s+Beta: no source/)
    should(await page.locator('.panel-routes td[data-column-key=name]').allInnerTexts()).eql([
      HOSTILE,
      'Alpha',
      'Beta',
      'Gamma',
    ])
    simulator.fail(HOSTILE, { source: 'disconnected' })
    await says(page, `NO SOURCE: ${HOSTILE} and 1 more`)
    simulator.restore()
    await incidents.getByText(/^Beta: OK again after \d+ seconds \(no source\)$/).waitFor()
    should(await incidents.innerText()).match(/\d\d:\d\d\s+Beta: OK again/)
    await click(page, HOSTILE)
    await says(page, `Stop ${HOSTILE}? It is on air.`)
    await question(page).click()
    await says(page, `${HOSTILE} is stopped.`)
    simulator.removeRoute(HOSTILE)
    await click(page, HOSTILE)
    await question(page).click()
    await says(page, `${HOSTILE}: start failed. `)
    should(await page.title()).not.equal('1')
    should(await page.locator('img[src="x"]').count()).equal(0)
  })

  it('shows the failover of a route, and makes no request for it', async () => {
    const failover: FlowNode = {
      id: 'guard',
      type: 'media-gateway-failover',
      z: flow.find(({ type }) => type === 'tab')!.id,
      gateway: flow.find(({ type }) => type === 'media-gateway')!.id,
      route: 'Alpha',
      routeType: 'name',
      main: '{"address":"239.1.1.1"}',
      mainType: 'json',
      backup: '{"address":"239.1.1.2"}',
      backupType: 'json',
      configVersion: 2,
      pollEvery: 1,
      holdOff: 1,
      settle: 5,
      guard: 1,
      wires: [[]],
    }
    await deploy({ ARMED: true }, [failover])
    const page = await open()
    await says(page, 'OK (failover: main)')
    should(await row(page, 'Beta').innerText()).match(/Beta\s+OK\s+\d/)
    const before = reads()
    await until(() => reads() > before + 2, 'more reads')
    should(simulator.journal.filter(({ path }) => path.endsWith('/statistics'))).eql([])
    simulator.failAddress('239.1.1.1', 'disconnected')
    await says(page, / \(failover: backup\)$/)
    await page.locator('.panel-incidents').getByText('Alpha: failover: backup').waitFor()
    simulator.failDevice('away')
    await until(async () => /not known/.test(await row(page, 'Alpha').innerText()), 'the state')
    should(await row(page, 'Alpha').innerText()).not.match(/failover/)
  })

  it('fits on a wall with twenty routes, and on a phone with its buttons', async () => {
    for (let at = ROUTES.length; at < 20; at++) {
      simulator.addRoute(route(`A route with a longer name ${at}`, 5100 + 10 * at))
    }
    const page = await open()
    await page.setViewportSize({ width: 1920, height: 1080 })
    simulator.fail('Beta', { destinations: { 'Beta out': 'disconnected' } })
    simulator.fail('Alpha', { source: 'disconnected' })
    await says(page, 'NO SOURCE: Alpha · 1 warning')
    await row(page, 'A route with a longer name 19').waitFor()
    await hides(page, [])
    await page.setViewportSize({ width: 390, height: 844 })
    await hides(page, ['height'])
    should(await isWhole(page)).be.true()
    should(await row(page, 'Alpha').innerText()).match(/no source/)
  })

  it('asks only the page that was clicked, and does nothing on Cancel', async () => {
    const [asker, other] = [await open(), await open()]
    await click(asker, 'Alpha')
    await says(asker, 'Stop Alpha? It is on air.')
    await question(asker).waitFor()
    // The other page has had its turn since.
    const before = reads()
    await until(() => reads() > before + 1, 'two reads')
    should(await question(other).count()).equal(0)
    await asker.getByRole('button', { name: 'Cancel' }).click()
    await question(asker).waitFor({ state: 'hidden' })
    // The next question comes after the answer to this one.
    await click(asker, 'Gamma')
    await says(asker, 'Start Gamma?')
    should(commands()).eql([])
    should(simulator.route('Alpha')!.state).equal('running')
  })

  it('stops a route with one command, shows it at once, and takes its line to 0', async () => {
    const [asker, other] = [await open(), await open()]
    await click(asker, 'Alpha')
    await question(asker).click()
    await says(asker, 'Alpha is stopped.')
    await until(async () => /stopped/.test(await row(other, 'Alpha').innerText()), 'the other page')
    should(commands()).eql(['stop-route'])
    should(simulator.route('Alpha')!.state).equal('idle')
    should(await other.getByText('Alpha is stopped.').count()).equal(0)
    await until(async () => (await rates('Alpha')).at(-1) === 0, 'the end of its line')
    should((await rates('Alpha')).some((rate) => Number(rate) > 0)).be.true()
    await click(asker, 'Alpha')
    await says(asker, 'Start Alpha?')
    await question(asker).click()
    await says(asker, 'Alpha is running.')
    should(commands()).eql(['stop-route', 'start-route'])
  })

  it('does nothing when the answer comes too late', async () => {
    const page = await open()
    await click(page, 'Alpha')
    await question(page).waitFor()
    await pause(EXPIRED_MS)
    await question(page).click()
    await says(page, 'Too late. Nothing was done.')
    should(commands()).eql([])
  })

  it('tells only the asker that it is not armed', async () => {
    await deploy({ ARMED: false })
    const [asker, other] = [await open(), await open()]
    await click(asker, 'Alpha')
    await says(asker, /^Not armed/)
    should(await question(asker).count()).equal(0)
    should(await other.getByText(/^Not armed/).count()).equal(0)
    should(commands()).eql([])
  })

  it('believes nothing that a page makes up', async () => {
    const [victim, forger] = [await open(), await open()]
    await click(victim, 'Alpha')
    await question(victim).waitFor()
    const { id } = simulator.route('Beta')!
    await forger.evaluate(forge, { table: idOf('routes'), ask: idOf('question'), id })
    // On the same connection, so all of that has been handled when this is shown.
    await click(forger, 'Gamma')
    await says(forger, 'Start Gamma?')
    should(commands()).eql([])
    // The question of the other page is still its own.
    await question(victim).click()
    await says(victim, 'Alpha is stopped.')
    should(commands()).eql(['stop-route'])
  })

  it('reads every five seconds for all pages together, and not when none is open', async () => {
    const [one, two] = [await open(), await open()]
    const [from, began] = [reads(), performance.now()]
    await until(() => reads() >= from + 4, 'four reads')
    should(performance.now() - began).be.above(3 * 0.85 * EVERY_MS)
    await one.context().close()
    const withOne = reads()
    await until(() => reads() > withOne + 1, 'the reads for one page')
    await two.context().close()
    pages.length = 0
    // The panel is empty for the next page, so nothing on it is old.
    const rows = async (): Promise<unknown> =>
      ((await stored('routes')) as { payload: unknown }).payload
    await until(async () => JSON.stringify(await rows()) === '[]', 'the empty panel')
    const last = reads()
    await pause(3 * EVERY_MS)
    should(reads()).equal(last)
  })

  it('says why there is no data, in the headline and in the list, and not as HTML', async () => {
    const page = await open()
    const from = nodeRed.output.length
    await deploy({ ARMED: true }, [], { password: 'wrong', fails: true })
    await says(page, /^CANNOT READ THE GATEWAY.*: .*refused the username or the password/)
    await page.setViewportSize({ width: 420, height: 900 })
    await until(() => isWhole(page), 'the whole headline on a narrow page')
    await page
      .locator('.panel-incidents')
      .getByText(/refused the username or the password/)
      .first()
      .waitFor()
    should(nodeRed.output.slice(from)).not.match(/TypeError/)

    const because = { kind: 'status' as const, status: 400, message: HOSTILE }
    simulator.fault({ ...because, match: { path: '*/routes' } })
    await deploy({ ARMED: true }, [], { fails: true })
    await says(page, /^CANNOT READ THE GATEWAY.*R&D &lt;/)
    should(await page.title()).not.equal('1')
    should(await page.locator('img[src="x"]').count()).equal(0)
  })
})

/** What does not fit: the page beside or below its window, rows of the table, buttons. */
const hiddenIn = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement
    const table = document.querySelector('.panel-routes .v-table__wrapper')!
    const buttons = [...document.querySelectorAll('.panel-routes button')]
    const isOut = (each: Element): boolean => {
      const { left, right, width } = each.getBoundingClientRect()
      return width < 40 || left < 0 || right > innerWidth
    }
    return [
      scrollWidth > innerWidth ? 'width' : '',
      scrollHeight > innerHeight ? 'height' : '',
      table.scrollHeight > table.clientHeight ? 'rows' : '',
      buttons.length === 0 || buttons.some(isOut) ? 'buttons' : '',
    ].filter((each) => each !== '')
  })

/** Waits until it hides nothing else. */
async function hides(page: Page, expected: string[]): Promise<void> {
  let seen: string[] = []
  await until(
    async () => (seen = await hiddenIn(page)).join() === expected.join(),
    () => `${expected.join()} instead of ${seen.join()}`,
  )
}

/** True if nothing of the headline is cut off. */
const isWhole = (page: Page): Promise<boolean> =>
  page.locator('.panel-headline').evaluate((headline) =>
    [headline, ...headline.querySelectorAll('*')].every((each) => {
      const { scrollWidth, scrollHeight, clientWidth, clientHeight } = each
      const isInline = getComputedStyle(each).display === 'inline'
      return isInline || (scrollWidth <= clientWidth && scrollHeight <= clientHeight)
    }),
  )

/** In the page: what somebody with the tools of a browser could send. */
function forge({ table, ask, id }: { table: string; ask: string; id: string }): void {
  interface Socket {
    emit(event: string, ...values: unknown[]): void
  }
  const { __vue_app__: app } = document.querySelector('#app') as unknown as {
    __vue_app__: { _context: { provides: { $socket: Socket } } }
  }
  const socket = app._context.provides.$socket
  const unknown = { id: 'made-up', name: 'Beta', command: 'Stop', rank: 0 }
  socket.emit('widget-action', table, { action: 'button_click', payload: unknown })
  socket.emit('widget-action', table, { action: 'button_click', payload: null })
  socket.emit('widget-action', table, { action: 'button_click', payload: { id: { id } } })
  const yes = { payload: 'confirm_clicked', routeId: id, name: 'Beta', action: 'stop' }
  for (const question of [undefined, '', 'made-up']) {
    socket.emit('widget-action', ask, { ...yes, question })
    socket.emit('widget-action', ask, { ...yes, question, _client: { socketId: question } })
  }
}
