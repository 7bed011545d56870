// npm --prefix tools run fleet: several Node-REDs that share one inventory of simulated appliances over a real NATS
// server. Kills one, ends and restarts another, sends commands all the while, and gives an account of
// it from what the appliances have received. Fails if a promise was broken.
//   NATS_SERVER        the program nats-server, if it is not in the path
//   NATS_URL           a server that is already running: nats://user:password@host:4222
//   --appliances 600   how many
//   --routes 4         on each of them
//   --instances 3      how many Node-REDs
//   --ttl 15           seconds of a lease
//   --interval 5       seconds between polls
//   --once             plays the events one after the other and ends; so without a terminal
//   --json             the account as JSON, everything else as errors
import '../../scripts/help.mjs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { accountOf, brokenPromises } from './account.mjs'
import { startEngine } from './engine.mjs'
import { startFleet } from './fleet.mjs'
import { columns, createShow, seconds } from './show.mjs'
import { atEnd, runScript } from '../../scripts/harness/end.mjs'
import { ready } from '../../scripts/ready.mjs'

const REFRESH_MS = 1000
/** More than TTL and 10 s: what comes too late is to be seen in the account. */
const GRACE_MS = 30_000
const WARNINGS_SHOWN = 20
const ANSWERS_WITHIN_MS = 60_000

async function main() {
  const options = optionsOf(process.argv.slice(2))
  const engine = await startEngine()
  ready()
  const show = createShow({
    output: options.json ? process.stderr : process.stdout,
    isTerminal: Boolean(process.stdout.isTTY) && !options.json,
  })
  const { appliances, instances, ttl, interval } = options
  show.say(`${appliances} appliances, ${instances} instances of Node-RED, TTL ${ttl} s.`)
  const fleet = await startFleet({ engine, ...options })
  const watching = watchOwners(fleet, show)

  const begun = performance.now()
  await Promise.all(fleet.instances.map((instance) => instance.start()))
  const within = ttl * 1000 + GRACE_MS + 50 * appliances + 3 * interval * 1000
  await settled(fleet.settle({ within }), 'The first poll of every appliance by one instance')
  show.say(`All appliances are polled after ${seconds(performance.now() - begun)}.`)
  await showOwners(fleet, show, { stays: !show.isTerminal })

  const act = createActs({ fleet, show, ttl, interval })
  const endCommands = fleet.send(fleet.instances[0])
  show.say(
    `Commands are sent through ${fleet.instances[0].name}, for one appliance after the other.`,
  )
  if (options.once || !show.isTerminal || !process.stdin.isTTY) await playAll(act, options)
  else await obeyKeys(act, show)

  await endCommands()
  await fleet.answers(ANSWERS_WITHIN_MS)
  await watching.end()
  const account = await finish(fleet, show)
  const broken = [...brokenPromises(account, { ttlMs: ttl * 1000 }), ...act.broken]
  if (options.json) console.log(JSON.stringify({ ...account, broken }, undefined, 2))
  else report(account, broken, show)
  return broken.length > 0 ? 1 : 0
}

