import type { NodeAPI } from 'node-red'
import { updateRoute } from '../../client/changes/update'
import { registerAction, type ActionConfig } from '../runtime/action'
import { choiceProperty } from '../runtime/properties'
import { waitingOf } from '../runtime/wait-options'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = ActionConfig & SavedOf<typeof manifest>

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-update-route',
    async ({ gateway, operation, config, parameters }) => {
      const waiting = waitingOf(config)
      const mode = choiceProperty('mode', config.mode, ['merge', 'keep', 'replace'])
      const { deviceId, routeId, answer, route } = await updateRoute(
        gateway,
        {
          address: parameters.route,
          patch: await parameters.definition(),
          mode,
          validate: config.validate !== false,
          ...waiting,
        },
        operation,
      )
      const did = route ? { key: 'updated', name: route.name } : { key: 'updateAccepted' }
      return { payload: route ?? answer, did, deviceId, routeId }
    },
    { route: () => true, definition: true, effect: () => 'change' },
  )
