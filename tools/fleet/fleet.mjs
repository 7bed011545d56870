// A fleet with all its parts: engine, appliances and instances. What is done to it becomes an event of
// the account.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { temporaryUserDirectory } from '../../scripts/harness/node-red.mjs'
import { startProcess } from '../../scripts/harness/processes.mjs'
import { commandFor, CREDENTIALS, flowOf } from './flow.mjs'
import { createInstance, livesOf } from './instances.mjs'

/** Of how many lives of an instance the appliances know the names. */
const LIVES = 100
/** Of the simulated appliances. */
const IN_ONE_PROCESS = 600
const COMMAND_EVERY_MS = 200
/** Polls that may be late before an appliance counts as not polled. */
const LATE_POLLS = 2.5

/**
 * @param engine as `startEngine` returns it
 * @param appliances,instances how many
 * @param routes on each appliance
 * @param ttl,interval,lifetime of a lease, between polls and of a session, in seconds
 * @param replicas of what the engine stores
 * @param engineFor the address of the engine for an instance; its own if not given
 * @param inventoryFor the inventory of an instance, from `{name, url}` of each appliance; the same for all
 * if not given
 */
export async function startFleet({
  engine,
  appliances: count,
  instances: size,
  routes = 4,
  ttl,
  interval,
  lifetime = 900,
  replicas,
  engineFor = () => engine.servers,
  inventoryFor = (_name, rows) => rows,
}) {
  const names = Array.from({ length: size }, (_, place) => `node-red-${place + 1}`)
  const password = randomBytes(12).toString('hex')
  const accounts = names.flatMap((name) =>
    livesOf(name, LIVES).map((username) => ({ username, password })),
  )
  const processes = []
  const rows = []
  for (let first = 1; first <= count; first += IN_ONE_PROCESS) {
    const { ask } = startProcess(new URL('appliances.mjs', import.meta.url))
    const part = { first, count: Math.min(IN_ONE_PROCESS, count - first + 1), routes, accounts }
    rows.push(...(await ask('start', { ...part, lifetime: lifetime * 1000 })))
    processes.push(ask)
  }
  const folder = temporaryUserDirectory()
  const inventoryOf = (name) => join(folder, `${name}.json`)
  /** Gives each instance its inventory, also while it runs. */
  async function writeInventories(present) {
    for (const name of names) {
      const own = await inventoryFor(name, present)
      // An instance may have ways of its own to the same gateways. Ownership goes by this, not by the name.
      const entries = own.map(({ name: appliance, url }) => ({
        name: appliance,
        baseUrl: url,
        ownerKey: `the gateway ${appliance}`,
      }))
      writeFileSync(inventoryOf(name), JSON.stringify(entries))
    }
  }
  await writeInventories(rows)
  const flow = flowOf({ fleet: `trial-${randomBytes(4).toString('hex')}`, ttl, interval, replicas })
  const fleetKey = randomBytes(32).toString('hex')
  const instances = names.map((name) =>
    createInstance({
      name,
      flow,
      credentials: CREDENTIALS,
      environment: {
        FLEET_PASSWORD: password,
        FLEET_INVENTORY: inventoryOf(name),
        FLEET_ENGINE: engineFor(name),
        FLEET_ENGINE_USER: engine.user ?? '',
        FLEET_ENGINE_PASSWORD: engine.password ?? '',
        FLEET_KEY: fleetKey,
      },
    }),
  )

  const events = []
  const commands = new Map()
  const records = []
  let latestCommand = 0

  const happens = (kind, { client }) => events.push({ at: Date.now(), kind, client })
  const living = () => instances.filter(({ state }) => state === 'on')

  async function collect() {
    for (const ask of processes) records.push(...(await ask('records')))
  }

  /** The latest poll of each appliance. */
  const latest = async () => (await Promise.all(processes.map((ask) => ask('latest')))).flat()

  /** Of each appliance that no living instance polls now, its latest poll. */
  async function uncovered() {
    const clients = new Set(living().map((instance) => instance.client))
    const since = Date.now() - LATE_POLLS * interval * 1000
    return (await latest()).filter(({ at, client }) => at <= since || !clients.has(client))
  }

  /** Whether every appliance is polled by a living instance, and by `client` at least one of them. */
  async function isCovered(client) {
    if ((await uncovered()).length > 0) return false
    return !client || (await latest()).some((poll) => poll.client === client)
  }

  /** Who polls what, as text that can be compared. */
  const division = async () => (await latest()).map(({ client }) => client).join()

  /** Waits until all are covered, and until nothing moves any more. @returns whether that came */
  async function settle({ client, within }) {
    const deadline = performance.now() + within
    let before
    while (performance.now() < deadline) {
      const now = (await isCovered(client)) ? await division() : undefined
      if (now && now === before) return true
      before = now
      await pause(now ? 1.5 * interval * 1000 : 250)
    }
    return false
  }

  /**
   * Gives commands to the flow of an instance while it runs, for one appliance after the other.
   * @returns ends it
   */
  function send(through, { everyMs = COMMAND_EVERY_MS } = {}) {
    const over = new AbortController()
    const run = (async () => {
      while (!over.signal.aborted) {
        if (through.state === 'on') await sendOne(through)
        await pause(everyMs)
      }
    })()
    return async () => {
      over.abort()
      await run
    }
  }

  async function sendOne(through) {
    await give(through, rows[(latestCommand + 1) % rows.length].name)
    await hearFrom(through)
  }

  /**
   * Gives a command to the flow of an instance.
   * @param isOnce,msg if not as for every other command
   * @returns its number
   */
  async function give(through, appliance, { isOnce: isOnceGiven, msg } = {}) {
    const number = ++latestCommand
    const command = commandFor(number, appliance, isOnceGiven)
    Object.assign(command.msg, msg)
    const { isOnce } = command
    const { client } = through
    commands.set(number, { number, appliance, isOnce, through: client, sentAt: Date.now() })
    // While there is no flow it takes none. Where that is not known it counts as given.
    const taken = await through.ask('send', [command]).catch(() => 1)
    if (!taken) commands.delete(number)
    return number
  }

  async function hearFrom(instance) {
    for (const { number, ...end } of await instance.ask('ended').catch(() => [])) {
      Object.assign(commands.get(number), { ...end, answeredAt: end.at })
    }
  }

  /** Waits for the answers of the commands under way. */
  async function answers(within) {
    const deadline = performance.now() + within
    const isOpen = ({ code, through }) =>
      code === undefined && living().some(({ client }) => client === through)
    do {
      for (const instance of living()) await hearFrom(instance)
      await pause(100)
    } while (performance.now() < deadline && [...commands.values()].some(isOpen))
  }

  return {
    instances,
    appliances: rows,
    living,
    latest,
    settle,
    uncovered,
    send,
    give,
    answers,
    writeInventories,
    collect,
    commands,
    happens,
    openSessions: async () =>
      (await Promise.all(processes.map((ask) => ask('openSessions')))).reduce((a, b) => a + b, 0),
    /** What `accountOf` needs. @param until when the end began */
    async evidence(until) {
      await collect()
      return {
        names: rows.map(({ name }) => name),
        records,
        events,
        commands: [...commands.values()],
        until,
        lifetime: lifetime * 1000,
        lost: instances.flatMap(({ hadLost }) => [...hadLost]),
      }
    },
  }
}
