// What a failover can be set to, and what is wrong with everything else.
import type { Route } from '../../../client/model/types'
import { invalidInput } from '../../../client/errors'
import {
  FAILOVER_DEFAULTS,
  FAILOVER_RANGES,
  failoverFaults,
  failoverSettings,
  sideFaults,
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
      failOn: 'noData',
      holdOff: 10,
      settle: 10,
      guard: 30,
      restore: 'off',
      waitToRestore: 300,
      pollEvery: 2,
      hold: false,
    })
  })

  it('may be text, and blank for the default', () => {
    const saved = { main, backup, holdOff: '7.5', guard: '', settle: null, hold: 'true' }
    faults(saved).should.eql([])
    failoverSettings(saved).should.containEql({ holdOff: 7.5, guard: 30, settle: 10, hold: true })
    failoverSettings({ main, backup, settle: 0 }).settle.should.equal(0)
    for (const [hold, isHeld] of [
      ['false', false],
      [' Yes ', true],
      [0, false],
      ['on', true],
    ]) {
      faults({ hold }).should.eql([])
      failoverSettings({ main, backup, hold }).hold.should.equal(isHeld)
    }
  })

  for (const [name, { least, most }] of Object.entries(FAILOVER_RANGES)) {
    it(`${name} is from ${least} to ${most}`, () => {
      for (const good of [least, most, String(most)]) faults({ [name]: good }).should.eql([])
      for (const bad of [least - 0.1, most + 1, 'soon', {}, true]) {
        const [fault, ...others] = faults({ [name]: bad })
        fault!.should.startWith(`${name}: is `)
        fault!.should.endWith(`; it must be a number from ${least} to ${most}`)
        others.should.eql([])
      }
    })
  }

  it('are choices of the contract', () => {
    faults({ method: 'sources', failOn: 'Status', restore: true }).should.eql([
      'method: is "sources"; it must be one of source, routes',
      'failOn: is "Status"; it must be one of status, noData',
      'restore: is true; it must be one of off, monitor, message',
    ])
    faults({ hold: 7 }).should.eql(['hold: is 7; it must be true or false'])
  })

  it('need a monitor with restore = monitor', () => {
    for (const monitor of [undefined, '', {}, { name: '' }]) {
      const [fault] = faults({ restore: 'monitor', monitor })
      fault!.should.startWith('monitor: is missing')
    }
    faults({ restore: 'monitor', monitor: { name: 'Studio A monitor' } }).should.eql([])
    faults({ restore: 'message' }).should.eql([])
  })

  it('must be an object', () => {
    invalidInput(failoverFaults('text')).cause.problems!.should.have.length(1)
  })
})

