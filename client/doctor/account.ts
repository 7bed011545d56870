import { findPortConflicts } from '../changes/ensure/port-conflicts'
import { checkCreate } from '../model/check'
import { sentenceOf, wholeSentenceOf } from '../model/faults'
import { grouped } from '../model/ids'
import { own, type JsonObject } from '../model/json'
import { legible } from '../model/legible'
import { toSent } from '../model/convert'
import { missingPart } from '../model/route-state'
import { withoutMasks } from '../model/secrets'
import type { Route } from '../model/types'
import { healthOfRoute } from '../watch/health'
import type { Experiment } from './experiments'
import { factsIn, sightOf, type Fact } from './facts'
import { idsIn, median, type Reading } from './read'
import { safeAnswers, unknownFields } from './safe'

const { version: VERSION } = require('../../../package.json') as { version: string }

/** How an installation is, as far as reading shows. */
export type Account = ReturnType<typeof accountOf>

export function accountOf(reading: Reading, now: number) {
  const { devices, session, lists, routes, sources, outputs, answers, measured } = sightOf(reading)
  const whole = routes.filter(isWhole)
  const { certificate, clockSeconds, answerMs } = measured
  const devicesOf = new Map(
    lists.flatMap(({ path, body }) =>
      idsIn(own(body, 'data'), 'id').map((id) => [id, path.split('?')[0]] as const),
    ),
  )
  return {
    devices: devices.map(({ name, firmware, status }) => ({
      name: String(name),
      firmware: String(firmware),
      status: String(status),
    })),
    /** Of the account that has read. */
    roles: session.flatMap(({ roles }) => (Array.isArray(roles) ? roles.map(String) : [])),
    routes: routes.length,
    /** How many routes are so, by the sign of their health. */
    health: counted(whole.map((route) => healthOfRoute(route).sign)),
    /** How many sources and outputs have each protocol. */
    sources: counted(sources.map(({ protocol }) => String(protocol))),
    outputs: counted(outputs.map(({ protocol }) => String(protocol))),
    /** SRT listeners of running routes that nobody calls. */
    withoutCallers: whole.filter(({ state }) => state === 'running').flatMap(uncalled),
    shared: sharedIn(whole),
    portClashes: [...grouped(whole, ({ id }) => devicesOf.get(id) ?? '').values()].flatMap(
      clashesIn,
    ),
    /** What this package would refuse in the routes as they are. */
    refused: whole.flatMap(refusedIn),
    unknownFields: [...new Set(answers.flatMap(({ body }) => unknownFields(body)))],
    certificate: certificate && {
      ...certificate,
      days: Math.floor((Date.parse(certificate.validTo) - now) / 86_400_000),
    },
    clockSeconds,
    answerMs: { median: median(answerMs), most: Math.max(...answerMs) },
    answers: answers.length,
    /** How many answers were 429: too many sessions or requests. */
    tooMany: answers.filter(({ status }) => status === 429).length,
  }
}

const isWhole = (route: JsonObject): route is JsonObject & Route =>
  missingPart(route as Route) === undefined

function counted(words: string[]): Record<string, number> {
  const same = [...grouped(words, (word) => word)]
  return Object.fromEntries(same.map(([word, all]) => [word, all.length]))
}

const uncalled = ({ name, destinations }: Route) =>
  (destinations ?? [])
    .filter(({ protocol, mode }) => protocol === 'srt' && mode === 'listener')
    .filter((one) => one.started !== false && Number(one.clientConnections) === 0)
    .map((output) => ({ route: name, output: output.name }))

function sharedIn(routes: Route[]) {
  const held = routes.flatMap(({ name, destinations }) =>
    (destinations ?? []).map((output) => ({ name, output })),
  )
  return [...grouped(held, ({ output }) => output.id).values()]
    .filter((same) => same.length > 1)
    .map((same) => ({ output: same[0]!.output.name, routes: same.map(({ name }) => name) }))
}

function clashesIn(routes: Route[]): string[] {
  const plans = routes.map((route) => ({
    before: null,
    fields: toSent(onlyOutputs(route)),
    steps: ['create'],
  }))
  const titled = (index: number): string => `route ${JSON.stringify(routes[index]!.name)}`
  return findPortConflicts(plans, [], titled).map(({ path, problem }) => `${path} ${problem}`)
}

/** Without the IDs of outputs that are gone. */
const onlyOutputs = (route: Route): Route => ({
  ...route,
  destinations: (route.destinations ?? []).filter(({ protocol }) => protocol !== undefined),
})

