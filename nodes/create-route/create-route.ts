import type { NodeAPI } from 'node-red'
import { OPERATIONS } from '../../client/operations'
import { registerAction, type ActionConfig } from '../runtime/action'
import { flagProperty, waitingOf } from '../runtime/properties'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = ActionConfig & SavedOf<typeof manifest>

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-create-route',
    async ({ run, operation, config }) => {
      const { deviceId, answer, route } = await run(OPERATIONS.createRoute, {
        startRoute: flagProperty('startRoute', config.startRoute),
        validate: flagProperty('validate', config.validate, true),
        ...waitingOf(config),
      })
      const name = operation.route
      if (route) {
        return { payload: route, did: { key: 'created', name }, deviceId, routeId: route.id }
      }
      const did = { key: 'createAccepted', name }
      return { payload: answer, did, deviceId, routeId: null, routeName: name }
    },
    { nature: () => OPERATIONS.createRoute },
  )
