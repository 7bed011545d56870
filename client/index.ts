/**
 * Talks to a media gateway appliance from plain Node.js, with the session, the safety
 * and the error codes of the nodes. No Node-RED is needed.
 */
export { openGateway } from './gateway'
export type { Gateway, GatewayOptions } from './gateway'
export { newOperation } from './operation'
export type { Operation, Request } from './operation'
export { ERROR_CODES, GatewayError, invalidInput } from './errors'
export type { Applied, ErrorCause, ErrorCode, Problem } from './errors'
export { Stop } from './stop'
export type { Certificate, ProxyOptions, TlsOptions } from './transport/agents'
export { readCertificate } from './transport/certificate'
export { endSession, sessionInformation, startSession } from './operations/session'
export {
  forgetOnlyDevice,
  getDevice,
  listDevices,
  mayBeUnknownDevice,
  onlyDevice,
} from './operations/devices'
export { getRoute, listRoutes } from './operations/routes'
export { readAllStatistics, readStatistics } from './operations/statistics'
export type { FailedStatistics, Statistics, StatisticsOf } from './operations/statistics'
export { exportPreset } from './operations/preset'
export type { Preset, PresetAnswer } from './operations/preset'
export { findDestination, findRoute, findSource } from './routes/find'
export type { RouteAddress, Target } from './routes/find'
export { createRoute } from './routes/create'
export type { CreateRoute, Waiting } from './routes/create'
export { updateRoute } from './routes/update'
export type { UpdateMode, UpdateRoute } from './routes/update'
export { deleteRoute } from './routes/delete'
export { controlRoute } from './routes/control'
export type { ControlAction, ControlRoute, Controlled } from './routes/control'
export { ensureRoutes } from './routes/ensure'
export type { EnsureFailure, EnsureOptions, Ensured } from './routes/ensure'
export type { WantedState } from './routes/plan'
export { restorePreset } from './routes/preset'
export { knownSnapshot, watchDevice } from './watch/watch'
export type { Health, WatchOptions } from './watch/follow'
export type { RouteFilter } from './watch/filter'
export { EVENTS } from './model/watch'
export type { EventName, Threshold } from './model/watch'
export type { RouteView, Snapshot, WatchEvent } from './watch/events'
export { toSent as sentForm } from './model/convert'
export { HIDDEN, hideSecrets } from './model/secrets'
export type * from './model/types'
