// Computed checks of how a dialog looks.
import type { Locator } from 'playwright-core'

/** The minimum contrast of text (WCAG 2, level AA). */
const LEAST_CONTRAST = 4.5

/**
 * Visual flaws in what is visible in a part of the page: text that hardly stands out from its
 * background, is cut off, sticks out of that part, overlaps other text, or breaks where its language
 * does not.
 */
export async function flawsOf(part: Locator): Promise<string[]> {
  return part.evaluate((root, least) => {
    type Color = [red: number, green: number, blue: number, alpha: number]

    const colorOf = (value: string): Color => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = (value.match(/[\d.]+/g) ?? []).map(Number)
      return [red, green, blue, alpha]
    }
    const over = (top: Color, below: Color): Color => {
      const mix = (index: 0 | 1 | 2) => top[index] * top[3] + below[index] * (1 - top[3])
      return [mix(0), mix(1), mix(2), 1]
    }
    const luminance = ([red, green, blue]: Color): number => {
      const [r, g, b] = [red, green, blue].map((value) => {
        const share = value / 255
        return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      }) as [number, number, number]
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    const ancestors = (element: Element): Element[] =>
      element.parentElement ? [element, ...ancestors(element.parentElement)] : [element]
    const backgroundOf = (element: Element): Color => {
      const below = element.parentElement
        ? backgroundOf(element.parentElement)
        : ([255, 255, 255, 1] as Color)
      return over(colorOf(getComputedStyle(element).backgroundColor), below)
    }
    const contrast = (element: Element): number => {
      const background = backgroundOf(element)
      const color = colorOf(getComputedStyle(element).color)
      const opacity = ancestors(element).reduce(
        (product, each) => product * Number(getComputedStyle(each).opacity),
        1,
      )
      const shown = over([color[0], color[1], color[2], color[3] * opacity], background)
      const [light, dark] = [luminance(shown), luminance(background)].sort((a, b) => b - a) as [
        number,
        number,
      ]
      return (light + 0.05) / (dark + 0.05)
    }
    const textIn = (element: Element): string =>
      [...element.childNodes]
        .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
        .map(({ textContent }) => textContent ?? '')
        .join(' ')
        .trim()
    const placesOf = (element: Element): DOMRect[] => {
      const range = document.createRange()
      // What is cut off is not visible.
      const isCut = getComputedStyle(element).overflowX !== 'visible'
      const end = isCut ? element.getBoundingClientRect().right : Infinity
      return [...element.childNodes]
        .filter(({ nodeType, textContent }) => nodeType === Node.TEXT_NODE && textContent?.trim())
        .flatMap((node) => {
          range.selectNodeContents(node)
          return [...range.getClientRects()].map(
            ({ x, y, right, height }) => new DOMRect(x, y, Math.min(right, end) - x, height),
          )
        })
    }

    const lineOf = (node: Node, index: number): number => {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + 1)
      return range.getBoundingClientRect().top
    }
    /** Whether a line begins with a small kana or the mark of a long vowel. */
    const breaksBadly = (element: Element): boolean =>
      [...element.childNodes]
        .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
        .some((node) =>
          [
            ...(node.textContent ?? '').matchAll(
              /(?<=\p{L})[ぁぃぅぇぉっゃゅょァィゥェォッャュョー]/gu,
            ),
          ].some(({ index }) => lineOf(node, index) > lineOf(node, index - 1) + 4),
        )
    /** Whether the last line of a label is a single character. */
    const leavesOne = (element: Element): boolean => {
      const node = element.lastChild
      if (!element.closest('label') || node?.nodeType !== Node.TEXT_NODE) return false
      const end = (node.textContent ?? '').trimEnd().length
      return end > 1 && lineOf(node, end - 1) > lineOf(node, end - 2) + 4
    }

    const frame = root.getBoundingClientRect()
    const texts = [...root.querySelectorAll('*')].filter(
      (element) =>
        textIn(element) !== '' &&
        !['OPTION', 'SCRIPT', 'STYLE'].includes(element.tagName) &&
        element.checkVisibility({ visibilityProperty: true }) &&
        element.getBoundingClientRect().width > 1,
    )
    const found: string[] = []
    const say = (element: Element, what: string) => found.push(`"${textIn(element)}" ${what}`)
    for (const element of texts) {
      const has = contrast(element)
      // The colours of its buttons are the editor's own.
      if (has < least && !element.closest('.red-ui-button'))
        say(element, `has a contrast of ${has.toFixed(1)}`)
      const { overflowX, textOverflow } = getComputedStyle(element)
      const isCut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
      if (isCut && overflowX !== 'visible' && textOverflow !== 'ellipsis') say(element, 'is cut')
      const sticksOut = placesOf(element).some(
        ({ left, right }) => left < frame.left - 1 || right > frame.right + 1,
      )
      if (sticksOut && textOverflow !== 'ellipsis') say(element, 'sticks out')
      if (breaksBadly(element)) say(element, 'breaks before a small kana')
      if (leavesOne(element)) say(element, 'leaves one character on a line')
    }
    const places = texts.flatMap((element) =>
      placesOf(element).map((place) => ({ element, place })),
    )
    for (const [index, one] of places.entries()) {
      for (const other of places.slice(index + 1)) {
        if (one.element === other.element) continue
        // An open list covers the form.
        if (one.element.closest('[popover]') !== other.element.closest('[popover]')) continue
        const width =
          Math.min(one.place.right, other.place.right) - Math.max(one.place.left, other.place.left)
        const height =
          Math.min(one.place.bottom, other.place.bottom) - Math.max(one.place.top, other.place.top)
        // The lines of a text may touch.
        if (width > 2 && height > 4) say(one.element, `lies over "${textIn(other.element)}"`)
      }
    }
    return [...new Set(found)]
  }, LEAST_CONTRAST)
}

/**
 * What the visible fields would show only in part: a choice of a list once it is chosen, and what stands
 * in an empty field.
 */
export async function cutInFields(part: Locator): Promise<string[]> {
  return part.evaluate((root) => {
    const context = document.createElement('canvas').getContext('2d')!
    const roomIn = (field: Element): number => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(field)
      context.font = font
      return field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
    }
    const cut = (field: Element, texts: string[], room: number): string[] =>
      texts
        .filter((text) => context.measureText(text).width > room)
        .map((text) => `${field.id}: "${text}", ${Math.round(room)} px wide`)
    const lists = [...root.querySelectorAll('select')]
      .filter((select) => select.size <= 1 && select.checkVisibility())
      .flatMap((select) => {
        const choices = [...select.options].map(({ text }) => text.trim())
        // The arrow of the list, as wide as browsers draw it.
        return cut(select, choices, roomIn(select) - 18)
      })
    const empty = [...root.querySelectorAll('input')]
      .filter((input) => input.checkVisibility() && input.placeholder !== '')
      .flatMap((input) => cut(input, [input.placeholder], roomIn(input)))
    return [...lists, ...empty]
  })
}
