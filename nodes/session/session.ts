import type { NodeAPI } from 'node-red'
import { OPERATIONS } from '../../client/operations'
import { registerAction, type ActionConfig } from '../runtime/action'
import { choiceProperty } from '../runtime/properties'
import { choiceFrom } from '../runtime/parameters'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = ActionConfig & SavedOf<typeof manifest>

const { session: info, startSession: start, endSession: end } = OPERATIONS
const ACTIONS = { info, start, end }
const NAMES = ['info', 'start', 'end'] as const

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-session',
    async ({ gateway, run, config, message }) => {
      const set = choiceProperty('action', config.action, ['info', 'start', 'end', 'msg'])
      const action = set === 'msg' ? choiceFrom('msg.action', message.action, NAMES) : set
      const wasOpen = gateway.session.isOpen()
      const payload = action === 'end' ? await run(end, {}) : await run(ACTIONS[action], {})
      const changed = action !== 'info' && gateway.session.isOpen() !== wasOpen
      const did =
        'displayName' in payload
          ? { key: 'loggedIn', name: payload.displayName, changed }
          : { key: 'loggedOut', changed }
      return { payload, did }
    },
    { message: ['action'] },
  )
