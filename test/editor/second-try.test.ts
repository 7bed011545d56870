// What a test that failed has left in its page is not there for its second try.
import type { Page } from 'playwright-core'
import { CONFIG, inBrowser, sharedEditor, type Editor } from '../support/editor'

inBrowser('the page of a second try', function () {
  this.timeout(60_000)
  let editor: Editor
  let page: Page

  before(async () => {
    editor = await sharedEditor()
    await editor.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      { id: 'gateway', type: CONFIG, name: 'Studio', baseUrl: 'http://127.0.0.1:1' },
    ])
    await editor.open({ prepare: (opened) => (page = opened) })
  })
  after(() => editor?.rest())

  it('is a new one, prepared as the first was', async () => {
    const first = page
    const usual = page.viewportSize()
    await page.setViewportSize({ width: 500, height: 300 })
    await editor.openForm('gateway')

    await editor.discard()
    should(first.isClosed()).be.true()
    await editor.reopen()
    should(page).equal(editor.page).and.not.equal(first)
    should(page.viewportSize()).eql(usual)
    should(await page.locator('.red-ui-tray').count()).equal(0)
    await editor.openForm('gateway')
    await editor.press('cancel')
  })

  it('stays still after it is loaded again: nothing there slides or fades', async () => {
    await editor.reload()
    const body = page.locator('body')
    should(await body.evaluate((one) => getComputedStyle(one).transitionProperty)).equal('none')
    await editor.openForm('gateway')
    await editor.press('cancel')
  })
})
