import type { Manifest } from '../parts/manifest'
import * as shared from '../parts/shared'

export default {
  color: shared.changes,
  properties: {
    ...shared.route,
    ...shared.definition,
    mode: {
      value: 'merge',
      as: 'choice',
      choices: ['keep', 'merge', 'replace'],
      icon: 'sliders',
      hints: [
        { text: 'hint.keep', when: 'mode=keep' },
        { text: 'hint.merge', when: 'mode=merge' },
        { text: 'hint.replace', when: 'mode=replace', warns: true },
      ],
    },
    ...shared.validate,
    ...shared.waiting,
  },
  tries: true,
  inputs: {
    payload: 'object',
    ...shared.routeIn,
    ...shared.deviceIn,
    ...shared.confirmProtected,
    ...shared.confirmShared,
  },
  outputs: { payload: 'object', ...shared.routeOut, ...shared.deviceOut, ...shared.gatewayOut },
  errors: ['INVALID_INPUT', 'OUTCOME_UNKNOWN'],
  example: {
    in: {
      routeName: 'Studio A',
      payload: { destinations: [{ name: 'Studio A out', port: 6002 }] },
    },
    out: {
      routeName: 'Studio A',
      payload: { status: 'The route is being updated.' },
      routeId: 'b3c9',
      deviceId: '2Y1w-x_8',
    },
  },
} as const satisfies Manifest
