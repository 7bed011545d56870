// The faults of a failover in the language of the user.
import type { FailoverReason } from '../../../client/model/failover-faults'
import { wordsOf as wordsOfDefinition } from '../../editor/route-form/faults'
import { text as shared } from '../../editor/text'
import { propertyOf, type Fault } from './settings'
import { text } from './text'

/** A fault, with its place within the property where it is not the whole of it. */
export function wordsOf(fault: Fault): string {
  const inside = fault.path.slice(propertyOf(fault.path).length).replace(/^\./, '')
  const words = 'reason' in fault ? wordsOfReason(fault.reason) : wordsOfDefinition(fault)
  return inside === '' ? words : `${inside}: ${words}`
}

function wordsOfReason(reason: FailoverReason): string {
  switch (reason.kind) {
    case 'number':
    case 'wholeNumber':
      return shared(`error.${reason.kind}`, { least: reason.least, most: reason.most })
    case 'missing':
      return text('error.missing', { other: text(`label.${reason.other}`) })
    default:
      return text(`error.${reason.kind}`)
  }
}
