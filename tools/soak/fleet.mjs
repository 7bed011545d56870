// npm run soak -- --fleet: a fleet of Node-REDs goes through everything that separates, halts or ends
// its parts, by chance, while commands are sent through all of them. Judged by what the appliances have
// received: fails if two instances ever worked for one appliance at the same time, if a command was
// carried out twice or answered wrongly, or if the fleet does not recover at the end.
//   --minutes 2       how long; the start and the end take about a minute more
//   --seed 1          the same choices for the same seed; without it, different ones each time
//   --appliances 60, --instances 4, --ttl 4
import { setTimeout as pause } from 'node:timers/promises'
import { accountOf, brokenPromises } from '../fleet/account.mjs'
import { startEngine } from '../fleet/engine.mjs'
import { startFleet } from '../fleet/fleet.mjs'
import { list } from '../../scripts/harness/report.mjs'
import { startCut } from './cut.mjs'
import { choices } from './random.mjs'

const INTERVAL = 1
/** Seconds. A session that nobody could end is gone after that. */
const SESSION = 20
/** Of the end, as docs/fleets.md promises it for a takeover. */
const RECOVERY_MS = 10_000
const ANSWERS_WITHIN_MS = 90_000
/** What is late is waited for so long, to tell it from what never comes. */
const LATE_MS = 60_000
/** Never fewer are left that nothing was done to. */
const UNTOUCHED = 1

/** @returns the exit code */
export async function soakFleet({ minutes, seed, appliances, instances: size, ttl }) {
  const ttlMs = ttl * 1000
  console.log(
    `A fleet of ${size} with ${appliances} gateways, TTL ${ttl} s, ${minutes} min, --seed ${seed} ...`,
  )
  const engine = await startEngine({ ...process.env, NATS_URL: '' })
  const links = await Promise.all(Array.from({ length: size }, () => startCut(engine.port)))
  /** The ways of an instance to the appliances, by its name. */
  const ways = {}
  const fleet = await startFleet({
    engine,
    appliances,
    instances: size,
    routes: 2,
    ttl,
    interval: INTERVAL,
    lifetime: SESSION,
    engineFor: (name) => `nats://127.0.0.1:${links[placeOf(name)].port}`,
    async inventoryFor(name, rows) {
      ways[name] = await Promise.all(rows.map(({ url }) => startCut(Number(new URL(url).port))))
      return rows.map((row, place) => ({
        ...row,
        url: `http://127.0.0.1:${ways[name][place].port}`,
      }))
    },
  })
  await Promise.all(fleet.instances.map((instance) => instance.start()))
  if (!(await fleet.settle({ within: 4 * ttlMs + 60_000 }))) {
    throw new Error('The fleet did not start.')
  }
  const faults = createFaults({ fleet, engine, links, ways, ttlMs, seed })
  const end = performance.now() + minutes * 60_000
  const senders = fleet.instances.map((instance) => fleet.send(instance))
  await Promise.all([faults.run(end), tell(fleet, faults, end)])
  await Promise.all(senders.map((stop) => stop()))

  console.log('No more faults: now everything has to recover.')
  const missed = await missedBy(fleet, ttlMs + RECOVERY_MS)
  await fleet.answers(ANSWERS_WITHIN_MS)
  // What nobody could end has expired then: what is left was left by somebody who could.
  await pause(SESSION * 1000)
  const until = Date.now()
  await Promise.all(fleet.living().map((instance) => instance.stop()))
  const account = accountOf(await fleet.evidence(until))
  const broken = brokenPromises(account, { ttlMs, isSteady: false })
  broken.push(...missed)
  broken.push(...fleet.instances.flatMap((instance) => crashOf(instance)))
  report(account, faults.count, broken)
  return broken.length > 0 ? 1 : 0
}

/** @returns what was not as it should be after so many ms: in one line, if anything was */
async function missedBy(fleet, within) {
  const began = performance.now()
  if (await fleet.settle({ within })) return []
  const now = Date.now()
  const late = (await fleet.uncovered()).map(
    ({ name, client, at }) => `${name} ${now - at} ms ago by ${client}`,
  )
  const came = await fleet.settle({ within: LATE_MS })
  const when = came ? `after ${Math.round((performance.now() - began) / 1000)} s` : 'not at all'
  return [
    `Not every gateway was polled again within the TTL and 10 s, but ${when}. Until then: ${late.join(', ') || 'who polls them still changed'}.`,
  ]
}

const placeOf = (name) => Number(name.split('-').at(-1)) - 1

const crashOf = ({ name, state, output }) =>
  state === 'crashed' ? [`${name} ended by itself:\n${output().slice(-2000)}`] : []

