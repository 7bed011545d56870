// What `npm run check` says of a new node: everything that it lacks, in one list.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { contentOf, root } from '../support/root'

type LacksIn = (root: string) => Promise<string[]>

const lacksIn: LacksIn = async (home) => {
  const url = pathToFileURL(join(root, 'scripts/lacks.mjs')).href
  const module = (await import(url)) as { lacksIn: LacksIn }
  return module.lacksIn(home)
}

/** The rows that a node has in pages and examples. */
const ROWS = [
  'list-alarms lacks a node of this type in examples/All nodes.json',
  'list-alarms lacks a row in README.md',
  'list-alarms lacks a row in docs/nodes.md',
  'list-alarms lacks a row in docs/roles.md',
  'list-alarms lacks its properties in docs/contract.md',
  'list-alarms lacks its row below "Saved form" in docs/contract.md',
]

describe('a new node', () => {
  let home: string

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'media-gateway-lacks-'))
    const names = readdirSync(root).filter((name) => !['package.json', 'nodes'].includes(name))
    for (const name of names) symlinkSync(join(root, name), join(home, name))
    cpSync(join(root, 'nodes'), join(home, 'nodes'), { recursive: true })
    const manifest = contentOf('package.json')
    const entry = '"list-alarms": "dist/nodes/list-alarms/list-alarms.js",\n"get-device":'
    writeFileSync(join(home, 'package.json'), manifest.replace('"get-device":', entry))
  })

  afterEach(() => rmSync(home, { recursive: true, force: true }))

  function write(file: string, text: string): void {
    const path = join(home, 'nodes/list-alarms', file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }

  it('of which there is only the name lacks its files in every language, its example, and its rows', async () => {
    const files = [
      'nodes/list-alarms/list-alarms.ts',
      'nodes/list-alarms/manifest.ts',
      'icons/list-alarms.svg',
      'examples/List alarms.json',
      ...['de', 'en-US', 'ja'].flatMap((language) =>
        ['json', 'html'].map((kind) => `nodes/list-alarms/locales/${language}/list-alarms.${kind}`),
      ),
    ]
    const lacks = files.map((file) => `list-alarms lacks ${file}`)
    ;(await lacksIn(home)).should.eql([...lacks, ...ROWS])
  })

  it('with a manifest lacks the texts that it names, and its name at what it reads', async () => {
    write('list-alarms.ts', '')
    write('manifest.ts', MANIFEST)
    for (const language of ['de', 'en-US', 'ja']) {
      write(`locales/${language}/list-alarms.json`, '{ "node": "list alarms" }')
      write(`locales/${language}/list-alarms.html`, '<p>Reads the alarms.</p>')
    }
    const texts = ['de', 'en-US', 'ja'].flatMap((language) => {
      const file = `nodes/list-alarms/locales/${language}/list-alarms`
      return [
        `"result" in ${file}.json`,
        `"label.severity" in ${file}.json`,
        `"severity.all" in ${file}.json`,
        `"hint.major" in ${file}.json`,
        `<dd id="output payload"> in ${file}.html`,
        `<dd id="field severity"> in ${file}.html`,
      ]
    })
    const files = ['icons/list-alarms.svg', 'examples/List alarms.json']
    ;(await lacksIn(home)).should.eql([
      ...[...files, ...texts].map((what) => `list-alarms lacks ${what}`),
      ...ROWS,
      'list-alarms lacks "list alarms" in the row of msg.deviceId in docs/contract.md',
    ])
  })
})

describe('the nodes of the package', () => {
  it('lack nothing', async () => {
    ;(await lacksIn(root)).should.eql([])
  })
})

const MANIFEST = `
import * as shared from '../parts/shared'

export default {
  color: shared.reads,
  properties: {
    ...shared.device,
    severity: {
      value: 'all',
      as: 'choice',
      choices: ['all'],
      hints: [{ text: 'hint.major' }],
    },
  },
  inputs: shared.deviceIn,
  outputs: { payload: 'array', ...shared.deviceOut },
  errors: ['NOT_FOUND device'],
  example: { out: {} },
}
`
