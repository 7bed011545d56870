// What `npm start` does, as a process of its own. Without the control panel, which may have to be
// installed: test/editor/control-panel.test.ts tests that.
import { spawn } from 'node:child_process'
import { request, type RequestOptions } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import jsonata from 'jsonata'
import { startSimulator } from '../../simulator'
import { contentOf, root } from '../support/root'

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

/** The address of the editor, and what a request with its token has. */
function editorIn(output: string): { url: string; headers: Record<string, string> } {
  const [, url, token] = /Editor {5}(\S+)\?access_token=(\S+)/.exec(output)!
  return { url: url!, headers: { authorization: `Bearer ${token!}` } }
}

interface FlowNode {
  id: string
  type: string
  z?: string
  name?: string
  label?: string
  x: number
  y: number
  w: number
  h: number
}

async function flowIn(output: string): Promise<FlowNode[]> {
  const { url, headers } = editorIn(output)
  return (await (await fetch(`${url}flows`, { headers })).json()) as FlowNode[]
}

/** The status of the response; 0 where the connection is closed without one. */
function asked(url: string, options: RequestOptions, body = ''): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(url, options, (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
    sent.on('upgrade', (_response, socket) => {
      socket.destroy()
      resolve(101)
    })
    sent.on('error', () => resolve(0))
    sent.end(body)
  })
}

