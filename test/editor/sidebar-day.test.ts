// The sidebar that stays open all day: bitrates, trouble first, what happened, many routes.
import should from 'should'
import type { ObservedState } from '../../nodes/gateway/admin/observers'
import { startSimulator } from '../../simulator'
import { takePicture } from '../support/pictures'
import { until } from '../support/until'
import { HOSTILE, faintTexts, focused, pretend, withSidebar } from './sidebar-page'

withSidebar('the sidebar: all day', (sidebar) => {
  const {
    small,
    editor,
    gateway,
    deploy,
    open,
    block,
    row,
    names,
    lists,
    facts,
    details,
    says,
    showTab,
  } = sidebar
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
    small().route('Gamma')!.summaryStatusCode = 'error'
    small().route('Beta')!.summaryStatusCode = 'warn'
    await says(row('Gamma'), 'error')
    should(await names().allTextContents()).eql([HOSTILE, 'Alpha', 'Beta', 'Gamma'])
    await page.mouse.move(10, 10)
    await lists(['Gamma', 'Beta', HOSTILE, 'Alpha'])

    should(await more().getAttribute('aria-expanded')).equal('false')
    await more().click()
    await block('Studio').getByLabel('Order').selectOption('by name')
    await lists([HOSTILE, 'Alpha', 'Beta', 'Gamma'])
    const kept = await page.evaluate(() => localStorage.getItem('media-gateway-sidebar'))
    should(JSON.parse(kept!).order).eql({ gateway: 'name' })
    for (const name of ['Gamma', 'Beta']) small().route(name)!.summaryStatusCode = 'unknown'
  })

  it('lists what happened, newest first, as text', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    await more().click()
    const button = block('Studio').getByRole('button', { name: 'events', exact: true })
    await button.click()
    should(await button.getAttribute('aria-pressed')).equal('true')
    small().stopRoute(HOSTILE)
    await says(events(), HOSTILE)
    small().startRoute(HOSTILE)
    const first = events().getByRole('listitem').first()
    await until(async () => (await events().getByRole('listitem').count()) > 1)
    await says(events(), `${HOSTILE} is running`)
    should(await first.getByRole('time').textContent()).match(/^\d\d:\d\d:\d\d$/)
    should(await page.locator('.media-gateway-sidebar img').count()).equal(0)

    // What somebody reads stays in place.
    await first.hover()
    const read = await events().textContent()
    small().route('Beta')!.summaryStatusCode = 'warn'
    await says(row('Beta'), 'warning')
    should(await events().textContent()).equal(read)
    await page.mouse.move(10, 10)
    await says(first, 'Beta has a warning')
    small().route('Beta')!.summaryStatusCode = 'unknown'
    await button.click()
    should(await events().isVisible()).be.false()
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
        return (await answer.json()) as ObservedState
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
      await block('Studio').getByRole('button', { name: 'events', exact: true }).click()
      small().route('Beta')!.summaryStatusCode = 'warn'
      await says(row('Beta'), 'warning')
      await row('Alpha').click()
      await takePicture(page, `sidebar-day-${theme}`)
      should(await page.locator('.media-gateway-sidebar').evaluate(faintTexts)).eql([])
      small().route('Beta')!.summaryStatusCode = 'unknown'
      await more().focus()
      await page.keyboard.press('Enter')
      should(await focused(page)).equal('more')
      should(editor().complaints).eql([])
    })
  }
})
