// Whether a failover is held at the start: no, yes, or as an environment variable says.
import { flagIn } from '../../../client/model/settings'
import { element } from '../../editor/element'
import { text } from './text'

/** Shows the saved value; returns a function that reads it back. What nobody edits stays. */
export function showHold(saved: unknown): () => unknown {
  const id = '#media-gateway-failover-hold'
  const choice = document.querySelector<HTMLSelectElement>(id)!
  const name = document.querySelector<HTMLInputElement>(`${id}-variable`)!
  const variable = nameOf(saved)
  const known = variable === undefined ? String(flagIn(saved ?? false) ?? saved) : 'env'
  if (![...choice.options].some(({ value }) => value === known)) {
    choice.append(element('option', { value: known }, known))
  }
  choice.value = known
  name.ariaLabel = text('flag.variable')
  name.value = variable ?? ''

  const update = () => (name.hidden = choice.value !== 'env')
  choice.addEventListener('change', () => {
    update()
    if (choice.value === 'env') name.focus()
  })
  update()

  return () => {
    const typed = (nameOf(name.value) ?? name.value).trim()
    if (choice.value === known && (known !== 'env' || typed === variable)) return saved
    // Without a name it is a fault: nothing would mean no.
    if (choice.value === 'env') return `\${${typed}}`
    return flagIn(choice.value) ?? choice.value
  }
}

/** The name in `${NAME}`; empty while there is none. */
function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' ? /^\s*\$\{([^}]*)\}\s*$/.exec(value)?.[1]?.trim() : undefined
}
