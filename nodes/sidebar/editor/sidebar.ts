// The content of the tab: one panel for each appliance, one below the other.
import { arrange, element } from '../../editor/element'
import type { ListedGateway } from '../../wire'
import { request } from './api'
import { createFleetPanel } from './fleet-panel'
import { createGatewayPanel, type Panel } from './gateway-panel'
import { remember, remembered } from './preferences'
import { text } from './text'

const TICK_MS = 1000
const ASK_EVERY_MS = 3000
/** An inventory may change while it runs. */
const LIST_AGAIN_MS = 15_000
/** A deploy takes a gateway away for a moment: Node-RED gives its nodes 15 s to close, then starts them. */
const AWAY_MS = 30_000
/** How many appliances are open until the user opens or closes one. */
const OPEN_AT_FIRST = 2
const LEAST_LIST_HEIGHT = 184
/** Lines that a screen reader has had time to read may go. */
const MOST_SPOKEN = 20

export function createSidebar() {
  const notice = element('div.media-gateway-sidebar-notice', { textContent: text('loading') })
  const spoken = element('div.media-gateway-sidebar-spoken', { role: 'log' })
  const place = element('div')
  const scroller = element('div.media-gateway-sidebar-scroller', notice, place)
  // Above the rows, not between them: nothing moves under the mouse.
  const messages = element('div.media-gateway-sidebar-messages')
  const content = element('div.media-gateway-sidebar', scroller, messages, spoken)

  let panels: Panel[] = []
  let fleets = new Set<string>()
  let listed: Array<ListedGateway & { awaySince?: number }> = []
  let isShown = false
  let isAsking = false
  let listIsDue = true
  let askAt = 0
  let listedAt = 0
  let timer: number | undefined

  whenShown(content, (now) => {
    isShown = now
    if (now) refresh(false)
  })
  new ResizeObserver(() => share(true)).observe(content)
  for (const event of ['mouseleave', 'focusout']) {
    scroller.addEventListener(event, () => requestAnimationFrame(() => share()))
  }

  function refresh(isDeployed: boolean): void {
    listIsDue = true
    for (const panel of panels) panel.forgetVersion(isDeployed)
    askSoon()
  }

  function askSoon(): void {
    askAt = 0
    tick()
  }

  function tick(): void {
    window.clearTimeout(timer)
    if (!isShown) return
    for (const panel of panels) panel.tick()
    if (!isAsking && Date.now() >= askAt) void ask()
    timer = window.setTimeout(tick, TICK_MS)
  }

  async function ask(): Promise<void> {
    isAsking = true
    askAt = Infinity
    try {
      if (listIsDue || (fleets.size > 0 && Date.now() - listedAt > LIST_AGAIN_MS)) await list()
      const known = await Promise.all(panels.map((panel) => panel.ask()))
      if (known.includes('gone')) listIsDue = true
    } finally {
      isAsking = false
      const pause = panels.some(({ isWaiting }) => isWaiting) ? TICK_MS : ASK_EVERY_MS
      if (askAt > 0) askAt = Date.now() + pause
    }
    if (askAt === 0) tick()
  }

  async function list(): Promise<void> {
    listIsDue = false
    listedAt = Date.now()
    const { answer: gateways, failure } = await request('gateways')
    if (gateways) {
      show(lasting(gateways))
      say(gateways.length === 0 ? text('none') : '')
    } else if (panels.length === 0) say(failure!.message)
    // What is known is shown as old, with the reason. A deploy returns before the nodes are there.
    listIsDue ||= !gateways || gateways.some(({ error }) => error?.code === 'NOT_FOUND')
  }

  /** What a deploy has taken away is as it was, unless that lasts. */
  function lasting(gateways: ListedGateway[]): ListedGateway[] {
    const known = new Map(listed.map((one) => [one.id, one]))
    const now = Date.now()
    listed = gateways.map((one) => {
      const before = known.get(one.id)
      if (!one.error?.notDeployed || !before || before.error?.notDeployed) return one
      const { awaySince = now } = before
      return now - awaySince < AWAY_MS ? { ...before, awaySince } : one
    })
    return listed
  }

  function say(words: string): void {
    notice.textContent = words
    notice.hidden = words === ''
  }

  /** Each as a line of its own: two gateways that speak at once are both heard. */
  function speak(words: string): void {
    spoken.append(element('div', words))
    while (spoken.childElementCount > MOST_SPOKEN) spoken.firstElementChild?.remove()
  }

  function show(gateways: ListedGateway[]): void {
    const { open } = remembered()
    const before = new Map(panels.map((panel) => [panel.id, panel]))
    const wereFleets = fleets
    fleets = new Set(gateways.filter(({ inventory }) => inventory).map(({ id }) => id))
    panels = gateways.map((gateway, index) => {
      const { id } = gateway
      const known = wereFleets.has(id) === fleets.has(id) ? before.get(id) : undefined
      known?.update(gateway)
      if (known) return known
      const create = fleets.has(id) ? createFleetPanel : createGatewayPanel
      return create(gateway, {
        isOpen: open[id] ?? index < OPEN_AT_FIRST,
        onToggle(isOpen) {
          remember('open', id, isOpen)
          share(true)
          askSoon()
        },
        onChange: share,
        onCommand: askSoon,
        speak,
      })
    })
    arrange(place, ...panels.map((panel) => panel.element))
    arrange(messages, ...panels.map((panel) => panel.messages))
    share(panels.some(({ id }) => !before.has(id)))
  }

  /**
   * Shares the height that is left over among the lists: a short one gets what it needs, and the
   * others have the rest in equal parts.
   * @param isAsked by the user; otherwise nothing moves under the mouse or the focus
   */
  function share(isAsked = false): void {
    const lists = panels.flatMap((panel) => panel.lists)
    if (lists.length === 0 || content.clientHeight === 0 || (!isAsked && isHeld())) return
    const height = lists.reduce((sum, room) => sum + room.height, 0)
    let left = content.clientHeight - (place.offsetHeight + notice.offsetHeight - height)
    let most = left
    const needs = lists.map((room) => room.need).sort((one, other) => one - other)
    for (const [index, need] of needs.entries()) {
      most = Math.floor(left / (needs.length - index))
      if (need > most) break
      left -= need
    }
    const shared = Math.max(most, LEAST_LIST_HEIGHT)
    content.style.setProperty('--media-gateway-sidebar-list', `${shared}px`)
  }

  const isHeld = (): boolean =>
    scroller.matches(':hover') || scroller.querySelector(':focus-visible') !== null

  return { content, deployed: () => refresh(true) }
}

/** Reports when an element comes into sight, or goes out of it: its tab, its sidebar or the page. */
function whenShown(shown: HTMLElement, onChange: (isShown: boolean) => void): void {
  let isInPlace = false
  let wasShown = false
  const update = () => {
    const isShown = isInPlace && document.visibilityState === 'visible'
    if (isShown !== wasShown) onChange((wasShown = isShown))
  }
  // The editor does not say when another tab takes the place of this one, or a sidebar is closed.
  new IntersectionObserver((entries) => {
    isInPlace = entries.at(-1)?.isIntersecting === true
    update()
  }).observe(shown)
  document.addEventListener('visibilitychange', update)
}
