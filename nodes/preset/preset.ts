import type { NodeAPI } from 'node-red'
import { invalidInput } from '../../client/errors'
import { OPERATIONS } from '../../client/operations'
import { registerAction, type ActionConfig } from '../runtime/action'
import { wrong } from '../runtime/parameters'
import { choiceProperty } from '../runtime/properties'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = ActionConfig & SavedOf<typeof manifest>

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-preset',
    async ({ run, config, message }) => {
      if (choiceProperty('action', config.action, ['export', 'import']) === 'export') {
        const { answer: payload, deviceId } = await run(OPERATIONS.exportPreset, {})
        return { payload, did: { key: 'exported' }, deviceId }
      }
      if (message.confirm !== true) {
        const why = 'an import replaces all routes of the device, so the message has to confirm it'
        throw invalidInput([wrong('msg.confirm', message.confirm, `true: ${why}`)])
      }
      const { deviceId, answer } = await run(OPERATIONS.importPreset, { preset: message.payload })
      return { payload: answer, did: { key: 'importAccepted' }, deviceId }
    },
    {
      message: ['confirm', 'payload'],
      nature: ({ action }) => OPERATIONS[action === 'import' ? 'importPreset' : 'exportPreset'],
    },
  )
