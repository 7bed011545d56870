// "Test connection": tries the values as they are in the form, saved or not. With an inventory, its
// rows are checked first, and the connection to the appliance that is chosen beside the button.
// "Report" reads the same gateway, and downloads what it was like.
import { ask, type RequestError } from '../../editor/ask'
import { checks } from '../../editor/checks'
import { connectionOfForm, isInventory } from '../../editor/connection'
import { download } from '../../editor/download'
import { element } from '../../editor/element'
import { sentenceOf } from '../../editor/failures'
import { field } from '../../editor/fields'
import { checkInventory } from '../../editor/inventory'
import { createListbox } from '../../editor/pickers/list'
import { signIcon } from '../../editor/states'
import { text } from '../../editor/text'
import type { CheckedInventory, Connection, ConnectionReport, MadeReport } from '../../wire'
import { faultList } from './inventory'
import { certificateRows, reportRows } from './report'
import { testEach, testedRows, trustRows } from './test-all'

/** What a test depends on. */
const TESTED = [
  'inventory',
  'baseUrl',
  'username',
  'password',
  'fingerprint',
  'tls',
  'proxy',
  'timeout',
]

/** Brings the row with the button, and the place for the result, to life. */
export function prepareTest(node: EditorNode): void {
  const button = document.querySelector<HTMLButtonElement>('#media-gateway-test')!
  const allButton = document.querySelector<HTMLButtonElement>('#media-gateway-test-all')!
  const reportButton = document.querySelector<HTMLButtonElement>('#media-gateway-report')!
  const result = document.querySelector<HTMLElement>('#media-gateway-test-result')!
  const outdated = element(
    'p.media-gateway-test-outdated',
    { hidden: true },
    signIcon('warning'),
    ' ',
    text('connection.outdated'),
  )
  let isBusy = false
  /** The values of the result that is shown. */
  let tested: string | undefined
  let isOfAll = false

  const connectionNow = (): Connection => connectionOfForm(node)
  const choice = prepareChoice(node, connectionNow)
  const values = () => ({ connection: connectionNow(), appliance: choice.value() })

  function begin(by: HTMLButtonElement): void {
    busy(by, true)
    isOfAll = by === allButton
    tested = undefined
    outdated.hidden = true
    result.classList.remove('media-gateway-outdated')
    const doing = text(by === reportButton ? 'connection.report.making' : 'connection.testing')
    result.replaceChildren(element('p', doing))
  }

  async function test(): Promise<void> {
    // A disabled button would lose the focus.
    if (isBusy) return
    begin(button)
    const now = values()
    const { connection, appliance } = now
    const isOfMany = isInventory(connection.inventoryType)
    const rows: HTMLElement[] = []
    let report: ConnectionReport | undefined
    if (isOfMany) {
      const checked = await checkInventory(connection).catch(reportOf)
      if ('ok' in checked) report = checked
      else {
        rows.push(...inventoryRows(checked))
        choice.offer(checked.names)
      }
    } else report = faultIn(connection)
    if (!report && (!isOfMany || appliance !== undefined)) {
      report = await ask('connection', { connection, appliance }).catch(reportOf)
    }
    busy(button, false)
    if (appliance !== undefined && report && rows.length > 0) {
      rows.push(element('p', element('b', appliance)))
    } else if (isOfMany && !report) {
      rows.push(element('p', text('connection.inventory.choose')))
    }
    showReport(rows, report, now)
  }

  async function testAll(): Promise<void> {
    if (isBusy) return
    begin(allButton)
    const { connection } = values()
    const rows: HTMLElement[] = []
    let report: ConnectionReport | undefined
    try {
      const checked = await checkInventory(connection)
      rows.push(...inventoryRows(checked))
      choice.offer(checked.names)
      const all = await testEach(connection, (number, total) =>
        result.replaceChildren(element('p', text('connection.all.testing', { number, total }))),
      )
      report = all.find(({ passwordNeeded }) => passwordNeeded)
      if (!report && all.length > 0) {
        rows.push(...testedRows(all), ...trustRows(all, connection, enterAll))
      }
    } catch (failure) {
      report = reportOf(failure as RequestError)
    }
    busy(allButton, false)
    finish([...rows, ...(report ? reportRows(report, {}) : [])], {
      connection,
      appliance: undefined,
    })
    if (report?.passwordNeeded) field(node, 'password').get(0).focus()
  }

  async function makeReport(): Promise<void> {
    if (isBusy) return
    begin(reportButton)
    const now = values()
    const fault = isInventory(now.connection.inventoryType) ? undefined : faultIn(now.connection)
    const made = fault ?? (await ask('report', now).catch(reportOf))
    busy(reportButton, false)
    if ('ok' in made) return showReport([], made, now)
    download(made)
    finish(madeRows(made), now)
  }

  /** Enters an inventory, and tests again. */
  function enterAll(inventory: string): void {
    field(node, 'inventory').typedInput('value', inventory)
    allButton.focus()
    void testAll()
  }

  function busy(by: HTMLButtonElement, is: boolean): void {
    isBusy = is
    button.ariaDisabled = String(is)
    allButton.ariaDisabled = String(is)
    reportButton.ariaDisabled = String(is)
    by.querySelector('.fa')!.classList.toggle('fa-spin', is)
    result.ariaBusy = String(is)
  }

  function showReport(rows: HTMLElement[], report: ConnectionReport | undefined, of: Values): void {
    const { certificate, mistake } = report ?? {}
    // Where a row has an address or a fingerprint of its own, the form does not know them.
    const known = of.appliance === undefined ? of.connection : {}
    const shown = [
      ...rows,
      ...(report ? reportRows(report, known) : []),
      ...(certificate ? certificateRows(certificate) : []),
      ...(certificate && of.appliance === undefined
        ? [enterButton('fingerprint', certificate.fingerprint, 'lock', text('connection.trust'))]
        : []),
      ...(mistake && of.appliance === undefined
        ? [enterButton('baseUrl', mistake.url, 'pencil', text('connection.useUrl', { ...mistake }))]
        : []),
    ]
    finish(shown, of)
    if (report?.passwordNeeded) field(node, 'password').get(0).focus()
    // In a small window, what the user has to do must be in sight.
    if (certificate ?? mistake) result.lastElementChild?.scrollIntoView({ block: 'nearest' })
  }

  function finish(rows: HTMLElement[], of: Values): void {
    result.replaceChildren(outdated, ...rows)
    tested = JSON.stringify(of)
    compare()
    result.scrollIntoView({ block: 'nearest' })
  }

  /** A button that enters what was found, and tests again. */
  function enterButton(property: string, value: string, icon: string, label: string): HTMLElement {
    const enter = element(
      'button.red-ui-button',
      element('i', { className: `fa fa-${icon}`, ariaHidden: 'true' }),
      ` ${label}`,
    )
    enter.addEventListener('click', () => {
      const input = field(node, property)
      input.val(value)
      // As if it were typed: the form checks it.
      input.trigger('change')
      button.focus()
      void test()
    })
    return enter
  }

  /** A result for other values than those that are shown now must not look like theirs. */
  function compare(): void {
    if (tested === undefined) return
    const { connection, appliance } = values()
    const now = { connection, appliance: isOfAll ? undefined : appliance }
    const isOther = JSON.stringify(now) !== tested
    outdated.hidden = !isOther
    result.classList.toggle('media-gateway-outdated', isOther)
  }

  button.addEventListener('click', () => void test())
  allButton.addEventListener('click', () => void testAll())
  reportButton.addEventListener('click', () => void makeReport())
  choice.onChange(compare)
  for (const property of TESTED) {
    for (const event of ['change', 'keyup']) field(node, property).on(event, compare)
  }
}

