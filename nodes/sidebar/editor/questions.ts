// The question that is open about an appliance: one at a time.
import { askFirst, type Asked } from './confirm'
import { element } from '../../editor/element'
import { text } from './text'

export interface Asking {
  question: string
  /** What will happen, as far as that is known now. */
  effect(): string
  yes: string
  /** It has answered itself. */
  isOver?(): boolean
  onYes(): void
  /** The focus goes back to where it was. */
  goBack(): void
}

export interface Questions {
  readonly element: HTMLElement
  ask(asking: Asking): void
  /** Brings the open question up to date, or takes it back. */
  update(): void
  takeBack(): void
}

/** @param onChange the height has changed */
export function createQuestions(onChange: () => void): Questions {
  const place = element('div')
  let open: { asking: Asking; asked: Asked } | undefined

  function takeBack(): void {
    open?.asked.takeBack()
    open = undefined
  }

  return {
    element: place,
    ask(asking) {
      takeBack()
      const { question, yes } = asking
      const words = { question, effect: asking.effect(), yes, no: text('cancel') }
      const asked = askFirst(place, words, (isYes) => {
        open = undefined
        if (isYes) asking.onYes()
        asking.goBack()
        onChange()
      })
      open = { asking, asked }
      onChange()
    },
    update() {
      if (!open) return
      if (open.asking.isOver?.()) takeBack()
      else open.asked.update(open.asking.effect())
    },
    takeBack,
  }
}
