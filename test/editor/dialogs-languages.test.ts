// Every dialog in the other languages: the labels fit their column, the choices their field.
import should from 'should'
import { CONFIG, VIEWS } from '../support/editor'
import { cutInFields, flawsOf } from '../support/looks'
import { takePicture } from '../support/pictures'
import { withDialogs } from './dialogs-page'
import { LOOKED } from './every-node'

withDialogs('the dialogs in other languages', ({ page, open, openForm, cancel }) => {
  for (const { language } of VIEWS.slice(1)) {
    it(`have room for their words: ${language}`, async () => {
      await open({ language })
      const found: Record<string, string[]> = {}
      for (const id of LOOKED) {
        const form = await openForm(id)
        const flaws = [...(await flawsOf(form)), ...(await cutInFields(form))]
        if (flaws.length > 0) found[id] = flaws
        const body = page().locator('.red-ui-tray-body').last()
        await takePicture(body, `${id.replace(`${CONFIG}-`, '')}-${language}`)
        await cancel()
      }
      should(found).eql({})
    })
  }
})
