import type { Manifest } from '../parts/manifest'
import * as shared from '../parts/shared'

export default {
  color: shared.reads,
  properties: {
    ...shared.device,
    ...shared.hideSecrets,
  },
  inputs: { ...shared.deviceIn },
  outputs: { payload: 'object', ...shared.deviceOut, ...shared.gatewayOut },
  errors: ['NOT_FOUND device', 'INVALID_INPUT device'],
  example: {
    in: { deviceId: '2Y1w-x_8' },
    out: {
      payload: {
        name: 'Gateway 1',
        config: {
          routes: [{ id: 'b3c9', name: 'Studio A' }],
          settings: { networkAdapters: [{ name: 'eth0', address: '192.0.2.10' }] },
          peers: [],
        },
      },
      deviceId: '2Y1w-x_8',
    },
  },
} as const satisfies Manifest
