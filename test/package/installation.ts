// A user directory with the package in it, packed and installed as a user gets it, and its Node-RED.
//   NODE_RED       the folder of another Node-RED than the one of this package
//   NODE_RED_NODE  the Node.js that runs it
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../support/root'
import { until } from '../support/until'

/** As it says it in English and German. */
const RUNS = /Started flows|Flows sind gestartet/

const nodeRed = process.env['NODE_RED'] ?? join(root, 'node_modules/node-red')
// The installed copy is none of the code whose coverage is measured.
export const env = { ...process.env, NODE_V8_COVERAGE: undefined }
export const windows = process.platform === 'win32'

export class Installation {
  readonly home = mkdtempSync(join(tmpdir(), 'media-gateway-package-'))
  readonly userDir = join(this.home, 'user')
  /** Where the package is installed. */
  readonly folder: string
  /** The paths of its files. */
  packed: string[] = []
  /** Of the editor, with a slash at its end. */
  url = ''
  private server: ChildProcess | undefined
  private output = ''

  constructor(name: string) {
    this.folder = join(this.userDir, 'node_modules', name)
  }

  /** Packs a project, and installs what is packed. */
  install(project: string, ...options: string[]): void {
    const [report] = JSON.parse(
      npm(project, 'pack', '--json', '--pack-destination', this.home, ...options),
    ) as Array<{ filename: string; files: Array<{ path: string }> }>
    this.packed = report!.files.map(({ path }) => path)
    mkdirSync(this.userDir)
    writeFileSync(join(this.userDir, 'package.json'), '{"name":"user","private":true}')
    npm(
      this.userDir,
      'install',
      '--engine-strict',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      join(this.home, report!.filename),
    )
  }

  async startNodeRed(): Promise<void> {
    const settings = {
      uiHost: '127.0.0.1',
      uiPort: 0,
      credentialSecret: 'test',
      telemetry: { enabled: false, updateNotification: false },
      editorTheme: { tours: false },
    }
    writeFileSync(join(this.userDir, 'settings.js'), `module.exports = ${JSON.stringify(settings)}`)
    const server = spawn(
      process.env['NODE_RED_NODE'] ?? process.execPath,
      [join(nodeRed, 'red.js'), '--userDir', this.userDir],
      { env, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    this.server = server
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (chunk) => (this.output += String(chunk)))
    }
    await this.says(/now running at (http\S+)/, 'the start of Node-RED')
    this.url = /now running at (http\S+)/.exec(this.output)![1]!
    // What it says of its first flows would count for the next deploy.
    await this.says(RUNS, 'the start of its flows')
  }

  /** Deploys flows in full, and waits until they run: the answer comes before. */
  async deploy(flow: object[]): Promise<void> {
    const from = this.output.length
    const answer = await fetch(`${this.url}flows`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'Node-RED-Deployment-Type': 'full' },
      body: JSON.stringify(flow),
    })
    await answer.text()
    answer.status.should.equal(204)
    await this.says(RUNS, 'the start of the flows', from)
  }

  private async says(words: RegExp, what: string, from = 0): Promise<void> {
    const said = (): boolean => {
      if (this.server!.exitCode !== null) throw new Error(`Node-RED ended:\n${this.output}`)
      return words.test(this.output.slice(from))
    }
    await until(said, what, 60_000)
  }

  /** What the admin API returns. */
  async text(path: string, accept = 'application/json'): Promise<string> {
    const answer = await fetch(this.url + path, { headers: { accept } })
    answer.status.should.equal(200, path)
    return answer.text()
  }

  async remove(): Promise<void> {
    if (this.server && this.server.exitCode === null) {
      this.server.kill('SIGTERM')
      await once(this.server, 'exit')
    }
    rmSync(this.home, { recursive: true, force: true })
  }
}

function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, env, shell: windows, encoding: 'utf8', stdio: 'pipe' })
}
