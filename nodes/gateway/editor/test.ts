// "Test connection": tries the values as they are in the form, saved or not. With an inventory, its
// rows are checked first, and the connection to the appliance that is chosen beside the button.
// "Report" reads the same gateway, and downloads what it was like.
import { plainText } from '../../../client/model/json'
import { ask, mayWrite, settled, type RequestError, sentenceOf } from '../../editor/ask'
import { checks } from '../../editor/checks'
import { connectionOfForm, isInventory } from '../../editor/connection'
import { download, element, iconButton } from '../../editor/element'
import { field } from '../../editor/fields'
import { createOutcome } from '../../editor/outcome'
import { createListbox } from '../../editor/pickers/list'
import { signIcon } from '../../editor/states'
import { text } from '../../editor/text'
import { CONNECTION, type CheckedInventory, type Connection } from '../../wire'
import type { ConnectionReport, MadeReport } from '../../wire'
import { enter } from './fleet'
import { faultList } from './inventory'
import { certificateRows, reportRows } from './report'
import { testEach, testedRows, trustRows } from './test-all'

export function prepareTest(node: EditorNode): void {
  const button = document.querySelector<HTMLButtonElement>('#media-gateway-test')!
  const allButton = document.querySelector<HTMLButtonElement>('#media-gateway-test-all')!
  const reportButton = document.querySelector<HTMLButtonElement>('#media-gateway-report')!
  const result = document.querySelector<HTMLElement>('#media-gateway-test-result')!
  button.parentElement!.hidden = !mayWrite()
  const remark = [signIcon('warning'), ' ', text('connection.outdated')]
  const outdated = element('p.media-gateway-test-outdated', { hidden: true }, ...remark)
  const connectionNow = (): Connection => connectionOfForm(node)
  const choice = prepareChoice(node, connectionNow)
  const values = (): Values => ({ connection: connectionNow(), appliance: choice.value() })
  const { run, compare } = createOutcome(
    result,
    [button, allButton, reportButton],
    outdated,
    (by) => JSON.stringify(by === allButton ? { connection: connectionNow() } : values()),
  )
  const show = (...rows: HTMLElement[]): void => result.replaceChildren(outdated, ...rows)

  /** @throws RequestError */
  async function check(connection: Connection): Promise<HTMLElement[]> {
    const checked = await ask('inventory', { connection })
    choice.offer(checked.names)
    return inventoryRows(checked)
  }

  async function test(): Promise<Element | undefined> {
    show(element('p', text('connection.testing')))
    const now = values()
    const { connection, appliance } = now
    const isOfMany = isInventory(connection.inventoryType)
    const { answer: rows = [], failure } = isOfMany ? await settled(check(connection)) : {}
    let report = failure ? reportOf(failure) : faultIn(connection)
    if (!report && (!isOfMany || appliance !== undefined)) {
      report = await ask('connection', { connection, appliance }).catch(reportOf)
    }
    if (appliance !== undefined && report && rows.length > 0) {
      rows.push(element('p', element('b', appliance)))
    } else if (isOfMany && !report) {
      rows.push(element('p', text('connection.inventory.choose')))
    }
    return showReport(rows, report, now)
  }

  async function testAll(): Promise<undefined> {
    show(element('p', text('connection.testing')))
    const connection = connectionNow()
    const rows: HTMLElement[] = []
    let report: ConnectionReport | undefined
    try {
      rows.push(...(await check(connection)))
      const all = await testEach(connection, (number, total) =>
        show(element('p', text('connection.all.testing', { number, total }))),
      )
      report = all.find(({ passwordNeeded }) => passwordNeeded)
      if (!report && all.length > 0) {
        rows.push(...testedRows(all), ...trustRows(all, connection, enterAll))
      }
    } catch (failure) {
      report = reportOf(failure as RequestError)
    }
    show(...rows, ...(report ? reportRows(report, {}) : []))
    if (report?.passwordNeeded) field(node, 'password').get(0).focus()
  }

  async function makeReport(): Promise<Element | undefined> {
    show(element('p', text('connection.report.making')))
    const now = values()
    const made = faultIn(now.connection) ?? (await ask('report', now).catch(reportOf))
    if ('ok' in made) return showReport([], made, now)
    download(made)
    show(...madeRows(made))
    return undefined
  }

  function enterAll(inventory: string): void {
    field(node, 'inventory').typedInput('value', inventory)
    allButton.focus()
    void run(allButton, testAll)
  }

  /** In a small window, what the user has to do must be in sight: it is returned. */
  function showReport(
    rows: HTMLElement[],
    report: ConnectionReport | undefined,
    of: Values,
  ): Element | undefined {
    const { certificate, mistake } = report ?? {}
    // Where a row has an address or a fingerprint of its own, the form does not know them.
    const isOfForm = of.appliance === undefined
    const shown = [...rows]
    if (report) shown.push(...reportRows(report, isOfForm ? of.connection : {}))
    if (certificate) shown.push(...certificateRows(certificate))
    if (certificate && isOfForm) {
      const { fingerprint } = certificate
      shown.push(enterButton('fingerprint', fingerprint, 'lock', text('connection.trust')))
    }
    if (mistake && isOfForm) {
      const words = text('connection.useUrl', { ...mistake })
      shown.push(enterButton('baseUrl', mistake.url, 'pencil', words))
    }
    show(...shown)
    if (report?.passwordNeeded) field(node, 'password').get(0).focus()
    return (certificate ?? mistake) && result.lastElementChild!
  }

  const enterButton = (property: string, value: string, icon: string, label: string): HTMLElement =>
    iconButton(icon, label, () => {
      enter(field(node, property), value)
      button.focus()
      void run(button, test)
    })

  button.addEventListener('click', () => void run(button, test))
  allButton.addEventListener('click', () => void run(allButton, testAll))
  reportButton.addEventListener('click', () => void run(reportButton, makeReport))
  choice.onChange(compare)
  for (const property of CONNECTION) field(node, property).on('change keyup', compare)
}

