// The definition of a route as a form, where it is given as JSON. The form edits that text and
// nothing more: what is saved is the text, and viewing does not change it.
import { forCreate } from '../../../client/model/convert'
import type { Use } from '../../../client/model/definition'
import { parseDefinition, removedDestinations, type PartUse } from './model'
import { isObject, type JsonObject, jsonIn } from '../../../client/model/json'
import { findHidden } from '../../../client/model/secrets'
import type { RouteFields } from '../../../client/model/types'
import type { Appliance } from '../appliance'
import { element, iconButton, say, smallButton } from '../element'
import { field } from '../fields'
import type { Picked } from '../pickers'
import { nameByLabel, typedField } from '../pickers/picker'
import { makeAdapters, newId, type Context } from './context'
import { makeRouteEditor, type RouteEditor } from './editor'
import { faultsFrom, faultsOf, faultWithPath, useOf } from './faults'
import { makeFill } from './fill'
import { text } from './text'

const VIEWS = ['form', 'json'] as const
type View = (typeof VIEWS)[number]

/** To call once the definition has its types. */
export function prepareRouteForm(node: EditorNode, appliance: Appliance, picked: Picked): void {
  const input = field(node, 'definition')
  if (input.length === 0) return
  const row = input.get(0).closest<HTMLElement>('.form-row')!
  const id = newId('media-gateway-route')
  const place = element('div.media-gateway-route')
  const buttons = VIEWS.map((each) =>
    smallButton(() => show(each), text(`view.${each}`), { 'data-view': each }),
  )
  const group = { role: 'group', ariaLabel: text('view.label') }
  const views = element('div.media-gateway-route-switch', group, ...buttons)
  // Beside a message property.
  const offer = iconButton('list-alt', text('offer'), () => input.typedInput('type', 'json'))
  offer.classList.add('media-gateway-route-offer')
  row.append(views, offer)
  nameByLabel(typedField(node, 'definition'))
  row.after(place)

  /** What was last read from the field, or written to it. */
  let shown: { type: string; value: string } | undefined
  let view: View = 'form'
  let editor: RouteEditor | undefined
  const status = element('div.media-gateway-route-status', { role: 'status' })
  const problems = element('ul.media-gateway-route-problems')
  const removal = element('div.media-gateway-route-note', { role: 'status' })
  const fill = makeFill(appliance, filled)
  const adapters = makeAdapters(appliance, id)

  let present: { routeId: string; definition?: JsonObject } | undefined

  /** A merge shows what it changes: the route is read once it is known which one that is. */
  async function readPresent(): Promise<void> {
    const routeId = picked.route()?.id
    if (shown?.type !== 'json' || !isMerge(useOf(node)) || routeId === present?.routeId) return
    present = routeId === undefined ? undefined : { routeId }
    const mine = present
    // Why it cannot be read stands below the field of the route.
    const found = routeId && (await appliance.definition(routeId).catch(() => undefined))
    if (mine !== present) return
    if (mine && isObject(found)) mine.definition = found
    editor?.refresh()
    check()
  }

  const typeNow = () => field(node, 'definitionType').val() ?? ''
  const valueNow = () => input.val() ?? ''

  function write(value: string): void {
    shown = { type: 'json', value }
    input.typedInput('value', value)
  }

  function show(wanted: View, note = ''): void {
    shown = { type: typeNow(), value: valueNow() }
    const isJson = shown.type === 'json'
    view = wanted
    editor = undefined
    views.hidden = !isJson
    for (const button of buttons) {
      const isSelected = button.dataset['view'] === view
      button.ariaPressed = String(isSelected)
      button.classList.toggle('selected', isSelected)
    }
    offer.hidden = shown.type !== 'msg'
    row.classList.toggle('media-gateway-route-as-form', isJson && view === 'form')
    place.hidden = !isJson
    place.replaceChildren()
    if (!isJson) return
    const definition = parseDefinition(shown.value)
    if (view === 'json') place.append(removal, status, problems)
    else if (definition) showForm(definition, note)
    else showBroken()
    check()
    void readPresent()
  }

  function showForm(definition: JsonObject, note: string): void {
    const use = useOf(node)
    const context: Context = {
      id,
      adapters,
      use: partUse(use),
      present: () => (isMerge(use) ? present?.definition : undefined),
      changed() {
        if (!editor) return
        const value = JSON.stringify(editor.read())
        // An empty form leaves an empty text as it is.
        if (value !== JSON.stringify(parseDefinition(valueNow()))) write(value)
        check()
      },
    }
    editor = makeRouteEditor(context, definition, { needsName: use.kind !== 'update' })
    place.replaceChildren(...head(note), removal, status, problems, editor.element, adapters.list)
  }

  function showBroken(): void {
    const begin = (): void => {
      write('{}')
      show('form')
    }
    const button = smallButton(begin, text('start'))
    place.replaceChildren(...head(''), element('p', text('broken')), button)
  }

  function head(note: string): HTMLElement[] {
    fill.close()
    const remark = element('div.media-gateway-route-note', { role: 'status' }, note)
    return [fill.button, fill.panel, remark]
  }

  function filled(answer: unknown): void {
    const isNew = useOf(node).kind === 'create'
    const definition = isNew ? forCreate(answer as RouteFields) : answer
    write(JSON.stringify(definition))
    const hasHidden = findHidden(definition).length > 0
    show('form', text(hasHidden ? (isNew ? 'fill.enterAnew' : 'fill.keeps') : 'fill.done'))
    place.querySelector<HTMLElement>('input[type="text"]:not([hidden] *)')?.focus()
  }

  function check(): void {
    const definition = definitionNow()
    const found = definition === undefined ? [] : faultsOf(node, definition)
    const faults = faultsFrom(found)
    editor?.showFaults(faults)
    problems.replaceChildren(...faults.rest().map((each) => element('li', faultWithPath(each))))
    status.textContent = found.length === 0 ? '' : text('faults', { count: found.length })
    showRemoval()
  }

  const definitionNow = (): unknown => (editor ? editor.read() : jsonIn(valueNow()))

  /** A list of destinations that is not complete takes a programme off the air. */
  function showRemoval(): void {
    const use = useOf(node)
    const definition = definitionNow()
    const destinations = picked.route()?.destinations
    const removed =
      use.kind === 'update' && isObject(definition) && destinations
        ? removedDestinations(definition, use.mode, destinations)
        : []
    const names = removed.map((each) => each.name || each.id || '?')
    const many = names.length === 1 ? text('removesOne') : text('removes', { number: names.length })
    say(removal, names.length === 0 ? '' : `${many}: ${names.join(', ')}`)
  }

  input.on('change', () => {
    const type = typeNow()
    const value = valueNow()
    if (shown?.type === type && shown.value === value) return
    // Text that is typed as JSON stays JSON until the user asks for the form.
    const stays = view === 'json' && shown?.type === type
    show(stays || parseDefinition(value) === undefined ? 'json' : 'form')
  })
  input.on('keyup', () => {
    if (view === 'json' && shown?.type === 'json') check()
  })
  for (const name of ['mode', 'state']) field(node, name).on('change', () => show(view))
  field(node, 'validate').on('change', () => {
    if (shown?.type === 'json') check()
  })
  picked.onChange(() => {
    void readPresent()
    if (shown?.type === 'json') showRemoval()
  })
  show(parseDefinition(valueNow()) === undefined ? 'json' : 'form')
  keepLines(node, input)
}

/** A text with several lines is saved as it is: the field itself would join them. */
function keepLines(node: EditorNode, input: EditorQuery): void {
  const saved = node['definition']
  if (typeof saved !== 'string' || saved.replace(/[\r\n]/g, '') !== input.val()) return
  if (saved !== input.val()) input.val(saved)
}

const isMerge = (use: Use): boolean => use.kind === 'update' && use.mode === 'merge'

const partUse = (use: Use): PartUse => ({
  partial: use.kind === 'ensure' || isMerge(use),
  isNew: use.kind === 'create',
  isState: use.kind === 'ensure',
})
