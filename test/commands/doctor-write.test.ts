// What --write does to a gateway: what it finds, and that it leaves nothing, whatever fails.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Stop } from '../../client/stop'
import type { Report } from '../../client/doctor/account'
import { experiment, type Experimented } from '../../client/doctor/experiments'
import { PACE, readNote, writeNote } from '../../client/doctor/sandbox'
import {
  startSimulator,
  type Call,
  type Fault,
  type Simulator,
  type SimulatorOptions,
} from '../../simulator'
import { contentOf, root } from '../support/root'
import { until } from '../support/until'

const PROGRAM = join(root, 'dist/client/doctor/command.js')
/** A change is applied with the next request, so that no time decides. */
const AT_ONCE: SimulatorOptions = { applyDelay: 0, settleDelay: 0, routes: 4 }
const FAST = { ...PACE, look: 5, brief: 20, most: 100, quiet: 50 }

describe('the experiments of media-gateway-doctor --write', function () {
  this.timeout(60_000)
  let folder: string
  let note: string
  let simulator: Simulator
  let before: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'media-gateway-doctor-'))
    note = join(folder, 'note.json')
  })
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true })
    await simulator?.stop()
  })

  const start = async (options: SimulatorOptions = {}): Promise<void> => {
    simulator = await startSimulator({ ...AT_ONCE, ...options })
    before = routes()
  }
  const routes = (): string => JSON.stringify(simulator.routes)
  const run = (stop = new Stop(), pace = FAST, timeout = 10_000): Promise<Experimented> =>
    experiment({
      options: { baseUrl: simulator.url, username: 'haiadmin', password: 'manager', timeout },
      device: simulator.devices[0]!._id,
      note,
      stop,
      pace,
    })
  const writes = (): Call[] =>
    simulator.journal.filter(({ method, path }) => method !== 'GET' && path !== '/api/session')
  const nothingLeft = (): void => {
    routes().should.equal(before)
    simulator.openSessions.should.equal(0)
  }

  const variants: Array<[string, SimulatorOptions]> = [
    ['the usual gateway', {}],
    ['one as seen in the field', { dialect: 'field' }],
    [
      'an older one',
      { dialect: { destinationCommands: false, pendingChanges: false, expiredStatus: 404 } },
    ],
    ['one without routes', { routes: 0 }],
  ]
  for (const [what, options] of variants) {
    it(`answer each question on ${what}, with words of the interface only, and leave nothing`, async () => {
      await start(options)
      const isOlder = what === 'an older one'
      const pace = isOlder ? FAST : { ...FAST, most: PACE.most }
      const { experiments, left, isDoubtful, failure } = await run(new Stop(), pace)
      should(failure).be.undefined()
      ;({ left, isDoubtful }).should.eql({ left: [], isDoubtful: false })
      const page = contentOf('docs/project/interface.md')
      for (const { name, seen } of experiments) {
        page.should.containEql(`| \`${name}\``)
        if (!isOlder) should(seen).not.match(/^could not test/, name)
        seen.should.not.containEql('media-gateway-doctor-')
      }
      experiments.length.should.equal(13)
      experiments.at(-1)!.seen.should.equal(`status ${isOlder ? 404 : 401}`)
      nothingLeft()
      simulator.logins.should.equal(1)
      should(existsSync(note)).be.false()
    })
  }

  it('change and delete only what they have created, at addresses that nobody has', async () => {
    await start()
    await run()
    const known = new Set(simulator.routes.map(({ id }) => id))
    for (const { body } of writes()) {
      const { elementID, parameters, fields } = body as {
        elementID?: string
        parameters?: { routeID: string }
        fields?: { name: string; source?: { address: string } }
      }
      known.has(elementID ?? parameters?.routeID ?? '').should.be.false()
      if (fields) fields.name.should.match(/^media-gateway-doctor-[0-9a-f]{12}-[123]$/)
      if (fields?.source) fields.source.address.should.equal('233.252.0.1')
    }
  })

  // Each request of a run in turn fails in each way. A login whose response is lost leaves a session
  // that nobody can end.
  const kinds: Array<Fault['kind']> = ['status', 'hang', 'reset', 'reset-after', 'truncate', 'html']
  for (const kind of kinds) {
    it(`leave nothing when any one request meets: ${kind}`, async function () {
      this.timeout(600_000)
      await start()
      await run()
      const requests = simulator.journal.map(({ method, path }) => `${method} ${path}`)
      const isEach = kind === 'reset-after'
      // Else those that change something, and each kind of read once.
      const places = requests.flatMap((request, place) =>
        isEach || !request.startsWith('GET') || requests.indexOf(request) === place ? [place] : [],
      )
      places.length.should.be.above(20)
      for (const place of places) {
        simulator.clearFaults()
        simulator.journal.length = 0
        simulator.dropSessions()
        simulator.fault({ kind, status: 500, times: 1, after: place })
        const { left } = await run(new Stop(), FAST, 500).catch(() => ({ left: [] }))
        left.should.eql([])
        should(routes()).equal(before, `${kind} at ${place}: ${requests[place]}`)
        const isLostLogin = requests[place] === 'POST /api/session' && kind !== 'truncate'
        if (!isLostLogin) should(simulator.openSessions).equal(0, `${kind} at ${requests[place]}`)
        rmSync(note, { force: true })
      }
    })
  }

  it('wait for a create that was carried out after its response was lost', async () => {
    await start({ applyDelay: 300 })
    simulator.fault({ kind: 'reset-after', match: { action: 'create' } })
    simulator.fault({ kind: 'status', match: { action: 'update' } })
    const { left } = await run(new Stop(), { ...FAST, most: 20, quiet: PACE.quiet })
    left.should.eql([])
    nothingLeft()
  })

  it('delete what they have created when they are stopped', async () => {
    await start()
    const stop = new Stop()
    const work = run(stop)
    await until(() => writes().length > 3)
    stop.now()
    const { failure, left } = await work
    should(failure).match({ code: 'CLOSED' })
    left.should.eql([])
    nothingLeft()
  })

  it('name what cannot be deleted, keep the note, and delete it at the next run', async () => {
    await start()
    const remove = simulator.fault({ kind: 'status', match: { action: 'delete' } })
    const { left } = await run(new Stop(), { ...FAST, clean: 500 })
    left.length.should.be.above(0)
    const { names } = readNote(note)!
    for (const name of left) names.should.containEql(name)
    simulator.openSessions.should.equal(0)
    remove()
    const second = await run()
    second.left.should.eql([])
    nothingLeft()
  })

  it('refuse a gateway with a route that looks like theirs, and change nothing', async () => {
    await start()
    const [{ source, destinations }] = simulator.routes as [(typeof simulator.routes)[number]]
    simulator.addRoute({ name: 'Media-Gateway-Doctor-of-mine', source, destinations })
    before = routes()
    writeNote(note, { device: simulator.devices[0]!._id, names: ['media-gateway-doctor-1'] })
    await run().should.be.rejectedWith({
      code: 'CONFLICT',
      message: /Media-Gateway-Doctor-of-mine/,
    })
    writes().should.eql([])
    nothingLeft()
  })

  describe('in the program', () => {
    function program(user = 'haiadmin', password = 'manager') {
      const args = [process.execPath, PROGRAM, simulator.url, '--user', user, '--write']
      const env = { ...process.env, MEDIA_GATEWAY_PASSWORD: password }
      const line = `exec ${args.map((each) => `'${each}'`).join(' ')}`
      const child = spawn('script', ['-qec', line, '/dev/null'], {
        cwd: folder,
        env,
        stdio: 'pipe',
      })
      const output = { out: '' }
      child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()))
      const ended = once(child, 'close').then(([code]) => ({ code: Number(code), ...output }))
      return { child, output, ended }
    }
    async function named(name: string, options?: Parameters<typeof program>) {
      const started = program(...(options ?? []))
      await until(() => started.output.out.includes('type the name'))
      started.child.stdin.write(`${name}\r`)
      return started
    }
    const files = (begin: string): string[] =>
      readdirSync(folder).filter((each) => each.startsWith(begin))

    it('begin once the name of the gateway was typed, and stand in the report', async () => {
      await start()
      const { code, out } = await (await named(simulator.devices[0]!.name)).ended
      should(code).equal(0, out)
      out.should.match(/Experiments \(13\):/)
      const [file] = files('media-gateway-report-')
      const report = JSON.parse(readFileSync(join(folder, file!), 'utf8')) as Report
      report.experiments!.length.should.equal(13)
      files('media-gateway-doctor-').should.eql([])
      nothingLeft()
    })

    it('do not begin with another name', async () => {
      await start()
      const { code, out } = await (await named('Another')).ended
      should(code).equal(1, out)
      out.should.match(/The gateway is not named "Another"\. Nothing was changed\./)
      writes().should.eql([])
      nothingLeft()
    })

    it('do not begin for an Observer', async () => {
      await start()
      const { code, out } = await program('user', 'public').ended
      should(code).equal(1, out)
      out.should.match(/The role Observer may change nothing\. Give --user/)
      writes().should.eql([])
      nothingLeft()
    })

    it('are cleaned up by the next run after the program was killed', async () => {
      await start()
      const { child, ended } = await named(simulator.devices[0]!.name)
      await until(() =>
        simulator.routes.some(({ name }) => name.startsWith('media-gateway-doctor-')),
      )
      const [file] = files('media-gateway-doctor-')
      should(file).match(/^media-gateway-doctor-127\.0\.0\.1_\d+\.json$/)
      // Killed without a chance to do anything: the program, and the terminal with it.
      const pid = childOf(child.pid!)
      process.kill(pid, 'SIGKILL')
      await ended
      routes().should.not.equal(before)
      const { code, out } = await (await named(simulator.devices[0]!.name)).ended
      should(code).equal(0, out)
      routes().should.equal(before)
      files('media-gateway-doctor-').should.eql([])
    })
  })
})

/** The program that `script` has started. */
function childOf(script: number): number {
  const path = `/proc/${script}/task/${script}/children`
  return Number(readFileSync(path, 'utf8').trim().split(' ')[0])
}
