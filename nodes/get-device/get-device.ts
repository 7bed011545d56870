import type { NodeAPI } from 'node-red'
import { getDevice, hideSecrets } from '../../client/internal'
import { registerAction, type ActionConfig } from '../runtime/action'

interface Config extends ActionConfig {
  hideSecrets?: boolean
}

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-get-device',
    async ({ gateway, operation, config, parameters }) => {
      const deviceId = await parameters.device()
      const device = await getDevice(gateway, deviceId, operation)
      const payload = config.hideSecrets ? hideSecrets(device) : device
      return { payload, did: { key: 'read', name: device.name }, deviceId }
    },
  )
