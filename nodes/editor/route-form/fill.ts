// "Fill from an existing route": choose a route of the appliance, and take over its definition.
import { element } from '../element'
import { hasGateway, lookUp, readDefinition, type Lookup, type Named } from './appliance'
import { newId } from './context'
import { text } from './text'

export interface Fill {
  button: HTMLElement
  panel: HTMLElement
}

export function makeFill(
  node: EditorNode,
  { prefix, filled }: { prefix: string; filled: (definition: unknown) => void },
): Fill {
  const id = newId(prefix)
  let routes: Named[] = []
  const button = element(
    'button',
    { type: 'button', className: 'red-ui-button red-ui-button-small' },
    element('i', { className: 'fa fa-download', ariaHidden: 'true' }),
    ` ${text('fill.open')}`,
  )
  button.setAttribute('aria-expanded', 'false')
  button.setAttribute('aria-controls', id)

  const device = element('select', { id: `${id}-device` })
  const devices = labelled(device, text('fill.device'))
  const search = element('input', { type: 'text', id: `${id}-search`, autocomplete: 'off' })
  const choice = element('select', { id: `${id}-route`, size: 6 })
  const take = element(
    'button',
    { type: 'button', className: 'red-ui-button red-ui-button-small' },
    text('fill.take'),
  )
  const status = element('div', { className: 'media-gateway-route-hint' })
  status.setAttribute('role', 'status')
  const panel = element(
    'div',
    { id, className: 'media-gateway-route-fill', hidden: true },
    devices,
    labelled(search, text('fill.search')),
    labelled(choice, text('fill.route')),
    element('div', { className: 'media-gateway-route-hint' }, text('fill.replaces')),
    take,
    status,
  )
  devices.hidden = true

  function show(): void {
    const wanted = search.value.trim().toLowerCase()
    const chosen = choice.value
    const found = routes.filter(({ name }) => name.toLowerCase().includes(wanted))
    choice.replaceChildren(...found.map(option))
    choice.value = found.some((route) => route.id === chosen) ? chosen : (found[0]?.id ?? '')
    take.disabled = choice.value === ''
    if (routes.length > 0 && found.length === 0) status.textContent = text('fill.none')
    else if (routes.length > 0) status.textContent = ''
  }

  async function load(): Promise<void> {
    routes = []
    show()
    if (!hasGateway(node)) {
      status.textContent = text('fill.noGateway')
      return
    }
    status.textContent = text('fill.loading')
    try {
      const answer: Lookup = await lookUp(node, device.value, { again: true })
      routes = answer.routes ?? []
      if (devices.hidden && answer.routes === undefined && answer.devices.length > 1) {
        device.replaceChildren(element('option', { value: '' }), ...answer.devices.map(option))
        devices.hidden = false
      }
      if (routes.length > 0) show()
      else status.textContent = text(answer.routes ? 'fill.empty' : 'fill.chooseDevice')
    } catch (error) {
      status.textContent = (error as Error).message
    }
  }

  async function fill(): Promise<void> {
    if (choice.value === '') return
    take.disabled = true
    status.textContent = text('fill.loading')
    try {
      const definition = await readDefinition(node, choice.value, device.value)
      // The dialog may be closed by now.
      if (panel.isConnected) filled(definition)
    } catch (error) {
      status.textContent = (error as Error).message
      take.disabled = false
    }
  }

  button.addEventListener('click', () => {
    panel.hidden = !panel.hidden
    button.setAttribute('aria-expanded', String(!panel.hidden))
    if (panel.hidden) return
    search.focus()
    void load()
  })
  device.addEventListener('change', () => void load())
  search.addEventListener('input', show)
  choice.addEventListener('dblclick', () => void fill())
  for (const each of [search, choice] as HTMLElement[]) {
    each.addEventListener('keydown', (event: KeyboardEvent) => {
      if (event.key !== 'Enter') return
      event.preventDefault()
      event.stopPropagation()
      void fill()
    })
  }
  take.addEventListener('click', () => void fill())
  return { button, panel }
}

const option = ({ id, name }: Named) => element('option', { value: id }, name)

function labelled(input: HTMLElement, words: string): HTMLElement {
  const label = element('label', { htmlFor: input.id }, words)
  return element('div', { className: 'media-gateway-route-field' }, label, input)
}
