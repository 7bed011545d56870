// One job: the packed package in a new user directory of one Node-RED on one Node.js.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NodeRed } from '../harness/node-red.mjs'
import { npm } from '../harness/npm.mjs'
import { Listening, until } from '../harness/processes.mjs'
import { packageName } from '../ready.mjs'
import { PANEL } from '../harness/dashboard.mjs'
import { CACHE } from './versions.mjs'

const REDEPLOYS = 10
/** Only an Administrator may use all the nodes. */
const CREDENTIALS = { username: 'haiadmin', password: 'manager' }

const HERE = fileURLToPath(new URL('.', import.meta.url))

const STEPS = ['install', 'start', 'versions', 'load', 'demo', 'examples', 'redeploys', 'end']

/**
 * Checks one pair of versions; `found` receives those that actually ran.
 * @throws Error with the step that failed
 */
export async function runJob({ pair, tarball, binary, folder, found }) {
  const job = new Job({ pair, tarball, binary, folder, found })
  let present
  try {
    for (present of STEPS) await job[present]()
  } catch (error) {
    const sentences = [`${present}: ${error.message}`, ...(await job.traces())]
    throw new Error(sentences.join('\n'), { cause: error })
  } finally {
    await job.tidy()
  }
}

class Job {
  nodeRed = new ObservedNodeRed()
  simulator = new SimulatorCommand()

  constructor({ pair, ...rest }) {
    Object.assign(this, rest)
    this.pair = pair
    this.userDir = join(CACHE, `user ${pair.name}`)
  }

  /** As a user does it: a package whose `engines` do not match is refused. */
  async install() {
    const { userDir: cwd, binary } = this
    rmSync(cwd, { recursive: true, force: true })
    mkdirSync(cwd, { recursive: true })
    writeFileSync(join(cwd, 'package.json'), '{"name":"user","private":true}')
    await npm({ cwd, binary }, 'install', '--engine-strict', '--prefer-offline', this.tarball)
    this.installed = join(cwd, 'node_modules', packageName)
    this.manifest = JSON.parse(readFileSync(join(this.installed, 'package.json'), 'utf8'))
  }

  async start() {
    const { binary, folder, userDir } = this
    const command = join(this.installed, 'dist/simulator/command.js')
    await this.simulator.start(binary, [command, '--port', '0', '--quiet'], {
      says: (output) => / is at (http\S+)/.exec(output)?.[1],
    })
    await this.nodeRed.start({
      binary,
      redJs: join(folder, 'red.js'),
      userDir,
      settings: { nodesDir: HERE },
      env: { PRESET_BACKUP_FOLDER: join(userDir, 'backups') },
    })
  }

  /** As reported by the running process. */
  async versions() {
    const { node, nodeRed } = await this.nodeRed.observed()
    Object.assign(this.found, { node: node.slice(1), nodeRed })
    assert.ok(nodeRed.startsWith(`${this.pair.nodeRed}.`), `Node-RED ${nodeRed} runs`)
    assert.ok(node.startsWith(`v${this.pair.node}.`), `Node.js ${node} runs`)
    assert.equal((await this.nodeRed.get('settings')).version, nodeRed)
  }

  /** Every node and plugin of the package, as its package.json lists them. */
  async load() {
    const { name, version, 'node-red': parts } = this.manifest
    const loaded = async (kind) =>
      (await this.nodeRed.get(kind))
        .filter(({ module }) => module === name)
        .map((set) => [set.id, set.enabled, set.err, set.version, set.types])
    const expected = (set, types) => [`${name}/${set}`, true, undefined, version, types]
    assert.deepEqual(
      await loaded('nodes'),
      Object.keys(parts.nodes).map((set) =>
        expected(set, [set === 'gateway' ? 'media-gateway' : `media-gateway-${set}`]),
      ),
    )
    assert.deepEqual(
      await loaded('plugins'),
      Object.keys(parts.plugins).map((set) => expected(set, undefined)),
    )
  }

