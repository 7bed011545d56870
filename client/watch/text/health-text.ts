import type { Health } from '../../model/health'
import { legible } from '../../model/legible'
import type { Language } from '../../model/watch'
import { clipped, wordsIn } from './words'

/** The reason, then the gateway's own word: `no source (disconnected)`. @param isBrief without that word */
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
