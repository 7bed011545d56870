// A Node-RED with this package: in a process of its own, or inside the process of the script.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packageName, root } from '../ready.mjs'
import { atEnd } from './end.mjs'
import { Listening } from './processes.mjs'

const require = createRequire(import.meta.url)

/** Creates an empty user directory, removed when the script ends. */
export function temporaryUserDirectory() {
  const userDir = mkdtempSync(join(tmpdir(), 'media-gateway-user-'))
  atEnd(() => rmSync(userDir, { recursive: true, force: true }))
  return userDir
}

/** Links this package, as it is built here, or another one into a user directory. */
export function link(userDir, name = packageName, folder = root) {
  const place = join(userDir, 'node_modules', name)
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(folder, place, 'junction')
}

export class NodeRed extends Listening {
  /**
   * Starts it on a free port. `globals` are paths of modules, by the names under which function
   * nodes find their exports; `args` and `isAsked` are for the process.
   */
  async start({
    userDir,
    binary = process.execPath,
    // Only now: a fresh checkout has no packages when its first script is loaded.
    redJs = require.resolve('node-red/red.js'),
    args = [],
    settings = {},
    globals = {},
    ...options
  }) {
    const all = {
      uiHost: '127.0.0.1',
      uiPort: 0,
      credentialSecret: 'script',
      telemetry: { enabled: false, updateNotification: false },
      editorTheme: { tours: false },
      ...settings,
    }
    const context = Object.entries(globals).map(
      ([name, path]) => `${name}: require(${JSON.stringify(path)})`,
    )
    writeFileSync(
      join(userDir, 'settings.js'),
      `module.exports = { ...${JSON.stringify(all)}, functionGlobalContext: { ${context.join(', ')} } }`,
    )
    await super.start(binary, [...args, redJs, '--userDir', userDir], {
      says: (output) =>
        output.includes('Started flows') && /now running at (http\S+)/.exec(output)?.[1],
      ...options,
    })
  }

  /** `kind` is the deploy type: full, flows, nodes or reload. */
  async deploy(flow, kind = 'full') {
    const headers = { 'Node-RED-API-Version': 'v2', 'Node-RED-Deployment-Type': kind }
    await this.call('POST', 'flows', { body: { flows: flow }, headers })
  }
}

/**
 * Starts Node-RED inside this process; `prepare` is called between its init and its start.
 * `deploy` resolves when the flow runs.
 */
export async function startHere(server, settings, prepare = () => {}) {
  const RED = require('node-red')
  RED.init(server, { telemetry: { enabled: false, updateNotification: false }, ...settings })
  prepare(RED)
  const flowsStarted = async (work) => {
    const started = new Promise((resolve) => RED.events.once('flows:started', resolve))
    await work()
    await started
  }
  await flowsStarted(() => RED.start())
  atEnd(() => RED.stop())
  return {
    RED,
    deploy: (flows) =>
      flowsStarted(() => RED.runtime.flows.setFlows({ flows: { flows }, deploymentType: 'full' })),
  }
}
