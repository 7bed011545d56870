import type { NodeAPI } from 'node-red'
import { OPERATIONS } from '../../client/operations'
import { registerAction, type ActionConfig } from '../runtime/action'
import { choiceProperty, flagProperty, waitingOf } from '../runtime/properties'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = ActionConfig & SavedOf<typeof manifest>

/** The first is that of a node without one; a node of 0.1 gets its own, see the migrations. */
const MODES = ['merge', 'keep', 'replace'] as const

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-update-route',
    async ({ run, config }) => {
      const { deviceId, routeId, answer, route } = await run(OPERATIONS.updateRoute, {
        ...waitingOf(config),
        mode: choiceProperty('mode', config.mode, MODES),
        validate: flagProperty('validate', config.validate, true),
      })
      const did = route ? { key: 'updated', name: route.name } : { key: 'updateAccepted' }
      return { payload: route ?? answer, did, deviceId, routeId }
    },
    { nature: () => OPERATIONS.updateRoute },
  )
