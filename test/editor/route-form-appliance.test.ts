// The form of a route: what it offers and warns of, read from the appliance.
import type { Request } from 'playwright-core'
import { startSimulator } from '../../simulator'
import { afterThisTest } from '../support/hooks'
import { CONFIG, type EditorRED } from '../support/editor'
import { flawsOf } from '../support/looks'
import { takePicture } from '../support/pictures'
import { withRouteForm } from './route-form-page'

declare const RED: EditorRED

withRouteForm('the route form: what the appliance has', (routeForm) => {
  const { editor, page, simulator, openOn, give, form, source } = routeForm
  const { destination, member, entry, faults, view, definition } = routeForm

  it('fills in an existing route', async () => {
    const routes = simulator().routes
    const wanted = routes.find(({ source: { protocol } }) => protocol === 'srt')!
    const fill = async () => {
      await form().getByRole('button', { name: 'Copy from existing route' }).click()
      const choice = form().getByLabel('Route', { exact: true })
      await choice.locator('option').first().waitFor({ state: 'attached' })
      should(await choice.locator('option').count()).equal(simulator().routes.length)
      await form().getByLabel('Search').fill(wanted.name.toUpperCase())
      should(await choice.locator('option').allTextContents()).containEql(wanted.name)
      await choice.selectOption({ label: wanted.name })
      await form().getByRole('button', { name: 'Copy', exact: true }).click()
      await form().locator('.media-gateway-route-note:not(:empty)').waitFor()
    }

    await openOn('update', '', { mode: 'keep', route: wanted.name, routeType: 'name' })
    await fill()
    const filled = await definition()
    should(filled).containDeep({ name: wanted.name, source: { id: wanted.source.id } })
    should(await faults()).eql([])
    await editor().press('cancel')

    await openOn('create', '')
    await fill()
    const copied = await definition()
    should(Object.keys(copied['source'] as object)).not.containEql('id')
    for (const each of copied['destinations'] as object[]) {
      should(Object.keys(each)).not.containEql('id')
    }
    await editor().press('cancel')
  })

  it('shows what a merge changes in the route that is named', async () => {
    const route = simulator().routes.find(({ source: { protocol } }) => protocol === 'srt')!
    const [out] = route.destinations
    await openOn('update', '{"source":{"port":5904}}', {
      mode: 'merge',
      route: route.name,
      routeType: 'name',
    })
    // The fields of its protocol only, each with what the route has.
    await source().getByText(`now: ${route.source.port}`).waitFor()
    should(await member(source(), 'rtmpMode').count()).equal(0)
    should(await member(source(), 'streamName').count()).equal(0)
    should(await entry(source(), 'address').getAttribute('placeholder')).equal(route.source.address)
    should(await entry(source(), 'srtMode').locator('option').first().innerText()).equal(
      'unchanged: Listener',
    )
    should(await entry(source(), 'srtPassPhrase').getAttribute('placeholder')).match(/10/)
    const marked = form().locator('.media-gateway-route-differs')
    should(await marked.count()).equal(1)
    await entry(source(), 'port').fill(String(route.source.port))
    should(await marked.count()).equal(0)

    // Its destinations are rows to pick.
    const offer = form().getByRole('combobox', { name: 'change a destination of the route …' })
    should(await offer.locator('option').count()).equal(1 + route.destinations.length)
    await offer.selectOption({ index: 1 })
    const port = entry(destination(0), 'port')
    should(await port.getAttribute('placeholder')).equal(String(out!.port))
    await port.fill('6904')
    should(await destination(0).getByText(`now: ${out!.port}`).count()).equal(1)
    should((await definition())['destinations']).eql([{ name: out!.name, port: 6904 }])
    should(await offer.isVisible()).equal(route.destinations.length > 1)
    should(await faults()).eql([])
    for (const theme of ['light', 'dark'] as const) {
      await editor().paint(theme)
      should(await flawsOf(page().locator('.media-gateway-form'))).eql([], theme)
      await takePicture(page().locator('.red-ui-tray-body').last(), `update-${theme}`)
    }
    await editor().paint('light')
    await editor().press('cancel')
  })

  it('leaves a form as it is where the message names the route', async () => {
    await openOn('update', '', { mode: 'merge', route: 'routeId', routeType: 'msg' })
    should(await member(source(), 'srtMode').locator('label').innerText()).equal('SRT mode')
    should(await member(source(), 'rtmpMode').locator('label').innerText()).equal('RTMP mode')
    should(await form().getByRole('combobox', { name: 'change a destination' }).count()).equal(0)
    await editor().press('cancel')
  })

  it('offers the adapters of the appliance', async () => {
    await openOn('create', '{"source":{"protocol":"udp"}}')
    const adapter = entry(source(), 'networkInterface')
    await adapter.focus()
    const list = page().locator(`#${await adapter.getAttribute('list')} option`)
    await list.first().waitFor({ state: 'attached' })
    should(await list.evaluateAll((all) => all.map((each) => (each as HTMLOptionElement).value)))
      .be.an.Array()
      .and.not.be.empty()
    await editor().press('cancel')
  })

  it('asks the appliance once for all parts of the form', async () => {
    const asked: string[] = []
    const count = (request: Request) => {
      const [, path] = /\/media-gateway\/(\w+)/.exec(request.url()) ?? []
      if (path) asked.push(path)
    }
    page().on('request', count)
    try {
      const name = simulator().routes[0]!.name
      await openOn('update', '{"source":{"protocol":"udp"}}', {
        mode: 'keep',
        route: name,
        routeType: 'name',
      })
      await page().locator('#media-gateway-picker-says-route').getByText('running').waitFor()
      const adapter = entry(source(), 'networkInterface')
      await adapter.focus()
      await page()
        .locator(`#${await adapter.getAttribute('list')} option`)
        .first()
        .waitFor({ state: 'attached' })
      const button = form().getByRole('button', { name: 'Copy from existing route' })
      await button.click()
      const choice = form().getByLabel('Route', { exact: true })
      await choice.selectOption({ label: name })
      should(asked).eql(['lookup'])
      await form().getByRole('button', { name: 'Copy', exact: true }).click()
      await form().locator('.media-gateway-route-note:not(:empty)').waitFor()
      should(asked).eql(['lookup', 'definition'])

      // Who closes it and comes back wants to see what is there now.
      await button.click()
      await choice.locator('option').first().waitFor({ state: 'attached' })
      should(asked).eql(['lookup', 'definition', 'lookup'])
    } finally {
      page().off('request', count)
    }
    await editor().press('cancel')
  })

  it('lets one choose among several devices to fill in from', async () => {
    const several = await startSimulator({ devices: 3, routes: 4 })
    afterThisTest(() => several.stop())
    const credentials = { username: 'operator', password: 'supervisor' }
    await editor().add({
      id: 'hub',
      type: CONFIG,
      name: 'Hub',
      baseUrl: several.url,
      timeout: 10000,
    })
    await page().evaluate(
      (given) => void Object.assign(RED.nodes.node('hub')!, { changed: true, credentials: given }),
      credentials,
    )
    await openOn('create', '', { gateway: 'hub' })
    await form().getByRole('button', { name: 'Copy from existing route' }).click()
    const [, device] = several.devices
    await form().getByLabel('Device').selectOption({ label: device!.name })
    const choice = form().getByLabel('Route', { exact: true })
    await choice.selectOption({ label: device!.routes[1]!.name })
    await form().getByRole('button', { name: 'Copy', exact: true }).click()
    await form().locator('.media-gateway-route-note:not(:empty)').waitFor()
    should(await definition()).containDeep({ name: device!.routes[1]!.name })
    await editor().press('cancel')
    await give('create', { gateway: 'gateway' })
  })

  it('says which destinations an update will remove', async () => {
    const route = simulator().routes.find(({ destinations }) => destinations.length > 1)!
    const [first, ...others] = route.destinations
    const warning = form().locator('.media-gateway-route-note:not(:empty)')
    const rest = others.map(({ name }) => name).join(', ')
    const many = `${others.length} destination${others.length > 1 ? 's' : ''} will be removed`
    const list = JSON.stringify({ destinations: [first] })
    for (const [routeType, value] of [
      ['name', route.name],
      ['id', route.id],
    ] as const) {
      await openOn('update', list, { route: value, routeType, mode: 'keep' })
      await warning.waitFor()
      should(await warning.allTextContents()).eql([`${many}: ${rest}`])
      await editor().press('cancel')
    }

    await openOn('update', list, { route: route.name, routeType: 'name', mode: 'merge' })
    const says = page().locator('#media-gateway-picker-says-route')
    await says.filter({ hasText: /running|stopped/ }).waitFor()
    should(await warning.count()).equal(0)
    await page().selectOption('#node-input-mode', 'replace')
    should(await warning.allTextContents()).eql([`${many}: ${rest}`])
    await view('JSON')
    should(await warning.allTextContents()).eql([`${many}: ${rest}`])
    await view('Form')
    await form()
      .getByRole('link', { name: 'remove' })
      .or(form().getByRole('button', { name: 'remove this destination' }))
      .first()
      .click()
    should(await warning.textContent()).equal(
      `${others.length + 1} destinations will be removed: ${first!.name}, ${rest}`,
    )
    await page().selectOption('#node-input-mode', 'keep')
    should(await warning.count()).equal(1)
    await editor().press('cancel')

    // Not mentioned at all, they stay, unless all is replaced.
    await openOn('update', '{"name":"B"}', { route: route.id, routeType: 'id', mode: 'keep' })
    await says.filter({ hasText: route.name }).waitFor()
    should(await warning.count()).equal(0)
    await page().selectOption('#node-input-mode', 'replace')
    should(await warning.textContent()).match(/^\d+ destinations will be removed/)
    await editor().fillTyped('route', 'name', 'nobody')
    should(await warning.count()).equal(0)
    await editor().press('cancel')
  })
})
