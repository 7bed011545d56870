import type { NodeAPI } from 'node-red'
import { ensureRoutes, invalidInput, type WantedState } from '../../client/internal'
import { registerAction, type ActionConfig } from '../runtime/action'
import { waitingOf, type WaitingConfig } from '../runtime/wait-options'

interface Config extends ActionConfig, WaitingConfig {
  state?: string
  check?: boolean
  exact?: boolean
  validate?: boolean
}

const STATES: readonly WantedState[] = ['present', 'started', 'stopped', 'absent']

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-ensure-route',
    async ({ gateway, operation, config, parameters, progress }) => {
      const { waitTimeout } = waitingOf(config)
      const state = STATES.find((known) => known === (config.state || 'present'))
      if (!state) {
        const problem = `one of "${STATES.join('", "')}" is expected`
        throw invalidInput([{ path: 'state', problem }], operation.name)
      }
      const { deviceId, results, routeId } = await ensureRoutes(
        gateway,
        await parameters.definition(),
        {
          deviceId: parameters.device,
          state,
          check: config.check === true,
          exact: config.exact === true,
          validate: config.validate !== false,
          waitTimeout,
          onProgress: (done, rows) => progress(`${done}/${rows}`),
        },
        operation,
      )
      return { payload: results, deviceId, routeId: routeId ?? null }
    },
  )
