// What a failover node does in a real Node-RED: all scenes are played at the same time, each with
// its own gateway. The rules have their own tests in `test/client/failover`.
import type { NodeAPI } from 'node-red'
import { Stop } from '../../client/stop'
import { commandFailover } from '../../nodes/gateway/admin/failovers'
import { createObservers } from '../../nodes/gateway/admin/observers'
import type { GatewayNode } from '../../nodes/runtime/gateway-node'
import { helper } from '../support/flow'
import { until } from '../support/until'
import { BACKUP, FAILOVER, MAIN, type Stage } from './failover-stage'
import { only, Plays } from './failover-plays'

const plays = new Plays()
const { scene } = plays

const WRITE = { method: 'POST', path: '/api/devices/*/updates' }

scene('switches to the backup when main is lost, and says so', {}, async (stage) => {
  await stage.reaches('normal')
  stage.statuses[0]!.should.eql({ fill: 'green', shape: 'dot', text: 'main' })
  stage.fail(MAIN)
  await stage.tells('switched')
  const { topic, routeId } = stage.messages.find((one) => one.topic === 'failover.switched')!
  const switched = stage.event('switched')
  switched.should.match({ event: topic, from: 'main', to: 'backup', cause: 'signal-fail' })
  switched.should.match({ state: 'protecting', held: false })
  switched.route.should.eql({ id: 'studio-a', name: 'Studio A' })
  switched.text.should.match(/^Studio A: switched to backup, because .* \(outage: \d+ seconds?\)$/)
  switched.outageMs!.should.be.within(500, 30_000)
  switched.durationMs!.should.be.within(1, 5000)
  should(routeId).equal('studio-a')
  stage.status.should.eql({ fill: 'yellow', shape: 'dot', text: 'backup' })
  should(stage.source).equal(BACKUP.address)
  // One update, which has both destinations and their IDs.
  const { destinations } = stage.simulator.route('studio-a')!
  const { fields } = stage.updates[0]!.body as { fields: Record<string, object> }
  fields.should.match({
    source: BACKUP,
    destinations: destinations.map(({ id, port }) => ({ id, port })),
  })
  await stage.looks(3)
  stage.updates.should.have.length(1)
  stage.commands.should.eql([])
  stage.simulator.logins.should.equal(1)
})

scene('is shown in the sidebar, which has it hold and switch', {}, async (stage) => {
  const gateway = helper.getNode(`gateway-${stage.id}`) as unknown as GatewayNode
  const observers = createObservers(60_000)
  const shown = async () => (await observers.state(gateway, {})).failovers![0]!
  await until(async () => (await shown())?.state === 'normal')
  const { id, routes, inUse, held } = await shown()
  should({ routes: routes.map(({ routeId }) => routeId), inUse, held }).eql({
    routes: ['studio-a'],
    inUse: 'main',
    held: false,
  })
  await commandFailover(gateway, { failoverId: id, action: 'hold' }, new Stop(), gateway.fleet)
  ;(await shown()).held!.should.be.true()
  await commandFailover(gateway, { failoverId: id, action: 'release' }, new Stop(), gateway.fleet)
  await commandFailover(gateway, { failoverId: id, action: 'backup' }, new Stop(), gateway.fleet)
  await until(async () => (await shown()).state === 'protecting')
  should(stage.source).equal(BACKUP.address)
})

