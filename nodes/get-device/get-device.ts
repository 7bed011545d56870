import type { NodeAPI } from 'node-red'
import { OPERATIONS } from '../../client/operations'
import { registerAction } from '../runtime/action'

export = (RED: NodeAPI): void =>
  registerAction(RED, 'media-gateway-get-device', async ({ run }) => {
    const { answer: payload, deviceId } = await run(OPERATIONS.getDevice, {})
    return { payload, did: { key: 'read', name: payload.name }, deviceId }
  })
