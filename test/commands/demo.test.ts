// What `npm start` does, as a process of its own. Without the control panel, which may have to be
// installed: test/editor/control-panel.test.ts tests that.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import jsonata from 'jsonata'
import should from 'should'
import { startSimulator } from '../../simulator'
import { root } from '../support/root'

const ACCESS = ['GATEWAY_URL', 'GATEWAY_USERNAME', 'GATEWAY_PASSWORD', 'GATEWAY_FINGERPRINT']

interface Failing {
  failures: { lines: unknown[] }
}

interface Ended {
  code: number | null
  output: string
  errors: string
}

/** Runs the demo; with `signal` it gets that as soon as it says where the editor is. */
function demo(
  args: string[],
  {
    environment = {},
    signal,
    during = async () => {},
  }: {
    environment?: object
    signal?: NodeJS.Signals
    /** Done before the signal. */
    during?: (output: string) => Promise<void>
  } = {},
): Promise<Ended> {
  const without = Object.fromEntries(ACCESS.map((name) => [name, undefined]))
  const child = spawn(process.execPath, ['scripts/start.mjs', ...args], {
    cwd: root,
    env: {
      ...process.env,
      ...without,
      npm_lifecycle_event: '',
      PORT: '0',
      DASHBOARD: 'none',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    let output = ''
    let errors = ''
    let isOver = false
    child.stdout.on('data', (chunk) => {
      output += String(chunk)
      if (!signal || isOver || !output.includes('Ctrl-C')) return
      isOver = true
      during(output).then(
        () => child.kill(signal),
        (error: Error) => {
          child.kill('SIGKILL')
          reject(error)
        },
      )
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
    output.should.match(/Routes of the first device: 10\n {2}Name .*\n {2}Studio A +\w+ +udp/)
    output.should.match(/Created route "Demo .*Recorder udp 239\.1\.1\.1:6000 and to Monitor/)
    output.should.match(/Updated route "Demo .*Recorder udp 239\.1\.1\.1:6002 and to Monitor/)
    output.should.match(/Running: 6, with [1-9]\d*\.\d Mbit\/s of sources/)
    output.should.match(/Preset: 10 routes/)
    output.should.match(/Started it: running/)
    output.should.match(/Ensured "stopped": stop, update/)
    output.should.match(/Deleted it: \w/)
    output.should.match(/Reported by the watch: .*route\.added.*route\.changed.*route\.removed/)
    output.should.match(/Dry run of a failover: Newsroom feed: .*stopped/)
    output.should.match(/Logins: 1 for \d+ requests of 14 nodes/)
    const [fails, toBackup, back, toMain] = output
      .split('Failover of the route')[1]!
      .match(/^ {2}.+$/gm)!
    fails.should.match(/Main fails now\.$/)
    toBackup!.should.match(/News channel: switched to backup, because the source in use failed/)
    back!.should.match(/Main is back\.$/)
    toMain!.should.match(/News channel: switched to main, because main is good again/)
    output.should.match(/Sessions left open: 0\n$/)
  })

  it('hides the ID of the session, and shows the sentence of an error', async () => {
    const flow = JSON.parse(readFileSync(join(root, 'examples/All nodes.json'), 'utf8')) as Array<
      Record<string, unknown>
    >
    const debug = (label: string) =>
      flow.find(({ type, name }) => type === 'debug' && name === label)!
    const shownBy = (label: string, message: object): Promise<unknown> => {
      const { complete, targetType } = debug(label)
      String(targetType).should.equal('jsonata')
      return jsonata(String(complete)).evaluate(message) as Promise<unknown>
    }
    const error = { message: 'It failed.', cause: { gateway: { name: 'Oslo' } } }
    should(await shownBy('error', { error })).equal('Oslo: It failed.')
    should(await shownBy('error', { error: { message: 'It failed.' } })).equal('It failed.')
    const payload = { sessionID: 'secret', displayName: 'Administrator', roles: ['a'] }
    const shown = await shownBy('session', { payload })
    JSON.stringify(shown).should.equal('{"displayName":"Administrator","roles":["a"]}')
  })

  it('has buttons that make something of the simulator fail, and restore it', async () => {
    let pressed = ''
    const { output, errors, code } = await demo([], {
      signal: 'SIGINT',
      during: async (said) => {
        const editor = /Editor {5}(\S+)/.exec(said)![1]!
        const simulator = /Simulator {2}(\S+)\/simulator/.exec(said)![1]!
        const flow = (await (await fetch(`${editor}flows`)).json()) as Array<{
          id: string
          type: string
          name?: string
          label?: string
        }>
        const tabs = flow.filter(({ type }) => type === 'tab').map(({ label }) => label)
        tabs.should.deepEqual([
          'Start and stop a route',
          'Failover',
          'All nodes',
          'Simulator: failures',
        ])
        const press = async (label: string): Promise<void> => {
          const { id } = flow.find(({ type, name }) => type === 'inject' && name === label)!
          ;(await fetch(`${editor}inject/${id}`, { method: 'POST' })).status.should.equal(200)
        }
        const lines = async (): Promise<unknown[]> =>
          ((await (await fetch(`${simulator}/simulator`)).json()) as Failing).failures.lines
        const until = async (count: number): Promise<void> => {
          for (let tries = 0; (await lines()).length !== count; tries++) {
            tries.should.be.below(200)
            await pause(50)
          }
        }
        await press('source fails')
        await until(1)
        pressed = JSON.stringify(await lines())
        await press('everything is back')
        await until(0)
      },
    })
    errors.should.equal('')
    pressed.should.match(/^\[\{"place":"239\.\S+:\d+","state":"disconnected"\}\]$/)
    output.should.match(/tab "Start and stop a route"/).and.match(/tab "Simulator: failures"/)
    ;(code ?? -1).should.equal(0)
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
    it(`only reads a gateway that the environment names, as ${username}, and logs out`, () =>
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
    output.should.not.match(/Failover/)
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
      'a gateway that is not there',
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
