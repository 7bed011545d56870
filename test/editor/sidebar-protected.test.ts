// The sidebar: routes that are protected are marked, and not stopped from here.
import { takePicture } from '../support/pictures'
import { until } from '../support/until'
import { HOSTILE, pretend, withSidebar } from './sidebar-page'

withSidebar('the sidebar: protected routes', (sidebar) => {
  const { editor, small, gateway, deploy, open, block, message, details, question } = sidebar
  const { says, commands } = sidebar
  const row = (name: string) => sidebar.row(name, 'Guarded')
  const lockOf = (name: string) => row(name).getByRole('img', { name: /^protected: / })
  const WHY = 'the route is protected: only a flow with msg.confirmProtected can do this'

  before(() => deploy([gateway('guarded', 'Guarded', small(), { protectedRoutes: 'alpha\nG*' })]))

  it('have a lock, and a button that says why it does nothing', async () => {
    await open(['guarded'])
    await says(row('Alpha'), 'running')
    await lockOf('Alpha').waitFor()
    should(await lockOf('Gamma').count()).equal(1)
    should(await row('Beta').getByRole('img').count()).equal(0)
    should(await lockOf('Alpha').getAttribute('title')).match(/stop and restart are blocked/)

    for (const theme of ['light', 'dark'] as const) {
      await editor().paint(theme)
      await takePicture(block('Guarded'), `sidebar-protected-${theme}`)
    }
    await editor().paint('light')
    small().clearJournal()
    const stop = row('Alpha').getByRole('button', { name: `stop Alpha: ${WHY}` })
    should(await stop.getAttribute('title')).equal(WHY)
    should(await stop.getAttribute('aria-disabled')).equal('true')
    await stop.click({ force: true })
    await row('Alpha').getByText('Alpha', { exact: true }).click()
    for (const name of [`restart Alpha: ${WHY}`, `stop Alpha main: ${WHY}`]) {
      const button = details().getByRole('button', { name })
      should(await button.getAttribute('title')).equal(WHY)
      await button.click({ force: true })
    }
    await takePicture(block('Guarded'), 'sidebar-protected-details')
    should(await question().count()).equal(0)
    const start = details().getByRole('button', { name: 'start Alpha reserve', exact: true })
    should(await start.getAttribute('aria-disabled')).equal('false')
    should(commands(small())).eql([])
    await details().getByRole('button', { name: 'close' }).click()
  })

  it('are started', async () => {
    await row('Gamma').getByRole('button', { name: 'start Gamma', exact: true }).click()
    await question().getByRole('button', { name: 'Start route' }).click()
    await says(row('Gamma'), 'running')
    await row('Gamma')
      .getByRole('button', { name: `stop Gamma: ${WHY}` })
      .waitFor()
  })

  it('are left out when all are stopped, and the question says how many', async () => {
    const button = (name: string) => block('Guarded').getByRole('button', { name, exact: true })
    await button('more').click()
    small().clearJournal()
    await button('stop shown').click()
    await says(question(), `Stop route “${HOSTILE}” on Guarded?`)
    await says(question(), `“${HOSTILE}” goes off the air. Left out (protected): 2.`)
    await takePicture(
      editor().page.locator('.media-gateway-sidebar').first(),
      'sidebar-protected-question',
    )
    await question().getByRole('button', { name: 'Stop route' }).click()
    await until(() => small().route(HOSTILE)!.state === 'idle', 'the stop')
    should(commands(small())).have.length(1)
    await says(row(HOSTILE), 'stopped')
    await button('stop shown').click()
    await says(message(), 'Every running route that is shown is protected.')
    should(await question().count()).equal(0)
    await message().getByRole('button', { name: 'close' }).click()
  })

  it('are refused by Node-RED too, in one sentence', async () => {
    // A sidebar that does not know of the protection yet.
    const page = await open(['guarded'])
    await pretend(page, (state) => {
      for (const route of state.snapshot?.routes ?? []) route.isProtected = false
    })
    small().startRoute('Beta')
    await row('Alpha').getByRole('button', { name: 'stop Alpha', exact: true }).click()
    await question().getByRole('button', { name: 'Stop route' }).click()
    await says(message(), /Alpha: Route "Alpha" is protected by the configuration of the gateway/)
    should(small().route('Alpha')!.state).equal('running')
    // The browser reports the refusal.
    editor().complaints.length = 0
  })
})
