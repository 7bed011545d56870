// How a failover compares with none and with an oracle that always uses a good side: in ten named
// histories of two hours, and in random ones, with everything that has to hold in them. Then how
// long a programme is off the air until a failover with default settings has switched, measured on
// the simulator: from the loss of main until each step. The simulator needs 60 ms to apply a
// change and to connect, which stands for nothing: how long a gateway needs is not known.
//   --histories 10000   random histories of two hours
//   --seed 1            of the first of them; otherwise others each time
//   --routes 20         protected routes with each method, lost at different moments
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { setTimeout as pause } from 'node:timers/promises'
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { runScript } from '../../scripts/harness/end.mjs'
import { table } from '../../scripts/harness/report.mjs'

const require = createRequire(import.meta.url)
const { Operation } = require('../../dist/client/connection/operation')
const { openConnection } = require('../../dist/client/connection/connection')
const { protectRoute } = require('../../dist/client/failover/protect')
const { startSimulator } = require('../../dist/simulator')
const { NAMED } = require('../../dist/test/client/failover/histories')
const { oracle, play } = require('../../dist/test/client/failover/world')

const { values } = parseArgs({
  options: {
    routes: { type: 'string', default: '20' },
    histories: { type: 'string', default: '10000' },
    seed: { type: 'string' },
  },
})
const ROUTES = Number(values.routes)
const HISTORIES = Number(values.histories)
const SEED = Number(values.seed ?? Date.now() % 1_000_000_000)
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

const ratio = (one, other) => (other < 0.5 ? (one < 0.5 ? '1.00' : '-') : (one / other).toFixed(2))

function named() {
  table(
    ['off the air, s', 'with', 'without', 'oracle', 'with : without', 'with : oracle'],
    Object.entries(NAMED).map(([name, world]) => {
      const { off, without } = play(world)
      const best = oracle(world)
      const numbers = [off, without, best].map((each) => each.toFixed(0))
      return [name, ...numbers, ratio(off, without), ratio(off, best)]
    }),
  )
}

/** Returns how many histories show something that should not be. */
async function random() {
  const every = availableParallelism()
  const figures = []
  let wrong = 0
  const began = performance.now()
  const run = (thread) =>
    new Promise((resolve, reject) => {
      const workerData = { first: SEED + thread, count: HISTORIES - thread, every, seconds: 7200 }
      const worker = new Worker(new URL('failover-histories.mjs', import.meta.url), { workerData })
      worker.on('message', (message) => {
        if (message.figures) {
          figures.push(...message.figures)
          return
        }
        wrong++
        if (wrong > 5) return
        console.log(`Seed ${message.seed} of ${JSON.stringify(message.wish)}`)
        console.log(message.faults.join('\n'))
        console.log(message.least)
      })
      worker.on('error', reject)
      worker.on('exit', resolve)
    })
  await Promise.all(Array.from({ length: every }, (_, thread) => run(thread)))
  const plain = figures.filter((one) => one.isPlain)
  const sum = (name) => plain.reduce((all, each) => all + each[name], 0)
  const more = plain.map(({ off, without }) => off - without).sort((one, other) => one - other)
  const at = (share) => `${Math.round(more[Math.floor((more.length - 1) * share)] ?? 0)} s`
  console.log(
    `\n${figures.length} random histories of 2 h from seed ${SEED} in ${Math.round((performance.now() - began) / 1000)} s: ${wrong} with something that should not be`,
  )
  table(
    [
      `${plain.length} with default settings, whose switches arrive, and in which nobody else acts`,
      '',
    ],
    [
      ['off the air with : without', ratio(sum('off'), sum('without'))],
      ['off the air with : oracle', ratio(sum('off'), sum('oracle'))],
      ['off the air without : oracle', ratio(sum('without'), sum('oracle'))],
      ['worse than without', `${more.filter((each) => each > 1).length}`],
      ['longer than without, median', at(0.5)],
      ['longer than without, 99 %', at(0.99)],
      ['longer than without, most', at(1)],
    ],
  )
  return wrong
}

async function main() {
  named()
  const wrong = HISTORIES > 0 ? await random() : 0
  if (ROUTES > 0) await measured()
  return wrong > 0 ? 1 : 0
}

async function measured() {
  const numbers = Array.from({ length: ROUTES }, (_, number) => number)
  const simulator = await startSimulator({
    routes: ['source', 'routes'].flatMap((method) =>
      numbers.flatMap((number) => specsOf(method, number)),
    ),
  })
  const account = { username: 'haiadmin', password: 'manager' }
  const gateway = openConnection({ baseUrl: simulator.url, ...account })
  await gateway.call({ method: 'GET', path: '/api/devices' }, new Operation('bench'))
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
}

runScript(main)
