import { unturned } from '../../client/model/legible'
import type { MadeReport } from '../wire'

type Tags = HTMLElementTagNameMap

/** Properties of an element, and its attributes: `role` and what has a hyphen, such as `aria-controls`. */
export type Properties<Tag extends keyof Tags> = Partial<Tags[Tag]> &
  Record<`aria-${string}` | `data-${string}`, string>

/**
 * Creates an element. Its content is text, never html.
 * @param what its tag, and its classes behind it: `span.media-gateway-sign.fa`
 * @param rest its properties, and its content; nothing for what is undefined or false
 */
export function element<Tag extends keyof Tags>(
  what: Tag | `${Tag}.${string}`,
  ...rest: (Properties<Tag> | Node | string | false | undefined)[]
): Tags[Tag] {
  const [tag, ...classes] = what.split('.')
  const made = document.createElement(tag as Tag)
  if (made instanceof HTMLButtonElement) made.type = 'button'
  if (classes.length > 0) made.className = classes.join(' ')
  for (const part of rest) {
    if (typeof part === 'string') made.append(unturned(part))
    else if (part instanceof Node) made.append(part)
    else
      for (const [name, value] of Object.entries((part || {}) as object)) {
        if (name === 'role' || name.includes('-')) made.setAttribute(name, String(value))
        else Object.assign(made, { [name]: value })
      }
  }
  return made
}

export const iconButton = (icon: string, words: string, press: () => void): HTMLButtonElement =>
  element('button.red-ui-button', { onclick: press }, iconOf(icon), ` ${words}`)

export const smallButton = (
  press: () => void,
  content: HTMLElement | string,
  properties: Properties<'button'> = {},
): HTMLButtonElement =>
  element('button.red-ui-button.red-ui-button-small', { onclick: press, ...properties }, content)

/** An icon of Font Awesome, which only repeats what is said beside it. */
export const iconOf = (name: string): HTMLElement =>
  element('i', { className: `fa fa-${name}`, ariaHidden: 'true' })

/** Calls when Enter or the space bar is pressed on what is no button. */
export function whenPressed(place: HTMLElement, press: (event: KeyboardEvent) => void): void {
  place.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    press(event)
  })
}

/** A choice that keeps a value which is none of these. */
export function choiceOf(
  choices: readonly (readonly [value: string, words: string])[],
  value: string,
): HTMLSelectElement {
  const made = element('select', ...choices.map(([each, words]) => new Option(words, each)))
  if (!choices.some(([each]) => each === value)) made.append(new Option(value, value))
  made.value = value
  return made
}

/** Says what may be there already: a screen reader would read it again. */
export function say(place: Element, ...parts: (Node | string)[]): void {
  const [only] = parts
  // Hundreds of rows say the same as before, every few seconds.
  const isText = parts.length === 1 && typeof only === 'string' && place.childElementCount === 0
  if (isText && place.textContent === unturned(only)) return
  const said = element('span', ...parts)
  if (place.innerHTML !== said.innerHTML) place.replaceChildren(...said.childNodes)
}

/**
 * Makes these elements the content of a place. One that keeps its place in the order is not moved:
 * a field that is moved loses the focus, and a select what was typed into it.
 */
export function arrange(place: Element, ...wanted: Element[]): void {
  const stays = new Set(wanted)
  const gone = [...place.children].filter((child) => !stays.has(child))
  for (const child of gone) child.remove()
  let at = place.firstElementChild
  for (const each of wanted) {
    if (each === at) at = at.nextElementSibling
    else place.insertBefore(each, at)
  }
}

export function download({ name, file }: MadeReport): void {
  const href = URL.createObjectURL(new Blob([file], { type: 'application/json' }))
  element('a', { href, download: name }).click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(href), 60_000)
}
