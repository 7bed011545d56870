// The sidebar that stays open all day: bitrates, trouble first, what happened, many routes.
import type { ApplianceState } from '../../nodes/wire'
import { startSimulator } from '../../simulator'
import { afterThisTest } from '../support/hooks'
import { takePicture } from '../support/pictures'
import { until } from '../support/until'
import { HOSTILE, faintTexts, focused, pretend, withSidebar } from './sidebar-page'

withSidebar('the sidebar: all day', (sidebar) => {
  const { small, editor, gateway, deploy, open, block, row } = sidebar
  const { names, lists, facts, details, says, showTab } = sidebar
  const more = () => block('Studio').getByRole('button', { name: 'more', exact: true })
  const events = () => block('Studio').locator('.media-gateway-sidebar-lately')

  it('shows what each route carries, in all and for each part, and a line of the last minutes', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), /UDP :5000in [\d.]+ · out [\d.]+ Mbit\/s/)
    should(await row('Beta').textContent()).not.match(/Mbit/)
    const line = row('Alpha').locator('svg path')
    await until(async () => ((await line.getAttribute('d')) ?? '').includes('L'))
    await row('Alpha').click()
    await says(details().getByRole('listitem').first(), /[\d.]+ Mbit\/s$/)
    // A new figure takes nothing out of the page that somebody may be about to click.
    await details().evaluate((box) => {
      for (const one of box.querySelectorAll('*')) Object.assign(one, { isFirst: true })
    })
    const rate = details().locator('.media-gateway-sidebar-rate').first()
    const before = await rate.textContent()
    await until(async () => (await rate.textContent()) !== before)
    const fresh = await details().evaluate(
      (box) => [...box.querySelectorAll('*')].filter((one) => !('isFirst' in one)).length,
    )
    should(fresh).equal(0)

    // What is old is not shown as what is carried now.
    await pretend(page, ({ health }) => (health.known!.isOld = true))
    await says(row('Alpha'), 'was running')
    should(await row('Alpha').textContent()).not.match(/Mbit/)
    await page.unroute('**/media-gateway/state')
    await says(row('Alpha'), 'Mbit/s')

    // Opened anew, the line begins with what Node-RED remembers.
    await showTab(page, 'info')
    await editor().reload()
    await showTab(page, 'media-gateway-sidebar')
    await row('Alpha').waitFor()
    should(((await line.getAttribute('d')) ?? '').match(/[ML]/g)!.length).be.aboveOrEqual(2)
  })

  it('puts trouble first, or sorts by name, and moves nothing under the mouse for it', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    await lists([HOSTILE, 'Alpha', 'Beta', 'Gamma'])
    await row('Beta').hover()
    small().route(HOSTILE)!.summaryStatusCode = 'warn'
    small().fail('Alpha', { source: 'disconnected' })
    await says(row('Alpha'), 'no source')
    should(await names().allTextContents()).eql([HOSTILE, 'Alpha', 'Beta', 'Gamma'])
    await page.mouse.move(10, 10)
    await lists(['Alpha', HOSTILE, 'Beta', 'Gamma'])

    should(await more().getAttribute('aria-expanded')).equal('false')
    await more().click()
    await block('Studio').getByLabel('Order').selectOption('by name')
    await lists([HOSTILE, 'Alpha', 'Beta', 'Gamma'])
    const kept = await page.evaluate(() => localStorage.getItem('media-gateway-sidebar'))
    should(JSON.parse(kept!).order).eql({ gateway: 'name' })
    small().fail('Alpha', { source: 'ok' })
    small().route(HOSTILE)!.summaryStatusCode = 'ok'
  })

  it('lists what is wrong, and then what was, as text', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    await more().click()
    const button = block('Studio').getByRole('button', { name: 'incidents', exact: true })
    await button.click()
    should(await button.getAttribute('aria-pressed')).equal('true')
    const first = events().getByRole('listitem').first()
    small().fail(HOSTILE, { source: 'disconnected' })
    await says(first, `${HOSTILE}: no source`)
    should(await first.getAttribute('data-tone')).equal('critical')
    should(await first.getByRole('time').textContent()).match(/^since \d\d:\d\d:\d\d$/)
    should(await page.locator('.media-gateway-sidebar').evaluate(faintTexts)).eql([])

    // What somebody reads stays in place.
    await first.hover()
    const read = await events().textContent()
    small().fail(HOSTILE, { source: 'ok' })
    small().route('Alpha')!.summaryStatusCode = 'warn'
    await says(row('Alpha'), 'route warning')
    should(await events().textContent()).equal(read)
    await page.mouse.move(10, 10)
    await says(first, 'Alpha: route warning')
    should(await first.getAttribute('data-tone')).equal('warning')
    const ended = events()
      .getByRole('listitem')
      .filter({ hasText: `${HOSTILE}: OK again` })
    await ended.first().waitFor()
    should(await ended.first().getAttribute('data-tone')).be.null()
    should(await ended.first().getByRole('time').textContent()).match(
      /^\d\d:\d\d:\d\d, \d+ (s|min)$/,
    )
    should(await page.locator('.media-gateway-sidebar img').count()).equal(0)
    small().route('Alpha')!.summaryStatusCode = 'ok'
    await button.click()
    should(await events().isVisible()).be.false()
  })

  it('shows routes in one line each, and remembers it', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    const tall = (await row('Alpha').boundingBox())!.height
    const button = block('Studio').getByRole('button', { name: 'one line for each route' })
    await button.click()
    should(await button.getAttribute('aria-pressed')).equal('true')
    should((await row('Alpha').boundingBox())!.height).be.below(tall / 2)
    await row('Alpha')
      .getByText(/^in [\d.]+$/)
      .waitFor()
    small().fail('Alpha', { source: 'disconnected' })
    await row('Alpha').getByText('no source', { exact: true }).waitFor()
    should(await row('Alpha').getByText(/^in /).filter({ visible: true }).count()).equal(0)
    // Neither the name nor the reason is cut, however narrow the sidebar.
    await page.locator('.media-gateway-sidebar').evaluate((bar: HTMLElement) => {
      bar.style.width = '180px'
    })
    const cut = await row('Alpha').evaluate(
      (one) =>
        [...one.querySelectorAll('.media-gateway-sidebar-name, b')].filter(
          ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
        ).length,
    )
    should(cut).equal(0)
    const start = row('Beta').getByRole('button', { name: 'start Beta' })
    should((await start.boundingBox())!.width).be.within(24, 32)
    should((await start.boundingBox())!.height).be.aboveOrEqual(24)
    const kept = await page.evaluate(() => localStorage.getItem('media-gateway-sidebar'))
    should(JSON.parse(kept!).compact).eql({ gateway: true })
    await page.locator('.media-gateway-sidebar').evaluate((bar: HTMLElement) => {
      bar.style.width = ''
    })
    small().fail('Alpha', { source: 'ok' })
  })

  it('gives a short list what it needs, and the long one the rest', async () => {
    const page = await open(['gateway', 'large'])
    await says(row('Alpha'), 'running')
    await says(facts('Network'), /of 100 run/)
    await page.mouse.move(10, 10)
    // The panel of Node-RED 5.0 is low at first: there would be nothing to divide.
    const sizePanel = (height: string): Promise<string> =>
      page.locator('.media-gateway-sidebar').evaluate((bar, wanted) => {
        const panel = bar.closest<HTMLElement>('.red-ui-sidebar-section-top')
        const { height: before = '' } = panel?.style ?? {}
        if (panel) panel.style.height = wanted
        return before
      }, height)
    const heightBefore = await sizePanel('840px')
    afterThisTest(() => sizePanel(heightBefore))
    const heights = () =>
      page
        .locator('.media-gateway-sidebar-list')
        .evaluateAll((all) =>
          all.map(({ clientHeight, scrollHeight }) => ({ clientHeight, scrollHeight })),
        )
    const free = () =>
      page
        .locator('.media-gateway-sidebar-scroller')
        .evaluate(({ clientHeight, firstElementChild, lastElementChild }) => {
          const { bottom } = lastElementChild!.getBoundingClientRect()
          return (
            clientHeight - bottom + firstElementChild!.parentElement!.getBoundingClientRect().top
          )
        })
    await until(async () => Math.abs(await free()) < 4, 'the room to be used')
    const [short, long] = await heights()
    should(short!.clientHeight).equal(short!.scrollHeight)
    should(long!.clientHeight).be.above(short!.clientHeight)
  })

  it('links to the page of the gateway where its address is one', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    await more().click()
    const link = block('Studio').getByRole('link')
    should(await link.getAttribute('href')).equal(new URL(small().url).href)
    should(await link.getAttribute('rel')).equal('noopener noreferrer')
    should(await link.getAttribute('target')).equal('_blank')
    await page.route('**/media-gateway/gateways*', async (route) => {
      const reply = await route.fetch()
      const listed = (await reply.json()) as { address: string }[]
      for (const one of listed) one.address = 'javascript:alert(1)'
      await route.fulfill({ json: listed })
    })
    await showTab(page, 'info')
    await showTab(page, 'media-gateway-sidebar')
    await link.waitFor({ state: 'hidden' })
  })

  it('stays quick with 200 routes', async () => {
    const many = await startSimulator({ routes: 200 })
    try {
      await deploy([gateway('many', 'Hub', many)])
      const page = await open(['many'])
      await says(facts('Hub'), /of 200 run/)
      await page.evaluate(() => window.hurry(1))
      // From the answer to the frame that shows it: what a refresh costs the page.
      const state = await page.evaluate(async () => {
        const answer = await fetch('media-gateway/state', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ id: 'many' }),
        })
        return (await answer.json()) as ApplianceState
      })
      should(state.snapshot!.routes).have.length(200)
      const slow = await page.evaluate(async () => {
        const tasks: number[] = []
        const observer = new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries()) tasks.push(duration)
        })
        observer.observe({ entryTypes: ['longtask'] })
        await new Promise((resolve) => setTimeout(resolve, 7000))
        observer.disconnect()
        return tasks
      })
      // A long task is one of more than 50 ms; the machine may be busy.
      should(slow.filter((ms) => ms > 200)).eql([])
      should(await block('Hub').getByRole('row').count()).be.below(40)
    } finally {
      await deploy()
      await many.stop()
    }
  })

  for (const theme of ['light', 'dark'] as const) {
    it(`can be read: ${theme}`, async () => {
      const page = await open(['gateway'], { theme })
      await says(row('Alpha'), 'Mbit/s')
      await more().click()
      await block('Studio').getByRole('button', { name: 'incidents', exact: true }).click()
      small().route(HOSTILE)!.summaryStatusCode = 'warn'
      await says(row(HOSTILE), 'route warning')
      await row('Alpha').click()
      await takePicture(page, `sidebar-day-${theme}`)
      should(await page.locator('.media-gateway-sidebar').evaluate(faintTexts)).eql([])
      small().route(HOSTILE)!.summaryStatusCode = 'ok'
      await more().focus()
      await page.keyboard.press('Enter')
      should(await focused(page)).equal('more')
      should(editor().complaints).eql([])
    })
  }
})
