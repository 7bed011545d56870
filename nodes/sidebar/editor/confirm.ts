// The question before a command is sent.
import { element, setText } from '../../editor/element'

export interface Question {
  question: string
  /** What will happen. */
  effect: string
  yes: string
  no: string
}

let counter = 0

export interface Asked {
  /** Updates the sentence that says what will happen. */
  update(effect: string): void
  takeBack(): void
}

/** Asks in place; the safe answer has the focus. */
export function askFirst(
  place: HTMLElement,
  { question, effect, yes, no }: Question,
  onAnswer: (isYes: boolean) => void,
): Asked {
  // Each appliance may have a question open.
  const id = `media-gateway-sidebar-question-${counter++}`
  const button = (words: string, answer: boolean, more: string) => {
    const made = element('button', {
      className: `media-gateway-sidebar-button ${more}`,
      textContent: words,
    })
    made.addEventListener('click', ({ detail }) => {
      // The second click of a double click was meant for what was here before.
      if (detail < 2) end(answer)
    })
    return made
  }
  const cancel = button(no, false, '')
  const effectLine = element('div', { id: `${id}-effect` }, effect)
  const box = element(
    'div.media-gateway-sidebar-question',
    { role: 'alertdialog', 'aria-labelledby': id, 'aria-describedby': `${id}-effect` },
    element('strong', { id }, question),
    effectLine,
    element(
      'div.media-gateway-sidebar-answers',
      cancel,
      button(yes, true, 'media-gateway-sidebar-yes'),
    ),
  )
  box.addEventListener('keydown', (event) => {
    // The editor would apply keys to the flow.
    event.stopPropagation()
    if (event.key === 'Escape') end(false)
  })

  function end(answer: boolean): void {
    box.remove()
    onAnswer(answer)
  }

  place.replaceChildren(box)
  cancel.focus()
  return {
    update(words) {
      setText(effectLine, words)
    },
    takeBack: () => box.remove(),
  }
}
