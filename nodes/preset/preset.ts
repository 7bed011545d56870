import type { NodeAPI } from 'node-red'
import { exportPreset, hideSecrets, invalidInput, restorePreset } from '../../client/internal'
import { registerAction, type ActionConfig } from '../runtime/action'

interface Config extends ActionConfig {
  action?: string
  hideSecrets?: boolean
}

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-preset',
    async ({ gateway, operation, config, message, parameters }) => {
      switch (config.action || 'export') {
        case 'export': {
          const deviceId = await parameters.device()
          const preset = await exportPreset(gateway, deviceId, operation)
          const payload = config.hideSecrets ? hideSecrets(preset) : preset
          return { payload, did: { key: 'exported' }, deviceId }
        }
        case 'import': {
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
        }
        default:
          throw invalidInput(
            [{ path: 'action', problem: 'must be one of "export" and "import"' }],
            operation.name,
          )
      }
    },
    {
      message: ['confirm', 'payload'],
      effect: ({ action }) => (action === 'import' ? 'once' : 'read'),
    },
  )