scene('says once that no change is accepted, and switches when one is', {}, async (stage) => {
  await stage.reaches('normal')
  // The gateway repeats what it was sent.
  const body = { error: { type: 'Refused', message: `not ${BACKUP.srtPassPhrase}` } }
  stage.simulator.fault({ kind: 'status', status: 400, body, match: WRITE, times: 5 })
  stage.fail(MAIN)
  await until(
    () => stage.names.length === 2,
    () => stage.account(),
    35_000,
  )
  stage.names.should.containDeep(['failed', 'unprotected'])
  stage.updates.should.have.length(4)
  const failed = stage.event('failed')
  failed.should.match({ to: 'backup', failure: { code: 'REJECTED', applied: 'no' } })
  stage.event('unprotected').should.match({ from: 'main', reason: 'switch-failed' })
  await stage.shows('^no protection: main failed, switch to backup fails$')
  stage.caught.should.have.length(1)
  const [{ error, payload, topic, routeId }] = stage.caught as [Stage['caught'][number]]
  const gateway = { id: `gateway-${stage.id}`, name: stage.id }
  error.should.match({
    code: 'REJECTED',
    cause: { code: 'REJECTED', applied: 'no', operation: 'failover', gateway },
  })
  error.message.should.match(/Studio A/)
  should(topic).equal('failover.failed')
  should(routeId).equal('studio-a')
  should((payload as { event: string }).event).equal('failover.failed')
  await until(
    () => stage.names.includes('protected'),
    () => stage.account(),
  )
  stage.names.slice(2).should.eql(['switched', 'protected'])
  stage.caught.should.have.length(1)
})

scene(
  'says that it knows nothing while reads hang, and switches when one is answered',
  { properties: { holdOff: 1 }, gateway: { timeout: 2000 } },
  async (stage) => {
    await stage.reaches('normal')
    stage.fail(MAIN)
    await stage.reaches('hold-off')
    const answered = stage.simulator.fault({ kind: 'hang', match: { method: 'GET' } })
    await stage.tells('unprotected')
    stage.event('unprotected').should.match({ reason: 'unknown', state: 'unknown' })
    stage.status.fill!.should.not.equal('green')
    answered()
    await until(
      () => stage.names.includes('switched'),
      () => stage.account(),
    )
    stage.names.slice(0, 2).should.eql(['unprotected', 'switched'])
    await stage.tells('unprotected', 'switched', 'protected')
    stage.updates.should.have.length(1)
    stage.caught.should.have.length(0)
  },
)

scene('obeys commands, each with one `done`', {}, async (stage) => {
  await stage.reaches('normal')
  const accepted = async (message: object): Promise<void> =>
    void (await stage.refusal({ ...message })).should.equal('accepted', stage.account())
  await accepted({ action: 'backup' })
  ;(await stage.refusal({ action: 'main' })).should.equal('CONFLICT')
  await stage.tells('switched')
  stage.event('switched').should.match({ cause: 'manual', to: 'backup' })
  await stage.reaches('protecting')
  // At once, although the guard runs.
  await accepted({ action: 'main', hold: true })
  await until(
    () => stage.names.length >= 3,
    () => stage.account(),
  )
  stage.names.should.containDeep(['switched', 'held', 'switched'])
  await stage.shows('^held until restart: main$')
  stage.status.fill!.should.equal('grey')
  ;(await stage.refusal({ action: 'backup' })).should.equal('CONFLICT')
  stage.fail(MAIN)
  await until(
    () => stage.names.includes('unprotected'),
    () => stage.account(),
  )
  stage.event('unprotected').should.match({ reason: 'held', held: true })
  stage.status.should.eql({ fill: 'red', shape: 'ring', text: 'held until restart: main failed' })
  stage.updates.should.have.length(2)
  await accepted({ action: 'release' })
  await until(
    () => stage.names.filter((name) => name === 'switched').length === 3,
    () => stage.account(),
  )
  should(stage.source).equal(BACKUP.address)
  await accepted({ action: 'hold' })
  const { messages } = await stage.send({ action: 'status' })
  messages.should.have.length(0, 'an event is a message of its own')
  should(stage.events.at(-1)!.event).equal('failover.state')
})

scene('refuses what it cannot do, and has changed nothing', {}, async (stage) => {
  await stage.reaches('normal')
  for (const message of [
    {},
    { action: 'start' },
    { action: 'backup', hold: 'yes' },
    { main: 'good' },
    { main: true },
    { action: 7 },
  ]) {
    ;(await stage.refusal(message)).should.equal('INVALID_INPUT', JSON.stringify(message))
  }
  stage.simulator.stopRoute('studio-a')
  await stage.reaches('standby')
  stage.status.should.eql({ fill: 'grey', shape: 'dot', text: 'route stopped' })
  ;(await stage.refusal({ action: 'backup' })).should.equal('CONFLICT')
  stage.updates.should.have.length(0)
  stage.caught.should.have.length(7)
})

