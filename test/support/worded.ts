import { sentenceOf, type Fault } from '../../client/model/faults'

/** Faults as an error reports them. */
export const worded = (faults: readonly Fault[]): Array<{ path: string; problem: string }> =>
  faults.map((fault) => ({ path: fault.path, problem: sentenceOf(fault) }))
