// npm --prefix tools run bench:takeover: what happens to a fleet of three when an instance or the engine fails, measured
// by what the appliances have received. docs/project/performance.md has the figures.
//   --appliances 64  how many
//   --ttl 4          seconds of a lease
import '../../scripts/help.mjs'
import { parseArgs } from 'node:util'
import { setTimeout as pause } from 'node:timers/promises'
import { accountOf, brokenPromises } from '../fleet/account.mjs'
import { startEngine } from '../fleet/engine.mjs'
import { startFleet } from '../fleet/fleet.mjs'
import { runScript } from '../../scripts/harness/end.mjs'
import { table } from '../../scripts/harness/report.mjs'
import { ready } from '../../scripts/ready.mjs'

const INTERVAL = 1
const LEAST = { appliances: 1, ttl: 2 }
const SESSION = 20
const SETTLED_WITHIN_MS = 60_000
/** What a fleet in good order shows between two events. */
const CALM_MS = 3000

async function main() {
  const { appliances, ttl } = optionsOf(process.argv.slice(2))
  const [ttlMs, awayMs] = [ttl * 1000, 2.25 * ttl * 1000]
  ready()
  const engine = await startEngine({ ...process.env, NATS_URL: '' })
  const fleet = await startFleet({
    engine,
    appliances,
    instances: 4,
    routes: 2,
    ttl,
    interval: INTERVAL,
    lifetime: SESSION,
  })
  const [one, two, three, four] = fleet.instances
  await Promise.all([one, two, three].map((instance) => instance.start()))
  await settled()
  const end = fleet.send(one)

  async function settled(client) {
    if (await fleet.settle({ client, within: SETTLED_WITHIN_MS })) return
    throw new Error('Not every appliance is polled.')
  }

  /** The first poll after it, and how long after the beginning any appliance was polled before. */
  async function pauseOfAll(from, until) {
    const { records } = await fleet.evidence(Date.now())
    const polls = records.filter(({ kind, at }) => kind === 'poll' && at > from && at < until)
    const gaps = polls.map(({ at }, index) => at - (polls[index - 1]?.at ?? from))
    const longest = gaps.indexOf(Math.max(...gaps))
    return { last: polls[longest - 1]?.at ?? from, next: polls[longest]?.at ?? from }
  }

  const rows = []
  /** @param kind of the event of an instance that it is for the account */
  async function measure(name, instance, kind, act, tell) {
    const isJoin = kind === 'join'
    await pause(CALM_MS)
    if (kind && !isJoin) fleet.happens(kind, instance)
    const from = Date.now()
    await act()
    // It has a name once it has started.
    if (isJoin) fleet.happens(kind, instance)
    await settled(isJoin ? instance.client : undefined)
    await pause(CALM_MS)
    const account = accountOf(await fleet.evidence(Date.now()))
    rows.push([name, await tell(account, from)])
  }
  const moved = ({ events }) => {
    const { moved: count, takenAfter, pause: without } = events.at(-1)
    return `${count} appliances: polled by others after ${seconds(takenAfter.longest)} at most, unwatched for ${seconds(without.longest)}`
  }
  const joined = ({ events }) => {
    const { moved: count, pause: without } = events.at(-1)
    return `${count} appliances move, each unwatched for ${seconds(without.longest)} at most`
  }
  const stopped = async (_account, from) => {
    const { last, next } = await pauseOfAll(from, Date.now())
    return `last poll after ${seconds(last - from)}, the next one after ${seconds(next - from)}`
  }

  await measure('kill -9 of one', three, 'kill', () => three.kill(), moved)
  await three.start()
  await settled(three.client)
  await measure('SIGTERM of one', three, 'leave', () => three.stop(), moved)
  await three.start()
  await settled(three.client)
  await measure('A fourth joins', four, 'join', () => four.start(), joined)
  await four.stop()
  await settled()
  const frozen = async (instance, ms) => {
    instance.freeze()
    await pause(ms)
    instance.thaw()
  }
  await measure(
    `SIGSTOP for ${seconds(awayMs)}, SIGCONT`,
    two,
    'freeze',
    () => frozen(two, awayMs),
    moved,
  )
  await settled(two.client)
  const away = async (ms) => {
    await engine.kill()
    await pause(ms)
    await engine.start()
  }
  await measure(`Engine away for ${seconds(awayMs)}`, one, undefined, () => away(awayMs), stopped)
  await measure('Engine: kill -9, and back at once', one, undefined, () => away(0), stopped)
  await measure(
    'The same, with one instance stopped meanwhile',
    two,
    'freeze',
    () => Promise.all([away(0), frozen(two, awayMs)]),
    moved,
  )

  await end()
  await fleet.answers(SETTLED_WITHIN_MS)
  const until = Date.now()
  await Promise.all(fleet.living().map((instance) => instance.stop()))
  const account = accountOf(await fleet.evidence(until))
  console.log(`\n3 instances, ${appliances} appliances, TTL ${ttl} s, polled every ${INTERVAL} s\n`)
  table(['Event', 'Result'], rows, { isText: true })
  const { commands, doubles, twins } = account
  const codes = Object.entries(commands.codes).map(([code, count]) => `${count} ${code}`)
  console.log(
    `\nTwo instances on one appliance: ${doubles.length + twins.length}. Commands: ${commands.sent}, twice: ${commands.twice.length}; ${codes.join(', ')}.`,
  )
  const broken = brokenPromises(account, { ttlMs, isSteady: false })
  for (const promise of broken) console.log(`BROKEN: ${promise}`)
  return broken.length > 0 ? 1 : 0
}

function optionsOf(args) {
  const text = (value) => ({ type: 'string', default: value })
  const { values } = parseArgs({ args, options: { appliances: text('64'), ttl: text('4') } })
  const numbers = Object.entries(values).map(([name, given]) => {
    if (/^\d+$/.test(given) && Number(given) >= LEAST[name]) return [name, Number(given)]
    throw new Error(`--${name} takes a whole number from ${LEAST[name]}, not "${String(given)}".`)
  })
  return Object.fromEntries(numbers)
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`

runScript(main)
