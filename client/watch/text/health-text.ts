import type { Health } from '../../model/health'
import { legible } from '../../model/legible'
import type { Language } from '../../model/watch'
import { clipped, wordsIn } from './words'

/**
 * Says how something is, the reason first and the gateway's own word after it:
 * `no source (disconnected)`. One line, for people.
 * @param isBrief without the gateway's own word
 */
export function healthText(
  { sign, reason, output = '', word }: Health,
  language?: Language,
  isBrief = false,
): string {
  const key = reason === undefined ? (`sign.${sign}` as const) : (`reason.${reason}` as const)
  const text = wordsIn(language).say(key, { name: clipped(output) })
  const isNews = word !== undefined && !text.toLowerCase().includes(word.toLowerCase())
  return legible(!isBrief && isNews && reason !== 'no-caller' ? `${text} (${clipped(word)})` : text)
}
