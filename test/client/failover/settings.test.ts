// What a failover can be set to, and what is wrong with everything else.
import 'should'
import { invalidInput } from '../../../client/errors'
import {
  FAILOVER_DEFAULTS,
  FAILOVER_RANGES,
  failoverFaults,
  failoverSettings,
} from '../../../client/model/failover'

const main = { address: '192.0.2.1', port: 5000 }
const backup = { address: '192.0.2.2', port: 5000 }

/** The faults as a message shows them, each as `path: problem`. */
const faults = (more: object): string[] => {
  const { problems = [] } = invalidInput(failoverFaults({ main, backup, ...more })).cause
  return problems.map(({ path, problem }) => `${path}: ${problem}`)
}

describe('the settings of a failover', () => {
  it('have the defaults of the contract', () => {
    faults({}).should.eql([])
    failoverSettings({ main, backup }).should.eql({ ...FAILOVER_DEFAULTS, main, backup })
    FAILOVER_DEFAULTS.should.eql({
      method: 'source',
      failOn: 'status',
      holdOff: 10,
      degrade: 30,
      degradePer: 60,
      settle: 10,
      guard: 30,
      restore: 'off',
      waitToRestore: 300,
      limit: 4,
      limitPer: 3600,
      lookEvery: 2,
      dryRun: false,
      hold: false,
    })
  })

  it('may be text, and blank for the default', () => {
    const saved = { main, backup, holdOff: '7.5', guard: '', degrade: null, hold: 'true' }
    faults(saved).should.eql([])
    failoverSettings(saved).should.containEql({ holdOff: 7.5, guard: 30, degrade: 30, hold: true })
    failoverSettings({ main, backup, degrade: 0 }).degrade.should.equal(0)
    failoverSettings({ main, backup, dryRun: 'false' }).dryRun.should.be.false()
  })

  for (const [name, range] of Object.entries(FAILOVER_RANGES)) {
    const { least, most } = range
    it(`${name} is from ${least} to ${most}`, () => {
      const other = name === 'degradePer' || name === 'lookEvery' ? { degrade: 0 } : {}
      for (const good of [least, most, String(most)])
        faults({ ...other, [name]: good }).should.eql([])
      const whole = 'whole' in range
      const bad = [least - 0.1, most + 1, 'soon', {}, true, ...(whole ? [least + 0.5] : [])]
      for (const one of bad) {
        const found = faults({ ...other, [name]: one })
        const kind = whole ? 'whole number' : 'number'
        found.should.eql([`${name}: must be a ${kind} from ${least} to ${most}`])
      }
    })
  }

  it('are choices of the contract', () => {
    faults({ method: 'sources', failOn: 'Status', restore: true }).should.eql([
      'method: must be one of source, routes',
      'failOn: must be one of status, noData, bitrate',
      'restore: must be one of off, monitor, message',
    ])
    faults({ dryRun: 'yes', hold: 1 }).should.eql([
      'dryRun: must be true or false',
      'hold: must be true or false',
    ])
  })

  it('need a threshold with failOn = bitrate', () => {
    for (const low of [undefined, '', 0, -1, 'much']) {
      faults({ failOn: 'bitrate', low }).should.eql(['low: must be a number of Mbit/s above 0'])
    }
    faults({ failOn: 'bitrate', low: '2.5' }).should.eql([])
    failoverSettings({ main, backup, failOn: 'bitrate', low: '2.5' }).low!.should.equal(2.5)
  })

  it('need a monitor with restore = monitor', () => {
    for (const monitor of [undefined, '', {}, { name: '' }]) {
      const [fault] = faults({ restore: 'monitor', monitor })
      fault!.should.startWith('monitor: is missing')
    }
    faults({ restore: 'monitor', monitor: { name: 'Studio A monitor' } }).should.eql([])
    faults({ restore: 'message' }).should.eql([])
  })

  it('need enough looks for the share of bad time', () => {
    const fault = ['degradePer: must be at least three times lookEvery']
    faults({ lookEvery: 21 }).should.eql(fault)
    faults({ lookEvery: 20 }).should.eql([])
    faults({ lookEvery: 21, degrade: 0 }).should.eql([])
  })

  it('must be an object', () => {
    invalidInput(failoverFaults('text')).cause.problems!.should.have.length(1)
  })
})

