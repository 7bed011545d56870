// Every dialog: what it shows, and what it saves.
import type { Locator } from 'playwright-core'
import { CONFIG_VERSION } from '../../nodes/runtime/migrations'
import { CONFIG, hasDarkTheme, type EditorRED, type Properties } from '../support/editor'
import { cutInFields, flawsOf } from '../support/looks'
import { takePicture } from '../support/pictures'
import { contentOf } from '../support/root'
import { withDialogs } from './dialogs-page'
import {
  ACTIONS,
  DEFAULTS,
  flow,
  LOOKED,
  othersOf,
  savedAs,
  typedOf,
  WATCH,
  WATCHED,
} from './every-node'

declare const RED: EditorRED

/** The names of nodes that would be those of others without a word more. */
const PALETTE: Record<string, string> = {
  watch: 'watch gateway',
  session: 'gateway session',
  statistics: 'route statistics',
  preset: 'gateway preset',
}

withDialogs('the dialogs', (dialogs) => {
  const { editor, page, open, add, exported, state } = dialogs
  const { openForm, done, cancel, fillTyped, fill, enterLimits } = dialogs

  it('knows every node of the package', () => {
    const { 'node-red': nodeRedPart } = JSON.parse(contentOf('package.json')) as {
      'node-red': { nodes: Record<string, string> }
    }
    const types = Object.keys(nodeRedPart.nodes).map((set) =>
      set === 'gateway' ? CONFIG : `${CONFIG}-${set}`,
    )
    should(types.sort()).eql(Object.keys(DEFAULTS).sort())
  })

  it('has all nodes in the palette, under "media gateway"', async () => {
    const palette = page().locator('#red-ui-palette-base-category-media_gateway')
    for (const type of ACTIONS) {
      const entry = palette.locator(`.red-ui-palette-node[data-palette-type="${type}"]`)
      await entry.waitFor()
      const label = PALETTE[nameOf(type)] ?? nameOf(type).replace('-', ' ')
      should(await entry.getAttribute('data-palette-label')).equal(label)
    }
    const categories = await page().evaluate(
      (types) => types.map((type) => RED.nodes.getType(type)?.category),
      [CONFIG, ...ACTIONS],
    )
    should(categories).eql(['config', ...ACTIONS.map(() => 'media gateway')])
  })

  it('keeps to the names and defaults of the contract', async () => {
    for (const [type, defaults] of Object.entries(DEFAULTS)) {
      const registered = await page().evaluate(
        (name) =>
          Object.entries(RED.nodes.getType(name)!.defaults)
            // A new node does not have what only an earlier version saved.
            .filter(([, { value }]) => value !== undefined)
            .map(([key, { value }]) => [key, value]),
        type,
      )
      should(Object.fromEntries(registered)).eql(
        type === CONFIG ? defaults : { ...defaults, gateway: '' },
        type,
      )
    }
  })

  describe('every dialog', function () {
    // A tour of all dialogs, on a machine that has other things to do.
    this.timeout(400_000)

    interface Visit {
      id: string
      before: Properties
      after: Properties
      isChanged: boolean
      texts: string[]
      /** Labels that are for no field, or for several. */
      astray: string[]
      flaws: Partial<Record<Theme, string[]>>
    }
    type Theme = 'light' | 'dark'

    interface Tour {
      visits: Visit[]
      isDirty: boolean
      /** What is wrong with the looks of the dialogs that something was done in. */
      flaws: Record<Theme, object>
    }

    let made: Tour | undefined

    /** To open a dialog is what takes long here: each is opened once for all tests. */
    const tour = async (): Promise<Tour> => (made ??= await makeTour())

    async function makeTour(): Promise<Tour> {
      const visits: Visit[] = []
      const flaws: Tour['flaws'] = { light: {}, dark: {} }
      const tours: Theme[][] = hasDarkTheme ? [['dark'], ['light']] : [['light', 'dark']]
      for (const themes of tours) {
        await open({ theme: themes[0]! })
        Object.assign(flaws, await lookAtChanged(themes))
        for (const { id, type } of flow()) {
          if (!String(type).startsWith(CONFIG)) continue
          const isLooked = LOOKED.includes(String(id))
          // In the other theme nothing else is different.
          if (!isLooked && themes !== tours[0]) continue
          visits.push(await visit(String(id), isLooked ? themes : []))
        }
      }
      return { visits, isDirty: await page().evaluate(() => RED.nodes.dirty()), flaws }
    }

    async function visit(id: string, themes: Theme[]): Promise<Visit> {
      const before = await exported(id)
      const form = await openForm(id)
      const texts = await form.locator('[data-i18n]').evaluateAll((elements) =>
        elements.map((element) => {
          const key = element.getAttribute('data-i18n') ?? ''
          return key.startsWith('[placeholder]')
            ? (element.getAttribute('placeholder') ?? '')
            : (element.textContent ?? '')
        }),
      )
      const astray = await form
        .locator('label')
        .evaluateAll((labels) =>
          labels
            .map((label) => String(label.getAttribute('for')))
            .filter((target) => document.querySelectorAll(`[id="${target}"]`).length !== 1),
        )
      const found = await flawsIn(form, id, themes)
      await done()
      const { changed } = await state(id)
      const after = await exported(id)
      return { id, before, after, isChanged: changed, texts, astray, flaws: found }
    }

    async function flawsIn(form: Locator, name: string, themes: Theme[]) {
      const found: Visit['flaws'] = {}
      for (const theme of themes) {
        await editor().paint(theme)
        found[theme] = [...(await flawsOf(form)), ...(await cutInFields(form))]
        const body = form.locator('xpath=ancestor::*[contains(@class,"red-ui-tray-body")]').first()
        await takePicture(body, `${name}-${theme}`)
      }
      return found
    }

    async function lookAtChanged(themes: Theme[]): Promise<Partial<Tour['flaws']>> {
      const replace = await openForm('media-gateway-update-route')
      await page().selectOption('#node-input-mode', 'replace')
      await page().fill('#node-input-route + .red-ui-typedInput-container input', '')
      await fillTyped('route', 'name', '')
      const replacing = await flawsIn(replace, 'update-route-replace', themes)
      await cancel()

      const watch = await openForm(WATCH)
      await fillTyped('route', 'pattern', 'Studio*')
      await enterLimits([{ measure: 'packetLoss', of: 'destination', low: 3, high: 2 }])
      await page().keyboard.press('Tab')
      const watching = await flawsIn(watch, 'watch-faults', themes)
      await cancel()
      return Object.fromEntries(
        themes.map((theme) => [theme, { replacing: replacing[theme], watching: watching[theme] }]),
      )
    }

    it('has no text without a translation, and a label for every field', async () => {
      for (const { id, texts, astray } of (await tour()).visits) {
        for (const text of texts)
          should(text)
            .match(/\S/, id)
            .and.not.match(/^\w+\.\w+$/, id)
        should(astray).eql([], id)
      }
    })

    it('leaves a node unchanged when it is opened and closed', async () => {
      const { visits, isDirty } = await tour()
      for (const { id, before, after, isChanged } of visits) {
        should(after).eql(before, id)
        should(isChanged).be.false(id)
      }
      should(isDirty).be.false()
    })

    for (const theme of ['light', 'dark'] as const) {
      it(`looks as it should, ${theme}`, async () => {
        const { visits, flaws } = await tour()
        const seen = visits.filter((each) => each.flaws[theme])
        should(seen.length).be.above(ACTIONS.length + 2)
        for (const each of seen) should(each.flaws[theme]).eql([], each.id)
        should(flaws[theme]).eql({ replacing: [], watching: [] })
      })
    }
  })

  it('finds nothing wrong with the nodes of a sound flow', async () => {
    for (const { id, type } of flow()) {
      if (!String(type).startsWith(CONFIG)) continue
      const { valid, errors } = await state(String(id))
      should({ valid, errors }).eql({ valid: true, errors: [] }, String(id))
    }
  })

  for (const type of Object.keys(DEFAULTS)) {
    it(`saves what is edited: ${type}`, async () => {
      const id = `${type}-edit`
      await add({ ...DEFAULTS[type], ...(type === CONFIG ? {} : { x: 0, y: 0 }), id, type })
      const expected: Properties = { ...DEFAULTS[type] }
      const form = await openForm(id)
      for (const [property, value] of Object.entries(othersOf(type))) {
        // Only shown for some inventories: test/editor/inventory-form.test.ts saves it.
        if (property === 'inventoryHosts') continue
        await fill(type, property, value)
        expected[property] = value
      }
      await done()
      should(await exported(id)).containEql(expected)

      for (const typed of typedOf(type)) {
        await openForm(id)
        for (const [property, [kind, value]] of Object.entries(typed)) {
          await fillTyped(property, kind, value)
        }
        await done()
        should(await exported(id)).containEql(savedAs(typed))
      }
      should(await form.count()).equal(0)
      should(await state(id)).containEql({ changed: true, valid: true })

      const saved = await exported(id)
      await openForm(id)
      await done()
      should(await exported(id)).eql(saved)
    })
  }

  it('saves user and password, and the nodes chosen for TLS and proxy', async () => {
    await add({ ...DEFAULTS[CONFIG], id: 'secret', type: CONFIG, baseUrl: 'https://10.0.0.5' })
    await openForm('secret')
    await page().fill('#node-config-input-username', 'operator')
    await page().fill('#node-config-input-password', 'example')
    await editor().openTabOf('#node-config-input-tls')
    await page().selectOption('#node-config-input-tls', 'tls')
    await page().selectOption('#node-config-input-proxy', 'proxy')
    await done()
    should(await exported('secret')).containEql({
      tls: 'tls',
      proxy: 'proxy',
      credentials: { username: 'operator', password: 'example' },
    })
  })

  it('saves the gateway that is chosen', async () => {
    await add({ id: 'chosen', type: 'media-gateway-session', gateway: '', x: 0, y: 0 })
    should(await state('chosen')).containEql({ valid: false })
    await openForm('chosen')
    await page().selectOption('#node-input-gateway', 'gateway-other')
    await done()
    should(await exported('chosen')).containEql({ gateway: 'gateway-other' })
    should(await state('chosen')).containEql({ valid: true })
  })

  it('leaves properties that a node lacks out of it, unless they are edited', async () => {
    const type = 'media-gateway-update-route'
    await add({ id: 'lacking', type, gateway: 'gateway', x: 0, y: 0 })
    const form = await openForm('lacking')
    should(await page().inputValue('#node-input-mode')).equal('keep')
    should(await page().isChecked('#node-input-validate')).be.true()
    should(await page().isVisible('[data-media-gateway-when="mode=keep"]')).be.true()
    await form.locator('#node-input-mode').selectOption('merge')
    await done()
    const saved = await exported('lacking')
    should(saved).containEql({ mode: 'merge', configVersion: CONFIG_VERSION })
    const given = Object.keys(saved).filter((property) => saved[property] !== undefined)
    const own = ['configVersion', 'gateway', 'mode']
    should(given.sort()).eql([...own, 'id', 'type', 'wires', 'x', 'y', 'z'].sort())
  })

  it('shows the rows that belong to what is chosen', async () => {
    const rows = async (property: string, value: string, visible: Record<string, boolean>) => {
      await page().selectOption(`#node-input-${property}`, value)
      for (const [name, wanted] of Object.entries(visible)) {
        const row = page().locator('.form-row', { has: page().locator(`#node-input-${name}`) })
        should(await row.isVisible()).equal(wanted, `${name} with ${property} ${value}`)
      }
      const hints = page().locator('.media-gateway-hint:visible')
      const whens = await hints.evaluateAll((all) =>
        all.map((hint) => hint.getAttribute('data-media-gateway-when')),
      )
      const warnings = await page().locator('.media-gateway-warning:visible').count()
      return { whens, warns: warnings > 0 }
    }

    await openForm('media-gateway-update-route')
    await rows('waitFor', 'accepted', { waitTimeout: false })
    await rows('waitFor', 'applied', { waitTimeout: true })
    for (const mode of ['keep', 'merge', 'replace']) {
      const { whens, warns } = await rows('mode', mode, { waitTimeout: true })
      should(whens).eql([`mode=${mode}`])
      should(warns).equal(mode === 'replace')
    }
    await cancel()

    await openForm('media-gateway-control-route')
    await rows('target', 'route', { route: true, destination: false, waitTimeout: false })
    await rows('target', 'destination', { route: true, destination: true, waitTimeout: false })
    for (const action of ['restart', 'msg']) await rows('action', action, { waitTimeout: true })
    await rows('waitFor', 'applied', { waitTimeout: true })
    await rows('action', 'stop', { waitTimeout: true })
    await rows('waitFor', 'accepted', { waitTimeout: false })
    await cancel()

    await openForm('media-gateway-statistics')
    for (const [scope, route, destination] of [
      ['source', true, false],
      ['destination', true, true],
      ['client', true, true],
      ['all', false, false],
      ['route', true, false],
    ] as const) {
      const { whens } = await rows('scope', scope, { route, destination })
      should(whens).eql(scope === 'client' ? ['scope=client'] : [])
    }
    await cancel()

    await openForm('media-gateway-preset')
    for (const action of ['import', 'export']) {
      const exports = action === 'export'
      const { whens, warns } = await rows('action', action, { hideSecrets: exports })
      should(whens).eql([`action=${action}`])
      should(warns).equal(!exports)
    }
    await cancel()

    await openForm(WATCH)
    for (const [kind, value] of Object.entries(WATCHED['route']!)) {
      await fillTyped('route', kind, value)
      const { whens } = await rows('report', 'changes', { route: true, mustRun: false })
      should(whens.filter((when) => when?.startsWith('routeType'))).eql(
        [
          kind === 'pattern' && 'routeType=pattern',
          kind !== 'all' && 'routeType=id|name|pattern|env',
        ].filter(Boolean),
      )
    }
    await cancel()

    await openForm('media-gateway-ensure-route')
    for (const wanted of ['absent', 'present', 'started', 'stopped']) {
      const absent = wanted === 'absent'
      const visible = { exact: !absent, remove: !absent, removePattern: false, waitTimeout: true }
      const { warns } = await rows('state', wanted, visible)
      should(warns).equal(absent)
    }
    const limits = { removePattern: true, removeAtMost: true }
    await rows('remove', 'pattern', { ...limits, approve: true })
    // Who had chosen to remove routes must be able to take that back.
    await rows('state', 'absent', { ...limits, exact: false, remove: true })
    await page().setChecked('#node-input-check', true)
    await rows('state', 'row', { ...limits, exact: true, approve: false })
    await rows('remove', 'none', { removePattern: false, removeAtMost: false, remove: true })
    await cancel()
  })

  it('puts names into the page as text', async () => {
    await add({
      ...DEFAULTS[CONFIG],
      id: 'markup',
      type: CONFIG,
      name: '<img src=x class="media-gateway-markup">',
      baseUrl: 'https://gateway',
    })
    await openForm('media-gateway-session')
    should(await page().locator('.media-gateway-markup').count()).equal(0)
    await cancel()
  })

  it('has help for every node', async () => {
    for (const type of Object.keys(DEFAULTS)) {
      const help = page().locator(`script[data-help-name="${type}"]`)
      should(await help.count()).equal(1, type)
      should((await help.innerHTML()).trim()).startWith('<p>')
    }
  })
})

const nameOf = (type: string) => type.slice(CONFIG.length + 1)