scene(
  'listens to msg.main, and is held by a variable of the environment',
  only({ restore: 'message', waitToRestore: 1, hold: '${FAILOVER_TEST_HOLD}' }),
  async (stage) => {
    await stage.reaches('normal')
    stage.fail(MAIN)
    await stage.tells('unprotected')
    stage.event('unprotected').reason!.should.equal('held')
    await stage.looks(2)
    stage.updates.should.have.length(0)
    await stage.send({ action: 'release' })
    await stage.tells('unprotected', 'released', 'switched')
    stage.mend(MAIN)
    ;(await stage.refusal({ main: true })).should.equal('accepted')
    await until(
      () => stage.events.some(({ cause }) => cause === 'restore'),
      () => stage.account(),
    )
    should(stage.source).equal(MAIN.address)
  },
)

scene(
  'takes main from the environment and backup from the flow',
  only({ main: 'FAILOVER_TEST_MAIN', mainType: 'env', backup: 'backup', backupType: 'flow' }),
  async (stage) => {
    await stage.reaches('normal')
    stage.fail(MAIN)
    await stage.tells('switched')
    should(stage.source).equal(BACKUP.address)
  },
)

scene(
  'takes main from the global context, and the route from the environment',
  only({ main: 'studio.main', mainType: 'global', route: 'FAILOVER_TEST_ROUTE', routeType: 'env' }),
  async (stage) => {
    await stage.reaches('normal')
    stage.fail(MAIN)
    await stage.tells('switched')
  },
)

scene(
  'of an older flow that changed nothing is held, and says what it would do',
  only({ configVersion: 1, dryRun: true, lookEvery: 0.5 }),
  async (stage) => {
    await stage.reaches('normal')
    stage.status.should.eql({ fill: 'grey', shape: 'dot', text: 'held: main' })
    stage.fail(MAIN)
    await stage.tells('unprotected')
    stage.event('unprotected').should.match({ reason: 'held', held: true })
    stage.event('unprotected').text.should.match(/would switch to backup/)
    await stage.looks(3)
    stage.updates.should.have.length(0)
    // What was only reported leaves nothing behind: it switches at once when it may.
    await stage.send({ action: 'release' })
    await stage.tells('unprotected', 'released', 'switched')
  },
)

scene(
  'has the monitor of its backup',
  only({ monitorBackup: 'slate', monitorBackupType: 'id' }),
  (stage) => stage.shows('^main, monitor not running$'),
)

scene('takes actions and flags as buttons send them', {}, async (stage) => {
  await stage.reaches('normal')
  ;(await stage.refusal({ action: 'Backup', hold: 'true' })).should.equal('accepted')
  await until(
    () => stage.names.length === 2,
    () => stage.account(),
  )
  stage.names.should.containDeep(['switched', 'held'])
  ;(await stage.refusal({ action: ' RELEASE ' })).should.equal('accepted')
  await stage.tells(...stage.names.slice(0, 2), 'released')
})

scene(
  'names every wrong setting, and sends nothing',
  only({ main: '{}', backup: '{"port": 99999}', holdOff: 'soon', guard: 0, restore: 'monitor' }),
  async (stage) => {
    await until(() => stage.caught.length > 0)
    const { error } = stage.caught[0]!
    should(error.code).equal('CONFIG')
    const paths = (error.cause.problems ?? []).map(({ path }) => path)
    paths.should.containDeep(['main', 'backup.port', 'holdOff', 'guard', 'monitor'])
    stage.status.should.match({ fill: 'red', shape: 'ring' })
    ;(await stage.refusal({ action: 'backup' })).should.equal('CONFIG')
    stage.caught.should.have.length(2)
    stage.simulator.journal.should.have.length(0)
  },
)