function madeRows({ name, failure }: MadeReport): HTMLElement[] {
  const partly = failure && `${text('connection.report.partly')} ${sentenceOf(failure)}`
  const made = element('b', text('connection.report.made', { name }))
  return [
    element('p', signIcon(failure ? 'warning' : 'ok'), ' ', made),
    ...(partly ? [element('p', partly)] : []),
    element('p', text('connection.report.about')),
  ]
}

interface Values {
  connection: Connection
  appliance: string | undefined
}

/** Which appliance of the inventory is tested: chosen from those that the form would have. */
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
    label: text('picker.list.appliance'),
    isOn: isShown,
    choices: () => names?.map((name) => ({ id: '', name })),
    valueOf: ({ name }) => name,
    pick({ name }) {
      input.value = name
      input.dispatchEvent(new Event('change'))
    },
  })

  async function read(): Promise<void> {
    const connection = connectionNow()
    const key = JSON.stringify(connection)
    if (key === asked || !isShown()) return
    asked = key
    names = undefined
    const { names: found } = await checkInventory(connection).catch(() => ({ names: [] }))
    if (key !== asked) return
    names = found
    list.show()
  }

  input.role = 'combobox'
  input.ariaLabel = text('form.appliance')
  input.autocomplete = 'off'
  input.addEventListener('focus', () => void read())
  const showOrHide = () => (frame.hidden = !isShown())
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
  if (ignored) {
    const names = ignored.join(', ')
    rows.push(element('p', text('connection.inventory.ignored', { names })))
  }
  if (faults.length > 0) rows.push(faultList(faults.map(sentenceOf), MOST_FAULTS))
  return rows
}

/** A file of the wrong kind has as many faults as rows. */
const MOST_FAULTS = 20

/** A connection that cannot work is not tested; the fault is shown in the language of the editor. */
function faultIn(connection: Connection): ConnectionReport | undefined {
  const value = (name: keyof Connection) => {
    const typed = connection[name]
    return typeof typed === 'string' || typeof typed === 'number' ? String(typed).trim() : ''
  }
  const faults = [
    ...(['baseUrl', 'fingerprint', 'timeout'] as const).map((name) => {
      const [key, values] = checks[name](value(name)) ?? []
      return key && `${text(`label.${name}`)}: ${text(`error.${key}`, values)}`
    }),
    value('username') === '' && text('error.noUser'),
    connection.password === '' && text('error.noPassword'),
  ].filter((fault) => typeof fault === 'string')
  return faults.length === 0
    ? undefined
    : { ok: false, reused: false, code: 'CONFIG', message: `${faults.join('; ')}.` }
}

/** For a test that could not be made. */
function reportOf(failure: RequestError): ConnectionReport {
  const { code, message, passwordNeeded } = failure
  return { ok: false, reused: false, code, message, passwordNeeded }
}
