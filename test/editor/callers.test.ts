// Who calls: in the details of a route, and the names of callers in the form of a gateway.
import { startSimulator } from '../../simulator'
import { takePicture } from '../support/pictures'
import { until } from '../support/until'
import { ROUTES, withSidebar } from './sidebar-page'

const PARTNERS = {
  name: 'Partners',
  protocol: 'srt',
  srtMode: 'listener',
  address: '0.0.0.0',
  port: 7000,
}
const HOSTILE = '<img src=x class="from-list">'

withSidebar('callers in the editor', (sidebar) => {
  const { editor, gateway, deploy, open, row, details, says } = sidebar

  it('are in the details of a route, by name and address, while they are open', async () => {
    const [first] = ROUTES
    const studio = await startSimulator({
      routes: [{ ...first!, destinations: [PARTNERS], callers: 0 }],
    })
    try {
      const rows = [{ address: '203.0.113.0/28', name: HOSTILE }]
      const named = { callersType: 'json', callers: JSON.stringify(rows) }
      await deploy([gateway('called', 'Called', studio, named)])
      const page = await open(['called'])
      const reads = () => studio.journal.filter(({ path }) => path.includes('/statistics')).length
      await row('Alpha', 'Called').waitFor()
      studio.setCallers('Alpha', {
        Partners: [
          { address: '203.0.113.7', port: 40_001, loss: 5 },
          { address: '2001:db8::9', port: 40_002 },
        ],
      })
      const shown = () => studio.journal.filter(({ path }) => path.includes('/devices/')).length
      const before = shown()
      await until(() => shown() > before + 2)
      // Nobody looks.
      should(reads()).equal(0)
      await row('Alpha', 'Called').click()
      await says(details(), `${HOSTILE} (203.0.113.7:40001) · `)
      await says(details(), /\[2001:db8::9\]:40002 · .* Mbit\/s · loss [\d.]+ % · \d+ ms/)
      should(reads()).be.above(0)
      await details()
        .getByText('2001:db8::9')
        .evaluate((line) => line.scrollIntoView())
      await takePicture(page, 'callers-sidebar')
      // Beside the bit rate, the clients and a button, an address is not broken up.
      const widths = await details()
        .locator('.media-gateway-sidebar-about')
        .evaluateAll((places) => places.map((one) => one.getBoundingClientRect().width))
      should(Math.min(...widths)).be.aboveOrEqual(100)
      should(await page.locator('.from-list').count()).equal(0)
      const german = await open(['called'], { language: 'de' })
      await row('Alpha', 'Called').click()
      await says(
        german.locator('.media-gateway-sidebar-details'),
        /\[2001:db8::9\]:40002 · .* · Verlust \d+,\d+ % · /,
      )
      await open(['called'])
      await row('Alpha', 'Called').click()
      studio.setCallers('Alpha', { Partners: 0 })
      await details().filter({ hasNotText: '203.0.113' }).waitFor()
    } finally {
      await deploy()
      await studio.stop()
    }
  })

  it('have names in the form, which says what is wrong with a row before it is deployed', async () => {
    await open([])
    const errorsOf = async (callersType: string, callers: string): Promise<string> => {
      const id = `callers ${callersType} ${callers.length}`
      const more = { callersType, callers, credentials: { username: 'a', password: 'b' } }
      await editor().add({ id, type: 'media-gateway', baseUrl: 'https://a.example', ...more })
      return (await editor().state(id)).errors.join()
    }
    const others = await errorsOf('none', '')
    const bad = [
      { address: '203.0.113.7', name: 'A' },
      { address: '203.0.113', name: 'B' },
    ]
    should(await errorsOf('json', JSON.stringify(bad.slice(0, 1)))).equal(others)
    should(await errorsOf('json', JSON.stringify(bad))).match(
      /Row 2 of the callers: The address of "B" must be an address such as/,
    )
    should(await errorsOf('json', '{}')).match(/must be a JSON array/)
    should(await errorsOf('file', '')).not.equal(others)
  })
})
