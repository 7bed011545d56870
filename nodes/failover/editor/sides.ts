// Main and backup: two sources, or two routes, and the buttons that take over the present source.
import { isObject, membersIn, own, type JsonObject } from '../../../client/model/json'
import { findHidden } from '../../../client/model/secrets'
import type { RequestError } from '../../editor/ask'
import { element } from '../../editor/element'
import { field } from '../../editor/fields'
import type { OpenForm } from '../../editor/form'
import { text as shared } from '../../editor/text'
import { idType, nameType, withType, type TypedChoices } from '../../editor/typed'
import { SIDES } from './settings'
import { text } from './text'

type Types = TypedChoices[string]

/** The types of main and backup with each method; the first is the default. */
const typesOf = (method: string): Types =>
  method === 'routes'
    ? [nameType(shared('type.routeName')), idType(shared('type.routeId'))]
    : ['json', 'env', 'flow', 'global']

/** The types with the method that a node has when its form opens. */
export const sideTypes = (method: unknown): Types => typesOf(String(method))

/** Keeps what was entered with each method, and offers its types. */
export function prepareSides(node: EditorNode): void {
  const method = field(node, 'method')
  for (const side of SIDES) {
    const input = field(node, side)
    const type = field(node, `${side}Type`)
    const entryNow = () => ({ type: type.val() ?? '', value: input.val() ?? '' })
    const first = method.val() ?? ''
    const firstType = type.val()
    const offered = (of: string) => withType(typesOf(of), of === first ? firstType : null)
    const entered = new Map<string, { type: string; value: string }>()
    let shown = first
    method.on('change', () => {
      const wanted = method.val() ?? ''
      if (wanted === shown) return
      entered.set(shown, entryNow())
      const types = offered(wanted)
      const initial = typeof types[0] === 'string' ? types[0] : types[0]!.value
      const entry = entered.get(wanted) ?? { type: initial, value: '' }
      // With only the wanted types, the field would change to the first of them in between.
      input.typedInput('types', [...offered(shown), ...types])
      input.typedInput('type', entry.type)
      input.typedInput('value', entry.value)
      input.typedInput('types', types)
      shown = wanted
      method.get(0).focus()
    })
  }
}

/** Brings the buttons to life that take over the present source of the protected route. */
export function prepareFill(node: EditorNode, { appliance, picked }: OpenForm): void {
  for (const side of SIDES) {
    const input = field(node, side)
    const button = document.querySelector<HTMLButtonElement>(
      `#media-gateway-failover-fill-${side}`,
    )!
    const status = document.querySelector<HTMLElement>(`#media-gateway-failover-filled-${side}`)!
    button.addEventListener('click', () => void fill())

    async function fill(): Promise<void> {
      const route = picked.route()
      if (!route) return say(text('fill.noRoute'))
      button.disabled = true
      say(text('fill.loading'))
      try {
        const source = differing(await appliance.definition(route.id))
        // The dialog may be closed by now.
        if (!button.isConnected) return
        input.typedInput('type', 'json')
        input.typedInput('value', JSON.stringify(source))
        const hidden = findHidden(source)
        const key = hidden.length > 0 ? 'fill.hidden' : 'fill.done'
        say(text(key, { fields: hidden.join(', ') }), hidden.length > 0)
      } catch (error) {
        say((error as RequestError).message, true)
      }
      button.disabled = false
    }

    function say(words: string, isWarning = false): void {
      const sign = element('i', { className: 'fa fa-exclamation-triangle', ariaHidden: 'true' })
      status.replaceChildren(...(isWarning ? [sign, ' '] : []), words)
      status.classList.toggle('media-gateway-failover-warns', isWarning)
    }
  }
}

/** What tells the source from another one of the same route: the rest stays in a switch. */
const SAME = ['id', 'name', 'labels', 'tags', 'action']

/** The fields of a source that can differ, out of a definition in sent form. */
function differing(definition: unknown): JsonObject {
  const source = own(definition, 'source')
  if (!isObject(source)) return {}
  const isEmpty = (value: unknown) =>
    value === '' || value === null || (Array.isArray(value) && value.length === 0)
  return Object.fromEntries(
    membersIn(source).filter(([name, value]) => !SAME.includes(name) && !isEmpty(value)),
  )
}
