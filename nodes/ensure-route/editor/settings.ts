// What has to be right before routes are removed, in an open form or a saved node. It needs no page.
import { jsonIn, plainText } from '../../../client/model/json'
import { RANGES } from '../../../client/model/ranges'
import { numberIn } from '../../../client/model/settings'
import { isVariable } from '../../editor/checks'
import type { Values } from '../../editor/text'

/** The present value of a property. */
export type Read = (property: string) => unknown

/** The properties that can be wrong. */
export type Checked = 'remove' | 'removePattern' | 'removeAtMost'

/** The key of a text, and the values that go into it. */
export type Fault = [key: string, values?: Values]

/** The first fault of a property. Only a node that removes routes has any. */
export function faultOf(read: Read, property: Checked): Fault | undefined {
  return read('remove') === 'pattern' ? CHECKS[property](read) : undefined
}

/** A property that a flow does not have takes its default when it runs. */
const textIn = (read: Read, property: string): string => plainText(read(property))

const CHECKS: Record<Checked, (read: Read) => Fault | undefined> = {
  remove(read) {
    if (read('state') === 'absent') return ['removeAbsent']
    if (definitionIn(read) !== undefined && !Array.isArray(definitionIn(read))) {
      return ['removeNeedsList']
    }
    return read('approve') === true || read('check') === true ? undefined : ['removeNeedsPlan']
  },

  removePattern: (read) => (textIn(read, 'removePattern') === '' ? ['pattern'] : undefined),

  removeAtMost(read) {
    const value = textIn(read, 'removeAtMost')
    const range = RANGES.removeAtMost
    if (value === '' || isVariable(value) || numberIn(value, range) !== undefined) return undefined
    return ['atMost', { least: range.least, most: range.most }]
  },
}

/** The definition as it is in the form; undefined where a message or the context decides. */
export function definitionIn(read: Read): unknown {
  return read('definitionType') === 'json' ? jsonIn(textIn(read, 'definition')) : undefined
}
