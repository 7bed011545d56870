import { GatewayError, say, type Problem, type Sentence } from '../../errors'
import { destinationToSent, sourceToSent } from '../../model/convert'
import { normalizeId } from '../../model/ids'
import { isEmpty, isObject, isText, membersIn, type JsonObject } from '../../model/json'
import { membersOf, type Direction } from '../../model/members'
import { isRunning, isStopped, wholeRoute } from '../../model/route-state'
import type { Destination, Route } from '../../model/types'
import { mapInSlices } from '../../slices'
import { comparable } from '../known-secrets'
import { onMain } from '../owned'
import { labelOf } from '../find'
import type { Site, Row } from './plan'

/** What a plan rests on, route by route, so that a refusal can say what has changed since. */
export type Grounds = ReadonlyMap<string, { wanted: string; present: string }>

/** What each row rests on is also its imprint until it is applied. All is sealed: it shows no secret. */
export async function groundsOf(
  site: Site,
  rows: readonly Row[],
): Promise<{ id: string; grounds: Grounds }> {
  const { gateway, deviceId } = site
  const seal = (value: unknown): string => gateway.seal(stableText(value))
  const entries = await mapInSlices(rows, (row) => {
    const { wanted, options, plan } = row
    const { state, exact = false } = options
    const { steps, before } = plan
    row.imprint = imprintAt(site, before)
    const present = before && [before.id, row.imprint]
    return [
      labelOf(wanted) ?? '',
      // What is sent follows from these. It can contain counters too, so it is no ground itself.
      { wanted: seal([wanted, state, exact, steps]), present: seal(present) },
    ] as const
  })
  return { id: seal([deviceId, entries]), grounds: new Map(entries) }
}

/** As of {@link imprintOf}; empty where there is no route. A switch of a failover is no change. */
export const imprintAt = ({ gateway, deviceId }: Site, route: Route | null | undefined): string =>
  route
    ? imprintOf(onMain(gateway, deviceId, comparable(gateway, deviceId, wholeRoute(route))))
    : ''

export function stalePlan(now: Grounds, then: Grounds | undefined): GatewayError {
  const problems = then ? changesBetween(then, now) : []
  const said =
    problems.length > 0 ? say('planOutdated', { what: inShort(problems) }) : say('planDiffers')
  return refusal(said, problems)
}

/** What was approved once is not approved again: an undo makes the same plan possible. */
export const usedPlan = (): GatewayError => refusal(say('planUsed'))

const refusal = (said: Sentence, problems?: Problem[]): GatewayError =>
  new GatewayError('CONFLICT', [said, say('unchanged'), say('newPlan')], {
    applied: 'no',
    problems,
  })

function changesBetween(then: Grounds, now: Grounds): Problem[] {
  const names = new Set([...then.keys(), ...now.keys()])
  return [...names].flatMap((name) => {
    const [before, after] = [then.get(name), now.get(name)]
    const path = JSON.stringify(name)
    if (!before) return [{ path, problem: 'is not in the plan' }]
    if (!after) return [{ path, problem: 'is only in the plan' }]
    if (before.present !== after.present) {
      return [{ path, problem: 'has changed on the gateway since' }]
    }
    return before.wanted === after.wanted ? [] : [{ path, problem: 'is not given as in the plan' }]
  })
}

export function inShort(problems: readonly Problem[]): string {
  const told = problems.slice(0, 5).map(({ path, problem }) => `${path} ${problem}`)
  if (problems.length > told.length) told.push(`and ${problems.length - told.length} more`)
  return told.join('; ')
}

/** Refuses a route, in the moment before it is changed, that is no longer as it was when that was planned. */
export function refuseChanged(
  site: Site,
  { imprint, trace: { steps, after } }: Row,
  present: Route | undefined,
): void {
  if (imprint === undefined) return
  // Its own steps are no change by somebody else.
  const expected = steps.length > 0 ? imprintAt(site, after) : imprint
  if (expected === imprintAt(site, present)) return
  throw new GatewayError('CONFLICT', [say('routeChanged'), say('notSent'), say('newPlan')], {
    applied: 'no',
  })
}

/** The same text until its definition changes, or it starts or stops. An unknown member may be a counter. */
function imprintOf(route: Route): string {
  const destinations = route.destinations.map((one): [string, unknown] => [
    identityOf(one),
    partOf('destination', destinationToSent(one)),
  ])
  return stableText([
    route.name,
    isRunning(route) ? 'running' : isStopped(route) ? 'stopped' : null,
    partOf('source', sourceToSent(route.source)),
    destinations.sort(byFirst),
  ])
}

const identityOf = ({ id, name }: Destination): string =>
  isText(id) ? normalizeId(id) : String(name)

function partOf(direction: Direction, part: JsonObject): unknown {
  const members = membersOf(direction, part.protocol)
  const known = membersIn(part).filter(
    ([name, value]) =>
      name !== 'id' && members.has(name) && !members.get(name)!.sentOnly && !isEmpty(value),
  )
  return Object.fromEntries(known)
}

/** A value as JSON in which the order of members does not count. */
const stableText = (value: unknown): string => JSON.stringify(arranged(value) ?? null)

function arranged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(arranged)
  if (!isObject(value)) return value
  return membersIn(value)
    .map(([name, member]): [string, unknown] => [name, arranged(member)])
    .sort(byFirst)
}

const byFirst = ([one]: [string, unknown], [other]: [string, unknown]): number =>
  one < other ? -1 : 1
