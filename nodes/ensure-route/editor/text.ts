import { textsOf } from '../../editor/text'

/** A text that only the form of ensure route has. */
export const text = textsOf('ensure-route')
