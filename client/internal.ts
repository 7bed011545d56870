/**
 * What the nodes and their tests use of the client. For other programs there is `index`, which
 * promises to stay as it is.
 */
export { newSent, setLatest, type Sent } from './memory'
export { openConnection } from './connection/connection'
export type { Connection, GatewayOptions } from './connection/connection'
export { confirmedIn, newOperation } from './connection/operation'
export type { Operation, Request } from './connection/operation'
export {
  asGatewayError,
  asSetting,
  badSettings,
  closedError,
  ERROR_CODES,
  GatewayError,
  identityOf,
  invalidInput,
  isGatewayError,
  isLasting,
  ofConfiguration,
  thrownAs,
  say,
  withoutLabels,
  words,
} from './errors'
export type { Applied, ErrorCause, ErrorCode, Identity, Problem, Sentence } from './errors'
export { SENTENCES, textOf } from './sentences'
export type { SentenceKey } from './sentences'
export { Stop } from './stop'
export type { ProxyOptions, TlsOptions } from './connection/agents'
export { readCertificate } from './connection/certificate'
export { mistakeIn } from './connection/mistake'
export { endSession, sessionInformation, startSession } from './api/session'
export {
  forgetOnlyDevice,
  getDevice,
  listDevices,
  mayBeUnknownDevice,
  onlyDevice,
} from './api/devices'
export { getRoute, isIncomplete, listRoutes } from './api/routes'
export { readAllStatistics, readStatistics } from './api/statistics'
export type { ListedCaller } from './watch/caller-list'
export type { FailedStatistics, Statistics, StatisticsOf } from './api/statistics'
export { exportPreset } from './api/presets'
export type { Preset, PresetAnswer } from './api/presets'
export { findDestination, findRoute, findSource, labelOf } from './changes/find'
export type { RouteAddress, Target } from './changes/find'
export { listDefinitions } from './changes/definitions'
export { createRoute } from './changes/create'
export type { CreateRoute } from './changes/create'
export type { Waiting } from './changes/step'
export { planUpdate, updateRoute } from './changes/update'
export type { UpdateMode, UpdateRoute } from './changes/update'
export { deleteRoute } from './changes/delete'
export { controlRoute, planControl } from './changes/control'
export type { ControlAction, ControlRoute, Controlled } from './changes/control'
export { ENSURE_STATES } from './model/definition'
export { ensureRoutes, newEnsureMemory, undoLastRun } from './changes/ensure/ensure'
export type { Ensured } from './changes/ensure/apply'
export type { EnsureFailure, EnsureMemory, EnsureRoutes } from './changes/ensure/ensure'
export type { Remove } from './changes/ensure/removals'
export { reportOf } from './changes/ensure/report'
export type { PlanReport } from './changes/ensure/report'
export type { EnsureAction, EnsureState, WantedState } from './changes/ensure/plan'
export { plainInput } from './changes/input'
export { restorePreset } from './changes/presets'
export { isOld, knownBy, knownSnapshot, openBy, savedBy, watchDevice } from './watch/device-watch'
export { SAVED_MS, savedIn } from './watch/saved'
export type { Saved } from './watch/saved'
export { CONTENT_TYPE as METRICS_TYPE } from './metrics/format'
export { DETAILS, renderMetrics } from './metrics/render'
export type { Detail, Picture, PicturedFailover, PicturedFleet } from './metrics/render'
export { readSrt } from './metrics/srt'
export type { SrtReading } from './metrics/srt'
/** Loaded with the first failover: most flows have none. */
export const failovers = (): typeof import('./failover/protect') =>
  require('./failover/protect') as typeof import('./failover/protect')
export type { FailoverReport, FailoverStatus, Protection, ProtectOptions } from './failover/protect'
export { listHealth } from './watch/rows'
export type { HealthRow } from './watch/rows'
export type { WatchHealth, WatchOptions } from './watch/subscription'
export { eventText } from './watch/events'
export type { RouteFilter } from './watch/filter'
export type { Incident, OpenIncident } from './model/incident'
export { EVENTS, LANGUAGES } from './model/watch'
export type { EventName, Language, Threshold } from './model/watch'
export type { RouteView, Snapshot, Wordless, WatchEvent } from './model/event'
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

/** What lists callers is loaded where it is first used. */
export const listCallers: typeof import('./watch/caller-list').listCallers = (...of) =>
  (require('./watch/caller-list') as typeof import('./watch/caller-list')).listCallers(...of)
export const namedCallers: typeof import('./watch/named-callers').namedCallers = (gateway) =>
  gateway.callers &&
  (require('./watch/named-callers') as typeof import('./watch/named-callers')).namedCallers(gateway)
