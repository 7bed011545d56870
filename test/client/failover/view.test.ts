import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FAILOVER_STATES, UNPROTECTED } from '../../../client/model/failover'
import { kindOf, signOf } from '../../../client/model/failover-view'
import { own } from '../../../client/model/json'
import { LANGUAGES } from '../../../client/model/watch'

const ROOT = join(__dirname, '../../../..')

const textsOf = (node: string, language: string): unknown =>
  JSON.parse(
    readFileSync(join(ROOT, 'nodes', node, 'locales', language, `${node}.json`), 'utf8'),
  ) as unknown

describe('How a failover is shown', () => {
  it('has words in every language, whatever its state and its reason are', () => {
    const reasons = [...UNPROTECTED, 'main-bad', 'not-started', undefined] as const
    for (const language of LANGUAGES) {
      const inStatus = own(textsOf('failover', language), 'status')
      const inSidebar = own(own(textsOf('sidebar', language), 'failover'), 'words')
      for (const state of FAILOVER_STATES) {
        for (const reason of reasons) {
          const kind = kindOf({ state, reason, held: false })
          should(own(inSidebar, kind)).be.a.String()
          if (kind !== 'not-started') should(own(inStatus, kind)).be.a.String()
        }
        for (const monitor of ['stopped', 'missing'] as const) {
          const kind = kindOf({ state, monitor, held: false })
          for (const words of [inStatus, inSidebar]) should(own(words, kind)).be.a.String()
        }
      }
    }
  })

  it('looks good only on main and protected, and bad where nobody does anything about a bad source', () => {
    const reasons = [...UNPROTECTED, 'main-bad', undefined] as const
    for (const state of FAILOVER_STATES) {
      for (const reason of reasons) {
        const isGood = state === 'normal' && reason === undefined
        const sign = signOf({ state, reason, held: false })
        should(sign === 'ok').equal(isGood, state)
        should(sign === 'critical').equal(state === 'no-protection', state)
        const held = signOf({ state, reason, held: true })
        const isBad = state === 'no-protection' || state === 'hold-off'
        should(held).equal(isBad ? 'critical' : 'stopped', state)
      }
    }
    should([signOf({}), signOf({ state: 'standby' })]).eql(['unknown', 'stopped'])
  })

  it('never looks good while a monitor says nothing, unless somebody holds it', () => {
    const good = { state: 'normal', held: false } as const
    signOf(good).should.equal('ok')
    for (const monitor of ['stopped', 'missing'] as const) {
      kindOf({ ...good, monitor }).should.equal(`monitor-${monitor}`)
      signOf({ ...good, monitor }).should.equal('warning')
      signOf({ ...good, monitor, held: true }).should.equal('stopped')
      // What has failed is more.
      kindOf({ ...good, monitor, reason: 'backup-bad' }).should.equal('alone')
      kindOf({ state: 'no-protection', held: false, monitor, reason: 'both-bad' }).should.equal(
        'both-bad',
      )
    }
  })
})
