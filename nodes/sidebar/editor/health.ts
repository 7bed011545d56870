// How well an appliance is known, and the sign for it.
import { SIGNS } from '../../../client/model/health'
import { SIGN_OF_REACH, type Reach, type Sign } from '../../editor/states'
import type { Failover, Failure, KnownAppliance } from '../../wire'
import { troubleOfFailover } from './failover'
import { briefOf } from '../../editor/states'
import { text } from './text'

/** The sign of a head stands for all that is below it. @param failovers those that no row shows */
export function signOfGateway(
  reach: Reach,
  known: KnownAppliance | undefined,
  failovers: readonly Failover[],
): Sign {
  const isTrouble = (sign: Sign): boolean => sign === 'critical' || sign === 'warning'
  const signs = failovers.map(troubleOfFailover).filter(isTrouble)
  if (reach !== 'reachable') signs.push(SIGN_OF_REACH[reach])
  else signs.push(known?.worst?.sign ?? 'ok', known?.device?.sign ?? 'ok')
  return SIGNS.find((sign) => signs.includes(sign))!
}

/** The number first, which must not be cut. @param isClosed no row shows the worst */
export function factsOfKnown(
  known: KnownAppliance | undefined,
  isOld: boolean,
  isClosed: boolean,
): string[] {
  if (!known) return []
  const { running, routes: all, problems: number, worst, device } = known
  const facts = [text(isOld ? 'ran' : 'running', { running, all })]
  if (number > 0) facts.unshift(text(number === 1 ? 'problem' : 'problems', { number }))
  if (worst && isClosed) facts.push(`${worst.route}: ${briefOf(worst)}`)
  if (device && device.sign !== 'unknown') facts.unshift(device.text)
  return facts
}

/** A screen reader announces changes between these. */
export const isSpoken = (reach: Reach): boolean =>
  ['reachable', 'device', 'stale', 'unreachable', 'fault'].includes(reach)

/** By code: the words may contain a number that keeps changing. */
export const keyOf = (
  fault: (Pick<Failure, 'message'> & Partial<Failure>) | undefined,
): string | undefined => fault?.code ?? fault?.message
