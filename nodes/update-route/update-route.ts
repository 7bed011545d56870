import type { NodeAPI } from 'node-red'
import { updateRoute, type UpdateMode } from '../../client/changes/update'
import { registerAction, type ActionConfig } from '../runtime/action'
import { choiceProperty } from '../runtime/properties'
import { waitingOf, type WaitingConfig } from '../runtime/wait-options'

interface Config extends ActionConfig, WaitingConfig {
  mode?: UpdateMode
  validate?: boolean
}

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
