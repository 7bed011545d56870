// The faults of a failover in the language of the user.
import type { FailoverReason } from '../../../client/model/failover-sides'
import { wordsOf as wordsOfDefinition } from '../../editor/route-form/faults'
import { labelOf } from '../../editor/route-form/text'
import { propertyOf, type Fault } from './settings'
import { text } from './text'

/** A fault, with its place within the property where it is not the whole of it. */
export function wordsOf(fault: Fault): string {
  const inside = fault.path.slice(propertyOf(fault.path).length).replace(/^\./, '')
  const words = 'reason' in fault ? wordsOfReason(fault.reason) : wordsOfDefinition(fault)
  return inside === '' ? words : `${labelOf(inside)}: ${words}`
}

function wordsOfReason(reason: FailoverReason): string {
  const other = 'other' in reason ? text(`label.${reason.other}`) : ''
  const protocol = 'protocol' in reason ? reason.protocol : ''
  return text(`error.${reason.kind}`, { other, protocol })
}
