// The question before a command is sent: one at a time for each appliance.
import { element, say } from '../../editor/element'
import { text } from './text'

export interface Question {
  question: string
  /** What will happen, as far as that is known now. */
  effect: () => string
  yes: string
  /** It has answered itself. */
  isOver(): boolean
  onYes(): void
  goBack(): void
}

let counter = 0

export function createQuestions() {
  const place = element('div')
  const effectLine = element('div')
  let open: Question | undefined

  function takeBack(): void {
    open = undefined
    place.replaceChildren()
  }

  function update(): void {
    if (open?.isOver()) takeBack()
    else if (open) say(effectLine, open.effect())
  }

  return {
    element: place,
    /** Asks in place; the safe answer has the focus. */
    ask(asked: Question): void {
      // Each appliance may have a question open.
      const id = `media-gateway-sidebar-question-${counter++}`
      const end = (isYes: boolean): void => {
        takeBack()
        if (isYes) asked.onYes()
        asked.goBack()
      }
      const button = (words: string, isYes: boolean): HTMLButtonElement =>
        element('button.media-gateway-sidebar-button', {
          textContent: words,
          // The second click of a double click was meant for what was here before.
          onclick: ({ detail }) => void (detail < 2 && end(isYes)),
        })
      const [no, yes] = [button(text('cancel'), false), button(asked.yes, true)]
      yes.classList.add('media-gateway-sidebar-yes')
      effectLine.id = `${id}-effect`
      say(effectLine, asked.effect())
      const box = element(
        'div.media-gateway-sidebar-question',
        { role: 'alertdialog', 'aria-labelledby': id, 'aria-describedby': effectLine.id },
        element('strong', { id }, asked.question),
        effectLine,
        element('div.media-gateway-sidebar-answers', no, yes),
      )
      box.addEventListener('keydown', (event) => {
        // The editor would apply keys to the flow.
        event.stopPropagation()
        if (event.key === 'Escape') end(false)
      })
      open = asked
      place.replaceChildren(box)
      no.focus()
    },
    update,
    takeBack,
  }
}
