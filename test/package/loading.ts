// Run by loading.test.ts in a process of its own: loads all nodes as Node-RED does at its start,
// uses them step by step, and tells after each step which files are loaded.
import { join } from 'node:path'
import type * as Devices from '../../client/api/devices'
import type * as Connections from '../../client/connection/connection'
import type * as Operations from '../../client/connection/operation'
import type * as Simulator from '../../simulator'
import { contentOf, root } from '../support/root'

export interface Loaded {
  /** What the nodes have registered. */
  types: string[]
  /** The files that were loaded after each step. */
  atStart: string[]
  afterCall: string[]
  afterProxy: string[]
  afterCertificate: string[]
}

const loaded = (): string[] => Object.keys(require.cache)

async function main(): Promise<void> {
  const types = loadNodes()
  const atStart = loaded()

  const { openConnection } = require('../../client/connection/connection') as typeof Connections
  const { Operation } = require('../../client/connection/operation') as typeof Operations
  const { listDevices } = require('../../client/api/devices') as typeof Devices
  const { startSimulator } = require('../../simulator') as typeof Simulator
  const simulator = await startSimulator()
  const account = { baseUrl: simulator.url, username: 'haiadmin', password: 'manager' }
  const gateway = openConnection(account)
  await listDevices(gateway, new Operation('list-devices'))
  await gateway.close()
  await simulator.stop()
  const afterCall = loaded()

  await openConnection({ ...account, proxy: { url: 'http://127.0.0.1:9' } }).close()
  const afterProxy = loaded()

  const secured = await startSimulator({ https: true })
  await secured.stop()
  const result: Loaded = { types, atStart, afterCall, afterProxy, afterCertificate: loaded() }
  process.stdout.write(JSON.stringify(result))
}

function loadNodes(): string[] {
  const { 'node-red': parts } = JSON.parse(contentOf('package.json')) as {
    'node-red': Record<'nodes' | 'plugins', Record<string, string>>
  }
  const types: string[] = []
  const register = (type: string): void => void types.push(type)
  const nothing = (): void => {}
  const RED = {
    nodes: { registerType: register },
    plugins: { registerPlugin: register },
    httpAdmin: { get: nothing, post: nothing },
    auth: { needsPermission: () => nothing },
  }
  for (const file of [...Object.values(parts.nodes), ...Object.values(parts.plugins)]) {
    ;(require(join(root, file)) as (red: typeof RED) => void)(RED)
  }
  return types
}

void main()
