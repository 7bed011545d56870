import type { NodeAPI } from 'node-red'
import { getRoute, hideSecrets } from '../../client/internal'
import { registerAction, type ActionConfig } from '../runtime/action'

interface Config extends ActionConfig {
  hideSecrets?: boolean
}

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-get-route',
    async ({ gateway, operation, config, parameters }) => {
      const { deviceId, routeId } = await parameters.route()
      const route = await getRoute(gateway, { deviceId, routeId }, operation)
      const payload = config.hideSecrets ? hideSecrets(route) : route
      return { payload, did: { key: 'read', name: route.name }, deviceId, routeId }
    },
  )
