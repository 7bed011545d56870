// What `npm run check` says of a new node: everything that it lacks, in one list.
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import 'should'
import { root } from '../support/root'

describe('a node of which there is only the name', () => {
  let lacksIn: (root: string) => string[]
  let home: string

  before(async () => {
    const url = pathToFileURL(join(root, 'scripts/lacks.mjs')).href
    ;({ lacksIn } = (await import(url)) as { lacksIn: typeof lacksIn })
    home = mkdtempSync(join(tmpdir(), 'media-gateway-lacks-'))
    const names = readdirSync(root).filter((name) => name !== 'package.json')
    for (const name of names) symlinkSync(join(root, name), join(home, name))
    const manifest = readFileSync(join(root, 'package.json'), 'utf8')
    const entry = '"list-alarms": "dist/nodes/list-alarms/list-alarms.js",\n"get-device":'
    writeFileSync(join(home, 'package.json'), manifest.replace('"get-device":', entry))
  })

  after(() => rmSync(home, { recursive: true, force: true }))

  it('lacks its files in every language, its example, and its rows', () => {
    const files = [
      'nodes/list-alarms/list-alarms.ts',
      'nodes/list-alarms/manifest.ts',
      'icons/list-alarms.svg',
      'examples/List alarms.json',
      ...['de', 'en-US', 'ja'].flatMap((language) =>
        ['json', 'html'].map((kind) => `nodes/list-alarms/locales/${language}/list-alarms.${kind}`),
      ),
    ]
    lacksIn(home).should.eql([
      ...files.map((file) => `list-alarms lacks ${file}`),
      'list-alarms lacks a node of this type in examples/All nodes.json',
      'list-alarms lacks a row in README.md',
      'list-alarms lacks a row in docs/nodes.md',
      'list-alarms lacks its properties in docs/contract.md',
    ])
  })

  it('is the only one that lacks anything', () => {
    lacksIn(root).should.eql([])
  })
})
