import { isUuid } from '../model/ids'
import { isObject, isText, own, type JsonObject, objectsIn } from '../model/json'
import { MOST_ROUTES, type Answered, type Reading } from './read'
import { unknownFields } from './safe'

/** What a reading says of a fact of docs/project/interface.md. */
export interface Fact {
  name: string
  /** An open question is confirmed when its answer was seen. */
  verdict: Verdict
  /** What was seen, or why nothing was. */
  seen: string
}
type Verdict = 'confirmed' | 'contradicted' | 'could not test'
type Finding = Omit<Fact, 'name'>

/** Judges each fact that reading can show, in the order of the page. */
export function factsIn(reading: Reading): Fact[] {
  const seen = sightOf(reading)
  return Object.entries(CHECKS).map(([name, check]) => ({ name, ...check(seen) }))
}

export type Sight = ReturnType<typeof sightOf>

export function sightOf({ answers, measured }: Reading) {
  const good = (path: RegExp, method = 'GET'): Array<Answered & { query: URLSearchParams }> =>
    answers
      .filter((one) => one.method === method && one.status === 200)
      .filter((one) => path.test(one.path.split('?')[0]!) && !isObject(own(one.body, 'error')))
      .map((one) => ({ ...one, query: new URLSearchParams(one.path.split('?')[1]) }))
  const bodies = (path: RegExp, method?: string): JsonObject[] =>
    good(path, method)
      .map(({ body }) => body)
      .filter(isObject)
  const sessions = bodies(/^\/api\/session$/)
  const deviceLists = good(/^\/api\/devices$/).map(({ body }) => body)
  const devices = objectsIn(deviceLists.at(-1))
  const configurations = bodies(/^\/api\/devices\/[^/]+$/)
  const lists = good(/\/routes$/)
  const listed = unique(lists.flatMap(({ body }) => objectsIn(own(body, 'data'))))
  const configs = member(configurations, 'config').filter(isObject)
  const configured = configs.flatMap((config) => objectsIn(config.routes))
  const routes = listed.length > 0 ? listed : unique(configured)
  const partsOf = (route: JsonObject) => objectsIn(route.destinations)
  const sources = routes.map(({ source }) => source).filter(isObject)
  const references = routes.flatMap(partsOf)
  const outputs = references.filter(({ protocol }) => protocol !== undefined)
  const running = routes.filter(({ state }) => state === 'running')
  const idle = routes.filter(({ state }) => state === 'idle' || state === 'stopped')
  const statistics = bodies(/\/statistics$/)
  const measuredRoutes = statistics.map(({ route }) => route).filter(isObject)
  const protocols = new Map([...sources, ...outputs].map(({ id, protocol }) => [id, protocol]))
  const isSrt = ({ id }: JsonObject): boolean => protocols.get(id) === 'srt'
  const sourceFigures = measuredRoutes.map(({ source }) => source).filter(isObject)
  const outputFigures = measuredRoutes.flatMap(partsOf)
  const srtOutputs = outputFigures.filter(isSrt)
  return {
    measured,
    answers,
    login: bodies(/^\/api\/session$/, 'POST')[0],
    sessions,
    session: sessions.slice(0, 1),
    deviceLists,
    devices,
    configurations,
    configured,
    adapters: configs.flatMap(({ settings }) => objectsIn(own(settings, 'networkAdapters'))),
    pairings: configs.flatMap(({ peers, calypsos }) => objectsIn(peers ?? calypsos)),
    pairingNames: configs.flatMap((config) =>
      ['peers', 'calypsos'].filter((name) => own(config, name) !== undefined),
    ),
    lists,
    routes,
    sources,
    references,
    outputs,
    parts: [...sources, ...outputs],
    running,
    idle,
    partsOf,
    single: bodies(/\/routes\/[^/]+$/),
    statistics,
    figures: [...sourceFigures, ...outputFigures],
    srtSources: sourceFigures.filter(isSrt),
    srtOutputs,
    callerLists: ['clientsStat', 'clientStat'].filter(
      (name) => member(srtOutputs, name).length > 0,
    ),
    errors: answers.filter(({ status }) => status >= 400),
  }
}

const unique = (routes: JsonObject[]): JsonObject[] => [
  ...new Map(routes.map((route) => [route.id, route])).values(),
]

