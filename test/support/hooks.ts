import { appendFileSync } from 'node:fs'
import type { EventEmitter } from 'node:events'
import { basename } from 'node:path'
// For all tests: it defines `should`, as mocha defines `it`.
import 'should'

/** A server may close a connection that it keeps just when the next request is sent, which then fails. */
const { fetch } = globalThis
globalThis.fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.set('connection', 'close')
  return fetch(input, { ...init, headers })
}

/**
 * Fails a test file that leaves something open or grows too large. Unreferenced timers and sockets
 * cannot be counted from here: test/client/connection/leaks.test.ts does that for the client.
 */
export const mochaHooks = {
  async beforeAll(): Promise<void> {
    began = clock()
    cpuBefore = process.cpuUsage()
    await untilTimed()
    before = counts()
    kept.clear()
  },

  async afterEach(): Promise<void> {
    for (const end of ends.splice(0).reverse()) await end()
  },

  async afterAll(this: Mocha.Context): Promise<void> {
    const file = basename(this.test?.parent?.suites[0]?.file ?? '', '.test.js')
    const rss = process.resourceUsage().maxRSS / 1024
    const { user, system } = process.cpuUsage(cpuBefore)
    const seconds = (clock() - began) / 1000
    report({ file, seconds, cpu: (user + system) / 1e6, megabytes: rss })
    if (rss > MOST_MEGABYTES) {
      throw new Error(`${file}: the process grew to ${Math.round(rss)} MB.`)
    }
    await untilTimed()
    const left = await leftOver()
    if (left.length > 0) throw new Error(`${file} left something open: ${left.join(', ')}.`)
  },
}

/**
 * Waits until the time limit of a hook is among the timers, which it is once the hook has returned: both
 * counts have it, so that one timer that was left makes a difference.
 */
const untilTimed = (): Promise<unknown> => new Promise(setImmediate)

const ends: Array<() => unknown> = []

/** Ends what a test has started, the latest first; also where it fails and is tried again. */
export const afterThisTest = (end: () => unknown): void => void ends.push(end)

/** After the last file, where one process runs them all. A worker ends with its process. */
export async function mochaGlobalTeardown(): Promise<void> {
  for (const stop of stops.splice(0)) await stop()
}

/** Starts what stays open for the test files that follow in this process. */
export async function keepOpen<T>(start: () => Promise<T>, stop: (it: T) => unknown): Promise<T> {
  const known = counts()
  const started = await start()
  stops.push(() => stop(started))
  for (const [kind, count] of counts()) {
    const grown = count - (known.get(kind) ?? 0)
    if (grown > 0) kept.set(kind, (kept.get(kind) ?? 0) + grown)
  }
  return started
}

/** What the runtime of Node-RED keeps for good after its first start in a process. */
const OF_NODE_RED = new Map([['listener of Node-RED for type-registered', 1]])

const MOST_MEGABYTES = Number(process.env['TEST_MEGABYTES'] ?? 1000)
const EACH_MS = 50
const LONGEST_MS = 8000

/** As it was before a test moves it. */
const clock = performance.now.bind(performance)

/** Several files run in one process, one after the other. */
let before = new Map<string, number>()
let began = 0
let cpuBefore = process.cpuUsage()
/** What the current file has started for later ones too. */
const kept = new Map<string, number>()
const stops: Array<() => unknown> = []

/** What has increased since before the file, once closing things have had time to close. */
async function leftOver(): Promise<string[]> {
  for (let waited = 0; ; waited += EACH_MS) {
    const more = [...counts()].flatMap(([kind, count]) => {
      const known = Math.max(before.get(kind) ?? 0, OF_NODE_RED.get(kind) ?? 0)
      const grown = count - known - (kept.get(kind) ?? 0)
      return grown > 0 ? [`${grown} ${kind}`] : []
    })
    if (more.length === 0 || waited > LONGEST_MS) return more
    await new Promise((resolve) => setTimeout(resolve, EACH_MS))
  }
}

function counts(): Map<string, number> {
  const found = new Map<string, number>()
  const add = (kind: string, count = 1): void => {
    found.set(kind, (found.get(kind) ?? 0) + count)
  }
  for (const kind of process.getActiveResourcesInfo()) add(kind)
  for (const [owner, emitter] of emitters()) {
    for (const event of emitter.eventNames()) {
      add(`listener of ${owner} for ${String(event)}`, emitter.listenerCount(event))
    }
  }
  return found
}

function emitters(): Array<[string, EventEmitter]> {
  const loaded = require.cache[require.resolve('@node-red/util')]?.exports as
    { events: EventEmitter } | undefined
  return [
    ['the process', process],
    ...(loaded ? [['Node-RED', loaded.events] as [string, EventEmitter]] : []),
  ]
}

/** For the lists of scripts/mocha.mjs. */
function report(row: { file: string; seconds: number; cpu: number; megabytes: number }): void {
  const path = process.env['TEST_FILES_REPORT']
  if (path) appendFileSync(path, `${JSON.stringify(row)}\n`)
}
