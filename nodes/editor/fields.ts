/** The field of a property in the open form; an empty query when there is none. */
export function field(node: EditorNode, property: string): EditorQuery {
  return $(`#${idOf(node, property)}`)
}

/** The ID that something has in the open form of a node. */
export function idOf(node: EditorNode, name: string): string {
  return `${node._def.category === 'config' ? 'node-config-input' : 'node-input'}-${name}`
}

/** The value of a field, as the editor would save it. */
export function read(input: EditorQuery): unknown {
  return isCheckbox(input) ? input.prop('checked') : input.val()
}

/** Shows a value in a field. */
export function show(input: EditorQuery, value: unknown): void {
  if (isCheckbox(input)) input.prop('checked', value)
  else input.val(value)
}

/**
 * What a property is now: in the open form of the node, else in the node. The
 * editor also checks nodes whose form is closed while that of another is open.
 */
export function shownValue(node: EditorNode, property: string): unknown {
  const input = field(node, property)
  const open = input.length > 0 && RED.editor.getEditStack().includes(node)
  return (open ? read(input) : node[property]) ?? lackingValue(node, property)
}

/** The value that a node without the property behaves as if it had. */
export function lackingValue(node: EditorNode, property: string): unknown {
  const { value, lacking = value } = node._def.defaults[property] ?? {}
  return lacking
}

function isCheckbox(input: EditorQuery): boolean {
  return input.attr('type') === 'checkbox'
}
