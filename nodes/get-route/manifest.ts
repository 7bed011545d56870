import type { Manifest } from '../parts/manifest'
import * as shared from '../parts/shared'

export default {
  color: shared.reads,
  properties: {
    ...shared.route,
    ...shared.hideSecrets,
  },
  inputs: { ...shared.routeIn, ...shared.deviceIn },
  outputs: { payload: 'object', ...shared.routeOut, ...shared.deviceOut, ...shared.gatewayOut },
  errors: ['NOT_FOUND route', 'CONFLICT route'],
  example: {
    in: { routeName: 'Studio A' },
    out: {
      routeName: 'Studio A',
      payload: {
        id: 'b3c9',
        name: 'Studio A',
        state: 'running',
        source: { name: 'Studio A in', port: 5001 },
        destinations: [{ name: 'Studio A out', port: 6000 }],
      },
      routeId: 'b3c9',
      deviceId: '2Y1w-x_8',
    },
  },
} as const satisfies Manifest
