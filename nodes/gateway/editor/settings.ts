// What the form of the config node may contain, where that depends on other fields of it.
import { checks, isVariable, type Check } from '../../editor/checks'
import { isInventory } from '../../editor/connection'
import { text } from '../../editor/text'
import { checkCallers } from '../../../client/model/callers'
import { plainText } from '../../../client/model/json'
import { inWords, sayToForm, typedInventoryFaults } from './inventory'
import { checkTyped } from '../../editor/typed'

export type Checked =
  'inventory' | 'callers' | 'baseUrl' | 'share' | 'engine' | 'fleet' | 'leaseTtl' | 'engineReplicas'

/** What is wrong with a value, in words; undefined when nothing is, or it is not used. */
export function faultOf(
  read: (property: string) => unknown,
  property: Checked,
): string | undefined {
  const value = plainText(read(property))
  const type = read('inventoryType')
  if (property === 'callers' || property === 'inventory') {
    const typed = read(`${property}Type`)
    if (typed === 'json' && value !== '' && !isVariable(value)) {
      return property === 'callers' ? callersFault(value) : inventoryFault(read)
    }
    const fault = checkTyped(typed, value)
    return fault === true ? undefined : fault
  }
  // What the rows have need not be given for all.
  if (property === 'baseUrl') {
    return isInventory(type) && value === '' ? undefined : checked(property, value)
  }
  if (!isInventory(type)) return undefined
  if (property !== 'share' && read('share') !== 'lease') return undefined
  return checked(property, value)
}

function checked(property: Check, value: string): string | undefined {
  const [key, values] = checks[property](value) ?? []
  return key && text(`error.${key}`, values)
}

function inventoryFault(read: (property: string) => unknown): string | undefined {
  const faults = typedInventoryFaults(read)
  if (faults.length === 0) return undefined
  const [first = '', ...others] = faults
  return others.length === 0
    ? first
    : `${first} (${text('error.moreRows', { number: others.length })})`
}

/** The first row that cannot be used, as the run time would say it. */
function callersFault(value: string): string | undefined {
  const { faults, failure } = checkCallers(value, sayToForm)
  return failure || faults.length > 0
    ? inWords(failure ? [failure] : faults.slice(0, 2))
    : undefined
}
