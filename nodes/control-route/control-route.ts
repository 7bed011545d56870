import type { NodeAPI } from 'node-red'
import {
  controlRoute,
  findDestination,
  invalidInput,
  type ControlAction,
  type Waiting,
} from '../../client/internal'
import { registerAction, type ActionConfig } from '../runtime/action'
import type { Message } from '../runtime/parameters'
import { waitingOf, type WaitingConfig } from '../runtime/wait-options'

type WaitFor = Waiting['waitFor']

interface Config extends ActionConfig, WaitingConfig {
  action?: string
  target?: string
}

const ACTIONS: readonly ControlAction[] = ['start', 'stop', 'restart']

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
    async ({ gateway, operation, config, message, parameters }) => {
      const waiting = waitingOf(config)
      const wanted = wantedAction(config, message)
      const action = ACTIONS.find((known) => known === wanted)
      if (!action) {
        const path = config.action === 'msg' ? 'msg.action' : 'action'
        const problem = 'must be one of "start", "stop" and "restart"'
        throw invalidInput([{ path, problem }], operation.name)
      }
      const target = config.target === 'destination' ? await parameters.destination() : undefined
      const address = await parameters.route()
      const destinationId = target && (await findDestination(gateway, address, target, operation))
      const { answer, route } = await controlRoute(
        gateway,
        { ...address, action, destinationId, ...waiting },
        operation,
      )
      const did = { key: DID[action][waiting.waitFor] }
      return { payload: route ?? answer, did, ...address }
    },
    {
      message: ['action'],
      effect: (config, message) =>
        wantedAction(config, message) === 'restart' ? 'once' : 'change',
    },
  )

const wantedAction = ({ action }: Config, message: Message): unknown =>
  action === 'msg' ? message.action : action || 'start'
