import { openLease, type Lease } from '../../../client/fleet/lease'
import type { EngineLink, ShareState, Store } from '../../../client/fleet/types'
import { TTL, Time } from './ownership-world'

describe('a lease', () => {
  let time: Time
  let lease: Lease
  let told: ShareState[]
  let changes: boolean[]
  let up: (isUp: boolean) => void
  let refusal: string | undefined

  beforeEach(() => {
    time = new Time()
    told = []
    changes = []
    let isUp = false
    const listeners = new Set<(isUp: boolean) => void>()
    up = (now) => {
      isUp = now
      for (const listener of listeners) listener(now)
    }
    refusal = undefined
    const link: EngineLink = {
      get reason() {
        return refusal
      },
      get isUp() {
        return isUp
      },
      onChange(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
    const records = new Map<string, { value: string; revision: number }>()
    let revision = 0
    const write = async (key: string, value: string): Promise<number> => {
      records.set(key, { value, revision: ++revision })
      return revision
    }
    const store: Store = {
      latest: 1,
      get: async (key) => records.get(key),
      put: write,
      remove: async () => undefined,
      watch({ onReady }) {
        onReady()
        return new Promise(() => undefined)
      },
    }
    lease = openLease({
      engine: {
        link,
        store,
        commands: {
          send: async (command) => command,
          serve: () => ({
            take: () => undefined,
            leave: () => undefined,
            close: async () => undefined,
          }),
        },
      },
      name: 'one',
      ttlMs: TTL,
      clock: {
        now: () => time.now,
        after(ms, callback) {
          let isOff = false
          time.later(ms, () => {
            if (!isOff) callback()
          })
          return () => {
            isOff = true
          }
        },
      },
      follower: {
        onTaken: () => undefined,
        onGiving: async () => undefined,
        inventory: () => undefined,
        carryOut: () => Promise.reject(new Error('not used')),
        onState: (state) => told.push(state),
        onEngine: ({ isUp: isBack }) => changes.push(isBack),
      },
      log: () => undefined,
    })
  })
  afterEach(async () => {
    const closed = lease.close()
    await time.pass(TTL)
    await closed
  })

  it('that cannot begin counts as lost after two TTL, and says so until it is there', async () => {
    should(lease.state().phase).equal('joining')
    await time.pass(2 * TTL - 10)
    changes.should.eql([])
    await time.pass(20)
    changes.should.eql([false])
    const { phase, reason } = lease.state()
    should({ phase, reason }).eql({ phase: 'lost', reason: 'It cannot join the fleet.' })
    told.at(-1)!.phase.should.equal('lost')
    refusal = 'The password is wrong.'
    should(lease.state().reason).equal('The password is wrong.')
    refusal = undefined
    up(true)
    await time.pass(2 * TTL)
    changes.should.eql([false, true])
    told.at(-1)!.phase.should.equal('member')
  })

  it('asks whoever owns the slot to carry a command out', async () => {
    const command = { appliance: 'oslo', slot: 7, writes: true, body: 'stop' }
    should(await lease.send(command)).eql({ ...command, from: 'one' })
  })

  it('that begins in time is never lost', async () => {
    up(true)
    await time.pass(5 * TTL)
    should(lease.state().phase).equal('member')
    changes.should.eql([])
    should(told.some(({ phase }) => phase === 'lost')).be.false()
  })
})
