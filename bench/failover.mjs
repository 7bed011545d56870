// How long a programme is off the air until a failover with default settings has switched, measured
// on the simulator: from the loss of main until each step. The simulator needs 60 ms to apply a
// change and to connect, which stands for nothing: how long a gateway needs is not known.
//   --routes 20   protected routes with each method, lost at different moments
import { setTimeout as pause } from 'node:timers/promises'
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { runScript } from '../scripts/harness/end.mjs'
import { table } from '../scripts/harness/report.mjs'

const require = createRequire(import.meta.url)
const { newOperation, openConnection, protectRoute } = require('../dist/client/internal')
const { startSimulator } = require('../dist/simulator')

const { values } = parseArgs({ options: { routes: { type: 'string', default: '20' } } })
const ROUTES = Number(values.routes)
const LOOK_MS = 2000
const LONGEST_MS = 60_000

const addressOf = (method, number, side) =>
  `198.${method === 'source' ? 51 : 52}.${number}.${side === 'main' ? 1 : 2}`

function specsOf(method, number) {
  const route = (side) => ({
    id: `${method} ${number} ${side}`,
    name: `${method} ${number} ${side}`,
    startRoute: side === 'main',
    source: {
      name: 'in',
      protocol: 'srt',
      srtMode: 'caller',
      address: addressOf(method, number, side),
      port: 5000,
    },
    destinations: [{ name: 'out', protocol: 'udp', address: '203.0.113.9', port: 6000 }],
  })
  return method === 'source' ? [route('main')] : [route('main'), route('backup')]
}

function settingsOf(method, number) {
  const side = (name) =>
    method === 'source'
      ? { address: addressOf(method, number, name), port: 5000 }
      : { id: `${method} ${number} ${name}` }
  return { method, main: side('main'), backup: side('backup') }
}

/** Loses main of one route; returns the times of all steps, in ms since then. */
async function lose({ gateway, simulator, method, number }) {
  const at = {}
  let lostAt = Infinity
  const note = (step) => (at[step] ??= performance.now() - lostAt)
  let isReady = false
  const protection = protectRoute(gateway, {
    ...(method === 'source' && { route: { id: `source ${number} main` } }),
    settings: settingsOf(method, number),
    onStatus({ state }) {
      isReady ||= state === 'normal'
      if (state === 'hold-off') note('noticed')
      if (state === 'switching') note('decided')
    },
    onEvents(events) {
      if (events.some(({ event }) => event === 'failover.switched')) note('reported')
    },
  })
  const deadline = performance.now() + LONGEST_MS
  const until = async (isThere) => {
    while (!isThere()) {
      if (performance.now() > deadline) throw new Error(`${method} ${number} was not switched`)
      await pause(10)
    }
  }
  await until(() => isReady)
  await pause((LOOK_MS * number) / ROUTES)
  simulator.failAddress(addressOf(method, number, 'main'), 'disconnected')
  lostAt = performance.now()
  const [first, second] = ['main', 'backup'].map((side) => `${method} ${number} ${side}`)
  const present = () => simulator.route(method === 'source' ? first : second)
  const isOn = () =>
    present().state === 'running' &&
    present().source.address === addressOf(method, number, 'backup') &&
    present().source.state === 'connected'
  const isStopped = () => simulator.route(first).state !== 'running'
  if (method === 'routes') {
    await until(isStopped)
    note('stopped')
  }
  await until(isOn)
  note('on the air')
  await until(() => at.reported !== undefined)
  await protection.close()
  return at
}

async function main() {
  const numbers = Array.from({ length: ROUTES }, (_, number) => number)
  const simulator = await startSimulator({
    routes: ['source', 'routes'].flatMap((method) =>
      numbers.flatMap((number) => specsOf(method, number)),
    ),
  })
  const account = { username: 'haiadmin', password: 'manager' }
  const gateway = openConnection({ baseUrl: simulator.url, ...account })
  await gateway.call({ method: 'GET', path: '/api/devices' }, newOperation('bench'))
  const lost = await Promise.all(
    ['source', 'routes'].flatMap((method) =>
      numbers.map(async (number) => ({
        method,
        at: await lose({ gateway, simulator, method, number }),
      })),
    ),
  )
  await gateway.close()
  await simulator.stop()
  const cell = (method, step) => {
    const all = lost.filter((one) => one.method === method).map(({ at }) => at[step])
    if (all.some((one) => one === undefined)) return ''
    const [least, most] = [Math.min(...all), Math.max(...all)].map((ms) => (ms / 1000).toFixed(1))
    return `${least} to ${most} s`
  }
  table(
    ['after the loss of main', 'source', 'routes'],
    ['noticed', 'decided', 'stopped', 'on the air', 'reported'].map((step) => [
      step,
      cell('source', step),
      cell('routes', step),
    ]),
  )
  return 0
}

runScript(main)
