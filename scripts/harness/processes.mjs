// Processes that a script starts, talks to and stops.
import { fork, spawn } from 'node:child_process'
import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { callsTo } from './calls.cjs'
import { atEnd } from './end.mjs'

const START_WITHIN_MS = 60_000
const STOP_WITHIN_MS = 20_000

const running = new Set()
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')))

/** Starts a module that handles calls, in its own process. */
export function startProcess(url) {
  const child = watched(fork(url, { execArgv: [] }))
  const stop = async () => {
    child.kill('SIGKILL')
    await child.ended
  }
  atEnd(stop)
  return { ask: callsTo(child), stop }
}

/** A process that prints where it listens, and ends on SIGTERM. */
export class Listening {
  output = ''
  url = ''
  #child

  /** `says` returns the address from the output of the process, once it is there. */
  async start(binary, args, { says, env = {}, isAsked = false }) {
    const { NODE_V8_COVERAGE: _, ...rest } = process.env
    const child = watched(
      spawn(binary, args, {
        env: { ...rest, ...env },
        stdio: ['ignore', 'pipe', 'pipe', ...(isAsked ? ['ipc'] : [])],
      }),
    )
    this.#child = child
    if (isAsked) this.ask = callsTo(child)
    atEnd(() => this.stop())
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => (this.output += chunk))
    }
    const over = child.ended.then((code) => {
      throw new Error(`It ended with ${code} instead of starting:\n${this.output.trim()}`)
    })
    const begun = until(() => (this.url = says(this.output)), 'The start', START_WITHIN_MS)
    await Promise.race([begun, over])
  }

  /** Resolves with the exit code, the signal or the start error; at once if never started. */
  get ended() {
    return this.#child?.ended ?? Promise.resolve()
  }

  /** Sends SIGTERM, and returns what `ended` resolves with. */
  async stop() {
    this.#child?.kill('SIGTERM')
    const late = pause(STOP_WITHIN_MS, 'late', { ref: false })
    const code = await Promise.race([this.ended, late])
    if (code !== 'late') return code
    this.kill()
    throw new Error('SIGTERM did not end it in time.')
  }

  kill() {
    this.#child?.kill('SIGKILL')
  }

  /** Makes one call on its own connection, closed afterwards: none is left to be counted. */
  call(method, path, { body, headers = {} } = {}) {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body)
      const asked = request(new URL(path, this.url), {
        method,
        agent: false,
        headers: {
          accept: 'application/json',
          ...(text && { 'content-type': 'application/json' }),
          ...headers,
        },
      })
      asked.on('error', reject)
      asked.on('response', (answer) => {
        let received = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk) => (received += chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          if (answer.statusCode < 300) resolve(received)
          else reject(new Error(`${method} ${path} returned ${answer.statusCode}: ${received}`))
        })
      })
      asked.end(text)
    })
  }

  async get(path) {
    return JSON.parse(await this.call('GET', path))
  }
}

function watched(child) {
  running.add(child)
  child.ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(String(error)))
    child.once('close', (code, signal) => resolve(code ?? signal))
  })
  void child.ended.then(() => running.delete(child))
  return child
}

/** Waits until `question` returns a truthy value, and returns it. */
export async function until(question, what, within = 30_000) {
  for (const deadline = Date.now() + within; ; await pause(25)) {
    const answer = await question()
    if (answer) return answer
    if (Date.now() > deadline) {
      throw new Error(`${typeof what === 'function' ? what() : what} did not come in time.`)
    }
  }
}
