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

/** Makes typed inputs of the fields that the form has. */
export function prepareTyped(node: EditorNode): void {
  for (const [property, choices] of Object.entries(types)) {
    const input = field(node, property)
    if (input.length === 0) continue
    input.typedInput({ types: choices(), typeField: `#node-input-${property}Type` })
  }
}

/** True, or what is wrong with a value of that type. */
export function checkTyped(type: unknown, value: string | number): true | string {
  if (type === 'auto') return true
  if (String(value).trim() === '') return text('error.empty')
  return RED.utils.validateTypedProperty(value, String(type))
}
