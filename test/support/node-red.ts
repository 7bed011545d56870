// A separate Node-RED, with this package linked in.
//   NODE_RED       the folder of a Node-RED other than that of this package
//   NODE_RED_NODE  the Node.js that runs it
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packageName, root } from './root'

const { hashSync } = require('bcryptjs') as { hashSync: (text: string, rounds: number) => string }

const nodeRed = process.env['NODE_RED'] ?? join(root, 'node_modules/node-red')

const { version } = JSON.parse(readFileSync(join(nodeRed, 'package.json'), 'utf8')) as {
  version: string
}
/** Node-RED 5 has a dark theme of its own, chosen when the editor loads. */
export const hasDarkTheme = Number(version.split('.')[0]) >= 5

/** What it prints in English or German once it listens, and once the nodes of its flows run. */
const LISTENS = /Server (?:now running at|wird jetzt auf) http\S*:(\d+)/
const RUNS = /Started flows|Flows sind gestartet/

const LONGEST_START_MS = 90_000
/** Node-RED itself gives its nodes 15 s to close. */
const LONGEST_STOP_MS = 20_000

export type Properties = Record<string, unknown>

/** The settings of a Node-RED with these users and their permissions; the password of all is `secret`. */
export const usersOf = (permissions: Record<string, string | string[]>): Properties => ({
  adminAuth: {
    type: 'credentials',
    users: Object.entries(permissions).map(([username, allowed]) => ({
      username,
      password: hashSync('secret', 4),
      permissions: allowed,
    })),
  },
})

export class NodeRed {
  /** With a slash at its end. */
  url = ''
  /** What it has printed. */
  output = ''
  private server: ChildProcess | undefined
  private env: NodeJS.ProcessEnv = {}
  /** The folder with its flows, credentials and context. */
  userDir = ''
  /** The packages that it finds, by name, and their folders. */
  readonly packages: Record<string, string> = { [packageName]: root }

  /** Starts it on a free port; `settings` go into its settings.js, `env` into its environment. */
  async start(settings: Properties, env: NodeJS.ProcessEnv = {}): Promise<void> {
    this.userDir = mkdtempSync(join(tmpdir(), 'media-gateway-editor-'))
    for (const [name, folder] of Object.entries(this.packages)) {
      const link = join(this.userDir, 'node_modules', name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(folder, link, 'junction')
    }
    writeFileSync(join(this.userDir, 'package.json'), '{"name":"editor-test","private":true}')
    // Node-RED 5 shows its tips a second after it has read this, whether or not their place is
    // there yet: if the editor takes longer to start, that is an error in the page.
    const view = { 'view-show-tips': false }
    writeFileSync(
      join(this.userDir, '.config.users.json'),
      JSON.stringify({ _: { editor: { view } } }),
    )
    writeFileSync(
      join(this.userDir, 'settings.js'),
      `module.exports = ${JSON.stringify({
        uiHost: '127.0.0.1',
        uiPort: 0,
        credentialSecret: 'test',
        telemetry: { enabled: false, updateNotification: false },
        // No flow here has them, and they take a tenth of the time of a start.
        nodesExcludes: ['22-websocket.js', '70-HTML.js', '70-XML.js'],
        editorTheme: {
          tours: false,
          palette: { catalogues: [] },
          // No form here edits code, and this editor loads at once.
          codeEditor: { lib: 'ace' },
          header: { title: 'media gateway' },
        },
        ...settings,
      })}`,
    )
    await this.run(env)
  }

  /** Kills it, and starts it again with what it has on disk, on another port. */
  async crash(): Promise<void> {
    const { server } = this
    const ended = new Promise((resolve) => server!.once('exit', resolve))
    server!.kill('SIGKILL')
    await ended
    process.off('exit', this.kill)
    this.output = ''
    await this.run(this.env)
  }

  private async run(env: NodeJS.ProcessEnv): Promise<void> {
    this.env = env
    const server = spawn(
      process.env['NODE_RED_NODE'] ?? process.execPath,
      [join(nodeRed, 'red.js'), '--userDir', this.userDir],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } },
    )
    this.server = server
    process.once('exit', this.kill)
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (chunk) => (this.output += String(chunk)))
    }
    // It listens before its flows run, and what is printed of them would count for the next deploy.
    await this.says(() => LISTENS.test(this.output) && RUNS.test(this.output), 'start')
    this.url = `http://127.0.0.1:${LISTENS.exec(this.output)![1]}/`
  }

  private async says(met: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + LONGEST_START_MS
    while (!met()) {
      if (this.server!.exitCode !== null || Date.now() > deadline) {
        throw new Error(`Node-RED did not ${what}:\n${this.output}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  /** Deploys a flow in full, and waits until its nodes run. A node may carry `credentials`. */
  async deploy(flow: Properties[], token?: string): Promise<void> {
    const from = this.output.length
    const answer = await fetch(`${this.url}flows`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(flow),
    })
    if (!answer.ok) {
      throw new Error(`the flow was not deployed: ${answer.status} ${await answer.text()}`)
    }
    await this.says(() => RUNS.test(this.output.slice(from)), 'start the flow')
  }

  /** What one of its users sends as a sign of having logged in. */
  async token(username: string): Promise<string> {
    const login = { client_id: 'node-red-admin', grant_type: 'password', scope: '' }
    const answer = await fetch(`${this.url}auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...login, username, password: 'secret' }),
    })
    return ((await answer.json()) as { access_token: string }).access_token
  }

  /** For a process that exits without stopping its Node-RED. */
  private readonly kill = (): void => {
    this.server?.kill('SIGKILL')
    if (this.userDir) rmSync(this.userDir, { recursive: true, force: true })
  }

  async stop(): Promise<void> {
    const { server } = this
    process.off('exit', this.kill)
    if (server && server.exitCode === null && server.signalCode === null) {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGTERM')
      // One that is busy without end never reads the signal.
      const late = setTimeout(() => server.kill('SIGKILL'), LONGEST_STOP_MS)
      await ended
      clearTimeout(late)
    }
    if (this.userDir) rmSync(this.userDir, { recursive: true, force: true })
  }
}

/** The environment of a Node-RED whose clock runs `times` times as fast. */
export const hurried = (times: number): NodeJS.ProcessEnv => ({
  HURRY: String(times),
  NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require ${JSON.stringify(join(__dirname, 'hurry.js'))}`,
})
