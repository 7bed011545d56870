// The sidebar in a real browser, on a real Node-RED, with simulated appliances.
import type { Locator, Page } from 'playwright-core'
import should from 'should'
import { openConnection } from '../../client/internal'
import type { GatewayNode } from '../../nodes/runtime/gateway-node'
import { createObservers, type ObservedState } from '../../nodes/gateway/admin/observers'
import { startSimulator, type RouteSpec, type Simulator } from '../../simulator'
import { inBrowser, sharedEditor, type Editor, type Properties, type View } from '../support/editor'
import { takePicture } from '../support/pictures'
import { until } from '../support/until'

const HOSTILE = '<img src=x onerror="title=1"> __gateway__ $t(cancel)'

declare const RED: {
  sidebar: { show(id: string): void; removeTab(id: string): void }
  plugins: { getPlugin(id: string): { onadd(): void } }
  actions: { remove(name: string): void }
  events: { emit(event: string): void }
  settings: { user?: object }
}

inBrowser('the sidebar', function () {
  this.timeout(120_000)

  let editor: Editor
  let small: Simulator
  let large: Simulator

  before(async function () {
    small = await startSimulator(SMALL)
    large = await startSimulator({ routes: 2000, maxPageSize: 500 })
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
    const complaints = editor.complaints.splice(0)
    if (this.currentTest?.state !== 'passed') await startAfresh()
    should(complaints).eql([])
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
  }

  /** Opens the editor, with the sidebar of the appliances that are named. */
  async function open(gateways: string[], view: View = {}): Promise<Page> {
    const kept = { open: { gateway: false, large: false, reader: false } }
    for (const id of gateways) Object.assign(kept.open, { [id]: true })
    const page = await editor.open(view)
    await page.evaluate(mount, JSON.stringify(kept))
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
  const facts = (name: string): Locator => block(name).locator('.media-gateway-sidebar-told')
  const age = (name: string): Locator => block(name).locator('.media-gateway-sidebar-age')
  const message = (): Locator => editor.page.locator('.media-gateway-sidebar-fault:visible')
  const details = (): Locator => editor.page.getByRole('region', { name: /^Details of / })
  const question = (): Locator => editor.page.getByRole('alertdialog')

  async function says(where: Locator, words: string | RegExp): Promise<void> {
    await where.filter({ hasText: words }).first().waitFor({ timeout: 30_000 })
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

  it('shows each appliance with its state, its device, and how old that is', async () => {
    await open(['gateway', 'large'])
    await says(head('Studio'), 'reachable')
    await says(head('Network'), 'reachable')
    await says(head('Only to look'), 'not asked')
    await says(facts('Studio'), '2 of 4 run')
    await says(age('Studio'), /^\d s ago$/)
    const { name, firmware } = small.devices[0]!
    should(await facts('Studio').getAttribute('title')).equal(
      `2 of 4 run · ${name} · firmware ${firmware}`,
    )
    await small.stop()
    await says(head('Studio'), 'out of date')
    const before = parseInt((await age('Studio').textContent())!)
    // Not each second need be drawn while the machine is busy.
    await until(async () => parseInt((await age('Studio').textContent())!) >= before + 2)
    await says(facts('Studio'), '2 of 4 ran')
    should(await names().count()).equal(4)
    await says(message(), /^Studio: .*(refused|reach|connect)/i)
    await small.start()
    await says(head('Studio'), 'reachable')
  })

  it('shows routes with their state, source and destinations, and their names as text', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    await says(row('Alpha'), 'in connected · out 2/2 · off 1')
    await says(row('Beta'), 'idle · destinations 1')
    await says(row('Gamma'), 'idle · destinations 0')
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
    await says(facts('Studio'), 'shown: 1')
    await search.fill(small.route('Beta')!.id.slice(0, 13))
    should(await names().allTextContents()).eql(['Beta'])
    await search.fill('nothing like it')
    await says(block('Studio'), 'No route matches.')
    await search.press('Escape')
    should(await names().count()).equal(4)
    await filter.selectOption('running')
    should(await names().allTextContents()).eql([HOSTILE, 'Alpha'])
    await filter.selectOption('idle')
    should(await names().allTextContents()).eql(['Beta', 'Gamma'])
    small.route('Gamma')!.summaryStatusCode = 'error'
    await filter.selectOption('with a problem')
    await says(row('Gamma'), 'idle, error')
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
    await says(row('Alpha'), 'idle')
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
    await says(row('Alpha', 'Calm'), 'idle')
    await row('Alpha', 'Calm').getByRole('button').click()
    await question().getByRole('button', { name: 'Start route' }).click()
    await says(row('Alpha', 'Calm'), 'running')
    await deploy()
  })

  it('shows a chosen route in detail, and starts and stops its destinations', async () => {
    const page = await open(['gateway'])
    await row('Alpha').click()
    const route = small.route('Alpha')!
    await says(details(), route.id)
    await says(details(), 'in: connected · UDP 239.1.1.1:5000')
    should(await details().getByRole('listitem').count()).equal(4)
    await says(details().getByRole('listitem').filter({ hasText: 'Alpha reserve' }), 'switched off')
    small.clearJournal()

    await details().getByRole('button', { name: 'stop Alpha web' }).click()
    await says(question(), 'Stop destination “Alpha web” of route “Alpha” on Studio?')
    await question().getByRole('button', { name: 'Stop destination' }).click()
    await says(details().getByRole('listitem').filter({ hasText: 'Alpha web' }), 'switched off')
    should(small.route('Alpha')!.destinations.map(({ started }) => started)).eql([
      true,
      false,
      false,
    ])
    await details().getByRole('button', { name: 'start Alpha web' }).click()
    await question().getByRole('button', { name: 'Start destination' }).click()
    await details().getByRole('button', { name: 'stop Alpha web' }).waitFor()
    await says(row('Alpha'), 'out 2/2')
    should(commands(small)).have.length(2)

    await details().getByRole('button', { name: 'copy ID' }).click()
    const search = block('Studio').getByLabel('search name or ID')
    await search.focus()
    await page.keyboard.press('ControlOrMeta+V')
    should(await search.inputValue()).equal(route.id)
    await details().getByRole('button', { name: 'close' }).click()
    should(await details().isVisible()).be.false()
  })

  it('shows why a command was refused, and takes a question back that has answered itself', async () => {
    await open(['gateway'])
    await says(row('Alpha'), 'running')
    const mend = small.fault({ kind: 'status', status: 403, match: { action: 'stop-route' } })
    await row('Alpha').getByRole('button').click()
    await question().getByRole('button', { name: 'Stop route' }).click()
    await says(editor.page.getByRole('alert'), /^Alpha: \S/)
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
    await says(row('Beta'), 'idle')

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
    await says(facts('Network'), /of 2000 run/)
    should(await block('Network').getByRole('grid').getAttribute('aria-rowcount')).equal('2000')
    const list = block('Network').locator('.media-gateway-sidebar-list')
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
    await details().waitFor()

    const search = block('Network').getByLabel('search name or ID')
    await search.fill('Studio A 77')
    should(await names('Network').allTextContents()).eql(['Studio A 77'])
    should(await count()).equal(1)
  })

  it('asks only while the tab can be seen, and then again only for what is new', async () => {
    const page = await open(['gateway'], { own: true })
    await says(row('Alpha'), 'running')
    const asked = requests(page)
    await until(() => asked.filter(({ body }) => body['id'] === 'gateway').length >= 2)
    should(asked.map(({ path }) => path)).eql(asked.map(() => '/media-gateway/state'))
    const [first, second] = asked.filter(({ body }) => body['id'] === 'gateway')
    should(second!.body['version']).be.a.Number()
    should(second!.body['version']).equal(first!.body['version'])

    await page.clock.install()
    // By then the sidebar has been told as well.
    const isSeen = (wanted: boolean) =>
      page.locator('.media-gateway-sidebar').evaluate(
        (sidebar, seen) =>
          new Promise<void>((resolve) => {
            new IntersectionObserver((entries) => {
              if (entries.at(-1)!.isIntersecting === seen) resolve()
            }).observe(sidebar)
          }),
        wanted,
      )
    const asksNothing = async () => {
      asked.length = 0
      await page.clock.runFor(20_000)
      should(asked).eql([])
    }
    await showTab(page, 'info')
    await isSeen(false)
    await asksNothing()
    await showTab(page, 'media-gateway-sidebar')
    await until(() => asked.some(({ path }) => path === '/media-gateway/state'))

    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    await asksNothing()
  })

  it('polls nothing for a collapsed gateway, and says that it is not asked', async () => {
    const quiet = await startSimulator({ routes: ROUTES })
    try {
      await deploy([gateway('quiet', 'Quiet', quiet)])
      const page = await open([])
      const asked = requests(page)
      await until(() => asked.filter(({ body }) => body['id'] === 'quiet').length >= 3)
      should(
        asked.every(({ path, body }) => body['lookOn'] || path.endsWith('/gateways')),
      ).be.true()
      await says(head('Quiet'), 'not asked')
      should(await facts('Quiet').textContent()).equal('')
      should(quiet.journal).eql([])
    } finally {
      await deploy()
      await quiet.stop()
    }
  })

  it('shows what watches know of a collapsed gateway, and its trouble', async () => {
    const watched = await startSimulator({ routes: ROUTES })
    try {
      await deploy([
        gateway('watched', 'Head-end', watched),
        { id: 'watch', type: 'media-gateway-watch', z: 'tab', gateway: 'watched', wires: [[]] },
      ])
      await open([])
      const tone = () => head('Head-end').locator('[data-tone]').getAttribute('data-tone')
      await says(head('Head-end'), 'reachable')
      await says(facts('Head-end'), '2 of 4 run')
      should(await tone()).equal('ok')
      watched.stopRoute('Alpha')
      await says(facts('Head-end'), '1 of 4 run')
      watched.route('Beta')!.summaryStatusCode = 'warn'
      await says(facts('Head-end'), 'with a problem: 1')
      should(await tone()).equal('warn')
      watched.route('Gamma')!.summaryStatusCode = 'error'
      await says(facts('Head-end'), 'with a problem: 2')
      should(await tone()).equal('error')
      await watched.stop()
      await says(head('Head-end'), 'out of date')
      await says(facts('Head-end'), '1 of 4 ran')
      should(await tone()).equal('warn')
      await pretend(editor.page, (state) => (state.health.unreachable = true))
      await says(head('Head-end'), 'unreachable')
      should(await tone()).equal('error')
      should(await message().count()).equal(0)
    } finally {
      await deploy()
      await watched.stop()
    }
  })

  it('shows what is old as old, from the first poll that fails until one succeeds', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    await row('Alpha').click()
    await says(details(), 'in: connected')
    const sign = row('Alpha').locator('[data-tone]')
    const drawn = () =>
      sign.evaluate((one) => [
        getComputedStyle(one, '::before').content,
        getComputedStyle(one, '::before').color,
      ])
    const fresh = await drawn()
    const before = await places('Studio')

    await small.stop()
    await says(row('Alpha'), 'was running · in connected')
    await says(row('Beta'), 'was idle')
    await says(details(), 'in: last seen connected')
    const [old, colour] = await drawn()
    should(old).equal('"○"')
    should(colour).not.equal(fresh[1])
    const button = row('Alpha').getByRole('button')
    should(await button.getAttribute('aria-disabled')).equal('true')
    should(await button.getAttribute('aria-label')).equal('stop Alpha: the state is out of date')
    await button.click({ force: true })
    await details().getByRole('button', { name: 'stop Alpha web' }).click({ force: true })
    should(await question().count()).equal(0)
    should(await page.locator('.media-gateway-sidebar').evaluate(faintTexts)).eql([])
    should(await places('Studio')).eql(before)
    await takePicture(page, 'sidebar-old')

    await small.start()
    await says(row('Alpha'), /^Alpha(?!.*was).*running/)
    await says(details(), 'in: connected')
    should(await drawn()).eql(fresh)
    should(await places('Studio')).eql(before)
    await button.click()
    await says(question(), 'Its 2 destinations go off the air.')
    await pretend(page, (state) => (state.health.known!.isOld = true))
    await says(question(), 'The current state is not known.')
  })

  it('takes nothing for granted when Node-RED does not answer', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    await page.route('**/media-gateway/state', () => undefined)
    await says(row('Alpha'), 'was running')
    await says(head('Studio'), 'out of date')
    await page.unroute('**/media-gateway/state')
    await says(row('Alpha'), /^Alpha(?!.*was).*running/)
    editor.complaints.length = 0
  })

  it('takes a poll that is missed for old data, although none has failed', async () => {
    const simulator = await startSimulator({ routes: ROUTES })
    const client = openConnection({
      baseUrl: simulator.url,
      username: 'haiadmin',
      password: 'manager',
      pollInterval: 60_000,
    })
    let ahead = 0
    const observers = createObservers(60_000, () => Date.now() + ahead)
    const node = {
      client: () => client,
      register: () => undefined,
      deregister: () => undefined,
    } as unknown as GatewayNode
    const known = () => observers.state(node, {}).health.known
    try {
      await until(() => known() !== undefined)
      should(known()).containEql({ isOld: false, routes: 4, running: 2, warnings: 0, errors: 0 })
      ahead = 63_000
      should(known()!.isOld).be.false()
      should(known()!.ageMs).be.within(63_000, 65_000)
      ahead = 70_000
      should(known()!.isOld).be.true()
    } finally {
      await client.close()
      await simulator.stop()
    }
  })

  for (const number of [8, 12]) {
    for (const width of [undefined, 200]) {
      it(`moves no row: ${number} routes, ${width ?? 'default'} width`, async () => {
        const still = await startSimulator({ routes: number })
        try {
          await deploy([gateway('still', 'Still', still)])
          const page = await open(['still'])
          await says(facts('Still'), `of ${number} run`)
          if (width) await page.locator('.media-gateway-sidebar').evaluate(narrow, width)
          const seen = await places('Still')
          const button = block('Still').getByRole('row').first().getByRole('button')
          should(seen.length).be.above(15)
          await block('Still').evaluate(recordPlaces)

          for (const seconds of [9, 10, 60]) {
            await pretend(page, ({ health: { known } }) => (known!.ageMs = seconds * 1000))
            await says(
              age('Still'),
              seconds < 60 ? new RegExp(`^(${seconds}|1\\d) s`) : '1 min ago',
            )
          }
          await button.click()
          await question().waitFor()
          await question().getByRole('button', { name: 'Cancel' }).click()
          still.fault({ kind: 'status', status: 403, match: { method: 'POST' } })
          await button.click()
          await question()
            .getByRole('button', { name: /route$/ })
            .click()
          await says(message(), /\S/)
          await pretend(page, ({ health }) => {
            health.failure = {
              code: 'UNAVAILABLE',
              message: 'The appliance does not answer. '.repeat(4),
            }
            health.known!.isOld = true
          })
          await says(message(), 'does not answer')
          await page.unroute('**/media-gateway/state')
          await says(head('Still'), 'reachable')
          const all = await page.evaluate(() => [...recordedPlaces])
          const moved = all.filter((place) => {
            const [route, tag] = place.split(' ')
            return all.some((one) => one.startsWith(`${route} ${tag} `) && one !== place)
          })
          should(moved).eql([])
        } finally {
          editor.complaints.length = 0
          await deploy()
          await still.stop()
        }
      })
    }
  }

  it('moves rows only when neither the mouse nor the focus is in the list', async () => {
    const own = await startSimulator({ routes: ROUTES })
    try {
      await deploy([gateway('own', 'Own', own)])
      const page = await open(['own'])
      await says(row('Alpha', 'Own'), 'running')
      const filter = block('Own').getByLabel('Which routes')
      await filter.selectOption('running')
      should(await names('Own').allTextContents()).eql([HOSTILE, 'Alpha'])
      await row('Alpha', 'Own').hover()
      own.route('Alpha')!.name = 'A first one'
      await says(row('A first one', 'Own'), 'running')
      should(await names('Own').allTextContents()).eql([HOSTILE, 'A first one'])
      own.stopRoute(HOSTILE)
      await says(row(HOSTILE, 'Own'), 'idle')
      own.startRoute('Beta')
      await says(row('Beta', 'Own'), 'running')
      should(await names('Own').allTextContents()).eql([HOSTILE, 'A first one', 'Beta'])

      await page.mouse.move(10, 10)
      await until(async () => (await names('Own').count()) === 2)
      should(await names('Own').allTextContents()).eql(['A first one', 'Beta'])
      await row('A first one', 'Own').focus()
      own.removeRoute('A first one')
      await says(row('A first one', 'Own'), 'no longer there')
      should(await row('A first one', 'Own').getByRole('button').count()).equal(0)
      should(await names('Own').allTextContents()).eql(['A first one', 'Beta'])
      await filter.focus()
      await until(async () => (await names('Own').count()) === 1)
    } finally {
      await deploy()
      await own.stop()
    }
  })

  it('shows details under the row that was clicked, in sight, however low the panel', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    const panel = page.locator('.media-gateway-sidebar')
    await panel.evaluate((one) => (one.style.height = '283px'))
    const search = block('Studio').getByLabel('search name or ID')
    await row('Gamma').click()
    await details().waitFor()
    const box = async (one: Locator) => {
      const { y, height } = (await one.boundingBox())!
      return { top: y, bottom: y + height }
    }
    const whole = await box(panel)
    for (const name of ['Gamma', 'Alpha', HOSTILE, 'Alpha']) {
      if (name !== 'Gamma') await row(name).click()
      await page.getByRole('region', { name: `Details of ${name}`, exact: true }).waitFor()
      const clicked = await box(row(name))
      const below = await box(details())
      should(below.top).be.approximately(clicked.bottom, 1)
      should(clicked.top).be.aboveOrEqual((await box(search)).bottom - 1)
      should(clicked.bottom).be.below(whole.bottom)
      should(below.top + 40).be.below(whole.bottom)
      should((await box(search)).top).be.aboveOrEqual(whole.top)
    }
    const top = await box(block('Studio').locator('.media-gateway-sidebar-top'))
    should(top.bottom - top.top).be.below(80)
    await takePicture(page, 'sidebar-low')
    await details().getByRole('button', { name: 'copy ID' }).focus()
    await page.keyboard.press('Escape')
    await details().waitFor({ state: 'hidden' })
    should(await focused(page)).equal('stop Alpha')
  })

  it('lets messages go: closed, after a success, on reconnection, and with a deploy', async () => {
    const page = await open(['gateway'])
    const refuse = async () => {
      const mend = small.fault({ kind: 'status', status: 403, match: { action: 'stop-route' } })
      await row('Alpha').getByRole('button', { name: 'stop Alpha', exact: true }).click()
      await question().getByRole('button', { name: 'Stop route' }).click()
      await says(message(), /^Alpha: \S/)
      mend()
    }
    await refuse()
    await message().getByRole('button', { name: 'close' }).click()
    should(await message().count()).equal(0)
    should(await focused(page)).match(/Studio/)

    await refuse()
    await row('Beta').getByRole('button').click()
    await question().getByRole('button', { name: 'Start route' }).click()
    await says(row('Beta'), 'running')
    await message().waitFor({ state: 'detached' })
    small.stopRoute('Beta')

    await refuse()
    await small.stop()
    await says(head('Studio'), 'out of date')
    should(await message().count()).equal(2)
    await message().first().getByRole('button', { name: 'close' }).click()
    should(await message().allTextContents()).matchEach(/^Alpha/)
    await small.start()
    await says(head('Studio'), 'reachable')
    should(await message().count()).equal(0)

    await says(row('Alpha'), /^Alpha(?!.*was).*running/)
    await refuse()
    await deploy()
    await message().waitFor({ state: 'detached' })
    should(editor.complaints.splice(0).join()).match(/Failed to load resource/)
  })

  it('offers an Observer no commands', async () => {
    const credentials = { username: 'user', password: 'public' }
    await deploy([gateway('observer', 'As a guest', small, { credentials })])
    await open(['observer'])
    await says(row('Alpha', 'As a guest'), 'running')
    await says(facts('As a guest'), 'Observer: may only look')
    should(await block('As a guest').getByRole('row').getByRole('button').count()).equal(0)
    // Where the role is not known, the appliance decides.
    await pretend(editor.page, (state) => (state.mayControl = true))
    await row('Alpha', 'As a guest').getByRole('button', { name: 'stop Alpha' }).waitFor()
    await deploy()
  })

  it('takes the second click of a double click for no answer', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    small.clearJournal()
    await row('Alpha').getByRole('button').click()
    await question().getByRole('button', { name: 'Stop route' }).click({ clickCount: 2 })
    await question().waitFor({ state: 'detached' })
    await says(row('Alpha'), 'idle')
    should(commands(small)).have.length(1)
    await row('Alpha').getByRole('button').click()
    const yes = question().getByRole('button', { name: 'Start route' })
    await yes.dispatchEvent('click', { detail: 2 })
    should(await question().count()).equal(1)
    await page.keyboard.press('Escape')
    small.startRoute('Alpha')
    await says(row('Alpha'), 'running')
  })

  it('offers no commands where the config node is read only, or the user may only read', async () => {
    const page = await open(['reader'])
    await says(row('Alpha', 'Only to look'), 'running')
    await says(block('Only to look'), 'read only')
    const buttons = block('Only to look').getByRole('row').getByRole('button')
    should(await buttons.count()).equal(0)
    await row('Alpha', 'Only to look').click()
    should(await details().getByRole('button').allTextContents()).eql(['copy ID', 'close'])

    await page.evaluate(() => (RED.settings.user = { username: 'x', permissions: 'read' }))
    await head('Studio').click()
    await says(row('Alpha'), 'running')
    should(await block('Studio').getByRole('row').getByRole('button').count()).equal(0)
  })

  it('says when an appliance is unreachable, Node-RED is away, or nothing is there', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    // Only what changes is spoken of.
    await says(head('Studio'), 'reachable')
    const words = 'Nobody answers <b>here</b>.'
    const failure = { code: 'UNAVAILABLE', message: words }
    await page.route('**/media-gateway/state', async (route) => {
      const reply = await route.fetch()
      const state = (await reply.json()) as { health: object }
      // Of several that are spoken of, only the last one stays.
      if ((route.request().postDataJSON() as Properties)['id'] === 'gateway') {
        state.health = { ...state.health, failure, unreachable: true }
      }
      await route.fulfill({ json: state })
    })
    await says(head('Studio'), 'unreachable')
    await says(message(), `Studio: ${words}`)
    should(await head('Studio').locator('[data-tone]').getAttribute('data-tone')).equal('error')
    await says(page.locator('.media-gateway-sidebar-spoken'), 'Studio: unreachable')

    await page.unroute('**/media-gateway/state')
    await page.route('**/media-gateway/state', (route) => route.abort())
    await says(head('Studio'), 'out of date')
    await says(message(), 'Node-RED does not answer.')
    editor.complaints.length = 0
    await page.unroute('**/media-gateway/state')
    await says(head('Studio'), 'reachable')

    await page.route('**/media-gateway/gateways*', (route) => route.fulfill({ json: [] }))
    await page.evaluate(() => RED.events.emit('deploy'))
    await says(page.locator('.media-gateway-sidebar'), 'No media gateway is deployed.')
    should(await page.locator('.media-gateway-sidebar-block').count()).equal(0)
    editor.complaints.length = 0
  })

  it('speaks of every gateway that becomes unreachable at the same time', async () => {
    const page = await open(['gateway', 'large'])
    for (const name of ['Studio', 'Network']) await says(head(name), 'reachable')
    await page.route('**/media-gateway/state', async (route) => {
      const reply = await route.fetch()
      const state = (await reply.json()) as { health: object }
      state.health = { ...state.health, unreachable: true }
      await route.fulfill({ json: state })
    })
    for (const name of ['Studio', 'Network']) {
      await says(page.locator('.media-gateway-sidebar-spoken'), `${name}: unreachable`)
    }
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
      const shown = (name: string) => says(block('Hub').locator(`[title*="${name}"]`), /./)
      await shown(first!.name)
      await choice.selectOption(second!.name)
      await shown(second!.name)
      await page.reload()
      await page.waitForFunction(() => document.querySelector('.media-gateway-sidebar') !== null)
      await page.evaluate(() => window.hurry(5))
      await showTab(page, 'media-gateway-sidebar')
      await shown(second!.name)
    } finally {
      await deploy()
      await many.stop()
    }
  })

  for (const [language, words] of Object.entries({
    de: ['erreichbar', 'läuft · Quelle verbunden', 'Stoppen', 'Route „Alpha“ auf Studio stoppen?'],
    ja: ['応答あり', '実行中 · ソース: 接続済み', '停止', 'Studioのルート「Alpha」を停止しますか?'],
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
      await takePicture(page, `sidebar-${language}`)
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
      await takePicture(page, `sidebar-${theme}`)
      small.route('Alpha')!.summaryStatusCode = 'ok'
      small.route('Gamma')!.summaryStatusCode = 'unknown'
      const faint = await page.locator('.media-gateway-sidebar').evaluate(faintTexts)
      should(faint).eql([])
    })
  }
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

