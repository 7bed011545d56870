// The dialogs in a real browser, on a real Node-RED with this package linked in.
import type { Page } from 'playwright-core'
import {
  CONFIG,
  inBrowser,
  sharedEditor,
  type Editor,
  type Properties,
  type View,
} from '../support/editor'
import { DEFAULTS, flow } from './every-node'

/** Describes a suite on a flow with every node. */
export function withDialogs(
  subject: string,
  suite: (dialogs: ReturnType<typeof dialogsPage>) => void,
): void {
  inBrowser(subject, function () {
    this.timeout(120_000)
    const dialogs = dialogsPage()
    suite(dialogs)
    // Suites within a suite come last.
    describe('in all of that', () => {
      it('makes no error and asks nobody outside', () => {
        should(dialogs.editor().complaints).eql([])
      })
    })
  })
}

function dialogsPage() {
  let editor: Editor

  before(async function () {
    editor = await sharedEditor()
    await editor.deploy(flow())
    await open()
  })

  after(() => editor?.rest())

  const page = () => editor.page
  const open = (view?: View) => editor.open({ ...view, prepare: answerLookups })

  const add = (node: Properties) => editor.add(node)
  const exported = (id: string) => editor.exported(id)
  const state = (id: string) => editor.state(id)
  const openForm = (id: string) => editor.openForm(id)
  const done = () => editor.press('ok')
  const cancel = () => editor.press('cancel')
  const fillTyped = (property: string, kind: string, value: string) =>
    editor.fillTyped(property, kind, value)

  let counter = 0

  /** What the editor says about a node with these properties. */
  async function faults(type: string, properties: Properties): Promise<string> {
    const id = `fault-${counter++}`
    const place = type === CONFIG ? {} : { x: 0, y: 0 }
    await add({ ...DEFAULTS[type], ...place, ...properties, id, type })
    return (await state(id)).errors.join('\n')
  }

  async function fill(type: string, property: string, value: unknown) {
    if (property === 'events') return chooseEvents(value as string[])
    if (property === 'thresholds') return enterLimits(value as Properties[])
    if (property === 'hold') return chooseHold(String(value))
    const id = `#${type === CONFIG ? 'node-config-input' : 'node-input'}-${property}`
    const field = page().locator(id)
    await editor.openTabOf(id)
    const tag = await field.evaluate((element) => {
      const details = element.closest('details')
      if (details) details.open = true
      return element.tagName
    })
    if (tag === 'SELECT') await field.selectOption(String(value))
    else if (typeof value === 'boolean') await field.setChecked(value)
    else {
      await field.fill(String(value))
      await field.press('Tab')
    }
  }

  async function chooseEvents(names: string[]) {
    await page().selectOption('#media-gateway-watch-which', 'some')
    // Against their order: it must not matter.
    for (const name of [...names].reverse()) {
      await page().locator(`.media-gateway-watch-event [value="${name}"]`).check()
    }
  }

  /** Of a failover: yes, no, or an environment variable. */
  async function chooseHold(value: string) {
    const choice = '#media-gateway-failover-hold'
    const isVariable = value.startsWith('${')
    await page().selectOption(choice, isVariable ? 'env' : value)
    if (isVariable) await page().fill(`${choice}-variable`, value)
  }

  const limit = (index: number) => page().locator('#media-gateway-watch-limits > li').nth(index)

  async function enterLimits(wanted: Properties[]) {
    for (const [index, { measure, of, ...numbers }] of wanted.entries()) {
      await page().getByRole('button', { name: 'add a threshold' }).click()
      const row = limit(index)
      await row.getByLabel('Measured value').selectOption(String(measure))
      await row.getByLabel('Measured at').selectOption(String(of))
      for (const [name, value] of Object.entries(numbers)) {
        await row.getByLabel(name).fill(String(value))
      }
    }
  }

  return {
    editor: () => editor,
    page,
    open,
    add,
    exported,
    state,
    openForm,
    done,
    cancel,
    fillTyped,
    faults,
    fill,
    limit,
    enterLimits,
  }
}

/** There is no appliance behind these flows that a picker could ask. */
const answerLookups = (page: Page) =>
  page.route('**/media-gateway/lookup', (route) => route.fulfill({ json: { devices: [] } }))

/** A pattern that a text fits if it contains another. */
export const contains = (text: string) => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
