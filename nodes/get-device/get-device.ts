import type { NodeAPI } from 'node-red'
import { getDevice } from '../../client/api/devices'
import { registerAction } from '../runtime/action'

export = (RED: NodeAPI): void =>
  registerAction(RED, 'media-gateway-get-device', async ({ gateway, operation, parameters }) => {
    const deviceId = await parameters.device()
    const payload = await getDevice(gateway, deviceId, operation)
    return { payload, did: { key: 'read', name: payload.name }, deviceId }
  })
