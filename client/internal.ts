/**
 * What the nodes and their tests use of the client. For other programs there is `index`, which
 * promises to stay as it is.
 */
export { openConnection } from './connection/connection'
export type { Connection, GatewayOptions } from './connection/connection'
export { confirmedIn, newOperation } from './connection/operation'
export type { Operation, Request } from './connection/operation'
export {
  asGatewayError,
  closedError,
  ERROR_CODES,
  GatewayError,
  identityOf,
  invalidInput,
  isGatewayError,
  isLasting,
  ofConfiguration,
  say,
  withoutLabels,
  words,
} from './errors'
export type { Applied, ErrorCause, ErrorCode, Identity, Problem, Sentence } from './errors'
export { SENTENCES, textOf } from './sentences'
export type { SentenceKey } from './sentences'
export { Stop } from './stop'
export type { Certificate, ProxyOptions, TlsOptions } from './connection/agents'
export { readCertificate } from './connection/certificate'
export { endSession, sessionInformation, startSession } from './api/session'
export {
  forgetOnlyDevice,
  getDevice,
  listDevices,
  mayBeUnknownDevice,
  onlyDevice,
} from './api/devices'
export { listDefinitions } from './api/definitions'
export { getRoute, listRoutes } from './api/routes'
export { readAllStatistics, readStatistics } from './api/statistics'
export type { FailedStatistics, Statistics, StatisticsOf } from './api/statistics'
export { exportPreset } from './api/presets'
export type { Preset, PresetAnswer } from './api/presets'
export { findDestination, findRoute, findSource } from './changes/find'
export type { RouteAddress, Target } from './changes/find'
export { createRoute } from './changes/create'
export type { CreateRoute, Waiting } from './changes/create'
export { updateRoute } from './changes/update'
export type { UpdateMode, UpdateRoute } from './changes/update'
export { deleteRoute } from './changes/delete'
export { controlRoute } from './changes/control'
export type { ControlAction, ControlRoute, Controlled } from './changes/control'
export { ENSURE_STATES } from './model/definition'
export { ensureRoutes, newEnsureMemory, undoLastRun } from './changes/ensure/ensure'
export type { Ensured } from './changes/ensure/apply'
export type { EnsureFailure, EnsureMemory, EnsureRoutes } from './changes/ensure/ensure'
export type { Remove } from './changes/ensure/removals'
export type { PlanReport } from './changes/ensure/report'
export type { EnsureAction, EnsureState, WantedState } from './changes/ensure/plan'
export { restorePreset } from './changes/presets'
export { isOld, knownBy, knownSnapshot, openBy, watchDevice } from './watch/device-watch'
export { withoutTold } from './watch/open'
export { CONTENT_TYPE as METRICS_TYPE } from './metrics/format'
export { DETAILS, renderMetrics } from './metrics/render'
export type { Detail, Picture, PicturedFailover, PicturedFleet } from './metrics/render'
export { readSrt } from './metrics/srt'
export type { SrtReading } from './metrics/srt'
export { isLastingLook, protectRoute } from './failover/protect'
export type { FailoverReport, FailoverStatus, Protection, ProtectOptions } from './failover/protect'
export type { Health, WatchOptions } from './watch/subscription'
export { eventText } from './watch/text/event-text'
export type { RouteFilter } from './watch/filter'
export { EVENTS, LANGUAGES } from './model/watch'
export type { EventName, Language, Threshold } from './model/watch'
export type { RouteView, Snapshot, Wordless, WatchEvent } from './watch/events'
export { toSent as sentForm } from './model/convert'
export type { Definition } from './model/definitions'
export {
  HIDDEN,
  hideSecrets,
  isSecretPrefix,
  SECRET_PREFIX,
  withSecretsFrom,
} from './model/secrets'
export type * from './model/types'
export type { Command, Commands, Share, ShareFollower } from './fleet/types'
