// A Node-RED inside the process that measures, without an editor, with this package in it.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageName, root } from '../scripts/ready.mjs'

const require = createRequire(import.meta.url)

/** Starts it; answers how to deploy a flow and pass messages through it. */
export async function startNodeRed() {
  const userDir = mkdtempSync(join(tmpdir(), 'media-gateway-bench-'))
  const link = join(userDir, 'node_modules', packageName)
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(root, link, 'junction')

  const RED = require('node-red')
  RED.init(createServer(), {
    userDir,
    nodesDir: fileURLToPath(new URL('ends', import.meta.url)),
    httpAdminRoot: false,
    httpNodeRoot: false,
    credentialSecret: 'bench',
    telemetry: { enabled: false, updateNotification: false },
    logging: { console: { level: 'error', metrics: false, audit: false } },
  })
  await RED.start()
  await flowsStarted(RED, () => undefined)

  return {
    deploy: (flows) =>
      flowsStarted(RED, () =>
        RED.runtime.flows.setFlows({ flows: { flows }, deploymentType: 'full' }),
      ),
    pass: (entry, message) => globalThis.flowEnds.pass(entry, message),
    async stop() {
      await RED.stop()
      rmSync(userDir, { recursive: true, force: true })
    },
  }
}

async function flowsStarted(RED, work) {
  const started = new Promise((resolve) => RED.events.once('flows:started', resolve))
  await work()
  await started
}

/** A node between the two ends, named after itself; what it fails with comes out too. */
export const between = (node) => [
  { id: `${node.id}-in`, z: 'tab', type: 'bench-in', x: 100, y: 40, wires: [[node.id]] },
  { z: 'tab', x: 300, y: 40, wires: [[`${node.id}-out`]], ...node },
  { id: `${node.id}-out`, z: 'tab', type: 'bench-out', x: 500, y: 40, wires: [] },
  {
    id: `${node.id}-catch`,
    z: 'tab',
    type: 'catch',
    scope: [node.id],
    x: 300,
    y: 80,
    wires: [[`${node.id}-out`]],
  },
]
