// The sidebar: commands to many routes, restarts, failovers, and routes that become nodes.
import type { Locator } from 'playwright-core'
import type { Failover } from '../../nodes/wire'
import { takePicture } from '../support/pictures'
import { until } from '../support/until'
import { faintTexts, focused, HOSTILE, pretend, withSidebar } from './sidebar-page'

declare const RED: {
  settings: { user?: object }
  nodes: { filterNodes(filter: { type: string }): Array<Record<string, unknown>>; dirty(): boolean }
  workspaces: { show(id: string): void }
}

const NOT_FOUND = { code: 'NOT_FOUND', message: 'There is no route "Studio C".' }

withSidebar('the sidebar: more commands', (sidebar) => {
  const { small, editor, open, block, row, message, details, question, says, commands } = sidebar
  const { deploy } = sidebar
  const button = (name: string): Locator =>
    block('Studio').getByRole('button', { name, exact: true })

  it('stops what the filter shows, after one question with the names, and names what failed', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    small().startRoute('Beta')
    await says(row('Beta'), 'running')
    await button('more').click()
    const search = block('Studio').getByLabel('name or ID')
    await search.fill('nothing like it')
    await button('stop shown').click()
    await says(message(), 'No route that is shown is running.')
    await message().getByRole('button', { name: 'close' }).click()

    await search.fill('a')
    small().clearJournal()
    await button('stop shown').click()
    await says(question(), 'Stop 3 routes on Studio?')
    await says(question(), ' go off the air.')
    for (const name of ['Alpha', 'Beta', HOSTILE]) await says(question(), `“${name}”`)
    should(await focused(page)).equal('Cancel')
    // What stops by itself needs no command, and is no longer named.
    small().stopRoute('Beta')
    await until(async () => !(await question().innerText()).includes('Beta'))
    await page.keyboard.press('Escape')
    should(await focused(page)).equal('stop shown')
    should(commands(small())).eql([])

    const mend = small().fault({ kind: 'status', status: 403, match: { action: 'stop-route' } })
    await button('stop shown').click()
    await question().getByRole('button', { name: 'Stop routes' }).click()
    await until(async () => (await message().innerText()).includes('0 of 2 routes stopped'))
    const [, ...reasons] = (await message().innerText()).trim().split('\n')
    should(reasons.filter((reason) => /^(Alpha|<img.*): \S/.test(reason))).have.length(2)
    mend()
    editor().complaints.length = 0
    // The message is above it.
    await message().getByRole('button', { name: 'close' }).click()
    await button('start shown').click()
    await says(question(), /Start \d routes on Studio\?/)
    await question().getByRole('button', { name: 'Start routes' }).click()
    await says(row('Beta'), 'running')
    await says(row(HOSTILE), 'running')
    await says(page.locator('.media-gateway-sidebar-spoken'), 'routes started')
    small().stopRoute('Beta')
    small().stopRoute('Gamma')
  })

  it('downloads a report, for users who may write only', async () => {
    const page = await open(['reader'])
    await says(row('Alpha', 'Only to look'), /\S/)
    const of = block('Only to look')
    await of.getByRole('button', { name: 'more', exact: true }).click()
    const report = of.getByRole('button', { name: 'Report', exact: true })
    const logins = small().logins
    const [file] = await Promise.all([page.waitForEvent('download'), report.click()])
    file.suggestedFilename().should.match(/^media-gateway-report-[\d-]+\.json$/)
    await says(message(), 'Report: media-gateway-report-')
    should(small().logins).equal(logins + 1)
    await takePicture(page, 'sidebar-report')
    await message().getByRole('button', { name: 'close' }).click()
    await page.evaluate(() => {
      RED.settings.user = { permissions: 'read' }
    })
    await until(async () => !(await report.isVisible()))
    await page.evaluate(() => {
      delete RED.settings.user
    })
  })

  it('restarts a route', async () => {
    await open(['gateway'])
    if (small().route('Alpha')!.state !== 'running') small().startRoute('Alpha')
    await says(row('Alpha'), 'running · dest. 2/2')
    await row('Alpha').click()
    small().clearJournal()
    await details().getByRole('button', { name: 'restart Alpha' }).click()
    await says(question(), 'Restart route “Alpha” on Studio?')
    await says(question(), /go(es)? off the air until the route runs again/)
    await question().getByRole('button', { name: 'Restart route' }).click()
    await says(row('Alpha'), 'restarting …')
    await says(row('Alpha'), 'running · dest. 2/2')
    const sent = commands(small()).map((body) => (body as { command: string }).command)
    should(sent).eql(['stop-route', 'start-route'])
  })

  it('shows how a route is protected, and switches after a question', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    const failover: Partial<Failover> = { state: 'normal', inUse: 'main', held: false }
    let number = 0
    const change = async (now: Partial<Failover> & { inMs?: number }) => {
      Object.assign(failover, now)
      const isNew = ++number
      await pretend(page, (state) => {
        // As if it was new each time.
        state.version = isNew + Math.random()
        const routeId = small().route('Alpha')!.id
        const deviceId = small().devices[0]!._id.toUpperCase()
        const due = now.inMs === undefined ? {} : { due: state.now + now.inMs }
        const one = {
          id: 'f1',
          name: 'Guard',
          routes: [{ deviceId, routeId }],
          ...failover,
          ...due,
        }
        state.failovers = [one]
      })
    }
    const sent: object[] = []
    await page.route('**/media-gateway/failover', async (route) => {
      sent.push(route.request().postDataJSON() as object)
      const isRefused = sent.length === 4
      const json = isRefused ? { code: 'CONFLICT', message: 'It is busy.' } : { ok: true }
      await route.fulfill({ status: isRefused ? 502 : 200, json })
    })
    const badge = row('Alpha').locator('.media-gateway-sidebar-badge')
    await change({})
    await says(badge, 'main')
    should(await badge.getAttribute('data-sign')).equal('ok')
    await row('Alpha').click()
    const offered = () => details().locator('[data-failover]').allTextContents()
    should(await offered()).eql(['to backup', 'hold'])

    await details().getByRole('button', { name: 'to backup' }).click()
    await says(question(), 'Switch route “Alpha” on Studio to backup?')
    await says(question(), 'All destinations are interrupted for a moment.')
    should(sent).eql([])
    await question().getByRole('button', { name: 'Switch to backup' }).click()
    await until(() => sent.length === 1)
    should(sent[0]).eql({ id: 'gateway', failoverId: 'f1', action: 'backup' })

    await change({ state: 'wait-to-restore', inUse: 'backup', inMs: 200_000 })
    await says(badge, /^backup, [34] min$/)
    should(await badge.getAttribute('data-sign')).equal('warning')
    should(await offered()).eql(['to main', 'hold'])
    await details().getByRole('button', { name: 'hold' }).click()
    await until(() => sent.length === 2)
    await change({ state: 'protecting', held: true })
    await says(badge, 'held: backup')
    should(await badge.getAttribute('data-sign')).equal('stopped')
    should(await offered()).eql(['release'])
    await details().getByRole('button', { name: 'release' }).click()
    await says(question(), 'The failover may switch the source immediately.')
    await question().getByRole('button', { name: 'Release' }).click()
    await until(() => sent.length === 3)

    await change({ state: 'no-protection', inUse: 'main', held: false })
    await says(badge, 'no protection')
    should(await badge.getAttribute('data-sign')).equal('critical')
    await says(details(), 'no protection: main failed')
    await details().getByRole('button', { name: 'hold' }).click()
    await says(message(), 'Alpha: It is busy.')
    editor().complaints.length = 0
    await change({ state: 'no-protection', inUse: 'main', reason: 'both-bad' })
    await says(details(), 'no protection: main and backup failed')
    await change({ state: 'normal', inUse: 'main', reason: 'backup-bad' })
    await says(badge, 'main, no protection')
    should(await badge.getAttribute('data-sign')).equal('warning')
    await says(details(), 'main in use, no protection: backup failed')
    await change({ state: 'protecting', inUse: 'backup', manual: true, reason: undefined })
    await says(details(), 'backup in use, chosen by hand')
    should(await offered()).eql(['to main', 'hold', 'release'])
    const differs = { main: ['networkInterface'], backup: ['address', 'port'] }
    await change({ state: 'foreign', inUse: 'other', manual: false, differs })
    await says(details(), 'another source in use: networkInterface differs')
    await change({ state: 'unknown', inUse: undefined, reason: 'unknown', differs: undefined })
    await says(badge, 'unknown')
    should(await offered()).eql(['hold'])
    await change({ reason: 'not-started' })
    await says(badge, 'not started')
    should(await offered()).eql([])
    // Without a route it is listed above the routes.
    await change({ routes: [], name: 'Lost' })
    await says(page.locator('.media-gateway-sidebar-unplaced'), /Lost.*not started/)
    delete failover.routes
    await change({ state: 'normal', inUse: 'main', reason: undefined })
    await says(badge, 'main')
    await says(details(), 'main in use')
    // Who may only read is offered none of it.
    await page.evaluate(() => (RED.settings.user = { username: 'x', permissions: 'read' }))
    await until(async () => (await offered()).length === 0)
    should(await details().getByRole('button').allTextContents()).eql(['✕', 'copy ID'])
  })

  for (const theme of ['light', 'dark'] as const) {
    it(`shows failovers that do not protect, also one without a route, to be read: ${theme}`, async () => {
      const page = await open(['gateway'], { theme })
      await says(row('Alpha'), 'running')
      const deviceId = small().devices[0]!._id
      const on = (name: string) => [{ deviceId, routeId: small().route(name)!.id }]
      const failovers = [
        { name: 'A', routes: on('Alpha'), state: 'normal', inUse: 'main', reason: 'backup-bad' },
        {
          name: 'B',
          routes: on('Beta'),
          state: 'normal',
          inUse: 'main',
          held: true,
          reason: 'held',
        },
        { name: 'C', routes: [], state: 'unknown', reason: 'unknown', failure: NOT_FOUND },
      ]
      await pretend(page, (state) => {
        state.version = Math.random()
        state.failovers = failovers.map((one, index) => ({ id: `f${index}`, ...one })) as never
      })
      const unplaced = page.locator('.media-gateway-sidebar-unplaced')
      await says(unplaced, 'failover C')
      await says(unplaced, 'There is no route "Studio C".')
      // Its sign stands below those of the routes.
      const signs = [unplaced, row('Alpha')].map((one) =>
        one.locator('.media-gateway-sidebar-mark').first().boundingBox(),
      )
      const [unplacedX, routeX] = (await Promise.all(signs)).map((box) => box!.x)
      should(unplacedX).be.approximately(routeX!, 2)
      await row('Alpha').click()
      await says(details(), 'main in use, no protection: backup failed')
      await says(row('Beta'), 'held: main')
      await takePicture(page, `sidebar-failovers-${theme}`)
      should(await page.locator('.media-gateway-sidebar').evaluate(faintTexts)).eql([])
    })
  }

  it('makes nodes of routes: dragged into the flow, with a click, and with the keyboard', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    const made = (type: string) =>
      page.evaluate((wanted) => {
        return RED.nodes.filterNodes({ type: `media-gateway-${wanted}` }).map((node) => {
          const { gateway, route, routeType, action, x } = node
          return { gateway, route, routeType, action, x }
        })
      }, type)
    const chart = page.locator('#red-ui-workspace-chart')
    await row('Alpha').hover()
    await page.mouse.down()
    // The place for drops comes up under the pointer, which then has to move again.
    for (const x of [480, 470, 460]) await page.mouse.move(x, 300)
    await page.mouse.up()
    // The editor has it at the pointer, as any flow that is dropped: a click places it.
    await chart.click({ position: { x: 210, y: 160 }, force: true })
    await until(async () => (await made('control-route')).length === 1)
    const about = { gateway: 'gateway', route: 'Alpha', routeType: 'name' }
    should((await made('control-route'))[0]).containEql({ ...about, action: 'start' })

    await row(HOSTILE).click()
    await details().getByRole('button', { name: 'watch', exact: true }).click()
    await chart.click({ position: { x: 300, y: 300 }, force: true })
    await until(async () => (await made('watch')).length === 1)
    should((await made('watch'))[0]).containEql({ ...about, route: HOSTILE })

    await details().getByRole('button', { name: 'control', exact: true }).focus()
    await page.keyboard.press('Enter')
    await until(async () => (await made('control-route')).length === 2)
    should((await made('control-route'))[1]!['x']).be.above(50)
    should(await page.evaluate(() => RED.nodes.dirty())).be.true()
    await says(page.locator('.media-gateway-sidebar-spoken'), 'node added to the flow')
    should(await focused(page)).equal('control')
  })

  it('makes no node where the dialog would not offer its gateway, and says why', async () => {
    const tab = { id: 'news', type: 'tab', label: 'News' }
    await deploy([tab, sidebar.gateway('scoped', 'Scoped', small(), { z: 'news' })])
    const page = await open(['scoped'])
    await says(row('Alpha', 'Scoped'), 'running')
    await row('Alpha', 'Scoped').click()
    const watch = details().getByRole('button', { name: 'watch', exact: true })
    await watch.press('Enter')
    await says(message(), 'limited to the flow “News”')
    await message().getByRole('button', { name: 'close' }).click()
    await row('Alpha', 'Scoped').hover()
    await page.mouse.down()
    for (const x of [480, 470, 460]) await page.mouse.move(x, 300)
    await page.mouse.up()
    await says(message(), 'limited to the flow “News”')
    const made = () =>
      page.evaluate(() => RED.nodes.filterNodes({ type: 'media-gateway-watch' }).length)
    should(await made()).equal(0)

    await page.evaluate(() => RED.workspaces.show('news'))
    await watch.press('Enter')
    await until(async () => (await made()) === 1)
    await deploy()
  })
})
