/** The same from plain Node.js, with the session, the safety and the error codes of the nodes. */
export { openGateway } from './gateway'
export type { Changed, Gateway, Planned, Undone, WatchOptions } from './gateway'
export type {
  CallOptions,
  ChangeOptions,
  ConfirmOptions,
  ControlOptions,
  CreateOptions,
  DefinitionsOptions,
  DeleteOptions,
  DeviceOptions,
  EnsureOptions,
  HealthOptions,
  ImportOptions,
  ListOptions,
  StatisticsOptions,
  UndoOptions,
  UpdateOptions,
} from './options'
export type { GatewayOptions } from './connection/connection'
export type { ProxyOptions, TlsOptions } from './connection/agents'
export type { Certificate } from './model/settings'
export { readCertificate } from './connection/certificate'
export { ERROR_CODES, GatewayError, isGatewayError } from './errors'
export type { Applied, ErrorCause, ErrorCode, Problem } from './errors'
export type { FailedStatistics, Statistics } from './api/statistics'
export type { Preset, PresetAnswer } from './api/presets'
export type { Created } from './changes/create'
export type { Ensured } from './changes/ensure/apply'
export type { EnsureFailure } from './changes/ensure/bulk'
export type { RouteAddress, Target } from './changes/find'
export type { EnsureState, Wanted, WantedState } from './changes/ensure/plan'
export type { Remove } from './changes/ensure/removals'
export type { PlanReport, PlanRow, PlanSummary } from './changes/ensure/report'
export type { Updated, UpdateMode } from './changes/update'
export type { Definition } from './model/definitions'
export { EVENTS, LANGUAGES } from './model/watch'
export type { EventName, Language, Threshold } from './model/watch'
export type { Health, Reason, Sign } from './model/health'
export type { Incident, IncidentEvent, OpenIncident } from './model/incident'
export { HIDDEN, hideSecrets } from './model/secrets'
export type * from './model/types'
export type { RouteView, Snapshot, Wordless, WatchEvent } from './model/event'
export { healthOfRoute } from './watch/health'
export { eventText } from './watch/text/event-text'
export { healthText } from './watch/text/health-text'
export type { RouteFilter } from './watch/report/filter'
export type { HealthRow } from './watch/rows'
export type { WatchHealth } from './watch/report/subscription'
