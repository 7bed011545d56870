// npm run bench -- look: the CPU of one poll of a watch that finds nothing new, besides the parsing of
// the response and the way to the appliance.
//   --routes 30
//   --rounds 15
//   --polls 400     in each round
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { runScript } from '../../scripts/harness/end.mjs'
import { median } from '../../scripts/harness/report.mjs'

const require = createRequire(import.meta.url)
const { Operation } = require('../../dist/client/connection/operation')
const { compare } = require('../../dist/client/watch/report/compare')
const { figuresOf } = require('../../dist/client/watch/measuring/figures')
const { createReader } = require('../../dist/client/watch/life/reader')
const { generateRoutes, startSimulator } = require('../../dist/simulator')

const GOAL_MS = 0.4

const { values } = parseArgs({
  options: {
    routes: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '15' },
    polls: { type: 'string', default: '400' },
  },
})

async function main() {
  const { deviceId, text } = await response()
  let body
  const read = createReader({ call: async () => body }, deviceId, { now: () => 0 })
  const operation = new Operation('watch')
  const parse = () => {
    body = JSON.parse(text)
  }
  parse()
  const { state, sent } = await read(operation)
  let figures = figuresOf(state, sent)
  const look = async () => {
    parse()
    const next = await read(operation, state)
    figures = figuresOf(next.state, next.sent, figures)
    if (compare(state, next.state).length > 0) throw new Error('Something has changed.')
  }
  const looks = []
  const parsing = []
  await cpuOf(look)
  for (let round = 0; round < Number(values.rounds); round++) {
    parsing.push(await cpuOf(parse))
    looks.push((await cpuOf(look)) - parsing.at(-1))
  }
  const sorted = looks.toSorted((one, other) => one - other)
  const quarter = Math.floor(sorted.length / 4)
  // Half of the range in which half of the rounds are.
  const noise = (sorted.at(-1 - quarter) - sorted[quarter]) / 2
  const over = median(looks) - GOAL_MS
  const verdict = over <= 0 ? 'reached' : over <= noise ? 'within the noise' : 'MISSED'
  console.log(
    `${values.routes} routes: ${median(looks).toFixed(2)} ms besides ${median(parsing).toFixed(2)} ms of parsing; ` +
      `goal ${GOAL_MS} ms, noise ${noise.toFixed(2)}: ${verdict}`,
  )
  return verdict === 'MISSED' ? 1 : 0
}

/** What an appliance answers to a poll. */
async function response() {
  const simulator = await startSimulator({ routes: generateRoutes(Number(values.routes), 1) })
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } }
  const account = JSON.stringify({ username: 'operator', password: 'supervisor' })
  const login = await fetch(`${simulator.url}/api/session`, { ...post, body: account })
  const cookie = login.headers.getSetCookie().map((each) => each.split(';')[0])
  const deviceId = simulator.devices[0]._id
  const device = await fetch(`${simulator.url}/api/devices/${deviceId}`, {
    headers: { cookie: cookie.join('; ') },
  })
  const text = await device.text()
  await simulator.stop()
  return { deviceId, text }
}

/** In ms, of one of many. */
async function cpuOf(once) {
  const count = Number(values.polls)
  const from = process.cpuUsage()
  for (let done = 0; done < count; done++) await once()
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000 / count
}

runScript(main)
