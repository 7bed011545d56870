// The program as it is run: its options, its password, its questions, and what it leaves behind.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from '../../../client/doctor/account'
import { startSimulator, type Simulator, type SimulatorOptions } from '../../../simulator'
import { newCertificate } from '../../support/certificate'
import { freePort } from '../../support/ports'
import { Proxy } from '../../support/proxy'
import { root } from '../../support/root'
import { until } from '../../support/until'
import { CLEAN, received } from './support'
import { afterThisTest } from '../../support/hooks'

const PROGRAM = join(root, 'dist/client/doctor/command.js')

describe('media-gateway-doctor', function () {
  this.timeout(60_000)
  let folder: string
  let simulator: Simulator

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'media-gateway-doctor-'))
  })
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true })
    await simulator?.stop()
  })

  const start = async (options: SimulatorOptions = {}): Promise<void> => {
    simulator = await startSimulator(options)
  }

  function run(args: string[], { password = 'manager', terminal = false } = {}) {
    const env = { ...process.env, MEDIA_GATEWAY_PASSWORD: password }
    const program = [process.execPath, PROGRAM, ...args]
    // A terminal that ends with the status of the program.
    const [file, ...rest] = terminal
      ? ['script', '-qec', program.map((each) => `'${each}'`).join(' '), '/dev/null']
      : program
    const child = spawn(file!, rest, { cwd: folder, env, stdio: 'pipe' })
    const output = { out: '', err: '' }
    child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output.err += chunk.toString()))
    const ended = once(child, 'close').then(([code]) => ({ code: Number(code), ...output }))
    if (!terminal) child.stdin.end()
    return { child, output, ended }
  }
  const files = (): string[] => readdirSync(folder)
  const reportIn = (file: string): Report =>
    JSON.parse(readFileSync(join(folder, file), 'utf8')) as Report

  it('explains itself', async () => {
    const { code, out, err } = await run(['--help']).ended
    code.should.equal(0)
    const options = ['--user', '--out', '--fingerprint', '--proxy', '--write']
    for (const word of [...options, 'MEDIA_GATEWAY_PASSWORD']) {
      out.should.containEql(word)
    }
    err.should.equal('')
  })

  it('refuses wrong options with a sentence and status 2, and sends nothing', async () => {
    await start()
    const { url } = simulator
    const wrong: Array<[string[], RegExp]> = [
      [[], /Give the URL of one gateway/],
      [[url, url, '--user', 'me'], /Give the URL of one gateway/],
      [[url], /--user NAME/],
      [[url, '--user', 'me', '--nonsense'], /^Unknown option '--nonsense'\.\n--help/],
      [['ftp://gateway.example', '--user', 'me'], /http/],
      [[url, '--user', 'me', '--fingerprint', 'nonsense'], /ingerprint/],
      [[url, '--user', 'me', '--proxy', 'nonsense'], /--proxy takes a URL/],
      [[url, '--user', 'me', '--write'], /--write needs a terminal/],
      [
        [url, '--user', 'me', '--out', join(folder, 'none', 'r.json')],
        /--out: .* cannot be written/,
      ],
      [[url, '--user', 'me', '--out', folder], /is a directory/],
    ]
    const results = await Promise.all(wrong.map(([args]) => run(args).ended))
    results.forEach(({ code, out, err }, place) => {
      should(err).match(wrong[place]![1])
      err.should.not.match(/\n {4}at /)
      code.should.equal(2, err)
      out.should.equal('')
    })
    const asked = await run([url, '--user', 'me'], { password: '' }).ended
    asked.code.should.equal(2)
    asked.err.should.match(/no terminal .*MEDIA_GATEWAY_PASSWORD/)
    simulator.journal.should.eql([])
    files().should.eql([])
  })

  it('prints an account and writes a report, under a name that no file has', async () => {
    await start({ dialect: 'field' })
    for (const number of ['', '-2']) {
      const { code, out, err } = await run([simulator.url, '--user', 'haiadmin']).ended
      err.should.equal('')
      code.should.equal(0)
      out.should.match(/Routes: 14 .*\n/)
      out.should.match(/Outputs without callers \(8\):\n {2}City council: Affiliates\n/)
      out.should.match(/Facts confirmed/)
      const file = files().find((each) => new RegExp(`-\\d\\d${number}\\.json$`).test(each))!
      file.should.match(/^media-gateway-report-\d{4}-\d\d-\d\d(-2)?\.json$/)
      out.should.containEql(file)
      const report = reportIn(file)
      report.should.match({ format: 'media-gateway-report', version: 1 })
      report.account.withoutCallers[0]!.should.not.containEql({ route: 'City council' })
      out.should.not.containEql('manager')
    }
    simulator.logins.should.equal(2)
    received(simulator).should.eql({ ...CLEAN, logins: 2 })
  })

  it('asks for the password without showing it', async () => {
    await start()
    const { child, output, ended } = run([simulator.url, '--user', 'haiadmin'], {
      password: '',
      terminal: true,
    })
    await until(() => output.out.includes('Password of haiadmin:'))
    child.stdin.write('manager\r')
    const { code, out } = await ended
    should(code).equal(0, out)
    out.should.not.containEql('manager')
    received(simulator).should.eql(CLEAN)
  })

  it('ends on Ctrl-C while it asks, and sends nothing', async () => {
    await start()
    const { child, output, ended } = run([simulator.url, '--user', 'haiadmin'], {
      password: '',
      terminal: true,
    })
    await until(() => output.out.includes('Password of haiadmin:'))
    child.stdin.write('\x03')
    const { code, out } = await ended
    should(code).equal(1, out)
    simulator.journal.should.eql([])
  })

  it('ends with status 1 where the gateway cannot be read', async () => {
    await start({ port: await freePort() })
    const { url } = simulator
    const wrong = await run([url, '--user', 'haiadmin'], { password: 'wrong secret' }).ended
    wrong.should.match({ code: 1, out: '' })
    wrong.err.should.match(
      /refused the username or the password .*Correct --user or the password\.\n$/,
    )
    wrong.err.should.not.containEql('wrong secret')
    simulator.loginAttempts.should.equal(1)
    simulator.setOptions({ maxSessions: 0 })
    const full = await run([url, '--user', 'haiadmin']).ended
    full.should.match({ code: 1, out: '' })
    full.err.should.match(/sessions/)
    simulator.setOptions({ maxSessions: 10 })
    await simulator.stop()
    const away = await run([url, '--user', 'haiadmin']).ended
    away.should.match({ code: 1, out: '' })
    files().should.eql([])
  })

  it('reports what it has read where the rest cannot be read, with status 1', async () => {
    await start()
    simulator.fault({ kind: 'html', match: { path: '*/routes*' } })
    const { code, out, err } = await run([simulator.url, '--user', 'haiadmin']).ended
    code.should.equal(1)
    out.should.match(/Gateway Gateway 1/)
    err.should.match(/\S/)
    files().length.should.equal(1)
    received(simulator).should.eql(CLEAN)
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`ends its session on ${signal}, with status 1 and without a report`, async () => {
      await start()
      simulator.fault({ kind: 'hang', match: { path: '*/statistics*' } })
      const { child, ended } = run([simulator.url, '--user', 'haiadmin'])
      await until(() => simulator.journal.some(({ path }) => path.endsWith('/statistics')))
      child.kill(signal)
      const { code, out, err } = await ended
      ;({ code, out, err }).should.eql({ code: 1, out: '', err: 'Stopped.\n' })
      received(simulator).should.eql(CLEAN)
      files().should.eql([])
    })
  }

  const certificates = {
    'self-signed': () => newCertificate('localhost'),
    expired: () => newCertificate('localhost', undefined, -0.5),
  }
  for (const [what, make] of Object.entries(certificates)) {
    it(`shows a certificate that is ${what}, and what to pass, before any password is sent`, async () => {
      await start({ https: await make() })
      const { url, fingerprint = '' } = simulator
      const refused = await run([url, '--user', 'haiadmin']).ended
      refused.should.match({ code: 1, out: '' })
      refused.err.should.containEql(`pass --fingerprint ${fingerprint}`)
      simulator.journal.should.eql([])
      const pinned = await run([url, '--user', 'haiadmin', '--fingerprint', fingerprint]).ended
      should(pinned.code).equal(0, pinned.err)
      pinned.out.should.match(what === 'expired' ? /it has expired/ : /Certificate: self-signed/)
      received(simulator).should.eql(CLEAN)
      const other = await run([url, '--user', 'x', '--fingerprint', 'AB'.repeat(32)]).ended
      other.code.should.equal(1)
      received(simulator).should.eql(CLEAN)
    })
  }

  it('asks at a terminal whether it may trust a certificate', async () => {
    await start({ https: true })
    for (const [answer, status] of [
      ['no', 1],
      ['yes', 0],
    ] as const) {
      const { child, output, ended } = run([simulator.url, '--user', 'haiadmin'], {
        terminal: true,
      })
      await until(() => output.out.includes('Type yes:'))
      output.out.should.containEql(simulator.fingerprint!)
      simulator.journal.should.eql([])
      child.stdin.write(`${answer}\r`)
      const { code, out } = await ended
      should(code).equal(status, out)
    }
    received(simulator).should.eql(CLEAN)
  })

  it('goes through a proxy', async () => {
    await start({ https: true })
    const proxy = await Proxy.start()
    afterThisTest(() => proxy.stop())
    const { code, err } = await run([
      simulator.url,
      '--user=haiadmin',
      `--proxy=${proxy.url}`,
      `--fingerprint=${simulator.fingerprint}`,
    ]).ended
    should(code).equal(0, err)
    proxy.connects.length.should.be.above(0)
    received(simulator).should.eql(CLEAN)
  })

  it('writes where it is told', async () => {
    await start()
    const { code } = await run([simulator.url, '--user', 'haiadmin', '--out', 'mine.json']).ended
    code.should.equal(0)
    existsSync(join(folder, 'mine.json')).should.be.true()
    reportIn('mine.json').answers.length.should.be.above(5)
  })
})
