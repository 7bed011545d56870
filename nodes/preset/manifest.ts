import type { Manifest } from '../parts/manifest'
import * as shared from '../parts/shared'

export default {
  color: shared.changes,
  properties: {
    ...shared.device,
    action: {
      value: 'export',
      as: 'choice',
      choices: ['export', 'import'],
      icon: 'exchange',
      hints: [
        { text: 'hint.export', when: 'action=export' },
        { text: 'hint.import', when: 'action=import', warns: true },
      ],
    },
    hideSecrets: {
      value: false,
      as: 'flag',
      label: shared.hideSecrets.hideSecrets.label,
      when: 'action=export',
    },
  },
  inputs: {
    'payload?': 'object | string | buffer',
    'confirm?': 'boolean',
    ...shared.deviceIn,
    ...shared.confirmProtected,
  },
  outputs: { payload: 'object', ...shared.deviceOut, ...shared.gatewayOut },
  errors: ['INVALID_INPUT', 'FORBIDDEN', 'OUTCOME_UNKNOWN'],
  example: {
    in: { topic: 'backup' },
    out: {
      topic: 'backup',
      payload: { preset_version: '1.0', product_version: '3.8.1', routes: [{ name: 'Studio A' }] },
      deviceId: '2Y1w-x_8',
    },
  },
} as const satisfies Manifest
