// The sidebar: commands, the questions before them, and their outcome.
import { until } from '../support/until'
import { focused, pretend, withSidebar } from './sidebar-page'

declare const RED: { settings: { user?: object } }

withSidebar('the sidebar: commands', (sidebar) => {
  const { editor, small, gateway, deploy, open, block, head } = sidebar
  const { row, facts, message, details, question, says, commands } = sidebar

  it('stops and starts a route, after a question', async () => {
    const page = await open(['gateway'])
    const { id } = small().route('Alpha')!
    await says(row('Alpha'), 'running')
    small().clearJournal()

    await row('Alpha').getByRole('button', { name: 'stop Alpha' }).click()
    await says(question(), 'Stop route “Alpha” on Studio?')
    await says(question(), '2 destinations go off the air.')
    should(await focused(page)).equal('Cancel')
    await page.keyboard.press('Enter')
    await question().waitFor({ state: 'detached' })
    should(await focused(page)).equal('stop Alpha')
    await page.keyboard.press('Enter')
    await question().waitFor()
    await page.keyboard.press('Escape')
    await question().waitFor({ state: 'detached' })
    should(commands(small())).eql([])

    await row('Alpha').getByRole('button').click()
    await question().getByRole('button', { name: 'Stop route' }).click()
    await says(row('Alpha'), 'stopping …')
    await says(row('Alpha'), 'stopped')
    should(small().route('Alpha')!.state).equal('idle')
    should(commands(small())).have.length(1)
    should(commands(small())[0]).containDeep({ command: 'stop-route', parameters: { routeID: id } })
    await says(page.locator('.media-gateway-sidebar-spoken'), 'Alpha: stopped')

    await row('Alpha').getByRole('button', { name: 'start Alpha' }).click()
    await says(question(), '2 destinations go on the air.')
    await question().getByRole('button', { name: 'Start route' }).click()
    await says(row('Alpha'), 'running')
    should(commands(small())).have.length(2)
  })

  it('shows what a command has brought about without waiting for the next poll', async () => {
    // Nobody looks again for an hour: its outputs are there as soon as the route runs.
    small().setOptions({ settleDelay: 0 })
    await deploy([gateway('calm', 'Calm', small(), { pollInterval: 3600 })])
    await open(['calm'])
    await says(row('Alpha', 'Calm'), 'running')
    await row('Alpha', 'Calm').getByRole('button').click()
    await question().getByRole('button', { name: 'Stop route' }).click()
    await says(row('Alpha', 'Calm'), 'stopped')
    await row('Alpha', 'Calm').getByRole('button').click()
    await question().getByRole('button', { name: 'Start route' }).click()
    await says(row('Alpha', 'Calm'), 'running')
    small().setOptions({ settleDelay: 30 })
    await deploy()
  })

  it('shows a chosen route in detail, and starts and stops its destinations', async () => {
    const page = await open(['gateway'])
    await row('Alpha').click()
    const route = small().route('Alpha')!
    const lines = details().getByRole('listitem').first().locator('.media-gateway-sidebar-summary')
    await says(details(), 'source: connected')
    should(await lines.allTextContents()).eql(['source: connected', 'UDP 239.1.1.1:5000'])
    should(await details().getByRole('listitem').count()).equal(4)
    await says(details().getByRole('listitem').filter({ hasText: 'Alpha reserve' }), 'switched off')
    small().clearJournal()

    await details().getByRole('button', { name: 'stop Alpha web' }).click()
    await says(question(), 'Stop destination “Alpha web” of route “Alpha” on Studio?')
    await question().getByRole('button', { name: 'Stop destination' }).click()
    await says(details().getByRole('listitem').filter({ hasText: 'Alpha web' }), 'switched off')
    should(
      small()
        .route('Alpha')!
        .destinations.map(({ started }) => started),
    ).eql([true, false, false])
    await details().getByRole('button', { name: 'start Alpha web' }).click()
    await question().getByRole('button', { name: 'Start destination' }).click()
    await details().getByRole('button', { name: 'stop Alpha web' }).waitFor()
    await says(row('Alpha'), 'dest. 2/2')
    should(commands(small())).have.length(2)

    await details().getByRole('button', { name: 'copy ID' }).click()
    const search = block('Studio').getByLabel('name or ID')
    await search.focus()
    await page.keyboard.press('ControlOrMeta+V')
    should(await search.inputValue()).equal(route.id)
    await details().getByRole('button', { name: 'close' }).click()
    should(await details().isVisible()).be.false()
  })

  it('shows why a command was refused, and takes a question back that has answered itself', async () => {
    await open(['gateway'])
    await says(row('Alpha'), 'running')
    const mend = small().fault({ kind: 'status', status: 403, match: { action: 'stop-route' } })
    await row('Alpha').getByRole('button').click()
    await question().getByRole('button', { name: 'Stop route' }).click()
    await says(editor().page.getByRole('alert'), /^Alpha: \S/)
    await says(row('Alpha'), 'running')
    // The browser tells of every answer that is a refusal.
    should(editor().complaints.splice(0).join()).match(/^console: Failed to load resource/)
    mend()

    await row('Beta').getByRole('button').click()
    await says(question(), 'One destination goes on the air.')
    small().startRoute('Beta')
    await question().waitFor({ state: 'detached' })
    await says(row('Beta'), 'running')
    small().stopRoute('Beta')
    await says(row('Beta'), 'stopped')

    for (const destination of small().route('Beta')!.destinations) destination.started = false
    await until(async () => {
      await row('Beta').getByRole('button').click()
      const said = await question().innerText()
      await question().getByRole('button', { name: 'Cancel' }).click()
      return said.includes('Some destinations may go on the air anyway.')
    })
    for (const destination of small().route('Beta')!.destinations) destination.started = true
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

  it('takes the second click of a double click for no answer', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    small().clearJournal()
    await row('Alpha').getByRole('button').click()
    await question().getByRole('button', { name: 'Stop route' }).click({ clickCount: 2 })
    await question().waitFor({ state: 'detached' })
    await says(row('Alpha'), 'stopped')
    should(commands(small())).have.length(1)
    await row('Alpha').getByRole('button').click()
    const yes = question().getByRole('button', { name: 'Start route' })
    await yes.dispatchEvent('click', { detail: 2 })
    should(await question().count()).equal(1)
    await page.keyboard.press('Escape')
    small().startRoute('Alpha')
    await says(row('Alpha'), 'running')
  })

  it('lets messages go: closed, after a success, on reconnection, and with a deploy', async () => {
    const page = await open(['gateway'])
    const refuse = async () => {
      const mend = small().fault({ kind: 'status', status: 403, match: { action: 'stop-route' } })
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
    small().stopRoute('Beta')

    await refuse()
    await small().stop()
    await says(head('Studio'), 'out of date')
    should(await message().count()).equal(2)
    await message().first().getByRole('button', { name: 'close' }).click()
    should(await message().allTextContents()).matchEach(/^Alpha/)
    await small().start()
    await says(head('Studio'), 'reachable')
    should(await message().count()).equal(0)

    await says(row('Alpha'), /^Alpha(?!.*was).*running/)
    await refuse()
    await deploy()
    await message().waitFor({ state: 'detached' })
    should(editor().complaints.splice(0).join()).match(/Failed to load resource/)
  })

  it('says of a command without a response that it may have been carried out', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    await page.route('**/media-gateway/control', (route) => route.abort())
    await row('Alpha').getByRole('button', { name: 'stop Alpha', exact: true }).click()
    await question().getByRole('button', { name: 'Stop route' }).click()
    await says(
      message(),
      /^Alpha: Node-RED does not respond\. The change may or may not have been applied/,
    )
    await page.unroute('**/media-gateway/control')
    should(editor().complaints.splice(0).join()).match(/Failed to load resource/)
  })

  it('shows no accepted command as under way while nothing is known', async () => {
    const page = await open(['gateway'])
    await says(row('Beta'), 'stopped')
    await page.route('**/media-gateway/control', (route) => route.fulfill({ json: { ok: true } }))
    await row('Beta').getByRole('button').click()
    await question().getByRole('button', { name: 'Start route' }).click()
    await says(row('Beta'), 'starting …')
    await page.route('**/media-gateway/state', (route) => route.abort())
    await says(row('Beta'), 'was stopped')

    small().startRoute('Beta')
    await page.unroute('**/media-gateway/state')
    await page.unroute('**/media-gateway/control')
    await says(row('Beta'), 'running')
    small().stopRoute('Beta')
    await says(row('Beta'), 'stopped')
    editor().complaints.length = 0
  })

  it('shows signs that turn the direction of a text as codes', async () => {
    const beta = small().route('Beta')!
    beta.name = 'Studio \u202eevil Z'
    await open(['gateway'])
    const shown = 'Studio \\u202eevil Z'
    await says(block('Studio'), shown)
    await row(shown)
      .getByRole('button', { name: `start ${shown}` })
      .click()
    await says(question(), `Start route “${shown}” on Studio?`)
    await question().getByRole('button', { name: 'Cancel' }).click()
    beta.name = 'Beta'
  })

  it('offers an Observer no commands', async () => {
    const credentials = { username: 'user', password: 'public' }
    await deploy([gateway('observer', 'As a guest', small(), { credentials })])
    await open(['observer'])
    await says(row('Alpha', 'As a guest'), 'running')
    await says(facts('As a guest'), 'Observer: view only')
    should(await block('As a guest').getByRole('row').getByRole('button').count()).equal(0)
    // Where the role is not known, the appliance decides.
    await pretend(editor().page, (state) => (state.mayControl = true))
    await row('Alpha', 'As a guest').getByRole('button', { name: 'stop Alpha' }).waitFor()
    await deploy()
  })

  it('offers no commands where the config node is read only, or the user may only read', async () => {
    const page = await open(['reader'])
    await says(row('Alpha', 'Only to look'), 'running')
    await says(block('Only to look'), 'read-only')
    const buttons = block('Only to look').getByRole('row').getByRole('button')
    should(await buttons.count()).equal(0)
    await row('Alpha', 'Only to look').click()
    const offered = await details().getByRole('button').allTextContents()
    // Nothing that the gateway would do.
    should(offered.slice(0, 3)).eql(['✕', 'copy ID', 'control'])
    should(offered).not.containEql('restart')

    await page.evaluate(() => (RED.settings.user = { username: 'x', permissions: 'read' }))
    await head('Studio').click()
    await says(row('Alpha'), 'running')
    should(await block('Studio').getByRole('row').getByRole('button').count()).equal(0)
  })
})
