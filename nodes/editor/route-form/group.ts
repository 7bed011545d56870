// The fields of one part: of the route itself, its source, a destination, or a path.
import { isObject, pathTo, type JsonObject } from '../../../client/model/json'
import { arrange, element, iconButton, iconOf, smallButton } from '../element'
import { newId, type Context } from './context'
import { makeControl, type Control } from './control'
import { wordsOf, type Faults } from './faults'
import { isEmptyText, pathFields, valueOf, withMember } from './model'
import type { FormField, FormFields } from './model'
import { labelOf, text } from './text'

export interface Group {
  element: HTMLElement
  /** Takes the faults of this part and shows them; returns how many there were. */
  showFaults: (faults: Faults) => number
  focus: () => void
  refresh: () => void
}

interface GroupOptions {
  part: 'route' | 'source' | 'destination' | 'path'
  fields: () => FormFields
  edit: (field: FormField, value: unknown) => void
  path: () => string
  /** It has just been added: fields that are not filled in yet are not faults. */
  isFresh: boolean
}

/** The field at which a fault of the whole part is shown. */
const BEARER = { route: 'name', source: 'protocol', destination: 'name', path: 'address' }

type Shown = Control & Partial<Pick<Group, 'showFaults'>>

export function makeGroup(context: Context, options: GroupOptions): Group {
  const id = newId(context.id)
  const place = element('div.media-gateway-route-group')
  /** Fields that were left at least once; undefined when all may show faults. */
  let touched: Set<string> | undefined = options.isFresh ? new Set() : undefined
  let controls: Shown[] = []
  let shape = ''
  const summary = element('summary', text('more'))
  const details = element('details.media-gateway-route-more', summary)

  const shapeOf = ({ first, more }: FormFields) =>
    JSON.stringify([...first, ...more].map(({ key, required }) => [key, required]))

  function control(field: FormField): Shown {
    const edited = (value: unknown, chosen: boolean) => {
      const { first, more } = options.fields()
      if (field.name === 'protocol')
        touched ??= new Set([...first, ...more].map(({ name }) => name))
      options.edit(field, value)
      field.value = value
      if (chosen && shapeOf(options.fields()) !== shape) render()
      context.changed()
    }
    const controlId = `${id}-${field.name}`
    if (field.member.of) {
      const path = () => pathTo(options.path(), field.key)
      return makePaths(field, controlId, context, path, (paths) => edited(paths, true))
    }
    return makeControl(field, controlId, context, {
      // A route, its source and its destinations have one each.
      label: field.name === 'name' ? text(`nameOf.${options.part}`) : labelOf(field.name),
      edited: (typed, chosen) => edited(valueOf(field.member, typed, field.value), chosen),
      left() {
        if (touched?.has(field.name) !== false) return
        touched.add(field.name)
        context.changed()
      },
    })
  }

  /** An unchanged field keeps its element, and with it the focus. */
  function render(): void {
    const focused = document.activeElement?.id
    const fields = options.fields()
    shape = shapeOf(fields)
    const before = new Map(controls.map((each) => [JSON.stringify(each.field), each]))
    const shown = (field: FormField) => before.get(JSON.stringify(field)) ?? control(field)
    const first = fields.first.map(shown)
    const rest = fields.more.map(shown)
    controls = [...first, ...rest]
    arrange(details, summary, ...rest.map((each) => each.element))
    const shownAll = first.map((each) => each.element)
    if (rest.length > 0) shownAll.push(details)
    if (fields.others.length > 0) shownAll.push(others(fields.others))
    arrange(place, ...shownAll)
    if (!focused?.startsWith(`${id}-`) || document.activeElement?.id === focused) return
    document.getElementById(focused)?.focus()
  }

  render()
  return {
    element: place,
    showFaults(faults) {
      const whole = faults.take(options.path())
      let count = whole === undefined ? 0 : 1
      for (const each of controls) {
        const { field } = each
        const own = faults.take(pathTo(options.path(), field.key))
        const fault = own ?? (field.name === BEARER[options.part] ? whole : undefined)
        const isQuiet = isEmptyText(field.value) && touched?.has(field.name) === false
        const isShown = fault !== undefined && !isQuiet
        each.showFault(isShown ? wordsOf(fault) : undefined)
        if (isShown && details.contains(each.element)) details.open = true
        count += (own === undefined ? 0 : 1) + (each.showFaults?.(faults) ?? 0)
      }
      return count
    },
    refresh: render,
    focus: () => place.querySelector<HTMLElement>('input, select')?.focus(),
  }
}

function others(names: string[]): HTMLElement {
  const codes = names.flatMap((name, index) => [index > 0 && ', ', element('code', name)])
  return element('div.media-gateway-route-others', `${text('others')} `, ...codes)
}

function makePaths(
  field: FormField,
  id: string,
  context: Context,
  path: () => string,
  edited: (paths: JsonObject[]) => void,
): Shown {
  const rows: { read: () => JsonObject; group: Group }[] = []
  const list = element('ol.media-gateway-route-paths')
  const fault = element('div.media-gateway-route-fault', { id: `${id}-fault` })
  const order = Object.keys(field.member.of ?? {})
  const tell = () => edited(rows.map(({ read }) => read()))

  function add(value: JsonObject): Group {
    let present = value
    const group = makeGroup(context, {
      part: 'path',
      fields: () => pathFields(field.member, present),
      edit(member, changed) {
        present = withMember(present, member.key, changed, order)
        tell()
      },
      path: () => `${path()}[${rows.indexOf(row)}]`,
      isFresh: Object.keys(value).length === 0,
    })
    const row = { read: () => present, group }
    const removeIt = (): void => {
      rows.splice(rows.indexOf(row), 1)
      item.remove()
      tell()
    }
    const remove = smallButton(removeIt, iconOf('remove'), { ariaLabel: text('path.remove') })
    const item = element('li', group.element, remove)
    list.append(item)
    rows.push(row)
    return group
  }

  for (const value of Array.isArray(field.value) ? field.value.filter(isObject) : []) add(value)
  const button = iconButton('plus', text('path.add'), () => {
    const added = add({})
    tell()
    added.focus()
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
    showFaults: (faults) => rows.reduce((count, row) => count + row.group.showFaults(faults), 0),
  }
}
