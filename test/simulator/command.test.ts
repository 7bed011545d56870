import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { isForeground } from '../../simulator/terminal'
import { afterThisTest } from '../support/hooks'
import { root } from '../support/root'
import { until } from '../support/until'
import { call } from './support'

describe('simulator', () => {
  describe('command', () => {
    function run(...args: string[]) {
      const child = spawn(process.execPath, [join(root, 'dist/simulator/command.js'), ...args])
      afterThisTest(() => child.kill('SIGKILL'))
      const output = { out: '', err: '' }
      child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()))
      child.stderr.on('data', (chunk: Buffer) => (output.err += chunk.toString()))
      const ended = once(child, 'close').then(([code]) => ({ code: Number(code), ...output }))
      return { child, output, ended }
    }

    it('explains itself', async () => {
      const { code, out, err } = await run('--help').ended
      code.should.equal(0)
      for (const word of [
        '--port',
        '--fault',
        'hang-after',
        'expiredStatus',
        '/simulator/faults',
        '--fail',
        '/simulator/routes/NAME',
        '--callers',
        '/simulator/callers/ROUTE',
        '--dialect field',
        '--life',
        '--from FILE',
      ]) {
        out.should.containEql(word)
      }
      err.should.equal('')
    })

    it('reads what is typed only in the foreground: in the background the system would stop it', () => {
      isForeground('42 (node) S 7 42 7 34816 42 4194304 1').should.be.true()
      isForeground('42 (node) S 7 42 7 34816 7 4194304 1').should.be.false()
      isForeground('42 (a) b (c) S 7 42 7 34816 7 4194304 1').should.be.false()
    })

    it('refuses bad arguments with a sentence and code 2', async () => {
      const wrong: Array<[string[], RegExp]> = [
        [['--nonsense'], /^Unknown option '--nonsense'\n--help/],
        [['--port', '70000'], /--port takes a whole number from 0 to 65535, not "70000"/],
        [['--routes', 'many'], /--routes/],
        [['--fault', 'nonsense'], /kind/],
        [['--fault', 'hang:GET:?'], /"\?" in "hang:GET:\?" is not a method/],
        [['--fail', 'nonsense', '--port', '0'], /--fail: "nonsense" is not WHAT=STATE/],
        [['--fail', 'Nowhere=ok', '--port', '0'], /--fail: The simulator has no route Nowhere/],
        [['--fail', 'Studio A=broken', '--port', '0'], /--fail: A line is ok, disconnected/],
        [['--fail', 'device=broken', '--port', '0'], /--fail: A device is ok, offline, away/],
        [
          ['--callers', 'Studio A=1', '--port', '0'],
          /--callers: "Studio A=1" is not ROUTE\/DESTINA/,
        ],
        [['--callers', 'Studio A/Nothing=1', '--port', '0'], /--callers: .* no SRT listener No/],
        [['--callers', 'Studio A/Studio A out', '--port', '0'], /--callers: .* is not ROUTE/],
        [['--life', 'long'], /--life takes a whole number/],
        [['--dialect', 'cookie=sweet'], /standard or secure or none/],
        [['--dialect', 'nonsense=1'], /no dialect "nonsense"/],
        [
          ['--from', 'a.json', '--devices', '2', '--dialect', 'field'],
          /--from brings .* leave out --devices, --dialect field\./,
        ],
        [['--from', 'nowhere.json'], /nowhere\.json does not exist\./],
        [['--from', 'package.json'], /package\.json: format is missing/],
        [['extra'], /extra/],
      ]
      const results = await Promise.all(wrong.map(([args]) => run(...args).ended))
      results.forEach(({ code, out, err }, place) => {
        code.should.equal(2)
        out.should.equal('')
        err.should.match(wrong[place]?.[1] ?? /^$/)
        err.should.not.match(/\n {4}at /)
      })
    })

    it('tells when its port is in use, with code 1', async () => {
      const taken = createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
      const address = taken.address()
      const port = typeof address === 'object' ? address?.port : undefined
      const { code, err } = await run('--port', String(port)).ended
      taken.close()
      code.should.equal(1)
      err.should.match(new RegExp(`^Port ${port} of 127.0.0.1 is in use\\.`))
      err.should.not.match(/\n {4}at /)
    })

    it('runs as told, shows each call, and stops on a signal with code 0', async () => {
      for (const [signal, quiet] of [
        ['SIGTERM', false],
        ['SIGINT', true],
      ] as const) {
        const { child, output, ended } = run(
          ...`--port 0 --routes 3 --user chief --password invented ${quiet ? '--quiet' : ''}`
            .trim()
            .split(' '),
          '--fault=status=503:GET:/api/devices:1',
          '--dialect=cookie=none',
        )
        await until(() => output.out.includes('Ctrl-C'), 'the command to start')
        output.out.should.match(/user chief, password invented/)
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output.out)?.[0] ?? ''
        const account = { username: 'chief', password: 'invented' }
        const login = await call(url, 'POST', '/api/session', { body: account })
        should(login.headers['set-cookie']).be.undefined()
        const cookie = `sessionID=${login.json.response.sessionID}`
        ;(await call(url, 'GET', '/api/devices', { cookie })).status.should.equal(503)
        ;(await call(url, 'GET', '/api/devices', { cookie })).status.should.equal(200)
        const agent = new Agent({ keepAlive: true })
        ;(await call(url, 'GET', '/simulator', { agent })).json.calls.should.equal(3)
        child.kill(signal)
        const { code, out, err } = await ended
        agent.destroy()
        code.should.equal(0)
        err.should.equal('')
        out.includes('GET /api/devices 503 (fault status)').should.equal(!quiet)
        out.includes('GET /api/devices 200 (chief)').should.equal(!quiet)
      }
    })

    it('fails what it is told, at the start and while it runs', async () => {
      const { child, output, ended } = run(
        '--port=0',
        '--quiet',
        '--fail=Studio A=loss=5,rtt=400',
        '--fail=@192.0.2.7:5000=no-data',
        '--fail=device=offline',
      )
      await until(() => output.out.includes('Ctrl-C'), 'the command to start')
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output.out)?.[0] ?? ''
      const failures = async () => (await call(url, 'GET', '/simulator')).json.failures
      const { device, lines } = await failures()
      should(device).equal('offline')
      lines.should.match([
        { place: /^239\.\S+:\d+$/, loss: 5, rtt: 400 },
        { place: '192.0.2.7:5000', data: false },
      ])
      const type = async (line: string, done: string) => {
        child.stdin.write(`${line}\n`)
        await until(() => (output.out + output.err).includes(done), done)
      }
      await type('restore Studio A', 'Done: restore Studio A')
      ;(await failures()).lines.length.should.equal(1)
      await type('fail Studio A/Studio A out=disconnected', 'Done: fail Studio A/')
      ;(await failures()).lines[1].state.should.equal('disconnected')
      await type('fail Nowhere=ok', 'no route Nowhere')
      await type('dance', 'fail WHAT=STATE')
      await type('restore', 'Done: restore\n')
      should(await failures()).eql({ device: 'ok', lines: [] })
      child.stdin.end()
      child.kill('SIGTERM')
      ;(await ended).code.should.equal(0)
    })

    it('has the callers that are set, at the start and while it runs, and a life', async () => {
      const { child, output, ended } = run(
        '--port=0',
        '--quiet',
        '--dialect=field',
        '--dialect=cookie=none',
        '--life=7',
        '--callers=City council/Affiliates=3',
      )
      await until(() => output.out.includes('Ctrl-C'), 'the command to start')
      output.out.should.match(/"fail Morning show=disconnected"/)
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output.out)?.[0] ?? ''
      const { devices, dialect } = (await call(url, 'GET', '/simulator')).json
      should(devices[0].routes).equal(14)
      should(dialect).containEql({ stoppedState: 'stopped', cookie: 'none' })
      ;(await call(url, 'GET', '/simulator/truth')).json.should.be.an.Array()
      const callers = async (): Promise<unknown[]> =>
        (await call(url, 'GET', '/simulator/callers')).json.filter(
          ({ route }: { route: string }) => route === 'City council',
        )
      ;(await callers()).should.have.length(3)
      child.stdin.write('callers City council/Affiliates=1\n')
      await until(() => output.out.includes('Done: callers'), 'the callers to leave')
      ;(await callers()).should.have.length(1)
      child.stdin.write('callers City council\n')
      await until(() => output.err.includes('is not ROUTE/DESTINATION=N'), 'the mistake')
      child.stdin.end()
      child.kill('SIGTERM')
      ;(await ended).code.should.equal(0)
    })

    it('prints the fingerprint with --https', async () => {
      const { child, output, ended } = run('--https', '--port', '0')
      await until(() => output.out.includes('Ctrl-C'), 'the command to start')
      output.out.should.match(/https:\/\/127\.0\.0\.1:\d+/)
      output.out.should.match(/([0-9A-F]{2}:){31}[0-9A-F]{2}/)
      child.kill('SIGTERM')
      ;(await ended).code.should.equal(0)
    })
  })
})
