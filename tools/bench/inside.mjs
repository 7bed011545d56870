// A Node-RED inside the measuring process, without an editor, and an appliance outside it.
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { link, startHere, temporaryUserDirectory } from '../../scripts/harness/node-red.mjs'
import { startProcess } from '../../scripts/harness/processes.mjs'

export async function startAppliance(options) {
  const { ask, stop } = startProcess(new URL('appliance.mjs', import.meta.url))
  return { ...(await ask('start', options)), ask, stop }
}

/** Starts it; `deploy` takes a flow, and `pass` sends a message through one of its nodes. */
export async function startNodeRed() {
  const userDir = temporaryUserDirectory()
  link(userDir)
  const { deploy } = await startHere(createServer(), {
    userDir,
    nodesDir: fileURLToPath(new URL('ends', import.meta.url)),
    httpAdminRoot: false,
    httpNodeRoot: false,
    credentialSecret: 'bench',
    logging: { console: { level: 'error', metrics: false, audit: false } },
  })
  return { deploy, pass: (entry, message) => globalThis.flowEnds.pass(entry, message) }
}

/** A node between the two ends, named after itself; its errors come out too. */
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