function madeRows({ name, failure }: MadeReport): HTMLElement[] {
  const made = element('b', text('connection.report.made', { name }))
  const rows = [element('p', signIcon(failure ? 'warning' : 'ok'), ' ', made)]
  if (failure) rows.push(element('p', `${text('connection.report.partly')} ${sentenceOf(failure)}`))
  return [...rows, element('p', text('connection.report.about'))]
}

interface Values {
  connection: Connection
  appliance: string | undefined
}

function prepareChoice(node: EditorNode, connectionNow: () => Connection) {
  const frame = document.querySelector<HTMLElement>('#media-gateway-test-of')!
  const input = frame.querySelector('input')!
  let names: string[] | undefined
  /** The values that the names are from. */
  let asked: string | undefined

  const isShown = () => isInventory(connectionNow().inventoryType)
  const list = createListbox({
    input,
    frame: input,
    kind: 'appliance',
    isOn: isShown,
    choices: () => names?.map((name) => ({ id: '', name })),
  })

  async function read(): Promise<void> {
    const connection = connectionNow()
    const key = JSON.stringify(connection)
    if (key === asked || !isShown()) return
    asked = key
    names = undefined
    const { names: found } = await ask('inventory', { connection }).catch(() => ({ names: [] }))
    if (key !== asked) return
    names = found
    list.show()
  }

  input.ariaLabel = text('form.appliance')
  input.autocomplete = 'off'
  input.addEventListener('focus', () => void read())
  const showOrHide = () => {
    frame.hidden = !isShown()
    list.show()
  }
  field(node, 'inventory').on('change', showOrHide)
  showOrHide()

  return {
    /** Undefined where none is chosen, or there is only one. */
    value: () => (isShown() && input.value.trim() !== '' ? input.value.trim() : undefined),
    offer(found: string[]): void {
      names = found
      asked = JSON.stringify(connectionNow())
    },
    onChange: (listener: () => void) => input.addEventListener('change', listener),
  }
}

/** How many rows of an inventory work, what is wrong with the others, and what nobody reads. */
function inventoryRows({ appliances, faults, ignored }: CheckedInventory): HTMLElement[] {
  const sign = signIcon(faults.length > 0 ? 'warning' : appliances > 0 ? 'ok' : 'critical')
  const words = text('connection.inventory.works', { number: appliances })
  const rows: HTMLElement[] = [element('p', sign, ' ', element('b', words))]
  const names = ignored?.join(', ')
  if (names) rows.push(element('p', text('connection.inventory.ignored', { names })))
  if (faults.length > 0) rows.push(faultList(faults.map(sentenceOf), MOST_FAULTS))
  return rows
}

/** A file of the wrong kind has as many faults as rows. */
const MOST_FAULTS = 20

/** A connection that cannot work is not tested; the fault is shown in the language of the editor. */
function faultIn(connection: Connection): ConnectionReport | undefined {
  if (isInventory(connection.inventoryType)) return undefined
  const value = (name: keyof Connection) => plainText(connection[name])
  const faults: string[] = []
  for (const name of ['baseUrl', 'fingerprint', 'timeout'] as const) {
    const [key, values] = checks[name](value(name)) ?? []
    if (key) faults.push(`${text(`label.${name}`)}: ${text(`error.${key}`, values)}`)
  }
  if (value('username') === '') faults.push(text('error.noUser'))
  if (connection.password === '') faults.push(text('error.noPassword'))
  if (faults.length === 0) return undefined
  return { ok: false, reused: false, code: 'CONFIG', message: `${faults.join('; ')}.` }
}

function reportOf(failure: RequestError): ConnectionReport {
  const { code, message, passwordNeeded } = failure
  return { ok: false, reused: false, code, message, passwordNeeded }
}
