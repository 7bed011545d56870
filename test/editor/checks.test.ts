// The dialogs: what they report as wrong with a value.
import { CONFIG } from '../support/editor'
import { contains, withDialogs } from './dialogs-page'

withDialogs('the checks in the dialogs', (dialogs) => {
  const { page, openForm, cancel, fillTyped, faults } = dialogs

  // Which values are good is in test/client/model/settings.test.ts.
  it('says what is wrong with a URL, a fingerprint, a number, or an empty value', async () => {
    const sound = { baseUrl: 'https://gateway' }
    const hex = 'a1'.repeat(32)
    for (const [properties, reason] of [
      [{ baseUrl: '' }, 'URL: the URL of the gateway is missing'],
      [{ baseUrl: 'gateway.example.com' }, 'http://'],
      [{ baseUrl: 'https://a b' }, 'not a valid'],
      [{ baseUrl: 'https://user:word@gateway' }, 'their own fields'],
      [{ baseUrl: 'https://gateway/?a=1' }, '? or #'],
      [{ fingerprint: 'a1'.repeat(31) }, '64 hex'],
      [{ timeout: '0' }, 'a whole number from 1 to 600000'],
      [{ concurrency: 101 }, 'a whole number from 1 to 100'],
      [{ pollInterval: '3601' }, 'a number from 1'],
      [{ protectedRoutes: 'On air*\n${STUDIOS}' }, 'the only line'],
      [{ inventoryHosts: '*.example.net\nhttps://oslo.example.net' }, 'without https'],
      [{ inventoryHosts: '${A}\n${B}' }, 'the only line'],
      [{ secretPrefix: 'S' }, 'two or more'],
    ] as const) {
      should(await faults(CONFIG, { ...sound, ...properties })).match(contains(reason))
    }
    for (const properties of [
      { baseUrl: '${GATEWAY_URL}' },
      { fingerprint: hex.toUpperCase() },
      { fingerprint: '${FINGERPRINT}' },
      { timeout: '${TIMEOUT}', concurrency: 1, pollInterval: '${POLL}' },
      { timeout: '', concurrency: '', pollInterval: '' },
      { protectedRoutes: '', secretPrefix: '${PREFIX}' },
      { protectedRoutes: '${ROUTES}', secretPrefix: 'A_' },
      { protectedRoutes: 'On air*\nStudio ?, left' },
      { inventoryHosts: '*.example.net\n10.0.0.*:8443' },
      { inventoryHosts: '${HOSTS}' },
    ]) {
      should(await faults(CONFIG, { ...sound, ...properties })).equal('')
    }
    const update = 'media-gateway-update-route'
    for (const [properties, reason] of [
      [{ route: '', routeType: 'name' }, 'missing'],
      [{ route: '', routeType: 'id' }, 'missing'],
      [{ device: ' ', deviceType: 'id' }, 'missing'],
      [{ definition: '{', definitionType: 'json' }, 'JSON'],
      [{ waitFor: 'applied', waitTimeout: 'soon' }, 'a number from 0.1 to 3600'],
      [{ definition: '{"nmae":"A"}', definitionType: 'json' }, 'nmae: unknown field'],
      [
        { mode: 'merge', definition: '{"source":{"port":0}}', definitionType: 'json' },
        'source.port: a whole number from 1 to 65535',
      ],
    ] as const) {
      should(await faults(update, properties)).match(contains(reason))
    }
    const part = { definition: '{"source":{"port":5000}}', definitionType: 'json' }
    should(await faults(update, { ...part, mode: 'keep' })).match(/source\.name/)
    should(await faults(update, { ...part, mode: 'merge' })).equal('')
    should(await faults(update, { waitFor: 'accepted', waitTimeout: 'soon' })).equal('')
    should(await faults(update, { gateway: '' })).equal('gateway')

    const control = 'media-gateway-control-route'
    const noDestination = { destination: '', destinationType: 'name' }
    should(await faults(control, noDestination)).equal('')
    should(await faults(control, { ...noDestination, target: 'destination' })).match(/missing/)
    should(await faults(control, { waitTimeout: '0' })).equal('')
    for (const action of ['restart', 'msg']) {
      should(await faults(control, { action, waitTimeout: '0' })).match(/a number from 0.1/)
    }
    const statistics = 'media-gateway-statistics'
    const noRoute = { route: '', routeType: 'name' }
    for (const scope of ['route', 'source', 'destination', 'client', 'all']) {
      const ofDestination = ['destination', 'client'].includes(scope)
      should(await faults(statistics, { ...noDestination, scope })).match(
        ofDestination ? /missing/ : /^$/,
      )
      should(await faults(statistics, { ...noRoute, scope })).match(
        scope === 'all' ? /^$/ : /missing/,
      )
    }
    const ensure = 'media-gateway-ensure-route'
    should(await faults(ensure, { waitTimeout: 'soon' })).match(/a number from 0.1 to 3600/)
  })

  it('says what stands in the way of removing routes', async () => {
    const ensure = 'media-gateway-ensure-route'
    const removing = { remove: 'pattern', removePattern: 'Test *', approve: true }
    const json = (definition: unknown) => ({
      definition: JSON.stringify(definition),
      definitionType: 'json',
    })
    for (const [properties, reason] of [
      [{ approve: false }, 'Unlisted routes: only possible with “Plan first” or “Dry run”'],
      [{ state: 'absent' }, 'Unlisted routes: not possible with the desired state absent'],
      [json({ name: 'A' }), 'Unlisted routes: only possible with a list of routes'],
      [{ removePattern: ' ' }, 'Name pattern: the pattern is missing'],
      [{ removeAtMost: '0' }, 'Delete at most: a whole number from 1 to 1000'],
      [{ removeAtMost: '1001' }, 'Delete at most: a whole number from 1 to 1000'],
      [{ removeAtMost: '2.5' }, 'Delete at most: a whole number from 1 to 1000'],
    ] as const) {
      should(await faults(ensure, { ...removing, ...properties })).equal(reason)
    }
    for (const properties of [
      {},
      { approve: false, check: true },
      { removeAtMost: '' },
      { removeAtMost: '${MOST}', removePattern: '${PATTERN}' },
      json([{ name: 'A' }]),
      // What is not used may be anything.
      { remove: 'none', removePattern: '', removeAtMost: 'soon', approve: false },
    ]) {
      should(await faults(ensure, { ...removing, ...properties })).equal('')
    }
  })

  it('marks the field while one types', async () => {
    await openForm('gateway')
    const field = page().locator('#node-config-input-baseUrl')
    await field.fill('gateway')
    await field.press('Tab')
    should(await field.getAttribute('class')).match(/input-error/)
    await field.fill('https://gateway')
    await field.press('Tab')
    should((await field.getAttribute('class')) ?? '').not.match(/input-error/)
    await cancel()

    await openForm('media-gateway-get-route')
    await fillTyped('route', 'name', '')
    const route = page().locator('#node-input-route')
    should(await route.getAttribute('class')).match(/input-error/)
    await fillTyped('route', 'name', 'Studio A')
    should(await route.getAttribute('class')).not.match(/input-error/)
    await cancel()
  })
})
