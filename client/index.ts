/**
 * Talks to a media gateway appliance from plain Node.js, with the session, the safety
 * and the error codes of the nodes. No Node-RED is needed.
 */
export { openGateway, newOperation } from './gateway'
export type { Gateway, GatewayOptions, Operation, Request } from './gateway'
export { ERROR_CODES, GatewayError, invalidInput } from './errors'
export type { ErrorCause, ErrorCode, Problem } from './errors'
export { Stop } from './stop'
export type { ProxyOptions, TlsOptions } from './transport/agents'
export { endSession, sessionInformation, startSession } from './operations/session'
export { forgetOnlyDevice, getDevice, listDevices, onlyDevice } from './operations/devices'
export { getRoute, listRoutes } from './operations/routes'
export { findRoute } from './routes/find'
export type { RouteAddress, Target } from './routes/find'
export { createRoute } from './routes/create'
export type { CreateRoute, Waiting } from './routes/create'
export { updateRoute } from './routes/update'
export type { UpdateMode, UpdateRoute } from './routes/update'
export { HIDDEN, hideSecrets } from './model/secrets'
export type * from './model/types'
