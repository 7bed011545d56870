// The sidebar: what it polls, and what it shows when there is no answer.
import type { Page } from 'playwright-core'
import { createObservers } from '../../nodes/gateway/admin/observers'
import type { Failover, Failure } from '../../nodes/wire'
import type { GatewayNode } from '../../nodes/runtime/gateway-node'
import { startSimulator } from '../../simulator'
import type { Properties } from '../support/editor'
import { takePicture } from '../support/pictures'
import { until } from '../support/until'
import { faintTexts, HOSTILE, pretend, ROUTES, withSidebar } from './sidebar-page'
import { connectTo } from '../support/connect'

declare const RED: { events: { emit(event: string): void } }

withSidebar('the sidebar: what is known', (sidebar) => {
  const { editor, small, gateway, deploy, open, showTab, block, head } = sidebar
  const { row, facts, age, message, details, question, says, places } = sidebar

  const tone = (name: string) => head(name).locator('[data-tone]').getAttribute('data-tone')

  it('asks only while the tab can be seen, and then again only for what is new', async () => {
    const page = await open(['gateway'], { own: true })
    await says(row('Alpha'), 'running')
    const asked = requests(page)
    await until(() => asked.filter(({ body }) => body['id'] === 'gateway').length >= 2)
    should(asked.map(({ path }) => path)).eql(asked.map(() => '/media-gateway/state'))
    const [first, second] = asked.filter(({ body }) => body['id'] === 'gateway')
    should(second!.body['version']).be.a.Number()
    should(second!.body['version']).equal(first!.body['version'])

    await page.clock.install()
    const asksNothing = async () => {
      asked.length = 0
      await page.clock.runFor(20_000)
      should(asked).eql([])
    }
    await showTab(page, 'info')
    await asksNothing()
    await showTab(page, 'media-gateway-sidebar')
    await until(() => asked.some(({ path }) => path === '/media-gateway/state'))

    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    await asksNothing()
  })

  it('polls a collapsed gateway once a minute, and keeps how it was, with its age', async () => {
    const quiet = await startSimulator({ routes: ROUTES })
    try {
      await deploy([gateway('quiet', 'Quiet', quiet)])
      quiet.fail('Alpha', { source: 'disconnected' })
      const page = await open([])
      const asked = requests(page)
      await says(facts('Quiet'), '1 problem · 2 of 4 running · Alpha: no source')
      should(
        asked.every(({ path, body }) => body['lookOn'] || path.endsWith('/gateways')),
      ).be.true()
      // Nobody polls it now.
      await says(facts('Quiet'), 'were running')
      await says(head('Quiet'), 'reachable')
      should(await tone('Quiet')).equal('critical')
      await says(age('Quiet'), /ago$/)
      await quiet.stop()
      await says(head('Quiet'), 'unreachable')
      const polls = () => asked.filter(({ body }) => body['id'] === 'quiet' && body['poll']).length
      const before = polls()
      await says(age('Quiet'), /^[3-5]\d s ago$/)
      await says(head('Quiet'), 'unreachable')
      should(await tone('Quiet')).equal('critical')
      should(polls()).equal(before)
    } finally {
      editor().complaints.length = 0
      await deploy()
      await quiet.stop()
    }
  })

  it('calls one that is open unreachable from the first poll on that nobody answers', async () => {
    const quiet = await startSimulator({ routes: ROUTES })
    await quiet.stop()
    try {
      await deploy([gateway('quiet', 'Quiet', quiet)])
      await open(['quiet'])
      const said = new Set<string>()
      await until(async () =>
        /unreachable/.test([...said.add(await head('Quiet').innerText())].join()),
      )
      should([...said].join()).not.match(/error/)
      should(await tone('Quiet')).equal('critical')
    } finally {
      editor().complaints.length = 0
      await deploy()
    }
  })

  it('says that the device is offline, and then knows nothing of its routes', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    small().failDevice('offline')
    try {
      await says(block('Studio').locator('.media-gateway-sidebar-word'), 'device offline')
      should(await tone('Studio')).equal('critical')
      await says(row('Alpha'), 'device offline · was running')
      should(await row('Alpha').locator('[data-tone]').getAttribute('data-tone')).equal('unknown')
      should(await row('Alpha').textContent()).not.match(/Mbit/)
      const button = row('Alpha').getByRole('button')
      should(await button.getAttribute('aria-label')).equal('stop Alpha: device offline')
      await button.click({ force: true })
      should(await question().count()).equal(0)
      await says(page.locator('.media-gateway-sidebar-spoken'), 'Studio: device offline')
      should(await page.locator('.media-gateway-sidebar').evaluate(faintTexts)).eql([])
    } finally {
      small().failDevice('ok')
    }
    await says(row('Alpha'), 'running · dest. 2/2')
    should(await tone('Studio')).equal('ok')
  })

  it('shows what watches know of a collapsed gateway, and its trouble', async () => {
    const watched = await startSimulator({ routes: ROUTES })
    try {
      await deploy([
        gateway('watched', 'Head-end', watched),
        { id: 'watch', type: 'media-gateway-watch', z: 'tab', gateway: 'watched', wires: [[]] },
      ])
      await open([])
      const toneNow = () => tone('Head-end')
      await says(head('Head-end'), 'reachable')
      await says(facts('Head-end'), '2 of 4 running')
      should(await toneNow()).equal('ok')
      const address = { deviceId: '', routeId: '' }
      const pretended = async (failovers: Array<Partial<Failover>>): Promise<void> =>
        pretend(editor().page, (state) => {
          state.failovers = failovers.map((one, index) => ({
            id: `f${index}`,
            name: '',
            routes: [address],
            ...one,
          }))
        })
      await pretended([{ state: 'normal', inUse: 'main' }, {}])
      await editor().page.waitForResponse('**/media-gateway/state')
      should(await facts('Head-end').textContent()).equal('2 of 4 running')
      should(await toneNow()).equal('ok')
      await pretended([{ state: 'normal', inUse: 'main', held: true }])
      await says(facts('Head-end'), /^2 of 4 running · held: 1$/)
      should(await toneNow()).equal('ok')
      await pretended([
        { state: 'normal', inUse: 'main', reason: 'backup-bad' },
        { state: 'unknown', routes: [], reason: 'not-started' },
      ])
      const alone = /^2 of 4 running · failover unknown: 1 · only one good source: 1$/
      await says(facts('Head-end'), alone)
      should(await toneNow()).equal('warning')
      const onBackup = { state: 'protecting', inUse: 'backup' } as const
      await pretended([onBackup, { ...onBackup, held: true }, { state: 'foreign', inUse: 'other' }])
      await says(facts('Head-end'), /^2 of 4 running · on backup: 2 · other source: 1 · held: 1$/)
      should(await toneNow()).equal('warning')
      await pretended([onBackup, { state: 'no-protection', inUse: 'main' }])
      await says(facts('Head-end'), /^2 of 4 running · no protection: 1 · on backup: 1$/)
      should(await toneNow()).equal('critical')
      // Open, the rows say it.
      await head('Head-end').click()
      await says(facts('Head-end'), /^2 of 4 running$/)
      should(await toneNow()).equal('ok')
      await head('Head-end').click()
      await says(facts('Head-end'), 'no protection: 1')
      await editor().page.unroute('**/media-gateway/state')

      watched.stopRoute('Alpha')
      await says(facts('Head-end'), /^1 of 4 running$/)
      watched.startRoute('Alpha')
      await says(facts('Head-end'), /^2 of 4 running$/)
      watched.route('Alpha')!.summaryStatusCode = 'warn'
      await says(facts('Head-end'), /^1 problem · 2 of 4 running · Alpha: route warning$/)
      should(await toneNow()).equal('warning')
      watched.fail(HOSTILE, { source: 'no-data' })
      await says(facts('Head-end'), /^\d problems? · 2 of 4 running · .*: no data$/)
      should(await toneNow()).equal('critical')
      await watched.stop()
      await says(head('Head-end'), 'out of date')
      await says(facts('Head-end'), /^\d problems? · 2 of 4 were running/)
      should(await toneNow()).equal('warning')
      await pretend(editor().page, (state) => (state.health.unreachable = true))
      await says(head('Head-end'), 'unreachable')
      should(await toneNow()).equal('critical')
      should(await message().count()).equal(0)
    } finally {
      await deploy()
      await watched.stop()
    }
  })

  it('shows what is old as old, from the first poll that fails until one succeeds', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    await row('Alpha').click()
    await says(details(), 'source: connected')
    const sign = row('Alpha').locator('[data-tone]')
    const drawn = () =>
      sign.evaluate((one) => [
        getComputedStyle(one, '::before').content,
        getComputedStyle(one, '::before').color,
      ])
    const fresh = await drawn()
    const before = await places('Studio')

    await small().stop()
    await says(row('Alpha'), 'was running')
    await says(row('Beta'), 'was stopped')
    await says(details(), 'source: last seen connected')
    const [old, colour] = await drawn()
    should(old).equal('"○"')
    should(colour).not.equal(fresh[1])
    const button = row('Alpha').getByRole('button')
    should(await button.getAttribute('aria-disabled')).equal('true')
    should(await button.getAttribute('aria-label')).equal('stop Alpha: the state is out of date')
    await button.click({ force: true })
    await details().getByRole('button', { name: 'stop Alpha web' }).click({ force: true })
    should(await question().count()).equal(0)
    should(await page.locator('.media-gateway-sidebar').evaluate(faintTexts)).eql([])
    should(await places('Studio')).eql(before)
    await takePicture(page, 'sidebar-old')

    await small().start()
    await says(row('Alpha'), /^Alpha(?!.*was).*running/)
    await says(details(), 'source: connected')
    should(await drawn()).eql(fresh)
    should(await places('Studio')).eql(before)
    await button.click()
    await says(question(), '2 destinations go off the air.')
    await pretend(page, (state) => (state.health.known!.isOld = true))
    await says(question(), 'The current state is not known.')
  })

  it('takes what it shows for old until the first poll after a deploy', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), /^Alpha(?!.*was).*running/)
    await pretend(page, (state) => {
      delete state.health.known
      delete state.snapshot
    })
    await says(row('Alpha'), 'was running')
    await says(head('Studio'), 'reading …')
    await page.unroute('**/media-gateway/state')
    await says(row('Alpha'), /^Alpha(?!.*was).*running/)
    await says(head('Studio'), 'reachable')
  })

  it('takes nothing for granted when Node-RED does not respond', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    await page.route('**/media-gateway/state', () => undefined)
    await says(row('Alpha'), 'was running')
    await says(head('Studio'), 'out of date')
    await page.unroute('**/media-gateway/state')
    await says(row('Alpha'), /^Alpha(?!.*was).*running/)
    editor().complaints.length = 0
  })

  it('takes a poll that is missed for old data, although none has failed', async () => {
    const simulator = await startSimulator({ routes: ROUTES })
    const client = connectTo(simulator, { pollInterval: 60_000 })
    let ahead = 0
    const observers = createObservers(60_000, () => Date.now() + ahead)
    const node = {
      client: () => client,
      failovers: new Set(),
      register: () => undefined,
      deregister: () => undefined,
    } as unknown as GatewayNode
    const known = async () => (await observers.state(node, {})).health.known
    try {
      await until(async () => (await known()) !== undefined)
      should(await known()).containEql({ isOld: false, routes: 4, running: 2, problems: 0 })
      ahead = 63_000
      should((await known())!.isOld).be.false()
      should((await known())!.ageMs).be.within(63_000, 65_000)
      ahead = 70_000
      should((await known())!.isOld).be.true()
    } finally {
      await client.close()
      await simulator.stop()
    }
  })

  it('says when an appliance is unreachable, Node-RED is away, or nothing is there', async () => {
    const page = await open(['gateway'])
    await says(row('Alpha'), 'running')
    // Only what changes is spoken of.
    await says(head('Studio'), 'reachable')
    const words = 'Nobody answers <b>here</b>.'
    const failure = { code: 'UNAVAILABLE', message: words }
    await page.route('**/media-gateway/state', async (route) => {
      const reply = await route.fetch()
      const state = (await reply.json()) as { health: object }
      // Of several that are spoken of, only the last one stays.
      if ((route.request().postDataJSON() as Properties)['id'] === 'gateway') {
        state.health = { ...state.health, failure, unreachable: true }
      }
      await route.fulfill({ json: state })
    })
    await says(head('Studio'), 'unreachable')
    await says(message(), `Studio: ${words}`)
    should(await head('Studio').locator('[data-tone]').getAttribute('data-tone')).equal('critical')
    await says(page.locator('.media-gateway-sidebar-spoken'), 'Studio: unreachable')

    await page.unroute('**/media-gateway/state')
    await page.route('**/media-gateway/state', (route) => route.abort())
    await says(head('Studio'), 'out of date')
    await says(message(), 'Node-RED does not respond.')
    editor().complaints.length = 0
    await page.unroute('**/media-gateway/state')
    await says(head('Studio'), 'reachable')

    await page.route('**/media-gateway/gateways*', (route) => route.fulfill({ json: [] }))
    await page.evaluate(() => RED.events.emit('deploy'))
    await says(page.locator('.media-gateway-sidebar'), 'No media gateway is deployed yet.')
    should(await page.locator('.media-gateway-sidebar-block').count()).equal(0)
    editor().complaints.length = 0
  })

  it('calls a gateway unreachable only if nothing answers', async () => {
    const page = await open(['gateway', 'large'])
    for (const name of ['Studio', 'Network']) await says(head(name), 'reachable')
    const failures: Record<string, Partial<Failure>> = {
      gateway: { code: 'LOGIN_REFUSED', message: 'Refused.', sentences: [{ text: 'Refused.' }] },
      large: {
        code: 'UNAVAILABLE',
        message: 'Overloaded.',
        values: { host: 'here', status: 503, applied: 'no' },
      },
    }
    await page.route('**/media-gateway/state', async (route) => {
      const reply = await route.fetch()
      const state = (await reply.json()) as { health: object }
      const failure = failures[String((route.request().postDataJSON() as Properties)['id'])]
      state.health = { ...state.health, failure, unreachable: true }
      await route.fulfill({ json: state })
    })
    for (const name of ['Studio', 'Network']) {
      await says(head(name), 'error')
      should(await tone(name)).equal('critical')
    }
  })

  it('speaks of every gateway that becomes unreachable at the same time', async () => {
    const page = await open(['gateway', 'large'])
    for (const name of ['Studio', 'Network']) await says(head(name), 'reachable')
    await page.route('**/media-gateway/state', async (route) => {
      const reply = await route.fetch()
      const state = (await reply.json()) as { health: object }
      state.health = { ...state.health, unreachable: true }
      await route.fulfill({ json: state })
    })
    for (const name of ['Studio', 'Network']) {
      await says(page.locator('.media-gateway-sidebar-spoken'), `${name}: unreachable`)
    }
  })

  it('follows a deploy, and tells what is wrong with a config node', async () => {
    await open(['gateway'])
    await says(row('Alpha'), 'running')
    await deploy([gateway('broken', 'No address', small(), { baseUrl: '' })])
    await says(head('No address'), 'error')
    await says(block('No address'), /address/)
    await says(head('Studio'), 'reachable')
    await deploy()
    await block('No address').waitFor({ state: 'detached' })
    await says(row('Alpha'), 'running')
  })

  it('calls what a deploy takes away for a moment no error, unless that lasts', async () => {
    const page = await open(['gateway'])
    await says(head('Studio'), 'reachable')
    const gone = { code: 'NOT_FOUND', message: 'Nothing is there.', notDeployed: true }
    let lists = 0
    await page.route('**/media-gateway/gateways*', async (route) => {
      const listed = (await (await route.fetch()).json()) as object[]
      lists++
      await route.fulfill({ json: listed.map((one) => ({ ...one, error: gone })) })
    })
    await page.route('**/media-gateway/state', (route) =>
      route.fulfill({ json: { notDeployed: true } }),
    )
    // The second one is asked for once the first one is shown.
    await until(() => lists === 2, 'a second look')
    should(await head('Studio').innerText()).not.match(/error/)
    // What is known grows old, and that may be said.
    should(await page.locator('.media-gateway-sidebar-spoken').innerText()).not.match(/error/)
    await says(head('Studio'), 'error')
    await says(message(), 'Studio: Nothing is there.')

    await page.unroute('**/media-gateway/gateways*')
    await page.unroute('**/media-gateway/state')
    await says(head('Studio'), 'reachable')
  })
})

/** What the page asks of this package from now on. */
function requests(page: Page): Array<{ path: string; body: Properties }> {
  const asked: Array<{ path: string; body: Properties }> = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith('/media-gateway/')) return
    asked.push({ path: pathname, body: (request.postDataJSON() ?? {}) as Properties })
  })
  return asked
}
