// The three tabs of the form: how to connect, what protects it, and the rest.
import { whenPressed } from '../../editor/element'
import { signIcon } from '../../editor/states'
import { text } from '../../editor/text'

const TABS = ['connection', 'security', 'more'] as const

/** To call once the fields are there. */
export function prepareTabs(): void {
  const list = document.querySelector<HTMLElement>('#media-gateway-tabs')!
  const panels = TABS.map((name) => {
    const panel = document.querySelector<HTMLElement>(`#media-gateway-tab-${name}`)!
    panel.role = 'tabpanel'
    return { name, panel }
  })
  const tabs = RED.tabs.create({
    id: list.id,
    onchange: ({ id }) => {
      for (const { panel } of panels) panel.hidden = panel.id !== id
      for (const each of links()) each.ariaSelected = String(each.hash === `#${id}`)
    },
  })
  const links = () => [...list.querySelectorAll<HTMLAnchorElement>('.red-ui-tab-label')]
  list.role = 'tablist'
  for (const { name, panel } of panels) {
    // The first one opens by itself.
    tabs.addTab({ id: panel.id, label: text(`tab.${name}`) })
    const link = links().at(-1)!
    link.role = 'tab'
    link.ariaSelected = String(!panel.hidden)
    link.setAttribute('aria-controls', panel.id)
    // The editor's own tabs take only the mouse.
    whenPressed(link, () => tabs.activateTab(panel.id))
    showFaults(panel, link)
  }
  // Their widths are known once the dialog is shown.
  setTimeout(() => tabs.resize(), 0)
}

/** Marks a tab while the editor marks a field in it. */
function showFaults(panel: HTMLElement, link: HTMLElement): void {
  const mark = signIcon('critical', text('tab.fault'))
  mark.role = 'img'
  mark.ariaHidden = null
  mark.ariaLabel = text('tab.fault')
  link.append(mark)
  const show = (): void => void (mark.hidden = panel.querySelector('.input-error') === null)
  new MutationObserver(show).observe(panel, { subtree: true, attributeFilter: ['class'] })
  show()
}
