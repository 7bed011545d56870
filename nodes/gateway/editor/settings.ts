// What the form of the config node may contain, where that depends on other fields of it.
import { checks, isVariable } from '../../editor/checks'
import { isInventory } from '../../editor/connection'
import type { Read } from '../../editor/fields'
import { text } from '../../editor/text'
import { checkCallers } from '../../../client/model/callers'
import { plainText } from '../../../client/model/json'
import { inWords, sayToForm, typedInventoryFaults } from './inventory'
import { checkTyped } from '../../editor/typed'

export type Checked =
  'inventory' | 'callers' | 'baseUrl' | 'share' | 'engine' | 'fleet' | 'leaseTtl' | 'engineReplicas'

/** What is wrong with a value, in words; undefined when nothing is, or it is not used. */
export function faultOf(read: Read, property: Checked): string | undefined {
  const value = plainText(read(property))
  if (property === 'callers' || property === 'inventory') {
    const typed = read(`${property}Type`)
    if (typed === 'json' && value !== '' && !isVariable(value)) {
      return property === 'callers' ? callersFault(value) : inventoryFault(read)
    }
    const fault = checkTyped(typed, value)
    return fault === true ? undefined : fault
  }
  // What the rows have need not be given for all.
  const isOfMany = isInventory(read('inventoryType'))
  const isOfLease = property !== 'share' && property !== 'baseUrl'
  if (property === 'baseUrl' ? isOfMany && value === '' : !isOfMany) return undefined
  if (isOfLease && read('share') !== 'lease') return undefined
  const [key, values] = checks[property](value) ?? []
  return key && text(`error.${key}`, values)
}

function inventoryFault(read: Read): string | undefined {
  const [first, ...others] = typedInventoryFaults(read)
  if (first === undefined || others.length === 0) return first
  return `${first} (${text('error.moreRows', { number: others.length })})`
}

/** The first row that cannot be used, as the run time would say it. */
function callersFault(value: string): string | undefined {
  const { faults, failure } = checkCallers(value, sayToForm)
  const said = failure ? [failure] : faults.slice(0, 2)
  return said.length > 0 ? inWords(said) : undefined
}
