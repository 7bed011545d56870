// The paths of a part with redundancy, as a list.
import { pathFields, withMember, type FormField } from './model'
import { isObject, type JsonObject } from '../../../client/model/json'
import { element, iconButton, iconOf } from '../element'
import type { Context, Group, GroupOptions } from './context'
import type { Control } from './control'
import type { Faults } from './faults'
import { labelOf, text } from './text'

interface Row {
  read: () => JsonObject
  group: Group
  element: HTMLElement
}

export function makePaths(
  field: FormField,
  id: string,
  context: Context,
  {
    path,
    edited,
    makeGroup,
  }: {
    path: () => string
    edited: (paths: JsonObject[]) => void
    makeGroup: (context: Context, options: GroupOptions) => Group
  },
): Control & Pick<Group, 'showFaults'> {
  const rows: Row[] = []
  const list = element('ol.media-gateway-route-paths')
  const fault = element('div.media-gateway-route-fault', { id: `${id}-fault` })
  const order = Object.keys(field.member.of ?? {})
  const tell = () => edited(rows.map(({ read }) => read()))

  function add(value: JsonObject): Row {
    let present = value
    const row: Row = {
      read: () => present,
      element: element('li'),
      group: makeGroup(context, {
        part: 'path',
        fields: () => pathFields(field.member, present),
        edit(member, changed) {
          present = withMember(present, member.key, changed, order)
          tell()
        },
        path: () => `${path()}[${rows.indexOf(row)}]`,
        bearer: 'address',
        isFresh: Object.keys(value).length === 0,
      }),
    }
    const leave = (): void => {
      rows.splice(rows.indexOf(row), 1)
      row.element.remove()
      tell()
    }
    const remove = element(
      'button.red-ui-button.red-ui-button-small',
      { ariaLabel: text('path.remove'), onclick: leave },
      iconOf('remove'),
    )
    row.element.append(row.group.element, remove)
    list.append(row.element)
    rows.push(row)
    return row
  }

  for (const value of Array.isArray(field.value) ? field.value : []) {
    if (isObject(value)) add(value)
  }
  const button = iconButton('plus', text('path.add'), () => {
    const row = add({})
    tell()
    row.group.focus()
  })
  button.id = id
  button.classList.add('red-ui-button-small')
  button.setAttribute('aria-describedby', fault.id)
  const title = element('div', { id: `${id}-title`, title: field.name }, labelOf(field.name))
  const made = element(
    'div.media-gateway-route-list',
    { role: 'group', 'data-member': field.name, 'aria-labelledby': title.id },
    title,
    list,
    button,
    fault,
  )

  return {
    field,
    element: made,
    showFault: (words) => (fault.textContent = words ?? ''),
    showFaults: (faults: Faults) =>
      rows.reduce((count, row) => count + row.group.showFaults(faults), 0),
  }
}
