import type { NodeAPI } from 'node-red'
import { deleteRoute } from '../../client/changes/delete'
import { registerAction, type ActionConfig } from '../runtime/action'
import { waitingOf } from '../runtime/wait-options'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = ActionConfig & SavedOf<typeof manifest>

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-delete-route',
    async ({ gateway, operation, config, parameters }) => {
      const waiting = waitingOf(config)
      const { name, ...address } = await parameters.route()
      const payload = await deleteRoute(gateway, { ...address, ...waiting }, operation)
      const did = { key: waiting.waitFor === 'applied' ? 'deleted' : 'deleteAccepted', name }
      return { payload, did, ...address }
    },
    { route: () => true, effect: () => 'change' },
  )