scene(
  'names a method that there is not, and nothing that depends on it',
  only({ method: 'sources', main: 'Studio A', mainType: 'name' }),
  async (stage) => {
    await until(() => stage.caught.length > 0)
    stage.caught[0]!.error.cause.problems!.should.eql([
      { path: 'method', problem: 'is "sources"; it must be one of source, routes' },
    ])
  },
)

const byName = (source: object, name: string): string =>
  JSON.stringify({ ...source, srtPassPhrase: `\${${name}}` })

scene(
  'takes the secrets of both sources from the variables that they name',
  only({ main: byName(MAIN, 'SRT_FAILOVER_MAIN'), backup: byName(BACKUP, 'SRT_FAILOVER_BACKUP') }),
  async (stage) => {
    await stage.reaches('normal')
    await stage.send({ action: 'backup' })
    await stage.tells('switched')
    await stage.send({ action: 'main' })
    await stage.tells('switched', 'switched')
    stage.updates
      .map(({ body }) => (body as { fields: { source: object } }).fields.source)
      .should.match([BACKUP, MAIN])
  },
)

for (const [name, more, code, problem] of [
  [
    'a secret without a value',
    { backup: byName(BACKUP, 'SRT_FAILOVER_NONE') },
    'CONFIG',
    /backup\.srtPassPhrase names the environment variable SRT_FAILOVER_NONE/,
  ],
  [
    'a secret in a variable that it must not read',
    { main: byName(MAIN, 'FAILOVER_TEST_MAIN') },
    'CONFIG',
    /main\.srtPassPhrase contains .* begins with SRT_/,
  ],
  ['a variable that is not set', { hold: '${FAILOVER_TEST_NONE}' }, 'CONFIG', /FAILOVER_TEST_NONE/],
  ['text that is not JSON', { backup: `{"srtPassPhrase": "no` }, 'CONFIG', /backup.*JSON/],
  ['no route', { route: '' }, 'CONFIG', /route.*choose/],
  ['no gateway', { gateway: '' }, 'CONFIG', /no gateway/],
] as const) {
  scene(`says that it has ${name}`, only(more), async (stage) => {
    await until(() => stage.caught.length > 0)
    const { error } = stage.caught[0]!
    error.code.should.equal(code)
    error.message.should.match(problem)
    stage.status.fill!.should.equal('red')
    stage.simulator.journal.should.have.length(0)
  })
}

scene(
  'says that a read-only gateway cannot be protected',
  { gateway: { readOnly: true } },
  async (stage) => {
    await until(() => stage.caught.length > 0)
    stage.caught[0]!.error.code.should.equal('READ_ONLY')
    stage.status.fill!.should.equal('red')
    stage.simulator.journal.should.have.length(0)
  },
)

scene('says once that there is no such route', only({ route: 'Studio B' }), async (stage) => {
  await until(() => stage.caught.length > 0)
  stage.caught[0]!.error.should.match({ code: 'NOT_FOUND', message: /Studio B/ })
  stage.status.should.match({ fill: 'red', text: /^source unknown: / })
  ;(await stage.refusal({ action: 'backup' })).should.equal('UNAVAILABLE')
  stage.caught.should.have.length(2)
  stage.caught[1]!.error.should.match({ message: /The status of the failover says why\.$/ })
})

describe('a failover node', () => {
  const env = {
    SRT_FAILOVER_MAIN: MAIN.srtPassPhrase,
    SRT_FAILOVER_BACKUP: BACKUP.srtPassPhrase,
    FAILOVER_TEST_HOLD: 'true',
    FAILOVER_TEST_MAIN: FAILOVER.main,
    FAILOVER_TEST_ROUTE: 'studio-a',
  }
  before(() => void Object.assign(process.env, env))
  plays.test([{ values: { properties: { type: 'failover-values' } } }, { types: [values] }])
  after(() => {
    for (const name of Object.keys(env)) delete process.env[name]
  })
})

/** What other nodes have put into the contexts before. */
function values(RED: NodeAPI): void {
  RED.nodes.registerType('failover-values', function (config) {
    RED.nodes.createNode(this, config)
    const context = this.context()
    context.flow.set('backup', BACKUP)
    context.global.set('studio.main', MAIN)
  })
}
