/** `*` stands for any text, `?` for one character; case, and how an accent is encoded, do not matter. */
export function patternFilter(pattern: string): (name: string) => boolean {
  const wanted = comparable(pattern)
  return (name) => fits(comparable(name), wanted)
}

/** For comparison without case. Each character by itself: a whole text ends in another small sigma. */
export const comparable = (text: string): string[] =>
  Array.from(text.normalize(), (one) => one.toLowerCase().toUpperCase().toLowerCase())

/** Takes time proportional to the product of both lengths. */
function fits(name: string[], pattern: string[]): boolean {
  let at = 0
  let place = 0
  /** The latest `*`, and up to where in the name it reaches. */
  let star = -1
  let taken = 0
  while (at < name.length) {
    if (pattern[place] === '*') {
      star = place++
      taken = at
    } else if (pattern[place] === '?' || pattern[place] === name[at]) {
      place++
      at++
    } else if (star < 0) return false
    else {
      place = star + 1
      at = ++taken
    }
  }
  while (pattern[place] === '*') place++
  return place === pattern.length
}
