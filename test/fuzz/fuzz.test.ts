import { setTimeout as pause } from 'node:timers/promises'
import { util } from '@node-red/util'
import * as fc from 'fast-check'
import { ERROR_CODES, type GatewayError } from '../../client/errors'
import { Operation } from '../../client/connection/operation'
import { openConnection } from '../../client/connection/connection'
import { startSession } from '../../client/api/session'
import { watchDevice } from '../../client/watch/registry'
import type { WatchHealth, WatchOptions } from '../../client/watch/report/subscription'
import type { RouteFilter } from '../../client/watch/report/filter'
import { REAL_TIME, type UnixClock } from '../../client/clock'
import { helper, load, send, unload, type Message, type Outcome } from '../support/flow'
import { actions, itTestsEach } from '../support/manifests'
import { liveInOwnTime } from '../support/own-time'
import { until } from '../support/until'
import {
  GOOD,
  PASSWORD,
  StrangeAppliance,
  USERNAME,
  strangeAnswer,
  type StrangeAnswer,
} from './strange-appliance'
import {
  edits,
  editedText,
  property,
  toldIdentifier,
  toldValue,
  valueOf,
  type Edit,
  type Told,
} from './strange-values'
import {
  attempt,
  catchStrays,
  isBlunder,
  judge,
  judgeCall,
  judgeError,
  judgeSentence,
  letStraysGo,
  refusePrototypes,
} from './trial'
import { WAYS } from './ways'

/** Minutes for each kind of cases (npm --prefix tools run fuzz); without it each has a small fixed number. */
const MINUTES = Number(process.env['FUZZ_MINUTES'] ?? 0)
const SEED = Number(process.env['FUZZ_SEED'] ?? 4711)
/** How fast time passes: with few cases, what is held back after a refused login would take the most of it. */
const TIMES = MINUTES > 0 ? 1 : 5
/** Of a request, ms. */
const TIMEOUT = 400 * TIMES

const LANES = ['a', 'b', 'c', 'd']

