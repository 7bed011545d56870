import type { Manifest } from '../parts/manifest'
import * as shared from '../parts/shared'

export default {
  color: shared.reads,
  properties: {
    ...shared.device,
    output: {
      value: 'response',
      as: 'choice',
      choices: ['response', 'routes', 'split', 'health', 'definitions'],
      icon: 'sign-out',
      label: 'gateway:form.output',
    },
    secrets: {
      value: 'hidden',
      as: 'choice',
      choices: ['hidden', 'names'],
      icon: 'key',
      when: 'output=definitions',
    },
    hideSecrets: { ...shared.hideSecrets.hideSecrets, when: 'output=response|routes|split' },
    filter: { value: '', as: 'text', icon: 'filter', placeholder: { text: 'placeholder.filter' } },
    state: {
      value: '',
      as: 'choice',
      choices: { '': 'state.any', running: 'state.running', idle: 'state.idle' },
      icon: 'play-circle',
    },
  },
  form: [
    'name',
    'gateway',
    'appliance',
    'device',
    'filter',
    'state',
    'output',
    'secrets',
    'hideSecrets',
  ],
  inputs: { ...shared.deviceIn, 'page?': 'number', 'pageSize?': 'number' },
  outputs: {
    payload: 'object | array',
    ...shared.deviceOut,
    'routeId?': 'string',
    'parts?': 'object',
    ...shared.gatewayOut,
  },
  errors: ['NOT_FOUND device', 'INVALID_INPUT device'],
  example: {
    in: { topic: 'studios' },
    out: {
      topic: 'studios',
      payload: [{ id: 'b3c9', name: 'Studio A', state: 'running', summaryStatusCode: 'ok' }],
      deviceId: '2Y1w-x_8',
    },
  },
} as const satisfies Manifest
