// Around the list of appliances: which of them are shown, and how many.
import { element, say } from '../../editor/element'
import { text } from './text'
import { choiceField, searchField, textButton } from './widgets'

const AT_FIRST = 50
/** As many as Node-RED lists at once, and as a page with them stays quick. */
const MOST = 2000
/** What is typed within this time is one request. */
const TYPING_MS = 250

const FILTERS = ['all', 'trouble'] as const

/** @param onChoose the user wants to see others */
export function createFleetTools(onChoose: () => void) {
  let limit = AT_FIRST
  let typing: number | undefined

  function chooseOthers(): void {
    window.clearTimeout(typing)
    limit = AT_FIRST
    onChoose()
  }

  const type = (): void => {
    window.clearTimeout(typing)
    typing = window.setTimeout(chooseOthers, TYPING_MS)
  }
  const search = searchField(text('fleet.search'), type, chooseOthers)
  const filter = choiceField('fleet.filter', FILTERS, chooseOthers)
  const more = textButton(text('fleet.more'), () => {
    limit = Math.min(2 * limit, MOST)
    onChoose()
  })
  const count = element('span.media-gateway-sidebar-count', { role: 'status' })
  const further = element('div.media-gateway-sidebar-tools', count, more)

  const isTroubleOnly = (): boolean => filter.value === 'trouble'
  const searched = (): string => search.value.trim()

  return {
    element: element('div.media-gateway-sidebar-tools', search, filter),
    further,
    question: () => ({ search: searched(), trouble: isTroubleOnly(), limit }),
    /** Nothing is left out by a search or a filter. */
    isWhole: () => searched() === '' && !isTroubleOnly(),
    isTroubleOnly: () => searched() === '' && isTroubleOnly(),
    isAtMore: () => more.matches(':focus-visible'),
    show({ found, shown }: { found: number; shown: number }): void {
      further.hidden = found <= shown
      more.hidden = shown >= MOST
      const words = text('fleet.shown', { shown, found, others: found - shown })
      say(count, shown >= MOST ? `${words}. ${text('fleet.most')}` : words)
    },
  }
}
