// Around the list of appliances: which of them are shown, and how many.
import { element, setText } from '../../editor/element'
import { textButton } from './button'
import { text } from './text'

export interface FleetTools {
  /** Above the list. */
  readonly element: HTMLElement
  /** Below it. */
  readonly further: HTMLElement
  /** What to ask for. */
  question(): { search: string; trouble: boolean; limit: number }
  /** Nothing is left out by a search or a filter. */
  isWhole(): boolean
  isTroubleOnly(): boolean
  /** The keyboard is at the button for more. */
  isAtMore(): boolean
  show(shown: { found: number; shown: number }): void
}

const AT_FIRST = 50
/** As many as Node-RED lists at once, and as a page with them stays quick. */
const MOST = 2000
/** What is typed within this time is one request. */
const TYPING_MS = 250

const FILTERS = ['all', 'trouble'] as const

/** @param onChoose the user wants to see others */
export function createFleetTools(onChoose: () => void): FleetTools {
  let limit = AT_FIRST
  let typing: number | undefined
  const search = element('input', {
    type: 'text',
    placeholder: text('fleet.search'),
    ariaLabel: text('fleet.search'),
  })
  const filter = element(
    'select',
    { ariaLabel: text('fleet.filter.label') },
    ...FILTERS.map((value) => element('option', { value }, text(`fleet.filter.${value}`))),
  )
  const more = textButton(text('fleet.more'))
  const count = element('span.media-gateway-sidebar-count')
  count.role = 'status'
  const further = element('div.media-gateway-sidebar-tools', count, more)

  function chooseOthers(): void {
    window.clearTimeout(typing)
    limit = AT_FIRST
    onChoose()
  }

  search.addEventListener('input', () => {
    window.clearTimeout(typing)
    typing = window.setTimeout(chooseOthers, TYPING_MS)
  })
  // The editor would apply keys to the flow.
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && search.value !== '') {
      search.value = ''
      chooseOthers()
    }
    event.stopPropagation()
  })
  filter.addEventListener('change', chooseOthers)
  more.addEventListener('click', () => {
    limit = Math.min(2 * limit, MOST)
    onChoose()
  })

  const isTroubleOnly = (): boolean => filter.value === 'trouble'
  const searched = (): string => search.value.trim()

  return {
    element: element('div.media-gateway-sidebar-tools', search, filter),
    further,
    question: () => ({ search: searched(), trouble: isTroubleOnly(), limit }),
    isWhole: () => searched() === '' && !isTroubleOnly(),
    isTroubleOnly: () => searched() === '' && isTroubleOnly(),
    isAtMore: () => more.matches(':focus-visible'),
    show({ found, shown }) {
      further.hidden = found <= shown
      more.hidden = shown >= MOST
      const words = text('fleet.shown', { shown, found, others: found - shown })
      const said = shown >= MOST ? `${words}. ${text('fleet.most')}` : words
      setText(count, said)
    },
  }
}
