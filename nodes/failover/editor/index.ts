// The form of the failover: besides plain rows it has a drawing and sentences that follow it.
import { element } from '../../editor/element'
import { field, presentValue, read as readField, shownValue } from '../../editor/fields'
import { prepareForm, type OpenForm } from '../../editor/form'
import { secretPrefixOf } from '../../editor/secret-prefix'
import { reason, text as shared, type CheckOptions } from '../../editor/text'
import { checkTyped, idType, manyAppliances, nameType, type TypedChoices } from '../../editor/typed'
import { draw } from './drawing'
import { wordsOf } from './faults'
import { FLAGS, showFlag, type Flag } from './flag'
import { sentencesOf } from './sentence'
import { faultsIn, propertyOf, type Read } from './settings'
import { prepareFill, prepareSides, sideTypes } from './sides'
import { shownIn } from './shown'
import { text } from './text'

export const failover = {
  /** To call in `oneditprepare`. */
  prepareForm(node: EditorNode): void {
    const flags = Object.fromEntries(
      FLAGS.map((property) => [property, showFlag(property, node[property])]),
    ) as Flags
    const form = prepareForm(node, choices(node), flags)
    prepareSides(node)
    prepareFill(node, form)
    follow(node, form, flags)
  },

  /** True, or what is wrong with a property. */
  check(
    node: EditorNode,
    property: string,
    value: unknown,
    options: CheckOptions = {},
  ): true | string {
    // A property that a flow does not have takes its default when it runs.
    if (value === undefined) return true
    const now: Read = (name) => (name === property ? value : shownValue(node, name))
    const fault = faultOf(now, property)
    return fault === undefined || reason(fault, options)
  },
}

/** The first fault of a property, in words. */
function faultOf(now: Read, property: string): string | undefined {
  const isTyped = TYPED.includes(property)
  if (isTyped && isUsed(now, property)) {
    const plain = checkTyped(now(`${property}Type`), textIn(now, property))
    if (plain !== true) return plain
  }
  const found = faultsIn(now, secretPrefixOf(now('gateway'))).find(
    ({ path }) => propertyOf(path) === property,
  )
  return found && wordsOf(found)
}

const textIn = (now: Read, property: string): string => {
  const value = now(property)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

const TYPED = ['route', 'main', 'backup', 'monitor']

function isUsed(now: Read, property: string): boolean {
  if (property === 'route') return now('method') !== 'routes'
  return property !== 'monitor' || now('restore') === 'monitor'
}

/** No message says which route is protected. */
const choices = (node: EditorNode): TypedChoices => {
  const byName = [nameType(shared('type.routeName')), idType(shared('type.routeId'))]
  const sides = sideTypes(presentValue(node, 'method'))
  return {
    appliance: manyAppliances(),
    device: [
      { value: 'auto', label: text('type.onlyDevice'), hasValue: false },
      idType(shared('type.deviceId')),
      'env',
    ],
    route: [...byName, 'env', 'flow', 'global'],
    main: sides,
    backup: sides,
    monitor: byName,
  }
}

/** What the form shows for each of them. */
type Flags = Record<Flag, () => unknown>

/** Keeps the drawing, the sentences and the remarks as the form is. */
function follow(node: EditorNode, { picked }: OpenForm, flags: Flags): void {
  const at = (id: string) => document.querySelector<HTMLElement>(`#media-gateway-failover-${id}`)!
  const form = at('drawing').closest<HTMLElement>('.media-gateway-form')!
  const now: Read = (property) => {
    if (property in flags) return flags[property as Flag]()
    const input = field(node, property)
    return input.length > 0 ? readField(input) : presentValue(node, property)
  }
  const places = { drawing: at('drawing'), sentences: at('sentences') }
  const remarks = REMARKED.map((property) => ({ property, place: at(`fault-${property}`) }))
  let last = ''

  function show(): void {
    const shown = shownIn(now, (property) => picked.route(property)?.name)
    const faults = remarks.map(({ property }) => remarkOn(now, property))
    // A screen reader reads what is set again.
    const present = JSON.stringify([shown, faults])
    if (present === last) return
    last = present
    draw(places.drawing, shown)
    places.sentences.replaceChildren(
      ...sentencesOf(shown).map((sentence) => element('li', {}, sentence)),
    )
    remarks.forEach(({ place }, index) => (place.textContent = faults[index] ?? ''))
  }

  for (const property of Object.keys(node._def.defaults)) field(node, property).on('change', show)
  form.addEventListener('input', show)
  form.addEventListener('change', show)
  picked.onChange(show)
  show()

  const details = at('more') as HTMLDetailsElement
  details.open = ADVANCED.some((property) => faultOf(now, property) !== undefined)
}

/** The properties whose fault stands below them. */
const REMARKED = ['main', 'backup', 'monitor']
const ADVANCED = ['degrade', 'degradePer', 'settle', 'guard', 'limit', 'limitPer', 'lookEvery']

/** What is wrong with a property, or strange about it. What is still empty needs no remark. */
function remarkOn(now: Read, property: string): string | undefined {
  const value = textIn(now, property).trim()
  if (property === 'monitor') {
    if (now('restore') !== 'monitor') return undefined
    if (value === '') return text('error.monitor')
    const isRoute = value === now('route') && now('monitorType') === now('routeType')
    return isRoute && now('method') !== 'routes' ? text('warning.monitorIsRoute') : undefined
  }
  return value === '' ? undefined : faultOf(now, property)
}
