import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  CONFIG_VERSION,
  migrated,
  type Migrations,
  type Saved,
} from '../../nodes/runtime/migrations'
import { contentOf, root } from '../support/root'

describe('migrations of saved nodes', () => {
  const MADE_UP: Migrations = {
    lamp: {
      0: ({ bright, ...saved }) => ({ ...saved, level: bright ? 100 : 0 }),
      2: ({ level, ...saved }) => ({ ...saved, light: { level } }),
    },
  }
  const lamp = (saved: object) => migrated({ type: 'lamp', ...saved }, MADE_UP, 3)

  it('take each step from the version that a node was saved in', () => {
    lamp({ bright: true }).should.eql({ type: 'lamp', configVersion: 3, light: { level: 100 } })
    const one = { configVersion: 1, level: 7, bright: true }
    lamp(one).should.eql({ type: 'lamp', configVersion: 3, bright: true, light: { level: 7 } })
    const two = { configVersion: 2, level: 8 }
    lamp(two).should.eql({ type: 'lamp', configVersion: 3, light: { level: 8 } })
  })

  it('leave alone what is of this version, of a later one, or of a type without a step', () => {
    for (const saved of [
      { type: 'lamp', configVersion: 3, level: 1 },
      { type: 'lamp', configVersion: 4, level: 1 },
    ]) {
      should(migrated(saved, MADE_UP, 3)).equal(saved)
    }
    const other = { type: 'bell', bright: true }
    migrated(other, MADE_UP, 3).should.eql({ ...other, configVersion: 3 })
  })

  it('take what is not a version for a node of 0.1', () => {
    for (const configVersion of [undefined, null, '', 'x', {}, 1.5, NaN]) {
      lamp({ configVersion, bright: true }).should.containEql({ light: { level: 100 } })
    }
  })

  it('change nothing in what was saved', () => {
    const saved = Object.freeze({ type: 'lamp', bright: true })
    migrated(saved, MADE_UP, 3)
    saved.should.eql({ type: 'lamp', bright: true })
  })

  it('give an update node of 0.1 without a mode the mode that it had', () => {
    const type = 'media-gateway-update-route'
    const modeOf = (saved: { mode?: string; configVersion?: number }) =>
      migrated<{ type: string; mode?: string }>({ type, ...saved }).mode
    should(modeOf({})).equal('keep')
    should(modeOf({ mode: '' })).equal('keep')
    should(modeOf({ mode: 'replace' })).equal('replace')
    should(modeOf({ configVersion: CONFIG_VERSION })).be.undefined()
  })

  it('keep a failover as it was: when it switches, how often it looks, and that it changes nothing', () => {
    const type = 'media-gateway-failover'
    const now = (saved: object) => migrated<Saved>({ type, configVersion: 1, ...saved })
    should(now({ lookEvery: '0.5' })['pollEvery']).equal('0.5')
    should(
      [now({}), now({ failOn: '' }), now({ failOn: 'status' })].map(({ failOn }) => failOn),
    ).eql(['status', 'status', 'status'])
    should([now({ failOn: 'noData' }), now({ failOn: 'bitrate' })].map(({ failOn }) => failOn)).eql(
      ['noData', 'noData'],
    )
    const byHand = migrated<Saved>({ type, pollEvery: 1 })
    should([byHand['failOn'], byHand['pollEvery']]).eql(['noData', 1])
    for (const dryRun of [true, 'true', 'yes', '${DRY}', 'perhaps']) {
      should(now({ dryRun, hold: false })['hold']).equal(dryRun)
    }
    for (const dryRun of [undefined, null, '', false, 'False', 'off']) {
      should(now({ dryRun, hold: '${HOLD}' })['hold']).equal('${HOLD}')
    }
    now({ dryRun: true, lookEvery: 2 }).should.not.have.properties(['dryRun'])
    const saved = { type, configVersion: CONFIG_VERSION, hold: false }
    migrated(saved).should.eql(saved)
  })

  it('read the detail of metrics that listed no connections as the routes that it showed', () => {
    const detailOf = (detail?: string) =>
      migrated<Saved>({ type: 'media-gateway-metrics', configVersion: 1, detail })['detail']
    should(['connections', 'totals', '', undefined].map(detailOf)).eql([
      'routes',
      'totals',
      '',
      undefined,
    ])
  })

  it('know the version that the form of every node saves', () => {
    const forms = readdirSync(join(root, 'dist/nodes'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /^([\w-]+)[\\/]\1\.html$/.test(file))
      .map((file) => contentOf('dist/nodes', file))
      .filter((form) => form.includes('RED.nodes.registerType('))
    forms.length.should.be.above(10)
    for (const form of forms) {
      const [, version] = /\bconfigVersion: \{ value: (\d+) \}/.exec(form) ?? []
      should(Number(version)).equal(CONFIG_VERSION)
    }
  })
})