const confirmed = (seen: string): Finding => ({ verdict: 'confirmed', seen })
const contradicted = (seen: string): Finding => ({ verdict: 'contradicted', seen })
const untested = (seen: string): Finding => ({ verdict: 'could not test', seen })

const judged = (isTrue: boolean, seen: string): Finding =>
  isTrue ? confirmed(seen) : contradicted(seen)

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 60)

/** Confirmed when it is true of all; without any, it could not be tested. */
function all<Item>(
  items: readonly Item[],
  isTrue: (item: Item) => boolean,
  say: (item: Item) => unknown = (item) => item,
): Finding {
  if (items.length === 0) return untested('there was none')
  const wrong = items.filter((item) => !isTrue(item))
  if (wrong.length === 0) return confirmed(`all ${items.length}`)
  return contradicted(`not ${wrong.length} of ${items.length}, such as ${shown(say(wrong[0]!))}`)
}

const member = (items: readonly JsonObject[], name: string): unknown[] =>
  items.filter((item) => own(item, name) !== undefined).map((item) => item[name])

const values = (items: readonly JsonObject[], name: string, ...allowed: string[]): Finding => {
  const found = member(items, name)
  const finding = all(found, (value) => allowed.includes(String(value).toLowerCase()))
  if (finding.verdict !== 'confirmed') return finding
  return confirmed([...new Set(found.map(String))].join(', '))
}

const fields = (items: readonly JsonObject[], names: string): Finding => {
  const missingIn = (item: JsonObject): string[] =>
    names.split(' ').filter((name) => own(item, name) === undefined)
  return all(
    items,
    (item) => missingIn(item).length === 0,
    (item) => `without ${missingIn(item).join(', ')}`,
  )
}

/** What may be, and need not. */
const some = <Item>(items: readonly Item[], isTrue: (item: Item) => boolean): Finding => {
  const found = items.filter(isTrue)
  if (found.length === 0) return untested('not seen here')
  return confirmed(`${found.length} of ${items.length}`)
}

const repeated = (items: readonly unknown[]): Finding => {
  const counts = new Map<unknown, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return some([...counts.values()], (count) => count > 1)
}

/** One of several that are possible. */
const either = (found: unknown[], wanted: string): Finding => {
  const seen = [...new Set(found.map(String))].join(', ')
  if (seen === '') return untested('there was none')
  return seen.split(', ').includes(wanted) ? confirmed(seen) : untested(`it is ${seen} here`)
}

const isNumber = (value: unknown): boolean => typeof value === 'number'
const isInRange = (least: number, most: number) => (value: unknown) =>
  value === '' || (Number(value) >= least && Number(value) <= most)
const of = (items: readonly JsonObject[], name: string, ...wanted: string[]): JsonObject[] =>
  items.filter((item) => wanted.includes(String(own(item, name))))
const listeners = (outputs: readonly JsonObject[]): JsonObject[] =>
  of(of(outputs, 'protocol', 'srt'), 'mode', 'listener')
const isTime = (value: unknown): boolean => value === 0 || Number(value) > 1e12
const callersOf = (part: JsonObject): JsonObject[] => objectsIn(part.clientsStat ?? part.clientStat)
const isRedundant = (part: JsonObject): boolean =>
  isText(part.srtGroupMode) && part.srtGroupMode !== 'none'
const pagesOf = ({ lists }: Sight, size: string) =>
  lists.filter(({ query }) => query.get('pageSize') === size)
const idsOf = ({ body }: { body: unknown }): unknown[] => member(objectsIn(own(body, 'data')), 'id')

const CODES = ['ok', 'warn', 'error', 'unknown']
const TIMES = [
  'startAt',
  'expireAt',
  'lastLoginDate',
  'lastConnectedAt',
  'lastConfigReadAt',
  'lastAcceptedUpdate',
  'collectedAt',
]

