// The form of a route, and the JSON that it edits.
import type { EditorRED, Properties } from '../support/editor'
import { STRANGE } from './route-definitions'
import { withRouteForm } from './route-form-page'

declare const RED: EditorRED

withRouteForm('the route form: its text', (routeForm) => {
  const { editor, page, openOn, give, enter, form, source } = routeForm
  const { destination, summaries, entry, top, view, json, definition } = routeForm

  it('leaves the text as it is when the dialog is opened and closed', async () => {
    for (const use of ['create', 'update', 'ensure']) {
      for (const text of [
        ' { "name" : "A" ,"source":{ } }',
        JSON.stringify(STRANGE),
        JSON.stringify(STRANGE, null, 2),
        '{"name":1,"source":"x","destinations":{"one":null}}',
        '{"name":"A","source":{"port":1e3,"name":"in","protocol":"udp"},"name":"B"}',
        '[{"name":"A"}]',
        '{"name":',
        '"text"',
        '{}',
      ]) {
        await give(use, { definition: text, definitionType: 'json', changed: false })
        await page().evaluate(
          (id) => void Object.assign(RED.nodes.node(id)!, { changed: false }),
          use,
        )
        await editor().openForm(use)
        for (const each of await page().locator('summary:visible').all()) await each.click()
        for (const each of await page().locator('.media-gateway-route-toggle').all()) {
          await each.click()
        }
        await editor().press('ok')
        should((await editor().exported(use))['definition']).equal(text)
        should(await editor().state(use)).containEql({ changed: false })
      }
    }
  })

  it('shows no form for a definition that is not JSON, and leaves it', async () => {
    await give('create', { definition: 'payload', definitionType: 'msg' })
    await editor().openForm('create')
    should(await form().isVisible()).be.false()
    should(await page().locator('.media-gateway-route-switch').isVisible()).be.false()
    await editor().press('ok')
    should(await editor().exported('create')).containEql({
      definition: 'payload',
      definitionType: 'msg',
    })
    await editor().openForm('create')
    await page().click('#node-input-definition + * .red-ui-typedInput-type-select')
    await page().locator('.red-ui-typedInput-options:visible [value="json"]').click()
    // The name of a message property is no beginning of a definition.
    should(await entry(top(), 'name').inputValue()).equal('')
    await editor().fillTyped('definition', 'json', '{"name":"A"}')
    await view('Form')
    should(await entry(top(), 'name').inputValue()).equal('A')
    await editor().press('cancel')

    await openOn('create', 'payload')
    await view('Form')
    should(await form().textContent()).match(/not a JSON object/)
    await form().getByRole('button', { name: 'Start with an empty form' }).click()
    should(await json()).equal('{}')
    await enter(top(), 'name', 'A')
    should(await json()).equal('{"name":"A"}')
    await editor().press('cancel')
  })

  it('keeps what it does not know, and names it', async () => {
    await openOn('create', JSON.stringify(STRANGE))
    const others = () => form().locator('.media-gateway-route-others:visible').allTextContents()
    should(await others()).eql([
      'Other fields, kept unchanged: later',
      'Other fields, kept unchanged: zeta, jitter',
    ])
    should(await summaries()).match([
      /one · NDI/,
      /two · HLS/,
      /"no object"/,
      /three · SRT · 239\.1\.2\.3:5000/,
    ])
    await enter(top(), 'name', 'Other')
    await enter(source(), 'port', '7001')
    await enter(source(), 'labels', 'a, c')
    await destination(0).locator('.media-gateway-route-toggle').click()
    await enter(destination(0), 'name', 'uno')
    await destination(3).locator('.media-gateway-route-toggle').click()
    should(await entry(destination(3), 'srtMode').inputValue()).equal('caller')
    await enter(destination(3), 'srtMode', 'listener')
    await editor().press('ok')
    const [one, two, text, three] = STRANGE.destinations as [object, object, string, object]
    const { useFEC: _, ...listener } = three as Properties
    should((await editor().exported('create'))['definition']).equal(
      JSON.stringify({
        ...STRANGE,
        name: 'Other',
        source: { ...STRANGE.source, port: 7001, labels: ['a', 'c'] },
        destinations: [{ ...one, name: 'uno' }, two, text, { ...listener, mode: 'listener' }],
      }),
    )
  })

  it('changes between form and JSON without loss', async () => {
    await openOn('create', JSON.stringify(STRANGE))
    const field = page().locator('#node-input-definition + .red-ui-typedInput-container input')
    for (let i = 0; i < 2; i++) {
      await view('JSON')
      should(await field.isVisible()).be.true()
      should(await field.inputValue()).equal(JSON.stringify(STRANGE))
      await view('Form')
      should(await field.isVisible()).be.false()
    }
    await enter(source(), 'srtLatency', 300)
    await view('JSON')
    const { zeta, name, id, protocol, srtMode, jitter, ...rest } = STRANGE.source
    const latest = {
      ...STRANGE,
      source: { zeta, name, id, protocol, srtMode, jitter, ...rest, srtLatency: 300 },
    }
    should(JSON.parse(await field.inputValue())).eql(latest)
    await field.fill(JSON.stringify({ ...latest, name: 'Typed' }))
    await field.press('Tab')
    should(await field.isVisible()).be.true()
    await view('Form')
    should(await entry(top(), 'name').inputValue()).equal('Typed')
    await editor().press('ok')
    should(JSON.parse(String((await editor().exported('create'))['definition']))).eql({
      ...latest,
      name: 'Typed',
    })
  })

  it('is offered where the definition is a property of the message', async () => {
    await give('create', { definition: 'payload', definitionType: 'msg' })
    await editor().openForm('create')
    should(await form().isVisible()).be.false()
    const offer = page().getByRole('button', { name: 'Fill in as a form' })
    await offer.click()
    should(await offer.isVisible()).be.false()
    await enter(top(), 'name', 'A')
    should(await page().inputValue('#node-input-definitionType')).equal('json')
    should(await definition()).eql({ name: 'A' })
    const row = page().locator('.form-row', { has: page().locator('#node-input-definition') })
    should(await row.locator('.red-ui-typedInput-type-select').getAttribute('title')).equal(
      'form / JSON',
    )
    await editor().fillTyped('definition', 'msg', 'payload')
    should(await json()).equal('payload')
    should(await offer.isVisible()).be.true()
    await editor().press('cancel')
    should(await editor().exported('create')).containEql({ definitionType: 'msg' })
  })

  it('puts the form first among the types, and keeps the default of the node', async () => {
    await give('create', { definition: 'payload', definitionType: 'msg' })
    await editor().openForm('create')
    const row = page().locator('.form-row', { has: page().locator('#node-input-definition') })
    await row.locator('.red-ui-typedInput-type-select').click()
    const types = await page()
      .locator('.red-ui-typedInput-options:visible [value]')
      .evaluateAll((all) => all.map((each) => each.getAttribute('value')))
    should(types).eql(['json', 'msg', 'flow', 'global', 'jsonata', 'env'])
    await page().keyboard.press('Escape')
    should(await page().inputValue('#node-input-definitionType')).equal('msg')
    await editor().press('cancel')
  })
})
