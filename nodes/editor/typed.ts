// The fields with a type beside the value: which device, route or destination, which definition.
import { field } from './fields'
import { text } from './text'

/** A type that shows its words beside its icon, also while it is the chosen one. */
export const ownType = (value: string, label: string, icon: string): TypedInputType => ({
  value,
  label,
  icon: `fa fa-${icon} media-gateway-type`,
})

export const idType = (label: string): TypedInputType => ownType('id', label, 'hashtag')
export const nameType = (label: string): TypedInputType => ownType('name', label, 'font')

const PLACES = ['flow', 'global', 'env', 'jsonata']

const named = (id: string, name: string): (string | TypedInputType)[] => [
  'msg',
  idType(text(`type.${id}`)),
  nameType(text(`type.${name}`)),
  ...PLACES,
]

const types: Record<string, () => (string | TypedInputType)[]> = {
  appliance: () => ['msg', ownType('str', text('type.appliance'), 'server'), ...PLACES],
  device: () => [
    { value: 'auto', label: text('type.auto'), hasValue: false },
    idType(text('type.deviceId')),
    'msg',
    ...PLACES,
  ],
  route: () => named('routeId', 'routeName'),
  destination: () => named('destinationId', 'destinationName'),
  definition: () => [formType(), 'msg', 'flow', 'global', 'jsonata', 'env'],
}

/** For a node that works for many appliances at once. */
export const manyAppliances = (): TypedInputType[] => [
  { value: 'all', label: text('type.allAppliances'), hasValue: false },
  ownType('pattern', text('type.appliancePattern'), 'asterisk'),
]

/** For one that gets no message which could say the device. */
export const manyDevices = (): TypedChoices => ({
  appliance: manyAppliances(),
  device: [
    { value: 'auto', label: text('type.onlyDevice'), hasValue: false },
    idType(text('type.deviceId')),
    'env',
  ],
})

/** JSON that can be filled in as a form: the editor's own type under another label. */
export const formType = (): TypedInputType => ({
  ...ownType('json', text('type.form'), 'list-alt'),
  expand() {
    RED.editor.editJSON({
      value: reformatted(this.value(), 4),
      complete: (edited) => this.value(reformatted(edited)),
    })
  },
})

function reformatted(json: string, indent?: number): string {
  try {
    return JSON.stringify(JSON.parse(json), null, indent)
  } catch {
    return json
  }
}

/** For a node whose fields have other types: the choices of each. */
export type TypedChoices = Record<string, (string | TypedInputType)[]>

export function prepareTyped(node: EditorNode, own: TypedChoices = {}): void {
  for (const property of typedIn(node, own)) {
    const input = field(node, property)
    const type = field(node, `${property}Type`)
    input.typedInput({
      types: withType(own[property] ?? types[property]!(), type.val()),
      default: textIn(node._def.defaults[`${property}Type`]?.value),
      typeField: `#${type.attr('id')}`,
    })
  }
}

const typedIn = (node: EditorNode, own: TypedChoices): string[] =>
  Object.keys({ ...types, ...own }).filter((property) => field(node, property).length > 0)

/** Returns the value for the same thing in another type; undefined where that is not known. */
export type Translate = (
  property: string,
  entry: { type: string; value: string },
  type: string,
) => string | undefined

/** To call once the fields have their pickers. */
export function prepareTypeChanges(
  node: EditorNode,
  translate: Translate,
  own: TypedChoices = {},
): void {
  for (const property of typedIn(node, own)) prepareChange(node, property, translate)
}

/** Types whose value is the thing itself, and not the place where it is found. */
const LITERAL = ['id', 'name', 'str', 'pattern', 'json', 'file']

/** What a value means: an ID, a name and a place in a message are not kept for one another. */
const meaningOf = (type: string): string => (LITERAL.includes(type) ? type : REFERENCE)
const REFERENCE = 'reference'

/** Shows the value for the same thing in another type; after a change back, what was there before. */
function prepareChange(node: EditorNode, property: string, translate: Translate): void {
  const { defaults } = node._def
  const firstType = textIn(defaults[`${property}Type`]?.value)
  const input = field(node, property)
  const type = field(node, `${property}Type`)
  /** What was last entered, by what it means. */
  const entered = new Map<string, string>()
  if (!COMPLETE.includes(firstType)) {
    entered.set(meaningOf(firstType), textIn(defaults[property]?.value))
  }
  const entryNow = () => ({ type: type.val() ?? '', value: input.val() ?? '' })
  let last = entryNow()

  input.on('change', () => {
    const now = entryNow()
    // A type that needs no value has none: the one before still counts.
    if (COMPLETE.includes(now.type)) return
    const before = last
    last = now
    if (now.type === before.type || COMPLETE.includes(before.type)) return
    const meaning = meaningOf(now.type)
    if (meaning === meaningOf(before.type)) return
    entered.set(meaningOf(before.type), before.value)
    // Another ID was entered since the name: the name would be that of another route.
    const isOther = before.value !== '' && LITERAL.includes(before.type) && meaning !== REFERENCE
    const known = isOther ? undefined : entered.get(meaning)
    const wanted = translate(property, before, now.type) ?? known ?? ''
    last = { type: now.type, value: wanted }
    if (wanted !== now.value) input.typedInput('value', wanted)
    if (wanted === '') focusOn(input)
  })
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

function focusOn(input: EditorQuery): void {
  input.get(0).parentElement?.querySelector<HTMLElement>('.red-ui-typedInput-input')?.focus()
}

/** A flow written by hand may have a type that is not offered here: viewing must not change it. */
export function withType(
  choices: (string | TypedInputType)[],
  type: string | null,
): (string | TypedInputType)[] {
  const offered = choices.map((choice) => (typeof choice === 'string' ? choice : choice.value))
  return type === null || type === '' || offered.includes(type)
    ? choices
    : [...choices, { value: type, label: type }]
}

/** The types that need no value: there is nothing to fill in beside them. */
const COMPLETE: unknown[] = ['auto', 'all', 'none']

/** True, or what is wrong with a value of that type. */
export function checkTyped(type: unknown, value: string | number): true | string {
  if (COMPLETE.includes(type)) return true
  if (String(value).trim() === '') return text('error.empty')
  return RED.utils.validateTypedProperty(value, String(type))
}
