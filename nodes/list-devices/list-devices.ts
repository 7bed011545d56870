import type { NodeAPI } from 'node-red'
import { listDevices } from '../../client/internal'
import { registerAction, type ActionConfig } from '../runtime/action'
import { counted } from '../runtime/status'

interface Config extends ActionConfig {
  output?: string
}

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-list-devices',
    async ({ gateway, operation, config }) => {
      const payload = await listDevices(gateway, operation)
      const did = counted('devices', payload.length)
      if (config.output !== 'split') return { payload, did }
      return { payload, did, split: 'devices' }
    },
  )
