import type { Manifest } from '../parts/manifest'
import * as shared from '../parts/shared'

export default {
  color: shared.reads,
  properties: {
    ...shared.appliance,
    output: {
      value: 'response',
      as: 'choice',
      choices: ['response', 'split'],
      icon: 'sign-out',
      label: 'gateway:form.output',
    },
  },
  inputs: {},
  outputs: {
    payload: 'array | object',
    'deviceId?': 'string',
    'parts?': 'object',
    ...shared.gatewayOut,
  },
  errors: ['UNAVAILABLE', 'LOGIN_REFUSED'],
  example: {
    in: { topic: 'morning check' },
    out: {
      topic: 'morning check',
      payload: [
        {
          _id: '2Y1w-x_8',
          name: 'Gateway 1',
          statusCode: 'ok',
          status: 'Online',
          firmware: '5.5.230907.1727',
        },
      ],
    },
  },
} as const satisfies Manifest
