import { textsOf } from '../../editor/text'

/** A text that only the sidebar has. */
export const text = textsOf('sidebar')
