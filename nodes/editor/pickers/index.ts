// The pickers of device, route and destination: below a field they say what its value is, and offer
// what the appliance has. Only what the user chooses is written.
import type { Appliance, FoundRoute, Look } from '../appliance'
import { titleOf } from '../ask'
import { isVariable } from '../checks'
import { element } from '../element'
import { field } from '../fields'
import { signIcon } from '../states'
import { text } from '../text'
import type { Translate } from '../typed'
import {
  chosenRoute,
  FIELDS,
  fittingNames,
  offerOf,
  type Choice,
  type Entries,
  type Entry,
  type Kind,
  type Offer,
} from './choices'
import { createListbox } from './list'

/** The types of a field whose value stands for something on the appliance. */
const PICKED = ['id', 'name']

/** The types that a picker can describe. */
const DESCRIBED = [...PICKED, 'pattern']

interface Picker {
  isOn: () => boolean
  /** Shows what is known now. */
  show: () => void
}

/** What the pickers of a form know, for the rest of it. */
export interface Picked {
  /** The route that the form names; undefined while that is not known to be one. */
  route: (property?: string) => FoundRoute | undefined
  /** Calls back when it may have changed. */
  onChange: (listener: () => void) => void
  translate: Translate
}

/** Adds a picker to each field of the form that has one, after they have become typed inputs. */
export function preparePickers(node: EditorNode, appliance: Appliance): Picked {
  const properties = Object.keys(FIELDS).filter((property) => field(node, property).length > 0)

  // Looked up once: when a response arrives, another form may be open.
  const fields = new Map(properties.map((property) => [property, fieldOf(node, property)]))
  const entry = (property: string): Entry => {
    const { type, input } = fields.get(property) ?? {}
    return { type: type?.val() ?? '', value: input?.value ?? '' }
  }
  /** The entries on which the choices of a field depend, and its own. */
  const entries = (property = 'route'): Entries => ({
    device: entry('device'),
    route: entry('route'),
    destination: entry('destination'),
    ...(Object.hasOwn(FIELDS, property) && { [FIELDS[property]!]: entry(property) }),
  })

  const listeners: (() => void)[] = []
  const showAll = () => {
    for (const { show } of pickers) show()
    for (const listener of listeners) listener()
  }
  // A request is made only where something is to be picked.
  const update = () => {
    if (pickers.some(({ isOn }) => isOn())) appliance.update()
    showAll()
  }
  const pickers = [...fields].map(([property, its]) =>
    createPicker(property, its, {
      look: appliance.now,
      entries: () => entries(property),
      update,
      reload: () => appliance.update({ again: true }),
    }),
  )

  for (const { hidden, input } of fields.values()) {
    hidden.on('change', update)
    // While the user types, only what is already known is searched.
    input.addEventListener('input', showAll)
  }
  if (properties.length > 0) {
    appliance.onChange(showAll)
    field(node, 'gateway').on('change', update)
    update()
  }

  return {
    route(property) {
      const { found } = appliance.now()
      return found && chosenRoute(entries(property), found)
    },
    onChange: (listener) => void listeners.push(listener),
    translate(property, { type, value }, wanted) {
      // Without a star it is a pattern that matches only this name.
      if (type === 'name' && wanted === 'pattern') return value
      const kind = Object.hasOwn(FIELDS, property) ? FIELDS[property] : undefined
      const { found } = appliance.now()
      if (!kind || !found || !PICKED.includes(type) || !PICKED.includes(wanted)) return undefined
      const offered = offerOf(kind, entries(property), found)
      const choices = 'why' in offered ? [] : offered.choices
      const key = (each: string) => (each === 'name' ? 'name' : 'id')
      const same = (by: 'id' | 'name', of: string) => choices.filter((each) => each[by] === of)
      const [choice, ...others] = same(key(type), value.trim())
      const translated = choice?.[key(wanted)]
      // A name that several have is ambiguous.
      const isClear =
        translated && others.length === 0 && same(key(wanted), translated).length === 1
      return isClear ? translated : undefined
    },
  }
}

/** A typed input, in its parts. */
interface TypedField {
  /** Has the value for the editor, and lags behind while the user types. */
  hidden: EditorQuery
  type: EditorQuery
  frame: HTMLElement
  input: HTMLInputElement
}

function fieldOf(node: EditorNode, property: string): TypedField {
  const hidden = field(node, property)
  const frame = hidden.get(0).nextElementSibling as HTMLElement
  const input = frame.querySelector<HTMLInputElement>('.red-ui-typedInput-input')!
  return { hidden, frame, input, type: field(node, `${property}Type`) }
}

interface PickerOptions {
  look: () => Look
  entries: () => Entries
  update: () => void
  reload: () => void
}

