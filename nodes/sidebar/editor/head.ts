// The head of an appliance: its name, how it is, and how old that is. A click opens and closes it.
import { element, say } from '../../editor/element'
import type { Sign } from '../../editor/states'
import { mark } from './labels'
import { text } from './text'

export interface ShownHead {
  title: string
  address: string
  isOpen: boolean
  tone: Sign
  /** How it is; none where the sign says enough. */
  word?: string
  /** The sign says enough: the word is only spoken. */
  isQuiet?: boolean
  /** It was so when it was last polled. */
  isOld?: boolean
  /** The most important first: what does not fit in the line is cut. */
  facts: string[]
  /** What the tooltip has besides. */
  more?: (string | undefined)[]
}

/** @param bodyId what it opens and closes */
export function createHead(id: string, bodyId: string, onToggle: () => void) {
  const arrow = element('i.fa.media-gateway-sidebar-arrow', { ariaHidden: 'true' })
  const sign = mark()
  const title = element('span.media-gateway-sidebar-title')
  const spoken = element('span.media-gateway-sidebar-unseen')
  const word = element('b.media-gateway-sidebar-word', { ariaHidden: 'true' })
  const told = element('span.media-gateway-sidebar-told', { id: `${id}-facts` })
  const head = element(
    'button.media-gateway-sidebar-head',
    { 'aria-controls': bodyId, 'aria-describedby': told.id, onclick: onToggle },
    arrow,
    sign,
    title,
    spoken,
  )
  const age = element('span.media-gateway-sidebar-age')
  const factsRow = element('div.media-gateway-sidebar-facts', word, told, age)

  return {
    elements: [head, factsRow],
    show(shown: ShownHead): void {
      const { word: said = '', isOld = false, isQuiet = false } = shown
      say(title, shown.title)
      head.title = [shown.title, shown.address].join('\n')
      head.ariaExpanded = String(shown.isOpen)
      for (const one of [sign, word]) one.dataset['tone'] = shown.tone
      for (const one of [head, factsRow]) one.classList.toggle('media-gateway-sidebar-past', isOld)
      say(spoken, ` ${said}`)
      say(word, said)
      word.hidden = isQuiet || said === ''
      say(told, shown.facts.join(' · '))
      const all = [said, ...shown.facts, ...(shown.more ?? [])]
      factsRow.title = all.filter(Boolean).join(' · ')
    },
    /** The age of what is shown; undefined when nothing is known. */
    showAge(ms: number | undefined): void {
      const seconds = Math.max(0, Math.round((ms ?? 0) / 1000))
      say(age, ms === undefined ? '' : ageOf(seconds))
      factsRow.classList.toggle('media-gateway-sidebar-fresh', seconds < FRESH_SECONDS)
    },
    focus: () => head.focus(),
  }
}

/** A younger age gives way where there is little room. */
const FRESH_SECONDS = 15

function ageOf(seconds: number): string {
  if (seconds < 60) return text('age.seconds', { seconds })
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return text('age.minutes', { minutes })
  return text('age.hours', { hours: Math.floor(minutes / 60) })
}
