// Every dialog in the other languages: the labels fit their column, the choices their field.
import { CONFIG, VIEWS } from '../support/editor'
import { cutInFields, flawsOf } from '../support/looks'
import { takePicture } from '../support/pictures'
import { withDialogs } from './dialogs-page'
import { DEFAULTS, LOOKED } from './every-node'

const ENSURE = 'media-gateway-ensure-route'

withDialogs('the dialogs in other languages', ({ page, add, open, openForm, cancel }) => {
  for (const { language } of VIEWS.slice(1)) {
    it(`have room for their words: ${language}`, async () => {
      await open({ language })
      // With the sidebar open, this is the least room that a dialog has to do with.
      await page().setViewportSize({ width: 1024, height: 900 })
      const found: Record<string, string[]> = {}
      // With its definition as a form, this dialog is narrower, and keeps that width for its type.
      const asForm = { definition: '{}', definitionType: 'json', x: 0, y: 0 }
      await add({ ...DEFAULTS[ENSURE], ...asForm, gateway: 'gateway', id: 'as-form', type: ENSURE })
      for (const id of ['as-form', ...LOOKED]) {
        const form = await openForm(id)
        const flaws = [...(await flawsOf(form)), ...(await cutInFields(form))]
        const frame = page().locator('.red-ui-tray-body-wrapper').last()
        const overhang = await frame.evaluate((one) => one.scrollWidth - one.clientWidth)
        if (overhang > 0) flaws.push(`the dialog is cut by ${overhang} px`)
        if (flaws.length > 0) found[id] = flaws
        const body = page().locator('.red-ui-tray-body').last()
        await takePicture(body, `${id.replace(`${CONFIG}-`, '')}-${language}`)
        await cancel()
      }
      should(found).eql({})
    })
  }
})
