// The routes of an appliance. Only the rows in sight are in the page, however many there are.
import { arrange, element } from '../../editor/element'
import type { Route } from './route'
import { createRow, type Row, type Scene } from './row'
import { isHeld, whenReleased } from './widgets'

const CLASS = 'media-gateway-sidebar-list'
const ROW_HEIGHT = 62
const COMPACT_HEIGHT = 30
/** Rows kept above and below those in sight. */
const MARGIN = 5

export interface ListOptions {
  label: string
  details: HTMLElement
  onSelect(routeId: string): void
  onControl(routeId: string): void
  onDrag(routeId: string, event: DragEvent): void
  /** The pointer and the focus have left the list: rows may move. */
  onRelease: () => void
}

export interface ShownRoutes {
  found: readonly Route[]
  all: readonly Route[]
  selected: string | undefined
  /** The user has asked for other rows. Otherwise rows stay in place under the mouse and the focus. */
  isOther: boolean
}

export function createRouteList({ details, ...options }: ListOptions) {
  const grid = element('div.media-gateway-sidebar-rows', { role: 'grid', ariaLabel: options.label })
  // An element that scrolls would get the focus itself.
  const view = element('div', { className: CLASS, tabIndex: -1 }, grid, details)

  /** As of the latest show. */
  let scene: Scene | undefined
  let routes: readonly Route[] = []
  let present: ReadonlySet<string> = new Set()
  let selected: string | undefined
  /** The one row that the Tab key reaches. */
  let active: string | undefined
  const rows = new Map<string, Row>()

  view.addEventListener('scroll', draw, { passive: true })
  const sizes = new ResizeObserver(draw)
  sizes.observe(view)
  sizes.observe(details)
  whenReleased(view, options.onRelease)
  grid.addEventListener('click', ({ target }) => {
    const id = routeAt(target)
    if (id === undefined) return
    active = id
    if (!isButton(target)) select(id)
    else if (scene?.waiting(id) === undefined) options.onControl(id)
    draw()
  })
  grid.addEventListener('dragstart', (event) => {
    const id = routeAt(event.target)
    if (id !== undefined) options.onDrag(id, event)
  })
  grid.addEventListener('keydown', (event) => {
    const { key, target } = event
    if (event.ctrlKey || event.metaKey || event.altKey || routes.length === 0) return
    const id = routeAt(target)
    if (id === undefined) return
    if (key in STEPS) moveTo(indexOf(id) + STEPS[key]!(pageSize()), isButton(target))
    else if (key === 'ArrowRight') rows.get(id)?.button.focus()
    else if (key === 'ArrowLeft') rows.get(id)?.element.focus()
    else if ((key === 'Enter' || key === ' ') && !isButton(target)) select(id)
    else return
    // Otherwise the editor would apply the key to the flow.
    event.stopPropagation()
    if (!isButton(target) || (key !== 'Enter' && key !== ' ')) event.preventDefault()
  })

  /** The row stays where it is, unless its details would be out of sight. */
  function select(id: string): void {
    const place = topOf(indexOf(id)) - view.scrollTop
    options.onSelect(id)
    view.scrollTop = topOf(indexOf(id)) - place
    draw()
    if (selected === undefined) return
    details.scrollIntoView({ block: 'nearest' })
    rows.get(id)?.element.scrollIntoView({ block: 'nearest' })
  }

  const routeAt = (target: EventTarget | null): string | undefined =>
    target instanceof Element
      ? target.closest<HTMLElement>('[data-route]')?.dataset['route']
      : undefined
  const isButton = (target: EventTarget | null): boolean =>
    target instanceof Element && target.closest('button') !== null
  const indexOf = (id: string | undefined): number => routes.findIndex((route) => route.id === id)
  const pageSize = (): number => Math.max(1, Math.floor(view.clientHeight / rowHeight()) - 1)

  const rowHeight = (): number => (scene?.isCompact ? COMPACT_HEIGHT : ROW_HEIGHT)
  const fullHeight = (): number => routes.length * rowHeight() + gap().height

  /** How many rows are above the details, and the height of the details. */
  function gap(): { above: number; height: number } {
    const above = details.hidden ? 0 : indexOf(selected) + 1
    return above === 0 ? { above: Infinity, height: 0 } : { above, height: details.offsetHeight }
  }

  function topOf(index: number): number {
    const { above, height } = gap()
    return index * rowHeight() + (index < above ? 0 : height)
  }

  /** The row at a height, or the first one below the details if they are there. */
  function indexAt(y: number): number {
    const { above, height } = gap()
    const index = Math.floor(y / rowHeight())
    return index < above ? index : Math.max(above, Math.floor((y - height) / rowHeight()))
  }

  function moveTo(wanted: number, toButton: boolean): void {
    const index = Math.min(Math.max(wanted, 0), routes.length - 1)
    active = routes[index]!.id
    const top = topOf(index)
    const least = top + rowHeight() - view.clientHeight
    view.scrollTop = Math.min(Math.max(view.scrollTop, least), top)
    draw()
    const row = rows.get(active)!
    if (toButton && scene?.mayControl) row.button.focus()
    else row.element.focus()
  }

  function draw(): void {
    if (!scene) return
    const { above } = gap()
    details.style.top = `${above === Infinity ? 0 : above * rowHeight()}px`
    // Each change of a height makes the browser lay out the page.
    const all = `${fullHeight()}px`
    if (grid.style.height !== all) grid.style.height = all
    const activeIndex = Math.max(indexOf(active), 0)
    const first = Math.max(0, indexAt(view.scrollTop) - MARGIN)
    const end = indexAt(view.scrollTop + view.clientHeight) + 1 + MARGIN
    const shown = new Map<string, number>()
    for (let index = first; index < Math.min(end, routes.length); index++) {
      shown.set(routes[index]!.id, index)
    }
    // It may have the focus, which must not be lost when it is scrolled out of sight.
    if (routes[activeIndex]) shown.set(routes[activeIndex].id, activeIndex)

    for (const id of rows.keys()) if (!shown.has(id)) rows.delete(id)
    for (const [id, index] of shown) {
      const row = rows.get(id) ?? createRow()
      row.show(routes[index]!, scene, {
        index,
        top: topOf(index),
        isActive: index === activeIndex,
        isSelected: id === selected,
        isGone: !present.has(id),
      })
      rows.set(id, row)
    }
    // A screen reader reads them in their order.
    const inOrder = [...shown].sort(([, one], [, other]) => one - other)
    arrange(grid, ...inOrder.map(([id]) => rows.get(id)!.element))
  }

  /** While the pointer or the focus is on another list, this one must not push it. */
  function keepHeight({ isOther }: ShownRoutes): void {
    const pointed = document.querySelector(`.${CLASS}:is(:hover, :focus-within)`)
    const isFixed = pointed !== null && !isHeld(view) && !isOther && !view.hidden
    const height = isFixed ? `${view.offsetHeight}px` : ''
    if (view.style.height !== height) view.style.height = height
  }

  /** Rows under the mouse or the focus keep their places; what is new comes below them. */
  function inPlace({ found, all, isOther }: ShownRoutes): readonly Route[] {
    if (isOther || !isHeld(view)) return found
    const latest = new Map([...routes, ...all].map((route) => [route.id, route]))
    const ids = new Set([...routes, ...found].map(({ id }) => id))
    return [...ids].map((id) => latest.get(id)!)
  }

  return {
    element: view,
    /** The height in which it would show all its rows. */
    get fullHeight() {
      return view.hidden ? 0 : fullHeight()
    },
    show(shown: ShownRoutes, now: Scene): void {
      scene = now
      keepHeight(shown)
      const hadFocus = grid.contains(document.activeElement)
      routes = inPlace(shown)
      present = new Set(shown.all.map(({ id }) => id))
      selected = shown.selected
      details.hidden = indexOf(selected) < 0
      grid.ariaRowCount = String(routes.length)
      view.hidden = routes.length === 0
      draw()
      if (hadFocus && !grid.contains(document.activeElement)) {
        rows.get(routes[Math.max(indexOf(active), 0)]?.id ?? '')?.element.focus()
      }
    },
    focusButton(routeId: string): void {
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
