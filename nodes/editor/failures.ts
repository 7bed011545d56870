// Failures in the language of the editor.
import type { Failure, Said } from '../wire'
import { text, textOr } from './text'

/** What to show of a failure: the editor's own sentences where it has them, or else the message. */
export function sentenceOf({
  message,
  sentences,
}: Pick<Failure, 'message'> & Partial<Failure>): string {
  if (!sentences) return message
  const said = sentences.map((one) => ('key' in one ? wordsOf(one) : one.text))
  // Japanese has no space after its full stop.
  return said.join(' ').replaceAll('。 ', '。')
}

function wordsOf({ key, values }: Extract<Said, { key: string }>): string {
  const { host = text('failure.thisGateway'), property } = values
  const label = property !== undefined && {
    property: textOr(`label.${property}`, String(property)),
  }
  return text(`failure.${key}`, { ...values, host, ...label })
}
