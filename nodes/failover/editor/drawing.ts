// The drawing of a failover: its sources or routes above, and below how its times follow each other.
import type { Shown } from './shown'
import { text } from './text'

/** In the units of the drawing, which is about as wide as the form in a dialog of its usual width. */
const WIDTH = 460
const TOP = 136
const HEIGHT = 240

/** Shows the drawing in place of the present one. */
export function draw(place: Element, shown: Shown): void {
  const svg = shape('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img' })
  svg.setAttribute('aria-label', text('drawing.title'))
  svg.append(
    ...(shown.method === 'routes' ? twoRoutes(shown) : oneRoute(shown)),
    ...timeline(shown),
  )
  place.replaceChildren(svg)
}

// ---- above: what is connected with what

const BOX = { width: 150, height: 38 }
const MAIN_Y = 2
const BACKUP_Y = 90
const MIDDLE = { x: 196, y: 46 }
const END = { from: 346, to: 372 }

function oneRoute({ route, sides, restore, monitor }: Shown): SVGElement[] {
  return [
    box(0, MAIN_Y, 'main', text('label.main'), sides.main),
    box(0, BACKUP_Y, 'backup', text('label.backup'), sides.backup),
    box(MIDDLE.x, MIDDLE.y, 'route', text('drawing.route'), route),
    line(`M150 29h14c16 0 6 30 22 30h10`, 'main'),
    line(`M150 109h14c16 0 6 -38 22 -38h10`, 'backup'),
    ...destinations(65),
    ...observer(restore, monitor, { x: 230, y: MAIN_Y, path: 'M150 13h80' }),
  ]
}

function twoRoutes({ sides, restore, monitor }: Shown): SVGElement[] {
  return [
    box(0, MAIN_Y, 'main', text('drawing.mainRoute'), sides.main),
    box(0, BACKUP_Y, 'backup', text('drawing.backupRoute'), sides.backup),
    line('M150 21h222', 'main'),
    line('M150 109h222', 'backup'),
    label(END.to + 6, 25, text('drawing.destinations')),
    label(END.to + 6, 113, text('drawing.destinations')),
    ...observer(restore, monitor, { ...MIDDLE, path: 'M75 40v25h121' }),
  ]
}

const destinations = (y: number): SVGElement[] => [
  line(`M${END.from} ${y}h${END.to - END.from}`, 'plain'),
  label(END.to + 6, y + 4, text('drawing.destinations')),
]

/** What knows, while backup is in use, whether main is good. */
function observer(
  restore: string,
  monitor: string,
  { x, y, path }: { x: number; y: number; path: string },
): SVGElement[] {
  if (restore === 'monitor') {
    return [box(x, y, 'monitor', text('label.monitor'), monitor), line(path, 'monitor')]
  }
  if (restore !== 'message') return []
  return [box(x, y, 'monitor', text('drawing.probe'), 'msg.main'), line(path, 'monitor')]
}

function box(x: number, y: number, kind: string, title: string, value: string): SVGElement {
  const { width, height } = BOX
  const group = shape('g', { class: `media-gateway-failover-box media-gateway-failover-${kind}` })
  const whole = shape('title', {})
  whole.textContent = `${title}: ${value}`
  group.append(
    whole,
    shape('rect', { x, y, width, height, rx: 4 }),
    shape('path', { d: `M${x + 1.5} ${y + 4}v${height - 8}` }),
    label(x + 9, y + 16, fitted(title, 20), 'start', 'title'),
    label(x + 9, y + 31, fitted(value, 22)),
  )
  return group
}

/** A line that ends in an arrow. */
function line(path: string, kind: string): SVGElement {
  return shape('path', {
    d: `${path}m-5 -4 5 4-5 4`,
    class: `media-gateway-failover-line media-gateway-failover-${kind}`,
  })
}

// ---- below: how the times follow each other, not to scale

const BEGIN = 84
const FAILS = 128
const SWITCHES = 208
const MAIN_IS_BACK = 312
const RETURNS = 414
const LANE = 19

function timeline(shown: Shown): SVGElement[] {
  const { restore, times } = shown
  const returns = restore !== 'off'
  const [signal, air, below] = [TOP + 8, TOP + 8 + LANE + 4, TOP + 8 + 2 * LANE + 10]
  const state = (key: string) => text(`drawing.${key}`)
  return [
    shape('path', { d: `M0 ${TOP}h${WIDTH}`, class: 'media-gateway-failover-rule' }),
    label(0, signal + 14, state('signal')),
    label(0, air + 14, state('onAir')),
    bar(BEGIN, FAILS, signal, 'good', state('good')),
    ...(returns
      ? [
          bar(FAILS, MAIN_IS_BACK, signal, 'bad', state('bad')),
          bar(MAIN_IS_BACK, WIDTH, signal, 'good', state('good')),
        ]
      : [
          bar(FAILS, SWITCHES, signal, 'bad', state('bad')),
          bar(SWITCHES, WIDTH, signal, 'unknown', state('unknown')),
        ]),
    bar(BEGIN, SWITCHES, air, 'main', text('label.main')),
    bar(SWITCHES, returns ? RETURNS : WIDTH, air, 'backup', text('label.backup')),
    ...(returns ? [bar(RETURNS, WIDTH, air, 'main', text('label.main'))] : []),
    ...span(FAILS, SWITCHES, below, state('holdOff'), times.holdOff),
    ...span(SWITCHES, MAIN_IS_BACK, below, state('guard'), times.guard),
    ...(returns
      ? span(MAIN_IS_BACK, RETURNS, below, state('waitToRestore'), times.waitToRestore)
      : []),
    bracket(SWITCHES, SWITCHES + 46, below + 40),
    label(SWITCHES + 52, below + 44, `${state('settle')} ${times.settle}`),
  ]
}

function bar(from: number, to: number, y: number, kind: string, words: string): SVGElement {
  const group = shape('g', { class: `media-gateway-failover-bar media-gateway-failover-${kind}` })
  group.append(
    shape('rect', { x: from, y, width: to - from - 1, height: LANE, rx: 2 }),
    label((from + to) / 2, y + 14, fitted(words, Math.floor((to - from) / 6)), 'middle'),
  )
  return group
}

/** A time from one moment to another, with its name and its value below. */
function span(from: number, to: number, y: number, name: string, value: string): SVGElement[] {
  const middle = (from + to) / 2
  return [
    bracket(from, to, y),
    label(middle, y + 17, name, 'middle'),
    label(middle, y + 31, value, 'middle', 'value'),
  ]
}

function bracket(from: number, to: number, y: number): SVGElement {
  const d = `M${from + 2} ${y - 4}v8m0-4H${to - 3}m0-4v8`
  return shape('path', { d, class: 'media-gateway-failover-span' })
}

// ---- shapes

function shape(tag: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  return made
}

function label(
  x: number,
  y: number,
  words: string,
  anchor: 'start' | 'middle' = 'start',
  kind = 'plain',
): SVGElement {
  const made = shape('text', {
    x,
    y,
    'text-anchor': anchor,
    class: `media-gateway-failover-text-${kind}`,
  })
  made.textContent = words
  return made
}

/** A text of at most so many Latin letters; others are twice as wide. */
function fitted(words: string, most: number): string {
  let width = 0
  const letters = Array.from(words)
  const end = letters.findIndex((letter) => (width += letter >= '\u2e80' ? 2 : 1) > most)
  return end < 0 ? words : `${letters.slice(0, Math.max(0, end - 1)).join('')}…`
}
