import { migrated } from '../runtime/migrations'

export type Read = (property: string) => unknown

/** The field of a property in the open form; an empty query when there is none. */
export function field(node: EditorNode, property: string): EditorQuery {
  return $(`#${idOf(node, property)}`)
}

/** The ID that something has in the open form of a node. */
export function idOf(node: EditorNode, name: string): string {
  return `${node._def.category === 'config' ? 'node-config-input' : 'node-input'}-${name}`
}

export function read(input: EditorQuery): unknown {
  return isCheckbox(input) ? input.prop('checked') : input.val()
}

export function show(input: EditorQuery, value: unknown): void {
  if (isCheckbox(input)) input.prop('checked', value)
  else input.val(value)
}

/**
 * The present value of a property: in the open form of the node, or else in the node. The editor
 * also checks nodes whose form is closed while that of another is open.
 */
export function shownValue(node: EditorNode, property: string): unknown {
  const input = field(node, property)
  const open = input.length > 0 && RED.editor.getEditStack().includes(node)
  return (open ? read(input) : node[property]) ?? presentValue(node, property)
}

/**
 * Whether a row shows: with the condition `mode=merge` while `mode` is `merge`; with `mode=merge|replace`
 * while it is one of the two; with `mode=merge, other=value` while one of the conditions is met.
 */
export const applies = (when: string, valueOf: Read): boolean =>
  conditionsIn(when).some(([property, values]) => values.includes(String(valueOf(property))))

export const conditionsIn = (when: string): [property: string, values: string[]][] =>
  when.split(',').map((condition) => {
    const [property = '', values = ''] = condition.trim().split('=')
    return [property, values.split('|')]
  })

/** The value of a saved property in this version, which may have another default for it. */
export function presentValue(node: EditorNode, property: string): unknown {
  const { value, lacking = value } = node._def.defaults[property] ?? {}
  return present(node)[property] ?? lacking
}

/** The properties that an earlier version saved in another way, as this version saves them. */
export function migrationOf(node: EditorNode): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(present(node)).filter(([property, value]) => value !== node[property]),
  )
}

function present(node: EditorNode): Record<string, unknown> {
  const properties = Object.keys(node._def.defaults).map((name) => [name, node[name]] as const)
  return migrated({ ...Object.fromEntries(properties), type: node.type })
}

function isCheckbox(input: EditorQuery): boolean {
  return input.attr('type') === 'checkbox'
}
