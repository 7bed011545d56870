// What has to be right before routes are removed, in an open form or a saved node. It needs no page.
import { jsonIn, plainText } from '../../../client/model/json'
import { RANGES } from '../../../client/model/ranges'
import { flagIn, numberIn } from '../../../client/model/settings'
import { isVariable, type Fault } from '../../editor/checks'
import type { Read } from '../../editor/fields'

export type Checked = 'remove' | 'removePattern' | 'removeAtMost'

/** The first fault of a property. Only a node that removes routes has any. */
export function faultOf(read: Read, property: Checked): Fault | undefined {
  return read('remove') === 'pattern' ? CHECKS[property](read) : undefined
}

/** A property that a flow does not have takes its default when it runs. */
const textIn = (read: Read, property: string): string => plainText(read(property))

const CHECKS: Record<Checked, (read: Read) => Fault | undefined> = {
  remove(read) {
    if (read('state') === 'absent') return ['removeAbsent']
    const isHere = read('definitionType') === 'json'
    const definition = isHere ? jsonIn(textIn(read, 'definition')) : undefined
    if (definition !== undefined && !Array.isArray(definition)) return ['removeNeedsList']
    const isPlanned = flagIn(read('approve')) === true || flagIn(read('check')) === true
    return isPlanned ? undefined : ['removeNeedsPlan']
  },

  removePattern: (read) => (textIn(read, 'removePattern') === '' ? ['pattern'] : undefined),

  removeAtMost(read) {
    const value = textIn(read, 'removeAtMost')
    const range = RANGES.removeAtMost
    if (value === '' || isVariable(value) || numberIn(value, range) !== undefined) return undefined
    return ['atMost', { least: range.least, most: range.most }]
  },
}
