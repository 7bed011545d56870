// The interface of the appliance: which call is for what, and who may make it.
import type { Appliance } from './appliance'
import { readDevice, readDeviceConfiguration, type DeviceState } from './device'
import { contentType, json, Refusal, type Call, type Reply } from './http'
import {
  command,
  exportPreset,
  getRoute,
  importPreset,
  listRoutes,
  statistics,
  statisticsOfClient,
  update,
  type Context,
} from './operations'
import type { Role } from './sessions'

/** Turns a call into a reply, as docs/project/interface.md has it. */
export function answer(appliance: Appliance, call: Call): Reply {
  appliance.agenda.catchUp()
  try {
    return dispatch(appliance, call)
  } catch (refusal) {
    if (refusal instanceof Refusal) return refusal.reply()
    throw refusal
  }
}

function dispatch(appliance: Appliance, call: Call): Reply {
  const { operation, parameters } = operationFor(call)
  if (operation === login) return loggedIn(appliance, call)
  const session = appliance.sessions.resume(call.cookie)
  if (!session) return appliance.sessions.gone()
  call.session = session.id
  call.user = session.account.username
  const { role } = session.account
  if (!MAY[operation?.right ?? 'read'].includes(role)) {
    throw new Refusal(
      appliance.settings.dialect.forbiddenStatus,
      'SessionAuthorization',
      `Operation not authorized for roles: ${role}`,
    )
  }
  if (!operation) throw new Refusal(404, 'Request', 'There is no such resource.')
  if (operation.accepts) demandContentType(call, operation.accepts)
  const device = parameters.device === undefined ? undefined : known(appliance, parameters.device)
  return operation.answer(appliance, { call, session, device, parameters })
}

function loggedIn(appliance: Appliance, call: Call): Reply {
  demandContentType(call, 'application/json')
  const { session, reply } = appliance.sessions.login(call.body)
  call.session = session.id
  call.user = session.account.username
  return reply
}

function known({ devices }: Appliance, id: string): DeviceState {
  const device = devices.find(({ _id }) => _id === id)
  if (!device) throw new Refusal(404, 'Device', `There is no device ${id}.`)
  return device
}

/** Each role's rights, see docs/project/interface.md#roles. */
const MAY: Record<Right, readonly Role[]> = {
  read: ['Administrator', 'Operator', 'Observer'],
  write: ['Administrator', 'Operator'],
  preset: ['Administrator'],
}

type Right = 'read' | 'write' | 'preset'

interface Operation {
  right: Right
  accepts?: 'application/json' | 'multipart/form-data'
  answer: (appliance: Appliance, context: Context) => Reply
}

const login: Operation = {
  right: 'read',
  answer: () => {
    throw new Error('A login has no session yet: dispatch takes care of it.')
  },
}

/** An operation on the device named in the path. */
function onDevice(
  act: (appliance: Appliance, device: DeviceState, context: Context) => unknown,
): Operation['answer'] {
  return (appliance, context) => {
    if (!context.device) throw new Error('The path of this operation names no device.')
    return json(200, act(appliance, context.device, context))
  }
}

const ENDPOINTS: ReadonlyArray<{ path: string; methods: Record<string, Operation> }> = [
  {
    path: '/api/session',
    methods: {
      POST: login,
      GET: {
        right: 'read',
        answer: ({ sessions }, { session }) => json(200, sessions.information(session)),
      },
      DELETE: {
        right: 'read',
        answer: ({ sessions }, { session }) => json(200, sessions.logout(session)),
      },
    },
  },
  {
    path: '/api/devices',
    methods: {
      GET: {
        right: 'read',
        answer: ({ devices, now }) =>
          json(
            200,
            devices.map((device) => readDevice(device, now())),
          ),
      },
    },
  },
  {
    path: '/api/devices/:device',
    methods: {
      GET: {
        right: 'read',
        answer: onDevice(({ settings, now }, device) =>
          readDeviceConfiguration(device, now(), settings),
        ),
      },
    },
  },
  {
    path: '/api/devices/:device/updates',
    methods: { POST: { right: 'write', accepts: 'application/json', answer: onDevice(update) } },
  },
  {
    path: '/api/devices/:device/commands',
    methods: { POST: { right: 'write', accepts: 'application/json', answer: onDevice(command) } },
  },
  {
    path: '/api/gateway/:device/routes',
    methods: { GET: { right: 'read', answer: onDevice(listRoutes) } },
  },
  {
    path: '/api/gateway/:device/routes/:route',
    methods: { GET: { right: 'read', answer: onDevice(getRoute) } },
  },
  {
    path: '/api/gateway/:device/statistics',
    methods: { GET: { right: 'read', answer: onDevice(statistics) } },
  },
  {
    path: '/api/gateway/:device/statistics/client',
    methods: { GET: { right: 'read', answer: onDevice(statisticsOfClient) } },
  },
  {
    path: '/api/gateway/:device/system/preset',
    methods: {
      GET: { right: 'preset', answer: exportPreset },
      POST: {
        right: 'preset',
        accepts: 'multipart/form-data',
        answer: onDevice(importPreset),
      },
    },
  },
]

/** The operation a call is for, if the path is known; a known path with a wrong method is a 405. */
function operationFor(call: Call): {
  operation: Operation | undefined
  parameters: Record<string, string>
} {
  for (const { path, methods } of ENDPOINTS) {
    const parameters = parametersOf(call.path, path)
    if (!parameters) continue
    const operation = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined
    if (operation) return { operation, parameters }
    throw new Refusal(405, 'Request', `${call.method} is not supported here.`, {
      Allow: Object.keys(methods).join(', '),
    })
  }
  return { operation: undefined, parameters: {} }
}

function parametersOf(path: string, pattern: string): Record<string, string> | undefined {
  // A real appliance treats two slashes as one: docs/project/interface.md#conventions.
  const sent = path.replace(/\/{2,}/g, '/').split('/')
  const expected = pattern.split('/')
  if (sent.length !== expected.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [place, name] of expected.entries()) {
    const part = sent[place] ?? ''
    if (name.startsWith(':')) parameters[name.slice(1)] = decoded(part)
    else if (name !== part) return undefined
  }
  return parameters
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Refusal(400, 'Request', 'The path is not properly encoded.')
  }
}

function demandContentType(call: Call, accepted: string): void {
  if (contentType(call) !== accepted) {
    throw new Refusal(415, 'Request', `This needs the content type ${accepted}.`)
  }
}