describe('main and backup', () => {
  it('are each an object with fields of a source', () => {
    for (const one of [undefined, null, '', 'udp://192.0.2.1', [], {}, { srtLatency: null }]) {
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
      'main.srtPassPhrase: is missing; a switch to backup and back would change it; add it',
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

  it('give a null as nothing, and as an empty text where that can be set', () => {
    const sides = {
      main: { ...main, networkInterface: 'eth1', srtLatency: 200 },
      backup: { ...backup, networkInterface: null, srtLatency: null, id: '' },
    }
    faults(sides).should.eql([
      'backup.srtLatency: is missing; a switch to main and back would change it; add it',
    ])
    failoverSettings(sides).backup.should.eql({ ...backup, networkInterface: '' })
    const routes = { method: 'routes', main: { name: 'A' }, backup: { id: null, name: 'B' } }
    failoverSettings(routes).backup.should.eql({ id: null, name: 'B' })
  })

  it('have no slip in a name, and no value that is no address', () => {
    const both = (more: object): string[] =>
      faults({ main: { ...main, ...more }, backup: { ...backup, ...more } })
    for (const [slip, meant] of [
      ['latency', 'srtLatency'],
      ['srtLatancy', 'srtLatency'],
      ['passphrase', 'srtPassPhrase'],
      ['adress', 'address'],
      ['nic', 'networkInterface'],
    ] as const) {
      const said = `is not a known field; did you mean ${meant}?`
      both({ [slip]: 'eth1' }).should.eql([`main.${slip}: ${said}`, `backup.${slip}: ${said}`])
    }
    for (const address of [
      'http://192.0.2.1',
      '999.1.1.1',
      ' 192.0.2.1',
      'a b',
      '192.0.2.1:5000',
    ]) {
      faults({ main: { ...main, address } })[0]!.should.match(
        /^main\.address: .* must be an IP address/,
      )
    }
    // Newer firmware may know it: only the route can show that.
    both({ futureField: 1 }).should.eql([])
  })

  it('may have different protocols, each with its own fields', () => {
    const udp = { protocol: 'udp', ...main }
    const srt = { protocol: 'SRT', srtMode: 'caller', srtPassPhrase: 'a-long-passphrase' }
    faults({ main: udp, backup: { ...srt, ...backup } }).should.eql([])
    faults({ main: { ...udp, futureField: 1 }, backup: { ...srt, ...backup } }).should.eql([])
    const [fault] = faults({
      main: { protocol: 'udp', address: '192.0.2.1' },
      backup: { ...srt, ...backup },
    })
    fault!.should.startWith('main.port: is missing')
    faults({ main: { ...udp, srtLatency: 200 }, backup: { ...srt, ...backup } }).should.eql([
      'main.srtLatency: is not a known field of a source with the protocol udp; correct its name, or remove it',
    ])
    const [protocol, ...others] = faults({ main, backup: { ...srt, ...backup } })
    protocol!.should.startWith('main.protocol: is missing')
    others.map((each) => each.split(':')[0]).should.eql(['main.srtMode', 'main.srtPassPhrase'])
  })

  it('with different protocols need not give what both have', () => {
    const rtmp = { protocol: 'rtmp', rtmpMode: 'CONSUMER', streamName: 'live' }
    const given = { main: { protocol: 'udp', ...main }, backup: { ...rtmp, ...backup } }
    faults(given).should.eql([])
    const { port: _port, ...one } = given.main
    const { port: _other, ...other } = given.backup
    faults({ main: one, backup: other }).should.eql([])
  })

  it('may be over several paths and over one', () => {
    const path = { ...main, networkInterface: 'eth1' }
    const bonded = { srtGroupMode: 'broadcast', srtNetworkBondingParams: [path, path] }
    faults({ main: bonded, backup: { ...backup, srtGroupMode: 'none' } }).should.eql([])
    const [fault] = faults({ main: bonded, backup })
    fault!.should.startWith('backup.srtGroupMode: is missing')
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

describe('main and backup beside the route as it is', () => {
  const srt = {
    id: 'source',
    name: 'in',
    protocol: 'srt',
    mode: 'caller',
    srtPassPhrase: 'a-long-passphrase',
    srtLatency: 999,
    srtRcvBuf: 10_240_000,
    srtGroupMode: 'none',
    srtStreamID: '',
    useFec: false,
    networkInterface: 'eth1',
    labels: ['studio'],
    state: 'connected',
    summaryStatusCode: 'ok',
    usedBandwidth: '1.0',
    ...main,
  }
  const udp = {
    id: 'source',
    name: 'in',
    protocol: 'udp',
    mode: 'unicast',
    srtPassPhrase: null,
    srtRcvBuf: 10_240_000,
    sourceAddress: '192.0.2.77',
    networkInterface: 'eth1',
    ...main,
  }
  const found = (one: object, other: object, source: object): string[] =>
    sideFaults(
      { method: 'source', main: one, backup: other } as never,
      { source } as unknown as Route,
    ).map((fault) => `${fault.path}: ${'problem' in fault ? fault.problem : fault.kind}`)
  const pathsOf = (one: object, other: object, source: object): string[] =>
    found(one, other, source).map((fault) => fault.split(':')[0]!)

  const spare = { protocol: 'udp', ...backup }

  it('with another protocol give each member of the route that would be lost', () => {
    found({ protocol: 'srt', ...main }, spare, srt)[0]!.should.equal(
      'main.srtMode: is missing; a switch to backup and back would change it; add it',
    )
    pathsOf({ protocol: 'srt', ...main }, spare, srt).should.eql([
      'main.srtMode',
      'main.srtPassPhrase',
      'main.srtLatency',
      'main.srtRcvBuf',
    ])
    const whole = {
      protocol: 'srt',
      mode: 'caller',
      srtPassPhrase: 'a-long-passphrase',
      srtLatency: 999,
      srtRcvBuf: 10_240_000,
      ...main,
    }
    pathsOf(whole, spare, srt).should.eql([])
    const rest = Object.keys(whole).filter((name) => name.startsWith('srt'))
    for (const name of rest) {
      const less = Object.fromEntries(Object.entries(whole).filter(([one]) => one !== name))
      pathsOf(less, spare, srt).should.eql([`main.${name}`])
      pathsOf({ ...less, [name]: null }, spare, srt).should.eql(
        name === 'srtPassPhrase' ? [] : [`main.${name}`],
      )
    }
    pathsOf({ protocol: 'udp', ...main }, { ...whole, ...backup }, udp).should.eql([
      'main.sourceAddress',
    ])
  })

  it('with another protocol give what that one needs', () => {
    const rtmp = { protocol: 'rtmp', rtmpMode: 'CONSUMER', ...backup }
    const one = { protocol: 'udp', ...main }
    const source = { ...udp, sourceAddress: '' }
    pathsOf(one, { ...rtmp, streamName: 'live' }, source).should.eql([])
    pathsOf(one, rtmp, source).should.eql(['backup.streamName'])
  })

  it('look at the side whose protocol the route has', () => {
    const bare = { protocol: 'srt', ...backup }
    pathsOf({ protocol: 'udp', ...main }, bare, srt).should.containEql('backup.srtLatency')
    pathsOf({ protocol: 'udp', ...main }, bare, { ...udp, sourceAddress: '' }).should.eql([])
    pathsOf(spare, bare, { ...udp, protocol: 'rtp' }).should.eql([])
  })

  it('with a passphrase that the gateway masks or leaves out need that too', () => {
    const side = { protocol: 'srt', srtMode: 'caller', srtLatency: 999, srtRcvBuf: 1, ...main }
    for (const srtPassPhrase of ['******', undefined]) {
      const source = { ...srt, srtPassPhrase }
      pathsOf(side, spare, source).should.eql(['main.srtPassPhrase'])
      pathsOf({ ...side, srtPassPhrase: '' }, spare, source).should.eql([])
    }
    pathsOf(side, spare, { ...srt, srtPassPhrase: '' }).should.eql([])
  })

  it('with the same protocol keep all that they do not give', () => {
    const source = { ...srt, srtPassPhrase: undefined }
    pathsOf(main, backup, source).should.eql([])
    pathsOf({ protocol: 'srt', ...main }, { protocol: 'srt', ...backup }, source).should.eql([])
    sideFaults({ method: 'routes', main: { id: 'a' }, backup: { id: 'b' } }, {
      source,
    } as unknown as Route).should.eql([])
  })

  it('with paths and without give what the other one has no place for', () => {
    const path = { ...backup, networkInterface: 'eth2' }
    const bonded = { srtGroupMode: 'broadcast', srtNetworkBondingParams: [path, path] }
    const one = { srtGroupMode: 'none', ...main }
    pathsOf(one, bonded, srt).should.eql(['main.networkInterface'])
    pathsOf({ ...one, networkInterface: '' }, bonded, srt).should.eql([])
    const source = {
      ...srt,
      srtGroupMode: 'broadcast',
      address: '192.0.2.1|192.0.2.2',
      port: '1|2',
    }
    pathsOf({ srtGroupMode: 'broadcast' }, one, source).should.eql(['main.srtNetworkBondingParams'])
    pathsOf(bonded, one, source).should.eql([])
  })

  it('have no member that neither is known nor in the route', () => {
    const more = { laterField: 1, srtLatency: 5 }
    found({ ...main, ...more }, { ...backup, ...more }, udp).should.eql([
      'main.laterField: is not a known field of a source with the protocol udp; correct its name, or remove it',
      'main.srtLatency: is not a known field of a source with the protocol udp; correct its name, or remove it',
      'backup.laterField: is not a known field of a source with the protocol udp; correct its name, or remove it',
      'backup.srtLatency: is not a known field of a source with the protocol udp; correct its name, or remove it',
    ])
    pathsOf(
      { ...main, ...more },
      { ...backup, ...more },
      { ...udp, ...more, laterField: 2 },
    ).should.eql([])
    // An unknown one of the route would not survive a switch of the protocol.
    const { srtPassPhrase: _, ...source } = { ...srt, srtPassPhrase: '', laterField: 1 }
    pathsOf({ protocol: 'srt', ...main, srtMode: 'caller' }, spare, source).should.containEql(
      'main.laterField',
    )
  })
})
