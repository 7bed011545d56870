import type { Manifest } from '../parts/manifest'
import * as shared from '../parts/shared'

export default {
  color: shared.changes,
  properties: {
    ...shared.device,
    ...shared.definition,
    startRoute: { value: false, as: 'flag' },
    ...shared.validate,
    ...shared.waiting,
  },
  inputs: { payload: 'object', ...shared.deviceIn },
  outputs: { payload: 'object', 'routeId?': 'string', ...shared.deviceOut, ...shared.gatewayOut },
  errors: ['INVALID_INPUT', 'OUTCOME_UNKNOWN'],
  example: {
    in: {
      payload: {
        name: 'Studio C',
        source: { name: 'Studio C in', protocol: 'srt', srtMode: 'listener', port: 5003 },
        destinations: [{ name: 'Studio C out', protocol: 'udp', address: '239.1.1.3', port: 6003 }],
      },
    },
    out: {
      payload: { status: 'The route is being created.' },
      routeName: 'Studio C',
      deviceId: '2Y1w-x_8',
    },
  },
} as const satisfies Manifest
