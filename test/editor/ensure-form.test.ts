// The form of ensure route in a real browser: what the node would do now, and what stands in its way.
import type { Page } from 'playwright-core'
import should from 'should'
import { startSimulator, type Simulator } from '../../simulator'
import {
  CONFIG,
  inBrowser,
  sharedEditor,
  VIEWS,
  type Editor,
  type Properties,
} from '../support/editor'
import { flawsOf } from '../support/looks'
import { takePicture } from '../support/pictures'
import { until } from '../support/until'
import { DEFAULTS } from './every-node'

const ENSURE = 'media-gateway-ensure-route'

const NEW = {
  name: 'Studio <b>X</b>',
  source: { name: 'in', protocol: 'srt', srtMode: 'listener', port: 5900 },
  destinations: [{ name: 'out', protocol: 'udp', address: '239.1.1.9', port: 6900 }],
}

/** One route of each kind, in the language of the user. */
const TOTALS: Record<string, string> = {
  'en-US': '1 to add, 1 to change, 1 to remove; 0 to start, 0 to stop.',
  de: '1 hinzuzufügen, 1 zu ändern, 1 zu löschen; 0 zu starten, 0 zu stoppen.',
  ja: '追加 1件、変更 1件、削除 1件、開始 0件、停止 0件',
}