function createPicker(
  property: string,
  { hidden, frame, input }: TypedField,
  options: PickerOptions,
): Picker {
  const kind = FIELDS[property]!
  const label = document.querySelector(`label[for="${hidden.attr('id')}"]`)
  const { look, entries, update, reload } = options

  const opener = element(
    'button',
    {
      type: 'button',
      className: 'media-gateway-picker-open',
      tabIndex: -1,
      title: text('picker.open'),
      ariaLabel: text('picker.open'),
    },
    element('i', { className: 'fa fa-angle-down', ariaHidden: 'true' }),
  )
  const remark = element('span', {
    className: 'media-gateway-picker-says',
    id: `media-gateway-picker-says-${property}`,
    role: 'status',
  })
  const reloader = element(
    'button',
    {
      type: 'button',
      className: 'media-gateway-picker-reload',
      title: text('picker.reload'),
      ariaLabel: text('picker.reload'),
    },
    element('i', { className: 'fa fa-refresh', ariaHidden: 'true' }),
  )
  const line = element('div', { className: 'media-gateway-picker' }, remark, reloader)
  frame.append(opener)
  frame.parentElement!.append(line)

  const isOn = () => DESCRIBED.includes(entries()[kind].type)
  const isPicked = () => PICKED.includes(entries()[kind].type)
  const offer = (): Offer | undefined => {
    const { found } = look()
    return found && offerOf(kind, entries(), found)
  }
  const list = createListbox({
    input,
    frame,
    label: text(`picker.list.${kind}`),
    isOn: isPicked,
    choices: () => {
      const offered = offer()
      if (offered) return 'why' in offered ? [] : offered.choices
      return look().loading ? undefined : []
    },
    valueOf: ({ id, name }) => (entries()[kind].type === 'name' ? name : id),
    pick: ({ id, name }) => hidden.typedInput('value', entries()[kind].type === 'name' ? name : id),
  })
  opener.addEventListener('mousedown', (event) => event.preventDefault())
  opener.addEventListener('click', list.toggle)
  reloader.addEventListener('click', reload)
  input.addEventListener('focus', update)
  if (label) {
    // Its text comes later, in the language of the user.
    label.id ||= `media-gateway-picker-label-${property}`
    input.setAttribute('aria-labelledby', label.id)
  }

  function show(): void {
    const offers = isPicked()
    line.hidden = !isOn()
    opener.hidden = !offers
    for (const [name, value, isGiven] of [
      ['role', 'combobox', offers],
      ['aria-autocomplete', 'list', offers],
      ['aria-describedby', remark.id, isOn()],
    ] as const) {
      if (isGiven) input.setAttribute(name, value)
      else input.removeAttribute(name)
    }
    if (offers) input.ariaExpanded ??= 'false'
    else {
      input.removeAttribute('aria-expanded')
      list.close()
    }
    if (!isOn()) return
    line.classList.toggle('media-gateway-loading', look().loading)
    say(remark, lineOf(kind, entries()[kind], look(), offer()))
    list.show()
  }

  return { isOn, show }
}

/** A screen reader reads a text whenever it is set, so it is set only when it has changed. */
function say(place: HTMLElement, parts: (Node | string)[]): void {
  const said = element('span', {}, ...parts)
  if (place.innerHTML !== said.innerHTML) place.replaceChildren(...said.childNodes)
}

/** What is known of the value, or why nothing is known. */
function lineOf(
  kind: Kind,
  { type, value }: Entry,
  { loading, failure }: Look,
  offer: Offer | undefined,
): (Node | string)[] {
  if (failure) return failed(failure.code, failure.message)
  if (!offer) return [text(loading ? 'picker.loading' : 'picker.notAsked')]
  if ('why' in offer) return [offer.why]
  const wanted = value.trim()
  const { choices } = offer
  if (isVariable(wanted)) return [text('picker.variable')]
  if (wanted === '') return [text(`picker.number.${kind}`, { number: choices.length })]
  if (type === 'pattern') return fit(wanted, choices)

  const fitting = choices.filter((choice) => choice[type === 'name' ? 'name' : 'id'] === wanted)
  const [found] = fitting
  if (!found) {
    const isName = type === 'id' && choices.some(({ name }) => name === wanted)
    return [...warning(), text(isName ? 'picker.nameNotId' : 'picker.unknown')]
  }
  if (fitting.length > 1) {
    return [...warning(), text('picker.sameName', { number: fitting.length })]
  }
  return described(found, type)
}

/** More names would not fit in a line. */
const MOST_NAMES = 5

function fit(pattern: string, choices: Choice[]): (Node | string)[] {
  const names = fittingNames(pattern, choices)
  if (names.length === 0) return [...warning(), text('picker.fitsNone')]
  const head =
    names.length === 1 ? text('picker.fitsOne') : text('picker.fits', { number: names.length })
  const more = names.length > MOST_NAMES ? ', …' : ''
  return [`${head}: `, element('b', {}, names.slice(0, MOST_NAMES).join(', ')), more]
}

function described({ id, name, state }: Choice, type: string): (Node | string)[] {
  if (type !== 'name') {
    return [
      signIcon(state.sign, state.word),
      ' ',
      ...(name ? [element('b', {}, name), ', '] : []),
      state.word,
    ]
  }
  const small = element('span', { className: 'media-gateway-picker-id' }, id)
  return [signIcon(state.sign, state.word), ` ${state.word} · `, small]
}

function failed(code: string | undefined, message: string): (Node | string)[] {
  return code === undefined
    ? [...warning(), message]
    : [...warning(), element('b', {}, titleOf(code)), `: ${message}`]
}

const warning = (): (Node | string)[] => [signIcon('warn'), ' ']
