// "Test all": tries each appliance of the inventory in the form, and offers to trust their certificates.
import { writtenCell } from '../../../client/model/csv'
import { jsonIn, objectsIn } from '../../../client/model/json'
import { ask, titleOf, sentenceOf } from '../../editor/ask'
import { element, iconButton, iconOf } from '../../editor/element'
import { signIcon } from '../../editor/states'
import { text } from '../../editor/text'
import type { Connection, TestedAppliance } from '../../wire'
import { fingerprintParts } from './report'

/** One part takes as long as its slowest gateway may take, and a little more. */
const PATIENCE_MS = 120_000

export async function testEach(
  connection: Connection,
  onProgress: (done: number, total: number) => void,
): Promise<TestedAppliance[]> {
  const tested: TestedAppliance[] = []
  for (;;) {
    const body = { connection, offset: tested.length }
    const part = await ask('connections', body, PATIENCE_MS)
    tested.push(...part.results)
    const isOver = part.results.length === 0 || tested.length >= part.total
    // Without the password, none of the others could be tested either.
    if (isOver || part.results.some(({ passwordNeeded }) => passwordNeeded)) return tested
    onProgress(tested.length, part.total)
  }
}

/** One that shows a certificate which can be trusted from now on: none was trusted there before. */
const isNew = ({ certificate, fingerprint }: TestedAppliance): boolean =>
  certificate !== undefined && !fingerprint

export function testedRows(tested: readonly TestedAppliance[]): HTMLElement[] {
  const good = tested.filter(({ ok }) => ok).length
  const sign = signIcon(good === tested.length ? 'ok' : good > 0 ? 'warning' : 'critical')
  const head = text('connection.all.works', { number: good, total: tested.length })
  return [
    element('p', sign, ' ', element('b', head)),
    element('ul.media-gateway-faults', ...tested.map(testedRow)),
  ]
}

function testedRow(tested: TestedAppliance): HTMLElement {
  const { name, ok, certificate, code, message = '' } = tested
  const words = certificate
    ? [text(`connection.all.${isNew(tested) ? 'untrusted' : 'other'}`), ': ']
    : [ok ? text('connection.ok') : `${titleOf(code)}. ${sentenceOf({ ...tested, message })}`]
  const parts = certificate ? fingerprintParts(certificate.fingerprint) : []
  const about = element('span', element('b', name), ' ', ...words, ...parts)
  return element('li', signIcon(ok ? 'ok' : 'critical'), about)
}

/** Nothing is trusted by itself: a button enters the fingerprints, or they are shown to be entered. */
export function trustRows(
  tested: readonly TestedAppliance[],
  { inventory, inventoryType }: Connection,
  enter: (inventory: string) => void,
): HTMLElement[] {
  const fingerprints = new Map(
    tested.flatMap((one) => (isNew(one) ? [[one.name, one.certificate!.fingerprint]] : [])),
  )
  if (fingerprints.size === 0) return []
  const compare = element('p', text('connection.all.compare'))
  const trusting = inventoryType === 'json' ? withFingerprints(inventory, fingerprints) : undefined
  if (trusting === undefined) return [compare, ...csvRows(tested)]
  const words = text('connection.all.trust', { number: fingerprints.size })
  const button = iconButton('lock', words, () => enter(trusting))
  button.id = 'media-gateway-trust-all'
  return [compare, button]
}

/** The inventory as it is typed, with these fingerprints; undefined where it is not JSON. */
function withFingerprints(
  inventory: unknown,
  fingerprints: ReadonlyMap<string, string>,
): string | undefined {
  const rows = jsonIn(String(inventory))
  if (!Array.isArray(rows)) return undefined
  for (const row of objectsIn(rows)) {
    if (typeof row['name'] !== 'string') continue
    const fingerprint = fingerprints.get(row['name'].trim())
    if (fingerprint !== undefined) row['fingerprint'] = fingerprint
  }
  return JSON.stringify(rows)
}

/** All rows in their order, so that the column can be copied into a spreadsheet. */
function fingerprintTable(tested: readonly TestedAppliance[]): string {
  const rows = tested.map((one) => [
    one.name,
    one.address,
    isNew(one) ? one.certificate!.fingerprint : (one.fingerprint ?? ''),
  ])
  const lines = [['name', 'baseUrl', 'fingerprint'], ...rows]
  return lines.map((cells) => cells.map(writtenCell).join(',')).join('\r\n')
}

function csvRows(tested: readonly TestedAppliance[]): HTMLElement[] {
  const table = fingerprintTable(tested)
  const area: HTMLTextAreaElement = element('textarea', {
    id: 'media-gateway-fingerprints',
    readOnly: true,
    rows: 6,
    wrap: 'off',
    value: table,
    ariaLabel: text('connection.all.table'),
    onfocus: () => area.select(),
  })
  const href = `data:text/csv;charset=utf-8,${encodeURIComponent(table)}`
  const words = [iconOf('download'), ` ${text('connection.all.download')}`]
  const link = element('a.red-ui-button', { download: 'fingerprints.csv', href }, ...words)
  return [element('p', text('connection.all.enter')), area, link]
}