function optionsOf(args) {
  const text = (value) => ({ type: 'string', default: value })
  const { values } = parseArgs({
    args,
    options: {
      appliances: text('600'),
      routes: text('4'),
      instances: text('3'),
      ttl: text('15'),
      interval: text('5'),
      once: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  const { once, json, ...texts } = values
  const least = { instances: 3, ttl: 2 }
  const numbers = Object.entries(texts).map(([name, given]) => {
    const from = least[name] ?? 1
    if (/^\d+$/.test(given) && Number(given) >= from) return [name, Number(given)]
    throw new Error(`--${name} takes a whole number from ${from}, not "${String(given)}".`)
  })
  return { ...Object.fromEntries(numbers), once, json }
}

async function settled(coming, what) {
  if (!(await coming)) throw new Error(`${what} did not come in time.`)
}

// ---- what happens to the fleet

function createActs({ fleet, show, ttl, interval }) {
  // Whether it was in time, the account says; here it must also be seen that nothing moves any more.
  const within = ttl * 1000 + GRACE_MS + 3 * interval * 1000
  const broken = []
  const [, ...others] = fleet.instances
  /** The first one passes the commands on: it stays. */
  const last = (state) => others.findLast((instance) => instance.state === state)
  /** The latest last. */
  const ended = []

  async function wait(what, client) {
    const begun = performance.now()
    if (await fleet.settle({ client, within })) {
      show.say(`  ${what} after ${seconds(performance.now() - begun)} at most.`)
    } else broken.push(`${what}: not within ${seconds(within)}.`)
    await showOwners(fleet, show, { stays: !show.isTerminal })
  }

  return {
    broken,
    async kill() {
      const instance = last('on')
      if (!instance) {
        show.say('There is nobody to kill.')
        return
      }
      show.say(`kill -9 ${instance.name}`)
      fleet.happens('kill', instance)
      ended.push(instance)
      await instance.kill()
      await wait('Its appliances are polled by the others')
    },
    async leave() {
      const instance = last('on')
      if (!instance) {
        show.say('There is nobody to end.')
        return
      }
      show.say(`SIGTERM to ${instance.name}`)
      fleet.happens('leave', instance)
      ended.push(instance)
      const took = await instance.stop()
      show.say(`  It has ended after ${seconds(took)}.`)
      await wait('Its appliances are polled by the others')
    },
    async join() {
      const instance = ended.pop()
      if (!instance) {
        show.say('All instances are running.')
        return
      }
      show.say(`Starting ${instance.name} again`)
      await instance.start()
      fleet.happens('join', instance)
      await wait('It polls its share', instance.client)
    },
  }
}

/** One event after the other, with time in between to see what follows. */
async function playAll(act, { interval }) {
  await pause(2 * interval * 1000)
  await act.kill()
  await pause(interval * 1000)
  await act.leave()
  await pause(interval * 1000)
  await act.join()
  await pause(2 * interval * 1000)
}

/** Resolves when the user has had enough. */
async function obeyKeys(act, show) {
  const KEYS = { k: act.kill, t: act.leave, s: act.join }
  show.say(
    'Keys: k kills an instance, t ends one with SIGTERM, s starts one again, q ends everything.',
  )
  const { stdin } = process
  stdin.setRawMode(true)
  atEnd(() => stdin.setRawMode(false))
  stdin.setEncoding('utf8')
  stdin.resume()
  let acting = Promise.resolve()
  await new Promise((resolve, reject) => {
    stdin.on('data', (key) => {
      // In this mode the terminal passes Ctrl-C on as a character.
      if (key === 'q' || key === '\u0003') resolve()
      else if (KEYS[key]) acting = acting.then(KEYS[key]).catch(reject)
    })
  })
  stdin.pause()
  stdin.setRawMode(false)
  await acting
}

/** Ends the instances that are left, and returns the account. */
async function finish(fleet, show) {
  const until = Date.now()
  show.say('Ending all instances with SIGTERM ...')
  const left = fleet.living()
  const took = await Promise.all(left.map((instance) => instance.stop()))
  for (const [place, instance] of left.entries()) {
    show.say(`  ${instance.name} has ended after ${seconds(took[place])}.`)
  }
  return {
    ...accountOf(await fleet.evidence(until)),
    openSessions: await fleet.openSessions(),
    warnings: fleet.instances.flatMap((instance) =>
      instance.warnings().map((text) => `${instance.name}: ${text}`),
    ),
  }
}

// ---- what is shown meanwhile

/** Draws who polls what, until it is ended. */
function watchOwners(fleet, show) {
  const over = new AbortController()
  const run = (async () => {
    while (!over.signal.aborted) {
      await fleet.collect()
      if (show.isTerminal) await showOwners(fleet, show)
      await pause(REFRESH_MS)
    }
  })()
  return {
    async end() {
      over.abort()
      await run
      show.table([])
    },
  }
}

async function showOwners(fleet, show, options) {
  const latest = await fleet.latest()
  const since = Date.now() - 10_000
  const rows = await Promise.all(
    fleet.instances.map(async (instance) => {
      const { name, state, client } = instance
      const own = latest.filter((poll) => poll.client === client && poll.at > since)
      return [name, state, state === 'on' ? await ownedBy(instance) : '-', own.length]
    }),
  )
  const unpolled = latest.filter(({ at }) => !(at > since)).length
  show.table(
    [
      ...columns(['Instance', 'State', 'Owns', 'Polled by it'], rows),
      `Not polled for 10 s: ${unpolled}. Commands: ${fleet.commands.size}.`,
    ],
    options,
  )
}

/** As the instance says itself. */
async function ownedBy(instance) {
  try {
    const gateways = await instance.get('media-gateway/gateways')
    return gateways.find(({ id }) => id === 'gateway')?.inventory?.owned ?? '?'
  } catch {
    // It is just starting or ending.
    return '?'
  }
}

// ---- the account

function report(account, broken, { say }) {
  const { clients, events, commands, sessions, doubles } = account
  say('\nAccount, from what the appliances have received')
  const lives = Object.entries(clients)
  for (const line of columns(
    ['  Life', '', 'appliances', 'polls', 'logins'],
    lives.map(([client, { appliances, polls, logins }]) => [
      `  ${client}`,
      '',
      appliances,
      polls,
      logins,
    ]),
  )) {
    say(line)
  }
  say('')
  for (const line of columns(
    ['  Event', 'Life', 'moved', 'taken after', 'at most', 'pause', 'at most', 'others at most'],
    events.map(({ kind, client, moved, takenAfter, pause: without, stayingLongest }) => [
      `  ${kind}`,
      client,
      moved,
      ...[takenAfter.median, takenAfter.longest, without.median, without.longest].map(seconds),
      seconds(stayingLongest),
    ]),
  )) {
    say(line)
  }
  const codes = Object.entries(commands.codes).map(([code, count]) => `${count} ${code}`)
  const messages = Object.entries(commands.messages)
  say(`
  Commands: ${commands.sent} sent, ${commands.carriedOut} carried out, ${commands.twice.length} twice; answers: ${codes.join(', ')}
  Not known whether carried out: ${commands.unknown}
  Doubles: ${doubles.length}
  Sessions: at most ${sessions.most} on an appliance; left by living instances: ${sessions.left}; of others, which expire: ${sessions.expiring}
`)
  for (const warning of account.warnings.slice(0, WARNINGS_SHOWN)) say(`  Logged by ${warning}`)
  for (const [code, message] of messages) say(`  ${code}, such as: ${message}`)
  say(broken.length > 0 ? 'BROKEN' : 'Nothing was lost, doubled or left.')
  for (const one of broken) say(`  ${one}`)
  for (const one of commands.details) say(`  ${JSON.stringify(one)}`)
}

runScript(main)
