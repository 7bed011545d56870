import type { NodeAPI } from 'node-red'
import { OPERATIONS } from '../../client/operations'
import { registerAction, type ActionConfig } from '../runtime/action'
import { choiceProperty } from '../runtime/properties'
import { counted } from '../runtime/status'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = ActionConfig & SavedOf<typeof manifest>

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-list-devices',
    async ({ run, config }) => {
      const output = choiceProperty('output', config.output, ['response', 'split'])
      const payload = await run(OPERATIONS.listDevices, {})
      const did = counted('devices', payload.length)
      if (output !== 'split') return { payload, did }
      return { payload, did, split: 'devices' }
    },
    { hidesSecrets: true },
  )
