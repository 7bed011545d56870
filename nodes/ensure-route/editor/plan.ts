// "Plan now": what the node would do on the gateway as it is now, before anything is deployed.
import type { Appliance } from '../../editor/appliance'
import type { RequestError } from '../../editor/ask'
import { element } from '../../editor/element'
import { field, shownValue } from '../../editor/fields'
import { definitionFault } from '../../editor/route-form/use'
import { signIcon } from '../../editor/states'
import { text as shared, textOr } from '../../editor/text'
import { faultOf, type Checked, type Read } from './settings'
import type { Planned, PlanQuestion } from '../../wire'
import { text } from './text'

/** What a plan depends on, as the form has it. */
const ASKED: Exclude<keyof PlanQuestion, 'definition'>[] = [
  'state',
  'exact',
  'validate',
  'remove',
  'removePattern',
  'removeAtMost',
  'approve',
]
const DEPENDS = ['gateway', 'device', 'deviceType', 'definition', 'definitionType', 'check']

/** Brings the button, and the place for the plan, to life. */
export function preparePlan(node: EditorNode, appliance: Appliance): void {
  const button = document.querySelector<HTMLButtonElement>('#media-gateway-plan')!
  const result = document.querySelector<HTMLElement>('#media-gateway-plan-result')!
  const head = element('div', { role: 'status', ariaLive: 'polite' })
  const outdated = element(
    'p',
    { hidden: true, role: 'status' },
    signIcon('warning'),
    ' ',
    text('plan.outdated'),
  )
  const body = element('div')
  result.replaceChildren(head, outdated, body)
  result.hidden = true
  // Looked up once: when a response arrives, another form may be open.
  const form = button.closest<HTMLElement>('.media-gateway-form')!
  const read: Read = (property) => shownValue(node, property)
  const asked = (): Partial<PlanQuestion> =>
    Object.fromEntries(ASKED.map((property) => [property, read(property)]))
  const present = (): string =>
    JSON.stringify([...ASKED, ...DEPENDS].map((property) => read(property)))
  let isBusy = false
  /** The form as it was for the plan that is shown. */
  let planned: string | undefined

  async function plan(): Promise<void> {
    // A disabled button would lose the focus.
    if (isBusy) return
    busy(true)
    const now = present()
    planned = undefined
    show([text('plan.planning')])
    try {
      const fault = faultIn(node, read)
      if (fault !== undefined) show([signIcon('critical'), ' ', fault])
      else {
        const definition = JSON.parse(String(read('definition'))) as unknown
        const found = await appliance.plan({ definition, ...asked() })
        show([element('b', {}, asOf(new Date())), ' ', text('plan.note')], planRows(found))
      }
    } catch (failure) {
      show(failed(failure as RequestError))
    }
    planned = now
    busy(false)
    compare()
    result.scrollIntoView({ block: 'nearest' })
  }

  function busy(is: boolean): void {
    isBusy = is
    button.ariaDisabled = String(is)
    button.querySelector('.fa')!.classList.toggle('fa-spin', is)
    result.ariaBusy = String(is)
  }

  function show(words: (Node | string)[], rows: HTMLElement[] = []): void {
    result.hidden = false
    outdated.hidden = true
    result.classList.remove('media-gateway-plan-outdated')
    head.replaceChildren(...words)
    body.replaceChildren(...rows)
  }

  /** A plan for another form than the one that is shown must not look like its plan. */
  function compare(): void {
    if (planned === undefined) return
    const isOther = present() !== planned
    if (outdated.hidden === isOther) outdated.hidden = !isOther
    result.classList.toggle('media-gateway-plan-outdated', isOther)
  }

  button.addEventListener('click', () => void plan())
  for (const property of [...ASKED, ...DEPENDS]) field(node, property).on('change', compare)
  for (const event of ['input', 'change']) form.addEventListener(event, compare)
}

const REMOVAL: Checked[] = ['remove', 'removePattern', 'removeAtMost']

/** What is wrong with the form, in the language of the user: then nobody is asked. */
function faultIn(node: EditorNode, read: Read): string | undefined {
  const definition = read('definition')
  const json = typeof definition === 'string' ? definition : ''
  const name = shared('form.definition')
  try {
    const fault = definitionFault(node, json)
    if (fault !== undefined) return `${name}: ${fault}`
  } catch {
    return `${name}: ${text('error.json')}`
  }
  for (const property of REMOVAL) {
    const [key, values] = faultOf(read, property) ?? []
    if (key !== undefined) return `${text(`label.${property}`)}: ${text(`error.${key}`, values)}`
  }
  return undefined
}

const asOf = (now: Date): string =>
  text('plan.asOf', { time: now.toLocaleTimeString([], { hour12: false }) })

function failed({ code, message }: RequestError): (Node | string)[] {
  const title = code === undefined ? '' : textOr(`connection.failed.${code}`, '')
  const words = title === '' ? [message] : [element('b', {}, title), `: ${message}`]
  return [signIcon('critical'), ' ', ...words]
}

function planRows({ text: plan, unset }: Planned): HTMLElement[] {
  const lines = plan.split('\n').map((line) => {
    const kind = KINDS[line.charAt(0)] ?? 'plain'
    return element('div', { className: `media-gateway-plan-${kind}` }, line)
  })
  const block = element(
    'pre',
    {
      className: 'media-gateway-plan-text',
      tabIndex: 0,
      role: 'region',
      ariaLabel: text('plan.label'),
    },
    ...lines,
  )
  if (unset.length === 0) return [block]
  const names = unset.join(', ')
  return [element('p', {}, signIcon('warning'), ' ', text('plan.unset', { names })), block]
}

const KINDS: Record<string, string> = { '+': 'create', '~': 'change', '-': 'delete' }