describe('npm start', function () {
  this.timeout(180_000)

  it('runs every node against the simulator, gives an account, and leaves no session', async () => {
    const { code, output, errors } = await demo(['--once'])
    errors.should.equal('')
    ;(code ?? -1).should.equal(0, output)
    output.should.match(/Devices: 1\n {2}Name .*\n {2}Gateway 1 /)
    output.should.match(/Routes of the first device: 10\n {2}Name .*\n {2}Studio A +\w+ +udp/)
    output.should.match(/Created route "Demo .*Recorder udp 239\.1\.1\.1:6000 and to Monitor/)
    output.should.match(/Updated route "Demo .*Recorder udp 239\.1\.1\.1:6002 and to Monitor/)
    output.should.match(/Stadium North +running +udp .* warn/)
    output.should.match(/Running: 6, with [1-9]\d*\.\d Mbit\/s of sources/)
    output.should.match(/Preset: 10 routes/)
    output.should.match(/Started it: running/)
    output.should.match(/Ensured "stopped": stop, update/)
    output.should.match(/Deleted it: \w/)
    output.should.match(/Reported by the watch: .*route\.added.*route\.changed.*route\.removed/)
    output.should.match(/Asked a failover: Newsroom feed: the route is stopped \(held\)/)
    output.should.match(/Logins: 1 for \d+ requests of 14 nodes/)
    const [fails, toBackup, back, toMain, both, unprotected, bothBack, allClear] = output
      .split('Failover of the route')[1]!
      .match(/^ {2}.+$/gm)!
    fails.should.match(/Main fails now\.$/)
    toBackup!.should.match(/News channel: switched to backup, because the source in use failed/)
    back!.should.match(/Main is back\.$/)
    toMain!.should.match(/News channel: switched to main, because main is good again/)
    both!.should.match(/Main and backup fail now\.$/)
    unprotected!.should.match(/News channel: no protection: neither main nor backup is good$/)
    bothBack!.should.match(/Both are back\.$/)
    allClear!.should.match(
      /News channel: all clear: main is in use and good \(outage: \d+ seconds\)$/,
    )
    output.should.match(/Sessions left open: 0\n$/)
  })

  it('hides the ID of the session, and shows the sentence of an error', async () => {
    const flow = JSON.parse(contentOf('examples/All nodes.json')) as Array<Record<string, unknown>>
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
        const { url: editor, headers } = editorIn(said)
        const simulator = /Simulator {2}(\S+) shows/.exec(said)![1]!
        const flow = await flowIn(said)
        // Another npm start in the same folder, from beginning to end, leaves this one its flow.
        const second = await demo([], {
          signal: 'SIGINT',
          during: async (text) => {
            should((await flowIn(text)).length).equal(flow.length)
          },
        })
        should(second.code).equal(0, second.errors)
        should(await flowIn(said)).eql(flow)
        const tabs = flow.filter(({ type }) => type === 'tab').map(({ label }) => label)
        tabs.should.deepEqual([
          'Start and stop a route',
          'Failover',
          'All nodes',
          'Simulator: failures',
        ])
        const first = flow.find(({ type }) => type === 'comment')!
        first.name!.should.equal('Press "stop". Then open the sidebar "Media gateways": menu, View')
        for (const { id } of flow.filter(({ type }) => type === 'tab')) {
          const groups = flow.filter(({ type, z }) => type === 'group' && z === id)
          groups.sort((one, other) => one.y - other.y)
          // What is set already comes last.
          const own = groups.findIndex(({ name }) => name === 'For your own gateway, set these')
          should(own).be.oneOf(-1, groups.length - 1)
          for (const [place, { name, x, y }] of groups.entries()) {
            const isAbove = (each: FlowNode) => each.y + each.h <= y || each.x + each.w <= x
            should(groups.slice(0, place).every(isAbove)).be.true(name)
          }
        }
        const press = async (label: string): Promise<void> => {
          const { id } = flow.find(({ type, name }) => type === 'inject' && name === label)!
          const pressing = await fetch(`${editor}inject/${id}`, { method: 'POST', headers })
          pressing.status.should.equal(200)
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
        const waiting = async (): Promise<boolean> => {
          const callers = await (await fetch(`${simulator}/simulator/callers`)).text()
          return !callers.includes('Stadium North partners')
        }
        ;(await waiting()).should.be.true()
        for (const [button, expected] of [
          ['another joins', false],
          ['all leave', true],
        ] as const) {
          await press(button)
          for (let tries = 0; (await waiting()) !== expected; tries++) {
            tries.should.be.below(200)
            await pause(50)
          }
        }
      },
    })
    errors.should.equal('')
    pressed.should.match(/^\[\{"place":"239\.\S+:\d+","state":"disconnected"\}\]$/)
    output.should
      .match(/tab "Start and stop a route"/)
      .and.match(/tab "Simulator: failures"/)
      .and.match(/Sidebar {4}menu, View, Media gateways:/)
    ;(code ?? -1).should.equal(0)
  })

  it('gives its editor to no other page, and to nobody without its address', async () => {
    const { code } = await demo([], {
      signal: 'SIGINT',
      during: async (said) => {
        const { url, headers } = editorIn(said)
        const { host, port } = new URL(url)
        const flow = JSON.stringify([{ id: 'a', type: 'tab', label: 'of another page' }])
        const deploy = (more: Record<string, string>): Promise<number> =>
          asked(
            `${url}flows`,
            { method: 'POST', headers: { 'content-type': 'application/json', ...more } },
            flow,
          )
        const read = (more: Record<string, string>): Promise<number> =>
          asked(`${url}flows`, { headers: more })
        const pages: Record<string, string>[] = [
          { origin: 'http://thief.example' },
          { origin: `http://localhost:${Number(port) + 1}` },
          { origin: `https://${host}` },
          { origin: 'null' },
          // An address of this computer behind the name of another page.
          { host: `thief.example:${port}` },
          { host: `thief.example:${port}`, origin: `http://thief.example:${port}` },
        ]
        for (const page of pages) {
          for (const more of [page, { ...page, ...headers }]) {
            ;[await read(more), await deploy(more)].should.eql([403, 403], JSON.stringify(more))
          }
          const preflight = { method: 'OPTIONS', headers: page }
          ;(await asked(`${url}flows`, preflight)).should.equal(403)
        }
        const strangers: typeof pages = [
          {},
          { authorization: 'Bearer x' },
          { origin: `http://${host}` },
        ]
        for (const more of strangers) {
          ;[await read(more), await deploy(more)].should.eql([401, 401])
        }
        const socket = (more: object): Promise<number> =>
          asked(`${url}comms`, {
            headers: {
              connection: 'Upgrade',
              upgrade: 'websocket',
              'sec-websocket-version': '13',
              'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
              ...more,
            },
          })
        ;[await socket({ origin: 'http://thief.example' }), await socket({})].should.eql([0, 101])
        const own = { ...headers, origin: `http://localhost:${port}`, host: `localhost:${port}` }
        ;[await read(headers), await read(own), await deploy(own)].should.eql([200, 200, 204])
      },
    })
    ;(code ?? -1).should.equal(0)
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`stays until ${signal}, and then stops everything`, async function () {
      // Windows knows no signals between processes.
      if (process.platform === 'win32') this.skip()
      const { code, output } = await demo([], { signal })
      output.should.match(/Editor {5}http:\/\/127\.0\.0\.1:\d+\/\?access_token=[\w-]{32}\n/)
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
