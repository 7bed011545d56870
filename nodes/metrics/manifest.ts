import type { Manifest } from '../parts/manifest'
import * as shared from '../parts/shared'

export default {
  color: shared.reads,
  properties: {
    ...shared.name,
    gateways: { value: 'all', as: 'choice', choices: ['all', 'one'], icon: 'server' },
    gateway: { ...shared.gateway.gateway, required: false, when: 'gateways=one', check: 'own' },
    ...shared.appliances,
    detail: { value: 'routes', as: 'choice', choices: ['totals', 'routes'], icon: 'list-ul' },
    statistics: {
      value: '',
      as: 'number',
      icon: 'bar-chart',
      placeholder: { text: 'placeholder.statistics' },
      unit: 'gateway:form.seconds',
      when: 'detail=routes',
      check: 'own',
      hints: [{ text: 'hint.statistics', when: 'detail=routes' }],
    },
    route: {
      value: '',
      as: 'typed',
      type: 'all',
      icon: shared.route.route.icon,
      when: 'detail=routes',
      check: 'own',
      hints: [{ text: 'hint.pattern', when: 'routeType=pattern' }],
    },
  },
  inputs: { 'req?': 'object' },
  outputs: { payload: 'string', headers: 'object', statusCode: 'number' },
  errors: [],
  example: {
    in: { req: { query: { gateway: 'Studio gateway' } } },
    out: {
      payload: '# HELP media_gateway_…',
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      statusCode: 200,
    },
  },
} as const satisfies Manifest
