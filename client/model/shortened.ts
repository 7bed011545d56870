import { legible } from './legible'

/** Returns a text, {@link legible} and on one line, cut at a space unless that leaves next to nothing. */
export function shortened(text: string, longest: number): string {
  const plain = legible(text).replace(/\s+/g, ' ').trim()
  if (plain.length <= longest) return plain
  const cut = plain.slice(0, longest).replace(/[\ud800-\udbff]$/, '')
  const space = cut.lastIndexOf(' ')
  return `${space > longest / 2 ? cut.slice(0, space) : cut}…`
}
