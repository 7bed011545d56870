import type { NodeAPI } from 'node-red'
import { exportPreset } from '../../client/api/presets'
import { invalidInput } from '../../client/errors'
import { restorePreset } from '../../client/changes/presets'
import { registerAction, type ActionConfig } from '../runtime/action'
import { choiceProperty } from '../runtime/properties'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = ActionConfig & SavedOf<typeof manifest>

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-preset',
    async ({ gateway, operation, config, message, parameters }) => {
      if (choiceProperty('action', config.action, ['export', 'import']) === 'export') {
        const deviceId = await parameters.device()
        const payload = await exportPreset(gateway, deviceId, operation)
        return { payload, did: { key: 'exported' }, deviceId }
      }
      if (message.confirm !== true) {
        const problem =
          'must be true: an import replaces all routes of the device, so the message has to confirm it'
        throw invalidInput([{ path: 'msg.confirm', problem }], operation.name)
      }
      const { deviceId, answer } = await restorePreset(
        gateway,
        { deviceId: parameters.device, preset: message.payload },
        operation,
      )
      return { payload: answer, did: { key: 'importAccepted' }, deviceId }
    },
    {
      message: ['confirm', 'payload'],
      effect: ({ action }) => (action === 'import' ? 'change' : 'read'),
    },
  )
