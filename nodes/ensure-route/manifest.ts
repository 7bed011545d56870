import type { Manifest } from '../parts/manifest'
import * as shared from '../parts/shared'

export default {
  color: shared.changes,
  properties: {
    ...shared.device,
    ...shared.definition,
    state: {
      value: 'present',
      as: 'choice',
      choices: ['present', 'started', 'stopped', 'row', 'absent'],
      icon: 'check-circle',
    },
    exact: { value: false, as: 'flag', when: 'state=present|started|stopped|row' },
    ...shared.validate,
    remove: {
      value: 'none',
      as: 'choice',
      choices: ['none', 'pattern'],
      icon: 'trash-o',
      when: 'state=present|started|stopped|row, remove=pattern',
      check: 'own',
    },
    removePattern: { value: '', check: 'own' },
    removeAtMost: {
      value: 3,
      as: 'number',
      icon: 'hand-paper-o',
      placeholder: '3',
      unit: 'unit.routes',
      when: 'remove=pattern',
      check: 'own',
    },
    approve: { value: false, as: 'flag', when: 'check=false' },
    check: { value: false, as: 'flag' },
    // It always waits.
    waitTimeout: { ...shared.waiting.waitTimeout, when: undefined },
  },
  inputs: {
    payload: 'object | array',
    ...shared.deviceIn,
    ...shared.confirmProtected,
    ...shared.confirmShared,
    'plan?': 'object',
    'action?': 'string',
  },
  outputs: {
    payload: 'object | array',
    'routeId?': 'string',
    'plan?': 'object',
    ...shared.deviceOut,
    ...shared.gatewayOut,
  },
  errors: ['INVALID_INPUT, CONFLICT', 'CLOSED'],
  example: {
    in: { payload: { name: 'Studio A', destinations: [{ name: 'Studio A out', port: 6002 }] } },
    out: {
      payload: {
        changed: true,
        action: 'update',
        diff: [{ path: 'destinations[0].port', from: 6000, to: 6002 }],
        before: { id: 'b3c9', name: 'Studio A' },
        after: { id: 'b3c9', name: 'Studio A' },
      },
      routeId: 'b3c9',
    },
  },
} as const satisfies Manifest