function refusedIn(route: Route) {
  const faults = checkCreate(withoutMasks(toSent(onlyOutputs(route))))
  // Names with blanks are refused only in new routes.
  const problems = faults
    .filter(({ kind }) => kind !== 'blanks')
    .map((fault) => wholeSentenceOf(fault) ?? `${fault.path} ${sentenceOf(fault)}.`)
  return problems.length > 0 ? [{ route: route.name, problems }] : []
}

/** A file that is safe to send. */
export type Report = ReturnType<typeof reportOf>

/** Nothing goes into a report that does not come from the safe answers. */
export function reportOf(
  { answers, measured }: Reading,
  now: number,
  experiments?: readonly Experiment[],
) {
  const safe: Reading = { answers: safeAnswers(answers), measured }
  return {
    format: 'media-gateway-report' as const,
    version: 1 as const,
    madeAt: new Date(now).toISOString(),
    /** The version of this package. */
    package: VERSION,
    account: accountOf(safe, now),
    facts: factsIn(safe),
    /** With `--write` only. */
    ...(experiments && { experiments }),
    answers: safe.answers,
  }
}

export const fileOf = (report: Report): string => `${JSON.stringify(report, undefined, 2)}\n`
export const fileName = (now: number): string =>
  `media-gateway-report-${new Date(now).toISOString().slice(0, 10)}.json`

/** In each list that is printed. */
const MOST_LINES = 20

export function linesOf(account: Account, facts: readonly Fact[]): string[] {
  const { devices, roles, routes, health, sources, outputs, certificate, clockSeconds } = account
  const { withoutCallers, shared, portClashes, refused, answerMs } = account
  const lines = [
    ...devices.map(
      ({ name, firmware, status }) => `Gateway ${name}: ${status}, firmware ${firmware}`,
    ),
    `Account: ${roles.join(', ') || 'roles not reported'}`,
    `Routes: ${routes}${inBrackets(health)}`,
    `Sources: ${listed(sources)}`,
    `Outputs: ${listed(outputs)}`,
    ...(certificate
      ? [certificateLine(certificate)]
      : ['Certificate: none, the address is not https']),
    `Clock: ${clockSeconds === undefined ? 'not reported' : clockLine(clockSeconds)}`,
    `Responses: ${account.answers}, within ${answerMs.median} ms (median), ${answerMs.most} ms at most`,
    ...(account.tooMany > 0 ? [`Limits: ${account.tooMany} responses with status 429`] : []),
    ...section(
      'Outputs without callers',
      withoutCallers.map(({ route, output }) => `${route}: ${output}`),
    ),
    ...section(
      'Outputs of several routes',
      shared.map((one) => `${one.output}: ${one.routes.join(', ')}`),
    ),
    ...section('Ports that clash', portClashes),
    ...section(
      'What this package would refuse if it were new',
      refused.flatMap(({ route, problems }) => problems.map((problem) => `${route}: ${problem}`)),
    ),
    ...section('Fields that this package does not know', account.unknownFields),
    ...VERDICTS.flatMap((verdict) => {
      const found = facts.filter((fact) => fact.verdict === verdict)
      const title = `Facts ${verdict === 'could not test' ? 'that could not be tested' : verdict}`
      return section(
        title,
        found.map(({ name, seen }) => `${name}: ${seen}`),
        Infinity,
      )
    }),
  ]
  return lines.map(legible)
}

export const experimentLines = (experiments: readonly Experiment[]): string[] =>
  section(
    'Experiments',
    experiments.map(({ name, question, seen }) => `${name}: ${question} ${seen}`),
    Infinity,
  )

const VERDICTS: ReadonlyArray<Fact['verdict']> = ['contradicted', 'could not test', 'confirmed']

function section(title: string, lines: readonly string[], most = MOST_LINES): string[] {
  if (lines.length === 0) return []
  const more = lines.length > most ? [`  … and ${lines.length - most} more`] : []
  return [
    '',
    `${title} (${lines.length}):`,
    ...lines.slice(0, most).map((line) => `  ${line}`),
    ...more,
  ]
}

const listed = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([word, count]) => `${count} ${word}`)
    .join(', ') || 'none'

const inBrackets = (counts: Record<string, number>): string =>
  Object.keys(counts).length > 0 ? ` (${listed(counts)})` : ''

function certificateLine({
  isSelfSigned,
  validTo,
  days,
}: NonNullable<Account['certificate']>): string {
  const until = validTo.slice(0, 10) || 'an unknown day'
  const warning = days < 0 ? ': it has expired' : days < 30 ? `: it expires in ${days} days` : ''
  return `Certificate: ${isSelfSigned ? 'self-signed' : 'by an authority'}, valid until ${until}${warning}`
}

function clockLine(seconds: number): string {
  if (Math.abs(seconds) < 2) return 'as here'
  return `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the clock here`
}
