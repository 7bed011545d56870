// The paths of a part with redundancy, as a list.
import { pathFields, withMember, type FormField } from './model'
import { isObject, type JsonObject } from '../../../client/model/json'
import { element } from '../element'
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
    const remove = element(
      'button.red-ui-button.red-ui-button-small',
      element('i.fa.fa-remove', { ariaHidden: 'true' }),
    )
    remove.setAttribute('aria-label', text('path.remove'))
    remove.addEventListener('click', () => {
      rows.splice(rows.indexOf(row), 1)
      row.element.remove()
      tell()
    })
    row.element.append(row.group.element, remove)
    list.append(row.element)
    rows.push(row)
    return row
  }

  for (const value of Array.isArray(field.value) ? field.value : []) {
    if (isObject(value)) add(value)
  }
  const button = element(
    'button.red-ui-button.red-ui-button-small',
    { id },
    element('i.fa.fa-plus', { ariaHidden: 'true' }),
    ` ${text('path.add')}`,
  )
  button.setAttribute('aria-describedby', fault.id)
  button.addEventListener('click', () => {
    const row = add({})
    tell()
    row.group.focus()
  })
  const title = element('div', { id: `${id}-title`, title: field.name }, labelOf(field.name))
  const made = element(
    'div.media-gateway-route-list',
    { role: 'group' },
    title,
    list,
    button,
    fault,
  )
  made.dataset['member'] = field.name
  made.setAttribute('aria-labelledby', title.id)

  return {
    field,
    element: made,
    showFault: (words) => (fault.textContent = words ?? ''),
    showFaults: (faults: Faults) =>
      rows.reduce((count, row) => count + row.group.showFaults(faults), 0),
  }
}