/** By the names on the page. A test compares them with it. */
export const CHECKS: Readonly<Record<string, (seen: Sight) => Finding>> = {
  'certificate-self-signed': ({ measured: { certificate } }) =>
    certificate
      ? judged(
          certificate.isSelfSigned,
          certificate.isSelfSigned ? 'self-signed' : 'by an authority',
        )
      : untested('the address is not https'),
  'ids-of-devices-and-commands': ({ devices }) =>
    all(member(devices, '_id'), (id) => /^[\w-]{22}$/.test(String(id))),
  'ids-of-routes-and-parts': ({ routes, parts }) =>
    all(member([...routes, ...parts], 'id'), (id) => isUuid(String(id))),
  'times-are-milliseconds': ({ session, devices, configurations, statistics }) =>
    all(
      TIMES.flatMap((name) =>
        member([...session, ...devices, ...configurations, ...statistics], name),
      ).filter((value) => value !== null),
      isTime,
    ),
  'numbers-as-text': ({ parts }) => some(member(parts, 'usedBandwidth'), isText),
  'unknown-fields-appear': ({ answers }) => {
    const names = [...new Set(answers.flatMap(({ body }) => unknownFields(body)))]
    return names.length > 0 ? confirmed(names.slice(0, 20).join(', ')) : untested('not seen here')
  },
  'login-names-session': ({ measured: { cookie } }) =>
    cookie === undefined || cookie === 'none'
      ? untested('there was no cookie')
      : judged(cookie === 'session', cookie === 'session' ? 'the same' : 'they differ'),
  'login-sets-cookie': ({ measured: { cookie } }) =>
    cookie === undefined ? untested('no login was seen') : judged(cookie !== 'none', cookie),
  'session-readable': ({ sessions, answers }) => {
    const asked = answers.filter(({ method, path }) => method === 'GET' && path === '/api/session')
    if (asked.length === 0) return untested('not asked')
    return judged(sessions.length > 0, `status ${asked[0]!.status}`)
  },
  'session-fields': ({ session }) =>
    fields(
      session,
      'sessionID displayName email roles startAt expireAt lastLoginDate numLoginFailures isLicensed',
    ),
  'session-expires': ({ session }) =>
    all(session, ({ startAt, expireAt }) => Number(expireAt) > Number(startAt)),
  'session-history-may-be-null': ({ session }) =>
    all(
      ['lastLoginDate', 'numLoginFailures'].flatMap((name) => member(session, name)),
      (value) => value === null || isNumber(value),
    ),
  'role-names': ({ session }) =>
    all(member(session, 'roles').flat(), (role) =>
      ['Administrator', 'Operator', 'Observer'].includes(String(role)),
    ),
  'one-role-per-account': ({ session }) =>
    all(member(session, 'roles'), (roles) => Array.isArray(roles) && roles.length === 1),
  'devices-is-array': ({ deviceLists }) => all(deviceLists, Array.isArray),
  'one-device': ({ devices, deviceLists }) =>
    deviceLists.length === 0
      ? untested('the list was not read')
      : judged(devices.length === 1, `${devices.length}`),
  'device-fields': ({ devices }) =>
    fields(
      devices,
      '_id type ip name lastConnectedAt statusCode status statusDetails serialNumber firmware hasAdminError pendingSync lastConnection',
    ),
  'device-status-code-values': ({ devices }) => values(devices, 'statusCode', ...CODES),
  'device-status-values': ({ devices }) =>
    values(devices, 'status', 'online', 'offline', 'never', 'device error', 'communication error'),
  'firmware-is-not-version': ({ devices }) =>
    all(member(devices, 'firmware'), (firmware) => /^\d+(\.\d+){3}$/.test(String(firmware))),
  'configuration-has-routes': ({ configurations, configured, routes }) => {
    const ids = new Set(routes.map(({ id }) => id))
    const lists = configurations.map((each) => own(own(each, 'config'), 'routes'))
    if (!lists.every(Array.isArray)) return contradicted('config.routes is no array')
    return all(configured, ({ id }) => ids.has(id))
  },
  'configuration-has-all-routes': ({ configurations, configured, lists }) =>
    configurations.length === 1 && lists.length > 0
      ? judged(
          configured.length === Number(own(lists[0]!.body, 'numResults')),
          `${configured.length} of ${shown(own(lists[0]!.body, 'numResults'))}`,
        )
      : untested('one of the two was not read'),
  'network-adapters-name-interfaces': ({ adapters, parts }) => {
    if (adapters.length === 0) return untested('there was none')
    const names = new Set<unknown>(['', ...member(adapters, 'name')])
    const used = member(parts, 'networkInterface')
      .filter(isText)
      .flatMap((each) => each.split('|'))
    return all(['', ...used], (name) => names.has(name))
  },
  'pairings-as-peers': ({ pairingNames }) => either(pairingNames, 'peers'),
  'pairings-as-calypsos': ({ pairingNames }) => either(pairingNames, 'calypsos'),
  'pairing-fields': ({ pairings }) =>
    fields(
      pairings,
      'id gatewayName address httpPort httpsPort passcode lastConnectedAt status statusDetails proxyAddress proxyHttpPort proxyHttpsPort lastConnection',
    ),
  'pairing-status-values': ({ pairings }) =>
    values(
      pairings,
      'status',
      'accepted',
      'pair pending',
      'pairing error',
      'pairing timeout',
      'pairing denied',
      'poll timeout',
      'poll error',
    ),
  'polling-interval-suggested': ({ configurations }) =>
    all(
      configurations.map((each) => own(own(each, 'suggestedPollingInterval'), 'ms')),
      isNumber,
    ),
  'list-fields': ({ lists }) =>
    fields(
      lists.map(({ body }) => body).filter(isObject),
      'data numPages numResults numActiveOutputConnections',
    ),
  'list-data-is-array': ({ lists }) => all(lists, ({ body }) => Array.isArray(own(body, 'data'))),
  'list-counts-routes': (seen) => {
    const pages = pagesOf(seen, '500').filter(
      ({ body }) => !(Number(own(body, 'numResults')) > MOST_ROUTES),
    )
    return all(
      pages,
      ({ path, body }) => {
        const [list] = path.split('?')
        const whole = pages.filter((page) => page.path.split('?')[0] === list)
        return new Set(whole.flatMap(idsOf)).size === Number(own(body, 'numResults'))
      },
      ({ body }) => own(body, 'numResults'),
    )
  },
  'list-pending-creates-optional': ({ lists }) =>
    all(
      lists.map(({ body }) => own(body, 'pendingRouteCreates')),
      (value) => value === undefined || isNumber(value),
    ),
  'list-page-from-one': (seen) => {
    const [first] = pagesOf(seen, '2')
    const [whole] = pagesOf(seen, '500')
    if (!first || !whole) return untested('there are too few routes')
    return judged(idsOf(first)[0] === idsOf(whole)[0], 'page 1 begins as the list does')
  },
  'list-page-size': (seen) =>
    all(
      pagesOf(seen, '2'),
      (page) => idsOf(page).length <= 2,
      (page) => `${idsOf(page).length} on a page of 2`,
    ),
  'list-pages-differ': (seen) => {
    const [one, other] = pagesOf(seen, '2').map(idsOf)
    if (!one || !other) return untested('there are too few routes')
    return judged(!one.some((id) => other.includes(id)), 'pages 1 and 2')
  },
  'one-route-bare': ({ single }) => all(single, ({ id, source }) => isText(id) && isObject(source)),
  'unknown-route-404': ({ errors }) =>
    all(
      errors.filter(({ path }) => /\/routes\/[^/]+$/.test(path)),
      ({ status }) => status === 404,
      ({ status }) => status,
    ),
  'route-fields': ({ routes }) =>
    fields(
      routes,
      'id name source destinations state elapsedTime summaryStatusCode summaryStatusDetails',
    ),
  'route-state-values': ({ routes }) => values(routes, 'state', 'running', 'idle', 'stopped'),
  'route-state-idle': ({ idle }) => either(member(idle, 'state'), 'idle'),
  'route-state-stopped': ({ idle }) => either(member(idle, 'state'), 'stopped'),
  'route-summary-values': ({ routes }) => values(routes, 'summaryStatusCode', ...CODES),
  'route-idle-summary': ({ idle }) =>
    all(
      idle,
      (route) => route.summaryStatusCode === 'unknown' && route.summaryStatusDetails === 'idle',
      (route) => [route.summaryStatusCode, route.summaryStatusDetails],
    ),
  'route-idle-not-started': ({ idle, partsOf }) =>
    all(member(idle.flatMap(partsOf), 'started'), (started) => started === false),
  'route-running-started': ({ running, partsOf }) =>
    some(member(running.flatMap(partsOf), 'started'), (started) => started === true),
  'route-connecting-is-warn': ({ running, partsOf }) =>
    all(
      running.filter(({ source }) => own(source, 'state') === 'connecting'),
      (route) =>
        route.summaryStatusCode === 'warn' &&
        partsOf(route).every(({ state }) => state === undefined || state === 'disconnected'),
      (route) => route.summaryStatusCode,
    ),
  'source-common-fields': ({ sources }) =>
    fields(
      of(sources, 'protocol', 'udp', 'rtp', 'srt'),
      'id name protocol address port networkInterface',
    ),
  'source-protocols': ({ sources }) =>
    values(sources, 'protocol', 'udp', 'rtp', 'srt', 'rtmp', 'rtsp'),
  'source-port-range': ({ sources }) =>
    all(
      member(
        sources.filter((each) => !isRedundant(each)),
        'port',
      ),
      isInRange(1, 65_535),
    ),
  'source-interface-empty': ({ sources }) =>
    some(member(sources, 'networkInterface'), (name) => name === ''),
  'source-state-values': ({ sources }) =>
    values(sources, 'state', 'disconnected', 'connecting', 'connection established', 'connected'),
  'source-summary-values': ({ sources }) => values(sources, 'summaryStatusCode', ...CODES),
  'source-mode-of-srt': ({ parts }) =>
    values(of(parts, 'protocol', 'srt'), 'mode', 'caller', 'listener', 'rendezvous'),
  'source-used-bandwidth-is-text': ({ sources }) =>
    all(member(sources, 'usedBandwidth'), (value) => /^\d+\.\d+$/.test(String(value))),
  'source-group-modes': ({ parts }) =>
    values(
      parts.filter(({ srtGroupMode }) => srtGroupMode !== null),
      'srtGroupMode',
      'none',
      'broadcast',
      'backup',
      'any',
    ),
  'source-paths-joined': ({ sources }) =>
    all(
      member(sources.filter(isRedundant), 'address'),
      (address) => isText(address) && address.includes('|'),
    ),
  'destination-common-fields': ({ outputs }) =>
    fields(outputs, 'id name protocol state started summaryStatusCode summaryStatusDetails'),
  'destination-protocols': ({ outputs }) =>
    values(outputs, 'protocol', 'udp', 'rtp', 'srt', 'hls', 'http'),
  'destination-names-repeat': ({ outputs }) =>
    repeated([...new Map(outputs.map(({ id, name }) => [id, name])).values()]),
  'destination-packet-ranges': ({ outputs }) =>
    all(
      outputs.filter((each) => !isRedundant(each) && each.mtu !== undefined),
      ({ mtu, ttl, tos }) =>
        isInRange(280, 1500)(mtu) && isInRange(1, 255)(ttl) && isInRange(0, 255)(tos),
      ({ mtu, ttl, tos }) => [mtu, ttl, tos],
    ),
  'destination-overhead-is-text': ({ outputs }) => all(member(outputs, 'srtOverhead'), isText),
  'destination-connection-limit-is-number': ({ outputs }) =>
    all(member(outputs, 'srtConnectionLimit'), isNumber),
  'destination-use-fec-spelling': ({ parts }) => {
    if (member(parts, 'useFEC').length > 0) return contradicted('useFEC')
    return some(parts, (part) => own(part, 'useFec') !== undefined)
  },
  'destination-client-connections': ({ outputs }) =>
    all(
      listeners(outputs).map((each) => own(each, 'clientConnections')),
      isNumber,
    ),
  'destination-hls-protocol': ({ outputs }) =>
    all(
      of(outputs, 'mode', 'hls'),
      ({ protocol }) => protocol === 'http',
      ({ protocol }) => protocol,
    ),
  'statistics-collected-at-is-number': ({ statistics }) =>
    all(member(statistics, 'collectedAt'), isNumber),
  'statistics-common-fields': ({ figures }) =>
    fields(
      figures,
      'name id mode state elapsedRunningTime bitrate usedBandwidth sendRate numPackets signalLosses',
    ),
  'statistics-bitrate-mbit': ({ figures }) =>
    all(
      figures.filter(({ bitrate, usedBandwidth }) => Number(bitrate) > 0 && Number(usedBandwidth)),
      ({ bitrate }) => Number(bitrate) < 1000,
      ({ bitrate }) => bitrate,
    ),
  'statistics-srt-fields': ({ srtSources, srtOutputs }) =>
    fields(
      [...srtSources, ...srtOutputs],
      'srtRoundTripTime srtBufferLevel srtNegotiatedLatency srtLatency srtEncryption srtPacketLossRate srtNumSkippedPackets srtRetransmitRate srtDecryptionState',
    ),
  'statistics-lost-of-source': ({ srtSources }) => fields(srtSources, 'srtNumLostPackages'),
  'statistics-lost-of-destination': ({ srtOutputs }) =>
    fields(srtOutputs, 'srtNumLostPackets srtDroppedPackets srtPeerDecryptionState'),
  'statistics-connections': ({ srtSources, srtOutputs }) =>
    all(
      [...srtSources, ...srtOutputs.filter((each) => String(each.mode) !== 'listener')],
      ({ connections }) => Array.isArray(connections),
      ({ connections }) => connections,
    ),
  'statistics-client-list-clients-stat': ({ callerLists }) => either(callerLists, 'clientsStat'),
  'statistics-client-list-client-stat': ({ callerLists }) => either(callerLists, 'clientStat'),
  'statistics-client-fields': ({ srtOutputs }) =>
    fields(
      srtOutputs.flatMap(callersOf),
      'label address port bitrate usedBandwidth signalLosses srtVersion SRTPeerVersion connections',
    ),
  'error-body': ({ errors }) =>
    all(
      errors,
      ({ body }) =>
        isText(own(own(body, 'error'), 'type')) && isText(own(own(body, 'error'), 'message')),
      ({ status }) => `status ${status}`,
    ),
  'field-uncalled-listener-is-warn': ({ running, partsOf }) =>
    all(
      running.flatMap((route) =>
        listeners(partsOf(route))
          .filter((each) => each.started !== false && Number(each.clientConnections) === 0)
          .map(({ state }) => ({ state, code: route.summaryStatusCode })),
      ),
      ({ state, code }) => state === 'disconnected' && code === 'warn',
    ),
  'field-output-in-two-routes': ({ references }) => repeated(member(references, 'id')),
  'field-output-gone': ({ references }) =>
    some(references, ({ protocol }) => protocol === undefined),
  'field-configuration-newer-model': ({ configured }) =>
    some(configured, (route) => own(route, 'source') === undefined),
  'unknown-session-length': ({ sessions }) => {
    const [first] = sessions
    const last = sessions.at(-1)
    if (!first || !last || first === last) return untested('it was not read twice')
    const length = Math.round((Number(first.expireAt) - Number(first.startAt)) / 1000)
    const isLonger = Number(last.expireAt) > Number(first.expireAt)
    return confirmed(`${length} s; requests ${isLonger ? 'extend it' : 'did not extend it'}`)
  },
  'unknown-default-page-size': ({ lists }) => {
    const found = lists.find(({ query }) => query.get('pageSize') === null)
    if (!found) return untested('the list was not read')
    const length = idsOf(found).length
    const total = Number(own(found.body, 'numResults'))
    return length < total
      ? confirmed(`${length} of ${total}`)
      : untested(`all ${length} are on one page`)
  },
  'unknown-wrong-role-status': ({ errors }) => {
    const refused = errors.find(({ path }) => path.endsWith('/preset'))
    return refused ? confirmed(`${refused.status}`) : untested('this account may do everything')
  },
  'unknown-paths-in-responses': ({ parts }) => {
    const redundant = parts.filter(isRedundant)
    if (redundant.length === 0) return untested('there was no path redundancy')
    const count = redundant.filter((each) => objectsIn(each.srtNetworkBondingParams).length > 0)
    return confirmed(`${count.length} of ${redundant.length} have them`)
  },
  'unknown-hls-port': ({ outputs }) => {
    const hls = of(outputs, 'mode', 'hls')
    if (hls.length === 0) return untested('there was none')
    return confirmed(`${hls.filter(({ port }) => port !== undefined).length} of ${hls.length}`)
  },
}
