import { textsOf } from '../../editor/text'

/** A text that only the form of the watch has. */
export const text = textsOf('watch')