  /** The flow of `npm start`, on the simulator: press "read", then "change". */
  async demo() {
    const flow = await this.#example('All nodes')
    await this.nodeRed.deploy(flow)
    const press = async (name, last) => {
      await this.nodeRed.press(flow.find((node) => node.type === 'inject' && node.name === name))
      const answers = () => this.#sent('media-gateway-')
      await until(async () => last(await answers()), `the end of "${name}"`)
    }
    const steps = ['session', 'list-devices', 'get-device', 'list-routes', 'get-route']
    const reads = [...steps, 'statistics', 'preset']
    await press('read', (sent) => reads.every((step) => of(sent, step).length > 0))
    await press('change', (sent) => of(sent, 'watch').some(isTopic('route.removed')))
    assertDemo(await this.#sent('media-gateway-'))
    await this.#assertErrors([])
    assert.equal((await this.simulator.state()).logins, 1)
    await this.#remove()
  }

  /** Deploys all of them; presses the buttons of those for one node, one after the other. */
  async examples() {
    const recipes = await this.#examplesIn('Recipes/')
    // It needs the Dashboard: npm run test:editor tests it.
    const withoutPanel = recipes.filter((path) => path !== `Recipes/${PANEL}`)
    assert.equal(withoutPanel.length, recipes.length - 1)
    const ofNodes = (await this.#examplesIn('')).filter((path) => path !== 'All nodes')
    for (const path of ofNodes) {
      const flow = await this.#deployed(path)
      if (path === 'Watch') await this.#first('snapshot')
      if (path === 'Failover') await this.#failover('failover.state', 1)
      let switches = 0
      for (const button of stopsFirst(flow.filter(({ type }) => type === 'inject'))) {
        await this.#pressed(button, flow)
        if (path === 'Watch')
          await this.#first(button.name === 'stop' ? 'route.stopped' : 'route.started')
        // The next one would be refused while a switch is in progress.
        if (path === 'Failover' && button.name.startsWith('to '))
          await this.#failover('failover.switched', ++switches)
      }
      await this.#assertErrors(path === 'Preset' ? ['INVALID_INPUT'] : [])
    }
    for (const path of withoutPanel) {
      const flow = await this.#deployed(path)
      if (flow.some(({ type }) => type === 'media-gateway-watch')) await this.#idle({ sessions: 1 })
      await this.#assertErrors([])
    }
    await this.#remove()
  }

  /** In full, and of the config node alone, at rest and in the middle of a login. */
  async redeploys() {
    const flow = await this.#example('All nodes')
    const gateway = flow.find(({ type }) => type === 'media-gateway')
    const before = (await this.nodeRed.observed()).open
    for (const kind of ['full', 'nodes']) {
      await this.nodeRed.deploy(flow)
      for (let time = 1; time <= REDEPLOYS; time++) {
        gateway.timeout++
        await this.nodeRed.deploy(flow, kind)
        if (time % 2) await this.#idle({ sessions: 1 })
      }
    }
    await this.#pressed(
      flow.find(({ type, name }) => type === 'inject' && name === 'read'),
      flow,
    )
    await this.#assertErrors([])
    await this.#remove()
    let grown
    await until(
      async () => {
        const { open } = await this.nodeRed.observed()
        grown = Object.keys(open).filter((kind) => open[kind] > (before[kind] ?? 0))
        return grown.length === 0
      },
      () =>
        `After ${2 * REDEPLOYS} redeploys more is open than before (${grown.join(', ')}): its end`,
    )
  }

  /** SIGTERM while a session is open. */
  async end() {
    await this.nodeRed.deploy(await this.#example('All nodes'))
    await this.#idle({ sessions: 1 })
    const { warnings } = await this.nodeRed.observed()
    assert.deepEqual(warnings, [])
    if (process.platform === 'win32') return
    assert.equal(await this.nodeRed.stop(), 0)
    await this.#idle({ sessions: 0, connections: 0 })
    assert.equal(await this.simulator.stop(), 0)
  }

  /** What may explain why a step failed. */
  async traces() {
    const { completed = [] } = await this.nodeRed.observed().catch(() => ({}))
    const failed = completed
      .filter(({ message }) => message)
      .map(({ type, message }) => `${type} failed: ${message}`)
    const output = this.nodeRed.output.trim().split('\n').slice(-12)
    return [...failed, 'Node-RED said last:', ...output]
  }

  async tidy() {
    this.nodeRed.kill()
    this.simulator.kill()
    await Promise.all([this.nodeRed.ended, this.simulator.ended])
    rmSync(this.userDir, { recursive: true, force: true })
  }

  // ---- used by the steps

  /** The names of the flows that the import menu offers in a folder. */
  async #examplesIn(folder) {
    const entries = await this.nodeRed.get(this.#library(folder))
    return entries.filter(({ fn }) => fn).map(({ fn }) => folder + fn)
  }

  #library = (path) => `library/examples/flows/${this.manifest.name}/${path}`

  /** A flow of the import menu, with address and user filled in. */
  async #example(path) {
    const flow = await this.nodeRed.get(this.#library(encodeURI(path)))
    const { url: baseUrl } = this.simulator
    for (const node of flow) {
      if (node.type === 'media-gateway') {
        Object.assign(node, { baseUrl, pollInterval: 1, credentials: CREDENTIALS })
        // There is one simulator: that of the first row.
        if (node.inventory) node.inventory = JSON.stringify(JSON.parse(node.inventory).slice(0, 1))
      }
      // Nothing listens there, so no broker on this machine is written to.
      if (node.type === 'mqtt-broker') node.port = '1'
    }
    return flow
  }

  async #deployed(path) {
    const flow = await this.#example(path)
    await this.nodeRed.forget()
    const from = this.nodeRed.output.length
    await this.nodeRed.deploy(flow)
    const said = this.nodeRed.output.slice(from)
    assert.doesNotMatch(said, /missing|unknown|unrecognised/i, path)
    const ids = (nodes) => nodes.map(({ id }) => id)
    assert.deepEqual(ids(await this.nodeRed.get('flows')), ids(flow))
    return flow
  }

  /** Presses a button, and waits until the node behind it is done with its message. */
  async #pressed(button, flow) {
    const behind = button.wires.flat().filter((id) => {
      return flow.some((node) => node.id === id && node.type.startsWith('media-gateway-'))
    })
    assert.ok(behind.length > 0, `Nothing is behind the button "${button.name}"`)
    const done = async () =>
      (await this.nodeRed.observed()).completed.filter(({ id }) => behind.includes(id)).length
    const before = await done()
    await this.nodeRed.press(button)
    await until(async () => (await done()) > before, `The end of "${button.name}"`)
    await until(
      async () => (await this.simulator.state()).pending === 0,
      'The rest of the appliance',
    )
  }

