/**
 * Makes these elements the content of a place. One that keeps its place in the order is not moved:
 * a field that is moved loses the focus, and a select what was typed into it.
 */
export function arrange(place: Element, wanted: readonly Element[]): void {
  const stays = new Set(wanted)
  const gone = [...place.children].filter((child) => !stays.has(child))
  for (const child of gone) child.remove()
  let at = place.firstElementChild
  for (const each of wanted) {
    if (each === at) at = at.nextElementSibling
    else place.insertBefore(each, at)
  }
}
