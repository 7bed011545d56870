import type { JsonObject } from '../../../client/model/json'
import type { Appliance } from '../appliance'
import { element } from '../element'
import type { PartUse } from './model'

export interface Context {
  /** The prefix of the ids of its elements. */
  id: string
  adapters: ReturnType<typeof makeAdapters>
  /** To call after each edit. */
  changed: () => void
  use: PartUse
  /** The route that is updated, in sent form, once it is read; undefined where that says nothing. */
  present: () => JsonObject | undefined
}

let counter = 0

export const newId = (prefix: string): string => `${prefix}-${counter++}`

/** The network interfaces of the appliance, as a list for the fields that take one. */
export function makeAdapters(appliance: Appliance, prefix: string) {
  const list = element('datalist', { id: newId(prefix) })
  const show = () => {
    const { adapters = [] } = appliance.now().found ?? {}
    list.replaceChildren(...adapters.map(({ name, address }) => new Option(address, name)))
  }
  appliance.onChange(show)
  show()
  /** `need` reads them from the appliance, unless that was done already. */
  return { list, need: () => appliance.update() }
}
