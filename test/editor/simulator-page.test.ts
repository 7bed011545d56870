// The page of the simulator: what it shows, and that its buttons do what they say.
import type { Browser, Page } from 'playwright-core'
import { startSimulator, type Simulator } from '../../simulator'
import { inBrowser, launchBrowser } from '../support/editor'
import { takePicture } from '../support/pictures'
import { endEach } from '../support/connect'

const HOSTILE = '<img src=x class="from-route">'
const STUDIO = {
  name: 'Studio A',
  startRoute: true,
  source: { name: 'In', protocol: 'udp', address: '239.1.1.1', port: 5000 },
  destinations: [
    { name: HOSTILE, protocol: 'udp', address: '239.1.1.2', port: 5000 },
    { name: 'Partners', protocol: 'srt', srtMode: 'listener', address: '0.0.0.0', port: 7000 },
  ],
  callers: 1,
}

inBrowser('the page of the simulator', () => {
  let browser: Browser
  let simulator: Simulator
  let page: Page

  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser.close())

  beforeEach(async () => {
    simulator = await startSimulator({ routes: [STUDIO, { ...STUDIO, name: 'Studio B' }] })
    page = await browser.newPage({ colorScheme: 'dark', viewport: { width: 1120, height: 420 } })
    await page.goto(simulator.url)
  })
  afterEach(() => endEach(page, simulator))

  const row = (number: number) => page.locator('tbody').first().locator('tr').nth(number)
  const says = (number: number, text: string | RegExp) =>
    row(number).filter({ hasText: text }).waitFor()
  const press = (label: string) => page.getByRole('button', { name: label, exact: true }).click()

  it('shows every button on a screen of 1,100 pixels, also of a source with much to say', async () => {
    await page.setViewportSize({ width: 1100, height: 420 })
    await says(1, 'connected')
    await press('Studio A, source: loss')
    await says(1, 'loss 8 %, 600 ms')
    const hidden = await page.locator('div.table').evaluate((el) => el.scrollWidth - el.clientWidth)
    should(hidden).equal(0)
  })

  it('shows routes with their parts, and names are only text', async () => {
    await says(0, /^Studio Arunning$/)
    await says(1, /^Sourceudp multicast 239\.1\.1\.1:5000connected\d+\.\d/)
    await says(2, HOSTILE)
    await says(3, /^→ Partnerssrt listener 0\.0\.0\.0:7000connected\d+\.\d− 1 \+/)
    should(await page.locator('.from-route').count()).equal(0)
    await takePicture(page, 'simulator-page-dark')
    // A route that is created, or renamed, by somebody else.
    simulator.renameRoute('Studio B', 'Renamed')
    await page.locator('tbody').nth(1).filter({ hasText: 'Renamed' }).waitFor()
  })

  it('makes a source fail in three ways, and undoes that', async () => {
    const lines = () => simulator.state.failures.lines
    await press('Studio A, source: fail')
    await says(1, 'disconnected')
    await says(0, 'running')
    should(lines()).eql([{ place: '239.1.1.1:5000', state: 'disconnected' }])
    await press('Studio A, source: no data')
    await says(1, /connected, no data0\.0/)
    await press('Studio A, source: loss')
    await says(1, 'connected, loss 8 %, 600 ms')
    const pressed = row(1).getByRole('button', { pressed: true })
    should(await pressed.allTextContents()).eql(['Loss'])
    await page.emulateMedia({ colorScheme: 'light' })
    await takePicture(page, 'simulator-page-light')
    await press('Studio A, source: restore')
    await says(1, /connected\d/)
    await press('Studio A, Partners: fail')
    await says(3, 'disconnected')
    await press('Restore the gateway and every source and destination')
    await says(3, /connected\d/)
    should(lines()).eql([])
  })

  it('lets callers join and leave', async () => {
    const count = () => simulator.callers.filter(({ route }) => route === 'Studio A').length
    await press('Studio A, Partners: a caller joins')
    await says(3, '− 2 +')
    should(count()).equal(2)
    await press('Studio A, Partners: a caller leaves')
    await says(3, '− 1 +')
    await press('Studio A, Partners: a caller leaves')
    await says(3, 'disconnected')
    should(count()).equal(0)
  })

  it('switches the gateway off and on, and goes on meanwhile', async () => {
    const answers = () =>
      fetch(`${simulator.url}/login`).then(
        () => true,
        () => false,
      )
    await press('The gateway is off: every connection is cut')
    await page.locator('#bar b', { hasText: 'Gateway off' }).waitFor()
    should(await answers()).be.false()
    await page.reload()
    await press('The gateway is back')
    await page.locator('#bar b', { hasText: 'Gateway on' }).waitFor()
    should(await answers()).be.true()
    await simulator.stop()
    await page.locator('#said', { hasText: 'does not respond' }).waitFor()
  })

  it('is in no frame of another page, whose requests are refused', async () => {
    const other = await startSimulator()
    const elsewhere = await browser.newPage()
    try {
      // Another port is another page.
      await elsewhere.goto(`${other.url}/login`)
      const status = await elsewhere.evaluate(
        (url) =>
          fetch(`${url}/simulator/device`, {
            method: 'POST',
            mode: 'no-cors',
            body: '{"state":"away"}',
          }).then(({ type }) => type),
        simulator.url,
      )
      should(status).equal('opaque')
      should(simulator.state.failures.device).equal('ok')
      const framed = elsewhere.waitForEvent('console', { predicate: isAboutFrames })
      await elsewhere.evaluate((url) => {
        const frame = document.createElement('iframe')
        frame.src = url
        document.body.append(frame)
      }, simulator.url)
      await framed
    } finally {
      await elsewhere.close()
      await other.stop()
    }
  })
})

const isAboutFrames = (message: { text(): string }): boolean =>
  message.text().includes('frame-ancestors')
