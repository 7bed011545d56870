// The fields of one part: of the route itself, its source, a destination, or a path.
import { valueOf, type FormField, type FormFields } from './model'
import { pathTo } from '../../../client/model/json'
import { arrange, element } from '../element'
import { newId, type Context, type Group, type GroupOptions } from './context'
import { makeControl, type Control } from './control'
import { isEmptyText } from './empty'
import { wordsOf } from './faults'
import { makePaths } from './paths'
import { labelOf, text } from './text'

type Shown = Control & Partial<Pick<Group, 'showFaults'>>

export function makeGroup(context: Context, options: GroupOptions): Group {
  const id = newId(context.id)
  const place = element('div.media-gateway-route-group')
  /** Fields that were left at least once; undefined when all may show faults. */
  let touched: Set<string> | undefined = options.isFresh ? new Set() : undefined
  let controls: Shown[] = []
  let shape = ''
  const details = element('details.media-gateway-route-more')
  details.append(element('summary', text('more')))

  const shapeOf = ({ first, more }: FormFields) =>
    JSON.stringify([...first, ...more].map(({ key, required }) => [key, required]))

  function control(field: FormField): Shown {
    const edited = (value: unknown, chosen: boolean) => {
      const before = options.fields()
      if (field.name === 'protocol') touched ??= new Set(namesOf(before))
      options.edit(field, value)
      field.value = value
      if (chosen && shapeOf(options.fields()) !== shape) render()
      context.changed()
    }
    const controlId = `${id}-${field.name}`
    if (field.member.of) {
      return makePaths(field, controlId, context, {
        path: () => pathTo(options.path(), field.key),
        edited: (paths) => edited(paths, true),
        makeGroup,
      })
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
    arrange(details, [details.firstElementChild!, ...rest.map((each) => each.element)])
    arrange(place, [
      ...first.map((each) => each.element),
      ...(rest.length > 0 ? [details] : []),
      ...(fields.others.length > 0 ? [others(fields.others)] : []),
    ])
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
        const fault = own ?? (field.name === options.bearer ? whole : undefined)
        const isQuiet = isEmptyText(field.value) && touched?.has(field.name) === false
        const isShown = fault !== undefined && !isQuiet
        each.showFault(isShown ? wordsOf(fault) : undefined)
        if (isShown) reveal(each.element)
        count += (own === undefined ? 0 : 1) + (each.showFaults?.(faults) ?? 0)
      }
      return count
    },
    refresh: render,
    focus: () => place.querySelector<HTMLElement>('input, select')?.focus(),
  }
}

const namesOf = ({ first, more }: FormFields) => [...first, ...more].map(({ name }) => name)

function reveal(control: HTMLElement): void {
  const details = control.closest('details')
  if (details) details.open = true
}

function others(names: string[]): HTMLElement {
  return element(
    'div.media-gateway-route-others',
    `${text('others')} `,
    ...names.flatMap((name, index) => [index > 0 ? ', ' : '', element('code', name)]),
  )
}
