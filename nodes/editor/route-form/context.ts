import type { JsonObject } from '../../../client/model/json'
import type { FormField, FormFields, PartUse } from './model'
import type { Faults } from './faults'

/** What the parts of one open route form share. */
export interface Context {
  /** The prefix of the ids of its elements. */
  id: string
  /** The id of the list of the appliance's adapters. */
  adapters: string
  /** Reads that list from the appliance, unless that was done already. */
  needAdapters: () => void
  /** To call after each edit. */
  changed: () => void
  use: PartUse
  /** The route that is updated, in sent form, once it is read; undefined where that says nothing. */
  present: () => JsonObject | undefined
}

export interface Group {
  element: HTMLElement
  /** Takes the faults of this part and shows them; returns how many there were. */
  showFaults: (faults: Faults) => number
  focus: () => void
  /** Shows what has become known of the route. */
  refresh: () => void
}

export interface GroupOptions {
  part: 'route' | 'source' | 'destination' | 'path'
  /** The fields as they are now. */
  fields: () => FormFields
  edit: (field: FormField, value: unknown) => void
  /** The present JSON path of the part. */
  path: () => string
  /** The field at which a fault of the whole part is shown. */
  bearer: string
  /** It has just been added: fields that are not filled in yet are not faults. */
  isFresh: boolean
}

let counter = 0

/** An id that no other element of the page has. */
export const newId = (prefix: string): string => `${prefix}-${counter++}`
