// The fields with a type beside the value: which device, route or destination, which definition.
import { field } from './fields'
import { text } from './text'

/** What each of them may be; the default comes first. */
const types: Record<string, () => (string | TypedInputType)[]> = {
  device: () => [
    { value: 'auto', label: text('type.auto'), hasValue: false },
    { value: 'id', label: text('type.deviceId') },
    'msg',
    'flow',
    'global',
    'env',
    'jsonata',
  ],
  route: () => [
    'msg',
    { value: 'id', label: text('type.routeId') },
    { value: 'name', label: text('type.routeName') },
    'flow',
    'global',
    'env',
    'jsonata',
  ],
  destination: () => [
    'msg',
    { value: 'id', label: text('type.destinationId') },
    { value: 'name', label: text('type.destinationName') },
    'flow',
    'global',
    'env',
    'jsonata',
  ],
  definition: () => ['msg', 'flow', 'global', 'json', 'jsonata', 'env'],
}

/** For a node whose fields may be something else: the choices of each, the default first. */
export type TypedChoices = Record<string, (string | TypedInputType)[]>

/** Makes typed inputs of the fields that the form has. */
export function prepareTyped(node: EditorNode, own: TypedChoices = {}): void {
  for (const [property, choices] of Object.entries(types)) {
    const input = field(node, property)
    if (input.length === 0) continue
    input.typedInput({
      types: withType(own[property] ?? choices(), field(node, `${property}Type`).val()),
      typeField: `#node-input-${property}Type`,
    })
    prepareChange(node, property)
  }
}

/** Where the value is the thing itself, and not where a message has it. */
const LITERAL = ['id', 'name', 'json']

/**
 * The name of a message property that is filled in at first is no ID, no name and no JSON: who
 * changes to one of those begins with an empty field, and who changes back finds it again.
 */
function prepareChange(node: EditorNode, property: string): void {
  const { defaults } = node._def
  const first = defaults[property]?.value
  const firstType = defaults[`${property}Type`]?.value
  if (typeof first !== 'string' || first === '') return
  const input = field(node, property)
  const type = field(node, `${property}Type`)
  let last = type.val() ?? ''
  input.on('change', () => {
    const before = last
    last = type.val() ?? ''
    if (last === before) return
    if (before === firstType && LITERAL.includes(last) && input.val() === first) {
      input.typedInput('value', '')
    } else if (last === firstType && input.val() === '') {
      input.typedInput('value', first)
    }
  })
}

/** A flow written by hand may have a type that is not offered here: to look is not to change it. */
function withType(choices: TypedChoices[string], type: string | null): TypedChoices[string] {
  const offered = choices.map((choice) => (typeof choice === 'string' ? choice : choice.value))
  return type === null || type === '' || offered.includes(type)
    ? choices
    : [...choices, { value: type, label: type }]
}

/** The types that say it all: beside them there is nothing to fill in. */
const COMPLETE: unknown[] = ['auto', 'all']

/** True, or what is wrong with a value of that type. */
export function checkTyped(type: unknown, value: string | number): true | string {
  if (COMPLETE.includes(type)) return true
  if (String(value).trim() === '') return text('error.empty')
  return RED.utils.validateTypedProperty(value, String(type))
}
