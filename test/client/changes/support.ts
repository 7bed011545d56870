import { toSent } from '../../../client/model/convert'
import type { Route, RouteFields } from '../../../client/model/types'
import { frozen } from '../../support/arbitraries'

export const SECRET = 'correct horse battery'

/** A route as read: an SRT source, an SRT and a UDP destination. */
export const PRESENT = frozen({
  id: 'route',
  name: 'Studio A',
  state: 'running',
  source: {
    id: 's',
    name: 'in',
    protocol: 'srt',
    mode: 'listener',
    address: '0.0.0.0',
    port: 5000,
    srtLatency: 250,
    srtPassPhrase: SECRET,
    srtGroupMode: 'none',
    state: 'connected',
  },
  destinations: [
    {
      id: 'd1',
      name: 'one',
      protocol: 'srt',
      mode: 'caller',
      address: '10.0.0.1',
      port: 6000,
      srtLatency: 125,
      srtPassPhrase: SECRET,
      srtEncryption: 'AES128',
      ttl: 64,
      tos: 104,
      started: true,
      later: { a: 1, b: { c: 2 } },
    },
    {
      id: 'd2',
      name: 'two',
      protocol: 'udp',
      mode: 'multicast',
      address: '239.0.0.1',
      port: 6001,
      ttl: 64,
      fec: 'none',
      retainedByFirmware: 1,
    },
  ],
}) as unknown as Route
export const SENT = toSent(PRESENT)

export const withDestination = (index: number, changes: object, from = SENT): RouteFields => ({
  ...from,
  destinations: from.destinations.map((one, at) => (at === index ? { ...one, ...changes } : one)),
})
