// The sidebar's requests to Node-RED.
import { ask, settled } from '../../editor/ask'
import type { Path, Requests } from '../../wire'

/** An appliance may be slow, and the timeout of a config node may allow for it. */
const SLOW: readonly Path[] = ['report', 'control', 'failover']

export const request = <To extends Path>(path: To, body?: Requests[To]['body']) =>
  settled(ask(path, body, SLOW.includes(path) ? 120_000 : 15_000))
