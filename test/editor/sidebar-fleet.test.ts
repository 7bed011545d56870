// The sidebar with an inventory of 1,000 appliances. What Node-RED would say of it is scripted.
import type { Page } from 'playwright-core'
import {
  inBrowser,
  sharedEditor,
  VIEWS,
  type Editor,
  type Properties,
  type View,
} from '../support/editor'
import { cutInFields } from '../support/looks'
import { takePicture } from '../support/pictures'
import { until } from '../support/until'
import { startSimulator } from '../../simulator'
import { faintTexts, HOSTILE, mount } from './sidebar-page'

interface Row {
  name: string
  address: string
  owned: boolean
  health?: object
  failovers?: Record<string, number>
}

inBrowser('the sidebar with an inventory', function () {
  this.timeout(180_000)

  let editor: Editor
  let page: Page
  let asked: { path: string; body: Properties }[]
  let all: Row[]
  let faults: object[]
  /** Node-RED itself answers. */
  let isReal = false
  /** Answers in place of those below. */
  let instead: Record<string, (body: Properties) => { status?: number; json: object } | undefined>

  before(async () => {
    editor = await sharedEditor()
    await editor.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      {
        id: 'gateway',
        type: 'media-gateway',
        name: 'World',
        inventory: '[]',
        inventoryType: 'json',
      },
    ])
  })
  beforeEach(() => {
    asked = []
    faults = []
    isReal = false
    instead = {}
    all = [
      row('Site 0500', { health: healthOf('critical') }),
      row('Site 0900', {
        health: { unreachable: true, failure: { code: 'UNAVAILABLE', message: 'Away.' } },
      }),
      row('Site 0901', { failovers: { onBackup: 1 } }),
      row(HOSTILE),
      row('Site 0001', { owned: false, health: undefined }),
      row('Site 0002', { health: undefined }),
      ...Array.from({ length: 994 }, (_, index) => row(`Site 1${String(index).padStart(3, '0')}`)),
    ]
  })
  after(() => editor?.rest())
  afterEach(() => should(editor.complaints.splice(0)).eql([]))

  it('is one section, with the appliances in trouble first', async () => {
    await open()
    await says('.media-gateway-sidebar-told', 'appliances: 1000')
    should(await told())
      .containEql('here: 999')
      .and.containEql('with problems: 3')
    should((await shownNames()).slice(0, 4)).eql(['Site 0500', 'Site 0900', 'Site 0901', HOSTILE])
    should((await shownNames()).length).equal(50)
    should(await rowText('Site 0500')).match(/1 problem · 12 of 20 running · Studio A: no source/)
    should(await rowText('Site 0900')).match(/unreachable/)
    should(await rowText('Site 0901')).match(/on backup/i)
    should(await rowText('Site 0001')).match(/other instance/)
    should(await rowText('Site 0002')).match(/not polled/)
    should(await page.locator('.media-gateway-sidebar img').count()).equal(0)
    // One request for the whole list each time, and nothing of an appliance that nobody opened.
    await until(() => of('appliances').length >= 3)
    should(of('state')).eql([])
    should(of('appliances').every(({ limit }) => limit === 50)).be.true()
  })

  it('says of which one the state is out of date', async () => {
    const { known } = healthOf()
    all[6] = row('Site 1000', { health: { known: { ...known, isOld: true }, unreachable: false } })
    await open()
    await says('[data-appliance="Site 1000"]', 'out of date')
    should(await rowText('Site 1000')).match(/12 of 20 were running/)
  })

  it('calls one unreachable only if nothing answers', async () => {
    const failure = { code: 'LOGIN_REFUSED', message: 'Refused.' }
    all[6] = row('Site 1000', { health: { unreachable: true, failure } })
    await open()
    await says('[data-appliance="Site 1000"]', 'error')
    should(await rowText('Site 1000'))
      .match(/Refused\./)
      .and.not.match(/unreachable/)
  })

  it('asks only how many are in trouble while it is closed', async () => {
    await open({ isOpen: false })
    await until(() => of('appliances').length >= 2)
    should(of('appliances').at(-1)).containEql({ trouble: true, limit: 1 })
    await until(async () => (await told()).includes('with problems: 3'))
    should(await shownNames()).eql([])
  })

  it('shows more, up to all or to what it can, and says how many it does not show', async () => {
    await open()
    const more = page.getByRole('button', { name: 'show more' })
    await says('.media-gateway-sidebar-count', /^50 of 1000, not shown: 950$/)
    for (const number of [100, 200, 400, 800]) {
      await more.click()
      await until(async () => (await shownNames()).length === number)
    }
    await says('.media-gateway-sidebar-count', /^800 of 1000, not shown: 200$/)
    // With the keyboard, the focus goes on where the list did: the button is gone.
    await more.press('Enter')
    await until(async () => (await shownNames()).length === 1000)
    should(await more.isVisible()).be.false()
    should(await page.locator('.media-gateway-sidebar-count').isVisible()).be.false()
    should(await focused()).match(/Site 1794/)
    should(of('state')).eql([])

    all.push(...Array.from({ length: 1500 }, (_, index) => row(`Site 2${index}`)))
    await until(async () => (await shownNames()).length === 1600)
    await more.click()
    await until(async () => (await shownNames()).length === 2000)
    should(await more.isVisible()).be.false()
    // How to find the others.
    await says(
      '.media-gateway-sidebar-count',
      /^2000 of 2500, not shown: 500\. To see other appliances/,
    )
    await page.getByLabel('name or URL').fill('site 21499')
    await until(async () => (await shownNames()).join() === 'Site 21499')
  })

  it('searches in all of them, and filters', async () => {
    await open()
    const search = page.getByLabel('name or URL')
    await search.fill('site 199')
    await until(async () => (await shownNames()).length === 4)
    should(await shownNames()).eql(['Site 1990', 'Site 1991', 'Site 1992', 'Site 1993'])
    // Of a part nobody can say how many of all are in trouble.
    should(await told()).not.containEql('with problems')
    await search.fill('nowhere')
    await says('.media-gateway-sidebar-notice', 'No appliance matches.')
    await search.press('Escape')
    await page.getByLabel('Which appliances').selectOption('trouble')
    await until(async () => (await shownNames()).length === 3)
    should(of('appliances').at(-1)).containEql({ trouble: true, search: '' })
  })

  it('polls an appliance while it is open, and only then', async () => {
    await open()
    await appliance('Site 0500').click()
    await says('[role="row"] .media-gateway-sidebar-name', 'Studio A')
    should(of('state').every((one) => one['appliance'] === 'Site 0500')).be.true()
    should(of('state').every((one) => one['id'] === 'gateway' && !one['lookOn'])).be.true()
    should(await focused()).match(/Site 0500/)
    // Commands name the appliance.
    instead['control'] = () => ({ json: { ok: true } })
    await page.getByRole('button', { name: 'stop Studio A' }).click()
    const question = page.getByRole('alertdialog')
    should(await question.innerText()).containEql('Site 0500')
    await question.getByRole('button', { name: 'stop route' }).click()
    await until(() => of('control').length === 1)
    should(of('control')[0]).containDeep({ id: 'gateway', appliance: 'Site 0500', action: 'stop' })

    await appliance('Site 0500').click()
    await until(async () => (await focused()).includes('Site 0500'))
    const before = of('state').length
    const lists = of('appliances').length
    await until(() => of('appliances').length > lists + 2)
    should(of('state').length).be.belowOrEqual(before + 1)
    should(await page.locator('[role="row"]').count()).equal(0)
  })

  it('says that another instance works for an appliance, and offers nothing there', async () => {
    await open()
    instead['state'] = () => ({ json: { elsewhere: true } })
    await appliance('Site 0001').click()
    await says('.media-gateway-sidebar-notice', /^Another instance of Node-RED works for this/)
    should(await page.locator('[role="row"]').count()).equal(0)
    should(await page.getByRole('button', { name: /^(start|stop)/ }).count()).equal(0)
  })

  it('takes back what it showed when an appliance is given away', async () => {
    await open()
    await appliance('Site 0500').click()
    await says('[role="row"] .media-gateway-sidebar-name', 'Studio A')
    instead['state'] = () => ({ json: { elsewhere: true } })
    await says('.media-gateway-sidebar-notice', /^Another instance of Node-RED works for this/)
    should(await page.locator('[role="row"]').count()).equal(0)
  })

  it('lists the rows that cannot be used, as text', async () => {
    faults = [
      { code: 'CONFIG', message: `Row 3 (${HOSTILE}) has no URL.` },
      { code: 'CONFIG', message: 'Row 9 has no name.' },
    ]
    await open()
    await until(async () => (await told()).includes('faults: 2'))
    const said = await page.locator('.media-gateway-sidebar-faults > li').allTextContents()
    should(said).eql([`Row 3 (${HOSTILE}) has no URL.`, 'Row 9 has no name.'])
    should(await page.locator('.media-gateway-sidebar img').count()).equal(0)
  })

  it('moves no row under the mouse', async () => {
    await open()
    await appliance('Site 0900').hover()
    const before = (await shownNames()).slice(0, 6)
    all.unshift(row('Aachen', { health: healthOf('critical') }))
    all = all.filter(({ name }) => name !== 'Site 0500')
    const lists = of('appliances').length
    await until(() => of('appliances').length > lists + 1)
    should((await shownNames()).slice(0, 6)).eql(before)
    should((await shownNames()).at(-1)).equal('Aachen')
    // What is not in the answer any more does not look like now.
    await page.locator('[data-appliance="Site 0500"].media-gateway-sidebar-old').waitFor()
    await page.mouse.move(10, 10)
    await until(async () => (await shownNames())[0] === 'Aachen')
    should(await shownNames()).not.containEql('Site 0500')
  })

  it('says when Node-RED does not answer, and shows what it knew as old', async () => {
    await open()
    instead['appliances'] = () => ({
      status: 502,
      json: { code: 'UNAVAILABLE', message: 'The engine is away.' },
    })
    await says('.media-gateway-sidebar-notice', 'The engine is away.')
    should(await told()).not.containEql('with problems')
    await page.locator('[data-appliance="Site 0500"].media-gateway-sidebar-old').waitFor()
    should((await shownNames()).length).equal(50)
    editor.complaints.length = 0
  })

  it('does not say who works for what while the lease is lost', async () => {
    await open()
    const error = { code: 'UNAVAILABLE', message: 'The lease on the engine is lost.' }
    instead['appliances'] = () => ({
      json: { total: 1000, found: 1000, rows: all.slice(0, 50).map(unowned), error },
    })
    await says('.media-gateway-sidebar-notice', error.message)
    await page.locator('[data-appliance="Site 0500"].media-gateway-sidebar-old').waitFor()
    should(await rowText('Site 0500')).not.match(/other instance/)
    delete instead['appliances']
    await page.locator('[data-appliance="Site 0500"]:not(.media-gateway-sidebar-old)').waitFor()
    should(await told()).containEql('with problems: 3')
  })

  it('stays quick with 800 rows', async () => {
    await open()
    for (const number of [100, 200, 400, 800]) {
      await page.getByRole('button', { name: 'show more' }).click()
      await until(async () => (await shownNames()).length === number)
    }
    // A refresh without news changes nothing in the page but what counts the time.
    await page.evaluate(() => {
      const seen = Object.assign(window, { changedRows: 0 })
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const at = target instanceof Element ? target : target.parentElement
          if (at?.closest('.media-gateway-sidebar-appliance')) seen.changedRows++
        }
      }).observe(document.querySelector('.media-gateway-sidebar')!, {
        subtree: true,
        childList: true,
      })
    })
    const lists = of('appliances').length
    await until(() => of('appliances').length > lists + 1)
    const changed = await page.evaluate(() => (window as { changedRows?: number }).changedRows)
    should(changed).equal(0)
  })

  for (const { language, theme } of VIEWS) {
    it(`looks as it should in ${language}, ${theme}`, async () => {
      faults = [
        {
          code: 'CONFIG',
          message: 'Not translated.',
          sentences: [
            { key: 'inventoryRowNamed', values: { row: 17, name: 'Bergen' } },
            { key: 'rowSameName', values: { first: 3 } },
          ],
        },
      ]
      await open({ language, theme })
      const sidebar = page.locator('.media-gateway-sidebar')
      const shoot = (name: string) =>
        takePicture(page, `sidebar-fleet-${name}-${language}-${theme}`)
      await says('.media-gateway-sidebar-told', ': 1000')
      await shoot('list')
      should(await sidebar.evaluate(faintTexts)).eql([])
      should(await cutInFields(sidebar)).eql([])
      await appliance('Site 0500').click()
      await says('[role="row"] .media-gateway-sidebar-name', 'Studio A')
      should(await sidebar.evaluate(faintTexts)).eql([])
      await shoot('open')
      instead['state'] = (body) =>
        body['appliance'] === 'Site 0001' ? { json: { elsewhere: true } } : undefined
      await appliance('Site 0001').click()
      await page
        .locator('.media-gateway-sidebar-appliances .media-gateway-sidebar-notice:visible')
        .waitFor()
      await page.mouse.move(10, 10)
      await shoot('elsewhere')
      await page.locator('.media-gateway-sidebar-count:visible').scrollIntoViewIfNeeded()
      await shoot('end')
      const message = 'The lease is lost.'
      instead['appliances'] = () => ({ status: 502, json: { code: 'UNAVAILABLE', message } })
      await says('.media-gateway-sidebar-notice', message)
      await sidebar.locator('input').first().scrollIntoViewIfNeeded()
      await shoot('lost')
      should(await sidebar.evaluate(faintTexts)).eql([])
      const width = await sidebar.evaluate((one) => [one.scrollWidth, one.clientWidth])
      should(width[0]).equal(width[1])
      // Each poll since then was answered so.
      should(editor.complaints).matchEach(/502/)
      editor.complaints.length = 0
    })
  }

  it('shows what Node-RED says of real gateways, and polls the one that is open', async () => {
    const names = ['Oslo', 'Bergen', 'Narvik']
    const simulators = await Promise.all(names.map(() => startSimulator()))
    try {
      const inventory = JSON.stringify([
        ...simulators.map(({ url }, index) => ({ name: names[index], baseUrl: url })),
        { name: 'Nowhere' },
      ])
      await editor.deploy([
        { id: 'tab', type: 'tab', label: 'test' },
        {
          id: 'gateway',
          type: 'media-gateway',
          name: 'World',
          inventory,
          inventoryType: 'json',
          pollInterval: 1,
          credentials: { username: 'haiadmin', password: 'manager' },
        },
      ])
      isReal = true
      await open()
      await says('.media-gateway-sidebar-told', 'appliances: 3')
      await says('.media-gateway-sidebar-faults > li', 'Nowhere')
      should(await shownNames()).eql(['Bergen', 'Narvik', 'Oslo'])
      should(simulators.map(({ logins }) => logins)).eql([0, 0, 0])
      await appliance('Bergen').click()
      await says('[role="row"] .media-gateway-sidebar-name', 'Studio A')
      const route = page.getByRole('row').filter({ hasText: 'Studio A' }).first()
      await route.getByRole('button').click()
      const stopped = page.getByRole('alertdialog').getByRole('button', { name: 'stop route' })
      // Cut off by the end of the gateways, it would be a complaint.
      const answered = page.waitForResponse((response) => response.url().endsWith('/control'))
      await stopped.click()
      await until(() => simulators[1]!.route('Studio A')?.state === 'idle')
      should((await answered).status()).equal(200)
      should(simulators.map(({ logins }) => logins)).eql([0, 1, 0])
    } finally {
      isReal = false
      await editor.rest()
      await Promise.all(simulators.map((one) => one.stop()))
      // What the sidebar asked last was cut off by the deploy.
      editor.complaints.length = 0
    }
  })

  async function open({ isOpen = true, ...view }: { isOpen?: boolean } & View = {}) {
    await editor.open({ ...view, prepare })
    // What the sidebar of the test before has asked meanwhile was not scripted.
    editor.complaints.length = 0
    await page.evaluate(mount, JSON.stringify({ open: { gateway: isOpen } }))
    await until(() => of('appliances').length > 0)
    if (isOpen) await page.locator('.media-gateway-sidebar-appliance').first().waitFor()
  }

  async function prepare(opened: Page) {
    page = opened
    await page.route('**/media-gateway/*', async (route) => {
      const path = new URL(route.request().url()).pathname.split('/').at(-1)!
      const body = (route.request().postDataJSON() ?? {}) as Properties
      asked.push({ path, body })
      if (isReal) return route.continue()
      const { status = 200, json } = instead[path]?.(body) ?? { json: answerTo(path, body) }
      await route.fulfill({ status, json })
    })
  }

  function answerTo(path: string, body: Properties): object {
    if (path === 'gateways') {
      const owned = all.filter((one) => one.owned).length
      const inventory = { appliances: all.length, owned, faults }
      return [{ id: 'gateway', name: 'World', address: '', readOnly: false, inventory }]
    }
    if (path === 'state') return stateOf()
    const { search = '', trouble = false, limit = 50 } = body
    const fitting = all.filter(
      (one) =>
        one.name.toLowerCase().includes(String(search).toLowerCase()) &&
        (!trouble || isTrouble(one)),
    )
    return { total: all.length, found: fitting.length, rows: fitting.slice(0, Number(limit)) }
  }

  const isTrouble = ({ health, failovers }: Row) =>
    failovers !== undefined ||
    /"unreachable":true|"problems":[1-9]/.test(JSON.stringify(health ?? ''))

  const of = (path: string) => asked.filter((one) => one.path === path).map(({ body }) => body)
  const shownNames = () =>
    page.locator('.media-gateway-sidebar-appliance .media-gateway-sidebar-title').allTextContents()
  const told = () => page.locator('.media-gateway-sidebar-told').first().innerText()
  const appliance = (name: string) =>
    page.locator('.media-gateway-sidebar-head', {
      has: page.locator('.media-gateway-sidebar-title', { hasText: new RegExp(`^${name}$`) }),
    })
  const rowText = (name: string) => page.locator(`[data-appliance="${name}"]`).innerText()
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  const says = (where: string, words: string | RegExp) =>
    page.locator(`${where}:visible`).filter({ hasText: words }).first().waitFor({ timeout: 20_000 })
})

