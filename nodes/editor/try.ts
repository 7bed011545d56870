// "Try": what a node would do on the gateway as it is now, by the values in its form. Nothing is sent.
import { PLANNING, type Planned, type PlanQuestion } from '../wire'
import type { Appliance } from './appliance'
import { mayWrite, type RequestError } from './ask'
import { isVariable } from './checks'
import { element } from './element'
import { field, idOf, read, shownValue } from './fields'
import { createOutcome } from './outcome'
import { signIcon } from './states'
import { text, textOr, timeOf } from './text'

const HERE: Record<string, readonly string[]> = {
  device: ['auto', 'id'],
  route: ['id', 'name'],
  destination: ['id', 'name'],
  definition: ['json'],
}

export function prepareTry(node: EditorNode, appliance: Appliance): void {
  const button = document.querySelector<HTMLButtonElement>('#media-gateway-try')
  if (!button) return
  button.parentElement!.hidden = !mayWrite()
  const result = document.querySelector<HTMLElement>('#media-gateway-try-result')!
  const head = element('div', { role: 'status', ariaLive: 'polite' })
  const remark = [signIcon('warning'), ' ', text('try.outdated')]
  const outdated = element('p', { hidden: true, role: 'status' }, ...remark)
  const body = element('div')
  result.replaceChildren(head, outdated, body)
  result.hidden = true
  // Looked up once: when a response arrives, another form may be open.
  const form = button.closest<HTMLElement>('.media-gateway-form')!
  const properties = Object.keys(node._def.defaults).filter((each) => each !== 'name')
  const inputs = properties.map((each) => field(node, each)).filter(({ length }) => length > 0)
  const present = (): string => JSON.stringify(inputs.map(read))
  const { run, compare } = createOutcome(result, [button], outdated, present)

  async function attempt(): Promise<undefined> {
    show([text('try.reading')])
    try {
      const obstacle = obstacleIn(node)
      if (obstacle !== undefined) return show([signIcon('critical'), ' ', obstacle])
      const found = await appliance.plan(questionOf(node))
      return show([element('b', asOf(new Date())), ' ', text('try.note')], planRows(found))
    } catch (failure) {
      return show(failed(failure as RequestError))
    }
  }

  function show(words: (Node | string)[], rows: HTMLElement[] = []): undefined {
    result.hidden = false
    head.replaceChildren(...words)
    body.replaceChildren(...rows)
  }

  button.addEventListener('click', () => void run(button, attempt))
  for (const input of inputs) input.on('change', compare)
  for (const event of ['input', 'change']) form.addEventListener(event, compare)
}

/** Why nobody is asked: something comes from elsewhere, or is wrong. In the language of the user. */
function obstacleIn(node: EditorNode): string | undefined {
  const elsewhere = [...new Set(elsewhereIn(node))].map((property) => labelOf(node, property))
  if (elsewhere.length > 0) return text('try.elsewhere', { names: elsewhere.join(', ') })
  for (const [property, rules] of Object.entries(node._def.defaults)) {
    const input = field(node, property)
    if (!rules.validate || input.length === 0) continue
    const verdict = rules.validate.call(node, read(input), {})
    if (verdict !== true) return `${labelOf(node, property)}: ${String(verdict)}`
  }
  return undefined
}

/** The properties whose values only a run knows. */
function elsewhereIn(node: EditorNode): string[] {
  const isOfRoute = shownValue(node, 'target') !== 'destination'
  const elsewhere = Object.keys(HERE).filter((property) => {
    if (field(node, property).length === 0) return false
    if (property === 'destination' && isOfRoute) return false
    const type = String(shownValue(node, `${property}Type`))
    return !HERE[property]!.includes(type) || isVariable(String(shownValue(node, property)))
  })
  return shownValue(node, 'action') === 'msg' ? [...elsewhere, 'action'] : elsewhere
}

const labelOf = (node: EditorNode, property: string): string =>
  document.querySelector(`label[for="${idOf(node, property)}"]`)?.textContent.trim() ?? property

function questionOf(node: EditorNode): PlanQuestion {
  // The definition is asked for as it is meant.
  const asked = PLANNING.filter((property) => field(node, property).length > 0)
  const definition = field(node, 'definition').val()
  return {
    node: node.type.replace('media-gateway-', '') as PlanQuestion['node'],
    ...Object.fromEntries(asked.map((property) => [property, shownValue(node, property)])),
    ...(typeof definition === 'string' && { definition: JSON.parse(definition) as unknown }),
  }
}

const asOf = (now: Date): string => text('try.asOf', { time: timeOf(now) })

function failed({ code, message }: RequestError): (Node | string)[] {
  const title = code === undefined ? '' : textOr(`connection.failed.${code}`, '')
  const words = title === '' ? [message] : [element('b', title), `: ${message}`]
  return [signIcon('critical'), ' ', ...words]
}

function planRows({ text: plan, summary, unset, mayChange }: Planned): HTMLElement[] {
  const [, ...steps] = plan.split('\n')
  const isEmpty = Object.values(summary).every((number) => number === 0)
  const total = isEmpty ? text('try.nothing') : text('try.total', { ...summary })
  const lines = [total, ...steps].map((line) => {
    const kind = KINDS[line.charAt(0)] ?? 'plain'
    return element('div', { className: `media-gateway-try-${kind}` }, line)
  })
  const region = { tabIndex: 0, role: 'region', ariaLabel: text('try.label') }
  const remarks: string[] = []
  if (mayChange === false) remarks.push(text('try.mayNot'))
  if (unset.length > 0) remarks.push(text('try.unset', { names: unset.join(', ') }))
  return [
    ...remarks.map((words) => element('p', signIcon('warning'), ' ', words)),
    element('pre.media-gateway-try-text', region, ...lines),
  ]
}

const KINDS: Record<string, string> = { '+': 'create', '~': 'change', '-': 'delete' }
