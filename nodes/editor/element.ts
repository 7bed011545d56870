type Tags = HTMLElementTagNameMap

/** Properties of an element, and its attributes: `role` and what has a hyphen, such as `aria-controls`. */
type Properties<Tag extends keyof Tags> = Partial<Tags[Tag]> &
  Record<`aria-${string}` | `data-${string}`, string>

/**
 * Creates an element. Its content is text, never html.
 * @param what its tag, and its classes behind it: `span.media-gateway-sign.fa`
 * @param rest its properties, if it has any, and its content
 */
export function element<Tag extends keyof Tags>(
  what: Tag | `${Tag}.${string}`,
  ...rest: [properties?: Properties<Tag> | Node | string, ...content: (Node | string)[]]
): Tags[Tag] {
  const [tag, ...classes] = what.split('.')
  const made = document.createElement(tag as Tag)
  if (made instanceof HTMLButtonElement) made.type = 'button'
  if (classes.length > 0) made.className = classes.join(' ')
  for (const part of rest) {
    if (typeof part === 'string' || part instanceof Node) made.append(part)
    else if (part) setProperties(made, part)
  }
  return made
}

/** A button of the editor: an icon of Font Awesome, and words behind it. */
export const iconButton = (icon: string, words: string, press: () => void): HTMLButtonElement =>
  element('button.red-ui-button', { onclick: press }, iconOf(icon), ` ${words}`)

/** An icon of Font Awesome, which only repeats what is said beside it. */
export const iconOf = (name: string): HTMLElement =>
  element('i', { className: `fa fa-${name}`, ariaHidden: 'true' })

/** Sets a text that may be there already: a screen reader would read it again. */
export function setText(place: Element, words: string): void {
  if (place.textContent !== words) place.textContent = words
}

function setProperties(made: HTMLElement, properties: object): void {
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'role' || name.includes('-')) made.setAttribute(name, String(value))
    else Object.assign(made, { [name]: value })
  }
}
