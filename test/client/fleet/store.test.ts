// How a watch of the records notices that the engine is not what it was, on a connection that lives.
import type { KV } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Bucket } from '../../../client/fleet/nats/bucket'
import { createMemory } from '../../../client/fleet/nats/fenced-records'
import type { Link } from '../../../client/fleet/nats/link'
import { createStore } from '../../../client/fleet/nats/store'
import type { Entry, Store } from '../../../client/fleet/types'
import { Stop } from '../../../client/stop'
import { errorOf } from '../../support/errors'
import { pause, until } from '../../support/until'

const CREATED = '2026-01-01T00:00:00Z'
const LOOKS_MS = 5

describe('a watch of the records', () => {
  let engine: { created: string; latest: number; isAway: boolean; looks: number }
  let store: Store
  let written: number
  let ended: Array<[boolean, string | undefined]>
  let over: Stop
  let entries: Array<(entry: object | undefined) => void>

  beforeEach(async () => {
    engine = { created: CREATED, latest: 7, isAway: false, looks: 0 }
    ended = []
    over = new Stop()
    entries = []
    written = 8
    const prepares: Array<(connection: NatsConnection) => Promise<void>> = []
    const link = { beforeUp: (prepare: (typeof prepares)[number]) => prepares.push(prepare) }
    store = createStore(link as unknown as Link, bucket as unknown as Bucket, LOOKS_MS)
    for (const prepare of prepares) await prepare(undefined as unknown as NatsConnection)
  })
  afterEach(() => over.now())

  const info = async (): Promise<object> => {
    engine.looks++
    if (engine.isAway) throw new Error('no response')
    const { created, latest } = engine
    return { created, state: { last_seq: latest, subjects: { '$KV.fleet.slot.7': 1 } } }
  }
  const kv = {
    prefix: '$KV.fleet',
    jsm: { streams: { info } },
    watch: async () => Object.assign(following(), { stop: () => report(undefined) }),
  } as unknown as KV
  const bucket = {
    of: async () => kv,
    use: (work: (bucket: KV) => Promise<unknown>) => work(kv),
    put: async () => written,
  }

  async function* following(): AsyncGenerator<object> {
    yield entry(7)
    for (;;) {
      const next = await new Promise<object | undefined>((resolve) => entries.push(resolve))
      if (!next) return
      yield next
    }
  }
  const entry = (revision: number): object => ({
    key: `slot.${revision}`,
    operation: 'PUT',
    value: Buffer.from('life'),
    revision,
    delta: 0,
  })
  const report = (next: object | undefined): void => {
    for (const each of entries.splice(0)) each(next)
  }

  function watch(onReady: () => void): void {
    const watching = store.watch({ onEntry: () => undefined, onReady }, over)
    watching.then(
      (hasLost) => ended.push([hasLost, undefined]),
      (error: Error) => ended.push([false, error.message]),
    )
  }

  async function watched(): Promise<void> {
    let ready = 0
    watch(() => ready++)
    await until(() => ready === 1)
  }

  it('ends, with a loss, when the bucket is another one', async () => {
    await watched()
    engine.created = '2026-01-02T00:00:00Z'
    engine.latest = 9
    await until(() => ended.length > 0)
    ended.should.eql([[true, undefined]])
    store.latest.should.equal(Date.parse('2026-01-02T00:00:00Z') + 9)
  })

  it('ends, with a loss, when there is less than it has reported', async () => {
    await watched()
    engine.latest = 9
    report(entry(9))
    engine.latest = 8
    await until(() => ended.length > 0)
    ended.should.eql([[true, undefined]])
  })

  it('ends when the engine does not answer: it may be another one afterwards', async () => {
    await watched()
    engine.isAway = true
    await until(() => ended.length > 0)
    ended.should.eql([[false, undefined]])
  })

  it('ends, without a loss, when it misses something', async () => {
    await watched()
    engine.latest = 8
    await until(() => ended.length > 0)
    ended.should.eql([[false, undefined]])
    // Not only when all records are read again anyway.
    engine.looks.should.be.below(10)
  })

  it('ends, without a loss, after a while: all records are read again', async () => {
    await watched()
    await until(() => ended.length > 0)
    ended.should.eql([[false, undefined]])
  })

  it('says why there can be none', async () => {
    engine.isAway = true
    watch(() => undefined)
    await until(() => ended.length > 0)
    ended.should.eql([[false, 'no response']])
  })

  it('ends at once when it is not needed any more', async () => {
    await watched()
    over.now()
    engine.created = '2026-01-02T00:00:00Z'
    await until(() => ended.length > 0)
    ended.should.eql([[false, undefined]])
  })

  it('is not needed to notice a loss: a write that gets an old revision rejects', async () => {
    should(await store.put('slot.1', 'life', 0)).equal(8)
    written = 8
    const error = await errorOf(store.put('slot.1', 'life', 8))
    error.message.should.match(/records were lost/)
    written = 9
    should(await store.put('slot.1', 'life', 8)).equal(9)
  })
})

describe('the records of an appliance', () => {
  it('are written one after the other: what was written last stays', async () => {
    let present: Entry | undefined
    let reads = 0
    const write = (value: string, revision: number): number | undefined => {
      if (revision !== (present?.revision ?? 0)) return undefined
      present = { value, revision: revision + 1 }
      return present.revision
    }
    const slow = {
      async get() {
        if (reads++ === 0) await pause(20)
        return present
      },
      put: async (_key: string, value: string, revision: number) => write(value, revision),
    }
    const memory = createMemory({} as Link, slow as unknown as Bucket)
    const writes = ['first', 'last'].map((each) => memory.write('node', 'oslo', { each }, 5))
    await Promise.all(writes)
    should(await memory.read('node', 'oslo')).match({ memory: { each: 'last' } })
  })
})