describe(`whatever comes (seed ${SEED})`, function () {
  this.timeout(MINUTES > 0 ? 0 : 60_000)
  this.retries(0)

  const appliance = new StrangeAppliance([...LANES, 'unused'])

  before(() => appliance.start())
  after(() => appliance.stop())
  beforeEach(() => liveInOwnTime(TIMES))
  beforeEach(catchStrays)
  afterEach(async () => {
    await unload()
    letStraysGo()
  })

  /** Each way of use in each lane, all wired to two nodes: Node-RED then copies what comes out. */
  async function loadAll(): Promise<void> {
    const nodes: Record<string, object> = {}
    const others: object[] = [{ id: 'second', z: 'tab', type: 'helper', x: 0, y: 0, wires: [] }]
    const accounts: Record<string, object> = {}
    for (const lane of LANES) {
      const { url } = appliance.lane(lane)
      const id = `gateway ${lane}`
      others.push({ id, type: 'media-gateway', name: '', baseUrl: url, timeout: TIMEOUT })
      accounts[id] = { username: USERNAME, password: PASSWORD }
      for (const [way, { type, ...properties }] of Object.entries(WAYS)) {
        nodes[`${way} ${lane}`] = {
          waitTimeout: 0.3,
          ...properties,
          type: `media-gateway-${String(type)}`,
          gateway: id,
          wires: [['out', 'second']],
        }
      }
    }
    await unload()
    await load(appliance.lane('unused').url, nodes, { others, accounts })
    await Promise.all(LANES.map(recover))
  }

  let trials = 0
  /** A message that makes sense to every node, about a route that no other trial uses. */
  function goodMessage(): Message {
    const { route } = appliance
    const id = `route-${++trials}`
    const [destination] = route['destinations'] as Array<Record<string, unknown>>
    const definition = { ...route, id, name: `${String(route['name'])} ${trials}` }
    return {
      routeId: id,
      destinationId: destination!['id'],
      clientAddress: '192.0.2.1',
      confirm: true,
      action: 'start',
      payload: definition,
    }
  }

  const messageFor = (way: string): Message => {
    const message = goodMessage()
    return way === 'import' ? { ...message, payload: appliance.preset } : message
  }

  /** The same, about a route that is given by its name. */
  function withName(message: Message): Message {
    const { routeId: _, payload, ...others } = message
    const name = appliance.route['name']
    const isRoute = typeof payload === 'object' && payload !== null && 'source' in payload
    const { id: _id, ...definition } = { ...(payload as { id?: unknown }), name }
    return { ...others, routeName: name, payload: isRoute ? definition : payload }
  }

  async function judgeCatch(outcome: Outcome): Promise<void> {
    // It comes a moment later, and some messages are large.
    for (let tries = 0; outcome.error && !outcome.caught; tries++) {
      if (tries > 50) throw new Error('the Catch node got nothing')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  function judgeLog(): void {
    for (const line of takeLog()) {
      const text =
        line.msg instanceof Error ? (line.msg.stack ?? String(line.msg)) : String(line.msg)
      if (appliance.secrets.some((secret) => text.includes(secret))) {
        throw new Error(`a secret is logged: ${text}`)
      }
      if (line.level <= 30 && isBlunder(text)) throw new Error(`logged: ${text.slice(0, 600)}`)
    }
  }

  function takeLog(): Array<{ level: number; msg: unknown }> {
    const spy = helper.log() as ReturnType<typeof helper.log> | undefined
    const lines = spy?.args.map(([line]) => line) ?? []
    ;(spy as unknown as { resetHistory?: () => void })?.resetHistory?.()
    return lines
  }

  /** After a good login everything works again, whatever happened before. */
  async function recover(name: string): Promise<void> {
    const lane = appliance.lane(name)
    lane.answers.length = 0
    for (const way of ['session', 'devices', 'route']) {
      for (let tries = 1; ; tries++) {
        const { error } = await send(`${way} ${name}`, goodMessage())
        if (!error) break
        // What was remembered of the devices may be wrong once, and the machine may be busy.
        if (tries === 5) throw new Error(`all is not well again: ${error.message}`)
        // No refused login is repeated at once.
        const [, seconds] = /Next attempt in (\d+) s/.exec(error.message) ?? []
        if (error.code === 'LOGIN_REFUSED' && seconds) await pause(Number(seconds) * 1000)
      }
    }
    lane.calls.length = 0
    lane.round++
  }

  /** Runs generated cases, by number or by time. */
  async function check<T>(
    name: string,
    cases: number,
    values: fc.Arbitrary<T>,
    trial: (value: T) => Promise<unknown>,
    reload: () => Promise<void>,
  ): Promise<void> {
    await reload()
    const endsAt = Date.now() + MINUTES * 60_000
    let made = 0
    let isWhole = true
    const counted = fc.asyncProperty(values, async (value) => {
      made++
      // What a failed trial left must not make the next one fail.
      if (!isWhole) await reload()
      isWhole = false
      await attempt(() => trial(value))
      judgeLog()
      isWhole = true
    })
    let seed = SEED
    do {
      // Now and then, since the test runtime of Node-RED keeps all that was logged and sent.
      if (made > 0) await reload()
      await fc.assert(counted, { seed, numRuns: MINUTES > 0 ? 50 : cases })
      seed++
    } while (Date.now() < endsAt)
    if (MINUTES > 0) {
      const rss = Math.round(process.memoryUsage.rss() / 1048576)
      process.stdout.write(
        `      ${name}: ${made} cases, seeds ${SEED} to ${seed - 1}, ${rss} MB\n`,
      )
    }
  }

  itTestsEach(
    actions,
    Object.values(WAYS).map(({ type }) => String(type)),
  )

  describe('from an appliance', () => {
    const someAnswers = (most: number): fc.Arbitrary<StrangeAnswer[]> =>
      fc.array(fc.oneof(strangeAnswer, fc.constant(GOOD)), { maxLength: most })

    const trial: fc.Arbitrary<Trial> = fc.record({
      way: fc.constantFrom(...Object.keys(WAYS)),
      loggedIn: fc.boolean(),
      byName: fc.boolean(),
      action: fc.constantFrom('start', 'stop', 'restart', 'info', 'end'),
      answers: someAnswers(4),
    })

    async function tryAnswers(lane: string, one: Trial): Promise<void> {
      const { way, loggedIn, byName, action, answers } = one
      if (!loggedIn) await send(`session ${lane}`, { action: 'end' })
      appliance.lane(lane).answers = [...answers]
      const message: Message = { ...messageFor(way), action }
      const outcome = await send(`${way} ${lane}`, byName ? withName(message) : message)
      judge(outcome, appliance.secrets)
      await judgeCatch(outcome)
      await recover(lane)
    }

    it('to the nodes', async () => {
      await check(
        'answers to the nodes',
        12,
        inLanes(trial),
        (several) => Promise.all(several.map((one, lane) => tryAnswers(LANES[lane]!, one))),
        loadAll,
      )
    })

    const look: fc.Arbitrary<Look> = fc.record({
      holdFor: fc.constantFrom(0, 3000),
      filter: fc.constantFrom(undefined, { pattern: '*a*' }, { name: 'Studio A' }),
      answers: someAnswers(12),
    })

    it('to a watch', async () => {
      await check(
        'answers to a watch',
        8,
        inLanes(look),
        (several) => Promise.all(several.map((one, lane) => tryLook(LANES[lane]!, one))),
        async () => undefined,
      )
    })

    /** Watches while the responses come, and until good ones have reported everything. */
    async function tryLook(name: string, { holdFor, filter, answers }: Look): Promise<void> {
      const lane = appliance.lane(name)
      const heard: unknown[] = []
      const gateway = openConnection({
        baseUrl: lane.url,
        username: USERNAME,
        password: PASSWORD,
        timeout: TIMEOUT,
        log: (_, text) => heard.push(text),
      })
      let end = (): void => undefined
      try {
        // The short timeout is for what is not answered, and may end a login on a busy machine.
        await until(() => {
          gateway.session.clearBackoff()
          return startSession(gateway, new Operation('session')).then(
            () => true,
            (error: GatewayError) => {
              if (error.code !== 'TIMEOUT') throw error
              return false
            },
          )
        })
        lane.answers = [...answers]
        let health: WatchHealth = { unreachable: false }
        const options: WatchOptions = {
          holdFor,
          route: filter,
          thresholds: [
            { measure: 'bitrate', of: 'source', low: 1 },
            { measure: 'bitrate', of: 'destination', high: 1 },
          ],
          onEvents: (events) => heard.push(...events),
          onSnapshot: (snapshot) => heard.push(snapshot),
          onHealth: (now) => (health = now),
          onFailure: (error) => judgeError(error, appliance.secrets),
        }
        end = watchDevice(gateway, options, FAST_TIME)
        const endsAt = Date.now() + 40_000
        while (lane.answers.length > 0 || health.failure || !health.known) {
          if (Date.now() > endsAt) throw new Error('all is not well again', { cause: health })
          await new Promise((resolve) => setTimeout(resolve, 10))
          gateway.session.clearBackoff()
        }
      } finally {
        end()
        await gateway.close()
      }
      for (const one of heard) judgeHeard(one)
    }

    function judgeHeard(one: unknown): void {
      refusePrototypes(one)
      const text = JSON.stringify(one)
      const secrets = [...appliance.secrets, ...appliance.passPhrases]
      if (secrets.some((secret) => text.includes(secret))) {
        throw new Error(`a secret is told: ${text.slice(0, 400)}`)
      }
      if (typeof one === 'string' && isBlunder(one)) throw new Error(`logged: ${one}`)
    }

    const question: fc.Arbitrary<Question> = fc.record({
      path: fc.constantFrom('connection', 'lookup', 'definition', 'state', 'control'),
      changes: fc.oneof(
        { weight: 2, arbitrary: edits },
        { weight: 3, arbitrary: fc.constant<Edit[]>([]) },
      ),
      unsaved: fc.boolean(),
      answers: someAnswers(4),
    })

    it('to the editor', async () => {
      await check(
        'answers to the editor',
        12,
        inLanes(question),
        (several) => Promise.all(several.map((one, lane) => tryQuestion(LANES[lane]!, one))),
        loadAll,
      )
    })

    async function tryQuestion(name: string, { path, changes, unsaved, answers }: Question) {
      const lane = appliance.lane(name)
      const id = `gateway ${name}`
      lane.answers = [...answers]
      // After a refused login, a test with the same user would wait, and try nothing.
      const username = `${USERNAME} ${++trials}`
      const form = { baseUrl: lane.url, username, password: PASSWORD, timeout: TIMEOUT }
      const whole = {
        id,
        connection: unsaved ? form : { id },
        routeId: 'route',
        action: 'start',
        ...(path !== 'state' && { deviceId: 'device' }),
      }
      const text = editedText(whole, changes)
      const request = helper.request().post(`/media-gateway/${path}`)
      const reply = await request
        .set('content-type', 'application/json')
        .send(isReadable(text) ? text : '{}')
      judgeReply(reply)
      await recover(name)
    }

    function judgeReply({ status, text }: { status: number; text: string }): void {
      if (appliance.secrets.some((secret) => text.includes(secret))) {
        throw new Error(`a secret is told to the editor: ${text.slice(0, 400)}`)
      }
      if (![200, 400, 404, 502].includes(status)) throw new Error(`status ${status}: ${text}`)
      const { ok, code, message, sentences } = JSON.parse(text) as Record<string, unknown>
      if (status === 200 && ok !== false) return
      // A test that was not made says nothing about the gateway.
      const [said] = Array.isArray(sentences) ? (sentences as Array<{ key?: string }>) : []
      const isUntested = ['testRunning', 'testHeld'].includes(said?.key ?? '')
      if (code === undefined && isUntested) return judgeSentence(message)
      if (!ERROR_CODES.some((known) => known === code)) throw new Error(`no code: ${text}`)
      judgeSentence(message)
    }
  })

  describe('in a message', () => {
    const message: fc.Arbitrary<StrangeMessage> = fc.record(
      {
        way: fc.constantFrom(...Object.keys(WAYS)),
        properties: fc.record(
          {
            deviceId: toldIdentifier,
            routeId: toldIdentifier,
            routeName: toldIdentifier,
            destinationId: toldIdentifier,
            destinationName: toldIdentifier,
            clientAddress: toldIdentifier,
            clientPort: toldValue,
            action: toldValue,
            page: toldValue,
            pageSize: toldValue,
            confirm: toldValue,
            topic: toldValue,
            payload: toldValue,
            else: toldValue,
          },
          { requiredKeys: [] },
        ),
        changes: edits,
      },
      { requiredKeys: ['way', 'properties'] },
    )

    async function tryMessage(lane: string, { way, properties, changes }: StrangeMessage) {
      const base = messageFor(way)
      if (changes) base.payload = valueOf({ json: editedText(base.payload, changes) })
      const given = Object.entries(properties).map(([name, value]) => [name, valueOf(value)])
      const sent = { ...base, ...(Object.fromEntries(given) as Message) }
      const { calls } = appliance.lane(lane)
      const isCopyable = canBeCopied(sent)
      const outcome = await send(`${way} ${lane}`, sent)
      judge(outcome, appliance.secrets)
      if (!isCopyable) takeLog()
      else await judgeCatch(outcome)
      for (const call of calls) judgeCall(call, sent.deviceId)
      if (outcome.error?.code === 'BAD_RESPONSE' && !/sent on/.test(outcome.error.message)) {
        throw new Error(`the appliance is blamed: ${outcome.error.message}`)
      }
      await recover(lane)
    }

    it('to the nodes', async () => {
      await check(
        'messages to the nodes',
        12,
        inLanes(message),
        (several) => Promise.all(several.map((one, lane) => tryMessage(LANES[lane]!, one))),
        loadAll,
      )
    })
  })

  describe('in a file of flows', () => {
    const NAMES = [
      'name device deviceType route routeType destination destinationType definition',
      'definitionType action output hideSecrets filter state startRoute waitFor waitTimeout mode',
      'validate target check exact scope events initial holdFor thresholds',
    ].flatMap((names) => names.split(' '))
    const TYPES = [...new Set(Object.values(WAYS).map(({ type }) => String(type))), 'watch']

    const properties: fc.Arbitrary<Record<string, unknown>> = fc.record(
      Object.fromEntries(NAMES.map((name) => [name, property])),
      { requiredKeys: [] },
    )
    const ofGateway = fc.record(
      {
        baseUrl: property,
        tls: property,
        proxy: property,
        fingerprint: property,
        timeout: property,
        concurrency: property,
        pollInterval: property,
        readOnly: property,
        protectedRoutes: property,
        name: property,
      },
      { requiredKeys: [] },
    )
    const file = fc.record({
      gateway: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, ofGateway),
      credentials: fc.oneof(
        { weight: 3, arbitrary: fc.constant({}) },
        fc.record({ username: property, password: property }, { requiredKeys: [] }),
      ),
      nodes: fc.record(Object.fromEntries(TYPES.map((type) => [type, properties]))),
      ofNode: fc.oneof({ weight: 9, arbitrary: fc.constant('gateway') }, property),
    })

    it('of the nodes', async () => {
      await check(
        'files of flows',
        10,
        file,
        async ({ gateway, credentials, nodes, ofNode }) => {
          await unload()
          const all = Object.entries(nodes).map(([type, given], index) => [
            type,
            { ...withShortWait(given), gateway: index === 0 ? ofNode : 'gateway' },
          ])
          await load(appliance.lane('a').url, Object.fromEntries(all) as Record<string, object>, {
            gateway: { timeout: TIMEOUT, ...gateway },
            credentials: { username: USERNAME, password: PASSWORD, ...credentials },
          })
          const outcomes = TYPES.filter((type) => type !== 'watch').map((type) =>
            send(type, messageFor(type)),
          )
          for (const outcome of await Promise.all(outcomes)) judge(outcome, appliance.secrets)
        },
        unload,
      )
    })
  })
})

/** A message with any values in the properties that the nodes read. */
interface StrangeMessage {
  way: string
  properties: Record<string, Told>
  /** Changes to a good definition; without them the payload is one of the properties, or good. */
  changes?: Edit[]
}

interface Look {
  holdFor: number
  filter: RouteFilter | undefined
  answers: StrangeAnswer[]
}

/** Many polls in a second. */
const FAST_TIME: UnixClock = {
  now: () => Date.now() * 300,
  unix: (at) => at,
  after: (ms, callback) => REAL_TIME.after(Math.min(ms / 300, 50), callback),
}

interface Question {
  path: string
  /** Changes to what the editor sends. */
  changes: Edit[]
  unsaved: boolean
  answers: StrangeAnswer[]
}

/** Anything else is refused before it reaches the package. */
function isReadable(text: string): boolean {
  try {
    return text.length < 1e6 && text.startsWith('{') && typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

interface Trial {
  way: string
  loggedIn: boolean
  byName: boolean
  action: string
  answers: StrangeAnswer[]
}

/** Nothing changes on this appliance, so every wait for a change is in vain. */
function withShortWait(properties: Record<string, unknown>): Record<string, unknown> {
  const { waitTimeout } = properties
  const isLong = (waitTimeout ?? '') === '' || Number(waitTimeout) >= 0.1
  return isLong ? { ...properties, waitTimeout: 0.2 } : properties
}

/** Node-RED copies a message for Catch nodes and several wires, and logs what it cannot copy. */
function canBeCopied(message: Message): boolean {
  try {
    util.cloneMessage({ ...message })
    return true
  } catch {
    return false
  }
}

const inLanes = <T>(trial: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(trial, { minLength: 1, maxLength: LANES.length })
