// The table of callers in the form of a gateway: it edits the JSON above it, and nothing else of it.
import { CONFIG, VIEWS, type Properties } from '../support/editor'
import { cutInFields, flawsOf } from '../support/looks'
import { takePicture } from '../support/pictures'
import { withDialogs } from './dialogs-page'
import { DEFAULTS } from './every-node'

/** As somebody may have written them: with members of his own, and names in another way. */
const ROWS = [
  { address: '203.0.113.7', name: 'North', ticket: 17 },
  { Network: '198.51.100.0/24', NAME: 'Partners', expected: 'Always', route: '' },
  {
    address: '2001:db8::9',
    name: 'South',
    route: 'Studio A',
    output: 'Partners',
    expected: 'once',
  },
  null,
]

withDialogs('the table of callers', (dialogs) => {
  const { page, add, exported, state, openForm, done, open } = dialogs

  let counter = 0
  async function openWith(callers: string): Promise<string> {
    const id = `called-${counter++}`
    const credentials = { username: 'operator', password: 'example' }
    const more: Properties = { callers, callersType: 'json', credentials }
    await add({ ...DEFAULTS[CONFIG], baseUrl: 'https://a.example', ...more, id, type: CONFIG })
    await openForm(id)
    await dialogs.editor().openTabOf('#media-gateway-callers')
    return id
  }
  const table = () => page().locator('#media-gateway-callers')
  const row = (index: number) => table().locator('ol > li').nth(index)
  const cell = (index: number, label: string) => row(index).getByLabel(label, { exact: true })
  const typed = () => page().locator('#node-config-input-callers + * .red-ui-typedInput-input')
  async function type(json: string): Promise<void> {
    await typed().fill(json)
    await typed().press('Tab')
  }
  const callersOf = async (id: string): Promise<unknown> =>
    JSON.parse(String((await exported(id))['callers']))

  it('shows what is saved, and leaves it as it is', async () => {
    const saved = ` ${JSON.stringify(ROWS).replaceAll(',', ', ')}`
    const id = await openWith(saved)
    await row(3).waitFor()
    should(await cell(1, 'Address or network').inputValue()).equal('198.51.100.0/24')
    should(await cell(1, 'Name').inputValue()).equal('Partners')
    should(await cell(1, 'Expected').inputValue()).equal('always')
    should(await cell(2, 'Expected').inputValue()).equal('once')
    should(await row(0).getByRole('status').innerText()).equal('')
    should(await row(2).getByRole('status').innerText()).match(/expected is "once"; it must be/)
    await done()
    should(await state(id)).containEql({ changed: false })
    should((await exported(id))['callers']).equal(saved)
  })

  it('changes only what is edited, and keeps what has no column', async () => {
    const id = await openWith(JSON.stringify(ROWS))
    await cell(0, 'Name').fill('Nord')
    await cell(0, 'Expected').selectOption('running')
    await cell(1, 'Address or network').fill('198.51.100.8')
    await cell(2, 'Route').fill('')
    await cell(2, 'Expected').selectOption('')
    await row(3).getByRole('button', { name: 'remove this caller' }).click()
    // While it fades out it is gone already.
    await done()
    should(await callersOf(id)).eql([
      { address: '203.0.113.7', name: 'Nord', ticket: 17, expected: 'running' },
      { Network: '198.51.100.8', NAME: 'Partners', expected: 'Always', route: '' },
      { address: '2001:db8::9', name: 'South', output: 'Partners' },
    ])
    should((await state(id)).errors).eql([])
  })

  it('begins with nothing, and says what is wrong with a row', async () => {
    const id = await openWith('')
    const button = table().getByRole('button', { name: 'add a caller' })
    await button.click()
    await button.click()
    // An empty row is none.
    should(await typed().inputValue()).equal('')
    should(await cell(0, 'Address or network').getAttribute('placeholder')).match(/\/\d+$/)
    await cell(0, 'Name').fill('North')
    await cell(0, 'Address or network').click()
    should(await row(0).getByRole('status').innerText()).match(/^The address of "North" must be/)
    await cell(0, 'Address or network').fill('203.0.113.7')
    await cell(0, 'Route').click()
    should(await row(0).getByRole('status').innerText()).equal('')
    await done()
    should(await callersOf(id)).eql([{ name: 'North', address: '203.0.113.7' }])
    should((await state(id)).errors).eql([])
  })

  it('follows what is typed as JSON, and is gone where that is no list', async () => {
    const id = await openWith('')
    await type('[{"name":"A","address":"203.0.113.7"}]')
    await cell(0, 'Name').waitFor()
    await type('${CALLERS}')
    await table().waitFor({ state: 'hidden' })
    await type('[{"name":"B","address":"203.0.113.7"},{}]')
    await row(1).waitFor()
    should(await cell(0, 'Name').inputValue()).equal('B')
    await cell(1, 'Name').fill('C')
    await done()
    should(await callersOf(id)).eql([{ name: 'B', address: '203.0.113.7' }, { name: 'C' }])
  })

  for (const view of VIEWS) {
    it(`has room for its words: ${view.language}, ${view.theme}`, async () => {
      await open(view)
      // The last one is empty, for what its fields propose.
      await openWith(JSON.stringify([...ROWS.slice(0, 3), {}]))
      await row(3).waitFor()
      await table().scrollIntoViewIfNeeded()
      should([...(await flawsOf(table())), ...(await cutInFields(table()))]).eql([])
      await takePicture(page(), `callers-table-${view.language}`)
      await dialogs.cancel()
    })
  }
})