describe('main and backup', () => {
  it('are each an object with fields of a source', () => {
    for (const one of [undefined, null, '', 'udp://192.0.2.1', [], {}]) {
      faults({ main: one }).should.eql([
        'main: must be an object with the fields of the source that differ',
      ])
    }
    const [port, latency] = faults({
      main: { ...main, port: 70_000 },
      backup: { ...backup, srtLatency: 'much' },
    })
    port!.should.startWith('main.port: ')
    latency!.should.startWith('backup.srtLatency: ')
  })

  it('differ in what the gateway returns', () => {
    const fault = /^backup: is the same as main, apart from secrets/
    const same = (other: object, of: object = main): void => {
      const found = faults({ main: of, backup: other })
      found.should.have.length(1)
      found[0]!.should.match(fault)
    }
    same(main)
    same({ ...main, port: '5000' })
    same({ ...main, srtMode: 'CALLER' }, { ...main, srtMode: 'caller' })
    same(
      { ...main, srtPassPhrase: 'first-passphrase' },
      { ...main, srtPassPhrase: 'second-passphrase' },
    )
    faults({ main, backup: { ...main, port: 5001 } }).should.eql([])
  })

  it('give the same fields, since one that only one gives would stay', () => {
    const secret = { srtPassPhrase: 'a-long-passphrase' }
    faults({ backup: { ...backup, ...secret } }).should.eql([
      'main.srtPassPhrase: is missing; backup gives it, and its value would stay after a switch to main',
    ])
    faults({ main: { ...main, srtPassPhrase: '' }, backup: { ...backup, ...secret } }).should.eql(
      [],
    )
    faults({ main: { ...main, laterField: 1 } })[0]!.should.startWith(
      'backup.laterField: is missing',
    )
    // What a gateway only shows, and the two names of one field.
    faults({ main: { ...main, id: 'x', state: 'connected', usedBandwidth: '1.0' } }).should.eql([])
    const srt = { protocol: 'srt' }
    const modes = {
      main: { ...main, ...srt, mode: 'caller' },
      backup: { ...backup, ...srt, srtMode: 'caller' },
    }
    faults(modes).should.eql([])
  })

  it('may have different protocols, each with its own fields', () => {
    const srt = { protocol: 'srt', srtMode: 'caller', srtPassPhrase: 'a-long-passphrase' }
    faults({ main: { protocol: 'udp', ...main }, backup: { ...srt, ...backup } }).should.eql([])
    const [fault] = faults({
      main: { protocol: 'udp', address: '192.0.2.1' },
      backup: { ...srt, ...backup },
    })
    fault!.should.startWith('main.port: is missing')
  })

  it('have no hidden value, and no variable in a secret', () => {
    const given = (srtPassPhrase: string): string[] =>
      faults({
        main: { ...main, srtPassPhrase },
        backup: { ...backup, srtPassPhrase: 'a-long-passphrase' },
      }).map((fault) => fault.split(':')[0]!)
    given('••••••••••••').should.containEql('main.srtPassPhrase')
    given('${SRT_STUDIO_A}').should.eql(['main.srtPassPhrase'])
    given('another-passphrase').should.eql([])
  })

  it('are two different routes with method = routes', () => {
    const routes = (one: unknown, other: unknown): string[] =>
      faults({ method: 'routes', main: one, backup: other })
    routes({ name: 'A' }, { name: 'B' }).should.eql([])
    routes({ id: 'a' }, { name: 'B' }).should.eql([])
    routes({ name: 'A' }, { name: 'A' }).should.eql(['backup: is the same route as main'])
    const id = '0a8c2d5e-0000-4000-8000-00000000abcd'
    routes({ id }, { id: id.toUpperCase() }).should.eql(['backup: is the same route as main'])
    routes('A', {}).should.eql([
      'main: must be a route, by its id or name',
      'backup: must be a route, by its id or name',
    ])
  })
})
