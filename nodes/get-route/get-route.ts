import type { NodeAPI } from 'node-red'
import { getRoute } from '../../client/api/routes'
import { registerAction } from '../runtime/action'

export = (RED: NodeAPI): void =>
  registerAction(
    RED,
    'media-gateway-get-route',
    async ({ gateway, operation, parameters }) => {
      const { deviceId, routeId } = await parameters.route()
      const payload = await getRoute(gateway, { deviceId, routeId }, operation)
      return { payload, did: { key: 'read', name: payload.name }, deviceId, routeId }
    },
    { route: () => true },
  )
