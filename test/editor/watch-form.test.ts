// The dialog of the watch: its events and its limits.
import { EVENTS } from '../../client/model/watch'
import type { Properties } from '../support/editor'
import { contains, withDialogs } from './dialogs-page'
import { DEFAULTS, WATCH } from './every-node'

const CHANGES: Properties = { ...DEFAULTS[WATCH], report: 'changes' }

/** A watch as a hand or a later version may have written it. */
const STRANGE: Properties = {
  device: 'deviceId',
  deviceType: 'msg',
  route: 'Studio A',
  routeType: 'str',
  events: ['route.merged', 'route.changed', 'device.status'],
  thresholds: [
    { measure: 'jitter', of: 'client', low: '', high: '12', note: 'x' },
    { high: 3, measure: 'bitrate' },
    { low: 'x' },
    null,
  ],
}

withDialogs('the dialog of the watch', (dialogs) => {
  const { page, add, exported, state, openForm, done, cancel, faults, limit } = dialogs
  const reportOf = () => page().locator('#node-input-report')

  it('reports incidents in a new node, and all changes in one that was saved without it', async () => {
    const { report: _, mustRun: __, ...saved } = DEFAULTS[WATCH]!
    const field = (property: string) => page().locator(`#node-input-${property}`)
    const which = page().getByLabel('Events', { exact: true })
    const holdFor = () => field('holdFor').getAttribute('placeholder')

    await openForm(WATCH)
    should(await reportOf().inputValue()).equal('incidents')
    should(await field('mustRun').isVisible()).be.true()
    should(await which.isVisible()).be.false()
    should(await holdFor()).equal('10')
    await cancel()

    await add({ ...saved, id: 'before', type: WATCH, x: 0, y: 0 })
    const before = await exported('before')
    should(definedIn(before)).not.have.properties('report')
    await openForm('before')
    should(await reportOf().inputValue()).equal('changes')
    should(await field('mustRun').isVisible()).be.false()
    should(await which.isVisible()).be.true()
    should(await holdFor()).equal('0')
    await done()
    should(await exported('before')).eql(before)
    should(await state('before')).containEql({ changed: false, valid: true })

    await openForm('before')
    await field('name').fill('edited')
    await done()
    should(definedIn(await exported('before'))).not.have.properties('report')

    await openForm('before')
    await reportOf().selectOption('incidents')
    should(await holdFor()).equal('10')
    should(await which.isVisible()).be.false()
    await page().getByLabel('Must run', { exact: true }).fill('News*')
    await done()
    should(await exported('before')).containEql({ report: 'incidents', mustRun: 'News*' })

    await openForm('before')
    await reportOf().selectOption('changes')
    await done()
    should(await exported('before')).containEql({ report: 'changes', mustRun: 'News*' })
  })

  it('does not check the events where it reports incidents', async () => {
    const events = ['route.merged']
    should(await faults(WATCH, { events })).equal('')
    should(await faults(WATCH, { events, report: 'changes' })).match(contains('route.merged'))
    should(await faults(WATCH, { events, report: undefined })).match(contains('route.merged'))
  })

  it('lists the events of a watch in their groups, each box with its label', async () => {
    await openForm(WATCH)
    await reportOf().selectOption('changes')
    const groups = page().locator('#media-gateway-watch-events fieldset')
    should(await groups.count()).equal(4)
    should(await groups.first().isVisible()).be.false()
    await page().getByLabel('Events', { exact: true }).selectOption('only selected events')
    const titles = await groups.locator('legend').allTextContents()
    for (const title of titles) should(title).match(/^[A-Z][a-z, ]+$/)

    const boxes = await groups
      .locator('input')
      .evaluateAll((all) =>
        all.map((box) => [
          (box as HTMLInputElement).value,
          (box as HTMLInputElement).labels?.[0]?.textContent ?? '',
        ]),
      )
    should(boxes.map(([name]) => name)).eql([...EVENTS])
    for (const [, label] of boxes) should(label).match(/^[a-z ]+$/)
    should(new Set(boxes.map(([, label]) => label)).size).equal(EVENTS.length)
    await cancel()
  })

  it('lets one choose the events of a watch with the keyboard, and keeps their order', async () => {
    await add({ ...CHANGES, id: 'events', type: WATCH, x: 0, y: 0 })
    const which = page().locator('#media-gateway-watch-which')
    const saved = async () => (await exported('events'))['events']

    await openForm('events')
    await which.selectOption('some')
    for (const label of ['value too low', 'route stopped', 'gateway unreachable']) {
      await page().getByLabel(label, { exact: true }).focus()
      await page().keyboard.press('Space')
    }
    await done()
    should(await saved()).eql(['appliance.unreachable', 'route.stopped', 'statistics.low'])

    await openForm('events')
    should(await which.inputValue()).equal('some')
    should(await page().getByLabel('route stopped').isChecked()).be.true()
    await which.selectOption('all')
    await done()
    should(await saved()).eql([])

    await openForm('events')
    should(await which.inputValue()).equal('all')
    await which.selectOption('some')
    await done()
    should(await saved()).eql([])
    await openForm('events')
    should(await which.inputValue()).equal('all')
    await cancel()
  })

  it('keeps events and limits that it does not know', async () => {
    await add({ ...CHANGES, ...STRANGE, id: 'strange', type: WATCH, x: 0, y: 0 })
    await openForm('strange')
    await done()
    should(await exported('strange')).containEql(STRANGE)
    should((await state('strange')).errors).eql([
      'Events: route.merged: unknown to this version',
      'Thresholds: row 1: unknown to this version; row 3: unknown to this version; row 4: unknown to this version',
    ])

    await openForm('strange')
    should(await page().getByLabel('route.merged').isChecked()).be.true()
    await page().getByLabel('gateway unreachable').check()
    await limit(1).getByLabel('high').fill('4')
    await limit(2).getByLabel('low').fill('1')
    await limit(2).getByLabel('Measured value').selectOption('roundTripTime')
    await limit(3).getByRole('button', { name: 'remove this threshold' }).click()
    await done()
    const mended = [
      { measure: 'bitrate', of: 'source', low: '', high: 4, hysteresis: '' },
      { measure: 'roundTripTime', of: 'source', low: 1, high: '', hysteresis: '' },
    ]
    should(await exported('strange')).containEql({
      events: ['appliance.unreachable', 'device.status', 'route.changed', 'route.merged'],
      thresholds: [
        { measure: 'jitter', of: 'client', low: '', high: 12, hysteresis: '', note: 'x' },
        ...mended,
      ],
    })

    await openForm('strange')
    await page().getByLabel('route.merged').uncheck()
    await limit(0).getByRole('button', { name: 'remove this threshold' }).click()
    await done()
    should(await exported('strange')).containEql({
      events: ['appliance.unreachable', 'device.status', 'route.changed'],
      thresholds: mended,
    })
    should(await state('strange')).containEql({ valid: true })

    await openForm('strange')
    should(await page().locator('#media-gateway-watch-events legend').count()).equal(4)
    await cancel()
  })

  it('lets one choose the language of the texts', async () => {
    await add({ ...DEFAULTS[WATCH], id: 'language', type: WATCH, x: 0, y: 0 })
    await openForm('language')
    const language = page().getByLabel('Language of the texts')
    should(await language.inputValue()).equal('')
    const choices = language.locator('option')
    should(await choices.allTextContents()).eql([
      'Language of Node-RED',
      'English',
      'Deutsch',
      '日本語',
    ])
    await language.selectOption('Deutsch')
    await done()
    should(await exported('language')).containEql({ language: 'de' })
    should(await state('language')).containEql({ valid: true })

    await openForm('language')
    should(await language.inputValue()).equal('de')
    await language.selectOption('Language of Node-RED')
    await done()
    should(await exported('language')).containEql({ language: '' })
  })

  it('says what is wrong with a watch', async () => {
    const row = { measure: 'bitrate', of: 'source', low: '', high: '', hysteresis: '' }
    for (const [properties, reason] of [
      [{ holdFor: '-1' }, 'Hold for: a number from 0 to 86400'],
      [{ holdFor: '86401' }, 'Hold for: a number from 0 to 86400'],
      [{ holdFor: 'soon' }, 'Hold for: a number from 0 to 86400'],
      [{ route: '', routeType: 'pattern' }, 'missing'],
      [{ device: '', deviceType: 'env' }, 'missing'],
      [{ thresholds: 'bitrate' }, 'Thresholds: must be a list'],
      [{ thresholds: [{ ...row, measure: undefined }] }, 'Thresholds: row 1: unknown'],
      [{ thresholds: [{ ...row, of: 'client' }] }, 'Thresholds: row 1: unknown'],
      [
        { report: 'changes', events: ['route.merged', 'route.status', 'x'] },
        'Events: route.merged, x: unknown',
      ],
      [{ thresholds: [row] }, 'Thresholds: row 1: enter a low threshold'],
      [{ thresholds: [{ ...row, low: 'x' }] }, 'Thresholds: row 1: must be a number of at least 0'],
      [{ thresholds: [{ ...row, high: -1 }] }, 'Thresholds: row 1: must be a number of at least 0'],
      [
        { thresholds: [{ ...row, low: 1, hysteresis: '1,5' }] },
        'Thresholds: row 1: must be a number of at least 0',
      ],
      [{ thresholds: [{ ...row, low: {} }] }, 'Thresholds: row 1: must be a number of at least 0'],
      [
        { thresholds: [{ ...row, low: 0 }] },
        'Thresholds: row 1: with these values, the event would never',
      ],
      [
        { thresholds: [{ ...row, high: 3, hysteresis: 3 }] },
        'Thresholds: row 1: with these values, the event would never',
      ],
      [
        { thresholds: [{ ...row, low: 2, high: 2 }] },
        'Thresholds: row 1: Low below must be less than High above',
      ],
      [
        { thresholds: [{ ...row, low: 1 }, row, { ...row, low: 10, high: 9 }] },
        'Thresholds: row 2: enter a low threshold, a high threshold, or both; row 3: Low below must be less than High above',
      ],
    ] as [Properties, string][]) {
      should(await faults(WATCH, properties)).match(contains(reason))
    }
    for (const properties of [
      { holdFor: '0' },
      { holdFor: '86400' },
      { holdFor: 0.5 },
      { holdFor: '${HOLD}' },
      { thresholds: [{ ...row, high: 0 }] },
      { thresholds: [{ ...row, low: 0.5, high: 9.5, hysteresis: 0 }] },
      { report: 'changes', events: [...EVENTS] },
      { report: 'changes', events: 'route.status, route.changed' },
      { mustRun: 'News*' },
      { mustRun: '${MUST_RUN}' },
      { thresholds: [{ measure: 'bitrate', high: '3' }] },
    ]) {
      should(await faults(WATCH, properties)).equal('')
    }
  })

  it('says what is wrong with a limit while one types, and not before', async () => {
    await add({ ...DEFAULTS[WATCH], id: 'limits', type: WATCH, x: 0, y: 0 })
    await openForm('limits')
    await page().getByRole('button', { name: 'add a threshold' }).click()
    const low = limit(0).getByLabel('low')
    const high = limit(0).getByLabel('high')
    const marks = async () => [
      await limit(0).locator('.media-gateway-watch-fault').textContent(),
      await low.getAttribute('aria-invalid'),
      await high.getAttribute('aria-invalid'),
    ]
    should(await marks()).eql(['', null, null])
    await low.fill('5')
    await low.press('Tab')
    should(await marks()).eql(['', 'false', 'false'])
    await high.fill('5')
    await high.press('Tab')
    should(await marks()).eql(['Low below must be less than High above', 'true', 'true'])
    should(await high.getAttribute('class')).match(/input-error/)
    await high.fill('5 Mbit')
    await high.press('Tab')
    should(await marks()).eql(['must be a number of at least 0', 'false', 'true'])
    await done()
    should(await state('limits')).containEql({
      valid: false,
      errors: ['Thresholds: row 1: must be a number of at least 0'],
    })

    await openForm('limits')
    should(await marks()).eql(['must be a number of at least 0', 'false', 'true'])
    await high.fill(' 7.5 ')
    await done()
    should(await state('limits')).containEql({ valid: true })
    should((await exported('limits'))['thresholds']).eql([
      { measure: 'bitrate', of: 'source', low: 5, high: 7.5, hysteresis: '' },
    ])
  })
})

const definedIn = (node: Properties): Properties =>
  Object.fromEntries(Object.entries(node).filter(([, value]) => value !== undefined))
