import type { NodeAPI } from 'node-red'
import { OPERATIONS } from '../../client/operations'
import { registerAction, type ActionConfig } from '../runtime/action'
import { waitingOf } from '../runtime/properties'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = ActionConfig & SavedOf<typeof manifest>

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-delete-route',
    async ({ run, config }) => {
      const waiting = waitingOf(config)
      const { answer: payload, name, ...address } = await run(OPERATIONS.deleteRoute, waiting)
      const did = { key: waiting.waitFor === 'applied' ? 'deleted' : 'deleteAccepted', name }
      return { payload, did, ...address }
    },
    { nature: () => OPERATIONS.deleteRoute },
  )
