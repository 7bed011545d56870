// The dialog of the failover: its drawing, its sentences, and what it takes over from the route.
import type { Page } from 'playwright-core'
import should from 'should'
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
    simulator = await startSimulator()
    const credentials = { username: 'operator', password: 'supervisor' }
    editor = await sharedEditor()
    await editor.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      { id: 'gateway', type: CONFIG, name: 'Studio', baseUrl: simulator.url, credentials },
    ])
    await editor.open({ prepare })
  })

  after(async () => {
    await editor?.rest()
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
      route: simulator.routes[0]!.name,
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

  const done = () => editor.press('ok')
  const cancel = () => editor.press('cancel')
  const saved = () => editor.exported(id)
  const at = (part: string) => page.locator(`#media-gateway-failover-${part}`)
  const sentences = () => at('sentences').locator('li').allTextContents()
  const drawn = () => at('drawing').locator('text').allTextContents()
  const typed = (property: string) =>
    page.locator(`#node-input-${property} + .red-ui-typedInput-container .red-ui-typedInput-input`)
  const enter = async (property: string, value: string) => {
    const field = page.locator(`#node-input-${property}`)
    await field.evaluate((element) => {
      const details = element.closest('details')
      if (details) details.open = true
    })
    await field.fill(value)
  }
  const choose = (property: string, value: string) =>
    page.selectOption(`#node-input-${property}`, value)

  it('says what the node will do, and follows every value', async () => {
    const name = simulator.routes[0]!.name
    await openOn({ name: 'x' })
    should(await sentences()).eql([
      'After 10 s without a good source: backup.',
      'Also after repeated failures for 30 % of 1 min.',
      'Stays on backup until a message returns it to main, or backup fails.',
      'After 4 automatic switches within 1 h: slower, and no return to main.',
    ])
    await enter('holdOff', '90')
    await enter('degrade', '0')
    await enter('limit', '2')
    await enter('limitPer', '${PER}')
    await choose('failOn', 'bitrate')
    await enter('low', '2.5')
    await choose('restore', 'monitor')
    await typed('monitor').fill(simulator.routes[1]!.name)
    await typed('monitor').press('Tab')
    await enter('waitToRestore', '600')
    await at('dryRun').selectOption('true')
    await at('hold').selectOption('env')
    await at('hold-variable').fill('SPARE')
    should(await sentences()).eql([
      'Dry run: only reports what it would do.',
      'After 90 s without a good source of at least 2.5 Mbit/s: backup.',
      `Back to main after it was good for 10 min on “${simulator.routes[1]!.name}”.`,
      'After 2 automatic switches within ${PER}: slower, and no return to main.',
      'Held at the start if ${SPARE} is true.',
    ])
    await at('dryRun').selectOption('env')
    await at('dryRun-variable').fill('REHEARSAL')
    should((await sentences()).slice(-2)).eql([
      'Dry run if ${REHEARSAL} is true.',
      'Held at the start if ${SPARE} is true.',
    ])
    await at('dryRun').selectOption('true')
    await choose('restore', 'message')
    await choose('method', 'routes')
    await at('hold').selectOption('true')
    await enter('holdOff', 'soon')
    const changed = await sentences()
    should(changed[1]).equal(
      'Held at the start: no automatic switches until a message with msg.action = release.',
    )
    should(changed[2]).match(/^After … .*: stops the main route and starts the backup route\.$/)
    should(changed[3]).equal('Back to main after messages reported it as good for 10 min.')
    await choose('method', 'source')
    should(await drawn()).containEql(name)
    await cancel()
  })

  it('says it in every language', async () => {
    const first: string[] = []
    for (const language of ['de', 'ja']) {
      await editor.open({ language, prepare })
      await openOn({ restore: 'monitor', monitor: 'OB van', waitToRestore: '300' })
      const said = await sentences()
      should(said.length).equal(4)
      first.push(said[0]!, said[2]!)
      for (const words of await drawn())
        should(words)
          .match(/\S/)
          .and.not.match(/^\w+\.\w+$/)
      await cancel()
    }
    await editor.open({ prepare })
    should(first).eql([
      'Nach 10 s ohne gute Quelle: Backup.',
      'Zurück zu Main, nachdem es 5 min lang auf „OB van“ gut war.',
      '正常なソースがない状態が10秒続くと、Backupに切り替えます。',
      '「OB van」でMainが5分間正常なら、Mainに復帰します。',
    ])
  })

  it('draws sources, routes and times as they are set', async () => {
    await openOn()
    const texts = await drawn()
    should(texts).containDeep(['SRT 203.0.113.7:9000', 'SRT 198.51.100.23:9002', 'not monitored'])
    should(texts).not.containEql('Monitor route')
    should(texts).containDeep(['10 s', '30 s', 'settling 10 s'])
    await enter('holdOff', '7')
    await enter('guard', '120')
    await enter('settle', '3')
    should(await drawn()).containDeep(['7 s', '2 min', 'settling 3 s'])

    await choose('restore', 'monitor')
    await typed('monitor').fill('<b>Monitor</b> of a studio far away')
    await typed('monitor').press('Tab')
    const monitored = await drawn()
    should(monitored).containDeep(['Monitor route', 'wait to restore', '5 min'])
    should(
      monitored.some((words) => words.startsWith('<b>Monitor</b>') && words.endsWith('…')),
    ).be.true()
    await choose('restore', 'message')
    should(await drawn()).containEql('msg.main')

    await choose('method', 'routes')
    should(await drawn()).containDeep(['Main route', 'Backup route'])
    should(await page.isVisible('#node-input-route + .red-ui-typedInput-container')).be.false()
    await cancel()
  })

  it('looks as it should, light and dark', async () => {
    for (const properties of [
      { restore: 'monitor' },
      { method: 'routes', main: 'A', mainType: 'name', backup: 'A', backupType: 'name' },
      { backup: JSON.stringify(MAIN), restore: 'monitor', degrade: '101', hold: '${HOLD}' },
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

  it('takes over the present source of the route, without what stays', async () => {
    const route = simulator.routes.find(({ source }) => source.protocol === 'srt')!
    await openOn({ route: '', routeType: 'name', main: '' })
    await at('fill-main').click()
    should(await at('filled-main').textContent()).match(/First choose the route/)
    await editor.fillTyped('route', 'name', route.name)
    await at('fill-main').click()
    await until(async () => (await typed('main').inputValue()) !== '')
    const source = JSON.parse(await typed('main').inputValue()) as Properties
    should(source).containEql({ protocol: 'srt', port: route.source.port })
    for (const name of ['id', 'name', 'state', 'usedBandwidth'])
      should(source).not.have.property(name)
    should(await drawn()).containEql(
      `SRT ${[route.source['address'], route.source.port].filter(Boolean).join(':')}`,
    )

    // The same for backup: then the two are equal, which is said.
    await at('fill-backup').click()
    await until(async () => (await typed('backup').inputValue()).includes('protocol'))
    await until(async () => (await at('fault-backup').textContent()) !== '')
    should(await at('fault-backup').textContent()).match(/same as main|hidden value/)
    await cancel()
  })

  it('says which values of the present source the gateway hides', async () => {
    const route = simulator.routes.find(({ source }) => source.protocol === 'srt')!
    Object.assign(route.source, { srtEncryption: 'AES-128', srtPassPhrase: 'correct horse' })
    await openOn({ route: route.name, main: '' })
    await at('fill-main').click()
    await until(async () => /hides secrets/.test((await at('filled-main').textContent()) ?? ''))
    should(await at('filled-main').textContent()).match(/srtPassPhrase/)
    should(await typed('main').inputValue()).match(/"srtPassPhrase":"••••••"/)
    should(await at('fault-main').textContent()).match(/^srtPassPhrase: .*hidden value/)
    await done()
    should(await editor.state(id)).containEql({ valid: false })
  })

  it('says what is wrong', async () => {
    const name = simulator.routes[0]!.name
    for (const [properties, property, expected] of [
      [{ backup: JSON.stringify(MAIN) }, 'backup', /the same as main, apart from secrets/],
      [{ main: '{"port":70000}', backup: '{"port":1}' }, 'main', /^port: .*65535/],
      [
        { main: '{"port":1,"srtLatency":9}', backup: '{"port":2}' },
        'backup',
        /^srtLatency: missing; Main has it/,
      ],
      [{ main: '[]' }, 'main', /an object with the fields/],
      [{ restore: 'monitor' }, 'monitor', /choose the route that receives main/],
      [{ restore: 'monitor', monitor: name }, 'monitor', /the protected route itself/],
    ] as [Properties, string, RegExp][]) {
      await openOn(properties)
      should(await at(`fault-${property}`).textContent()).match(expected)
      await cancel()
    }
    for (const [properties, expected] of [
      [{}, ''],
      [{ main: '', backup: '{}' }, 'Main: the value is missing\nBackup: an object with the fields'],
      [{ route: '' }, 'the value is missing'],
      [{ holdOff: '-1' }, 'Hold-off: a number from 0 to 3600'],
      [{ limit: '1.5' }, 'Max. switches: a whole number from 1 to 100'],
      [
        { degradePer: '10', lookEvery: '5' },
        'Measured over: at least three times the polling interval',
      ],
      [{ failOn: 'bitrate' }, 'Min. bitrate: a number of Mbit/s above 0'],
      [{ hold: 'perhaps' }, 'Hold at start: yes, no or an environment variable'],
      [{ dryRun: '${}' }, 'Dry run: yes, no or an environment variable'],
      [{ holdOff: '${HOLDOFF}', hold: '${HOLD}', lookEvery: '${EVERY}' }, ''],
      [{ dryRun: '${REHEARSAL}' }, ''],
      [{ main: 'A', mainType: 'env' }, ''],
      [{ main: 'A', mainType: 'flow', backup: 'not json' }, 'Backup: '],
      [{ restore: 'monitor' }, 'Monitor route: the value is missing'],
      [
        { method: 'routes', main: 'A', mainType: 'name', backup: 'A', backupType: 'name' },
        'Backup: the same route as main',
      ],
      [
        {
          method: 'routes',
          route: '',
          main: 'A',
          mainType: 'name',
          backup: 'B',
          backupType: 'name',
        },
        '',
      ],
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
    await editor.fillTyped('backup', 'json', '{"port":9}')
    await choose('method', 'routes')
    should(await typed('main').inputValue()).equal('')
    should(await page.inputValue('#node-input-mainType')).equal('name')
    should(await page.evaluate(() => document.activeElement?.id)).equal('node-input-method')
    await editor.fillTyped('main', 'name', a)
    await editor.fillTyped('backup', 'id', 'b-1')
    await choose('method', 'source')
    should(await page.inputValue('#node-input-main')).equal('MAIN')
    should(await page.inputValue('#node-input-mainType')).equal('env')
    should(await page.inputValue('#node-input-backup')).equal('{"port":9}')
    await editor.fillTyped('main', 'json', JSON.stringify(MAIN))
    await choose('method', 'routes')
    should(await page.inputValue('#node-input-main')).equal(a)
    should(await page.inputValue('#node-input-backup')).equal('b-1')
    await choose('method', 'source')
    should(await page.inputValue('#node-input-main')).equal(JSON.stringify(MAIN))
    await choose('method', 'routes')
    await editor.fillTyped('backup', 'name', b)
    await done()
    should(await saved()).containEql({
      method: 'routes',
      main: a,
      mainType: 'name',
      backup: b,
      backupType: 'name',
    })
    should(await editor.state(id)).containEql({ valid: true })
  })

  it('leaves a node as it is when it is opened and closed, also a strange one', async () => {
    for (const properties of [
      {},
      { hold: '${HOLD}', dryRun: '${REHEARSAL}' },
      { hold: 'true', dryRun: ' ${REHEARSAL} ' },
      { dryRun: 'perhaps' },
      { dryRun: '' },
      { hold: '${}', dryRun: undefined },
      { hold: 'perhaps', holdOff: 5, main: MAIN },
      { main: 'payload', mainType: 'msg', routeType: 'jsonata', route: '$x' },
      { method: 'routes', main: 'gone', mainType: 'id', backup: 'B', backupType: 'name' },
    ] as Properties[]) {
      await openOn(properties)
      const before = await saved()
      await done()
      should(await saved()).eql(before)
      should((await editor.state(id)).changed).be.false(JSON.stringify(properties))
    }
  })

  for (const flag of ['hold', 'dryRun'] as const) {
    it(`lets one set ${flag}: no, yes, or by a variable`, async () => {
      await openOn()
      should(await at(`${flag}-variable`).isVisible()).be.false()
      const values: unknown[] = []
      for (const [choice, name] of [
        ['env', 'SPARE'],
        ['env', '${OTHER}'],
        ['env', ''],
        ['true', ''],
        ['false', ''],
      ] as const) {
        await at(flag).selectOption(choice)
        if (choice === 'env') await at(`${flag}-variable`).fill(name)
        await done()
        values.push((await saved())[flag])
        should((await editor.state(id)).valid).equal(choice !== 'env' || name !== '')
        await editor.openForm(id)
        should(await at(flag).inputValue()).equal(choice)
      }
      await cancel()
      should(values).eql(['${SPARE}', '${OTHER}', '${}', true, false])
    })
  }

  it('takes the protected route from the context, and keeps what it must in a store', async () => {
    await openOn()
    should(await page.inputValue('#node-input-store')).equal('')
    await editor.fillTyped('route', 'global', 'studio.route')
    should(await drawn()).containEql('global: studio.route')
    await enter('store', 'file')
    await done()
    should(await saved()).containEql({ route: 'studio.route', routeType: 'global', store: 'file' })
    should(await editor.state(id)).containEql({ valid: true, changed: true })
    await editor.openForm(id)
    should(await page.inputValue('#node-input-routeType')).equal('global')
    should(await typed('route').inputValue()).equal('studio.route')
    should(await page.inputValue('#node-input-store')).equal('file')
    // What it holds is known at the start: there is no route to take a source from.
    await at('fill-main').click()
    should(await at('filled-main').textContent()).match(/First choose the route/)
    await editor.fillTyped('route', 'flow', 'route')
    await enter('store', '')
    await done()
    should(await saved()).containEql({ route: 'route', routeType: 'flow', store: '' })
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
    should(await label({ route: 'Studio A', dryRun: true })).equal('failover Studio A (dry run)')
    should(await label({ route: 'x1', routeType: 'id' })).equal('failover')
    const two = { method: 'routes', main: 'Main feed', mainType: 'name' }
    should(await label({ ...two, route: 'Studio A' })).equal('failover Main feed')
  })

  it('makes no error and asks nobody outside', () => {
    should(editor.complaints).eql([])
  })
})
