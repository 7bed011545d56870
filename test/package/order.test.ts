// The order of the folders holds: each import that it forbids is planted, and refused.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../support/root'

interface Order {
  ORDER: string[][]
  sources(root: string): string[]
  placeOf(file: string): { row: number; name: string } | undefined
  faultsIn(file: string, text: string, exists: (file: string) => boolean): string[]
}

describe('the order of the folders', () => {
  let order: Order
  let files: string[]
  /** One file of each place. */
  let places: Map<string, { row: number; file: string }>
  before(async () => {
    order = (await import(pathToFileURL(join(root, 'scripts/order.mjs')).href)) as Order
    files = order.sources(root)
    places = new Map(
      files.map((file) => {
        const { row, name } = order.placeOf(file)!
        return [name, { row, file }]
      }),
    )
  })

  /** What is said of a file with this line. */
  const planted = (file: string, line: string): string[] =>
    order.faultsIn(file, `${line}\n`, (other) => files.includes(other))

  const from = (file: string, other: string): string =>
    `${'../'.repeat(file.split('/').length - 1)}${other.replace(/\.ts$/, '')}`

  it('has a place for each file, and a file for each place', () => {
    files.filter((file) => !order.placeOf(file)).should.eql([])
    const rows = new Set([...places.values()].map(({ row }) => row))
    rows.size.should.equal(order.ORDER.length)
  })

  it('refuses each import of a place above, or beside', () => {
    const accepted: string[] = []
    let refused = 0
    for (const [name, { row, file }] of places) {
      for (const [above, { row: rowAbove, file: other }] of places) {
        if (above === name || rowAbove < row) continue
        const faults = planted(file, `import type { A } from '${from(file, other)}'`)
        if (faults.length === 0) accepted.push(`${file} -> ${other}`)
        else refused++
      }
    }
    accepted.should.eql([])
    refused.should.be.above(300)
  })

  for (const line of [
    "import { a } from 'X'",
    "import type { A } from 'X'",
    "import 'X'",
    "export * from 'X'",
    "export { a } from 'X'",
    "import {\n  a,\n} from 'X'",
    "const a = await import('X')",
    "const a = require('X') as A",
    "let a: typeof import('X')",
    "let a: import('X').A",
  ]) {
    it(`sees ${JSON.stringify(line)}`, () => {
      const text = line.replace('X', '../../client/gateway')
      planted('client/model/ids.ts', text.replace('../../client', '..')).should.have.length(1)
      planted('nodes/editor/text.ts', text).should.have.length(1)
      planted('nodes/runtime/status.ts', text).should.eql([])
    })
  }

  for (const [file, imported] of [
    ['client/model/ids.ts', 'node:fs'],
    ['client/model/ids.ts', 'axios'],
    ['client/failover/rules.ts', 'node:timers'],
    ['client/failover/rules.ts', '../changes/update'],
    ['client/failover/rules.ts', '../connection/connection'],
    ['client/gateway.ts', 'node-red'],
    ['client/gateway.ts', '@node-red/util'],
    ['client/gateway.ts', '../simulator'],
    ['client/gateway.ts', '../test/support/until'],
    ['nodes/editor/text.ts', 'node:path'],
    ['nodes/editor/text.ts', '../runtime/status'],
    ['nodes/wire.ts', './runtime/status'],
    ['nodes/wire.ts', '../client/watch/measuring/figures'],
    ['nodes/watch/editor/index.ts', '../watch'],
    ['nodes/watch/editor/index.ts', '../../metrics/editor'],
    ['nodes/watch/watch.ts', '../metrics/metrics'],
    ['nodes/watch/watch.ts', '../../simulator'],
    ['nodes/runtime/status.ts', '../watch/watch'],
    ['simulator/routes.ts', '../client/model/types'],
    ['simulator/routes.ts', 'axios'],
  ] as const) {
    it(`refuses ${imported} in ${file}`, () => {
      planted(file, `import { a } from '${imported}'`).should.have.length(1)
    })
  }

  it('holds', async () => {
    const { readFile } = await import('node:fs/promises')
    for (const file of files) {
      const text = await readFile(join(root, file), 'utf8')
      order.faultsIn(file, text, (other) => files.includes(other)).should.eql([])
    }
  })
})
