import type { Manifest } from '../parts/manifest'
import * as shared from '../parts/shared'

const seconds = (icon: string, placeholder: string) =>
  ({
    value: '',
    as: 'number',
    icon,
    placeholder,
    unit: 'gateway:form.seconds',
    check: 'own',
  }) as const

export default {
  color: shared.reads,
  properties: {
    ...shared.device,
    ...shared.appliances,
    route: { ...shared.route.route, value: '', type: 'name', when: 'method=source', check: 'own' },
    method: { value: 'source', as: 'choice', choices: ['source', 'routes'], icon: 'random' },
    main: { value: '', as: 'typed', type: 'json', icon: 'sign-in', check: 'own' },
    backup: { value: '', as: 'typed', type: 'json', icon: 'life-ring', check: 'own' },
    failOn: { value: 'noData', as: 'choice', choices: ['noData', 'status'], icon: 'heartbeat' },
    holdOff: seconds('hourglass-half', '10'),
    restore: { value: 'off', as: 'choice', choices: ['off', 'monitor', 'message'], icon: 'undo' },
    monitor: {
      value: '',
      as: 'typed',
      type: 'name',
      icon: 'eye',
      when: 'restore=monitor',
      check: 'own',
    },
    waitToRestore: { ...seconds('clock-o', '300'), when: 'restore=monitor|message' },
    monitorBackup: { value: '', as: 'typed', type: 'name', icon: 'eye', check: 'own' },
    settle: seconds('hourglass-start', '10'),
    guard: seconds('shield', '30'),
    pollEvery: seconds('refresh', '2'),
    ...shared.language,
    // Of an earlier version: without them here, the editor loses them before they are migrated.
    lookEvery: {},
    dryRun: {},
    hold: { value: false, check: 'own' },
  },
  inputs: { 'action?': 'string', 'hold?': 'boolean', 'main?': 'boolean' },
  outputs: { topic: 'string', payload: 'object', ...shared.routeOut },
  sends: true,
  errors: ['INVALID_INPUT', 'CONFLICT', 'UNAVAILABLE'],
  example: {
    in: { action: 'backup' },
    out: {
      topic: 'failover.switched',
      payload: {
        event: 'failover.switched',
        text: 'Studio A: switched to backup, as requested (outage: 4 seconds)',
        state: 'protecting',
        from: 'main',
        to: 'backup',
        cause: 'manual',
        outageMs: 4012,
      },
      routeId: 'b3c9a0f2-6d11-4c8e-9a57-0e1f2a3b4c5d',
    },
  },
} as const satisfies Manifest
