// What runs in a job: a Node-RED and the simulator, both from the installed package.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as pause } from 'node:timers/promises'

const HERE = dirname(fileURLToPath(import.meta.url))
const STOP_WITHIN_MS = 20_000

const running = new Set()
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')))

/** A process that says where it listens; ended by SIGTERM. */
class Listening {
  output = ''
  url = ''
  #child

  async start(binary, args, env, says) {
    const { NODE_V8_COVERAGE: _, ...rest } = process.env
    const child = spawn(binary, args, {
      env: { ...rest, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    running.add(child)
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(String(error)))
      child.once('close', (code, signal) => resolve(code ?? signal))
    })
    void this.ended.then(() => running.delete(child))
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => (this.output += chunk))
    }
    const over = this.ended.then((code) => {
      throw new Error(`It ended with ${code} instead of starting:\n${this.output.trim()}`)
    })
    const begun = until(() => (this.url = says.exec(this.output)?.[1]), 'the start', 60_000)
    await Promise.race([begun, over])
  }

  /** Answers its exit code. */
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

  /** One call on a connection of its own, which is closed after it: none is left to be counted. */
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
          else reject(new Error(`${method} ${path} was answered with ${answer.statusCode}.`))
        })
      })
      asked.end(text)
    })
  }

  async get(path) {
    return JSON.parse(await this.call('GET', path))
  }
}

export class Simulator extends Listening {
  async start(binary, installed) {
    const command = join(installed, 'dist/simulator/command.js')
    await super.start(binary, [command, '--port', '0', '--quiet'], {}, / is at (http\S+)/)
  }

  /** Its open sessions, connections but the one of this question, and logins. */
  async state() {
    const { openSessions, openSockets, logins, pending } = await this.get('simulator')
    return { sessions: openSessions, connections: openSockets - 1, logins, pending }
  }
}

export class NodeRed extends Listening {
  async start(binary, folder, userDir) {
    const settings = {
      uiHost: '127.0.0.1',
      uiPort: 0,
      nodesDir: HERE,
      credentialSecret: 'matrix',
      telemetry: { enabled: false, updateNotification: false },
      editorTheme: { tours: false },
    }
    writeFileSync(join(userDir, 'settings.js'), `module.exports = ${JSON.stringify(settings)}`)
    const env = { PRESET_BACKUP_FOLDER: join(userDir, 'backups') }
    const args = [join(folder, 'red.js'), '--userDir', userDir]
    await super.start(binary, args, env, /now running at (http\S+)/)
  }

  /** What the observer has seen since it was last asked to forget. */
  observed() {
    return this.get('observer')
  }

  forget() {
    return this.call('DELETE', 'observer')
  }

  /** Deploys, and waits until the flow runs. */
  async deploy(flow, kind = 'full') {
    const { starts } = await this.observed()
    const headers = { 'Node-RED-Deployment-Type': kind }
    await this.call('POST', 'flows', { body: flow, headers })
    await until(async () => (await this.observed()).starts > starts, 'the start of the flow')
  }

  /** Presses the button of an inject node. */
  press({ id }) {
    return this.call('POST', `inject/${id}`, { body: {} })
  }
}

/** Waits until a question is answered with something that is true, and answers that. */
export async function until(question, what, ms = 30_000) {
  const deadline = Date.now() + ms
  for (;;) {
    const answer = await question()
    if (answer) return answer
    if (Date.now() > deadline) {
      throw new Error(`${typeof what === 'function' ? what() : what} did not come in time.`)
    }
    await pause(25)
  }
}
