import { openAppliance, type Appliance } from './appliance'
import { prepareApplianceRow } from './pickers/appliance-row'
import { whenPressed } from './element'
import { applies, conditionsIn, field, idOf, migrationOf, presentValue, read, show } from './fields'
import { preparePickers, type Picked } from './pickers'
import { prepareRouteForm } from './route-form'
import { text } from './text'
import { prepareTry } from './try'
import { prepareTyped, prepareTypeChanges, type TypedChoices } from './typed'

/** What a form showed at first. It stays with the form: Node-RED hands on nothing but the node. */
interface Shown {
  fields: {
    property: string
    input: EditorQuery
    shown: unknown
    /** False where the node has no such property, or an earlier version saved it in another way. */
    isSaved: boolean
  }[]
  /** Those without a field of their own; `shown` is JSON. */
  parts: { property: string; read: () => unknown; shown: string }[]
}

const formOf = (node: EditorNode): EditorQuery => field(node, 'name').closest('.media-gateway-form')

export interface OpenForm {
  appliance: Appliance
  picked: Picked
}

/** @param parts by property: what the form shows for it, such as a list, as it would be saved */
export function prepareForm(
  node: EditorNode,
  choices?: TypedChoices,
  parts: Record<string, () => unknown> = {},
): OpenForm {
  const properties = Object.keys(node._def.defaults).filter(
    (property) => field(node, property).length > 0,
  )
  const unsaved = properties.filter((property) => presentValue(node, property) !== node[property])
  for (const property of unsaved) {
    const value = presentValue(node, property)
    if (value !== '') show(field(node, property), value)
  }
  prepareTyped(node, choices)
  const applianceRow = prepareApplianceRow(node)
  const appliance = openAppliance(node, applianceRow.lookIn)
  const picked = preparePickers(node, appliance, applianceRow)
  prepareTypeChanges(node, picked.translate, choices)
  prepareRouteForm(node, appliance, picked)
  prepareTry(node, appliance)
  prepareConditions(node)
  prepareConfigButtons(node)
  const credentials = Object.keys(node._def.credentials ?? {})
  const absent = new Set([...unsaved, ...missingCredentials(node)])
  const shown: Shown = {
    fields: [...properties, ...credentials].map((property) => {
      const input = field(node, property)
      return { property, input, shown: read(input), isSaved: !absent.has(property) }
    }),
    parts: Object.entries(parts).map(([property, readPart]) => {
      return { property, read: readPart, shown: JSON.stringify(readPart()) }
    }),
  }
  formOf(node).data('mediaGatewayShown', shown)
  return { appliance, picked }
}

/**
 * A flow written by hand, or by an older version, may lack properties. The form shows what the node
 * does without them, but viewing is not editing: fields that were left alone lose their id, so that
 * the editor does not save them, and parts that were left alone stay as they are in the node. An edit
 * turns a node of an earlier version into one of this.
 */
export function saveForm(node: EditorNode): void {
  const { fields, parts } = formOf(node).data('mediaGatewayShown') as Shown
  const leftAlone = fields.filter(({ input, shown }) => read(input) === shown)
  const edited = parts.filter((part) => JSON.stringify(part.read()) !== part.shown)
  const isEdited = edited.length > 0 || leftAlone.length < fields.length
  const migration = isEdited ? migrationOf(node) : {}
  for (const { property, input, isSaved } of leftAlone) {
    if (!isSaved && !(property in migration)) input.removeAttr('id')
  }
  for (const [property, value] of Object.entries(migration)) {
    if (field(node, property).length === 0) node[property] = value
  }
  for (const part of edited) node[part.property] = part.read()
}

function missingCredentials(node: EditorNode): string[] {
  const known = node.credentials ?? {}
  return Object.keys(node._def.credentials ?? {}).filter(
    (name) => known[name] === undefined && known[`has_${name}`] === undefined,
  )
}

/** Shows each row with `data-media-gateway-when` while its condition is met. */
function prepareConditions(node: EditorNode): void {
  const rows = formOf(node).get(0).querySelectorAll<HTMLElement>('[data-media-gateway-when]')
  for (const row of rows) {
    const when = row.dataset['mediaGatewayWhen'] ?? ''
    const update = () => $(row).toggle(applies(when, (name) => read(field(node, name))))
    for (const [property] of conditionsIn(when)) {
      field(node, property).on('change', update)
      // A change of the type is an event of the field of the value.
      if (property.endsWith('Type')) field(node, property.slice(0, -4)).on('change', update)
    }
    update()
  }
}

/** The editor's buttons beside a config node are links without a target: the keyboard skips them. */
function prepareConfigButtons(node: EditorNode): void {
  for (const property of Object.keys(node._def.defaults)) {
    for (const what of ['edit', 'add']) {
      const button = document.getElementById(idOf(node, `btn-${property}-${what}`))
      if (!button) continue
      button.tabIndex = 0
      button.role = 'button'
      button.ariaLabel = text(`form.${what}`)
      whenPressed(button, () => button.click())
      const update = () => (button.ariaDisabled = String(button.classList.contains('disabled')))
      field(node, property).on('change', update)
      update()
    }
  }
}
