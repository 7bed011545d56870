import { textsOf } from '../../editor/text'

/** A text that only the form of the failover has. */
export const text = textsOf('failover')