const healthOf = (sign?: 'critical' | 'warning') => ({
  known: {
    ageMs: 500,
    isOld: false,
    routes: 20,
    running: 12,
    problems: sign ? 1 : 0,
    ...(sign && { worst: { sign, text: 'no source', route: 'Studio A' } }),
  },
  unreachable: false,
})

const unowned = (one: Row): Row => ({ ...one, owned: false, health: undefined })

const row = (name: string, more: Partial<Row> = {}): Row => ({
  name,
  address: 'https://10.0.0.1',
  owned: true,
  health: healthOf(),
  ...more,
})

/** One route, as an appliance that is polled. */
const stateOf = () => ({
  version: 1,
  health: { known: { ...healthOf().known, routes: 1, running: 1 }, unreachable: false },
  mayControl: true,
  failovers: [],
  now: Date.now(),
  snapshot: {
    at: Date.now(),
    device: { id: 'dev', name: 'Device', status: 'Online', statusCode: 'ok', firmware: '4.1' },
    routes: [
      {
        id: 'r1',
        name: 'Studio A',
        state: 'running',
        summaryStatusCode: 'ok',
        health: { sign: 'ok', text: 'OK' },
        isProtected: false,
        source: {
          health: { sign: 'ok', text: 'OK' },
          id: 's1',
          name: 'in',
          state: 'connected',
          summaryStatusCode: 'ok',
        },
        destinations: [],
      },
    ],
  },
})