  async #first(topic) {
    await until(
      async () => (await this.#sent('media-gateway-watch')).some(isTopic(topic)),
      `"${topic}"`,
    )
  }

  async #failover(topic, times) {
    await until(
      async () =>
        (await this.#sent('media-gateway-failover')).filter(isTopic(topic)).length >= times,
      `"${topic}"`,
    )
  }

  async #sent(type) {
    return (await this.nodeRed.observed()).sent.filter((each) => each.type.startsWith(type))
  }

  /** Nodes of the package failed with the expected codes, and the Catch nodes got them. */
  async #assertErrors(expected) {
    const { completed, sent } = await this.nodeRed.observed()
    const failed = completed.filter(({ message }) => message)
    const caught = sent
      .filter(
        ({ type, error }) => type === 'catch' && error.source.type.startsWith('media-gateway'),
      )
      .map(({ error }) => error)
    const told = [...failed, ...caught].map(({ message }) => message).join('\n')
    assert.deepEqual(
      failed.map(({ code }) => code),
      expected,
      told,
    )
    // Node-RED 4.0 passes on the code only in the cause.
    assert.deepEqual(
      caught.map(({ cause }) => cause?.code),
      expected,
      told,
    )
    assert.doesNotMatch(this.nodeRed.output, /\[(error|warn)\] \[media-gateway/)
  }

  async #remove() {
    await this.nodeRed.deploy([])
    await this.#idle({ sessions: 0, connections: 0 })
    await this.nodeRed.forget()
  }

  /** Waits until the simulator has exactly the `wanted` sessions and connections open. */
  async #idle(wanted) {
    let state
    await until(
      async () => {
        state = await this.simulator.state()
        return Object.keys(wanted).every((kind) => state[kind] === wanted[kind])
      },
      () => `The simulator tells of ${JSON.stringify(state)}: ${JSON.stringify(wanted)}`,
    )
  }
}

class SimulatorCommand extends Listening {
  /** Its open sessions, connections except that of this call, logins and pending work. */
  async state() {
    const { openSessions, openSockets, logins, pending } = await this.get('simulator')
    return { sessions: openSessions, connections: openSockets - 1, logins, pending }
  }
}

class ObservedNodeRed extends NodeRed {
  /** What the observer has seen since the last `forget`. */
  observed() {
    return this.get('observer')
  }

  forget() {
    return this.call('DELETE', 'observer')
  }

  /** Deploys, and waits until the flow runs. */
  async deploy(flow, kind) {
    const { starts } = await this.observed()
    await super.deploy(flow, kind)
    await until(async () => (await this.observed()).starts > starts, 'The start of the flow')
  }

  /** Presses the button of an inject node. */
  press({ id }) {
    return this.call('POST', `inject/${id}`, { body: {} })
  }
}

/** What an example has stopped runs again for the next one. */
const stopsFirst = (buttons) =>
  buttons.toSorted((one, other) => Number(other.name === 'stop') - Number(one.name === 'stop'))

const of = (sent, step) => sent.filter(({ type }) => type === `media-gateway-${step}`)
const isTopic =
  (wanted) =>
  ({ topic }) =>
    topic === wanted

/** Checks that the demo does what `npm start` reports. */
function assertDemo(sent) {
  const answer = (step) => of(sent, step).at(-1).payload
  assert.deepEqual(answer('session').roles, ['Administrator'])
  assert.deepEqual(
    answer('list-devices').map(({ name }) => name),
    ['Gateway 1'],
  )
  assert.equal(answer('list-routes').data.length, 8)
  assert.equal(answer('get-route').name, 'Studio A')
  assert.equal(answer('statistics').length, 4)
  assert.equal(answer('preset').routes.length, 8)
  const ports = ({ destinations }) => destinations.map(({ name, port }) => `${name} ${port}`)
  assert.match(answer('create-route').name, /^Demo /)
  assert.equal(ports(answer('create-route'))[0], 'Recorder 6000')
  assert.equal(ports(answer('update-route'))[0], 'Recorder 6002')
  assert.equal(ports(answer('update-route')).length, 2)
  assert.equal(answer('control-route').state, 'running')
  assert.deepEqual(answer('ensure-route').action, ['stop', 'update'])
  assert.equal(typeof answer('delete-route').status, 'string')
  const topics = of(sent, 'watch').map(({ topic }) => topic)
  for (const topic of ['route.added', 'route.changed', 'route.removed']) {
    assert.ok(topics.includes(topic), `The watch did not tell of ${topic}`)
  }
}
