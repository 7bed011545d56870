// The form of a route: what it reports as wrong.
import { withRouteForm } from './route-form-page'

/** Faults of which none can be said by the kind of its field. */
const FAULTY = {
  bogus: 1,
  name: 'A',
  state: 'running',
  source: { name: 'in', protocol: 'srt', srtPassPhrase: 'key-${SRT_KEY}' },
  destinations: [{ name: 'out', protocol: 'udp', action: 'start' }],
}

/** In the words of a language; what is wrong with the definition as a whole first. */
const FAULTS_IN_WORDS = [
  [
    'en-US',
    'bogus: unknown field: a route has name, source and destinations',
    'state: cannot be set in a definition: use startRoute for a new route, control route for an existing route, or Desired state in ensure route',
    'enter a secret as an environment variable with the prefix SRT_, as the whole value: ${SRT_NAME}',
    'not part of a desired state: use control route to start or stop a destination',
  ],
  [
    'de',
    'bogus: unbekanntes Feld: eine Route hat name, source und destinations',
    'state: kann in einer Definition nicht angegeben werden: verwenden Sie startRoute für eine neue Route, control route für eine vorhandene oder den Sollzustand von ensure route',
    'geben Sie ein Geheimnis als Umgebungsvariable mit dem Präfix SRT_ an, als ganzen Wert: ${SRT_NAME}',
    'gehört nicht zu einem Sollzustand: verwenden Sie control route, um ein Ziel zu starten oder zu stoppen',
  ],
  [
    'ja',
    'bogus: 不明な項目です。ルートの項目はname、source、destinationsです',
    'state: 定義では指定できません。新しいルートにはstartRoute、既存のルートにはcontrol routeノード、またはensure routeノードの目標の状態を使用してください',
    '秘密情報に使用できる環境変数は、名前がSRT_で始まるものだけです。値全体を${SRT_NAME}の形で入力してください',
    '目標の状態には指定できません。出力先の開始と停止にはcontrol routeノードを使用してください',
  ],
] as const

withRouteForm('the route form: what is wrong', (routeForm) => {
  const { editor, page, open, openOn, enter, form, source, destination, summaries } = routeForm
  const { member, entry, top, faultOf, faults, problems, view, json, definition } = routeForm

  it('says at the field what is wrong while one types, and not before', async () => {
    await openOn('create', '')
    should(await faults()).eql([])
    await enter(source(), 'name', 'in')
    await enter(source(), 'protocol', 'udp')
    await enter(source(), 'port', '70000')
    should(await faultOf(source(), 'port')).equal('a whole number from 1 to 65535')
    const port = entry(source(), 'port')
    should(await port.getAttribute('aria-invalid')).equal('true')
    const described = (await port.getAttribute('aria-describedby'))!.split(' ')
    should(described).containEql(
      await member(source(), 'port').locator('.media-gateway-route-fault').getAttribute('id'),
    )
    await port.fill('50x')
    should(await faultOf(source(), 'port')).equal('a whole number from 1 to 65535')
    should(await definition()).containDeep({ source: { port: '50x' } })
    await port.fill('5000')
    should(await faultOf(source(), 'port')).equal('')
    should(await port.getAttribute('aria-invalid')).equal(null)
    await entry(source(), 'address').focus()
    should(await faultOf(source(), 'address')).equal('')
    await port.focus()
    should(await faultOf(source(), 'address')).equal('this field is required')
    await enter(source(), 'address', '239.1.2.3')
    await entry(top(), 'name').focus()
    await port.focus()
    should(await faults()).eql(['this field is required'])
    await enter(top(), 'name', 'x'.repeat(61))
    should(await faultOf(top(), 'name')).equal('1 to 60 characters')
    await enter(top(), 'name', 'A')

    for (const index of [0, 1]) {
      await form().getByRole('button', { name: 'add a destination' }).click()
      await enter(destination(index), 'name', 'out')
      await enter(destination(index), 'protocol', 'srt')
    }
    should(await faultOf(destination(1), 'name')).equal(
      'destination 1 has the same value; each destination needs its own',
    )
    await enter(destination(1), 'srtPassPhrase', 'short')
    should(await faultOf(destination(1), 'srtPassPhrase')).equal('10 to 79 characters')
    should(await form().locator('.media-gateway-route-status').textContent()).match(/correct: \d/)
    await editor().press('cancel')

    // What was saved with faults shows them at once, also for a row that is closed.
    const saved = {
      name: 'A',
      nmae: 'B',
      source: { name: 'in', protocol: 'udp', address: '10.0.0.1', port: { x: 1 } },
      destinations: [{ name: 'out', protocol: 'udp', ttl: 300 }],
    }
    await openOn('create', JSON.stringify(saved))
    should(await problems()).eql([
      'nmae: unknown field; did you mean name?',
      'source.port: a whole number from 1 to 65535',
    ])
    should(await summaries()).match([/out · UDP.*Fields to complete or correct: 3/])
    await destination(0).locator('.media-gateway-route-toggle').click()
    should(await faultOf(destination(0), 'ttl')).equal('a whole number from 1 to 255')
    should(await entry(destination(0), 'ttl').isVisible()).be.true()
    await view('JSON')
    should(await problems()).have.length(5)
    await view('Form')
    await page().uncheck('#node-input-validate')
    should(await problems()).eql(['nmae: unknown field; did you mean name?'])
    should(await faults()).eql([])
    await editor().press('cancel')
  })

  it('asks for what the kind of update needs', async () => {
    const part = { source: { port: 5001 } }
    await openOn('update', JSON.stringify(part), { mode: 'merge' })
    should(await faults()).eql([])
    should(await source().locator('.media-gateway-route-required').count()).equal(0)
    await page().selectOption('#node-input-mode', 'keep')
    should(await faultOf(source(), 'name')).equal('this field is required')
    should(await faultOf(top(), 'name')).equal('')
    await page().selectOption('#node-input-mode', 'replace')
    should(await faultOf(top(), 'name')).equal('this field is required')
    should(await json()).equal(JSON.stringify(part))
    await editor().press('cancel')

    await openOn('ensure', '{"source":{"port":5001}}', { state: 'present' })
    should(await faultOf(top(), 'name')).match(/^id or name is required/)
    await enter(top(), 'name', 'A')
    should(await faults()).eql([])
    await form().getByRole('button', { name: 'add a destination' }).click()
    await enter(destination(0), 'port', '0')
    should(await faultOf(destination(0), 'port')).equal('a whole number from 1 to 65535')
    await editor().press('cancel')
  })

  describe('a fault', () => {
    after(() => open())

    for (const [language, ...told] of FAULTS_IN_WORDS) {
      it(`is said in the language of the user, within the dialog: ${language}`, async () => {
        await open({ language })
        await page().setViewportSize({ width: 1024, height: 700 })
        await openOn('ensure', JSON.stringify(FAULTY))
        await destination(0).locator('.media-gateway-route-toggle').click()
        const said = async () => [...(await problems()), ...(await faults())].sort()
        should(await said()).eql([...told].sort())
        const dialog = (await page().locator('.red-ui-tray').boundingBox())!
        const shown = (await form().boundingBox())!
        should(shown.x + shown.width).be.belowOrEqual(dialog.x + dialog.width)
        await view('JSON')
        should((await problems()).map((each) => each.replace(/^[\w.[\]]+: /, '')).sort()).eql(
          told.map((each) => each.replace(/^[\w.[\]]+: /, '')).sort(),
        )
        await editor().press('cancel')
        should((await editor().state('ensure')).errors.join()).containEql(told[0])
        await page().setViewportSize({ width: 1400, height: 900 })
      })
    }
  })
})
