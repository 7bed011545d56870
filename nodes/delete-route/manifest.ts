import type { Manifest } from '../parts/manifest'
import * as shared from '../parts/shared'

export default {
  color: shared.changes,
  properties: {
    ...shared.route,
    ...shared.waiting,
  },
  inputs: {
    ...shared.routeIn,
    ...shared.deviceIn,
    ...shared.confirmProtected,
    ...shared.confirmShared,
  },
  outputs: { payload: 'object', ...shared.routeOut, ...shared.deviceOut, ...shared.gatewayOut },
  errors: ['NOT_FOUND route', 'CONFLICT route', 'OUTCOME_UNKNOWN'],
  example: {
    in: { routeName: 'Studio A' },
    out: {
      routeName: 'Studio A',
      payload: { status: 'The route is being deleted.' },
      routeId: 'b3c9',
      deviceId: '2Y1w-x_8',
    },
  },
} as const satisfies Manifest