inBrowser('the form of ensure route', function () {
  this.timeout(60_000)

  let editor: Editor
  const page = (): Page => editor.page
  let simulator: Simulator

  before(async () => {
    simulator = await startSimulator({ routes: 4 })
    editor = await sharedEditor()
    const credentials = { username: 'haiadmin', password: 'manager' }
    await editor.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      { id: 'gateway', type: CONFIG, name: 'Studio', baseUrl: simulator.url, credentials },
    ])
    await editor.open()
  })

  after(async () => {
    await editor?.rest()
    await until(() => simulator.openSessions === 0)
    await simulator.stop()
  })

  let counter = 0

  async function openOn(definition: unknown, properties: Properties = {}): Promise<string> {
    const id = `ensure-${counter++}`
    await editor.add({
      ...DEFAULTS[ENSURE],
      definition: typeof definition === 'string' ? definition : JSON.stringify(definition),
      definitionType: 'json',
      x: 0,
      y: 0,
      ...properties,
      id,
      type: ENSURE,
    })
    await editor.openForm(id)
    return id
  }

  const button = () => page().locator('#media-gateway-try')
  const result = () => page().locator('#media-gateway-try-result')
  const block = () => page().locator('.media-gateway-try-text')
  const outdated = () => result().getByText('The form has changed since.')
  const fault = () => page().locator('#media-gateway-ensure-fault').innerText()

  /** Presses the button, and returns what is then shown. */
  async function plan(): Promise<string> {
    await button().click()
    await page().locator('#media-gateway-try-result[aria-busy="false"]').waitFor()
    return (await result().innerText()).trim()
  }

  const linesOf = (kind: string) => page().locator(`.media-gateway-try-${kind}`).allTextContents()

  it('shows what would be done now, and writes nothing', async () => {
    const [running] = simulator.routes
    const stopped = simulator.routes.find(({ state }) => state === 'idle')!
    const from = simulator.journal.length
    await openOn(
      [
        { ...NEW, state: 'running' },
        { name: running!.name, source: { port: 5901 } },
      ],
      {
        state: 'row',
        remove: 'pattern',
        removePattern: stopped.name,
        approve: true,
      },
    )
    should(await plan()).match(/^As of \d\d:\d\d:\d\d\. Nothing was changed\./)
    should(await linesOf('create')).matchEach(/^\+ "Studio <b>X<\/b>" {2}/)
    should(await linesOf('change')).have.length(1)
    should((await linesOf('change'))[0]).containEql(`~ ${JSON.stringify(running!.name)}`)
    should(await linesOf('delete')).have.length(1)
    should(await block().innerText()).match(
      /^1 to add, 1 to change, 1 to remove; 0 to start, 0 to stop\.\n- /,
    )
    should(await page().locator('.media-gateway-try-text b').count()).equal(0)
    await editor.press('cancel')
    const calls = simulator.journal.slice(from)
    should(calls.length).be.above(0)
    should(calls.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/session'))).eql(
      [],
    )
  })

  it('marks the plan once the form is another, until it is as it was', async () => {
    const id = await openOn([NEW])
    await plan()
    should(await outdated().isVisible()).be.false()
    await page().selectOption('#node-input-state', 'started')
    await outdated().waitFor()
    await page().selectOption('#node-input-state', 'present')
    await outdated().waitFor({ state: 'hidden' })
    await page().locator('#node-input-definition + .red-ui-typedInput-container input').fill('[]')
    await page().keyboard.press('Tab')
    await outdated().waitFor()
    await editor.press('cancel')
    should((await editor.state(id)).changed).be.false()
  })

  it('says in the language of the user what is wrong, without asking', async () => {
    const from = simulator.journal.length
    await openOn('[{"name":"A","source":{"port":0}}]')
    should(await plan()).equal('Definition: [0].source.port: a whole number from 1 to 65535')
    await editor.press('cancel')
    await openOn('{')
    should(await plan()).match(/^Definition: .*JSON/)
    await editor.press('cancel')
    await openOn([NEW], { remove: 'pattern', removePattern: 'Test *' })
    should(await plan()).equal('Unlisted routes: only possible with “Plan first” or “Dry run”')
    await editor.press('cancel')
    should(simulator.journal.slice(from).filter(({ path }) => path !== '/api/session')).eql([])
  })

  it('says why the gateway makes a plan impossible', async () => {
    const [route] = simulator.routes
    await openOn([NEW, { ...NEW, name: route!.name, id: route!.id }])
    should(await plan()).match(/\[1\]/)
    await editor.press('cancel')
    // The browser itself tells a failed call as an error.
    should(editor.complaints.splice(0)).matchEach(/Failed to load resource/)

    await openOn([NEW], { gateway: '' })
    should(await plan()).equal('Choose a gateway to see a list.')
    await editor.press('cancel')
  })

  it('says which values only a run knows, and asks nobody', async () => {
    let asked = 0
    page().on('request', (request) => {
      if (request.url().endsWith('/media-gateway/plan')) asked++
    })
    await openOn('payload', { definitionType: 'msg', device: '${DEVICE}', deviceType: 'id' })
    should(await plan()).equal(
      'Only what is in this form can be tried. Known only when the flow runs: Device, Definition.',
    )
    await editor.press('cancel')
    should(asked).equal(0)
  })

  it('says below the choice what removing routes still needs', async () => {
    await openOn([NEW])
    should(await fault()).equal('')
    await page().selectOption('#node-input-remove', 'pattern')
    should(await fault()).equal('only possible with “Plan first” or “Dry run”')
    await page().setChecked('#node-input-approve', true)
    should(await fault()).equal('')
    await page().selectOption('#node-input-state', 'absent')
    should(await fault()).equal('not possible with the desired state absent')
    await page().selectOption('#node-input-remove', 'none')
    should(await fault()).equal('')
    await editor.press('cancel')
  })

  it('makes no error and asks nobody outside', () => {
    should(editor.complaints).eql([])
  })

  it('looks as it should, in each language and theme', async () => {
    for (const { language, theme } of VIEWS) {
      await editor.open({ theme, language })
      await openOn([NEW, { name: simulator.routes[0]!.name, source: { port: 5901 } }], {
        state: 'row',
        remove: 'pattern',
        removePattern: simulator.routes.find(({ state }) => state === 'idle')!.name,
        approve: true,
      })
      await plan()
      should((await block().innerText()).split('\n')[0]).equal(TOTALS[language])
      const form = page().locator('.media-gateway-form')
      should(await flawsOf(form)).eql([], `${language} ${theme}`)
      await takePicture(page().locator('.red-ui-tray-body').last(), `ensure-${language}-${theme}`)
      await editor.press('cancel')
    }
  })
})
