import should from 'should'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FAILOVER_STATES, UNPROTECTED } from '../../../client/model/failover'
import { kindOf } from '../../../client/model/failover-view'
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
          // After a release, a loss keeps the reason that it was reported with.
          const kind = kindOf({ state, reason, held: false })
          should(own(inSidebar, kind)).be.a.String()
          if (kind !== 'not-started') should(own(inStatus, kind)).be.a.String()
        }
      }
    }
  })
})
