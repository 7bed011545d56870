// The dialog of the failover: its two columns, what it saves of them, and what it says.
import type { Page } from 'playwright-core'
import { startSimulator, type Simulator } from '../../simulator'
import { CONFIG, inBrowser, sharedEditor, type Editor, type Properties } from '../support/editor'
import { flawsOf } from '../support/looks'
import { until } from '../support/until'
import { DEFAULTS, FAILOVER } from './every-node'

const MAIN = { protocol: 'srt', srtMode: 'caller', address: '203.0.113.7', port: 9000 }
const BACKUP = { ...MAIN, address: '198.51.100.23', port: 9002 }

inBrowser('the dialog of the failover', function () {
  this.timeout(60_000)
  let simulator: Simulator
  let editor: Editor
  let page: Page

  before(async () => {
    editor = await sharedEditor()
  })

  beforeEach(async () => {
    simulator = await startSimulator()
    const credentials = { username: 'operator', password: 'supervisor' }
    await editor.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      { id: 'gateway', type: CONFIG, name: 'Studio', baseUrl: simulator.url, credentials },
    ])
    await editor.open({ prepare })
  })

  afterEach(async () => {
    await editor.rest()
    await until(() => simulator.openSessions === 0)
    await simulator.stop()
  })

  const prepare = (opened: Page) => (page = opened)

  let counter = 0
  let id = ''

  /** Adds a failover of a route. */
  async function add(properties: Properties): Promise<void> {
    id = `failover-${counter++}`
    await editor.add({
      ...DEFAULTS[FAILOVER],
      route: srtRoute().name,
      main: JSON.stringify(MAIN),
      backup: JSON.stringify(BACKUP),
      ...properties,
      id,
      type: FAILOVER,
      x: 0,
      y: 0,
    })
  }

  async function openOn(properties: Properties = {}): Promise<void> {
    await add(properties)
    await editor.openForm(id)
  }

  const srtRoute = () => simulator.routes.find(({ source }) => source.protocol === 'srt')!
  const fresh = { main: '', backup: '' }
  const done = () => editor.press('ok')
  const cancel = () => editor.press('cancel')
  const saved = () => editor.exported(id)
  const savedSides = async () => {
    const { main, backup } = await saved()
    return [main, backup].map((side) => JSON.parse(String(side)) as Properties)
  }
  const at = (part: string) => page.locator(`#media-gateway-failover-${part}`)
  const lines = (part: string) => at(part).locator('li').allTextContents()
  const now = () => at('now').textContent()
  const untilNow = (words: RegExp) => until(async () => words.test((await now()) ?? ''))
  const input = (side: string, member: string) =>
    at(side).locator(`[data-member="${member}"]`).locator('input, select').first()
  const differs = (side: string) =>
    at(side)
      .locator('.media-gateway-failover-differs')
      .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset['member']))
  const choose = (property: string, value: string) =>
    page.selectOption(`#node-input-${property}`, value)
  const enter = async (property: string, value: string) => {
    const plain = page.locator(`#node-input-${property}`)
    await plain.evaluate((element) => {
      const details = element.closest('details')
      if (details) details.open = true
    })
    await plain.fill(value)
  }

  it('is filled in by choosing the route, and saves only what differs', async () => {
    await openOn({ ...fresh, route: '' })
    should(await now()).match(/^Choose the route/)
    await editor.fillTyped('route', 'name', srtRoute().name)
    await untilNow(/^Both columns show what the route has now/)
    const { port, srtLatency } = srtRoute().source
    for (const side of ['main', 'backup']) {
      should(await input(side, 'port').inputValue()).equal(String(port))
      should(await input(side, 'srtLatency').inputValue()).equal(String(srtLatency))
      should(await at(side).locator('[data-member="name"]').count()).equal(0)
    }
    await input('backup', 'port').fill('5999')
    should(await differs('main')).eql(['port'])
    should(await differs('backup')).eql(['port'])
    await untilNow(/^Now: main\.$/)
    await done()
    should(await savedSides()).eql([{ port }, { port: 5999 }])
    should(await editor.state(id)).containEql({ valid: true })

    // Again it shows all of both, and the saved text stays.
    await editor.openForm(id)
    await untilNow(/^Now: main\.$/)
    should(await input('backup', 'srtLatency').inputValue()).equal(String(srtLatency))
    await done()
    should(await savedSides()).eql([{ port }, { port: 5999 }])
    should(await saved()).containEql({ mainType: 'json', backupType: 'json' })
  })

  it('saves a field that only one side has for the other too, as an empty one', async () => {
    Object.assign(srtRoute().source, { networkInterface: '' })
    await openOn(fresh)
    await untilNow(/^Both columns/)
    await input('backup', 'networkInterface').fill('eth1')
    await done()
    should(await savedSides()).eql([{ networkInterface: '' }, { networkInterface: 'eth1' }])
    should((await editor.state(id)).errors).eql([])
  })

  it('saves all of both sides with another protocol, and asks for the secret', async () => {
    Object.assign(srtRoute().source, { srtPassPhrase: 'correct horse' })
    await openOn(fresh)
    await untilNow(/^Both columns/)
    const hint = at('main').locator('[data-member="srtPassPhrase"] .media-gateway-route-hint')
    should(await hint.textContent()).match(/stays unchanged/)
    await input('backup', 'protocol').selectOption('udp')
    await until(async () => (await lines('faults')).length > 0)
    should(await hint.textContent()).equal('the gateway hides this value: enter it')
    const others = at('main').locator('[data-member="port"] .media-gateway-route-hint')
    should(await others.textContent()).equal('')
    should(await lines('faults')).eql([' Main: Passphrase: the gateway hides this value: enter it'])
    await input('main', 'srtPassPhrase').fill('correct horse battery')
    should(await lines('faults')).eql([])
    await done()
    const [main, backup] = await savedSides()
    const { port, srtLatency } = srtRoute().source
    const srtPassPhrase = 'correct horse battery'
    should(main).containEql({ protocol: 'srt', port, srtLatency, srtPassPhrase })
    should(backup).containEql({ protocol: 'udp', port }).and.not.have.property('srtLatency')
  })

  it('says what a switch would lose, as the route shows it', async () => {
    const { port, srtLatency } = srtRoute().source
    const address = '239.1.1.1'
    const main = { protocol: 'srt', srtMode: 'listener', address: '0.0.0.0', port }
    await openOn({
      main: JSON.stringify(main),
      backup: JSON.stringify({ protocol: 'udp', address, port }),
    })
    await until(async () => (await lines('faults')).some((line) => /Latency/.test(line)))
    should((await lines('faults')).join()).match(
      /Main: Latency: missing\. Enter it, or a switch to Backup/,
    )
    // The name of the source stays.
    should((await lines('faults')).join()).not.match(/Name/)
    // The column shows it, so that one edit is enough to save it.
    await input('backup', 'port').fill('6000')
    await done()
    should((await savedSides())[0]).containEql({ ...main, srtLatency })
  })

  it('shows what an earlier version saved as this one does', async () => {
    await openOn({ configVersion: 1, lookEvery: '5', dryRun: true, hold: false, failOn: 'bitrate' })
    should(await page.inputValue('#node-input-pollEvery')).equal('5')
    should(await at('hold').inputValue()).equal('true')
    should(await page.inputValue('#node-input-failOn')).equal('noData')
    const before = await saved()
    should(before).containEql({ configVersion: 1, lookEvery: '5', dryRun: true })
    await done()
    should(await saved()).eql(before)
    await editor.openForm(id)
    await enter('holdOff', '20')
    await done()
    should(await saved()).containEql({
      configVersion: 2,
      pollEvery: '5',
      hold: true,
      failOn: 'noData',
    })
  })

  it('says which source the route has, and takes it over', async () => {
    const { port } = srtRoute().source
    const sides = { main: `{"port":${port}}`, backup: '{"port":5999}' }
    await openOn(sides)
    await untilNow(/^Now: main\.$/)
    await cancel()
    srtRoute().source.port = 5999
    await openOn(sides)
    await untilNow(/^Now: backup\.$/)
    await cancel()
    srtRoute().source.port = 7777
    await openOn(sides)
    await untilNow(new RegExp(`^Now: neither, because Port is 7777, Main has ${port}\\.`))
    await page.getByRole('button', { name: 'Use the present source as Main' }).click()
    await untilNow(/^Now: main\.$/)
    should(await input('main', 'port').inputValue()).equal('7777')
    await done()
    should(await savedSides()).eql([{ port: 7777 }, { port: 5999 }])
  })

  it('says which of two routes runs', async () => {
    const [a, b] = simulator.routes.map(({ name }) => name) as [string, string]
    const two = { method: 'routes', mainType: 'name', backupType: 'name', route: '' }
    await openOn({ ...two, main: a, backup: b })
    await untilNow(/^Now: both routes run\.$/)
    should(await at('main').textContent()).equal('')
    for (const side of ['main', 'backup']) {
      const chooser = page.locator(`#node-input-${side} + .red-ui-typedInput-container input`)
      const { width } = (await chooser.first().boundingBox())!
      should(width).be.above(60)
    }
    await cancel()
  })

  it('keeps what no form can show, and values from elsewhere', async () => {
    for (const [properties, form] of [
      [{ main: 'payload', mainType: 'env' }, ['backup']],
      [{ main: '[1]' }, ['backup']],
      [{ main: 'x', mainType: 'flow', backup: '{"port"' }, []],
    ] as [Properties, string[]][]) {
      await openOn(properties)
      const shown: string[] = []
      for (const side of ['main', 'backup']) {
        if ((await at(side).textContent()) !== '') shown.push(side)
      }
      should(shown).eql(form)
      await done()
      should(await saved()).containEql(properties)
    }
  })

  it('says what the node will do, and follows every value', async () => {
    const other = simulator.routes.find(({ name }) => name !== srtRoute().name)!.name
    await openOn()
    should(await lines('says')).eql([
      'After 10 s without a good source that receives data, the node switches to backup.',
      'If the new source is not good within 10 s, it switches back, and tries again later.',
      'It stays on backup until backup fails or a message asks for main.',
    ])
    await enter('holdOff', '90')
    await enter('settle', '${SETTLE}')
    await choose('failOn', 'status')
    await choose('restore', 'monitor')
    await editor.fillTyped('monitor', 'name', other)
    await enter('waitToRestore', '600')
    await at('hold').selectOption('env')
    await at('hold-variable').fill('SPARE')
    should(await lines('says')).eql([
      'Held at the start if ${SPARE} is true.',
      'After 90 s without a good source, the node switches to backup.',
      'If the new source is not good within ${SETTLE}, it switches back, and tries again later.',
      `It returns to main after “${other}” has shown main as good for 10 min.`,
    ])
    await choose('restore', 'message')
    await choose('method', 'routes')
    await at('hold').selectOption('true')
    await enter('holdOff', 'soon')
    const changed = await lines('says')
    should(changed[0]).equal(
      'Held at the start: no automatic switches until a message with msg.action = release.',
    )
    should(changed[1]).match(
      /^After … .*, the node stops the main route and starts the backup route\.$/,
    )
    should(changed[3]).equal(
      'It returns to main after messages have reported main as good for 10 min.',
    )
    await cancel()
  })

  it('says it in every language', async () => {
    for (const language of ['de', 'ja']) {
      await editor.open({ language, prepare })
      await openOn({ restore: 'monitor', monitor: srtRoute().name, hold: true })
      await untilNow(/Port|ポート/)
      const said = [...(await lines('says')), ...(await lines('faults')), (await now())!]
      should(said.length).equal(6)
      for (const words of said) should(words).not.match(/__|\b(now|does|error)\./)
      should(said.join()).not.match(/\b(the|because|route is)\b/)
      await cancel()
    }
  })

  it('warns of monitors that show nothing', async () => {
    const [stopped] = simulator.routes.filter(({ name }) => name !== srtRoute().name)
    stopped!.state = 'idle'
    const monitor = { restore: 'monitor', monitorType: 'name' }
    for (const [properties, expected] of [
      [{ restore: 'monitor' }, /choose the route that receives main/],
      [
        { ...monitor, monitor: srtRoute().name },
        /Monitor route: this is the protected route itself/,
      ],
      // By its ID it is the same.
      [
        { restore: 'monitor', monitorType: 'id', monitor: srtRoute().id },
        /the protected route itself/,
      ],
      [{ ...monitor, monitor: stopped!.name }, /Monitor route: this route is stopped/],
      [{ monitorBackup: stopped!.name }, /Monitor of backup: this route is stopped/],
      [{ monitorBackup: srtRoute().name }, /Monitor of backup: this is the protected route itself/],
    ] as [Properties, RegExp][]) {
      await openOn(properties)
      await until(async () => expected.test((await lines('faults')).join('\n')))
      should((await lines('faults')).length).equal(1)
      await cancel()
    }
  })

  it('looks as it should, light and dark, and is not wider than the dialog', async () => {
    for (const properties of [
      { restore: 'monitor', ...fresh },
      { method: 'routes', main: 'A', mainType: 'name', backup: 'A', backupType: 'name' },
      { backup: JSON.stringify(MAIN), restore: 'monitor', guard: 'x', hold: '${HOLD}' },
      { backup: '{"protocol":"udp","address":"239.1.1.1","port":5000}' },
    ]) {
      await openOn(properties)
      for (const theme of ['light', 'dark'] as const) {
        await editor.paint(theme)
        should(await flawsOf(page.locator('.media-gateway-form'))).eql([])
      }
      const body = page.locator('.red-ui-tray-body').first()
      const [inside, width] = await body.evaluate((tray) => [tray.scrollWidth, tray.clientWidth])
      should(inside).equal(width)
      await editor.paint('light')
      await cancel()
    }
  })

  it('has its columns beside one another only where there is room', async () => {
    await openOn()
    const form = page.locator('.media-gateway-form').first()
    for (const [width, isBeside] of [
      [460, false],
      [560, true],
    ] as const) {
      await form.evaluate((element, px) => (element.style.width = `${px}px`), width)
      const [main, backup] = [await at('main').boundingBox(), await at('backup').boundingBox()]
      should(backup!.x > main!.x).equal(isBeside)
      should(backup!.y > main!.y).equal(!isBeside)
    }
    await cancel()
  })

  it('says what is wrong', async () => {
    for (const [properties, expected] of [
      [{ backup: JSON.stringify(MAIN) }, /^ Backup: the same as main/],
      [
        { main: '{"port":1,"srtLatency":9}', backup: '{"port":2}' },
        /^ Backup: Latency: missing\. Enter it, or a switch to Main/,
      ],
      [{ main: '[]' }, /^ Main: enter the source/],
    ] as [Properties, RegExp][]) {
      await openOn(properties)
      should((await lines('faults')).join('\n')).match(expected)
      await cancel()
    }
    await openOn({ main: '{"port":70000}', backup: '{"port":1}' })
    should(await at('main').locator('[data-member="port"]').textContent()).match(/65535/)
    await cancel()
    const names = { mainType: 'name', backupType: 'name' }
    for (const [properties, expected] of [
      [{}, ''],
      [{ main: '', backup: '{}' }, 'Main: the value is missing\nBackup: enter the source'],
      [{ route: '' }, 'the value is missing'],
      [{ holdOff: '-1' }, 'Hold-off: a number from 0 to 3600'],
      [{ pollEvery: '0' }, 'Polling interval: a number from 0.5 to 60'],
      [{ hold: 'perhaps' }, 'Hold at start: yes or no'],
      [{ hold: '${}' }, 'Hold at start: yes or no'],
      [{ holdOff: '${HOLDOFF}', hold: '${HOLD}', pollEvery: '${EVERY}' }, ''],
      [{ main: 'A', mainType: 'env' }, ''],
      [{ main: 'A', mainType: 'flow', backup: 'not json' }, 'Backup: '],
      [{ restore: 'monitor' }, 'Monitor route: the value is missing'],
      [{ restore: 'monitor', monitor: srtRoute().name }, 'Monitor route: this is the protected'],
      [{ method: 'routes', main: 'A', backup: 'A', ...names }, 'Backup: the same route as main'],
      [{ method: 'routes', route: '', main: 'A', backup: 'B', ...names }, ''],
    ] as [Properties, string][]) {
      await add(properties)
      const said = (await editor.state(id)).errors.join('\n')
      if (expected === '') should(said).equal('', JSON.stringify(properties))
      else for (const line of expected.split('\n')) should(said).containEql(line)
    }
  })

  it('keeps what was entered with each method', async () => {
    const [a, b] = simulator.routes.map(({ name }) => name) as [string, string]
    await openOn({ main: 'MAIN', mainType: 'env' })
    await choose('method', 'routes')
    should(await page.inputValue('#node-input-main')).equal('')
    should(await page.inputValue('#node-input-mainType')).equal('name')
    should(await page.evaluate(() => document.activeElement?.id)).equal('node-input-method')
    await editor.fillTyped('main', 'name', a)
    await editor.fillTyped('backup', 'id', 'b-1')
    await choose('method', 'source')
    should(await page.inputValue('#node-input-main')).equal('MAIN')
    should(await page.inputValue('#node-input-mainType')).equal('env')
    should(await page.inputValue('#node-input-backup')).equal(JSON.stringify(BACKUP))
    await choose('method', 'routes')
    should(await page.inputValue('#node-input-main')).equal(a)
    should(await page.inputValue('#node-input-backup')).equal('b-1')
    await editor.fillTyped('backup', 'name', b)
    await done()
    const routes = { main: a, mainType: 'name', backup: b, backupType: 'name' }
    should(await saved()).containEql({ method: 'routes', ...routes })
    should(await editor.state(id)).containEql({ valid: true })
  })

  it('leaves a node as it is when it is opened and closed, also a strange one', async () => {
    for (const properties of [
      {},
      fresh,
      { hold: '${HOLD}' },
      { hold: ' ${HOLD} ' },
      { hold: '${}' },
      { hold: 'perhaps', holdOff: 5, main: MAIN },
      { main: '{ "port": 1, "latency": 7 }', backup: '{"port":2,"useFEC":true}' },
      { main: 'payload', mainType: 'msg', routeType: 'jsonata', route: '$x' },
      { method: 'routes', main: 'gone', mainType: 'id', backup: 'B', backupType: 'name' },
    ] as Properties[]) {
      await openOn(properties)
      if (properties['routeType'] !== 'jsonata' && properties['method'] !== 'routes') {
        await until(async () => (await now()) !== '' || 'main' in properties)
      }
      const before = await saved()
      await done()
      should(await saved()).eql(before)
      should((await editor.state(id)).changed).be.false(JSON.stringify(properties))
    }
  })

  it('lets one set hold: no, yes, or by a variable', async () => {
    await openOn()
    should(await at('hold-variable').isVisible()).be.false()
    const values: unknown[] = []
    for (const [choice, name] of [
      ['env', 'SPARE'],
      ['env', '${OTHER}'],
      ['env', ''],
      ['true', ''],
      ['false', ''],
    ] as const) {
      await at('hold').selectOption(choice)
      if (choice === 'env') await at('hold-variable').fill(name)
      await done()
      values.push((await saved())['hold'])
      should((await editor.state(id)).valid).equal(choice !== 'env' || name !== '')
      await editor.openForm(id)
      should(await at('hold').inputValue()).equal(choice)
    }
    await cancel()
    should(values).eql(['${SPARE}', '${OTHER}', '${}', true, false])
  })

  it('takes the protected route from the context', async () => {
    await openOn()
    await editor.fillTyped('route', 'global', 'studio.route')
    await done()
    should(await saved()).containEql({ route: 'studio.route', routeType: 'global' })
    should(await editor.state(id)).containEql({ valid: true, changed: true })
    await editor.openForm(id)
    await editor.fillTyped('route', 'global', '')
    await done()
    should((await editor.state(id)).valid).be.false()
  })

  it('names the route in its label', async () => {
    const label = async (properties: Properties) => {
      await add(properties)
      return page.evaluate((wanted) => {
        const red = (
          window as unknown as {
            RED: { nodes: { node(of: string): { _def: { label: () => string } } } }
          }
        ).RED
        const node = red.nodes.node(wanted)
        return node._def.label.call(node)
      }, id)
    }
    should(await label({ route: 'Studio A' })).equal('failover Studio A')
    should(await label({ route: 'x1', routeType: 'id' })).equal('failover')
    const two = { method: 'routes', main: 'Main feed', mainType: 'name' }
    should(await label({ ...two, route: 'Studio A' })).equal('failover Main feed')
  })

  it('makes no error and asks nobody outside', () => {
    should(editor.complaints).eql([])
  })
})
