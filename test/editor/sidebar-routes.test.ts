// The sidebar: which appliances and routes it shows, and how.
import { startSimulator } from '../../simulator'
import { afterThisTest } from '../support/hooks'
import { cutInFields } from '../support/looks'
import { takePicture } from '../support/pictures'
import { until } from '../support/until'
import { faintTexts, focused, HOSTILE, withSidebar } from './sidebar-page'

withSidebar('the sidebar: appliances and routes', (sidebar) => {
  const { editor, small, gateway, deploy, open, showTab, block, head, row } = sidebar
  const { names, lists, facts, age, message, details, question, says } = sidebar

  it('shows each appliance with its state, its device, and how old that is', async () => {
    await open(['gateway', 'large'])
    await says(head('Studio'), 'reachable')
    await says(head('Network'), 'reachable')
    // A collapsed one is polled once a minute.
    await says(head('Only to look'), 'reachable')
    await says(facts('Studio'), '2 of 4 running')
    await says(age('Studio'), /^\d s ago$/)
    const { name, firmware } = small().devices[0]!
    should(await facts('Studio').locator('xpath=..').getAttribute('title')).equal(
      `reachable · 2 of 4 running · ${name} · firmware ${firmware}`,
    )
    await small().stop()
    await says(head('Studio'), 'out of date')
    const before = parseInt((await age('Studio').textContent())!)
    // Not each second need be drawn while the machine is busy.
    await until(async () => parseInt((await age('Studio').textContent())!) >= before + 2)
    await says(facts('Studio'), '2 of 4 were running')
    should(await names().count()).equal(4)
    await says(message(), /^Studio: .*(refused|reach|connect)/i)
    await small().start()
    await says(head('Studio'), 'reachable')
  })

  it('shows routes with their state, source and destinations, and their names as text', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    await says(row('Alpha'), 'running · dest. 2/2 · off 1')
    await says(row('Beta'), 'stopped · destinations 1')
    await says(row('Gamma'), 'stopped · destinations 0')
    await says(row(HOSTILE), 'running')
    await lists([HOSTILE, 'Alpha', 'Beta', 'Gamma'])
    should(await page.locator('.media-gateway-sidebar img').count()).equal(0)
    should(await row('Alpha').locator('[data-tone]').getAttribute('data-tone')).equal('ok')
    should(await row('Beta').locator('[data-tone]').getAttribute('data-tone')).equal('stopped')

    small().route('Alpha')!.summaryStatusCode = 'warn'
    await says(row('Alpha'), 'route warning · dest. 2/2')
    should(await row('Alpha').locator('[data-tone]').getAttribute('data-tone')).equal('warning')
    small().route('Alpha')!.summaryStatusCode = 'ok'
    await says(row('Alpha'), 'running · dest.')
  })

  it('finds routes by name, ID and state', async () => {
    await open(['gateway'])
    await says(row('Alpha'), 'running')
    const search = block('Studio').getByLabel('name or ID')
    const filter = block('Studio').getByLabel('Which routes')
    await search.fill('ALP')
    await lists(['Alpha'])
    await says(facts('Studio'), 'shown: 1')
    await search.fill(small().route('Beta')!.id.slice(0, 13))
    await lists(['Beta'])
    await search.fill('nothing like it')
    await says(block('Studio'), 'No route matches.')
    await search.press('Escape')
    should(await names().count()).equal(4)
    await filter.selectOption('running')
    await lists([HOSTILE, 'Alpha'])
    await filter.selectOption('idle')
    await lists(['Beta', 'Gamma'])
    await filter.selectOption('with problems')
    await says(block('Studio'), 'No route matches.')
    small().route('Alpha')!.summaryStatusCode = 'error'
    await says(row('Alpha'), 'route error')
    await lists(['Alpha'])
    small().route('Alpha')!.summaryStatusCode = 'ok'
    await says(block('Studio'), 'No route matches.')
  })

  it('keeps 2,000 routes smooth: few rows in the page, all within reach of the keyboard', async () => {
    const many = await startSimulator({ routes: 2000, maxPageSize: 500 })
    afterThisTest(async () => {
      await deploy()
      await many.stop()
    })
    await deploy([gateway('many', 'Hub', many)])
    const page = await open(['many'])
    await says(facts('Hub'), /of 2000 run/)
    should(await block('Hub').getByRole('grid').getAttribute('aria-rowcount')).equal('2000')
    const list = block('Hub').locator('.media-gateway-sidebar-list')
    const count = () => block('Hub').getByRole('row').count()
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
    await block('Hub').getByRole('row').nth(1).focus()
    await page.keyboard.press('End')
    const last = block('Hub').locator('[aria-rowindex="2000"]')
    should(await last.evaluate((one) => one === document.activeElement)).be.true()
    should(await last.isVisible()).be.true()
    await list.evaluate((view) => (view.scrollTop = 0))
    await block('Hub').locator('[aria-rowindex="1"]').waitFor()
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

    const search = block('Hub').getByLabel('name or ID')
    await search.fill('Studio A 77')
    await lists(['Studio A 77'], 'Hub')
    should(await count()).equal(1)
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
      await editor().reload()
      await page.evaluate(() => window.hurry(5))
      await showTab(page, 'media-gateway-sidebar')
      await shown(second!.name)
    } finally {
      await deploy()
      await many.stop()
    }
  })

  for (const [language, words] of Object.entries({
    'en-US': ['reachable', 'running · ', 'stop', 'Stop route “Alpha” on Studio?'],
    de: ['erreichbar', 'läuft · ', 'Stoppen', 'Route „Alpha“ auf Studio stoppen?'],
    ja: ['接続可能', '実行中 · ', '停止', 'Studioのルート「Alpha」を停止しますか？'],
  })) {
    it(`speaks the language of the user: ${language}`, async () => {
      const page = await open(['gateway'], { language })
      await says(head('Studio'), words[0]!)
      await says(row('Alpha'), words[1]!)
      await row('Alpha').getByRole('button', { name: words[2]! }).click()
      await says(question(), words[3]!)
      should(await cutInFields(page.locator('.media-gateway-sidebar'))).eql([])
      const figures = row('Alpha').locator('.media-gateway-sidebar-figures')
      await says(figures, language === 'de' ? /\d,\d.* Mbit/ : /\d\.\d.* Mbit/)
      // As narrow as in Node-RED 5.
      const roomLeft = await figures.evaluate((element) => {
        element.closest<HTMLElement>('.media-gateway-sidebar')!.style.width = '290px'
        const place = element.firstElementChild!
        return place.clientWidth - place.scrollWidth
      })
      should(roomLeft).equal(0, 'the address is cut')
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
      small().route('Alpha')!.summaryStatusCode = 'warn'
      small().fail(HOSTILE, { source: 'disconnected' })
      await says(row(HOSTILE), 'no source')
      await row('Alpha').click()
      await row('Alpha').getByRole('button').click()
      await takePicture(page, `sidebar-${theme}`)
      small().route('Alpha')!.summaryStatusCode = 'ok'
      small().fail(HOSTILE, { source: 'ok' })
      const faint = await page.locator('.media-gateway-sidebar').evaluate(faintTexts)
      should(faint).eql([])
    })
  }
})
