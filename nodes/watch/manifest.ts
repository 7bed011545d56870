import type { Manifest } from '../parts/manifest'
import * as shared from '../parts/shared'

export default {
  color: shared.reads,
  properties: {
    ...shared.device,
    ...shared.appliances,
    route: { ...shared.route.route, value: '', type: 'all' },
    report: {
      value: 'incidents',
      lacking: 'changes',
      as: 'choice',
      choices: ['incidents', 'changes'],
      icon: 'bell-o',
    },
    mustRun: {
      value: '',
      as: 'text',
      icon: 'play-circle-o',
      placeholder: { text: 'placeholder.mustRun' },
    },
    events: { value: [], check: 'own' },
    initial: { value: 'none', as: 'choice', choices: ['none', 'snapshot'], icon: 'flag-o' },
    ...shared.language,
    // Its placeholder depends on what is reported.
    holdFor: {
      value: '',
      as: 'number',
      icon: 'hourglass-half',
      unit: 'gateway:form.seconds',
      check: 'value',
    },
    thresholds: { value: [], check: 'own' },
  },
  outputs: { topic: 'string', payload: 'object', ...shared.deviceOut, 'routeId?': 'string' },
  sends: true,
  errors: [],
  example: {
    out: {
      topic: 'incident.begun',
      payload: {
        event: 'incident.begun',
        text: 'Studio A: no source (disconnected)',
        at: 1767225600000,
        incident: {
          id: 'q3Tz0mVxB2Lk',
          severity: 'critical',
          kind: 'route',
          reason: 'no-source',
          since: 1767225600000,
          until: null,
          durationMs: null,
        },
        device: { id: '2Y1w-x_8', name: 'Gateway 1' },
        route: { id: 'b3c9', name: 'Studio A' },
        source: { id: 's1', name: 'Studio A in' },
        before: 'ok',
        after: 'critical',
        word: 'disconnected',
      },
      deviceId: '2Y1w-x_8',
      routeId: 'b3c9',
    },
  },
} as const satisfies Manifest
