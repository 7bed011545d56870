// The list below a field: it opens on a click, an arrow key or typing.
import { element } from '../element'
import { signIcon } from '../states'
import { text } from '../text'
import type { Choice, Kind } from './choices'

/** More rows than a user reads; typing narrows the list. */
const MOST_ROWS = 100
const LOWEST = 150
const HIGHEST = 300

interface ListboxOptions {
  input: HTMLInputElement
  /** The frame of the field: the list is as wide. */
  frame: HTMLElement
  kind: Kind | 'appliance'
  isOn: () => boolean
  /** Undefined while they are loading; empty when there are none. */
  choices: () => Choice[] | undefined
  valueFor?: (choice: Choice) => string
  pick?: (value: string) => void
}

let counter = 0

export function createListbox(options: ListboxOptions) {
  const { input, frame, kind, isOn, choices, valueFor = ({ name }) => name, pick = enter } = options
  const id = `media-gateway-picker-list-${counter++}`
  const ariaLabel = text(`picker.list.${kind}`)
  const shownAs = { id, role: 'listbox', ariaLabel, hidden: true }
  const list = element('div.media-gateway-picker-list', shownAs)
  if ('showPopover' in list) list.popover = 'manual'
  frame.after(list)
  input.setAttribute('aria-controls', list.id)

  let rows: { row: HTMLElement; choice: Choice }[] = []
  let active = -1
  let typed = false
  /** What the rows were made from: while that is the same, the active row stays. */
  let shown: string | undefined
  let ended = new AbortController()

  const isOpen = () => !list.hidden

  function open(): void {
    if (isOpen() || !isOn()) return
    const offered = choices()
    if (offered?.length === 0) return
    list.hidden = false
    if ('showPopover' in list) list.showPopover()
    ended = new AbortController()
    // When the field moves, the list would stay behind.
    for (const event of ['scroll', 'resize']) {
      window.addEventListener(event, closeUnless, { capture: true, signal: ended.signal })
    }
    show()
  }

  function closeUnless({ target }: Event): void {
    if (target !== list) close()
  }

  function close(): void {
    if (!isOpen()) return
    ended.abort()
    typed = false
    shown = undefined
    if ('hidePopover' in list && list.isConnected) list.hidePopover()
    list.hidden = true
    input.ariaExpanded = 'false'
    input.removeAttribute('aria-activedescendant')
  }

  /** What a field says of itself while it offers a list, and for as long as that is so. */
  function announce(): void {
    const isGiven = isOn()
    if (!isGiven) close()
    input.role = isGiven ? 'combobox' : null
    input.ariaAutoComplete = isGiven ? 'list' : null
    input.ariaExpanded = isGiven ? String(isOpen()) : null
  }

  /** Shows the present choices; active is the row of the present value, or the first match. */
  function show(): void {
    announce()
    if (!isOpen()) return
    const offered = choices()
    const wanted = input.value.trim()
    const what = JSON.stringify([offered, wanted, typed])
    if (what === shown) return
    shown = what
    const fitting = (offered ?? []).filter((choice) => !typed || fits(choice, wanted))
    // The present value is always among them, so that it can be seen and left from.
    const shownOf = fitting.filter(
      (choice, index) => index < MOST_ROWS || (!typed && valueFor(choice) === wanted),
    )
    rows = shownOf.map((choice, index) => ({
      choice,
      row: optionRow(`${list.id}-${index}`, choice, () => choose(choice)),
    }))
    list.replaceChildren(...rows.map(({ row }) => row), ...remarks(offered, fitting.length))
    const present = rows.findIndex(({ choice }) => valueFor(choice) === wanted)
    activate(present === -1 && typed && wanted !== '' && rows.length > 0 ? 0 : present)
    place()
  }

  function remarks(offered: Choice[] | undefined, fitting: number): HTMLElement[] {
    const more = fitting - rows.length
    const remark =
      (!offered && text('picker.loading')) ||
      (fitting === 0 && text('picker.noMatch')) ||
      (more > 0 && text('picker.more', { number: more }))
    const role = 'presentation'
    return remark ? [element('div.media-gateway-picker-remark', { role }, remark)] : []
  }

  function activate(index: number): void {
    rows[active]?.row.removeAttribute('aria-selected')
    active = index
    const row = rows[index]?.row
    if (!row) return input.removeAttribute('aria-activedescendant')
    row.ariaSelected = 'true'
    row.scrollIntoView({ block: 'nearest' })
    input.setAttribute('aria-activedescendant', row.id)
  }

  function place(): void {
    const { top, bottom, left, width } = frame.getBoundingClientRect()
    const below = window.innerHeight - bottom - 8
    const isAbove = below < LOWEST && top > below
    Object.assign(list.style, {
      left: `${left}px`,
      width: `${width}px`,
      maxHeight: `${Math.min(HIGHEST, isAbove ? top - 8 : below)}px`,
      top: isAbove ? 'auto' : `${bottom + 1}px`,
      bottom: isAbove ? `${window.innerHeight - top + 1}px` : 'auto',
    })
  }

  function choose(choice: Choice): void {
    close()
    pick(valueFor(choice))
  }

  function enter(value: string): void {
    input.value = value
    input.dispatchEvent(new Event('change'))
  }

  function step(by: 1 | -1): void {
    if (rows.length === 0) return
    const from = active === -1 && by === -1 ? 0 : active
    activate((from + by + rows.length) % rows.length)
  }

  const KEYS: Record<string, () => boolean> = {
    ArrowDown: () => (isOpen() ? step(1) : open(), true),
    ArrowUp: () => (isOpen() ? step(-1) : open(), true),
    Enter: () => {
      const chosen = isOpen() ? rows[active]?.choice : undefined
      if (chosen) choose(chosen)
      return chosen !== undefined
    },
    Escape: () => isOpen() && (close(), true),
    // What was typed stays: only Enter and a click choose.
    Tab: () => (close(), false),
  }

  input.addEventListener('keydown', (event) => {
    // With Ctrl or Cmd a key belongs to the editor.
    if (!isOn() || event.ctrlKey || event.metaKey || !Object.hasOwn(KEYS, event.key)) return
    if (!KEYS[event.key]!()) return
    event.preventDefault()
    event.stopPropagation()
  })
  input.addEventListener('input', () => {
    if (!isOn()) return
    typed = true
    if (isOpen()) show()
    else open()
  })
  input.addEventListener('click', open)
  input.addEventListener('blur', close)
  // A click in the list leaves the focus where it is.
  list.addEventListener('mousedown', (event) => event.preventDefault())

  announce()
  const toggle = (): void => {
    input.focus()
    if (isOpen()) close()
    else open()
  }
  return { show, toggle }
}

/** True when what was typed is part of the name or the address, or the beginning of the ID. */
function fits({ id, name, place = '' }: Choice, typed: string): boolean {
  const wanted = typed.toLowerCase()
  const isShown = [name, place].some((each) => each.toLowerCase().includes(wanted))
  return isShown || id.toLowerCase().startsWith(wanted)
}

function optionRow(rowId: string, choice: Choice, onclick: () => void): HTMLElement {
  const { id, name, place, state } = choice
  return element(
    'div.media-gateway-picker-option',
    { id: rowId, role: 'option', onclick },
    state && signIcon(state.sign, state.word),
    element('span.media-gateway-picker-name', name || id),
    element('span.media-gateway-picker-place', place ?? ''),
    element('span.media-gateway-picker-state', state?.word ?? ''),
  )
}
