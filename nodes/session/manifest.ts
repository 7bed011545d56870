import type { Manifest } from '../parts/manifest'
import * as shared from '../parts/shared'

export default {
  color: shared.connects,
  properties: {
    ...shared.appliance,
    action: { value: 'info', as: 'choice', choices: ['info', 'start', 'end', 'msg'], icon: 'key' },
  },
  inputs: { 'action?': 'string' },
  outputs: { payload: 'object', ...shared.gatewayOut },
  errors: ['LOGIN_REFUSED', 'TOO_MANY_SESSIONS'],
  example: {
    in: { topic: 'license check' },
    out: {
      topic: 'license check',
      payload: {
        displayName: 'Administrator',
        roles: ['Administrator'],
        expireAt: 1767226500000,
        isLicensed: true,
      },
    },
  },
} as const satisfies Manifest
