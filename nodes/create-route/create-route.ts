import type { NodeAPI } from 'node-red'
import { createRoute } from '../../client/changes/create'
import { registerAction, type ActionConfig } from '../runtime/action'
import { waitingOf } from '../runtime/wait-options'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = ActionConfig & SavedOf<typeof manifest>

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-create-route',
    async ({ gateway, operation, config, parameters }) => {
      const waiting = waitingOf(config)
      const definition = await parameters.definition()
      const { deviceId, answer, route } = await createRoute(
        gateway,
        {
          deviceId: parameters.device,
          definition,
          startRoute: config.startRoute === true,
          validate: config.validate !== false,
          ...waiting,
        },
        operation,
      )
      const { name } = definition as { name: string }
      if (route) {
        return { payload: route, did: { key: 'created', name }, deviceId, routeId: route.id }
      }
      const did = { key: 'createAccepted', name }
      return { payload: answer, did, deviceId, routeId: null, routeName: name }
    },
    { definition: true, effect: () => 'change' },
  )
