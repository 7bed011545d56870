export type { ApplianceSettings } from './appliance'
export { fingerprintOf, type Certificate } from './certificate'
export type { DeviceState, Pairing } from './device'
export { DIALECTS, type Dialect } from './dialect'
export type { Call, Upload } from './http'
export type { Fault, FaultKind } from './faults'
export type { ListedCaller } from './callers'
export { fieldRoutes } from './field'
export type { LifeEvent, LifeOptions } from './life'
export { generateRoutes } from './sample-routes'
export type { Impairment, LineCondition } from './lines'
export type {
  Caller,
  CallersCondition,
  DestinationState,
  RouteSpec,
  RouteState,
  SentDestination,
  SentSource,
  SourceState,
} from './model'
export type { Account, Role } from './sessions'
export {
  startSimulator,
  type Adjustable,
  type DeviceCondition,
  type RouteConditions,
  type Simulator,
  type SimulatorOptions,
} from './server'
