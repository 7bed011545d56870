import type { Manifest } from '../parts/manifest'
import * as shared from '../parts/shared'

export default {
  color: shared.changes,
  properties: {
    ...shared.route,
    action: {
      value: 'start',
      as: 'choice',
      choices: ['start', 'stop', 'restart', 'msg'],
      icon: 'play-circle',
    },
    target: { value: 'route', as: 'choice', choices: ['route', 'destination'], icon: 'crosshairs' },
    destination: { ...shared.destination.destination, when: 'target=destination' },
    waitFor: shared.waiting.waitFor,
    waitTimeout: { ...shared.waiting.waitTimeout, when: 'waitFor=applied, action=restart|msg' },
  },
  form: [
    'name',
    'gateway',
    'appliance',
    'device',
    'route',
    'target',
    'destination',
    'action',
    'waitFor',
    'waitTimeout',
  ],
  tries: true,
  inputs: {
    'action?': 'string',
    ...shared.routeIn,
    ...shared.destinationIn,
    ...shared.deviceIn,
    ...shared.confirmProtected,
  },
  outputs: {
    payload: 'array | object',
    ...shared.routeOut,
    ...shared.deviceOut,
    ...shared.gatewayOut,
  },
  errors: ['NOT_FOUND destination', 'CONFLICT destination', 'NOT_CONFIRMED'],
  example: {
    in: { routeName: 'Studio A', action: 'start' },
    out: {
      routeName: 'Studio A',
      action: 'start',
      payload: [{ command: 'start-route', state: 'pending' }],
      routeId: 'b3c9',
      deviceId: '2Y1w-x_8',
    },
  },
} as const satisfies Manifest
