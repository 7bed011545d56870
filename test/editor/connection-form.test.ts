// "Test connection" in the form of the config node: a real browser, Node-RED and simulator.
import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { startSimulator, type Simulator } from '../../simulator'
import { afterThisTest } from '../support/hooks'
import { CONFIG, inBrowser, sharedEditor, type Editor, type Properties } from '../support/editor'
import { flawsOf } from '../support/looks'
import { takePicture } from '../support/pictures'
import { pause, until } from '../support/until'

declare const RED: { settings: { user?: { username: string; permissions: string } } }

const UNENCRYPTED = 'none: username and password can be read on the network'

inBrowser('the test of the connection', function () {
  this.timeout(60_000)

  let editor: Editor
  let page: Page
  let plain: Simulator
  let secure: Simulator
  let result: Locator

  before(async function () {
    plain = await startSimulator({ routes: 5 })
    secure = await startSimulator({ https: true, routes: 3, devices: 2 })
    editor = await sharedEditor()
    await editor.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      {
        id: 'gateway',
        type: CONFIG,
        name: 'Studio',
        baseUrl: plain.url,
        // No timeout: the form shows the default of one that was saved without.
        credentials: { username: 'operator', password: 'supervisor' },
      },
      // It keeps a session open.
      { id: 'watch', z: 'tab', x: 200, y: 80, type: 'media-gateway-watch', gateway: 'gateway' },
    ])
    await editor.open({ prepare })
    await until(() => plain.logins === 1)
  })

  after(async () => {
    await editor?.rest()
    const left = () => plain.openSessions + secure.openSessions
    await until(
      () => left() === 0,
      () => `the end of ${left()} sessions`,
    )
    await plain.stop()
    await secure.stop()
  })

  it('reuses the live session where the form is as the flow that runs', async () => {
    await openForm('gateway')
    const calls = plain.journal.length
    await test()
    should(await facts()).containDeep({
      Gateway: 'reached',
      User: 'operator (Operator)',
      License: 'valid',
      Device: `${plain.devices[0]!.name}, Online`,
      Firmware: plain.devices[0]!.firmware,
      Routes: '5',
      Session: 'shared with the running flow',
      Encryption: UNENCRYPTED,
    })
    should((await facts())['Response time']).match(/^\d+ ms$/)
    should(await result.innerText()).match(/^\s*Connected/)
    should(plain.journal.length).be.above(calls)
    should([plain.logins, plain.openSessions]).eql([1, 1])
    await close()
    should(await editor.state('gateway')).containEql({ changed: false })
  })

  it('tests values that were never saved, and logs out', async () => {
    await openNew({ baseUrl: plain.url })
    await fillIn({ username: 'haiadmin', password: 'manager' })
    const { logouts } = plain
    await test()
    should(await facts()).containDeep({
      User: 'Administrator (Administrator)',
      Session: 'temporary, closed again',
    })
    should([plain.openSessions, plain.logouts]).eql([1, logouts + 1])
    await close()
  })

  it('downloads a report, made with a session of its own', async () => {
    await openForm('gateway')
    const { logins, openSessions } = plain
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#media-gateway-report').click(),
    ])
    download.suggestedFilename().should.match(/^media-gateway-report-[\d-]+\.json$/)
    const file = readFileSync(await download.path(), 'utf8')
    const { format, answers } = JSON.parse(file) as { format: string; answers: object[] }
    format.should.equal('media-gateway-report')
    answers.length.should.be.above(5)
    file.should.not.containEql(plain.devices[0]!.name)
    await until(async () => (await result.innerText()).includes('Report: media-gateway-report-'))
    should(await result.innerText()).containEql('pseudonyms')
    should([plain.logins, plain.openSessions]).eql([logins + 1, openSessions])
    await close()
    should(await editor.state('gateway')).containEql({ changed: false })
  })

  const failures: Array<
    [what: string, given: Record<string, string>, texts: string[], facts: object]
  > = [
    [
      'the password is wrong',
      { username: 'user', password: 'guess' },
      ['Username or password rejected', 'lock the account'],
      { Gateway: 'reached', User: 'username or password rejected', Encryption: UNENCRYPTED },
    ],
    [
      'nothing listens',
      { baseUrl: 'http://127.0.0.1:1', username: 'user', password: 'public' },
      ['Gateway not reachable', 'nothing listens'],
      { Gateway: 'not reachable or not ready' },
    ],
    [
      'a name is not known',
      { baseUrl: 'http://gateway.invalid', username: 'user', password: 'public' },
      ['Gateway not reachable', 'cannot be resolved'],
      { Gateway: 'not reachable or not ready' },
    ],
    [
      'there are too many sessions',
      { username: 'user', password: 'public' },
      ['Too many sessions'],
      { Gateway: 'reached', User: 'no free session on the gateway', Encryption: UNENCRYPTED },
    ],
    [
      'the form misses something',
      {},
      ['Settings missing or invalid', 'username is missing'],
      { Gateway: 'not tested' },
    ],
  ]
  for (const [what, given, texts, known] of failures) {
    it(`says that ${what}`, async () => {
      if (what.includes('sessions')) plain.setOptions({ maxSessions: 1 })
      await openNew({ baseUrl: plain.url })
      await fillIn(given)
      await test()
      const says = await result.innerText()
      for (const text of texts) should(says).containEql(text)
      should(says).not.containEql('and deploy')
      should(await facts()).eql(known)
      plain.setOptions({ maxSessions: 10 })
      await close()
    })
  }

  it('says how an address begins, and asks nobody before it does', async () => {
    let asked = 0
    await page.route('**/media-gateway/connection', async (route) => {
      asked++
      await route.continue()
    })
    await openNew({ baseUrl: '127.0.0.1:8443' })
    await test()
    const says = await result.innerText()
    should(says).containEql(
      'URL: start with https:// or http://, for example https://127.0.0.1:8443',
    )
    should(says).containEql('the username is missing; the password is missing')
    should(says).not.containEql('config node')
    should(await facts()).eql({ Gateway: 'not tested' })
    should(asked).equal(0)
    await page.unroute('**/media-gateway/connection')
    await close()
  })

  it('brings the result into view', async () => {
    await page.setViewportSize({ width: 1024, height: 560 })
    await openNew({ baseUrl: secure.url })
    await fillIn({ username: 'haiadmin', password: 'manager' })
    await page.locator('#node-config-input-name').scrollIntoViewIfNeeded()
    await test()
    const trust = result.getByRole('button', { name: 'Trust this certificate' })
    const { y, height } = (await trust.boundingBox())!
    const tray = (await page.locator('.red-ui-tray-body').last().boundingBox())!
    should(y + height).be.belowOrEqual(tray.y + tray.height)
    should(y).be.aboveOrEqual(tray.y)
    await close()
    await page.setViewportSize({ width: 1400, height: 900 })
  })

  it('pins a certificate by one click, which is saved only with the form', async () => {
    const id = await openNew({ baseUrl: secure.url })
    await fillIn({ username: 'haiadmin', password: 'manager' })
    await test()
    should(await result.innerText()).containEql('Certificate not trusted')
    const { Subject, Issuer, Fingerprint, ...others } = await facts()
    should([Subject, Issuer]).match(/CN=/)
    should(Fingerprint).equal(secure.fingerprint)
    should(others).have.properties('Valid from', 'Valid to')
    should(secure.loginAttempts).equal(0)
    await shoot('certificate')

    await result.getByRole('button', { name: 'Trust this certificate' }).click()
    const field = page.locator('#node-config-input-fingerprint')
    should(await field.inputValue()).equal(secure.fingerprint)
    await until(async () =>
      (await page.locator('#media-gateway-test-result').innerText()).includes('Connected'),
    )
    should(await focused()).equal('media-gateway-test')
    should(await editor.exported(id)).not.have.property('fingerprint', secure.fingerprint)
    await tested()
    should(await facts()).containDeep({
      Gateway: 'reached',
      Encryption: 'yes, with the pinned certificate',
      Device: `${secure.devices[0]!.name}, Online; and 1 more`,
      Routes: '3',
    })
    should(secure.openSessions).equal(0)
    await editor.press('ok')
    should(await editor.exported(id)).containEql({ fingerprint: secure.fingerprint })
  })

  it('does not talk to a certificate that is another than the pinned one', async () => {
    const { loginAttempts } = secure
    await openNew({ baseUrl: secure.url, fingerprint: 'AB'.repeat(32) })
    await fillIn({ username: 'haiadmin', password: 'manager' })
    await test()
    should(await result.innerText()).containEql('a certificate other than the pinned one')
    should((await facts())['Fingerprint']).equal(secure.fingerprint)
    should(secure.loginAttempts).equal(loginAttempts)
    await close()
  })

  for (const [given, meant, title] of [
    ['http', 'https', 'This port speaks https'],
    ['https', 'http', 'This port speaks http, not https'],
  ] as const) {
    it(`says ${meant}:// where ${given}:// was entered, and enters it by one click`, async () => {
      const { url } = meant === 'https' ? secure : plain
      await openNew({ baseUrl: url.replace(meant, given) })
      await fillIn({ username: 'haiadmin', password: 'manager' })
      await test()
      const says = await result.innerText()
      should(says).containEql(title).and.containEql(`Enter ${url} as the URL.`)
      should(says).not.match(/certificate/i)
      should(await facts()).eql({ Gateway: 'not at this URL' })
      await result.getByRole('button', { name: `Use ${url}` }).click()
      should(await page.inputValue('#node-config-input-baseUrl')).equal(url)
      await until(async () =>
        (await result.innerText()).includes(meant === 'https' ? 'not trusted' : 'Connected'),
      )
      should(await focused()).equal('media-gateway-test')
      await close()
    })
  }

  it('says that the URL has a path, and enters it without one by one click', async () => {
    await openNew({ baseUrl: `${plain.url}/login` })
    await fillIn({ username: 'haiadmin', password: 'manager' })
    await test()
    const says = await result.innerText()
    should(says).containEql('has a path that does not lead to the gateway')
    should(says).not.containEql('password')
    await result.getByRole('button', { name: `Use ${plain.url}` }).click()
    await until(async () => (await result.innerText()).includes('Connected'))
    await close()
  })

  it('says when a certificate has expired', async () => {
    await page.route('**/media-gateway/connection', (route) =>
      route.fulfill({
        json: {
          ok: false,
          reused: false,
          code: 'TLS',
          message: 'The certificate of the appliance has expired.',
          certificate: {
            subject: 'CN=<img src=x class="from-appliance">',
            issuer: 'CN=gateway',
            validFrom: '2019-01-01T00:00:00.000Z',
            validTo: '2020-01-01T00:00:00.000Z',
            fingerprint: 'AA:BB',
          },
        },
      }),
    )
    await openNew({ baseUrl: secure.url })
    await fillIn({ username: 'haiadmin', password: 'manager' })
    await test()
    should((await facts())['Valid to']).match(/2020.*\(expired\)$|2019.*\(expired\)$/)
    should((await facts())['Subject']).equal('CN=<img src=x class="from-appliance">')
    should(await page.locator('.from-appliance').count()).equal(0)
    await page.unroute('**/media-gateway/connection')
    await close()
  })

  it('asks for the password when the stored one would go elsewhere', async () => {
    const elsewhere = await startSimulator()
    afterThisTest(() => elsewhere.stop())
    await openForm('gateway')
    await fillIn({ baseUrl: elsewhere.url })
    await test()
    should(await result.innerText()).containEql('Enter the password again')
    should(await focused()).equal('node-config-input-password')
    should(elsewhere.journal.length).equal(0)
    await fillIn({ password: 'supervisor' })
    await test()
    should(await result.innerText()).match(/^\s*Connected/)
    should(elsewhere.openSessions).equal(0)
    await close()
  })

  it('marks a result whose values were changed', async () => {
    await openForm('gateway')
    await test()
    const mark = page.locator('.media-gateway-test-outdated')
    should(await mark.isVisible()).be.false()
    const timeout = page.locator('#node-config-input-timeout')
    for (const [key, isMarked] of [
      ['1', true],
      ['Backspace', false],
    ] as const) {
      await editor.openTabOf('#node-config-input-timeout')
      await timeout.press('End')
      await timeout.press(key)
      await editor.openTabOf('#media-gateway-test')
      should(await mark.isVisible()).equal(isMarked)
    }
    await page.fill('#node-config-input-name', 'Another')
    await page.keyboard.press('Tab')
    should(await mark.isVisible()).be.false()
    await close()
  })

  it('makes one test of a double click, and knows values that change meanwhile', async () => {
    let asked = 0
    let answer: () => void = () => undefined
    await page.route('**/media-gateway/connection', async (route) => {
      asked++
      await new Promise<void>((resolve) => (answer = resolve))
      await route.continue()
    })
    await openForm('gateway')
    await page.locator('#media-gateway-test').dblclick()
    await until(() => asked > 0)
    should(await result.innerText()).equal('Testing the connection …')
    await fillIn({ timeout: '20000' })
    answer()
    await tested()
    should(asked).equal(1)
    await editor.openTabOf('#media-gateway-test')
    should(await page.locator('.media-gateway-test-outdated').isVisible()).be.true()
    await page.unroute('**/media-gateway/connection')
    await close()
  })

  it('is not offered to who may only read', async () => {
    const shown = async () => {
      await openForm('gateway')
      await editor.openTabOf('#node-config-input-baseUrl')
      should(await page.locator('#node-config-input-baseUrl').isVisible()).be.true()
      const buttons = page.locator('#media-gateway-test, #media-gateway-report')
      const visible = await buttons.filter({ visible: true }).count()
      await close()
      return visible
    }
    should(await shown()).equal(2)
    await page.evaluate(() => (RED.settings.user = { username: 'x', permissions: 'read' }))
    should(await shown()).equal(0)
    await page.evaluate(() => delete RED.settings.user)
  })

  it('tells in words that it may not, or that Node-RED is of another mind', async () => {
    for (const [status, says] of [
      [401, 'lacks the permission'],
      [403, 'lacks the permission'],
      [404, 'Restart Node-RED'],
      [502, 'status 502'],
    ] as const) {
      await page.route('**/media-gateway/connection', (route) => route.fulfill({ status }))
      await openForm('gateway')
      await test()
      should(await result.innerText()).containEql(says)
      should(await result.innerText()).match(/not tested/)
      await close()
      await page.unroute('**/media-gateway/connection')
    }
    await page.route('**/media-gateway/connection', (route) => route.abort())
    await openForm('gateway')
    await test()
    should(await result.innerText()).containEql('Node-RED does not respond')
    await close()
    await page.unroute('**/media-gateway/connection')
    should(editor.complaints.splice(0)).matchEach(/Failed to load resource/)
  })

  for (const [language, title] of [
    ['de', 'Benutzername oder Passwort abgelehnt'],
    ['ja', 'ユーザ名またはパスワードが拒否されました'],
  ] as const) {
    it(`speaks the language of the editor: ${language}`, async () => {
      await editor.open({ language, prepare })
      await openNew({ baseUrl: plain.url })
      await fillIn({ username: 'operator', password: 'guess' })
      await test()
      should(await result.innerText()).containEql(title)
      should(await result.innerText()).not.match(/connection\./)
      await fillIn({ password: 'supervisor' })
      // After a refused login, a test waits.
      await pause(2000)
      await test()
      should(await result.innerText()).not.match(/connection\./)
      should(Object.keys(await facts()).length).equal(9)
      await shoot(`good-${language}`)
      await close()
    })
  }

  for (const theme of ['light', 'dark'] as const) {
    it(`looks as it should, ${theme}`, async () => {
      await editor.open({ theme, prepare })
      await openForm('gateway')
      await test()
      await shoot(`good-${theme}`)
      await fillIn({ timeout: '1234' })
      await shoot(`outdated-${theme}`)
      await close()
      await openNew({ baseUrl: secure.url })
      await fillIn({ username: 'haiadmin', password: 'manager' })
      await test()
      await shoot(`certificate-${theme}`)
      await result.getByRole('button').click()
      await result.getByText('with the pinned certificate').waitFor()
      await shoot(`pinned-${theme}`)
      await close()
      await openNew({ baseUrl: plain.url })
      await fillIn({ username: 'user', password: 'guess' })
      await test()
      await shoot(`refused-${theme}`)
      await close()
      await openNew({ baseUrl: secure.url.replace('https', 'http') })
      await fillIn({ username: 'haiadmin', password: 'manager' })
      await test()
      await shoot(`mistake-${theme}`)
      await close()
    })
  }

  it('says on a closed tab that something in it is wrong, until it is right', async () => {
    await openNew({ baseUrl: plain.url, fingerprint: 'A7' })
    const tab = (name: string) => page.getByRole('tab', { name })
    const mark = tab('Security').getByRole('img', { name: 'something here is missing or wrong' })
    await mark.waitFor()
    should(await page.getByRole('img', { name: 'something here' }).count()).equal(1)
    should(await page.locator('#node-config-input-fingerprint').isVisible()).be.false()
    await tab('Security').press('Enter')
    should(await tab('Security').getAttribute('aria-selected')).equal('true')
    should(await tab('Connection').getAttribute('aria-selected')).equal('false')
    should(await page.locator('#node-config-input-baseUrl').isVisible()).be.false()
    await fillIn({ fingerprint: '' })
    await mark.waitFor({ state: 'hidden' })
    await tab('More').click()
    await fillIn({ timeout: 'x' })
    await tab('More').getByRole('img').waitFor()
    await takePicture(page.locator('.red-ui-tray-body').last(), 'gateway-more')
    await close()
  })

  it('makes no error and asks nobody outside', () => {
    should(editor.complaints).eql([])
  })

  const prepare = (opened: Page) => (page = opened)

  let counter = 0

  async function openNew(properties: Properties): Promise<string> {
    const id = `new-${counter++}`
    await editor.add({ timeout: 10000, ...properties, id, type: CONFIG })
    await openForm(id)
    return id
  }

  async function openForm(id: string) {
    await editor.openForm(id)
    result = page.locator('#media-gateway-test-result')
  }

  const close = () => editor.press('cancel')

  async function fillIn(values: Record<string, string>) {
    for (const [property, value] of Object.entries(values)) {
      const id = `#node-config-input-${property}`
      await editor.openTabOf(id)
      const field = page.locator(id)
      await field.fill(value)
      await field.press('Tab')
    }
  }

  async function test() {
    await editor.openTabOf('#media-gateway-test')
    await page.click('#media-gateway-test')
    await tested()
  }

  async function tested() {
    await page.waitForFunction(() => {
      const place = document.querySelector('#media-gateway-test-result')
      return place?.ariaBusy === 'false' && place.querySelector('dl')
    })
  }

  /** The facts of the result, each under its name. */
  async function facts(): Promise<Record<string, string>> {
    const texts = async (tag: string) =>
      (await result.locator(tag).allTextContents()).map((text) => text.trim())
    const values = await texts('dd')
    return Object.fromEntries((await texts('dt')).map((name, index) => [name, values[index]!]))
  }

  const focused = () => page.evaluate(() => document.activeElement?.id)

  /** Looks for what can be computed; the picture is for the eye. */
  async function shoot(name: string) {
    await editor.openTabOf('#media-gateway-test')
    should(await flawsOf(page.locator('.media-gateway-form'))).eql([], name)
    await result.scrollIntoViewIfNeeded()
    await takePicture(page.locator('.red-ui-tray-body').last(), `test-${name}`)
  }
})
