// What is shown under a failover, for each way in which it can be.
import type { Node } from 'node-red'
import { GatewayError, words as sentence } from '../../client/errors'
import type { FailoverStatus } from '../../client/failover/protect'
import type { Words } from '../../nodes/runtime/catalog'
import { createFailoverStatus } from '../../nodes/failover/status'
import { loadWords } from '../support/words'

const failure = (code: 'FORBIDDEN' | 'UNAVAILABLE'): GatewayError =>
  new GatewayError(code, sentence('x'))

const UNKNOWN = { state: 'unknown', inUse: undefined } as const
const UNPROTECTED = { state: 'no-protection', reason: 'main-bad' } as const
const MONITOR = { monitor: 'stopped' } as const

const CASES: Array<[status: object, lamp: string, text: string | RegExp]> = [
  [{}, 'green dot', 'main'],
  [{ inUse: 'backup', state: 'protecting' }, 'yellow dot', 'backup'],
  [{ state: 'hold-off', due: Date.now() }, 'yellow dot', /^main failed, switch at \d\d:\d\d:\d\d$/],
  [{ state: 'switching' }, 'yellow dot', 'switching'],
  [
    { inUse: 'backup', state: 'wait-to-restore', due: Date.now() + 90_000 },
    'yellow dot',
    'backup, to main in 2 min',
  ],
  [
    { inUse: 'backup', state: 'protecting', reason: 'main-bad' },
    'yellow dot',
    'backup, no protection: main failed',
  ],
  [{ reason: 'backup-bad' }, 'yellow dot', 'main, no protection: backup failed'],
  [MONITOR, 'yellow dot', 'main, monitor not running'],
  [{ ...UNPROTECTED, reason: 'held', held: true }, 'red ring', 'held until restart: main failed'],
  [
    { ...UNPROTECTED, inUse: 'backup', reason: 'both-bad' },
    'red ring',
    'no protection: backup and main failed',
  ],
  [
    { ...UNPROTECTED, reason: 'switch-failed' },
    'red ring',
    'no protection: main failed, switch to backup fails',
  ],
  [{ held: true }, 'grey dot', 'held until restart: main'],
  [{ state: 'standby' }, 'grey dot', 'route stopped'],
  [
    { state: 'foreign', differs: { main: ['port', 'mtu'], backup: ['port'] } },
    'yellow dot',
    'other source: port differs',
  ],
  [
    { state: 'foreign', manual: true, differs: { main: ['address'], backup: ['address', 'mtu'] } },
    'grey dot',
    'other source: address differs',
  ],
  [{ ...UNKNOWN, failure: failure('UNAVAILABLE') }, 'yellow dot', /^source unknown: ./],
  [
    { ...UNKNOWN, failure: failure('UNAVAILABLE'), held: true },
    'yellow dot',
    /^held until restart: source unknown: ./,
  ],
  [{ state: 'switching', held: true }, 'yellow dot', 'held until restart: switching'],
  [{ ...UNKNOWN, failure: failure('FORBIDDEN') }, 'red ring', /^source unknown: ./],
]

describe('the lamp of a failover', () => {
  let words: Words
  before(async () => {
    words = await loadWords()
  })

  const NORMAL = { state: 'normal', inUse: 'main', held: false } as FailoverStatus

  /** Shows one state after the other, and returns what the node has shown. */
  function shownOf(...states: Array<Partial<FailoverStatus>>): Array<Record<string, string>> {
    const shown: Array<Record<string, string>> = []
    const node = { status: (each: Record<string, string>) => shown.push(each) }
    const status = createFailoverStatus(node as unknown as Node, words, {
      hasInventory: false,
      language: 'en-US',
      isHoldLost: () => true,
    })
    for (const present of states) status.show({ ...NORMAL, ...present })
    status.close()
    return shown
  }

  for (const [present, lamp, text] of CASES) {
    it(`shows ${lamp}: ${String(text)}`, () => {
      const shown = shownOf(present)
      const [first, cleared] = shown
      should(`${first!['fill']} ${first!['shape']}`).equal(lamp)
      first!['text']!.should.match(typeof text === 'string' ? new RegExp(`^${text}$`) : text)
      should(cleared).eql({})
    })
  }

  it('shows what is not known of the source once anything was shown', () => {
    shownOf(UNKNOWN).should.eql([])
    const [, unknown] = shownOf({}, UNKNOWN)
    unknown!.should.eql({ fill: 'yellow', shape: 'dot', text: 'source unknown' })
  })
})
