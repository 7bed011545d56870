/** What each option of the client may be: the settings of nodes, in other units. */
import type { Finding, Problem } from '../errors'
import { UPDATE_MODES } from './check'
import { ENSURE_STATES } from './definition'
import { givenWords, wantedWords } from './faults'
import { givenAs } from './given'
import { REPORTS, openIncidentFaults } from './incident'
import { isObject, itemsIn, pathTo, type JsonObject } from './json'
import { ROUTE_NAMES, anyMembersOf } from './members'
import { nearest } from './near'
import { RANGES, inMilliseconds, type Range } from './ranges'
import { numberIn } from './settings'
import { EVENTS, LANGUAGES, NUMBERS, thresholdFaults } from './watch'

type Option = (value: unknown, path: string) => Finding[]
export type Options = Readonly<Record<string, Option>>

/** Returns every fault of some options: what is no option, and what an option cannot be. */
export function optionFaults(options: Options, given: unknown, under = ''): Finding[] {
  if (!isOptions(given)) return [wrong(under || 'options', given, 'an object')]
  return Object.entries(given).flatMap(([name, value]): Finding[] => {
    const path = pathTo(under, name)
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (option) return value === undefined ? [] : option(value, path)
    const known = Object.keys(options).filter((each) => options[each] !== internal)
    const meant = nearest(name, known)
    const help = meant === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${meant}?`
    const sentence = `Unknown option ${path}. ${help}`
    return [{ path, problem: 'is not a known option', sentence }]
  })
}

/** Also an object of a class: only its own members count. */
const isOptions = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const wrong = (path: string, value: unknown, wanted: string): Problem => {
  const given =
    typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : givenWords(givenAs(value))
  return { path, problem: `is ${given}; it must be ${wanted}` }
}

const when =
  (isGood: (value: unknown) => boolean, wanted: string): Option =>
  (value, path) =>
    isGood(value) ? [] : [wrong(path, value, wanted)]

const number = (range: Range): Option =>
  when(
    (value) => typeof value === 'number' && numberIn(value, range) !== undefined,
    wantedWords({ kind: range.whole ? 'whole' : 'number', least: range.least, most: range.most }),
  )

const choice = (...choices: readonly unknown[]): Option =>
  when(
    (value) => choices.includes(value),
    wantedWords({ kind: 'choice', choices: choices.join(', ') }),
  )

const isText = (value: unknown): boolean => typeof value === 'string'

const flag = when((value) => typeof value === 'boolean', 'true or false')
// A password, even one that is no text, never stands in an error.
const secret: Option = (value, path) =>
  isText(value) ? [] : [{ path, problem: 'is not text; it must be text' }]
const textOrEmpty = when(isText, 'text')
const text = when((value) => isText(value) && value !== '', 'text')
const object = when(isOptions, 'an object')
const callback = when((value) => typeof value === 'function', 'a function')
const signal = when(
  (value) => isOptions(value) && 'aborted' in value && 'addEventListener' in value,
  'an AbortSignal',
)
/** Checked where it is used, which says more. */
const elsewhere: Option = () => []
/** The same, and not for programs: never offered. */
const internal: Option = () => []
const milliseconds = (range: Range): Option => number(inMilliseconds(range))

/** True for a route, source or destination as read, which has many names besides its ID. */
const isAsRead = (value: JsonObject): boolean =>
  Object.keys(value).some((name) => name !== 'id' && name !== 'name' && AS_READ.has(name))
const AS_READ: ReadonlySet<string> = new Set([
  ...ROUTE_NAMES,
  ...anyMembersOf('source').keys(),
  ...anyMembersOf('destination').keys(),
])

/** An object in which one of these says what is meant. */
const namedBy =
  (names: Options, wanted: string): Option =>
  (value, path) => {
    const says = ([name, fits]: [string, Option]): boolean =>
      isObject(value) && fits(value[name], '').length === 0
    if (!isObject(value) || !Object.entries(names).some(says)) return [wrong(path, value, wanted)]
    return isAsRead(value) ? [] : optionFaults(names, value, path)
  }

/** What is wrong with `{id}` or `{name}`. */
export const targetFaults = namedBy({ id: textOrEmpty, name: textOrEmpty }, '{id} or {name}')

const routes: Option = (value, path) => (text(value, path).length === 0 ? [] : filter(value, path))
const filter = namedBy(
  { id: text, name: text, idOrName: text, pattern: text },
  'a pattern for names, or one of {id}, {name}, {idOrName} and {pattern}',
)

const listOf =
  (each: Option): Option =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((one: unknown, index) => each(one, `${path}[${index}]`))
      : [wrong(path, value, 'a list')]

const CLIENT = { address: text, port: number({ least: 1, most: 65_535, whole: true }) }
const client: Option = (value, path) => {
  const faults = optionFaults(CLIENT, value, path)
  if (faults.length > 0 || !isObject(value) || value.address !== undefined) return faults
  return [wrong(`${path}.address`, undefined, 'text')]
}

/** Its values are checked together. */
const LIMIT = Object.fromEntries(['measure', 'of', ...NUMBERS].map((name) => [name, elsewhere]))
const thresholds: Option = (value, path) => [
  ...thresholdFaults(value, path),
  ...itemsIn(value).flatMap((limit, index) =>
    isObject(limit) ? optionFaults(LIMIT, limit, `${path}[${index}]`) : [],
  ),
]

const PROXY = { url: textOrEmpty, username: textOrEmpty, password: secret }
const proxy: Option = (value, path) => {
  if (!isOptions(value)) return [wrong(path, value, 'an object')]
  const isPlain = Object.getPrototypeOf(value) === Object.prototype
  // An object of a class has members of its own.
  const names = isPlain ? Object.keys(value) : Object.keys(PROXY)
  const given = value as Record<string, unknown>
  return optionFaults(PROXY, Object.fromEntries(names.map((name) => [name, given[name]])), path)
}

const call: Options = { signal }
const device: Options = { ...call, deviceId: text }
// Whatever is not a name confirms nothing.
const confirming: Options = { confirmProtected: elsewhere, confirmShared: elsewhere }
const waitTimeout = milliseconds(RANGES.waitTimeout)
const changing: Options = { ...device, waitFor: choice('accepted', 'applied'), waitTimeout }
const control: Options = { ...changing, ...confirming, destination: targetFaults }
/** An empty pattern is refused with what it is for. */
const removal: Option = (value, path) =>
  isObject(value) && value.pattern === undefined
    ? [wrong(`${path}.pattern`, undefined, 'a pattern for names')]
    : optionFaults(
        { pattern: when(isText, 'a pattern for names'), atMost: number(RANGES.removeAtMost) },
        value,
        path,
      )
const ensure: Options = {
  ...device,
  ...confirming,
  state: choice(...ENSURE_STATES),
  check: flag,
  exact: flag,
  remove: removal,
  planId: text,
  validate: flag,
  waitTimeout,
}
const page = number({ least: 1, most: Number.MAX_SAFE_INTEGER, whole: true })

/** By the method; `open` are those of `openGateway`. */
export const OPTIONS = {
  open: {
    baseUrl: textOrEmpty,
    username: textOrEmpty,
    password: secret,
    timeout: number(RANGES.timeout),
    concurrency: number(RANGES.concurrency),
    pollInterval: milliseconds(RANGES.pollInterval),
    readOnly: flag,
    protectedRoutes: elsewhere,
    tls: object,
    fingerprint: textOrEmpty,
    proxy,
    maxAnswerBytes: number({ least: 1, most: Number.MAX_SAFE_INTEGER, whole: true }),
    log: callback,
    node: internal,
    maySend: internal,
    onAnswer: internal,
    saved: internal,
    onWatched: internal,
    callers: internal,
    protections: internal,
    clock: internal,
  },
  call,
  device,
  list: { ...device, page, pageSize: page },
  health: { ...device, page, pageSize: page, language: choice(...LANGUAGES) },
  definitions: { ...device, secrets: choice('hidden', 'names'), prefix: elsewhere },
  create: { ...changing, startRoute: flag, validate: flag },
  update: { ...changing, ...confirming, mode: choice(...UPDATE_MODES), validate: flag },
  delete: { ...changing, ...confirming },
  control,
  ensure,
  undo: { ...call, ...confirming, check: flag, waitTimeout },
  import: { ...device, ...confirming },
  statistics: { ...device, source: flag, destination: targetFaults, client },
  watch: {
    ...device,
    report: choice(...REPORTS),
    mustRun: text,
    open: openIncidentFaults,
    onOpen: callback,
    events: listOf(choice(...EVENTS)),
    route: routes,
    holdFor: milliseconds(RANGES.holdFor),
    thresholds,
    language: choice(...LANGUAGES),
    onSnapshot: callback,
    onHealth: callback,
    onFailure: callback,
    id: internal,
  },
} as const satisfies Record<string, Options>

export const listenerFaults = (listener: unknown): Finding[] => callback(listener, 'listener')
