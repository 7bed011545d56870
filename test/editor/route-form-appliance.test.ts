// The form of a route: what it offers and warns of, read from the appliance.
import type { Request } from 'playwright-core'
import should from 'should'
import { startSimulator } from '../../simulator'
import { afterThisTest } from '../support/hooks'
import { CONFIG, type EditorRED } from '../support/editor'
import { withRouteForm } from './route-form-page'

declare const RED: EditorRED

withRouteForm('the route form: what the appliance has', (routeForm) => {
  const { editor, page, simulator, openOn, give, form, source, entry, faults, view, definition } =
    routeForm

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
      await openOn('update', '{"source":{"protocol":"udp"}}', { route: name, routeType: 'name' })
      await page().getByText(simulator().routes[0]!.id).first().waitFor()
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
    await says.filter({ hasText: route.id }).waitFor()
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
