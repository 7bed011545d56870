// The routes of an appliance. Only the rows in sight are in the page, however many there are.
import { element } from '../../editor/element'
import type { Route } from './route'
import { createRow, type Row } from './row'

const ROW_HEIGHT = 46
/** Rows kept above and below those in sight. */
const MARGIN = 5

export interface ListOptions {
  label: string
  mayControl(): boolean
  waiting(routeId: string): 'start' | 'stop' | undefined
  onSelect(routeId: string): void
  onControl(routeId: string): void
}

export interface List {
  element: HTMLElement
  show(routes: readonly Route[], selected: string | undefined): void
  /** Shows again what may have changed besides the routes. */
  draw(): void
  /** Brings the focus to the button of a route, or else to the row where it was. */
  focusButton(routeId: string): void
}

export function createList(options: ListOptions): List {
  const sizer = element('div', { className: 'media-gateway-sidebar-rows' })
  sizer.setAttribute('role', 'rowgroup')
  const view = element('div', { className: 'media-gateway-sidebar-list' }, sizer)
  view.setAttribute('role', 'grid')
  view.setAttribute('aria-label', options.label)
  // A place that scrolls would get the focus itself.
  view.tabIndex = -1

  let routes: readonly Route[] = []
  let selected: string | undefined
  /** The one row that the tabulator key reaches. */
  let active: string | undefined
  const rows = new Map<string, Row>()

  view.addEventListener('scroll', draw, { passive: true })
  new ResizeObserver(draw).observe(view)
  view.addEventListener('click', ({ target }) => {
    const id = routeAt(target)
    if (id === undefined) return
    active = id
    if (isButton(target)) press(id)
    else options.onSelect(id)
    draw()
  })
  view.addEventListener('keydown', (event) => {
    const { key, target } = event
    if (event.ctrlKey || event.metaKey || event.altKey || routes.length === 0) return
    const id = routeAt(target)
    if (id === undefined) return
    if (key in STEPS) moveTo(indexOf(id) + STEPS[key]!(pageSize()), isButton(target))
    else if (key === 'ArrowRight') rows.get(id)?.button.focus()
    else if (key === 'ArrowLeft') rows.get(id)?.element.focus()
    else if ((key === 'Enter' || key === ' ') && !isButton(target)) options.onSelect(id)
    else return
    // Else the editor would take the key for the flow.
    event.stopPropagation()
    if (!isButton(target) || (key !== 'Enter' && key !== ' ')) event.preventDefault()
  })

  function press(id: string): void {
    if (options.waiting(id) === undefined) options.onControl(id)
  }

  const routeAt = (target: EventTarget | null): string | undefined =>
    target instanceof Element
      ? target.closest<HTMLElement>('[data-route]')?.dataset['route']
      : undefined
  const isButton = (target: EventTarget | null): boolean =>
    target instanceof Element && target.closest('button') !== null
  const indexOf = (id: string | undefined): number => routes.findIndex((route) => route.id === id)
  const pageSize = (): number => Math.max(1, Math.floor(view.clientHeight / ROW_HEIGHT) - 1)

  function moveTo(wanted: number, toButton: boolean): void {
    const index = Math.min(Math.max(wanted, 0), routes.length - 1)
    active = routes[index]!.id
    const top = index * ROW_HEIGHT
    const least = top + ROW_HEIGHT - view.clientHeight
    view.scrollTop = Math.min(Math.max(view.scrollTop, least), top)
    draw()
    const row = rows.get(active)!
    if (toButton && options.mayControl()) row.button.focus()
    else row.element.focus()
  }

  function draw(): void {
    const activeIndex = Math.max(indexOf(active), 0)
    const first = Math.max(0, Math.floor(view.scrollTop / ROW_HEIGHT) - MARGIN)
    const end = Math.ceil((view.scrollTop + view.clientHeight) / ROW_HEIGHT) + MARGIN
    const shown = new Map<string, number>()
    for (let index = first; index < Math.min(end, routes.length); index++) {
      shown.set(routes[index]!.id, index)
    }
    // It may have the focus, which must not be lost when it is scrolled out of sight.
    if (routes[activeIndex]) shown.set(routes[activeIndex].id, activeIndex)

    for (const [id, row] of rows) {
      if (shown.has(id)) continue
      rows.delete(id)
      row.element.remove()
    }
    for (const [id, index] of shown) {
      const row = rows.get(id) ?? createRow(ROW_HEIGHT)
      row.show(routes[index]!, {
        index,
        isActive: index === activeIndex,
        isSelected: id === selected,
        waiting: options.waiting(id),
        mayControl: options.mayControl(),
      })
      if (!rows.has(id)) sizer.append(row.element)
      rows.set(id, row)
    }
  }

  return {
    element: view,
    show(given, chosen) {
      const hadFocus = view.contains(document.activeElement)
      routes = given
      selected = chosen
      sizer.style.height = `${routes.length * ROW_HEIGHT}px`
      view.setAttribute('aria-rowcount', String(routes.length))
      view.hidden = routes.length === 0
      draw()
      if (hadFocus && !view.contains(document.activeElement)) {
        rows.get(routes[Math.max(indexOf(active), 0)]?.id ?? '')?.element.focus()
      }
    },
    draw,
    focusButton(routeId) {
      const index = indexOf(routeId)
      if (index >= 0) moveTo(index, true)
    },
  }
}

const STEPS: Record<string, (page: number) => number> = {
  ArrowDown: () => 1,
  ArrowUp: () => -1,
  PageDown: (page) => page,
  PageUp: (page) => -page,
  Home: () => -Infinity,
  End: () => Infinity,
}
