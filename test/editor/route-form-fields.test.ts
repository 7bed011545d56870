// The form of a route: its fields.
import type { Locator } from 'playwright-core'
import { VIEWS, type Properties } from '../support/editor'
import { flawsOf } from '../support/looks'
import { takePicture } from '../support/pictures'
import { place, ROUTES, STRANGE } from './route-definitions'
import { withRouteForm } from './route-form-page'

withRouteForm('the route form: its fields', (routeForm) => {
  const { editor, page, open, openOn, enter, form, source, destination } = routeForm
  const { summaries, member, entry, faultOf, faults, definition, view } = routeForm

  it('shows only the fields that apply, and keeps what was entered in the others', async () => {
    const names = async (scope: Locator) =>
      scope
        .locator('> div > [data-member], > div > details > [data-member]')
        .evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset['member']))
    await openOn('create', '')
    should(await names(source())).eql(['name', 'protocol', 'labels', 'tags'])
    await enter(source(), 'protocol', 'udp')
    should(await names(source())).eql([
      'name',
      'protocol',
      'address',
      'port',
      'networkInterface',
      'sourceAddress',
      'labels',
      'tags',
    ])
    await enter(source(), 'protocol', 'srt')
    should(await names(source())).not.containEql('srtStreamID')
    await enter(source(), 'srtMode', 'caller')
    should(await names(source())).containEql('srtStreamID')
    should(await names(source())).not.containEql('srtFecCols')
    await enter(source(), 'useFec', true)
    should(await names(source())).containEql('srtFecCols')
    await enter(source(), 'srtStreamID', 'live')
    await enter(source(), 'address', '10.0.0.1')
    await enter(source(), 'port', 5000)
    await enter(source(), 'srtGroupMode', 'backup')
    should(await names(source())).not.containEql('address')
    should(await definition()).eql({
      source: {
        protocol: 'srt',
        srtMode: 'caller',
        srtGroupMode: 'backup',
        srtNetworkBondingParams: [{ address: '10.0.0.1', port: 5000 }],
        srtStreamID: 'live',
        useFec: true,
      },
    })
    await enter(source(), 'protocol', 'rtmp')
    should(await definition()).eql({ source: { protocol: 'rtmp' } })
    await enter(source(), 'protocol', 'srt')
    await enter(source(), 'srtGroupMode', '')
    should(await definition()).eql({
      source: {
        protocol: 'srt',
        srtMode: 'caller',
        address: '10.0.0.1',
        port: 5000,
        srtStreamID: 'live',
        useFec: true,
      },
    })
    await enter(source(), 'protocol', '')
    should(await definition()).eql({})
    await editor().press('cancel')
  })

  for (const protocol of ['SRT', 'RTSP']) {
    for (const delay of [0, 150]) {
      it(`chooses ${protocol} by its letters, ${delay} ms apart, and keeps the focus`, async () => {
        await openOn('create', '')
        await entry(source(), 'protocol').focus()
        await page().keyboard.type(protocol, { delay })
        should(await entry(source(), 'protocol').inputValue()).equal(protocol.toLowerCase())
        should(await definition()).eql({ source: { protocol: protocol.toLowerCase() } })
        const focused = page().locator(':focus')
        const first = await entry(source(), 'protocol').getAttribute('id')
        should(await focused.getAttribute('id')).equal(first)
        await page().keyboard.press('Tab')
        should(await focused.evaluate((each) => each.closest('[data-member]') !== null)).be.true()
        should(await focused.getAttribute('id')).not.equal(first)
        await editor().press('cancel')
      })
    }
  }

  it('chooses a protocol by its letters in a destination too', async () => {
    await openOn('create', '{"destinations":[{"name":"out"}]}')
    await form().locator('.media-gateway-route-toggle').click()
    await entry(destination(0), 'protocol').focus()
    await page().keyboard.type('SRT', { delay: 150 })
    should(await definition()).eql({ destinations: [{ name: 'out', protocol: 'srt' }] })
    await entry(destination(0), 'srtPassPhrase').fill('a long pass phrase')
    await destination(0).getByRole('button', { name: 'show' }).click()
    await entry(destination(0), 'srtMode').selectOption('caller')
    // What does not change stays as it is, with what the user has made visible.
    should(await entry(destination(0), 'srtPassPhrase').getAttribute('type')).equal('text')
    await editor().press('cancel')
  })

  it('names the names: of the route, of its source, and of a destination', async () => {
    await openOn('create', '{"destinations":[{"protocol":"udp"}]}')
    await form().locator('.media-gateway-route-toggle').click()
    const labels = await form()
      .locator('[data-member="name"] > label:visible')
      .evaluateAll((all) => all.map((each) => each.firstChild!.textContent))
    should(labels).eql(['Route name', 'Source name', 'Destination name'])
    await editor().press('cancel')
  })

  it('sorts destinations with the mouse and with the keyboard, and removes them', async () => {
    const destinations = ['one', 'two', 'three'].map((each) => ({ name: each, protocol: 'hls' }))
    await openOn('create', JSON.stringify({ name: 'A', destinations }))
    const order = async () =>
      ((await definition())['destinations'] as Properties[]).map((each) => each['name'])
    const up = destination(2).getByRole('button', { name: 'move up' })
    await up.focus()
    await page().keyboard.press('Enter')
    should(await order()).eql(['one', 'three', 'two'])
    await page().keyboard.press('Enter')
    should(await order()).eql(['three', 'one', 'two'])
    await destination(0).getByRole('button', { name: 'move down' }).click()
    should(await order()).eql(['one', 'three', 'two'])

    const handle = destination(0).locator('.red-ui-editableList-item-handle')
    const last = (await destination(2).boundingBox())!
    await handle.hover()
    await page().mouse.down()
    await page().mouse.move(last.x + 10, last.y + last.height - 2, { steps: 10 })
    await page().mouse.up()
    should(await order()).eql(['three', 'two', 'one'])
    should(await summaries()).match([/three/, /two/, /one/])

    await destination(1).getByRole('button', { name: 'remove this destination' }).click()
    should(await order()).eql(['three', 'one'])
    for (let i = 0; i < 2; i++) {
      await destination(0).getByRole('button', { name: 'remove this destination' }).click()
    }
    should(await definition()).eql({ name: 'A', destinations: [] })
    await editor().press('cancel')
  })

  it('masks secrets, and shows them when asked', async () => {
    await openOn('create', '')
    await enter(source(), 'protocol', 'srt')
    await enter(source(), 'srtPassPhrase', 'a long pass phrase')
    const phrase = entry(source(), 'srtPassPhrase')
    should(await phrase.getAttribute('type')).equal('password')
    const show = source().getByRole('button', { name: 'show: Passphrase' })
    await show.click()
    should(await phrase.getAttribute('type')).equal('text')
    should(await show.getAttribute('aria-pressed')).equal('true')
    await show.click()
    should(await phrase.getAttribute('type')).equal('password')
    await enter(source(), 'protocol', 'rtsp')
    should(await entry(source(), 'password').getAttribute('type')).equal('password')
    await editor().press('cancel')
  })

  it('gives its text the name of its row, for a screen reader', async () => {
    await openOn('create', '{}')
    await view('JSON')
    should(await page().getByRole('textbox', { name: 'Definition' }).count()).equal(1)
    await editor().press('cancel')
  })

  it('says where a pass phrase is kept', async () => {
    await openOn('create', '{"source":{"protocol":"srt","srtMode":"caller"}}')
    const hint = member(source(), 'srtPassPhrase').locator('.media-gateway-route-hint')
    should(await hint.textContent()).equal(
      'Saved in the flow as plain text and included in exports. Better: an environment variable, such as ${SRT_NAME}.',
    )
    await enter(source(), 'srtPassPhrase', '••••••')
    should(await hint.textContent()).match(/^The stored value/)
    await editor().press('cancel')
  })

  it('keeps hidden pass phrases in an update, and asks for them in a create', async () => {
    const hidden = {
      name: 'A',
      source: { name: 'in', protocol: 'srt', srtMode: 'caller', ...place, srtPassPhrase: '••••••' },
      destinations: [],
    }
    await openOn('update', JSON.stringify(hidden), { mode: 'keep' })
    should(await faults()).eql([])
    should(await member(source(), 'srtPassPhrase').textContent()).match(/The stored value/)
    await enter(source(), 'port', 5001)
    should(await definition()).containDeep({ source: { srtPassPhrase: '••••••' } })
    await enter(source(), 'srtPassPhrase', '')
    should(await definition()).containDeep({ source: { srtPassPhrase: '' } })
    await editor().press('cancel')
    await openOn('create', JSON.stringify(hidden))
    should(await faultOf(source(), 'srtPassPhrase')).match(/enter it again/)
    await enter(source(), 'srtPassPhrase', 'a long pass phrase')
    should(await faults()).eql([])
    await editor().press('cancel')
  })

  it('has a label for every field, and an id of its own', async () => {
    await openOn('create', JSON.stringify(STRANGE))
    for (const each of await form().locator('summary:visible').all()) await each.click()
    for (const each of await form().locator('.media-gateway-route-toggle').all()) await each.click()
    const inputs = form().locator('input, select, button, a')
    should(await inputs.count()).be.above(30)
    should(
      await inputs.evaluateAll((all) =>
        all
          .filter((each) => {
            const { labels, textContent } = each as HTMLInputElement
            const words = labels?.[0]?.textContent || textContent || each.ariaLabel
            return !words?.trim()
          })
          .map((each) => each.outerHTML),
      ),
    ).eql([])
    const ids = await form()
      .locator('[id]')
      .evaluateAll((all) => all.map(({ id }) => id))
    should(new Set(ids).size).equal(ids.length)
    await editor().press('cancel')
  })

  for (const { language, theme } of VIEWS) {
    it(`looks as it should, ${theme}, ${language}`, async () => {
      await open({ theme, language })
      await openOn(
        'create',
        JSON.stringify({ ...ROUTES[6], title: undefined, name: 'A', later: 1 }),
      )
      for (const each of await form().locator('summary:visible').all()) await each.click()
      await form().locator('.media-gateway-route-toggle').first().click()
      await form().locator('details').last().locator('summary').click()
      for (const width of [500, 700]) {
        await page()
          .locator('.red-ui-tray')
          .last()
          .evaluate((tray, wanted) => {
            tray.style.width = `${wanted}px`
          }, width)
        const body = page().locator('.red-ui-tray-body').last()
        await body.evaluate((each) => {
          for (
            let at: HTMLElement | null = each as HTMLElement;
            at && !at.matches('.red-ui-tray');
            at = at.parentElement
          ) {
            at.style.height = 'auto'
            at.style.overflow = 'visible'
          }
        })
        should(await flawsOf(form())).eql([])
        await page().setViewportSize({ width: 1400, height: 3200 })
        await takePicture(form(), `route-form-${theme}-${language}-${width}`)
        await page().setViewportSize({ width: 1400, height: 900 })
      }
      await editor().press('cancel')
    })
  }
})
