// What is below the row of the route that is chosen: its source and destinations.
import { element } from '../../editor/element'
import { isOn, isRunning, signOfPart } from '../../editor/states'
import type { Part, Route } from './route'
import { controlLabel } from './row'
import { text } from './text'
import { addressOf, mark, partSummary } from './labels'

export interface DetailsOptions {
  mayControl(): boolean
  /** What is shown is out of date. */
  isOld(): boolean
  waiting(routeId: string, destinationId: string): 'start' | 'stop' | undefined
  onControl(routeId: string, destinationId: string): void
  onClose(): void
}

export interface Details {
  element: HTMLElement
  show(route: Route | undefined): void
  focusButton(destinationId: string): void
}

export function createDetails(options: DetailsOptions): Details {
  const content = element('div')
  const box = element(
    'div',
    {
      className: 'media-gateway-sidebar-details',
      hidden: true,
    },
    content,
  )
  box.setAttribute('role', 'region')
  let shown: Route | undefined
  let drawn = ''

  content.addEventListener('click', ({ target }) => {
    const pressed = target instanceof Element ? target.closest('button') : null
    if (!shown || !pressed) return
    const { destination, act } = pressed.dataset
    if (act === 'copy') {
      RED.clipboard.copyText(shown.id, $(pressed), 'clipboard.copyMessageValue')
    } else if (act === 'close') options.onClose()
    else if (destination !== undefined && pressed.ariaDisabled !== 'true') {
      options.onControl(shown.id, destination)
    }
  })

  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    options.onClose()
  })

  function draw(route: Route): HTMLElement[] {
    const isOld = options.isOld()
    const parts = [
      part(route.source, `${text('source')}: `, isOld),
      ...route.destinations.map((destination) =>
        part(destination, '', isOld, controlOf(route, destination)),
      ),
    ]
    return [
      element(
        'div',
        { className: 'media-gateway-sidebar-line' },
        element('code', { textContent: route.id, title: route.id }),
        button(text('copy'), { act: 'copy' }),
        button(text('close'), { act: 'close' }),
      ),
      element('ul', {}, ...parts),
    ]
  }

  function controlOf(route: Route, destination: Part): HTMLButtonElement | undefined {
    const { id, name = '' } = destination
    // While its route does not run, a destination cannot go on the air.
    if (id === undefined || !isRunning(route) || !options.mayControl()) return undefined
    const waiting = options.waiting(route.id, id)
    const isOld = options.isOld()
    const verb = isOn(destination) ? 'stop' : 'start'
    const made = button(text(waiting ? `waiting.${waiting}` : verb), { destination: id })
    if (!waiting) made.ariaLabel = controlLabel(verb, name, isOld)
    if (isOld) made.title = text('old')
    made.ariaDisabled = String(waiting !== undefined || isOld)
    return made
  }

  return {
    element: box,
    show(route) {
      shown = route
      box.hidden = route === undefined
      if (!route) {
        drawn = ''
        return content.replaceChildren()
      }
      const waiting = route.destinations.map(({ id }) => id && options.waiting(route.id, id))
      const now = JSON.stringify([route, waiting, options.mayControl(), options.isOld()])
      if (now === drawn) return
      drawn = now
      box.classList.toggle('media-gateway-sidebar-old', options.isOld())
      box.setAttribute('aria-label', text('details', { name: route.name }))
      const focused = keyOf(document.activeElement)
      content.replaceChildren(...draw(route))
      if (focused) content.querySelector<HTMLElement>(focused)?.focus()
    },
    focusButton(destinationId) {
      content
        .querySelector<HTMLElement>(`[data-destination="${CSS.escape(destinationId)}"]`)
        ?.focus()
    },
  }

  /** Returns a selector that finds the button again after it was redrawn. */
  function keyOf(focused: Element | null): string | undefined {
    if (!(focused instanceof HTMLElement) || !content.contains(focused)) return undefined
    const [name, value] = Object.entries(focused.dataset)[0] ?? []
    return name && `[data-${name}="${CSS.escape(value ?? '')}"]`
  }
}

function part(shown: Part, prefix: string, isOld: boolean, control?: HTMLElement): HTMLElement {
  const sign = mark()
  sign.dataset['tone'] = signOfPart(shown)
  const name = element('span', {
    className: 'media-gateway-sidebar-name',
    title: shown.name ?? '',
    textContent: shown.name ?? '',
  })
  const words = [`${prefix}${partSummary(shown, isOld)}`, addressOf(shown)].filter(Boolean)
  const summary = element('span', {
    className: 'media-gateway-sidebar-summary',
    textContent: words.join(' · '),
  })
  summary.title = summary.textContent ?? ''
  const about = element('div', { className: 'media-gateway-sidebar-about' }, name, summary)
  return element('li', {}, sign, about, ...(control ? [control] : []))
}

function button(words: string, data: Record<string, string>): HTMLButtonElement {
  const made = element('button', {
    type: 'button',
    className: 'media-gateway-sidebar-button',
    textContent: words,
  })
  Object.assign(made.dataset, data)
  return made
}
