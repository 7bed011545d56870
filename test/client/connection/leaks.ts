// Run by leaks.test.ts as a process of its own: works with a gateway, closes it, and prints what
// was open meanwhile and what is left. It has to end by itself.
//   node leaks.js <address> <work>
import { createHook } from 'node:async_hooks'
import { controlRoute } from '../../../client/changes/control'
import { listDevices } from '../../../client/api/devices'
import { listRoutes } from '../../../client/api/routes'
import { Operation } from '../../../client/connection/operation'
import { openConnection, type Connection } from '../../../client/connection/connection'
import { updateRoute } from '../../../client/changes/update'
import { watchDevice } from '../../../client/watch/registry'

// Sees what getActiveResourcesInfo does not: timers and sockets that keep no process alive.
const KINDS = /^(TCPWRAP|TLSWRAP|PIPEWRAP|PROCESSWRAP|Timeout)$/
const open = new Map<number, string>()
createHook({
  init(id, kind) {
    if (KINDS.test(kind)) open.set(id, kind)
  },
  destroy(id) {
    open.delete(id)
  },
}).enable()

const WAITING = { waitFor: 'applied', waitTimeout: 5000 } as const

const WORK: Record<string, (gateway: Connection, deviceId: string) => Promise<unknown>> = {
  reads: (gateway, deviceId) =>
    Promise.all(
      Array.from({ length: 20 }, () => listRoutes(gateway, { deviceId }, new Operation('reads'))),
    ),
  'changes a route': async (gateway, deviceId) => {
    const { data } = await listRoutes(gateway, { deviceId }, new Operation('list'))
    const address = { deviceId, routeId: data[0]!.id }
    const update = { address, mode: 'merge', patch: { name: 'Changed' }, ...WAITING } as const
    await updateRoute(gateway, update, new Operation('update'))
    const restart = { ...address, action: 'restart', ...WAITING } as const
    await controlRoute(gateway, restart, new Operation('restart'))
  },
  watches: (gateway, deviceId) =>
    new Promise<void>((resolve) => {
      watchDevice(gateway, { deviceId, onEvents: () => undefined, onSnapshot: () => resolve() })
    }),
  'meets an appliance that hangs': (gateway, deviceId) =>
    listRoutes(gateway, { deviceId }, new Operation('hangs')).catch(() => undefined),
}

async function main(): Promise<void> {
  const [baseUrl = '', work = ''] = process.argv.slice(2)
  // They are pipes, and opened when they are looked at for the first time.
  void [process.stdin, process.stdout, process.stderr]
  const before = counts()
  const gateway = openConnection({
    baseUrl,
    username: 'haiadmin',
    password: 'manager',
    // The one that hangs takes as long. A timer left by the others lasts until it is looked for.
    timeout: work.endsWith('hangs') ? 5000 : 20_000,
    pollInterval: 1000,
  })
  const [device] = await listDevices(gateway, new Operation('devices'))
  const working = WORK[work]!(gateway, device!._id)
  const during = since(before)
  await working
  await gateway.close()
  let left = since(before)
  const deadline = performance.now() + 10_000
  while (Object.keys(left).length > 0 && performance.now() < deadline) {
    await new Promise(setImmediate)
    left = since(before)
  }
  process.stdout.write(JSON.stringify({ during, left }))
}

function counts(): Record<string, number> {
  const found: Record<string, number> = {}
  for (const kind of [...open.values(), ...process.getActiveResourcesInfo()]) {
    found[kind] = (found[kind] ?? 0) + 1
  }
  for (const event of process.eventNames()) {
    found[`listener for ${String(event)}`] = process.listenerCount(event)
  }
  return found
}

/** What there is more of than before. */
function since(before: Record<string, number>): Record<string, number> {
  const grown = Object.entries(counts()).map(
    ([kind, count]) => [kind, count - (before[kind] ?? 0)] as const,
  )
  return Object.fromEntries(grown.filter(([, count]) => count > 0))
}

main().catch((error: unknown) => {
  process.exitCode = 1
  process.stderr.write(String(error))
})
