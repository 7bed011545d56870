import type { NodeAPI } from 'node-red'
import type { ControlAction } from '../../client/changes/control'
import type { Waiting } from '../../client/changes/step'
import { OPERATIONS } from '../../client/operations'
import { registerAction, type ActionConfig } from '../runtime/action'
import { choiceProperty, waitingOf } from '../runtime/properties'
import { choiceFrom } from '../runtime/parameters'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type WaitFor = Waiting['waitFor']

type Config = ActionConfig & SavedOf<typeof manifest>

const ACTIONS = ['start', 'stop', 'restart'] as const satisfies readonly ControlAction[]

/** What is known to have happened, by what was waited for. */
const DID: Record<ControlAction, Record<WaitFor, string>> = {
  start: { accepted: 'startAccepted', applied: 'running' },
  stop: { accepted: 'stopAccepted', applied: 'stopped' },
  restart: { accepted: 'startAccepted', applied: 'running' },
}

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-control-route',
    async ({ run, config, message, parameters }) => {
      const waiting = waitingOf(config)
      const chosen = choiceProperty('action', config.action, [...ACTIONS, 'msg'])
      const action = chosen === 'msg' ? choiceFrom('msg.action', message.action, ACTIONS) : chosen
      const isRoute = choiceProperty('target', config.target, ['route', 'destination']) === 'route'
      const destination = isRoute ? undefined : await parameters.destination()
      const how = { destination, ...waiting }
      const { answer, route, ...address } = await run(OPERATIONS[action], how)
      const did = { key: DID[action][waiting.waitFor] }
      return { payload: route ?? answer, did, ...address }
    },
    {
      nature: () => OPERATIONS.start,
      message: ['action'],
    },
  )
