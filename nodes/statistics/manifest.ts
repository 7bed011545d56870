import type { Manifest } from '../parts/manifest'
import * as shared from '../parts/shared'

export default {
  color: shared.reads,
  properties: {
    ...shared.device,
    route: { ...shared.route.route, when: 'scope=route|source|destination|client' },
    scope: {
      value: 'route',
      as: 'choice',
      choices: ['route', 'source', 'destination', 'client', 'all'],
      icon: 'bar-chart',
      hints: [{ text: 'hint.client', when: 'scope=client' }],
    },
    output: {
      value: 'statistics',
      as: 'choice',
      choices: ['statistics', 'callers'],
      icon: 'sign-out',
      label: 'gateway:form.output',
    },
    destination: { ...shared.destination.destination, when: 'scope=destination|client' },
  },
  form: ['name', 'gateway', 'appliance', 'device', 'scope', 'output', 'route', 'destination'],
  inputs: {
    ...shared.routeIn,
    ...shared.destinationIn,
    'clientAddress?': 'string',
    'clientPort?': 'number',
    ...shared.deviceIn,
  },
  outputs: {
    payload: 'object | array',
    ...shared.routeOut,
    ...shared.deviceOut,
    ...shared.gatewayOut,
  },
  errors: ['NOT_FOUND destination', 'CONFLICT destination'],
  example: {
    in: { routeName: 'Studio A' },
    out: {
      routeName: 'Studio A',
      payload: {
        collectedAt: 1767225600000,
        route: {
          id: 'b3c9',
          name: 'Studio A',
          state: 'running',
          source: { state: 'connected', bitrate: 9.5 },
          destinations: [{ name: 'Studio A out', bitrate: 7.4 }],
        },
      },
      routeId: 'b3c9',
      deviceId: '2Y1w-x_8',
    },
  },
} as const satisfies Manifest
