import { textsOf } from '../../editor/text'

export const text = textsOf('failover')
