// "Test connection": tries the values as they are in the form, saved or not.
import { ask, type RequestError } from '../../editor/ask'
import { checks } from '../../editor/checks'
import { connectionOfForm, type Connection } from '../../editor/connection'
import { element } from '../../editor/element'
import { field } from '../../editor/fields'
import { signIcon } from '../../editor/states'
import { text } from '../../editor/text'
import { certificateRows, reportRows, type Certificate, type Report } from './report'

/** What a test depends on. */
const TESTED = ['baseUrl', 'username', 'password', 'fingerprint', 'tls', 'proxy', 'timeout']

/** Brings the row with the button, and the place for the result, to life. */
export function prepareTest(node: EditorNode): void {
  const button = document.querySelector<HTMLButtonElement>('#media-gateway-test')!
  const result = document.querySelector<HTMLElement>('#media-gateway-test-result')!
  const outdated = element(
    'p',
    { className: 'media-gateway-test-outdated', hidden: true },
    signIcon('warn'),
    ' ',
    text('connection.outdated'),
  )
  let isBusy = false
  /** The values of the result that is shown. */
  let tested: string | undefined

  const values = (): Connection => connectionOfForm(node)

  async function test(): Promise<void> {
    // A disabled button would lose the focus.
    if (isBusy) return
    busy(true)
    const connection = values()
    tested = undefined
    outdated.hidden = true
    result.classList.remove('media-gateway-outdated')
    result.replaceChildren(element('p', {}, text('connection.testing')))
    const report =
      faultIn(connection) ?? (await ask<Report>('connection', { connection }).catch(reportOf))
    busy(false)
    show(report, connection)
  }

  function busy(is: boolean): void {
    isBusy = is
    button.ariaDisabled = String(is)
    button.querySelector('.fa')!.classList.toggle('fa-spin', is)
    result.ariaBusy = String(is)
  }

  function show(report: Report, connection: Connection): void {
    const { certificate } = report
    result.replaceChildren(
      outdated,
      ...reportRows(report, connection),
      ...(certificate ? [...certificateRows(certificate), trustButton(certificate)] : []),
    )
    if (report.passwordNeeded) field(node, 'password').get(0).focus()
    tested = JSON.stringify(connection)
    compare()
    // In a small window, what the user has to do must be in sight.
    const last = certificate && result.lastElementChild
    for (const part of [result, last]) part?.scrollIntoView({ block: 'nearest' })
  }

  function trustButton({ fingerprint }: Certificate): HTMLElement {
    const trust = element(
      'button',
      { type: 'button', className: 'red-ui-button' },
      element('i', { className: 'fa fa-lock', ariaHidden: 'true' }),
      ` ${text('connection.trust')}`,
    )
    trust.addEventListener('click', () => {
      const input = field(node, 'fingerprint')
      input.val(fingerprint)
      // As if it were typed: the form checks it.
      input.trigger('change')
      button.focus()
      void test()
    })
    return trust
  }

  /** A result for other values than those that are shown now must not look like theirs. */
  function compare(): void {
    if (tested === undefined) return
    const isOther = JSON.stringify(values()) !== tested
    outdated.hidden = !isOther
    result.classList.toggle('media-gateway-outdated', isOther)
  }

  button.addEventListener('click', () => void test())
  for (const property of TESTED) {
    for (const event of ['change', 'keyup']) field(node, property).on(event, compare)
  }
}

/** A connection that cannot work is not tested; the fault is shown in the language of the editor. */
function faultIn(connection: Connection): Report | undefined {
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
    : { ok: false, code: 'CONFIG', message: `${faults.join('; ')}.` }
}

/** For a test that could not be made. */
function reportOf(failure: RequestError): Report {
  const { code, message, passwordNeeded } = failure
  return { ok: false, code, message, passwordNeeded }
}
