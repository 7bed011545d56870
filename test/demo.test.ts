// What `npm start` does, as a process of its own.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import 'should'
import { startSimulator } from '../simulator'

const root = join(__dirname, '../..')
const ACCESS = ['GATEWAY_URL', 'GATEWAY_USERNAME', 'GATEWAY_PASSWORD', 'GATEWAY_FINGERPRINT']

interface Ended {
  code: number | null
  output: string
  errors: string
}

/** Runs the demo; with `signal` it gets that as soon as it says where the editor is. */
function demo(
  args: string[],
  { environment = {}, signal }: { environment?: object; signal?: NodeJS.Signals } = {},
): Promise<Ended> {
  const without = Object.fromEntries(ACCESS.map((name) => [name, undefined]))
  const child = spawn(process.execPath, ['scripts/start.mjs', ...args], {
    cwd: root,
    env: { ...process.env, ...without, npm_lifecycle_event: '', PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk) => {
      output += String(chunk)
      if (signal && output.includes('Ctrl-C')) child.kill(signal)
    })
    child.stderr.on('data', (chunk) => (errors += String(chunk)))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output, errors }))
  })
}

describe('npm start', function () {
  this.timeout(90_000)

  it('runs every node against the simulator, gives an account, and leaves no session', async () => {
    const { code, output, errors } = await demo(['--once'])
    errors.should.equal('')
    ;(code ?? -1).should.equal(0, output)
    output.should.match(/Devices: 1\n {2}Name .*\n {2}Gateway 1 /)
    output.should.match(/Routes of the first device: 8\n {2}Name .*\n {2}Studio A +\w+ +udp/)
    output.should.match(/Created route "Demo .*Recorder udp 239\.1\.1\.1:6000 and to Monitor/)
    output.should.match(/Updated route "Demo .*Recorder udp 239\.1\.1\.1:6002 and to Monitor/)
    output.should.match(/Running: 4, with [1-9]\d*\.\d Mbit\/s of sources/)
    output.should.match(/Preset: 8 routes/)
    output.should.match(/Started it: running/)
    output.should.match(/Ensured "stopped": stop, update/)
    output.should.match(/Deleted it: \w/)
    output.should.match(/Seen by the watch: .*route\.added.*route\.changed.*route\.removed/)
    output.should.match(/Logins: 1 for \d+ calls of 13 nodes/)
    output.should.match(/Sessions left open: 0\n$/)
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`stays until ${signal}, and then stops everything`, async function () {
      // Windows knows no signals between processes.
      if (process.platform === 'win32') this.skip()
      const { code, output } = await demo([], { signal })
      output.should.match(/Editor {5}http:\/\/127\.0\.0\.1:\d+\//)
      output.should.match(/Sessions left open: 0\n$/)
      ;(code ?? -1).should.equal(0)
    })
  }

  for (const [username, password, preset] of [
    ['haiadmin', 'manager', /Preset: 8 routes/],
    ['operator', 'supervisor', /Preset: only for an Administrator/],
    ['user', 'public', /Preset: only for an Administrator/],
  ] as const) {
    it(`only reads an appliance that the environment names, as ${username}, and logs out`, () =>
      onlyReads(username, password, preset))
  }

  async function onlyReads(username: string, password: string, preset: RegExp): Promise<void> {
    const simulator = await startSimulator({ https: true })
    const { url, fingerprint } = simulator
    const { code, output, errors } = await demo(['--once'], {
      environment: {
        GATEWAY_URL: url,
        GATEWAY_USERNAME: username,
        GATEWAY_PASSWORD: password,
        GATEWAY_FINGERPRINT: fingerprint,
      },
    })
    await simulator.stop()
    errors.should.equal('')
    ;(code ?? -1).should.equal(0, output)
    output.should
      .match(/Studio A/)
      .and.match(preset)
      .and.match(/Nothing was changed/)
    simulator.journal
      .filter(({ method, path }) => method !== 'GET' && path !== '/api/session')
      .should.deepEqual([])
    simulator.logins.should.equal(1)
    simulator.openSessions.should.equal(0)
  }

  for (const [what, environment, sentence] of [
    ['half of the access', { GATEWAY_URL: 'http://127.0.0.1:1' }, /missing: GATEWAY_USERNAME/],
    ['a wrong port', { PORT: 'x' }, /PORT is the port of the editor/],
    [
      'an appliance that is not there',
      { GATEWAY_URL: 'http://127.0.0.1:1', GATEWAY_USERNAME: 'a', GATEWAY_PASSWORD: 'b' },
      /refused the connection/,
    ],
  ] as const) {
    it(`ends with one sentence and code 1: ${what}`, async () => {
      const { code, errors } = await demo(['--once'], { environment })
      errors.should.match(sentence).and.match(/^[^\n]+\n$/)
      ;(code ?? -1).should.equal(1)
    })
  }
})
