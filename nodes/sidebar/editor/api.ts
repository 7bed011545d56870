// The sidebar's requests to Node-RED. Each of these throws a RequestError.
import { ask } from '../../editor/ask'
import { textsOf } from '../../editor/text'
import type { Command, FailoverAction, FleetQuestion, Place, StateQuestion } from '../../wire'

export const listGateways = () => ask('gateways', undefined, TIMEOUT_MS)

export const listAppliances = (question: FleetQuestion) =>
  ask('appliances', { offset: 0, ...question, language: language() }, TIMEOUT_MS)

const language = (): string => textsOf('watch')('locale')

export const askState = (question: StateQuestion) =>
  ask('state', { ...question, language: language() }, TIMEOUT_MS)

export const askDevices = ({ id, appliance }: Place) =>
  ask('lookup', { connection: { id }, appliance }, TIMEOUT_MS)

export const askReport = ({ id, appliance }: Place) =>
  ask('report', { connection: { id }, appliance }, CONTROL_TIMEOUT_MS)

export const askCallers = (place: Place, deviceId: string | undefined, routeId: string) =>
  ask('callers', { ...placeOf(place), deviceId, routeId }, TIMEOUT_MS)

export const control = (place: Place, command: Command) =>
  ask('control', { ...placeOf(place), ...command }, CONTROL_TIMEOUT_MS)

export const commandFailover = (place: Place, failoverId: string, action: FailoverAction) =>
  ask('failover', { ...placeOf(place), failoverId, action }, CONTROL_TIMEOUT_MS)

const placeOf = ({ id, appliance }: Place): Place => ({ id, appliance })

export const mayControl = (): boolean => RED.user.hasPermission?.('media-gateway.write') ?? true

const TIMEOUT_MS = 15_000
/** An appliance may be slow, and the timeout of a config node may allow for it. */
const CONTROL_TIMEOUT_MS = 120_000
