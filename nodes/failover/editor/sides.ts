// Main and backup: two sources as two columns, or two routes.
import type { Side } from '../../../client/model/failover'
import { otherOf, SIDES } from '../../../client/model/failover-sides'
import type { Fault as SourceFault } from '../../../client/model/faults'
import { isObject, own, type JsonObject } from '../../../client/model/json'
import { field, type Read } from '../../editor/fields'
import type { OpenForm } from '../../editor/form'
import { makeAdapters, newId } from '../../editor/route-form/context'
import { faultsFrom } from '../../editor/route-form/faults'
import { makeGroup, type Group } from '../../editor/route-form/group'
import { edit, type Edited } from '../../editor/route-form/model'
import { text as ofRoute } from '../../editor/route-form/text'
import { text as shared } from '../../editor/text'
import { formType, idType, nameType, withType, type TypedChoices } from '../../editor/typed'
import { valueIn, type Fault } from './settings'
import { columnOf, fieldsOf, savedOf, USE } from './source'
import { text } from './text'

type Types = TypedChoices[string]

export const sideTypes = (method: unknown): Types =>
  method === 'routes'
    ? [nameType(shared('type.routeName')), idType(shared('type.routeId'))]
    : [formType(), 'env', 'flow', 'global']

/** Keeps what was entered with each method, and offers its types. */
export function prepareMethods(node: EditorNode): void {
  const method = field(node, 'method')
  for (const side of SIDES) {
    const input = field(node, side)
    const type = field(node, `${side}Type`)
    const entryNow = () => ({ type: type.val() ?? '', value: input.val() ?? '' })
    const first = method.val() ?? ''
    const firstType = type.val()
    const offered = (of: string) => withType(sideTypes(of), of === first ? firstType : null)
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

export function prepareColumns(
  node: EditorNode,
  { appliance }: OpenForm,
  { now, changed }: { now: Read; changed: () => void },
) {
  const places = Object.fromEntries(
    SIDES.map((side) => [side, document.querySelector(`#media-gateway-failover-${side}`)!]),
  ) as Record<Side, HTMLElement>
  const row = (side: Side) => places[side].previousElementSibling!
  const box = places.main.parentElement!.parentElement!
  const adapters = makeAdapters(appliance, 'media-gateway-failover')
  box.append(adapters.list)
  let present: JsonObject | undefined
  let parts: Partial<Record<Side, Edited>> = {}
  let groups: Partial<Record<Side, Group>> = {}
  let last = ''
  let isWriting = false

  /** What the columns are made from. */
  const stateNow = (): string =>
    JSON.stringify([present, now('method'), SIDES.map((side) => [now(side), now(`${side}Type`)])])

  /** The saved fields of a side; undefined where no form can show them. */
  function savedIn(side: Side): JsonObject | undefined {
    if (now('method') === 'routes' || now(`${side}Type`) !== 'json') return undefined
    if (now(side) === '') return {}
    const value = valueIn(now, side)
    return isObject(value) ? value : undefined
  }

  function render(): void {
    last = stateNow()
    const saved = { main: savedIn('main'), backup: savedIn('backup') }
    const known = saved.main && saved.backup && present
    parts = {}
    groups = {}
    for (const side of SIDES) {
      const whole = saved[side] && columnOf(saved[side], known)
      row(side).classList.toggle('media-gateway-route-as-form', whole !== undefined)
      places[side].replaceChildren()
      if (!whole) continue
      const group = (groups[side] = makeColumn(side, whole))
      places[side].append(group.element)
    }
    mark()
  }

  function makeColumn(side: Side, whole: JsonObject): Group {
    const context = {
      id: newId('media-gateway-failover'),
      adapters,
      use: USE,
      present: () => undefined,
      changed: write,
    }
    parts[side] = { part: whole, parked: [] }
    return makeGroup(context, {
      part: 'source',
      fields: () => fieldsOf(parts[side]!.part),
      edit: (member, value) => (parts[side] = edit('source', parts[side]!, member, value, USE)),
      path: () => side,
      isFresh: false,
    })
  }

  function write(): void {
    isWriting = true
    for (const side of SIDES) {
      const part = parts[side]?.part
      if (!part) continue
      const saved = savedOf(part, parts[otherOf(side)]?.part, present)
      const value = Object.keys(saved).length === 0 ? '' : JSON.stringify(saved)
      if (value !== now(side)) field(node, side).typedInput('value', value)
    }
    isWriting = false
    last = stateNow()
    mark()
    changed()
  }

  function mark(): void {
    const differsIn = (member: string): boolean => {
      const [one, other] = SIDES.map((side) => own(parts[side]?.part, member) ?? '')
      return JSON.stringify(one) !== JSON.stringify(other)
    }
    for (const shown of box.querySelectorAll<HTMLElement>('[data-member]')) {
      const isOther = differsIn(shown.dataset['member']!)
      shown.classList.toggle('media-gateway-failover-differs', isOther)
    }
    // A switch to another protocol does not keep what the gateway hides.
    const isOther = parts.main && parts.backup && differsIn('protocol')
    const stored = isOther ? text('error.hidden') : ofRoute('hint.stored')
    for (const hint of box.querySelectorAll('.media-gateway-route-stored'))
      hint.textContent = stored
  }

  // Nothing moves while somebody types.
  const isBusy = () => SIDES.some((side) => places[side].contains(document.activeElement))
  box.addEventListener('focusout', () => setTimeout(() => isBusy() || changed()))

  return {
    /** Follows the fields, and what the route has now. */
    show(next: JsonObject | undefined): void {
      if (isWriting || isBusy()) return
      present = next
      if (last !== stateNow()) render()
    },
    /** Makes what the route has now one of the two. */
    take(side: Side): void {
      if (!parts[side] || !present) return
      parts[side] = { part: present, parked: [] }
      write()
      render()
    },
    /** Shows faults at their fields; returns the others. */
    showFaults(faults: Fault[]): Fault[] {
      const atFields = faultsFrom(faults.filter((one): one is SourceFault => !('reason' in one)))
      for (const side of SIDES) groups[side]?.showFaults(atFields)
      const rest = atFields.rest()
      return faults.filter((fault) => 'reason' in fault || rest.includes(fault))
    },
  }
}
