// The rows of an editable list of the editor.

/** False for a row that was removed: it fades out first. */
export const isThere = (item: Element): boolean =>
  !item.classList.contains('red-ui-editableList-item-deleting')

/** Gives the button that removes a row its name. */
export function prepareRemove(item: Element, ariaLabel: string, onRemove?: () => void): void {
  const remove = item.querySelector<HTMLElement>('.red-ui-editableList-item-remove')!
  Object.assign(remove, { ariaLabel, role: 'button' })
  if (onRemove) remove.addEventListener('click', onRemove)
}
