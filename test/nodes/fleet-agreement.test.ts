import 'should'
import { mock } from 'node:test'
import type { UsableRow } from '../../client/model/inventory'
import type { Member } from '../../client/fleet/types'
import {
  createAgreement,
  digestOf,
  type Agreement,
} from '../../nodes/gateway/fleet/inventory-check'
import { pause, until } from '../support/until'

const GRACE = 60
const member = (name: string, inventory?: string): Member => ({
  id: name,
  name,
  slots: 1,
  inventory,
})
const row = (name: string, more: Partial<UsableRow> = {}): UsableRow => ({
  name,
  baseUrl: 'https://gateway.example',
  ...more,
})

describe('inventories of several instances', () => {
  let changes: Array<readonly string[]>
  let agreement: Agreement
  beforeEach(() => {
    changes = []
    agreement = createAgreement((others) => changes.push(others), GRACE)
  })
  afterEach(() => agreement.close())

  it('are the same with the same appliances by the same names, in any order, whatever else the rows say', () => {
    const digest = digestOf([row('oslo'), row('bergen', { password: 'secret' })])
    digestOf([
      row('bergen'),
      row('oslo', { baseUrl: 'https://GATEWAY.example:443/' }),
    ]).should.equal(digest)
    digestOf([row('bergen'), row('oslo', { baseUrl: 'https://other.example' })]).should.not.equal(
      digest,
    )
    digestOf([row('oslo')]).should.not.equal(digest)
    digestOf([row('oslo,bergen')]).should.not.equal(digest)
    digestOf([]).should.not.equal(digest)
  })

  it('that differ for a moment are not told', async () => {
    agreement.compare('one', [member('a', 'one'), member('b', 'two')])
    await pause(GRACE / 2)
    agreement.compare('two', [member('a', 'two'), member('b', 'two')])
    await pause(GRACE)
    changes.should.eql([])
  })

  it('that differ again are told a whole while after that', () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      agreement.compare('one', [member('b', 'two')])
      mock.timers.tick(GRACE / 2)
      agreement.compare('one', [member('b', 'one')])
      agreement.compare('one', [member('b', 'two')])
      mock.timers.tick(GRACE - 1)
      changes.should.eql([])
      mock.timers.tick(1)
      changes.should.eql([['b']])
    } finally {
      mock.timers.reset()
    }
  })

  it('that go on differing are told with the names of the others, and so is the end', async () => {
    agreement.compare('one', [member('a', 'one'), member('c', 'two'), member('b', 'two')])
    changes.should.eql([])
    await until(() => changes.length > 0)
    changes.should.eql([['b', 'c']])
    agreement.compare('one', [member('a', 'one'), member('b', 'one'), member('c', 'two')])
    agreement.compare('one', [member('a', 'one'), member('b', 'one'), member('c', 'two')])
    agreement.compare('one', [member('a', 'one'), member('b', 'one'), member('c', 'one')])
    changes.should.eql([['b', 'c'], ['c'], []])
  })

  it('that are not known are not compared', async () => {
    agreement.compare('one', [member('earlier version')])
    agreement.compare(undefined, [member('b', 'two')])
    await pause(2 * GRACE)
    changes.should.eql([])
  })
})
