// The pickers of device, route and destination: below a field they say what its value is, and offer
// what the appliance has. Only what the user chooses is written.
import type { FoundRoute } from '../../wire'
import type { Appliance } from '../appliance'
import type { ApplianceRow } from './appliance-row'
import { element } from '../element'
import { field } from '../fields'
import { createListeners } from '../look'
import { signIcon } from '../states'
import { text } from '../text'
import type { Translate } from '../typed'
import { chosenRoute, FIELDS, offerOf, type Choice, type Entries, type Entry } from './choices'
import { createPicker, entryOf, keyOf, stateAndPlace, typedField, warning } from './picker'

export interface Picked {
  /** The route that the form names; undefined while that is not known to be one. */
  route: (property?: string) => FoundRoute | undefined
  onChange: (listener: () => void) => void
  translate: Translate
}

/** Adds a picker to each field of the form that has one, after they have become typed inputs. */
export function preparePickers(
  node: EditorNode,
  appliance: Appliance,
  applianceRow: ApplianceRow,
): Picked {
  const properties = Object.keys(FIELDS).filter((property) => field(node, property).length > 0)

  // Looked up once: when a response arrives, another form may be open.
  const fields = new Map(properties.map((property) => [property, typedField(node, property)]))
  const entry = (property: string): Entry => {
    const its = fields.get(property)
    return its ? entryOf(its) : { type: '', value: '' }
  }
  /** The entries on which the choices of a field depend, and its own. */
  const entries = (property = 'route'): Entries => ({
    device: entry('device'),
    route: entry('route'),
    destination: entry('destination'),
    ...(Object.hasOwn(FIELDS, property) && { [FIELDS[property]!]: entry(property) }),
  })

  const definitionType = field(node, 'definitionType')
  const { tell, onChange } = createListeners()
  const showAll = () => {
    for (const { show } of pickers) show()
    tell()
  }
  // A request is made only where something is to be picked.
  const update = () => {
    const isOn = pickers.some((picker) => picker.isOn())
    // The form of a definition offers routes to copy, and network interfaces.
    applianceRow.offersLook(isOn || definitionType.val() === 'json')
    if (isOn) appliance.update()
    showAll()
  }
  const pickers = [...fields].map(([property, its]) => {
    const kind = FIELDS[property]!
    return createPicker(property, its, {
      kind,
      look: appliance.now,
      offer() {
        const { found } = appliance.now()
        return found && offerOf(kind, entries(property), found)
      },
      isDescribed: (type) => type === 'pattern',
      describe,
      update,
      reload: () => appliance.update({ again: true }),
    })
  })

  for (const { hidden, input } of fields.values()) {
    hidden.on('change', update)
    // While the user types, only what is already known is searched.
    input.addEventListener('input', showAll)
  }
  if (properties.length > 0) {
    appliance.onChange(showAll)
    applianceRow.onChange(update)
    field(node, 'definition').on('change', update)
    update()
  }

  return {
    route(property) {
      const { found } = appliance.now()
      return found && chosenRoute(entries(property), found)
    },
    onChange,
    translate(property, { type, value }, wanted) {
      // Without a star it is a pattern that matches only this name.
      if (type === 'name' && wanted === 'pattern') return value
      const kind = Object.hasOwn(FIELDS, property) ? FIELDS[property] : undefined
      const { found } = appliance.now()
      const [from, to] = [keyOf(type), keyOf(wanted)]
      if (!kind || !found || !from || !to) return undefined
      const { items } = offerOf(kind, entries(property), found)
      const [choice, ...others] = items.filter((each) => each[from] === value.trim())
      const translated = choice?.[to]
      // A name that several have is ambiguous.
      const isClear =
        others.length === 0 && items.filter((each) => each[to] === translated).length === 1
      return translated && isClear ? translated : undefined
    },
  }
}

function describe({ type, value }: Entry, choices: Choice[]): (Node | string)[] {
  const fitting = choices.filter((choice) => choice[type === 'name' ? 'name' : 'id'] === value)
  const [found] = fitting
  if (!found) {
    const isName = type === 'id' && choices.some(({ name }) => name === value)
    return [...warning(), text(isName ? 'picker.nameNotId' : 'picker.unknown')]
  }
  if (fitting.length > 1) {
    return [...warning(), text('picker.sameName', { number: fitting.length })]
  }
  const { name, place, state } = found
  if (type === 'name') return stateAndPlace(state, place)
  const { sign = 'unknown', word = '' } = state ?? {}
  return [signIcon(sign, word), ' ', ...(name ? [element('b', name), ', '] : []), word]
}
