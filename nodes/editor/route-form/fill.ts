// "Fill from an existing route": choose a route of the appliance, and take over its definition.
import type { FoundRoute } from '../../wire'
import { byName } from '../address'
import type { Appliance } from '../appliance'
import { settled } from '../ask'
import { element, iconButton, smallButton } from '../element'
import { newId } from './context'
import { text } from './text'

export function makeFill(appliance: Appliance, filled: (definition: unknown) => void) {
  const id = newId('media-gateway-fill')
  const button = iconButton('download', text('fill.open'), () => open(panel.hidden === true))
  button.classList.add('red-ui-button-small')
  button.ariaExpanded = 'false'
  button.setAttribute('aria-controls', id)

  const device = element('select', { id: `${id}-device` })
  const devices = labelled(device, text('fill.device'))
  const search = element('input', { type: 'text', id: `${id}-search`, autocomplete: 'off' })
  const choice = element('select', { id: `${id}-route`, size: 6 })
  const take = smallButton(() => void fill(), text('fill.take'))
  const status = element('div.media-gateway-route-hint', { role: 'status' })
  const panel = element(
    'div.media-gateway-route-fill',
    { id, hidden: true },
    devices,
    labelled(search, text('fill.search')),
    labelled(choice, text('fill.route')),
    element('div.media-gateway-route-hint', text('fill.replaces')),
    take,
    status,
  )

  let isBusy = false
  let wasOpen = false
  /** The form names no device, and the appliance has several. */
  let needsDevice = false
  /** Why the route that was chosen could not be read. */
  let refusal = ''

  function show(): void {
    if (panel.hidden) return
    const { found } = appliance.now()
    needsDevice ||= found !== undefined && found.routes === undefined
    devices.hidden = !needsDevice || !found || found.devices.length < 2
    offer(device, [...(found?.routes ? [] : [{ id: '' }]), ...(found?.devices ?? [])])
    const fitting = routesNow()
    offer(choice, fitting)
    if (choice.value === '') choice.value = fitting[0]?.id ?? ''
    take.disabled = isBusy || choice.value === ''
    status.textContent = statusOf(fitting.length)
  }

  function routesNow(): FoundRoute[] {
    const wanted = search.value.trim().toLowerCase()
    const { routes = [] } = appliance.now().found ?? {}
    return routes.filter(({ name }) => name.toLowerCase().includes(wanted)).sort(byName)
  }

  function statusOf(fitting: number): string {
    const { loading, found, failure } = appliance.now()
    if (isBusy || (loading && !found?.routes)) return text('fill.loading')
    if (failure) return failure.message
    if (!found?.routes) return text('fill.chooseDevice')
    if (found.routes.length === 0) return text('fill.empty')
    return fitting === 0 ? text('fill.none') : refusal
  }

  async function fill(): Promise<void> {
    if (choice.value === '' || isBusy) return
    isBusy = true
    refusal = ''
    show()
    const { answer, failure } = await settled(appliance.definition(choice.value))
    isBusy = false
    refusal = failure?.message ?? ''
    if (failure) show()
    // The dialog may be closed by now.
    else if (panel.isConnected) filled(answer)
  }

  function open(isOpen: boolean): void {
    panel.hidden = !isOpen
    button.ariaExpanded = String(isOpen)
    if (!isOpen) return
    search.focus()
    // What the form already knows is not requested again, unless the panel is opened once more.
    appliance.update({ again: wasOpen || appliance.now().failure !== undefined })
    wasOpen = true
    show()
  }

  appliance.onChange(show)
  device.addEventListener('change', () => appliance.choose(device.value))
  search.addEventListener('input', show)
  choice.addEventListener('dblclick', () => void fill())
  for (const each of [search, choice]) {
    each.addEventListener('keydown', (event: Event) => {
      if ((event as KeyboardEvent).key !== 'Enter') return
      event.preventDefault()
      event.stopPropagation()
      void fill()
    })
  }
  return { button, panel, close: () => open(false) }
}

/** Shows the items to choose from; the chosen one stays chosen if it is among them. */
function offer(select: HTMLSelectElement, items: readonly { id: string; name?: string }[]): void {
  const chosen = select.value
  select.replaceChildren(...items.map(({ id, name }) => new Option(name || id, id)))
  select.value = items.some(({ id }) => id === chosen) ? chosen : ''
}

function labelled(input: HTMLElement, words: string): HTMLElement {
  const label = element('label', { htmlFor: input.id }, words)
  return element('div.media-gateway-route-field', label, input)
}
