// Pickers for device, route and destination: what they show, and how a user chooses.
import { startSimulator } from '../../simulator'
import { afterThisTest } from '../support/hooks'
import type { EditorRED } from '../support/editor'
import { withPickers } from './pickers-page'

declare const RED: EditorRED

withPickers('the pickers: what they offer', (pickers) => {
  const { editor, page, studio, several, lookups, open, addGateway } = pickers
  const { openNew, row, field, line, option, options, chosen } = pickers
  const { typed, says, settled, expectFailed, shoot } = pickers

  /** As the form shows it: its ID tells nobody anything. */
  const addressOf = (name: string): string => {
    const { protocol, address, port } = studio().route(name)!.source
    return `${String(protocol).toUpperCase()} ${String(address)}:${String(port)}`
  }

  it('tell what a saved ID is, and where a saved name comes from', async () => {
    await editor().openForm('known')
    await says('route', 'Studio A, running')
    should(await field('route').inputValue()).equal(studio().route('Studio A')!.id)
    should(await page().getByRole('combobox', { name: 'Route' }).count()).equal(1)
    await editor().press('ok')

    await editor().openForm('named')
    await says('route', `stopped · ${addressOf('Weather desk')}`)
    await editor().press('ok')

    await editor().openForm('watch')
    await says('route', /^running · /)
    await editor().press('ok')
    should(lookups().map(({ connection }) => connection)).eql([
      { id: 'gateway' },
      { id: 'gateway' },
      { id: 'gateway' },
    ])
  })

  it('keep an ID that they do not know', async () => {
    await editor().openForm('unknown')
    await says('route', 'Not on the gateway; the value is kept.')
    await editor().press('ok')
    should(await editor().exported('unknown')).containEql({ route: 'gone', routeType: 'id' })
  })

  it('leave a node as it is when its dialog is opened and closed', async () => {
    for (const id of ['plain', 'known', 'named', 'unknown', 'far', 'target', 'one-of-three']) {
      const before = await editor().exported(id)
      await editor().openForm(id)
      await editor().press('ok')
      await editor().openForm(id)
      await settled()
      await editor().press('ok')
      should(await editor().exported(id)).eql(before)
      should(await editor().state(id)).containEql({ changed: false })
    }
    should(await page().evaluate(() => RED.nodes.dirty())).be.false()
    expectFailed(2)
  })

  it('are worked by the keyboard alone', async () => {
    const id = await openNew()
    await typed('route', 'id')
    await says('route', 'Routes to choose from: 8')
    const input = field('route')
    await input.focus()
    await page().keyboard.press('ArrowDown')
    should(await options()).have.length(8)
    should(await input.getAttribute('aria-expanded')).equal('true')
    await page().keyboard.press('Escape')
    should(await options()).eql([])
    should(await input.getAttribute('aria-expanded')).equal('false')

    await page().keyboard.type('hall')
    should(await options()).eql(['City hall', 'Concert hall'])
    should(await chosen()).equal('City hall')
    await page().keyboard.press('ArrowDown')
    should(await chosen()).equal('Concert hall')
    await page().keyboard.press('ArrowDown')
    should(await chosen()).equal('City hall')
    await page().keyboard.press('ArrowUp')
    should(await chosen()).equal('Concert hall')
    should(await input.inputValue()).equal('hall')
    await page().keyboard.press('Enter')
    should(await options()).eql([])
    should(await input.inputValue()).equal(studio().route('Concert hall')!.id)
    await says('route', 'Concert hall, stopped')
    should(lookups().length).equal(1)
    await editor().press('ok')
    should(await editor().exported(id)).containEql({
      route: studio().route('Concert hall')!.id,
      routeType: 'id',
    })
  })

  it('save the name where the type is the name', async () => {
    const id = await openNew()
    await typed('route', 'name')
    await says('route', 'Routes to choose from: 8')
    await field('route').pressSequentially('stadium')
    await page().keyboard.press('Enter')
    await says('route', `running · ${addressOf('Stadium North')}`)
    await editor().press('ok')
    should(await editor().exported(id)).containEql({ route: 'Stadium North', routeType: 'name' })
  })

  it('begin empty, not with the name of a message property', async () => {
    const before = await editor().exported('plain')
    await editor().openForm('plain')
    for (const kind of ['id', 'name']) {
      await typed('route', kind)
      await says('route', 'Routes to choose from: 8')
    }
    await typed('route', 'msg')
    should(await field('route').inputValue()).equal('routeId')
    await typed('route', 'flow')
    should(await field('route').inputValue()).equal('routeId')
    await typed('route', 'msg')
    await editor().press('ok')
    should(await editor().exported('plain')).eql(before)
    should(await editor().state('plain')).containEql({ changed: false })
  })

  it('say how many routes the pattern of a watch fits', async () => {
    const before = await editor().exported('watch')
    await editor().openForm('watch')
    await says('route', /^running · /)
    await typed('route', 'pattern')
    // A name is a pattern that only this name fits.
    await says('route', 'Matches 1 route: Studio A')
    should(await field('route').getAttribute('role')).equal(null)
    should(await row('route').locator('.media-gateway-picker-open').isVisible()).be.false()
    await field('route').fill('*ST*')
    await says('route', 'Matches 2 routes: Stadium North, Studio A')
    await field('route').fill('Studoi*')
    await says('route', 'No route matches.')
    should(await line('route').locator('.media-gateway-sign-warning').count()).equal(1)
    await field('route').fill('*')
    await says('route', /^Matches 8 routes: .*, …$/)
    await field('route').click()
    should(await options()).eql([])
    should(lookups()).have.length(1)
    await editor().press('cancel')
    should(await editor().exported('watch')).eql(before)
  })

  it('translate an ID to its name, and back', async () => {
    const { id } = studio().route('Studio A')!
    await editor().openForm('known')
    await says('route', 'Studio A, running')
    await typed('route', 'name')
    should(await field('route').inputValue()).equal('Studio A')
    await typed('route', 'id')
    should(await field('route').inputValue()).equal(id)
    await says('route', 'Studio A, running')

    await field('route').fill('nobody knows it')
    await typed('route', 'name')
    should(await field('route').inputValue()).equal('')
    should(await field('route').evaluate((each) => each === document.activeElement)).be.true()
    await typed('route', 'id')
    should(await field('route').inputValue()).equal('nobody knows it')
    await editor().press('cancel')
  })

  it('do not choose one of several that have the name', async () => {
    studio().renameRoute('OB van 3', 'Weather desk')
    await editor().openForm('named')
    await says('route', 'This name is used 2 times: choose by ID.')
    await typed('route', 'id')
    should(await field('route').inputValue()).equal('')
    await typed('route', 'name')
    should(await field('route').inputValue()).equal('Weather desk')
    await editor().press('cancel')
    const [, double] = studio().routes.filter(({ name }) => name === 'Weather desk')
    studio().renameRoute(double!.id, 'OB van 3')
  })

  it('do not take the place in a message for a name', async () => {
    await openNew({ route: 'payload.data[0]', routeType: 'msg' })
    await typed('route', 'name')
    should(await field('route').inputValue()).equal('')
    await says('route', 'Routes to choose from: 8')
    await typed('route', 'msg')
    should(await field('route').inputValue()).equal('payload.data[0]')
    await editor().press('cancel')
  })

  it('choose nothing by themselves: what is typed stays', async () => {
    await openNew()
    await typed('route', 'name')
    await says('route', 'Routes to choose from: 8')
    await field('route').pressSequentially('Studio')
    should(await chosen()).equal('Studio A')
    await page().keyboard.press('Tab')
    should(await field('route').inputValue()).equal('Studio')
    await says('route', 'Not on the gateway; the value is kept.')

    await field('route').fill('nothing like it')
    should(await page().locator('.media-gateway-picker-remark').innerText()).equal(
      'Nothing matches what you typed.',
    )
    await page().keyboard.press('Enter')
    should(await field('route').inputValue()).equal('nothing like it')

    await typed('route', 'id')
    await field('route').fill('Studio A')
    await says('route', 'This is a name, not an ID: choose from the list.')
    await field('route').fill('${ROUTE}')
    await says('route', 'An environment variable sets this value when the flow starts.')
    should(lookups().length).equal(1)
    await editor().press('cancel')
  })

  it('warn of a name that several routes have', async () => {
    studio().renameRoute('OB van 3', 'Weather desk')
    await editor().openForm('named')
    await says('route', 'This name is used 2 times: choose by ID.')
    await editor().press('ok')
    studio().renameRoute('Weather desk', 'OB van 3')
  })

  it('offer the destinations of the route that is chosen', async () => {
    await editor().openForm('target')
    await says('destination', 'Destinations to choose from: 5')
    await page().locator('.media-gateway-picker-open:visible').last().click()
    should(await options()).have.length(5)
    await option('Stadium North reserve').click()
    await says('destination', 'Stadium North reserve, switched off')
    await field('route').fill('Weather desk')
    await says('destination', 'The route has no destinations.')
    await field('route').fill('nowhere')
    await says('destination', 'No list available: the gateway does not have this route.')
    await field('route').fill('')
    await says('destination', 'Choose a route to see a list.')
    await typed('route', 'msg')
    await says('destination', 'No list available: the flow selects the route when it runs.')
    should(lookups().length).equal(1)
    await editor().press('cancel')
  })

  it('know several devices', async () => {
    await editor().openForm('one-of-three')
    const [first, second] = several().devices
    await says('device', `${second!.name}, Online`)
    const [route] = second!.routes
    await says('route', `${route!.name}, stopped`)
    should(lookups().map(({ deviceId }) => deviceId)).eql([second!._id])

    await field('device').fill('unheard of')
    await page().keyboard.press('Tab')
    await says('device', 'Not on the gateway; the value is kept.')
    await says('route', 'No list available: the gateway does not have this device.')
    await typed('device', 'msg')
    await says('route', 'No list available: the flow selects one of 3 devices when it runs.')
    should(lookups().length).equal(1)

    await typed('device', 'id')
    await field('device').fill(first!._id)
    await page().keyboard.press('Tab')
    await says('route', 'Not on the gateway; the value is kept.')
    should(lookups().length).equal(2)
    await editor().press('cancel')
  })

  it('show many routes in part, until one types', async () => {
    const many = await startSimulator({ routes: 250 })
    afterThisTest(() => many.stop())
    await addGateway('many', many)
    await openNew({ gateway: 'many', route: '', routeType: 'id' })
    await says('route', 'Routes to choose from: 250')
    await field('route').click()
    should(await options()).have.length(100)
    should(await page().locator('.media-gateway-picker-remark').innerText()).equal(
      'and 150 more: type part of the name',
    )
    const names = many.routes.map(({ name }) => name)
    const inOrder = [...names].sort(new Intl.Collator('en', { numeric: true }).compare)
    should(await options()).eql(inOrder.slice(0, 100))
    await field('route').pressSequentially(many.routes[200]!.id.slice(0, 8))
    should(await options()).eql([many.routes[200]!.name])
    await editor().press('cancel')

    // The present value is shown and marked wherever it stands.
    await openNew({ gateway: 'many', route: inOrder[240], routeType: 'name' })
    await says('route', /^(running|stopped) · /)
    await field('route').click()
    should(await options()).eql([...inOrder.slice(0, 100), inOrder[240]])
    should(await chosen()).equal(inOrder[240])
    await editor().press('cancel')
  })

  it('show addresses, and find by them, but never an ID that nobody reads', async () => {
    await openNew({ route: '', routeType: 'name' })
    await says('route', 'Routes to choose from: 8')
    await field('route').click()
    const list = page().locator('.media-gateway-picker-list:visible')
    const shown = await list.innerText()
    should(shown).containEql(addressOf('Stadium North'))
    for (const { id } of studio().routes) should(shown).not.containEql(id)
    const [, place] = addressOf('Stadium North').split(' ')
    await field('route').pressSequentially(place!)
    should(await options()).eql(['Stadium North'])
    await editor().press('cancel')
  })

  it('put names into the page as text', async () => {
    const route = studio().route('Harbour camera')!
    const markup = '<img src=x class="from-appliance">'
    studio().renameRoute(route.id, markup)
    await openNew({ route: route.id, routeType: 'id' })
    await says('route', `${markup}, stopped`)
    await field('route').click()
    should(await options()).containEql(markup)
    should(await page().locator('.from-appliance').count()).equal(0)
    studio().renameRoute(route.id, 'Harbour camera')
    await editor().press('cancel')
  })

  for (const [language, says0, says1] of [
    ['de', 'Studio A, läuft', 'Routen zur Auswahl: 8'],
    ['ja', 'Studio A, 実行中', '選択できるルート: 8件'],
  ] as const) {
    it(`speak the language of the editor: ${language}`, async () => {
      await open({ language })
      await editor().openForm('known')
      await says('route', says0)
      await field('route').fill('')
      await says('route', says1)
      await field('route').click()
      await shoot(`list-${language}`)
      await editor().press('cancel')
    })
  }

  for (const theme of ['light', 'dark'] as const) {
    it(`look as they should, ${theme}`, async () => {
      await open({ theme })
      const error = studio().route('City hall')!
      error.summaryStatusCode = 'error'
      studio().route('Stadium North')!.summaryStatusCode = 'warn'
      await editor().openForm('known')
      await says('route', /Studio A/)
      await shoot(`known-${theme}`)
      await field('route').click()
      await page().keyboard.press('ArrowDown')
      await shoot(`list-${theme}`)
      await editor().press('cancel')
      await editor().openForm('target')
      await says('destination', /5/)
      await shoot(`destination-${theme}`)
      await field('destination').click()
      await shoot(`destination-list-${theme}`)
      await editor().press('cancel')
      await editor().openForm('far')
      await says('route', /refused/)
      await shoot(`offline-${theme}`)
      await editor().press('cancel')
      expectFailed(1)
    })
  }
})
