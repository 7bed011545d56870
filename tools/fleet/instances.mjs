// The Node-REDs of the fleet, each a process of its own, with the package as it is built here.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { link, NodeRed, temporaryUserDirectory } from '../../scripts/harness/node-red.mjs'

/** Characters from the end of what an instance has printed. */
const OUTPUT_SHOWN = 2000
const PROBE = fileURLToPath(new URL('probe.cjs', import.meta.url))

/** Which instance a life belongs to. */
export const instanceOf = (client) => client.split('.')[0]

/** The names under which an instance logs in: one for each life, so that the journals tell them apart. */
export const livesOf = (name, count) =>
  Array.from({ length: count }, (_, life) => `${name}.${life + 1}`)

/**
 * An instance that can be started, ended and started again.
 * @param environment what its lives have in common, such as the address of the engine
 */
export function createInstance({ name, flow, credentials, environment }) {
  const userDir = temporaryUserDirectory()
  link(userDir)
  writeFileSync(join(userDir, 'flows.json'), JSON.stringify(flow))
  // Not encrypted: it names variables only.
  writeFileSync(join(userDir, 'flows_cred.json'), JSON.stringify(credentials))
  let lives = 0
  let nodeRed
  /** What its lives have printed. */
  const outputs = []
  let pid

  const instance = {
    name,
    /** `off`, `on`, `frozen`, or `crashed` if it ended by itself. */
    state: 'off',
    /** The name of its present life, or of the last one. */
    client: undefined,
    /** Lives that have lost their lease for a time. */
    hadLost: new Set(),

    async start() {
      const started = new NodeRed()
      if (nodeRed) outputs.push(nodeRed.output)
      nodeRed = started
      instance.client = `${name}.${++lives}`
      instance.state = 'on'
      const starting = started.start({
        userDir,
        isAsked: true,
        settings: { disableEditor: true, credentialSecret: false, flowFile: 'flows.json' },
        globals: { fleet: PROBE },
        env: {
          ...environment,
          FLEET_INSTANCE: name,
          FLEET_USERNAME: instance.client,
        },
      })
      await starting.catch((error) => {
        throw new Error(`${name}: ${error.message}\n${started.output.slice(-OUTPUT_SHOWN)}`, {
          cause: error,
        })
      })
      pid = await started.ask('pid')
      void started.ended.then(() => {
        if (nodeRed === started && instance.state === 'on') instance.state = 'crashed'
      })
    },

    /** As a crash of the machine: nothing is said to anyone. */
    async kill() {
      instance.state = 'off'
      nodeRed.kill()
      await nodeRed.ended
    },

    /** As a service manager does it. @returns how long it took, in ms */
    async stop() {
      if (instance.state === 'frozen') instance.thaw()
      if (instance.state !== 'on') return 0
      await instance.hear()
      const begun = performance.now()
      instance.state = 'off'
      await nodeRed.stop()
      return performance.now() - begun
    },

    /** As a virtual machine that is paused. */
    freeze() {
      instance.state = 'frozen'
      process.kill(pid, 'SIGSTOP')
    },
    thaw() {
      process.kill(pid, 'SIGCONT')
      instance.state = 'on'
    },

    /** Whether its present life has said that it has lost its lease: then it had to leave its sessions. */
    async hear() {
      const told = await nodeRed.ask('events').catch(() => ({}))
      if (told['fleet.engine-lost']) instance.hadLost.add(instance.client)
    },

    ask: (what, value) => nodeRed.ask(what, value),
    get: (path) => nodeRed.get(path),
    deploy: (nodes) => nodeRed.deploy(nodes),
    /** What its lives have logged as warnings and errors, each text once, without the time. */
    warnings() {
      const lines = [...outputs, nodeRed.output].join('\n').split('\n')
      const texts = lines.map((line) => /\[(?:warn|error)\] \[.*/.exec(line)?.[0]).filter(Boolean)
      return [...new Set(texts)]
    },
    output: () => nodeRed.output,
  }
  return instance
}
