// Failures in the language of the editor.
import { text, textOr, type Values } from './text'

/** Why something failed, as the runtime responds. */
export interface Failure {
  /** One of the error codes of the package, where the runtime gave one. */
  code?: string
  /** A sentence for the user, in English or in the language of the editor. */
  message: string
  /** The message, each sentence by its key in the catalog, with its values. */
  sentences?: ({ key: string; values: Values } | { text: string })[]
  /** The password has to be typed again. */
  passwordNeeded?: boolean
  /** The gateway does not run. */
  notDeployed?: boolean
}

/** What to show of a failure: the editor's own sentences where it has them, or else the message. */
export function sentenceOf({ message, sentences }: Failure): string {
  if (!sentences) return message
  const said = sentences.map((one) => ('key' in one ? wordsOf(one) : one.text))
  // Japanese has no space after its full stop.
  return said.join(' ').replaceAll('。 ', '。')
}

function wordsOf({ key, values }: { key: string; values: Values }): string {
  const { host = text('failure.thisGateway'), property } = values
  const label = property !== undefined && {
    property: textOr(`label.${property}`, String(property)),
  }
  return text(`failure.${key}`, { ...values, host, ...label })
}
