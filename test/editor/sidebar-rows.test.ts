// The sidebar: nothing moves under the mouse.
import type { Locator } from 'playwright-core'
import { startSimulator } from '../../simulator'
import { takePicture } from '../support/pictures'
import { focused, HOSTILE, pretend, recordPlaces, ROUTES, withSidebar } from './sidebar-page'

declare const recordedPlaces: Set<string>

withSidebar('the sidebar: the place of its rows', (sidebar) => {
  const { editor, gateway, deploy, open, block, head, row, names } = sidebar
  const { lists, facts, age, message, details, question, says, places } = sidebar

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
              message: '',
              sentences: [{ text: 'The gateway does not respond. '.repeat(4) }],
            }
            health.known!.isOld = true
          })
          await says(message(), 'does not respond')
          await page.unroute('**/media-gateway/state')
          await says(head('Still'), 'reachable')
          const all = await page.evaluate(() => [...recordedPlaces])
          const moved = all.filter((place) => {
            const [route, tag] = place.split(' ')
            return all.some((one) => one.startsWith(`${route} ${tag} `) && one !== place)
          })
          should(moved).eql([])
        } finally {
          editor().complaints.length = 0
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
      await lists([HOSTILE, 'Alpha'], 'Own')
      await row('Alpha', 'Own').hover()
      own.route('Alpha')!.name = 'A first one'
      await says(row('A first one', 'Own'), 'running')
      should(await names('Own').allTextContents()).eql([HOSTILE, 'A first one'])
      own.stopRoute(HOSTILE)
      await says(row(HOSTILE, 'Own'), 'stopped')
      own.startRoute('Beta')
      await says(row('Beta', 'Own'), 'running')
      should(await names('Own').allTextContents()).eql([HOSTILE, 'A first one', 'Beta'])

      await page.mouse.move(10, 10)
      // A route that has just started counts as trouble until its source is connected.
      await lists(['A first one', 'Beta'], 'Own')
      await row('A first one', 'Own').focus()
      own.removeRoute('A first one')
      await says(row('A first one', 'Own'), 'no longer exists')
      should(await row('A first one', 'Own').getByRole('button').count()).equal(0)
      should(await names('Own').allTextContents()).eql(['A first one', 'Beta'])
      await filter.focus()
      await lists(['Beta'], 'Own')
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
    const search = block('Studio').getByLabel('name or ID')
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
})

const narrow = (sidebar: Element, width: number): void => {
  ;(sidebar as HTMLElement).style.width = `${width}px`
}
