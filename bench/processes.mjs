// What the benchmarks have in common: a Node-RED of its own, and the end of all that was started.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { packageName, root } from '../scripts/ready.mjs'
import { callsTo } from './calls.cjs'

const START_WITHIN_MS = 60_000
const STOP_WITHIN_MS = 30_000
/** Characters at the end of the log of a Node-RED that has ended by itself. */
const LOG_SHOWN = 4000

const require = createRequire(import.meta.url)
/** Ends what was started, the last first. */
const started = []

/** A process of the benchmark; answers the function that calls it. */
export function startProcess(url) {
  const child = fork(url)
  started.push(() => gone(child, 'SIGKILL'))
  return callsTo(child)
}

/**
 * A headless Node-RED with this package and nothing deployed. `probe` is the path of a module that
 * runs in it: its functions are called with `ask`, and what it exports is `name` for the flow.
 */
export async function startNodeRed({ name, probe }) {
  const userDir = userDirectory(name, probe)
  const child = spawn(
    process.execPath,
    ['--expose-gc', require.resolve('node-red/red.js'), '--userDir', userDir],
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  )
  started.push(() => gone(child, 'SIGTERM'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (output += chunk))
  }
  child.on('exit', (code) => {
    if (!ending && code !== 0 && !child.killed) console.error(output.slice(-LOG_SHOWN))
  })
  const ask = callsTo(child)
  const url = await until(
    () => {
      if (child.exitCode !== null) throw new Error(`Node-RED did not start:\n${output}`)
      return /Started flows/.test(output) && /now running at (http\S+)/.exec(output)?.[1]
    },
    { within: START_WITHIN_MS, what: 'The start of Node-RED' },
  )
  return {
    ask,
    output: () => output,
    /** `type` is that of the deploy button: full, flows, nodes, or reload. */
    async deploy(flows, type = 'full') {
      const answer = await fetch(new URL('flows', url), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'Node-RED-API-Version': 'v2',
          'Node-RED-Deployment-Type': type,
        },
        body: JSON.stringify({ flows }),
      })
      if (!answer.ok) throw new Error(`Node-RED did not take the flow: ${await answer.text()}`)
    },
    stop: () => gone(child, 'SIGTERM'),
  }
}

function userDirectory(name, probe) {
  const userDir = mkdtempSync(join(tmpdir(), 'media-gateway-bench-'))
  started.push(() => rmSync(userDir, { recursive: true, force: true }))
  const link = join(userDir, 'node_modules', packageName)
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(root, link, 'junction')
  const settings = {
    uiHost: '127.0.0.1',
    uiPort: 0,
    disableEditor: true,
    credentialSecret: 'bench',
    telemetry: { enabled: false, updateNotification: false },
  }
  const context = `{ ${name}: require(${JSON.stringify(probe)}) }`
  writeFileSync(
    join(userDir, 'settings.js'),
    `module.exports = { ...${JSON.stringify(settings)}, functionGlobalContext: ${context} }`,
  )
  return userDir
}

/** Waits for what is found; answers that. */
export async function until(found, { within, what }) {
  for (const deadline = Date.now() + within; Date.now() < deadline; await pause(50)) {
    const result = await found()
    if (result) return result
  }
  throw new Error(`${what} did not come in time.`)
}

/** Runs a benchmark, which answers its exit code, and ends all that it has started, whatever ends it. */
export function runBenchmark(main) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end(1))
  endWithNpm()
  main().then(end, (error) => {
    if (!ending) console.error(error instanceof Error ? error.message : String(error))
    return end(1)
  })
}

/** npm hands a signal to its shell, which ends without telling us: then we have another parent. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  setInterval(() => process.ppid === parent || void end(1), 500).unref()
}

let ending

function end(code) {
  ending ??= (async () => {
    for (const stop of started.splice(0).reverse()) await stop()
    process.exit(code)
  })()
  return ending
}

async function gone(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
  await exited
  clearTimeout(timer)
}