function createFaults({ fleet, engine, links, ways, ttlMs, seed }) {
  const random = choices(seed, 'fleet')
  const count = {}
  const busy = new Set()
  const past = () => random.whole(ttlMs / 4, 2.5 * ttlMs)

  /** What happens to one instance, from beginning to end. */
  const OF_ONE = {
    async kill(instance) {
      await instance.kill()
      await pause(random.whole(0, 3 * ttlMs))
      await instance.start()
    },
    async leave(instance) {
      await instance.stop()
      await pause(random.whole(0, 2 * ttlMs))
      await instance.start()
    },
    async freeze(instance) {
      instance.freeze()
      await pause(past())
      instance.thaw()
    },
    async block(instance) {
      await instance.ask('block', past()).catch(() => undefined)
    },
    async 'cut from the engine'({ name }) {
      await during(links[placeOf(name)], 'cut')
    },
    async 'silent engine'({ name }) {
      await during(links[placeOf(name)], 'silent')
    },
    async 'slow engine'({ name }) {
      await during(links[placeOf(name)], 'slow', random.whole(50, ttlMs / 3))
    },
    async 'cut from the gateways'({ name }) {
      for (const way of ways[name]) way.set('cut')
      await pause(past())
      for (const way of ways[name]) way.set('open')
    },
  }

  async function during(cut, mode, ms) {
    cut.set(mode, ms)
    await pause(past())
    cut.set('open')
  }

  /** What happens to the engine, and so to all. */
  const OF_ENGINE = {
    async 'engine away'() {
      await engine.kill()
      await pause(random.whole(0, 3 * ttlMs))
      await engine.start()
    },
    async 'engine back empty'() {
      await engine.kill()
      engine.forget()
      await pause(random.whole(0, ttlMs))
      await engine.start()
    },
  }

  async function strike() {
    if (random.chance(0.15)) {
      if (busy.has(engine)) return
      const kind = random.one(Object.keys(OF_ENGINE))
      for (const instance of fleet.living()) fleet.happens(kind, instance)
      await doing(kind, engine, OF_ENGINE[kind])
      return
    }
    const free = fleet.living().filter((instance) => !busy.has(instance))
    if (free.length <= UNTOUCHED) return
    const instance = random.one(free)
    const kind = random.one(Object.keys(OF_ONE))
    fleet.happens(kind, instance)
    await doing(kind, instance, OF_ONE[kind])
  }

  async function doing(kind, what, act) {
    count[kind] = (count[kind] ?? 0) + 1
    busy.add(what)
    await act(what)
    busy.delete(what)
  }

  return {
    count,
    async run(end) {
      const under = []
      while (performance.now() < end) {
        // The next one often begins before the last one is over.
        under.push(strike())
        await pause(random.whole(ttlMs / 8, 1.5 * ttlMs))
      }
      await Promise.all(under)
    },
  }
}

async function tell(fleet, faults, end) {
  while (performance.now() < end) {
    await pause(Math.min(10_000, Math.max(0, end - performance.now())))
    await fleet.collect()
    const states = fleet.instances.map(({ name, state }) => `${name} ${state}`).join(', ')
    console.log(`  ${inWords(faults.count)}; commands ${fleet.commands.size}; ${states}`)
  }
}

function report({ clients, commands, doubles, twins, sessions, events }, faults, broken) {
  const codes = inWords(commands.codes)
  list('A fleet', [
    ['faults', sum(Object.values(faults)), inWords(faults)],
    ['lives of instances', Object.keys(clients).length],
    ['polls', sum(Object.values(clients).map(({ polls }) => polls))],
    ['logins', sum(Object.values(clients).map(({ logins }) => logins))],
    ['two instances on one gateway', doubles.length],
    ['two sessions of one instance on one gateway', twins.length],
    ['sessions on one gateway, at most', sessions.most],
    ['commands', commands.sent, codes],
    ['  carried out', commands.carriedOut],
    ['  twice', commands.twice.length],
    ['  not known whether carried out', commands.unknown],
    ['  whose sender has ended', commands.senderGone],
  ])
  console.log(broken.length > 0 ? '\nFAILED' : '\nNothing was done twice, lost or left.')
  for (const one of broken) console.log(`  ${one}`)
  for (const one of commands.details) {
    console.log(`  ${JSON.stringify(one)}`)
    const around = events.filter(({ at }) => Math.abs(at - one.sentAt) < AROUND_MS)
    for (const { at, kind, client } of around) console.log(`    ${at} ${kind} ${client}`)
  }
}

/** What happened so long before and after a command that went wrong is shown with it. */
const AROUND_MS = 20_000

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)

const inWords = (counts) =>
  Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