const SMALL = {
  routes: ROUTES,
  applyDelay: 200,
  settleDelay: 30,
  dialect: { startedWhileIdle: true },
}

/** The keys of a catalog, with the placeholders of their texts. */

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: one } = document
    return one?.getAttribute('aria-label') ?? one?.textContent ?? ''
  })

/** Texts with less contrast than 4.5 to 1, inside an element. */
function faintTexts(top: Element): string[] {
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

/** Begins anew with what was kept, by a clock that runs five times as fast. */
function mount(kept: string): void {
  localStorage.setItem('media-gateway-sidebar', kept)
  window.hurry(5)
  RED.sidebar.removeTab('media-gateway-sidebar')
  RED.actions.remove('media-gateway:show-sidebar')
  RED.plugins.getPlugin('media-gateway-sidebar').onadd()
  RED.sidebar.show('media-gateway-sidebar')
}

declare const recordedPlaces: Set<string>

/** Records where rows and buttons are whenever anything changes, whatever has been scrolled. */
function recordPlaces(block: Element): void {
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

const narrow = (sidebar: Element, width: number): void => {
  ;(sidebar as HTMLElement).style.width = `${width}px`
}

/** Changes what Node-RED says of appliances. */
async function pretend(page: Page, change: (state: ObservedState) => unknown): Promise<void> {
  await page.unroute('**/media-gateway/state')
  await page.route('**/media-gateway/state', async (route) => {
    const reply = await route.fetch()
    const state = (await reply.json()) as ObservedState
    if ('health' in state) change(state)
    await route.fulfill({ json: state })
  })
}

/** What the page asks of this package from now on. */
function requests(page: Page): Array<{ path: string; body: Properties }> {
  const asked: Array<{ path: string; body: Properties }> = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith('/media-gateway/')) return
    asked.push({ path: pathname, body: (request.postDataJSON() ?? {}) as Properties })
  })
  return asked
}
