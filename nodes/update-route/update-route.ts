import type { NodeAPI } from 'node-red'
import { UPDATE_MODES } from '../../client/model/check'
import { OPERATIONS } from '../../client/operations'
import { registerAction, type ActionConfig } from '../runtime/action'
import { choiceProperty, waitingOf } from '../runtime/properties'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = ActionConfig & SavedOf<typeof manifest>

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-update-route',
    async ({ run, config }) => {
      const { deviceId, routeId, answer, route } = await run(OPERATIONS.updateRoute, {
        ...waitingOf(config),
        mode: choiceProperty('mode', config.mode, UPDATE_MODES),
        validate: config.validate !== false,
      })
      const did = route ? { key: 'updated', name: route.name } : { key: 'updateAccepted' }
      return { payload: route ?? answer, did, deviceId, routeId }
    },
    { nature: () => OPERATIONS.updateRoute },
  )
