import type { NodeAPI } from 'node-red'
import { OPERATIONS } from '../../client/operations'
import { registerAction } from '../runtime/action'

export = (RED: NodeAPI): void =>
  registerAction(
    RED,
    'media-gateway-get-route',
    async ({ run }) => {
      const { answer: payload, ...address } = await run(OPERATIONS.getRoute, {})
      return { payload, did: { key: 'read', name: payload.name }, ...address }
    },
    { nature: () => OPERATIONS.getRoute },
  )
