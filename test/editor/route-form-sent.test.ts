// The form of a route: what is entered reaches the appliance.
import { ROUTES } from './route-definitions'
import { withRouteForm } from './route-form-page'

withRouteForm('the route form: what it sends', (routeForm) => {
  const { editor, simulator, openOn, enter, enterRoute, run } = routeForm
  const { source, entry, faults, problems, definition } = routeForm

  for (const each of ROUTES) {
    it(`sends what is entered: ${each.title}`, async () => {
      await openOn('create', '')
      await enterRoute(each.title, each)
      should(await faults()).eql([])
      should(await problems()).eql([])
      const wanted = {
        name: each.title,
        source: each.source,
        ...(each.destinations && { destinations: each.destinations }),
      }
      should(await definition()).eql(wanted)
      await editor().press('ok')
      should(await run('create')).eql({ destinations: [], startRoute: false, ...wanted })

      // And shows it again, without a change.
      const saved = await editor().exported('create')
      await editor().openForm('create')
      for (const [name, value] of Object.entries(each.source)) {
        if (Array.isArray(value)) continue
        should(await entry(source(), name).inputValue()).equal(String(value))
      }
      await editor().press('ok')
      should(await editor().exported('create')).eql(saved)
    })
  }

  it('updates a part of a route, and ensures one', async () => {
    const { name } = simulator().routes[0]!
    await openOn('update', '', { mode: 'merge', route: name, routeType: 'name' })
    await enter(source(), 'port', 5123)
    should(await definition()).eql({ source: { port: 5123 } })
    await editor().press('ok')
    should(await run('update')).containDeep({ name, source: { port: 5123 } })

    await openOn('update', '', { mode: 'keep' })
    await enter(source(), 'name', 'in')
    await enter(source(), 'protocol', 'udp')
    await enter(source(), 'address', '239.0.0.1')
    await enter(source(), 'port', 5124)
    await editor().press('ok')
    const wanted = { name: 'in', protocol: 'udp', address: '239.0.0.1', port: 5124 }
    should(await run('update')).containDeep({ name, source: wanted })

    await openOn('ensure', '')
    await enterRoute('Ensured', {
      title: '',
      source: wanted,
      destinations: [{ name: 'out', protocol: 'hls' }],
    })
    await editor().press('ok')
    should(await run('ensure')).containDeep({
      name: 'Ensured',
      source: wanted,
      destinations: [{ name: 'out', protocol: 'hls' }],
    })
  })
})
