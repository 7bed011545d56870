import type { NodeAPI } from 'node-red'
import { endSession, invalidInput, sessionInformation, startSession } from '../../client/internal'
import { registerAction, type ActionConfig } from '../runtime/action'

interface Config extends ActionConfig {
  action?: string
}

const ACTIONS = { info: sessionInformation, start: startSession, end: endSession }

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-session',
    async ({ gateway, operation, config, message }) => {
      const fromMessage = config.action === 'msg'
      const action = fromMessage ? message.action : config.action || 'info'
      if (typeof action !== 'string' || !Object.hasOwn(ACTIONS, action)) {
        const path = fromMessage ? 'msg.action' : 'action'
        throw invalidInput(
          [{ path, problem: 'must be one of "info", "start" and "end"' }],
          operation.name,
        )
      }
      const wasOpen = gateway.session.isOpen()
      const payload = await ACTIONS[action as keyof typeof ACTIONS](gateway, operation)
      const changed = action !== 'info' && gateway.session.isOpen() !== wasOpen
      const did =
        'displayName' in payload
          ? { key: 'loggedIn', name: payload.displayName, changed }
          : { key: 'loggedOut', changed }
      return { payload, did }
    },
    { message: ['action'] },
  )
