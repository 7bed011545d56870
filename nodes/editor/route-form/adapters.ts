import type { Appliance } from '../appliance'
import { element } from '../element'

/** The network interfaces of the appliance, as a list for the fields that take one. */
export function makeAdapters(appliance: Appliance, id: string): HTMLDataListElement {
  const list = element('datalist', { id })
  const show = () => {
    const { adapters = [] } = appliance.now().found ?? {}
    list.replaceChildren(
      ...adapters.map(({ name, address }) => element('option', { value: name }, address)),
    )
  }
  appliance.onChange(show)
  show()
  return list
}
